"""Pages lose what changes nothing, and load what they have a use for."""

import re
from types import SimpleNamespace

import pytest
from ldp_sphinx import MODULES, lean_pages, typeset
from pygments.formatters import HtmlFormatter


def test_plain_code_has_no_spans():
    quoted = '<span class="s2">&quot;</span><span class="s2">y</span>'
    html = f'<pre><span class="n">x</span><span class="p">(</span>{quoted}</pre>'
    made = lean_pages.lean(f'<div class="highlight">{html}</div><span class="n">z</span>')
    code = '<pre>x(<span class="s2">&quot;y</span></pre>'
    assert made == f'<div class="highlight">{code}</div><span class="n">z</span>'


def test_plain_spans_have_the_colour_of_code():
    for style in ("a11y-high-contrast-light", "a11y-high-contrast-dark"):
        rules = HtmlFormatter(style=style).get_style_defs(".highlight")
        (ground,) = re.findall(r"^\.highlight \{.*[ ;]color: (#\w+)", rules, re.MULTILINE)
        for name in ("n", "p", "w"):
            assert re.findall(rf"^\.highlight \.{name} {{ color: (#\w+) }}", rules, re.MULTILINE) == [ground]


def test_formula_keeps_its_words():
    formula = (
        '<mjx-container class="MathJax" jax="CHTML" display="true" style="position: relative;">'
        '<mjx-math class=" MJX-TEX" aria-hidden="true"><mjx-mi class="mjx-i" space="4">'
        '<mjx-c class="mjx-c1D456 TEX-I"></mjx-c></mjx-mi></mjx-math><mjx-assistive-mml unselectable="on">'
        '<math xmlns="http://www.w3.org/1998/Math/MathML"><mo data-mjx-texclass="NONE">x</mo></math>'
        "</mjx-assistive-mml></mjx-container>"
    )
    assert lean_pages.lean(formula) == (
        '<mjx-container jax="CHTML" display="true"><mjx-math class=" MJX-TEX" aria-hidden="true">'
        '<mjx-c space="4" class="mjx-c1D456 TEX-I"></mjx-c></mjx-math>'
        "<mjx-assistive-mml><math><mo>x</mo></math></mjx-assistive-mml></mjx-container>"
    )


def test_figure_has_its_size_and_waits():
    drawing = '<svg xmlns="x" width="309.6pt" height="160.5pt" viewBox="0 0 309.6 160.5">'
    made = lean_pages.sized('<img alt="A" src="f.svg">', drawing)
    assert made == '<img loading="lazy" width="413" height="214" alt="A" src="f.svg">'


def test_scripts_come_where_they_are_used():
    files = [SimpleNamespace(filename=f"_static/{name}?v=1") for name in ("map.js", "doctools.js")]
    assert lean_pages.wanted(files, "<p>") == files[1:]
    assert lean_pages.wanted(files, '<div class="chapter-map">') == files


def test_every_listed_file_is_there():
    static = MODULES.parent / "book" / "_static"
    assert all((static / name).exists() for name in lean_pages._FOR if name != "chtml.css")


def test_scripts_of_a_feature_load_where_it_is():
    """Only what every page has a use for is loaded on every page."""
    modules = (MODULES.parent / "book" / "_ext" / "ldp_sphinx").glob("*.py")
    added = "".join(module.read_text(encoding="utf-8") for module in modules)
    scripts = set(re.findall(r'add_js_file\("([\w-]+\.js)"', added))
    assert scripts - set(lean_pages._FOR) == {"accessible.js", "search.js"}


@pytest.mark.skipif(not typeset.available(), reason="no node with MathJax: npm ci")
def test_classes_that_go_have_no_rules():
    style = typeset._ask(typeset.TYPESETTER, form="css")
    assert not re.findall(r"\.(?:MathJax|mjx-[a-z]{1,2})\b", style)


def test_styled_boxes_of_letters_stay():
    letter = '<mjx-c class="mjx-c2211 TEX-S2"></mjx-c>'
    for style in ('class="mjx-lop"', 'style="width: 0px"'):
        box = f"<mjx-mo {style}>{letter}</mjx-mo>"
        assert lean_pages.formula(box) == box
    assert lean_pages.formula(f"<mjx-mo>{letter}</mjx-mo>") == letter
