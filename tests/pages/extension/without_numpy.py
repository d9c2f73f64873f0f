"""Every answer to every exercise with a field, judged where the package finds the standard library only.

Run by test_fields.py. Answers keep the modules they use; only the checkers must do without them.
"""

import builtins
import re
import sys
from importlib import import_module

from ldpbook._lazy import PARTS

ANSWERS = [import_module(f"course.exercise_answers.{part}") for part in PARTS]
OWN = {"ldpbook", "ldpcourse"}
THERE = sys.stdlib_module_names | OWN
find = builtins.__import__


def blocked(name, globals=None, locals=None, fromlist=(), level=0):
    asking = (globals or {}).get("__name__", "")
    if asking.split(".")[0] in OWN and not level and name.split(".")[0] not in THERE:
        raise ModuleNotFoundError(f"{asking} imports {name}", name=name)
    return find(name, globals, locals, fromlist, level)


def main() -> None:
    for name in [name for name in sys.modules if name.split(".")[0] in OWN]:
        del sys.modules[name]  # to be imported again
    builtins.__import__ = blocked
    from ldpcourse._entries import entries_of
    from ldpcourse.exercises import check

    judged = 0
    for label in sorted(exercise.label for part in PARTS for exercise in entries_of(part, "exercises")):
        home = next(part for part in ANSWERS if label in part.RIGHT)
        for answer in home.RIGHT[label]:
            result = check(label, answer)
            assert result.right, (label, result.message)
        for answer, reason in home.WRONG[label]:
            result = check(label, answer)
            assert not result.right, label
            assert re.search(reason, result.message), (label, result.message)
        judged += 1
    print(judged)


if __name__ == "__main__":
    main()
