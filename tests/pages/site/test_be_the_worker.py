"""The reader as the worker, in a real browser: nothing leaves the page, and reports are drawn correctly."""

import json
import shutil
from math import exp, log

import pytest
from browsed import DESKTOP, LOADED, PHONE, barriers, unfold
from ldp_browser import worker
from playwright.sync_api import Browser, Locator, Page, expect
from serve import PROGRAMS
from toc import HTML

from ldpbook._dyadic import WORD, response_weights

CHAPTER = "book/practice/survey"
# Everything that a page may store, except the theme's choice of colours.
KEPT = """async () => JSON.stringify([
  Object.entries(localStorage), Object.entries(sessionStorage), document.cookie, location.href, window.name,
  history.state, (await indexedDB.databases()), (await caches.keys()),
  await Promise.all([0, 1].map((kind) => new Promise((done) => { // files, for a while and for good
    if (!self.webkitRequestFileSystem) done([]);
    else webkitRequestFileSystem(kind, 1024, ({ root }) => root.createReader().readEntries(
      (files) => done(files.map((file) => file.name)), () => done("unread")), () => done("closed"));
  }))),
])"""


def place(page: Page) -> Locator:
    return page.locator("section.be-worker")


def begun(page: Page) -> Locator:
    place(page).get_by_role("button", name="Be the worker").click()
    expect(place(page)).to_have_attribute("data-live", "ready", timeout=LOADED)
    return place(page)


def group(section: Locator, name: str) -> Locator:
    return section.get_by_role("group", name=name, exact=True)


def answer(section: Locator, symbols: list[int]) -> None:
    for question, symbol in zip(worker.QUESTIONS, symbols, strict=True):
        group(section, question.text).get_by_role("radio", name=question.answers[symbol], exact=True).check()


def draw(section: Locator) -> list[int]:
    """The reports of a draw."""
    button = section.locator(".survey-draw")
    button.click()
    expect(button).not_to_have_attribute("aria-disabled", "true", timeout=LOADED)
    cells = section.locator(".survey-report")
    expect(cells).to_have_count(len(worker.QUESTIONS))
    return [int(cell.get_attribute("data-symbol")) for cell in cells.all()]


def join(section: Locator, others: int) -> list[dict[str, str]]:
    group(section, "Others who answer").get_by_role("radio", name=f"{others:,}", exact=True).check()
    section.get_by_role("button", name="Join them").click()
    shares = section.locator(".survey-share")
    expect(shares).to_have_count(sum(len(question.law) for question in worker.QUESTIONS), timeout=LOADED)
    return shares.evaluate_all("cells => cells.map((cell) => ({ ...cell.dataset }))")


def test_page_sends_and_keeps_nothing(visit):
    page = visit(CHAPTER)
    section = begun(page)
    page.evaluate("() => document.fonts.ready")
    before = page.evaluate(KEPT)
    gone: list[str] = []
    page.on("request", lambda request: gone.append(request.url))
    page.on("websocket", lambda socket: gone.append(socket.url))
    answer(section, [0, 0, 0, 0, 2])
    draw(section)
    draw(section)
    join(section, 1000)
    page.wait_for_timeout(500)
    assert gone == []
    assert page.evaluate(KEPT) == before
    page.reload()
    begun(page)
    for question in worker.QUESTIONS:  # the state of a first visit
        chosen = group(place(page), question.text).locator("input:checked")
        assert int(chosen.input_value()) == len(question.law) - 1


