"""Problems on sparse answers, with different numbers for every student."""

from collections.abc import Callable
from math import exp, log, pi, sqrt

import numpy as np

from ldpbook.sparse_answers.bounds import lp_mae_bound_corrected
from ldpcourse.problems.problem import Problem, drawn


def _laplace(rng: np.random.Generator) -> Problem:
    size, epsilon = int(rng.integers(3, 12)), round(float(rng.uniform(0.5, 5)), 1)
    density, truth = round(float(rng.uniform(0.05, 0.9)), 2), int(rng.integers(0, 3))
    return Problem(
        f"Evaluate the corrected bound of Laplace perturbation for answers 0 to {size - 1}, the parameter"
        f" epsilon {epsilon:.1f}, noise of scale (number of possible answers)/epsilon, density {density:.2f},"
        f" truth {truth}, errors with standard deviation 1, and a uniform fill on the answers.",
        lp_mae_bound_corrected(epsilon=epsilon, domain=range(size), density=density, truth=truth),
        explanation="An empty cell errs by the distance of each fill from the truth, not of the mean fill."
        " An answered cell errs by its own error. Noise of scale (number of answers)/epsilon is added to"
        " both, and the absolute value is taken inside the mean.",
    )


def _keep(rng: np.random.Generator) -> Problem:
    choices, epsilon = int(rng.integers(2, 12)), round(float(rng.uniform(0.2, 4)), 1)
    return Problem(
        f"Randomized response on {choices} symbols is to be {epsilon:.1f}-private. With what probability"
        " is a symbol kept?",
        exp(epsilon) / (choices - 1 + exp(epsilon)),
        explanation="Keeping the symbol is e to the epsilon times as likely as each other symbol, and the"
        " probabilities of all symbols, including NULL if it counts, add up to 1.",
    )


def _absent(rng: np.random.Generator) -> Problem:
    """The output lies above all answers, where the worker with fewer answers is more likely."""
    size, epsilon = int(rng.integers(4, 12)), drawn(rng, 0.5, 4, 1)
    n_answers, scale = int(rng.integers(2, 6)), size / epsilon
    while True:
        given, extra = (int(a) for a in rng.integers(0, size, 2))
        excess = scale * (log(1 + 1 / n_answers) + float(rng.uniform(0.4, 4)))
        output = round(extra + excess, 1)
        if output > given:
            break
    return Problem(
        "Take matrix-factorization perturbation of rank 1, with the profile 1 for every task, answers 0 to"
        f" {size - 1}, the parameter epsilon {epsilon:.1f}, and noise of scale (number of possible"
        f" answers)/epsilon in the objective. A worker gave {n_answers} answers, all of them {given}. Her"
        f" neighbour gave the same answers, and the answer {extra} to one more task. The released worker"
        f" profile is {output:.1f}. What is the privacy loss of this output, of the worker against the"
        " neighbour (natural logarithm)?",
        log(n_answers / (n_answers + 1))
        - n_answers * abs(output - given) / scale
        + abs((n_answers + 1) * output - n_answers * given - extra) / scale,
        explanation="A profile is the mean answer plus noise whose scale is divided by the number of"
        " answers, so two workers of a NULL-value pair have densities of different width. The loss contains"
        " the logarithm of the ratio of widths and grows without bound with the output. MF protects only"
        " value-value pairs.",
    )


def _profile(rng: np.random.Generator) -> Problem:
    size, answered, sigma = int(rng.integers(4, 13)), int(rng.integers(3, 20)), drawn(rng, 0.5, 2, 1)
    least = sigma * sqrt(2 / pi / answered)
    error = round(least + size / answered / float(rng.uniform(0.3, 3)), 2)
    return Problem(
        "Take matrix-factorization perturbation for tasks in groups of equal size, where each group has its"
        f" own unit vector. A worker answers {answered} tasks of each group on a scale of {size} consecutive"
        f" integers, with independent normal errors of standard deviation {sigma:.1f}; all truths of a group"
        " are equal. The parameter epsilon is chosen so that the corrected error bound is"
        f" {error:.2f}. (This bound is the mean absolute error of the mean of the worker's answers in a"
        " group, plus the mean absolute noise in her profile.) What is then the exact epsilon of one answer"
        " that is changed into another, while the same tasks are answered?",
        (size - 1) / answered / (error - least),
        explanation="With equal truths in a group the bound is the mean absolute error of the mean of k"
        " answers, plus that of noise of scale (number of possible answers)/(k epsilon); solve for epsilon."
        " The proof needs only the scale (number of possible answers - 1)/(k epsilon), for one cell and"
        " value-value pairs. NULL is not protected.",
    )


def _constant(rng: np.random.Generator) -> Problem:
    """Truths are skewed, so that their mean is not the best constant."""
    while True:
        truths = np.round(9 * rng.beta(0.7, 2, 9), 1)
        best, mean = (float(np.abs(truths - c).mean()) for c in (np.median(truths), truths.mean()))
        if mean > 1.03 * best and best > 0.3:
            break
    error = round(best * float(rng.uniform(0.6, 3)), 2)
    return Problem(
        f"The truths of nine tasks are {', '.join(f'{t:.1f}' for t in truths)}. A mechanism reveals them with"
        f" a mean absolute error of {error:.2f}. Divide that by the mean absolute error of the best constant"
        " for these truths.",
        error / best,
        explanation="The constant with the smallest mean absolute error is a median of the truths, not their"
        " mean. If the ratio is above 1, the mechanism does worse than a constant that uses no answers and"
        " costs no privacy. Assumed: both errors are means over the same nine tasks, each counted once.",
    )


def _budgets(rng: np.random.Generator) -> Problem:
    low, size, n_cells = drawn(rng, 0.2, 1.5, 1), int(rng.integers(2, 6)), int(rng.integers(2, 5))
    high = round(low + float(rng.uniform(1, 3)), 1)
    budgets = [exp(low), exp(high)]
    kept = sum((e / (size + e)) ** n_cells for e in budgets)
    one_lost = sum((e / (size + e)) ** (n_cells - 1) / (size + e) for e in budgets)
    return Problem(
        f"A worker draws one budget, {low:.1f} or {high:.1f} with equal probability, and passes {n_cells}"
        f" cells through randomized response with it; there are {size} possible answers and NULL. All outputs"
        " are released. What is the exact epsilon of one cell, the largest over any two contents?",
        log(kept / one_lost),
        explanation="The other cells' outputs reveal something about the budget. The loss of the cell is"
        " largest where all the others were kept, which speaks for the larger budget. So epsilon is above"
        " that of a single cell and below the larger budget; it is not a mean of budgets.",
    )


PROBLEMS: dict[str, Callable[[np.random.Generator], Problem]] = {
    "laplace": _laplace,
    "keep": _keep,
    "absent": _absent,
    "profile": _profile,
    "constant": _constant,
    "budgets": _budgets,
}
