"""Whose work the pages carry, and under which licence.

`make test-site` looks at texts, tables and names of files; whether each file has its owner's bytes is asked
before a release: `make test-release`.
"""

import json
import re
import tarfile
from collections import defaultdict
from collections.abc import Iterator
from importlib.metadata import distribution, version
from pathlib import Path

import pytest
from browsed import parsed
from ldp_sphinx import licences
from toc import HTML, ROOT

import ldpbook

# The words by which a licence's text is known.
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
    """The licence that a text begins with; others may follow, of what was incorporated."""
    text = " ".join(re.sub("===+|---+", "", text).split())
    starts = {at: name for name, words in WORDS.items() if (at := text.find(words)) >= 0}
    name = starts[min(starts)]
    if name == "BSD":
        conditions = text.partition("THIS SOFTWARE IS PROVIDED")[0].lower()
        return "BSD-3-Clause" if "neither the name" in conditions else "BSD-2-Clause"
    return name


def test_a_text_tells_its_licence():
    terms = WORDS["BSD"] + ", are permitted. THIS SOFTWARE IS PROVIDED as is"
    assert licence_of(terms) == "BSD-2-Clause"
    assert licence_of(terms.replace("THIS", "Neither the\nname of the holder. THIS")) == "BSD-3-Clause"
    assert licence_of(f"MIT License\n\n{WORDS['MIT']}\n{terms}") == "MIT"


def test_what_comes_from_npm_has_its_licence_and_is_in_the_table():
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
    for font in HTML.rglob("*.woff*"):  # a text beside the letters, or JupyterLite's list of its parts
        folders = [folder for folder in font.parents if {static, HTML / "lite"} & {*folder.parents}]
        beside = {path.name for folder in folders for path in folder.iterdir()}
        assert beside & {"LICENSE", "OFL-1.1.txt", "third-party-licenses.json"}, font
    named_by_licence = {path for path in static.rglob("*.txt") if path.stem in WORDS}
    assert {static / "licences" / f"{name}.txt" for name in ("MIT", "CC-BY-4.0")} <= named_by_licence
    for path in named_by_licence:
        assert licence_of(path.read_text(encoding="utf-8")) == path.stem


def test_what_lies_within_others_files_has_the_version_that_is_said():
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


def test_jupyterlite_has_the_lists_of_its_parts_and_the_copyleft_is_named():
    lists = [*(HTML / "lite").rglob("third-party-licenses.json")]
    homes = {path.parent.relative_to(HTML / "lite").as_posix() for path in lists}
    built = [path.parent for path in (HTML / "lite" / "extensions").rglob("package.json")]
    assert homes == {"build", *(f"{path.relative_to(HTML / 'lite').as_posix()}/static" for path in built)}
    page = parsed("book/reference/licences").get_text()
    for path in lists:
        for part in json.loads(path.read_text(encoding="utf-8"))["packages"]:
            if not re.search(r"MIT|BSD|ISC|Apache|CC0|CC-BY|^$", part["licenseId"] or ""):
                assert f"{part['name']} {part['versionInfo']}, {part['licenseId']}" in page


def of_jupyterlite() -> Iterator[tuple[str, bytes]]:
    """Name and contents of each file that its packages bring."""
    for name, *_ in licences.FROM_PYTHON:
        for path in (Path(file.locate()) for file in distribution(name).files or ()):
            if path.suffix == ".tgz":
                with tarfile.open(path) as packed:
                    for member in packed:
                        if member.isfile():
                            yield Path(member.name).name, packed.extractfile(member).read()
            elif "labextensions" in path.parts and path.is_file():
                yield path.name, path.read_bytes()


def served_by_jupyterlite() -> dict[str, Path]:
    """Its files on the pages; it writes lists, and icons at the sizes it wants."""
    lite = HTML / "lite"
    return {
        path.relative_to(lite).as_posix(): path
        for path in lite.rglob("*")
        if path.is_file() and path.suffix not in (".json", ".ico", ".ipynb")
    }


WHEELS = [
    f"pypi/{name}-py3-none-any.whl" for name in (f"comm-{version('comm')}", f"ldpbook-{ldpbook.__version__}")
]


