"""Call everything public with invalid arguments, and count the outcomes.

Every call ends in a result, or a ValueError or a TypeError that names an argument; only a missing file and
a warning may be declared in the docstring instead. ``python tests/fuzz.py --calls 100000`` prints the
counts and the first call of each fault; test_fuzz.py makes a few thousand calls.

Hostile integers are small, or above 2^53 and refused: sizes in between legitimately need memory, and are no
attack. A call may take ten seconds of processor time or a minute of waiting, and the command four gigabytes.
"""

import argparse
import copy
import importlib
import inspect
import re
import signal
import sys
import tempfile
import warnings
from collections import Counter
from collections.abc import Callable, Iterator, Sized
from contextlib import chdir
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from numbers import Real
from random import Random
from typing import Any

import numpy as np
import pandas as pd
import scipy.sparse as sp
from toc import public_modules

import ldpbook
from ldpbook.datasets import LabelledData
from ldpbook.localization import BlindServer, LocalizingUser, make_keys
from ldpbook.remedies import AnswerLaw, Survey
from ldpcourse.broken import broken_mechanisms
from ldpcourse.problems import variant

SECONDS, WAITING = 10.0, 60.0  # processor time of one call, and clock time, which other work may lengthen
BYTES = 4 * 2**30

# Targets that are not called, with reasons.
EXEMPT = {
    "ldpcourse.ledger": "the ledger is the book's own; its command is called in test_commands.py",
    "ldpcourse.figures": "they hand on to matplotlib",
    "ldpcourse.schematics": "they hand on to matplotlib",
    "ldpbook.mechanism": "base classes: their methods are called on each mechanism",
    "ldpcourse.exercises": "check grades whatever a reader hands in, and says what it raises",
    "main": "commands, which are called in test_commands.py",
    "AlreadySpentError": "an error, which the package alone raises",
    "simulate_duchenne": "simulate_peer_grading on twenty times the tasks",
}
MODULES = (*public_modules(), *public_modules("ldpcourse"))

VOTES = np.array([[0.0, 1.0, np.nan], [1.0, 1.0, 0.0], [0.0, np.nan, 1.0]])
CLOUDS = np.random.default_rng(0).normal(0, 3, (2, 4, 2))
SETS = [np.random.default_rng(k).normal(k, 1, (6, 2)) for k in range(3)]
PUBLIC, SECRET = make_keys(256)
SURVEY = Survey.start(3, epsilon=1.0, domain=range(5)).add(VOTES, 1.5)
USERS = [LocalizingUser(np.log(np.full(4, 0.25)), {1 - k: 3.0}, SECRET) for k in range(2)]
REPORTS = [user.report() for user in USERS]
SHARES = [[0.8, 0.2], [0.2, 0.8], [0.5, 0.5]]
PLAN = ldpbook.practice.ReportPlan(ldpbook.RandomizedResponse(1.0, range(2)), range(2), 3)
STORED = tempfile.TemporaryDirectory()
FILE = ldpbook.practice.write_reports(f"{STORED.name}/reports.parquet", VOTES, PLAN, rng=1)
MORE = FILE.with_name("more.parquet")  # written by each call that succeeds
MOOD = {"from_name": "mood", "to_name": "text", "type": "choices", "value": {"choices": ["good"]}}
EXPORT = [{"id": 7, "data": {"text": "Hi"}, "annotations": [{"completed_by": 3, "result": [MOOD]}]}]

