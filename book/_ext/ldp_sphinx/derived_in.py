"""Sphinx extension: the 'Derived in' line of a docstring becomes a link to the chapter."""

import re


def _link(app, what, name, obj, options, lines):
    lines[:] = [re.sub(r"^Derived in: (\S+)$", r"Derived in: :doc:`/book/\1`", line) for line in lines]


def setup(app):
    # This runs before napoleon (priority 500) rearranges the sections.
    app.connect("autodoc-process-docstring", _link, priority=400)
    return {"parallel_read_safe": True}
