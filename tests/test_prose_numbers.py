"""The numbers in a chapter's prose are those that its cells compute."""

import copy

import numpy as np
import pytest
from prose_numbers import Number, bind, entries, evaluate, faults, numbers, prose, shown_numbers
from toc import CHAPTERS, notebook_cells


def texts(cells: list[dict]) -> list[dict]:
    return [cell for cell in cells if cell["cell_type"] == "markdown"]


@pytest.mark.parametrize("chapter", CHAPTERS)
def test_each_number_agrees_with_its_entry(chapter):
    assert faults(notebook_cells(chapter)) == []


@pytest.mark.parametrize(("value", "same"), [(3.278854e-9, True), (3.2789e-9, False), (0.0, False)])
def test_the_decimals_of_a_power_count(value, same):
    assert numbers("3.27885e-09")[0].agrees(value) == same


def wrong(number: Number, rng: np.random.Generator) -> Number:
    """Another number with as many digits, 10 to 60 % off; for a power of ten, another power."""
    mantissa, _, power = number.written.replace(",", "").partition(" ")
    if "^" in mantissa:
        return number._replace(written=f"10^{{{rng.choice([-40, 40])}}}")
    if float(mantissa) == 0:
        return number._replace(written=f"{10.0**-number.digits:.{number.digits}f}")
    while True:
        off = float(mantissa) * (1 + rng.choice([-1, 1]) * rng.uniform(0.1, 0.6))
        if round(off, number.digits) != float(mantissa):
            return number._replace(written=f"{off:.{number.digits}f} {power}".strip())


@pytest.mark.parametrize("chapter", CHAPTERS)
def test_wrong_numbers_are_seen(chapter):
    """Five wrong numbers per number. Those that no cell computes pass, but nine in ten of all must fail."""
    cells, rng = notebook_cells(chapter), np.random.default_rng(1)
    shown = shown_numbers(cells)
    passed = [
        not entry or wrong(number, rng).agrees(evaluate(entry, shown))
        for cell in texts(cells)
        for number, entry in zip(numbers(prose(cell)), entries(cell) or (), strict=True)
        for _ in range(5)
    ]
    assert len(passed) > 100
    assert np.mean(passed) <= 0.1


def text(words: str, *bound: str) -> dict:
    return {
        "cell_type": "markdown",
        "id": "words",
        "metadata": {"ldpbook": {"numbers": list(bound)}} if bound else {},
        "source": words,
    }


def code(source: str, *outputs: dict) -> dict:
    return {"cell_type": "code", "id": "run-1", "metadata": {}, "source": source, "outputs": list(outputs)}


RUN = code("run(workers=2_000, share=0.5)", {"name": "stdout", "text": ["RR 0.314\n", "LP 0.159 of 36\n"]})


@pytest.mark.parametrize(
    ("words", "read"),
    [
        ("It errs by 0.31.", ["0.31"]),
        ("Of 2,000 workers 38 answer, 7 do not.", ["2,000", "38"]),
        ("$x=0.25$ and $1{,}000$ of 10.5, 12", ["0.25", "1,000", "10.5", "12"]),
        ("Theorem 12, pages 14 to 15, in 2018", []),
        ("`x = 0.7` and {cite}`a2012` and\n$$x=0.8$$\n[7.5](a-0.9) https://a.b/0.1", ["7.5"]),
        ("```{figure} 0.3.svg\n:width: 100\n0.2\n```", ["0.2"]),
        ("version 3.11.2, x0.5, 12a", []),
        ("2018 workers in 2,018 groups", ["2,018"]),
        ("p = 3.27885e-09, below 1e-6, not 2e+3", ["3.27885e-09", "1e-6"]),
        (r"$\cdot0.7$, $\ge5.5$ and $N(4.5,0.3^2)$", ["0.7", "5.5", "4.5", "0.3"]),
        (r"$\frac46+\dfrac{12}{7}$", ["12"]),
        (r"below $10^{-6}$ or $3.5\cdot10^{12}$, not $2^{53}$", ["10^{-6}", "3.5     10^{12}", "53"]),
    ],
)
def test_numbers_of_a_text(words, read):
    assert [number.written for number in numbers(prose(text(words)))] == read


