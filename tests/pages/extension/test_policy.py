"""The policy lists what the theme writes into a page, and nothing that comes from the text of the book.

The finished pages are read, so it does not matter how their source spells active content.
"""

import base64
import hashlib

import pytest
from ldp_sphinx import policy
from sphinx.util import logging
from toc import ROOT

PAGE = '<html><head><meta charset="utf-8" /><script>theme()</script></head><body>{}</body></html>'


def sha(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


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
        '<a href="\x01data:image/svg+xml,x">',  # it would run if opened as a page
        '<a xlink:href = "data:,x">',
        "<img src='data:image/svg,x'>",
        "<img src='data:image/gif;base64,eA=='>",
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
def test_scripts_of_a_finished_page_are_found(planted):
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
def test_inert_content_of_a_page_is_ignored(harmless):
    assert policy.running(f"<p>{harmless}</p>") == []


@pytest.fixture
def warned(tmp_path, monkeypatch):
    """Protect pages and drawings with these texts, and return the warnings of the build."""
    monkeypatch.setattr(policy, "available", lambda: True)

    def protect(**texts: str) -> list[str]:
        for name, text in {"_static/reveal/notes.js": "", **texts}.items():
            file = tmp_path / name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text, encoding="utf-8")
        with logging.pending_warnings() as pending:
            policy._protect_all(None, tmp_path)
            return [f"{record.location}: {record.args[0]}" for record in pending.clear()]

    return protect


def test_unexpected_script_in_page_or_drawing_warns(warned, tmp_path):
    listed = "window.print()"
    planted = f"<button onclick='{listed}'></button><script>f()</script><img alt='><1' onerror=g()>"
    drawing = "<svg><script>h()</script></svg>"
    told = warned(**{"a/b.html": PAGE.format(planted), "_images/c.svg": drawing, "lite/d.svg": drawing})
    assert told == ["a/b: theme()", "a/b: f()", "a/b: g()", "_images/c.svg: h()"]
    page = (tmp_path / "a" / "b.html").read_text(encoding="utf-8")
    assert sha(listed) in page
    assert not [code for code in ("theme()", "f()", "g()") if sha(code) in page]


def test_policy_comes_first_and_replaces_earlier_one():
    in_the_text = f'{policy._META} content="">'
    page = policy.protect(PAGE.format(in_the_text), ["g()"])
    order = [page.index(part) for part in ('charset="utf-8"', sha("g()"), "<script>", in_the_text)]
    assert order == sorted(order)
    assert policy.protect(policy.protect(PAGE, ["f()"]), ["g()"]) == policy.protect(PAGE, ["g()"])


def test_a_page_names_itself_in_a_script():
    assert "DOCUMENTATION_OPTIONS.pagename = 'book/a';" in policy.inline("book/a")


def test_python_gets_the_policy_of_its_page():
    """A worker from a blob inherits the policy; one from an address would have none."""
    started = (ROOT / "book" / "_static" / "python.js").read_text(encoding="utf-8")
    assert "new Worker(blob," in started


def test_the_policy_is_this_and_no_other():
    """Targets of forms and the base of links have entries of their own: default-src does not cover them."""
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


def test_page_without_charset_is_refused():
    with pytest.raises(RuntimeError, match="charset"):
        policy.protect("<html></html>", [])


def test_speaker_view_is_parsed_like_javascript():
    assert policy.speaker_view(r"write(`<script>f('\\n')<\/script>`)") == [r"f('\n')"]
