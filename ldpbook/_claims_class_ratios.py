"""Claims of the part class ratios.

What needs scikit-learn is imported where it is used: the other claims are judged without it.
"""

import functools

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.special import gammaln
from scipy.stats import binom

from ldpbook import bounds
from ldpbook._claim import Claim, Reading, Verdict
from ldpbook.datasets import load_digits, load_mnist, load_votes
from ldpbook.noisy_counts import GaussianCounts, LaplaceCounts, LaplacePrior
from ldpbook.privacy import dirichlet_delta
from ldpbook.ratios import draw_sets, draw_weights, skewed_proportions
from ldpbook.scaled_dirichlet import ScaledDirichlet

_IYER = "iyer2016privacy"

_LABELS = np.array([50, 50, 50, 50, 800])  # the default setting of Iyer et al.


def _distortion(mechanism: ScaledDirichlet | LaplaceCounts | GaussianCounts | LaplacePrior) -> float:
    """Mean L1 distance of private and true proportions in the default setting, 4,000 draws."""
    rng = np.random.default_rng(0)
    if isinstance(mechanism, ScaledDirichlet):  # the scale is searched for once
        drawn = rng.dirichlet(mechanism.scale(_LABELS) * _LABELS, 4000)
    else:
        drawn = np.array([mechanism.perturb(_LABELS, rng) for _ in range(4000)])
    return float(np.abs(drawn - _LABELS / 1000).sum(axis=1).mean())


def _delta_of_chosen_scales() -> float:
    """Tight delta at epsilon 0.2 if each neighbour uses the scale chosen from its own counts."""
    mechanism = ScaledDirichlet(0.2, 0.05, "tight")
    first, second = (mechanism.scale(eta) * np.array(eta) for eta in ([20, 980], [19, 981]))
    log_theta = np.log(np.random.default_rng(0).dirichlet(second, 400_000))
    constant = gammaln(second.sum()) - gammaln(second).sum() - gammaln(first.sum()) + gammaln(first).sum()
    loss = constant + log_theta @ (second - first)
    return float(np.maximum(0, 1 - np.exp(0.2 - loss)).mean())


@functools.cache
def _errors_under_shift() -> pd.Series:
    """Mean error of the baseline and of the source's estimator at three shares, on votes, 20 draws."""
    from ldpbook.mean_embedding import ClassRatioEstimator
    from ldpbook.proportion_svm import ProportionSVM
    from ldpbook.ratio_comparison import shift_errors

    errors = shift_errors(
        load_votes(),
        {"pSVM": ProportionSVM(bandwidth=4.0, n_restarts=1), "MMD": ClassRatioEstimator()},
        share=0.1,
        shares=[0.1, 0.5, 0.9],
        n_instances=600,
        n_draws=20,
        rng=0,
    )
    return errors.groupby(["mechanism", "share"])["error"].mean()


@functools.cache
def _digits() -> tuple[NDArray, NDArray, NDArray]:
    """Labels and kernel of the digits, inner products of the classes' mean embeddings."""
    from sklearn.metrics.pairwise import rbf_kernel

    digits = load_digits()
    kernel = rbf_kernel(digits.points, gamma=1 / (2 * 2.0**2))
    classes = np.eye(10)[digits.labels] / np.bincount(digits.labels)
    return digits.labels, kernel, classes.T @ kernel @ classes


def _least_singular(gram: NDArray) -> float:
    return float(np.sqrt(np.linalg.eigvalsh(gram)[0]))


def _deviations(share: float, rho: NDArray, n_draws: int) -> NDArray:
    """Estimated less true proportions of ten digits, from sets of 3,000 of that skew; shape (n_draws, 10)."""
    from ldpbook.mean_embedding import match_proportions

    labels, kernel, _ = _digits()
    known, rng, found = skewed_proportions(10, share), np.random.default_rng(0), []
    for _ in range(n_draws):
        sets = draw_weights(labels, np.round(known * 3000), rng)
        town = draw_weights(labels, np.round([rho * 3000]), rng)
        found.append(match_proportions(sets @ kernel @ sets.T, sets @ kernel @ town.T, known)[0])
    return np.array(found) - rho


