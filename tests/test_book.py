"""Requirements on every chapter, checked on the stored notebooks and pages."""

import ast
import functools
import importlib.util
import inspect
import re
import sys
import tomllib
from collections import defaultdict
from importlib.metadata import packages_distributions
from unittest.mock import Mock

import pytest
from IPython.core.inputtransformer2 import TransformerManager
from ldp_sphinx.deeper import deeper_sections
from prose_numbers import source
from toc import CHAPTERS, MODULES, PACKAGES, PAGES, ROOT, names, notebook_cells, public_modules

import ldpbook
from ldpcourse import ledger

API = "".join(page.read_text(encoding="utf-8") for page in (ROOT / "book" / "reference" / "api").glob("*.md"))
OWN = tuple(f"{package}." for package in PACKAGES)
PUBLIC = (*public_modules(), *public_modules("ldpcourse"))
PROMISE = "**What you will be able to do after this chapter**"
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]


@functools.cache
def prose(chapter: str) -> str:
    return "\n\n".join(source(cell) for cell in notebook_cells(chapter) if cell["cell_type"] == "markdown")


@functools.cache
def code_cells(chapter: str) -> list[dict]:
    return [cell for cell in notebook_cells(chapter) if cell["cell_type"] == "code"]


def public_functions():
    for name in PUBLIC:
        module = importlib.import_module(name)
        for function in module.__all__:
            yield pytest.param(name, getattr(module, function), id=f"{name}.{function}")


def test_every_page_is_in_the_table_of_contents():
    found = {
        p.relative_to(ROOT).with_suffix("").as_posix()
        for s in ("md", "ipynb")
        for p in (ROOT / "book").rglob(f"*.{s}")
        if ".ipynb_checkpoints" not in p.parts
    }
    assert found == set(PAGES)


