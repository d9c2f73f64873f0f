"""The level of an exercise follows its title."""

from docutils import nodes
from docutils.utils import new_document
from ldp_sphinx import difficulty
from sphinx_exercise.nodes import exercise_enumerable_node, exercise_title


def test_level_is_put_beside_the_title():
    page = new_document("chapter")
    for label in ("ex-lp-fill", "ready-bayes"):
        page += exercise_enumerable_node(
            "", exercise_title("", "Try"), nodes.paragraph("", "it."), label=label
        )
    difficulty.add_levels(page, {"ex-lp-fill": "easy"})
    assert [exercise[0].astext() for exercise in page] == ["Try · easy", "Try"]
    assert page[0][0][-1]["classes"] == ["level"]
