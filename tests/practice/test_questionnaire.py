"""Several questions: by exact probabilities of words, enumeration of answer lists, and simulation."""

import json
import pickle
import subprocess
import sys
from fractions import Fraction
from itertools import product
from math import inf, log, prod

import mpmath as mp
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from ldpbook.practice import Questionnaire, draw_response, guess_audit, response_weights, survey_shares
from ldpbook.whole_worker import shuffle_epsilon

QUESTIONS = {
    "smokes": ["yes", "no"],
    "team": ["red", "green", "blue"],
    "mood": range(1, 6),
}
ASKED = Questionnaire(QUESTIONS, epsilon=3.0)
PEOPLE = pd.DataFrame(
    {
        "team": ["blue", None, "red", "red"],
        "mood": [5, np.nan, 1, 3],
        "smokes": ["yes", None, "no", None],
    },
    index=["d", "a", "c", "b"],
)
WORD = 2**64


def plain(frame):
    """Rows as dictionaries, None for NULL."""
    rows = frame.to_dict("records") if isinstance(frame, pd.DataFrame) else frame.to_pylist()
    return [{name: None if pd.isna(x) else x for name, x in row.items()} for row in rows]


# --- The distribution: exact probabilities, counted in words of entropy. ---


def one_person(asked, answers, word):
    return asked.respond(answers, entropy=lambda n: int(word).to_bytes(n, "big"))


@pytest.mark.parametrize("epsilon", [1e-9, 0.01, 1.0, 20.0])
@pytest.mark.parametrize("given", ["red", "blue", None])
def test_single_report_has_the_randomizer_words(epsilon, given):
    """All words between the ends of a report give that report; the ends are tried, and words counted."""
    asked = Questionnaire({"team": QUESTIONS["team"]}, epsilon)
    keep, other = response_weights(epsilon=epsilon, n_symbols=4)
    assert keep + 3 * other == WORD
    first = 0
    for label in [given, *(x for x in ("red", "green", "blue", None) if x != given)]:
        last = first + (keep if label == given else other) - 1
        for word in (first, last):
            assert one_person(asked, {"team": given}, word) == {"team": label}
        first = last + 1
    assert first == WORD


