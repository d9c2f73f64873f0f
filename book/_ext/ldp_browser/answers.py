"""Judge answers typed under an exercise: runs in the reader's browser, with only Python and the package."""

import ast
import builtins
import contextlib
import inspect
import io
import json
import math
import re
import textwrap
import traceback
import warnings
from collections.abc import Callable
from types import CodeType
from typing import Any

from ldpcourse.exercises import check, exercise_of
from ldpcourse.exercises.exercise import AnswerForm

SHOWN = 200  # characters shown of printed text, or of an error
_NAME = "your answer"
# All functions of math except pow, because Python's own pow also takes a modulus.
_NAMES = {name: of for name, of in vars(math).items() if name[0] != "_" and not hasattr(builtins, name)} | {
    "ln": math.log,
    "Phi": lambda z: math.erfc(-z / math.sqrt(2)) / 2,
    "phi": lambda z: math.exp(-z * z / 2) / math.sqrt(2 * math.pi),
}
# Digits on both sides of a comma, and nothing but numbers and signs around them.
_COMMAS = re.compile(r"[\d\s.,e()*/+-]*\d,\d[\d\s.,e()*/+-]*")
_ALIASES = {"np": "numpy", "numpy": "numpy"}  # names under which a notebook imports what is not here


class UnfitError(BaseException):
    """A text that cannot be judged; the message is a sentence that says why.

    It is not an `Exception`, because `check` counts those of a reader's function as a wrong answer.
    """


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


def _missing(module: str) -> UnfitError:
    return UnfitError(f"{module} is not on this page: use Python's own library (math is already imported).")


def _asked_for(form: AnswerForm, text: str) -> str:
    """How to write the function that is asked for, with the reader's own expression if it is short."""
    text = textwrap.dedent(text).strip()
    match ast.parse(text).body:
        case [ast.Expr(value=one)] if len(text) <= 60 and not isinstance(one, ast.Lambda | ast.Tuple):
            return f"write `{form.begins}{' '.join(text.split())}`."
    return f"write `{form.begins}...`."


def _slip(text: str, form: AnswerForm) -> str:
    """Advice on another notation in a text that is not right, such as a decimal comma; "" if none."""
    commas = form.accepts.count("with a comma between them")  # how many an answer of this form has
    if not form.names and _COMMAS.fullmatch(text) and text.count(",") != commas:
        return "Write a point, not a comma, and nothing between thousands: a comma separates two numbers."
    try:
        nodes = list(ast.walk(ast.parse(textwrap.dedent(text).strip())))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return ""
    if any(isinstance(node, ast.BitXor) for node in nodes):
        return "Write a power with `**`, such as `2**3` or `exp(epsilon)`: in Python, `^` is something else."
    words = {node.id for node in nodes if isinstance(node, ast.Name)}
    if "True or False" in form.accepts and words & {"yes", "no", "true", "false"}:
        return "Write `True` or `False`, with a capital letter."
    return ""


def _unknown(error: NameError, form: AnswerForm, text: str) -> UnfitError:
    """The error to raise where a name is not defined, with advice."""
    if error.name in _ALIASES:
        return _missing(_ALIASES[error.name])
    if error.name in form.names:
        return UnfitError(f"This exercise asks for a function: {_asked_for(form, text)}")
    arguments = f" the arguments {', '.join(form.names)}," if form.names else ""
    return UnfitError(
        f"`{error.name[:SHOWN]}` is not defined{_line(error)}. Known are{arguments} Python's own names, "
        "those of math, and ln, Phi and phi."
    )


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
        raise _missing(error.name or "a module") from None
    except RecursionError:
        raise UnfitError("This calls itself endlessly.") from None
    except MemoryError:
        raise UnfitError("This needs more memory than is available.") from None
    except Exception as error:
        raise UnfitError(f"This raises {type(error).__name__}{_line(error)}: {str(error)[:SHOWN]}") from None


def _fitting(answer: Any, form: AnswerForm, text: str) -> Any:
    """The answer, if it is a function with the arguments that are asked for, or if no function is.

    Where the function uses a name that is not defined, a sentence replaces the error.
    """
    if not form.names:
        return answer
    if not callable(answer):
        raise UnfitError(f"This exercise asks for a function: {_asked_for(form, text)}")
    try:
        inspect.signature(answer).bind(*form.names)
    except TypeError:
        raise UnfitError(f"The arguments are {', '.join(form.names)}: {_asked_for(form, '')}") from None
    except ValueError:  # a function of Python's own may not say what it takes
        pass

    def called(*arguments: Any) -> Any:
        try:
            return answer(*arguments)
        except NameError as error:
            raise _unknown(error, form, text) if error.name else error from None

    return called


def value_of(text: str, form: AnswerForm) -> Any:
    """Value of a text: of its last statement, or of the name that this statement defines.

    Raises
    ------
    UnfitError
        If the text is not valid Python, raises an error, stops Python, has no value, or is not the function
        that is asked for.
    """
    if form.names and text.strip() == form.begins.strip():
        raise UnfitError("Nothing is typed yet: type the formula after the colon.")
    try:
        before, value_itself = _read(text)
    except SyntaxError as error:
        raise UnfitError(f"This is not valid Python: {error.msg}, line {error.lineno or 1}.") from None
    except (ValueError, RecursionError, MemoryError):
        raise UnfitError("This is not valid Python: it cannot be parsed.") from None
    space = {**_NAMES, "math": math, "input": _nobody, "__name__": "answer"}

    def run() -> Any:
        try:
            exec(before, space)
            return eval(value_itself, space)
        except NameError as error:
            raise _unknown(error, form, text) if error.name else error from None

    value = _ran(run)
    if value is None:
        raise UnfitError("This has no value: end with a number, an expression or a function, not with print.")
    return _fitting(value, form, text)


def judge(request: str) -> str:
    """Judge whether a text answers an exercise; both the request and the reply are JSON.

    The request has a label and a text, the reply a state, a message and what the text printed. The state is
    "right", "wrong", or "unfit" for a text that cannot be judged.
    """
    asked = json.loads(request)
    printed = _Start()
    with contextlib.redirect_stdout(printed), contextlib.redirect_stderr(printed), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        form = exercise_of(asked["label"]).form
        try:
            answer = value_of(asked["text"], form)
            result = _ran(lambda: check(asked["label"], answer))
            state, message = ("right" if result.right else "wrong"), result.message
        except UnfitError as unfit:
            state, message = "unfit", str(unfit)
        if state != "right" and (slip := _slip(asked["text"], form)):
            state, message = "unfit", slip
    said = " ".join(printed.getvalue().split())
    return json.dumps({"state": state, "message": message, "printed": said})
