"""Closed forms from the part on the whole worker.

Standard library only.
"""

from itertools import accumulate
from math import exp, expm1, fsum, inf, log, log1p, sqrt, tanh
from statistics import NormalDist

from ldpbook._validate import (
    below_one,
    choices,
    count,
    fraction,
    non_negative,
    open_probability,
    positive,
    privacy,
    probability,
)
from ldpbook.whole_worker.composition import log_probabilities

__all__ = [
    "averaging_rate",
    "liars_as_noise",
    "link_limit",
    "link_rate",
    "memoized_epsilon",
    "response_shift",
    "row_epsilon",
    "shuffle_epsilon_closed_form",
    "threshold_shift",
    "unary_shift",
]


def link_limit(*, n_cells: int, epsilon: float, n_users: int) -> float:
    r"""Largest probability that a first guess finds a known row's report in a crowd, for any mechanism.

    With :math:`\kappa=k\epsilon` the epsilon of rows that differ in at most k cells, and N reports, of which
    one is of the known row and the others are independent and identically distributed, it is

    .. math::
        \frac1N\Bigl[e^\kappa-(e^\kappa-e^{-\kappa})\bigl(1+e^{-\kappa}\bigr)^{-N}\Bigr],

    which randomized response on two whole rows attains. Where each cell is perturbed by itself, the limit is
    lower: :func:`link_rate` with two symbols.

    Parameters
    ----------
    n_cells : int
        Largest number k of cells in which two rows that the attacker thinks possible differ, >= 1.
    epsilon : float
        Epsilon of one cell, for all pairs of neighbours, NULL included; finite and >= 0.
    n_users : int
        Number N of reports, >= 1, including the known row's.

    Returns
    -------
    float
        Probability, rounded up; 1/N for epsilon 0.

    Notes
    -----
    Derived in: whole-worker/row-attack

    Examples
    --------
    >>> for n_cells in (1, 4, 16):
    ...     print(round(link_limit(n_cells=n_cells, epsilon=1.0, n_users=2972), 4))
    0.0009
    0.0184
    0.9998
    """
    kappa, n = count("n_cells", n_cells) * non_negative("epsilon", epsilon), count("n_users", n_users)
    if kappa > 700:
        return 1.0
    exponent = -n * log1p(exp(-kappa))
    return min(1.0, (exp(kappa) * -expm1(exponent) + exp(exponent - kappa)) / n * (1 + 1e-14))


def link_rate(*, n_cells: int, epsilon: float, n_users: int, n_symbols: int) -> float:
    r"""Probability that the best first guess at a known row is right, after randomized response.

    All others are strangers, who have NULL in all k cells where the known row holds an answer. The score of a
    report is the number of answers that it repeats minus the number of its NULLs in these cells. With F the
    distribution function of a stranger's score, the probability is

    .. math::
        \frac1N\sum_{t=-k}^k e^{\epsilon t}\bigl[F(t)^N-F(t-1)^N\bigr].

    With two symbols no first guess is right more often under any mechanism that perturbs each cell by itself
    and is epsilon-cell LDP, NULL included.

    Parameters
    ----------
    n_cells, epsilon, n_users
        As in :func:`link_limit`; at most 1,000 cells, and epsilon is that of the randomized response.
    n_symbols : int
        Number of symbols of a cell, NULL included, >= 2.

    Returns
    -------
    float
        Probability; ties are broken at random.

    Notes
    -----
    Derived in: whole-worker/row-attack

    Examples
    --------
    >>> for n_cells in (1, 4, 16):
    ...     print(round(link_rate(n_cells=n_cells, epsilon=1.0, n_users=2972, n_symbols=6), 4))
    0.0009
    0.0133
    0.1966
    """
    k, n = count("n_cells", n_cells), count("n_users", n_users)
    if k > 1000:
        raise ValueError(f"n_cells must be at most 1,000, got {n_cells}")
    logs = log_probabilities(epsilon=epsilon, n_cells=k, n_symbols=n_symbols)
    law = [exp(at) for at in logs]  # distribution of a stranger's score, lowest first
    below = above = rate = 0.0
    tails = []  # probabilities of a score above t
    for p in reversed(law):
        tails.append(above)
        above += p
    for p, own, above in zip(law, reversed(law), reversed(tails), strict=True):  # her own is mirrored
        below += p
        if below > 0:
            log_at_most = log1p(-above) if above < 0.5 else log(below)
            share = min(1.0, p / below)
            once = 1.0 if n * share < 1e-16 else _one_less_power(share, n) / (n * share)
            rate += own * once * exp((n - 1) * log_at_most)
    return min(1.0, rate)


