"""Syllabus, projects and exams: hours and points add up, and what is collected has no solution on a page."""

import contextlib
import io
import json
import re

import pytest
from toc import CHAPTERS, PAGES, ROOT

from ldpcourse.exercises import EXERCISES
from ldpcourse.problems import PROBLEMS, WEEKS, variant
from ldpcourse.teaching import exams
from ldpcourse.teaching._statements import STATEMENTS

TEACHING = ROOT / "book" / "teaching"
PER_EXERCISE, PER_PROBLEM = 30, 45


def page(name):
    return (TEACHING / f"{name}.md").read_text(encoding="utf-8")


def tables(text, first):
    """Rows of all tables whose first column has that title, as dictionaries from titles to cells."""
    found = []
    for block in re.findall(r"(?:^\|.*\n)+", text, re.MULTILINE):
        title, _, *rows = [
            [cell.strip() for cell in line.strip("|\n").split("|")] for line in block.splitlines()
        ]
        if title[0] == first:
            found.append([dict(zip(title, row, strict=True)) for row in rows])
    return found


SYLLABUS = page("syllabus").split("## Four weeks")[0]
PLANS = {int(row["week"]): row for table in tables(SYLLABUS, "week") for row in table if "read" in row}
HOURS = {row["week"]: row for table in tables(SYLLABUS, "week") for row in table if "outside class" in row}
MINUTES = {name: int(n) for name, n in re.findall(r"\{doc\}`/(book/[\w/-]+)` \| (\d+)", page("notes"))}


def chapters_of(week):
    return re.findall(r"`/(book/[\w/-]+)`", PLANS[week]["read"])


def named(cell):
    return re.findall(r"`([\w-]+)`", cell)


def test_every_chapter_has_its_minutes_and_its_week():
    assert set(MINUTES) == set(CHAPTERS)
    assert sorted(chapter for week in PLANS for chapter in chapters_of(week)) == sorted(CHAPTERS)
    assert list(PLANS) == list(range(1, 23)) == list(WEEKS)


@pytest.mark.parametrize("week", PLANS)
def test_a_week_fits_into_its_lectures(week):
    in_lectures = re.findall(
        r"`/(book/[\w/-]+)`", PLANS[week]["read"].split(", and")[0]
    )  # the rest is for home
    assert 90 <= sum(MINUTES[name] for name in in_lectures) <= int(HOURS[str(week)]["lectures"]) == 180


@pytest.mark.parametrize("week", PLANS)
def test_minutes_of_a_week_add_up(week):
    row = {name: int(cell) for name, cell in HOURS[str(week)].items()}
    read = sum(MINUTES[name] for name in chapters_of(week))
    if " or " in PLANS[week]["read"]:  # one of the last two chapters, which take alike, and its problem
        first, second = (MINUTES[name] for name in chapters_of(week)[-2:])
        assert first == second
        read -= second
    n_problems = len(named(PLANS[week]["hand in"])) - PLANS[week]["hand in"].count(" or ")
    assert row["reading"] == read
    assert row["practice"] == PER_EXERCISE * len(named(PLANS[week]["practice"]))
    assert row["hand in"] == PER_PROBLEM * n_problems
    parts = ("reading", "practice", "hand in", "midterm, project")
    assert row["outside class"] == sum(row[part] for part in parts)
    assert row["class"] == 90
    assert 345 <= row["outside class"] <= 375


def test_six_hours_outside_class_are_six():
    term = [HOURS[str(week)] for week in range(1, 13)]
    for column in set(term[0]) - {"week"}:
        assert sum(int(row[column]) for row in term) == int(HOURS["sum"][column]), column
    assert int(HOURS["sum"]["outside class"]) == 12 * 360
    assert "about six hours of other work" in SYLLABUS
    assert f"an exercise {PER_EXERCISE} minutes, a problem with its explanation {PER_PROBLEM}" in SYLLABUS
    most = max(int(row["outside class"]) for row in term)
    assert f"no week has more than {most / 60:g} of them" in SYLLABUS


def test_the_hours_of_the_course_add_up():
    told = (
        r"Twelve weeks come to (\d+) hours; with (\d+) for the project after the lectures, (\d+) for"
        r" preparing and (\d+) for writing the final, to (\d+): six points"
    )
    said = re.search(told, SYLLABUS)
    weeks, project, preparing, final, all_hours = map(int, said.groups())
    assert weeks * 60 == sum(int(HOURS["sum"][name]) for name in ("lectures", "class", "outside class"))
    assert weeks + project + preparing + final == all_hours
    assert 6 * 25 <= all_hours <= 6 * 30
    assert final * 60 == 120
    in_term = sum(int(HOURS[str(week)]["midterm, project"]) for week in range(8, 13)) / 60
    assert f"About {round(project + in_term)} hours per person" in page("projects")


def test_work_outside_a_table_of_hours_is_stated():
    assert f"The {HOURS['7']['midterm, project']} minutes of week 7 are for preparing the midterm" in SYLLABUS
    problems = sum(int(HOURS[str(week)]["hand in"]) for week in range(1, 13)) // PER_PROBLEM
    assert f"the two worst of the {problems} do not count" in SYLLABUS
    assert round(problems * 4 / 60) == 2
    assert f"four minutes, {problems} of them about two hours per student" in SYLLABUS


def test_grades_add_up():
    said = re.search(r"\*\*Grades\.\*\* (.*)", SYLLABUS).group(1)
    assert sum(map(int, re.findall(r"(\d+) %", said))) == 100


