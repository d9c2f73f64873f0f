"""The sample midterm: an hour with the points of a midterm, keys that the bank accepts, claims of its own."""

import re

from ldp_sphinx import sample_exam

from ldpcourse.problems import WEEKS, variant
from ldpcourse.teaching import exams

QUESTIONS, KEY = "\n".join(sample_exam.questions()), "\n".join(sample_exam.key())


def test_sample_exam_has_the_midterm_points():
    points = [int(n) for n in re.findall(r"^\*\*\d\..*?\((\d+) points\)", QUESTIONS, re.MULTILINE)]
    drawn = exams.sheet("midterm", "correct horse battery staple")
    assert points == [int(n) for n in re.findall(r"^## .*\((\d+) points\)$", drawn, re.MULTILINE)]
    assert sum(points) == 60


def test_sample_keys_are_graded_right():
    keys = [float(n) for n in re.findall(r"\*\*Key\*\* ([\d.]+), within", KEY)]
    for name, key in zip(exams.SHOWN_PROBLEMS, keys, strict=True):
        problem = variant(name, sample_exam.SEED)
        assert problem.text in QUESTIONS
        assert problem.grade(key)
        assert not problem.grade(1.02 * key)


def test_sample_keys_name_neighbours_or_assumptions():
    """The rubric has two points for these, so a grader finds them in the key."""
    warner, *others = re.findall(r"\*\*Key\*\* .*", KEY)
    assert "the neighbours are her yes and her no" in warner
    assert ["Assumed: " in key for key in others] == [True, True]


def test_sample_questions_have_no_key():
    assert len(re.findall(r"\*\*(?:True|False|Needs a condition)\.\*\*", KEY)) == len(exams.SHOWN_CLAIMS)
    assert {claim.name for asked in sample_exam.claims() for claim in asked} == set(exams.SHOWN_CLAIMS)
    for asked in sample_exam.claims():
        for claim in asked:
            assert claim.week <= 6
            assert claim.text in QUESTIONS
            assert claim.reason not in QUESTIONS
            assert claim.reason in KEY


def test_shown_problems_leave_two_each_week():
    for names in WEEKS.values():
        if set(names) & set(exams.SHOWN_PROBLEMS):
            assert len(set(names) - set(exams.SHOWN_PROBLEMS)) == 2
    assert set(exams.SHOWN_PROBLEMS) <= exams._BY_HAND
