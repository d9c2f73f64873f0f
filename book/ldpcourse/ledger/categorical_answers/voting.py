"""Claims judged in the chapter categorical-answers/voting."""

import functools

import numpy as np

from ldpbook import datasets
from ldpbook.categorical_answers.voting import majority_vote, weighted_vote, weighted_vote_printed
from ldpcourse.ledger.categorical_answers._shared import LI, bluebirds
from ldpcourse.ledger.claim import Claim, Reading, Verdict, tried


@functools.cache
def _excess_over_majority(rule: str) -> float:
    """Error rate on the bluebirds less that of the majority, unperturbed."""
    answers, truth = bluebirds()
    if rule == "truth discovery":
        elected = weighted_vote(answers, 2).truth
    else:
        accuracy = (answers == truth).mean(axis=1)
        elected = np.log(accuracy / (1 - accuracy)) @ np.where(answers == 1, 1, -1) > 0
    return float((elected != truth).mean() - (majority_vote(answers, 2) != truth).mean())


def _excess_on_simulated_duchenne() -> float:
    """Error rate of truth discovery less that of the majority, accuracies with deviation 0.1."""
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
    """Error rate on 40 simulated peer gradings, unperturbed; log-odds and shares over all tasks."""
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
    """How many of Table 1's eight numbers and two accuracies two crowds drawn to them do not have."""
    wrong = 0
    for crowd, printed in (
        (datasets.simulate_peer_grading(1), (26, 72, 360, 26, 0.73)),
        (datasets.simulate_duchenne(1), (2134, 64, 17_729, 159, 0.76)),
    ):
        n_users, n_questions = crowd.answers.shape
        given, scored = (~np.isnan(crowd.answers)).sum(), crowd.scored.sum()
        right = np.where(crowd.answers == crowd.truth, 1, -1) * ~np.isnan(crowd.answers)
        accuracy = (np.sign(right.sum(axis=0)[crowd.scored]) / 2 + 0.5).mean()  # a tie is a half
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
            " majority voting, and truth discovery, which estimates quality, makes the answers more accurate."
        ),
        readings=(
            Reading(
                words=(
                    "As a possibility, on real answers: the error rate on the bluebirds of a vote weighted by"
                    " the log-odds of the users' accuracies on these same tasks, less that of the majority."
                ),
                compute=lambda: _excess_over_majority("known accuracies"),
                relation="<=",
                target=0.0,
            ),
            Reading(
                words=(
                    "As a possibility, with estimated quality: the error rate of truth discovery less that of"
                    " the majority, the mean of 8 crowds simulated to the statistics of Duchenne whose"
                    " accuracies have a standard deviation of 0.1 and whose users give 277 answers each."
                ),
                compute=_excess_on_simulated_duchenne,
                relation="<=",
                target=0.0,
            ),
            Reading(
                words=(
                    "As a rule for any answers, with estimated quality: the error rate on the bluebirds of"
                    " truth discovery less that of the majority."
                ),
                compute=lambda: _excess_over_majority("truth discovery"),
                relation="<=",
                target=0.0,
            ),
        ),
        verdict=Verdict.READING,
        finding=(
            "It can: known accuracies change the error rate on the bluebirds by {computed}, and truth"
            " discovery gains on simulated users who err independently, differ by a standard deviation of 0.1"
            " and give 277 answers each, as in Duchenne. With a deviation of 0.05 there, or of 0.1 in"
            " simulated peer grading with five answers each, less than a percentage point is left. And it"
            " need not gain: on the bluebirds truth discovery has 30 of 108 tasks wrong and the majority 26,"
            " because workers overlook birds of one species together and it believes those who do."
        ),
        chapter="categorical-answers/voting",
    ),
    Claim(
        id="truth-weights",
        source=LI,
        place="Equation 3",
        statement=(
            "A user's weight is an increasing function g of the number of her agreements with the elected"
            " answers divided by the number |Q| of questions; with such weights the elected answers are"
            " accurate."
        ),
        readings=(
            *tried(
                _error_as_printed,
                "<=",
                0.5,
                (
                    "As |Q| those questions that the user answered, and g the log-odds: the mean error rate"
                    " of 40 unperturbed crowds simulated to the statistics of the peer grading, against a"
                    " coin's.",
                    "of answers given",
                ),
                (
                    "As |Q| all questions, and as g the simplest increasing one, g(p) = p: the mean error"
                    " rate of 40 such crowds, against a coin's.",
                    "share",
                ),
                (
                    "As |Q| all questions, as printed, and g the log-odds that the source's analysis takes,"
                    " with one answer of each kind added: the mean error rate of 40 such crowds, against a"
                    " coin's.",
                    "log-odds",
                ),
            ),
            Reading(
                words=(
                    "As |Q| all questions, as printed, and any g that increases and is not negative, such as"
                    " max(0, p - 1/2), weakly: the mean error rate of 40 such crowds, to be near the"
                    " majority's, 0.3 at most."
                ),
                compute=lambda: _error_as_printed("excess"),
                relation="<=",
                target=0.3,
            ),
        ),
        verdict=Verdict.READING,
        finding=(
            "With the questions that a user answered in the denominator the error rate is {computed}, about"
            " that of a majority. This is what is meant where everybody answers everything, as in the"
            " source's two algorithms. With all questions in the denominator g(p) = p does about as well. But"
            " a peer grader answers 5 of 26 questions on average and a Duchenne user 277 of 2,134; spread"
            " evenly, no share reaches one half: all log-odds are negative, and the vote elects the opposite,"
            " while a g that is 0 up to one half elects by lot."
        ),
        chapter="categorical-answers/voting",
    ),
    Claim(
        id="table-1",
        source=LI,
        place="Section 7.1.1 and Table 1",
        statement=(
            "Peer grading has 26 questions, 72 users, 360 answers and 26 known truths, Duchenne 2,134"
            " questions, 64 users, 17,729 answers and 159 known truths, and without perturbation the"
            " aggregated answers are right on 0.73 and 0.76 of them."
        ),
        readings=(
            Reading(
                words=(
                    "As numbers that crowds can have: of the eight of Table 1 and the two accuracies, of a"
                    " majority where a tie is a half, how many two crowds that were drawn to them do not"
                    " have."
                ),
                compute=_unlike_table_1,
                relation="=",
                target=0.0,
            ),
            Reading(
                words=(
                    "As shares of 26 known truths, of which many numbers are none: the share nearest to 0.73,"
                    " within the rounding. (Shares of 159 are as near to any number.)"
                ),
                compute=lambda: round(0.73 * 26) / 26,
                relation="=",
                target=0.73,
                tolerance=0.005,
            ),
            Reading(
                words=(
                    "As the text has it, by which at each of 26 presentations the other students fill in a"
                    " form, those of them who were assigned, five presentations each: the answers that this"
                    " makes, against 360."
                ),
                compute=lambda: 72 * 5.0,
                relation="=",
                target=360.0,
            ),
            Reading(
                words=(
                    "As the text has it, the other students being all of them, groups of 72/26 students: the"
                    " answers that this makes, against 360."
                ),
                compute=lambda: 25 / 26 * 26 * 72.0,
                relation="=",
                target=360.0,
            ),
        ),
        verdict=Verdict.UNDECIDED,
        finding=(
            "The numbers fit together: crowds can be drawn that have all ten of them ({computed} are missed),"
            " and 19 of 26 are 0.7308. With the text they agree if each student graded five of the 25 other"
            " groups; all of them would have made 1,800 answers. Whether the data have these numbers only the"
            " data tell: the peer grading was not published, and of the Duchenne labels no copy could be"
            " obtained here."
        ),
        chapter="categorical-answers/voting",
    ),
)