# A valid value of each parameter by its name, or by the function's name and its own if the function gives it
# another meaning. A parameter that is not listed takes its default, or the value of its kind.
OF_KIND = {float: 0.5, int: 3}
VALID: dict[str, Any] = {
    "best_chernoff.first": [0.7, 0.2, 0.1],
    "best_chernoff.second": [0.2, 0.7, 0.1],
    "chernoff_information.first": [0.7, 0.2, 0.1],
    "chernoff_information.second": [0.2, 0.7, 0.1],
    "accounts.mechanism": ldpbook.OneLayerFlip.with_probability(0.3, 2),
    "accounts_table.mechanisms": {"one layer": ldpbook.OneLayerFlip.with_probability(0.3, 2)},
    "decode_checked.mechanism": ldpbook.OneLayerFlip.with_probability(0.3, 2),
    "decode_choices.mechanism": ldpbook.OneLayerFlip.with_probability(0.3, 2),
    "frequency": [0.1, 0.9],
    "k_ary_variance.frequency": 0.1,
    "unary_variance.frequency": 0.1,
    "n_buckets": 3,
    "n_symbols": 3,
    "n_reports": 10,
    "other": 0.2,
    "own": 0.6,
    "size": 1,
    "supports": [3, 4],
    "symmetric": False,
    "accuracies": [0.8, 0.6],
    "answers": VOTES,
    "bandwidth": 1.0,
    "bandwidths": [0.5, 1.0],
    "base_accuracy": 0.7,
    "careful": 0.2,
    "choices": 2,
    "confidence": 0.9,
    "counts": [30, 70],
    "delta": 0.1,
    "decoded": False,
    "density": 0.5,
    "distances": np.array([[np.nan, 3.0], [3.0, np.nan]]),
    "deviation": 5.0,
    "domain": range(5),
    "epsilon": 1.0,
    "exam": "midterm",
    "estimate": [1.0, 3.0],
    "fill": 2,
    "first": [0.0, 1.0] * 4,
    "derivative": [0.1, 0.2, -0.3],
    "g": lambda shares: shares,
    "labels": [0, 0, 1, 1],
    "largest_distance": 1.0,
    "law": [0.2, 0.3, 0.5],
    "least_count": 20,
    "log_weights": np.log(np.full((2, 4), 0.25)),
    "low": 0.1,
    "max_iter": 10,
    "n_answers": 3,
    "n_bits": 256,
    "n_choices": 2,
    "n_changed": 2,
    "n_classes": 3,
    "n_components": 4,
    "n_draws": 1,
    "n_groups": 2,
    "n_instances": 10,
    "n_particles": 3,
    "n_questions": 2,
    "n_rounds": 3,
    "n_scored": 3,
    "n_tasks": 5,
    "n_trials": 2,
    "n_unlabelled": 10,
    "n_users": 2,
    "n_workers": 4,
    "observed": [1.0, 2.0],
    "padding": 2,
    "particles": CLOUDS,
    "pattern_public": True,
    "points": SETS[0],
    "positions": CLOUDS[:, 0],
    "profile": [[0.5, 0.5, 1.0]],
    "proportion_cost": 10.0,
    "proportions": SHARES,
    "quality": 1.0,
    "rank": 2,
    "rng": 1,
    "scales": [0.1, 0.2],
    "second": [1.0, 1.0] * 4,
    "secret": SECRET,
    "set_sizes": [10, 20],
    "sets": SETS,
    "share": 0.1,
    "share_variance": [0.01, 0.02, 0.0],
    "shares": [0.2],
    "sigma": 1.0,
    "sigmas": (1.0, 5.0),
    "speeds": (1.0, 2.0),
    "target": "set",
    "transition_matrix": SHARES,
    "truth": [0.0, 1.0, 1.0],
    "truth_deviation": 0.0,
    "truths": [1.0, 2.0],
    "unlabelled": SETS[1],
    "values": [0.3, 0.9],
    "audit_epsilon.edges": [0.5],
    "draw_sets.counts": [[1, 1]],
    "draw_weights.counts": [[1, 1]],
    "group_profile.n_tasks": 6,
    "label_noise_bound.proportions": SHARES[:2],
    "label_shift_test.sets": [np.column_stack([points, points[:, 0] ** 2]) for points in SETS],
    "label_shift_test.unlabelled": np.column_stack([SETS[1], SETS[1][:, 0] ** 2]),
    "label_noise_bound_corrected.proportions": SHARES[:2],
    "localize.anchors": [True, False],
    "localize.track": CLOUDS[None, :, 0].repeat(3, axis=0),
    "localize.update": lambda particles, log_weights, distances: log_weights,
    "log_density.answers": VOTES[1],
    "log_density.output": [1.0, 2.0],
    "log_density.worker_profile": [0.5],
    "error_bound.answered": [True, False, True],
    "laplace_noise.shape": (2, 3),
    "match_proportions.cross": [[0.5], [0.4], [0.3]],
    "match_proportions.gram": np.eye(3),
    "match_proportions.sizes": [3, 3, 3],
    "mean_absolute_error.truth": [1.0, 2.0],
    "mean_and_error.by": ["kind"],
    "mean_and_error.column": "error",
    "mean_and_error.values": pd.DataFrame({"kind": [0, 0, 1, 1], "error": [1.0, 2.0, 3.0, 5.0]}),
    "mean_kernels.first": SETS,
    "mean_kernels.second": SETS[:2],
    "messages.distances": [3.0, 2.0],
    "messages.neighbours": CLOUDS,
    "messages.particles": CLOUDS[0],
    "own_update.distances": [3.0, 2.0],
    "own_update.log_weights": np.log(np.full(4, 0.25)),
    "own_update.particles": CLOUDS[0],
    "own_update.published": CLOUDS,
    "private_errors.features": np.repeat(SETS[0], 10, axis=0),
    "private_errors.labels": np.repeat([0, 1], 30),
    "private_errors.mechanisms": {"none": None},
    "synthetic_crowd.truth_mean": 0.0,
    "majority_vote.ties": "random",  # otherwise rng is refused
    "weighted_vote.ties": "random",
    "weighted_vote_printed.ties": "random",
    "is_current.name": "large-crowd",
    "stored.name": "large-crowd",
    "variant.name": "flip",
    "seed_of.secret": "correct horse battery staple",
    "sheet.secret": "correct horse battery staple",
    "student": "ada",
    "voting_crowd.n_answers": 10,
    "thresholds": np.full(3, 1.5),
    "reports": VOTES,
    "survey": SURVEY,
    "answer": 3.0,
    "infer_from_counts.counts": SURVEY.counts,
    "infer_from_rows.mechanism": ldpbook.whole_worker.MixedSigns(1.0),
    "infer_from_rows.reports": [[1.0, -1.0], [-1.0, 1.0]],
    "infer_from_rows.thresholds": [[-1.0, 5.0], [1.5, 2.5]],
    "row_errors.law": AnswerLaw(range(5), (1.0,), (1.0,), 0.5),
    "infer_means.counts": SURVEY.counts,
    "infer_with_thresholds.target": "truth",
    "infer_medians.counts": SURVEY.counts,
    "interpolated_median.above": [0.8, 0.6, 0.3, 0.1],
    "Survey.counts": SURVEY.counts,
    "ChannelResponse.domain": range(2),
    "ChannelResponse.perturb.answers": VOTES,
    "AnswerLaw.above.distances": [0.5, -1.0],
    "AnswerLaw.shares": (0.5, 0.5),
    "AnswerLaw.sigmas": (1.0, 5.0),
    "known_types_limit.law": AnswerLaw(range(3), (1.0, 5.0), (0.5, 0.5), 0.5),
    "expected_errors.law": AnswerLaw(range(3), (1.0,), (1.0,), 0.5),
    "recommend.law": AnswerLaw(range(3), (1.0,), (1.0,), 0.5),
    "workers_needed.law": AnswerLaw(range(3), (1.0,), (1.0,), 0.5),
    "expected_errors.target": "median",
    "recommend.target": "median",
    "workers_needed.target": "median",
    "unlinked_limit.law": AnswerLaw(range(3), (1.0, 5.0), (0.5, 0.5), 0.5),
    "two_round_mean.law": AnswerLaw(range(5), sigmas=(1.0, 5.0), shares=(0.5, 0.5), density=0.5),
    "binary_search_median.law": AnswerLaw(range(5), sigmas=(1.0, 5.0), shares=(0.5, 0.5), density=0.5),
    "online_median.law": AnswerLaw(range(5), sigmas=(1.0, 5.0), shares=(0.5, 0.5), density=0.5),
    "key_value_mean.law": AnswerLaw(range(5), sigmas=(1.0, 5.0), shares=(0.5, 0.5), density=0.5),
    "log_priors": np.zeros((2, 4, 4)),
    "beliefs": np.full((2, 2, 2), 0.25),
    "row_p_values.reports": [[1.0, 0.0], [1.0, float("nan")]],
    "n_anchors": 1,
    "places": [[0.0, 0.0], [1.0, 0.0], [0.0, 2.0]],
    "remapped.prior": [0.5, 0.3, 0.2],
    "best_place_mechanism.prior": [0.5, 0.3, 0.2],
    "LocalizingUser.ciphertexts": list(REPORTS[0].log_weights),
    "LocalizingUser.distances": {1: 3.0},
    "LocalizingUser.log_weights": np.log(np.full(4, 0.25)),
    "LocalizingUser.neighbour": 1,
    "LocalizingUser.own": CLOUDS[0],
    "LocalizingUser.public": PUBLIC,
    "LocalizingUser.messages.particles": CLOUDS[1],
    "BlindServer.public": PUBLIC,
    "BlindServer.reports": REPORTS,
    "BlindServer.told": [report.log_weights for report in REPORTS],
    "BlindServer.user": 0,
    "link_rows.known": [[1.0, np.nan]],
    "link_rows.reports": [[1.0, np.nan], [1.0, 1.0]],
    "memoize.answers": [[1.0, np.nan]],
    "link_rows.domain": range(2),
    "link_rows.transition_matrix": np.full((3, 3), 1 / 3),
    "strangers": [0.2, 0.3, 0.5],
    "pattern_only": True,
    "permanent_epsilon": 2.0,
    "ReportPlan.mechanism": PLAN.mechanism,
    "ReportPlan.domain": range(2),
    "counted": ldpbook.practice.count_reports([FILE], PLAN),
    "paths": [FILE],
    "plan": PLAN,
    "write_reports.path": MORE,
    "Budget.path": f"{STORED.name}/another.json",
    "Budget.limit": 2.0,
    "Questionnaire.questions": {"smokes": ["yes", "no"], "mood": range(1, 6)},
    "Questionnaire.weights": None,
    "Questionnaire.respond.answers": {"smokes": "no"},
    "Questionnaire.perturb.answers": [{"smokes": "no", "mood": 3}, {"mood": None, "smokes": "yes"}],
    "Questionnaire.shares.reports": [{"smokes": "no", "mood": 3}, {"mood": None, "smokes": "yes"}],
    "Questionnaire.means.reports": [{"smokes": "no", "mood": 3}, {"mood": 2, "smokes": "yes"}],
    "samples": [ldpbook.practice.AskedSample(p=0.9, q=0.1, yes=3, n=9)],
    "others": "nobody",
    "AskedSample.p": 0.9,
    "AskedSample.q": 0.1,
    "AskedSample.yes": 3,
    "AskedSample.n": 9,
    "decoded_limit.p": 0.9,
    "decoded_limit.q": 0.1,
    "decoded_limit.share": 0.3,
    "regress_answer.covariates": [[1.0], [2.0], [4.0], [3.0]],
    "regress_answer.p": 0.9,
    "regress_answer.q": 0.1,
    "regress_answer.reports": [0, 1, 1, 0],
    "regress_on_answer.covariates": [[1.0], [2.0], [4.0], [3.0]],
    "regress_on_answer.outcome": [0, 1, 0, 1],
    "regress_on_answer.p": 0.9,
    "regress_on_answer.q": 0.1,
    "regress_on_answer.reports": [0, 1, 1, 0],
    "power_of_difference.first": 0.2,
    "power_of_difference.second": 0.3,
    "people_for_power.first": 0.2,
    "people_for_power.second": 0.3,
    "watched_interval.n_reports": [10, 20],
    "watched_interval.n_yes": [3, 5],
    "watched_interval.p": 0.9,
    "watched_interval.q": 0.1,
    "survey_mean.scale": [1.0],
    "survey_shares.choices": None,
    "count_reports.n_workers": None,
    "infer_stored_truth.n_workers": None,
    "Budget.spent.worker": "Ann",
    "purpose": "Monday",
    "charge.workers": ["Ann"],
    "write_reports.thresholds": None,
    "belief_after_reports.prior": [0.3, 0.7],
    "belief_after_reports.reports": [0, 1],
    "question": "mood",
    "label_studio_predictions.estimates": {7: "bad"},
    "draw_response.symbol": 1,
    "preimage.function": lambda noise: 1.0 + noise,
    "preimage.output": [0.5, 2.0],
    "label_studio_predictions.tasks": EXPORT,
    "read_label_studio.tasks": EXPORT,
    "guess_audit.inputs": [0, 1, 1, 0],
    "guess_audit.outputs": [0, 1, 0, 0],
    "is_caught.bug": broken_mechanisms()["half the noise"],
    "is_caught.audit": "row",
    "n_calls": 200,
    "decode.density": np.full(3, 0.5),
    "decode.mechanism": ldpbook.RandomizedResponse(1.0, range(2)),
    "decode.reports": VOTES,
    "error_rate_changes.mechanisms": {"none": ldpbook.OneLayerFlip.with_probability(0.3, 2)},
    "mae_changes.mechanisms": {"none": ldpbook.RandomizedResponse(1.0, range(2))},
    "shift_errors.data": LabelledData(np.repeat(SETS[0], 10, axis=0), np.repeat([0, 1], 30)),
    "shift_errors.estimators": {"it": ldpbook.class_ratios.ClassRatioEstimator(bandwidth=1.0)},
    **{
        f"{name}_mae_bound{kind}.truth": 2.0
        for name in ("lp", "rr")
        for kind in ("", "_corrected", "_equal_weights")
    },
}