@pytest.mark.parametrize("chapter", CHAPTERS)
class TestChapter:
    def test_chapter_opens_with_title_subtitle_and_scene(self, chapter):
        opening, _, objectives = prose(chapter).partition(PROMISE)
        title, subtitle, *scene = opening.strip().split("\n", 2)
        assert re.fullmatch(r"# [^$\n]+", title)
        assert re.fullmatch(r"\*[^*]+\*", subtitle)
        assert re.search(r"\b(Ann|Bob|Cem|Eve)\b", scene[0])
        assert len(opening.split()) < 250
        assert 2 <= len(re.findall(r"^- ", objectives.partition("\n## ")[0], re.MULTILINE)) <= 5
        assert sum("hide-input" in cell["metadata"].get("tags", []) for cell in code_cells(chapter)[:3]) >= 1

    def test_chapter_has_objectives_summary_and_exercises(self, chapter):
        text = prose(chapter)
        assert text.index(PROMISE) < text.index("\n## ")
        assert 0 < text.index("```{admonition} Summary") < text.index("## Exercises")

    def test_chapter_has_four_exercises_with_running_solutions(self, chapter):
        text = prose(chapter)
        exercises = re.findall(r"^`{3,}\{exercise\}.*\n:label: (\S+)", text, re.MULTILINE)
        solutions = re.findall(r"^`{3,}\{solution-start\} (\S+)\n:class: dropdown", text, re.MULTILINE)
        assert len(exercises) >= 4
        assert exercises == solutions
        assert text.count("{solution-end}") == len(solutions)
        inside, with_code = "", set()
        for cell in notebook_cells(chapter):
            if cell["cell_type"] == "code" and inside:
                with_code.add(inside)
            started = re.search(r"\{solution-start\} (\S+)", source(cell))
            ended = "{solution-end}" in source(cell)
            if started and source(cell).rfind("{solution-start}") > source(cell).rfind("{solution-end}"):
                inside = started.group(1)
            elif ended:
                inside = ""
        assert with_code == set(exercises)

    def test_chapter_ends_with_self_check_questions(self, chapter):
        """Each question has three choices or more; one is right, and every choice has a reason."""
        text = prose(chapter).split("## Check yourself\n", 1)[1]
        asked = re.split(r"^\*\*(\d+)\. .+\*\*$", text, flags=re.MULTILINE)
        assert [int(number) for number in asked[1::2]] == list(range(1, len(asked[1::2]) + 1))
        assert len(asked[1::2]) >= 3
        places = []
        for choices in asked[2::2]:
            found = re.findall(
                r"^`{4}\{dropdown\} ([^$`\n]+[^$`\n.])\n(Right|No)\. (.+?)\n`{4}$", choices, re.M | re.S
            )
            assert len(found) == choices.count("{dropdown}") >= 3
            assert all(len(why.split()) >= 4 for _, _, why in found), choices
            verdicts = [verdict for _, verdict, _ in found]
            assert verdicts.count("Right") == 1, choices
            places.append(verdicts.index("Right"))
        assert len(set(places)) > 1, "the right choice always stands at the same place"

    def test_stored_outputs_are_whole(self, chapter):
        for cell in code_cells(chapter):
            assert "execution" not in cell["metadata"], "timestamps: run make notebooks"
            for output in cell["outputs"]:
                assert output["output_type"] != "error", source(cell)
                assert output.get("name") != "stderr", source(cell)
                text = "".join(output.get("text", ""))
                assert not re.search(r"0x[0-9a-f]{6,}|Warning|/tmp/|it/s\]", text), text
            if re.search(r"^ *(print|ledger\.table)\(", source(cell), re.MULTILINE):
                assert cell["outputs"], f"no stored output: {source(cell)}"

    def test_code_cells_are_short_and_plain(self, chapter):
        for cell in code_cells(chapter):
            text = source(cell)
            assert len(text.splitlines()) <= 25, text
            assert max(map(len, text.splitlines())) <= 84, text
            assert not re.search(r"np\.random\.(?!default_rng|Generator)\w", text), text
            assert "NBVAL" not in text

    def test_figures_have_alt_text_and_caption(self, chapter):
        for cell in code_cells(chapter):
            if any("image/svg+xml" in output.get("data", {}) for output in cell["outputs"]):
                about = cell["metadata"]["mystnb"]
                assert len(about["image"]["alt"]) > 60
                assert len(about["figure"]["caption"]) > 40
                assert about["figure"]["name"].startswith("fig-")
            for output in cell["outputs"]:
                assert not {"image/png", "image/jpeg"} & set(output.get("data", {})), (
                    "nbval does not compare these"
                )


def sections(chapter: str) -> list[tuple[str, list[dict]]]:
    """Headings of a chapter in order, each with the code cells below it; the summary counts as one."""
    found: list[tuple[str, list[dict]]] = []
    for cell in notebook_cells(chapter):
        if cell["cell_type"] == "code":
            if found:
                found[-1][1].append(cell)
        else:
            heading = r"^## (.+)$|^```\{admonition\} (Summary)$"
            found += [(a or b, []) for a, b in re.findall(heading, source(cell), re.MULTILINE)]
    return found


def by_section(chapter: str) -> list[tuple[str, str, str]]:
    """Heading, prose and code of each section, the opening first."""
    found = [["", "", ""]]
    for cell in notebook_cells(chapter):
        if cell["cell_type"] == "code":
            found[-1][2] += source(cell) + "\n"
            continue
        opening, *rest = re.split(r"^## (.+)$", source(cell), flags=re.MULTILINE)
        found[-1][1] += opening + "\n"
        found += [[*pair, ""] for pair in zip(rest[::2], rest[1::2], strict=True)]
    return [tuple(each) for each in found]


