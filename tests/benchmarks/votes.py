"""Labels as many as in crowd-kit's largest data, perturbed and decoded; crowd-kit on the same labels.

``python tests/benchmarks/votes.py majority large 3`` prints the best time of three in seconds of
processor time, and the peak of memory of that process in gigabytes.
"""

import json
import subprocess
import sys
import time
from collections.abc import Callable

import numpy as np
import pandas as pd
from scale import peak_memory

SIZES = {"large": (475_000, 7_000, 99_000), "middle": (50_000, 1_000, 10_000), "small": (5_000, 100, 1_000)}
CHOICES = ["no", "yes"]
STEPS = 10  # of Dawid and Skene's iteration, for both


def labels(size: str) -> pd.DataFrame:
    """Labels in a number of this size, of workers and tasks; four in five are right."""
    n_labels, n_workers, n_tasks = SIZES[size]
    rng = np.random.default_rng(0)
    cell = rng.permutation(np.unique(rng.integers(0, n_workers * n_tasks, 2 * n_labels)))[:n_labels]
    worker, task = np.divmod(cell, n_tasks)
    truth = rng.integers(0, 2, n_tasks)
    wrong = rng.random(n_labels) < 0.2
    names = [np.array([f"{letter}{k}" for k in range(n)]) for letter, n in (("w", n_workers), ("t", n_tasks))]
    named = {"worker": names[0][worker], "task": names[1][task]}
    return pd.DataFrame(named | {"label": np.array(CHOICES)[truth[task] ^ wrong]})


def call(what: str, given: pd.DataFrame) -> Callable[[], object]:
    """A function to be timed; what it needs is imported beforehand."""
    if what.startswith("crowd-kit"):
        from crowdkit.aggregation import DawidSkene, MajorityVote

        majority = what.endswith("majority")
        return lambda: (MajorityVote() if majority else DawidSkene(STEPS, tol=0)).fit_predict(given)
    from ldpbook import OneLayerFlip, infer_truth
    from ldpbook.categorical_answers import dawid_skene, decode_choices, majority_vote, weighted_vote

    flip = OneLayerFlip.with_probability(0.2, CHOICES)
    numbers = given.rename(columns={"label": "answer"}).assign(answer=given["label"].eq("yes").astype(float))
    return {
        "perturb": lambda: flip.perturb(given),
        "majority": lambda: majority_vote(given, CHOICES),
        "weighted": lambda: weighted_vote(given, CHOICES),
        "dawid-skene": lambda: dawid_skene(given, CHOICES, max_iter=STEPS, tol=0),
        "decode, three steps": lambda: decode_choices(given, flip, max_iter=3),
        "truth": lambda: infer_truth(numbers),
    }[what]


def measured(what: str, size: str = "large", runs: int = 3) -> tuple[float, float]:
    """Seconds of processor time and gigabytes of a fresh process."""
    command = [sys.executable, __file__, what, size, str(runs)]
    ran = subprocess.run(command, capture_output=True, text=True, check=True)
    seconds, peak = json.loads(ran.stdout)
    return seconds, peak


def main() -> None:
    what, size, runs = sys.argv[1], sys.argv[2], int(sys.argv[3])
    function, times = call(what, labels(size)), []
    for _ in range(runs):
        start = time.process_time()
        function()
        times.append(time.process_time() - start)
    print(json.dumps([min(times), peak_memory() / 1e9]))


if __name__ == "__main__":
    main()
