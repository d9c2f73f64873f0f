"""A midterm and a final exam, drawn with an instructor's secret from the problem bank and a list of claims.

``python -m ldpcourse.teaching.exams midterm --secret-file FILE`` prints the sheet in Markdown,
``--student NAME`` the same questions with the student's own numbers, and ``--keys`` also the graders' keys.
"""

import argparse
import sys
from dataclasses import dataclass
from numbers import Integral
from pathlib import Path

import numpy as np

from ldpbook._validate import flag, one_of
from ldpcourse._console import while_read
from ldpcourse.problems import WEEKS, Problem, seed_of, variant
from ldpcourse.teaching._files import secret_in
from ldpcourse.teaching._statements import STATEMENTS, TOPICS, Statement
from ldpcourse.teaching.paths import PATHS

__all__ = ["main", "sheet"]

# Problems that can be solved with a pocket calculator in the time of an exam.
_BY_HAND = {
    "fingerprint",
    "round",
    "belief",
    "warner",
    "draws",
    "absent",
    "profile",
    "constant",
    "elect",
    "layers",
    "answers",
    "cloud",
    "product",
    "apart",
    "anchor",
    "match",
    "size",
    "purity",
    "invert",
    "flip",
    "keep",
    "relink",
    "deny",
    "better",
    "careful",
    "oracle",
    "tables",
}
# The solutions of these are on the pages Sample exam and Model explanation, so no exam asks them.
SHOWN_PROBLEMS = ("warner", "constant", "elect")
SHOWN_CLAIMS = ("null-pairs", "audit-refutes", "only-answer", "wrong-outputs")
# A class that is late leaves out the last two chapters of week 12, to which this claim belongs. For the same
# reason ``_BY_HAND`` does not contain ``counts`` and ``hospitals``.
_READ_BY_SOME = frozenset({"linear-noise"})
# Claims that the sections of the six-week path decide, by the week from which they can be asked.
_CLAIMS_OF_SIX = {
    1: {"exact-sum", "rounded-output", "epsilon-zero", "passed-check"},
    2: {"own-mean-fill", "mirrored", "inverse-deviations", "lp-crowd"},
    3: {"rows-of-k", "rr-unbiased"},
    4: {"adaptive-thresholds", "likelihood-is-inversion"},
    5: {"more-flips", "one-more-voter", "bad-worker", "flipped-majority"},
    6: {"shared-coin", "two-layer-ceiling", "worker-by-cells"},
}
_RUBRICS = {  # points, which equal minutes, for each part of an answer
    "problem": {
        "method": 5,
        "computation": 3,
        "unit and neighbours named (where a problem has no unit of protection: the assumptions used)": 2,
        "clarity": 2,
    },
    "claim": {"reason: proof, counterexample or the condition": 5, "clarity": 1},
}
POINTS = {kind: sum(rubric.values()) for kind, rubric in _RUBRICS.items()}
RULES = (
    "Allowed: two pages of your own notes and a pocket calculator, no network. A point is a minute."
    " Logarithms are natural. Show how you found each number. Name the unit of protection and the"
    " neighbours or, where nothing is protected, the assumptions used. There is no point for the verdict"
    " itself: a right reason under another verdict counts in full if the wording allows that reading."
)
ASKS = {
    "privacy": "Privacy, and what it promises",
    "estimates": "Estimates, and what they tend to",
}
JUDGE = (
    "Is each claim true, false, or true under a condition that is not named? Prove it, give a"
    " counterexample, or name the condition and show what happens without it"
)
EXAMS = ("midterm", "final")


@dataclass(frozen=True)
class _Course:
    """What can be asked about each week of a path."""

    problems: dict[int, tuple[str, ...]]
    claims: dict[str, int]  # the first week in which a claim can be asked


_COURSES = {
    "six": _Course(
        {number: week.hand_in for number, week in PATHS["six weeks"].numbered()},
        {name: week for week, names in _CLAIMS_OF_SIX.items() for name in names},
    ),
    "twelve": _Course(WEEKS, {s.name: s.week for s in STATEMENTS if s.name not in _READ_BY_SOME}),
}


