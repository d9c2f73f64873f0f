"""The course's commands: ``python -m ldpcourse`` lists them."""

import ast
from pathlib import Path

from ldpcourse._console import say

_COMMANDS = (
    "ledger",
    "exercises",
    "problems",
    "runs",
    "teaching.activities",
    "teaching.assignments",
    "teaching.exams",
    "teaching.quizzes",
)


def main() -> None:
    """Print the purpose of each command from its module's text, as importing them would take seconds."""
    for name in _COMMANDS:
        path = Path(__file__).parent.joinpath(*name.split("."))
        file = path / "__main__.py" if path.is_dir() else path.with_suffix(".py")
        told = ast.get_docstring(ast.parse(file.read_text(encoding="utf-8"))) or ""
        say(f"python -m ldpcourse.{name:20}  {told.partition(chr(10))[0]}")


if __name__ == "__main__":
    main()
