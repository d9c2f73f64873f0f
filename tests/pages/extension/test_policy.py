"""The policy lists what the theme writes into a page, and nothing that comes from the text of the book."""

import base64
import hashlib
import io
import json
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


def inside(html: str) -> set[str]:
    """Scripts and handlers that stand in a page."""
    page = BeautifulSoup(html, "html.parser")
    handlers = {
        str(value)
        for tag in page.find_all(True)
        for name, value in tag.attrs.items()
        if name.startswith("on")
    }
    return handlers | {script.get_text() for script in page.select("script:not([src], [type])")}


# Spelled so that who looks for words in the source overlooks them; what comes out runs.
SPELLED = {
    "quoted": "><img src=x\n>onerror=planted(3)>\n",
    "listed": '- <a href="java\n  script:planted(4)">a</a>\n',
    "pictured": "```{image} a.png\n:target: java\\script:planted(5)\n```\n",
    "spaced": "```{eval-rst}\n`a <java script:planted(6)>`_\n```\n",
    "filed": "```{eval-rst}\n.. raw :: html\n   :file: planted.txt\n```\n",
    "substituted": "{{ '<scr' + 'ipt>planted(8)</scr' + 'ipt>' }}\n",
    "raw": "```{raw} html\n<script>planted(9)</script>\n```\n",
    "capitals": ":::{RAW} html\n<script>planted(10)</script>\n:::\n",
    "role": "```{eval-rst}\n.. role:: x(raw)\n   :format: html\n\n:x:`<script>planted(11)</script>`\n```\n",
    "included": "```{include} included.txt\n```\n",
    "refreshed": "",  # planted(13), before the page
    "embedded": "![planted(12)](data:image/gif;base64,eA==)\n",
}
FRONT = """---
myst:
  enable_extensions: [colon_fence, substitution]
  html_meta:
    "http-equiv=refresh": "0; url=data:,planted(13)"
---
"""
# What a cell has shown reaches a page too, and a drawing stands beside it as a file.
SHOWN = {
    "text/html": "<table><script>planted(14)</script></table>",
    "text/markdown": "<script>planted(15)</script>",
    "application/javascript": "planted(16)",
    "image/svg+xml": '<svg xmlns="http://www.w3.org/2000/svg"><script>planted(17)</script></svg>',
}
# Markdown makes no links or tags of these: readers see them as they stand here.
READ = """[a](javascript:x()) [a](java&#115;cript:x()) [a](java\tscript:x()) `a <java script:x()>`_

[a](data:text/html;base64,eA==) [a](data:image/svg+xml,x) [a]( <data:image/svg+xml,x> ) [b]

[b]: data:image/svg+xml,x

<svg/onload=x()> <img src="x"onerror=x()> <a href=data:;base64,eA==>

.. raw :: html
   :file: planted.txt
"""


def notebook() -> str:
    """Its cells have shown what would run."""
    outputs = [
        {"output_type": "display_data", "metadata": {}, "data": {kind: text}} for kind, text in SHOWN.items()
    ]
    title = {"cell_type": "markdown", "metadata": {}, "source": "# Shown"}
    code = {"cell_type": "code", "metadata": {}, "execution_count": 1, "source": "1", "outputs": outputs}
    return json.dumps({"cells": [title, code], "metadata": {}, "nbformat": 4, "nbformat_minor": 4})


@pytest.fixture(scope="module")
def book(tmp_path_factory):
    """Pages of a small book, by name, and warnings: the headings of the first hold scripts and handlers."""
    source, built = tmp_path_factory.mktemp("book"), tmp_path_factory.mktemp("built")
    names = ["planted", "other", "read", "shown", "spelled"]
    toc = "\n".join(["```{toctree}", ":caption: Pages", *names, "```\n"])
    spelled = "\n".join(["# Spelled\n", *SPELLED.values()])
    (source / "spelled.md").write_text(f"{FRONT}{spelled}", encoding="utf-8")
    (source / "read.md").write_text(f"# Read\n\n{READ}", encoding="utf-8")
    (source / "shown.ipynb").write_text(notebook(), encoding="utf-8")
    (source / "planted.txt").write_text("<script>planted(7)</script>", encoding="utf-8")
    (source / "included.txt").write_text("<script>planted(18)</script>", encoding="utf-8")
    (source / "a.png").touch()
    (source / "book.md").write_text(f"# Book\n\n{toc}", encoding="utf-8")
    (source / "planted.md").write_text(f"# One {PLANTED}\n\n## Two {PLANTED}\n", encoding="utf-8")
    (source / "other.md").write_text(f"# Other\n\nText. {OF_NO_USE}\n\n## Another\n", encoding="utf-8")
    notes = source / "static" / "reveal" / "notes.js"
    notes.parent.mkdir(parents=True)
    notes.touch()
    settings = {
        "extensions": ["myst_nb", "sphinx_togglebutton", "ldp_sphinx.policy"],
        "nb_execution_mode": "off",
        "nb_render_markdown_format": "myst",
        "root_doc": "book",
        "html_theme": "sphinx_book_theme",
        "html_context": {"default_mode": "auto"},
        "html_static_path": ["static"],
    }
    with pytest.MonkeyPatch.context() as patch, patch_docutils(str(source)), docutils_namespace():
        patch.setattr(policy, "available", lambda: True)
        said = io.StringIO()
        app = Sphinx(source, None, built, built / ".doctrees", "html", settings, status=None, warning=said)
        app.build()
    texts = {page.relative_to(built).stem: page.read_text(encoding="utf-8") for page in pages(built)}
    return texts, re.findall(r"(\w+)\.\w+: WARNING: this would run.*?: (.+?)\x1b", said.getvalue())


