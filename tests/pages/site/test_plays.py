"""Plays in the browser: the scripts compute what their Python does, and the reader's moves work."""

import json

import numpy as np
import pytest
from browsed import DESKTOP, PHONE, barriers, unfold
from ldp_sphinx import play
from ldp_sphinx.plays import decoding, row
from playwright.sync_api import Page, expect

from ldpbook.sparse_answers import RandomizedResponse

CHAPTER = {
    "laplace": "book/sparse-answers/laplace",
    "decoding": "book/remedies/decoding",
    "layers": "book/categorical-answers/price-of-reuse",
    "row": "book/whole-worker/row-attack",
    "shuffle": "book/whole-worker/shuffling",
}
EMPTY = "book/reference/glossary"


def states(name: str) -> list[dict]:
    """The opening of a play, and a dozen drawn settings."""
    start, rng = play.play(name).start, np.random.default_rng(11)
    found = [start]
    for _ in range(12):
        epsilon = float(rng.uniform(0.3, 3.5))
        workers = int(rng.integers(3000, 50_000))
        if name == "laplace":
            noise, filled = rng.laplace(size=4).tolist(), bool(rng.random() < 0.7)
            found.append({**start, "epsilon": epsilon, "filled": filled, "noise": noise})
        elif name == "decoding":
            law = decoding.SHARES @ RandomizedResponse(epsilon, range(decoding.SIZE)).transition_matrix
            counts = rng.multinomial(workers, law).tolist()
            found.append({"epsilon": epsilon, "workers": workers, "counts": counts})
        elif name == "layers":
            drawn, uniforms = rng.random(3).tolist(), rng.random((3, 13)).tolist()
            high, step = float(rng.uniform(0.1, 1)), int(rng.integers(1, 14))
            found.append({"high": high, "drawn": drawn, "uniforms": uniforms, "step": step})
        elif name == "row":
            uniforms, step = rng.random((6, 6)).tolist(), int(rng.integers(1, 7))
            found.append(
                {"epsilon": epsilon, "ann": int(rng.integers(6)), "uniforms": uniforms, "step": step}
            )
        else:
            n, named = int(10 ** rng.uniform(0.5, 5)), rng.integers(0, 2, 3).tolist()
            found.append(
                {"epsilon": epsilon, "workers": n, "named": named, "zeros": int(rng.integers(n + 1))}
            )
    return found


def script(page: Page, address: str, name: str, body: str, given: object = None) -> object:
    """What the body of a function returns in the page, given a play's module and these arguments."""
    source = f"""async ([from, tools, given]) => {{
        const play = await import(from), {{ uniforms }} = await import(tools);
        return (() => {{ {body} }})(); }}"""
    files = [f"{address}/_static/play-{name}.js", f"{address}/_static/play-tools.js"]
    return page.evaluate(source, [*files, given])


def plain(part: float | str | list[str]) -> float | str | list[str]:
    """A part, or its text alone if its look is empty."""
    return part[0] if isinstance(part, list) and not part[1] else part


@pytest.mark.parametrize("name", play.NAMES)
def test_script_and_package_agree(visit, address, name):
    given = states(name)
    found = script(visit(EMPTY), address, name, "return given.map(play.parts)", given)
    for state, parts in zip(given, found, strict=True):
        wanted = json.loads(json.dumps(play.play(name).parts(state)))
        assert parts.keys() == wanted.keys()
        for part, value in wanted.items():
            same = pytest.approx(value, rel=1e-7, abs=1e-12) if isinstance(value, float) else plain(value)
            assert plain(parts[part]) == same, (part, state)