# Each closed way out, tried from the worker in which Python runs: to this site and to another.
TRIED = """async (address) => {
  const ways = {
    fetch: (to) => fetch(to),
    XMLHttpRequest: (to) => { const by = new XMLHttpRequest(); by.open("GET", to, false); by.send(); },
    WebSocket: (to) => new WebSocket(to.replace("http", "ws")),
    WebSocketStream: (to) => new WebSocketStream(to.replace("http", "ws")),
    WebTransport: (to) => new WebTransport(to.replace("http:", "https:")),
    EventSource: (to) => new EventSource(to),
    Worker: (to) => new Worker(to, { type: "module" }),
    importScripts: (to) => importScripts(to),
    FontFace: (to) => new FontFace("f", `url(${to})`).load(),
    caches: (to) => caches.open("c").then((kept) => kept.add(to)),
    indexedDB: () => indexedDB.open("d"),
    BroadcastChannel: () => new BroadcastChannel("b").postMessage("m"),
    files: () => new Promise((...ends) => webkitRequestFileSystem(0, 1024, ...ends)),
    filesAtOnce: () => webkitRequestFileSystemSync(0, 1024),
    file: (to) => new Promise((...ends) => webkitResolveLocalFileSystemURL(
      `filesystem:${new URL(to).origin}/temporary/`, ...ends)),
    fileAtOnce: (to) => webkitResolveLocalFileSystemSyncURL(`filesystem:${new URL(to).origin}/temporary/`),
    storage: () => navigator.storage.getDirectory(),
    buckets: () => navigator.storageBuckets.open("b"),
    sendBeacon: (to) => navigator.sendBeacon(to, "m"),
    cookieStore: () => cookieStore.set("a", "b"),
  };
  const done = [];
  for (const [name, way] of Object.entries(ways)) {
    for (const host of [new URL(address).origin, "https://example.org"]) {
      try { await way(`${host}/${name}?told`); done.push(`${name} ${host}`); } catch { /* closed */ }
    }
  }
  try { await import("https://example.org/import.js?told"); done.push("import"); } catch { /* closed */ }
  return done;
}"""


def test_closed_ways_stop_python_sending_or_keeping(visit, browser: Browser, address: str):
    """No policy can forbid importing scripts of this origin; nothing does so."""
    page = browser.new_context().new_page()  # a refusal is an error on the console
    gone: list[str] = []
    page.goto(f"{address}/{CHAPTER}.html")
    begun(page)
    (worker,) = page.workers

    def arrived(route):
        gone.append(route.request.url)
        route.fulfill(body="", status=200, content_type="text/javascript")

    page.context.route("**/*", arrived)  # blocked requests do not get here
    assert worker.evaluate(TRIED, address) == []
    page.wait_for_timeout(500)
    assert gone == []
    page.context.unroute("**/*")
    assert len(draw(place(page))) == 5  # the page still works
    names = worker.evaluate(
        "() => { const n = []; for (let o = self; o; o = Object.getPrototypeOf(o))"
        " n.push(...Object.getOwnPropertyNames(o)); return n; }"
    )
    assert [name for name in names if "FileSystem" in name and name.startswith("webkit")] == []
    page.context.close()


def test_stated_size_is_the_loaded_size(visit):
    page = visit(CHAPTER)
    loaded: list[str] = []
    page.on("request", lambda request: loaded.append(request.url.split("/_static/")[-1]))
    said = place(page).locator(".survey-note").inner_text()
    begun(page)
    python = [name for name in loaded if name.startswith(("pyodide/", "ldpbook.zip", "python-worker.js"))]
    size = sum((HTML / "_static" / name).stat().st_size for name in python)
    assert f" {size / 1e6:.0f} MB," in said


def test_failing_python_is_reported_and_restarted(visit):
    page = visit(CHAPTER)
    section = begun(page)
    status = section.get_by_role("status").first
    (worker,) = page.workers
    worker.evaluate("() => { self.onmessage = () => { throw new Error('as if memory had run out'); }; }")
    section.locator(".survey-draw").click()
    expect(status).to_contain_text("Python failed, so nothing was done")
    expect(section.locator(".survey-draw")).not_to_have_attribute("aria-disabled", "true")
    assert len(draw(section)) == 5
    expect(status).to_contain_text("5 reports drawn")
    (worker,) = page.workers
    worker.evaluate("() => { self.onmessage = () => postMessage({ error: 'it fails' }); }")
    section.get_by_role("button", name="Join them").click()
    expect(section.get_by_role("status").nth(1)).to_contain_text("Python failed, so nothing was done")
    assert len(join(section, 100)) == 17


