"""Residuals: their distribution under label shift, and which changes they detect."""

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from ldpbook.class_ratios import label_shift_test, random_fourier_features
from ldpbook.class_ratios.shift_test import _upper_tail

KNOWN = np.array([[0.8, 0.2], [0.3, 0.7]])


def features(points):
    return random_fourier_features(points, 1.0, 40, rng=0)


def normals(counts, rng, centres=(0.0, 2.0)):
    """Two classes on a line."""
    return np.concatenate([rng.normal(c, 1, (int(n), 1)) for n, c in zip(counts, centres, strict=True)])


def p_value(rng, n=300, town=(100, 200), centres=(0.0, 2.0)):
    sets = [features(normals(row * n, rng)) for row in KNOWN]
    return label_shift_test(sets, KNOWN, features(normals(town, rng, centres))).p_value


@pytest.mark.parametrize("level", [0.05, 0.2, 0.5])
def test_shift_test_has_its_stated_level(level):
    rng = np.random.default_rng(1)
    rejected = np.mean([p_value(rng) < level for _ in range(500)])
    assert abs(rejected - level) < 4 * np.sqrt(level * (1 - level) / 500)


def test_shift_test_detects_a_shifted_class():
    rng = np.random.default_rng(2)
    assert np.mean([p_value(rng, centres=(0.0, 3.0)) < 0.05 for _ in range(50)]) > 0.9


def test_shift_test_misses_confused_classes():
    """A town whose classes are mixtures of the known ones looks like a town with other ratios."""
    rng = np.random.default_rng(3)
    rejected = np.mean([p_value(rng, town=(100 + 60, 200 - 60)) < 0.05 for _ in range(500)])
    assert abs(rejected - 0.05) < 4 * np.sqrt(0.05 * 0.95 / 500)


@pytest.mark.parametrize("weights", [[1.0], [1.0] * 7, [5.0, 1.0, 0.2], 0.7 ** np.arange(30)])
def test_three_moments_are_enough(weights):
    """Simulated sum of weighted squares: exact for equal weights, else within 0.006, at the median 0.02."""
    squares = np.random.default_rng(4).standard_normal((200_000, len(weights))) ** 2 @ weights
    sums = [np.sum(np.power(weights, k)) for k in (1, 2, 3)]
    for level in (0.5, 0.1, 0.05, 0.01):
        at = np.quantile(squares, 1 - level)
        error = np.sqrt(level * (1 - level) / 200_000)
        loose = 0 if len(set(weights)) == 1 else 0.006 if level < 0.5 else 0.02
        assert abs(_upper_tail(at, *sums) - level) < 4 * error + loose


def test_expected_residual():
    rng, found = np.random.default_rng(5), []
    for _ in range(400):
        sets = [features(normals(row * 1000, rng)) for row in KNOWN]
        test = label_shift_test(sets, KNOWN, features(normals([400, 600], rng)))
        found.append((test.residual, test.expected))
    residual, expected = np.array(found).T
    assert abs(residual.mean() - expected.mean()) < 4 * residual.std() / 20 + 0.02 * expected.mean()


@settings(max_examples=30, deadline=None)
@given(st.floats(-60, 50).map(lambda x: 10.0**x))
def test_units_do_not_matter(unit):
    rng = np.random.default_rng(6)
    sets = [features(normals(row * 100, rng)) for row in KNOWN]
    town = features(normals([40, 60], rng))
    plain = label_shift_test(sets, KNOWN, town)
    scaled = label_shift_test([x * unit for x in sets], KNOWN, town * unit)
    assert scaled.p_value == pytest.approx(plain.p_value, rel=1e-6)
    assert scaled.residual == pytest.approx(plain.residual * unit**2, rel=1e-6)


def test_too_few_features():
    rng = np.random.default_rng(7)
    sets = [np.hstack([normals(row * 100, rng), np.ones((100, 1))]) for row in KNOWN]
    with pytest.raises(ValueError, match=r"^sets must have more features than the 2 classes, got 2"):
        label_shift_test(sets, KNOWN, sets[0])


def test_mixtures_leave_no_residual():
    """Features that are always a mixture of the classes' means leave no residual."""
    sets = [np.repeat([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]], row, axis=0) for row in ([80, 20], [30, 70])]
    assert label_shift_test(sets, KNOWN, sets[0]).p_value == 1.0
    strange = np.repeat([[1.0, 0.0, 0.0], [0.0, 0.0, 1.0]], [99, 1], axis=0)
    assert label_shift_test(sets, KNOWN, strange).residual > 0
