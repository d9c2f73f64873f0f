"""The page that says where each line of the sources went: all rows have targets, and no row is missing."""

import ast
import functools
import re
from importlib import import_module

import prose_numbers
import pytest
from toc import CHAPTERS, PAGES, ROOT

from ldpcourse import ledger

coverage = pytest.importorskip("ldp_sphinx.coverage", reason="needs what builds the pages")

KINDS = {
    "theorem": "Theorem",
    "lemma": "Lemma",
    "definition": "Definition",
    "assumption": "Assumption",
    "equation": "Equation",
    "algorithm": "Algorithm",
    "example": "Example",
    "figure": "Figure",
    "table": "Table",
    "number": None,
    "statement": None,
    "future": None,
}  # kinds of rows, with the word by which a source numbers them, if any
KEYS = {"section", "item", "kind", "says", "chapter", "function", "test", "claims", "note"}
DATA = coverage.read()
SOURCES = {source["key"]: source for source in DATA["sources"]}
ITEMS = [(key, item) for key, source in SOURCES.items() for item in source["items"]]
LEDGER = {claim.id: claim for claim in ledger.entries()}


@functools.cache
def text_of(page: str) -> str:
    return next(ROOT.glob(f"book/{page}.*")).read_text(encoding="utf-8")


@functools.cache
def code_of_tests(file: str) -> dict[str, str]:
    """The tests in a file by their ids without parameters, with their code and decorators."""
    text = (ROOT / file).read_text(encoding="utf-8")
    found = {}
    for node in ast.parse(text).body:
        grouped = isinstance(node, ast.ClassDef)
        for test in node.body if grouped else [node]:
            if isinstance(test, ast.FunctionDef) and test.name.startswith("test_"):
                first = min(part.lineno for part in (test, *test.decorator_list))
                code = "\n".join(text.splitlines()[first - 1 : test.end_lineno])
                found[f"{node.name}::{test.name}" if grouped else test.name] = code
    return found


def faults(key: str, item: dict) -> list[str]:
    """The faults of a row of a source."""
    found = [f"unknown: {name}" for name in set(item) - KEYS]
    found += [f"no {name}" for name in ("section", "item", "kind", "says") if not item.get(name)]
    if item.get("kind") not in KINDS:
        return [*found, "kind"]
    found += [f"empty: {name}" for name, value in item.items() if not value]
    found += ["neither a chapter nor why there is none"] * (not {"chapter", "note"} & set(item))
    found += ["neither a verdict nor why there is none"] * (not {"claims", "note"} & set(item))
    page, _, label = item.get("chapter", "").partition("#")
    if page and f"book/{page}" not in PAGES:
        found.append(f"no page {page}")
    elif label and not re.search(rf'(:label: |"name": "){label}\b(?!-)', text_of(page)):
        found.append(f"no {label} in {page}")
    for name in item.get("function", ()):
        try:
            module, thing = import_module(name.rpartition(".")[0]), name.rpartition(".")[2]
        except ImportError:
            module, thing = None, ""
        found += [f"no function {name}"] * (thing not in getattr(module, "__all__", ()))
    for test in item.get("test", ()):
        file, _, name = test.partition("::")
        found += [f"no test {test}"] * (not (ROOT / file).is_file() or name not in code_of_tests(file))
    for name in item.get("claims", ()):
        if name not in LEDGER:
            found.append(f"no claim {name}")
        elif LEDGER[name].source not in SOURCES[key].get("with", [key]):
            found.append(f"{name} is a claim of {LEDGER[name].source}")
    return found


@pytest.mark.parametrize(
    ("key", "item"), ITEMS, ids=[f"{key}: {item['item']}: {item['says'][:60]}" for key, item in ITEMS]
)
def test_rows_point_to_existing_targets(key, item):
    assert faults(key, item) == []


RIGHT = {
    "section": "IV-A",
    "item": "Theorem 1",
    "kind": "theorem",
    "says": "LP is private",
    "chapter": "sparse-answers/laplace#thm-lp-privacy",
    "function": ["ldpbook.sparse_answers.laplace.LaplacePerturbation"],
    "test": ["tests/test_coverage.py::test_every_entry_of_the_ledger_has_a_row"],
    "claims": ["lp-privacy"],
}


@pytest.mark.parametrize(
    "change",
    [
        {"kind": "theory"},
        {"says": ""},
        {"chapter": "sparse-answers/nothing"},
        {"chapter": "sparse-answers/laplace#thm-nothing"},
        {"chapter": "sparse-answers/laplace#thm-lp"},
        {"chapter": "", "note": ""},
        {"function": ["ldpbook.sparse_answers.laplace.Nothing"]},
        {"function": ["ldpbook.nothing.laplace"]},
        {"test": ["tests/test_coverage.py::test_nothing"]},
        {"test": ["tests/nothing.py::test_nothing"]},
        {"test": ["tests/test_coverage.py::faults"]},
        {"claims": ["nothing"]},
        {"claims": ["vote-bound"]},
        {"claims": []},
        {"page": "x"},
    ],
    ids=str,
)
def test_a_wrong_row_is_seen(change):
    assert faults("sun2018truth", RIGHT) == []
    assert faults("sun2018truth", RIGHT | change)


