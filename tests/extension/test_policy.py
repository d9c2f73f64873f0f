"""The policy lists what the theme writes into a page, and nothing that comes from the text of the book."""

import base64
import hashlib
import re

import pytest
from bs4 import BeautifulSoup
from ldp_sphinx import pages, policy
from sphinx.application import Sphinx
from sphinx.util.docutils import docutils_namespace, patch_docutils
from toc import ROOT

PAGE = '<html><head><meta charset="utf-8" /><script>theme()</script></head></html>'
# The quoted ">" hides the handler from who looks for it without reading HTML as a browser does.
PLANTED = '<script>planted(1)</script> <img alt="><1" src="x" onerror="planted(2)">'
OF_NO_USE = '<meta http-equiv="Content-Security-Policy" content="">'


def sha(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


def running(html: str) -> set[str]:
    """Scripts and handlers that stand in a page."""
    page = BeautifulSoup(html, "html.parser")
    handlers = {
        str(value)
        for tag in page.find_all(True)
        for name, value in tag.attrs.items()
        if name.startswith("on")
    }
    return handlers | {script.get_text() for script in page.select("script:not([src], [type])")}


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """Pages of a small book, by name: the headings of the first hold scripts and handlers."""
    source, built = tmp_path_factory.mktemp("book"), tmp_path_factory.mktemp("built")
    toc = "```{toctree}\n:caption: Pages\nplanted\nother\n```\n"
    (source / "book.md").write_text(f"# Book\n\n{toc}", encoding="utf-8")
    (source / "planted.md").write_text(f"# One {PLANTED}\n\n## Two {PLANTED}\n", encoding="utf-8")
    (source / "other.md").write_text(f"# Other\n\nText. {OF_NO_USE}\n\n## Another\n", encoding="utf-8")
    notes = source / "static" / "reveal" / "notes.js"
    notes.parent.mkdir(parents=True)
    notes.touch()
    settings = {
        "extensions": ["myst_parser", "sphinx_togglebutton", "ldp_sphinx.policy"],
        "root_doc": "book",
        "html_theme": "sphinx_book_theme",
        "html_context": {"default_mode": "auto"},
        "html_static_path": ["static"],
    }
    with pytest.MonkeyPatch.context() as patch, patch_docutils(str(source)), docutils_namespace():
        patch.setattr(policy, "available", lambda: True)
        app = Sphinx(source, None, built, built / ".doctrees", "html", settings, status=None)
        app.build()
    return {page.relative_to(built).stem: page.read_text(encoding="utf-8") for page in pages(built)}


def test_nothing_planted_in_a_heading_is_listed(built):
    assert {"book", "planted", "other", "search"} <= built.keys()
    planted = {"planted(1)", "planted(2)"}
    for name, html in built.items():
        frame = re.sub("<article.*</article>", "", html, flags=re.DOTALL)
        assert running(frame) >= planted, f"{name} does not show that headings go all over the pages"
        said = BeautifulSoup(html, "html.parser").select("meta[http-equiv]")[0]
        assert not [code for code in planted if sha(code) in said["content"]], name
        assert not [code for code in running(html) - planted if sha(code) not in said["content"]], name


def test_what_a_page_holds_does_not_change_its_policy():
    page = policy.protect(PAGE, ['f("x")'])
    assert page.index('charset="utf-8"') < page.index("Content-Security-Policy") < page.index("<script>")
    assert sha('f("x")') in page
    assert sha("theme()") not in page


def test_a_page_names_itself_in_a_script():
    assert {"window.print()", "DOCUMENTATION_OPTIONS.pagename = 'book/a';"} <= {*policy.inline("book/a")}


def test_a_policy_of_an_earlier_build_is_replaced():
    assert policy.protect(policy.protect(PAGE, ["f()"]), ["g()"]) == policy.protect(PAGE, ["g()"])


def test_a_policy_that_stands_in_the_text_does_not_take_the_place_of_the_pages_own(built):
    html = built["other"]
    assert html.index("default-src 'self'") < html.index("<script") < html.index(OF_NO_USE)


def test_python_gets_the_policy_of_its_page():
    """A worker from a blob inherits it; one from an address would have none."""
    assert "worker-src 'self' blob:" in policy.policy([])
    started = (ROOT / "book" / "_static" / "python.js").read_text(encoding="utf-8")
    assert "new Worker(blob," in started


def test_what_the_default_does_not_cover_is_said():
    """Where a form may be sent and where links start follow no default-src."""
    said = policy.policy([]).split("; ")
    assert {"default-src 'self'", "form-action 'self'", "base-uri 'self'"} <= set(said)


def test_without_a_character_set_there_is_no_place_for_the_policy():
    with pytest.raises(RuntimeError, match="character set"):
        policy.protect("<html></html>", [])


def test_the_speaker_view_is_read_as_javascript_reads_it():
    assert policy.speaker_view(r"write(`<script>f('\\n')<\/script>`)") == [r"f('\n')"]
