"""Long simulations on categorical answers."""

from collections.abc import Iterable, Mapping
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.special import softmax

from ldpbook import datasets
from ldpbook._arrays import Array
from ldpbook.categorical_answers.eigenvector import decode_checked, eigenvector_vote
from ldpbook.categorical_answers.known_channel import _kinds, _shares, decode_choices
from ldpbook.categorical_answers.one_layer import OneLayerFlip
from ldpbook.categorical_answers.trade_off import error_rate_changes, layers_at
from ldpbook.categorical_answers.two_layer import TwoLayerFlip
from ldpbook.categorical_answers.voting import (
    dawid_skene,
    majority_vote,
    weighted_vote,
    weighted_vote_printed,
)
from ldpbook.datasets.synthetic import VotingCrowd, simulate_duchenne, simulate_peer_grading
from ldpbook.foundations.answers import to_matrix
from ldpcourse.printed import printed_table
from ldpcourse.runs.kept import Run, grid

# For Table 2 and Table 3: the crowd used instead of the source's, the number of such crowds, and the number
# of runs on each.
_CROWDS = {2: (simulate_peer_grading, 96, 100), 3: (simulate_duchenne, 20, 40)}


def printed_numbers(number: int, epsilon: float, layer: str) -> dict[str, float]:
    """Two entries of Table 2 or 3, MV and TD, on crowds simulated to the published statistics.

    For the error rate, and for TD also its change: the mean, and the standard deviation of the mean of 100
    runs on one more crowd around it (for a change, with the noise of one unperturbed election). Also the
    standard deviation of one run's rate.
    """
    simulate, n_crowds, n_trials = _CROWDS[number]
    flip, no_flip = layers_at(epsilon, 2)[layer], OneLayerFlip(700.0, 2)
    own, none = [], []
    for k in range(n_crowds):
        crowd = simulate(np.random.default_rng([number, k]))
        rng = np.random.default_rng([number, k, round(1000 * epsilon), len(layer)])
        own.append(_error_rates(crowd, flip, n_trials, rng))
        none.append(_error_rates(crowd, no_flip, 10, rng))
    found = {}
    for v, vote in enumerate(("MV", "TD")):
        rates, bases = np.array(own)[:, v], np.array(none)[:, v]
        of_run, of_base = rates.var(axis=1, ddof=1).mean(), bases.var(axis=1, ddof=1).mean()
        found[f"{vote} run"] = np.sqrt(of_run)
        change = rates.mean(axis=1) - bases.mean(axis=1)
        for name, mean, base in [("rate", rates.mean(axis=1), 0.0), ("change", change, of_base)]:
            between = max(mean.var(ddof=1) - of_run / n_trials - base / 10, 0.0)  # minus the runs' noise
            error = between + of_run / 100 + base + mean.var(ddof=1) / n_crowds
            found |= {f"{vote} {name}": mean.mean(), f"{vote} {name} error": np.sqrt(error)}
    return {name: x for name, x in found.items() if not name.startswith("MV change")}


def _error_rates(
    crowd: VotingCrowd, flip: OneLayerFlip | TwoLayerFlip, n_trials: int, rng: np.random.Generator
) -> Array:
    """Error rates of MV and TD per trial, shape (2, n_trials)."""
    stack = flip.perturb(np.tile(crowd.answers, (n_trials, 1)), rng).reshape(n_trials, *crowd.answers.shape)
    elected = (
        majority_vote(stack, 2, ties="random", rng=rng),
        weighted_vote(stack, 2, ties="random", rng=rng).truth,
    )
    return np.stack([(np.asarray(x) != crowd.truth)[:, crowd.scored].mean(axis=1) for x in elected])