# Invalid arguments as expressions, so that each call gets its own value and a fault can be repeated.
HOSTILE = [
    expression.strip()
    for expression in """
    np.nan; np.inf; -np.inf; 0; -0.0; -1; 1; 2.5; 1e300; -1e300; 1e-320; 5e-324; 10**30; -10**30; 2**63
    10**400; True; False; 1j; Fraction(1, 3); Decimal("0.5"); None; ""; "1"; "abc"; "nan"; b"1"; ...
    NotImplemented; []; (); {}; set(); [np.nan]; [np.inf]; [None]; [[]]; [[1, 2], [3]]; [1, "a"]; ["a", "b"]
    [0.5]; [[0.5]]; [0, 1]; [-1, 2]; [10**30, 1]; [1e308, 1e308, 1e308]; [1e-320, 1e-320]; [True, False]
    [[np.nan, np.nan], [1, 0]]; [[np.inf, 1.0]]; [[0, 1], [1, 0]]; {"a": 1}; {0: None}; {1, 2}; [[["a"]]]
    [object]; [[object(), 1]]; [1j, 2]; range(0); range(3); range(2**63); slice(3); (1,) * 40; [{}]
    object(); len; int; iter([1, 2]); (x for x in [0.5, 0.6]); np.random.default_rng(0); np.zeros(())
    np.zeros(0); np.zeros((0, 3)); np.zeros((3, 0)); np.zeros((2, 2, 2)); np.ones((1, 1, 1, 1))
    np.full((3, 3), np.nan); np.full((3, 3), 1e308); np.full((3, 3), -1); np.ones(3, complex)
    np.ones((2, 2), complex); np.ones(3, bool); np.arange(-128, -124, dtype=np.int8)
    np.full(3, 2**64 - 1, dtype=np.uint64); np.full((2, 2), 65504, dtype=np.float16); np.array(["a", "b"])
    np.array([None, object()], dtype=object); np.array(["2026-01-01"], dtype="M8[D]"); np.datetime64("NaT")
    np.zeros(2, dtype=[("x", float)]); np.float64(np.nan); np.bool_(True); np.int64(-1)
    np.ma.masked_array([1.0, 2.0], mask=[True, False]); pd.NA; pd.Series([1.0, 2.0], index=["x", "y"])
    pd.DataFrame(); pd.DataFrame({"worker": [1], "answer": [1]})
    pd.DataFrame({"worker": [], "task": [], "answer": []})
    pd.DataFrame({"worker": [1], "task": [1], "answer": ["x"]})
    pd.DataFrame({"worker": [1], "task": [1], "answer": [np.nan]})
    pd.DataFrame({"worker": [1], "task": [1], "answer": pd.array([pd.NA], "Int64")})
    pd.DataFrame({"worker": [1, 1], "task": [1, 1], "answer": [0, 1]})
    pd.DataFrame({"worker": [1, "a"], "task": [1, 2], "answer": [0, 1]})
    pd.DataFrame({"worker": [None], "task": [1], "answer": [0]})
    pd.DataFrame([[1, 1, 0, 1]], columns=["worker", "task", "answer", "answer"]); sp.csr_array((3, 3))
    sp.csr_array([[np.nan, 1.0], [1.0, 0.0]]); sp.coo_array([1.0, 2.0]); sp.dok_matrix((2, 2), dtype=bool)
    """.replace("\n", ";").split(";")
    if expression.strip()
]


