"""Compute the curves of a live panel: runs in the reader's browser, with only Python and the package."""

import inspect
import json
from collections.abc import Callable
from importlib import import_module
from math import isinf

# Arguments that are not a single number are built from sliders.
MADE = {
    "accuracies": lambda at: [at["accuracy"]] * at["n_users"],
    "counts": lambda at: [at["rare"]] * 4 + [at["common"]],
    "domain": lambda at: range(at["domain"]),
    "n_unlabelled": lambda at: at["n_instances"],
    "proportions": lambda at: [
        [1 - (at["n_classes"] - 1) * at["share"] if i == j else at["share"] for j in range(at["n_classes"])]
        for i in range(at["n_classes"])
    ],
    "scales": lambda at: [at["scale"]] * at["n_classes"],
    "set_sizes": lambda at: [at["n_instances"]] * at["n_classes"],
}


def curve(entry: str | dict) -> dict:
    """A curve's description: function name, fixed arguments, and the argument that divides its value."""
    return {"at": {}, "per": None} | ({"name": entry} if isinstance(entry, str) else entry)


def named(name: str) -> Callable[..., float]:
    """A function of the package, given its part and its name, such as ``sparse_answers.lp_mae_bound``."""
    part, _, own = name.partition(".")
    function: Callable[..., float] = getattr(import_module(f"ldpbook.{part}"), own)
    return function


def value(function, names: list[str], at: dict, per: str | None) -> float | str:
    """A finite number, or words that say why there is none."""
    try:
        found = function(**{name: MADE[name](at) if name in MADE else at[name] for name in names})
    except ValueError as error:
        return str(error)
    return "infinite" if isinf(found) else found / at[per] if per else found


def evaluate(request: str) -> str:
    """Values of the functions along an axis; both the request and the reply are JSON."""
    wanted = json.loads(request)
    replies = {}
    for label, entry in wanted["functions"].items():
        of = curve(entry)
        function = named(of["name"])
        along = [wanted["at"] | {wanted["sweep"]: x} | of["at"] for x in wanted["x"]]
        names = [name for name in inspect.signature(function).parameters if name in MADE or name in along[0]]
        replies[label] = [value(function, names, at, of["per"]) for at in along]
    return json.dumps(replies)