def column_deviations(number: int, vote: str) -> dict[str, float]:
    """Our mean of a column minus the printed one, in standard deviations of a crowd, by layer and base.

    The printed changes are counted from a base. It is the printed one; for TD, where this may be wrong, one
    unperturbed election ("own"); or the one implied by the printed table. (One layer is pure noise at epsilon
    0, so its change there is one half minus the base, up to randomness.)
    """
    all_runs = _redone(number, for_majority=(number, vote) == (3, "MV"))
    runs, bases = all_runs[all_runs["vote"] == vote], ("own", "printed", "implied")
    return {
        f"{layer}, {base}": _column_deviation(runs, number, layer, vote, base)
        for layer in ("one layer", "two layers")
        for base in (bases if vote == "TD" else bases[1:])
    }


def _redone(number: int, *, for_majority: bool = False) -> pd.DataFrame:
    """Runs of the protocol of Table 2 or 3 on simulated crowds; the layer "none" perturbs nothing.

    A majority needs only the tasks with a known truth, which allows more runs of Duchenne.
    """
    simulate, n_crowds, n_trials = {
        (2, False): (simulate_peer_grading, 24, 20),
        (3, False): (simulate_duchenne, 10, 2),
        (3, True): (simulate_duchenne, 24, 5),
    }[number, for_majority]
    epsilons = printed_table(number)["epsilon"].unique()
    flips = {(e, name): flip for e in epsilons for name, flip in layers_at(e, 2).items()}
    flips[np.inf, "none"] = OneLayerFlip(700.0, 2)
    rng = np.random.default_rng(number)
    runs: list[pd.DataFrame] = []
    for crowd in [simulate(rng) for _ in range(n_crowds)]:
        truth = crowd.truth[crowd.scored]
        answers, scored = (
            (crowd.answers[:, crowd.scored], None) if for_majority else (crowd.answers, crowd.scored)
        )
        run = error_rate_changes(answers, truth, flips, choices=2, n_trials=n_trials, rng=rng, scored=scored)
        runs.append(run.assign(crowd=len(runs)))
    both = pd.concat(runs)
    both[["epsilon", "layer"]] = both["mechanism"].tolist()
    return both


def _column_deviation(runs: pd.DataFrame, number: int, layer: str, vote: str, base: str) -> float:
    printed = printed_table(number)
    column = printed[(printed["layer"] == layer) & (printed["vote"] == vote)]["printed"].mean()
    own = runs[runs["layer"] == layer]
    unperturbed = runs[runs["layer"] == "none"].groupby("crowd")["error_rate"]
    crowds, of_base = own.groupby("crowd")["error_rate"].mean(), 0.0
    if base == "implied":
        noise = (printed["epsilon"] == 0) & (printed["layer"] == "one layer") & (printed["vote"] == vote)
        column += 0.5 - printed[noise]["printed"].item()
        of_base = runs[(runs["layer"] == "one layer") & (runs["epsilon"] == 0)]["error_rate"].var() / 100
    elif base == "printed":
        column += {2: 7 / 26, 3: 38 / 159}[number]
    else:
        crowds = crowds - unperturbed.mean()
        of_base = unperturbed.var().mean() * (1 - 1 / unperturbed.size().iloc[0])
    of_run = own.groupby(["crowd", "epsilon"])["error_rate"].var().mean()
    between = max(crowds.var() - of_run / (len(own) / len(crowds)), 0.0)
    variance = between + crowds.var() / len(crowds) + of_run / 1300 + of_base
    return float((crowds.mean() - column) / np.sqrt(variance))


def shared_flips(number: int, layer: str) -> dict[str, float]:
    """Correlation of the error rates of MV and TD in the runs on a crowd, with both votes on the same flips.

    Crowds are like those of Table 2 or 3 at epsilon 0.001, where the printed columns end. The correlation has
    its standard error.
    """
    simulate, n_crowds, n_trials = {2: (simulate_peer_grading, 40, 100), 3: (simulate_duchenne, 10, 20)}[
        number
    ]
    flip, rates = layers_at(0.001, 2)[layer], []
    for k in range(n_crowds):
        rng = np.random.default_rng([23, number, k])
        rates.append(_error_rates(simulate(rng), flip, n_trials, rng))
    mv, td = (np.array(rates) - np.mean(rates, axis=2, keepdims=True)).transpose(1, 0, 2).reshape(2, -1)
    r = mv @ td / np.sqrt((mv @ mv) * (td @ td))
    return {"correlation": r, "error": (1 - r**2) / np.sqrt(n_crowds * (n_trials - 1))}


