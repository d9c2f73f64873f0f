"""Two layers, read by a curator: the more answers a worker gives, the better her flips are known."""

import numpy as np
from scipy.special import beta, betainc

from ldp_sphinx.play import Parts, Play, State, heads, row
from ldpbook.categorical_answers import two_layer_epsilon
from ldpbook.foundations.bounds import highest_belief

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


def belief(flips: int, known: int, high: float) -> tuple[float, float]:
    """Mean and standard deviation of a flip probability, given how many of the known answers it flipped."""
    total, first, second = (weight(flips + power, known - flips, high) for power in range(3))
    return first / total, float(np.sqrt(second / total - (first / total) ** 2))


def parts(state: State) -> Parts:
    high, step = state["high"], state["step"]
    shown: Parts = {}
    for i, person in enumerate(PEOPLE):
        p = state["drawn"][i] * high
        flips = [u < p for u in state["uniforms"][i]]
        mean, spread = belief(sum(flips[: step - 1]), step - 1, high)
        shown[f"who{i}"] = f"{person}, {p:.2f}"
        shown |= {f"sent{i}_{j}": ("0", "new") if flips[j] else "1" for j in range(ANSWERS)}
        shown[f"mean{i}"] = f"{mean:.2f} ± {spread:.2f}"
        shown[f"true{i}"], shown[f"truebar{i}"] = f"{1 - mean:.3f}", 1 - mean
    one, now = (two_layer_epsilon(0, high, 2, k) for k in (1, step))
    right_once, right = (highest_belief(prior=0.5, epsilon=epsilon) for epsilon in (one, now))
    answers = "1 answer" if step == 1 else f"{step} answers"
    shown["point"] = (
        f"With {answers} the epsilon of a cell is {now:.2f}: starting from even odds, the curator is right"
        f" about it with probability {right:.3f} at most. For a single answer these are"
        f" {one:.2f} and {right_once:.3f}."
    )
    return shown


PLAY = Play(
    color="two layers",
    title="Three flip probabilities, guessed from reports",
    steps=ANSWERS,
    start=start(),
    parts=parts,
    rows=heads("drew", "sent", "guess of <i>p</i>", "belief in the last report")
    + "".join(
        row(
            f"{{who{i}}}",
            "".join(f'<span data-step="{j + 1}">{{sent{i}_{j}}}</span>' for j in range(ANSWERS)),
            f"{{mean{i}}}",
            f"{{true{i}}}{{truebar{i}}}",
        )
        for i in range(len(PEOPLE))
    ),
    caption="All answers are 1, so a 0 is a flip. The curator knows the interval and all answers but the"
    " last, about which it starts from even odds. Its guess of a flip probability <i>p</i> is shown with its"
    " standard deviation.",
)
