"""A build in which no page has changed still makes what lies beside the pages."""

import io

import ldp_sphinx
from sphinx.application import Sphinx


def test_idle_build_still_writes_a_page(tmp_path):
    (tmp_path / "conf.py").write_text("extensions = []\n", encoding="utf-8")
    (tmp_path / "index.rst").write_text("Title\n=====\n", encoding="utf-8")
    written = []

    def build() -> None:
        folders = (tmp_path, tmp_path, tmp_path / "html", tmp_path / "trees")
        app = Sphinx(*folders, "html", status=io.StringIO(), warning=io.StringIO())
        app.connect("env-get-outdated", ldp_sphinx._read_one)
        app.connect("html-page-context", lambda app, name, *_: written.append(name))
        app.build()

    build()
    written.clear()
    build()
    assert {"index", "search"} <= {*written}