def other_discoveries(spread: float, weights: str, crowd: int) -> dict[str, float]:
    """Error rates of truth discovery with other weights, on crowds like Duchenne with other users.

    With both layers at four epsilons, six perturbations each, and without flips.
    """
    rng = np.random.default_rng([round(1000 * spread), len(weights), crowd])
    drawn = simulate_duchenne(rng, spread=spread)
    answers, n_tasks = drawn.answers, drawn.answers.shape[1]
    n_answers = np.tile((~np.isnan(answers)).sum(axis=1), 6)
    flips = {(e, name): flip for e in (1.0, 0.5, 0.1, 0.0) for name, flip in layers_at(e, 2).items()}
    flips[np.inf, "none"] = OneLayerFlip(700.0, 2)
    found = {}
    for (epsilon, layer), flip in flips.items():
        stack = flip.perturb(np.tile(answers, (6, 1)), rng).reshape(6, *answers.shape)
        ties: dict[str, Any] = {"ties": "random", "rng": rng}
        if weights == "log-odds":
            elected = weighted_vote(stack, 2, **ties).truth
        elif weights == "share":  # of agreements among all tasks
            elected = weighted_vote_printed(stack, 2, lambda share: share, **ties).truth
        else:  # agreements minus disagreements; the share counts one more answer of each kind
            excess = partial(_excess, n_tasks=n_tasks, n_answers=n_answers)
            elected = weighted_vote_printed(stack, 2, excess, **ties).truth
        wrong = (np.asarray(elected) != drawn.truth)[:, drawn.scored]
        found[f"{layer}, {epsilon}"] = wrong.mean()
    return found


def users_who_differ(crowd: int) -> dict[str, float]:
    """Error rates of MV and TD with two layers at epsilon 0.5, on a crowd like Duchenne with a spread of 0.1.

    Means of eight runs.
    """
    rng = np.random.default_rng([29, crowd])
    drawn = simulate_duchenne(rng, spread=0.1)
    mv, td = _error_rates(drawn, layers_at(0.5, 2)["two layers"], 8, rng).mean(axis=1)
    return {"MV": mv, "TD": td}


def _excess(share: Array, n_tasks: int, n_answers: Array) -> Array:
    agreements = share * (n_tasks + 2) - 1
    return 2 * agreements - n_answers


def weights_after_flips(crowd: str, high: float, part: int) -> dict[str, float]:
    """Correlation of a user's flip probability and estimated weight, in 100 runs with U(0, b) on one crowd.

    Mean and mean square of the correlation, and the number of runs in which it is negative. Also, over the
    runs with users who drew less than 0.05, the same for these users' mean weight after the flips minus that
    before.
    """
    clear: dict[str, Any] = {"n_workers": 64, "n_tasks": 2134, "n_answers": 17_729, "n_scored": 159}
    clear["base_accuracy"] = 0.9
    simulate: dict[str, Any] = {
        "clear": partial(datasets.voting_crowd, **clear),
        "Duchenne": simulate_duchenne,
        "peer grading": simulate_peer_grading,
    }
    answers = simulate[crowd](rng=1).answers
    rng = np.random.default_rng([len(crowd), round(1000 * high), part])
    correlations, gains = [], []
    for _ in range(100):
        p = rng.uniform(0, high, (len(answers), 1))
        flipped = np.where(rng.random(answers.shape) < p, 1 - answers, answers)
        before, after = weighted_vote(np.stack([answers, flipped]), 2, ties="random", rng=rng).quality
        correlations.append(np.corrcoef(p[:, 0], after)[0, 1])
        few = p[:, 0] < 0.05
        gains += [(after - before)[few].mean()] if few.any() else []
    found = {"negative": float(np.sum(np.array(correlations) < 0))}
    for name, x in (("correlation", np.array(correlations)), ("gain", np.array(gains))):
        found |= {f"{name} runs": len(x), name: x.mean(), f"{name} square": (x**2).mean()}
    return found


