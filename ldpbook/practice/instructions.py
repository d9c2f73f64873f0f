"""Estimates from randomized answers of people who may not follow the instructions."""

from collections.abc import Iterable
from dataclasses import dataclass
from math import nan

import numpy as np
from scipy.optimize import linprog, nnls
from scipy.special import chdtrc

from ldpbook._arrays import Array
from ldpbook._validate import _integer, count, fraction, listed, one_of, probability

__all__ = ["AskedSample", "FollowedShares", "decoded_limit", "fewest_people", "fit_shares", "share_bounds"]

# For each model, (followed, carriers, other_yes) is a fixed part plus a matrix times the unknown shares.
_MODELS = {
    "nobody": ([1.0, 0.0, 0.0], [[0.0], [1.0], [0.0]]),
    "no": ([0.0, 0.0, 0.0], [[1.0, 0.0], [0.0, 1.0], [0.0, 0.0]]),
    "coin": ([0.0, 0.0, 0.5], [[1.0, 0.0], [0.0, 1.0], [-0.5, 0.0]]),
    "yes": ([0.0, 0.0, 1.0], [[1.0, 0.0], [0.0, 1.0], [-1.0, 0.0]]),
    "anyhow": ([0.0, 0.0, 0.0], [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]),
}
_CHANCE = 0.01  # below this p-value, rates are too far from those of any shares


@dataclass(frozen=True)
class AskedSample:
    """People who were asked one question with one device, and how many of them said yes.

    Parameters
    ----------
    p, q : float
        Probability of a yes from people who follow the instructions: with a true yes, and with a true no.
        They differ by 1e-6 or more; 1 and 0 are a direct question.
    yes, n : int
        Number of the n >= 1 people who said yes, and n. People without an answer are not counted. Whole
        numbers: weighted counts have another error, and are refused.
    known : float, optional
        For a control question, the share of true yes among all, known beforehand. None for the question
        itself.

    Notes
    -----
    Derived in: practice/instructions

    Examples
    --------
    >>> AskedSample(p=5 / 6, q=1 / 6, yes=831, n=2435).rate.__round__(4)
    0.3413
    """

    p: float
    q: float
    yes: int
    n: int
    known: float | None = None

    def __post_init__(self) -> None:
        _gap(self.p, self.q)
        if _integer("yes", self.yes, 0) > count("n", self.n):
            raise ValueError(f"yes must be at most n, {self.n!r:.40}, got {self.yes!r:.40}")
        if self.known is not None:
            probability("known", self.known)

    @property
    def rate(self) -> float:
        """Share of people who said yes."""
        return self.yes / self.n

    @property
    def row(self) -> tuple[float, float, float]:
        """Weights of followed, carriers and other_yes in the expected rate."""
        gap = self.p - self.q
        return (self.q, gap, 1.0) if self.known is None else (self.q + self.known * gap, 0.0, 1.0)

    @property
    def _variance(self) -> float:
        """Variance of the rate, which is kept 2.25 people or more from 0 and 1, so that no error is 0."""
        few = min(2.25 / self.n, 0.5)
        rate = min(max(self.rate, few), 1 - few)
        return rate * (1 - rate) / self.n


@dataclass(frozen=True)
class FollowedShares:
    """Shares of all people asked, estimated under one model of those who do not follow the instructions.

    Attributes
    ----------
    followed, carriers, other_yes : float
        Estimated shares of people who follow the instructions, who do so with a true yes, and who do not
        but say yes. Nothing is cut off: a negative share is evidence against the model, or is due to chance.
    errors : tuple of float
        Standard errors of the three. For these, rates are taken to be 2.25 people or more from 0 and 1, so
        that a rate of 0 has an error too.
    misfit, df : float and int
        Sum of squared errors of the rates, in standard errors, and its degrees of freedom: samples minus
        unknowns. With 0 degrees every possible model fits perfectly, and models cannot be compared.
    p_value : float
        Probability of a larger misfit if the model holds; nan with 0 degrees.
    """

    followed: float
    carriers: float
    other_yes: float
    errors: tuple[float, float, float]
    misfit: float
    df: int
    p_value: float

    @property
    def possible(self) -> bool:
        """Whether no share is negative: of people who follow, with yes or no, and who do not, with either."""
        parts = self.carriers, self.followed - self.carriers, self.other_yes
        return min(*parts, 1 - self.followed - self.other_yes) >= -1e-9

    @property
    def bounds(self) -> tuple[float, float]:
        """Share of true yes among all people, if none of those who do not follow has one, and if all do."""
        return self.carriers, self.carriers + 1 - self.followed


