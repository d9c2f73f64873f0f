"""Binds each number in a chapter's prose to the number in a cell that it repeats.

``python tests/prose_numbers.py NOTEBOOK ...`` or ``make bind BOOK="NOTEBOOK ..."``.

A text cell of a bound chapter carries a list in its metadata (`ldpbook.numbers`), with one entry for each
number in its text, in order. An entry such as ``"laplace-07.out.3"`` points at the fourth number in what the
cell `laplace-07` shows, ``"laplace-07.in.0"`` at the first one in its code. Entries may calculate, as in
``"100 * laplace-07.out.3"`` or ``"1 - laplace-07.out.3"``. An empty entry stands for a number that no cell
computes, such as one in an example for pencil and paper.

A setting of a kept run is in the package, not on the page. ``"ratio-coverage._TOWN.1"`` points at the
second number in the code of `_TOWN`, which the run `ratio-coverage` uses; the chapter has to load that run.

This command keeps the entries that still agree with the text, proposes the nearest number that agrees for the
others, and prints each proposal with both contexts. Only a reader can decide whether both mean the same.
"""

import html
import json
import operator
import re
import sys
from collections.abc import Callable, Mapping
from itertools import zip_longest
from pathlib import Path
from typing import NamedTuple

from ldpcourse.runs import kept, run_entries

# Powers of ten, decimals, also as in 1.5e-07, grouped integers, integers of two digits or more. A full stop
# may end the sentence.
POWER = r"(?:(?P<mantissa>\d+(?:\.\d+)?) +)?10\^\{?(?P<exponent>-?\d+)\}?"
NUMBER = re.compile(
    rf"(?<![\w.])(?:{POWER}|(?:\d+(?:\.\d+)?e-\d+|\d{{1,3}}(?:,\d{{3}})+(?:\.\d+)?|\d+\.\d+|\d{{2,}})"
    r"(?!\w|\.\d|,\d{3}(?!\d)))"
)
# Numbers used as names (of theorems, tables or pages), and years.
NAME = re.compile(
    r"\b(?:theorem|section|table|figure|example|chapter|equation|page|proposition|lemma|algorithm|corollary"
    r"|definition|python)s?\s+\d+(?:\.\d+)*(?:(?:,| and| to|–)\s*\d+(?:\.\d+)*)*"
    r"|(?<![\d.,{])(?:19|20)\d\d(?![\d.,]\d)",
    re.IGNORECASE,
)
# Text that is not prose: displayed formulas, options and heads of directives, roles, code, addresses, TeX.
APART = re.compile(
    r"\$\$.*?\$\$|^`{3,}.*?$|^:[\w-]+:.*?$|\{[a-z:]+\}`[^`]*`|`[^`\n]*`|\]\([^)]*\)|https?://\S+"
    r"|\\[dt]?frac\d\d|\\[a-zA-Z]+",
    re.DOTALL | re.MULTILINE,
)
SHOWN = re.compile(r"(?<!\w)(?<!\w\.)\d[\d,_]*(?:\.\d+)?(?:[eE][+-]?\d+)?|(?<![\w.])\.\d+")
STORED = re.compile(r"""stored\("([\w-]+)"\)""")
UNITS = {"%": 100, "percent": 100, "per cent": 100, "thousand": 1e-3, "million": 1e-6, "billion": 1e-9}
UNIT = re.compile(
    r"\s*(?:(?:,|and|to|or|–|-)\s*\d[\d.,]*\s*)*(\\?%|per ?cent|thousand|million|billion)", re.IGNORECASE
)


class Number(NamedTuple):
    """A number in a text: its spelling, its place, and the factor by which its unit multiplies a value."""

    written: str
    start: int
    factor: float

    @property
    def value(self) -> float:
        if power := re.fullmatch(POWER, self.written):
            return float(f"{power['mantissa'] or 1}e{power['exponent']}")
        return float(self.written.replace(",", ""))

    @property
    def digits(self) -> int:
        """Number of written decimals."""
        mantissa, _, exponent = self.written.partition(" ")[0].partition("e-")
        return len(mantissa.partition(".")[2]) + int(exponent or 0)

    def agrees(self, value: float) -> bool:
        """Whether a value, rounded to the digits written here, is this number."""
        half = 0.5 * 10.0**-self.digits
        if power := re.fullmatch(POWER, self.written):  # a power alone is exact
            half = half * 10.0 ** int(power["exponent"]) if power["mantissa"] else 0.0
        return abs(value - self.value) <= half * (1 + 1e-9) + 1e-9 * abs(self.value)


