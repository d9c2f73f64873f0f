"""Problems on class ratios, with different numbers for every student."""

from collections.abc import Callable
from math import ceil, sqrt

import numpy as np

from ldpbook.class_ratios.bounds import laplace_counts_delta
from ldpbook.class_ratios.scaled_dirichlet import dirichlet_delta
from ldpcourse.problems.problem import Problem, drawn


def _adjusted(rng: np.random.Generator) -> Problem:
    f, t = round(float(rng.uniform(0.05, 0.3)), 2), round(float(rng.uniform(0.6, 0.95)), 2)
    truth = round(float(rng.uniform(0.1, 0.9)), 2)
    counted = round(f + (t - f) * truth, 3)
    return Problem(
        f"A classifier has a false positive rate of {f:.2f} and a true positive rate of {t:.2f}. It counts"
        f" a share of {counted:.3f}. What is the adjusted share?",
        (counted - f) / (t - f),
        explanation="On average the classifier counts f + (t - f) times the share, if its rates are those of"
        " the town where it is used. Solve for the share.",
    )


def _match(rng: np.random.Generator) -> Problem:
    """The weights do not add up to 1, and neither weights nor shares are close to a bound."""
    while True:
        first, second = (rng.integers(0, 10, 3) for _ in range(2))
        shares = np.array([drawn(rng, 0.05, 0.4), drawn(rng, 0.5, 0.95)])
        mixed = rng.uniform(0.1, 0.9) * first + rng.uniform(0.1, 0.9) * second
        town = np.round(mixed + rng.uniform(-1, 1, 3), 1)
        sets = np.array([first, second], dtype=float)
        gram = sets @ sets.T
        if np.linalg.det(gram) < 0.2 * np.trace(gram) ** 2 / 4 or town.min() < 0:
            continue
        weights = np.linalg.solve(gram, sets @ town)
        share = float(weights @ shares)
        if weights.min() > 0.1 and abs(weights.sum() - 1) > 0.05 and share < 0.95:
            break
    told = ["(" + ", ".join(f"{x:g}" for x in row) + ")" for row in (*sets, town)]
    return Problem(
        f"Two sets of people have the mean features {told[0]} and {told[1]}; their shares of the first of"
        f" two classes are {shares[0]:.2f} and {shares[1]:.2f}. An unlabelled set has the mean features"
        f" {told[2]}. Match the means with the linear kernel (the weights need not add up to 1). What is the"
        " estimated share of the first class, before any projection onto the simplex?",
        share,
        explanation="The weights are those of least squares, from the two-by-two system of inner products of"
        " the mean features, and need not add up to 1. The same weights then combine the known shares.",
    )


def _size(rng: np.random.Generator) -> Problem:
    low, high = drawn(rng, 0.1, 0.35), drawn(rng, 0.6, 0.9)
    town = round(high - float(rng.uniform(0.25, 0.75)) * (high - low), 2)
    traces = [drawn(rng, 0.2, 2), drawn(rng, 0.2, 2)]
    weight = (high - town) / (high - low)
    shares = np.array([[low, 1 - low], [high, 1 - high], [town, 1 - town]])
    mean_square = float(np.array([weight**2, (1 - weight) ** 2, 1]) @ shares @ traces)  # times n
    error = round(sqrt(mean_square / float(rng.uniform(100, 600))), 3)
    return Problem(
        f"Two sets have the shares {low:.2f} and {high:.2f} of the first of two classes, and an unlabelled"
        f" set has {town:.2f}; all three have the same size. The covariance of soft labels has the trace"
        f" {traces[0]:.2f} within the first class and {traces[1]:.2f} within the second. What is the smallest"
        " size for which the root mean square error of the matched proportions (the distance of both from"
        f" the truth) is at most {error:.3f}, to first order and given the labels?",
        ceil(mean_square / error**2),
        explanation="The weights of the sets follow from the shares and enter with their squares. The"
        " unlabelled set adds its own sampling error. The mean square is divided by the size, so halving the"
        " error takes four times the size.",
    )