_DRAWS = {"answer": (600, 6), "cell": (600, 3), "worker": (600, 3)}  # trials and seed, by unit


def layers_on_birds(unit: str) -> dict[str, float]:
    """Error rates on the bluebirds, each followed by its standard error, at many epsilons of one unit.

    Epsilon is that of a single answer, of one cell among a worker's 108, or of the worker by 108.
    """
    birds = datasets.load_bluebirds()
    answers, truth = to_matrix(birds.answers), birds.truth.sort_index().to_numpy(dtype=float)
    flips = _both_layers((2.0, *printed_table(2)["epsilon"].unique().tolist()), answers.shape[1], unit)
    n_trials, seed = _DRAWS[unit]
    rng = np.random.default_rng(seed)
    runs = error_rate_changes(answers, truth, flips, choices=2, n_trials=n_trials, rng=rng)
    rates_of: Any = runs.groupby(["mechanism", "vote"], sort=False)["error_rate"]
    found: dict[str, float] = {}
    for (flip, vote), rates in rates_of:
        name = ", ".join(map(str, (*flip, vote)))
        found |= {name: rates.mean(), f"{name}, error": rates.sem()}
    return found


def layer_gaps(seed: int) -> dict[str, float]:
    """Error of two layers minus that of one on simulated crowds, each followed by its standard error.

    By crowd, unit of epsilon, epsilon and vote; 40 crowds each.
    """
    rng = np.random.default_rng(seed)
    crowds = (("peer grading", simulate_peer_grading, 5, 20), ("Duchenne", simulate_duchenne, 278, 3))
    found: dict[str, float] = {}
    for name, simulate, n_answers, n_trials in crowds:
        for unit in ("cell", "worker"):
            flips = _both_layers((1.0, 0.8, 0.5, 0.3), n_answers, unit)
            gaps = []
            for crowd in [simulate(rng) for _ in range(40)]:
                trials: dict[str, Any] = {"choices": 2, "n_trials": n_trials, "rng": rng}
                trials["scored"] = crowd.scored
                run = error_rate_changes(crowd.answers, crowd.truth[crowd.scored], flips, **trials)
                run[["epsilon", "layer"]] = run["mechanism"].tolist()
                change = run.groupby(["epsilon", "vote", "layer"])["error_change"].mean().unstack()
                gaps.append(change["two layers"] - change["one layer"])
            by_epsilon: Any = pd.concat(gaps, axis=1).iterrows()
            for (epsilon, vote), gap in by_epsilon:
                own = f"{name}, {unit}, {epsilon}, {vote}"
                found |= {own: gap.mean(), f"{own}, error": gap.sem()}
    return found


def _both_layers(
    epsilons: Iterable[float], n_answers: int, unit: str
) -> dict[tuple[float, str], OneLayerFlip | TwoLayerFlip]:
    """One and two layers by epsilon and name."""
    flips: dict[tuple[float, str], OneLayerFlip | TwoLayerFlip] = {}
    for epsilon in epsilons:
        if unit == "worker":
            layers = layers_at(n_answers * epsilon, 2, n_answers=n_answers, unit="worker")
        else:
            layers = layers_at(epsilon, 2, n_answers=None if unit == "answer" else n_answers)
        flips |= {(epsilon, name): flip for name, flip in layers.items()}
    return flips


READERS = ("majority", "Dawid-Skene", "composed", "decoded")


