"""Sphinx extension: copy what pages need beside them, so that the built folder works without a network.

Pyodide comes from node_modules (`npm ci`, which `make book` runs); without it there are no live panels, and
no fields under exercises.
"""

import shutil
from pathlib import Path
from zipfile import ZIP_DEFLATED, ZipFile

from ldp_sphinx import MODULES, ROOT, when_written
from ldp_sphinx.licences import lay_texts, npm_version

SOURCE = """Pyodide {version} is under the Mozilla Public License 2.0 (MPL-2.0.txt).
Its source: https://github.com/pyodide/pyodide, tag {version}.
It contains CPython and Python's standard library, under the licences of Python-2.0.txt (the file LICENSE of
CPython), and libraries of others. Python-incorporated.txt lists those that Python's documentation
acknowledges, https://docs.python.org/3.14/license.html those added since (mimalloc, HACL*, Zstandard).
pyodide.mjs contains stackframe (stackframe.txt). The source at that tag names the sources of these and of
the libraries that are built in.
"""
# Python code that pages use: the library, the exercises, and the code that runs in the page itself.
SERVED = (
    (ROOT, ("ldpbook/**/*.py", "ldpbook/**/*.pyi")),
    (ROOT / "book", ("ldpcourse/__init__.py", "ldpcourse/_entries.py", "ldpcourse/exercises/**/*.py")),
    (ROOT / "book" / "_ext", ("ldp_browser/*.py",)),
)
PYODIDE = ("pyodide.mjs", "pyodide.asm.mjs", "pyodide.asm.wasm", "python_stdlib.zip", "pyodide-lock.json")


def _copy(app, outdir: Path) -> None:
    static = outdir / "_static"
    if (MODULES / "pyodide").is_dir():
        (static / "pyodide").mkdir(exist_ok=True)
        for name in PYODIDE:
            shutil.copy2(MODULES / "pyodide" / name, static / "pyodide")
        lay_texts(static / "pyodide")
        source = SOURCE.format(version=npm_version("pyodide"))
        (static / "pyodide" / "SOURCE.txt").write_text(source, encoding="utf-8")
        # Bounds and most exercises need nothing but Python, as the package's tests check.
        with ZipFile(static / "ldpbook.zip", "w", ZIP_DEFLATED) as archive:
            for folder, wanted in SERVED:
                for path in sorted(path for glob in wanted for path in folder.glob(glob)):
                    archive.write(path, path.relative_to(folder))


def setup(app):
    when_written(app, _copy)
    return {"parallel_read_safe": True}
