"""The built pages in a real browser, without a network: `make test-site`.

Serves `_build/html` on loopback, drives the Chromium of the machine, and refuses every request that
leaves it. Run `make book` first.
"""

import functools
import json
import os
import re
import shutil
import urllib.parse
import zipfile
from pathlib import Path

import nbformat
import pytest
from browsed import DESKTOP, barriers, cut_off, parsed, unfold
from ldp_sphinx import RELEASE, flip, licences, policy, student
from ldp_sphinx.launch import released
from playwright.sync_api import Locator, Page, expect
from toc import CHAPTERS, HTML, PAGES, ROOT, notebook_cells

import ldpbook
from ldpbook.categorical_answers.bounds import one_layer_epsilon, two_layer_epsilon
from ldpbook.localization.bounds import location_epsilon
from ldpbook.sparse_answers.bounds import lp_mae_bound, mf_mae_bound, rr_mae_bound

SIZE_OF_A_PAGE = 1.5e6  # bytes of the page itself and its figures


@pytest.mark.parametrize("name", PAGES)
def test_page_is_light(name):
    html = HTML / f"{name}.html"
    pictures = set(
        re.findall(r"<img\b[^>]*\bsrc=\"[^\"]*/(_images/[^\"]*)\"", html.read_text(encoding="utf-8"))
    )
    size = html.stat().st_size + sum((HTML / picture).stat().st_size for picture in pictures)
    assert size < SIZE_OF_A_PAGE


def test_search_finds_a_theorem(visit):
    page = visit("search")
    page.goto(page.url + "?q=Splitting+is+harmless")
    expect(page.locator("#search-results li a").first).to_have_attribute(
        "href", re.compile("few-large-sets"), timeout=20_000
    )


@pytest.mark.parametrize("key", ["Enter", "Space"])
def test_solutions_unfold_by_keyboard(visit, key):
    page = visit("book/sparse-answers/laplace")
    solution = page.locator("div.solution.dropdown").first
    hidden = solution.locator("section, p, div.cell").last
    expect(hidden).not_to_be_visible()
    solution.locator("button.toggle-button, summary").first.focus()
    page.keyboard.press(key)
    expect(hidden).to_be_visible()


def test_next_and_previous(visit):
    page = visit(CHAPTERS[1])
    for button, chapter in (("a.right-next", CHAPTERS[2]), ("a.left-prev", CHAPTERS[1])):
        page.evaluate("() => document.fonts.ready")  # fonts still loading would count as failed
        page.locator(button).click()
        page.wait_for_url(f"**/{chapter}.html")  # a click does not wait for the next page
    page.evaluate("() => document.fonts.ready")


def test_dark_mode_by_its_button(visit):
    page = visit(CHAPTERS[0])
    for _ in range(3):
        page.locator("button.theme-switch-button:visible").first.click()
        if page.evaluate("() => document.documentElement.dataset.theme") == "dark":
            break
    color = page.evaluate("() => getComputedStyle(document.body).backgroundColor")
    assert max(int(c) for c in color[4:-1].split(",")[:3]) < 60


LIVE = {
    "book/sparse-answers/laplace": (
        "density",
        "0.5",
        lp_mae_bound(epsilon=20, domain=range(10), density=0.5, truth=4.5),
    ),
    "book/sparse-answers/randomized-response": (
        "density",
        "0.5",
        rr_mae_bound(epsilon=1, domain=range(10), density=0.5),
    ),
    "book/sparse-answers/task-profiles": (
        "rank",
        "50",
        mf_mae_bound(epsilon=1, domain_size=10, n_tasks=1000, rank=50),
    ),
    "book/categorical-answers/one-layer": ("n_choices", "5", one_layer_epsilon(0.2, 5)),
    "book/categorical-answers/two-layer": ("n_answers", "69", two_layer_epsilon(0.2, 0.5, 2, 69)),
    "book/localization/perturbed-particles": (
        "distance",
        "2",
        location_epsilon(sigma=1, distance=2, delta=1e-5),
    ),
}


