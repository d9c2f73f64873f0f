"""Check the answers to exercises in your own files.

A .py or .ipynb file defines a dictionary ANSWERS from labels to answers, or calls check("ex-...", answer).
The last answer to an exercise counts, and ANSWERS counts after all calls. The file runs with all your
permissions and without any isolation, so check only your own files.
"""

import argparse
import json
import os
import re
import runpy
import sys
import traceback
from pathlib import Path
from typing import Any

from ldpcourse import exercises
from ldpcourse._console import say
from ldpcourse.exercises import BrokenKeyError, Result, check


def _judged(label: str, answer: object) -> tuple[bool | None, str]:
    """Whether an answer is right, or None where that cannot be said; and the message."""
    try:
        result = check(label, answer)
    except ValueError:
        return None, "not judged: no exercise has this label"
    except BrokenKeyError as error:
        return None, f"not judged: {error.__cause__ or error}"
    return result.right, result.message


def _run(file: Path) -> dict[str, Any]:
    """The names that a file defines; lines that only a notebook understands are skipped."""
    if file.suffix == ".py":
        return runpy.run_path(str(file), run_name="__main__")
    names: dict[str, Any] = {"__name__": "__main__", "display": print}
    for k, cell in enumerate(json.loads(file.read_text(encoding="utf-8"))["cells"], start=1):
        source = "".join(cell["source"])
        if cell["cell_type"] == "code" and not source.startswith("%%"):
            code = re.sub(r"^([ \t]*)[%!]\w.*", r"\1pass", source, flags=re.MULTILINE)
            exec(compile(code, f"{file}, cell {k}", "exec"), names)
    return names


def _check(file: Path) -> tuple[dict[str, tuple[bool | None, str]], str]:
    """Result of each answer, and a line that says why some or all are missing, or ""."""
    found: dict[str, tuple[bool | None, str]] = {}

    def hand_in(exercise_id: Any, answer: Any) -> Result:
        found.pop(str(exercise_id), None)
        right, message = found[str(exercise_id)] = _judged(str(exercise_id), answer)
        return Result(bool(right), message)

    exercises.check = hand_in
    try:
        answers = _run(file).get("ANSWERS")
        for label, answer in answers.items() if isinstance(answers, dict) else ():
            hand_in(label, answer)
    except (Exception, SystemExit) as error:  # anything that the reader's code raises
        trace = traceback.extract_tb(error.__traceback__)
        lines = [f"{x.filename}, line {x.lineno}" for x in trace if x.filename.startswith(str(file))]
        place = lines[-1] if lines else file
        return found, " ".join(f"{place}: {type(error).__name__}: {error}".split())
    finally:
        exercises.check = check
    return found, "" if found else f"{file} has no dictionary ANSWERS and does not call check"


def main(arguments: list[str] | None = None) -> int:
    """Check files; return 0 if every answer could be judged, right or wrong, and otherwise 1."""
    parser = argparse.ArgumentParser(prog="python -m ldpcourse.exercises", description=__doc__)
    parser.add_argument("files", nargs="+", metavar="FILE", type=Path, help="your own files, .py or .ipynb")
    files = parser.parse_args(arguments).files
    for file in files:
        if file.suffix not in (".py", ".ipynb") or not file.is_file():
            parser.error(f"{file} is not an existing .py or .ipynb file")
    checked = [_check(file) for file in files]
    verdicts = [right for found, _ in checked for right, _ in found.values()]
    for found, fault in checked:
        for label, (_, message) in found.items():
            say(f"{label:24} {message}")
        if fault:
            say(fault)
    n_judged = len(verdicts) - verdicts.count(None)
    say(f"{verdicts.count(True)} of {n_judged} right")
    return int(n_judged < len(verdicts) or any(fault for _, fault in checked))


if __name__ == "__main__":
    os.environ.setdefault("MPLBACKEND", "Agg")  # figures open no windows
    sys.exit(main())
