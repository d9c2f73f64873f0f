"""Claims judged in the chapter categorical-answers/voting."""

import functools

import numpy as np

from ldpbook import datasets
from ldpbook.categorical_answers.voting import majority_vote, weighted_vote, weighted_vote_printed
from ldpcourse.ledger.categorical_answers._shared import LI, bluebirds
from ldpcourse.ledger.claim import Claim, Reading, Verdict, tried


@functools.cache
def _excess_over_majority(rule: str) -> float:
    """Error rate on the bluebirds minus that of the majority, without perturbation."""
    answers, truth = bluebirds()
    if rule == "truth discovery":
        elected = weighted_vote(answers, 2).truth
    else:
        accuracy = (answers == truth).mean(axis=1)
        elected = np.log(accuracy / (1 - accuracy)) @ np.where(answers == 1, 1, -1) > 0
    return float((elected != truth).mean() - (majority_vote(answers, 2) != truth).mean())


def _excess_on_simulated_duchenne() -> float:
    """Error rate of truth discovery minus that of the majority; accuracies have standard deviation 0.1."""
    rng, excess = np.random.default_rng(0), []
    for _ in range(8):
        crowd = datasets.simulate_duchenne(rng, spread=0.1)
        rules = (
            weighted_vote(crowd.answers, 2, ties="random", rng=rng).truth,
            majority_vote(crowd.answers, 2, ties="random", rng=rng),
        )
        td, mv = ((elected != crowd.truth)[crowd.scored].mean() for elected in rules)
        excess.append(td - mv)
    return float(np.mean(excess))


@functools.cache
def _error_as_printed(weights: str) -> float:
    """Error rate on 40 unperturbed simulated peer gradings; log-odds and shares are taken over all tasks."""
    g = {
        "share": lambda p: p,
        "log-odds": lambda p: np.log(p / (1 - p)),
        "excess": lambda p: np.maximum(0, p - 0.5),
    }.get(weights)
    rng, wrong = np.random.default_rng(0), []
    for _ in range(40):
        crowd = datasets.simulate_peer_grading(rng)
        found = (
            weighted_vote(crowd.answers, 2, ties="random", rng=rng)
            if g is None
            else weighted_vote_printed(crowd.answers, 2, g, ties="random", rng=rng)
        )
        wrong.append((found.truth != crowd.truth).mean())
    return float(np.mean(wrong))


def _unlike_table_1() -> float:
    """How many of Table 1's eight numbers and two accuracies two crowds drawn to match them miss."""
    wrong = 0
    for crowd, printed in (
        (datasets.simulate_peer_grading(1), (26, 72, 360, 26, 0.73)),
        (datasets.simulate_duchenne(1), (2134, 64, 17_729, 159, 0.76)),
    ):
        n_users, n_questions = crowd.answers.shape
        given, scored = (~np.isnan(crowd.answers)).sum(), crowd.scored.sum()
        right = np.where(crowd.answers == crowd.truth, 1, -1) * ~np.isnan(crowd.answers)
        accuracy = (np.sign(right.sum(axis=0)[crowd.scored]) / 2 + 0.5).mean()  # a tie counts one half
        found = (n_questions, n_users, given, scored, round(accuracy, 2))
        wrong += sum(x != y for x, y in zip(found, printed, strict=True))
    return float(wrong)


