"""Paths for a course: a table per week with links, what to skip, and sums."""

import re
from dataclasses import replace

from ldp_sphinx import paths
from ldp_sphinx.fields import judged_in_the_notebook

from ldpcourse.teaching.paths import PATHS, Path, Portion, Week

WEEK = Week(
    (Portion("foundations/local-privacy", without=("Use it",), instead="A coin lies."),),
    "Toss it.",
    ("ex-privacy-best",),
    ("warner", "belief"),
    "Audit it.",
)


def test_week_table_links_and_sums():
    table = "\n".join(paths.table(3, WEEK))
    minutes = WEEK.read[0].minutes
    assert "| Week 3 | minutes |" in table
    read, skip = table.split("[Skip ")
    assert "[Warner's coin](/book/foundations/local-privacy.ipynb#warners-coin)" in read
    assert "#use-it)" in skip
    assert "#how-the-audit-works)" in skip
    assert "Tell the class: A coin lies." in table
    assert f"| {minutes} |\n| **In class** Toss it. | |\n| **Laboratory** Audit it. {{ref}}`Half" in table
    assert "`Half a page <laboratory-3>` | |\n" in table
    assert "{doc}`/book/foundations/local-privacy`{slides}`foundations/local-privacy`<br/>" in table
    assert "| **Practice** {ref}`ex-privacy-best` | 30 |" in table
    assert "| **Hand in** [`warner`](#problem-warner), [`belief`](#problem-belief) | 90 |" in table
    assert f"(reading and practice alone: {minutes + 30}) | **{minutes + 120}** |" in table
    assert "Exercises" not in table
    assert "Midterm" not in table


def test_exercise_without_field_is_marked():
    fieldless = min(judged_in_the_notebook())
    table = "\n".join(paths.table(3, replace(WEEK, practice=("ex-privacy-best", fieldless))))
    assert f"{{ref}}`ex-privacy-best`, {{ref}}`{fieldless}` (in the notebook) | 60 |" in table


def test_path_total_is_the_sum_of_weeks():
    minutes = WEEK.read[0].minutes
    told = " ".join(paths.printed(Path((WEEK, WEEK), after=(WEEK,))))
    assert re.findall(r"\| Week (\d) \|", told) == ["2", "3"]
    assert f"**In total** {2 * minutes} minutes of reading; with practice {2 * (minutes + 30)}" in told
    assert f"outside class {2 * (minutes + 120)}, " in told


def test_every_path_has_its_name_on_the_page():
    page = (paths.ROOT / "book" / "teaching" / "syllabus.md").read_text(encoding="utf-8")
    assert [line.split("} ")[1] for line in page.splitlines() if line.startswith("```{path}")] == [*PATHS]
