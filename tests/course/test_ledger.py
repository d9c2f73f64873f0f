"""The ledger: every entry is computed, every verdict supported, every page up to date."""

import ast
import dataclasses
import importlib
import os
import re
import subprocess
import sys
import tomllib
from datetime import date
from html import unescape

import pytest
import yaml
from toc import MODULES, ROOT, notebook_cells

from ldpbook._lazy import PARTS
from ldpcourse import ledger
from ldpcourse._entries import entries_of, homes
from ldpcourse.ledger import Finding, Outcome, Verdicts, __main__ as command, judge
from ldpcourse.ledger.claim import Claim, Reading, Verdict
from ldpcourse.ledger.pages import MERGED, errata_page, ledger_page

CLAIMS = tuple(ledger.entries())
LEDGER, ERRATA = (
    (ROOT / "book" / "reference" / name).read_text(encoding="utf-8") for name in ("claims.md", "errata.md")
)


def about(claim_id: str, page: str) -> str:
    """A page's text on one claim: its section, and the lines that point at it."""
    section = re.search(rf"^\(claim-{claim_id}\)=\n.*?(?=^\(claim-|^## |\Z)", page, re.MULTILINE | re.DOTALL)
    lines = [
        line for line in page.splitlines() if line.startswith(("| ", "- ")) and f"(#claim-{claim_id})" in line
    ]
    return "\n".join([*lines, section[0] if section else ""])


def outline(page: str) -> str:
    """A page without its texts on claims: the claims' names in its order, and all other text."""
    page = re.sub(r"^[|-] .*(\[[\w-]+\]\(#claim-[\w-]+\)).*$", r"\1", page, flags=re.MULTILINE)
    return re.sub(
        r"^(\(claim-[\w-]+\)=\n).*?(?=^\(claim-|^## |\Z)", r"\1", page, flags=re.MULTILINE | re.DOTALL
    )


def read_back(claim: Claim, text: str) -> Finding:
    """A finding from the words of a table, which must describe the claim as the code states it."""
    (told,) = re.findall(rf"^{claim.id}: .*(?:\n    .*)+", text, re.MULTILINE)
    lines = [line.split() for line in told.splitlines()[1:]]
    finding = Finding(
        claim,
        tuple(
            Outcome(reading, float(number.replace(",", "")), holds=sign in ("=", "≈", "≤", "≥"))
            for reading, (number, sign, _) in zip(claim.readings, lines, strict=True)
        ),
    )
    assert repr(Verdicts((finding,))) == told, f"make notebooks: {claim.chapter}"
    return finding


def shown(claim: Claim) -> Finding:
    """Findings on a claim in the stored outputs of its chapter, from cells whose outputs nbval compares."""
    cells = [
        cell
        for cell in notebook_cells(f"book/{claim.chapter}")
        if cell["cell_type"] == "code" and not re.search(r"(?i)nbval|raises-exception", str(cell))
    ]
    outputs = [output.get("data", {}) for cell in cells for output in cell["outputs"]]
    return read_back(claim, "\n\n".join("".join(data.get("text/plain", "")) for data in outputs))


@pytest.fixture(scope="module")
def compared(request) -> set[str]:
    """Chapters that this run, or an unchanged earlier one, executes and compares with stored outputs."""
    strict = request.config.getoption("nbval", default=False)
    before = request.config.pluginmanager.get_plugin("left out")
    unchanged = (
        {name.removeprefix("book/").removesuffix(".ipynb") for name in before.left_out} if before else set()
    )
    return unchanged | {
        item.path.relative_to(ROOT / "book").with_suffix("").as_posix()
        for item in request.session.items
        if strict and item.path.suffix == ".ipynb" and not item.get_closest_marker("skip")
    }


@pytest.mark.parametrize("claim", CLAIMS, ids=lambda claim: claim.id)
def test_verdict_is_borne_out_and_on_the_pages(claim, compared):
    """Each claim is computed once: not here if its chapter is executed and compared with its outputs."""
    finding = shown(claim) if claim.chapter in compared else judge(claim)
    told = [f"{o.computed} {o.comparison}" for o in finding.outcomes]
    assert finding.consistent, f"{told}: not {claim.verdict}"
    assert "{" not in finding.text
    assert about(claim.id, LEDGER) == about(claim.id, ledger_page([finding]))
    assert about(claim.id, ERRATA) == about(claim.id, errata_page([finding]))