NAMES = {"np": np, "pd": pd, "sp": sp, "Decimal": Decimal, "Fraction": Fraction}


def evaluated(expression: str) -> Any:
    return eval(expression, NAMES)


BUDGET = ldpbook.practice.Budget(f"{STORED.name}/budget.json", 2.0)
BUDGET.start()

# Instances whose methods are called, if building them takes more than valid arguments.
INSTANCES = {
    "Budget": BUDGET,
    "Problem": variant("flip", 1),
    "LocalizingUser": USERS[0],
    "BlindServer": BlindServer(PUBLIC, 2.0),
}


@dataclass(frozen=True)
class Target:
    """A callable, and valid arguments for it."""

    name: str
    call: Callable[..., Any]
    valid: dict[str, Any]
    names: frozenset[str]  # an error must name one of them
    declared: frozenset[str]  # errors and warnings that the docstring announces

    def with_hostile(self, attack: dict[str, str]) -> dict[str, Any]:
        return copy.deepcopy({key: value for key, value in self.valid.items() if key not in attack}) | {
            key: evaluated(expression) for key, expression in attack.items()
        }


def valid_arguments(function: Callable[..., Any], name: str) -> dict[str, Any]:
    """Values of all parameters: the table's for Class.method.parameter, method.parameter or parameter."""
    found = {}
    for key, parameter in inspect.signature(function).parameters.items():
        if key == "self" or parameter.kind in (parameter.VAR_KEYWORD, parameter.VAR_POSITIONAL):
            continue
        names = [f"{name}.{key}", f"{name.split('.')[-1]}.{key}", f"{name.split('.')[0]}.{key}", key]
        known = [VALID[each] for each in names if each in VALID]
        if known:
            found[key] = known[0]
        elif parameter.default is not parameter.empty:
            found[key] = parameter.default
        elif parameter.annotation in OF_KIND:
            found[key] = OF_KIND[parameter.annotation]
        else:
            raise LookupError(f"{name}: give a valid value of {key} in VALID of tests/fuzz.py")
    return found