CLAIMS: tuple[Claim, ...] = (
    Claim(
        id="td-better",
        source=LI,
        place="Sections 4 and 5",
        statement=(
            "Telling users of high quality from the others and relying on them can greatly improve on"
            " majority voting. Truth discovery, which estimates quality, makes the answers more accurate."
        ),
        readings=(
            Reading(
                words=(
                    "As a possibility on real answers: we compute the error rate on the bluebirds of a vote"
                    " weighted by the log-odds of the users' accuracies on these same tasks, minus that of"
                    " the majority."
                ),
                compute=lambda: _excess_over_majority("known accuracies"),
                relation="<=",
                target=0.0,
            ),
            Reading(
                words=(
                    "As a possibility with estimated quality: we compute the error rate of truth discovery"
                    " minus that of the majority, averaged over 8 crowds simulated to the statistics of"
                    " Duchenne. Accuracies have a standard deviation of 0.1, and users give 277 answers each."
                ),
                compute=_excess_on_simulated_duchenne,
                relation="<=",
                target=0.0,
            ),
            Reading(
                words=(
                    "As a rule for any answers, with estimated quality: we compute the error rate of truth"
                    " discovery on the bluebirds minus that of the majority."
                ),
                compute=lambda: _excess_over_majority("truth discovery"),
                relation="<=",
                target=0.0,
            ),
        ),
        verdict=Verdict.READING,
        finding=(
            "It can: known accuracies change the error rate on the bluebirds by {computed}. Truth discovery"
            " gains on simulated users who err independently, whose accuracies have a standard deviation of"
            " 0.1, and who give 277 answers each, as in Duchenne. The gain is less than a percentage point"
            " with a standard deviation of 0.05 there, or of 0.1 in simulated peer grading with five answers"
            " each. And it need not gain: on the bluebirds truth discovery gets 30 of 108 tasks wrong and the"
            " majority 26, because some workers overlook birds of one species together, and truth discovery"
            " believes them."
        ),
        chapter="categorical-answers/voting",
    ),
    Claim(
        id="truth-weights",
        source=LI,
        place="Equation 3",
        statement=(
            "A user's weight is an increasing function g of the number of her agreements with the elected"
            " answers divided by the number |Q| of questions. With such weights the elected answers are"
            " accurate."
        ),
        readings=(
            *tried(
                _error_as_printed,
                "<=",
                0.5,
                (
                    "If |Q| counts the questions that the user answered and g is the log-odds, we compare the"
                    " mean error rate of 40 unperturbed crowds, simulated to the statistics of the peer"
                    " grading, with that of a coin.",
                    "of answers given",
                ),
                (
                    "If |Q| counts all questions and g is the simplest increasing function, g(p) = p, we"
                    " compare the mean error rate of 40 such crowds with that of a coin.",
                    "share",
                ),
                (
                    "If |Q| counts all questions, as printed, and g is the log-odds that the source's"
                    " analysis uses, with one answer of each kind added, we compare the mean error rate of 40"
                    " such crowds with that of a coin.",
                    "log-odds",
                ),
            ),
            Reading(
                words=(
                    "If |Q| counts all questions, as printed, and g is any increasing function that is not"
                    " negative, such as the weakly increasing max(0, p - 1/2), the mean error rate of 40 such"
                    " crowds must be near the majority's, 0.3 at most."
                ),
                compute=lambda: _error_as_printed("excess"),
                relation="<=",
                target=0.3,
            ),
        ),
        verdict=Verdict.READING,
        finding=(
            "If the denominator counts the questions that a user answered, the error rate is {computed},"
            " about that of a majority. This is what is meant where everyone answers everything, as in the"
            " source's two algorithms. With all questions in the denominator, g(p) = p does about as well."
            " But a peer grader answers 5 of 26 questions on average and a Duchenne user 277 of 2,134. If"
            " answers are spread evenly, no share reaches one half. Then all log-odds are negative and the"
            " vote elects the opposite, while a g that is 0 up to one half elects at random."
        ),
        chapter="categorical-answers/voting",
    ),
    Claim(
        id="table-1",
        source=LI,
        place="Section 7.1.1 and Table 1",
        statement=(
            "Peer grading has 26 questions, 72 users, 360 answers and 26 known truths; Duchenne has 2,134"
            " questions, 64 users, 17,729 answers and 159 known truths. Without perturbation the aggregated"
            " answers are right on shares of 0.73 and 0.76 of the known truths."
        ),
        readings=(
            Reading(
                words=(
                    "As numbers that crowds can have: we draw two crowds to match Table 1 and count how many"
                    " of its eight numbers and two accuracies they miss. The accuracies are those of a"
                    " majority, where a tie counts one half."
                ),
                compute=_unlike_table_1,
                relation="=",
                target=0.0,
            ),
            Reading(
                words=(
                    "As shares of 26 known truths, which can take few values: we compare the share nearest to"
                    " 0.73 with 0.73, within the rounding. (Shares of 159 come near any number.)"
                ),
                compute=lambda: round(0.73 * 26) / 26,
                relation="=",
                target=0.73,
                tolerance=0.005,
            ),
            Reading(
                words=(
                    "The text says that the other students fill in a form at each of 26 presentations. If"
                    " this means those who were assigned, five presentations each, we compare the resulting"
                    " number of answers with 360."
                ),
                compute=lambda: 72 * 5.0,
                relation="=",
                target=360.0,
            ),
            Reading(
                words=(
                    "If the other students in the text are all of them, in groups of 72/26 students, we"
                    " compare the resulting number of answers with 360."
                ),
                compute=lambda: 25 / 26 * 26 * 72.0,
                relation="=",
                target=360.0,
            ),
        ),
        verdict=Verdict.UNDECIDED,
        finding=(
            "The numbers fit together: crowds can be drawn that have all ten of them ({computed} are missed),"
            " and 19 of 26 are 0.7308. They agree with the text if each student graded five of the 25 other"
            " groups; grading all of them would have made 1,800 answers. Only the data can show whether they"
            " have these numbers. The peer grading was not published, and no copy of the Duchenne labels"
            " could be obtained here."
        ),
        chapter="categorical-answers/voting",
    ),
)
