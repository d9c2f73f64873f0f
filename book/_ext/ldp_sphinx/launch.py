"""Sphinx extension: run a chapter without installing anything.

Beside the pages there is a JupyterLite site with every chapter's student notebook (student.py) and the
package's wheel; each chapter's page has a button that opens its notebook there. Where the repository's
address is known (address.py), the theme adds Binder to the same menu, and Colab once there is a release.
Binder has the students' notebooks too; Colab opens the repository's notebook with solutions, and its button
says so. The theme's own button for JupyterLite needs the repository's address and an absolute address of the
site; here neither may be known.
"""

import re
import shutil
import subprocess
import sys
import tempfile
from importlib.metadata import version
from pathlib import Path

from sphinx.util import logging

from ldp_sphinx import RELEASE, ROOT, student, when_written

MENU = {
    "type": "group",
    "tooltip": "Run this chapter",
    "icon": "fas fa-rocket",
    "label": "launch-buttons",
}


def released(file: str, root: Path = ROOT) -> bool:
    """Whether the last release has this chapter, with a first cell that installs that release's version."""
    if not RELEASE:
        return False
    found = subprocess.run(["git", "show", f"{RELEASE}:{file}"], cwd=root, capture_output=True, text=True)
    return {f"v{number}" for number in re.findall(r"ldpbook\[[^]]*\]==([\w.]+)", found.stdout)} == {RELEASE}


def _add_button(app, pagename, templatename, context, doctree):
    if not (ROOT / f"{pagename}.ipynb").exists():
        return
    menus = [menu for menu in context["header_buttons"] if menu.get("label") == MENU["label"]]
    if not menus:
        menus = [{**MENU, "buttons": []}]
        context["header_buttons"].extend(menus)
    if not released(f"{pagename}.ipynb"):  # a chapter newer than the release is not in it
        menus[0]["buttons"] = [button for button in menus[0]["buttons"] if button["text"] != "Colab"]
    for button in menus[0]["buttons"]:
        if button["text"] == "Binder":
            button["url"] = button["url"].replace("?urlpath=lab/tree/", "?urlpath=lab/tree/student/")
        elif button["text"] == "Colab":
            # The first cell installs a release, so the button has to open the notebook of that release.
            button["url"] = button["url"].replace("/blob/main/", f"/blob/{RELEASE}/")
            button |= {
                "text": "Colab, with solutions",
                "tooltip": "Run on Colab: there the solutions are visible",
            }
    menus[0]["buttons"].insert(
        0,
        {
            "type": "link",
            "text": "JupyterLite",
            "tooltip": "Run in this browser",
            "icon": "_static/images/logo_jupyterlite.svg",
            "url": context["pathto"]("lite/notebooks/index.html", 1) + f"?path={pagename}.ipynb",
        },
    )


def comm_wheel(prefix: str) -> str:
    """Path of a wheel of comm kept with the environment, or a requirement to download it.

    Pyodide's kernel imports comm, which Pyodide lacks. `make` puts the wheel into the environment's folder
    `wheels`, so that building the pages needs no network.
    """
    kept = sorted(Path(prefix, "wheels").glob(f"comm-{version('comm')}-*.whl"))
    return str(kept[0]) if kept else f"comm=={version('comm')}"


def _build_lite(app, outdir: Path) -> None:
    logging.getLogger(__name__).info("building the JupyterLite site with every notebook")
    with tempfile.TemporaryDirectory() as folder:
        contents, lite = Path(folder, "contents"), Path(folder, "lite")
        for name in app.env.found_docs:
            if (ROOT / f"{name}.ipynb").exists():
                student.write(student.of_chapter(name), contents / f"{name}.ipynb")
        # The package is built from a copy, because setuptools leaves files beside the sources.
        source = Path(folder, "source")
        for package in ("ldpbook", "book/ldpcourse"):
            shutil.copytree(ROOT / package, source / package)
        for name in ("pyproject.toml", "README.md", "LICENSE"):
            shutil.copy2(ROOT / name, source)
        wheel = ["pip", "wheel", "--quiet", "--disable-pip-version-check", "--no-deps"]
        wheel += ["--only-binary", "comm", "--no-build-isolation", "--wheel-dir", f"{lite}/pypi"]
        wheel += [source, comm_wheel(sys.prefix)]
        build = ["jupyter", "lite", "build", "--apps", "notebooks", "--apps", "tree"]
        build += ["--no-sourcemaps", "--no-unused-shared-packages"]
        build += ["--lite-dir", lite, "--contents", contents, "--output-dir", f"{outdir}/lite"]
        for command in (wheel, build):
            done = subprocess.run(
                [sys.executable, "-m", *command], cwd=folder, capture_output=True, text=True
            )
            if done.returncode:
                raise RuntimeError(done.stdout + done.stderr)


def setup(app):
    app.connect("html-page-context", _add_button, priority=800)  # after the theme's own buttons
    when_written(app, _build_lite)
    return {"parallel_read_safe": True}
