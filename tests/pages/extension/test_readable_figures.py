"""Figures whose letters would be too small on a phone keep a minimal width."""

import pytest
from ldp_sphinx.readable_figures import SMALLEST, least_width


def drawn(size: float, width: float = 400) -> str:
    letters = f'<g transform="translate(1 2) scale({size / 100} {-size / 100})"/>'
    turned = '<g transform="translate(1 2) rotate(-90) scale(0.2 -0.2)"/>'
    return f'<svg viewBox="0 0 {width} 300">{turned}{letters}</svg>'


@pytest.mark.parametrize("size", [7, 8, 11])
def test_smallest_width_gives_smallest_letters(size):
    width = least_width(drawn(size))
    assert size * width / 400 == pytest.approx(SMALLEST)


def test_rotated_letters_count():
    assert least_width(drawn(30)) == pytest.approx(SMALLEST * 400 / 20)


def test_a_drawing_without_letters_may_have_any_width():
    assert least_width('<svg viewBox="0 0 400 300"></svg>') == 0
