"""Sphinx extension: beside its title an exercise says how difficult it is (difficulty.yml)."""

import yaml
from docutils import nodes
from sphinx_exercise.nodes import exercise_enumerable_node

from ldp_sphinx import ROOT

LEVELS: dict[str, str] = yaml.safe_load((ROOT / "book" / "difficulty.yml").read_text(encoding="utf-8"))


def add_levels(doctree: nodes.document, levels: dict[str, str]) -> None:
    for exercise in doctree.findall(exercise_enumerable_node):
        if exercise["label"] in levels:
            exercise[0] += nodes.inline("", f" · {levels[exercise['label']]}", classes=["level"])


def setup(app):
    app.connect("doctree-resolved", lambda app, doctree, docname: add_levels(doctree, LEVELS))
    return {"parallel_read_safe": True}
