"""What depends on where the book is published: of pages only."""

from types import SimpleNamespace

import pytest
from ldp_sphinx import _write_by_several, address


@pytest.mark.parametrize("builder", ["epub", "linkcheck"])
def test_what_is_made_of_the_pages_reading_has_no_address_and_no_buttons(builder, monkeypatch):
    monkeypatch.setenv("BOOK_ADDRESS", "https://book.example/")
    monkeypatch.setenv("GITHUB_REPOSITORY", "owner/book")
    config = SimpleNamespace(html_theme_options={"navbar_persistent": []}, html_title="Book")
    address._configure(None, config)
    assert "launch_buttons" in config.html_theme_options
    # Without setup_extension: to ask for the sitemap would fail.
    address._tell_apart(SimpleNamespace(builder=SimpleNamespace(name=builder), config=config))
    assert config.html_baseurl == ""
    assert config.html_theme_options == {"navbar_persistent": []}


@pytest.mark.parametrize("asked", [1, 64])
def test_several_write_once_all_is_read(asked):
    app = SimpleNamespace(parallel=asked)
    _write_by_several(app, None)
    assert app.parallel >= max(asked, 2)
