"""Sphinx extension: pages carry what they need, so that the built folder works without a network.

MathJax and Pyodide come from node_modules (`npm ci`, which `make book` runs). Without them, pages
take MathJax from Sphinx's usual address and have no live panels.
"""

import shutil
from pathlib import Path

from sphinx.util import logging

ROOT = Path(__file__).resolve().parents[2]
MODULES = ROOT / "node_modules"
PYODIDE = ("pyodide.mjs", "pyodide.asm.mjs", "pyodide.asm.wasm", "python_stdlib.zip", "pyodide-lock.json")
# What the browser's Python imports: the standard library only, as the package's tests check.
PACKAGE = ("__init__.py", "_validate.py", "bounds.py")


def _use_local_mathjax(app, config):
    if (MODULES / "mathjax").is_dir():
        config.mathjax_path = "mathjax/tex-mml-chtml.js"
    else:
        logging.getLogger(__name__).info("no node_modules: MathJax from its usual address, no live panels")


def _copy(app, exception):
    if exception or app.builder.name != "html":
        return
    static = Path(app.outdir) / "_static"
    if (MODULES / "mathjax").is_dir():
        shutil.copytree(MODULES / "mathjax" / "es5", static / "mathjax", dirs_exist_ok=True)
    if (MODULES / "pyodide").is_dir():
        (static / "pyodide").mkdir(exist_ok=True)
        for name in PYODIDE:
            shutil.copy2(MODULES / "pyodide" / name, static / "pyodide" / name)
        (static / "ldpbook").mkdir(exist_ok=True)
        for name in PACKAGE:
            shutil.copy2(ROOT / "ldpbook" / name, static / "ldpbook" / name)


def _drop_thebe(app, pagename, templatename, context, doctree):
    """The theme's script for running cells elsewhere: unused here, and declared twice."""
    context["script_files"] = [
        script
        for script in context.get("script_files", [])
        if "thebe" not in f"{script} {getattr(script, 'attributes', '')}".lower()
    ]


def setup(app):
    app.connect("config-inited", _use_local_mathjax)
    app.connect("html-page-context", _drop_thebe, priority=900)
    app.connect("build-finished", _copy)
    return {"parallel_read_safe": True}
