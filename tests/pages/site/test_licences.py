"""Third-party work in the pages and its licences: the table on the pages, and the licence texts.

Bytes of files are not compared with their origin: the locks have hashes of packages, and the build copies.
"""

import json
import re
import tarfile
from importlib.metadata import distribution, version
from pathlib import Path

from browsed import parsed
from ldp_sphinx import licences
from toc import HTML, ROOT

# The words that identify a licence's text.
WORDS = {
    "Apache-2.0": "Apache License Version 2.0",
    "BSD": "Redistribution and use in source and binary forms, with or without modification",
    "CC-BY-4.0": "Creative Commons Attribution 4.0 International",
    "MIT": "Permission is hereby granted, free of charge, to any person obtaining a copy of this software",
    "MPL-2.0": "Mozilla Public License Version 2.0",
    "OFL-1.1": "SIL OPEN FONT LICENSE Version 1.1",
    "Python-2.0": "PYTHON SOFTWARE FOUNDATION LICENSE VERSION 2",
}


def licence_of(text: str) -> str:
    """The licence that a text begins with; licences of incorporated work may follow."""
    text = " ".join(re.sub("===+|---+", "", text).split())
    starts = {at: name for name, words in WORDS.items() if (at := text.find(words)) >= 0}
    name = starts[min(starts)]
    if name == "BSD":
        conditions = text.partition("THIS SOFTWARE IS PROVIDED")[0].lower()
        return "BSD-3-Clause" if "neither the name" in conditions else "BSD-2-Clause"
    return name


def test_npm_files_have_licences_and_table_rows():
    static = HTML / "_static"
    lock = json.loads((ROOT / "package-lock.json").read_text(encoding="utf-8"))["packages"]
    shipped = {
        name.removeprefix("node_modules/") for name, about in lock.items() if name and not about.get("dev")
    }
    wanted_by_them = {need for about in lock.values() for need in about.get("dependencies", {})}
    wanted_by_us = set(lock[""]["dependencies"])
    assert {name for name, *_ in licences.FROM_NPM} == shipped - (wanted_by_them - wanted_by_us)
    rows = [
        [cell.get_text() for cell in row.select("td")]
        for row in parsed("book/reference/licences").select("tr")
    ]
    for name, licence, *_, folder in licences.FROM_NPM:
        assert [name, lock[f"node_modules/{name}"]["version"], licence] in [row[:3] for row in rows]
        texts = {path.name for path in (static / folder).iterdir()}
        assert {"LICENSE", "SOURCE.txt"} & texts
        assert {f"{text}.txt" for text in licences.INSIDE.get(folder, ())} <= texts
        for text in (static / folder).glob("LICENSE"):
            assert licence_of(text.read_text(encoding="utf-8")) == licence.split(";")[0]
        for text in (static / folder).glob("*-2.0.txt"):
            assert text.stem in licence
    number = lock["node_modules/pyodide"]["version"]
    assert f"tag {number}." in (static / "pyodide" / "SOURCE.txt").read_text(encoding="utf-8")
    for name, licence, *_ in licences.FROM_PYTHON:
        assert [name, version(name), licence] in [row[:3] for row in rows]
        text = (static / "licences" / f"{name}.txt").read_text(encoding="utf-8")
        assert licence_of(text) == licence.split(";")[0], name
        assert len(text) > 500
    ours = {path.name: path.read_bytes() for path in (ROOT / "LICENSES").iterdir()}
    laid = {path.name: path.read_bytes() for path in (static / "licences").glob("*.txt")}
    assert laid.items() >= ours.items()
    for text in ("marked", "fitty", "stackframe"):
        assert licence_of(ours[f"{text}.txt"].decode()) == "MIT"
    for font in HTML.rglob("*.woff*"):  # a licence text next to the fonts, or JupyterLite's list of its parts
        folders = [folder for folder in font.parents if {static, HTML / "lite"} & {*folder.parents}]
        beside = {path.name for folder in folders for path in folder.iterdir()}
        assert beside & {"LICENSE", "OFL-1.1.txt", "third-party-licenses.json"}, font
    named_by_licence = {path for path in static.rglob("*.txt") if path.stem in WORDS}
    assert {static / "licences" / f"{name}.txt" for name in ("MIT", "CC-BY-4.0")} <= named_by_licence
    for path in named_by_licence:
        assert licence_of(path.read_text(encoding="utf-8")) == path.stem


