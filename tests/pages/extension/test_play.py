"""Plays: their stills are drawn by the package's mechanisms, and say what its functions compute."""

import re
from xml.etree import ElementTree

import numpy as np
import pytest
from bs4 import BeautifulSoup
from docutils.core import publish_doctree
from docutils.parsers.rst import directives
from docutils.utils import SystemMessage
from ldp_sphinx import play
from ldp_sphinx.plays import decoding, laplace, layers, row, shuffle
from toc import CHAPTERS, ROOT, notebook_cells

from ldpbook.categorical_answers import k_ary_variance, two_layer_epsilon
from ldpbook.remedies import decode
from ldpbook.sparse_answers import LaplacePerturbation, RandomizedResponse
from ldpcourse.figures import COLORS

CSS = (ROOT / "book" / "_static" / "book.css").read_text(encoding="utf-8")


def number(text: str) -> float:
    return float(text.split(" ")[0].replace("−", "-").replace(",", ""))


@pytest.mark.parametrize("name", play.NAMES)
def test_still_shows_every_part(name):
    shown = play.play(name)
    figure = BeautifulSoup(play.figure(name), "html.parser")
    ElementTree.fromstring(play.figure(name))  # as the e-book takes it
    for part, value in shown.parts(shown.start).items():
        (place,) = figure.select(f'[data-part="{part}"]')
        if isinstance(value, float):
            assert float(place["width"]) == pytest.approx(value, abs=1e-4)
        else:
            assert place.get_text() == (value if isinstance(value, str) else value[0])
    steps = {int(each["data-step"]) for each in figure.select("[data-step]")}
    assert max(steps) == shown.steps
    assert figure.caption.get_text() == shown.title


@pytest.mark.parametrize("name", play.NAMES)
def test_bars_have_their_mechanisms_colour(name):
    own = re.search(rf'^\.play\[data-play="{name}"\] {{ --play: (#\w+)', CSS, re.MULTILINE)
    found = own or re.search(r"^\.play { --play: (#\w+)", CSS, re.MULTILINE)
    assert found[1] == COLORS[play.play(name).color].lower()


def test_each_play_is_in_one_chapter():
    text = "\n".join("".join(cell["source"]) for chapter in CHAPTERS for cell in notebook_cells(chapter))
    assert sorted(re.findall(r"^```{play} (\w+)\n```$", text, re.MULTILINE)) == sorted(play.NAMES)


def test_unknown_play_is_refused(monkeypatch):
    monkeypatch.setitem(directives._directives, "play", play.PlayDirective)
    quiet = {"halt_level": 3, "report_level": 5}
    with pytest.raises(SystemMessage, match="no play 'lp', only laplace, decoding"):
        publish_doctree("Text.\n\n.. play:: lp\n", settings_overrides=quiet)


def test_laplace_sends_what_the_mechanism_does():
    state = laplace.start()
    lp = LaplacePerturbation(state["epsilon"], laplace.DOMAIN)
    sent = lp.perturb([[np.nan if cell is None else cell for cell in laplace.ROW]], laplace.SEED)[0]
    parts = laplace.parts(state)
    assert [number(parts[f"sent{j}"]) for j in range(4)] == pytest.approx(sent, abs=0.05)


@pytest.mark.parametrize("epsilon", [2.0, 4.0])
def test_laplace_beliefs_keep_within_exact_epsilon(epsilon):
    lp = LaplacePerturbation(epsilon, laplace.DOMAIN)
    low, high = np.transpose([laplace.beliefs(lp, sent) for sent in np.linspace(-30, 40, 141)])
    most = 1 / (1 + np.exp(-lp.exact_epsilon))
    assert low.min() >= 1 - most
    assert high.max() <= most
    assert high.max() > 0.6 > 0.4 > low.min()


def test_laplace_without_fill_shows_the_holes():
    parts = laplace.parts({**laplace.start(), "filled": False})
    assert [parts[f"sent{j}"] == ("NULL", "hole") for j in range(4)] == [False, True, False, True]
    assert [parts[f"belief{j}"] for j in range(4)] == ["0", "1", "0", "1"]


def test_decoding_agrees_with_the_package():
    state = decoding.start()
    parts = decoding.parts(state)
    rr = RandomizedResponse(state["epsilon"], range(decoding.SIZE))
    reports = np.repeat([*range(decoding.SIZE), np.nan], state["counts"])[:, None]
    found = decode(reports, rr)
    assert number(parts["foundmean"]) == pytest.approx(found.unshrunk[0], abs=0.006)
    assert float(parts["foundmean"].split("± ")[1]) == pytest.approx(found.noise[0], abs=0.006)
    for y in range(decoding.SIZE + 1):
        share, error = (float(text) for text in parts[f"found{y}"].split(" ± "))
        given = dict(n_choices=decoding.SIZE + 1, epsilon=state["epsilon"], frequency=share)
        variance = k_ary_variance(**given) + share * (1 - share)  # the answers are drawn too
        assert error == pytest.approx((variance / state["workers"]) ** 0.5, abs=6e-4)


@pytest.mark.parametrize(("high", "step"), [(0.6, 13), (0.3, 1), (1.0, 7)])
def test_layers_reach_the_exact_epsilon(high, step):
    never = {**layers.start(), "high": high, "step": step, "uniforms": np.ones((3, 13)).tolist()}
    believed = layers.parts(never)["truebar0"]
    low, most = (1 / (1 + np.exp(side * two_layer_epsilon(0, high, 2, step))) for side in (1, -1))
    assert low <= believed <= most + 1e-12
    assert believed == pytest.approx(most)


def test_row_reports_are_the_mechanisms():
    state = row.start()
    rr = RandomizedResponse(state["epsilon"], row.DOMAIN)
    np.testing.assert_array_equal(row.reports(state), rr.perturb(row.held(state["ann"]), row.SEED))


@pytest.mark.parametrize(("n", "right"), [(3, "0.795"), (10_000, "0.505")])
def test_shuffle_repeats_the_chapters_probabilities(n, right):
    parts = shuffle.parts({"epsilon": 2, "workers": n, "named": [0, 1, 1], "zeros": 1})
    assert parts["rightnamed"] == "0.881"
    assert parts["rightcounted"] == right


def test_layers_guess_is_the_simulated_one():
    rng = np.random.default_rng(2)
    p = rng.uniform(0, 0.6, 400_000)
    flips = rng.binomial(12, p)
    for seen in (0, 6):
        mean, spread = layers.belief(seen, 12, 0.6)
        chosen = p[flips == seen]
        assert abs(chosen.mean() - mean) < 4.5 * spread / len(chosen) ** 0.5
        assert chosen.std() == pytest.approx(spread, rel=0.03)
