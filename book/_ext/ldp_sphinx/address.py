"""Sphinx extension: add the links that depend on where the book is published.

The sources contain no address, so that a fork is published under its own. Three variables give it:

- ``GITHUB_REPOSITORY`` (owner/name, set by GitHub's workflows) gives the buttons for the repository,
  for an issue about a page and for Binder.
- ``BOOK_RELEASE`` (the tag of the last release) gives the button for Colab, whose notebooks install that
  release. Before the first release, anyone could register the package's name on the index and so run code in
  these notebooks.
- ``BOOK_ADDRESS`` gives canonical addresses, the sitemap, the cards that social networks show, and the
  downloads of the whole book, which `make site` puts beside the pages.

Where a variable is not set, the pages are built without these parts.
"""

import os

import sphinx_sitemap

from ldp_sphinx import NAME, RELEASE

BUTTONS = (
    "repository_url",
    "repository_branch",
    "use_repository_button",
    "use_issues_button",
    "launch_buttons",
)


def _configure(app, config):
    options = config.html_theme_options
    if repository := os.environ.get("GITHUB_REPOSITORY"):
        options |= {
            "repository_url": f"https://github.com/{repository}",
            "repository_branch": "main",
            "use_repository_button": True,
            "use_issues_button": True,
            "launch_buttons": {
                "notebook_interface": "jupyterlab",
                "binderhub_url": "https://mybinder.org",
                **({"colab_url": "https://colab.research.google.com"} if RELEASE else {}),
            },
        }
    if address := os.environ.get("BOOK_ADDRESS"):
        address = address.rstrip("/") + "/"
        config.html_baseurl = address
        config.sitemap_url_scheme = "{link}"
        config.ogp_site_url = address
        config.ogp_site_name = config.html_title
        config.ogp_social_cards = {
            "image": "book/logo.png",
            "image_mini": "book/logo.png",
            "line_color": "#0072B2",
        }


def _add_downloads(app, pagename, templatename, context, doctree):
    for menu in context.get("header_buttons", ()):
        if menu.get("label") == "download-buttons" and os.environ.get("BOOK_ADDRESS"):
            menu["buttons"] += [
                {
                    "type": "link",
                    "text": f"Book, {kind}",
                    "tooltip": f"The whole book as {kind}",
                    "icon": "fas fa-book",
                    "url": context["pathto"](f"{NAME}.{kind.lower()}", 1),
                }
                for kind in ("PDF", "EPUB")
            ]


def _tell_apart(app):
    """Give pages a sitemap; an e-book gets no address and no buttons, though it reuses the pages' sources."""
    if app.builder.name != "html":
        app.config.html_baseurl = ""
        for name in BUTTONS:
            app.config.html_theme_options.pop(name, None)
    elif os.environ.get("BOOK_ADDRESS"):
        app.setup_extension("sphinx_sitemap")
        sphinx_sitemap.record_builder_type(app)  # its own hook, added during this event, does not run


def setup(app):
    if os.environ.get("BOOK_ADDRESS"):
        app.setup_extension("sphinxext.opengraph")  # does not touch e-books
    app.connect("builder-inited", _tell_apart, priority=100)  # before the theme reads the options
    app.connect("config-inited", _configure, priority=100)
    app.connect("html-page-context", _add_downloads, priority=800)  # after the theme's own buttons
    return {"parallel_read_safe": True}
