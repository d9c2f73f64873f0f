"""Parts of a problem of the bank, and the drawing of its numbers."""

from dataclasses import dataclass

import numpy as np

from ldpbook._validate import any_number


@dataclass(frozen=True)
class Problem:
    """One variant of a problem.

    Attributes
    ----------
    text : str
        The question, with this variant's numbers.
    key : float
        The answer.
    tolerance : float
        Largest difference between an answer and the key that is graded right, as a share of the key.
    explanation : str
        Points that a full explanation names, the same in every variant; for graders, never for students.
    """

    text: str
    key: float
    tolerance: float = 0.005
    explanation: str = ""

    def grade(self, answer: float) -> bool:
        """Whether an answer agrees with the key.

        Parameters
        ----------
        answer : float
            A student's answer.

        Returns
        -------
        bool
            True if it differs from the key by at most `tolerance` times the key.
        """
        return abs(any_number("answer", answer) - self.key) <= self.tolerance * abs(self.key)


def drawn(rng: np.random.Generator, low: float, high: float, digits: int = 2) -> float:
    """A random number rounded as it is printed, so that text and key use the same number."""
    return round(float(rng.uniform(low, high)), digits)
