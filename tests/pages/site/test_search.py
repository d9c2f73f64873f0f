"""The search finds the page that answers a question, is used by keyboard and ear, and loads when asked."""

import json
import re

import pytest
from browsed import DESKTOP, PHONE, barriers
from playwright.sync_api import Page, expect
from toc import CHAPTERS, HTML, PAGES

LARGEST = 300_000  # bytes of the index
# Questions as readers ask them, and the page that answers each. The ranking was tuned with these.
TUNED = [
    ("what should I use for ratings with many missing at epsilon 1", "remedies/guide"),
    ("randomised response", "sparse-answers/randomized-response"),
    ("which mechanism", "remedies/guide"),
    ("sample size for a sensitive survey", "practice/survey"),
    ("how does Apple count emoji privately", "remedies/known-channel"),
    ("can my row be re-identified without a name", "whole-worker/row-attack"),
    ("k-anonymity", "foundations/crowdsourcing"),
    ("GDPR consent form for participants", "practice/survey"),
    ("fake reports and poisoning attacks", "whole-worker/manipulation"),
    ("shufle model amplification", "whole-worker/shuffling"),
    ("how do epsilons add up for several answers", "whole-worker/composition"),
    ("why is laplace noise with doubles unsafe", "practice/floating-point"),
    ("logistic regression with randomised answers", "practice/regression"),
    ("homomorphic encyption of positions", "localization/encrypted-inference"),
    ("share my location without giving the house away", "remedies/location-noise"),
    ("ask the same question every week", "whole-worker/again-and-again"),
    ("Dawid and Skene", "categorical-answers/voting"),
    ("my syllabus for a twelve week course", "teaching/syllabus"),
    ("import quiz questions into Moodle", "teaching/quizzes"),
    ("what does the symbol sigma mean", "reference/notation"),
    ("estimate the proportion of a class without labelled data", "class-ratios/proportions"),
    ("is there a better mechanism than randomized response", "remedies/best-mechanism"),
    ("how to test that my implementation is really private", "practice/audit"),
    ("people who do not follow the instructions of the die", "practice/instructions"),
    ("comparision with OpenDP and other libraries", "reference/what-else"),
]
# Someone who had not seen the ranking asked these.
UNSEEN = [
    ("sample size for a randomised survey", "practice/regression"),
    ("logistic regression with randomized response data", "practice/regression"),
    ("are answers still anonymous if I delete the names?", "whole-worker/row-attack"),
    ("which method should I use for star ratings", "remedies/guide"),
    ("missing answers randomised response null", "sparse-answers/randomized-response"),
    (
        "matrix factorisation theorem 5 error does not depend on sparsity, is that true?",
        "sparse-answers/matrix-factorization",
    ),
    ("AdultContent dataset 825 workers", "sparse-answers/real-data"),
    ("iterative weighted average worker quality truth discovery", "foundations/truth-inference"),
    ("local vs central differential privacy definition", "foundations/local-privacy"),
    ("each user has own flip probablity", "categorical-answers/two-layer"),
    ("homomorphic encryption paillier", "localization/encrypted-inference"),
    ("subtract 4 sigma^2 from squared distance", "localization/noisy-distances"),
    ("ecological fallacy election", "class-ratios/proportions"),
    ("dirichlet mechanism label privacy", "class-ratios/label-privacy"),
    ("geo-indistinguishability GPS", "remedies/location-noise"),
    ("is randomized response optimal or is there something better", "remedies/best-mechanism"),
    ("privacy amplification by shuffeling", "whole-worker/shuffling"),
    ("can trolls poison the result with fake answers", "whole-worker/manipulation"),
    ("daily survey same question privacy budget used up", "whole-worker/again-and-again"),
    ("how do I test that my code really satisfies epsilon", "practice/audit"),
    ("respondents cheat and don't follow the dice rule", "practice/instructions"),
    ("ModuleNotFoundError: No module named 'ldpcourse'", "reference/api/course"),
    ("compare with opendp and other python libraries", "reference/what-else"),
    ("import questions into moodle", "teaching/quizzes"),
    ("week by week course plan prerequisites", "teaching/syllabus"),
]
LOADED = ("search.json", "search-rank.js", "minisearch/index.js", "stemmer/index.js")
RANK = """async (questions) => {
  const { open } = await import("/_static/search-rank.js");
  const ask = open(await (await fetch("/_static/search.json")).json());
  return questions.map((question) => ask(question));
}"""


@pytest.fixture(scope="module")
def index() -> dict:
    return json.loads((HTML / "_static" / "search.json").read_text(encoding="utf-8"))


def answers(page: Page, *questions: str) -> list[list[str]]:
    """The pages that each question finds, the best first."""
    found = page.evaluate(RANK, list(questions))
    return [[each["address"].removeprefix("book/") for each in answer["pages"]] for answer in found]


