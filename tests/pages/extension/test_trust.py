"""The lists of who sees what: figure and text come from the same lines, and wrong lines are reported."""

import pytest
from bs4 import BeautifulSoup
from ldp_sphinx import trust

STEPS = [
    {"who": "A worker", "sees": "her answers", "icon": "person"},
    {"sends": "reports, changed by chance, " + "of everything that she was asked " * 3},
    "trust ends",
    {"who": "The curator", "sees": "reports < answers", "icon": "server"},
]


def test_described_content_is_drawn_inside_the_canvas():
    drawing = BeautifulSoup(trust.drawing(STEPS), "html.parser").svg
    drawn = " ".join(text.get_text() for text in drawing.select("text"))
    for step in STEPS:
        told = ["trust ends"] if step == "trust ends" else [v for k, v in step.items() if k != "icon"]
        for words in told:
            assert set(words.split()) <= set(drawn.split())
            assert words.strip().lower() in drawing["aria-label"].lower()
    width, height = map(float, drawing["viewbox"].split()[2:])
    for text in drawing.select("text"):
        assert 0 < float(text["y"]) < height
        if text.get("class") != ["trust-end"]:
            assert float(text["x"]) + 6.3 * len(text.get_text()) < width
    assert drawing.select_one(".trust-arrow")


@pytest.mark.parametrize(
    "steps",
    [
        None,
        STEPS[:2],
        [*STEPS, "trust ends"],
        [*STEPS, {"who": "Everybody", "sees": "truths", "icon": "sun"}],
        [*STEPS, {"who": "Everybody", "sees": "truths"}],
        [*STEPS, {"send": "truths"}],
        [*STEPS, "trust"],
    ],
)
def test_a_wrong_list_is_seen(steps):
    assert trust.faults(STEPS) == ""
    assert trust.faults(steps)