def read_by(crowd: str, epsilon: float) -> Mapping[str, float]:
    """Share of wrong truths by four decoders of the same one-layer reports, with standard errors.

    Also the amount by which "decoded" errs more than each other decoder, task by task. The bluebirds are the
    same in all trials, with new flips: their standard errors are over flips and over tasks, for these
    workers. Other crowds are drawn again in each trial, and their standard errors are over trials.
    """
    same = crowd == "birds" and epsilon > 20  # without flips all trials are the same
    n_trials = 1 if same else {"birds": 32, "alike": 300, "confused": 24}[crowd]
    wrong = np.array([_wrong(crowd, epsilon, trial) for trial in range(n_trials)])
    trials, tasks = wrong.shape[0], wrong.shape[2]
    found: dict[str, float] = {}
    read = dict(zip(READERS, wrong.transpose(1, 0, 2), strict=True))
    less = {f"decoded less {name}": read["decoded"] - read[name] for name in READERS[:-1]}
    for name, x in {**read, **less}.items():
        by_trial, by_task = x.mean(axis=1), x.mean(axis=0)
        if crowd != "birds":
            variance = by_trial.var(ddof=1) / trials
        else:
            variance = by_task.var(ddof=1) / tasks
            if trials > 1:  # crossed: both means contain the residual variance, so it is subtracted once
                rest = x - by_trial[:, None] - by_task + x.mean()
                square = (rest**2).sum() / (trials - 1) / (tasks - 1)
                variance += by_trial.var(ddof=1) / trials - square / trials / tasks
        found |= {name: x.mean(), f"{name} error": np.sqrt(max(variance, 0.0))}
    return found


def _wrong(crowd: str, epsilon: float, trial: int) -> Array:
    """Whether each task is wrong, shape (readers, n), in one trial."""
    rng = np.random.default_rng([17, len(crowd), round(100 * epsilon), trial])
    reports, flip, truth = _reports(crowd, epsilon, rng)
    s = flip.n_choices
    truths = (
        majority_vote(reports, s, ties="random", rng=rng),
        dawid_skene(reports, s).truth,
        _composed(reports, flip.transition_matrix),
        decode_choices(reports, flip).truth,
    )
    return np.array([np.asarray(elected) != truth for elected in truths], dtype=float)


def _reports(crowd: str, epsilon: float, rng: np.random.Generator) -> tuple[Array, OneLayerFlip, Array]:
    """One-layer reports of a crowd, their flip, and the truths."""
    if crowd == "birds":
        birds = datasets.load_bluebirds()
        answers, truth = to_matrix(birds.answers), birds.truth.sort_index().to_numpy(dtype=float)
    elif crowd == "alike":
        grading = simulate_peer_grading(rng)
        answers, truth = grading.answers, grading.truth
    else:
        answers, truth = _confused(rng)
    s = 4 if crowd == "confused" else 2
    flip = OneLayerFlip(epsilon, s)
    return flip.perturb(answers, rng), flip, truth


def composed_less(crowd: str, epsilon: float, part: int) -> dict[str, float]:
    """Share of wrong truths by the composed model minus that by Dawid and Skene's: mean and mean square.

    Over so many newly drawn crowds.
    """
    n_crowds = {"alike": 100, "confused": 40}[crowd]
    rng = np.random.default_rng([62, len(crowd), round(100 * epsilon), part])
    less = []
    for _ in range(n_crowds):
        reports, flip, truth = _reports(crowd, epsilon, rng)
        plain = np.asarray(dawid_skene(reports, flip.n_choices).truth) != truth
        less.append((_composed(reports, flip.transition_matrix) != truth).mean() - plain.mean())
    return {"crowds": n_crowds, "less": np.mean(less), "square": np.mean(np.square(less))}


def hard_crowds(kind: str, epsilon: float, trial: int) -> dict[str, float]:
    """Share of wrong truths by five decoders of one perturbed crowd unlike the decoder's model."""
    rng = np.random.default_rng([54, trial])
    confusion, truth = _hard_crowd(kind, rng)
    s = confusion.shape[1]
    draw = rng.random((len(confusion), len(truth), 1))
    answers = (draw > confusion[:, truth].cumsum(axis=2)[..., :-1]).sum(axis=2)
    flip = OneLayerFlip(epsilon, s)
    reports = flip.perturb(answers.astype(float), rng)
    elected = {
        "majority": majority_vote(reports, s, ties="random", rng=rng),
        "Dawid-Skene": dawid_skene(reports, s).truth,
        "eigenvector": eigenvector_vote(reports, s).truth,
    }
    checked = decode_checked(reports, flip, rng=rng)
    elected |= {"decoded": checked.decoded.truth, "checked": checked.truth}
    return {name: float((np.asarray(each) != truth).mean()) for name, each in elected.items()}


