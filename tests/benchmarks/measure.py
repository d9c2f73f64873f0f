"""Speed and memory, as ratios within one run; prints the book's page of benchmarks.

Run by ``make bench``. Each time is the best of several runs, so that what else the machine
does counts least. Exits with 1 if a promise is not kept.
"""

import platform
import sys
import time
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path

import numpy as np
import pandas as pd
from crowdkit.aggregation import MajorityVote

from ldpbook import LaplacePerturbation, MatrixFactorization, RandomizedResponse
from ldpbook.datasets import synthetic_crowd
from ldpbook.matrix_factorization import random_profile
from ldpbook.truth import infer_truth

CELLS = (10_000, 1_000)
PAGE = Path(__file__).resolve().parents[2] / "book" / "reference" / "benchmarks.md"


def best(function: Callable[[], object], runs: int = 5) -> float:
    times = []
    for _ in range(runs):
        start = time.perf_counter()
        function()
        times.append(time.perf_counter() - start)
    return min(times)


def perturbation_rows() -> list[tuple[str, float, float]]:
    rng = np.random.default_rng(0)
    answers = synthetic_crowd(*CELLS, density=0.5, rng=rng).answers
    base = best(lambda: rng.random(answers.size))
    rows = []
    for name, mechanism, limit in [
        ("RR, 10^7 cells", RandomizedResponse(1.0, range(10)), 6.0),
        ("LP, 10^7 cells", LaplacePerturbation(1.0, range(10)), 8.0),
    ]:
        spent = best(lambda mechanism=mechanism: mechanism.perturb(answers, rng))
        rows.append((f"{name}, against 10^7 uniform draws", spent / base, limit))
    return rows


def truth_row() -> tuple[str, float, float]:
    rng = np.random.default_rng(1)
    cells = rng.choice(5_000 * 20_000, 1_000_000, replace=False)
    tidy = pd.DataFrame({"worker": cells // 20_000, "task": cells % 20_000})
    tidy["answer"] = rng.integers(0, 10, len(tidy)).astype(float)
    ours = best(lambda: infer_truth(tidy, max_iter=20, tol=0), runs=3)
    labels = tidy.rename(columns={"answer": "label"})
    theirs = best(lambda: MajorityVote().fit_predict(labels), runs=3)
    return (
        "truth inference, 10^6 answers, 20 iterations, against crowd-kit's MajorityVote",
        ours / theirs,
        1.0,
    )


def peak_memory_row() -> tuple[str, float, float]:
    """Peak resident memory of a fresh process that runs everything on 825 x 11,040."""
    import resource
    import subprocess

    if "--memory" not in sys.argv:
        run = subprocess.run(
            [sys.executable, __file__, "--memory"], capture_output=True, text=True, check=True
        )
        return ("LP, RR, MF and truth inference on 825 x 11,040: peak memory in GB", float(run.stdout), 1.5)
    answers = synthetic_crowd(825, 11_040, density=0.0099, rng=0).answers
    profile = random_profile(10, 11_040, 0)
    for mechanism in (
        LaplacePerturbation(1.0, range(10)),
        RandomizedResponse(1.0, range(10)),
        MatrixFactorization(1.0, range(10), profile, ridge=1.0),
    ):
        infer_truth(mechanism.perturb(answers, 0))
    print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 / 1e9)
    sys.exit()


def page(rows: list[tuple[str, float, float]]) -> str:
    used = ", ".join(f"{name} {version(name)}" for name in ("numpy", "scipy", "pandas", "crowd-kit"))
    lines = [
        "<!-- Written by `make bench`. -->",
        "# Benchmarks",
        "",
        "Times are ratios within one run, so that they mean the same on another machine; memory is the"
        " peak of a fresh process. Rerun them with `make bench`, which rewrites this page and fails if a"
        " promise is not kept. They are no part of `make test`.",
        "",
        "| what | measured | promised at most |",
        "| --- | ---: | ---: |",
        *(f"| {what} | {value:.2f} | {limit:g} |" for what, value, limit in rows),
        "",
        f"Measured with Python {platform.python_version()}, {used}.",
    ]
    return "\n".join(lines) + "\n"


def main() -> None:
    memory = peak_memory_row()
    print("perturbation ...", file=sys.stderr)
    rows = perturbation_rows()
    print("truth inference ...", file=sys.stderr)
    rows += [truth_row(), memory]
    text = page(rows)
    print(text)
    PAGE.write_text(text, encoding="utf-8")
    broken = [what for what, value, limit in rows if value > limit]
    if broken:
        sys.exit(f"promises not kept: {'; '.join(broken)}")


if __name__ == "__main__":
    main()
