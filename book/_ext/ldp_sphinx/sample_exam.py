"""Sphinx extension: ``{sample-exam}`` prints the questions of a sample midterm, or their key.

The problems and the claims are those that no exam asks, because this page shows their solutions.
"""

from sphinx.util.docutils import SphinxDirective

from ldpcourse.problems import Problem, variant
from ldpcourse.teaching import exams
from ldpcourse.teaching._statements import STATEMENTS, TOPICS, Statement

SEED = 22  # public, unlike the secret of an exam


def problems() -> list[Problem]:
    return [variant(name, SEED) for name in exams.SHOWN_PROBLEMS]


def claims() -> list[list[Statement]]:
    """The claims on each topic."""
    shown = [s for s in STATEMENTS if s.name in exams.SHOWN_CLAIMS]
    return [[s for s in shown if s.topic == topic] for topic in TOPICS]


def questions() -> list[str]:
    """Paragraphs of the sheet for students."""
    points = exams.POINTS
    lines = [exams.RULES]
    for number, problem in enumerate(problems(), 1):
        lines.append(f"**{number}.** ({points['problem']} points) {problem.text}")
    for number, (topic, asked) in enumerate(zip(TOPICS, claims(), strict=True), len(lines)):
        total = points["claim"] * len(asked)
        lines.append(f"**{number}. {exams.ASKS[topic]}** ({total} points). {exams.JUDGE}.")
        lines += [f"({letter}) {claim.text}" for letter, claim in zip("ab", asked, strict=True)]
    return lines


def key() -> list[str]:
    """Paragraphs of the sheet for graders."""
    lines = [f"Points of each problem: {exams.rubric('problem')}."]
    for number, problem in enumerate(problems(), 1):
        lines.append(f"**{number}.** {exams.key_of(problem)}")
    first = len(lines)
    lines.append(f"Points of each claim: {exams.rubric('claim')}.")
    for number, asked in enumerate(claims(), first):
        for letter, claim in zip("ab", asked, strict=True):
            lines.append(f"**{number}.** ({letter}) {exams.verdict_on(claim)}")
    return lines


class SampleExam(SphinxDirective):
    required_arguments = 1  # questions or key

    def run(self):
        paragraphs = questions() if self.arguments == ["questions"] else key()
        return self.parse_text_to_nodes("\n\n".join(paragraphs))


def setup(app):
    app.add_directive("sample-exam", SampleExam)
    return {"parallel_read_safe": True}
