"""The policy lists what the theme writes into a page, and nothing that stands in the text of the book."""

import base64
import hashlib

import pytest
from ldp_sphinx import policy
from toc import ROOT

PAGE = """<html><head><meta charset="utf-8" /><script>theme()</script><script src="a.js"></script></head>
<body><button onclick="f(&quot;x&quot;)">b</button>
<article class="bd-article"><p onmouseover="smuggled()"></p><script>smuggled()</script></article>
</body></html>"""


def sha(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


def test_hashes_are_of_the_frame_only():
    assert policy.inline_scripts(PAGE) == ["theme()"]
    assert policy.handlers(PAGE) == {'f("x")'}
    page = policy.protect(PAGE, ['f("x")'])
    assert page.index('charset="utf-8"') < page.index("Content-Security-Policy") < page.index("<script>")
    assert sha("theme()") in page
    assert sha('f("x")') in page
    assert sha("smuggled()") not in page


def test_python_gets_the_policy_of_its_page():
    """A worker from a blob inherits it; one from an address would have none."""
    assert "worker-src 'self' blob:" in policy.policy([])
    started = (ROOT / "book" / "_static" / "python.js").read_text(encoding="utf-8")
    assert "new Worker(blob," in started


def test_what_the_default_does_not_cover_is_said():
    """Where a form may be sent and where links start follow no default-src."""
    said = policy.policy([]).split("; ")
    assert {"default-src 'self'", "form-action 'self'", "base-uri 'self'"} <= set(said)


def test_an_end_tag_in_the_text_does_not_end_the_text():
    smuggling = PAGE.replace("<p on", "</article><script>after()</script><p on")
    assert policy.inline_scripts(smuggling) == policy.inline_scripts(PAGE)


def test_a_page_of_slides_is_text_too():
    page = '<main class="reveal"><script>smuggled()</script></main><script>f()</script>'
    assert policy.inline_scripts(page) == ["f()"]


def test_without_a_character_set_there_is_no_place_for_the_policy():
    with pytest.raises(RuntimeError, match="character set"):
        policy.protect("<html></html>", [])


def test_the_speaker_view_is_read_as_javascript_reads_it():
    assert policy.speaker_view(r"write(`<script>f('\\n')<\/script>`)") == [r"f('\n')"]