def targets() -> Iterator[Target]:
    """Everything public that can be called: functions, classes, and methods of instances."""
    for module_name in MODULES:
        if module_name in EXEMPT:
            continue
        module = importlib.import_module(module_name)
        for public in module.__all__:
            thing = getattr(module, public)
            if public in EXEMPT:
                continue
            if inspect.isfunction(thing):
                yield target(f"{module_name}.{public}", thing, thing)
            elif inspect.isclass(thing):
                yield from of_class(module_name, thing)


def of_class(module_name: str, kind: type) -> Iterator[Target]:
    """The constructor of a class, unless only the package makes its instances; and its methods."""
    name = f"{module_name}.{kind.__name__}"
    fields = frozenset(inspect.signature(kind).parameters)
    instance = INSTANCES.get(kind.__name__)
    if "Parameters\n" in (kind.__doc__ or ""):
        arguments = valid_arguments(kind, kind.__name__)
        if hasattr(kind, "fit"):  # by convention an estimator checks its parameters in fit
            fitting = valid_arguments(kind.fit, f"{kind.__name__}.fit")
            needed = {key: arguments[key] for key in arguments if key in ("bandwidth", "rng")}

            def fit(**given: Any) -> Any:
                return kind(**needed).fit(**given)

            yield target(name, kind, lambda **given: kind(**given).fit(**fitting), fields | set(fitting))
            yield target(f"{name}.fit", kind.fit, fit, fields)
            instance = fit(**fitting)
        else:
            yield target(name, kind, kind)
            instance = instance or kind(**arguments)
    if instance is not None:
        for method, function in inspect.getmembers(kind, inspect.isfunction):
            own = function.__module__.startswith(("ldpbook", "ldpcourse"))
            if own and not method.startswith("_") and method != "fit":
                yield target(f"{name}.{method}", function, getattr(instance, method), fields)


