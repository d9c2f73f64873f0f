"""Activities for the room: the page's numbers are computed, and simulated rooms agree with them."""

import re
from math import log, sqrt

import numpy as np
import pytest
from scipy.stats import binom, norm
from toc import ROOT, TOC

from ldpbook.foundations import discrete_epsilon
from ldpcourse.teaching import activities
from ldpcourse.teaching.activities import dice_epsilon, expected, opposite_rate

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
    "2": (1.95, "a rating", "writer's card"),
    "3": ("one secret", "a new secret", 0.69, 1.23),  # its percentages have their own test
    "4": (1.21, 1.56, "distance"),
    "5": ("hands", 0.70, "standard error"),
    "6": (1.61, "with a die", "directly", 0.47),
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
    assert discrete_epsilon([[5 / 6, 1 / 6], [1 / 6, 5 / 6]]) == pytest.approx(log(5))
    assert discrete_epsilon([[3 / 4, 1 / 4], [1 / 4, 3 / 4]]) == pytest.approx(log(3))
    assert agrees("0.69", dice_epsilon(1))
    assert agrees("1.23", dice_epsilon(4))
    assert agrees("1.21", activities._READING)
    assert agrees("0.03", 1 / 30)
    with_die, directly = (value for name, value in expected(30).items() if "error in hours" in name)
    assert f"a factor of {with_die / directly:.1f} in error" in PAGE


def test_film_ratings_invented_by_the_die():
    """Compute which ratings on slips a second roll wrote, and which are not those of the card."""
    room = expected(30)
    ratings = room["2. film: slips with a rating, if 1 in 3 cards has one"]
    own = room["2. film: slips with the rating of the writer's card"]
    assert f"The die invented {1 - 10 / 2 / ratings:.0%} of the ratings".replace("%", " %") in PAGE
    assert 1 - own / ratings == pytest.approx(2 / 3)


def test_second_round_may_show_the_opposite():
    shown = [f"{100 * opposite_rate(30, k):.0f} %" for k in (4, 8)]
    assert f"In {shown[0]} of such rooms the second round has as many hands or more. " in PAGE
    assert f"With eight questions that happens in {shown[1]}." in PAGE
    rng = np.random.default_rng(5)
    p = rng.choice(activities._FLIPS, (N_ROOMS, 30, 1))
    first = (rng.random((N_ROOMS, 30, 4)) >= p).all(axis=2).sum(axis=1)
    p = rng.choice(activities._FLIPS, (N_ROOMS, 30, 4))
    second = (rng.random((N_ROOMS, 30, 4)) >= p).all(axis=2).sum(axis=1)
    assert abs((second >= first).mean() - opposite_rate(30)) < 4 * sqrt(0.25 / N_ROOMS)


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


def chair_errors(n_each, n_rooms):
    """Distances from the chair in simulated rooms, by least squares on finer and finer grids."""
    rng = np.random.default_rng(1)
    dice = rng.integers(1, 7, (2, n_rooms, 3, n_each))
    true = np.linalg.norm(activities._CHAIR - activities._ANCHORS, axis=1)
    read = true + ((dice[0] - dice[1]) / 2).mean(axis=2)
    place, offsets = np.tile([5.0, 4.0], (n_rooms, 1)), np.array([*np.ndindex(21, 21)]) / 10 - 1
    for width in (10, 1, 0.1):
        tried = place[:, None] + width * offsets
        misfit = 0
        for anchor, distance in zip(activities._ANCHORS, read.T, strict=True):
            misfit = misfit + (np.linalg.norm(tried - anchor, axis=2) - distance[:, None]) ** 2
        place = tried[np.arange(n_rooms), misfit.argmin(axis=1)]
    return np.linalg.norm(place - activities._CHAIR, axis=1)


def test_chair_rooms_agree_with_prediction():
    """The prediction is of first order, so for one student at each anchor the page prints what rooms show."""
    error = sqrt((chair_errors(10, 4_000) ** 2).mean())
    assert error == pytest.approx(expected(30)["4. chair: distance from the chair in metres"], rel=0.04)
    assert sqrt((chair_errors(1, 4_000) ** 2).mean()) == pytest.approx(1.56, rel=0.03)


def test_card_rooms_agree_with_prediction():
    rng = np.random.default_rng(2)
    hands = rng.binomial(21, 4 / 6, N_ROOMS) + rng.binomial(9, 1 / 6, N_ROOMS)
    corrected = (hands / 30 - 1 / 6) / (4 / 6 - 1 / 6)
    room = expected(30)
    assert abs(hands.mean() - room["5. cards: hands, if 7 in 10 are red"]) < 4 * hands.std() / sqrt(N_ROOMS)
    assert corrected.std() == pytest.approx(room["5. cards: standard error of the corrected share"], rel=0.03)
    assert abs(corrected.mean() - 0.7) < 4 * corrected.std() / sqrt(N_ROOMS)


def test_hours_rooms_agree_with_prediction():
    """Hours around the threshold, by the steps of the page; the mean of the room's own hours as well."""
    rng = np.random.default_rng(4)
    hours, die = rng.normal(7, 1.5, (N_ROOMS, 30)), rng.integers(1, 7, (N_ROOMS, 30))
    hands = np.where(die == 1, False, np.where(die == 6, True, hours > 7)).mean(axis=1)
    estimate = 7 + 1.5 * norm.ppf(np.clip(1.5 * hands - 0.25, 0.05, 0.95))
    room = expected(30)
    error = sqrt(((estimate - 7) ** 2).mean())
    assert error == pytest.approx(room["6. hands: error in hours, with a die, if the mean is 7"], rel=0.03)
    assert hours.mean(axis=1).std() == pytest.approx(
        room["6. hands: error in hours, asked directly"], rel=0.03
    )
    assert sqrt(((estimate - hours.mean(axis=1)) ** 2).mean()) == pytest.approx(0.47, rel=0.03)


def test_rooms_without_a_quantile_are_counted():
    """Hands go up with probability `up` if the mean is eight hours; 5 and 25 of 30 decode to 0 and 1."""
    up = 1 / 6 + 4 / 6 * norm.cdf(1 / 1.5)
    without = binom.cdf(5, 30, up) + binom.sf(24, 30, up)
    assert f"If the mean is eight hours, {100 * without:.0f} % of rooms of 30 have no quantile." in PAGE


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
    assert f"{expected(45)['8. phones: phones that would have sent something else']:.2f}" in shown[-2]
    with pytest.raises(SystemExit):
        activities.main(["0"])
    with pytest.raises(ValueError, match="n_students must be an integer >= 1"):
        expected(0)
