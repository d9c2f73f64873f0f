"""Laplace perturbation of Ann's row: after the fill and the noise, a hole looks like an answer."""

import numpy as np

from ldp_sphinx.play import Parts, Play, State, heads, row, signed
from ldpbook.foundations.bounds import highest_belief, lowest_belief
from ldpbook.sparse_answers import LaplacePerturbation, laplace_noise

ROW = [3, None, 9, None]
DOMAIN = range(10)
SEED = 741


def start() -> State:
    """The fills and the noise, of scale 1, that the mechanism draws from this seed."""
    rng = np.random.default_rng(SEED)
    fills = iter(rng.integers(0, 9, ROW.count(None), endpoint=True).tolist())
    noise = laplace_noise(1.0, (len(ROW),), rng)
    return {
        "epsilon": 1,
        "filled": True,
        "fills": [next(fills) if cell is None else cell for cell in ROW],
        "noise": noise.tolist(),
    }


def beliefs(lp: LaplacePerturbation, sent: float) -> tuple[float, float]:
    """The smallest and the largest belief in a hole, from even odds, over the answers it is compared with."""
    against = [np.exp(lp.log_density(sent, x) - lp.log_density(sent, np.nan)) for x in DOMAIN]
    return 1 / (1 + max(against)), 1 / (1 + min(against))


def parts(state: State) -> Parts:
    lp = LaplacePerturbation(state["epsilon"], DOMAIN)
    shown: Parts = {}
    for j, cell in enumerate(ROW):
        hole = cell is None
        shown[f"held{j}"] = ("NULL", "hole") if hole else str(cell)
        noise = lp.scale * state["noise"][j]
        if hole and not state["filled"]:
            shown |= {f"{name}{j}": ("NULL", "hole") for name in ("filled", "sent")}
            shown |= {f"noise{j}": "", f"belief{j}": "1"}
            continue
        filled, sent = state["fills"][j], state["fills"][j] + noise
        low, high = beliefs(lp, sent)
        shown[f"filled{j}"] = (str(filled), "new") if hole else str(filled)
        shown[f"noise{j}"] = ("+" if noise >= 0 else "") + signed(noise, 1)
        shown[f"sent{j}"] = signed(sent, 1)
        shown[f"belief{j}"] = f"{low:.2f} to {high:.2f}" if state["filled"] else "0"
    exact = lp.exact_epsilon
    low, high = (bound(prior=0.5, epsilon=exact) for bound in (lowest_belief, highest_belief))
    shown["point"] = (
        f"No output can move Ken’s belief in a hole from 0.5 to below {low:.2f} or above {high:.2f}:"
        f" the exact epsilon of a cell is {exact:.2f}."
        if state["filled"]
        else "Noise alone hides no hole: Ken finds Ann by her two NULLs."
    )
    return shown


COLUMNS = range(len(ROW))
PLAY = Play(
    color="LP",
    title="Laplace perturbation of Ann’s row",
    steps=5,
    start=start(),
    parts=parts,
    rows=heads("", *(f"task {j + 1}" for j in COLUMNS))
    + row("her answers", *(f"{{held{j}}}" for j in COLUMNS))
    + row("filled", *(f"{{filled{j}}}" for j in COLUMNS), step=2)
    + row("noise", *(f"{{noise{j}}}" for j in COLUMNS), step=3)
    + row("sent", *(f"{{sent{j}}}" for j in COLUMNS), step=4).replace("<tr", '<tr class="play-leaves"')
    + row("Ken’s belief in a hole", *(f"{{belief{j}}}" for j in COLUMNS), step=5),
    caption="Only the first row below the dashed line leaves the phone. Ken compares a hole with each of the"
    " ten ratings, starting from even odds. The last row shows his smallest and his largest belief.",
)