def decoded_limit(
    share: float, *, p: float, q: float, coin: float = 0.0, always_no: float = 0.0, always_yes: float = 0.0
) -> float:
    r"""Limit of the decoded share if some people answer without regard to their truth.

    Parameters
    ----------
    share : float
        Share of true yes among people who follow the instructions.
    p, q : float
        Probability of a yes from people who follow: with a true yes, and with a true no. They differ by
        1e-6 or more.
    coin, always_no, always_yes : float
        Shares of all people who answer by a fair coin, always no and always yes; together at most 1.

    Returns
    -------
    float
        :math:`(1-c)\pi+(r(\frac12-q)+h(1-q)-gq)/(p-q)` with r, g, h the three shares and c their sum.

    Raises
    ------
    ValueError
        If p and q do not differ, or the three shares have a sum above 1.

    Notes
    -----
    Derived in: practice/instructions

    Examples
    --------
    >>> round(decoded_limit(0.1, p=11 / 12, q=3 / 12, coin=0.3), 4)
    0.1825
    """
    r, g = probability("coin", coin), probability("always_no", always_no)
    follow = 1 - r - g - (h := probability("always_yes", always_yes))
    if follow < -1e-9:
        raise ValueError(f"coin, always_no and always_yes must have a sum of at most 1, got {1 - follow!r}")
    gap = _gap(p, q)
    return follow * probability("share", share) + (r * (0.5 - q) + h * (1 - q) - g * q) / gap


def fit_shares(samples: Iterable[AskedSample], *, others: str) -> FollowedShares:
    """Estimated shares of people by what they do, from the yes rates of several samples of one population.

    Parameters
    ----------
    samples : iterable of AskedSample
        Samples drawn at random from one population. The same people would follow in each.
    others : str
        Model of people who do not follow: "nobody" if there are none; "no", "coin" or "yes" if they always
        say no, toss a fair coin or always say yes; "anyhow" for a mixture of these that is estimated.

    Returns
    -------
    FollowedShares
        Shares estimated by weighted least squares on the rates.

    Raises
    ------
    ValueError
        If the samples do not identify the shares; the message says how many independent rows are needed.

    Notes
    -----
    Derived in: practice/instructions

    Examples
    --------
    >>> first = AskedSample(p=1.0, q=10 / 12, yes=373, n=564)
    >>> second = AskedSample(p=1.0, q=2 / 12, yes=398, n=692)
    >>> [round(end, 3) for end in fit_shares([first, second], others="no").bounds]
    [0.554, 0.871]
    """
    given = _samples(samples)
    fixed, spread, design = _model(given, others)
    rates, variances = np.array([(each.rate, each._variance) for each in given]).T
    weighted = design / np.sqrt(variances)[:, None]
    left = (rates - np.array([each.row for each in given]) @ fixed) / np.sqrt(variances)
    inverse = np.linalg.pinv(weighted)
    unknown = inverse @ left
    misfit, df = float(((left - weighted @ unknown) ** 2).sum()), len(given) - len(unknown)
    errors = tuple(np.sqrt(((spread @ inverse) ** 2).sum(axis=1)).tolist())
    p_value = float(chdtrc(df, misfit)) if df else nan
    followed, carriers, other_yes = (fixed + spread @ unknown).tolist()
    return FollowedShares(followed, carriers, other_yes, errors, misfit, df, p_value)


def fewest_people(samples: Iterable[AskedSample], *, others: str, error: float) -> tuple[float, ...]:
    """Sample sizes, with the smallest total, for a given standard error of the carriers.

    Parameters
    ----------
    samples : iterable of AskedSample
        As many samples as the model has unknown shares, with the expected rates, such as those of a pilot
        study. Their sizes do not matter.
    others : str
        The model, as in `fit_shares`.
    error : float
        Desired standard error of `FollowedShares.carriers`, from 1e-9 to 1.

    Returns
    -------
    tuple of float
        People per sample, not rounded, in proportion to the weight of its rate times the rate's standard
        deviation. 0 means: leave the sample out, because the carriers do not depend on it. `fit_shares` then
        refuses the remaining samples under the same model. If one sample remains, others="nobody" gives the
        same carriers.

    Raises
    ------
    ValueError
        If the samples do not identify the shares, or there are more of them than unknown shares; if a rate is
        0 or 1, for which no error can be planned; or if the error is not from 1e-9 to 1.

    Notes
    -----
    Derived in: practice/instructions

    Examples
    --------
    >>> die = AskedSample(p=5 / 6, q=1 / 6, yes=400, n=1000)
    >>> round(fewest_people([die], others="nobody", error=0.02)[0])
    1350
    """
    given = _samples(samples)
    _, spread, design = _model(given, others)
    if len(given) != (needed := design.shape[1]):
        raise ValueError(f"samples must be {needed}, one per unknown of others={others!r}, got {len(given)}")
    rates = np.array([each.rate for each in given])
    if not ((rates > 0) & (rates < 1)).all():
        raise ValueError(f"samples must have rates between 0 and 1, got {rates.tolist()!r:.80}")
    weights = (spread @ np.linalg.inv(design))[1]
    parts = np.abs(weights) * np.sqrt(rates * (1 - rates))
    if (wished := fraction("error", error)) < 1e-9:
        raise ValueError(f"error must be at least 1e-9, got {error!r}")
    return tuple((parts * parts.sum() / wished**2).tolist())


