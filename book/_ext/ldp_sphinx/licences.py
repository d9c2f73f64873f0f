"""Sphinx extension: name the works of others that the pages contain, with their licences.

Each page's footer names the book's licences. The directive ``{carried}`` writes a table of the works of
others, with the versions of this build. The licence texts go to `_static/licences`; those of npm's packages
are also beside their files (offline.py, search.py, slides.py, typeset.py).
"""

import json
import shutil
from importlib.metadata import files, version
from pathlib import Path

from sphinx.util.docutils import SphinxDirective

from ldp_sphinx import ROOT, when_written

CC_BY = "https://creativecommons.org/licenses/by/4.0/"
GITHUB = "https://github.com"

# From npm: name, licence, source, the parts that pages contain, and their folder.
FROM_NPM = [
    (
        "mathjax",
        "Apache-2.0",
        f"{GITHUB}/mathjax/MathJax",
        "letters and style sheet of the formulas",
        "mathjax",
    ),
    (
        "pyodide",
        "MPL-2.0; in it CPython 3.14.2, Python-2.0, with libraries of others, and stackframe, MIT",
        f"{GITHUB}/pyodide/pyodide",
        "Python of the live panels",
        "pyodide",
    ),
    ("reveal.js", "MIT; in it marked and fitty, MIT", f"{GITHUB}/hakimel/reveal.js", "slides", "reveal"),
    ("minisearch", "MIT", f"{GITHUB}/lucaong/minisearch", "search: the ranking", "minisearch"),
    ("stemmer", "MIT", f"{GITHUB}/words/stemmer", "search: stems of words", "stemmer"),
]
# Folders under _static, and the texts in LICENSES for code inside their files that has no licence text there.
INSIDE = {
    "pyodide": ("MPL-2.0", "Python-2.0", "Python-incorporated", "stackframe"),
    "reveal": ("marked", "fitty"),
}
# From Python's packages: name, licence, source, and the parts that pages contain.
EBP = f"{GITHUB}/executablebooks"
FROM_PYTHON = [
    ("Sphinx", "BSD-2-Clause", f"{GITHUB}/sphinx-doc/sphinx", "basic styles and scripts"),
    (
        "pydata-sphinx-theme",
        "BSD-3-Clause; in it Bootstrap 5.3.3, MIT, and Font Awesome Free 6.5.2, MIT, OFL-1.1 and CC BY 4.0",
        f"{GITHUB}/pydata/pydata-sphinx-theme",
        "styles, scripts, icons",
    ),
    ("sphinx-book-theme", "BSD-3-Clause", f"{EBP}/sphinx-book-theme", "styles and scripts"),
    (
        "sphinx-copybutton",
        "MIT; in it clipboard.js 2.0.8, MIT",
        f"{EBP}/sphinx-copybutton",
        "copying of code",
    ),
    ("sphinx-togglebutton", "MIT", f"{EBP}/sphinx-togglebutton", "folding"),
    ("sphinx-design", "MIT", f"{EBP}/sphinx-design", "cards"),
    ("sphinx-thebe", "MIT", f"{EBP}/sphinx-thebe", "styles"),
    ("sphinx-proof", "MIT", f"{EBP}/sphinx-proof", "styles of theorems"),
    ("sphinx-exercise", "MIT", f"{EBP}/sphinx-exercise", "styles of exercises"),
    ("myst-nb", "BSD-3-Clause", f"{EBP}/myst-nb", "styles of cells"),
    ("jupyterlite-core", "BSD-3-Clause", f"{GITHUB}/jupyterlite/jupyterlite", "JupyterLite"),
    (
        "jupyterlite-pyodide-kernel",
        "BSD-3-Clause",
        f"{GITHUB}/jupyterlite/pyodide-kernel",
        "JupyterLite: its kernel",
    ),
    (
        "jupyterlab-myst",
        "BSD-3-Clause",
        f"{GITHUB}/jupyter-book/jupyterlab-myst",
        "JupyterLite: the book's markup",
    ),
    (
        "jupyterlab-pygments",
        "BSD-3-Clause",
        f"{GITHUB}/jupyterlab/jupyterlab_pygments",
        "JupyterLite: colours",
    ),
    ("comm", "BSD-3-Clause", f"{GITHUB}/ipython/comm", "JupyterLite: a wheel"),
]


def npm_version(name: str) -> str:
    lock = json.loads((ROOT / "package-lock.json").read_text(encoding="utf-8"))
    return lock["packages"][f"node_modules/{name}"]["version"]


def table() -> str:
    """Table of the works of others in the pages, as Markdown."""
    rows = [(name, npm_version(name), licence, source, what) for name, licence, source, what, _ in FROM_NPM]
    rows += [(name, version(name), licence, source, what) for name, licence, source, what in FROM_PYTHON]
    lines = [
        f"| [{name}]({at}) | {number} | {licence} | {what} |" for name, number, licence, at, what in rows
    ]
    return "\n".join(["| from | version | licence | used for |", "| --- | --- | --- | --- |", *lines])


def lay_texts(folder: Path) -> None:
    """Put the licences of the code inside a package's files beside these files."""
    for text in INSIDE[folder.name]:
        shutil.copy2(ROOT / "LICENSES" / f"{text}.txt", folder)


def texts_of(distribution: str) -> list[Path]:
    """The licence files that came with an installed package."""
    return [
        Path(file.locate())
        for file in files(distribution) or ()
        if ".dist-info" in str(file) and file.name.lower().startswith(("licen", "copying"))
    ]


class Carried(SphinxDirective):
    def run(self):
        return self.parse_text_to_nodes(table())


def _copy(app, outdir: Path) -> None:
    folder = outdir / "_static" / "licences"
    folder.mkdir(exist_ok=True)
    shutil.copy2(ROOT / "LICENSE", folder / "MIT.txt")
    shutil.copytree(ROOT / "LICENSES", folder, dirs_exist_ok=True)
    for distribution, *_ in FROM_PYTHON:
        text = "\n".join(file.read_text(encoding="utf-8") for file in texts_of(distribution))
        (folder / f"{distribution}.txt").write_text(text, encoding="utf-8")
    shutil.copy2(ROOT / "LICENSES" / "OFL-1.1.txt", outdir / "_static" / "vendor" / "fontawesome")


def _add_footer(app, pagename, templatename, context, doctree):
    here = context["pathto"]("book/reference/licences")
    context["theme_extra_footer"] = (
        f'<p>Text and figures <a rel="license" href="{CC_BY}">CC BY 4.0</a>, code MIT: '
        f'<a href="{here}">licences</a>.</p>'
    )


def setup(app):
    app.add_directive("carried", Carried)
    app.connect("html-page-context", _add_footer)
    when_written(app, _copy)
    return {"parallel_read_safe": True}
