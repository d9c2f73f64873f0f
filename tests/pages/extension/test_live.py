"""Live panels call existing functions, and a wrong name is reported with its place."""

import inspect
import itertools
import json
import subprocess
import sys
from math import isfinite, log10
from random import Random

import pytest
from bs4 import BeautifulSoup
from docutils.core import publish_doctree
from docutils.parsers.rst import directives
from docutils.utils import SystemMessage
from ldp_browser import panels
from ldp_sphinx import live
from toc import CHAPTERS, ROOT

PANELS = live.read_panels(live.PANELS)
NOTEBOOKS = {
    chapter: json.loads((ROOT / f"{chapter}.ipynb").read_text(encoding="utf-8")) for chapter in CHAPTERS
}
CHAPTER_OF = {
    line.removeprefix("```{live} ").strip(): chapter
    for chapter, notebook in NOTEBOOKS.items()
    for cell in notebook["cells"]
    for line in cell["source"]
    if line.startswith("```{live} ")
}
# Opening numbers of panels that a cell of their chapter prints; no cell prints those of other panels.
OPENS = {
    "belief": {"at most": ("20.1:1", lambda p: f"{p / (1 - p):.1f}:1")},
    "careful": {"price": ("8.424", "{:.3f}".format)},
    "counting": {"true": ("true share 0.1", "true share {:.1f}".format)},
    "eleven": {"delta, Equation 11": ("0.0082: 2.1", "0.0082: {:.1f}".format)},
    "equal-users": {
        "exact": ("0.00856", "{:.5f}".format),
        "printed bound": ("0.003854", "{:.6f}".format),
        "bound that holds": ("0.03888", "{:.5f}".format),
    },
    "fourier": {"standard deviation": ("0.0713", "{:.4f}".format)},
    "kept": {"RR": ("lambda 0.242", "lambda {:.3f}".format)},
    "kinds": {"expected log odds": ("at 0.5 0.0371", "at 0.5 {:.4f}".format)},
    "laplace-delta": {"delta": ("0.03747", "{:.5f}".format)},
    "lemma-four": {
        "Iyer's Lemma 4": ("2.6387", "{:.4f}".format),
        "second moment": ("0.1378", "{:.4f}".format),
    },
    "mf": {"printed bound": ("1.7979", "{:.4f}".format)},
    "negative-square": {"probability": ("0.546", "{:.3f}".format)},
    "null-symbol": {"ratio": ("0.886", "{:.3f}".format)},
    "powers": {
        "as printed": ("150,000", "{:,}".format),
        "drawn together": ("505", "{:,}".format),
    },
    "releases": {
        "added up": ("added up 10.000", "added up {:.3f}".format),
        "composed": ("composed 4.775", "composed {:.3f}".format),
    },
    "units": {
        "one layer, either unit": ("0.847", "{:.3f}".format),
        "a cell": ("2.565", "{:.3f}".format),
        "the worker, per answer": ("7.882", lambda each: f"{13 * each:.3f}"),
    },
    "weight": {
        "with the factor s - 1": ("+0.492", "{:+.3f}".format),
        "without it": ("-0.201", "{:+.3f}".format),
    },
}


def shown(panel: dict, at: dict) -> dict[str, float | str]:
    """The panel's text at these settings."""
    sweep = panel["sliders"][0]["name"]
    request = {"functions": panel["functions"], "at": at, "sweep": sweep, "x": [at[sweep]]}
    replies = json.loads(panels.evaluate(json.dumps(request)), parse_constant=pytest.fail)
    return {label: along[0] for label, along in replies.items()}


def opening(panel: dict) -> dict:
    return {slider["name"]: slider["start"] for slider in panel["sliders"]}


def steps(slider: dict) -> float:
    """Number of steps of the slider below its opening position."""
    if slider.get("log"):
        return 20 * log10(slider["start"] / slider["low"])
    return (slider["start"] - slider["low"]) / slider["step"]


def placed(slider: dict, share: float) -> float:
    low, high = slider["low"], slider["high"]
    if share in (0, 1):
        return high if share else low
    value = low * (high / low) ** share if slider.get("log") else low + (high - low) * share
    return round(value) if slider.get("integer") else value


def printed(chapter: str) -> str:
    """All text that the chapter's cells have printed."""
    outputs = [out for cell in NOTEBOOKS[chapter]["cells"] for out in cell.get("outputs", [])]
    texts = [out.get("text") or out.get("data", {}).get("text/plain", []) for out in outputs]
    return "".join(itertools.chain.from_iterable(texts))


