"""Decoding reports of randomized response: the histogram is biased, and inversion corrects it."""

import numpy as np

from ldp_sphinx.play import Parts, Play, State, heads, row, signed
from ldpbook.remedies.bounds import rr_share_kept
from ldpbook.sparse_answers import RandomizedResponse

SHARES = (0.02, 0.05, 0.08, 0.15, 0.20, 0.50)  # of the answers 0 to 4, and of NULL
SIZE = len(SHARES) - 1
WIDEST = 0.6  # the share that fills a bar
SEED = 6


def start() -> State:
    """How often each symbol is reported if the mechanism perturbs 5,000 cells."""
    epsilon, workers = 2, 5000
    rng = np.random.default_rng(SEED)
    cells = rng.choice([*range(SIZE), np.nan], size=(workers, 1), p=SHARES)
    reports = RandomizedResponse(epsilon, range(SIZE)).perturb(cells, rng)
    counts = [int((reports == y).sum()) for y in range(SIZE)]
    return {"epsilon": epsilon, "workers": workers, "counts": [*counts, workers - sum(counts)]}


def parts(state: State) -> Parts:
    matrix = RandomizedResponse(state["epsilon"], range(SIZE)).transition_matrix
    kept = matrix[0, 0] - matrix[0, 1]
    reported = np.array(state["counts"]) / state["workers"]
    decoded = np.linalg.solve(matrix.T, reported)
    error = np.sqrt(reported * (1 - reported) / state["workers"]) / kept
    shown: Parts = {}
    for y, share in enumerate(SHARES):
        shown[f"held{y}"], shown[f"heldbar{y}"] = f"{share:.2f}", share / WIDEST
        shown[f"seen{y}"], shown[f"seenbar{y}"] = f"{reported[y]:.3f}", min(1.0, float(reported[y]) / WIDEST)
        shown[f"found{y}"] = f"{signed(decoded[y], 3)} ± {error[y]:.3f}"
        shown[f"foundbar{y}"] = min(1.0, max(0.0, float(decoded[y]) / WIDEST))
    values, density = np.arange(SIZE), float(decoded[:-1].sum())
    mean = float(values @ decoded[:-1]) / density
    weights = np.append((values - mean) / density, 0.0)
    spread = float(weights**2 @ reported - (weights @ reported) ** 2)
    shown["heldmean"] = f"{values @ SHARES[:-1] / sum(SHARES[:-1]):.2f}"
    shown["seenmean"] = f"{values @ reported[:-1] / reported[:-1].sum():.2f}"
    shown["foundmean"] = f"{signed(mean, 2)} ± {np.sqrt(spread / state['workers']) / kept:.2f}"
    fraction = rr_share_kept(epsilon=state["epsilon"], domain_size=SIZE, density=1 - SHARES[-1])
    shown["point"] = (
        f"In the average of the reports, {fraction:.2f} of the distance from the middle, 2, is left, however"
        " many workers there are. The decoded shares are unbiased, and their errors fall with that number."
    )
    return shown


PLAY = Play(
    color="RR",
    title="A histogram under randomized response",
    steps=4,
    start=start(),
    parts=parts,
    rows=heads("answer", "held", '<span data-step="2">reported</span>', '<span data-step="3">decoded</span>')
    + "".join(
        row(
            str(y) if y < SIZE else "NULL",
            f"{{held{y}}}{{heldbar{y}}}",
            f'<div data-step="2">{{seen{y}}}{{seenbar{y}}}</div>',
            f'<div data-step="3">{{found{y}}}{{foundbar{y}}}</div>',
        )
        for y in range(SIZE + 1)
    )
    + row("mean answer", "{heldmean}", "{seenmean}", "{foundmean}", step=4),
    caption="Shares of the cells that hold each answer, of the reports, and as decoded, with their standard"
    " errors. The curator sees only the reports. A decoded share close to 0 may be negative.",
)
