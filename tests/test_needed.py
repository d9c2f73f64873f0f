"""A chapter whose data cannot be had is skipped as a whole, by name."""

import json
import os
import subprocess
import sys
from xml.etree import ElementTree

import needed
import pytest
from toc import CHAPTERS, MODULES, ROOT, notebook_cells

NAMING = [page for page in CHAPTERS if needed.loaders(ROOT / f"{page}.ipynb")]


def test_fetching_chapters_are_skipped_whole_without_data(tmp_path):
    pytest.importorskip("nbval")
    assert NAMING  # otherwise there is nothing to skip
    report, nowhere = tmp_path / "report.xml", "http://127.0.0.1:9"  # no server listens there
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("LDPBOOK_", "PYTEST_"))}
    away = dict.fromkeys(("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy"), nowhere)
    fresh = dict.fromkeys(("HOME", "USERPROFILE", "LOCALAPPDATA", "XDG_CACHE_HOME"), str(tmp_path))
    # Other plugins and optional dependencies of jsonschema take seconds to import and are not needed.
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
    cells = [(page, cell["cell_type"]) for page in NAMING for cell in notebook_cells(page)]
    assert told == sorted(f"{page.split('/')[-1]}.ipynb" for page, kind in cells if kind == "code")


def test_only_chapter_code_names_needed_data(tmp_path):
    path = tmp_path / "chapter.ipynb"
    for kind, found in (("code", ("fetch_emotion",)), ("markdown", ())):
        cell = {"cell_type": kind, "source": ["%time data = getattr(datasets, 'fetch_emotion')()"]}
        path.write_text(json.dumps({"cells": [cell]}), encoding="utf-8")
        assert needed.loaders(path) == found


def test_only_chapters_name_loaders_of_fetched_data():
    for name, path in MODULES.items():
        if not name.startswith("ldpbook.datasets"):
            assert not [loader for loader in needed.FETCHED if loader in path.read_text("utf-8")], name
