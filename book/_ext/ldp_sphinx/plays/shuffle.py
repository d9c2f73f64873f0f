"""A shuffled crowd: what an attacker believes about Ann's answer with her name on the report, and without."""

import numpy as np
from scipy.stats import binom

from ldp_sphinx.play import Parts, Play, State, heads, row
from ldpbook.categorical_answers import OneLayerFlip
from ldpbook.whole_worker import shuffle_epsilon_closed_form

SEED, DELTA = 4, 1e-6


def start() -> State:
    """Reports of Ann, who holds 0, and of Bob and Cem, who hold 1 like all others; how many of all are 0."""
    epsilon, workers = 2, 10_000
    held = np.ones((workers, 1))
    held[0] = 0
    sent = OneLayerFlip(epsilon, choices=2).perturb(held, SEED)[:, 0].astype(int)
    return {
        "epsilon": epsilon,
        "workers": workers,
        "named": sent[:3].tolist(),
        "zeros": int((sent == 0).sum()),
    }


def parts(state: State) -> Parts:
    epsilon, n, zeros = state["epsilon"], state["workers"], state["zeros"]
    lie = OneLayerFlip(epsilon, choices=2).flip_probability
    keep = 1 - lie
    named = keep if state["named"][0] == 0 else lie
    ways = binom.logpmf([zeros - 1, zeros], n - 1, lie)  # zeros of the others, if hers is a 0 or a 1
    hers, not_hers = np.exp(ways - ways.max())
    counted = float((keep * hers + lie * not_hers) / (hers + not_hers))
    counts = np.arange(n + 1)
    hers, not_hers = binom.pmf(counts - 1, n - 1, lie), binom.pmf(counts, n - 1, lie)
    right = float(1 + (keep - lie) * np.abs(hers - not_hers).sum() / 2) / 2
    central = shuffle_epsilon_closed_form(local_epsilon=epsilon, n_users=n, delta=DELTA)
    ann, bob, cem = state["named"]
    shown: Parts = {
        "names": f"Ann {ann}, Bob {bob}, Cem {cem}" + (f", and {n - 3:,} others" if n > 3 else ""),
        "mixed": f"{zeros:,} say 0, {n - zeros:,} say 1",
        "named": f"{named:.3f}",
        "namedbar": float(named),
        "counted": f"{counted:.3f}",
        "countedbar": counted,
        "rightnamed": f"{keep:.3f}",
        "rightnamedbar": float(keep),
        "rightcounted": f"{right:.3f}",
        "rightcountedbar": right,
        "local": f"{epsilon:.2f}",
        "central": f"{central:.2f}",
    }
    shown["point"] = (
        f"One of {n:,} reports without names: Ken guesses Ann’s answer rightly with probability {right:.3f},"
        f" against {keep:.3f} if her name is on it."
        + (" The crowd is too small for the closed form, so her epsilon stays." if central == epsilon else "")
    )
    return shown


PLAY = Play(
    color="shuffled",
    title="Ann’s report, with her name and in a crowd",
    steps=4,
    start=start(),
    parts=parts,
    rows=heads("", "with names", '<span data-step="2">names taken off</span>')
    + row("reports", "{names}", '<span data-step="2">{mixed}</span>')
    + row("Ken’s belief that Ann holds 0", "{named}{namedbar}", "{counted}{countedbar}", step=3)
    + row(
        "his guess is right with probability",
        "{rightnamed}{rightnamedbar}",
        "{rightcounted}{rightcountedbar}",
        step=3,
    )
    + row("epsilon of her report", "{local}", "{central}", step=4),
    caption="Ann holds 0, and all others hold 1. Ken knows about the others, and starts from even odds about"
    " Ann. Without names he can only count. The central epsilon is that of the closed form, at a delta of"
    " 10<sup>−6</sup>.",
)