@pytest.mark.parametrize("name", LIVE)
def test_live_panel_shows_what_the_package_computes(visit, name):
    slider, value, expected = LIVE[name]
    page = visit(name)
    panel = page.locator("section.live-panel")
    panel.get_by_role("button").click()
    expect(panel).to_have_attribute("data-live", "ready", timeout=60_000)
    panel.locator(f"input[name={slider}]").fill(value)
    expect(panel).to_have_attribute("aria-busy", "false")
    shown = panel.locator("strong").first
    assert float(shown.get_attribute("data-value")) == pytest.approx(expected, rel=1e-9)
    assert shown.text_content() == f"{float(f'{expected:.4g}'):g}"
    assert panel.locator("svg path").first.get_attribute("d").count("L") > 8
    assert not barriers(page, coloured=".live-panel *")


def test_a_panel_ends_where_its_slider_ends(visit):
    """The slider moves faster than Python replies: the last move counts, and few are computed."""
    page = visit("book/categorical-answers/one-layer")
    panel = page.locator("section.live-panel").first
    panel.get_by_role("button").click()
    expect(panel).to_have_attribute("data-live", "ready", timeout=60_000)
    asked = panel.evaluate(
        """async (panel) => {
          let shown = 0;
          const watch = new MutationObserver(() => { shown += 1; });
          watch.observe(panel.querySelector('output'), { childList: true });
          const input = panel.querySelector('input[name=n_choices]');
          for (const value of [2, 3, 4, 5, 6, 7, 8, 9, 5]) {
            input.value = value;
            input.dispatchEvent(new Event('input'));
          }
          while (panel.getAttribute('aria-busy') === 'true') await new Promise(requestAnimationFrame);
          return shown;
        }"""
    )
    assert asked == 2
    value = float(panel.locator("strong").first.get_attribute("data-value"))
    assert value == pytest.approx(one_layer_epsilon(0.2, 5), rel=1e-9)


def test_slides_have_no_serious_barrier(visit):
    page = visit("book/sparse-answers/laplace.slides")
    page.wait_for_selector("body[data-ready]")
    for _ in range(5):
        assert not barriers(page)
        page.keyboard.press("Space")


@functools.cache
def notebooks() -> list[Path]:
    return [*HTML.rglob("*.ipynb")]


@pytest.mark.parametrize("name", CHAPTERS)
def test_downloads_have_no_solution(name):
    """Check the downloads of the page's button and the notebooks in JupyterLite."""
    link = parsed(name).select_one("a[href$='.ipynb'].btn-download-source-button")
    address = f"{ADDRESS.rstrip('/')}/" if ADDRESS else ""
    for path, made in (
        ((HTML / f"{name}.html").parent / link["href"], student.for_download(name, address)),
        (HTML / "lite" / "files" / f"{name}.ipynb", student.of_chapter(name)),
    ):
        assert nbformat.read(path, 4) == made
        assert "{solution-" not in path.read_text(encoding="utf-8")
    kept = [path for path in notebooks() if path.stem == name.rpartition("/")[2]]
    assert len(kept) == 2  # the notebook is in no other place


@pytest.mark.parametrize("name", [CHAPTERS[0], CHAPTERS[-1]])
def test_chapter_opens_in_jupyterlite(browser, address, name):
    """The notebook and the wheel come from here; only the interpreter is requested elsewhere."""
    asked: list[str] = []
    context = browser.new_context(viewport=DESKTOP)
    cut_off(context, address, asked)
    page = context.new_page()
    page.goto(f"{address}/{name}.html")
    button = page.locator("a:has(.btn__text-container:text('JupyterLite'))").first
    page.goto(urllib.parse.urljoin(page.url, button.get_attribute("href")))
    expect(page.locator(".jp-CodeCell").first).to_contain_text("%pip install", timeout=60_000)
    title = notebook_cells(name)[0]["source"][0]
    expect(page.locator(".jp-MarkdownCell h1").first).to_contain_text(title.removeprefix("# ").strip())
    expect(page.locator(".jp-MarkdownCell").nth(1)).to_contain_text("This is the student's notebook")
    context.close()
    assert {urllib.parse.urlsplit(request.split()[-1]).hostname for request in asked} <= {"cdn.jsdelivr.net"}


def test_jupyterlite_serves_the_package_of_this_version():
    index = json.loads((HTML / "lite" / "pypi" / "all.json").read_text(encoding="utf-8"))
    (wheel,) = index["ldpbook"]["releases"][ldpbook.__version__]
    assert wheel["filename"] == f"ldpbook-{ldpbook.__version__}-py3-none-any.whl"  # as downloads expect
    modules = {f"ldpbook/{path.name}" for path in (ROOT / "ldpbook").glob("*.py")}
    with zipfile.ZipFile(HTML / "lite" / "pypi" / wheel["filename"]) as package:
        assert modules <= set(package.namelist())


