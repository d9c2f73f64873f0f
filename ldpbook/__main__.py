"""The package's commands: ``python -m ldpbook`` lists them."""

import ast
from pathlib import Path

from ldpbook._grading import say

_COMMANDS = (
    "claims",
    "exercises",
    "problems",
    "runs",
    "teaching.assignments",
    "teaching.exams",
    "teaching.quizzes",
)


def main() -> None:
    """Print what each command is for, as its module's text says: to import them takes seconds."""
    for name in _COMMANDS:
        file = Path(__file__).parent.joinpath(*name.split(".")).with_suffix(".py")
        told = ast.get_docstring(ast.parse(file.read_text(encoding="utf-8"))) or ""
        say(f"python -m ldpbook.{name:20}  {told.partition(chr(10))[0]}")


if __name__ == "__main__":
    main()