@pytest.mark.parametrize(
    ("words", "entry", "value"),
    [
        ("RR errs by 0.31", "run-1.out.0", 0.314),
        ("RR errs by 31 %", "100 * run-1.out.0", 31.4),
        ("half of 2,000 workers: 1,000", "run-1.in.0", 2000),
        ("twice as much as 0.159, or 0.16", "run-1.out.1", 0.159),
    ],
)
def test_bind_finds_the_number_that_is_meant(words, entry, value):
    cells = [text(words), copy.deepcopy(RUN)]
    assert bind(cells)
    assert entries(cells[0])[0] == entry
    assert evaluate(entry, shown_numbers(cells)) == pytest.approx(value)
    assert faults(cells) == []
    assert bind(cells) == []


def test_a_difference_may_be_an_entry():
    cells = [text("They differ by 0.155 of 0.314", "run-1.out.0 - run-1.out.1", "run-1.out.0"), RUN]
    assert faults(cells) == []


def test_kept_run_setting_may_be_an_entry():
    loads = code('kept = stored("ratio-coverage")')
    right, wrong = (text(f"a share of {x}", "ratio-coverage._TOWN.2") for x in (0.55, 0.56))
    assert faults([right, loads]) == []
    assert len(faults([wrong, loads])) == 1
    assert "no cell shows ratio-coverage" in faults([right, RUN])[0]


def test_entries_are_kept_where_words_are_added():
    cells = [text("RR errs by 0.31", "run-1.out.0"), copy.deepcopy(RUN)]
    cells[0]["source"] = "Of 36 tasks, RR errs by 0.31"
    (line, _) = bind(cells)
    assert "[36]" in line
    assert entries(cells[0]) == ["run-1.out.2", "run-1.out.0"]


def test_failed_entry_is_searched_at_its_place():
    """An additional number in the output moves the others, and the nearest match may be a wrong one."""
    longer = code(RUN["source"], {"name": "stdout", "text": "of 36: RR 0.314, LP 0.159\nlater 0.31\n"})
    cells = [text("RR errs by 0.31 of 36", "run-1.out.0", "run-1.out.2"), longer]
    bind(cells)
    assert entries(cells[0]) == ["run-1.out.3", "run-1.out.0"]


@pytest.mark.parametrize(
    ("words", "bound", "told"),
    [
        ("RR errs by 0.32", ["run-1.out.0"], "is 0.314"),
        ("RR errs by 0.16", ["run-1.out.0"], "is 0.314"),  # it occurs on the page, for LP
        ("RR errs by 0.31 of 36", ["run-1.out.0"], "no entry"),
        ("RR errs", ["run-1.out.0"], "too many"),
        ("RR errs by 0.31", ["run-1.out.9"], "no cell shows run-1.out.9"),
        ("RR errs by 0.3140", ["run-1.out.0"], "fewer digits"),
        ("RR errs by 0.25", ["1 / 4"], "no cell shows 1 / 4"),
        ("below $10^{-3}$", ["run-1.out.0"], "is 0.314"),
        (r"$2\cdot10^{3}$", ["run-1.in.1"], "is 0.5"),
    ],
)
def test_faults_are_reported(words, bound, told):
    (fault,) = faults([text(words, *bound), RUN])
    assert told in fault


def test_moved_output_is_reported():
    moved = code(RUN["source"], {"name": "stdout", "text": "RR 0.324\nLP 0.159 of 36\n"})
    assert faults([text("RR errs by 0.31", "run-1.out.0"), RUN]) == []
    assert len(faults([text("RR errs by 0.31", "run-1.out.0"), moved])) == 1
