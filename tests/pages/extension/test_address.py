"""Only pages have content that depends on the published address."""

from types import SimpleNamespace

import pytest
from ldp_sphinx import _write_by_several, address


@pytest.mark.parametrize("builder", ["epub", "linkcheck"])
def test_other_formats_have_no_address_or_buttons(builder, monkeypatch):
    monkeypatch.setenv("BOOK_ADDRESS", "https://book.example/")
    monkeypatch.setenv("GITHUB_REPOSITORY", "owner/book")
    config = SimpleNamespace(html_theme_options={"navbar_persistent": []}, html_title="Book")
    address._configure(None, config)
    assert "launch_buttons" in config.html_theme_options
    # This app has no setup_extension, so a request for the sitemap would fail.
    address._tell_apart(SimpleNamespace(builder=SimpleNamespace(name=builder), config=config))
    assert config.html_baseurl == ""
    assert config.html_theme_options == {"navbar_persistent": []}


@pytest.mark.parametrize("asked", [1, 64])
def test_parallel_writing_starts_after_all_reading(asked):
    app = SimpleNamespace(parallel=asked)
    _write_by_several(app, None)
    assert app.parallel >= max(asked, 2)
