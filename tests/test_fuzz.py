"""Bad input: a wrong value gives a ValueError, a wrong type a TypeError; either names the argument.

No other error occurs. The calls are a few thousand of those of fuzz.py; ``make test-slow`` makes four
times as many, ``python tests/fuzz.py`` more.
"""

import signal
import warnings

import fuzz
import pytest
from draws import draws

from ldpbook._validate import count

TARGETS = {each.name: each for each in fuzz.targets()}
ATTACKED = {name: each for name, each in TARGETS.items() if each.valid}
N_CALLS = draws(10, 40)  # calls of each target
SCALARS = [
    pytest.param(each, key, id=f"{name}-{key}")
    for name, each in TARGETS.items()
    for key, value in each.valid.items()
    if isinstance(value, float)
]


@pytest.mark.parametrize("name", ATTACKED)
def test_valid_call_succeeds_without_warning(name):
    if ATTACKED[name].valid != {"path": "no-such-folder"}:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            ATTACKED[name].call(**ATTACKED[name].with_hostile({}))


@pytest.mark.parametrize("name", ATTACKED)
def test_only_named_errors_occur(name):
    faults = [
        f"{found[2:]} with {attack}"
        for attack in fuzz.attacks(ATTACKED[name], N_CALLS, seed=1)
        if (found := fuzz.outcome(ATTACKED[name], attack)).startswith("!")
    ]
    assert faults == []


@pytest.mark.parametrize(("target", "key"), SCALARS)
@pytest.mark.parametrize("bad", ["'1'", "1j", "[1.0]", "True"])
def test_a_wrong_type_is_a_type_error(target, key, bad):
    """True is not accepted as a number, although it is an int in Python."""
    assert fuzz.outcome(target, {key: bad}) == "TypeError"


def planted(call, *, doc="", **valid):
    """A target, as fuzz.py represents a public function."""
    call.__doc__ = doc
    declared = fuzz.declared(call)
    return fuzz.Target("part.planted", call, valid, frozenset(valid), declared)


def lost(n):
    raise FileNotFoundError(n)


def warned(n):
    warnings.warn("n is odd", UserWarning, stacklevel=1)


def endless(n):
    while True:
        pass


@pytest.mark.parametrize(
    ("call", "expected"),
    [
        (lambda n: count("n", n), "TypeError"),
        (lambda n: [0][7], "! IndexError"),
        (lambda n: int(n), "! TypeError without a name"),
        (lambda n: float("x"), "! ValueError without a name"),
        (lost, "! FileNotFoundError"),
        (warned, "! UserWarning"),
        (lambda n: n, "result"),
    ],
)
def test_faults_are_seen(call, expected):
    assert fuzz.outcome(planted(call, n=1), {"n": "None"}) == expected


def test_declared_errors_are_not_faults():
    doc = "Do.\n\nRaises\n------\nFileNotFoundError\n    If there is none.\nIndexError\n    Never mind."
    assert fuzz.outcome(planted(lost, doc=doc, n=1), {"n": "None"}) == "declared FileNotFoundError"
    assert fuzz.outcome(planted(lambda n: [0][7], doc=doc, n=1), {"n": "None"}) == "! IndexError"
    doc = "Do.\n\nWarns\n-----\nUserWarning\n    If n is odd."
    assert fuzz.outcome(planted(warned, doc=doc, n=1), {"n": "None"}) == "declared UserWarning"


def test_given_function_fails_with_own_message():
    applied = planted(lambda f, n: f(n), f=abs, n=1)
    assert fuzz.outcome(applied, {"f": "len"}) == "TypeError"
    assert fuzz.outcome(applied, {"f": "1"}) == "! TypeError without a name"
    assert fuzz.outcome(applied, {"n": "len"}) == "! TypeError without a name"


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="no interval timers on this system")
def test_endless_call_is_stopped():
    assert fuzz.outcome(planted(endless, n=1), {"n": "None"}, seconds=0.05) == "! takes too long"


def test_attacked_argument_is_named_if_unambiguous():
    both = planted(lambda n, m: None, n=1, m=1)
    wrong = ValueError("no")
    assert fuzz.must_be_named(both, {"n": "1j"}, wrong) == {"n"}
    assert fuzz.must_be_named(both, {"n": "None"}, wrong) == {"n", "m"}
    assert fuzz.must_be_named(both, {"n": "None"}, TypeError("no")) == {"n"}
    assert fuzz.must_be_named(both, {"n": "iter([1, 2])"}, wrong) == {"n", "m"}
    assert fuzz.must_be_named(both, {"n": "np.nan"}, wrong) == {"n"}
    assert fuzz.must_be_named(both, {"n": "2.5"}, wrong) == {"n", "m"}
    assert fuzz.must_be_named(both, {"n": "[0, 1]"}, wrong) == {"n", "m"}
    assert fuzz.must_be_named(both, {"n": "[0, 1]"}, TypeError("no")) == {"n"}
    assert fuzz.must_be_named(both, {"n": "None", "m": "None"}, wrong) == {"n", "m"}


def test_integers_are_small_or_refused():
    """Sizes in between would only need memory, which is no attack."""
    values = [fuzz.evaluated(expression) for expression in fuzz.HOSTILE]
    for value in values:
        if isinstance(value, int):
            assert abs(value) < 10 or abs(value) > 2**53


def test_every_public_callable_is_attacked_or_exempt():
    names = {name.split(".")[-1] for name in TARGETS}
    assert {"LaplacePerturbation", "perturb", "infer_truth", "one_layer_epsilon", "fit"} <= names
    assert not {*fuzz.EXEMPT} & names
    assert len(ATTACKED) > 100
