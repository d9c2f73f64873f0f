"""Binds each number in a chapter's prose to the number in a cell that it repeats.

``python tests/prose_numbers.py NOTEBOOK ...`` or ``make bind BOOK="NOTEBOOK ..."``.

A text cell of a bound chapter carries a list in its metadata (`ldpbook.numbers`), with one entry for each
number in its text, in order. An entry such as ``"laplace-07.out.3"`` points at the fourth number in what the
cell `laplace-07` shows, ``"laplace-07.in.0"`` at the first one in its code. Entries may calculate, as in
``"100 * laplace-07.out.3"`` or ``"1 - laplace-07.out.3"``. An empty entry stands for a number that no cell
computes, such as one of an example for pencil and paper.

A setting of a kept run stands in the package, not on the page. ``"ratio-coverage._TOWN.1"`` points at the
second number in the code of `_TOWN`, which the run `ratio-coverage` uses; the chapter has to load that run.

This command keeps the entries that still agree with the text, proposes the nearest number that agrees for the
others, and prints each proposal with both contexts. Only a reader can tell whether the two mean the same.
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

from ldpbook import _run
from ldpbook.runs import run_entries

# Decimals, grouped integers, and integers of two digits or more. A full stop may end the sentence.
NUMBER = re.compile(r"(?<![\w.,])(?:\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+\.\d+|\d{2,})(?!\w|[.,]\d)")
# Numbers that are names: of theorems, tables and pages, and years.
NAME = re.compile(
    r"\b(?:theorem|section|table|figure|example|chapter|equation|page|proposition|lemma|algorithm|corollary"
    r"|definition|python)s?\s+\d+(?:\.\d+)*(?:(?:,| and| to|–)\s*\d+(?:\.\d+)*)*"
    r"|(?<![\d.,{])(?:19|20)\d\d(?![\d.,]\d)",
    re.IGNORECASE,
)
# What is no prose: displayed formulas, options and heads of directives, roles, code, addresses.
APART = re.compile(
    r"\$\$.*?\$\$|^`{3,}.*?$|^:[\w-]+:.*?$|\{[a-z:]+\}`[^`]*`|`[^`\n]*`|\]\([^)]*\)|https?://\S+",
    re.DOTALL | re.MULTILINE,
)
SHOWN = re.compile(r"(?<!\w)(?<!\w\.)\d[\d,_]*(?:\.\d+)?(?:[eE][+-]?\d+)?|(?<![\w.])\.\d+")
STORED = re.compile(r"""stored\("([\w-]+)"\)""")
UNITS = {"%": 100, "percent": 100, "per cent": 100, "thousand": 1e-3, "million": 1e-6, "billion": 1e-9}
UNIT = re.compile(
    r"\s*(?:(?:,|and|to|or|–|-)\s*\d[\d.,]*\s*)*(\\?%|per ?cent|thousand|million|billion)", re.IGNORECASE
)


class Number(NamedTuple):
    """A number in a text: how it is written, where, and what its unit multiplies a computed value by."""

    written: str
    start: int
    factor: float

    def agrees(self, value: float) -> bool:
        """Whether a value, rounded to the digits written here, is this number."""
        half = 0.5 * 10.0 ** -len(self.written.partition(".")[2])
        return abs(value - float(self.written.replace(",", ""))) <= half * (1 + 1e-9)


def source(cell: Mapping) -> str:
    return "".join(cell["source"])


def prose(cell: Mapping) -> str:
    """The text of a cell, with blanks where it is no prose, and with grouping commas as people write them."""
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
    """What a cell prints and shows in tables, as a reader sees it; not what it draws."""
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
            found[definition], below = _run._definition(cell.__module__, definition)
            wanted += [used for module, used in below if module == cell.__module__]
    return found


def shown_numbers(cells: list[Mapping]) -> dict[str, tuple[float, str]]:
    """The numbers that code cells show and contain, by the names that entries call them, with their line."""
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
            found[f"{name}.{k}"] = (value, " ".join(line.split()))
    return found


OPERATORS: dict[str, Callable[[float, float], float]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": operator.truediv,
}


def evaluate(entry: str, shown: Mapping[str, tuple[float, str]]) -> float:
    """The value of an entry: numbers and names with operators between them, from left to right."""
    first, *rest = (part if part in OPERATORS else _value(part, shown) for part in entry.split())
    for sign, value in zip(rest[::2], rest[1::2], strict=True):
        first = OPERATORS[sign](first, value)
    return first


def _value(part: str, shown: Mapping[str, tuple[float, str]]) -> float:
    if part in shown:
        return shown[part][0]
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
    """Every number in the prose of a chapter that is not what its entry says."""
    shown, found = shown_numbers(cells), []
    for cell in cells:
        if cell["cell_type"] == "markdown":
            text = prose(cell)
            for number, entry in zip_longest(numbers(text), entries(cell) or ()):
                if number is None:
                    found.append(f"{cell['id']}: {entry!r} is an entry too many")
                elif entry is None:
                    found.append(f"{cell['id']}: no entry for {around(text, number)}")
                elif entry and not number.agrees(evaluate(entry, shown)):
                    found.append(
                        f"{cell['id']}: {entry} is {evaluate(entry, shown):g}: {around(text, number)}"
                    )
    return found


def bind(cells: list[dict]) -> list[str]:
    """Write the entries of a chapter; a line for each that is new, with what is said and what is shown."""
    shown, lines = shown_numbers(cells), []
    places = {cell["id"]: k for k, cell in enumerate(cells)}
    for k, cell in enumerate(cells):
        if cell["cell_type"] != "markdown":
            continue
        text, kept, written = prose(cell), list(entries(cell) or ()), []
        found = numbers(text)
        by_hand = len(kept) == len(found)
        for n, number in enumerate(found):
            entry = kept[n] if by_hand else next((e for e in kept if _holds(e, number, shown)), None)
            if entry is None or (entry and not _holds(entry, number, shown)):
                entry = _nearest(number, k, places, shown)
                lines.append(f"{cell['id']}[{n}] {entry or 'NOT COMPUTED'}: {around(text, number)}")
                lines += [f"    <- {shown[part][1][:110]}" for part in entry.split() if part in shown]
            elif not by_hand:
                kept = kept[kept.index(entry) + 1 :]
            written.append(entry)
        about = cell["metadata"].setdefault("ldpbook", {})
        about["numbers"] = written
        if not written:
            del about["numbers"]
        if not about:
            del cell["metadata"]["ldpbook"]
    return lines


def _holds(entry: str, number: Number, shown: Mapping[str, tuple[float, str]]) -> bool:
    try:
        return bool(entry) and number.agrees(evaluate(entry, shown))
    except ValueError:
        return False


def _nearest(
    number: Number, k: int, places: Mapping[str, int], shown: Mapping[str, tuple[float, str]]
) -> str:
    """The entry for the nearest number that agrees: equal before rounded, shown before written in code."""
    wanted, found = float(number.written.replace(",", "")), []
    for name, (value, _) in shown.items():
        cell, kind, n = name.rsplit(".", 2)
        if cell not in places:
            continue  # code of a kept run is pointed at by hand
        for factor in {number.factor, 1}:
            if number.agrees(factor * value):
                rounded = abs(factor * value - wanted) > 1e-9 * wanted
                near = (rounded, kind == "in", abs(places[cell] - k), places[cell] > k, factor == 1, int(n))
                found.append((near, name if factor == 1 else f"{factor:g} * {name}"))
    return min(found, default=(None, ""))[1]


def main(paths: list[str]) -> None:
    for path in map(Path, paths):
        notebook = json.loads(path.read_text(encoding="utf-8"))
        print(f"== {path}", *bind(notebook["cells"]), sep="\n")
        path.write_text(json.dumps(notebook, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