@pytest.mark.parametrize("claim", CLAIMS, ids=lambda claim: claim.id)
def test_chapter_of_a_claim_shows_every_reading(claim):
    """The stored outputs support the verdict, even if this run does not compute the claim."""
    assert shown(claim).consistent


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("1.79788", "1.79789"),
        ("≈ 1.8", "≠ 1.8"),
        ("≈ 1.8", "≈ 1.9"),
        (": reproduced", ": corrected"),
        ("printed 1.8", "printed 1.9"),
        ("\n    1.79788 ≈ 1.8", ""),
        ("mf-example", "mf-examples"),
    ],
)
def test_table_words_are_read_back_or_refused(old, new):
    """Text with a change in its two lines is no output of the code, whatever the pages say."""
    known = ledger.get("mf-example")
    text = repr(ledger.table("web-answers", "mf-example"))
    assert repr(Verdicts((read_back(known, text),))) in text
    assert text.count(old) >= 1
    with pytest.raises((AssertionError, ValueError)):
        read_back(known, text.replace(old, new, 1))


def test_pages_hold_all_claims_and_nothing_else():
    """Numbers on the pages are compared claim by claim, whatever this run computes."""
    judged = [
        Finding(claim, tuple(Outcome(reading, reading.target, holds=True) for reading in claim.readings))
        for claim in CLAIMS
    ]
    assert outline(LEDGER) == outline(ledger_page(judged))
    assert outline(ERRATA) == outline(errata_page(judged))
    assert all(f"(claim-{claim.id})=" in outline(LEDGER) for claim in CLAIMS)
    assert outline(LEDGER).count(" tolerance ") == 0


WORDS = """You took *n* for p*q and r*s: {math}`a`, $x_1$ is <b>no</b> price & [a](b).
1986. A good year \\
# No -- heading
    x  = 1

- We meant `answers`: with them it is 1,770.
"""


def answered_by(claim: ledger.Claim, *said: str, **changed) -> Finding:
    """The entry followed by the author's answers in order."""
    replies = [
        ledger.Reply(author=f"A. *N.* Author {k}", date=date(2027, 1, k), words=words)
        for k, words in enumerate(said, start=1)
    ]
    return judge(dataclasses.replace(claim, replies=tuple(replies), **changed))


def test_author_answers_follow_their_entry():
    """Both pages show answers after their entry, in the order of arrival."""
    entry, neighbour = ledger.get("web-answers"), judge(ledger.get("mf-example"))
    answered = answered_by(entry, "First\n\nand last.", "Second")
    page = ledger_page([answered, neighbour])
    said = page.partition(f"(claim-{entry.id})=")[2].partition("(claim-mf-example)=")[0]
    assert said.index("2027-01-01") < said.index("\n> First\n>\n> and last") < said.index("\n> Second")
    assert said.count("Being looked into") == 2
    errata = errata_page([answered])
    at = [
        errata.index(part) for part in (f"(#claim-{entry.id})", "\n  > First\n", "  > Second", "## Of this")
    ]
    assert at == sorted(at)
    (first, second) = answered.claim.replies
    settled = dataclasses.replace(second, outcome="Reproduced under the *author's* reading.")
    page = ledger_page([judge(dataclasses.replace(entry, replies=(first, settled)))])
    assert "*What became of it:* Reproduced under the *author's* reading." in page
    assert page.count("Being looked into") == 1


def test_an_authors_words_are_shown_letter_by_letter():
    """As the book's parser reads them: Markdown marks have no effect; lines and blanks stay."""
    parsers = pytest.importorskip("myst_parser.parsers.mdit", reason="needs what builds the pages")
    from markdown_it.renderer import RendererHTML
    from myst_parser.config.main import MdParserConfig

    settings = yaml.safe_load((ROOT / "_config.yml").read_text(encoding="utf-8"))["parse"]
    config = MdParserConfig(enable_extensions=set(settings["myst_enable_extensions"]))
    answered = answered_by(ledger.get("web-answers"), WORDS)
    for page in (ledger_page([answered]), errata_page([answered])):
        html = parsers.create_md_parser(config, RendererHTML).render(page)
        quoted = html.partition("<blockquote>")[2].partition("</blockquote>")[0]
        assert set(re.findall(r"<(\w+)", quoted)) == {"p", "br"}
        shown = unescape(re.sub(r"<[^>]*>", "", quoted.replace("</p>\n<p>", "\n\n"))).strip("\n")
        assert shown.replace("\N{NO-BREAK SPACE}", " ") == WORDS.strip("\n")
        assert "<strong>A. *N.* Author 1 answers</strong>" in html


