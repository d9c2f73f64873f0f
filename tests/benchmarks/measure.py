"""Speed and memory, as ratios within one run; prints the book's page of benchmarks.

Run by ``make bench``, which builds the pages that Chromium opens here. Each time is the best of
several runs, so that other work on the machine counts little. Exits with 1 if a promise is not kept.
"""

import os
import platform
import sys
import time
import tracemalloc
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path

import numpy as np

from ldpbook._exact import ResponseTable
from ldpbook.categorical_answers.trade_off import error_rate_changes, layers_at
from ldpbook.class_ratios.mean_embeddings import mean_kernels
from ldpbook.datasets.real import load_lecture_ratings
from ldpbook.datasets.synthetic import simulate_duchenne, synthetic_crowd
from ldpbook.foundations.answers import to_matrix
from ldpbook.foundations.truth_inference import infer_truth
from ldpbook.localization.encrypted_inference import BlindServer, LocalizingUser, make_keys
from ldpbook.remedies import AnswerLaw, best_information, infer_with_thresholds
from ldpbook.sparse_answers.laplace import LaplacePerturbation
from ldpbook.sparse_answers.matrix_factorization import MatrixFactorization, random_profile
from ldpbook.sparse_answers.randomized_response import RandomizedResponse
from ldpbook.whole_worker import link_rows, shuffle_epsilon

ROOT = Path(__file__).resolve().parents[2]
sys.path += [str(ROOT / "book" / "_ext"), str(Path(__file__).parent)]
from scale import measured, peak_memory  # noqa: E402
from serve import browsing, serving  # noqa: E402
from votes import SIZES, measured as votes  # noqa: E402

CELLS = (10_000, 1_000)
HTML = ROOT / "_build" / "html"
PAGE = ROOT / "book" / "reference" / "benchmarks.md"


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


def vote_rows() -> list[tuple[str, float, float]]:
    """Votes and decoders on labels of three sizes, against crowd-kit's, each in a process of its own."""
    rows = []
    for size, (n_labels, n_workers, n_tasks) in SIZES.items():
        shape = f"{n_labels:,} labels, {n_workers:,} x {n_tasks:,}"
        for what, name, limit in [("majority", "MajorityVote", 1.0), ("dawid-skene", "DawidSkene", 0.1)]:
            ratio = votes(what, size)[0] / votes(f"crowd-kit {what}", size)[0]
            rows.append((f"{what}, {shape}, against crowd-kit's {name}", ratio, limit))
    for what in ("perturb", "majority", "weighted", "dawid-skene", "decode, three steps", "truth"):
        rows.append((f"{what}, 475,000 labels: peak memory in GB", votes(what, runs=1)[1], 0.5))
    return rows


def peak_memory_row() -> tuple[str, float, float]:
    """Peak resident memory of a fresh process that runs everything on 825 x 11,040."""
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
    print(peak_memory() / 1e9)
    sys.exit()


def election_row() -> tuple[str, float, float]:
    """The source's comparison on a crowd of the Duchenne data's size."""
    crowd = simulate_duchenne(1)
    flips = {(e, name): flip for e in np.linspace(0, 1, 13) for name, flip in layers_at(e, 2).items()}
    setting = {"choices": 2, "n_trials": 100, "rng": 0, "scored": crowd.scored}
    spent = best(
        lambda: error_rate_changes(crowd.answers, crowd.truth[crowd.scored], flips, **setting), runs=1
    )
    return ("13 epsilons x 2 layers x 2 votes x 100 trials on 64 x 2,134: seconds", spent, 60.0)


def encryption_rows(n_particles: int, n_neighbours: int) -> list[tuple[str, float, float]]:
    """One encrypted update of one user, keys of 2,048 bits."""
    public, secret = make_keys()
    clouds = np.random.default_rng(0).uniform(0, 100, (n_neighbours + 1, n_particles, 2))
    even = np.full(n_particles, -np.log(n_particles))
    user = LocalizingUser(even, dict.fromkeys(range(1, n_neighbours + 1), 20.0), secret)
    others = [LocalizingUser(even, {0: 20.0}, secret) for _ in range(n_neighbours)]
    server, reports = BlindServer(public, 2.0), [u.report() for u in (user, *others)]
    told = [
        other.messages(cloud, clouds[0], 0, public=public, sigma=2.0)
        for other, cloud in zip(others, clouds[1:], strict=True)
    ]
    answer = server.add(told)
    steps = {
        "a user's report": user.report,
        "server, sums drawn together": lambda: server.combine(0, clouds, reports),
        "a neighbour's messages": lambda: others[0].messages(
            clouds[1], clouds[0], 0, public=public, sigma=2.0
        ),
        "server, adding messages": lambda: server.add(told),
        "a user's decryptions": lambda: user.update(answer),
    }
    size = f"R = {n_particles}, K = {n_neighbours}"
    return [(f"{size}: {name}, seconds", best(step, 2), 20.0) for name, step in steps.items()]