def _hard_crowd(kind: str, rng: np.random.Generator) -> tuple[Array, NDArray[np.int64]]:
    """Confusion matrices of the workers, and truths."""
    if kind == "rare class":  # one task in twenty
        accuracy, rare = rng.uniform(0.7, 0.9, 11), rng.random(80) < 0.05
        both = np.array([[accuracy, 1 - accuracy], [1 - accuracy, accuracy]]).transpose(2, 0, 1)
        return both, rare.astype(int)
    if kind == "all confuse alike":  # truth 2 is mostly called 1
        one = [[0.8, 0.1, 0.1], [0.1, 0.8, 0.1], [0.1, 0.55, 0.35]]
        return np.tile(one, (20, 1, 1)), rng.integers(0, 3, 60)
    accuracy = np.where(np.arange(9) == 0, 0.98, 0.5)  # one worker is careful, eight guess
    both = np.array([[accuracy, 1 - accuracy], [1 - accuracy, accuracy]]).transpose(2, 0, 1)
    return both, rng.integers(0, 2, 100)


def _confused(rng: np.random.Generator) -> tuple[Array, Array]:
    """Four choices, unequally often true, and workers with confusion matrices drawn row by row.

    60 workers, 150 tasks, a quarter of all cells answered.
    """
    truth = rng.choice(4, 150, p=[0.4, 0.3, 0.2, 0.1])
    rows = rng.gamma(1 + 3 * np.eye(4), size=(60, 4, 4))
    steps = (rows / rows.sum(axis=2, keepdims=True)).cumsum(axis=2)
    answers = (rng.random((60, 150, 1)) > steps[:, truth, :3]).sum(axis=2).astype(float)
    answers[rng.random(answers.shape) >= 0.25] = np.nan
    return answers, truth.astype(float)


def checked_readers(crowd: str, epsilon: float, trial: int) -> dict[str, float]:
    """Share of wrong truths by six decoders of one perturbed crowd, and the p-value of the check.

    "true rates" knows the flips, and the crowd's true rates of each worker and of the truths; on the
    bluebirds, the rates on the other pictures.
    """
    rng = np.random.default_rng([60, len(crowd), round(10 * epsilon), trial])
    if crowd == "birds":
        birds = datasets.load_bluebirds()
        answers, truth = to_matrix(birds.answers), birds.truth.sort_index().to_numpy(dtype=np.intp)
        rates, share = _other_tasks(answers, truth)
    else:
        rates, share = _plain_crowd(crowd, rng)
        truth = rng.choice(len(share), 100, p=share)
        draw = rng.random((len(rates), len(truth), 1))
        answers = (draw > rates[:, truth].cumsum(axis=2)[..., :-1]).sum(axis=2).astype(float)
    s = share.shape[-1]
    flip = OneLayerFlip(epsilon, s)
    reports = flip.perturb(answers, rng)
    checked = decode_checked(reports, flip, rng=rng)
    elected = {
        "majority": majority_vote(reports, s, ties="random", rng=rng),
        "Dawid-Skene": dawid_skene(reports, s).truth,
        "decoded": checked.decoded.truth,
        "eigenvector": eigenvector_vote(reports, s).truth,
        "checked": checked.truth,
        "true rates": _by_rates(reports, rates @ flip.transition_matrix, share),
    }
    wrong = {name: float((np.asarray(each) != truth).mean()) for name, each in elected.items()}
    return wrong | {"p-value": checked.p_value}


def _plain_crowd(crowd: str, rng: np.random.Generator) -> tuple[Array, Array]:
    """Confusion matrices of 30 workers, and the shares of truths."""
    if crowd == "shared":  # truth 2 is mostly called 1
        one = [[0.8, 0.1, 0.1], [0.1, 0.8, 0.1], [0.1, 0.55, 0.35]]
        return np.tile(one, (30, 1, 1)), np.full(3, 1 / 3)
    worst, best, rare = {"alike": (0.65, 0.75, 0.5), "skewed": (0.55, 0.95, 0.3), "rare": (0.7, 0.9, 0.05)}[
        crowd
    ]
    accuracy = rng.uniform(worst, best, 30)
    both = np.array([[accuracy, 1 - accuracy], [1 - accuracy, accuracy]]).transpose(2, 0, 1)
    return both, np.array([1 - rare, rare])


