"""Judge answers typed under an exercise: runs in the reader's browser, with only Python and the package."""

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

SHOWN = 200  # characters shown of printed text, or of an error
_NAME = "your answer"
# All functions of math except pow, because Python's own pow also takes a modulus.
_NAMES = {name: of for name, of in vars(math).items() if name[0] != "_" and not hasattr(builtins, name)}


class UnfitError(Exception):
    """A text that cannot be judged; the message is a sentence that says why."""


class _Start(io.StringIO):
    """Keeps only the first printed characters, so that endless printing does not fill the memory."""

    def write(self, text: str) -> int:
        super().write(text[: max(0, SHOWN - self.tell())])
        return len(text)


def _nobody(*_: object) -> None:
    raise OSError("nobody answers input() here")


def _read(text: str) -> tuple[CodeType, CodeType]:
    """Compile the text in two parts: the statements to run first, and the expression with the value."""
    tree = ast.parse(textwrap.dedent(text).strip(), _NAME)
    if not tree.body:
        raise UnfitError("Nothing is typed yet: type a number, an expression or a function.")
    last = _named_last(tree.body[-1])
    if last is None:
        raise UnfitError("This has no value: end with a number, an expression or a function.")
    if isinstance(tree.body[-1], ast.Expr):
        tree.body.pop()
    return compile(tree, _NAME, "exec"), compile(ast.Expression(last), _NAME, "eval")


def _named_last(statement: ast.stmt) -> ast.expr | None:
    """The expression in the last statement, or the name that the statement defines."""
    match statement:
        case ast.Expr(value=value):
            return value
        case ast.FunctionDef(name=name) | ast.Assign(targets=[ast.Name(id=name)]):
            return ast.Name(name, ast.Load(), lineno=1, col_offset=0)
    return None


def _line(error: BaseException) -> str:
    """The line of the text that raised the error, if one did."""
    lines = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename == _NAME]
    return f", line {lines[-1]}" if lines else ""


def _ran(run: Callable[[], Any]) -> Any:
    """Result of a reader's code; anything it raises becomes a sentence."""
    try:
        return run()
    except (SystemExit, KeyboardInterrupt, GeneratorExit) as error:
        raise UnfitError(
            f"This stops Python instead of giving an answer{_line(error)}: do not call exit()."
        ) from None
    except ModuleNotFoundError as error:
        name = error.name or "a module"
        raise UnfitError(
            f"{name} is not on this page: use Python's own library (math is already imported)."
        ) from None
    except RecursionError:
        raise UnfitError("This calls itself endlessly.") from None
    except MemoryError:
        raise UnfitError("This needs more memory than is available.") from None
    except Exception as error:
        raise UnfitError(f"This raises {type(error).__name__}{_line(error)}: {str(error)[:SHOWN]}") from None


def value_of(text: str) -> Any:
    """Value of a text: of its last line, or of the name that its last line defines.

    Raises
    ------
    UnfitError
        If the text is not valid Python, raises an error, stops Python or has no value.
    """
    try:
        before, value_itself = _read(text)
    except SyntaxError as error:
        raise UnfitError(f"This is not valid Python: {error.msg}, line {error.lineno or 1}.") from None
    except (ValueError, RecursionError, MemoryError):
        raise UnfitError("This is not valid Python: it cannot be parsed.") from None
    space = {**_NAMES, "math": math, "input": _nobody, "__name__": "answer"}

    def run() -> Any:
        exec(before, space)
        return eval(value_itself, space)

    value = _ran(run)
    if value is None:
        raise UnfitError("This has no value: end with a number, an expression or a function, not with print.")
    return value


def judge(request: str) -> str:
    """Judge whether a text answers an exercise; both the request and the reply are JSON.

    The request has a label and a text, the reply a state, a message and what the text printed. The state is
    "right", "wrong", or "unfit" for a text that cannot be judged.
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