def test_questions_find_their_pages(visit):
    asked = TUNED + UNSEEN
    found = answers(visit("book/reference/citing"), *(question for question, _ in asked))
    ranks = {
        question: pages.index(page) if page in pages else 99
        for (question, page), pages in zip(asked, found, strict=True)
    }
    assert len(ranks) == 50
    assert sum(rank == 0 for rank in ranks.values()) >= 40, ranks
    assert sum(rank < 3 for rank in ranks.values()) >= 48, ranks


def test_spelling_does_not_change_the_answer(visit):
    british = ("randomised neighbours", "the centre of a colour", "labelling behaviour", "licence")
    american = ("randomized neighbors", "the center of a color", "labeling behavior", "license")
    page = visit("book/reference/citing")
    assert answers(page, *british) == answers(page, *american)
    wrong, right = answers(page, "homomorfic encrypton", "homomorphic encryption")
    assert wrong[0] == right[0] == "localization/encrypted-inference"
    assert answers(page, "the", "zzzzzzzzz") == [[], []]


def test_chapters_stand_above_the_package(visit):
    page = visit("search")
    page.goto(page.url + "?q=RandomizedResponse")
    expect(page.locator("#search-results a").first).to_contain_text("6 Randomized response with NULL")
    expect(page.locator(".search-objects a").first).to_have_text("RandomizedResponse")


def test_index_is_light_and_its_links_lead_somewhere(index):
    assert (HTML / "_static" / "search.json").stat().st_size < LARGEST
    assert {name for name, *_ in index["pages"]} == set(PAGES)
    assert [name for name, number, *_ in index["pages"] if number] == sorted(CHAPTERS)
    texts = [(HTML / f"{name}.html").read_text(encoding="utf-8") for name, *_ in index["pages"]]
    anchors = [set(re.findall(r'\bid="([^"]+)"', text)) for text in texts]
    sections = [(here, *part) for here, parts in enumerate(index["sections"]) for part in parts]
    for here, anchor, _ in sections + index["objects"]:
        assert not anchor or anchor in anchors[here], anchor


def test_search_loads_when_its_field_is_opened(visit):
    for name in (*PAGES, "search"):
        assert "searchindex.js" not in (HTML / f"{name}.html").read_text(encoding="utf-8"), name
    page = visit(CHAPTERS[0])
    asked = []
    page.on("request", lambda request: asked.append(request.url))
    page.wait_for_load_state("networkidle")
    loaded = page.evaluate("() => performance.getEntriesByType('resource').map((each) => each.name)")
    assert not [url for url in loaded if url.endswith(LOADED)]
    page.keyboard.press("Control+k")
    page.keyboard.type("which mechanism")
    expect(page.locator("dialog .search-page").first).to_have_text("37 Which mechanism when?")
    assert {name for name in LOADED for url in asked if url.endswith(name)} == set(LOADED)


@pytest.mark.parametrize("viewport", [DESKTOP, PHONE])
def test_window_answers_while_the_reader_types(visit, viewport):
    page = visit("book/remedies/decoding", viewport=viewport)
    page.locator(".search-button__button:visible").first.click()
    page.keyboard.type("what should I use for ratings with many missing")
    first = page.locator("dialog .search-pages li").first
    expect(first).to_contain_text("37 Which mechanism when?")
    expect(first.locator(".search-subtitle")).to_have_text("An error before anyone is asked")
    expect(page.locator("dialog [role=status]")).to_have_text(re.compile(r"\d+ pages, the best first"))
    assert page.evaluate("() => document.documentElement.scrollWidth <= innerWidth")
    page.keyboard.press("ArrowDown")
    expect(first.locator("a").first).to_be_focused()
    page.keyboard.press("ArrowDown")
    expect(first.locator(".search-section")).to_be_focused()
    page.keyboard.press("ArrowUp")
    page.keyboard.press("Enter")
    page.wait_for_url("**/book/remedies/guide.html")
    page.evaluate("() => document.fonts.ready")


@pytest.mark.parametrize("mode", ["light", "dark"])
def test_search_page_answers_its_address(visit, mode):
    page = visit("search", color_scheme=mode)
    page.goto(page.url + "?q=anonymity+of+rows")
    expect(page.locator("#search-results .search-page").first).to_have_text(re.compile("^38 "))
    expect(page.locator("#search-results [role=status]")).to_contain_text("the best first")
    field = page.locator(".bd-search-container input")
    expect(field).to_be_focused()
    lens, text = page.locator(".bd-search-container form i").bounding_box(), field.bounding_box()
    inside = field.evaluate("input => parseFloat(getComputedStyle(input).paddingLeft)")
    assert lens["x"] + lens["width"] < text["x"] + inside
    assert barriers(page, coloured="#search-results *") == []
    field.fill("shuffler")
    expect(page.locator("#search-results .search-page").first).to_have_text("42 The shuffle model")
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile(r"\?q=shuffler$"))


def test_search_page_says_what_it_needs(visit):
    page = visit("search", java_script_enabled=False)
    expect(page.locator("#search-results")).to_contain_text("Search needs JavaScript")