def _other_tasks(answers: Array, truth: NDArray[np.intp]) -> tuple[Array, Array]:
    """Confusion matrices (n, m, 2, 2) and shares (n, 2) of all tasks except one, one more answer each."""
    of_truth, said = np.eye(2)[truth], np.stack([answers == 0, answers == 1]).astype(float)
    own = of_truth[:, None, :, None] * said.transpose(2, 1, 0)[:, :, None]
    counts = own.sum(axis=0) - own + 1
    rest = of_truth.sum(axis=0) - of_truth
    return counts / counts.sum(axis=3, keepdims=True), rest / rest.sum(axis=1, keepdims=True)


def _by_rates(reports: Array, law: Array, share: Array) -> NDArray[np.intp]:
    """Most probable truths of a full table, given the distributions of the reports, one or one per task."""
    law = np.broadcast_to(law, (reports.shape[1], *law.shape[-3:]))
    told = np.take_along_axis(law, reports.T.astype(np.intp)[:, :, None, None], axis=3)[..., 0]
    most: NDArray[np.intp] = (np.log(told).sum(axis=1) + np.log(share)).argmax(axis=1)
    return most


def two_starts(epsilon: float, trial: int) -> dict[str, float]:
    """Messages on the bluebirds that start from equal kinds, or from the votes of the eigenvector.

    The decoder's kinds have whole weights; the shares of kinds are learned, with ten answers of each worker
    for the smooth distribution. Returns the largest difference of two converged beliefs, and the share of
    tasks elected differently.
    """
    rng = np.random.default_rng([61, round(10 * epsilon), trial])
    flip = OneLayerFlip(epsilon, 2)
    reports = flip.perturb(to_matrix(datasets.load_bluebirds().answers), rng)
    confusion, weight, lean, width = (x[_kinds(2)[1] % 1 == 0] for x in _kinds(2))
    law, smooth = confusion @ flip.transition_matrix, _shares(weight, lean, width, 0.5, 0.36, 0.09)
    imagined = len(reports) * 10 / reports.shape[1] / (1 - 2 * flip.flip_probability) ** 2
    ones = reports[:, :, None] == 1
    told = np.log(np.where(ones, np.exp(smooth) @ law[:, :, 1], np.exp(smooth) @ law[:, :, 0]))
    vote = np.asarray(eigenvector_vote(reports, 2).truth)[:, None] == [0, 1]
    found = []
    for belief in (softmax(told.sum(axis=0) - told, axis=2), np.where(vote, 0.9, 0.1) + 0 * told):
        shares = smooth
        for _ in range(100):
            heard = np.log(np.where(ones, belief @ law[:, :, 1].T, belief @ law[:, :, 0].T))
            total = heard.sum(axis=1, keepdims=True) + shares
            kind = softmax(total - heard, axis=2)
            told = np.log(np.where(ones, kind @ law[:, :, 1], kind @ law[:, :, 0]))
            moved = softmax(told.sum(axis=0) - told, axis=2) - belief
            belief = belief + 0.7 * moved
            held = softmax(total[:, 0], axis=1).sum(axis=0) + imagined * np.exp(smooth)
            shares = np.log(held / held.sum())
            if np.abs(moved).max() < 1e-4:
                break
        found.append(softmax(told.sum(axis=0), axis=1)[:, 1])
    one, other = found
    return {"apart": np.abs(one - other).max(), "otherwise": ((one > 0.5) != (other > 0.5)).mean()}


