"""Sphinx extension: add what assistive technology misses in the pages of docutils and of the theme."""

import re

# The link beside each heading is for the mouse: a screen reader would read out a sign after every title.
_HASH = '<a class="headerlink"'
_TABLE = re.compile(r"<table\b.*?</table>", re.DOTALL)
_HEAD = re.compile(r"<thead\b.*?</thead>", re.DOTALL)
_HEADING = re.compile(r"<th(?=[\s>])(?![^>]*\bscope=)")
# pandas writes the corner, and the cells beside an index's name, as empty headings.
_EMPTY = re.compile(r"<th\b[^>]*>(?:&nbsp;|\s|</?p>)*</th>")
_PRINTED = re.compile(r'(<div class="output (?:stream|text_plain))( [^>]*>.*?<pre>(.*?)</pre>)', re.DOTALL)
_COLUMNS = re.compile(r"[^\s>] {2,}[^\s<]")


def table(html: str) -> str:
    """A table whose headings state their scope, in a box that scrolls instead of the page."""
    html = _EMPTY.sub("<td></td>", html)
    html = _HEAD.sub(lambda head: _HEADING.sub('<th scope="col"', head[0]), html)
    rows = _HEADING.sub('<th scope="row"', html)
    return f'<div class="table-box">{rows}</div>'


def printed(output: re.Match[str]) -> str:
    """Printed output, whose sentences may break at a space; a table in columns stays as it is and scrolls."""
    return output[0] if _COLUMNS.search(output[3]) else f"{output[1]} sentences{output[2]}"


def mend(body: str) -> str:
    # The role "list" requires list items as children, and the entries are not list items.
    body = body.replace('<div role="list" class="citation-list">', "<div>")
    body = body.replace(' role="doc-biblioentry"', "")  # a deprecated role
    body = body.replace(_HASH, f'{_HASH} aria-hidden="true" tabindex="-1"')
    body = _PRINTED.sub(printed, body)
    return _TABLE.sub(lambda found: table(found[0]), body)


def _mend(app, pagename, templatename, context, doctree):
    if "body" in context:
        context["body"] = mend(context["body"])
    if pagename == app.config.root_doc:
        context["docstitle"] = ""  # the page has the book's title, which would be read out twice


def setup(app):
    app.connect("html-page-context", _mend, priority=910)  # after the slides, which are made from the page
    app.add_js_file("accessible.js", type="module")
    return {"parallel_read_safe": True}
