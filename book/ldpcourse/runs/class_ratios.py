"""Long simulations on class ratios."""

import itertools
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ldpbook._arrays import Array
from ldpbook.class_ratios.intervals import ratio_intervals
from ldpbook.class_ratios.mean_embeddings import (
    BANDWIDTHS,
    ClassRatioEstimator,
    match_proportions,
    random_fourier_features,
)
from ldpbook.class_ratios.noisy_counts import GaussianCounts, GeometricCounts, LaplaceCounts, LaplacePrior
from ldpbook.class_ratios.proportion_svm import ProportionSVM
from ldpbook.class_ratios.proportions import draw_sets, draw_weights, project_to_simplex, skewed_proportions
from ldpbook.class_ratios.scaled_dirichlet import ScaledDirichlet
from ldpbook.class_ratios.shift_test import label_shift_test
from ldpbook.datasets.real import load_digits, load_earnings, load_mnist, load_spam, load_votes
from ldpcourse.ledger.class_ratios._shared import SETTINGS, Mechanisms, as_printed, figure_three
from ldpcourse.ratio_trials import shift_errors, shifted_proportions
from ldpcourse.runs.kept import Run, grid

# The data used instead of each data set of Iyer's Figure 2, and how many instances a set drawn from it can
# have.
_BINARY = {
    "earnings": (load_earnings, 600),
    "votes": (load_votes, 600),
    "spam": (load_spam, 250),
}


def _figure_two(data: str, draw: int) -> dict[str, float]:
    """Iyer's Figure 2, one draw: L1 errors of counted proportion SVM and matched embeddings, by share.

    The bandwidths of both are chosen by the error on held-out sets, in the same two folds.
    """
    from sklearn.model_selection import GridSearchCV

    load, size = _BINARY[data]
    svm = ProportionSVM(n_restarts=1, rng=0)
    chosen = GridSearchCV(svm, {"bandwidth": BANDWIDTHS}, cv=2, error_score="raise")
    errors = shift_errors(
        load(),
        {"pSVM": chosen, "MMD": ClassRatioEstimator()},
        share=0.1,
        shares=np.linspace(0.1, 0.9, 9),
        n_instances=size,
        n_draws=1,
        rng=draw,
    )
    found = zip(errors["mechanism"], errors["share"], errors["error"], strict=True)
    return {f"{name} {share:.1f}": error for name, share, error in found}


def _standard_error(values: list[float]) -> float:
    return float(np.std(values, ddof=1) / len(values) ** 0.5)


