"""Exams: minutes and points add up, no sheet reveals a key, and a number supports every verdict."""

import itertools
import math
import re

import numpy as np
import pytest
from scipy.stats import beta, binom, norm, rice

from ldpbook.categorical_answers import (
    k_ary_variance,
    one_layer_epsilon,
    two_layer_epsilon,
    two_layer_worker_epsilon,
    unary_variance,
    vote_error,
    vote_error_bound_corrected,
)
from ldpbook.class_ratios import composed_epsilon, counted_share, project_to_simplex
from ldpbook.foundations import discrete_epsilon, gaussian_delta, gaussian_epsilon, infer_truth
from ldpbook.localization import effective_size, location_epsilon
from ldpbook.remedies import ThresholdResponse, best_information, careful_log_odds, released_information
from ldpbook.sparse_answers import RandomizedResponse
from ldpcourse.problems import PROBLEMS, WEEKS, variant
from ldpcourse.teaching import exams
from ldpcourse.teaching._statements import STATEMENTS, TOPICS, VERDICTS
from ldpcourse.teaching.paths import PATHS

SECRET = "correct horse battery staple"
STUDENT = {"student": "ada"}


def losses(first, second):
    return np.abs(np.log(np.asarray(first) / np.asarray(second))).max()


def rr(k, epsilon):
    matrix = np.ones((k, k)) + (math.exp(epsilon) - 1) * np.eye(k)
    return matrix / matrix[0].sum()


def product_law(*laws):
    """Joint distribution of independent outputs, as a vector."""
    law = np.ones(1)
    for other in laws:
        law = np.outer(law, other).ravel()
    return law


def exact_sum():
    """Symmetric losses add up; losses that are largest in opposite directions do not."""
    skew = np.array([[0.9, 0.1], [0.5, 0.5]])  # largest loss from the second to the first, ln 5
    turned = skew[::-1]
    apart = losses(product_law(skew[0], turned[0]), product_law(skew[1], turned[1]))
    alike = losses(product_law(*rr(2, 1.0)[[0, 0]]), product_law(*rr(2, 1.0)[[1, 1]]))
    return apart < 2 * losses(*skew) - 0.1 and math.isclose(alike, 2.0)


def own_mean_fill():
    """By the distance of the filled rows: one answer, changed from one end to the other.

    Three tasks are enough on every domain, with noise of scale (number of possible answers)/epsilon; two
    are not.
    """

    def factor(n_tasks, size):
        """Exact epsilon divided by the parameter."""
        return np.abs(np.full(n_tasks, 0.0) - np.full(n_tasks, size - 1)).sum() / size

    return factor(10, 10) == 10 * factor(1, 10) and factor(2, 2) == 1 < min(factor(3, s) for s in (2, 3, 99))


def mf_loss(answers, others, output, scale):
    """Epsilon for rank 1 and profile 1 for every task."""

    def log_density(a):
        return math.log(len(a) / (2 * scale)) - abs(sum(a) - len(a) * output) / scale

    return log_density(answers) - log_density(others)


def mf_fill():
    """The largest loss between filled NULL and an answer, next to one common answer."""

    def largest(fill, size, epsilon):
        scale = size / epsilon
        return max(abs(mf_loss([5.0, fill], [5.0, a], z, scale)) for a in range(size) for z in (-1e3, 1e3))

    return largest(4, 10, 1.0) <= 1.0 and largest(-20, 10, 1.0) > 2.5


def shared_coin():
    few, many = two_layer_epsilon(0.1, 0.5, 2, 1), two_layer_epsilon(0.1, 0.5, 2, 3000)
    return round(few, 3) == 0.847 and abs(many - math.log(9)) < 0.01 and round(math.log(9), 3) == 2.197


def two_layer_ceiling():
    ends = [(a, b) for a, b in itertools.product((0.01, 0.1, 0.3, 0.45), (0.05, 0.2, 0.4, 0.49)) if a < b]
    return all(two_layer_epsilon(a, b, 2, k) < math.log((1 - a) / a) for a, b in ends for k in (1, 2, 9, 99))


def worker_by_cells():
    ends = [(0.0, 0.49), (0.1, 0.3), (0.4, 0.49)]
    return all(
        two_layer_worker_epsilon(a, b, 2, k) < k * one_layer_epsilon((a + b) / 2, 2) - 1e-6
        for a, b in ends
        for k in (2, 3, 20)
    )


