"""The page that makes its reader a worker: its still, its calls of Python, and the chapter's numbers."""

import json
import subprocess
import sys

import numpy as np
import pytest
from bs4 import BeautifulSoup
from ldp_browser import worker
from ldp_sphinx import be_the_worker, ebook, slides
from toc import ROOT, notebook_cells

from ldpbook.foundations import highest_belief

STILL = BeautifulSoup(be_the_worker.figure(), "html.parser")
SECTION = BeautifulSoup(be_the_worker.section(), "html.parser").section


def test_still_is_deterministic_and_described():
    assert be_the_worker.figure() == be_the_worker.figure()
    words = [text.get_text() for text in STILL.select("svg text")][2:]
    said = STILL.svg["aria-label"]
    for k, question in enumerate(worker.QUESTIONS):
        about, given, sent = words[3 * k : 3 * k + 3]
        assert (about, given) == (question.about, question.answers[be_the_worker.ANSWERS[k]])
        assert sent == question.answers[be_the_worker.still()[k]]
        assert f"{about}: answer {given}, report {sent}{'' if given == sent else ', a lie'}." in said
    pairs = zip(be_the_worker.ANSWERS, be_the_worker.still(), strict=True)
    lies = sum(given != sent for given, sent in pairs)
    assert len(STILL.select(".survey-lie")) == lies
    assert 0 < lies < 5


def test_still_does_not_claim_to_be_drawn():
    """The caption says that its words of entropy are fixed."""
    caption = STILL.figcaption.get_text()
    assert "fixed word of entropy" in caption
    assert f"epsilon {worker.OPENS['epsilon']:g}" in caption
    assert "drawn" not in caption


def test_questions_have_distribution_and_way_out():
    data = json.loads(SECTION["data-survey"])
    assert len(data["questions"]) == 5
    for question in data["questions"]:
        assert question["answers"][-1] == data["null"]
        assert len(question["law"]) == len(question["answers"])
        assert sum(question["law"]) == 100
    assert data["opens"]["epsilon"] in data["epsilons"]
    assert data["opens"]["others"] in data["crowds"]


def test_chapter_uses_distributions_of_the_page():
    cells = notebook_cells("book/practice/survey")
    [source] = [text for cell in cells if (text := "".join(cell["source"])).startswith("LAWS = {")]
    names: dict = {}
    exec(source.split("\n\n")[0], names)
    laws = {question.about: tuple(share / 100 for share in question.law) for question in worker.QUESTIONS}
    assert names["LAWS"] == laws


def test_draws_accumulate_and_are_believed_together():
    request = {"answers": [0, 1, 2, 0, 1], "epsilon": 1.0, "sent": [[0, 0, 0, 0, 0]]}
    reply = json.loads(worker.asked(json.dumps(request)))
    assert reply["sent"][0] == [0] * 5
    assert len(reply["sent"]) == 2
    for k, (question, belief) in enumerate(zip(worker.QUESTIONS, reply["beliefs"], strict=True)):
        prior = np.array(question.law) / 100
        weights = prior * np.exp(np.bincount([0, reply["sent"][1][k]], minlength=len(prior)))
        answer = request["answers"][k]
        assert belief["before"] == pytest.approx(prior[answer])
        assert belief["after"] == pytest.approx(weights[answer] / weights.sum())
        assert belief["most"] == pytest.approx(highest_belief(prior=prior[answer], epsilon=2.0))


def test_crowd_shows_only_reports_with_stated_distribution():
    """Entropy cannot be fixed here, so each of the 17 estimates is allowed five standard errors."""
    request = {"reports": [0, 0, 0, 0, 0], "epsilon": 2.0, "others": 50_000}
    for question, shares in zip(worker.QUESTIONS, json.loads(worker.asked(json.dumps(request))), strict=True):
        for law, each in zip(question.law, shares, strict=True):
            assert abs(each["share"] - law / 100) < 5 * each["error"]


def test_her_own_report_is_one_of_the_crowd():
    heard = [sum(round(each["share"], 9) for each in shares) for shares in worker.crowd([0] * 5, 1.0, 10)]
    assert heard == pytest.approx([1] * 5)  # 11 reports: shares add up only if all are counted
    alone = worker.crowd([1, 0, 2, 2, 3], 1.0, 0)
    assert [int(np.argmax([each["share"] for each in shares])) for shares in alone] == [1, 0, 2, 2, 3]


def test_page_needs_the_standard_library_only():
    """Run it with numpy, scipy and pandas blocked, as in the reader's browser."""
    request = json.dumps({"answers": [0] * 5, "epsilon": 1.0, "sent": []})
    code = (
        "import sys; sys.modules.update(dict.fromkeys(['numpy', 'scipy', 'pandas']));"
        f"sys.path.insert(0, {str(ROOT / 'book' / '_ext')!r}); from ldp_browser.worker import asked;"
        f"asked({request!r})"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_slides_and_ebook_keep_only_the_still():
    page = f"<html><head></head><body>{be_the_worker.figure()}{be_the_worker.section()}</body></html>"
    left = BeautifulSoup(ebook.tidy_page(page), "html.parser")
    assert left.select("figure.survey-still svg.drawing")
    assert not left.select(".be-worker")
    assert ".be-worker" in slides.UNWANTED


def test_without_pyodide_only_the_still_is_shown(monkeypatch, tmp_path):
    for modules, places in ((tmp_path, 0), (ROOT / "node_modules", 1)):
        monkeypatch.setattr(be_the_worker, "MODULES", modules)
        [node] = be_the_worker.Survey.run(None)
        html = BeautifulSoup(node.astext(), "html.parser")
        assert len(html.select("section.be-worker")) == places * (modules / "pyodide").is_dir()
        assert len(html.select("figure.survey-still")) == 1