@dataclass(frozen=True)
class _Part:
    """Problems, and claims on each topic, from a span of weeks."""

    first: int
    last: int
    n_problems: int
    n_claims: int


def sheet(
    exam: str, secret: str, *, student: str = "", path: str = "twelve", weeks: int = 12, keys: bool = False
) -> str:
    """An exam in Markdown.

    Parameters
    ----------
    exam : str
        "midterm", an hour on the first half of the path's weeks, or "final", two hours on all weeks
        taught.
    secret : str
        The instructor's secret of at least 16 characters, which chooses the questions; use a new one each
        year.
    student : str
        The student for whom the numbers are; "" for one sheet for all. The questions are the same for all.
    path : str
        "six" or "twelve": the weeks of the path that was taught.
    weeks : int
        The last week that was taught on the path of twelve weeks, from 12 to 22; weeks after 12 are on
        remedies, the whole worker and practice.
    keys : bool
        Whether answers, reasons and points are printed too, for graders.

    Returns
    -------
    str
        The sheet.

    Raises
    ------
    ValueError
        If `exam` or `path` is not one of its two values, `secret` has fewer than 16 characters, or `weeks`
        lies outside 12 to 22 or is given for six weeks.

    Notes
    -----
    Derived in: teaching/exams

    Examples
    --------
    >>> print(sheet("midterm", "correct horse battery staple").splitlines()[0])
    # Midterm: 60 minutes, 60 points
    """
    course = _COURSES[one_of("path", path, _COURSES)]
    parts = _parts(one_of("exam", exam, EXAMS), path, weeks)
    flag("keys", keys)
    chooser = np.random.default_rng(seed_of(secret, f"{exam}: questions"))
    numbers = seed_of(secret, f"{exam}: numbers of {_text(student)}")
    problems = [variant(name, numbers) for part in parts for name in _problems_of(course, part, chooser)]
    claims = {
        topic: [c for part in parts for c in _claims_of(course, part, topic, chooser)] for topic in TOPICS
    }
    minutes = len(problems) * POINTS["problem"] + sum(map(len, claims.values())) * POINTS["claim"]
    lines = [
        *(["**KEYS: not for students.**", ""] if keys else []),
        f"# {exam.capitalize()}: {minutes} minutes, {minutes} points",
        "",
        f"Name: {student or '______________________'}",
        "",
        RULES,
    ]
    for number, problem in enumerate(problems, 1):
        lines += _asked(number, problem, keys)
    for number, topic in enumerate(TOPICS, len(problems) + 1):
        lines += _judged(number, topic, claims[topic], keys)
    return "\n".join(lines) + "\n"


def main(arguments: list[str] | None = None) -> None:
    """Print an exam.

    Parameters
    ----------
    arguments : list of str, optional
        Command line, without the program's name.

    Raises
    ------
    SystemExit
        With 2 if the command is wrong, the secret cannot be read, or it is too short.

    Notes
    -----
    Derived in: teaching/exams
    """
    parser = argparse.ArgumentParser(prog="python -m ldpcourse.teaching.exams", description=__doc__)
    parser.add_argument("exam", choices=EXAMS)
    parser.add_argument(
        "--secret-file",
        required=True,
        type=Path,
        metavar="FILE",
        help="text of at least 16 characters, kept from students",
    )
    parser.add_argument(
        "--student", default="", metavar="NAME", help="whose numbers; default: one sheet for all"
    )
    parser.add_argument(
        "--path", choices=_COURSES, default="twelve", help="the path that was taught (%(default)s weeks)"
    )
    parser.add_argument(
        "--weeks",
        type=int,
        default=12,
        metavar="N",
        help="the last week that was taught on the path of twelve, 12 to 22 (%(default)s)",
    )
    parser.add_argument("--keys", action="store_true", help="print keys, reasons and points too")
    options = parser.parse_args(arguments)
    try:
        secret = secret_in(options.secret_file)
        given = {name: vars(options)[name] for name in ("student", "path", "weeks", "keys")}
        told = sheet(options.exam, secret, **given)
    except (OSError, ValueError) as error:
        parser.error(str(error))
    with while_read():
        sys.stdout.buffer.write(told.encode())  # UTF-8, whatever code page a file or a pipe has
        sys.stdout.buffer.flush()


