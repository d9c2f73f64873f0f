"""A survey by thresholds from answers to truths, through files: seconds and memory of each step.

``python tests/benchmarks/scale.py 100_000_000`` in a process of its own, so that the peak of its memory is
this survey's. Reports go to a temporary folder (TMPDIR) and are deleted; a billion take about a fifth
of a gigabyte. Answers are the workers' own, so drawing them, block by block, is timed separately.
"""

import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np

from ldpbook import ThresholdResponse
from ldpbook.practice import ReportPlan, count_reports, write_reports
from ldpbook.remedies import infer_from_counts, question_thresholds

DOMAIN, N_TASKS, BLOCK, DENSITY = range(10), 200, 10_000, 0.3
PLAN = ReportPlan(ThresholdResponse(1.0), DOMAIN, N_TASKS)


def drawn(truth: np.ndarray, n_workers: int, rng: np.random.Generator) -> np.ndarray:
    """Answers of some workers, three in ten of them to each task, with errors of standard deviation 1.5."""
    answers = rng.standard_normal((n_workers, N_TASKS))
    answers *= 1.5
    answers += truth
    np.clip(np.rint(answers, out=answers), DOMAIN[0], DOMAIN[-1], out=answers)
    answers[rng.random(answers.shape, dtype=np.float32) > DENSITY] = np.nan
    return answers


def survey(n_reports: int, folder: Path) -> dict[str, float]:
    """Seconds of each step by the clock, with two threads, and the results of the survey."""
    n_workers = n_reports // N_TASKS
    truth = np.random.default_rng(0).normal(4.5, 1.5, N_TASKS).clip(1, 8)
    turns = np.add.outer(np.arange(BLOCK), np.arange(N_TASKS)) % (len(DOMAIN) - 1)
    asked = question_thresholds(DOMAIN)[turns]
    in_drawing, files = [0.0, 0.0], [folder / f"{a:010}.parquet" for a in range(0, n_workers, BLOCK)]

    def store(share: int) -> None:
        """Draw and store every second block."""
        for k in range(share, len(files), 2):
            start = time.thread_time()
            size = min(BLOCK, n_workers - k * BLOCK)
            rng = np.random.default_rng([1, k])
            answers = drawn(truth, size, rng)
            in_drawing[share] += time.thread_time() - start
            given = {"thresholds": asked[:size], "rng": rng}
            write_reports(files[k], answers, PLAN, first_worker=k * BLOCK, **given)

    worked, start = time.process_time(), time.perf_counter()
    with ThreadPoolExecutor(2) as pool:
        list(pool.map(store, range(2)))
    stored = time.perf_counter()
    counts = count_reports(files, PLAN).counts
    counted, worked = time.perf_counter(), time.process_time() - worked - sum(in_drawing)
    found = infer_from_counts(counts, epsilon=1.0, domain=DOMAIN)
    inferred = time.perf_counter()
    drawing = sum(in_drawing) / 2
    return {
        "reports": float(counts.sum()),
        "drawing answers": drawing,
        "perturbing and storing": stored - start - drawing,
        "counting": counted - stored,
        "inferring": inferred - counted,
        "processor": worked,
        "bytes": float(sum(file.stat().st_size for file in files)),
        "error": float(np.abs(found.truth - truth).mean()),
        "peak": peak_memory(),
    }


def peak_memory() -> float:
    """Bytes of memory that this process held at most, without those of the process that started it."""
    status = Path("/proc/self/status")
    if status.exists():
        return 1024.0 * int(status.read_text().partition("VmHWM:")[2].split()[0])
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024.0


def measured(n_reports: int) -> dict[str, float]:
    """What `survey` returns, in a fresh process."""
    command = [sys.executable, __file__, str(n_reports), "--json"]
    ran = subprocess.run(command, capture_output=True, text=True, check=True)
    found: dict[str, float] = json.loads(ran.stdout)
    return found


def main() -> None:
    n_reports = int(sys.argv[1])
    with tempfile.TemporaryDirectory() as folder:
        survey(10 * N_TASKS, Path(folder))  # imports of the engines are no cost of a report
    with tempfile.TemporaryDirectory() as folder:
        found = survey(n_reports, Path(folder))
    if "--json" in sys.argv:
        print(json.dumps(found))
        return
    print(f"{found['reports']:,.0f} reports, load {os.getloadavg()[0]:.1f} on {os.cpu_count()} processors")
    for step in ("drawing answers", "perturbing and storing", "counting", "inferring"):
        print(f"{step}: {found[step]:.1f} s, {1e9 * found[step] / n_reports:.1f} ns a report")
    share = 1e9 * found["processor"] / n_reports
    print(f"all but drawing and inferring: {share:.1f} ns of a processor a report")
    print(f"{found['bytes'] / n_reports:.3f} bytes a report, peak memory {found['peak'] / 1e6:.0f} MB")
    print(f"mean absolute error of the truths {found['error']:.4f}")


if __name__ == "__main__":
    main()
