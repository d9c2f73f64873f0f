"""Survey with the reader as the worker: runs in the reader's browser, with only Python and the package."""

import json
import random
from dataclasses import asdict
from typing import NamedTuple

from ldpbook.foundations.bounds import highest_belief
from ldpbook.practice.dyadic import draw_response, response_weights
from ldpbook.practice.survey import belief_after_reports, survey_shares


class Question(NamedTuple):
    """A question whose last answer is NULL; ``law`` is the distribution of others' answers, in percent."""

    text: str
    about: str
    answers: tuple[str, ...]
    law: tuple[int, ...]


NULL = "rather not say"
QUESTIONS = (
    Question("Have you ever cheated in an exam?", "cheated", ("yes", "no", NULL), (30, 60, 10)),
    Question("Did you drive after drinking last year?", "drove", ("yes", "no", NULL), (8, 80, 12)),
    Question(
        "Have you read the terms that you agreed to last?",
        "read the terms",
        ("all", "some", "no word", NULL),
        (4, 20, 70, 6),
    ),
    Question("Would you quit tomorrow if you could?", "would quit", ("yes", "no", NULL), (35, 45, 20)),
    Question(
        "How many nights did you lie awake last week?",
        "lay awake",
        ("none", "one or two", "more", NULL),
        (40, 35, 15, 10),
    ),
)
EPSILONS = (0.5, 1.0, 2.0, 4.0)  # choices for the epsilon of one question
CROWDS = (100, 1000, 10_000, 100_000)
OPENS = {"epsilon": 1.0, "others": 10_000}


def draw(answers: list[int], epsilon: float) -> list[int]:
    """One report per question by the package's own randomizer, each from a word of the system's entropy."""
    return [
        draw_response(answer, epsilon=epsilon, n_symbols=len(question.law))
        for answer, question in zip(answers, QUESTIONS, strict=True)
    ]


def believed(answers: list[int], epsilon: float, sent: list[list[int]]) -> list[dict[str, float]]:
    """A curator's belief in each of the worker's answers: before the reports, after them, and its bound.

    The curator knows the distribution of answers. In this crowd answers to different questions are
    independent, so only reports on a question reveal something about its answer. If the answers depended on
    each other, the bound for each question would use the epsilon of all reports.
    """
    found = []
    for k, (question, answer) in enumerate(zip(QUESTIONS, answers, strict=True)):
        prior = [share / 100 for share in question.law]
        after = belief_after_reports([reports[k] for reports in sent], prior=prior, epsilon=epsilon)
        most = highest_belief(prior=prior[answer], epsilon=len(sent) * epsilon)
        found.append({"before": prior[answer], "after": after[answer], "most": most})
    return found


def crowd(reports: list[int], epsilon: float, others: int) -> list[list[dict[str, float]]]:
    """Estimated share of each answer, from the worker's reports together with those of the others.

    The others are simulated: each of their reports is drawn in one step, with the probability that the answer
    and the flip together give it.
    """
    source, found = random.SystemRandom(), []
    for question, report in zip(QUESTIONS, reports, strict=True):
        keep, other = response_weights(epsilon=epsilon, n_symbols=len(question.law))
        weights = [share * keep + (100 - share) * other for share in question.law]
        heard = source.choices(range(len(weights)), weights, k=others)
        counts = [heard.count(symbol) + (report == symbol) for symbol in range(len(weights))]
        found.append([asdict(each) for each in survey_shares(counts, epsilon=epsilon)])
    return found


def asked(request: str) -> str:
    """The reply to a request of the page; both are JSON."""
    step = json.loads(request)
    if "others" in step:
        return json.dumps(crowd(step["reports"], step["epsilon"], step["others"]))
    sent = [*step["sent"], draw(step["answers"], step["epsilon"])]
    return json.dumps({"sent": sent, "beliefs": believed(step["answers"], step["epsilon"], sent)})