def _text(student: str) -> str:
    if not isinstance(student, str):
        raise TypeError(f"student must be a string, got type {type(student).__name__}")
    return student


def _parts(exam: str, path: str, weeks: int) -> tuple[_Part, ...]:
    """Parts of an exam: an hour on the first half of the path, or two hours on all weeks.

    The final gives three tenths of its time to the first half of the twelve weeks. To the first half of the
    six weeks it gives half of its time, because each problem has to come from a different week.
    """
    if not isinstance(weeks, Integral) or isinstance(weeks, bool):
        raise TypeError(
            f"weeks must be an integer from 12 to {max(WEEKS)}, got {weeks!r} of type {type(weeks).__name__}"
        )
    if not 12 <= weeks <= max(WEEKS):
        raise ValueError(f"weeks must be an integer from 12 to {max(WEEKS)}, got {weeks!r}")
    if path == "six":
        if weeks != 12:
            raise ValueError(f"weeks is for the path of twelve weeks, got {weeks!r} with the path of six")
        first = _Part(1, 3, 3, 2)
        return (first,) if exam == "midterm" else (first, _Part(4, 6, 3, 2))
    if exam == "midterm":
        return (_Part(1, 6, 3, 2),)
    return _Part(1, 6, 2, 1), _Part(7, int(weeks), 4, 3)


def _problems_of(course: _Course, part: _Part, chooser: np.random.Generator) -> list[str]:
    """Names of problems from different weeks, in the order of the weeks."""
    by_hand = _BY_HAND - set(SHOWN_PROBLEMS)
    pools = {week: sorted(by_hand.intersection(names)) for week, names in course.problems.items()}
    weeks = [w for w in range(part.first, part.last + 1) if pools[w]]
    drawn = sorted(chooser.choice(weeks, part.n_problems, replace=False))
    return [str(chooser.choice(pools[int(week)])) for week in drawn]


def _claims_of(course: _Course, part: _Part, topic: str, chooser: np.random.Generator) -> list[Statement]:
    asked = {
        name
        for name, week in course.claims.items()
        if part.first <= week <= part.last and name not in SHOWN_CLAIMS
    }
    pool = [s for s in STATEMENTS if s.topic == topic and s.name in asked]
    return [pool[k] for k in sorted(chooser.choice(len(pool), part.n_claims, replace=False))]


def key_of(problem: Problem) -> str:
    """The answer with its tolerance, and what a full explanation names."""
    return f"**Key** {problem.key:.5g}, within {100 * problem.tolerance:g} %. {problem.explanation}"


def verdict_on(claim: Statement) -> str:
    """The verdict on a claim and the reason for it."""
    return f"**{claim.verdict.capitalize()}.** {claim.reason}"


def rubric(kind: str) -> str:
    return "; ".join(f"{what} {points}" for what, points in _RUBRICS[kind].items())


def _asked(number: int, problem: Problem, keys: bool) -> list[str]:
    lines = ["", f"## {number}. ({POINTS['problem']} points)", "", problem.text]
    if keys:
        lines += ["", f"> {key_of(problem)}", ">", f"> **Points** {rubric('problem')}."]
    return lines


def _judged(number: int, topic: str, claims: list[Statement], keys: bool) -> list[str]:
    points = POINTS["claim"]
    lines = [
        "",
        f"## {number}. {ASKS[topic]} ({points * len(claims)} points)",
        "",
        f"{JUDGE} ({points} points each).",
    ]
    for letter, claim in zip("abcdefgh", claims, strict=False):
        lines += ["", f"({letter}) {claim.text}"]
        if keys:
            lines += ["", f"> {verdict_on(claim)}", ">", f"> **Points** {rubric('claim')}."]
    return lines


if __name__ == "__main__":
    main()
