"""The exact test of which answers a double excludes, against small numbers that can be listed."""

import numpy as np
import pytest
from hypothesis import given, strategies as st

from ldpbook import LaplacePerturbation
from ldpbook.practice import preimage

finite = st.floats(allow_nan=False, allow_infinity=False)


@given(finite, finite)
def test_sum_is_in_image_of_its_noise(answer, noise):
    output = answer + noise
    if np.isfinite(output):
        least, largest = preimage(lambda z: answer + z, output)
        assert least <= noise <= largest
        assert answer + least == output or np.isinf(least)
        assert answer + largest == output or np.isinf(largest)


@given(st.floats(-20, 20), st.floats(-20, 20))
def test_three_doubles_near_the_difference_decide(answer, output):
    near = output - answer
    beside = [np.nextafter(near, -np.inf), near, np.nextafter(near, np.inf)]
    least, largest = preimage(lambda z: answer + z, output)
    assert (least <= largest) == any(answer + z == output for z in beside)


def test_half_precision_agrees_with_exhaustive_search():
    """Try all 63,488 finite numbers of 16 bits as noise."""
    noise = np.arange(2**16, dtype=np.uint16).view(np.float16)
    noise = noise[np.isfinite(noise)]
    with np.errstate(over="ignore"):
        for answer in (np.float16(0.0), np.float16(5.0), np.float16(0.3)):
            reached = np.unique((answer + noise).astype(float))

            def rounded(z, answer=answer):
                return (answer + z.astype(np.float16)).astype(float)

            wanted = np.unique(noise.astype(float))[::7]
            least, largest = preimage(rounded, wanted)
            assert ((least <= largest) == np.isin(wanted, reached)).all()


def test_ends_are_exact():
    least, largest = preimage(lambda z: np.rint(z), [-1.0, 0.0, 2.0, 0.5])
    assert least[:3].tolist() == [np.nextafter(-1.5, 0), -0.5, np.nextafter(1.5, 2) - 2**-52]
    assert np.rint(largest[0]) == -1.0
    assert largest[0] == np.nextafter(-0.5, -1)
    assert largest[1] == 0.5
    assert largest[2] == 2.5
    assert least[3] > largest[3]


def test_beyond_the_doubles_the_ends_are_infinite():
    least, largest = preimage(lambda z: np.clip(z, -1.0, 1.0), [-1.0, 1.0, 2.0, -2.0])
    assert least.tolist()[:3] == [-np.finfo(float).max, 1.0, np.inf]
    assert largest[0] == -1.0
    assert largest[1] == np.finfo(float).max
    assert largest[2] == np.finfo(float).max
    assert largest[3] == -np.inf
    assert (least > largest).tolist() == [False, False, True, True]


def test_signs_of_zero_are_one_number():
    least, largest = preimage(lambda z: z, [0.0, -0.0])
    assert least.tolist() == largest.tolist() == [0.0, 0.0]


def test_laplace_noise_rules_out_only_other_answers():
    lp = LaplacePerturbation(1.0, range(10))
    out = lp.perturb(np.zeros((20_000, 1)), 1)
    for other, share in ((0.0, 0.0), (1.0, 0.1465), (9.0, 0.38)):
        least, largest = preimage(lambda unit, other=other: other + lp.scale * unit, out)
        assert abs((least > largest).mean() - share) <= 5 * (0.24 / 20_000) ** 0.5 * (other > 0)


@pytest.mark.parametrize(
    ("function", "output", "error", "name"),
    [
        (None, [1.0], TypeError, "function"),
        (len, [1.0], ValueError, "function"),
        (lambda z: "x", [1.0], ValueError, "function"),
        (lambda z: z * np.nan, [1.0], ValueError, "function"),
        (lambda z: z[:1], [1.0, 2.0], ValueError, "function"),
        (lambda z: z, [np.nan], ValueError, "output"),
        (lambda z: z, [np.inf], ValueError, "output"),
        (lambda z: z, ["a"], ValueError, "output"),
        (lambda z: z, [1j], TypeError, "output"),
    ],
)
def test_bad_input_is_named(function, output, error, name):
    with pytest.raises(error, match=name):
        preimage(function, output)


def laplace_of(number):
    """The noise that numpy's generator makes from one number, a multiple of 2^-53 given as random bits."""
    bits = np.random.SFC64(0)  # its next word is the sum of three words of its state
    words = np.array([number << 11, 0, 0, 0], dtype=np.uint64)
    bits.state = bits.state | {"state": {"state": words}}
    return np.random.Generator(bits).laplace()


def test_laplace_noise_of_generator_is_asymmetric():
    """The chapter's table counts each side by these arguments of the logarithm, in units of 2^-53."""
    scale = 1 / 0.35
    assert round(scale * laplace_of(1), 3) == -102.982
    assert round(scale * laplace_of(2**53 - 1), 3) == 104.962
    for argument, j in zip((1, 4, 7, 8, 9, 12, 15, 16, 17), range(1, 10), strict=True):
        assert laplace_of(j) == np.log(2 * j / 2**53)
        assert laplace_of(2**53 - j) == -np.log(argument / 2**53)
