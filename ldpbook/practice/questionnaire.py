"""Several questions, one epsilon for a person: her reports, and a crowd's shares and means from reports.

Standard library only, but for tables and estimates: a phone or a page draws one person's reports by it.
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
    r"""Questions with one epsilon for all that a person answers.

    Every answer, NULL included, becomes a report by randomized response with a share of the budget, each by a
    draw of its own. A *person* is protected with `epsilon`: any reports are at most :math:`e^\epsilon` times
    as probable from one list of answers as from any other, NULL or not, and `exact_epsilon` is attained. A
    *cell*, one answer, is protected with its share, `epsilons`, given all her other answers. That she was
    asked is public; whether she answered is not.

    Parameters
    ----------
    questions : mapping of str to iterable
        For each question its choices, two or more different labels; or a `range` of consecutive integers: a
        scale, which has a mean. NULL is always possible and no choice.
    epsilon : float
        Privacy budget of a person, finite and > 0.
    weights : mapping of str to float, optional
        By which the budget is split, > 0 for each question; evenly by default.

    Raises
    ------
    ValueError
        If choices are not two or more different labels, weights are of other questions, or a share of the
        budget is too small for chances in whole words of 64 bits.

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
        _ = self._words  # refused where words cannot hold the chances

    @property
    def epsilons(self) -> dict[str, float]:
        """The epsilon of each answer; their sum is not above a person's, not by rounding either."""
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
        """The largest ratio of the chances of a person's reports from two lists of answers, as drawn."""
        return prod((Fraction(*words) for words in self._words), start=Fraction(1))

    @property
    def exact_epsilon(self) -> float:
        """A person's largest privacy loss, as drawn, rounded upwards: at most `epsilon`."""
        loss = fsum(log1p((keep - other) / other) for keep, other in self._words)
        return min(loss * (1 + 2.0**-50), float_below("epsilon", self.epsilon))

    @property
    def _words(self) -> list[tuple[int, int]]:
        return [response_weights(**each) for each in self._randomizers.values()]

    def shuffled_epsilon(self, *, n_users: int, delta: float) -> float:
        """A person's epsilon at delta where reports on each of q questions are mixed, by themselves.

        Of `n_users` people who are asked; no two reports of one can be linked then, and the losses of the
        questions, each at delta / q, add up.
        """
        from ldpbook.whole_worker.shuffling import shuffle_epsilon

        rest = {"n_users": n_users, "delta": open_probability("delta", delta) / len(self.questions)}
        local: list[tuple[float, int]] = [(x["epsilon"], x["n_symbols"]) for x in self._randomizers.values()]
        return fsum(shuffle_epsilon(local_epsilon=e, n_symbols=s, **rest) for e, s in local)  # type: ignore[arg-type]

    @property
    def mechanisms(self) -> "dict[str, RandomizedResponse]":
        """Each question's mechanism, on the numbers 0, 1, ... of its choices."""
        from ldpbook.sparse_answers import RandomizedResponse

        return {
            name: RandomizedResponse(e, range(len(self.questions[name]))) for name, e in self.epsilons.items()
        }

    def respond(self, answers: Mapping[str, Any], *, entropy: Entropy = os.urandom) -> dict[str, Any]:
        """One person's reports, on every question; in her answers one that is left out, or None, is NULL.

        Drawn by whole numbers from `entropy`; another than `os.urandom` is for tests and pages. An answer to
        an unknown question, or that is no choice, is refused with a ValueError that names the question.
        """
        if not isinstance(answers, Mapping):
            raise TypeError(f"answers must be a mapping from questions, got {type(answers).__name__}")
        if not set(answers) <= set(self.questions):
            raise ValueError(f"answers must be to the questions {list(self.questions)!r:.80}, got others")
        reports = {}
        for name, randomizer in self._randomizers.items():
            symbols = (*self.questions[name], None)
            # A search would take longer for the last.
            number = {symbol: k for k, symbol in enumerate(symbols)}
            given = label_or_null("answers", answers.get(name))
            if given not in number:
                raise ValueError(f"answers to {name!r} must be in {symbols[:-1]!r:.80} or NULL, got another")
            reports[name] = symbols[draw_response(number[given], entropy=entropy, **randomizer)]
        return reports

    def perturb(self, answers: Any, rng: "Rng" = None, *, entropy: Entropy = os.urandom) -> Any:
        """The reports of all who were asked: without `rng` for release, with `rng` for study.

        Parameters
        ----------
        answers : DataFrame, mapping of str to list, or list of mappings
            One row a person, one column a question, of pandas, polars or pyarrow; None, nan or NA for NULL.
            **The rows are all who were asked**, also those who answered nothing.
        rng : Generator or int, optional
            Source of randomness for study, or a seed for one.
        entropy : callable
            For release: gives that many random bytes; other than `os.urandom` for tests and pages.

        Returns
        -------
        DataFrame, dict or list
            The same form, rows in their order and with their index.

        Raises
        ------
        ValueError
            If the columns are not the questions, once each, or an answer is no choice: its row is named.
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
        """By question, a row an answer: answer (None for NULL), share, error, low, high.

        Estimates of `survey_shares` from reports as `perturb` and, in a list, `respond` give them; intervals
        are normal, at `confidence`, and cut off at 0 and 1.
        """
        rows = []
        for name, counts in self._counts(reports):
            symbols = [*self.questions[name], None]
            for label, x in survey_shares(counts, epsilon=self.epsilons[name], choices=symbols).items():
                rows.append((name, label, x.share, x.error, *interval(x.share, x.error, confidence, 0, 1)))
        return _frame(rows, "answer", "share")

    def means(self, reports: Any, *, confidence: float = 0.95) -> "pd.DataFrame":
        """By question, a row a scale: mean, error, low, high, of those who answered.

        Estimates of `survey_mean`; intervals are cut off at the ends of the scale, and all of it where the
        reports are not sure that anybody answered. A ValueError if no question has a scale, a `range`.
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
