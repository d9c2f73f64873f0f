"""Pages lose what changes nothing, and load what they have a use for."""

import re
from types import SimpleNamespace

import pytest
from ldp_sphinx import MODULES, lean_pages
from pygments.formatters import HtmlFormatter


def test_plain_code_has_no_spans():
    quoted = '<span class="sa">f</span><span class="s2">&quot;</span> <span class="s2">y</span>'
    html = f'<pre><span class="n">x</span><span class="p">(</span>{quoted}</pre>'
    made = lean_pages.lean(f'<div class="highlight">{html}</div><span class="n">z</span>')
    code = "<pre>x(<span class=o>f&quot; y</span></pre>"
    assert made == f'<div class="highlight">{code}</div><span class="n">z</span>'


@pytest.mark.parametrize("style", ["a11y-high-contrast-light", "a11y-high-contrast-dark"])
def test_spans_keep_their_colour(style):
    rules = HtmlFormatter(style=style).get_style_defs(".highlight")
    (ground,) = re.findall(r"^\.highlight \{.*[ ;]color: (#\w+)", rules, re.MULTILINE)
    said = dict(re.findall(r"^\.highlight \.(\w+) \{ ([^}]*) \}", rules, re.MULTILINE))
    assert {said[name] for name in ("n", "nn", "p", "w")} == {f"color: {ground}"}
    assert all(said[kind] == said[other] for kind, other in lean_pages._COLOURS.items())


def test_only_tags_lose_their_indent():
    html = '<div>\n\n  <p data-code="a:\n  b">c\n  d</p>\n  <pre><b>\n\n  <i></i></b></pre> <b></b>\n</div>'
    left = '<div>\n<p data-code="a:\n  b">c\n  d</p>\n<pre><b>\n\n  <i></i></b></pre> <b></b>\n</div>'
    assert lean_pages.unindented(html) == left


def test_figure_has_its_size_and_waits():
    drawing = '<svg xmlns="x" width="309.6pt" height="160.5pt" viewBox="0 0 309.6 160.5">'
    made = lean_pages.sized('<img alt="A" src="f.svg">', drawing)
    assert made == '<img loading="lazy" width="413" height="214" alt="A" src="f.svg">'


def test_scripts_come_where_they_are_used():
    files = [SimpleNamespace(filename=f"_static/{name}?v=1") for name in ("map.js", "doctools.js")]
    assert lean_pages.wanted(files, "<p>") == files[1:]
    assert lean_pages.wanted(files, '<div class="chapter-map">') == files


def test_every_listed_file_is_there():
    """Look for the book's own files only; the others belong to the theme and its extensions."""
    theirs = r"chtml|clipboard|copybutton|design-tabs|togglebutton"
    ours = [name for name in lean_pages._FOR if not re.match(theirs, name)]
    assert all((MODULES.parent / "book" / "_static" / name).exists() for name in ours)


def test_scripts_of_a_feature_load_where_it_is():
    """Only what every page has a use for is loaded on every page."""
    modules = (MODULES.parent / "book" / "_ext" / "ldp_sphinx").glob("*.py")
    added = "".join(module.read_text(encoding="utf-8") for module in modules)
    scripts = set(re.findall(r'add_js_file\("([\w-]+\.js)"', added))
    assert scripts - set(lean_pages._FOR) == {"accessible.js", "menus.js", "search.js"}
