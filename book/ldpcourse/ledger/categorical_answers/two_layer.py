"""Claims judged in the chapter categorical-answers/two-layer."""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from ldpbook import datasets
from ldpbook._arrays import Array
from ldpbook.categorical_answers import bounds
from ldpbook.categorical_answers.one_layer import OneLayerFlip
from ldpbook.categorical_answers.trade_off import error_rate_changes
from ldpbook.categorical_answers.two_layer import TwoLayerFlip
from ldpbook.foundations.randomness import mean_and_error
from ldpcourse.ledger.categorical_answers._shared import LI
from ldpcourse.ledger.claim import Claim, Reading, Verdict, tried
from ldpcourse.runs.kept import stored


def _farthest_from_two_layer_formula() -> float:
    """Largest difference between the exact epsilon and Theorem 6.3, for a mean of at most 1 - 1/s."""
    return max(
        abs(
            bounds.two_layer_epsilon(max(0.0, 2 * m - 1), min(1.0, 2 * m), s)
            - math.log((1 - m) * (s - 1) / m)
        )
        for s in range(2, 11)
        for m in np.linspace(0.01, 1 - 1 / s, 20)
    )


def two_point_chances(low: float, high: float, n_answers: int) -> Array:
    """Probability of flipping exactly the first d answers, if p is low or high with probability 1/2 each."""
    d, p = np.arange(n_answers + 1), np.array([[low], [high]])
    chances: Array = (p**d * (1 - p) ** (n_answers - d)).mean(axis=0)
    return chances


def _two_point_worker_epsilon(low: float, high: float, n_answers: int) -> float:
    """Exact epsilon of the whole worker, two choices, under that distribution of p."""
    q = two_point_chances(low, high, n_answers)
    return float(np.log(q.max() / q.min()))


def _entropy_gain() -> float:
    """Entropy of U(0, 0.6) in nats minus that of the symmetric triangular distribution there."""
    return math.log(0.6) - (0.5 + math.log(0.6 / 2))


def _majority_between_layers() -> float:
    """Difference between the majority's error rates under two layers and one, in standard errors."""
    voters = datasets.simulate_peer_grading(1)
    rng = np.random.default_rng(0)
    flips = {"one": OneLayerFlip.with_probability(0.3, 2), "two": TwoLayerFlip(0.0, 0.6, 2)}
    runs = error_rate_changes(voters.answers, voters.truth, flips, choices=2, n_trials=4000, rng=rng)
    means = mean_and_error(runs[runs["vote"] == "MV"], ["mechanism"], "error_rate")
    return float(np.diff(means["mean"])[0] / np.hypot(*means["error"]))


def _kept_mean(name: str, crowd: str, high: float) -> tuple[float, float]:
    """Mean over 800 kept runs of truth discovery after U(0, high) on one crowd, and its standard error.

    For "correlation", that of flip probability and weight. For "gain", the mean weight after the flips minus
    that before, of users who drew less than 0.05, in runs that have such users.
    """
    runs: Any = stored("weights-after-flips").query(f"crowd == {crowd!r} and high == {high}")
    size = runs[f"{name} runs"].sum()
    mean, square = (runs[f"{name} runs"] @ runs[column] / size for column in (name, f"{name} square"))
    return float(mean), math.sqrt((square - mean**2) / (size - 1))


def _in_errors(name: str, crowd: str, high: float) -> float:
    return float(np.divide(*_kept_mean(name, crowd, high)))


def _largest_step(low: float, highs: Sequence[float]) -> float:
    """Largest increase in the epsilon of a single answer, two choices, from one upper end to the next."""
    return float(np.diff([bounds.two_layer_epsilon(low, high, 2) for high in highs]).max())


def _variance_of_share(low: float, high: float, n_answers: int) -> float:
    """Exact variance of the share of 1 among a user's perturbed answers, which were all 1 before."""
    mean, spread = (low + high) / 2, (high - low) ** 2 / 12
    one_answer = mean * (1 - mean)
    return (one_answer + (n_answers - 1) * spread) / n_answers


