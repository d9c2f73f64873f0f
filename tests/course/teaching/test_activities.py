"""Activities for the room: the page's numbers are computed, and simulated rooms agree with them."""

import re
from math import erf, log, sqrt

import numpy as np
import pytest
from toc import ROOT, TOC

from ldpbook.foundations import discrete_epsilon
from ldpcourse.teaching import activities
from ldpcourse.teaching.activities import dice_epsilon, expected

PAGE = (ROOT / "book" / "teaching" / "activities.md").read_text(encoding="utf-8")
SECTIONS = dict(re.findall(r"^## (\d)\. [^\n]+\n(.*?)(?=^## )", PAGE, re.MULTILINE | re.DOTALL))
SIZES = (15, 30, 60, 120)
N_ROOMS = 20_000


def agrees(written, value):
    """Whether a number is a value, rounded to the digits that are written."""
    return abs(float(written) - value) <= 0.5 * 10.0 ** -len(written.partition(".")[2]) * (1 + 1e-9)


def test_table_of_rooms_agrees_with_package():
    table = PAGE.split("## What to expect")[1]
    rows = dict(re.findall(r"^\| (\d\. [^|]+?) \| (.*) \|$", table, re.MULTILINE))
    assert list(rows) == list(expected(30))
    for name, cells in rows.items():
        for n, cell in zip(SIZES, cells.split(" | "), strict=True):
            assert agrees(cell, expected(n)[name]), (name, n)


# The numbers of each "Expect" in their order; epsilons are those of the rule that the steps describe.
TOLD = {
    "1": (0.75, 1.10, "slips with yes", "standard error"),
    "2": (1.95, "a rating", "own rating"),
    "3": ("one secret", "a new secret", 0.69, 1.23),
    "4": (1.21, 1.5, "distance"),
    "5": ("hands", 0.70, "standard error"),
    "6": (1.61, "with a die", "directly"),
    "7": (1.10, "first guess", 0.03),
    "8": ("something else", "standard error"),
}


@pytest.mark.parametrize("part", TOLD)
def test_prose_of_activity_agrees_with_package(part):
    told = re.search(r"\*\*Expect\.\*\* (.*)", SECTIONS[part])[1]
    room = {name: value for name, value in expected(30).items() if name.startswith(part)}
    for what in TOLD[part]:
        if isinstance(what, str):
            [value] = [value for name, value in room.items() if what in name]
            written = [w for w in re.findall(r"\d+(?:\.\d+)?", told) if agrees(w, value)]
            assert written, (what, value)
        else:
            assert any(float(w) == what for w in re.findall(r"\d+\.\d+", told.replace("3/4", "0.75"))), what


def test_epsilons_of_the_rules_are_exact():
    film = np.full((6, 6), 1 / 12) + np.eye(6) / 2  # a truth with probability 1/2, otherwise any face
    assert discrete_epsilon(film) == pytest.approx(log(7))
    assert discrete_epsilon(activities._DIE) == pytest.approx(log(5))
    assert discrete_epsilon([[3 / 4, 1 / 4], [1 / 4, 3 / 4]]) == pytest.approx(log(3))
    assert agrees("0.69", dice_epsilon(1))
    assert agrees("1.23", dice_epsilon(4))
    assert agrees("1.21", activities._READING)
    assert agrees("1.5", expected(3)["4. chair: distance from the chair in metres"])
    assert agrees("0.03", 1 / 30)
    hours = [
        expected(30)[f"6. hands: standard error in hours, {how}"] for how in ("with a die", "asked directly")
    ]
    assert agrees("1.9", hours[0] / hours[1])


def test_shared_secret_loss_by_all_outputs():
    """The probability of each of 16 rows of flips, for two neighbours that differ in the first cell."""
    rows = np.array(list(np.ndindex(2, 2, 2, 2)))
    other = rows ^ [1, 0, 0, 0]

    def chance(flips):
        return np.mean([np.where(flips, p, 1 - p).prod(axis=1) for p in activities._FLIPS], axis=0)

    assert dice_epsilon(4) == pytest.approx(discrete_epsilon([chance(rows), chance(other)]), rel=1e-12)


