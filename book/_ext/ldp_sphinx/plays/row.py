"""The attack on a row: six reports without names, weighed cell by cell by an attacker who knows Ann's row."""

import numpy as np

from ldp_sphinx.play import Parts, Play, State, heads, row
from ldpbook.sparse_answers import RandomizedResponse
from ldpbook.whole_worker import link_rate, link_rows

KNOWN = [5, 3, 4, 1, 2, 4]  # Ann's ratings; strangers have none for these lecturers
DOMAIN = range(1, 6)
REPORTS = "ABCDEF"
ANN, SEED = 3, 61


def start() -> State:
    """The place of Ann's report, and a uniform number for each cell."""
    uniforms = np.random.default_rng(SEED).random((len(REPORTS), len(KNOWN))).tolist()
    return {"epsilon": 1, "ann": ANN, "uniforms": uniforms, "step": len(KNOWN)}


def held(ann: int) -> np.ndarray:
    """What the cells of the six rows hold."""
    cells = np.full((len(REPORTS), len(KNOWN)), np.nan)
    cells[ann] = KNOWN
    return cells


def reports(state: State) -> np.ndarray:
    """Randomized response: the lowest uniforms forget their cell and draw one of all symbols."""
    drawn = np.array(state["uniforms"]) * (len(DOMAIN) + np.exp(state["epsilon"]))
    symbols = np.array([*DOMAIN, np.nan])
    forgotten = drawn < len(symbols)
    return np.where(forgotten, symbols[np.minimum(drawn, len(DOMAIN)).astype(int)], held(state["ann"]))


def times(weight: float) -> str:
    """A weight in print; below 1, as a fraction."""
    number = max(weight, 1 / weight)
    text = f"{number:,.0f}" if number >= 100 else f"{number:.1f}"
    return text if weight >= 1 else f"1/{text}"


def parts(state: State) -> Parts:
    rr = RandomizedResponse(state["epsilon"], DOMAIN)
    seen, step = reports(state), state["step"]
    channel = dict(domain=DOMAIN, transition_matrix=rr.transition_matrix)
    (log_odds,) = link_rows(seen[:, :step], [KNOWN[:step]], **channel).log_odds
    beliefs = np.exp(log_odds - log_odds.max())
    beliefs /= beliefs.sum()
    shown: Parts = {}
    for i, report in enumerate(seen):
        for j, cell in enumerate(report):
            look = "null" if np.isnan(cell) else "same" if cell == KNOWN[j] else ""
            shown[f"cell{i}{j}"] = ("·" if np.isnan(cell) else f"{cell:.0f}", look)
        shown[f"weight{i}"] = times(np.exp(log_odds[i]))
        shown[f"belief{i}"], shown[f"beliefbar{i}"] = f"{beliefs[i]:.3f}", float(beliefs[i])
    cells = "1 cell" if step == 1 else f"{step} cells"
    hers = REPORTS[state["ann"]]
    best = link_rate(n_cells=step, epsilon=state["epsilon"], n_users=len(REPORTS), n_symbols=len(DOMAIN) + 1)
    shown["point"] = (
        f"Report {hers} is Ann’s. After {cells} Ken believes so with probability {beliefs[state['ann']]:.3f}."
        f" Over all draws his best guess is right with probability {best:.3f}, a blind guess with 0.167."
    )
    return shown


COLUMNS = range(len(KNOWN))
PLAY = Play(
    color="worker",
    title="Six reports, one of them Ann’s",
    steps=len(KNOWN),
    start=start(),
    parts=parts,
    rows=heads("", *(f"task {j + 1}" for j in COLUMNS), "weight", "belief")
    + row("Ann", *(f'<span data-step="{j + 1}">{KNOWN[j]}</span>' for j in COLUMNS), "", "")
    + "".join(
        row(
            report,
            *(f'<span data-step="{j + 1}">{{cell{i}{j}}}</span>' for j in COLUMNS),
            f"{{weight{i}}}",
            f"{{belief{i}}}{{beliefbar{i}}}",
        )
        for i, report in enumerate(REPORTS)
    ),
    caption="Ken knows Ann’s ratings; strangers hold NULL (·) in these tasks. A cell that repeats her rating"
    " (underlined) multiplies the weight by <i>e<sup>ε</sup></i>, and NULL divides it by that. Any other"
    " rating changes nothing.",
)
