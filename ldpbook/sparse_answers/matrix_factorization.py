"""Matrix-factorization perturbation (MF): noise in a local least-squares objective."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
import scipy.sparse as sp
from numpy.typing import ArrayLike, NDArray

from ldpbook._arrays import Array, Rng, generator, numeric, study_source
from ldpbook._crowd import Answers, Form, read_matrix, to_csr
from ldpbook._validate import count, flag, integer_domain, non_negative, positive
from ldpbook.mechanism import AnswerMechanism
from ldpbook.sparse_answers.laplace import laplace_noise

__all__ = [
    "MatrixFactorization",
    "group_profile",
    "learned_profile",
    "random_profile",
]

_BLOCK_ENTRIES = 2**23  # 64 MB of Gram matrices at a time
_PAIRS = 64  # pairs of rows of the profile whose products are summed at a time
_RIDGE = 1e-6  # tiny next to products of entries around 1: no more than a singular system needs


@dataclass(frozen=True, eq=False)
class MatrixFactorization(AnswerMechanism):
    r"""Each worker fits the public task profiles V to her answers, with noise in the fit.

    Worker i sends :math:`u_i V` with

    .. math::
        u_i = \arg\min_u \sum_{j\in T_i}(a_{ij}-u^\top v_j)^2 + \rho\|u\|^2 + 2u^\top\eta_i
            = (V_T V_T^\top + \rho I)^{-1}(V_T a_T - \eta_i),
        \qquad \eta_i\sim\mathrm{Lap}(|\Gamma|/\epsilon)^d.

    Guarantees epsilon-cell LDP for neighbours that answer **the same tasks**: one answer
    changed to another answer. NULL cells are not protected (the loss between NULL and a
    value is unbounded); fill them first with a public constant and they are. A worker who
    changes k of her answers, and answers the same tasks, is protected with k epsilon.

    Parameters
    ----------
    epsilon : float
        Privacy budget, finite and > 0.
    domain : sequence of int
        The answer domain, consecutive integers; answers lie between its ends.
    profile : array_like, shape (d, n)
        Task profiles V, public and independent of the answers; each column has 1-norm <= 1.
    ridge : float
        Weight :math:`\rho \ge 0` of the penalty; 0 is the source's mechanism. Where it is above 0, the
        minimizer exists for every worker, and the guarantee is the same.

    Raises
    ------
    ValueError
        If an argument is not as described. `perturb` also raises it if the number of tasks is not the number
        of columns of `profile`, or if (without `ridge`) a worker's objective has no minimum, as for every
        worker with fewer than d answers.

    Notes
    -----
    For study: the noise is a double that goes through a solver and a product of matrices, and nothing is
    proved about their rounding, which depends on the answers and on which tasks are answered.

    Source: Sun et al. (2018), Algorithm 2 and Theorem 4.
    Derived in: sparse-answers/matrix-factorization

    Examples
    --------
    >>> mf = MatrixFactorization(epsilon=4.0, domain=range(10), profile=[[1, 1, 1, -1]])
    >>> mf.perturb([[2, 3, float("nan"), float("nan")]], rng=1).round(2)
    array([[ 1.54,  1.54,  1.54, -1.54]])
    """

    epsilon: float
    domain: Sequence[int]
    profile: Array
    ridge: float = 0.0

    def __post_init__(self) -> None:
        positive("epsilon", self.epsilon)
        non_negative("ridge", self.ridge)
        object.__setattr__(self, "domain", integer_domain(self.domain))
        profile = numeric("profile", self.profile).copy()
        if profile.ndim != 2 or profile.size == 0 or not np.isfinite(profile).all():
            raise ValueError(f"profile must be a finite matrix (d, n), got shape {profile.shape}")
        with np.errstate(over="ignore"):  # infinity is refused next
            norms = np.abs(profile).sum(axis=0)
        if norms.max() > 1 + 1e-12:
            raise ValueError(
                f"profile must have columns of 1-norm <= 1, got {norms.max()} in column {norms.argmax()}"
            )
        profile.setflags(write=False)
        object.__setattr__(self, "profile", profile)

    @property
    def scale(self) -> float:
        r"""Scale of the noise, :math:`|\Gamma|/\epsilon`."""
        return len(self.domain) / self.epsilon

    @property
    def exact_epsilon(self) -> float:
        """The largest privacy loss between two answer vectors to the same tasks.

        It is the loss of the worker profiles; `perturb` has the same loss if `profile` has rank d, otherwise
        at most that.
        """
        largest_norm = np.abs(self.profile).sum(axis=0).max()
        return float(largest_norm * (len(self.domain) - 1) / self.scale)

    _for_study = "it adds doubles, and which doubles can occur depends on the answers"

    @property
    def _expected(self) -> Mapping[str, Any]:
        return {"domain": self.domain}

    def _check_tasks(self, n_tasks: int) -> None:
        if n_tasks != self.profile.shape[1]:
            raise ValueError(
                f"profile must have a column for each of the {n_tasks} tasks, got shape {self.profile.shape}"
            )

    def _read(self, answers: Answers) -> tuple[Array, Form]:
        matrix, form = read_matrix(answers, **self._expected)
        self._check_tasks(matrix.shape[1])
        return matrix, form

    def _perturbed(self, matrix: Array, rng: np.random.Generator) -> Array:
        return self._fitted(matrix, rng) @ self.profile

    def worker_profiles(self, answers: Answers, rng: Rng = None) -> Array | pd.DataFrame:
        """Perturbed worker profiles U, for study like `perturb`, which returns U V.

        Parameters
        ----------
        answers, rng
            As in `perturb`.

        Returns
        -------
        ndarray or DataFrame, shape (m, d)
            One minimizer per worker; a frame with the workers' labels if the answers came as one.

        """
        source = study_source(self, rng, self._for_study)
        matrix, form = self._read(answers)
        profiles: Array | pd.DataFrame = form.rows_of_workers(self._fitted(matrix, source))
        return profiles

    def _fitted(self, matrix: Array, rng: np.random.Generator) -> Array:
        """Perturbed worker profiles, shape (m, d)."""
        rank = self.profile.shape[0]
        profiles = np.empty((len(matrix), rank))
        step = max(1, _BLOCK_ENTRIES // rank**2)
        for start in range(0, len(matrix), step):
            rows = slice(start, start + step)
            hessian, projected = self._normal_equations(matrix[rows], start)
            noise = laplace_noise(self.scale, projected.shape, rng)
            profiles[rows] = np.linalg.solve(hessian, (projected - noise)[..., None])[..., 0]
        return profiles

    def log_density(self, worker_profile: ArrayLike, answers: ArrayLike) -> Array:
        r"""Log density of a released worker profile given the worker's answers.

        The minimizer determines the noise, :math:`\eta = V_T a_T - (V_T V_T^\top + \rho I)u`,
        so that :math:`f(u) = |\det(V_T V_T^\top + \rho I)|\, f_\eta(\eta)`.

        Parameters
        ----------
        worker_profile : array_like, shape (..., d)
            Released profiles u.
        answers : array_like, shape (n,)
            One worker's answers; nan = NULL.

        Returns
        -------
        ndarray, shape (...)
            Natural logarithm of the density; a difference of two is the privacy loss.

        Raises
        ------
        ValueError
            As `perturb` does, and if `worker_profile` does not have d components.
        """
        u = numeric("worker_profile", worker_profile)
        rank = self.profile.shape[0]
        if u.shape[-1:] != (rank,):
            raise ValueError(f"worker_profile must have {rank} components, got shape {u.shape}")
        hessian, projected = self._normal_equations(self._read(answers)[0])
        noise = projected[0] - u @ hessian[0]
        log_noise = -np.abs(noise).sum(axis=-1) / self.scale - rank * np.log(2 * self.scale)
        return np.asarray(np.linalg.slogdet(hessian[0])[1] + log_noise)

    def error_bound(self, answered: ArrayLike, truth: ArrayLike, sigma: float) -> Array:
        r"""Bound on one worker's expected error at each task, for these task profiles.

        With :math:`H = V_T V_T^\top + \rho I` and :math:`w_j = H^{-1}v_j`,

        .. math::
            \mathbb E|u^\top v_j-\mu_j| \le |w_j^\top V_T\mu_T-\mu_j|
            + \sigma\sqrt{\tfrac2\pi}\,\|V_T^\top w_j\|_2
            + \tfrac{|\Gamma|}\epsilon\min\bigl(\sqrt2\|w_j\|_2, \|w_j\|_1\bigr).

        Parameters
        ----------
        answered : array_like of bool, shape (n,)
            The tasks that the worker answers.
        truth : array_like, shape (n,)
            Truth of each task.
        sigma : float
            Standard deviation of the worker's answers around the truth, >= 0.

        Returns
        -------
        ndarray, shape (n,)
            Bound for each task, in units of the answers.

        Raises
        ------
        ValueError
            If a shape is not (n,), or the worker's objective has no minimum.

        Notes
        -----
        Corrects: Sun et al. (2018), Theorem 5.
        Derived in: sparse-answers/task-profiles
        """
        n_tasks = self.profile.shape[1]
        mask, mu = numeric("answered", answered) != 0, numeric("truth", truth)
        for name, value in (("answered", mask), ("truth", mu)):
            if value.shape != (n_tasks,):
                raise ValueError(f"{name} must have shape ({n_tasks},), got {value.shape}")
        pattern = np.where(mask, float(self.domain[0]), np.nan)
        hessian, _ = self._normal_equations(self._read(pattern)[0])
        loadings = np.linalg.solve(hessian[0], self.profile)  # column j is w_j
        smoother = loadings.T @ self.profile[:, mask]
        bias = np.abs(smoother @ mu[mask] - mu)
        sampling = non_negative("sigma", sigma) * np.sqrt(2 / np.pi) * np.linalg.norm(smoother, axis=1)
        noise = np.minimum(np.sqrt(2) * np.linalg.norm(loadings, axis=0), np.abs(loadings).sum(axis=0))
        bound: Array = bias + sampling + self.scale * noise
        return bound

    def _normal_equations(self, block: Array, first_row: int = 0) -> tuple[Array, Array]:
        """Hessians V_T V_T' + ridge I, shape (k, d, d), and V_T a_T, shape (k, d)."""
        answers = to_csr(block)
        rank = self.profile.shape[0]
        hessian = _gram_matrices(answers, self.profile)
        if self.ridge > 0:
            hessian += self.ridge * np.eye(rank)
        elif (deficient := _deficient(hessian)).any():
            worker = int(deficient.argmax())
            raise ValueError(
                f"answers of row {first_row + worker} ({np.diff(answers.indptr)[worker]} of them) do not"
                f" determine a profile of rank {rank}: the objective is unbounded below; lower the rank or"
                " set ridge > 0"
            )
        return hessian, answers @ self.profile.T