@pytest.mark.parametrize("chapter", CHAPTERS)
def test_core_needs_no_deeper_section(chapter):
    deeper = deeper_sections(chapter)
    found = by_section(chapter)
    headings = [heading for heading, *_ in found]
    assert all(headings.count(heading) == 1 for heading in deeper)
    assert not {"", "Use it", "Exercises", "Check yourself"} & set(deeper)
    labels = {
        label: heading
        for heading, text, _ in found
        for label in re.findall(r"^(?::label: |\$\$ \()([\w-]+)", text, re.MULTILINE)
    }
    known: set[str] = set()
    folded: set[str] = set()
    for heading, text, code in found:
        given, read = names(code)
        if heading in deeper:
            folded |= given - known
            continue
        cited = re.findall(r"\{(?:prf:ref|eq)\}`([^`<>]+)`", text)
        assert [label for label in cited if labels.get(label) in deeper] == [], heading
        assert read & (folded - known) == set(), heading
        known |= given


@pytest.mark.parametrize("chapter", CHAPTERS)
def test_the_main_line_takes_an_evening(chapter):
    """At most 3,500 words before the exercises, without the sections that go deeper."""
    deeper, sections = deeper_sections(chapter), by_section(chapter)
    last = [heading for heading, *_ in sections].index("Exercises")
    main = sum(len(text.split()) for heading, text, _ in sections[:last] if heading not in deeper)
    assert main <= 3500


def executed_lines(cell: dict) -> list[str]:
    return [line for line in source(cell).splitlines() if line.strip() and not line.lstrip().startswith("#")]


@pytest.mark.parametrize("chapter", CHAPTERS)
def test_chapter_ends_with_tool_on_reader_table(chapter):
    found = sections(chapter)
    names = [name for name, _ in found]
    assert names.count("Use it") == 1
    last = names.index("Use it")
    assert names[last + 1 :] == ["Summary", "Exercises", "Check yourself"]
    (cell,) = found[last][1]
    assert 1 <= len(executed_lines(cell)) <= 10, source(cell)
    assert cell["outputs"], "no stored output"


def rows_are_only_numbered(table: str) -> bool:
    """Whether the rows of a table are called 0, 1, 2, ... without a name for these numbers."""
    head, _, body = table.partition("<tbody>")
    names = re.findall(r"<tr>\s*<th>(.*?)</th>", body)
    return head.count("<tr") == 1 and names == [str(k) for k in range(len(names))] != []


@pytest.mark.parametrize("chapter", CHAPTERS)
def test_tables_show_only_meaningful_row_numbers(chapter):
    for cell in code_cells(chapter):
        for output in cell["outputs"]:
            table = "".join(output.get("data", {}).get("text/html", ""))
            assert not rows_are_only_numbered(table), source(cell)


@pytest.mark.parametrize("chapter", CHAPTERS)
def test_a_claim_is_judged_once_in_a_chapter(chapter):
    shown = [
        name
        for cell in code_cells(chapter)
        for call in re.findall(r"ledger\.table\(([^)]*)\)", source(cell))
        for name in re.findall(r'"([\w-]+)"', call)
    ]
    assert [name for name in shown if shown.count(name) > 1] == []


def imports(tree: ast.AST, *, everywhere: bool) -> set[str]:
    """Full names of imports, at the top level only or in functions too."""
    names = set()
    at_import = [node for top in tree.body for node in (top.body if isinstance(top, ast.With) else [top])]
    for node in ast.walk(tree) if everywhere else at_import:
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            names |= {node.module} | {f"{node.module}.{alias.name}" for alias in node.names}
    return names


@functools.cache
def imported_by(module: str) -> frozenset[str]:
    """Other packages that one of the book's modules imports when it is imported."""
    tree = ast.parse(MODULES[module].read_text(encoding="utf-8"))
    return frozenset().union(*map(packages, imports(tree, everywhere=False)))


def packages(name: str) -> frozenset[str]:
    """The packages that come with an imported name: those of the module that defines it."""
    if not name.startswith(OWN):
        return frozenset({name.split(".")[0]} - {*PACKAGES})
    if importlib.util.find_spec(home := name.rpartition(".")[0]) and name not in sys.modules:
        found = getattr(importlib.import_module(home), name.rpartition(".")[2])
        name = found.__name__ if inspect.ismodule(found) else getattr(found, "__module__", home)
    if not name.startswith(OWN):  # an alias of another package's type
        name = home
    return frozenset() if hasattr(sys.modules[name], "__path__") else imported_by(name)


