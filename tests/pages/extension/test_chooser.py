"""The chooser: its script and chart say what the package computes, at settings drawn at random."""

import json
import shutil
import subprocess

import numpy as np
import pytest
from draws import draws
from ldp_sphinx import chooser
from toc import ROOT

from ldpbook.class_ratios import GeometricCounts
from ldpbook.guide import recommend, workers_needed
from ldpbook.localization import LatticeLaplace
from ldpbook.whole_worker import sampling_bounds
from ldpcourse.runs import _chooser as run

pytestmark = pytest.mark.skipif(shutil.which("node") is None, reason="the script runs in node here")
STATIC = (ROOT / "book" / "_static").as_uri()


def in_script(body: str, given: object) -> list:
    """What a function of ``given``, ``table`` and the chooser's modules returns when node runs it."""
    code = f"""
      const plain = (_, x) => (Number.isFinite(x) || typeof x !== "number" ? x : null);
      import * as errors from "{STATIC}/chooser-errors.js";
      import {{ python }} from "{STATIC}/chooser-python.js";
      import {{ answer, settingOf, KINDS }} from "{STATIC}/chooser.js";
      import {{ readFileSync }} from "node:fs";
      const {{ given, table }} = JSON.parse(readFileSync(0));
      console.log(JSON.stringify(({body})(given), plain));
    """
    text = json.dumps({"given": given, "table": chooser.table()})
    done = subprocess.run(
        ["node", "--input-type=module", "-e", code], input=text, capture_output=True, text=True, check=True
    )
    return json.loads(done.stdout)


def expected(settings: list[dict]) -> list[dict]:
    return in_script(
        "(all) => all.map((s) => { const f = errors.expect(s, table);"
        " return { ...f, code: python(s, f, table), told: answer(s, table) }; })",
        settings,
    )


def drawn(rng: np.random.Generator, **fixed) -> dict:
    """A setting within the table, its numbers uniform in logarithms."""
    low, high = [20, 1, 0.01, 0.1], [1_000_000, 2000, 1, 4]
    people, questions, density, epsilon = np.exp(rng.uniform(np.log(low), np.log(high)))
    setting = {
        "kind": "rating", "size": int(rng.choice(run.SIZES)), "unit": str(rng.choice(["answer", "person"])),
        "people": round(people), "questions": round(questions), "density": density, "epsilon": epsilon,
        "wanted": 0.1,
    }  # fmt: skip
    return setting | fixed


def planned(setting: dict):
    """The package's plan for a setting."""
    law, _ = run.guessed(setting["size"], setting["density"])
    return recommend(
        law, n_workers=setting["people"], n_tasks=setting["questions"], epsilon=setting["epsilon"],
        prior_mean=(setting["size"] - 1) / 2, prior_deviation=run.SPREAD * (setting["size"] - 1),
        unit="cell" if setting["unit"] == "answer" else "worker",
    )  # fmt: skip


WAYS = {"threshold response": {"thresholds", "asked"}, "mixed": {"mixed"}, "own answer": {"own"}}


def test_rating_errors_are_the_packages():
    rng = np.random.default_rng()
    opening = {"size": 5, "people": 100_000, "questions": 50, "density": 0.1, "epsilon": 1.0}
    settings = [drawn(rng, **opening, unit=unit) for unit in ("answer", "person")]
    settings += [drawn(rng) for _ in range(draws(4, 600))]
    for setting, found in zip(settings, expected(settings), strict=True):
        plan = planned(setting)
        constant, limit = plan.bounds["error"]
        assert found["constant"] == pytest.approx(constant, rel=1e-6)
        assert found["limit"] == pytest.approx(limit, rel=0.05), setting
        if abs(np.log(plan.error / constant / chooser.WORTH_IT)) > 0.03:
            assert found["worth"] == bool(plan.mechanism), setting
        if plan.mechanism == "RR, decoded":  # the table leaves this mechanism out
            assert setting["epsilon"] > 3, setting
            assert plan.error < found["error"] < 1.12 * plan.error, setting
        elif found["worth"] and plan.mechanism:
            assert found["error"] == pytest.approx(plan.error, rel=0.03), setting
            if found["way"] in WAYS[plan.mechanism]:
                low, high = plan.off_by_half
                assert found["range"][0] == pytest.approx(low, rel=0.05), setting
                if high < constant:
                    assert found["range"][1] == pytest.approx(high, rel=0.05), setting