def test_draws_follow_their_distributions(visit, address):
    page = visit(EMPTY)
    body = "const r = uniforms(5); return Array.from({ length: 20000 }, () => play.draw({}, r).noise[0])"
    noise = np.array(script(page, address, "laplace", body))
    assert abs(np.abs(noise).mean() - 1) < 4.5 / 20_000**0.5
    assert abs(noise.mean()) < 4.5 * (2 / 20_000) ** 0.5
    given = {"epsilon": 1, "workers": 50_000}
    counts = script(page, address, "decoding", "return play.draw(given, uniforms(5)).counts", given)
    law = decoding.SHARES @ RandomizedResponse(1, range(decoding.SIZE)).transition_matrix
    assert (np.abs(np.array(counts) - 50_000 * law) < 4.5 * (50_000 * law * (1 - law)) ** 0.5).all()
    body = "const r = uniforms(5); return Array.from({ length: 20000 }, () => play.respond(given, r(), 1))"
    symbols = script(page, address, "row", body, 5)
    law = RandomizedResponse(1, row.DOMAIN).transition_matrix[4]
    counts = np.array([symbols.count(symbol) for symbol in [*row.DOMAIN, None]])
    assert (np.abs(counts - 20_000 * law) < 4.5 * (20_000 * law * (1 - law)) ** 0.5).all()
    given = {"epsilon": 1, "workers": 20_000}
    zeros = script(page, address, "shuffle", "return play.draw(given, uniforms(5)).zeros", given)
    lie = 1 / (1 + np.e)
    assert abs(zeros - (19_999 * lie + 1 - lie)) < 4.5 * (20_000 * lie * (1 - lie)) ** 0.5


@pytest.mark.parametrize("name", play.NAMES)
def test_play_is_worked_by_keyboard(visit, name):
    page = visit(CHAPTER[name])
    figure, steps = page.locator("figure.play"), play.play(name).steps
    step = figure.get_by_role("button", name="Step by step")
    step.focus()
    page.keyboard.press("Enter")
    expect(figure.locator(".play-place")).to_have_text(f"Step 1 of {steps}")
    for _ in range(steps - 1):
        assert "Step by step" not in figure.locator("button").first.text_content()
        page.keyboard.press("Enter")
    expect(figure.locator(".play-place")).to_have_text(f"Step {steps} of {steps}")
    assert figure.locator(".play-later").count() == 0
    before = figure.locator("table").text_content()
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    assert figure.locator("table").text_content() != before
    told = figure.locator(".play-point").text_content()
    figure.get_by_role("slider").first.focus()
    page.keyboard.press("ArrowRight")
    assert figure.locator(".play-point").text_content() != told
    assert figure.locator(".play-point").text_content() in figure.locator("output").text_content()
    unfold(page)
    assert not barriers(page, coloured=".play *")


@pytest.mark.parametrize("name", play.NAMES)
def test_steps_hide_what_follows(visit, name):
    figure = visit(CHAPTER[name], viewport=PHONE).locator("figure.play")
    height = figure.bounding_box()["height"]
    figure.get_by_role("button", name="Step by step").click()
    later = figure.locator(".play-later")
    expect(later.first).not_to_be_visible()
    assert abs(figure.bounding_box()["height"] - height) < 60
    figure.page.emulate_media(media="print")
    expect(later.first).to_be_visible()
    assert figure.page.evaluate("document.documentElement.scrollWidth <= innerWidth")


@pytest.mark.parametrize("name", play.NAMES)
def test_move_is_answered_within_fifty_milliseconds(visit, name):
    page = visit(CHAPTER[name], viewport=DESKTOP)
    expect(page.locator("figure.play .play-place")).to_be_attached()
    found = page.evaluate(
        """() => {
          const figure = document.querySelector("figure.play");
          const sliders = [...figure.querySelectorAll("input[type=range]")];
          const took = [];
          for (let k = 0; k < 9; k += 1) {
            const before = performance.now();
            for (const slider of sliders) {
              slider.value = k % 2 ? slider.min : slider.max;
              slider.dispatchEvent(new Event("input"));
            }
            figure.offsetHeight;
            took.push((performance.now() - before) / sliders.length);
          }
          return took.sort((a, b) => a - b)[4];
        }"""
    )
    print(f"{name}: {found:.1f} ms")
    assert found < 50


@pytest.mark.parametrize("name", play.NAMES)
def test_still_is_there_without_javascript(visit, name):
    figure = visit(CHAPTER[name], java_script_enabled=False).locator("figure.play")
    expect(figure.get_by_role("table", name=play.play(name).title)).to_be_visible()
    assert figure.locator("button, input").count() == 0
