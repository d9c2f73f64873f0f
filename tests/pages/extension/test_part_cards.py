"""The cards of the parts: every part has one, and the line of trust stands where its drawing has it."""

from ldp_sphinx import part_cards, trust


def test_every_part_has_a_card():
    folders = part_cards.folders()
    made = "\n".join(part_cards.cards({folder: f"About {folder}?" for folder in folders.values()}))
    for caption, folder in folders.items():
        assert f":::{{grid-item-card}} {{doc}}`{caption} </book/{folder}/index>`" in made
        assert f"About {folder}?" in made
    assert made.count("<svg") == len(folders)


def test_emblem_draws_trust_where_it_ends():
    person = {"who": "A", "sees": "x", "icon": "person"}
    server = {"who": "B", "sees": "y", "icon": "server"}
    drawn = trust.emblem([person, {"sends": "z"}, "trust ends", server])
    pieces = [drawn.index(piece) for piece in ("<circle", "trust-line", "<rect")]
    assert pieces == sorted(pieces)
    assert drawn.count("trust-icon") == 2