@pytest.fixture(scope="module")
def built(book):
    return book[0]


NUMBERS = {"filed": 7, "included": 18, "refreshed": 13}  # what stands in no text of the page


@pytest.mark.parametrize("name", SPELLED)
def test_what_would_run_is_a_warning_however_it_was_spelled(book, name):
    number = NUMBERS.get(name) or re.search(r"planted\((\d+)\)", SPELLED[name])[1]
    (_,) = [code for page, code in book[1] if page == "spelled" and f"planted({number})" in code]


def test_what_the_theme_writes_is_no_warning(book):
    assert {page for page, _ in book[1]} >= {"planted", "other", "read", "shown", "spelled"}
    assert [code for _, code in book[1] if "planted" not in code] == []


@pytest.mark.parametrize("kind", SHOWN)
def test_what_would_run_in_an_output_is_a_warning(book, kind):
    (planted,) = re.findall(r"planted\(\d+\)", SHOWN[kind])
    assert [code for _, code in book[1] if planted in code]


def test_what_markdown_takes_for_text_stays_text(book):
    html = BeautifulSoup(book[0]["read"], "html.parser")
    (said,) = html.select("article.bd-article section")
    assert not said.select("svg, img, script, a:not(.headerlink)")
    assert said.get_text().count("x()") == 6
    assert {code for page, code in book[1] if page == "read"} == {"planted(1)", "planted(2)"}  # in a heading


@pytest.mark.parametrize(
    "planted",
    [
        "<svg/onload=f()>",
        "<svg\nonload = 'f()'>",
        "<img src=x onerror=f()>",
        '<img src="x"onerror=f()>',
        '<img alt=">" onerror=f()>',
        '<img alt="<" onerror=f()>',
        "<a href='\x01java\tscript:f()'>",
        "<a href='java&Tab;script:f()'>",
        "<a href='java&#10;script:f()'>",
        "<a href='java&#115;cript:f()'>",
        "<a href='vbscript:x'>",
        "<a href='DATA:text/html,x'>",
        "<a href='da\tta:text/html,x'>",
        '<a href="data:application/xhtml+xml;base64,eA==">',
        "<a href=data:;base64,eA==>",
        '<a href="\x01data:image/svg+xml,x">',  # opened as a page, it runs
        '<a xlink:href = "data:,x">',
        "<img src='data:image/svg,x'>",
        "<use xlink:href='data:image/svg+xml,x'>",
        "<use xlink:href='https://x/y.svg#z'/>",
        "<link rel=stylesheet href=//x>",
        "<link rel=stylesheet href='\\\\x'>",
        "<img src=https://x/y.png>",
        "<form action=' vbscript:x'>",
        "<form action=https://x>",
        "<button formaction=https://x>",
        "<iframe src=x>",
        "<object data=x>",
        "<base href=//x>",
        "<meta http-equiv=Refresh content=0>",
        "<script>f()</script>",
        "<SCRIPT src=x></SCRIPT>",
        "<script src=//x></script>",
        "<script src=../_sources/x.txt></script>",
        "<script src=_static/../_sources/x.txt></script>",
        "<script type=module>f()</script>",
        "<td srcdoc=x>",
        "<!--><script>f()</script>-->",
        "<style><img src=x onerror=f()></style>",
        "<![CDATA[><svg onload=f()>]]>",
    ],
)
def test_what_runs_in_a_finished_page_is_found(planted):
    assert policy.running(f"<p>{planted}</p>")


@pytest.mark.parametrize(
    "harmless",
    [
        "<script src=../../_static/a.js></script>text",
        "<script src=searchindex.js></script>",
        "<link rel=canonical href=https://x>",
        "<!-- <p>text</p> -->",
        "<use href='#a'/>",
        "<foreignObject>",
        "<script type=application/json>{}</script>",
        "<img src='data:image/svg+xml,x'>",
        "<a href=https://x>on = 1</a>",
    ],
)
def test_what_does_not_run_in_a_finished_page_is_let_be(harmless):
    assert policy.running(f"<p>{harmless}</p>") == []


def test_nothing_planted_in_a_heading_is_listed(built):
    assert {"book", "planted", "other", "search"} <= built.keys()
    planted = {"planted(1)", "planted(2)"}
    for name, html in built.items():
        frame = re.sub("<article.*</article>", "", html, flags=re.DOTALL)
        assert inside(frame) >= planted, f"{name} does not show that headings go all over the pages"
        said = BeautifulSoup(html, "html.parser").select("meta[http-equiv]")[0]
        assert not [code for code in planted if sha(code) in said["content"]], name
        unlisted = [code for code in inside(html) if sha(code) not in said["content"]]
        assert [code for code in unlisted if "planted" not in code] == [], name


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


def test_the_policy_is_this_and_no_other():
    """Where a form may be sent and where links start follow no default-src."""
    assert policy.policy(["f()"]).split("; ") == [
        "default-src 'self'",
        f"script-src 'self' 'wasm-unsafe-eval' 'unsafe-hashes' {sha('f()')}",
        "style-src 'self' 'unsafe-inline'",
        "img-src 'self' data:",
        "connect-src 'self'",
        "worker-src 'self' blob:",
        "object-src 'none'",
        "base-uri 'self'",
        "form-action 'self'",
    ]


def test_without_a_character_set_there_is_no_place_for_the_policy():
    with pytest.raises(RuntimeError, match="character set"):
        policy.protect("<html></html>", [])


def test_the_speaker_view_is_read_as_javascript_reads_it():
    assert policy.speaker_view(r"write(`<script>f('\\n')<\/script>`)") == [r"f('\n')"]