def embedding_rows() -> list[tuple[str, float, float]]:
    """Ten sets of 3,000 images of 784 pixels: all mean kernels, and the most memory that they held."""
    rng = np.random.default_rng(0)
    sets = [rng.random((3000, 784)) for _ in range(10)]
    tracemalloc.start()
    spent = best(lambda: mean_kernels(sets, sets, [8.0]), runs=1)
    held = tracemalloc.get_traced_memory()[1] / 1e6
    tracemalloc.stop()
    what = "mean kernels of 10 sets of 3,000 x 784"
    return [(f"{what}: seconds", spent, 60.0), (f"{what}: MB held beside the sets", held, 500.0)]


INTERACTIVE = """() => Math.max(
  performance.getEntriesByType('navigation')[0].loadEventEnd,
  ...window.longTasks.map((task) => task.startTime + task.duration)
)"""
PAINTED = "() => performance.getEntriesByName('first-contentful-paint')[0].startTime"
# The first page, a chapter, the longest chapter, the ledger.
OPENED = ["index", "sparse-answers/laplace", "remedies/known-channel", "reference/claims"]
# A move is over when its numbers are shown, an answer when it is judged. Python works in a worker, which
# Chromium's slowing may not reach: both are measured at full speed, and count four times.
SLOWED = 4
SHOWN = """(element, act, attributes) => new Promise((done) => {
  const start = performance.now();
  const watch = new MutationObserver(() => { watch.disconnect(); done(performance.now() - start); });
  watch.observe(element, attributes);
  act();
})"""
MOVE = f"""async (panel) => {{
  const shown = {SHOWN};
  const [input, values] = [panel.querySelector('input'), panel.querySelector('output')];
  let spent = 0;
  for (let k = 0; k < 20; k++) {{
    spent += await shown(values, () => input.dispatchEvent(new Event('input')), {{ childList: true }});
    await new Promise(requestAnimationFrame);
  }}
  return spent / 20;
}}"""
CHECK = f"""async (field) => {{
  const shown = {SHOWN};
  const [button, said] = [field.querySelector('.field-check'), field.querySelector('.field-said')];
  return shown(said, () => button.click(), {{ childList: true }});
}}"""
CHOICE = """() => {
  const input = document.querySelector('.chooser [name=people]');
  input.value = input.value === '300' ? 200000 : 300;
  const start = performance.now();
  input.dispatchEvent(new Event('input', { bubbles: true }));
  return performance.now() - start;
}"""
# Answers to check: a number, a function, and the one whose solution takes longest.
ANSWERS = [
    ("sparse-answers/laplace", "ex-lp-fill", "4"),
    (
        "foundations/truth-inference",
        "ex-truth-ratio",
        "lambda p, r: (p + (1 - p) / r**2) / (p + (1 - p) / r) ** 2",
    ),
    ("foundations/randomness", "ex-random-correlated", "4.586"),
]


def survey_rows() -> list[tuple[str, float, float]]:
    """A survey by thresholds end to end, with its memory, and the program of the best mechanism."""
    crowd = synthetic_crowd(20_000, 200, density=0.1, truth_mean=4.5, rng=6)
    spent = best(lambda: infer_with_thresholds(crowd.answers, epsilon=1.0, domain=range(10), rng=6), runs=2)
    tracemalloc.start()
    infer_with_thresholds(crowd.answers, epsilon=1.0, domain=range(10), rng=6)
    held = (tracemalloc.get_traced_memory()[1] - crowd.answers.nbytes) / 1e6
    tracemalloc.stop()
    law = AnswerLaw(range(10), sigmas=(1.0, 5.0), shares=(0.5, 0.5), density=0.1)
    program = best(lambda: best_information(law.at(4.3), law.slope(4.3), epsilon=1.0))
    return [
        ("survey by thresholds, 20,000 x 200, end to end: seconds", spent, 8.0),
        ("survey by thresholds, 20,000 x 200: MB beyond the reports", held, 250.0),
        ("best mechanism for eleven symbols: seconds", program, 2.0),
    ]


