"""Helpers shared by the claims of several chapters."""

import functools
from collections.abc import Hashable, Mapping
from typing import TypeAlias

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from ldpbook._arrays import Array
from ldpbook._extras import extra
from ldpbook.class_ratios._count_mechanism import CountMechanism
from ldpbook.class_ratios.noisy_counts import GaussianCounts, LaplaceCounts
from ldpbook.class_ratios.proportions import project_to_simplex
from ldpbook.class_ratios.scaled_dirichlet import Method, ScaledDirichlet
from ldpbook.datasets.real import load_digits, load_flights, load_mnist, load_opinions, load_votes
from ldpbook.mechanism import Mechanism
from ldpcourse.runs.kept import stored

IYER = "iyer2016privacy"


LABELS = np.array([50, 50, 50, 50, 800])  # the default setting of Iyer et al.


def as_printed(method: Method, epsilon: float = 0.05) -> ScaledDirichlet:
    """The scaled Dirichlet mechanism with the largest scale for the private counts, delta 0.05."""
    return ScaledDirichlet(epsilon, 0.05, method, scale_from_private_counts=True)


def distortion(mechanism: CountMechanism, counts: NDArray[np.int64] = LABELS) -> float:
    """Mean L1 distance of private and true proportions, 4,000 draws."""
    return float(distortions(mechanism, counts).mean())


def distortions(mechanism: CountMechanism, counts: NDArray[np.int64]) -> Array:
    """L1 distances of private and true proportions, 4,000 draws."""
    return _distortions(mechanism, tuple(counts.tolist()))


@functools.cache
def _distortions(mechanism: CountMechanism, labels: tuple[int, ...]) -> Array:
    rng, counts = np.random.default_rng(0), np.array(labels)
    shape = 4000, counts.size
    if isinstance(mechanism, ScaledDirichlet):  # each scale or standard deviation is searched for only once
        drawn = rng.dirichlet(mechanism.scale_of(counts) * counts, 4000)
    elif isinstance(mechanism, GaussianCounts):
        drawn = project_to_simplex((counts + mechanism.sigma * rng.standard_normal(shape)) / counts.sum())
    elif type(mechanism) is LaplaceCounts:
        drawn = project_to_simplex((counts + rng.laplace(0, mechanism.scale, shape)) / counts.sum())
    else:
        drawn = np.array([mechanism.perturb(counts, rng) for _ in range(4000)])
    return np.asarray(np.abs(drawn - counts / counts.sum()).sum(axis=1))


@functools.cache
def errors_under_shift() -> pd.DataFrame:
    """Mean errors over the draws of the stored run: one row per data set, one column per method and share."""
    return stored("figure-two").drop(columns="draw").groupby("data").mean()


@functools.cache
def digits() -> tuple[NDArray[np.int64], Array, Array]:
    """Labels and kernel of the digits, and inner products of the classes' mean embeddings."""
    with extra("class-ratios"):
        from sklearn.metrics.pairwise import rbf_kernel

    digits = load_digits()
    kernel = rbf_kernel(digits.points, gamma=1 / (2 * 2.0**2))
    classes = np.eye(10)[digits.labels] / np.bincount(digits.labels)
    return digits.labels, kernel, classes.T @ kernel @ classes


Mechanisms: TypeAlias = Mapping[Hashable, Mechanism | None]

# Settings for the protocol of Iyer's Figure 3: loader, bandwidth, number of random features; share of
# the training sets, first and last share of the unlabelled ones, number of those, instances per set.
SETTINGS = {
    "MNIST": (load_mnist, 8.0, 2000, 0.05, (0.01, 0.1, 10), 3000),
    "digits": (load_digits, 2.0, 2000, 0.05, (0.01, 0.1, 10), 3000),
    "votes": (load_votes, 4.0, 400, 0.1, (0.1, 0.9, 9), 600),
    "flights": (load_flights, 1.0, 400, 0.1, (0.05, 0.45, 9), 900),
    "opinions": (load_opinions, 2.0, 400, 0.1, (0.05, 0.45, 9), 900),
}


@functools.cache
def _features(data: str) -> tuple[Array, NDArray[np.int64]]:
    """Random features and labels of all instances, or of 20,000 of them."""
    from ldpbook.class_ratios.mean_embeddings import random_fourier_features

    load, bandwidth, n_components, *_ = SETTINGS[data]
    found = load()
    some = np.sort(np.random.default_rng(0).permutation(found.labels.size)[:20_000])
    return random_fourier_features(found.points[some], bandwidth, n_components, rng=0), found.labels[some]


def figure_three(data: str, mechanisms: Mechanisms, rng: int = 0) -> pd.DataFrame:
    """Errors in the protocol of Figure 3, 20 draws."""
    from ldpcourse.ratio_trials import private_errors

    *_, share, shares, n_instances = SETTINGS[data]
    return private_errors(
        *_features(data),
        mechanisms,
        share=share,
        shares=np.linspace(*shares),
        n_instances=n_instances,
        n_draws=20,
        rng=rng,
    )