def target(
    name: str, documented: Any, call: Callable[..., Any], others: frozenset[str] = frozenset()
) -> Target:
    own = name.removeprefix(next(m for m in MODULES if name.startswith(f"{m}.")) + ".")
    valid = valid_arguments(documented, own)
    return Target(name, call, valid, frozenset(valid) | others, declared(documented))


def declared(function: Any) -> frozenset[str]:
    """Errors and warnings that a docstring announces."""
    sections = re.findall(
        r"^ *(?:Raises|Warns)\n *-+\n(.*?)(?:\n\n|\Z)",
        inspect.getdoc(function) or "",
        re.DOTALL | re.MULTILINE,
    )
    return frozenset(re.findall(r"\b\w+(?:Error|Warning)\b", " ".join(sections)))


class TooLong(BaseException):
    """An endless call; not an Exception, so that no called code can catch it."""


def outcome(target: Target, attack: dict[str, str], seconds: float = SECONDS) -> str:
    """Outcome of a call with hostile values by parameter; a fault begins with an exclamation mark."""

    def stop(*_: object) -> None:
        raise TooLong

    arguments = target.with_hostile(attack)
    clock = hasattr(signal, "setitimer")  # not on Windows
    if clock:
        signal.signal(signal.SIGPROF, stop)
        signal.signal(signal.SIGALRM, stop)
        signal.setitimer(signal.ITIMER_PROF, seconds)
        signal.setitimer(signal.ITIMER_REAL, WAITING)
    try:
        with warnings.catch_warnings(), chdir(STORED.name):  # calls with "abc" as a path write there
            warnings.simplefilter("error")
            target.call(**arguments)
    except TooLong:
        return "! takes too long"
    except Exception as error:
        kind = type(error).__name__
        if not isinstance(error, ValueError | TypeError):
            announced = kind in target.declared and isinstance(error, OSError | Warning)
            return f"declared {kind}" if announced else f"! {kind}"
        if any(callable(target.valid[key]) and callable(arguments[key]) for key in attack):
            return kind  # a given function may fail with its own message
        told = str(error)
        if any(re.search(rf"\b{name}\b", told) for name in must_be_named(target, attack, error)):
            return "TypeError" if isinstance(error, TypeError) else "ValueError"
        return f"! {kind} without a name"
    finally:
        if clock:
            signal.setitimer(signal.ITIMER_PROF, 0)
            signal.setitimer(signal.ITIMER_REAL, 0)
        MORE.unlink(missing_ok=True)
    return "result"


