"""Sphinx extension: what axe-core finds wrong in the pages of docutils and of the theme."""


def _mend(app, pagename, templatename, context, doctree):
    # A role of "list" promises items of a list; the entries are marked up as what they are instead.
    if "body" in context:
        context["body"] = context["body"].replace('<div role="list" class="citation-list">', "<div>")
    if pagename == app.config.root_doc:
        context["docstitle"] = ""  # its own title is the book's; twice would be read twice


def setup(app):
    app.connect("html-page-context", _mend)
    app.add_js_file("accessible.js", type="module")
    return {"parallel_read_safe": True}