def installed_by(chapter: str) -> tuple[list[str], str]:
    """The extras and the version that a chapter's first cell names."""
    written = r'^    %pip install --quiet "ldpbook\[(.+)\]==(.+)"$'
    extras, version = re.search(written, source(code_cells(chapter)[0]), re.MULTILINE).groups()
    return extras.split(","), version


@functools.cache
def loaders() -> list[ast.stmt]:
    return ast.parse((ROOT / "ldpbook" / "datasets" / "real.py").read_text(encoding="utf-8")).body


@pytest.fixture(scope="module")
def distributions():
    """Installed distributions by imported package, read once from all metadata."""
    return packages_distributions()


@pytest.mark.parametrize("chapter", CHAPTERS)
def test_first_cell_installs_what_the_chapter_imports(chapter, distributions):
    """The first cell installs on Colab and in JupyterLite only; it covers the imports of called loaders."""
    first, *others = code_cells(chapter)
    *before, _ = source(first).splitlines()
    assert before == source(code_cells(CHAPTERS[0])[0]).splitlines()[:-1]  # the cell that is run below
    assert first["metadata"]["tags"] == ["remove-cell"]
    extras, version = installed_by(chapter)
    assert version == ldpbook.__version__

    code = "\n".join(map(source, others))
    needed = set().union(*map(packages, imports(ast.parse(code), everywhere=True)))
    for loader in loaders():
        if isinstance(loader, ast.FunctionDef) and loader.name in code:
            needed |= {name.split(".")[0] for name in imports(loader, everywhere=True)}

    options = PROJECT["optional-dependencies"]
    named = [*PROJECT["dependencies"], *(need for extra in extras for need in options[extra])]
    installed = {re.match(r"[\w-]+", need).group().lower() for need in named}
    for package in needed - set(sys.stdlib_module_names):
        assert {d.lower() for d in distributions[package]} & installed, package


@pytest.mark.parametrize(
    ("module", "platform", "asked"), [("x", "linux", 0), ("google.colab", "linux", 1), ("x", "emscripten", 1)]
)
def test_nothing_is_installed_on_a_readers_own_machine(monkeypatch, module, platform, asked):
    """Before the first release the name on the index may be someone else's."""
    code = TransformerManager().transform_cell(source(code_cells(CHAPTERS[0])[0]))
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    monkeypatch.setitem(sys.modules, module, sys)
    monkeypatch.setattr(sys, "platform", platform)
    shell = Mock()
    exec(code, {"get_ipython": lambda: shell})
    assert shell.run_line_magic.call_count == asked


def test_first_page_explains_extras_in_jupyterlite():
    """JupyterLite fetches an extra, or its chapters are listed among those that do not run there."""
    page = (ROOT / "book" / "index.md").read_text(encoding="utf-8")
    note = page.split("{dropdown} What JupyterLite downloads", 1)[1].partition("\n````\n")[0]
    fetched, not_there = note.split("\nSome chapters do not run there.")
    asking = defaultdict(set)
    for chapter in CHAPTERS:
        for extra in installed_by(chapter)[0]:
            asking[extra].add(f"{{doc}}`/{chapter}`")
    del asking["book"]  # packages fetched at the start
    named = [set(re.findall("`([a-z-]+)`", part)) for part in (fetched, not_there)]
    assert named[0] | named[1] == set(asking)
    assert not named[0] & named[1]
    for extra in named[1]:
        assert all(chapter in not_there for chapter in asking[extra]), extra


def test_every_claim_is_shown_in_its_chapter():
    for claim in ledger.entries():
        code = "\n".join(source(cell) for cell in code_cells(f"book/{claim.chapter}"))
        assert f'"{claim.id}"' in code, f"{claim.id} is not shown in {claim.chapter}"