@pytest.mark.parametrize("epsilon", [0.01, 2.0])
def test_table_and_single_person_share_probabilities(epsilon):
    """Count all words by the two bytes drawn first or, if these do not decide, by bisecting the other six."""
    asked = Questionnaire({"team": QUESTIONS["team"]}, epsilon)
    keep, other = response_weights(epsilon=epsilon, n_symbols=4)

    def reports(short, low):
        bytes_of = iter([short.astype(np.uint16).tobytes()])

        def entropy(n):
            return next(bytes_of, (np.full(n // 8, low, dtype=np.uint64) << np.uint64(16)).tobytes())

        table = {"team": ["green"] * len(short)}
        return np.array([str(x) for x in asked.perturb(table, entropy=entropy)["team"]])

    short = np.arange(2**16)
    least, most = reports(short, 0), reports(short, 2**48 - 1)
    words = {label: 2**48 * int(((least == label) & (most == label)).sum()) for label in set(least)}
    unclear = np.flatnonzero(least != most)
    assert 0 < len(unclear) <= 3
    for k in unclear:
        low, high = 0, 2**48 - 1  # the last word of one report, the first of the next
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (middle, high) if reports(short[[k]], middle)[0] == least[k] else (low, middle)
        words[least[k]] += high
        words[most[k]] += 2**48 - high
    assert words == {"green": keep, "red": other, "blue": other, "None": other}


def law(asked, answers):
    """Probabilities of all reports of a person, from the words of each question."""
    chances = []
    for name, epsilon in asked.epsilons.items():
        symbols = [*asked.questions[name], None]
        keep, other = response_weights(epsilon=epsilon, n_symbols=len(symbols))
        chances.append([Fraction(keep if x == answers[name] else other, WORD) for x in symbols])
    return [prod(each) for each in product(*chances)]


@pytest.mark.parametrize("weights", [None, {"smokes": 3, "mood": 1}])
def test_epsilon_holds_for_any_two_answer_lists(weights):
    asked = Questionnaire({"smokes": ["yes", "no"], "mood": range(3)}, 1.5, weights)
    lists = [
        dict(zip(asked.questions, x, strict=True)) for x in product(["yes", "no", None], [0, 1, 2, None])
    ]
    laws = [law(asked, answers) for answers in lists]
    assert all(sum(each) == 1 for each in laws)
    largest = max(a / b for one in laws for two in laws for a, b in zip(one, two, strict=True))
    assert largest == asked.exact_ratio
    with mp.workdps(60):
        exact = mp.log(mp.mpf(largest.numerator) / largest.denominator)
        assert exact <= asked.exact_epsilon <= mp.mpf(1.5)
        assert mp.mpf(1.5) - exact < 1e-12


@pytest.mark.parametrize("epsilon", [0.3, 1.0, 7.1, Fraction(10, 3), 1e-6])
@pytest.mark.parametrize("weights", [None, dict(zip(QUESTIONS, (1, 2, 0.3), strict=True))])
def test_question_budgets_do_not_exceed_the_total(epsilon, weights):
    asked = Questionnaire(QUESTIONS, epsilon, weights)
    parts = [Fraction(x) for x in asked.epsilons.values()]
    assert Fraction(epsilon) * (1 - Fraction(1, 10**14)) < sum(parts) <= Fraction(epsilon)
    given = [1, 1, 1] if weights is None else list(weights.values())
    assert [float(x / sum(parts)) for x in parts] == pytest.approx([w / sum(given) for w in given])


def test_shuffled_questions_split_delta():
    found = ASKED.shuffled_epsilon(n_users=5000, delta=3e-6)
    each = [shuffle_epsilon(local_epsilon=1.0, n_users=5000, delta=1e-6, n_symbols=s) for s in (3, 4, 6)]
    assert found == pytest.approx(sum(each))
    assert found < 0.4 < ASKED.shuffled_epsilon(n_users=1, delta=3e-6) <= ASKED.epsilon


@pytest.mark.parametrize("rng", [None, 7])
def test_labels_of_whole_lists_are_audited(rng):
    """Two people differ in both answers, one skipped: the limit is near a person's epsilon, not above."""
    asked = Questionnaire({"smokes": ["yes", "no"], "team": ["red", "blue"]}, 2.0)
    coin = np.random.default_rng(3).integers(0, 2, 100_000)
    answers = {"smokes": [["yes", None][k] for k in coin], "team": [["red", "blue"][k] for k in coin]}
    source = {"rng": rng} if rng else {"entropy": np.random.default_rng(4).bytes}
    reports = asked.perturb(answers, **source)
    found = guess_audit(coin, list(zip(*reports.values(), strict=True)))
    assert 0.93 * asked.exact_epsilon < found.epsilon <= asked.exact_epsilon
    one = guess_audit(coin, reports["smokes"])
    assert 0.93 < one.epsilon <= 1


def test_reports_of_single_people_are_audited():
    asked = Questionnaire({"smokes": ["yes", "no"], "team": ["red", "blue"]}, 2.0)
    rng = np.random.default_rng(5)
    coin, lists = rng.integers(0, 2, 8000), [{"smokes": "yes", "team": "red"}, {"team": "blue"}]
    reports = [tuple(asked.respond(lists[k], entropy=rng.bytes).values()) for k in coin]
    assert 1.7 < guess_audit(coin, reports).epsilon <= 2


# --- Forms. ---


def test_every_form_is_unchanged_at_huge_epsilon():
    """Words of zero replace nothing."""
    rows = [{name: row[name] for name in QUESTIONS} for row in plain(PEOPLE)]
    columns = {name: [row[name] for row in rows] for name in QUESTIONS}
    zero = {"entropy": bytes}
    assert [ASKED.respond(row, **zero) for row in rows] == rows
    for study in ({"rng": 0}, zero):
        asked = Questionnaire(QUESTIONS, 130.0) if "rng" in study else ASKED
        out = asked.perturb(PEOPLE, **study)
        assert list(out.index) == list(PEOPLE.index)
        assert list(out.columns) == list(QUESTIONS)
        assert plain(out) == rows
        assert out["mood"].dtype == float
        assert asked.perturb(columns, **study) == columns
        assert asked.perturb(rows, **study) == rows
        for frame in (pl.DataFrame(columns), pa.table(columns)):
            out = asked.perturb(frame, **study)
            assert type(out) is type(frame)
            assert plain(out if isinstance(out, pa.Table) else out.to_arrow()) == rows
    same = PEOPLE.astype({"team": "category", "mood": "Int64"})
    assert plain(ASKED.perturb(same, **zero)) == rows


def test_every_form_repeats_bytes_and_seeds():
    wide = pd.concat([PEOPLE] * 50)
    columns = {name: [row[name] for row in plain(wide)] for name in QUESTIONS}
    for make in (lambda: {"rng": 5}, lambda: {"entropy": np.random.default_rng(6).bytes}):
        rows = plain(ASKED.perturb(wide, **make()))
        assert rows != plain(wide)
        assert plain(pl.DataFrame(ASKED.perturb(columns, **make())).to_arrow()) == rows
        assert plain(ASKED.perturb(pa.table(columns), **make())) == rows


def test_no_seed_means_fresh_entropy():
    first, second = (ASKED.perturb({name: [None] * 100 for name in QUESTIONS}) for _ in range(2))
    assert first != second
    assert len({tuple(ASKED.respond({}).values()) for _ in range(50)}) > 5


def test_person_without_answers_reports_like_others():
    """Shares among the reports of 20,000 people who skipped everything, within four standard errors."""
    reports = ASKED.perturb({name: [None] * 20_000 for name in QUESTIONS}, 8)
    for name, epsilon in ASKED.epsilons.items():
        keep, other = response_weights(epsilon=epsilon, n_symbols=len(QUESTIONS[name]) + 1)
        for symbol, words in [*((x, other) for x in QUESTIONS[name]), (None, keep)]:
            share = words / WORD
            error = (share * (1 - share) / 20_000) ** 0.5
            assert abs(reports[name].count(symbol) / 20_000 - share) < 4 * error


def test_a_questionnaire_is_a_value():
    assert Questionnaire(dict(QUESTIONS), 3.0) == ASKED == pickle.loads(pickle.dumps(ASKED))
    assert Questionnaire({**QUESTIONS, "smokes": pd.array(["yes", "no"])}, 3.0) == ASKED
    assert json.loads(json.dumps(ASKED.respond({"mood": 4}))).keys() == QUESTIONS.keys()


# --- Estimates. ---


def test_shares_have_labels_and_invert_the_channel():
    rows = [
        {"smokes": x, "team": y, "mood": z}
        for x, y, z in zip(
            ["yes"] * 50 + ["no"] * 30 + [None] * 20,
            ["red"] * 60 + ["blue"] * 40,
            [2] * 30 + [None] * 70,
            strict=True,
        )
    ]
    found = ASKED.shares(rows, confidence=0.9)
    assert found.index.tolist() == ["smokes"] * 3 + ["team"] * 4 + ["mood"] * 6
    assert found["answer"].tolist() == ["yes", "no", None, "red", "green", "blue", None, 1, 2, 3, 4, 5, None]
    for name, counts in {"smokes": [50, 30, 20], "team": [60, 0, 40, 0]}.items():
        s = len(counts)
        matrix = (np.eye(s) * np.expm1(1.0) + 1) / (np.exp(1.0) + s - 1)
        assert found.loc[name, "share"].tolist() == pytest.approx(
            np.linalg.solve(matrix, np.divide(counts, 100))
        )
        by_counts = survey_shares(counts, epsilon=1.0)
        assert found.loc[name, "error"].tolist() == [each.error for each in by_counts]
    z = 1.6448536269514722
    assert found["low"].tolist() == pytest.approx((found["share"] - z * found["error"]).clip(0, 1))
    assert found["high"].tolist() == pytest.approx((found["share"] + z * found["error"]).clip(0, 1))


def test_means_and_intervals_stay_on_their_scales():
    reports = {"smokes": [None] * 300, "team": ["red"] * 300, "mood": [5] * 200 + [4] * 60 + [None] * 40}
    found = Questionnaire(QUESTIONS, 12.0).means(reports)
    assert found.index.tolist() == ["mood"]
    keep, other = response_weights(epsilon=4.0, n_symbols=6)
    shares = (np.array([0, 0, 0, 60, 200]) / 300 - other / WORD) * WORD / (keep - other)
    assert found["mean"].item() == pytest.approx(shares @ np.arange(1, 6) / shares.sum())
    assert 4.5 < found["low"].item() < found["mean"].item() < found["high"].item() <= 5
    nobody = Questionnaire(QUESTIONS, 3.0).means({**reports, "mood": [None] * 300})
    assert np.isnan(nobody["mean"].item())
    assert nobody[["error", "low", "high"]].values.tolist() == [[inf, 1, 5]]
    few = Questionnaire(QUESTIONS, 3.0).means(
        {**reports, "mood": [4] * 65 + [1] * 30 + [2, 3, 5] * 30 + [None] * 115}
    )
    assert few[["low", "high"]].values.tolist() == [[1, 5]]  # it is not certain that anyone answered


def test_intervals_have_their_stated_coverage():
    """400 crowds of 1,500, drawn by matrices written down here; both intervals at 80 %."""
    rng, asked = np.random.default_rng(12), Questionnaire({"mood": range(1, 6)}, 1.5)
    truth = np.array([0.1, 0.15, 0.3, 0.2, 0.05, 0.2])  # NULL last
    matrix = (np.eye(6) * np.expm1(1.5) + 1) / (np.exp(1.5) + 5)
    mean = truth[:5] @ np.arange(1, 6) / 0.8
    inside = np.zeros(2)
    symbols = np.array([1, 2, 3, 4, 5, np.nan])
    for _ in range(400):
        reports = pd.DataFrame({"mood": rng.choice(symbols, 1500, p=truth @ matrix)})
        found, share = (
            asked.means(reports, confidence=0.8).iloc[0],
            asked.shares(reports, confidence=0.8).iloc[5],
        )
        inside += found.low < mean < found.high, share.low < 0.2 < share.high
    assert np.abs(inside / 400 - 0.8).max() < 4 * (0.8 * 0.2 / 400) ** 0.5


def test_reports_of_a_crowd_are_read_back():
    rng = np.random.default_rng(13)
    answers = pd.DataFrame(
        {
            "smokes": rng.choice(["yes", "no", None], 30_000, p=[0.2, 0.7, 0.1]),
            "team": rng.choice(["red", "green", "blue", None], 30_000, p=[0.5, 0.2, 0.1, 0.2]),
            "mood": rng.choice([1, 2, 3, 4, 5, np.nan], 30_000, p=[0.1, 0.2, 0.3, 0.2, 0.1, 0.1]),
        }
    )
    reports = ASKED.perturb(answers, entropy=rng.bytes)
    found = ASKED.shares(reports)
    right = [0.2, 0.7, 0.1, 0.5, 0.2, 0.1, 0.2, 0.1, 0.2, 0.3, 0.2, 0.1, 0.1]
    assert (np.abs(found["share"] - right) < 4 * found["error"]).all()
    mean = ASKED.means(reports).loc["mood"]
    assert abs(mean["mean"] - 2.7 / 0.9) < 4 * mean["error"] < 0.5


# --- What is refused. ---


@pytest.mark.parametrize(
    ("wrong", "kind", "words"),
    [
        ({"questions": {}}, ValueError, "questions must be one or more"),
        ({"questions": [("a", [1, 2])]}, TypeError, "questions must be a mapping"),
        ({"questions": {1: ["a", "b"]}}, TypeError, "questions must be a mapping from names"),
        ({"questions": {"a": ["b"]}}, ValueError, "questions must have two or more different choices"),
        ({"questions": {"a": ["b", "b"]}}, ValueError, "questions must have two or more different choices"),
        ({"questions": {"a": ["b", None]}}, ValueError, "questions must have two or more different choices"),
        ({"questions": {"a": ["b", float("nan")]}}, ValueError, "questions must have two"),
        ({"questions": {"a": "bc"}}, TypeError, "questions must be iterable"),
        ({"questions": {"a": [["b"], ["c"]]}}, TypeError, "questions must be labels that hash"),
        ({"questions": {"a": range(1)}}, ValueError, "questions must have two"),
        ({"questions": {"a": range(0, 10, 2)}}, ValueError, "questions must have scales of consecutive"),
        ({"epsilon": inf}, ValueError, "epsilon must be a finite number"),
        ({"epsilon": 0.0}, ValueError, "epsilon must be a finite number"),
        ({"epsilon": "1"}, TypeError, "epsilon must be"),
        ({"epsilon": 1e-18}, ValueError, "epsilon must be larger"),
        ({"weights": {"smokes": 1}}, ValueError, "weights must be of the questions"),
        ({"weights": dict.fromkeys(QUESTIONS, 0)}, ValueError, "weights must be a finite number > 0"),
        ({"weights": [1, 1, 1]}, TypeError, "weights must be a mapping"),
    ],
)
def test_a_wrong_questionnaire_is_refused(wrong, kind, words):
    with pytest.raises(kind, match=f"^{words}"):
        Questionnaire(**({"questions": QUESTIONS, "epsilon": 1.0} | wrong))


COLUMNS = {"smokes": ["yes", "no"], "team": ["red", None], "mood": [1, 5]}


@pytest.mark.parametrize(
    ("answers", "kind", "words"),
    [
        ({**COLUMNS, "extra": [1, 2]}, ValueError, "must have the columns"),
        ({"smokes": ["yes"], "team": ["red"]}, ValueError, "must have the columns"),
        ({**COLUMNS, "mood": [1]}, ValueError, "must have columns of one length"),
        ({**COLUMNS, "mood": [1, 6]}, ValueError, "to question 'mood' are refused: .* another in row 1"),
        ({**COLUMNS, "smokes": ["yes", "secret"]}, ValueError, "to question 'smokes' .* another in row 1"),
        ({**COLUMNS, "smokes": [["yes"], ["no"]]}, ValueError, "must have columns of one length"),
        (
            pd.DataFrame([["yes", "yes", "red", 1]], columns=["smokes", "smokes", "team", "mood"]),
            ValueError,
            "must have the columns",
        ),
        ([["yes", "red", 1]], TypeError, "must be a table"),
        (pl.LazyFrame(COLUMNS), TypeError, "must be a table"),
        (7, TypeError, "must be a table"),
    ],
)
def test_a_wrong_table_is_refused_without_a_value(answers, kind, words):
    for method, name in (("perturb", "answers"), ("shares", "reports"), ("means", "reports")):
        with pytest.raises(kind, match=f"^{name} {words}") as refused:
            getattr(ASKED, method)(answers)
        assert "secret" not in str(refused.value)


@pytest.mark.parametrize(
    ("answers", "kind", "words"),
    [
        ({"extra": 1}, ValueError, "answers must be to the questions"),
        ({"smokes": "secret"}, ValueError, "answers to 'smokes' must be in"),
        ({"mood": 6}, ValueError, "answers to 'mood' must be in"),
        ({"smokes": ["yes"]}, TypeError, "answers must be labels that hash"),
        ({"smokes": np.array(["yes"])}, TypeError, "answers must be labels that hash"),
        ([("smokes", "yes")], TypeError, "answers must be a mapping"),
    ],
)
def test_a_wrong_person_is_refused_without_a_value(answers, kind, words):
    with pytest.raises(kind, match=f"^{words}") as refused:
        ASKED.respond(answers)
    assert "secret" not in str(refused.value)


def test_a_seed_and_entropy_are_two_sources():
    with pytest.raises(TypeError, match=r"^entropy must be left out"):
        ASKED.perturb(COLUMNS, 1, entropy=bytes)
    with pytest.raises(ValueError, match=r"^confidence"):
        ASKED.shares(COLUMNS, confidence=1.0)
    with pytest.raises(ValueError, match=r"^delta"):
        ASKED.shuffled_epsilon(n_users=10, delta=0.0)


def test_one_person_needs_the_standard_library_only():
    code = """
import sys
sys.modules.update(dict.fromkeys(["numpy", "scipy", "pandas", "narwhals"]))
from ldpbook.practice.questionnaire import Questionnaire
asked = Questionnaire({"smokes": ["yes", "no"], "mood": range(1, 6)}, 4.0)
print(asked.respond({"smokes": "no"}, entropy=lambda n: bytes([200] * n)), asked.exact_epsilon <= 4)
"""
    run = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert run.stdout.split("}")[1].strip() == "True"
    word = int.from_bytes(bytes([200] * 8), "big")
    drawn = [
        draw_response(k, epsilon=2.0, n_symbols=s, entropy=lambda n: word.to_bytes(n, "big"))
        for k, s in ((1, 3), (5, 6))
    ]
    assert run.stdout.startswith(
        repr({"smokes": ["yes", "no", None][drawn[0]], "mood": [*range(1, 6), None][drawn[1]]})
    )


def test_loss_of_a_person_is_log_ratio():
    assert ASKED.exact_epsilon == pytest.approx(log(ASKED.exact_ratio), rel=1e-15)


def test_single_reports_are_audited_unchanged():
    """Dictionaries with NULL among their values: all guesses are right, as questions reveal the input."""
    asked, rng = Questionnaire(QUESTIONS, epsilon=90.0), np.random.default_rng(5)
    coin = rng.integers(0, 2, 400)
    people = {0: {"smokes": "yes"}, 1: {"smokes": "no", "mood": 3}}
    found = guess_audit(coin, [asked.respond(people[x], entropy=rng.bytes) for x in coin])
    assert found.right == found.guesses == 200


def test_without_a_scale_there_are_no_means():
    asked = Questionnaire({"mood": np.arange(1, 6)}, 8.0)
    with pytest.raises(ValueError, match=r"^questions must have a scale, a range of numbers"):
        asked.means(pd.DataFrame({"mood": [1, 2]}))
    for call in (asked.shares, asked.perturb):
        with pytest.raises(ValueError, match=r"^(answers|reports) must be of one person or more"):
            call([])


def test_skipped_question_is_still_reported():
    """This holds for one person and for a table; a refusal would reveal that no one answered."""
    asked = Questionnaire({"a": ["x", "y"], "b": ["x", "y"]}, epsilon=4.0)
    for people in ([{"a": "x"}, {"a": "y"}], [{}, {}]):
        out = asked.perturb(people, entropy=np.random.default_rng(1).bytes)
        assert [set(row) for row in out] == [{"a", "b"}] * 2
        assert all(set(asked.respond(person)) == {"a", "b"} for person in people)
    with pytest.raises(ValueError, match=r"^answers must have the columns .* once each, got 3 columns$"):
        asked.perturb([{"a": "x", "SECRET": "y"}])


def reported(counts, symbols, name="mood"):
    """A table with these numbers of reports of each symbol."""
    return pd.DataFrame({name: np.repeat(np.array(symbols, dtype=object), counts)})


SCALE = [1, 2, 3, 4, 5, None]


def test_error_of_mean_follows_the_delta_method():
    """By the covariance of multinomial counts and the derivative by each of them, written down here."""
    counts, epsilon = np.array([60, 60, 60, 100, 500, 100]), 2.5
    n, other = counts.sum(), 1 / (np.exp(epsilon) + 5)
    gap, r = np.exp(epsilon) * other - other, counts / counts.sum()
    shares, v = (r - other) / gap, np.array([1, 2, 3, 4, 5, 0])
    answered = np.array([1, 1, 1, 1, 1, 0])
    mean = (v * shares).sum() / shares[:5].sum()
    slope = (v - mean) * answered / shares[:5].sum() / gap
    error = np.sqrt((np.diag(r) - np.outer(r, r)) @ slope @ slope / n)
    found = Questionnaire({"mood": range(1, 6)}, epsilon).means(reported(counts, SCALE)).iloc[0]
    assert found["mean"] == pytest.approx(mean)
    assert found.error == pytest.approx(error, rel=1e-12)
    assert (found.low, found.high) == pytest.approx((mean - 1.959964 * error, mean + 1.959964 * error))


def test_error_of_share_is_binomial():
    counts, epsilon = np.array([140, 180, 250, 200, 100, 130]), 2.0
    r, other = counts / counts.sum(), 1 / (np.exp(epsilon) + 5)
    gap = np.exp(epsilon) * other - other
    found = Questionnaire({"mood": range(1, 6)}, epsilon).shares(reported(counts, SCALE))
    assert found.share.tolist() == pytest.approx((r - other) / gap)
    assert found.error.tolist() == pytest.approx(np.sqrt(r * (1 - r) / counts.sum()) / gap)


def test_mean_of_possibly_no_one_is_unbounded():
    """It is not certain that anyone answered; the interval from the error alone would be shorter."""
    found = Questionnaire({"mood": range(1, 6)}, 2.0).means(reported([12, 13, 12, 8, 5, 50], SCALE)).iloc[0]
    assert (found.low, found.high) == (1, 5)
    assert found["mean"] + 1.96 * found.error < 4


def test_weights_belong_to_the_questions_that_they_name():
    parts = Questionnaire(QUESTIONS, 3.3, {"mood": 0.3, "team": 2, "smokes": 1}).epsilons
    assert parts == pytest.approx({"smokes": 1, "team": 2, "mood": 0.3})
    asked = Questionnaire({"smokes": ["yes", "no"], "mood": range(1, 6)}, 4.0, {"smokes": 1, "mood": 3})
    reports = asked.perturb(pd.DataFrame({"smokes": ["yes"] * 20_000, "mood": 3}), rng=3)
    keep = np.e / (np.e + 2)
    assert abs((reports["smokes"] == "yes").mean() - keep) < 4.5 * (keep * (1 - keep) / 20_000) ** 0.5
    counts = np.array([50, 30, 20])
    table = reported(counts, ["yes", "no", None], "smokes").assign(mood=3)
    matrix = (np.eye(3) * (np.e - 1) + 1) / (np.e + 2)
    shares = asked.shares(table)
    assert shares.loc["smokes"].share.tolist() == pytest.approx(
        np.linalg.solve(matrix, counts / 100).tolist()
    )
    counts = np.array([6, 6, 8, 20, 50, 10])
    asked = Questionnaire({"smokes": ["yes", "no"], "mood": range(1, 6)}, 4.0, {"smokes": 3, "mood": 1})
    matrix = (np.eye(6) * (np.e - 1) + 1) / (np.e + 5)
    exact = np.linalg.solve(matrix, counts / 100)
    mean = asked.means(reported(counts, SCALE).assign(smokes="yes")).loc["mood", "mean"]
    assert mean == pytest.approx(exact[:5] @ np.arange(1, 6) / exact[:5].sum())


def test_large_epsilon_is_limited_by_words():
    """The loss stops growing at ln 2^64 per question, minus the share of the other symbols."""
    kept = [2**64 - 2, 2**64 - 3, 2**64 - 5]  # one word each for the other symbols
    assert Questionnaire(QUESTIONS, 200.0).exact_epsilon == pytest.approx(sum(map(log, kept)))