def _error_over_bound() -> float:
    """Largest of 100 errors for ten sets and an unlabelled one of 3,000 digits, over Theorem 1's bound."""
    errors = np.linalg.norm(_deviations(0.05, np.append(np.full(9, 0.05), 0.55), 100), axis=1)
    known = skewed_proportions(10, 0.05)
    of_sets = _least_singular(known @ _digits()[2] @ known.T)
    sizes = dict(set_sizes=[3000] * 10, n_unlabelled=3000, delta=0.05)
    bound = bounds.class_ratio_error_bound(**sizes, least_singular=of_sets, condition=1 / of_sets)
    return float(errors.max() / bound)


def _failure_of_confidence_term() -> float:
    """Chance that the mean of 1,000 vectors v or -v is farther from 0 than C at one in a million."""
    k = np.arange(1001)
    far = np.abs(2 * k / 1000 - 1) > bounds.embedding_deviation_bound(n_instances=1000, delta=1e-6)
    return float(binom.pmf(k, 1000, 0.5)[far].sum())


@functools.cache
def _error_of_split(n_sets: int) -> float:
    """Mean error at shares 0.1 and 0.9 from 1,200 voters in so many sets, 20 draws."""
    from ldpbook.mean_embedding import ClassRatioEstimator

    votes, rng, errors = load_votes(), np.random.default_rng(0), []
    known = np.tile(skewed_proportions(2, 0.1), (n_sets // 2, 1))
    counts = np.vstack([np.round(known * 1200 / n_sets), [[100, 900], [900, 100]]])
    for _ in range(20):
        sets = [votes.points[s] for s in draw_sets(votes.labels, counts, rng)]
        estimator = ClassRatioEstimator(bandwidth=4.0).fit(sets[:n_sets], known)
        found = estimator.predict(sets[n_sets:])
        errors.append(np.abs(found - [[0.1, 0.9], [0.9, 0.1]]).sum(axis=1).mean())
    return float(np.mean(errors))


def _error_at_share(share: float) -> float:
    """Mean L1 error over 20 draws for an unlabelled share of 0.82 of one digit."""
    return float(np.abs(_deviations(share, np.append(np.full(9, 0.02), 0.82), 20)).sum(axis=1).mean())


def _noise_over_lemma() -> float:
    """0.95-quantile of the distance of private from true proportions over Lemma 4, ten sets of 3,000."""
    known, rng = skewed_proportions(10, 0.05), np.random.default_rng(0)
    counts = np.round(known * 3000)
    scale = ScaledDirichlet(0.05, 0.05, "tight").scale(counts[0])
    away = [np.linalg.norm([rng.dirichlet(scale * c) for c in counts] - known) for _ in range(2000)]
    sizes = dict(proportions=known, set_sizes=[3000] * 10, scales=[scale] * 10)
    return float(np.quantile(away, 0.95) / bounds.label_noise_bound(**sizes, zeta=0.05))


@functools.cache
def _reduction_on_mnist(method: str) -> float:
    """By how much less than Laplace noise the scaled Dirichlet mechanism's noise makes the estimate err."""
    from ldpbook.mean_embedding import random_fourier_features
    from ldpbook.ratio_comparison import private_errors

    mnist = load_mnist()
    errors = private_errors(
        random_fourier_features(mnist.points, 8.0, 2000, rng=0),
        mnist.labels,
        {
            "Laplace": LaplaceCounts(0.05, 0.05 if method == "tight" else 0.0),
            "scaled Dirichlet": ScaledDirichlet(0.05, 0.05, method),
        },
        share=0.05,
        shares=np.linspace(0.01, 0.1, 10),
        n_instances=3000,
        n_draws=20,
        rng=0,
    )
    mean = errors.groupby("mechanism")["error"].mean()
    return float(1 - mean["scaled Dirichlet"] / mean["Laplace"])


CLAIMS: tuple[Claim, ...] = (
    Claim(
        id="psvm-shift",
        source=_IYER,
        place="Section 4.2",
        statement=(
            "The proportion SVM's counts are accurate only where the proportions are those of training; here its"
            " L1 error at shares 0.1 and 0.9 of voters, the smaller of the two, less that at 0.5."
        ),
        readings=(
            Reading(
                words="",
                compute=(
                    lambda: (
                        min(_errors_under_shift()["pSVM", x] for x in (0.1, 0.9))
                        - _errors_under_shift()["pSVM", 0.5]
                    )
                ),
                relation=">=",
                target=0.0,
            ),
        ),
        verdict=Verdict.REPRODUCED,
        finding=(
            "It is larger by {computed}. The counts fail, not the training: two further sets of known proportions"
            " repair them, for any classifier."
        ),
        chapter="class-ratios/proportions",
    ),
    Claim(
        id="mmd-psvm",
        source=_IYER,
        place="Section 1 (i)",
        statement=(
            "Matching mean embeddings can reduce the error of the proportion SVM by as much as 70 % on skewed"
            " sets; here the larger reduction of those at shares 0.1 and 0.9 of voters."
        ),
        readings=(
            Reading(
                words="",
                compute=(
                    lambda: max(
                        1 - _errors_under_shift()["MMD", x] / _errors_under_shift()["pSVM", x]
                        for x in (0.1, 0.9)
                    )
                ),
                relation=">=",
                target=0.7,
            ),
        ),
        verdict=Verdict.REPRODUCED,
        finding="It is {computed}. Once its counts are adjusted, the proportion SVM comes close.",
        chapter="class-ratios/mean-embeddings",
    ),
    Claim(
        id="learning-bound",
        source=_IYER,
        place="Theorem 1",
        statement=(
            "The error of the estimated proportions is bounded, with probability 0.95; here the largest error of"
            " 100 draws of ten sets and an unlabelled one of 3,000 digits each, as a multiple of the bound."
        ),
        readings=(Reading(words="", compute=_error_over_bound, relation="<=", target=1.0),),
        verdict=Verdict.READING,
        finding=(
            "It is {computed} times the bound, which is ten times the largest error possible. Proved for kernels"
            " without negative values and delta/(2M+1) of 2e-6 or more."
        ),
        chapter="class-ratios/learning-bound",
    ),
    Claim(
        id="confidence-term",
        source=_IYER,
        place="Lemma 3",
        statement=(
            "The mean of n normalised feature vectors deviates by more than C(n) with at most the given"
            " probability; here two opposite vectors, n = 1,000 and one in a million."
        ),
        readings=(Reading(words="", compute=_failure_of_confidence_term, relation="<=", target=1e-6),),
        verdict=Verdict.REFUTED,
        finding=(
            "It does with probability {computed}, exactly. The second term lacks a factor, the largest distance"
            " of two feature vectors."
        ),
        chapter="class-ratios/learning-bound",
    ),
    Claim(
        id="condition-number",
        source=_IYER,
        place="Section 2.4.1",
        statement=(
            "The condition number approaches 1 when the proportions of the sets are orthogonal; here for pure"
            " sets of the ten digits."
        ),
        readings=(
            Reading(
                words="",
                compute=lambda: 1 / _least_singular(_digits()[2]),
                relation="=",
                target=1.0,
                tolerance=0.5,
            ),
        ),
        verdict=Verdict.CORRECTED,
        finding=(
            "It is {computed}, the inverse of the least singular value of the classes' mean embeddings, and never"
            " less."
        ),
        chapter="class-ratios/learning-bound",
    ),
    Claim(
        id="few-large-sets",
        source=_IYER,
        place="Section 2.4.1",
        statement=(
            "Few large sets serve better than many small ones; here the error from 1,200 voters in 120 sets less"
            " that from the same number in 2."
        ),
        readings=(
            Reading(
                words="", compute=lambda: _error_of_split(120) - _error_of_split(2), relation=">=", target=0.0
            ),
        ),
        verdict=Verdict.REPRODUCED,
        finding=(
            "The many cost {computed} more. That is a property of the printed estimator: mixtures of the classes'"
            " estimated embeddings do not change when sets are split."
        ),
        chapter="class-ratios/few-large-sets",
    ),
    Claim(
        id="purity",
        source=_IYER,
        place="Section 2.3",
        statement=(
            "The purer the sets, the better the estimate; here the error with shares 0.08 of the other digits"
            " less that with 0.02."
        ),
        readings=(
            Reading(
                words="",
                compute=lambda: _error_at_share(0.08) - _error_at_share(0.02),
                relation=">=",
                target=0.0,
            ),
        ),
        verdict=Verdict.REPRODUCED,
        finding="It is larger by {computed}.",
        chapter="class-ratios/few-large-sets",
    ),
    Claim(
        id="dirichlet-distortion",
        source=_IYER,
        place="Section 1 (ii)",
        statement=(
            "On five classes the scaled Dirichlet mechanism distorts proportions by 0.06; here with Equation 9,"
            " counts 50, 50, 50, 50, 800, epsilon = delta = 0.05."
        ),
        printed="0.06",
        readings=(
            Reading(
                words="",
                compute=lambda: _distortion(ScaledDirichlet(0.05, 0.05, "exact")),
                relation="=",
                target=0.06,
                tolerance=0.005,
            ),
        ),
        verdict=Verdict.REFUTED,
        finding=(
            "With the printed delta evaluated exactly the largest scale is 0.0082 and the distortion {computed};"
            " with the tight delta it is 0.036."
        ),
        chapter="class-ratios/label-privacy",
    ),
    Claim(
        id="dirichlet-laplace",
        source=_IYER,
        place="Section 1 (ii)",
        statement=(
            "The best existing method distorts by 0.15; here Laplace noise and the nearest point of the simplex"
            " in the same setting, read as agreeing within 0.02."
        ),
        printed="0.15",
        readings=(
            Reading(
                words="",
                compute=lambda: _distortion(LaplaceCounts(0.05)),
                relation="=",
                target=0.15,
                tolerance=0.02,
            ),
        ),
        verdict=Verdict.READING,
        finding="Laplace noise distorts by {computed}; twenty draws, as in the source, scatter by about 0.01.",
        chapter="class-ratios/label-privacy",
    ),
    Claim(
        id="dirichlet-closed-form",
        source=_IYER,
        place="Equation 9",
        statement=(
            "The integral for delta is not easily solved, so that Chebyshev's inequality stands in (Equation 10);"
            " here both with counts 50, 50, 50, 50, 800, epsilon 0.05 and sigma 0.0082."
        ),
        readings=(
            Reading(
                words="",
                compute=lambda: dirichlet_delta(_LABELS, scale=0.0082, epsilon=0.05),
                relation="=",
                target=dirichlet_delta(_LABELS, scale=0.0082, epsilon=0.05, method="chebyshev"),
                tolerance=1e-3,
            ),
        ),
        verdict=Verdict.CORRECTED,
        finding="It is one incomplete beta function, {computed} here, where Chebyshev's inequality says nothing.",
        chapter="class-ratios/label-privacy",
    ),
    Claim(
        id="dirichlet-asymptotics",
        source=_IYER,
        place="Section 3, Equation 11",
        statement=(
            "As counts grow, epsilon and delta can both be made as small as wanted, with a scale that tends to 0"
            " while the scaled counts grow; here delta by Equation 9 at epsilon 0.001, the default counts times"
            " 10^8 and the inverse root of the smallest as scale, read as at most 0.001."
        ),
        readings=(
            Reading(
                words="",
                compute=lambda: dirichlet_delta(_LABELS * 10**8, scale=(50 * 10**8) ** -0.5, epsilon=1e-3),
                relation="<=",
                target=1e-3,
            ),
        ),
        verdict=Verdict.REPRODUCED,
        finding="It is {computed}, by the normal law that the loss tends to.",
        chapter="class-ratios/label-privacy",
    ),
    Claim(
        id="laplace-lower-bound",
        source=_IYER,
        place="Section 1",
        statement=(
            "Mechanisms with Laplace noise have a lower bound on epsilon, which grows with the number of classes;"
            " read as: at epsilon 0.001, 100 classes stay distorted by a tenth however many labels there are."
            " Here with a million labels of each."
        ),
        readings=(
            Reading(
                words="",
                compute=(
                    lambda: float(
                        np.abs(
                            LaplaceCounts(1e-3).perturb(np.full(100, 10**6), np.random.default_rng(0)) - 0.01
                        ).sum()
                    )
                ),
                relation=">=",
                target=0.1,
            ),
        ),
        verdict=Verdict.REFUTED,
        finding="They are distorted by {computed}: the noise does not depend on the number of labels or classes.",
        chapter="class-ratios/label-privacy",
    ),
    Claim(
        id="dirichlet-leak",
        source=_IYER,
        place="Section 3",
        statement=(
            "The mechanism with the scale chosen for the counts is (epsilon, delta)-private; here the tight"
            " delta of the counts (20, 980) and a neighbour, each with its own scale, at the target (0.2, 0.05)."
        ),
        readings=(Reading(words="", compute=_delta_of_chosen_scales, relation="<=", target=0.05),),
        verdict=Verdict.REFUTED,
        finding=(
            "It is {computed}: the proof holds the scale fixed, but it is computed from the private counts. A"
            " scale chosen from a public lower bound on the counts repairs it."
        ),
        chapter="class-ratios/label-privacy",
    ),
    Claim(
        id="dirichlet-best",
        source=_IYER,
        place="Section 4.1",
        statement=(
            "The scaled Dirichlet mechanism has the lowest distortion; here with Equation 9 in the default"
            " setting, less that of Laplace noise."
        ),
        readings=(
            Reading(
                words="",
                compute=lambda: (
                    _distortion(ScaledDirichlet(0.05, 0.05, "exact")) - _distortion(LaplaceCounts(0.05))
                ),
                relation="<=",
                target=0.0,
            ),
        ),
        verdict=Verdict.REFUTED,
        finding="It distorts by {computed} more than Laplace noise.",
        chapter="class-ratios/fair-comparison",
    ),
    Claim(
        id="dirichlet-best-tight",
        source=_IYER,
        place="Section 4.1",
        statement=(
            "The same at equal tight guarantees: the distortion with the tight delta less that of the least"
            " Gaussian noise that is (0.05, 0.05)-private."
        ),
        readings=(
            Reading(
                words="",
                compute=(
                    lambda: (
                        _distortion(ScaledDirichlet(0.05, 0.05, "tight"))
                        - _distortion(GaussianCounts(0.05, 0.05, analytic=True))
                    )
                ),
                relation="<=",
                target=0.0,
            ),
        ),
        verdict=Verdict.REFUTED,
        finding=(
            "It distorts by {computed} more than Gaussian noise. With equal classes both are equal within the"
            " error of simulation."
        ),
        chapter="class-ratios/fair-comparison",
    ),
    Claim(
        id="lemma-four",
        source=_IYER,
        place="Lemma 4",
        statement=(
            "A bound on the distance of private from true proportions, with probability 0.95; here the simulated"
            " distance as a multiple of it, ten classes, ten sets of 3,000."
        ),
        readings=(Reading(words="", compute=_noise_over_lemma, relation="<=", target=1.0),),
        verdict=Verdict.REPRODUCED,
        finding=(
            "It is {computed} times the bound. The second moment gives one smaller by at least the root of the"
            " number of entries, a factor of 10 here, as easily."
        ),
        chapter="class-ratios/private-estimation",
    ),
    Claim(
        id="dirichlet-mnist",
        source=_IYER,
        place="Section 1 (iii)",
        statement=(
            "On MNIST the estimate errs 60 % less with the scaled Dirichlet mechanism than with Laplace noise;"
            " here with Equation 9, in the setting of Figure 3."
        ),
        printed="0.6",
        readings=(
            Reading(
                words="",
                compute=lambda: _reduction_on_mnist("exact"),
                relation=">=",
                target=0.6,
                tolerance=0.05,
            ),
        ),
        verdict=Verdict.REFUTED,
        finding="The error is reduced by {computed} of itself, nothing beyond the scatter of 20 draws.",
        chapter="class-ratios/private-estimation",
    ),
    Claim(
        id="dirichlet-mnist-tight",
        source=_IYER,
        place="Section 1 (iii)",
        statement="The same with the tight delta, and the least Laplace noise that is (0.05, 0.05)-private.",
        printed="0.6",
        readings=(
            Reading(
                words="",
                compute=lambda: _reduction_on_mnist("tight"),
                relation=">=",
                target=0.6,
                tolerance=0.05,
            ),
        ),
        verdict=Verdict.REFUTED,
        finding="It is reduced by {computed}: both are as good as no noise at all.",
        chapter="class-ratios/private-estimation",
    ),
)