REPOSITORY, ADDRESS = os.environ.get("GITHUB_REPOSITORY"), os.environ.get("BOOK_ADDRESS")


@pytest.mark.skipif(not REPOSITORY, reason="built without GITHUB_REPOSITORY: no buttons lead to it")
@pytest.mark.parametrize("name", CHAPTERS)
def test_binder_and_colab_are_given_files_that_exist(name):
    """Colab's button only exists with a release, whose notebook and package belong together."""
    links = parsed(name).select("a[href*='mybinder.org'], a[href*='colab.research.google.com']")
    file = f"{name}.ipynb"
    assert (ROOT / file).exists()
    # Binder's notebooks are the students', which .binder/postBuild writes.
    binder = f"https://mybinder.org/v2/gh/{REPOSITORY}/main?urlpath=lab/tree/student/{file}"
    colab = f"https://colab.research.google.com/github/{REPOSITORY}/blob/{RELEASE}/{file}"
    wanted = {binder, colab} if released(file) else {binder}
    assert {urllib.parse.unquote(link["href"]) for link in links} == wanted


@pytest.mark.skipif(not ADDRESS, reason="built without BOOK_ADDRESS: pages have no canonical address")
@pytest.mark.parametrize("name", PAGES)
def test_published_page_has_address_and_card(name):
    page, root = parsed(name), ADDRESS.rstrip("/")
    canonical = f"{root}/{name}.html"
    assert page.select_one("link[rel=canonical]")["href"] == canonical
    assert f"<loc>{canonical}</loc>" in (HTML / "sitemap.xml").read_text(encoding="utf-8")
    card = page.select_one("meta[property='og:image']")["content"]
    assert (HTML / card.removeprefix(f"{root}/")).is_file()


def test_panels_say_what_to_run_without_javascript(visit):
    page = visit("book/sparse-answers/laplace", java_script_enabled=False)
    expect(page.locator(".live-note")).to_contain_text("ldpbook.sparse_answers.lp_mae_bound")
    expect(page.locator(".live-start")).not_to_be_visible()
    expect(page.locator("figure img").first).to_be_visible()


def protected(page: str, html: str) -> str:
    """The policy of a page, which must precede its first script."""
    meta = re.search(r'<meta http-equiv="Content-Security-Policy" content="([^"]*)">', html)
    assert meta, page
    assert meta.end() < html.index("<script"), page
    return meta[1]


def test_every_page_and_deck_has_a_policy():
    found = [
        page for page in HTML.rglob("*.html") if page.relative_to(HTML).parts[0] not in ("lite", "_static")
    ]
    found.remove(HTML / "index.html")  # it only leads on to the first page
    names = {page.relative_to(HTML).as_posix().removesuffix(".html") for page in found}
    assert names >= {*PAGES, "search", *(f"{chapter}.slides" for chapter in CHAPTERS)}
    for page in found:
        sources = protected(page, page.read_text(encoding="utf-8")).split("; ")
        assert "default-src 'self'" in sources
        assert not re.search(
            r"script-src[^;]* ('unsafe-inline'|'unsafe-eval'|https?:|\*)", "; ".join(sources)
        )


SMUGGLED = (
    "<script>document.title = 'smuggled'</script>"
    "<img alt='><1' src='data:image/png;base64,' onerror=\"document.title = 'smuggled'\">"
    "<script src='https://example.org/x.js'></script>"
)