def _purity(rng: np.random.Generator) -> Problem:
    other, size, noise = drawn(rng, 0.05, 0.25), 50 * int(rng.integers(3, 11)), int(rng.integers(5, 21))
    first, second = drawn(rng, 0.05, 0.45), drawn(rng, 0.05, 0.45)
    town = np.array([first, second, round(1 - first - second, 2)])
    weights = (town - other) / (1 - 3 * other)
    return Problem(
        f"Three sets of {size} labels each, one for each of three classes: a set has the share"
        f" {1 - 2 * other:.2f} of its own class and {other:.2f} of each of the two others. Its three counts"
        f" are published with independent Gaussian noise of standard deviation {noise} on each, divided by"
        f" {size}. An unlabelled set has the shares {', '.join(f'{s:.2f}' for s in town)}, and the sets are"
        " weighted so that their true proportions match these exactly. What standard deviation does the noise"
        " give to the estimated share of one class, before any projection?",
        noise / size * sqrt(float(weights @ weights)),
        explanation="The estimate is the weighted sum of published proportions, so variances of independent"
        " noise add up with squared weights. The weights (rho - r)/(1 - 3r) grow as the sets become less"
        " pure, unless the unlabelled shares are equal.",
    )


def _dirichlet(rng: np.random.Generator) -> Problem:
    """Epsilon is about the loss's standard deviation, so the key is neither 0 nor the total variation."""
    counts = [int(k) for k in rng.integers(20, 300, 3)]
    first, second = sorted(counts)[:2]
    scale = round(float(rng.uniform(0.1, 2)), 1)
    deviation = (scale * (1 / first + 1 / second)) ** 0.5
    epsilon = max(round(float(rng.uniform(0.3, 1.2)) * deviation, 2), 0.01)
    return Problem(
        f"Counts {counts[0]}, {counts[1]}, {counts[2]} are released by the scaled Dirichlet mechanism with"
        f" sigma {scale:.1f}. A neighbour has one label moved to another class. Find the tight delta at"
        f" epsilon {epsilon:.2f} of outputs under these counts against outputs under a neighbour, in this"
        " direction only: the largest over all neighbours.",
        dirichlet_delta(counts, scale=scale, epsilon=epsilon, method="tight"),
        tolerance=0.05,
        explanation="Only the two classes of the moved label matter, through their relative share, which has"
        " a beta distribution. The tight delta subtracts e to the epsilon times the neighbour's probability,"
        " and it is largest for the two smallest classes.",
    )


def _counts(rng: np.random.Generator) -> Problem:
    scale, epsilon = int(rng.integers(4, 15)), round(float(rng.uniform(0.02, 0.1)), 2)
    return Problem(
        f"Independent Laplace noise of scale {scale} is added to each count of a set. Find the smallest delta"
        f" at epsilon {epsilon:.2f} for one label moved from one class to another.",
        laplace_counts_delta(scale=scale, epsilon=epsilon),
        explanation="A moved label changes two counts by 1 each, so the loss is the sum of two independent"
        " losses, at most 2/b for noise of scale b. Delta is the mean of max(0, 1 - e^(epsilon - loss)), and"
        " 0 from epsilon 2/b on.",
    )


def _hospitals(rng: np.random.Generator) -> Problem:
    sizes = [10 * int(k) for k in rng.integers(10, 60, 2)]
    shares, scale = [drawn(rng, 0.05, 0.4), drawn(rng, 0.45, 0.9)], drawn(rng, 0.02, 0.3)
    weight = drawn(rng, 1.1, 1.9)
    parts = [
        alpha**2 * 2 * rho * (1 - rho) / (scale * size + 1)
        for alpha, rho, size in zip((weight, 1 - weight), shares, sizes, strict=True)
    ]
    return Problem(
        f"Two hospitals have {sizes[0]} and {sizes[1]} labels of two classes, with the shares {shares[0]:.2f}"
        f" and {shares[1]:.2f} of the first, and release their proportions by the scaled Dirichlet mechanism"
        f" with the public sigma {scale:.2f}. A region is matched with the weights {weight:.2f} and"
        f" {1 - weight:.2f}. What is the root mean square distance by which label noise moves the region's"
        " two estimated shares, before any projection?",
        sqrt(sum(parts)),
        explanation="Label noise enters linearly through the published proportions and has mean 0, so"
        " variances add up with squared weights, those of both classes. A released share has the variance"
        " rho(1 - rho)/(sigma m + 1).",
    )


PROBLEMS: dict[str, Callable[[np.random.Generator], Problem]] = {
    "adjusted": _adjusted,
    "match": _match,
    "size": _size,
    "purity": _purity,
    "dirichlet": _dirichlet,
    "counts": _counts,
    "hospitals": _hospitals,
}
