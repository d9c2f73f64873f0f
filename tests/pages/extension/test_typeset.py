"""Formulas as MathJax sets them when pages are written, also by several writers at once."""

import contextlib
import multiprocessing
import re
import sys

import pytest
from ldp_sphinx import typeset

needs_node = pytest.mark.skipif(not typeset.available(), reason="needs Node with MathJax: npm ci")


@pytest.mark.parametrize(
    ("variant", "letter", "expected"),
    [
        ("double-struck", "E", "\N{MATHEMATICAL DOUBLE-STRUCK CAPITAL E}"),
        ("double-struck", "R", "\N{DOUBLE-STRUCK CAPITAL R}"),  # a letter older than its alphabet
        ("script", "M", "\N{SCRIPT CAPITAL M}"),
        ("script", "N", "\N{MATHEMATICAL SCRIPT CAPITAL N}"),
        ("bold", "x", "\N{MATHEMATICAL BOLD SMALL X}"),
    ],
)
def test_letters_of_a_style_are_characters(variant, letter, expected):
    match = re.fullmatch(
        r' mathvariant="(double-struck|script|bold)">(\w)<', f' mathvariant="{variant}">{letter}<'
    )
    assert typeset._letter(match) == f">{expected}<"


@needs_node
def test_formula_in_both_forms():
    assert "mjx-container" in typeset.typeset("x^2", False, "chtml")
    assert "<msup>" in typeset.typeset("x^2", False, "mathml")
    with pytest.raises(ValueError, match=r"cannot read '\\\\nothing'"):
        typeset.typeset(r"\nothing", False, "mathml")


@needs_node
@pytest.mark.parametrize(
    ("tex", "said"),
    [
        (r"\epsilon \le N + n", "epsilon less than or equals upper N plus n"),
        (r"e^{\epsilon} q", "e Superscript epsilon Baseline q"),
        (r"|\Gamma| + 1", "StartAbsoluteValue upper Gamma EndAbsoluteValue plus 1"),
        (r"\Pr[a \mid z]", "probability left bracket a vertical bar z right bracket"),
        (r"\mathbb R^d", "double struck upper R Superscript d"),
        (r"x^\top y", "x Superscript transpose Baseline y"),
        (
            r"\begin{split}\begin{aligned}a&=b\\&=c\end{aligned}\end{split}",
            "StartLayout 1st Row 1st Column a 2nd Column equals b"
            " 2nd Row 1st Column Blank 2nd Column equals c EndLayout",
        ),
    ],
)
def test_formula_in_words(tex, said):
    """Plain formulas, and those changed before or after the speech engine; it covers all others itself."""
    assert typeset.words(typeset.typeset(tex, False, "mathml")) == said


def _write(first: int, wrong: multiprocessing.SimpleQueue) -> None:
    wrong.put(
        [n for n in range(first, first + 100) if f">{n}<" not in typeset.typeset(f"{n}", False, "mathml")]
    )


@needs_node
def test_forked_writers_get_their_own_formulas():
    """Do as Sphinx does: the parent writes a page, then forks writers."""
    typeset.typeset("x", False, "mathml")
    fork = multiprocessing.get_context("fork")
    wrong = fork.SimpleQueue()
    writers = [fork.Process(target=_write, args=(first, wrong)) for first in (1000, 2000, 3000)]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join(timeout=60)
        assert writer.exitcode == 0
    assert [wrong.get() for _ in writers] == [[], [], []]


def test_crash_names_the_request():
    program = "import sys; sys.stdin.readline(); sys.exit('no such font')"
    with (
        contextlib.closing(typeset.Helper(sys.executable, "-c", program)) as crashing,
        pytest.raises(RuntimeError, match=r"status 1 on .*'tex': 'x'.*\nno such font"),
    ):
        crashing.ask(tex="x", display=False, form="chtml")


def test_a_reply_to_another_request_is_refused():
    program = 'input(); print(\'{"id": -1, "made": "y"}\')'
    with (
        contextlib.closing(typeset.Helper(sys.executable, "-c", program)) as confused,
        pytest.raises(RuntimeError, match="replied to request -1"),
    ):
        confused.ask(tex="x", display=False, form="chtml")