def root_r():
    """Compare epsilon on a grid of noises and deltas, also by the printed formula."""
    cases = [(s, d) for s, d in itertools.product((2, 5, 20, 100), (1e-2, 1e-5, 1e-9))]
    exact = all(
        gaussian_epsilon(sigma=s, distance=10, delta=d) > 10 * gaussian_epsilon(sigma=s, distance=1, delta=d)
        for s, d in cases
        if d < gaussian_delta(sigma=s, distance=1, epsilon=0)
    )
    return exact and all(
        location_epsilon(sigma=s, distance=10, delta=d) > 10 * location_epsilon(sigma=s, distance=1, delta=d)
        for s, d in cases
    )


def decrypted_result():
    """The source's update reveals one number and with it two weights; sum-product reveals all of them."""
    places, weights = np.array([1.0, 4.0, 9.0]), np.array([0.5, 0.3, 0.2])
    misfits = (np.abs(places[:, None] - places - 2) - 3) ** 2 / 8  # his particles and hers, both known to him
    news = (np.log(weights) - misfits).sum(axis=1) + misfits.sum(axis=1)
    two = np.array([0.7, 0.3])
    found = np.sort(np.roots([1, -1, math.exp(np.log(two).sum())]))[::-1]  # w(1 - w) is their product
    kernel = np.exp(-misfits)
    return (
        np.allclose(news, np.log(weights).sum())
        and np.allclose(found, two)
        and np.allclose(np.linalg.solve(kernel, kernel @ weights), weights)
    )


def encrypted_product():
    """With a small key no three coefficients work for all plaintexts."""
    n = 15
    return not any(
        all((c + a * p + b * q - p * q) % n == 0 for p in range(n) for q in range(n))
        for c, a, b in itertools.product(range(n), repeat=3)
    )


def twice_for_less():
    return all(composed_epsilon(epsilon=e, n_releases=2, delta=0.1) < 2 * e for e in (0.01, 0.1, 1, 5, 20))


def two_over_epsilon():
    """The largest loss of two counts that change by 1 each, in opposite directions."""
    x = np.linspace(-40, 40, 801)
    one = np.abs(np.abs(x) - np.abs(x - 1)).max()
    return math.isclose(2 * one / (2 / 0.7), 0.7)


def gauss_pure():
    return all(gaussian_delta(sigma=50.0, distance=1.0, epsilon=e) > 0 for e in (0.01, 0.1, 0.3))


def loss_is_delta():
    """For a Gaussian loss, the probability above epsilon is the first term of the curve."""
    rho = 1 / 8
    return all(
        gaussian_delta(sigma=2.0, distance=1.0, epsilon=e) < norm(rho, math.sqrt(2 * rho)).sf(e)
        for e in (0.0, 0.1, 0.5, 1.0, 2.0)
    )


def adaptive_thresholds():
    """All transcripts of two cells; the report on the first decides how the second is asked."""
    matrix = ThresholdResponse(1.0).transition_matrix
    changed = losses(  # the first cell's content changes its report, then the other's distribution
        *(np.concatenate([matrix[x][y] * matrix[y % 3] for y in range(3)]) for x in (0, 2))
    )
    return math.isclose(changed, 1.0)


def rr_best():
    p, slope = [0.15, 0.15, 0.7], [-0.1, 0.1, 0.0]
    whole = released_information(p, slope, rr(3, 0.5))
    return best_information(p, slope, epsilon=0.5).information > 1.05 * float(whole)


def rounded_place():
    """Two places a centimetre apart, on both sides of a border of squares of 10 m."""
    places = (9.995, 10.005)
    centres = [10 * math.floor(x / 10) + 5 for x in places]
    loss, promised = abs(centres[0] - centres[1]), abs(places[0] - places[1])  # times epsilon
    return loss > 100 * promised and loss <= promised + 10 * math.sqrt(2)


def mirrored():
    table = np.random.default_rng(0).integers(0, 10, (9, 6)).astype(float)
    table[0, 1:] = np.nan
    plain, turned = infer_truth(table), infer_truth(-table)
    return np.allclose(plain.truth, -turned.truth) and np.allclose(plain.quality, turned.quality)