def _gram_matrices(answers: sp.csr_array, profile: Array) -> Array:
    """V_T V_T' of each row, over the tasks T that it answers, shape (k, d, d)."""
    given = sp.csr_array((np.ones_like(answers.data), answers.indices, answers.indptr), answers.shape)
    full = np.flatnonzero(np.diff(answers.indptr) == answers.shape[1])
    if len(full) > 1:  # one sum for all rows that answer every task
        row = np.arange(answers.shape[0])
        row[full] = full[0]
        kept, again = np.unique(row, return_inverse=True)
        few: Array = _gram_matrices(given[kept], profile)[again]
        return few
    rank = len(profile)
    gram = np.empty((answers.shape[0], rank, rank))
    upper = np.column_stack(np.triu_indices(rank))
    for start in range(0, len(upper), _PAIRS):  # a few products of rows of V: never an (n, d, d) array
        i, j = upper[start : start + _PAIRS].T
        gram[:, i, j] = gram[:, j, i] = given @ (profile[i] * profile[j]).T
    return gram


def _deficient(hessian: Array) -> NDArray[np.bool_]:
    """Whether each of these semidefinite matrices, shape (k, d, d), is singular up to rounding."""
    try:  # a small pivot makes a matrix suspicious; eigenvalues, ten times as slow, decide
        pivots = np.diagonal(np.linalg.cholesky(hessian), axis1=1, axis2=2)
        suspicious: NDArray[np.bool_] = pivots.min(axis=1) < 1e-3 * pivots.max(axis=1)
    except np.linalg.LinAlgError:
        suspicious = np.ones(len(hessian), dtype=bool)
    suspicious[suspicious] = np.linalg.matrix_rank(hessian[suspicious], hermitian=True) < hessian.shape[-1]
    return suspicious


