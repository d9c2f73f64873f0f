"""Fields under exercises: which exercises have one, and that any typed text gets a sentence as reply."""

import json
import math
import os
import subprocess
import sys
from pathlib import Path

import pytest
from docutils import nodes
from docutils.utils import new_document
from ldp_browser import answers
from ldp_sphinx import fields
from sphinx_exercise.nodes import exercise_enumerable_node
from toc import CHAPTERS, ROOT

from ldpbook._lazy import PARTS
from ldpbook.class_ratios.scaled_dirichlet import ScaledDirichlet, dirichlet_delta
from ldpbook.foundations.local_privacy import gaussian_delta, gaussian_sigma
from ldpbook.localization.perturbed_particles import ParticlePerturbation
from ldpcourse._entries import entries_of
from ldpcourse.exercises import EXERCISES, check, class_ratios, localization

WITH_A_FIELD = fields.judged_on_the_page()
BLOCKED = "import sys; sys.modules.update(dict.fromkeys(['numpy', 'scipy', 'pandas', 'tqdm']));"


def said(text: str, label: str = "ex-lp-fill") -> tuple[str, str]:
    """State and message of a text as an answer to an exercise whose answer is 4."""
    reply = json.loads(answers.judge(json.dumps({"label": label, "text": text})))
    return reply["state"], reply["message"]


def test_all_but_a_few_exercises_have_a_field():
    arrays = {exercise.label for part in PARTS for exercise in entries_of(part, "exercises.arrays")}
    assert set(EXERCISES) - WITH_A_FIELD == arrays
    assert len(WITH_A_FIELD) > 5 * len(arrays) > 0


@pytest.mark.slow("judges every answer of the book once more, where numpy is missing")
def test_every_answer_is_judged_without_numpy():
    paths = [ROOT, ROOT / "tests", ROOT / "book" / "_ext"]
    run = subprocess.run(
        [sys.executable, Path(__file__).with_name("without_numpy.py")],
        env=os.environ | {"PYTHONPATH": os.pathsep.join(map(str, paths))},
        check=True,
        capture_output=True,
        text=True,
    )
    assert int(run.stdout) == len(WITH_A_FIELD)


def test_text_is_judged_without_numpy():
    """As in the reader's browser, numpy is blocked for all code."""
    place = str(ROOT / "book" / "_ext")
    request = json.dumps({"label": "ex-perturbed-variation", "text": "erf(1 / sqrt(8))"})
    judging = f"from ldp_browser.answers import judge; print(judge({request!r}))"
    code = f"{BLOCKED} sys.path.insert(0, {place!r}); {judging}"
    run = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert json.loads(run.stdout) == {"state": "right", "message": "right", "printed": ""}


@pytest.mark.parametrize("part", PARTS)
def test_exercises_without_a_field_take_numpy(part):
    """Otherwise they would have a field."""
    code = f"{BLOCKED} import ldpcourse.exercises.arrays.{part}"
    if entries_of(part, "exercises.arrays"):
        run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
        assert "import of numpy halted" in run.stderr