def _composed(reports: Array, channel: Array) -> Array:
    """Truths by Dawid and Skene's EM, each confusion matrix composed with the channel."""
    s = len(channel)
    seen = np.stack([reports == y for y in range(s)]).astype(float)  # choice, worker, task
    posterior = (seen.sum(axis=1) / np.maximum(seen.sum(axis=(0, 1)), 1)).T
    confusion = np.full((len(reports), s, s), 1 / s) + np.eye(s)
    for _ in range(100):
        expected = np.einsum("jx,yij->ixy", posterior, seen)  # numbers of reports by worker, truth, symbol
        for _ in range(5):
            share = expected / np.maximum(confusion @ channel, 1e-300)
            confusion = confusion * (share @ channel.T) + 0.01
            confusion /= confusion.sum(axis=2, keepdims=True)
        law = np.log(confusion @ channel)
        joint = np.einsum("ixy,yij->jx", law, seen) + np.log(np.maximum(posterior.mean(axis=0), 1e-300))
        before, posterior = posterior, np.exp(joint - joint.max(axis=1, keepdims=True))
        posterior /= posterior.sum(axis=1, keepdims=True)
        if np.abs(posterior - before).max() < 1e-6:
            break
    truth: Array = np.where(seen.any(axis=(0, 1)), posterior.argmax(axis=1), np.nan)
    return truth


_ONE_STREAM = "all flips come from one stream of randomness, and none of them can be drawn alone"
_BUDGETS = (0.5, 1.0, 1.5, 2.0, 3.0)
RUNS = (
    Run(
        name="printed-numbers",
        cell=printed_numbers,
        cells=grid(
            number=(2, 3),
            epsilon=printed_table(2)["epsilon"].unique().tolist(),
            layer=("one layer", "two layers"),
        ),
    ),
    Run(
        name="column-deviations",
        cell=column_deviations,
        cells=grid(number=(2, 3), vote=("MV", "TD")),
        slow=_ONE_STREAM,
    ),
    Run(
        name="shared-flips",
        cell=shared_flips,
        cells=grid(number=(2, 3), layer=("one layer", "two layers")),
    ),
    Run(
        name="other-discoveries",
        cell=other_discoveries,
        cells=grid(spread=(0.05, 0.07, 0.085, 0.1), weights=("log-odds", "excess", "share"), crowd=range(12)),
    ),
    Run(name="users-who-differ", cell=users_who_differ, cells=grid(crowd=range(96))),
    Run(
        name="weights-after-flips",
        cell=weights_after_flips,
        cells=grid(crowd=("clear", "Duchenne", "peer grading"), high=(0.6, 0.755, 0.95, 1.0), part=range(8)),
    ),
    Run(name="layers-on-birds", cell=layers_on_birds, cells=grid(unit=_DRAWS), slow=_ONE_STREAM),
    Run(name="layer-gaps", cell=layer_gaps, cells=grid(seed=(4,)), slow=_ONE_STREAM),
    Run(
        name="read-by",
        cell=read_by,
        cells=grid(crowd=("birds", "alike", "confused"), epsilon=(0.25, 0.5, 1.0, 1.5, 2.0, 3.0, 4.0, 50.0)),
        slow="decoding takes a tenth of a second to two on each of the 24 to 300 crowds of a setting",
    ),
    Run(
        name="composed-less",
        cell=composed_less,
        cells=grid(crowd=("alike", "confused"), epsilon=(0.5, 1.0, 1.5, 2.0), part=range(12)),
    ),
    Run(
        name="hard-crowds",
        cell=hard_crowds,
        cells=grid(
            kind=("rare class", "all confuse alike", "one careful"), epsilon=(2.0, 4.0), trial=range(48)
        ),
    ),
    Run(
        name="checked-readers",
        cell=checked_readers,
        cells=(
            *grid(crowd=("birds",), epsilon=_BUDGETS[:2], trial=range(24)),
            *grid(crowd=("birds",), epsilon=_BUDGETS[2:], trial=range(48)),
            *grid(crowd=("alike", "skewed", "rare", "shared"), epsilon=_BUDGETS, trial=range(24)),
        ),
    ),
    Run(name="two-starts", cell=two_starts, cells=grid(epsilon=(2.0, 3.0), trial=range(6))),
)