def test_a_row_needs_a_verdict_or_a_reason():
    assert faults("sun2018truth", {key: RIGHT[key] for key in RIGHT if key != "claims"})
    assert faults("sun2018truth", {key: RIGHT[key] for key in RIGHT if key not in ("chapter", "claims")})


KEPT = "tests/course/test_runs.py::FoundAgain::test_one_setting_is_found_again"  # its settings are data


def recomputed_elsewhere(item: dict) -> bool:
    """Whether a row has numbers and tests, but no test has a number and no note says why.

    Numbers with one digit are ignored, because every test has some. If the test is that of kept
    runs, the text of the claims that read the run is searched too.
    """
    wanted = prose_numbers.numbers(prose_numbers.prose({"source": item["says"]}))
    tests = item.get("test", ())
    texts = [code_of_tests(file)[name] for file, name in (test.split("::", 1) for test in tests)]
    if KEPT in tests:
        claims = [LEDGER[name] for name in item.get("claims", ())]
        texts += [text for c in claims for text in (c.statement, *(reading.words for reading in c.readings))]
    held = re.findall(prose_numbers.SHOWN, "\n".join(texts))
    held = [float(re.sub("[,_]", "", number)) for number in held]
    seen = any(number.agrees(x * k) for number in wanted for x in held for k in (1, number.factor))
    return bool(wanted and tests) and "note" not in item and not seen


@pytest.mark.parametrize("source", SOURCES.values(), ids=SOURCES)
def test_a_test_holds_a_number_of_its_row(source):
    assert [item["says"] for item in source["items"] if recomputed_elsewhere(item)] == []


@pytest.mark.parametrize(
    ("change", "seen"),
    [
        ({}, True),
        ({"says": "11,040 tasks"}, True),
        ({"says": "11 thousand sites"}, True),
        ({"says": "more than 99 % are empty"}, True),
        ({"says": "11,028 tasks"}, False),
        ({"says": "an average of 0.993667"}, False),
        ({"says": "an average of 0.993667", "note": "why"}, True),
        ({"says": "an average of 0.993667", "test": []}, True),
        ({"says": "Theorem 17 has scores 0 to 4"}, True),
        ({"says": "12 kept", "test": [KEPT], "claims": ["adult-gold"]}, False),
        ({"says": "1,517 kept", "test": [KEPT], "claims": ["adult-gold"]}, True),
        ({"says": "1,517 told", "claims": ["adult-gold"]}, False),
    ],
    ids=str,
)
def test_a_number_that_no_test_holds_is_seen(change, seen):
    row = {
        "says": "an average of 0.993666",
        "test": ["tests/datasets/test_real.py::test_adult_content_without_the_loader"],
    }
    assert recomputed_elsewhere(row | change) != seen


def test_every_entry_of_the_ledger_has_a_row():
    placed = {name for _, item in ITEMS for name in item.get("claims", ())}
    assert set(LEDGER) - placed == set()
    assert {claim.source for claim in LEDGER.values()} <= set(SOURCES)


def missing(source: dict) -> dict[str, set[int]]:
    """The numbered items of a source without a row, by kind."""
    lost = {}
    for kind, numbers in source["numbered"].items():
        wanted = range(1, numbers + 1) if isinstance(numbers, int) else numbers
        rows = [item for item in source["items"] if item["kind"] == kind]
        if kind == "slide":
            found = [item["section"].removeprefix("Slide ") for item in source["items"]]
        else:
            found = re.findall(rf"{KINDS[kind]} ([\w.]+)", "\n".join(item["item"] for item in rows))
        lost[kind] = {str(number) for number in wanted} - set(found)
    return {kind: numbers for kind, numbers in lost.items() if numbers}


@pytest.mark.parametrize("source", SOURCES.values(), ids=SOURCES)
def test_everything_numbered_in_a_source_is_covered(source):
    assert missing(source) == {}
    for kind in source["numbered"]:
        named = "section" if kind == "slide" else "item"
        first = next(item[named] for item in source["items"] if kind in ("slide", item["kind"]))
        others = [item for item in source["items"] if item[named] != first]
        assert kind in missing(source | {"items": others})


@pytest.mark.parametrize("source", SOURCES.values(), ids=SOURCES)
def test_rows_are_distinct(source):
    said = [item["says"] for item in source["items"]]
    assert len(said) == len(set(said))


def test_every_chapter_that_treats_a_source_has_rows():
    treated = {item["chapter"].partition("#")[0] for _, item in ITEMS if "chapter" in item}
    ours = {"foundations/randomness"}  # no source covers this chapter
    untreated = {page.removeprefix("book/") for page in CHAPTERS} - treated
    own = ("remedies/", "whole-worker/", "practice/")  # parts without a source
    assert {page for page in untreated if not page.startswith(own)} == ours


def test_data_sets_are_available_or_declared_unavailable():
    for row in DATA["data"]:
        assert set(row) == {"name", "key", "there", "here"}
        assert row["key"] in SOURCES
        for name in re.findall(r"\b(?:load|fetch)_\w+", row["here"]):
            assert hasattr(import_module("ldpbook.datasets"), name)