class Shown(NamedTuple):
    """A number in the output or code of a cell: its value, its line and its decimals."""

    value: float
    line: str
    digits: int


def source(cell: Mapping) -> str:
    return "".join(cell["source"])


def prose(cell: Mapping) -> str:
    """The text of a cell, with blanks in place of non-prose and with usual grouping commas."""
    text = source(cell).replace("{,}", ",")
    for pattern in (APART, NAME):
        text = pattern.sub(lambda found: " " * len(found[0]), text)
    return text


def numbers(text: str) -> list[Number]:
    found = []
    for match in NUMBER.finditer(text):
        unit = UNIT.match(text, match.end())
        factor = UNITS[unit[1].lower().lstrip("\\")] if unit else 1
        found.append(Number(match[0], match.start(), factor))
    return found


def outputs(cell: Mapping) -> str:
    """The printed text and tables of a cell as readers see them, without drawings."""
    shown = []
    for output in cell["outputs"]:
        data = output.get("data", {})
        if "text" in output:
            shown.append("".join(output["text"]))
        elif "text/html" in data:
            table = re.sub(r"<style.*?</style>|<[^>]*>", " ", "".join(data["text/html"]), flags=re.DOTALL)
            shown.append(html.unescape(table))
        elif "image/svg+xml" not in data and "text/plain" in data:
            shown.append("".join(data["text/plain"]))
    return "\n".join(shown)


def run_code(name: str) -> dict[str, str]:
    """The definitions that a kept run uses in its own module, by name."""
    cell = run_entries()[name].cell
    found, wanted = {}, [cell.__name__]
    while wanted:
        definition = wanted.pop()
        if definition not in found:
            found[definition], below = kept._definition(cell.__module__, definition)
            wanted += [used for module, used in below if module == cell.__module__]
    return found


def shown_numbers(cells: list[Mapping]) -> dict[str, Shown]:
    """The numbers in outputs and code of cells, with their lines, by the names that entries use."""
    texts = {}
    for cell in cells:
        if cell["cell_type"] == "code":
            texts |= {f"{cell['id']}.out": outputs(cell), f"{cell['id']}.in": source(cell)}
            for run in STORED.findall(source(cell)):
                texts |= {f"{run}.{name}": text for name, text in run_code(run).items()}
    found = {}
    for name, text in texts.items():
        for k, match in enumerate(SHOWN.finditer(text)):
            line = text[text.rfind("\n", 0, match.start()) + 1 :].partition("\n")[0]
            value = float(match[0].replace(",", "").replace("_", ""))
            digits = 99 if "e" in match[0].lower() else len(match[0].partition(".")[2])
            found[f"{name}.{k}"] = Shown(value, " ".join(line.split()), digits)
    return found


OPERATORS: dict[str, Callable[[float, float], float]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": operator.truediv,
}


def evaluate(entry: str, shown: Mapping[str, Shown]) -> float:
    """The value of an entry: numbers and names with operators between them, from left to right."""
    first, *rest = (part if part in OPERATORS else _value(part, shown) for part in entry.split())
    for sign, value in zip(rest[::2], rest[1::2], strict=True):
        first = OPERATORS[sign](first, value)
    return first


def _value(part: str, shown: Mapping[str, Shown]) -> float:
    if part in shown:
        return shown[part].value
    try:
        return float(part)
    except ValueError:
        raise ValueError(f"no cell shows {part}") from None


def entries(cell: Mapping) -> list[str] | None:
    """The entries of a text cell; None if it has none."""
    return cell["metadata"].get("ldpbook", {}).get("numbers")


def around(text: str, number: Number) -> str:
    before, after = text[: number.start], text[number.start + len(number.written) :]
    return " ".join(f"{before[-70:]}[{number.written}]{after[:40]}".split())


def faults(cells: list[Mapping]) -> list[str]:
    """Every number in the prose of a chapter that differs from its entry."""
    shown, found = shown_numbers(cells), []
    for cell in cells:
        if cell["cell_type"] == "markdown":
            text = prose(cell)
            for number, entry in zip_longest(numbers(text), entries(cell) or ()):
                if number is None:
                    found.append(f"{cell['id']}: {entry!r} is an entry too many")
                elif entry is None:
                    found.append(f"{cell['id']}: no entry for {around(text, number)}")
                elif entry and (fault := fault_of(entry, number, shown)):
                    found.append(f"{cell['id']}: {fault}: {around(text, number)}")
    return found


