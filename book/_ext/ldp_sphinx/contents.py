"""Sphinx extension: the side bar lists the book part by part, all folded except the part of the page.

The browser itself does the folding, so no script is needed. A chapter has its subtitle below its title.
"""

from collections.abc import Callable, Mapping
from html import escape

from ldp_sphinx.chapters import parts, subtitle

API = "book/reference/api"  # its pages are listed only while it or one of them is open


def entry(page: str, title: str, below: str, link: str, here: bool) -> str:
    """A page of the list, with what stands below its title."""
    state = ' class="current active"' if here else ""
    current = ' aria-current="page"' if here else ""
    small = f" <small>{escape(below)}</small>" if below else ""
    return f'<li{state}><a href="{escape(link)}"{current}>{escape(title)}{small}</a></li>'


def listing(plan: Mapping[str, list[str]], here: str, show: Callable[[str], str]) -> str:
    """The parts, each to unfold, with that of the page ``here`` open; a part of one page is a plain link."""
    made = []
    for caption, pages in plan.items():
        wanted = [page for page in pages if not page.startswith(f"{API}/") or here.startswith(API)]
        entries = f'<ul class="nav bd-sidenav">{"".join(map(show, wanted))}</ul>'
        if len(pages) > 1:
            opened = " open" if here in pages else ""
            entries = f"<details{opened}><summary>{escape(caption)}</summary>{entries}</details>"
        made.append(entries)
    return "".join(made)


def _list_parts(app, pagename, templatename, context, doctree):
    titles, numbers = app.env.titles, app.env.toc_secnumbers

    def show(page: str) -> str:
        number = ".".join(map(str, numbers.get(page, {}).get("", ())))
        title = f"{number}. {titles[page].astext()}" if number else titles[page].astext()
        return entry(page, title, subtitle(page), context["pathto"](page), page == pagename)

    plan = {caption: pages for caption, pages in parts().items() if caption}
    context["generate_toctree_html"] = lambda **_: listing(plan, pagename, show)


def setup(app):
    app.connect("html-page-context", _list_parts, priority=900)  # after the theme's own list
    return {"parallel_read_safe": True}