def random_profile(rank: int, n_tasks: int, rng: Rng = None, *, signed: bool = True) -> Array:
    """Random task profiles whose columns have 1-norm 1.

    Signed columns point in the direction of a normal vector. Columns without signs are uniform numbers
    divided by their sum, so that every column sums to 1. Constant vectors then lie in the row space, and a
    worker's profile can hold her mean answer. With rank 1 such a profile is a row of ones.

    Parameters
    ----------
    rank, n_tasks : int
        Shape of the result, each >= 1.
    rng : Generator or int, optional
        Source of randomness, or a seed for one; fresh entropy by default.
    signed : bool
        Entries of both signs if True, otherwise no entry below 0.

    Returns
    -------
    ndarray, shape (rank, n_tasks)
        Every column has 1-norm 1.

    Notes
    -----
    Derived in: sparse-answers/task-profiles

    Examples
    --------
    >>> np.abs(random_profile(3, 2, rng=0)).sum(axis=0)
    array([1., 1.])
    >>> random_profile(2, 3, rng=0, signed=False).round(2)
    array([[0.27, 0.8 , 0.92],
           [0.73, 0.2 , 0.08]])
    """
    shape = (count("rank", rank), count("n_tasks", n_tasks))
    flag("signed", signed)
    rng = generator(rng)
    entries = rng.standard_normal(shape) if signed else 1 - rng.random(shape)  # in (0, 1]
    columns: Array = entries / np.abs(entries).sum(axis=0)
    return columns


