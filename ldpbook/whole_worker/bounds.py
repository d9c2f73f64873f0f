"""Closed forms of the part on the whole worker.

Standard library only.
"""

from math import exp, log, log1p, sqrt, tanh

from ldpbook._validate import count, open_probability, privacy

__all__ = ["shuffle_epsilon_closed_form"]


def shuffle_epsilon_closed_form(*, local_epsilon: float, n_users: int, delta: float) -> float:
    r"""Central epsilon of shuffled reports by a published closed form.

    .. math:: \ln\Bigl(1+\frac{e^{\epsilon_0}-1}{e^{\epsilon_0}+1}
        \Bigl(8\sqrt{\frac{e^{\epsilon_0}\ln(4/\delta)}n}+\frac{8e^{\epsilon_0}}n\Bigr)\Bigr)

    Proved for a local epsilon of at most :math:`\ln\frac n{16\ln(2/\delta)}`; beyond it, and where the
    formula says more, the local epsilon stands.

    Parameters
    ----------
    local_epsilon : float
        Epsilon of one report for a curator who knows its sender, >= 0; may be infinite.
    n_users : int
        Number n of users whose reports are mixed, >= 1.
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