def inverse_deviations():
    def variance(first, second):
        return (first**2 + 4 * second**2) / (first + second) ** 2

    return math.isclose(variance(1, 1 / 4), 4 / 5) and math.isclose(variance(1, 1 / 2), 8 / 9)


def only_answer():
    table = np.random.default_rng(1).integers(0, 10, (5, 4)).astype(float)
    table[1:, 2] = np.nan
    return math.isclose(infer_truth(table).truth[2], table[0, 2])


def passed_check():
    """An error of a twentieth of the standard deviation and a hundred draws: |z| is mostly below 1."""
    return norm(0.5, 1).cdf(1) - norm(0.5, 1).cdf(-1) > 0.5


def lp_crowd():
    domain, density = np.arange(10), 0.3
    limit = [density * truth + (1 - density) * domain.mean() for truth in (4.5, 2.0)]
    return limit[0] == pytest.approx(4.5) and limit[1] == pytest.approx(2 + 0.7 * 2.5)


def rr_mean(law, epsilon):
    """Mean of the reports that are answers; the last symbol is NULL."""
    reports = np.asarray(law) @ rr(len(law), epsilon)
    return reports[:-1] @ np.arange(len(law) - 1) / reports[:-1].sum()


def rr_unbiased():
    skewed, even = [0.4, 0.1, 0.0, 0.5], [0.1, 0.3, 0.1, 0.5]
    return rr_mean(skewed, 1.0) > 0.4 > 0.2 and math.isclose(rr_mean(even, 1.0), 1.0)


def wrong_outputs():
    mechanism = RandomizedResponse(math.log(990), range(10))  # kept with probability 0.99
    matrix = np.ones((11, 11)) / 1000 + 0.989 * np.eye(11)
    assert mechanism.exact_epsilon == pytest.approx(math.log(990))
    assert matrix[0].sum() == pytest.approx(1)
    cells = np.append(np.full(10, 0.001), 0.99)
    joint = cells[:, None] * matrix
    answers = joint[:, :10]
    wrong = 1 - np.trace(joint[:10, :10]) / answers.sum()
    return 0.48 < wrong < 0.52


def mf_reveals():
    v = np.array([[1.0, 1, 1, 1], [1, -1, 1, -1]])
    projection = v.T @ np.linalg.solve(v @ v.T, v)
    free, level = np.array([1.0, 2, 5, 9]), np.full(4, 3.0)
    return np.allclose(projection @ level, level) and not np.allclose(projection @ free, free)


def majority_error(accuracies):
    error = 0.0
    for right in itertools.product((0, 1), repeat=len(accuracies)):
        chance = math.prod(a if r else 1 - a for a, r in zip(accuracies, right, strict=True))
        error += chance * (1 if 2 * sum(right) < len(right) else 0.5 * (2 * sum(right) == len(right)))
    return error


def one_more_voter():
    return math.isclose(majority_error([0.9]), 0.1) and math.isclose(majority_error([0.9, 0.6]), 0.25)


def bad_worker():
    """With this user the best vote errs less often than with a guesser, who has weight 0."""
    return vote_error([0.2, 0.6, 0.6]) < vote_error([0.5, 0.6, 0.6]) - 0.1