def test_failed_loading_is_reported_and_keeps_focus(browser: Browser, address: str):
    page = browser.new_context().new_page()  # a failure is an error on the console
    page.goto(f"{address}/{CHAPTER}.html")
    page.context.route("**/ldpbook.zip", lambda route: route.abort())
    start = place(page).get_by_role("button", name="Be the worker")
    start.focus()
    page.keyboard.press("Enter")
    expect(place(page).get_by_role("status")).to_contain_text("Loading failed", timeout=LOADED)
    expect(start).to_be_focused()
    page.context.unroute("**/ldpbook.zip")
    begun(page)
    page.context.close()


def test_changing_size_clears_estimates_and_messages(visit):
    section = begun(visit(CHAPTER))
    draw(section)
    join(section, 100)
    said = section.get_by_role("status").nth(1)
    expect(said).to_contain_text("100 others joined")
    group(section, "Others who answer").get_by_role("radio", name="1,000", exact=True).check()
    expect(said).to_be_empty()
    expect(section.locator(".survey-share")).to_have_count(0)


def test_crowd_joined_during_draws_is_current(visit):
    section = begun(visit(CHAPTER))
    draw(section)
    section.evaluate(
        "(section) => { section.querySelector('.survey-draw').click();"
        " section.querySelector('.survey-join').click(); }"
    )
    expect(section.get_by_role("status").nth(1)).to_contain_text("join them again", timeout=LOADED)
    expect(section.locator(".survey-share")).to_have_count(0)


def test_a_belief_is_never_shown_as_certain(visit):
    section = begun(visit(CHAPTER))
    answer(section, [0] * 5)
    group(section, "Epsilon of each question").get_by_role("radio", name="4", exact=True).check()
    for _ in range(6):
        draw(section)
    shown = section.locator(".survey-belief").all_inner_texts()
    assert all("at most 99.9… %" in each for each in shown)
    assert not any("100.0 %" in each or " 0.00 %" in each for each in shown)


def test_nothing_is_left_after_going_back(browser: Browser, address: str):
    """Use a browser that keeps pages for its "Back" button; other tests switch this off."""
    with browser.browser_type.launch(
        executable_path=next(filter(None, map(shutil.which, PROGRAMS))),
        args=["--no-sandbox"],
        ignore_default_args=["--disable-back-forward-cache"],
    ) as keeping:
        page = keeping.new_context().new_page()
        page.goto(f"{address}/{CHAPTER}.html")
        section = begun(page)
        answer(section, [0] * 5)
        draw(section)
        page.evaluate(
            "() => { addEventListener('pageshow', (e) => { sessionStorage.kept = e.persisted; });"
            " addEventListener('pagehide', () => {"
            " sessionStorage.checked = document.querySelectorAll('.be-worker input:checked').length;"
            " sessionStorage.told = document.querySelectorAll('.survey-report').length; }); }"
        )
        page.goto(f"{address}/book/practice/scale.html")
        assert page.evaluate("() => [sessionStorage.checked, sessionStorage.told]") == ["0", "0"]
        page.go_back()
        page.wait_for_function("() => sessionStorage.kept")
        assert page.evaluate("() => sessionStorage.kept") == "true", "the browser has not kept the page"
        expect(place(page).get_by_role("button", name="Be the worker")).to_be_visible()
        expect(section.locator(".survey-report")).to_have_count(0)
        expect(section.locator("input")).to_have_count(0)


def test_reports_have_the_distribution_of_the_package(visit):
    """The function that the button calls, 3,400 times: 10,200 reports of three symbols, 6,800 of four."""
    page = visit(CHAPTER)
    begun(page)
    answers, epsilon, times = [0, 1, 2, 0, 3], 1.0, 3400
    heard = page.evaluate(
        """async ([address, request, times]) => {
          const { ask } = await import(address);
          const counts = {};
          for (let k = 0; k < times; k += 1) {
            const { sent } = JSON.parse(await ask('asked', request));
            sent.at(-1).forEach((report, question) => {
              const key = `${question} ${report}`;
              counts[key] = (counts[key] ?? 0) + 1;
            });
          }
          return counts;
        }""",
        [
            page.evaluate("() => new URL('../../_static/python.js', location).href"),
            json.dumps({"answers": answers, "epsilon": epsilon, "sent": []}),
            times,
        ],
    )
    for symbols in (3, 4):
        asked_of = [k for k, question in enumerate(worker.QUESTIONS) if len(question.law) == symbols]
        kept = sum(heard[f"{k} {answers[k]}"] for k in asked_of)
        n, keep = times * len(asked_of), response_weights(epsilon=epsilon, n_symbols=symbols)[0] / WORD
        assert abs(kept / n - keep) < 4 * (keep * (1 - keep) / n) ** 0.5
        for k in asked_of:  # lies are equally probable; each of the 12 shares is allowed five standard errors
            for lie in set(range(symbols)) - {answers[k]}:
                share = (1 - keep) / (symbols - 1)
                assert abs(heard[f"{k} {lie}"] / times - share) < 5 * (share * (1 - share) / times) ** 0.5