def _split_voters(n_sets: int, seed: int) -> dict[str, float]:
    """Mean L1 error of 20 draws of the counted proportion SVM, from 1,200 voters in so many sets."""
    votes, rng, errors = load_votes(), np.random.default_rng(seed), []
    known = np.tile(skewed_proportions(2, 0.1), (n_sets // 2, 1))
    towns = np.array([[0.1, 0.9], [0.5, 0.5], [0.9, 0.1]])
    wanted = np.round(np.vstack([known * 1200 / n_sets, towns * 1000]))
    for _ in range(20):
        sets = [votes.points[s] for s in draw_sets(votes.labels, wanted, rng)]
        svm = ProportionSVM(4.0, n_restarts=1, rng=0).fit(sets[:n_sets], known)
        errors.append(np.abs(svm.predict(sets[n_sets:]) - towns).sum(axis=1).mean())
    return {"mean": float(np.mean(errors)), "error": _standard_error(errors)}


def _publish(n_sets: int, largest: float, share: float) -> dict[str, float]:
    """30,000 digits published as sets of a skew: mean L1 error for 40 towns of any proportions.

    `largest` is the share of the instances in the first set; the others are equal. If the mechanism's error
    is missing, no scale of it gives (0.05, 0.05) by Equation 9.
    """
    from sklearn.metrics.pairwise import rbf_kernel

    digits = load_digits()
    kernel = rbf_kernel(digits.points, gamma=1 / (2 * 2.0**2))
    sizes = 30_000 * np.append(largest, np.full(n_sets - 1, (1 - largest) / (n_sets - 1)))
    known = np.tile(skewed_proportions(10, share), (n_sets // 10, 1))
    counts = np.round(known * sizes[:, None])
    laplace, dirichlet = (
        LaplaceCounts(0.05),
        ScaledDirichlet(0.05, 0.05, "exact", scale_from_private_counts=True),
    )
    releases = {"no noise": None, "Laplace": laplace, "scaled Dirichlet": dirichlet}
    try:
        _ = [dirichlet.scale_of(row) for row in counts]
    except ValueError:
        del releases["scaled Dirichlet"]
    places, people, noise = np.random.default_rng(1).spawn(3)  # the same towns whatever is published
    errors: dict[str, list[float]] = {name: [] for name in releases}
    for _ in range(40):
        rho = places.dirichlet(np.ones(10))
        town = draw_weights(digits.labels, places.multinomial(3000, rho)[None], rng=places)
        sets = draw_weights(digits.labels, counts, rng=people)
        gram, cross = sets @ kernel @ sets.T, sets @ kernel @ town.T
        for name, mechanism in releases.items():
            rows = [c / c.sum() if mechanism is None else mechanism.perturb(c, noise) for c in counts]
            errors[name].append(float(np.abs(match_proportions(gram, cross, rows)[0] - rho).sum()))
    means = {name: float(np.mean(values)) for name, values in errors.items()}
    return means | {f"{name}, error": _standard_error(values) for name, values in errors.items()}


_LEAST_COUNTS = {"MNIST": 149, "digits": 149, "votes": 59, "flights": 89, "opinions": 89}


def _noise_costs(data: str, seed: int) -> dict[str, float]:
    """Iyer's Figure 3 at epsilon = delta = 0.05: mean L1 errors, 20 draws of sets with 10 of noise each.

    By mechanism, with the printed noise and with the smallest.
    """
    mechanisms = {
        "printed Laplace": LaplaceCounts(0.05),
        "printed Laplace prior": LaplacePrior(0.05),
        "printed Gaussian": GaussianCounts(0.05, 0.05, calibration="classical"),
        "printed scaled Dirichlet": as_printed("exact"),
        "least Laplace": LaplaceCounts(0.05, 0.05),
        "least Laplace prior": LaplacePrior(0.05, 0.05),
        "least Gaussian": GaussianCounts(0.05, 0.05),
        "least scaled Dirichlet": ScaledDirichlet(0.05, 0.05, least_count=_LEAST_COUNTS[data]),
    }
    repeated: Mechanisms = {"no noise": None} | {
        (name, k): m for name, m in mechanisms.items() for k in range(10)
    }
    errors = figure_three(data, repeated, rng=seed).groupby("mechanism", sort=False)["error"].mean()
    found = {name: float(np.mean([errors[name, k] for k in range(10)])) for name in mechanisms}
    return {"no noise": float(errors["no noise"])} | found


_TOWNS_OF_NOISE = {0: 0.01, 3: 0.04, 9: 0.1}  # shares of the small classes, by place among the ten tried


def _noise_and_skew(seed: int) -> dict[str, float]:
    """Increase of the mean L1 error on MNIST from Laplace noise, by epsilon and share of small classes.

    20 draws of the sets, with 5 of the noise each.
    """
    laplace: Mechanisms = {f"{e} {k}": LaplaceCounts(e) for e in (0.01, 0.05) for k in range(5)}
    errors = figure_three("MNIST", {"no noise": None, **laplace}, rng=seed)
    mean = errors.groupby(["mechanism", "share"])["error"].mean().unstack()
    found: dict[str, float] = {}
    for epsilon in (0.01, 0.05):
        noisy = mean.loc[[f"{epsilon} {k}" for k in range(5)]].to_numpy()
        added = noisy.mean(axis=0) - mean.loc[["no noise"]].to_numpy()[0]
        found |= {f"{epsilon} at {share:.2f}": float(added[j]) for j, share in _TOWNS_OF_NOISE.items()}
    return found


def _drawn(points: Array, labels: NDArray[Any], counts: NDArray[Any], rng: np.random.Generator) -> Array:
    """Instances drawn with replacement, so many of each class."""
    return np.concatenate([rng.choice(points[labels == y], int(n)) for y, n in enumerate(counts)])


_TOWN = np.append(np.full(9, 0.05), 0.55)
_RATES = np.array([0.025, 0.975])


def _bootstrap(sets: list[Array], known: Array, town: Array, rng: np.random.Generator) -> Array:
    """Ends of percentile intervals: all sets are redrawn 200 times, the known proportions stay."""
    means = []
    for x in (*sets, town):
        n, often = len(x), np.zeros((200, len(x)))
        np.add.at(often, (np.arange(200)[:, None], rng.integers(0, n, (200, n))), 1 / n)
        means.append(often @ x)
    classes = np.linalg.solve(known, np.stack(means[:-1], axis=1))
    ratios = [np.linalg.lstsq(b.T, u, rcond=None)[0] for b, u in zip(classes, means[-1], strict=True)]
    return np.asarray(np.quantile(ratios, _RATES, axis=0))


def _coverage(n: int, seed: int) -> dict[str, float]:
    """Ten sets of n digits and a town of n, drawn from a population; 10 draws.

    How many of the ten intervals, and whether that of the last class, hold the set's ratio or the
    population's; mean widths.
    """
    digits, known, rng = load_digits(), skewed_proportions(10, 0.05), np.random.default_rng([n, seed])
    waves = random_fourier_features(digits.points, 4.0, 200, rng=0)
    rows = []
    for _ in range(10):
        sets = [_drawn(waves, digits.labels, c, rng) for c in np.round(known * n)]
        counts = rng.multinomial(n, _TOWN)
        town = _drawn(waves, digits.labels, counts, rng)
        ends = {
            target: ratio_intervals(sets, known, town, target=target)[["low", "high"]].to_numpy().T
            for target in ("set", "population")
        } | {"bootstrap": np.clip(_bootstrap(sets, known, town, rng), 0, 1)}
        row: dict[str, float] = {}
        for name, (low, high) in ends.items():
            row[f"{name}, width"] = (high - low).mean()
            for meant, ratio in (("set", counts / n), ("population", _TOWN)):
                held = (low <= ratio) & (ratio <= high)
                row |= {f"{name}, {meant}": held.mean(), f"{name}, {meant}, last": held[-1]}
        rows.append(row)
    return {name: float(np.mean([row[name] for row in rows])) for name in rows[0]}


def _classifier_coverage(n: int, seed: int) -> dict[str, float]:
    """The same for a classifier's adjusted probabilities, trained on labels of all 10 n digits; 5 draws.

    No image is drawn twice, and no image of the town is trained on. Intervals are QuaPy's bootstrap of the
    town, and first-order intervals for the training images' out-of-sample probabilities, in ten sets by
    label.
    """
    from joblib import parallel_config
    from quapy.method.aggregative import PACC
    from quapy.method.confidence import AggregativeBootstrap
    from sklearn.base import clone
    from sklearn.linear_model import LogisticRegression
    from sklearn.model_selection import cross_val_predict

    digits, rng, made = load_digits(), np.random.default_rng([n, seed]), np.repeat(np.arange(10), n)
    rows = []
    for _ in range(5):
        wanted = [np.full(10, n), rng.multinomial(n, _TOWN)]
        train, town = (digits.points[drawn] for drawn in draw_sets(digits.labels, wanted, rng))
        regression = LogisticRegression(max_iter=500)
        seen, ends = cross_val_predict(regression, train, made, method="predict_proba"), {}
        by_label = [seen[made == y] for y in range(10)]
        adjusted = PACC(clone(regression), solver="exact-raise", norm="mapsimplex")
        resampled = AggregativeBootstrap(adjusted, n_test_samples=200, random_state=seed)
        with parallel_config("sequential"):  # QuaPy's own processes would ignore the seed
            region = resampled.fit(train, made).predict_conf(town)[1]
        ends["QuaPy"] = np.array([region.I_low, region.I_high])
        scores = regression.fit(train, made).predict_proba(town)
        found = ratio_intervals(by_label, np.eye(10), scores, target="population")
        ends["first order"] = found[["low", "high"]].to_numpy().T
        row: dict[str, float] = {}
        for name, (low, high) in ends.items():
            held = (low <= _TOWN) & (high >= _TOWN)
            row |= {name: held.mean(), f"{name}, last": held[-1], f"{name}, width": (high - low).mean()}
        row["accuracy"] = (scores.argmax(axis=1) == np.repeat(np.arange(10), wanted[1])).mean()
        rows.append(row)
    return {name: float(np.mean([row[name] for row in rows])) for name in rows[0]}


def _shift(shift: str, n: int, seed: int) -> dict[str, float]:
    """A test of label shift at level 0.05, and the intervals, for towns without label shift; 40 draws.

    noise: the town's images have normal noise of standard deviation 0.1. new digit: a tenth of them are
    nines, which no training set contains. confused: three in ten of its eights are really threes, called
    eights.
    """
    digits, rng = load_digits(), np.random.default_rng([n, seed])
    known, town_ratio = skewed_proportions(9, 0.05), np.append(np.full(8, 0.05), 0.6)
    waves = random_fourier_features(digits.points, 4.0, 200, rng=0)
    if shift == "noise":
        noisy = digits.points + 0.1 * np.random.default_rng(1).standard_normal(digits.points.shape)
        shifted = random_fourier_features(noisy, 4.0, 200, rng=0)
    held, rejected, off = [], [], []
    for _ in range(40):
        sets = [_drawn(waves, digits.labels, c, rng) for c in np.round(known * n)]
        counts = np.round(town_ratio * n)
        seen = np.append(counts, 0.0)
        if shift == "new digit":
            seen[[8, 9]] += n / 10 * np.array([-1, 1])
        if shift == "confused":
            seen[[8, 3]] += round(0.3 * counts[8]) * np.array([-1, 1])
        town = _drawn(shifted if shift == "noise" else waves, digits.labels, seen, rng)
        found = ratio_intervals(sets, known, town)
        ratio = seen[:9] / n if shift == "new digit" else counts / n
        held.append(((found["low"] <= ratio) & (ratio <= found["high"])).mean())
        off.append(np.abs(found["ratio"] - ratio).sum())
        rejected.append(label_shift_test(sets, known, town).p_value < 0.05)
    return {
        "held": float(np.mean(held)),
        "rejected": float(np.mean(rejected)),
        "error": float(np.mean(off)),
    }


def _by_flipped_labels(flipped: Array, features: Array, town: list[Array], keep: float) -> Array:
    """Ratios of towns if training labels are randomized: the instances with the same report are a set.

    The class proportions of a set follow from the flips and the shares of the reports, by inversion.
    """
    told = np.bincount(flipped.astype(int), minlength=10) / len(flipped)
    law = np.full((10, 10), (1 - keep) / 9) + np.eye(10) * (
        keep - (1 - keep) / 9
    )  # distribution of the reports, one row for each label
    prior = np.maximum(project_to_simplex(np.linalg.solve(law.T, told)), 1e-3)
    known = (prior[:, None] * law).T
    means = np.array([features[flipped == y].mean(axis=0) for y in range(10)])
    cross = means @ np.array([x.mean(axis=0) for x in town]).T
    return match_proportions(means @ means.T, cross, known / known.sum(axis=1, keepdims=True))


def _quantifiers(data: str, seed: int) -> dict[str, float]:
    """Mean L1 error for ten towns of 3,000 images, none of them a training image.

    Seven tenths of the images are for training: with their labels, with labels by randomized response, or in
    ten disjoint sets of known proportions, exact or with geometric noise on the counts. Each set has 100
    digits or 300 images of MNIST. So a label is published at most once, and its epsilon is that of its
    person.
    """
    from quapy.method.aggregative import ACC, CC, EMQ, PACC, PCC, KDEyML
    from sklearn.base import clone
    from sklearn.linear_model import LogisticRegression
    from sklearn.model_selection import cross_val_predict

    images, bandwidth, cost = (load_digits(), 2.0, 1.0) if data == "digits" else (load_mnist(), 8.0, 0.1)
    points, labels, rng = images.points, images.labels.astype(int), np.random.default_rng(seed)
    seen = rng.permutation(len(labels)) < 0.7 * len(labels)
    truth = shifted_proportions(10, np.linspace(0.01, 0.1, 10))
    weights = draw_weights(labels, np.round(truth * 3000), allowed=~seen, rng=rng)
    towns = [np.repeat(np.arange(len(labels)), np.round(w * 3000).astype(int)) for w in weights]
    counts = np.round(skewed_proportions(10, 0.05) * (100 if data == "digits" else 300))
    waves = random_fourier_features(points, bandwidth, 500, rng=0)
    regression, found = LogisticRegression(C=cost, max_iter=500), {}
    town_waves = [waves[i] for i in towns]
    for method in (CC, PCC, ACC, PACC, EMQ, KDEyML):
        fitted = method(clone(regression)).fit(points[seen], labels[seen])
        found[method.__name__] = np.array([fitted.predict(points[i]) for i in towns])
    found["MMD, labels"] = _by_flipped_labels(labels[seen], waves[seen], town_waves, 1.0)
    means = np.stack([waves[seen][s].mean(axis=0) for s in draw_sets(labels[seen], counts, rng)])
    gram, cross = means @ means.T, means @ (weights @ waves).T
    mechanisms = {f"MMD, sets, epsilon {e:g}": GeometricCounts(e) for e in (4.0, 2.0, 1.0, 0.1)}
    for name, mechanism in ({"MMD, sets": None} | mechanisms).items():
        rows = [c / c.sum() if mechanism is None else mechanism.perturb(c, rng) for c in counts]
        found[name] = match_proportions(gram, cross, rows)
    for epsilon in (4.0, 2.0) if data == "digits" else ():
        keep = float(np.exp(epsilon) / (np.exp(epsilon) + 9))
        lies = (labels + rng.integers(1, 10, labels.size)) % 10
        flipped = np.where(rng.random(labels.size) < keep, labels, lies)[seen]
        fitted = EMQ(clone(regression)).fit(points[seen], flipped)
        found[f"EMQ, labels, epsilon {epsilon:g}"] = np.array([fitted.predict(points[i]) for i in towns])
        scores = cross_val_predict(regression, points[seen], flipped, method="predict_proba")
        regression.fit(points[seen], flipped)
        town_scores = [regression.predict_proba(points[i]) for i in towns]
        ratios = _by_flipped_labels(flipped, scores, town_scores, keep)
        found[f"PACC, known flips, epsilon {epsilon:g}"] = ratios
        ratios = _by_flipped_labels(flipped, waves[seen], town_waves, keep)
        found[f"MMD, known flips, epsilon {epsilon:g}"] = ratios
    return {name: float(np.abs(shares - truth).sum(axis=1).mean()) for name, shares in found.items()}


_TOWNS = np.array([[0.1, 0.9], [0.5, 0.5], [0.9, 0.1]])
_SPLITS = (2, 6, 20, 60, 120)


def _split_counts(n_sets: int) -> tuple[Array, NDArray[np.int64]]:
    """Shares of so many sets of 1,200 voters, and how many of each class they and three towns have."""
    shares = np.tile(skewed_proportions(2, 0.1), (n_sets // 2, 1))
    return shares, np.round(np.vstack([shares * 1200 / n_sets, _TOWNS * 1000])).astype(int)


def _split_estimates(n_sets: int, draw: int, noisy: bool) -> dict[str, float]:
    """Mean L1 error for three towns by so many sets of 1,200 voters, draw by draw from one stream.

    Twenty draws for each number of sets, by three estimators; then, with Laplace noise on each set's counts,
    by mixing classes. Also the estimated difference of two towns that differ by 0.8.
    """
    votes, rng, private = load_votes(), np.random.default_rng(1), LaplaceCounts(0.1)
    plain, noised = itertools.product(_SPLITS, range(20)), itertools.product(_SPLITS[:-1], range(20))
    for loud, (m, k) in (*((False, each) for each in plain), *((True, each) for each in noised)):
        shares, wanted = _split_counts(m)
        drawn = draw_sets(votes.labels, wanted, rng)
        known = np.array([private.perturb(row, rng) for row in wanted[:m]]) if loud else shares
        if (loud, m, k) == (noisy, n_sets, draw):
            break
    sets = [votes.points[s] for s in drawn]
    classes = ClassRatioEstimator(bandwidth=4.0, combine="classes")
    methods: dict[str, ClassRatioEstimator | ProportionSVM] = {"MMD, classes": classes}
    if not noisy:
        methods["MMD"] = ClassRatioEstimator(bandwidth=4.0)
        methods["pSVM"] = ProportionSVM(4.0, n_restarts=1, rng=0)
    found = {name: method.fit(sets[:m], known).predict(sets[m:]) for name, method in methods.items()}
    errors = {name: float(np.abs(x - _TOWNS).sum(axis=1).mean()) for name, x in found.items()}
    return errors | {f"{name}, range": float(x[2, 0] - x[0, 0]) for name, x in found.items()}


class _AdjustedSVM:
    """Classifier trained on half of the sets, with its rates estimated on the others."""

    def fit(self, sets: Sequence[ArrayLike], proportions: ArrayLike) -> "_AdjustedSVM":
        half, rows = len(sets) // 2, np.asarray(proportions)
        self.svm = ProportionSVM(4.0, n_restarts=1, rng=0).fit(sets[:half], rows[:half])
        self.match = ClassRatioEstimator(kernel="linear").fit(self.counts(sets[half:]), rows[half:])
        return self

    def counts(self, sets: Sequence[ArrayLike]) -> list[Array]:
        return list(self.svm.predict(sets)[:, None])

    def predict(self, sets: Sequence[ArrayLike]) -> Array:
        return self.match.predict(self.counts(sets))


class _LabelledReference:
    """QuaPy, given the true votes: a set has one class after the other."""

    def fit(self, sets: Sequence[ArrayLike], proportions: ArrayLike) -> "_LabelledReference":
        from quapy.method.aggregative import ACC
        from sklearn.linear_model import LogisticRegression

        points = [np.asarray(s) for s in sets]
        sizes = np.round(np.asarray(proportions) * [[len(s)] for s in points]).astype(int)
        labels = np.concatenate([np.repeat([0, 1], n) for n in sizes])
        self.quantifier = ACC(LogisticRegression(), val_split=5)
        self.quantifier.fit(np.concatenate(points), labels)
        return self

    def predict(self, sets: Sequence[ArrayLike]) -> Array:
        return np.array([self.quantifier.predict(s) for s in sets])


def _voters_under_shift(of: str, draw: int) -> dict[str, float]:
    """L1 errors on voters by method and share, one draw of a stream: of methods, or of bandwidths."""
    methods: dict[Any, Any] = {
        "pSVM": ProportionSVM(4.0, n_restarts=1, rng=0),
        "adjusted pSVM": _AdjustedSVM(),
        "MMD": ClassRatioEstimator(),
        "instance labels": _LabelledReference(),
    }
    kernels: dict[Any, Any] = {str(b): ClassRatioEstimator(bandwidth=b) for b in BANDWIDTHS}
    kernels |= {"linear": ClassRatioEstimator(kernel="linear"), "chosen": ClassRatioEstimator()}
    asked, n_shares, size, seed = (methods, 9, 600, 6) if of == "methods" else (kernels, 3, 300, 2)
    votes, shares, rng = load_votes(), np.linspace(0.1, 0.9, n_shares), np.random.default_rng(seed)
    for k in range(draw + 1):
        compared = asked if k == draw else {}
        errors = shift_errors(votes, compared, share=0.1, shares=shares, n_instances=size, n_draws=1, rng=rng)
    found = zip(errors["mechanism"], errors["share"], errors["error"], strict=True)
    return {f"{name} {share:.1f}": error for name, share, error in found}


def _voters_in_sets(n: int, part: int) -> dict[str, float]:
    """L1 errors for towns of n voters from two sets of n, by random features.

    Ten of 80 draws of each n, all of one stream.
    """
    votes, rng, errors = load_votes(), np.random.default_rng(5), {}
    for m, k in itertools.product(_SIZES[: _SIZES.index(n) + 1], range(80)):
        share = (0.2, 0.8)[k % 2]
        wanted = np.vstack([skewed_proportions(2, 0.1), [[share, 1 - share]]])
        drawn = draw_sets(votes.labels, np.round(wanted * m), rng)
        if m == n and k // 10 == part:
            *two, far = (votes.points[s] for s in drawn)
            match = ClassRatioEstimator(bandwidth=4.0, n_components=400, rng=0).fit(two, wanted[:2])
            errors[f"draw {k % 10}"] = float(np.abs(match.predict([far])[0] - wanted[2]).sum())
    return errors


_SIZES = (100, 300, 900, 2700)


_ADVISED = dict(n_sets=10, largest=0.1, share=0.03)
_OTHERWISE = (
    dict(n_sets=20, largest=0.05),
    dict(n_sets=20, largest=0.05, share=0.05),
    dict(largest=0.4),
    dict(largest=0.55),
    *(dict(share=r) for r in (0.005, 0.01, 0.016, 0.02, 0.05, 0.07, 0.09)),
)

RUNS: tuple[Run, ...] = (
    Run(
        name="figure-two",
        cell=_figure_two,
        cells=tuple(
            dict(data=which, draw=k) for which in _BINARY for k in range(100 if which == "spam" else 20)
        ),
        slow="a bandwidth is searched for by cross-validation, for two methods at nine shares",
    ),
    Run(
        name="noise-costs",
        cell=_noise_costs,
        cells=tuple(dict(data=which, seed=k) for which in SETTINGS for k in range(20)),
    ),
    Run(
        name="noise-and-skew",
        cell=_noise_and_skew,
        cells=grid(seed=range(40)),
    ),
    Run(
        name="split-voters",
        cell=_split_voters,
        cells=tuple(dict(n_sets=m, seed=k) for m in (2, 20, 120) for k in range(3)),
    ),
    Run(
        name="publisher-advice",
        cell=_publish,
        cells=(_ADVISED, *({**_ADVISED, **change} for change in _OTHERWISE)),
    ),
    Run(
        name="ratio-coverage",
        cell=_coverage,
        cells=(*grid(n=(200, 600), seed=range(20)), *grid(n=(2000,), seed=range(10))),
    ),
    Run(
        name="classifier-coverage",
        cell=_classifier_coverage,
        cells=grid(n=(50, 100), seed=range(20)),
    ),
    Run(
        name="label-shift",
        cell=_shift,
        cells=grid(shift=("none", "noise", "new digit", "confused"), n=(200, 600, 2000), seed=range(5)),
    ),
    Run(
        name="quantifiers",
        cell=_quantifiers,
        cells=(*grid(data=("digits",), seed=range(40)), *grid(data=("MNIST",), seed=range(5))),
    ),
    Run(
        name="split-estimates",
        cell=_split_estimates,
        cells=(
            *grid(noisy=(False,), n_sets=_SPLITS, draw=range(20)),
            *grid(noisy=(True,), n_sets=_SPLITS[:-1], draw=range(20)),
        ),
    ),
    Run(
        name="voters-under-shift",
        cell=_voters_under_shift,
        cells=grid(of=("methods", "bandwidths"), draw=range(20)),
    ),
    Run(
        name="voters-in-sets",
        cell=_voters_in_sets,
        cells=grid(n=_SIZES, part=range(8)),
    ),
)