def worker_rows() -> list[tuple[str, float, float]]:
    """Shuffling a million reports, and finding each student again by her ratings."""
    mixed = {"local_epsilon": 2.0, "n_users": 10**6, "delta": 1e-8}
    ratings = to_matrix(load_lecture_ratings().answers)
    rr = RandomizedResponse(1.0, range(1, 6))

    def attack() -> object:
        reports = rr.perturb(ratings, 1)
        return link_rows(reports, ratings, domain=rr.domain, transition_matrix=rr.transition_matrix).right

    return [
        ("shuffle_epsilon, 10^6 users, any randomizer: seconds", best(lambda: shuffle_epsilon(**mixed)), 2),
        (
            "shuffle_epsilon, 10^6 users, three symbols: seconds",
            best(lambda: shuffle_epsilon(**mixed, n_symbols=3)),
            2,
        ),
        ("rows found again, 2,972 x 1,128: seconds", best(attack, runs=2), 30),
    ]


def page_rows() -> list[tuple[str, float, float]]:
    """The slowest chapter: when it is loaded and no task longer than 50 ms is left; and the slowest panel."""
    watch = "new PerformanceObserver((list) => window.longTasks.push(...list.getEntries()))"
    chapters = sorted((HTML / "lite" / "files" / "book").rglob("*.ipynb"))
    names = [str(path.relative_to(HTML / "lite" / "files").with_suffix(".html")) for path in chapters]
    with serving(HTML) as address, browsing() as browser:

        def seconds(name: str, until: str = INTERACTIVE) -> float:
            page = browser.new_page()
            page.add_init_script(
                f"window.longTasks = []; {watch}.observe({{ type: 'longtask', buffered: true }})"
            )
            page.context.new_cdp_session(page).send("Emulation.setCPUThrottlingRate", {"rate": SLOWED})
            page.goto(f"{address}/{name}", wait_until="load")
            page.wait_for_timeout(1500)
            found = page.evaluate(until) / 1000
            page.close()
            return found

        def milliseconds(name: str) -> float:
            page = browser.new_page()
            page.goto(f"{address}/{name}")
            panels = page.locator("section.live-panel").all()
            for panel in panels:
                panel.evaluate("panel => panel.closest('details.deeper')?.setAttribute('open', '')")
                panel.locator(".live-start").click()
                panel.locator("svg path").first.wait_for(state="attached", timeout=60_000)
            found = max(panel.evaluate(MOVE) for panel in panels)
            page.close()
            return SLOWED * found

        def milliseconds_of_an_answer(name: str, label: str, text: str) -> float:
            page = browser.new_page()
            page.goto(f"{address}/book/{name}.html")
            field = page.locator(f".answer-field[data-exercise={label}]")
            field.locator("textarea").fill(text)
            field.locator(".field-check").click()  # loads Python
            field.locator("[data-said=right]").wait_for(timeout=60_000)
            found = min(field.evaluate(CHECK) for _ in range(10))
            page.close()
            return SLOWED * found

        def milliseconds_of_a_choice() -> float:
            page = browser.new_page()
            page.goto(f"{address}/book/index.html")
            page.locator(".chooser-use strong").wait_for(timeout=60_000)
            found = min(page.evaluate(CHOICE) for _ in range(10))
            page.close()
            return SLOWED * found

        slowest = max(min(seconds(name) for _ in range(3)) for name in names)
        opened = [f"book/{name}.html" for name in OPENED]
        painted = max(min(seconds(name, PAINTED) for _ in range(3)) for name in opened)
        live = [name for name in names if "live-start" in (HTML / name).read_text(encoding="utf-8")]
        move = max(milliseconds(name) for name in live)
        answer = max(milliseconds_of_an_answer(*each) for each in ANSWERS)
        choice = milliseconds_of_a_choice()
    return [
        ("slowest chapter's page, processor slowed 4 times: seconds until interactive", slowest, 3.0),
        ("slowest of four pages, processor slowed 4 times: seconds until the first paint", painted, 1.5),
        ("slowest live panel, processor slowed 4 times: milliseconds per move of a slider", move, 100.0),
        ("three answers, processor slowed 4 times, Python loaded: slowest in milliseconds", answer, 200.0),
        ("chooser, processor slowed 4 times: milliseconds until another answer stands there", choice, 100.0),
    ]