def test_page_shows_the_report_and_its_meaning(visit):
    section = begun(visit(CHAPTER))
    answers = [0, 1, 2, 0, 1]
    answer(section, answers)
    reports = draw(section)
    under = section.get_by_role("table", name="answers to different questions as independent")
    expect(under).to_have_count(1)  # otherwise reports on other questions also reveal an answer
    shown = section.locator(".survey-yours tbody tr")
    for k, (question, given, report) in enumerate(zip(worker.QUESTIONS, answers, reports, strict=True)):
        row = shown.nth(k)
        expect(row.locator(".survey-answer")).to_have_text(question.answers[given])
        lie = "" if given == report else ", a lie"
        expect(row.locator(".survey-report")).to_have_text(question.answers[report] + lie)
        prior = [share / 100 for share in question.law]  # Bayes' rule, written out
        weights = [p * (exp(1) if x == report else 1) for x, p in enumerate(prior)]
        belief = row.locator(".survey-belief")
        after = float(belief.get_attribute("data-after"))
        assert after == pytest.approx(weights[given] / sum(weights), rel=1e-9)
        most = float(belief.get_attribute("data-most"))
        odds = prior[given] / (1 - prior[given])
        assert log(most / (1 - most) / odds) == pytest.approx(1)
        assert after <= most * (1 + 1e-12)
    expect(section.locator(".survey-cost")).to_contain_text("Epsilon is 1 per question and 5 for all")
    draw(section)
    expect(section.locator(".survey-cost")).to_contain_text("2 per question and 10 for all")
    expect(section.locator(".survey-cost")).to_contain_text("A real survey asks once")
    group(section, "Epsilon of each question").get_by_role("radio", name="4", exact=True).check()
    expect(section.locator(".survey-report")).to_have_count(0)  # a new survey starts empty
    expect(section.get_by_role("button", name="Join them")).not_to_be_visible()
    draw(section)
    expect(section.locator(".survey-cost")).to_contain_text("Epsilon is 4 per question and 20 for all")


def test_crowd_answers_emerge_and_hers_stays_hidden(visit):
    section = begun(visit(CHAPTER))
    answer(section, [0, 0, 0, 0, 0])
    draw(section)
    before = section.locator(".survey-belief").all_text_contents()
    errors = {}
    for others in (100, 100_000):
        found = join(section, others)
        errors[others] = [float(each["error"]) for each in found]
        for each in found:  # entropy cannot be fixed, so 34 estimates are allowed five standard errors
            assert abs(float(each["share"]) - float(each["law"])) < 5 * float(each["error"])
    assert all(b < a / 20 for a, b in zip(*errors.values(), strict=True))
    assert section.locator(".survey-belief").all_text_contents() == before


def focused(page: Page, attribute: str) -> str:
    return page.evaluate("(name) => document.activeElement.getAttribute(name) ?? ''", attribute)