@pytest.mark.parametrize("name", ["book/sparse-answers/laplace", "book/sparse-answers/laplace.slides"])
def test_a_smuggled_script_does_not_run(browser, address, tmp_path, name):
    """The script is inserted before the page is protected, into its text and into repeated headings."""
    html = (HTML / f"{name}.html").read_text(encoding="utf-8")
    places = r"<article[^>]*>|<div class=\"slides\">|<nav class=\"bd-toc-nav[^>]*>|</title>"
    planted, times = re.subn(places, lambda place: place[0] + SMUGGLED, html)
    assert times >= 2
    target, notes = tmp_path / f"{name}.html", tmp_path / "_static" / "reveal" / "notes.js"
    for path in (target, notes):
        path.parent.mkdir(parents=True)
    shutil.copy(HTML / notes.relative_to(tmp_path), notes)
    target.write_text(re.sub(r"\n<meta http-equiv=\"Content-Security[^>]*>", "", planted), encoding="utf-8")
    policy._protect_all(None, tmp_path)
    page = browser.new_context().new_page()
    said: list[str] = []
    page.on("console", lambda message: said.append(message.text))

    def smuggle(route):
        route.fulfill(response=route.fetch(), body=target.read_text(encoding="utf-8"))

    page.route(f"{address}/{name}.html", smuggle)
    page.goto(f"{address}/{name}.html", wait_until="load")
    title = page.title()
    page.context.close()
    assert title != "smuggled"
    refused = [line for line in said if "Content Security Policy" in line]
    assert any("inline script" in line for line in refused)
    assert any("inline event handler" in line for line in refused)
    assert any("https://example.org/x.js" in line for line in refused)


def test_every_listed_script_is_on_a_page():
    pages = [page.read_text(encoding="utf-8") for page in HTML.rglob("*.html")]
    assert not [code for code in policy.LISTED if not any(code in page for page in pages)]


def test_the_policy_lets_the_pages_own_buttons_work(visit):
    page = visit("book/sparse-answers/laplace")
    page.locator("button[onclick*=toggleFullScreen]:visible").first.click()
    page.wait_for_function("() => document.fullscreenElement !== null")


def test_pages_open_from_the_disk_too(browser):
    page = browser.new_page()
    troubles: list[str] = []
    page.on("console", lambda message: troubles.append(message.text) if "Policy" in message.text else None)
    page.goto((HTML / "book" / "sparse-answers" / "laplace.html").as_uri(), wait_until="load")
    assert page.evaluate("() => document.styleSheets.length") > 5
    assert page.evaluate("() => document.documentElement.dataset.theme") in ("light", "dark")
    page.close()
    assert not troubles


def test_the_speakers_window_shows_the_notes(visit):
    page = visit("book/sparse-answers/laplace.slides")
    page.wait_for_selector("body[data-ready]")
    page.evaluate(
        """() => {
          const { h, v } = Reveal.getIndices(document.querySelector('aside.notes').closest('section'));
          Reveal.slide(h, v);
        }"""
    )
    with page.expect_popup() as opened:
        page.keyboard.press("s")
    window = opened.value
    expect(window.locator(".speaker-controls-notes .value")).not_to_be_empty(timeout=20_000)


@pytest.mark.parametrize("name", PAGES)
def test_page_states_its_width_once(name):
    assert len(parsed(name).select("meta[name=viewport]")) == 1


@pytest.mark.parametrize("name", PAGES)
def test_footer_names_the_licence(name):
    page = parsed(name)
    assert page.select_one("footer a[rel=license]")["href"] == licences.CC_BY
    (own,) = [link for link in page.select("footer .extra_footer a") if link.get("rel") != ["license"]]
    there = (HTML / f"{name}.html").parent / own["href"].split("#")[0]
    assert own["href"] == "#" or there.resolve() == (HTML / "book" / "reference" / "licences.html").resolve()


def test_every_shipped_script_is_loaded():
    assert not [*(HTML / "_static").rglob("*.map")]
    assert not [*(HTML / "_static").rglob("fontawesome.js*")]
    loaded = {
        Path(urllib.parse.urlsplit(script["src"]).path).name
        for page in [*PAGES, "search"]
        for script in parsed(page).select("script[src]")
    }
    assert {path.name for path in (HTML / "_static" / "scripts").glob("*.js")} <= loaded


FIRST = "book/index"
SCREENS = [{"width": 1280, "height": 800}, {"width": 390, "height": 844}]