def test_chapters_say_that_an_author_has_answered():
    entry = ledger.get("web-answers")
    assert "answered by an author" in Verdicts((answered_by(entry, "No."),))._repr_html_()
    assert "answered" not in Verdicts((judge(entry),))._repr_html_()


def test_verdict_turned_by_author_stays_in_errata():
    entry = ledger.get("web-answers")
    turned = answered_by(entry, "Turned.", verdict=Verdict.UNDECIDED)
    own = errata_page([turned]).partition("## Of this book")[2]
    assert "\n  > Turned" in own
    assert f"[{entry.id}](#claim-{entry.id}), now **{Verdict.UNDECIDED}**" in own
    assert "None so far" in errata_page([answered_by(entry, "Not turned.")])


def test_a_change_of_a_page_is_seen():
    """The comparisons above notice a single change in a page."""
    known = ledger.get("mf-example")
    page = ledger_page([judge(known)])
    for old, new in [("1.79788", "1.79789"), ("| 1.8 |", "| 1.9 |"), ("Readings tried", "Tried")]:
        assert about("mf-example", page) != about("mf-example", page.replace(old, new))
        assert outline(page) == outline(page.replace(old, new))
    for old, new in [("# The claims", "# All claims"), ("| reproduced | 1 |", "| reproduced | 2 |")]:
        assert outline(page) != outline(page.replace(old, new))