def test_page_works_by_keyboard_alone(visit):
    page = visit(CHAPTER)
    for _ in range(300):
        page.keyboard.press("Tab")
        if "survey-start" in focused(page, "class"):
            break
    page.keyboard.press("Enter")
    section = place(page)
    expect(section).to_have_attribute("data-live", "ready", timeout=LOADED)
    for k, question in enumerate(worker.QUESTIONS):
        assert focused(page, "name") == f"survey-{k}"
        seen = "() => getComputedStyle(document.activeElement).outlineStyle !== 'none'"
        assert page.evaluate(seen), "no visible focus"
        page.keyboard.press("ArrowDown")  # from the last element to the first
        assert group(section, question.text).locator("input:checked").input_value() == "0"
        page.keyboard.press("Tab")
    assert focused(page, "name") == "survey-epsilon"
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Tab")
    assert "survey-draw" in focused(page, "class")
    said = section.get_by_role("status").first
    expect(said).to_have_attribute("aria-live", "polite")
    expect(said).to_be_empty()  # it must be present before it is filled; otherwise it is not announced
    page.keyboard.press("Space")
    expect(said).to_contain_text("5 reports drawn")
    expect(said).to_contain_text("Nothing was sent")
    assert "survey-draw" in focused(page, "class")  # the focus is not lost
    expect(section.locator(".survey-cost")).to_contain_text("Epsilon is 2 per question and 10 for all")
    page.keyboard.press("Tab")
    assert focused(page, "name") == "survey-others"
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("Tab")
    assert "survey-join" in focused(page, "class")
    page.keyboard.press("Enter")
    expect(section.get_by_role("status").nth(1)).to_contain_text("1,000 others joined", timeout=LOADED)
    assert "survey-join" in focused(page, "class")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_page_is_accessible_named_and_fits(visit, scheme):
    page = visit(CHAPTER, color_scheme=scheme)
    section = begun(page)
    unfold(page)
    answer(section, [0, 1, 2, 0, 1])
    draw(section)
    join(section, 100)
    for question in worker.QUESTIONS:
        for words in question.answers:
            choices = group(section, question.text)
            expect(choices.get_by_role("radio", name=words, exact=True)).to_have_count(1)
    for name in ("Draw again", "Join them"):
        expect(section.get_by_role("button", name=name)).to_have_count(1)
    for name in ("Your five answers", "Estimates from 100 others"):
        expect(section.get_by_role("table", name=name)).to_have_count(1)
    expect(page.get_by_role("region", name="Be the worker")).to_have_count(1)
    for screen in (DESKTOP, PHONE):
        page.set_viewport_size(screen)
        page.evaluate("() => scrollTo(0, 0)")  # the theme's button "back to top" disappears there
        expect(page.locator("#pst-back-to-top")).not_to_be_visible()
        assert not barriers(page, coloured=".be-worker *")
        assert page.evaluate("() => document.documentElement.scrollWidth") <= screen["width"]
        wide = section.evaluate(
            "(section) => [...section.querySelectorAll('*')].filter((e) => e.scrollWidth > e.clientWidth + 1"
            " && getComputedStyle(e).overflowX !== 'visible').map((e) => e.outerHTML.slice(0, 80))"
        )
        assert wide == []
        drawn = page.locator("figure.survey-still svg text").evaluate_all(
            "(texts) => texts.filter((t) => t.getBBox().x + t.getBBox().width > 360)"
            ".map((t) => t.textContent)"
        )
        assert drawn == []


def test_loaded_page_works_without_a_network(visit):
    page = visit(CHAPTER)
    section = begun(page)
    page.context.set_offline(True)
    assert len(draw(section)) == 5
    assert len(join(section, 100)) == 17
    page.context.set_offline(False)


def test_without_javascript_or_on_paper_only_still_remains(visit, browser: Browser):
    page = visit(CHAPTER, java_script_enabled=False)
    expect(page.locator("figure.survey-still svg")).to_be_visible()
    expect(place(page).locator(".survey-start")).not_to_be_visible()
    expect(place(page).locator(".survey-note")).to_contain_text("Answering needs JavaScript")
    page = visit(CHAPTER)
    page.emulate_media(media="print")
    expect(place(page)).not_to_be_visible()
    expect(page.locator("figure.survey-still svg")).to_be_visible()
    page = browser.new_page()  # from the disk, where modules are not loaded
    page.goto((HTML / f"{CHAPTER}.html").as_uri(), wait_until="load")
    expect(page.locator("figure.survey-still svg")).to_be_visible()
    expect(place(page).locator(".survey-note")).to_contain_text("from a web server")
    page.close()
