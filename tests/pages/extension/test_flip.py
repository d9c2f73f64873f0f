"""The first page's still: drawn from the stated distribution, and described as drawn."""

import re

import numpy as np
import pytest
from bs4 import BeautifulSoup
from ldp_sphinx import flip
from toc import ROOT

from ldpbook.categorical_answers import OneLayerFlip

FIGURE = BeautifulSoup(flip.figure(), "html.parser")


def test_drawing_in_the_readme_is_current():
    """Write the drawing with print(flip.alone(), end="")."""
    assert (ROOT / "book" / "_static" / "flip.svg").read_text(encoding="utf-8") == flip.alone()


@pytest.mark.parametrize("keep", [0.6, 0.75, 0.95])
def test_estimate_is_unbiased_with_stated_standard_deviation(keep):
    answers = np.repeat([1.0, 0.0], [flip.YES, flip.PEOPLE - flip.YES])
    mechanism = OneLayerFlip.with_probability(1 - keep, choices=2)
    rng = np.random.default_rng(0)
    surveys = [flip.estimate(mechanism.perturb(answers, rng=rng).mean(), keep) for _ in range(2000)]
    deviation = flip.deviation(flip.PEOPLE, keep)
    assert abs(np.mean(surveys) - flip.YES / flip.PEOPLE) < 3 * deviation / 2000**0.5
    assert abs(np.std(surveys) / deviation - 1) < 3 / 4000**0.5


def test_dots_are_the_reports_described_in_words():
    last = flip.rounds()[-1]
    yes, no = (FIGURE.select_one(f".flip-{name}")["d"].count("M") for name in ("yes", "no"))
    assert (yes, yes + no) == (last.reports.sum(), flip.PEOPLE)
    said = FIGURE.svg["aria-label"]
    assert f"{yes} of their reports say yes" in said
    assert f"is {100 * flip.estimate(yes / flip.PEOPLE, flip.KEEP):.1f} %" in said
    assert FIGURE.select_one(".flip-past")["d"].count("M") == flip.ROUNDS
    epsilon = OneLayerFlip.with_probability(1 - flip.KEEP, choices=2).exact_epsilon
    assert float(FIGURE.select_one(".flip-epsilon").get_text()) == round(epsilon, 2)


def test_the_readers_dot_is_one_of_the_crowd():
    ring = FIGURE.select_one(".flip-you")
    dots = FIGURE.select_one(".flip-yes")["d"] + FIGURE.select_one(".flip-no")["d"]
    assert re.search(rf"M{ring['cx']} {ring['cy']}h0", dots)
