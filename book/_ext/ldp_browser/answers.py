"""What a field under an exercise does: runs in the reader's browser, on Python and the package alone."""

import ast
import builtins
import contextlib
import io
import json
import math
import textwrap
import traceback
import warnings
from collections.abc import Callable
from types import CodeType
from typing import Any

from ldpcourse.exercises import check

SHOWN = 200  # characters of what a text prints, or of an error
_NAME = "your answer"
# Except pow, which Python has with a modulus as well.
_NAMES = {name: of for name, of in vars(math).items() if name[0] != "_" and not hasattr(builtins, name)}


class UnfitError(Exception):
    """Why there is nothing to judge: a sentence."""


class _Start(io.StringIO):
    """The first of what is printed: a text that never stops printing fills no memory."""

    def write(self, text: str) -> int:
        super().write(text[: max(0, SHOWN - self.tell())])
        return len(text)


def _nobody(*_: object) -> None:
    raise OSError("nobody answers input() here")


def _read(text: str) -> tuple[CodeType, CodeType]:
    """The text as code: what is done first, and what has the value."""
    tree = ast.parse(textwrap.dedent(text).strip(), _NAME)
    if not tree.body:
        raise UnfitError("Nothing is typed yet: a number, an expression or a function.")
    last = _named_last(tree.body[-1])
    if last is None:
        raise UnfitError("This has no value: end with a number, an expression or a function.")
    if isinstance(tree.body[-1], ast.Expr):
        tree.body.pop()
    return compile(tree, _NAME, "exec"), compile(ast.Expression(last), _NAME, "eval")


def _named_last(statement: ast.stmt) -> ast.expr | None:
    """What the last statement is about: an expression, or the name that it defines."""
    match statement:
        case ast.Expr(value=value):
            return value
        case ast.FunctionDef(name=name) | ast.Assign(targets=[ast.Name(id=name)]):
            return ast.Name(name, ast.Load(), lineno=1, col_offset=0)
    return None


def _line(error: BaseException) -> str:
    """Where in the text it came from, if there."""
    lines = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename == _NAME]
    return f", line {lines[-1]}" if lines else ""


def _ran(run: Callable[[], Any]) -> Any:
    """What a reader's code gives; whatever it raises becomes a sentence."""
    try:
        return run()
    except (SystemExit, KeyboardInterrupt, GeneratorExit) as error:
        raise UnfitError(f"This stops Python instead of giving an answer{_line(error)}: no exit().") from None
    except ModuleNotFoundError as error:
        name = error.name or "a module"
        raise UnfitError(
            f"{name} is not on this page: Python's own library is, and math is imported."
        ) from None
    except RecursionError:
        raise UnfitError("This calls itself without an end.") from None
    except MemoryError:
        raise UnfitError("This takes more memory than there is.") from None
    except Exception as error:
        raise UnfitError(f"This raises {type(error).__name__}{_line(error)}: {str(error)[:SHOWN]}") from None


def value_of(text: str) -> Any:
    """What a text stands for: its last line's value, or the name that this defines.

    Raises
    ------
    UnfitError
        If it is no Python, raises, stops or has no value.
    """
    try:
        before, value_itself = _read(text)
    except SyntaxError as error:
        raise UnfitError(f"This is no Python: {error.msg}, line {error.lineno or 1}.") from None
    except (ValueError, RecursionError, MemoryError):
        raise UnfitError("This is no Python: it cannot be read.") from None
    space = {**_NAMES, "math": math, "input": _nobody, "__name__": "answer"}

    def run() -> Any:
        exec(before, space)
        return eval(value_itself, space)

    value = _ran(run)
    if value is None:
        raise UnfitError("This has no value: end with a number, an expression or a function, not with print.")
    return value


def judge(request: str) -> str:
    """Whether a text answers an exercise: a request (label, text) and its reply (state, message) are JSON.

    The state is "right", "wrong", or "unfit" for what cannot be judged.
    """
    asked = json.loads(request)
    printed = _Start()
    with contextlib.redirect_stdout(printed), contextlib.redirect_stderr(printed), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            answer = value_of(asked["text"])
            result = _ran(lambda: check(asked["label"], answer))
            state, message = ("right" if result.right else "wrong"), result.message
        except UnfitError as unfit:
            state, message = "unfit", str(unfit)
    said = " ".join(printed.getvalue().split())
    return json.dumps({"state": state, "message": message, "printed": said})