def must_be_named(target: Target, attack: dict[str, str], error: Exception) -> frozenset[str]:
    """Names that an error may give: the attacked parameter, or any if several could be at fault."""
    (key, expression), *more = attack.items()
    value = evaluated(expression)
    number = isinstance(value, Real) and not isinstance(value, bool) and 0 <= value < np.inf
    may_fit = number or value is None or isinstance(value, Sized | Iterator)
    possible = may_fit and isinstance(error, ValueError)
    return target.names if more or possible else frozenset({key})


def attacks(on: Target, n_calls: int, seed: int) -> Iterator[dict[str, str]]:
    """Hostile values by parameter: for one parameter, in a third of the cases for several."""
    rng = Random(f"{on.name} {seed}")
    for _ in range(n_calls):
        n_hostile = rng.randint(1, len(on.valid)) if rng.random() < 1 / 3 else 1
        keys = rng.sample(sorted(on.valid), n_hostile)
        yield {key: rng.choice(HOSTILE) for key in keys}


def run(n_calls: int, seed: int = 0) -> tuple[Counter[str], dict[tuple[str, str], list[dict[str, str]]]]:
    """Number of calls by outcome, and the attacks that showed a fault, by target and fault."""
    counts: Counter[str] = Counter()
    faults: dict[tuple[str, str], list[dict[str, str]]] = {}
    attacked = [each for each in targets() if each.valid]
    for each in attacked:
        for attack in attacks(each, -(-n_calls // len(attacked)), seed):
            found = outcome(each, attack)
            counts[found] += 1
            if found.startswith("!"):
                faults.setdefault((each.name, found), []).append(attack)
    return counts, faults


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--calls", type=int, default=100_000)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    if sys.platform == "linux":
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (BYTES, BYTES))
    counts, faults = run(options.calls, options.seed)
    for kind, number in counts.most_common():
        print(f"{number:8} {kind}")
    for (name, fault), found in sorted(faults.items()):
        example = ", ".join(f"{key}={expression}" for key, expression in found[0].items())
        print(f"{name}: {fault[2:]}, {len(found)} times, first with {example}")
    sys.exit(bool(faults))


if __name__ == "__main__":
    main()
