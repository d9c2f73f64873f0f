"""What depends on where the book is published: of pages only, and in the same order each time."""

from types import SimpleNamespace

import pytest
from ldp_sphinx import _write_by_several, address

SITEMAP = '<?xml version="1.0"?><urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">{}</urlset>'
ENTRIES = [f"<url><loc>https://book.example/{name}.html</loc></url>" for name in "abc"]


def test_the_sitemap_has_one_order_whoever_wrote_first(tmp_path):
    file = tmp_path / "sitemap.xml"
    file.write_text(SITEMAP.format(ENTRIES[2] + ENTRIES[0] + ENTRIES[1]), encoding="utf-8")
    address._sort(None, tmp_path)
    assert file.read_text(encoding="utf-8") == SITEMAP.format("".join(ENTRIES))


def test_without_an_address_there_is_no_sitemap_to_sort(tmp_path):
    address._sort(None, tmp_path)
    assert list(tmp_path.iterdir()) == []


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
