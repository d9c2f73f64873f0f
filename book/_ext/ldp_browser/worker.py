"""What the page asks whose reader is the worker: runs in her browser, on Python and the package alone."""

import json
import random
from dataclasses import asdict
from typing import NamedTuple

from ldpbook.foundations.bounds import highest_belief
from ldpbook.practice.dyadic import draw_response, response_weights
from ldpbook.practice.survey import belief_after_reports, survey_shares


class Question(NamedTuple):
    """What is asked; the last answer is none. The law: how many of 100 of the others give which answer."""

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
EPSILONS = (0.5, 1.0, 2.0, 4.0)  # of one question, to choose from
CROWDS = (100, 1000, 10_000, 100_000)
OPENS = {"epsilon": 1.0, "others": 10_000}


def draw(answers: list[int], epsilon: float) -> list[int]:
    """One report a question, by the package's own randomizer: a word each of the system's entropy."""
    return [
        draw_response(answer, epsilon=epsilon, n_symbols=len(question.law))
        for answer, question in zip(answers, QUESTIONS, strict=True)
    ]


def believed(answers: list[int], epsilon: float, sent: list[list[int]]) -> list[dict[str, float]]:
    """For each question what a curator who knows the law thinks of her answer: before, after, at most.

    In this crowd answers to different questions are independent, so only reports on a question tell of it.
    If answers hinted at each other, the bound of each would be that of all reports.
    """
    found = []
    for k, (question, answer) in enumerate(zip(QUESTIONS, answers, strict=True)):
        prior = [share / 100 for share in question.law]
        after = belief_after_reports([reports[k] for reports in sent], prior=prior, epsilon=epsilon)
        most = highest_belief(prior=prior[answer], epsilon=len(sent) * epsilon)
        found.append({"before": prior[answer], "after": after[answer], "most": most})
    return found


def crowd(reports: list[int], epsilon: float, others: int) -> list[list[dict[str, float]]]:
    """Her reports among those of others, and what they tell of each answer's share.

    The others are made up: a report of theirs is drawn in one step, with the chance that answer and flip
    together give it.
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
    """The reply to a step of the page; both are JSON."""
    step = json.loads(request)
    if "others" in step:
        return json.dumps(crowd(step["reports"], step["epsilon"], step["others"]))
    sent = [*step["sent"], draw(step["answers"], step["epsilon"])]
    return json.dumps({"sent": sent, "beliefs": believed(step["answers"], step["epsilon"], sent)})