@pytest.mark.parametrize("week", PLANS)
def test_graded_work_is_problems_and_practice_is_exercises(week):
    assert tuple(named(PLANS[week]["hand in"])) == WEEKS[week]
    practised = named(PLANS[week]["practice"])
    assert practised
    for label in practised:
        assert f"book/{EXERCISES[label].chapter}" in chapters_of(week), label


def test_every_exercise_that_the_page_names_exists():
    assert set(re.findall(r"`(ex-[a-z-]+)`", page("syllabus"))) <= set(EXERCISES)


def test_every_problem_is_collected_once_in_its_week():
    collected = [name for week in PLANS for name in named(PLANS[week]["hand in"])]
    assert sorted(collected) == sorted(PROBLEMS)
    rows = {named(row["name"])[0]: row for table in tables(page("problems"), "name") for row in table}
    assert list(rows) == [name for names in WEEKS.values() for name in names]
    for week, names in WEEKS.items():
        for name in names:
            assert int(rows[name]["week"]) == week
            assert re.search(r"`/(.*)`", rows[name]["chapter"]).group(1) in chapters_of(week)
    assert {re.search(r"`/(.*)`", row["chapter"]).group(1) for row in rows.values()} == set(CHAPTERS)


def text_of(name):
    """Of a page or a chapter, code and outputs too."""
    file = next(ROOT.glob(f"{name}.*"))
    text = file.read_text(encoding="utf-8")
    return (
        "\n".join("".join(c["source"]) for c in json.loads(text)["cells"])
        if file.suffix == ".ipynb"
        else text
    )


def bare(text):
    """Words only: neither numbers nor spaces tell two variants apart."""
    return re.sub(r"[^a-z]+", " ", text.lower())


def test_nothing_collected_has_a_solution_on_a_page():
    assert set(PROBLEMS).isdisjoint(EXERCISES)
    assert set(PROBLEMS).isdisjoint(label.removeprefix("ex-") for label in EXERCISES)
    pages = {name: bare(text_of(name)) for name in PAGES}
    for name in PROBLEMS:
        problem = variant(name, 0)
        question = bare(problem.text)[-60:]
        for where, words in pages.items():
            assert question not in words, (name, where)
            assert bare(problem.explanation)[:60] not in words, (name, where)
    for statement in STATEMENTS:
        for where, words in pages.items():
            assert bare(statement.text) not in words, (statement.name, where)
            assert bare(statement.reason)[:60] not in words, (statement.name, where)


CODE = re.findall(r"```python\n(.*?)```\n(?:\n```text\n(.*?)```)?", page("projects"), re.DOTALL)


@pytest.mark.parametrize(("code", "shown"), CODE)
def test_a_project_s_starting_point_runs(code, shown, load):
    if "load_lecture_ratings" in code:
        load("load_lecture_ratings")
    assert shown
    told = io.StringIO()
    with contextlib.redirect_stdout(told):
        exec(compile(code, "projects.md", "exec"), {})
    assert told.getvalue() == shown
    assert len(code.splitlines()) < 50


@pytest.mark.parametrize("code", re.findall(r"```python\n(.*?)```", page("problems"), re.DOTALL))
def test_the_bank_s_examples_run(code):
    with contextlib.redirect_stdout(io.StringIO()):
        exec(compile(code, "problems.md", "exec"), {})


def test_two_projects_have_all_required_sections():
    projects = re.split(r"^## ", page("projects"), flags=re.MULTILINE)[1:]
    assert len(projects) == len(CODE) == 2
    for project in projects:
        for heading in ("Question", "Starting point", "To hand in", "Typical faults"):
            assert f"**{heading}.**" in project
        assert "**Material.**" in project or "**Data.**" in project
        [sheet] = tables(project, "criterion")
        assert sum(int(row["points"]) for row in sheet) == 100
        own = [int(row["points"]) for row in sheet if row["criterion"].startswith("each one's own: ")]
        assert own == [int(row["points"]) for row in sheet[-2:]]
        told = f"two rows of a sheet, {sum(own)} points, are each member's own; all others, {100 - sum(own)}"
        assert told in page("projects")
        [milestones] = tables(project, "week")
        assert [row["week"] for row in milestones] == ["8", "9", "10", "11", "after"]


def test_exam_page_describes_the_exams():
    text = page("exams")
    [parts] = tables(text, "part")
    for exam, minutes in (("midterm", 60), ("final", 120)):
        *asked, total = parts
        assert sum(int(row[exam]) * int(row["minutes each, and points"]) for row in asked) == minutes
        assert int(total[exam]) == minutes
        printed = exams.sheet(exam, "correct horse battery staple")
        problems = len(re.findall(r"^## \d+\. \(12 points\)$", printed, re.MULTILINE))
        claims = len(re.findall(r"^\([a-h]\) ", printed, re.MULTILINE))
        assert [int(row[exam]) for row in asked] == [problems, claims / 2, claims / 2]
    assert len(STATEMENTS) == 50
    assert "the whole pool of fifty claims" in text
    early = exams._parts("final", 12)[0]
    points = 12 * early.n_problems + 2 * 6 * early.n_claims
    assert f"three tenths of the final, {points} points of 120, are on weeks 1 to {early.last}" in text
    assert points / 120 == 3 / 10
    for kind, points in (("problem", 12), ("claim", 6)):
        [rubric] = tables(text, f"of a {kind} ({points} points)")
        assert [int(row["points"]) for row in rubric] == list(exams._RUBRICS[kind].values())
        assert sum(int(row["points"]) for row in rubric) == points