def test_keys_without_scipy_equal_package_keys():
    keys = localization._gaussian_epsilon(2 * 20 / 25, 1e-6), localization._gaussian_epsilon(2 / 25, 1e-6)
    noise = ParticlePerturbation(25)
    assert keys[0] == pytest.approx(noise.epsilon_of(distance=2, delta=1e-6, n_particles=400), rel=1e-8)
    assert keys[1] == pytest.approx(noise.epsilon_of(distance=2, delta=1e-6), rel=1e-8)
    assert localization.normal_delta(1.0, 0.0) == pytest.approx(
        gaussian_delta(sigma=1.0, distance=1.0, epsilon=0.0)
    )
    for epsilon, distance in [(0.5, 1.0), (0.1, math.sqrt(2))]:
        sigma = gaussian_sigma(epsilon=epsilon, distance=distance, delta=1e-5)
        assert class_ratios._gaussian_noise(epsilon, distance, 1e-5) == pytest.approx(sigma, rel=1e-8)
    for size, scale in class_ratios._SCALES.items():
        assert scale == pytest.approx(ScaledDirichlet(0.1, 0.01, least_count=size // 5).scale, rel=1e-6)
    assert check("ex-dirichlet-one", dirichlet_delta([1, 20], scale=1.0, epsilon=5.0, method="tight")).right


def test_field_is_put_under_checkable_exercises():
    page = new_document("chapter")
    for label in ("ex-lp-fill", "ex-crowd-unique", "chapter-exercise-3"):
        page += exercise_enumerable_node("", nodes.paragraph("", "Try."), label=label)
    fields.add_fields(page, WITH_A_FIELD)
    assert [len(exercise) for exercise in page] == [2, 1, 1]
    assert page[0][1].astext() == '<div class="answer-field" data-exercise="ex-lp-fill"></div>'


def test_every_label_occurs_in_a_chapter():
    text = "".join((ROOT / f"{chapter}.ipynb").read_text(encoding="utf-8") for chapter in CHAPTERS)
    assert all(f":label: {label}\\n" in text for label in WITH_A_FIELD)


@pytest.mark.parametrize("text", ["4", " 4.0\n", "2 + 2", "x = 2\n2 * x", "answer = 4", "  a = 3\n  a + 1"])
def test_a_number_or_an_expression(text):
    assert said(text) == ("right", "right")


@pytest.mark.parametrize(
    "text",
    [
        "lambda k: (1 - 1 / k) ** 2",
        "def f(k):\n    return (1 - 1 / k) ** 2",
        "def g(k):\n    return 1 - 1 / k\nlambda k: g(k) ** 2",
        "lambda k: exp(2 * log1p(-1 / k))",
        "lambda k: math.pow(1 - 1 / k, 2)",
    ],
)
def test_a_function_with_the_names_of_math(text):
    assert said(text, "ex-lp-waste") == ("right", "right")


def test_pow_is_the_one_with_a_modulus():
    assert said("lambda a, b, n: a * pow(b, -1, n ** 2) % n ** 2", "ex-encrypted-subtract")[0] == "right"


def test_wrong_answer_gets_its_reason():
    assert said("7") == ("wrong", check("ex-lp-fill", 7).message)
    state, message = said("lambda k: 1 / 0", "ex-lp-waste")
    assert state == "wrong"
    assert message.endswith("(ZeroDivisionError: division by zero)")


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", "Nothing is typed yet"),
        ("# four", "Nothing is typed yet"),
        ("four is the best", "This is not valid Python: invalid syntax, line 1."),
        ("x = 4\nx +", "This is not valid Python: invalid syntax, line 2."),
        ("await x", "This is not valid Python"),
        ("(" * 500, "This is not valid Python"),
        ("-" * 100_000 + "1", "This is not valid Python: it cannot be parsed."),
        ("4 \0", "This is not valid Python"),
        ("for i in range(3): pass", "This has no value"),
        ("print(4)", "This has no value"),
        ("None", "This has no value"),
        ("1 / 0", "This raises ZeroDivisionError, line 1: division by zero"),
        ("x = 1\nx + y", "This raises NameError, line 2: name 'y' is not defined"),
        ("exit()", "This stops Python instead of giving an answer, line 1"),
        ("import sys\nsys.exit(0)", "This stops Python instead of giving an answer, line 2"),
        ("raise KeyboardInterrupt\n4", "This stops Python instead of giving an answer"),
        ("input()", "This raises OSError, line 1: nobody answers input() here"),
        ("import nowhere\n4", "nowhere is not on this page"),
        ("def f():\n    return f()\nf()", "This calls itself endlessly."),
        ("raise MemoryError\n4", "This needs more memory than is available."),
    ],
)
def test_uncheckable_answer_gets_the_reason(text, sentence):
    state, message = said(text)
    assert state == "unfit"
    assert message.startswith(sentence)
    assert len(message) < 400


def test_function_calling_exit_does_not_stop_python():
    state, message = said("def f(k):\n    exit()", "ex-lp-waste")
    assert (state, message.startswith("This stops Python")) == ("unfit", True)


def test_printed_text_is_shown_from_its_start(capsys):
    request = {"label": "ex-lp-fill", "text": "for i in range(10_000): print(i)\n4"}
    reply = json.loads(answers.judge(json.dumps(request)))
    assert reply["state"] == "right"
    assert reply["printed"].startswith("0 1 2 3")
    assert len(reply["printed"]) <= answers.SHOWN
    assert capsys.readouterr() == ("", "")


def test_one_answer_leaves_no_name_to_the_next():
    said("left = 4\nleft")
    assert said("left")[1] == "This raises NameError, line 1: name 'left' is not defined"
    said("sqrt = 3\n4")
    assert said("sqrt(16)")[0] == "right"