def test_jupyterlite_s_files_have_names_of_its_packages():
    theirs = {name for name, _ in of_jupyterlite()}
    strangers = [name for name, path in served_by_jupyterlite().items() if path.name not in theirs]
    assert sorted(strangers) == WHEELS


@pytest.mark.release
def test_jupyterlite_s_files_are_those_of_its_packages():
    theirs = set(of_jupyterlite())
    strangers = [
        name for name, path in served_by_jupyterlite().items() if (path.name, path.read_bytes()) not in theirs
    ]
    assert sorted(strangers) == WHEELS


def plain(name: str) -> str:
    """A file's name without the marks of a template (`_t`, `.jinja`) and of its contents (a hash)."""
    return re.sub(r"\.[0-9a-f]{32,}(?=\.)", "", re.sub(r"(_t|\.jinja)$", "", name))


# What the build fills in or cuts (lean.py): whose it is says its name alone.
CHANGED = {
    "basic.css": "Sphinx",
    "documentation_options.js": "Sphinx",
    "language_data.js": "Sphinx",
    "copybutton.js": "sphinx-copybutton",
    "scripts/bootstrap.js": "pydata-sphinx-theme",
    "scripts/pydata-sphinx-theme.js": "pydata-sphinx-theme",
    "scripts/sphinx-book-theme.js": "sphinx-book-theme",
    "styles/pydata-sphinx-theme.css": "pydata-sphinx-theme",
    "styles/sphinx-book-theme.css": "sphinx-book-theme",
}
# What the build writes itself: Pygments' colours, MathJax's rules that the formulas use, where Pyodide's
# source is, and the package.
WRITTEN = {"pygments.css", "mathjax/chtml.css", "pyodide/SOURCE.txt", "ldpbook.zip"}


def owners() -> dict[str, set[tuple[str, Path]]]:
    """Who has files of a name: a package from Python, a folder from npm, or we."""
    theirs = defaultdict(set)
    for name, *_ in licences.FROM_PYTHON:
        for file in distribution(name).files or ():
            theirs[plain(file.name)].add((name, Path(file.locate())))
    for name, *_, folder in licences.FROM_NPM:
        for path in (ROOT / "node_modules" / name).rglob("*"):
            theirs[path.name].add((folder, path))
    sources = [*(ROOT / "book" / "_static").rglob("*"), *(ROOT / "book").glob("logo.*")]
    for path in [*sources, *(ROOT / "LICENSES").iterdir()]:
        theirs[path.name].add(("ours", path))
    return theirs


def carried() -> Iterator[tuple[str, Path, set[Path]]]:
    """Each file of the pages that the build does not write, and the files of its name that it may be."""
    theirs, static = owners(), HTML / "_static"
    named = {name for name, *_ in licences.FROM_PYTHON} | {"ours"}
    for path in static.rglob("*"):
        where = path.relative_to(static)
        if not path.is_file() or where.as_posix() in WRITTEN or where.parts[0] == "licences":
            continue
        known = theirs[plain(path.name)]
        if owner := CHANGED.get(where.as_posix()):
            known = {(who, file) for who, file in known if who == owner}
        yield where.as_posix(), path, {file for who, file in known if who in {*named, where.parts[0]}}


def test_whatever_the_pages_carry_has_an_owner_in_the_table():
    """By its name and, among what is laid out in folders, by its folder."""
    assert not {where for where, _, candidates in carried() if not candidates}
    named = {name for name, *_ in licences.FROM_PYTHON}
    served = {path.name.split("-")[0] for path in (HTML / "lite" / "pypi").glob("*.whl")}
    extensions = (HTML / "lite" / "extensions").glob("**/package.json")
    served |= {path.parent.name.replace("_", "-") for path in extensions}
    # The one that is left out is jupyterlite-pyodide-kernel's.
    assert served - {"pyodide-kernel-extension"} <= named | {"ldpbook"}


@pytest.mark.release
def test_whatever_the_pages_carry_has_the_bytes_of_its_owner():
    assert not {
        where
        for where, path, candidates in carried()
        if where not in CHANGED
        and not any(file.is_file() and file.read_bytes() == path.read_bytes() for file in candidates)
    }
