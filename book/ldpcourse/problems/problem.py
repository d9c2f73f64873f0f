"""What a problem of the bank consists of, and how its numbers are drawn."""

from dataclasses import dataclass

import numpy as np

from ldpbook._validate import any_number


@dataclass(frozen=True)
class Problem:
    """One variant of a problem.

    Attributes
    ----------
    text : str
        What is asked, with this variant's numbers.
    key : float
        The answer.
    tolerance : float
        Largest difference of an answer from the key, as a share of the key, that is graded right.
    explanation : str
        What a full explanation names, in every variant: for who grades, never for students.
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
            True if it differs by at most `tolerance` of the key.
        """
        return abs(any_number("answer", answer) - self.key) <= self.tolerance * abs(self.key)


def drawn(rng: np.random.Generator, low: float, high: float, digits: int = 2) -> float:
    """A number as it is printed: what a text says is what its key is computed from."""
    return round(float(rng.uniform(low, high)), digits)