def test_people_needed_are_the_packages():
    rng = np.random.default_rng()
    settings = [drawn(rng, unit="answer") for _ in range(draws(6, 200))]
    for setting in settings:
        law, truths = run.guessed(setting["size"], setting["density"])
        constant = chooser.foretold.constant(law, truths, "median")
        setting["wanted"] = constant * rng.uniform(0.1, 0.9)
    for setting, found in zip(settings, expected(settings), strict=True):
        law, _ = run.guessed(setting["size"], setting["density"])
        exact = workers_needed(
            law, error=setting["wanted"], n_tasks=setting["questions"], epsilon=setting["epsilon"],
            prior_mean=(setting["size"] - 1) / 2, prior_deviation=run.SPREAD * (setting["size"] - 1),
        )  # fmt: skip
        if found["people"] is not None:  # otherwise the table ends before so many people
            assert found["people"] == pytest.approx(exact, rel=0.1, abs=1), setting


def test_closed_forms_of_rows_are_the_packages():
    rng = np.random.default_rng()
    crowds = [
        {
            "n_tasks": int(rng.integers(1, 3000)),
            "epsilon": rng.uniform(0.1, 4),
            "density": rng.uniform(0.002, 1),
        }
        for _ in range(60)
    ]
    found = in_script(
        "(all) => all.map(([n, e, s]) => [errors.questionsToAsk(n, e, s), errors.mixedInformation(n, e, s),"
        " errors.ownInformation(n, e, s)])",
        [list(crowd.values()) for crowd in crowds],
    )
    for crowd, (asked, mixed, own) in zip(crowds, found, strict=True):
        groups = range(1, min(round(2 + crowd["epsilon"] / 0.6), crowd["n_tasks"]) + 1)
        best = max(sampling_bounds.mixed_information(**crowd, sigma=1.0, n_groups=g) for g in groups)
        assert asked == sampling_bounds.questions_to_ask(**crowd)
        assert mixed == pytest.approx(best, rel=1e-9)
        assert own == pytest.approx(sampling_bounds.own_information(**crowd, sigma=1.0), rel=1e-9)


@pytest.mark.parametrize(("size", "density", "epsilon"), [(2, 0.5, 1.0), (4, 0.1, 2.0), (10, 1.0, 4.0)])
def test_choice_errors_are_those_of_reports(size, density, epsilon):
    setting = {"kind": "choice", "unit": "answer", "size": size, "density": density, "epsilon": epsilon}
    setting |= {"people": 100_000, "questions": 400, "wanted": 0.1}
    (found,) = expected([setting])
    assert found["error"] == pytest.approx(chooser.share_error(size, density, epsilon, 100_000), rel=1e-9)
    rng = np.random.default_rng(0)
    shares = rng.dirichlet(np.ones(size), 400)
    oracle, off = chooser.k_ary_response(size + 1, epsilon), []
    for share in shares:
        truth = rng.multinomial(100_000, [*(density * share), 1 - density])
        kept = rng.binomial(truth, oracle.own - oracle.other)
        reports = kept + rng.multinomial(100_000 - kept.sum(), np.full(size + 1, 1 / (size + 1)))
        heard = oracle.estimate(reports[:-1], 100_000)
        off.append(np.abs(heard / heard.sum() - truth[:-1] / truth[:-1].sum()).mean())
    assert np.mean(off) == pytest.approx(found["error"], rel=0.1)
    flat = rng.dirichlet(np.ones(size), 40_000)
    assert np.abs(flat - 1 / size).mean() == pytest.approx(found["constant"], rel=0.02)


