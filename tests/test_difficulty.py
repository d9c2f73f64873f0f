"""Difficulty of exercises and problems: each has one level, and no chapter has hard ones only."""

import re

import pytest
import yaml
from toc import CHAPTERS, ROOT, notebook_cells

from ldpcourse.problems import PROBLEMS

TEXT = (ROOT / "book" / "difficulty.yml").read_text(encoding="utf-8")
LEVELS = yaml.safe_load(TEXT)
BANK = (ROOT / "book" / "teaching" / "problems.md").read_text(encoding="utf-8")


def exercises(chapter):
    text = "\n\n".join("".join(c["source"]) for c in notebook_cells(chapter) if c["cell_type"] == "markdown")
    return re.findall(r"^`{3,}\{exercise\}.*\n:label: (\S+)", text, re.MULTILINE)


def test_every_exercise_and_problem_has_a_level():
    labels = [label for chapter in CHAPTERS for label in exercises(chapter)]
    assert list(LEVELS) == [*labels, *(name for name in LEVELS if name in PROBLEMS)]
    assert set(PROBLEMS) <= set(LEVELS)
    # If a name had two lines, YAML would hide one of them.
    assert len(re.findall(r"^[\w-]+: ", TEXT, re.MULTILINE)) == len(LEVELS)


@pytest.mark.parametrize("chapter", CHAPTERS)
def test_chapter_has_an_easy_exercise(chapter):
    assert "easy" in {LEVELS[label] for label in exercises(chapter)}


def test_levels_are_those_that_the_bank_explains():
    explained = re.findall(r"^\| (\w+) \| [\w ]*\d+[\w ]* \| [A-Z]", BANK, re.MULTILINE)
    assert explained == ["easy", "medium", "hard"]
    assert set(LEVELS.values()) == set(explained)


def test_table_of_the_bank_shows_levels():
    shown = re.findall(r"^\| `(\w+)`\S* \| \d+ \| \d* ?\| (\w+) \|", BANK, re.MULTILINE)
    assert dict(shown) == {name: LEVELS[name] for name in PROBLEMS}
