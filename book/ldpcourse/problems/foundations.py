"""Problems on foundations, with different numbers for every student."""

from collections.abc import Callable
from math import ceil, exp, log1p, sqrt

import numpy as np

from ldpbook.foundations.bounds import highest_belief
from ldpbook.foundations.local_privacy import discrete_epsilon
from ldpbook.foundations.truth_inference import infer_truth
from ldpcourse.problems.problem import Problem, drawn


def _fingerprint(rng: np.random.Generator) -> Problem:
    answered, n_tasks = int(rng.integers(6, 11)), int(rng.integers(20, 46))
    percent = int(rng.choice([80, 90, 95]))
    both = answered * (answered - 1) / (n_tasks * (n_tasks - 1))
    return Problem(
        f"Each worker of a crowd answers {answered} of {n_tasks} tasks, drawn at random for each worker and"
        " independently of the others. An attacker knows two of the tasks that one worker answered. What is"
        " the smallest number of workers in the crowd, this one included, for which at least one other"
        f" worker answered both tasks too, with a probability of at least {percent} %?",
        1 + ceil(log1p(-percent / 100) / log1p(-both)),
        explanation="The tasks of one worker are drawn without replacement, so another worker has both with"
        " probability k(k-1)/(n(n-1)), not (k/n) squared; the others are independent, and the worker"
        " herself has to be added. Where: the attack of *What an empty cell gives away*; with a formula in"
        " the solution of ex-crowd-random.",
    )


def _round(rng: np.random.Generator) -> Problem:
    """The standard deviations differ enough to recognize how an answer computed the weights."""
    while True:
        table = rng.integers(0, 10, (3, 3)).astype(float)
        ann, bob, cem = ([int(a) for a in row] for row in table)
        table[0, 2] = np.nan
        weights = infer_truth(table, max_iter=1, sigma_floor=1e-9).quality
        if 1.4 * weights.min() < weights.max() < 4 * weights.min():
            break
    return Problem(
        f"Three workers answer three tasks: Ann {ann[0]}, {ann[1]} and NULL, Bob {bob[0]}, {bob[1]} and"
        f" {bob[2]}, Cem {cem[0]}, {cem[1]} and {cem[2]}. Algorithm 1 starts from equal weights and has no"
        " floor. What is Ann's weight after the first round (truths, standard deviations and weights once"
        " each)? The weights of the three add up to 1.",
        float(weights[0]),
        explanation="Truths are means over those who answered. A standard deviation is the square root of"
        " the mean square over a worker's own answers (Ann has two). Weights are inverse to standard"
        " deviations, not to variances, and are scaled to add up to 1.",
    )


def _belief(rng: np.random.Generator) -> Problem:
    """The largest ratio is that of no to yes, so that this device does not reach the largest belief."""
    while True:
        yes, no = (np.diff([0, *np.sort(rng.choice(np.arange(1, 20), 2, replace=False)), 20]) for _ in "yn")
        if (no / yes).max() > 1.2 * (yes / no).max() > 1.3:
            break
    prior = drawn(rng, 0.05, 0.5)
    channel = np.array([yes, no]) / 20
    told = [", ".join(f"{p:.2f}" for p in row) for row in channel]
    return Problem(
        f"A device sends A, B or C: with the probabilities {told[0]} if a worker's answer is yes, and with"
        f" {told[1]} if it is no. A curator believes with probability {prior:.2f} that it is yes. Take the"
        " exact epsilon of this device for the two answers. What is the largest belief in yes that one output"
        " of any device with this epsilon can lead to?",
        highest_belief(prior=prior, epsilon=discrete_epsilon(channel)),
        explanation="Epsilon is the largest logarithm of a ratio, over outputs and over both orders of the"
        " two answers. One output of any device with this epsilon multiplies the odds of yes by at most e to"
        " the epsilon, even though this device moves the belief less. Where: the odds in *The definition*.",
    )


def _draws(rng: np.random.Generator) -> Problem:
    n_draws, value = int(rng.integers(8, 40)), drawn(rng, 1, 5, 1)
    deviation, z = float(rng.uniform(1, 4)), float(rng.uniform(0.5, 7))
    mean = round(value + z * deviation / sqrt(n_draws), 2)
    square = round(mean**2 + deviation**2, 2)
    variance = (square - mean**2) * n_draws / (n_draws - 1)
    return Problem(
        f"{n_draws} independent draws have the mean {mean:.2f}, and their squares the mean {square:.2f}."
        f" A formula says that their expectation is {value:.1f}. What is z of the Monte Carlo check: the"
        " mean minus the formula's value, in units of the mean's standard error? The sample variance divides"
        " by the number of draws minus one.",
        (mean - value) / sqrt(variance / n_draws),
        explanation="The standard deviation of a mean of independent draws is that of one draw, divided by"
        " the square root of their number. The check passes if the absolute value of z is at most 4; this"
        " says nothing if draws depend on each other.",
    )


def _warner(rng: np.random.Generator) -> Problem:
    n_people, epsilon = 50 * int(rng.integers(4, 41)), drawn(rng, 0.5, 2, 1)
    truthful = exp(epsilon) / (1 + exp(epsilon))
    share = float(rng.uniform(0.1, 0.6))
    reports = round(n_people * (1 - truthful + (2 * truthful - 1) * share))
    seen = reports / n_people
    error = sqrt(seen * (1 - seen) / n_people) / (2 * truthful - 1)
    return Problem(
        f"{n_people} people are drawn at random from a large town and asked yes or no. Each of them answers"
        f" by binary randomized response with exact epsilon {epsilon:.1f}; {reports} reports say yes. What"
        " is the unbiased estimate of the town's share of yes plus two of its standard errors? In the"
        " standard error, use the observed share of yes among reports instead of its expectation.",
        (seen - (1 - truthful)) / (2 * truthful - 1) + 2 * error,
        explanation="The expected share of yes among reports is 1 - p + (2p - 1) times the town's share,"
        " where p is the probability of a true report. Solving for the town's share divides by 2p - 1, and"
        " the standard error is divided by it too. Epsilon protects one answer of one person: the"
        " neighbours are her yes and her no.",
    )


PROBLEMS: dict[str, Callable[[np.random.Generator], Problem]] = {
    "fingerprint": _fingerprint,
    "round": _round,
    "belief": _belief,
    "warner": _warner,
    "draws": _draws,
}
