"""A chapter whose data cannot be had is skipped as a whole, by name, however it loads them."""

import json
import os
import subprocess
import sys
from xml.etree import ElementTree

import needed
import pytest
from toc import CHAPTERS, ROOT, notebook_cells

from ldpbook import datasets
from ldpcourse import ledger
from ldpcourse.runs import kept


def code_of(page):
    return ["".join(cell["source"]) for cell in notebook_cells(page) if cell["cell_type"] == "code"]


NAMING = [page for page in CHAPTERS if any("fetch_" in source for source in code_of(page))]


def test_without_data_or_network_chapters_that_fetch_are_skipped_whole(tmp_path):
    pytest.importorskip("nbval")
    assert NAMING  # else the mechanism itself has nothing left to do
    report, nowhere = tmp_path / "report.xml", "http://127.0.0.1:9"  # where nobody listens
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("LDPBOOK_", "PYTEST_"))}
    away = dict.fromkeys(("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy"), nowhere)
    fresh = dict.fromkeys(("HOME", "USERPROFILE", "LOCALAPPDATA", "XDG_CACHE_HOME"), str(tmp_path))
    # Other plugins, and what jsonschema can do without, take seconds to import and are not needed.
    code = "import sys, pytest; sys.modules |= dict.fromkeys(('isoduration', 'rfc3987_syntax'));"
    command = [sys.executable, "-c", f"{code} sys.exit(pytest.main(sys.argv[1:]))", "-p", "no:cacheprovider"]
    command += ["-p", "nbval", "--nbval", "--nbval-current-env"]
    ran = subprocess.run(
        [*command, f"--junitxml={report}", *(f"{page}.ipynb" for page in NAMING)],
        cwd=ROOT,
        env=kept | away | fresh | {"NO_PROXY": "", "no_proxy": "", "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"},
        capture_output=True,
        text=True,
    )
    assert ran.returncode == 0, ran.stdout
    skips = ElementTree.parse(report).getroot().iter("skipped")
    told = sorted(str(skip.get("message")).partition(": fetch_")[0] for skip in skips)
    assert told == sorted(f"{page.split('/')[-1]}.ipynb" for page in NAMING for _ in code_of(page))


@pytest.fixture
def chapter(tmp_path):
    """A notebook of these code cells, after a text that names a loader."""

    def written(*sources):
        cells = [{"cell_type": "markdown", "source": ["`fetch_emotion` fetches."]}]
        cells += [{"cell_type": "code", "source": source.splitlines(keepends=True)} for source in sources]
        path = tmp_path / "chapter.ipynb"
        path.write_text(json.dumps({"cells": cells}), encoding="utf-8")
        return path

    return written


@pytest.mark.parametrize(
    "sources",
    [
        ["from ldpbook import datasets", "x = 1", "crowd = datasets.fetch_emotion()"],
        ["from ldpbook.datasets import fetch_emotion as take, load_spam", "take()"],
        ["from ldpbook.datasets.real import fetch_emotion"],
        ["import ldpbook.datasets as data\n%matplotlib inline\nif True:\n    %time data.fetch_emotion()"],
        ["import ldpbook", "ldpbook.datasets.real.fetch_emotion()"],
        ["from ldpbook import datasets", "getattr(datasets, 'fetch_emotion')()"],
        ["from ldpbook.datasets import *", "load = [fetch_emotion][0]"],
    ],
)
def test_a_loader_is_found_however_it_is_imported(chapter, sources):
    assert needed.loaders(chapter(*sources)) == ("fetch_emotion",)


def test_words_about_a_loader_load_nothing(chapter):
    sources = "from ldpbook import datasets  # not fetch_emotion", "datasets.load_spam()"
    assert needed.loaders(chapter(*sources)) == ()


@pytest.fixture
def package(tmp_path, monkeypatch):
    """A package in which a helper fetches, and a claim by its helper."""
    root, course = tmp_path / "ldpbook", tmp_path / "ldpcourse"
    (root / "part").mkdir(parents=True)
    (root / "datasets").mkdir()
    (course / "ledger" / "part").mkdir(parents=True)
    (root / "datasets" / "__init__.pyi").write_text("from .real import fetch_emotion as fetch_emotion\n")
    (root / "datasets" / "real.py").write_text("def fetch_emotion(): ...\n")
    (root / "part" / "__init__.pyi").write_text("from .helper import errors as errors, other as other\n")
    (root / "part" / "helper.py").write_text(
        "from ldpbook import datasets\n\n\ndef other(): ...\n\n\n"
        "def errors():\n    return Reader().read()\n\n\n"
        "class Reader:\n    def read(self):\n        return datasets.fetch_emotion()\n"
    )
    (course / "ledger" / "part" / "first.py").write_text(
        "from ldpcourse.ledger.claim import Claim, Reading\nfrom ldpbook.part import helper\n\n\n"
        "def _error():\n    return helper.errors()\n\n\n"
        "CLAIMS = (\n    Claim(id='takes', readings=(Reading(compute=lambda: _error() + 1),)),\n"
        "    Claim(id='does-not', readings=(Reading(compute=helper.other),)),\n)\n"
    )
    monkeypatch.setattr(kept, "FOLDERS", {"ldpbook": root, "ldpcourse": course})
    caches = (kept._names, needed.callers, needed.of_claims, needed._below)
    for cache in caches:
        cache.cache_clear()
    yield
    for cache in caches:
        cache.cache_clear()


@pytest.mark.parametrize(
    ("sources", "found"),
    [
        (["from ldpbook.part import errors", "errors()"], ("fetch_emotion",)),
        (["from ldpbook import part as p", "p.helper.errors()"], ("fetch_emotion",)),
        (["import ldpbook.part.helper", "ldpbook.part.helper.Reader()"], ("fetch_emotion",)),
        (["from ldpcourse import ledger", "ledger.table('takes')"], ("fetch_emotion",)),
        (["from ldpcourse import ledger", "ledger.table('does-not')"], ()),
        (["from ldpbook.part import other", "other()"], ()),
    ],
)
def test_a_loader_is_found_behind_helpers_and_claims(package, chapter, sources, found):
    assert needed.loaders(chapter(*sources)) == found


def test_claims_say_which_fetched_data_they_take():
    said = {claim.id: {claim.needs} for claim in ledger.entries() if claim.needs}
    assert said == needed.of_claims()
    assert {name for names in said.values() for name in names} <= set(dir(datasets))