def test_a_claim_is_found_without_the_other_parts():
    """Claims named in a part's modules are found without importing the other parts."""
    written = homes("ledger", ledger._ID)
    parts = {claim.id: part for part in PARTS for claim in entries_of(part, "ledger")}
    assert written.items() <= parts.items()
    assert len(written) > 0.8 * len(parts)
    assert [ledger.get(claim.id) for claim in CLAIMS] == list(CLAIMS)
    code = (
        "import sys, ldpcourse.ledger as c; assert not {'numpy', 'pandas'} & set(sys.modules); "
        "c.get('rr-binary'); assert not {'pandas', 'scipy.stats', 'ldpbook.class_ratios'} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_ids_are_unique_and_chapters_exist():
    ids = {claim.id for claim in CLAIMS}
    assert set(MERGED.values()) <= ids
    assert not set(MERGED) & ids
    assert len({claim.id for claim in CLAIMS}) == len(CLAIMS)
    for claim in CLAIMS:
        assert (ROOT / "book" / f"{claim.chapter}.ipynb").exists(), claim.chapter


def entry(verdict: Verdict, *computed: float, relation: str = "=") -> Claim:
    readings = tuple(
        Reading(words="w", compute=lambda x=x: x, relation=relation, target=1.0, tolerance=0.1)
        for x in computed
    )
    return Claim(
        id="x",
        source="sun2018truth",
        place="p",
        statement="st",
        readings=readings,
        verdict=verdict,
        finding="{computed}",
        chapter="c",
    )


@pytest.mark.parametrize(
    ("relation", "computed", "holds", "comparison"),
    [
        ("=", 1.05, True, "≈ 1"),
        ("=", 0.95, True, "≈ 1"),
        ("=", 1.2, False, "≠ 1"),
        ("=", 0.8, False, "≠ 1"),
        ("<=", 1.05, True, "≤ 1"),
        ("<=", -9, True, "≤ 1"),
        ("<=", 1.2, False, "> 1"),
        (">=", 0.95, True, "≥ 1"),
        (">=", 9, True, "≥ 1"),
        (">=", 0.8, False, "< 1"),
    ],
)
def test_a_comparison_reads_true(relation, computed, holds, comparison):
    (outcome,) = judge(entry(Verdict.UNDECIDED, computed, relation=relation)).outcomes
    assert (outcome.computed, outcome.holds, outcome.comparison) == (computed, holds, comparison)


@pytest.mark.parametrize(
    ("readings", "borne_out", "decided_by"),
    [
        ((1.0,), {"REPRODUCED", "READING"}, {}),
        ((2.0,), {"CORRECTED", "REFUTED"}, {}),
        ((2.0, 1.0), {"READING", "CORRECTED", "REFUTED"}, {"READING": 1.0, "REFUTED": 2.0}),
        ((1.0, 2.0), {"READING", "CORRECTED", "REFUTED"}, {"READING": 1.0, "CORRECTED": 2.0}),
    ],
)
def test_verdicts_follow_from_readings(readings, borne_out, decided_by):
    for verdict in Verdict:
        finding = judge(entry(verdict, *readings))
        assert finding.consistent == (verdict.name in borne_out | {"UNDECIDED"})
        if verdict.name in decided_by:
            assert finding.decisive.computed == decided_by[verdict.name]
            assert finding.text == f"{decided_by[verdict.name]:.0f}"


def test_failed_computation_supports_no_verdict():
    for verdict in Verdict:
        assert not judge(entry(verdict, float("nan"))).consistent
        assert not judge(entry(verdict, 1.0, float("nan"))).consistent


@pytest.mark.parametrize("claim", CLAIMS, ids=lambda claim: claim.id)
def test_entries_are_self_contained(claim):
    """No entry points at another, every reading is described, and only printed numbers are called printed."""
    for text in (claim.statement, *(reading.words for reading in claim.readings)):
        assert text[0].isupper() or not text[0].isalpha()
        assert text[-1] in ".:)"
        assert not text.startswith(("The same", "The previous", "This "))
    assert "{computed}" not in claim.statement
    if claim.printed is not None:
        printed = float(claim.printed.replace(",", "").rstrip(" %")) / (100 if "%" in claim.printed else 1)
        assert any(reading.target == pytest.approx(printed, rel=1e-3) for reading in claim.readings)


def test_tables_escape_and_show_every_column():
    shown = ledger.table("mf-example", "lp-bound")
    assert list(shown.frame.columns) == ["claim", "place", "printed", "computed", "comparison", "verdict"]
    html = shown._repr_html_()
    assert html.count("<tr>") == 3
    assert "&gt; " in html
    assert 'class="verdict verdict-refuted"' in html


def test_tables_refuse_verdicts_that_are_not_borne_out(monkeypatch):
    monkeypatch.setattr(ledger, "get", lambda claim_id: entry(Verdict.REPRODUCED, 3.0))
    with pytest.raises(ValueError, match="borne out"):
        ledger.table("x")


def test_command_prints_and_refuses_false_verdicts(monkeypatch, capsys, tmp_path):
    known = ledger.get("mf-example")
    monkeypatch.setattr(command, "entries", lambda: iter((known,)))
    command.main(["--write", str(tmp_path)])
    assert "mf-example" in capsys.readouterr().out
    assert "claim-mf-example" in (tmp_path / "claims.md").read_text(encoding="utf-8")
    wrong = dataclasses.replace(entry(Verdict.REPRODUCED, 3.0), id="mf-example")
    monkeypatch.setattr(command, "entries", lambda: iter((wrong,)))
    with pytest.raises(SystemExit, match="not borne out: mf-example"):
        command.main([])


def test_command_names_skipped_claims(monkeypatch, capsys, tmp_path):
    def missing():
        raise ImportError("nowhere")

    reading = Reading(words="w", compute=missing, relation="=", target=1.0)
    gone = dataclasses.replace(ledger.get("mf-example"), readings=(reading,))
    monkeypatch.setattr(command, "entries", lambda: iter((gone,)))
    command.main([])
    assert "skipped: nowhere" in capsys.readouterr().out
    with pytest.raises(SystemExit, match="missing for mf-example"):
        command.main(["--write", str(tmp_path)])


@pytest.mark.parametrize("folder", ["nowhere", "file", "closed"])
def test_command_refuses_a_folder_before_computing(monkeypatch, capsys, tmp_path, folder):
    (tmp_path / "file").touch()
    (tmp_path / "closed").mkdir()
    monkeypatch.setattr(os, "access", lambda path, mode: path.name != "closed")  # root may write anywhere
    monkeypatch.setattr(command, "entries", lambda: pytest.fail("computed"))
    with pytest.raises(SystemExit, match="2"):
        command.main(["--write", str(tmp_path / folder)])
    assert "needs a folder that is there and can be written to" in capsys.readouterr().err


def test_command_passes_a_fault_of_a_computation_on(monkeypatch):
    def wrong():
        raise ValueError("epsilon")

    reading = Reading(words="w", compute=wrong, relation="=", target=1.0)
    faulty = dataclasses.replace(ledger.get("mf-example"), readings=(reading,))
    monkeypatch.setattr(command, "entries", lambda: iter((faulty,)))
    with pytest.raises(ValueError, match="epsilon"):
        command.main([])


def test_command_ends_with_sentence_if_imports_fail(monkeypatch):
    def entries():
        yield ledger.get("mf-example")
        raise ImportError("sklearn is not installed")

    monkeypatch.setattr(command, "entries", entries)
    with pytest.raises(SystemExit, match="cannot be imported: sklearn is not installed"):
        command.main([])


def test_command_names_the_extra_that_is_missing(monkeypatch, capsys):
    """Without phe, the claim that needs it is skipped, and the next one is computed."""
    monkeypatch.setitem(sys.modules, "phe", None)
    monkeypatch.setitem(sys.modules, "phe.paillier", None)
    monkeypatch.delitem(sys.modules, "ldpbook.localization.encrypted_inference", raising=False)
    needs = Reading(
        words="w",
        compute=lambda: importlib.import_module("ldpbook.localization.encrypted_inference"),
        relation="=",
        target=1.0,
    )
    gone = dataclasses.replace(ledger.get("mf-example"), id="gone", readings=(needs,))
    monkeypatch.setattr(command, "entries", lambda: iter((gone, ledger.get("mf-example"))))
    command.main([])
    first, second, total = capsys.readouterr().out.splitlines()
    assert "gone" in first
    assert "skipped: phe is not installed: pip install 'ldpbook[encryption]'" in first
    assert second.startswith("mf-example")
    assert total == "1 judged, 1 skipped"


def test_extras_bring_the_imported_packages():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = project["optional-dependencies"]
    distributions = {
        "IPython": "ipython",
        "sklearn": "scikit-learn",
        "matplotlib_inline": "matplotlib-inline",
    }
    found = set()
    for path in MODULES.values():
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.With) and getattr(node.items[0].context_expr, "func", None):
                call = node.items[0].context_expr
                if getattr(call.func, "id", "") == "extra":
                    named = ast.literal_eval(call.args[0])
                    found.add(named)
                    brought = {re.match(r"[\w-]+", line)[0] for line in extras[named]}
                    for line in (line for line in node.body if isinstance(line, ast.Import | ast.ImportFrom)):
                        module = (getattr(line, "module", None) or line.names[0].name).split(".")[0]
                        assert distributions.get(module, module.replace("_", "-")) in brought, (
                            path.name,
                            module,
                        )
    assert found == {"book", "class-ratios", "datasets", "encryption", "scale"}