def share_bounds(samples: Iterable[AskedSample], *, most: float = 1.0) -> tuple[float, float]:
    """Smallest and largest share of true yes among all people that fit the rates of the samples.

    People who do not follow may say yes or no for any reason, but equally often in every sample, and may have
    any truth. Both ends are attained. The bounds do not include sampling errors. If no shares fit the rates,
    the rates are replaced by the nearest ones, in standard errors, that some shares fit.

    Parameters
    ----------
    samples : iterable of AskedSample
        As in `fit_shares`.
    most : float
        Largest possible share of people who do not follow, in [0, 1].

    Returns
    -------
    tuple of float
        Lower and upper bound.

    Raises
    ------
    ValueError
        If the nearest rates are further away than chance explains. If the model holds, the sum of their
        squared distances, in standard errors, is at most that of the true rates, which is about chi-square
        with as many degrees of freedom as samples. A sum is refused if a chi-square variable is this large
        with probability below 0.01.

    Notes
    -----
    Derived in: practice/instructions

    Examples
    --------
    >>> die = AskedSample(p=5 / 6, q=1 / 6, yes=831, n=2435)
    >>> [round(end, 3) for end in share_bounds([die], most=0.1)]
    [0.137, 0.387]
    """
    given, cap = _samples(samples), probability("most", most)
    rows = np.array([each.row for each in given])
    # The unknown shares: people who follow, with a yes and with a no, and who do not, and say yes and no.
    fits = np.column_stack([rows[:, 0] + rows[:, 1], rows[:, 0], rows[:, 2], 0 * rows[:, 2]])
    rates, variances = np.array([(each.rate, each._variance) for each in given]).T
    near = _nearest(fits, rates, np.sqrt(variances), cap)
    equal, sums = np.vstack([fits, np.ones(4)]), [*near, 1.0]
    aims = ([1.0, 0.0, 0.0, 0.0], [0.0, 1.0, 0.0, 0.0])
    ends = [linprog(aim, A_ub=[[0, 0, 1, 1]], b_ub=[cap], A_eq=equal, b_eq=sums).fun for aim in aims]
    chance = chdtrc(len(given), ((near - rates) ** 2 / variances).sum())
    if ends[0] is None or ends[1] is None or chance < _CHANCE:
        told = [round(rate, 4) for rate in rates.tolist()]
        raise ValueError(
            f"samples must have rates that some shares fit, up to chance; got {told!r:.80} with most={cap!r}"
        )
    return float(ends[0]), float(1 - ends[1])


def _nearest(fits: Array, rates: Array, errors: Array, cap: float) -> Array:
    """Rates nearest to the given ones, in standard errors, if at most a share `cap` does not follow.

    Such shares are the mixtures of six corners. Least squares without a constraint on the sum still finds the
    nearest mixture: among all multiples t of a mixture at distance d, the best one has the squared error
    (td)^2 + (t - 1)^2 = d^2 / (1 + d^2), which grows with d.
    """
    follow, other = np.eye(4)[:2], np.eye(4)[2:]
    mixed = [(1 - cap) * one + cap * two for one in follow for two in other]
    corners = fits @ np.vstack([follow, *mixed]).T
    apart = (corners - rates[:, None]) / errors[:, None]
    parts = nnls(np.vstack([apart / np.abs(apart).max(), np.ones(6)]), np.r_[0 * rates, 1.0])[0]
    return np.asarray(corners @ (parts / parts.sum()))


def _gap(p: float, q: float) -> float:
    if abs(gap := probability("p", p) - probability("q", q)) < 1e-6:
        raise ValueError(
            f"p and q must differ by 1e-6 or more for reports to say anything, got {p!r:.40}, {q!r:.40}"
        )
    return gap


def _samples(samples: Iterable[AskedSample]) -> list[AskedSample]:
    given = listed("samples", samples)
    if not given or not all(isinstance(each, AskedSample) for each in given):
        raise TypeError(f"samples must be one or more AskedSample, got {given!r:.80}")
    return given


def _model(samples: list[AskedSample], others: str) -> tuple[Array, Array, Array]:
    """Fixed part and matrix of a model, and rows times matrix; ValueError if its rank is too small."""
    fixed, spread = map(np.array, _MODELS[one_of("others", others, _MODELS)])
    design = np.array([each.row for each in samples]) @ spread
    rank, needed = int(np.linalg.matrix_rank(design, tol=1e-9)), design.shape[1]
    if rank < needed:
        raise ValueError(
            f"samples do not identify others={others!r}: of {needed} independent rows they have {rank};"
            " add a design or a control question whose row is independent"
        )
    return fixed, spread, design