@pytest.mark.parametrize(("module", "function"), list(public_functions()))
def test_every_public_name_is_documented_and_derived(module, function):
    if not (inspect.isclass(function) or inspect.isfunction(function)):
        return
    doc = inspect.getdoc(function)
    assert doc
    is_mechanism = hasattr(function, "perturb") and not getattr(function, "_is_protocol", False)
    if inspect.isfunction(function) or is_mechanism:
        derived = re.search(r"^Derived in: (\S+)$", doc, re.MULTILINE)
        assert derived, "no 'Derived in' line"
        assert f"book/{derived.group(1)}" in PAGES, derived.group(1)
        for name in inspect.signature(function).parameters:
            assert re.search(rf"^\**[\w, ]*\b{name}\b[\w, ]*( :|$)", doc, re.MULTILINE), (
                f"{name} is not described"
            )
    section = API.split(f".. automodule:: {module}\n")[1].split("```")[0]
    members = re.search(r":members:(.*)", section).group(1)
    assert not members.strip() or function.__name__ in members, f"{function.__name__} is not on the API page"


def test_chapters_link_back_to_what_they_derive():
    for parameters in public_functions():
        module, function = parameters.values
        derived = re.search(r"^Derived in: (\S+)$", inspect.getdoc(function) or "", re.MULTILINE)
        if derived and f"book/{derived.group(1)}" in CHAPTERS:
            links = re.findall(r"\{py:\w+\}`~?(ldp[\w.]+)`", prose(f"book/{derived.group(1)}"))
            assert any(link == module or link.startswith(f"{module}.") for link in links), (
                f"{derived.group(1)} does not link to {module}"
            )


@pytest.mark.parametrize("page", PAGES)
def test_references_to_chapters_exist(page):
    text = prose(page) if page in CHAPTERS else (ROOT / f"{page}.md").read_text(encoding="utf-8")
    for target in re.findall(r"\{doc\}`(?:[^`<]*<)?/([^`>]+)>?`", text):
        assert target in PAGES, target


@pytest.mark.parametrize("chapter", CHAPTERS)
def test_directives_open(chapter):
    """A back-tick in a directive's title makes it plain text, without a warning."""
    broken = re.findall(r"^`{3,}\{[^}]*\}.*`.*$", prose(chapter), re.MULTILINE)
    assert not broken


def test_labels_are_used_once():
    labels = [
        label for chapter in CHAPTERS for label in re.findall(r"^:label: (\S+)", prose(chapter), re.MULTILINE)
    ]
    labels += [
        cell["metadata"]["mystnb"]["figure"]["name"]
        for chapter in CHAPTERS
        for cell in code_cells(chapter)
        if "figure" in cell["metadata"].get("mystnb", {})
    ]
    assert len(labels) == len(set(labels))


def test_a_doi_is_written_as_one():
    """Only the form is checked, because publishers refuse link checkers."""
    text = (ROOT / "book" / "references.bib").read_text(encoding="utf-8")
    written = re.findall(r"\bdoi\s*=\s*\{(.*?)\}", text)
    assert written
    assert [doi for doi in written if not re.fullmatch(r"10\.\d{4,9}/[^\s{}]*[^\s{}.,;]", doi)] == []
    assert len(set(written)) == len(written)


def test_cited_works_can_be_found():
    """Each work has an address or a place of publication."""
    text = (ROOT / "book" / "references.bib").read_text(encoding="utf-8")
    works = re.findall(r"^@(?:article|book|incollection|inproceedings)\{([\w-]+),(.*?)^\}", text, re.M | re.S)
    assert works
    for key, about in works:
        fields = set(re.findall(r"^\s*(\w+)\s*=", about, re.M))
        assert {"doi", "url", "booktitle"} & fields or {"journal", "volume"} <= fields, key