def release_rows() -> list[tuple[str, float, float]]:
    """A report from whole numbers and the system's entropy, by this package and by OpenDP, against numpy."""
    import opendp.prelude as dp

    answers = np.random.default_rng(0).integers(0, 10, CELLS).astype(float)
    mechanism = RandomizedResponse(1.0, range(10))
    own = best(lambda: mechanism.perturb(answers)) / answers.size
    study = best(lambda: mechanism.perturb(answers, 0)) / answers.size
    table, symbols = ResponseTable.of(1.0, 11), answers.astype(np.intp)
    drawn = best(lambda: table.draw(symbols, os.urandom))
    base = best(lambda: os.urandom(2 * answers.size))
    dp.enable_features("contrib")
    response = dp.m.make_randomized_response(list(range(11)), prob=float(np.e / (np.e + 10)))
    few = [int(x) for x in answers.ravel()[:20_000]]
    one = best(lambda: [response(x) for x in few]) / len(few)
    return [
        ("RR drawn for release, 10^7 cells, against two bytes of os.urandom per cell", drawn / base, 2.0),
        ("RR for release, 10^7 cells, against RR for study", own / study, 3.0),
        ("RR for release, a thousand cells, against one call of OpenDP's response", 1000 * own / one, 10.0),
    ]


def scale_rows() -> list[tuple[str, float, float]]:
    """Surveys of 10^6 to 10^9 reports from answers to truths, through files."""
    found = {power: measured(10**power) for power in (6, 7, 8, 9)}
    share = {power: one["processor"] / one["reports"] for power, one in found.items()}
    beyond = [10**power * (share[power] - share[9]) for power in (6, 7)]  # files, first pages of memory
    whole = sum(found[8][step] for step in ("perturbing and storing", "counting", "inferring"))
    return [
        ("10^8 reports perturbed, stored, counted, read: seconds", whole, 60.0),
        ("the same: nanoseconds per counted report", 1e9 * found[8]["counting"] / found[8]["reports"], 100.0),
        ("the same: peak memory in GB", found[8]["peak"] / 1e9, 1.0),
        ("10^9 reports: peak memory in GB", found[9]["peak"] / 1e9, 1.0),
        (
            "processor time per report, 10^9 reports against the smaller of 10^7, 10^8",
            share[9] / min(share[7], share[8]),
            1.2,
        ),
        ("processor seconds of 10^6 or 10^7 reports beyond their share of 10^9", max(beyond), 0.3),
    ]


def page(rows: list[tuple[str, float, float]]) -> str:
    used = ", ".join(
        f"{name} {version(name)}"
        for name in (
            "numpy",
            "scipy",
            "pandas",
            "scikit-learn",
            "crowd-kit",
            "phe",
            "gmpy2",
            "duckdb",
            "opendp",
        )
    )
    lines = [
        "<!-- Written by `make bench`. -->",
        "# Benchmarks",
        "",
        "Most times are ratios within one run, so that they mean the same on another machine. Times in"
        " seconds are those of two cores of a server, with keys of 2,048 bits. Memory is the peak of a fresh"
        " process. `make bench` measures all values again, rewrites this page, and fails if a promise is"
        " not kept. It is not part of `make test`.",
        "",
        "| what is measured | value | promised limit |",
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
    rows += [*vote_rows(), memory]
    print("elections, encryption ...", file=sys.stderr)
    rows += [election_row()]
    for size in [(50, 5), (100, 5), (100, 10)]:
        rows += encryption_rows(*size)
    print("mean kernels ...", file=sys.stderr)
    rows += embedding_rows()
    print("surveys ...", file=sys.stderr)
    rows += survey_rows()
    print("whole workers ...", file=sys.stderr)
    rows += worker_rows()
    print("releases, a billion reports ...", file=sys.stderr)
    rows += release_rows()
    rows += scale_rows()
    print("pages ...", file=sys.stderr)
    rows += page_rows()
    text = page(rows)
    print(text)
    PAGE.write_text(text, encoding="utf-8")
    broken = [what for what, value, limit in rows if value > limit]
    if broken:
        sys.exit(f"promises not kept: {'; '.join(broken)}")


if __name__ == "__main__":
    main()