def test_embedded_files_have_the_stated_versions():
    static = HTML / "_static"
    said = " ".join(licence for _, licence, *_ in [*licences.FROM_NPM, *licences.FROM_PYTHON])
    for name, file, found in (
        ("Bootstrap", "scripts/bootstrap.js.LICENSE.txt", r"Bootstrap v([\d.]+\d)"),
        ("clipboard.js", "clipboard.min.js", r"clipboard\.js v([\d.]+\d)"),
        ("CPython", "pyodide/pyodide-lock.json", r'"python": "([\d.]+)"'),
        ("Font Awesome Free", "styles/pydata-sphinx-theme.css", r"Font Awesome Free ([\d.]+\d)"),
    ):
        (version_,) = set(re.findall(found, (static / file).read_text(encoding="utf-8")))
        assert f"{name} {version_}" in said
    assert "markedjs/marked" in (static / "reveal" / "notes.js").read_text(encoding="utf-8")
    assert "fit-text" in (static / "reveal" / "reveal.js").read_text(encoding="utf-8")
    assert "StackFrame" in (static / "pyodide" / "pyodide.mjs").read_text(encoding="utf-8")


def test_jupyterlite_lists_parts_and_copyleft_is_named():
    lists = [*(HTML / "lite").rglob("third-party-licenses.json")]
    homes = {path.parent.relative_to(HTML / "lite").as_posix() for path in lists}
    built = [path.parent for path in (HTML / "lite" / "extensions").rglob("package.json")]
    assert homes == {"build", *(f"{path.relative_to(HTML / 'lite').as_posix()}/static" for path in built)}
    page = parsed("book/reference/licences").get_text()
    for path in lists:
        for part in json.loads(path.read_text(encoding="utf-8"))["packages"]:
            if not re.search(r"MIT|BSD|ISC|Apache|CC0|CC-BY|^$", part["licenseId"] or ""):
                assert f"{part['name']} {part['versionInfo']}, {part['licenseId']}" in page


def plain(name: str) -> str:
    """A file's name without the marks of a template (`_t`, `.jinja`) and the hash of its contents."""
    return re.sub(r"\.[0-9a-f]{32,}(?=\.)", "", re.sub(r"(_t|\.jinja)$", "", name))


# Files that the build writes: Pygments' colours, MathJax's rules for the formulas, the location of Pyodide's
# source, the package, and the index of the search.
WRITTEN = {"pygments.css", "chtml.css", "SOURCE.txt", "ldpbook.zip", "search.json"}
LISTS = (".json", ".ico", ".ipynb")  # JupyterLite writes these: lists, and icons at its own sizes


def test_third_party_files_belong_to_listed_packages():
    theirs = set(WRITTEN)
    for name, *_ in licences.FROM_PYTHON:
        for file in distribution(name).files or ():
            theirs.add(plain(file.name))
            if file.suffix == ".tgz":
                with tarfile.open(file.locate()) as packed:
                    theirs |= {Path(member).name for member in packed.getnames()}
    folders = [ROOT / "node_modules" / name for name, *_ in licences.FROM_NPM]
    for folder in (*folders, ROOT / "book" / "_static", ROOT / "LICENSES"):
        theirs |= {path.name for path in folder.rglob("*")}
    theirs |= {path.name for path in (ROOT / "book").glob("logo.*")}
    theirs.add("chooser.json")  # numbers of our own, which the build writes
    served = [path for path in (HTML / "_static").rglob("*") if path.parent.name != "licences"]
    served += [path for path in (HTML / "lite").rglob("*") if path.suffix not in LISTS]
    strangers = {path for path in served if path.is_file() and plain(path.name) not in theirs}
    wheels = {(path.name.split("-")[0], path.suffix) for path in strangers}
    assert wheels == {("comm", ".whl"), ("ldpbook", ".whl")}
