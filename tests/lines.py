"""Lines of code of the library, by part: ``python tests/lines.py``, or ``make lines``."""

import ast
import io
import tokenize
from collections import Counter
from pathlib import Path

PACKAGE = Path(__file__).resolve().parents[1] / "ldpbook"


def code_lines(path: Path) -> int:
    """Lines that hold code: no docstrings, comments or blank lines."""
    text = path.read_text(encoding="utf-8")
    skipped = {
        tokenize.COMMENT,
        tokenize.NL,
        tokenize.NEWLINE,
        tokenize.INDENT,
        tokenize.DEDENT,
        tokenize.ENDMARKER,
    }
    lines = {
        line
        for token in tokenize.generate_tokens(io.StringIO(text).readline)
        if token.type not in skipped
        for line in range(token.start[0], token.end[0] + 1)
    }
    for node in ast.walk(ast.parse(text)):
        if (
            isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef)
            and ast.get_docstring(node) is not None
        ):
            lines -= set(range(node.body[0].lineno, node.body[0].end_lineno + 1))
    return len(lines)


def lines_by_part() -> dict[str, int]:
    """Lines of code of each part; modules that belong to no part count as common."""
    parts: Counter[str] = Counter()
    for path in sorted(PACKAGE.rglob("*.py")):
        inside = path.relative_to(PACKAGE).parts
        parts[inside[0] if len(inside) > 1 else "common"] += code_lines(path)
    return dict(parts)


if __name__ == "__main__":
    parts = lines_by_part()
    for part, n in parts.items():
        print(f"{part:22} {n:5}")
    print(f"{'library':22} {sum(parts.values()):5}")
    lengths = {path: path.read_text(encoding="utf-8").count("\n") for path in PACKAGE.rglob("*.py")}
    longest = max(lengths, key=lengths.__getitem__)
    print(f"longest module: {longest.relative_to(PACKAGE)}, {lengths[longest]}")