@pytest.mark.parametrize(
    ("size", "density", "epsilon"), [(2, 0.1, 1.0), (2, 0.5, 1.0), (5, 0.1, 2.0), (5, 0.5, 0.5)]
)
def test_smallest_crowds_of_choices_beat_the_constant(size, density, epsilon):
    """Unclipped, the ratio of so few reports has an error above the constant's."""
    n = chooser.reports_needed(size, density, epsilon)
    rng = np.random.default_rng(0)
    flip, off = chooser.k_ary_response(size + 1, epsilon), []
    for share in rng.dirichlet(np.ones(size), 4000):
        truth = rng.multinomial(n, [*(density * share), 1 - density])
        kept = rng.binomial(truth, flip.own - flip.other)
        reports = kept + rng.multinomial(n - kept.sum(), np.full(size + 1, 1 / (size + 1)))
        heard = np.clip(flip.estimate(reports[:-1], n), 0, None)
        found = heard / heard.sum() if heard.any() else np.full(size, 1 / size)
        off.append(np.abs(found - truth[:-1] / max(truth[:-1].sum(), 1)).mean())
    assert np.mean(off) < 1.1 * chooser.share_error(size, density, epsilon, n)
    assert np.mean(off) < chooser.WORTH_IT * chooser.evenly(size)


@pytest.mark.parametrize(("unit", "reports"), [("answer", 1), ("person", 3)])
def test_place_errors_are_those_of_the_lattice(unit, reports):
    setting = {"kind": "place", "unit": unit, "questions": 3, "epsilon": 2.0, "radius": 5000, "distance": 200}
    (found,) = expected([setting | {"wanted": 500}])
    noise = LatticeLaplace(epsilon=2.0 / reports / (200 + 2**0.5 * 10), step=10)
    assert reports * noise.epsilon_of(distance=200) <= 2.0 * (1 + 1e-5)
    places = np.random.default_rng(0).uniform(0, 1000, (20_000, 2))
    off = np.linalg.norm(noise.perturb(places, rng=1) - places, axis=1).mean()
    assert found["error"] == pytest.approx(off, rel=0.03)
    assert found["constant"] == pytest.approx(2 / 3 * 5000)