def _one_less_power(x: float, n: int) -> float:
    """1 - (1 - x)^n for x in [0, 1]."""
    return 1.0 if x == 1 else -expm1(n * log1p(-x))


def averaging_rate(*, epsilon: float, n_reports: int, permanent_epsilon: float = inf) -> float:
    r"""Probability that the majority of many reports on one unchanged yes or no is the true answer.

    Each report is a fresh randomized response, and R is this probability for fresh reports on the true
    answer. If the reports are on a permanent answer, itself a randomized response to the true one, it is

    .. math::
        PR+(1-P)(1-R),\qquad P=\frac1{1+e^{-\epsilon_\infty}}.

    Parameters
    ----------
    epsilon : float
        Epsilon of one fresh randomized response of two symbols; finite and >= 0.
    n_reports : int
        Number of reports, from 1 to 100,000.
    permanent_epsilon : float
        Epsilon of the permanent answer, >= 0; infinite, the default, if reports are on the true answer.

    Returns
    -------
    float
        Probability; ties are broken at random.

    Notes
    -----
    Derived in: whole-worker/again-and-again

    Examples
    --------
    >>> for n_reports in (1, 5, 52):
    ...     print(round(averaging_rate(epsilon=1.0, n_reports=n_reports), 4))
    0.7311
    0.8755
    0.9998
    >>> round(averaging_rate(epsilon=1.0, n_reports=52, permanent_epsilon=2.0), 4)
    0.8806
    """
    rate, n = non_negative("epsilon", epsilon), count("n_reports", n_reports)
    if n > 100_000:
        raise ValueError(f"n_reports must be at most 100,000, got {n_reports}")
    other = exp(-rate)  # probability of a lie, relative to a truth's
    mode = min(n, int((n + 1) / (1 + other)))  # most likely number of truths, at least half
    # Probabilities of k truths, relative to the mode's; those of k lies are other^(2k-n) times as large.
    more = accumulate(range(mode, n), lambda chance, k: chance * (n - k) / (k + 1) / other, initial=1.0)
    down = range(mode, (n + 1) // 2, -1)
    less = accumulate(down, lambda chance, k: chance * k / (n - k + 1) * other, initial=1.0)
    law = [*enumerate(more, mode), *((mode - i, chance) for i, chance in enumerate(less) if i)]
    ahead = fsum(chance * -expm1(-(2 * k - n) * rate) for k, chance in law)
    total = fsum(chance * (1 + exp(-(2 * k - n) * rate) if 2 * k > n else 1) for k, chance in law)
    return 0.5 + tanh(privacy("permanent_epsilon", permanent_epsilon) / 2) * (ahead / total) / 2


def memoized_epsilon(
    *, permanent_epsilon: float, epsilon: float, n_reports: int, n_symbols: int = 2
) -> float:
    r"""Exact epsilon of many reports on one unchanged cell through its permanent answer.

    With s symbols, NULL included, it is

    .. math::
        \ln\frac{e^{\epsilon_\infty}r+s-1}{r+e^{\epsilon_\infty}+s-2},\qquad r=e^{T\epsilon},

    which grows with T towards the epsilon of the permanent answer and never exceeds it.

    Parameters
    ----------
    permanent_epsilon : float
        Epsilon of the randomized response that is drawn once; finite and >= 0.
    epsilon : float
        Epsilon of the randomized response to the permanent answer that is drawn for each report, >= 0;
        infinite if the permanent answer is reported as it is.
    n_reports : int
        Number T of reports.
    n_symbols : int
        Number s of symbols, including NULL if it is protected; >= 2.

    Returns
    -------
    float
        Epsilon of all reports together, for two values of a cell that does not change, NULL or not.

    Notes
    -----
    Source: adapted from Erlingsson, Pihur and Korolova (2014), whose theorems on one report and on infinitely
    many reports are for 2h bits at once.
    Derived in: whole-worker/again-and-again

    Examples
    --------
    >>> for n_reports in (1, 4, 52):
    ...     print(round(memoized_epsilon(permanent_epsilon=2.0, epsilon=1.0, n_reports=n_reports), 4))
    0.7353
    1.8755
    2.0
    """
    permanent, rate = non_negative("permanent_epsilon", permanent_epsilon), privacy("epsilon", epsilon)
    s = choices("n_symbols", n_symbols)
    total = count("n_reports", n_reports) * rate if rate else 0.0
    # ln(1 + (e^permanent - 1)(r - 1) / (r + e^permanent + s - 2)); factors that may overflow are divided out
    less, more = sorted((permanent, total))
    if less > 700:
        return min(permanent, (less - log1p(exp(less - more))) * (1 + 1e-14))
    gain = -expm1(-less) * -expm1(-more)
    denominator = exp(-less) + exp(-more) + (s - 2) * exp(-less - more)
    return min(permanent, log1p(gain / denominator) * (1 + 1e-14))


def row_epsilon(
    *, n_answers: int, n_tasks: int, epsilon: float, epsilon_to_null: float, epsilon_from_null: float
) -> float:
    r"""Exact epsilon of a row whose cells are randomized one by one, if no one knows which are answered.

    Neighbours are any two rows of one worker with at most k answers each, to any of the n tasks. Let c be the
    largest loss between two answers, a of an answer against NULL, and b of NULL against an answer. Epsilon is

    .. math:: \max_t\;tc+\text{the largest loss of the other cells}

    over the number t of tasks that both rows answer. This is :math:`k(a+b)` if :math:`2k\le n` and
    :math:`c\le a+b`.

    Parameters
    ----------
    n_answers : int
        Most answers k of one worker, >= 1.
    n_tasks : int
        Number n of tasks, at least `n_answers`.
    epsilon : float
        Largest loss c between two answers, >= 0 or infinite.
    epsilon_to_null, epsilon_from_null : float
        Largest log ratio a of an output's probabilities given an answer and given NULL, and b the other way
        around, >= 0 or infinite. If both are 0, because NULL is left out, c alone counts: k c.

    Returns
    -------
    float
        Epsilon of the worker.

    Notes
    -----
    Derived in: whole-worker/worker-epsilon

    Examples
    --------
    Randomized response loses 1 between any two symbols.

    >>> one = {"epsilon": 1.0, "epsilon_to_null": 1.0, "epsilon_from_null": 1.0}
    >>> [row_epsilon(n_answers=k, n_tasks=100, **one) for k in (20, 60)]
    [40.0, 100.0]
    """
    k, n = count("n_answers", n_answers), count("n_tasks", n_tasks)
    if n < k:
        raise ValueError(f"n_tasks must be at least n_answers = {k}, got {n}")
    c = privacy("epsilon", epsilon)
    less, more = sorted(
        (privacy("epsilon_to_null", epsilon_to_null), privacy("epsilon_from_null", epsilon_from_null))
    )

    def loss(both: int) -> float:
        """Loss of two rows that share `both` answered tasks; every other task is answered in one at most."""
        one = k - both
        other = min(one, n - k)
        return sum(size * each for size, each in ((both, c), (one, more), (other, less)) if size)

    return max(loss(both) for both in {0, max(0, 2 * k - n), k})


def shuffle_epsilon_closed_form(*, local_epsilon: float, n_users: int, delta: float) -> float:
    r"""Central epsilon of shuffled reports by a published closed form.

    .. math:: \ln\Bigl(1+\frac{e^{\epsilon_0}-1}{e^{\epsilon_0}+1}
        \Bigl(8\sqrt{\frac{e^{\epsilon_0}\ln(4/\delta)}n}+\frac{8e^{\epsilon_0}}n\Bigr)\Bigr)

    This is proved for a local epsilon of at most :math:`\ln\frac n{16\ln(2/\delta)}`. Above that, and where
    the formula gives more, the local epsilon is returned.

    Parameters
    ----------
    local_epsilon : float
        Epsilon of one report for a curator that knows its sender, >= 0; may be infinite.
    n_users : int
        Number n of users whose reports on the same question are mixed, >= 1.
    delta : float
        Delta in (0, 1).

    Returns
    -------
    float
        Epsilon, for neighbours that differ in the one report of one user.

    Notes
    -----
    Source: Feldman, McMillan and Talwar (2021), Theorem 3.1, cited and not proved in the book.
    Derived in: whole-worker/shuffling

    Examples
    --------
    >>> round(shuffle_epsilon_closed_form(local_epsilon=2.0, n_users=20_000, delta=1e-6), 4)
    0.3777
    """
    epsilon, n = privacy("local_epsilon", local_epsilon), count("n_users", n_users)
    allowed = open_probability("delta", delta)
    if epsilon > log(n) - log(16) - log(log(2) - log(allowed)):
        return epsilon
    amount = 8 * sqrt(exp(epsilon) * (log(4) - log(allowed)) / n) + 8 * exp(epsilon) / n
    return min(epsilon, log1p(tanh(epsilon / 2) * amount))


def response_shift(*, liars: float, epsilon: float, n_choices: int) -> float:
    r"""How far liars can move a rare choice's estimated share through the reports that they send.

    .. math:: \beta\,\frac{e^\epsilon+k-2}{e^\epsilon-1}

    Parameters
    ----------
    liars : float
        Share beta of the reports that are not drawn by the protocol, in [0, 1].
    epsilon : float
        Epsilon of randomized response, for the worker's one answer; finite and > 0.
    n_choices : int
        Number k of choices, >= 2.

    Returns
    -------
    float
        Expected estimate of a choice that no one has; for a choice with share f, the shift is
        :math:`\beta f` smaller.

    Notes
    -----
    Derived in: whole-worker/manipulation

    Examples
    --------
    >>> round(response_shift(liars=0.01, epsilon=1.0, n_choices=2), 4)
    0.0158
    """
    share, k, rare = (
        probability("liars", liars),
        choices("n_choices", n_choices),
        exp(-positive("epsilon", epsilon)),
    )
    return share * ((1 + (k - 2) * rare) / -expm1(-epsilon)) if share else 0.0


def unary_shift(*, liars: float, epsilon: float) -> float:
    r"""How far liars can move a rare choice's estimated share under optimized unary encoding.

    .. math:: \beta\,\frac{2e^\epsilon}{e^\epsilon-1}

    Liars who set every bit move all choices by this at once.

    Parameters
    ----------
    liars, epsilon : float
        As in :func:`response_shift`; the bits are those of
        :func:`~ldpbook.categorical_answers.frequency_oracles.unary_encoding`.

    Returns
    -------
    float
        Expected estimate of a choice that no one has.

    Notes
    -----
    Derived in: whole-worker/manipulation

    Examples
    --------
    >>> round(unary_shift(liars=0.01, epsilon=1.0), 4)
    0.0316
    """
    return 2 * response_shift(liars=liars, epsilon=epsilon, n_choices=2)


def threshold_shift(*, liars: float, epsilon: float, density: float) -> float:
    r"""How far liars who send "above" move a truth at its threshold, in standard deviations of the answers.

    Parameters
    ----------
    liars : float
        Share of the workers who lie, in [0, 1); all of them send "above".
    epsilon : float
        Epsilon of the threshold response, for a cell; finite and > 0.
    density : float
        Share of the other workers' cells that hold an answer, in (0, 1].

    Returns
    -------
    float
        Distance from the threshold of the truth that has the expected shares of symbols under the normal
        distribution; infinite if no truth has them.

    Notes
    -----
    Derived in: whole-worker/manipulation

    Examples
    --------
    >>> round(threshold_shift(liars=0.01, epsilon=1.0, density=0.1), 3)
    0.304
    """
    share, rate = below_one("liars", liars), min(positive("epsilon", epsilon), 700.0)
    honest, lost = (1 - share) * fraction("density", density), 2 * share / expm1(rate)
    if not share:
        return 0.0
    # Twice the decoded shares above and below; half of the honest workers' answers are on either side.
    above, below = honest + 2 * (share + lost), honest - lost
    odds = below / (above + below)
    return 0.0 - NormalDist().inv_cdf(odds) if odds > 0 else inf


def liars_as_noise(*, epsilon: float, n_workers: int, n_choices: int = 2) -> float:
    r"""Number of liars who harm a rare choice's estimated share as much as the noise does.

    .. math:: \sqrt{\frac m{e^\epsilon+k-2}}

    Parameters
    ----------
    epsilon : float
        Epsilon of randomized response, for the worker's one answer; finite and > 0.
    n_workers : int
        Number m of workers, >= 1.
    n_choices : int
        Number k of choices, >= 2.

    Returns
    -------
    float
        Number of liars, not rounded to an integer, who move the estimate of a choice that no one has by the
        standard error that it would have without them.

    Notes
    -----
    Derived in: whole-worker/manipulation

    Examples
    --------
    >>> round(liars_as_noise(epsilon=1.0, n_workers=10_000), 1)
    60.7
    >>> round(liars_as_noise(epsilon=1.0, n_workers=10_000, n_choices=4), 1)
    46.0
    """
    root = exp(-positive("epsilon", epsilon) / 2)
    others = choices("n_choices", n_choices) - 2
    return sqrt(count("n_workers", n_workers)) * root / sqrt(1 + others * root * root)
