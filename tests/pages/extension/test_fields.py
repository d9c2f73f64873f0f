"""Fields under exercises: which exercises have one, and that any typed text gets a sentence as reply."""

import json
import math
import os
import re
import subprocess
import sys
from importlib import import_module
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
from ldpcourse.exercises import EXERCISES, check, class_ratios, exercise, localization
from ldpcourse.exercises.exercise import simulation

WITH_A_FIELD = fields.judged_on_the_page()
RIGHT = {}
for part in PARTS:
    RIGHT |= import_module(f"course.exercise_answers.{part}").RIGHT
FUNCTIONS = [label for label, held in WITH_A_FIELD.items() if held.form.names]
NUMBERS = [label for label, held in WITH_A_FIELD.items() if "right to within" in held.form.accepts]
EXACT = [label for label, held in WITH_A_FIELD.items() if held.form.accepts.endswith(" exactly.")]
SIX_DIGITS = [label for label in FUNCTIONS if "compared to 6 digits" in WITH_A_FIELD[label].form.accepts]
OF_ITS_OWN = {"ex-privacy-rounding", "ex-two-layer-law", "ex-voting-smoothing", "ex-encrypted-guess"}
BLOCKED = "import sys; sys.modules.update(dict.fromkeys(['numpy', 'scipy', 'pandas', 'tqdm']));"


def said(text: str, label: str = "ex-lp-fill") -> tuple[str, str]:
    """State and message of a text as an answer to an exercise whose answer is 4."""
    reply = json.loads(answers.judge(json.dumps({"label": label, "text": text})))
    return reply["state"], reply["message"]


def test_all_but_a_few_exercises_have_a_field():
    arrays = {held.label for part in PARTS for held in entries_of(part, "exercises.arrays")}
    assert set(EXERCISES) - set(WITH_A_FIELD) == arrays == fields.judged_in_the_notebook()
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
    """An exercise that can be checked without numpy has a field."""
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
    fields.add_fields(page)
    assert [len(exercise) for exercise in page] == [2, 2, 1]
    assert page[0][1].astext() == (
        '<div class="answer-field" data-exercise="ex-lp-fill" data-begins=""'
        ' data-accepts="One number of Gamma, exactly."></div>'
    )
    assert page[1][1].astext() == fields.WITHOUT


def changed(answer, change):
    """The answer with all its numbers changed, or those that it returns."""
    if callable(answer):
        return lambda *arguments: change(answer(*arguments))
    return (
        type(answer)(changed(part, change) for part in answer)
        if hasattr(answer, "__len__")
        else change(answer)
    )


def test_every_field_says_what_is_accepted():
    (_, simulated), *_ = simulation(lambda: 0.0, lambda: 1.0, 100)
    said = {label: held.form.accepts for label, held in WITH_A_FIELD.items()}
    assert all(re.fullmatch(r"[A-Z].{10,140}\.", words) for words in said.values())
    simulations = [label for label, words in said.items() if words == simulated.accepts]
    kinds = [NUMBERS, EXACT, SIX_DIGITS, simulations, OF_ITS_OWN]
    assert sorted(label for kind in kinds for label in kind) == sorted(WITH_A_FIELD)  # each is of one kind


@pytest.fixture
def key_of(monkeypatch):
    """The package's own value for an exercise that asks for a number, or the right answer of the tests."""

    def found(label):
        keys = [RIGHT[label][0]]
        plain = exercise._key
        monkeypatch.setattr(exercise, "_key", lambda reference: keys.append(plain(reference)) or keys[-1])
        assert check(label, keys[0]).right
        monkeypatch.undo()
        return keys[-1]

    return found


@pytest.mark.parametrize("label", NUMBERS)
def test_said_precision_is_that_of_the_check(label, key_of):
    share, digits = re.search(r"within ([\d.]+) %: (\d+) digits", WITH_A_FIELD[label].form.accepts).groups()
    off, right = float(share) / 100, key_of(label)
    agrees = [
        holds for words, holds in WITH_A_FIELD[label].properties if re.search("agree|differs|5 m", words)
    ]
    for factor in (1 - 0.9 * off, 1 + 0.9 * off):
        assert all(holds(changed(right, lambda x, by=factor: x * by)) for holds in agrees)
    for factor in (1 - 1.1 * off, 1 + 1.1 * off):
        assert not all(holds(changed(right, lambda x, by=factor: x * by)) for holds in agrees)
    rounded = check(label, changed(right, lambda x: float(f"{x:.{int(digits) - 1}e}")))
    assert rounded.right, rounded.message


@pytest.mark.parametrize("label", SIX_DIGITS)
def test_values_of_functions_count_to_six_digits(label):
    (*_, (_, agrees)), right = WITH_A_FIELD[label].properties, RIGHT[label][0]
    for factor in (1 - 0.5e-6, 1 + 0.5e-6):
        assert agrees(changed(right, lambda x, by=factor: x * by))
    for factor in (1 - 1.5e-6, 1 + 1.5e-6):
        assert not agrees(changed(right, lambda x, by=factor: x * by))


@pytest.mark.parametrize("label", EXACT)
def test_exact_answers_are_judged_exactly(label):
    for by in (7, -7, 0.001):
        assert not check(label, changed(RIGHT[label][0], lambda x, by=by: x + by)).right


def test_answers_of_other_kinds_as_their_fields_say():
    assert check("ex-voting-smoothing", changed(RIGHT["ex-voting-smoothing"][0], lambda x: 3 * x)).right
    assert not check("ex-voting-smoothing", lambda r, k: float(f"{2 * r - k:.3e}")).right
    assert check("ex-privacy-rounding", (True, False)).right
    for off, right in ((0.9e-6, True), (1.1e-6, False)):
        assert check("ex-two-layer-law", {0: 0.7 - off, 1: 0.3 + off}).right == right
    assert "0.000001" in WITH_A_FIELD["ex-two-layer-law"].form.accepts


