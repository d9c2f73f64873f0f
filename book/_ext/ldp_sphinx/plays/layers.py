"""Two layers, read by a curator: the more answers a worker gives, the better her flips are known."""

import numpy as np
from scipy.special import beta, betainc

from ldp_sphinx.play import Parts, Play, State, heads, row
from ldpbook.categorical_answers import two_layer_epsilon

PEOPLE = ("Ann", "Bob", "Cem")
DRAWN = (0.05, 0.5, 0.2)  # their flip probabilities
HIGH, ANSWERS, SEED = 0.6, 13, 236


def start() -> State:
    """Flip probabilities as shares of the interval, and a uniform number for each answer: low ones flip."""
    uniforms = np.random.default_rng(SEED).random((len(PEOPLE), ANSWERS)).round(4).tolist()
    return {"high": HIGH, "drawn": [p / HIGH for p in DRAWN], "uniforms": uniforms, "step": ANSWERS}


def weight(flips: int, kept: int, high: float) -> float:
    """Integral of p^flips (1 - p)^kept from 0 to high."""
    return float(beta(flips + 1, kept + 1) * betainc(flips + 1, kept + 1, high))


def parts(state: State) -> Parts:
    high, step = state["high"], state["step"]
    shown: Parts = {}
    for i, person in enumerate(PEOPLE):
        p = state["drawn"][i] * high
        flips = [u < p for u in state["uniforms"][i][:step]]
        d, before = sum(flips), sum(flips[:-1])
        mean = weight(d + 1, step - d, high) / weight(d, step - d, high)
        kept, flipped = weight(before, step - before, high), weight(before + 1, step - 1 - before, high)
        shown[f"who{i}"] = f"{person}, {p:.2f}"
        shown[f"sent{i}"] = "".join("0" if flip else "1" for flip in flips)
        shown[f"mean{i}"], shown[f"meanbar{i}"] = f"{mean:.2f}", mean
        shown[f"true{i}"], shown[f"truebar{i}"] = f"{kept / (kept + flipped):.3f}", kept / (kept + flipped)
    one, now = (two_layer_epsilon(0, high, 2, k) for k in (1, step))
    answers = "1 answer" if step == 1 else f"{step} answers"
    shown["point"] = (
        f"With {answers} the epsilon of a cell is {now:.2f}: starting from even odds, the curator is right"
        f" about it with probability {1 / (1 + np.exp(-now)):.3f} at most. For a single answer these are"
        f" {one:.2f} and {1 / (1 + np.exp(-one)):.3f}."
    )
    return shown


PLAY = Play(
    color="two layers",
    title="Three flip probabilities, guessed from reports",
    steps=ANSWERS,
    start=start(),
    parts=parts,
    rows=heads("drew", "sent", "curator’s mean of <i>p</i>", "belief in the last report")
    + "".join(
        row(f"{{who{i}}}", f"{{sent{i}}}", f"{{mean{i}}}{{meanbar{i}}}", f"{{true{i}}}{{truebar{i}}}")
        for i in range(len(PEOPLE))
    ),
    caption="All answers are 1, so a 0 is a flip. The curator knows the interval and all answers but the"
    " last. About the last it starts from even odds.",
)