@pytest.mark.parametrize("name", PANELS)
def test_each_curve_has_its_own_look(name):
    panel = PANELS[name]
    looks = [tuple(live.look(key).values()) for key in panel["keys"]]
    assert len(looks) == len(panel["functions"]) <= 5
    assert len({color for color, _ in looks}) == len({dash for _, dash in looks}) == len(looks)


@pytest.mark.parametrize("panel", PANELS.values(), ids=PANELS)
def test_labels_of_a_panel_name_different_curves(panel):
    curves = [json.dumps(curve) for curve in panel["functions"].values()]
    assert len(curves) == len(set(curves))


def test_every_panel_occurs_and_twenty_chapters_have_one():
    assert set(CHAPTER_OF) == set(PANELS)
    assert len(set(CHAPTER_OF.values())) >= 20


@pytest.mark.parametrize("panel", PANELS.values(), ids=PANELS)
def test_sliders_are_arguments_of_the_functions(panel):
    sliders = opening(panel)
    for entry in panel["functions"].values():
        of = panels.curve(entry)
        parameters = inspect.signature(panels.named(of["name"])).parameters
        needed = {name for name, p in parameters.items() if p.default is inspect.Parameter.empty}
        assert needed <= {*sliders, *of["at"], *panels.MADE}
    for slider in panel["sliders"]:
        assert slider["low"] <= slider["start"] <= slider["high"]
        assert steps(slider) == pytest.approx(round(steps(slider)), abs=1e-6)


@pytest.mark.parametrize("panel", PANELS.values(), ids=PANELS)
def test_each_slider_moves_something(panel):
    at = {slider["name"]: placed(slider, 0.1) for slider in panel["sliders"]}
    for slider in panel["sliders"]:
        moved = [shown(panel, at | {slider["name"]: placed(slider, share)}) for share in (0.05, 0.5, 1)]
        assert any(after != shown(panel, at) for after in moved), slider["name"]


@pytest.mark.parametrize("name", PANELS)
def test_opens_on_numbers_that_its_chapter_prints(name):
    found = shown(PANELS[name], opening(PANELS[name]))
    assert all(isfinite(value) for value in found.values())
    for label, (text, form) in OPENS.get(name, {}).items():
        assert form(found[label]) == text
        assert text in printed(CHAPTER_OF[name])


@pytest.mark.parametrize("name", PANELS)
def test_sliders_give_numbers_or_gaps_everywhere(name):
    """All ends and 200 places between give a finite number or words; an error would end the panel."""
    sliders, rng = PANELS[name]["sliders"], Random(name)
    shares = [*itertools.product((0, 1), repeat=len(sliders))]
    shares += [[rng.random() for _ in sliders] for _ in range(200)]
    for each in shares:
        at = {slider["name"]: placed(slider, share) for slider, share in zip(sliders, each, strict=True)}
        for value in shown(PANELS[name], at).values():
            assert isinstance(value, str) or isfinite(value), at


def test_panels_need_the_standard_library_only():
    """Run them with numpy, scipy and pandas blocked, as in a browser that has not loaded these."""
    requests = [
        {"functions": panel["functions"], "at": opening(panel), "sweep": "", "x": [0]}
        for panel in PANELS.values()
    ]
    code = (
        "import json, sys; sys.modules.update(dict.fromkeys(['numpy', 'scipy', 'pandas']));"
        f"sys.path.insert(0, {str(ROOT / 'book' / '_ext')!r}); from ldp_browser.panels import evaluate;"
        "[evaluate(json.dumps(request)) for request in json.load(sys.stdin)]"
    )
    subprocess.run([sys.executable, "-c", code], check=True, input=json.dumps(requests), text=True)


def test_data_survives_the_markup():
    panel = {"title": "a < b & \"c\" 'd'", "functions": {"x": "f"}, "keys": ["RR"], "sliders": []}
    section = BeautifulSoup(live.section(panel), "html.parser").section
    assert json.loads(section["data-panel"]) == panel | {"looks": [live.look("RR")]}
    assert section["aria-label"] == f"Live: {panel['title']}"
    assert section.select_one(".live-title").get_text() == panel["title"]


def test_unknown_panel_is_reported_with_its_place(monkeypatch):
    class Settings:
        def note_dependency(self, file):
            pass

    monkeypatch.setattr(live.Live, "env", Settings())
    monkeypatch.setitem(directives._directives, "live", live.Live)
    with pytest.raises(
        SystemMessage, match=r"chapter\.rst:3: .*no live panel 'laplace' in .*which has lp, rr"
    ):
        publish_doctree(
            "Text.\n\n.. live:: laplace\n",
            source_path="chapter.rst",
            settings_overrides={"halt_level": 3, "report_level": 5},
        )