def flipped_majority():
    """Accuracy 0.8, flips with probability 0.4: with more and more reports the majority errs less."""
    right = 0.8 + 0.4 * (1 - 1.6)
    errors = [binom(n, right).cdf(n // 2) for n in (1, 101, 1001, 10001)]
    return errors == sorted(errors, reverse=True) and errors[-1] < 1e-30


def layers_discovered():
    """Both answers of a user are flipped, or neither: this is likelier under two layers of the same mean."""
    p = (np.arange(1000) + 0.5) / 1000 * 0.6
    return (p**2 + (1 - p) ** 2).mean() > 0.3**2 + 0.7**2 + 0.05


def bound_for_majority():
    crowd = [0.99, 0.51, 0.51]
    error, bound = majority_error(crowd), vote_error_bound_corrected(crowd)
    equal = [0.6] * 5
    return (
        round(100 * error, 1) == 24.5
        and round(100 * bound, 1) == 9.9
        and all(majority_error(c) < vote_error_bound_corrected(c) for c in (equal, equal[1:]))
        and all(math.isclose(majority_error(c), vote_error(c)) for c in (equal, equal[1:]))
    )


def half_at_zero():
    """Four fair coins with truth 0: a majority with ties to 0, and with ties by coin."""
    return binom(4, 0.5).sf(2) == 5 / 16 and math.isclose(majority_error([0.5] * 4), 0.5)


def size_falls():
    before = float(effective_size(np.log([[0.9, 0.1]]))[0])
    after = np.array([0.9 * 1, 0.1 * 9])
    return round(before, 2) == 1.22 and math.isclose(effective_size(np.log([after / after.sum()]))[0], 2.0)


def counting_once():
    f, t = 0.15, 0.7
    share = f / (f + 1 - t)
    return math.isclose(counted_share(share=share, false_positives=f, true_positives=t), share)


def equal_means():
    draws = norm.ppf((np.arange(10_000) + 0.5) / 10_000)
    kernel = [np.exp(-((s * draws) ** 2) / 2).mean() for s in (1, 2)]  # with a third point, at 0

    def matched(sets, town):
        """The town matched through weights of sets, because the classes' embeddings are independent."""
        return np.linalg.lstsq(np.transpose(sets), town, rcond=None)[0] @ sets

    alike, town = [[0.6, 0.4], [0.6, 0.4]], [0.2, 0.8]
    return (
        abs(draws.mean() - (2 * draws).mean()) < 1e-9
        and kernel[0] > kernel[1] + 0.1
        and np.allclose(matched([[0.6, 0.4], [0.1, 0.9]], town), town)
        and not np.allclose(matched(alike, town), town, atol=0.1)
        and np.allclose(matched(alike, alike[0]), alike[0])
    )


def split_sets():
    def embeddings(sizes, proportions, means):
        n, p = np.diag(sizes), np.array(proportions).T
        return np.array(means).T @ n @ p.T @ np.linalg.inv(p @ n @ p.T)

    rho, phi = [[0.2, 0.8], [0.7, 0.3], [0.5, 0.5]], np.random.default_rng(0).normal(size=(3, 4))
    halves = np.random.default_rng(1).normal(size=4)
    whole = embeddings([60, 40, 30], rho, phi)
    cut = embeddings([20, 40, 40, 30], [rho[0], *rho], [phi[0] + 2 * halves, phi[0] - halves, *phi[1:]])
    return np.allclose(whole, cut)


def projected_noise():
    clean, noise = np.array([0.0, 1.0]), np.array([0.1, -0.1])
    mean = (project_to_simplex(clean + noise) + project_to_simplex(clean - noise)) / 2
    return mean[0] > 0.04


def likelihood_is_inversion():
    """No distribution on a fine grid is likelier than the inverted one."""
    counts, matrix = np.array([30, 50, 20]), rr(3, 2.0)
    inverted = np.linalg.solve(matrix.T, counts / counts.sum())
    assert inverted.min() >= 0
    best = counts @ np.log(inverted @ matrix)
    grid = [(a, b, 100 - a - b) for a in range(101) for b in range(101 - a)]
    return best >= max(counts @ np.log(np.array(law) / 100 @ matrix) for law in grid)


def kind_at_truth():
    setting = {"epsilon": 2.0, "density": 1.0, "sigma": 1.0, "deviation": 4.0}
    return careful_log_odds(distance=0, **setting) == 0 < careful_log_odds(distance=1, **setting)


def many_choices():
    grid = itertools.product((0.2, 1.0, 2.5), (0.0, 0.1, 0.5, 1.0))
    return all(
        unary_variance(epsilon=e, frequency=f)
        < k_ary_variance(n_choices=math.floor(3 * math.exp(e) + 2) + 1, epsilon=e, frequency=f)
        for e, f in grid
    )


def unrejected():
    """A fifth of class 1 replaced by class 0 is a mixture with another ratio."""
    x = np.linspace(-6, 8, 200)
    laws = norm(0, 1).pdf(x), norm(2, 1).pdf(x)
    town = 0.4 * laws[0] + 0.6 * (0.2 * laws[0] + 0.8 * laws[1])
    return np.allclose(town, 0.52 * laws[0] + 0.48 * laws[1])


def shifted_distance():
    """Noise adds different amounts at 0, one and ten standard deviations; no single number removes them."""
    added = [rice(d / math.sqrt(2), scale=math.sqrt(2)).mean() - d for d in (0, 1, 10)]
    return added[0] > added[1] + 0.5 > added[2] + 1 and math.isclose(added[0], math.sqrt(math.pi))


def cancelled_weights():
    """Sums of logarithms: the neighbour's weights move all particles equally."""
    kernel = np.random.default_rng(3).normal(size=(4, 3))
    updated = [kernel.sum(axis=1) + np.log(w).sum() for w in ([0.2, 0.3, 0.5], [0.8, 0.1, 0.1])]
    return np.allclose(*(np.exp(u - u.max()) / np.exp(u - u.max()).sum() for u in updated))


def linear_noise():
    """Mixing sets; and mixing classes, whose share is the position of the town's mean between theirs."""
    weights, noise, shares = np.array([0.7, 0.2, 0.1]), np.array([0.1, -0.1]), np.array([0.2, 0.6, 0.9])
    noisy = [shares + errors for errors in itertools.product(noise, repeat=3)]
    sets = 3 + 2 * shares  # means of a feature, of which the town has the mixture

    def by_classes(share):
        first, second = np.linalg.lstsq(np.column_stack([share, 1 - share]), sets, rcond=None)[0]
        return (weights @ sets - second) / (first - second)

    clean = weights @ shares
    return (
        math.isclose(np.mean([weights @ s for s in noisy]), clean)
        and math.isclose(by_classes(shares), clean)
        and abs(np.mean([by_classes(s) for s in noisy]) - clean) > 1e-3
    )


def rounded_output():
    merged = rr(4, 1.3) @ np.array([[1, 0], [1, 0], [0, 1], [0, 1]])
    return discrete_epsilon(merged) <= 1.3


def audit_refutes():
    """A mechanism that ignores its input, audited at an event that its samples favour and at a fixed event.

    The first audit shows 0.3 nearly always; the second wrongly shows more than 0 only at its stated rate.
    """
    rng, found = np.random.default_rng(0), np.zeros(2)
    for _ in range(200):
        first, second = rng.multinomial(2000, np.full(500, 0.002), 2)
        for k, (event, least) in enumerate(((first > second, 0.3), (np.arange(500) < 250, 0.0))):
            x, y = first[event].sum(), second[event].sum()
            limits = beta.ppf([0.025, 0.975], [x, y + 1], [2001 - x, 2000 - y])
            found[k] += math.log(limits[0] / limits[1]) > least
    return found[0] > 190 and found[1] <= 10


def more_flips():
    grid = [one_layer_epsilon(p, 3) for p in (0.1, 0.3, 0.5, 2 / 3, 0.8, 0.95)]
    return grid[:4] == sorted(grid[:4], reverse=True) and grid[3:] == sorted(grid[3:]) and grid[3] < 1e-9


def null_pairs():
    kept = np.array([[0.7, 0.3, 0], [0.3, 0.7, 0], [0, 0, 1.0]])
    return discrete_epsilon(kept[:2, :2]) < 1 and discrete_epsilon(kept) == math.inf


def mf_counts():
    """An output far away, twice as far, ...: the loss grows without end."""
    grown = [mf_loss([3.0], [3.0, 3.0], z, 10.0) for z in (10.0, 100.0, 1000.0)]
    return grown[0] < grown[1] < grown[2] and grown[2] > 50


def rows_of_k():
    first, second = ([rr(4, 0.7)[x] for x in row] for row in ((0, 1, 3), (1, 2, 0)))
    return math.isclose(losses(product_law(*first), product_law(*second)), 3 * 0.7)


def epsilon_zero():
    channel, prior = np.array([[0.3, 0.7], [0.3, 0.7]]), np.array([0.2, 0.8])
    posterior = prior[:, None] * channel / (prior @ channel)
    return discrete_epsilon(channel) == 0 and np.allclose(posterior, prior[:, None])


def central_to_local():
    """A count of two rows published with noise, and the rows as the curator has them."""
    published = [np.array([0.5 ** abs(k - n) for k in range(-5, 8)]) for n in (0, 1)]
    return losses(*published) < 0.7 and discrete_epsilon(np.eye(2)) == math.inf


# Checks by the verdict that they support: a claim moved to another verdict fails.
CHECKS = {
    "true": {
        "rounded-output": rounded_output,
        "epsilon-zero": epsilon_zero,
        "rows-of-k": rows_of_k,
        "two-layer-ceiling": two_layer_ceiling,
        "two-over-epsilon": two_over_epsilon,
        "twice-for-less": twice_for_less,
        "mirrored": mirrored,
        "only-answer": only_answer,
        "flipped-majority": flipped_majority,
        "cancelled-weights": cancelled_weights,
        "counting-once": counting_once,
        "split-sets": split_sets,
        "linear-noise": linear_noise,
        "likelihood-is-inversion": likelihood_is_inversion,
        "many-choices": many_choices,
    },
    "false": {
        "null-pairs": null_pairs,
        "central-to-local": central_to_local,
        "own-mean-fill": own_mean_fill,
        "mf-counts": mf_counts,
        "shared-coin": shared_coin,
        "worker-by-cells": worker_by_cells,
        "root-r": root_r,
        "decrypted-result": decrypted_result,
        "encrypted-product": encrypted_product,
        "gauss-pure": gauss_pure,
        "loss-is-delta": loss_is_delta,
        "adaptive-thresholds": adaptive_thresholds,
        "rr-best": rr_best,
        "inverse-deviations": inverse_deviations,
        "passed-check": passed_check,
        "wrong-outputs": wrong_outputs,
        "one-more-voter": one_more_voter,
        "bad-worker": bad_worker,
        "size-falls": size_falls,
        "shifted-distance": shifted_distance,
        "projected-noise": projected_noise,
        "kind-at-truth": kind_at_truth,
        "unrejected": unrejected,
    },
    "needs a condition": {
        "exact-sum": exact_sum,
        "audit-refutes": audit_refutes,
        "mf-fill": mf_fill,
        "more-flips": more_flips,
        "rounded-place": rounded_place,
        "lp-crowd": lp_crowd,
        "rr-unbiased": rr_unbiased,
        "mf-reveals": mf_reveals,
        "layers-discovered": layers_discovered,
        "bound-for-majority": bound_for_majority,
        "half-at-zero": half_at_zero,
        "equal-means": equal_means,
    },
}


def test_every_claim_is_checked_under_its_verdict():
    assert {(verdict, name) for verdict, checks in CHECKS.items() for name in checks} == {
        (s.verdict, s.name) for s in STATEMENTS
    }
    assert len({s.name for s in STATEMENTS}) == len(STATEMENTS) >= 24


@pytest.mark.parametrize(("verdict", "name"), [(v, name) for v, checks in CHECKS.items() for name in checks])
def test_verdicts_are_supported(verdict, name):
    """Compute the reason: where the claim holds, or fails, or both if it needs a condition."""
    assert CHECKS[verdict][name]()


def test_claims_are_complete():
    assert {s.verdict for s in STATEMENTS} == set(VERDICTS)
    assert {s.topic for s in STATEMENTS} == set(TOPICS)
    for statement in STATEMENTS:
        assert statement.verdict in VERDICTS
        assert 1 <= statement.week <= max(WEEKS)
        assert statement.text.endswith(".")
        assert statement.reason.endswith((".", ")"))
    for verdict in VERDICTS:  # guessing is not rewarded
        assert sum(s.verdict == verdict for s in STATEMENTS) < len(STATEMENTS) / 2


def minutes_of(text):
    return [int(n) for n in re.findall(r"^## .*\((\d+) points\)$", text, re.MULTILINE)]


@pytest.mark.parametrize(
    ("exam", "minutes", "weeks"), [("midterm", 60, 12), ("final", 120, 12), ("final", 120, 16)]
)
@pytest.mark.parametrize("secret", [SECRET, "another secret of sixteen", "and the one of next year"])
def test_minutes_are_points_and_add_up(exam, minutes, weeks, secret):
    text = exams.sheet(exam, secret, weeks=weeks)
    assert text.startswith(f"# {exam.capitalize()}: {minutes} minutes, {minutes} points\n")
    assert sum(minutes_of(text)) == minutes
    assert (
        len(re.findall(r"^\([a-h]\) ", text, re.MULTILINE)) * 6 + 12 * text.count("(12 points)")
        >= minutes / 2
    )


@pytest.mark.parametrize("exam", ["midterm", "final"])
def test_points_of_an_answer_add_up(exam):
    text = exams.sheet(exam, SECRET, keys=True)
    rubrics = re.findall(r"\*\*Points\*\* (.*)\.$", text, re.MULTILINE)
    each = [sum(int(n) for n in re.findall(r" (\d+)(?:;|$)", rubric)) for rubric in rubrics]
    assert sum(each) == sum(minutes_of(text))


def bare(text):
    """The letters of a text only, without the numbers of a variant."""
    return re.sub(r"[^A-Za-z]+", "", text)


def claims_of(text):
    return [s for s in STATEMENTS if s.text in text]


def test_a_midterm_asks_about_its_weeks_only():
    for k in range(30):
        text = exams.sheet("midterm", f"{SECRET} {k}")
        claims = claims_of(text)
        assert len(claims) == 4
        assert max(s.week for s in claims) <= 6
        assert [s.topic for s in claims] == ["privacy", "privacy", "estimates", "estimates"]


@pytest.mark.parametrize(("exam", "last"), [("midterm", 3), ("final", 6)])
def test_six_week_exam_asks_its_path(exam, last):
    """An exam has collected problems and claims of chapters read by then; many together ask all weeks."""
    path = dict(PATHS["six weeks"].numbered())
    week_of = {
        bare(variant(name, 0).text)[:60]: number for number, week in path.items() for name in week.hand_in
    }
    asked, claims = set(), set()
    for k in range(30):
        text = exams.sheet(exam, f"{SECRET} {k}", path="six")
        assert sum(minutes_of(text)) == {"midterm": 60, "final": 120}[exam]
        problems = re.findall(r"^## \d\. \(12 points\)\n\n(.*)$", text, re.MULTILINE)
        weeks = [week_of[bare(problem)[:60]] for problem in problems]
        assert weeks == sorted(set(weeks))
        asked |= {*weeks}
        claims |= {s.name for s in claims_of(text)}
    assert asked == set(range(1, last + 1))
    told = {name for week, names in exams._CLAIMS_OF_SIX.items() if week <= last for name in names}
    assert claims == told <= {s.name for s in STATEMENTS} - {*exams.SHOWN_CLAIMS}


def test_final_exam_covers_taught_chapters():
    weeks = set()
    for k in range(30):
        claims = claims_of(exams.sheet("final", f"{SECRET} {k}"))
        assert len(claims) == 8
        assert sum(s.week <= 6 for s in claims) == 2
        weeks |= {s.week for s in claims}
    assert max(weeks) == 12
    longer = [exams.sheet("final", f"{SECRET} {k}", weeks=16) for k in range(30)]
    assert max(s.week for text in longer for s in claims_of(text)) == 16


@pytest.mark.parametrize("weeks", [12, 16])
def test_optional_chapters_are_not_examined(weeks):
    """A class that is late leaves out the last two chapters of week 12, to which these problems belong."""
    questions = [variant(name, 0).text[-40:] for name in ("counts", "hospitals")]
    assert {"counts", "hospitals"} <= set(WEEKS[12])
    assert "linear-noise" in {s.name for s in STATEMENTS}
    asked = set()
    for k in range(60):
        text = exams.sheet("final", f"{SECRET} {k}", weeks=weeks)
        asked |= {s.name for s in claims_of(text)}
        assert not any(question in text for question in questions)
    assert "linear-noise" not in asked
    assert {"split-sets", "projected-noise"} <= asked


@pytest.mark.parametrize("exam", ["midterm", "final"])
def test_shown_questions_are_never_asked(exam):
    """Pages of the book show the solutions of these questions."""
    shown = [variant(name, 0).text[-40:] for name in exams.SHOWN_PROBLEMS]
    shown += [s.text for s in STATEMENTS if s.name in exams.SHOWN_CLAIMS]
    assert len(shown) == 7
    for k in range(60):
        text = exams.sheet(exam, f"{SECRET} {k}")
        assert not any(question in text for question in shown)


@pytest.mark.parametrize("exam", ["midterm", "final"])
def test_sheet_names_allowed_aids_and_verdict_points(exam):
    text = exams.sheet(exam, SECRET)
    assert "two pages of your own notes and a pocket calculator, no network." in text
    assert (
        "There is no point for the verdict itself: a right reason under another verdict counts in full if"
        " the wording allows that reading." in text
    )


def test_exams_differ_by_year_and_are_reproducible():
    sheets = [exams.sheet("midterm", f"{SECRET} {k}") for k in range(30)]
    assert len(set(sheets)) == 30
    claims = {tuple(s.name for s in claims_of(text)) for text in sheets}
    assert len(claims) > 25
    assert exams.sheet("midterm", SECRET) == exams.sheet("midterm", SECRET)


def test_students_share_questions_but_not_numbers():
    ada, bob = (exams.sheet("final", SECRET, student=name) for name in ("ada", "bob"))
    assert "Name: ada\n" in ada
    assert ada != bob.replace("bob", "ada")
    assert re.sub(r"[\d.]+|ada", "", ada) == re.sub(r"[\d.]+|bob", "", bob)


@pytest.mark.parametrize("exam", ["midterm", "final"])
def test_sheet_has_no_key_and_keys_repeat_sheet(exam):
    plain, keyed = exams.sheet(exam, SECRET, **STUDENT), exams.sheet(exam, SECRET, **STUDENT, keys=True)
    warning, *rest = [line for line in keyed.splitlines() if not line.startswith(">") and line]
    assert rest == [line for line in plain.splitlines() if line]
    assert "not for students" in warning
    assert ">" not in re.sub(r"epsilon > 0", "", plain)
    assert not any(s.reason in plain for s in STATEMENTS)
    assert sum(s.reason in keyed for s in STATEMENTS) == len(claims_of(plain))
    assert keyed.count("**Key**") + keyed.count("**False.**") + keyed.count("**True.**") + keyed.count(
        "**Needs a condition.**"
    ) == len(re.findall(r"^## \d+\. \(", plain, re.MULTILINE)) + len(claims_of(plain))


def test_pocket_calculator_suffices_for_every_question():
    assert set(PROBLEMS) >= exams._BY_HAND
    assert exams._BY_HAND.isdisjoint({"cipher", "dirichlet", "reuse", "location", "laplace", "foretell"})


@pytest.mark.parametrize(
    ("given", "error", "told"),
    [
        ({"exam": "oral"}, ValueError, "exam must be one of midterm, final"),
        ({"secret": "short"}, ValueError, "secret must have at least 16"),
        ({"secret": None}, TypeError, "secret must be a string"),
        ({"student": 7}, TypeError, "student must be a string"),
        ({"weeks": 6}, ValueError, "weeks must be an integer from 12 to 22"),
        ({"weeks": 23}, ValueError, "weeks must be an integer from 12 to 22"),
        ({"path": "ten"}, ValueError, "path must be one of six, twelve"),
        ({"path": "six", "weeks": 14}, ValueError, "weeks is for the path of twelve weeks"),
        ({"weeks": 12.5}, TypeError, "weeks must be an integer"),
        ({"keys": "yes"}, TypeError, "keys"),
    ],
)
def test_bad_arguments_are_named(given, error, told):
    with pytest.raises(error, match=told):
        exams.sheet(**{"exam": "final", "secret": SECRET, **given})


def test_the_command_prints_the_sheet(tmp_path, capsys):
    (tmp_path / "secret").write_text(f"{SECRET}\n", encoding="utf-8")
    exams.main(["midterm", "--secret-file", str(tmp_path / "secret"), "--student", "ada", "--keys"])
    assert capsys.readouterr().out == exams.sheet("midterm", SECRET, student="ada", keys=True)


@pytest.mark.parametrize(
    ("content", "arguments", "told"),
    [
        (None, ["midterm"], "No such file"),
        (b"short\n", ["midterm"], "at least 16 characters"),
        (b"\xff\xfe not text at all, but long", ["midterm"], "not UTF-8"),
        (SECRET.encode(), ["oral"], "invalid choice"),
        (SECRET.encode(), ["final", "--weeks", "3"], "from 12 to 22"),
    ],
)
def test_wrong_command_gives_no_traceback(tmp_path, capsys, content, arguments, told):
    if content is not None:
        (tmp_path / "secret").write_bytes(content)
    with pytest.raises(SystemExit) as stopped:
        exams.main([*arguments, "--secret-file", str(tmp_path / "secret")])
    assert stopped.value.code == 2
    shown = capsys.readouterr()
    assert told in shown.err
    assert SECRET not in shown.err
    assert shown.out == ""
