"""Sphinx extension: an index of the pages, which search.js asks when the reader opens the search field.

Each page has its number, title, subtitle, objectives and summary, and keywords: words by which readers look
for the page and which it may not contain (``ldpbook.keywords`` in a notebook's metadata, `book/keywords.yml`
for other pages). Each section has its heading, and each word the list of the sections that it is in. The
package's objects are listed separately, since none must rank above a chapter. search-rank.js ranks the pages.
Without npm's packages the theme's own search stays.
"""

import itertools
import json
import re
import shutil
from collections import defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path

import yaml
from docutils import nodes
from sphinx import addnodes
from sphinx_exercise.nodes import solution_node

from ldp_sphinx import MODULES, ROOT, pages, when_written
from ldp_sphinx.chapters import chapters
from ldp_sphinx.theme_cuts import cut

# Names, and where npm's packages have the module and the licence.
LIBRARIES = (("minisearch", "dist/es/index.js", "LICENSE.txt"), ("stemmer", "index.js", "license"))
KEYWORDS = ROOT / "book" / "keywords.yml"
OBJECTIVES = "What you will be able to do after this chapter"
# What no one looks for by its words (code, formulas), and what would give the answer of an exercise away.
SILENT = (nodes.literal_block, nodes.doctest_block, nodes.math, nodes.math_block, nodes.raw, nodes.comment)
SILENT += (solution_node, addnodes.desc, addnodes.toctree)
# What search.html says until its script has run.
WITHOUT = "Search needs JavaScript, and pages from a server, such as <code>python -m http.server</code>."


def available() -> bool:
    return all((MODULES / name).is_dir() for name, *_ in LIBRARIES)


def is_section(node: nodes.Node) -> bool:
    return isinstance(node, nodes.section)


def spoken(node: nodes.Node) -> str:
    """The text of a node, except for what is silent."""
    if isinstance(node, nodes.Text):
        return node.astext()
    if isinstance(node, SILENT) or {"cell", "deeper-mark"} & set(node.get("classes", [])):
        return " "
    apart = "" if isinstance(node, nodes.TextElement) else " "
    return apart.join(spoken(child) for child in node.children)


def words(text: str) -> list[str]:
    """Every word of a text once, in lower case."""
    return list(dict.fromkeys(re.findall(r"[^\W\d_]{2,}", text.lower())))


def is_summary(node: nodes.Node) -> bool:
    return isinstance(node, nodes.admonition) and node[0].astext() == "Summary"


def about(doctree: nodes.document) -> dict:
    """What the index says about a page: title, subtitle, aims, sections, and objects of the package."""
    page = next(doctree.findall(nodes.section))
    subtitle, aims = "", [spoken(box) for box in page.findall(is_summary)]
    for before, node in itertools.pairwise(page):
        if isinstance(before, nodes.title) and [*map(type, node.children)] == [nodes.emphasis]:
            subtitle = node.astext()
        if isinstance(node, nodes.bullet_list) and before.astext() == OBJECTIVES:
            aims.append(spoken(node))
    return {
        "title": page[0].astext(),
        "subtitle": subtitle,
        "aims": words(" ".join(aims)),
        "sections": [
            ("", "", words(" ".join(spoken(node) for node in page if not is_section(node)))),
            *((part["ids"][0], spoken(part[0]), words(spoken(part))) for part in page if is_section(part)),
        ],
        "objects": list(objects(page)),
    }


def objects(page: nodes.section) -> Iterator[tuple[str, str]]:
    """Anchor and first sentence of what a page of the package documents; methods are part of their class."""
    for desc in page.findall(addnodes.desc):
        if not isinstance(desc.parent, addnodes.desc_content):
            first = next(desc[1].findall(nodes.paragraph), nodes.paragraph())
            yield desc[0]["ids"][0], first.astext().split(". ")[0]


def keywords() -> dict[str, Sequence[str]]:
    """Other words by which readers look for a page, by its name."""
    found = yaml.safe_load(KEYWORDS.read_text(encoding="utf-8"))
    return found | {chapter.name: chapter.keywords for chapter in itertools.chain(*chapters().values())}


def index(known: dict[str, dict]) -> dict:
    """All that search-rank.js needs, from what is known `about` each page."""
    numbers = {f"book/{c.name}": c.number for c in itertools.chain(*chapters().values())}
    said = keywords()
    made: dict = {"pages": [], "sections": [], "objects": [], "words": {}, "common": []}
    places, homes, n_sections = defaultdict(list), defaultdict(set), 0
    for here, (name, page) in enumerate(known.items()):
        names = ", ".join(said.get(name.removeprefix("book/"), ()))
        aims = " ".join(page["aims"])
        made["pages"].append([name, numbers.get(name), page["title"], page["subtitle"], names, aims])
        made["objects"] += [(here, *entry) for entry in page["objects"]]
        for _, _, text in page["sections"]:
            for word in text:
                places[word].append(n_sections)
                homes[word].add(here)
            n_sections += 1
        made["sections"].append([part[:2] for part in page["sections"]])
    for word, at in sorted(places.items()):
        # A word of more than a third of the pages hardly says which one is meant, and takes the most room.
        if len(homes[word]) > len(known) / 3:
            made["common"].append(word)
        else:
            made["words"][word] = [after - before for before, after in itertools.pairwise([0, *at])]
    return made


def _remember(app, doctree):
    app.env.metadata[app.env.docname]["search"] = about(doctree)


def _cut_theirs(app, outdir: Path) -> None:
    """Remove the index of the theme's search, 560 kB, and its scripts, so that no page loads them."""
    theirs = ("_static/searchtools.js", "_static/language_data.js", "searchindex.js")
    cut(pages(outdir), rf'\s*<script src="[./]*({"|".join(map(re.escape, theirs))})[^"]*"></script>')
    for file in theirs:
        (outdir / file).unlink(missing_ok=True)
    empty = '<div id="search-results"></div>'
    cut([outdir / "search.html"], empty, empty.replace("><", f"><p>{WITHOUT}</p><"))


def _write(app, outdir: Path) -> None:
    static = outdir / "_static"
    for name, file, licence in LIBRARIES:
        folder = static / name
        folder.mkdir(exist_ok=True)
        shutil.copy2(MODULES / name / file, folder / "index.js")
        shutil.copy2(MODULES / name / licence, folder / "LICENSE")
    known = {name: app.env.metadata[name]["search"] for name in sorted(app.env.found_docs)}
    made = json.dumps(index(known), ensure_ascii=False, separators=(",", ":"))
    (static / "search.json").write_text(made, encoding="utf-8")


def _begin(app):
    if available() and app.builder.name == "html":
        app.builder.search = False  # the theme's index
        app.add_js_file("search.js", type="module")
        app.connect("html-collect-pages", lambda app: [("search", {}, "search.html")])
        when_written(app, _cut_theirs)
        when_written(app, _write)


def setup(app):
    app.connect("builder-inited", _begin)
    app.connect("doctree-read", _remember)
    return {"parallel_read_safe": True, "env_version": 1}  # pages read by an older version lack data