def test_simulations_are_judged_as_their_fields_say():
    (_, form), *properties = simulation(lambda: 0.0, lambda: 1.0, 100)
    assert "within four standard errors" in form.accepts
    assert "within a factor of 1.2" in form.accepts
    for pair, right in [
        ((0.39, 0.1), True),
        ((-0.41, 0.1), False),
        ((0.0, 0.119), True),
        ((0.0, 0.121), False),
        ((0.0, 0.084), True),
        ((0.0, 0.083), False),
    ]:
        assert all(holds(pair) for _, holds in properties) == right, pair


@pytest.mark.parametrize("label", FUNCTIONS)
def test_functions_get_the_arguments_of_their_signature(label):
    numbers = set()

    def watched(*arguments):
        numbers.add(len(arguments))
        return RIGHT[label][0](*arguments)

    assert check(label, watched).right
    assert numbers == {len(WITH_A_FIELD[label].form.names)}


@pytest.mark.parametrize("label", FUNCTIONS)
def test_expression_in_place_of_a_function_is_explained(label):
    form = WITH_A_FIELD[label].form
    bare = " + ".join(form.names)
    asks = "This exercise asks for a function: write"
    assert said(bare, label) == ("unfit", f"{asks} `{form.begins}{bare}`.")
    assert said("ln(3)", label) == ("unfit", f"{asks} `{form.begins}ln(3)`.")
    assert said("1, 2", label) == ("unfit", f"{asks} `{form.begins}...`.")
    assert said(form.begins, label) == ("unfit", "Nothing is typed yet: type the formula after the colon.")
    state, message = said(form.begins.replace(":", ", more:") + "1", label)
    assert (state, message[:14]) == ("unfit", "The arguments ")
    assert message.endswith(f": write `{form.begins}...`.")
    state, message = said(f"{form.begins}unknown", label)
    assert (state, message.split(".")[0]) == ("unfit", "`unknown` is not defined, line 1")
    assert f"the arguments {', '.join(form.names)}," in message


@pytest.mark.parametrize("label", sorted(set(WITH_A_FIELD) - set(FUNCTIONS)))
def test_undefined_names_are_explained_everywhere(label):
    message = (
        "`unknown` is not defined, line 1. Known are Python's own names, those of math, and ln, Phi and phi."
    )
    assert said("unknown", label) == ("unfit", message)
    assert said("1 if unknown else 2, 3", label) == ("unfit", message)
    assert said("np.mean(3)", label)[1].startswith("numpy is not on this page")


def test_normal_distribution_is_known():
    formula = "lambda mu, sigma: mu * Phi(mu / sigma) + sigma * phi(mu / sigma)"
    assert said(formula, "ex-crowd-clipping") == ("right", "right")
    assert said("lambda k: exp(2 * ln(1 - 1 / k))", "ex-lp-waste") == ("right", "right")
    assert said("2 * Phi(1 / 2) - 1", "ex-perturbed-variation") == ("right", "right")


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
        ("x = 1\nx + y", "`y` is not defined, line 2. Known are Python's own names"),
        ("def f():\n    x += 1\nf()", "This raises UnboundLocalError, line 2"),
        ("raise NameError('mine')\n4", "This raises NameError, line 1: mine"),
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


COMMA = "Write a point, not a comma, and nothing between thousands: a comma separates two numbers."
TRUTH = "Write `True` or `False`, with a capital letter."


@pytest.mark.parametrize(
    ("text", "label", "sentence"),
    [
        ("11,705", "ex-privacy-variance", COMMA),
        ("0,21", "ready-variance", COMMA),
        ("0,05", "ready-variance", COMMA),  # 05 is not valid Python
        (" 0,3 * (1 - 0,3)\n", "ready-variance", COMMA),
        ("0,21, 0,05", "ex-trade-turned", COMMA),
        ("2^3", "ex-lp-fill", "Write a power with `**`"),
        ("lambda k: e^k", "ex-lp-waste", "Write a power with `**`"),
        ("e^k", "ex-lp-waste", "Write a power with `**`"),
        ("yes, no", "ex-privacy-rounding", TRUTH),
        ("true, false", "ex-privacy-rounding", TRUTH),
        ("lambda c, guess, n: yes", "ex-encrypted-guess", TRUTH),
    ],
)
def test_other_ways_of_writing_are_explained(text, label, sentence):
    state, message = said(text, label)
    assert state == "unfit"
    assert message.startswith(sentence)


def test_a_comma_may_separate_two_numbers():
    assert said("0.9,0.003", "ex-trade-turned")[0] == "wrong"  # without a word about commas
    assert said("5 ^ 1") == ("right", "right")


def test_whole_numbers_say_round_up():
    for label, answer in [
        ("ex-privacy-variance", 11_704.1),
        ("ex-mf-steps", lambda rate, h: math.log(0.1) / math.log1p(-2 * rate * h)),
        ("ex-trade-runs", lambda n_tasks, error: 1 / (4 * n_tasks * error**2)),
        ("ex-experiment-break-even", lambda gain, error, n, z: n * (z * error / gain) ** 2),
    ]:
        assert check(label, answer).message.endswith(": round up")
    assert "rounded up" in WITH_A_FIELD["ex-privacy-variance"].form.accepts


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
    assert said("left")[1].startswith("`left` is not defined, line 1")
    said("sqrt = 3\n4")
    assert said("sqrt(16)")[0] == "right"