@pytest.mark.parametrize(("size", "epsilon"), [(2, 0.3), (3, 2.0), (6, 1.0), (12, 2.0)])
def test_label_errors_are_those_of_counts(size, epsilon):
    setting = {"kind": "labels", "unit": "answer", "size": size, "epsilon": epsilon, "people": 2000}
    (found,) = expected([setting | {"questions": 1, "wanted": 0.01}])
    assert found["error"] == pytest.approx(chooser.label_error(size, epsilon, 2000), rel=1e-9)
    rng, counts = np.random.default_rng(0), np.full(size, 2000 // size)
    noise = GeometricCounts(epsilon)
    off = [np.abs(noise.perturb(counts, rng=rng) - 1 / size).mean() for _ in range(6000 // size)]
    assert np.mean(off) == pytest.approx(found["error"], rel=0.2)


def made(setting: dict) -> dict:
    """Variables that the Python shown to the reader needs in order to run."""
    rng, people, questions = np.random.default_rng(0), setting["people"], setting["questions"]
    if setting["kind"] == "place":
        return {"places": rng.uniform(0, 1000, (people, 2))}
    if setting["kind"] == "labels":
        return {"groups": rng.integers(0, 200, (5, setting["size"]))}
    low, high = (0, setting["size"]) if setting["kind"] == "choice" else (1, setting["size"] + 1)
    answers = rng.integers(low, high, (people, questions)).astype(float)
    return {"answers": np.where(rng.random(answers.shape) < setting["density"], answers, np.nan)}


SHOWN = [
    {"kind": kind, "unit": unit, "size": 5, "people": 3000, "questions": 6, "density": 0.5, "epsilon": 2.0,
     "wanted": 0.1, "radius": 5000, "distance": 200}
    for kind in ("rating", "choice", "place", "labels")
    for unit in ("answer", "person")
]  # fmt: skip


def test_python_shown_runs(capsys):
    for setting, found in zip(SHOWN, expected(SHOWN), strict=True):
        assert found["worth"], setting
        assert len(found["code"].splitlines()) <= 16
        exec(found["code"], made(setting))
        assert capsys.readouterr().out


def test_python_of_ratings_says_the_same(capsys):
    setting = SHOWN[0]
    (found,) = expected([setting])
    exec(found["code"], made(setting))
    plan = planned(setting)
    assert plan.sentence.split(". Saying")[0].split("; by")[0] in capsys.readouterr().out
    assert found["error"] == pytest.approx(plan.error, rel=0.05)


def test_few_people_are_told_to_be_more():
    setting = drawn(np.random.default_rng(0), size=5, unit="answer", people=300, questions=50)
    setting |= {"density": 0.1, "epsilon": 1.0}
    (found,) = expected([setting])
    assert not found["worth"]
    assert planned(setting).mechanism == ""
    assert found["told"]["use"].startswith("Use nothing: ask more people. From about ")
    assert planned(setting | {"people": round(1.1 * found["begins"])}).mechanism
    assert not planned(setting | {"people": round(0.9 * found["begins"])}).mechanism


def test_numbers_outside_are_refused_by_name():
    typed = {"kind": "rating", "unit": "answer", "size": "5", "people": "1000", "questions": "50"}
    typed |= {"density": "10", "epsilon": "1", "wanted": "0.2"}
    cases = [typed, typed | {"people": "1e9"}, typed | {"epsilon": "5"}, typed | {"questions": "2.5"},
             typed | {"density": ""}]  # fmt: skip
    right, *wrong = in_script("(all) => all.map(settingOf)", cases)
    assert right["density"] == pytest.approx(0.1)
    assert [each["wrong"] for each in wrong] == ["people", "epsilon", "questions", "density"]
    assert "from 2 to 1,000,000; the table ends there" in wrong[0]["why"]


def test_chart_and_form_decide_alike():
    """The crowds of the chart are the smallest that the form says to ask."""
    kept = chooser.stored("chooser-crowds")
    rows = [
        {"kind": "rating", "size": 5, "unit": {"cell": "answer", "worker": "person"}[unit], "people": 1000,
         "questions": 50, "density": density, "epsilon": epsilon, "wanted": 0.1}
        for unit, density, epsilon in kept[["unit", "density", "epsilon"]].itertuples(index=False)
    ]  # fmt: skip
    for row, people, found in zip(rows, kept["people"], expected(rows), strict=True):
        assert found["begins"] == pytest.approx(people, rel=0.12, abs=3), row
    setting = {"kind": "choice", "unit": "answer", "size": 5, "density": 0.1, "epsilon": 1.0, "people": 1000}
    (found,) = expected([setting | {"questions": 9, "wanted": 0.1}])
    assert found["begins"] == pytest.approx(chooser.reports_needed(5, 0.1, 1.0), rel=0.01)
    setting = {"kind": "labels", "unit": "answer", "size": 2, "epsilon": 0.5, "people": 1000, "questions": 1}
    (found,) = expected([setting | {"wanted": 0.1}])
    assert found["begins"] == chooser.records_needed(2, 0.5)
    setting = {
        "kind": "place",
        "unit": "answer",
        "epsilon": 2.0,
        "distance": 100,
        "questions": 1,
        "wanted": 9,
    }
    radius = 100 * chooser.radius_needed(2.0)
    sizes = [setting | {"wanted": 9, "radius": radius * times} for times in (1.01, 0.99)]
    wide, narrow = expected(sizes)
    assert (wide["worth"], narrow["worth"]) == (True, False)