def group_profile(rank: int, n_tasks: int) -> Array:
    """Task profiles with the smallest noise: task j is in group j mod d, and columns are unit vectors.

    Parameters
    ----------
    rank, n_tasks : int
        Shape of the result, each >= 1.

    Returns
    -------
    ndarray, shape (rank, n_tasks)
        Each column a unit vector.

    Notes
    -----
    Derived in: sparse-answers/task-profiles

    Examples
    --------
    >>> group_profile(2, 3)
    array([[1., 0., 1.],
           [0., 1., 0.]])
    """
    groups = np.arange(count("n_tasks", n_tasks)) % count("rank", rank)
    profile: Array = (groups == np.arange(rank)[:, None]).astype(float)
    return profile


def learned_profile(answers: Answers, rank: int, *, n_rounds: int = 30, rng: Rng = None) -> Array:
    r"""Task profiles learned from all answers, as matrix factorization does without privacy.

    Least-squares problems are solved for the worker profiles and the task profiles in turn. Each step lowers

    .. math::
        \sum_{(i,j)\in\Omega}(a_{ij}-u_i^\top v_j)^2

    over the answers given, starting from random profiles. The result depends on every worker's answers: a
    :class:`MatrixFactorization` that uses it guarantees nothing to those workers.

    Parameters
    ----------
    answers : array_like, shape (m, n) or (n,); sparse array, shape (m, n); or DataFrame
        Answers in any form; nan = NULL. A task without answers gets a profile of zeros.
    rank : int
        Number d of directions, >= 1.
    n_rounds : int
        How often both are fitted, >= 1.
    rng : Generator or int, optional
        Source of randomness, or a seed for one; fresh entropy by default.

    Returns
    -------
    ndarray, shape (d, n)
        V, scaled so that the largest 1-norm of a column is 1; predictions do not depend on the scale.

    Notes
    -----
    Source: Sun et al. (2018), Equations 4 and 5.
    Derived in: sparse-answers/task-profiles

    Examples
    --------
    >>> learned_profile([[1, 2, 4], [2, 4, 8]], 1, rng=0).round(3)  # one row is twice the other
    array([[0.25, 0.5 , 1.  ]])
    """
    matrix = read_matrix(answers)[0]
    if np.nanmax(np.abs(matrix)) >= 1e100:  # a product of four of them would overflow
        raise ValueError("answers must be below 1e100 in absolute value")
    by_worker, by_task = to_csr(matrix), to_csr(matrix.T)
    n_tasks = matrix.shape[1]
    profile = random_profile(rank, n_tasks, rng)
    for _ in range(count("n_rounds", n_rounds)):
        workers = _least_squares(by_worker, profile)
        tasks = _least_squares(by_task, workers.T)
        profile = np.zeros_like(profile)
        basis = np.linalg.qr(tasks)[0].T * np.sqrt(n_tasks)  # with the same predictions, and entries around 1
        profile[: len(basis)] = basis
    largest = np.abs(profile).sum(axis=0).max()
    signs = np.where(profile.sum(axis=1, keepdims=True) < 0, -1.0, 1.0)
    learned: Array = signs * profile / largest if largest > 0 else profile
    return learned


def _least_squares(answers: sp.csr_array, profile: Array) -> Array:
    """Coefficients that fit each row of answers best, shape (rows, d)."""
    gram = _gram_matrices(answers, profile) + _RIDGE * np.eye(len(profile))
    fitted: Array = np.linalg.solve(gram, (answers @ profile.T)[..., None])[..., 0]
    return fitted