CLAIMS: tuple[Claim, ...] = (
    Claim(
        id="two-layer-one",
        source=LI,
        place="Theorem 6.3",
        statement=(
            "Perturbing an answer with a probability drawn from U(a, b) is ln((2-a-b)(s-1)/(a+b))-LDP, where"
            " s is the number of choices."
        ),
        readings=(
            Reading(
                words=(
                    "For a user with a single answer, the case of the definition that the theorem refers to,"
                    " we compare the exact epsilon of U(0, 0.6) and two choices with the formula."
                ),
                compute=lambda: bounds.two_layer_epsilon(0.0, 0.6, 2),
                relation="=",
                target=math.log(1.4 / 0.6),
                tolerance=1e-12,
            ),
            Reading(
                words=(
                    "For a user with a single answer and all means (a + b)/2 up to 1 - 1/s, where the true"
                    " answer is at least as likely to be output as any other, we compute the largest"
                    " difference between the exact epsilon and the formula, over s from 2 to 10, twenty means"
                    " each and the widest interval with that mean."
                ),
                compute=_farthest_from_two_layer_formula,
                relation="=",
                target=0.0,
                tolerance=1e-9,
            ),
            Reading(
                words=(
                    "For a user with a single answer and any interval, as the theorem is worded, we compare"
                    " the exact epsilon of U(0.8, 1) and two choices with the formula, which is negative"
                    " there."
                ),
                compute=lambda: bounds.two_layer_epsilon(0.8, 1.0, 2),
                relation="=",
                target=math.log(0.2 / 1.8),
                tolerance=1e-12,
            ),
        ),
        verdict=Verdict.READING,
        finding=(
            "It holds exactly for a user with a single answer and a mean flip probability up to 1 - 1/s;"
            " under U(0, 0.6) the epsilon is {computed}. For larger means the formula is negative, and"
            " epsilon is its absolute value."
        ),
        chapter="categorical-answers/two-layer",
    ),
    Claim(
        id="two-layer-law",
        source=LI,
        place="Section 6.1.2",
        statement=(
            "A uniform distribution of the flip probability can protect privacy more strongly than any other"
            " distribution."
        ),
        readings=(
            Reading(
                words=(
                    "Privacy means protection of the drawn probability, before any answer is seen, among all"
                    " distributions on the same interval. We compute the entropy of U(0, 0.6) in nats minus"
                    " that of the symmetric triangular distribution there."
                ),
                compute=_entropy_gain,
                relation=">=",
                target=0.0,
            ),
            Reading(
                words=(
                    "Privacy means the epsilon of a user with a single answer, two choices, among"
                    " distributions with the same mean, and more strongly means at least as strongly. We"
                    " compare the exact epsilon of U(0, 0.6) with that of 0 or 0.6 with equal probability,"
                    " ln(0.7/0.3)."
                ),
                compute=lambda: bounds.two_layer_epsilon(0.0, 0.6, 2),
                relation="<=",
                target=_two_point_worker_epsilon(0.0, 0.6, 1),
                tolerance=1e-12,
            ),
            Reading(
                words=(
                    "Privacy means the epsilon of a user with a single answer, two choices, among all"
                    " distributions on the same interval. We compare the exact epsilon of U(0, 0.6) with that"
                    " of the distribution there whose density is proportional to p, with mean 0.4."
                ),
                compute=lambda: bounds.two_layer_epsilon(0.0, 0.6, 2),
                relation="<=",
                target=math.log(0.6 / 0.4),
            ),
            Reading(
                words=(
                    "Privacy means the epsilon of the whole worker, two choices, among distributions with the"
                    " same mean on the same interval. We compare the exact epsilon of U(0.1, 0.5) for 69"
                    " answers with that of 0.1 or 0.5 with equal probability."
                ),
                compute=lambda: bounds.two_layer_worker_epsilon(0.1, 0.5, 2, 69),
                relation="<=",
                target=_two_point_worker_epsilon(0.1, 0.5, 69),
            ),
        ),
        verdict=Verdict.READING,
        finding=(
            "Of all distributions on an interval, the uniform one leaves the drawn probability most"
            " uncertain: its entropy on [0, 0.6] exceeds that of the triangular distribution by {computed}."
            " By epsilon, the source's measure, the uniform distribution is not the best. For a user with a"
            " single answer epsilon depends on the mean alone, so distributions with the same mean protect"
            " equally, and larger means protect more. For the whole worker, choosing either end of the"
            " interval with equal probability can protect more than the uniform distribution with the same"
            " mean."
        ),
        chapter="categorical-answers/two-layer",
    ),
    Claim(
        id="two-layer-equal",
        source=LI,
        place="Theorem 6.4",
        statement="Two layers give the same privacy guarantee as one layer if (a + b)/2 = p.",
        readings=(
            Reading(
                words=(
                    "For a user with a single answer and two choices, we compute the exact epsilon of U(0,"
                    " 0.6) minus that of p = 0.3."
                ),
                compute=lambda: bounds.two_layer_epsilon(0.0, 0.6, 2) - bounds.one_layer_epsilon(0.3, 2),
                relation="=",
                target=0.0,
                tolerance=1e-12,
            ),
        ),
        verdict=Verdict.REPRODUCED,
        finding="For a user with a single answer the exact epsilons differ by {computed}.",
        chapter="categorical-answers/two-layer",
    ),
    Claim(
        id="two-layer-majority",
        source=LI,
        place="Section 7.2 (1)",
        statement=(
            "Majority voting does similarly under one and under two layers of equal mean flip probability."
        ),
        readings=(
            Reading(
                words=(
                    "On a simulated peer-grading crowd, with U(0, 0.6) and p = 0.3, we compute the difference"
                    " between the mean error rates of 4,000 runs each, in standard errors."
                ),
                compute=_majority_between_layers,
                relation="=",
                target=0.0,
                tolerance=4.0,
            ),
        ),
        verdict=Verdict.REPRODUCED,
        finding=(
            "The expected error rates are not only similar but equal, since the votes on a task have the same"
            " joint distribution. The means of 4,000 simulated runs differ by {computed} standard errors."
        ),
        chapter="categorical-answers/two-layer",
    ),
    Claim(
        id="weights-follow-flips",
        source=LI,
        place="Section 7.2 (2) and Figure 2",
        statement=(
            "The larger the probability with which a user flips, the smaller the weight that truth discovery"
            " estimates."
        ),
        readings=(
            *tried(
                _in_errors,
                "<=",
                -2.0,
                (
                    "As a tendency over the users of a crowd: we compute the correlation of flip probability"
                    " and weight with U(0, 0.6), on a crowd simulated to the Duchenne statistics. The mean of"
                    " 800 runs, in its standard errors, must be -2 at most.",
                    "correlation",
                    "Duchenne",
                    0.6,
                ),
                (
                    "Under stronger privacy, we compute the same with U(0, 0.95), which belongs to the"
                    " printed epsilon 0.1.",
                    "correlation",
                    "Duchenne",
                    0.95,
                ),
                ("At epsilon 0, we compute the same with U(0, 1).", "correlation", "Duchenne", 1.0),
            ),
        ),
        verdict=Verdict.READING,
        finding=(
            "With U(0, 0.6) the mean correlation on the crowd like Duchenne is -0.23 ({computed} standard"
            " errors). It is stronger, -0.66, on a crowd that is more often right, and -0.05 with the five"
            " answers per user of peer grading. The tendency fades where privacy is strong, which is what two"
            " layers are meant for: it is -0.05 with U(0, 0.95). There 488 of 800 runs show it, and 400 would"
            " by chance. It is gone at epsilon 0, where half of the time the vote believes those who flip"
            " nearly everything."
        ),
        chapter="categorical-answers/two-layer",
    ),
    Claim(
        id="weights-unflipped",
        source=LI,
        place="Section 7.2 (2) and Figure 2",
        statement=(
            "A user with a small flip probability keeps her estimated weight, or is given a slightly higher"
            " one, because others get worse."
        ),
        readings=(
            Reading(
                words=(
                    "As a tendency on a clear crowd of the Duchenne data's size, whose majority is right on a"
                    " share of 0.9 of the known tasks: we compute weight after minus weight before in 800"
                    " runs. It is averaged over the users who drew less than 0.05 from U(0, 0.6)."
                ),
                compute=lambda: _kept_mean("gain", "clear", 0.6)[0],
                relation=">=",
                target=0.0,
            ),
            Reading(
                words=(
                    "As a tendency on a crowd with the Duchenne statistics: we compute the mean over the"
                    " users who drew less than 0.05 from U(0, 0.6), in 800 runs, in its standard errors."
                    " Above minus two, they count as keeping their weights."
                ),
                compute=lambda: _in_errors("gain", "Duchenne", 0.6),
                relation=">=",
                target=-2.0,
            ),
            Reading(
                words=(
                    "As a tendency at epsilon 0, where everyone draws from U(0, 1), on the clear crowd: we"
                    " compute the mean over the users who drew less than 0.05, in 800 runs."
                ),
                compute=lambda: _kept_mean("gain", "clear", 1.0)[0],
                relation=">=",
                target=0.0,
            ),
        ),
        verdict=Verdict.READING,
        finding=(
            "Under U(0, 0.6) such users gain {computed} nats on average on a clear crowd, with a standard"
            " error of 0.01 over runs. On one crowd like Duchenne they gain 0.11, with a standard error of"
            " 0.02. Single users vary by more than that, and crowds may too. With five answers per user they"
            " lose a little. At epsilon 0 they lose: half of the time the vote elects the mirror image of the"
            " truths and believes those who flip nearly all of their answers."
        ),
        chapter="categorical-answers/two-layer",
    ),
    Claim(
        id="two-layer-monotone",
        source=LI,
        place="Section 6.1.2, after Theorem 6.3",
        statement="For fixed a, two layers U(a, b) preserve more privacy as b grows.",
        readings=(
            Reading(
                words=(
                    "For a user with a single answer, two choices and a = 0, we compute the largest increase"
                    " in the exact epsilon as b grows from 0.1 to 1 in steps of 0.1."
                ),
                compute=lambda: _largest_step(0.0, [k / 10 for k in range(1, 11)]),
                relation="<=",
                target=0.0,
            ),
            Reading(
                words=(
                    "For a user with a single answer, two choices and a = 0.3, we compute the largest"
                    " increase as b grows from 0.4 to 1 in steps of 0.1."
                ),
                compute=lambda: _largest_step(0.3, [k / 10 for k in range(4, 11)]),
                relation="<=",
                target=0.0,
            ),
            Reading(
                words=(
                    "For one cell of a user with 69 answers, two choices and a = 0.1, we compute by how much"
                    " the exact epsilon falls as b grows from 0.3 to 0.5. It must be at least a hundredth."
                ),
                compute=lambda: (
                    bounds.two_layer_epsilon(0.1, 0.3, 2, 69) - bounds.two_layer_epsilon(0.1, 0.5, 2, 69)
                ),
                relation=">=",
                target=0.01,
            ),
        ),
        verdict=Verdict.READING,
        finding=(
            "For a single answer and a = 0, epsilon changes by {computed} or less at every step. For any a it"
            " falls while the mean (a + b)/2 is at most 1 - 1/s, and rises again above that mean. One cell of"
            " a user with many answers gains hardly anything from a larger b up to 1 - a, because only a"
            " matters."
        ),
        chapter="categorical-answers/two-layer",
    ),
    Claim(
        id="frapp-utility",
        source=LI,
        place="Section 5.2",
        statement=(
            "Like two layers, FRAPP draws flip probabilities at random. This degrades its utility, because"
            " its aggregation does not consider the diversity of users. Majority voting with two layers is"
            " its adapted version."
        ),
        readings=(
            Reading(
                words=(
                    "For two layers and statistics that pool answers of a user, we compute the exact variance"
                    " of the share of 1 among her five perturbed answers, all 1 before, under U(0, 0.6),"
                    " divided by that under p = 0.3."
                ),
                compute=lambda: _variance_of_share(0.0, 0.6, 5) / _variance_of_share(0.3, 0.3, 5),
                relation=">=",
                target=1.0,
                tolerance=-1e-9,
            ),
            Reading(
                words=(
                    "For statistics with one record per user, perturbed with a probability of her own, we"
                    " compute the exact variance of her report, 1 before, under U(0, 0.6), divided by that"
                    " under p = 0.3."
                ),
                compute=lambda: _variance_of_share(0.0, 0.6, 1) / _variance_of_share(0.3, 0.3, 1),
                relation=">=",
                target=1.0,
                tolerance=-1e-9,
            ),
            Reading(
                words=(
                    "For majorities, as in the source's experiments, we compute the error rate under U(0,"
                    " 0.6) minus that under p = 0.3 on a simulated peer-grading crowd, with 4,000 runs each,"
                    " in standard errors. It must be at least 4."
                ),
                compute=lambda: -_majority_between_layers(),
                relation=">=",
                target=4.0,
            ),
        ),
        verdict=Verdict.READING,
        finding=(
            "A statistic that pools several answers of a user has a variance {computed} times as large if she"
            " draws her flip probability. With one record per user nothing is degraded: a report has exactly"
            " the distribution that the mean probability gives. So if each user in FRAPP perturbs one record"
            " with her own draw, the loss belongs to two layers and not to FRAPP. A majority is not degraded:"
            " with one vote per user on a task, its expected error is exactly that of one layer at the mean."
            " Its adapted version therefore shows neither loss nor gain."
        ),
        chapter="categorical-answers/two-layer",
    ),
)