def fault_of(entry: str, number: Number, shown: Mapping[str, Shown]) -> str:
    """The fault of a non-empty entry for a number."""
    if not re.search(r"\.\d+(?: |$)", entry) or not set(entry.split()) & set(shown):
        return f"no cell shows {entry}"
    try:
        value = evaluate(entry, shown)
    except ValueError as error:
        return str(error)
    if not number.agrees(value):
        return f"{entry} is {value:g}"
    if ".out." in entry and entry in shown and number.digits > shown[entry].digits:
        return f"{entry} is {value:g}, shown with fewer digits"
    return ""


def bind(cells: list[dict]) -> list[str]:
    """Write the entries of a chapter; return a line per new entry with the text and the shown number."""
    shown, lines = shown_numbers(cells), []
    places = {cell["id"]: k for k, cell in enumerate(cells)}
    for k, cell in enumerate(cells):
        if cell["cell_type"] != "markdown":
            continue
        found = [(prose(cell), number) for number in numbers(prose(cell))]
        written, new = proposed(cell["id"], found, entries(cell) or [], k, places, shown)
        lines += new
        about = cell["metadata"].setdefault("ldpbook", {})
        about["numbers"] = written
        if not written:
            del about["numbers"]
        if not about:
            del cell["metadata"]["ldpbook"]
    return lines


def proposed(
    who: str,
    found: list[tuple[str, Number]],
    kept: list[str],
    k: int,
    places: Mapping[str, int],
    shown: Mapping[str, Shown],
) -> tuple[list[str], list[str]]:
    """The entries of numbers in their texts, and lines per new entry, with the text and the shown number."""
    written, lines = [], []
    for (text, number), old in zip(found, aligned([each for _, each in found], kept, shown), strict=True):
        entry = old
        if old is None or (old and fault_of(old, number, shown)):
            entry = nearest(number, k, places, shown, old or "")
            lines.append(f"{who}[{len(written)}] {entry or 'NOT COMPUTED'}: {around(text, number)}")
            lines += [f"    <- {shown[part].line[:110]}" for part in entry.split() if part in shown]
        written.append(entry)
    return written, lines


def aligned(found: list[Number], kept: list[str], shown: Mapping[str, Shown]) -> list[str | None]:
    """The old entry of each number: one by one if the counts agree, otherwise as many matches as possible."""
    if len(kept) == len(found):
        return list(kept)
    best: list[tuple[int, list[str | None]]] = [(0, [])] * (len(kept) + 1)
    for number in found:
        rows = [(best[0][0], [*best[0][1], None])]
        for k, entry in enumerate(kept, start=1):
            ways = [(best[k][0], [*best[k][1], None]), rows[-1]]
            if entry and not fault_of(entry, number, shown):
                ways.append((best[k - 1][0] + 1, [*best[k - 1][1], entry]))
            rows.append(max(ways, key=lambda way: way[0]))
        best = rows
    return best[-1][1]


def nearest(number: Number, k: int, places: Mapping[str, int], shown: Mapping[str, Shown], old: str) -> str:
    """The entry for the nearest match: its old place first, exact before rounded, output before code."""
    wanted, found, was = number.value, [], {part.rpartition(".")[0] for part in old.split()}
    for name, (value, _, _) in shown.items():
        cell, kind, n = name.rsplit(".", 2)
        if cell not in places:
            continue  # entries for code of a kept run are written by hand
        for factor in {number.factor, 1}:
            if number.agrees(factor * value):
                rounded = abs(factor * value - wanted) > 1e-9 * wanted
                moved = f"{cell}.{kind}" not in was
                near = (moved, rounded, kind == "in", abs(places[cell] - k), places[cell] > k, factor == 1)
                near += (int(n),)
                found.append((near, name if factor == 1 else f"{factor:g} * {name}"))
    return min(found, default=(None, ""))[1]


def main(paths: list[str]) -> None:
    for path in map(Path, paths):
        notebook = json.loads(path.read_text(encoding="utf-8"))
        print(f"== {path}", *bind(notebook["cells"]), sep="\n")
        path.write_text(json.dumps(notebook, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
