"""Several questions with one epsilon per person: her reports, and a crowd's shares and means from reports.

Standard library only, except for tables and estimates, so that a phone or a page can draw one person's
reports.
"""

import os
from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from math import fsum, inf, log1p, prod
from typing import TYPE_CHECKING, Any

from ldpbook._dyadic import Entropy, float_below, response_weights
from ldpbook._validate import listed, open_probability, positive
from ldpbook.practice.dyadic import draw_response
from ldpbook.practice.survey import interval, label_or_null, survey_mean, survey_shares

if TYPE_CHECKING:
    import pandas as pd

    from ldpbook._arrays import Rng
    from ldpbook.sparse_answers import RandomizedResponse

__all__ = ["Questionnaire"]


@dataclass(frozen=True)
class Questionnaire:
    r"""Questions with one epsilon for everything that a person answers.

    Every answer, NULL included, becomes a report by randomized response with a share of the budget, each by a
    draw of its own. A *person* is protected with `epsilon`: any reports are at most :math:`e^\epsilon` times
    as probable from one list of answers as from any other, NULL or not, and `exact_epsilon` is attained. A
    *cell*, one answer, is protected with its share, `epsilons`, given all the person's other answers. That
    she was asked is public; whether she answered is not.

    Parameters
    ----------
    questions : mapping of str to iterable
        Choices of each question: two or more different labels; or a scale, which has a mean, as a `range` of
        consecutive integers. NULL is always possible and is not a choice.
    epsilon : float
        Privacy budget of a person, finite and > 0.
    weights : mapping of str to float, optional
        Weights by which the budget is split, > 0 for each question; equal by default.

    Raises
    ------
    ValueError
        If choices are not two or more different labels, weights are for other questions, or a share of the
        budget is too small for probabilities in whole words of 64 bits.

    Notes
    -----
    Derived in: practice/survey

    Examples
    --------
    >>> asked = Questionnaire({"smokes": ["yes", "no"], "mood": range(1, 6)}, epsilon=4.0)
    >>> asked.epsilons
    {'smokes': 2.0, 'mood': 2.0}
    >>> asked.respond({"smokes": "no"}, entropy=lambda n: bytes([200] * n))  # fixed, for this page only
    {'smokes': 'no', 'mood': 3}
    """

    questions: Mapping[str, Any]
    epsilon: float
    weights: Mapping[str, float] | None = None

    def __post_init__(self) -> None:
        for name, given in (("questions", self.questions), ("weights", self.weights or {})):
            if not isinstance(given, Mapping) or not all(isinstance(key, str) for key in given):
                raise TypeError(f"{name} must be a mapping from names, got {type(given).__name__}")
        if not self.questions:
            raise ValueError("questions must be one or more, got none")
        choices = {name: _choices(name, given) for name, given in self.questions.items()}
        object.__setattr__(self, "questions", choices)
        if self.weights is not None and set(self.weights) != set(choices):
            raise ValueError(f"weights must be of the questions {list(choices)!r:.80}, got others")
        _ = self._words  # raises if words cannot hold the probabilities

    @property
    def epsilons(self) -> dict[str, float]:
        """Epsilon of each answer. Even with rounding, their sum does not exceed a person's epsilon."""
        parts = self.weights or dict.fromkeys(self.questions, 1)
        whole = {name: Fraction(positive("weights", parts[name])) for name in self.questions}
        unit = Fraction(float_below("epsilon", self.epsilon)) / sum(whole.values())
        return {name: float_below("epsilon", unit * part) for name, part in whole.items()}

    @property
    def _randomizers(self) -> dict[str, dict[str, Any]]:
        return {
            name: {"epsilon": epsilon, "n_symbols": len(self.questions[name]) + 1}
            for name, epsilon in self.epsilons.items()
        }

    @property
    def exact_ratio(self) -> Fraction:
        """Largest ratio of the probabilities of a person's reports given two lists of answers, as drawn."""
        return prod((Fraction(*words) for words in self._words), start=Fraction(1))

    @property
    def exact_epsilon(self) -> float:
        """Largest privacy loss of a person, as drawn, rounded up; at most `epsilon`."""
        loss = fsum(log1p((keep - other) / other) for keep, other in self._words)
        return min(loss * (1 + 2.0**-50), float_below("epsilon", self.epsilon))

    @property
    def _words(self) -> list[tuple[int, int]]:
        return [response_weights(**each) for each in self._randomizers.values()]

    def shuffled_epsilon(self, *, n_users: int, delta: float) -> float:
        """Epsilon of a person at delta if a shuffler mixes the reports on each of q questions separately.

        The reports are those of `n_users` people who are asked. No two reports of a person can be linked, and
        the losses of the questions, each at delta / q, add up.
        """
        from ldpbook.whole_worker.shuffling import shuffle_epsilon

        rest = {"n_users": n_users, "delta": open_probability("delta", delta) / len(self.questions)}
        local: list[tuple[float, int]] = [(x["epsilon"], x["n_symbols"]) for x in self._randomizers.values()]
        return fsum(shuffle_epsilon(local_epsilon=e, n_symbols=s, **rest) for e, s in local)  # type: ignore[arg-type]

    @property
    def mechanisms(self) -> "dict[str, RandomizedResponse]":
        """Mechanism of each question, on the numbers 0, 1, ... of its choices."""
        from ldpbook.sparse_answers import RandomizedResponse

        return {
            name: RandomizedResponse(e, range(len(self.questions[name]))) for name, e in self.epsilons.items()
        }

    def respond(self, answers: Mapping[str, Any], *, entropy: Entropy = os.urandom) -> dict[str, Any]:
        """One person's reports on every question; an answer that is missing or None is NULL.

        Reports are drawn with whole numbers from `entropy`; anything but `os.urandom` is for tests and pages.
        An answer to an unknown question is refused with a ValueError. So is an answer that is not a choice;
        the message names the question.
        """
        if not isinstance(answers, Mapping):
            raise TypeError(f"answers must be a mapping from questions, got {type(answers).__name__}")
        if not set(answers) <= set(self.questions):
            raise ValueError(f"answers must be to the questions {list(self.questions)!r:.80}, got others")
        reports = {}
        for name, randomizer in self._randomizers.items():
            symbols = (*self.questions[name], None)
            # With a linear search, the time taken would reveal the answer.
            number = {symbol: k for k, symbol in enumerate(symbols)}
            given = label_or_null("answers", answers.get(name))
            if given not in number:
                raise ValueError(f"answers to {name!r} must be in {symbols[:-1]!r:.80} or NULL, got another")
            reports[name] = symbols[draw_response(number[given], entropy=entropy, **randomizer)]
        return reports

    def perturb(self, answers: Any, rng: "Rng" = None, *, entropy: Entropy = os.urandom) -> Any:
        """Reports of all who were asked: without `rng` for release, with `rng` for study.

        Parameters
        ----------
        answers : DataFrame, mapping of str to list, or list of mappings
            One row per person and one column per question, of pandas, polars or pyarrow; None, nan or NA for
            NULL. **The rows are all people who were asked**, including those who answered nothing.
        rng : Generator or int, optional
            Source of randomness for study, or a seed for one.
        entropy : callable
            For release: a function that returns n random bytes when called with n; anything but `os.urandom`
            is for tests and pages.

        Returns
        -------
        DataFrame, dict or list
            Reports in the same form, with the rows in the same order and with the same index.

        Raises
        ------
        ValueError
            If the columns are not the questions, once each, or an answer is not a choice; the message names
            its row.
        """
        from ldpbook._arrays import generator
        from ldpbook._wide import like, read_columns

        codes = read_columns("answers", answers, self.questions)
        source = None if rng is None else generator(rng)
        drawn = {
            name: mechanism.perturb(codes[name][:, None], source, entropy=entropy)[:, 0]
            for name, mechanism in self.mechanisms.items()
        }
        return like(answers, drawn, self.questions)

    def shares(self, reports: Any, *, confidence: float = 0.95) -> "pd.DataFrame":
        """Estimated shares by question, one row per answer: answer (None for NULL), share, error, low, high.

        The estimates are those of `survey_shares`. Reports come from `perturb`, or are a list of what
        `respond` returns. Intervals are normal, at `confidence`, and cut off at 0 and 1.
        """
        rows = []
        for name, counts in self._counts(reports):
            symbols = [*self.questions[name], None]
            for label, x in survey_shares(counts, epsilon=self.epsilons[name], choices=symbols).items():
                rows.append((name, label, x.share, x.error, *interval(x.share, x.error, confidence, 0, 1)))
        return _frame(rows, "answer", "share")

    def means(self, reports: Any, *, confidence: float = 0.95) -> "pd.DataFrame":
        """Estimated means of those who answered, by question with a scale: mean, error, low, high.

        The estimates are those of `survey_mean`. Intervals are cut off at the ends of the scale, and are the
        whole scale if the reports do not show that anyone answered. A ValueError is raised if no question has
        a scale, which is a `range`.
        """
        if not any(isinstance(scale, range) for scale in self.questions.values()):
            raise ValueError("questions must have a scale, a range of numbers, to have means, got none")
        rows = []
        for name, counts in self._counts(reports):
            if isinstance(scale := self.questions[name], range):
                x = survey_mean(counts, epsilon=self.epsilons[name], scale=scale)
                sure = interval(x.answered.share, x.answered.error, confidence, 0, 1)[0] > 0
                ends = interval(x.mean, x.error if sure else inf, confidence, scale[0], scale[-1])
                rows.append((name, x.mean, x.error, *ends))
        return _frame(rows, "mean")

    def _counts(self, reports: Any) -> list[tuple[str, list[int]]]:
        from ldpbook._wide import count_symbols

        return count_symbols("reports", reports, self.questions)


def _choices(name: str, given: Iterable[Hashable]) -> tuple[Hashable, ...] | range:
    choices = (
        given
        if isinstance(given, range)
        else tuple(label_or_null("questions", each) for each in listed("questions", given))
    )
    if len(choices) < 2 or len(set(choices)) < len(choices) or None in choices:
        raise ValueError(f"questions must have two or more different choices, {name!r} has {given!r:.80}")
    if isinstance(choices, range) and choices.step != 1:
        raise ValueError(f"questions must have scales of consecutive integers, {name!r} has {given!r:.80}")
    return choices


def _frame(rows: list[tuple[Any, ...]], *names: str) -> "pd.DataFrame":
    import pandas as pd

    return pd.DataFrame(rows, columns=["question", *names, "error", "low", "high"]).set_index("question")