def test_extras_are_imported_only_by_their_names():
    """Imports outside ``extra(...)`` come with the package.

    The exceptions run inside code that names the extra: a kept run's cell in `Run.row`, nbgrader in `main`.
    """
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    own = {re.match(r"[\w-]+", line)[0] for line in project["dependencies"]} | {"ldpbook", "ldpcourse"}
    bare = []
    for path in MODULES.values():
        tree = ast.parse(path.read_text(encoding="utf-8"))
        named = {"nbgrader"} if path.name == "_nbgrader.py" else set()
        guarded = {
            line
            for node in ast.walk(tree)
            if (isinstance(node, ast.With) and ast.unparse(node.items[0]).startswith("extra("))
            or (isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING")
            or (path.parent.name == "runs" and isinstance(node, ast.FunctionDef))
            for line in ast.walk(node)
        }
        for node in ast.walk(tree):
            if isinstance(node, ast.Import | ast.ImportFrom) and node not in guarded:
                modules = [node.module] if isinstance(node, ast.ImportFrom) else [n.name for n in node.names]
                names = {module.partition(".")[0] for module in modules} - sys.stdlib_module_names
                bare += [f"{path.relative_to(ROOT)}:{node.lineno} {name}" for name in names - own - named]
    assert bare == []


def test_unknown_claim():
    with pytest.raises(ValueError, match=r"^claim_id must be one of rr-binary"):
        ledger.get("no-such")
    for wrong in (3, None, ["mf-example"]):
        with pytest.raises(TypeError, match=r"^claim_id must be"):
            ledger.get(wrong)
