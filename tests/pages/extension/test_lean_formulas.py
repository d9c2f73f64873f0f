"""Formulas in fewer letters say and draw the same."""

import re

import pytest
from ldp_sphinx import lean_formulas, typeset

LETTER = '<mjx-c class="mjx-c2211 TEX-S2"></mjx-c>'


def test_formula_keeps_its_words():
    formula = (
        '<mjx-container class="MathJax" jax="CHTML" display="true" style="position: relative;">'
        '<mjx-math class=" MJX-TEX" aria-hidden="true"><mjx-mi class="mjx-i" space="4">'
        '<mjx-c class="mjx-c1D456 TEX-I"></mjx-c></mjx-mi></mjx-math>'
        '<mjx-assistive-mml unselectable="on" display="block">'
        '<math xmlns="http://www.w3.org/1998/Math/MathML" display="block">'
        '<mo data-mjx-texclass="NONE" stretchy="false">x</mo></math></mjx-assistive-mml></mjx-container>'
    )
    assert lean_formulas.markup(formula) == (
        "<mjx-container display=true><mjx-math aria-hidden=true><m-c space=4 class=I-i></m-c></mjx-math>"
        '<mjx-mml display="block"><math display="block"><mo>x</mo></math></mjx-mml></mjx-container>'
    )


def test_styled_boxes_of_letters_stay():
    letter = "<m-c class=S2-2211></m-c>"
    for style, left in (('class="mjx-lop"', "class=mjx-lop"), ('style="width: 0px"', 'style="width: 0px"')):
        made = lean_formulas.markup(f"<mjx-mo {style}>{LETTER}</mjx-mo>")
        assert made == f"<mjx-mo {left}>{letter}</mjx-mo>"
    assert lean_formulas.markup(f"<mjx-mo>{LETTER}</mjx-mo>") == letter


needs_mathjax = pytest.mark.skipif(not typeset.available(), reason="no node with MathJax: npm ci")


@needs_mathjax
def test_classes_that_go_have_no_rules():
    style = typeset._ask(typeset.TYPESETTER, form="css")
    assert not re.findall(r"\.(?:MathJax|mjx-cal|mjx-[a-z]{1,2})\b", style)


@needs_mathjax
def test_each_letter_has_a_rule():
    made = typeset.typeset(
        r"\epsilon_i \le \frac{h}{\mathcal{L}} \mathbf{x} \sum \mathbb{R} (", False, "chtml"
    )
    style = lean_formulas.sheet(typeset._ask(typeset.TYPESETTER, form="css"))
    letters = re.findall(r"<m-c [^>]*class=([\w-]+)", made)
    assert len(letters) > 8
    for letter in letters:
        assert f"m-c.{letter}::before {{" in style
        font, _, code = letter.rpartition("-")
        assert f"[class|={font}] {{" in style if font else re.fullmatch(r"c[0-9A-F]+", code)


@needs_mathjax
def test_small_fractions_keep_their_distance():
    style = lean_formulas.sheet(typeset._ask(typeset.TYPESETTER, form="css"))
    for part in ("mjx-num", "mjx-dbox > mjx-dtable > mjx-row > mjx-den"):
        assert f'mjx-frac:not([type], [atop]) > {part}::before {{\n  content: "";' in style
    assert "strut" not in typeset.typeset(r"\frac{1}{2}", False, "chtml")
    assert "<mjx-nstrut type=d>" in typeset.typeset(r"\frac{1}{2}", True, "chtml")


@needs_mathjax
def test_powers_and_indices_have_their_places():
    """The style sheet has each place that the markup leaves out; MathJax writes every other place itself."""
    style = lean_formulas.sheet(typeset._ask(typeset.TYPESETTER, form="css"))
    for tex, left, rule in (
        ("x_i", "<m-s>", "m-s {\n  vertical-align: -0.15em;"),
        ("x^2", "<m-s class=up>", "m-s.up {\n  vertical-align: 0.363em;"),
        (r"\sqrt{x^2}", "<m-s class=up-less>", "m-s.up-less {\n  vertical-align: 0.289em;"),
        ("x_i^2", '<m-s style="vertical-align:', ""),
    ):
        assert left in typeset.typeset(tex, False, "chtml")
        assert rule in style