def test_flip_follows_distribution_and_matches_the_still(visit, address):
    """Call the page's own functions many times, on a page without the figure."""
    page = visit("book/reference/glossary")
    found = page.evaluate(
        """async (from) => {
          const { report, estimate, deviation, epsilon } = await import(from);
          const flips = 40000;
          return [0.6, 0.75, 0.95].map((keep) => ({
            keep,
            told: [0, 1].map((answer) => {
              let same = 0;
              for (let k = 0; k < flips; k += 1) same += report(answer, keep) === answer;
              return same / flips;
            }),
            estimate: estimate(0.4, keep),
            deviation: deviation(1000, keep),
            epsilon: epsilon(keep),
          }));
        }""",
        f"{address}/_static/flip.js",
    )
    for law in found:
        keep = law["keep"]
        for share in law["told"]:
            assert abs(share - keep) < 4.5 * (keep * (1 - keep) / 40000) ** 0.5
        assert law["estimate"] == pytest.approx(flip.estimate(0.4, keep), rel=1e-12)
        assert law["deviation"] == pytest.approx(flip.deviation(1000, keep), rel=1e-12)
        assert law["epsilon"] == pytest.approx(one_layer_epsilon(1 - keep, 2), rel=1e-12)


def numbers_of_the_flip(page: Page) -> dict[str, float]:
    return {
        name: float(value)
        for name, value in page.locator("figure.flip").evaluate("f => ({...f.dataset})").items()
        if name != "flip"
    }


def test_flip_shows_its_computation(visit):
    page = visit(FIRST)
    figure = page.locator("figure.flip")
    page.get_by_role("button", name="Flip it").click()
    counts = set()
    for _ in range(12):
        page.keyboard.press("Enter")
        now = numbers_of_the_flip(page)
        assert figure.locator(".flip-yes").get_attribute("d").count("M") == now["count"]
        assert now["estimate"] == pytest.approx(
            flip.estimate(now["count"] / flip.PEOPLE, now["keep"]), rel=1e-9
        )
        assert abs(now["estimate"] - now["truth"]) < 6 * flip.deviation(flip.PEOPLE, now["keep"])
        said = figure.locator(".flip-said").text_content()
        assert f"{now['count']:.0f} of 1,000" in said
        assert f"{100 * now['estimate']:.1f} %" in said
        counts.add(now["count"])
    assert len(counts) > 2
    assert now["truth"] == flip.YES / flip.PEOPLE
    assert figure.locator(".flip-past").get_attribute("d").count("M") == now["rounds"] == 14


def test_flip_works_by_keyboard(visit):
    page = visit(FIRST)
    page.get_by_role("radio", name="No").focus()
    page.keyboard.press("ArrowLeft")
    assert page.get_by_role("radio", name="Yes").is_checked()
    assert numbers_of_the_flip(page)["truth"] == (flip.YES + 1) / flip.PEOPLE
    page.get_by_role("slider").focus()
    page.keyboard.press("ArrowRight")
    assert numbers_of_the_flip(page)["keep"] == pytest.approx(0.8)
    odds = page.locator(".flip-odds").text_content()
    assert float(odds) == pytest.approx(0.8 / 0.2)
    expect(page.locator(".flip-said")).to_have_attribute("aria-live", "polite")
    assert not barriers(page, coloured=".flip *")


def test_flip_animation_is_brief_and_respects_reduced_motion(visit):
    page = visit(FIRST, reduced_motion="no-preference")
    page.wait_for_function(
        "() => document.querySelector('figure.flip').dataset.rounds === '4'", timeout=10_000
    )
    page.wait_for_timeout(1500)
    assert numbers_of_the_flip(page)["rounds"] == 4
    page = visit(FIRST)
    page.wait_for_timeout(1500)
    assert numbers_of_the_flip(page)["rounds"] == 1


def test_the_first_page_shows_a_still_without_javascript(visit):
    page = visit(FIRST, java_script_enabled=False)
    expect(page.get_by_role("img", name=re.compile("1,000 people, of whom 300"))).to_be_visible()
    assert page.locator(".flip-controls").count() == 0


@pytest.mark.parametrize("size", SCREENS, ids=["desktop", "phone"])
def test_the_idea_is_on_the_first_screen(visit, size):
    page = visit(FIRST, viewport=size)
    for part in ("h1", "figure.flip .flip-again", "figure.flip svg"):
        box = page.locator(f"article {part}").first.bounding_box()
        assert box["y"] >= 0, part
        assert box["y"] + box["height"] <= size["height"], part


def test_map_links_chapters_and_shows_prerequisites(visit):
    page = visit(FIRST)
    links = page.locator(".chapter-map a.map-chapter")
    found = [link.get_attribute("data-name") for link in links.all()]
    assert [f"book/{name}" for name in found] == CHAPTERS
    links.nth(found.index("class-ratios/label-privacy")).focus()
    shown = [a.get_attribute("data-name") for a in page.locator(".map-chosen .map-chapter.map-needed").all()]
    assert shown == ["foundations/crowdsourcing", "foundations/local-privacy", "class-ratios/label-privacy"]
    page.keyboard.press("Enter")
    page.wait_for_url("**/class-ratios/label-privacy.html")
    page.evaluate("() => document.fonts.ready")