def test_dice_rooms_agree_with_prediction():
    rng = np.random.default_rng(0)
    p = rng.choice(activities._FLIPS, (N_ROOMS, 30, 1))
    unflipped = (rng.random((N_ROOMS, 30, 4)) >= p).all(axis=2).sum(axis=1)
    name = "3. dice: students without a flip, one secret for all four"
    assert abs(unflipped.mean() - expected(30)[name]) < 4 * unflipped.std() / sqrt(N_ROOMS)


def test_chair_rooms_agree_with_prediction():
    """Least squares by Newton's steps from the truth; the prediction is to first order."""
    rng = np.random.default_rng(1)
    dice = rng.integers(1, 7, (2, N_ROOMS, 3, 10))
    true = np.linalg.norm(activities._CHAIR - activities._ANCHORS, axis=1)
    read = true + ((dice[0] - dice[1]) / 2).mean(axis=2)
    place = np.tile(activities._CHAIR, (N_ROOMS, 1))
    for _ in range(5):
        away = place[:, None] - activities._ANCHORS
        length = np.linalg.norm(away, axis=2)
        towards = away / length[:, :, None]
        place = place + np.einsum("nij,nj->ni", np.linalg.pinv(towards), read - length)
    error = sqrt(((place - activities._CHAIR) ** 2).sum(axis=1).mean())
    assert error == pytest.approx(expected(30)["4. chair: distance from the chair in metres"], rel=0.03)


def test_card_rooms_agree_with_prediction():
    rng = np.random.default_rng(2)
    hands = rng.binomial(21, 4 / 6, N_ROOMS) + rng.binomial(9, 1 / 6, N_ROOMS)
    corrected = (hands / 30 - 1 / 6) / (4 / 6 - 1 / 6)
    room = expected(30)
    assert abs(hands.mean() - room["5. cards: hands, if 7 in 10 are red"]) < 4 * hands.std() / sqrt(N_ROOMS)
    assert corrected.std() == pytest.approx(room["5. cards: standard error of the corrected share"], rel=0.03)
    assert abs(corrected.mean() - 0.7) < 4 * corrected.std() / sqrt(N_ROOMS)


def test_hours_error_is_the_delta_method():
    """At the threshold the share of hands is 1/2, and 1.5 times the density is the decoded share's slope."""
    share = sqrt(0.25 / 30) * 1.5
    slope = 1 / (1.5 * sqrt(2 * np.pi))
    assert expected(30)["6. hands: standard error in hours, with a die"] == pytest.approx(share / slope)
    assert 1.5 * (1 / 6 + 4 / 6 * (1 + erf(0)) / 2) - 0.25 == pytest.approx(0.5)


def test_row_rooms_agree_with_prediction():
    rng = np.random.default_rng(3)
    ann = rng.binomial(6, 3 / 4, N_ROOMS)
    others = rng.binomial(6, 1 / 4, (N_ROOMS, 29))
    most = others.max(axis=1)
    ties = (others == ann[:, None]).sum(axis=1)
    found = np.where(ann > most, 1.0, np.where(ann == most, 1 / (1 + ties), 0.0))
    name = "7. row: probability that the first guess finds Ann"
    assert abs(found.mean() - expected(30)[name]) < 4 * found.std() / sqrt(N_ROOMS)


def test_every_part_has_an_activity():
    parts = [part["caption"] for part in TOC["parts"] if part.get("caption")][:8]
    assert len(SECTIONS) == len(parts) == 8
    chapters = [[c["file"] for c in part["chapters"]] for part in TOC["parts"] if part.get("numbered")]
    for (number, text), caption, own in zip(SECTIONS.items(), parts, chapters, strict=True):
        assert f"**Part** {caption}, " in text, number
        assert re.search(r"\{doc\}`/(book/[\w/-]+)`", text)[1] in own
        for heading in ("Time", "You need", "Expect.", "Say afterwards."):
            assert f"**{heading}**" in text


def test_command_prints_a_room_of_any_size(capsys):
    activities.main(["45"])
    shown = capsys.readouterr().out.splitlines()
    assert len(shown) == len(expected(45))
    assert f"{expected(45)['8. phones: phones that sent something else']:.2f}" in shown[-2]
    with pytest.raises(SystemExit):
        activities.main(["0"])
    with pytest.raises(ValueError, match="n_students must be an integer >= 1"):
        expected(0)