STEPPED = ["book/localization/particles", "book/remedies/smaller-question"]


def shown(page: Page) -> tuple[str, str]:
    """Sentence and figure of the one visible step."""
    (step,) = [step for step in page.locator(".steps > .step").all() if step.is_visible()]
    return step.locator("p").first.text_content(), step.locator("img").get_attribute("src")


def within_loop(button: Locator) -> list[float]:
    """Distances of a button from the loop's upper left corner, and its width and height."""
    return button.evaluate(
        """(button) => {
          const [a, b] = [button, button.closest('.steps')].map((e) => e.getBoundingClientRect());
          return [a.left - b.left, a.top - b.top, a.width, a.height].map((x) => Math.round(64 * x) / 64);
        }"""
    )


@pytest.mark.parametrize("name", STEPPED)
def test_steps_are_taken_by_click(visit, name):
    page = visit(name)
    back, forth = (page.locator(f".steps button:text-is('{label}')") for label in ("Back", "Next step"))
    place, several = page.locator(".steps-place"), page.locator(".steps > .step").count()
    assert several >= 6
    seen = []
    for k in range(several):
        if k:
            forth.click()
        expect(place).to_contain_text(f"{k + 1} of {several}")
        seen.append(shown(page))
        assert seen[-1][0].startswith(f"{k + 1}. ")
        assert seen[-1][0] in place.text_content()  # the announced text
        expect(forth).to_have_attribute("aria-disabled", "true" if k + 1 == several else "false")
    assert len({sentence for sentence, _ in seen}) == len({picture for _, picture in seen}) == several
    forth.dispatch_event("click")
    assert shown(page) == seen[-1]  # no step follows the last
    back.click()
    assert shown(page) == seen[-2]
    for button in (back, forth):
        assert button.bounding_box()["height"] >= 44
        assert button.bounding_box()["width"] >= 44
    unfold(page)
    assert not barriers(page, coloured=".steps *")


@pytest.mark.parametrize("name", STEPPED)
def test_steps_by_keyboard_keep_focus_and_place(visit, name):
    page = visit(name)
    forth = page.get_by_role("button", name="Next step")
    forth.focus()
    place, top, first = within_loop(forth), forth.bounding_box()["y"], shown(page)
    for key, number in [("Enter", 2), ("Space", 3), ("ArrowRight", 4), ("ArrowLeft", 3)]:
        page.keyboard.press(key)
        assert shown(page)[0].startswith(f"{number}. ")
        expect(forth).to_be_focused()
        assert within_loop(forth) == place
        # Content above may still change its height; the browser compensates by scrolling whole pixels.
        assert abs(forth.bounding_box()["y"] - top) < 1
    for _ in range(9):
        page.keyboard.press("ArrowLeft")
    assert shown(page) == first
    expect(page.locator(".steps-place")).to_have_attribute("aria-live", "polite")


@pytest.mark.parametrize("name", STEPPED)
def test_link_to_a_step_shows_that_step(visit, name):
    figure = parsed(name).select(".steps .step figure")[3]["id"]
    page = visit(name)
    page.evaluate("to => { location.hash = to; }", figure)
    expect(page.locator(f".step:has([id='{figure}'])")).to_be_visible()
    assert shown(page)[0].startswith("4. ")


@pytest.mark.parametrize("how", ["no script", "print"])
@pytest.mark.parametrize("name", STEPPED)
def test_without_script_or_on_paper_steps_are_stacked(visit, name, how):
    page = visit(name, java_script_enabled=how != "no script")
    if how == "print":
        page.emulate_media(media="print")
    steps = page.locator(".steps > .step")
    assert steps.count() >= 6
    below = 0.0
    for step in steps.all():
        for part in (step.locator("p").first, step.locator("pre").first, step.locator("img")):
            expect(part).to_be_visible()
        box = step.bounding_box()
        assert box["y"] >= below
        below = box["y"] + box["height"]
    assert page.locator(".steps-controls:visible").count() == 0
