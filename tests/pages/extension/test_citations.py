"""Citations are formatted without a repeated search for the formatter."""

import pybtex.plugin
import pytest
from ldp_sphinx import citations


@pytest.mark.parametrize("name", ["docutils", "plaintext"])
def test_citation_does_not_search_installed_packages(name, monkeypatch):
    found = pybtex.plugin.find_plugin("pybtex.backends", name)
    monkeypatch.setattr(pybtex.plugin, "_RUNTIME_PLUGINS", {})
    citations.setup(None)
    monkeypatch.delattr(pybtex.plugin, "entry_points")
    assert pybtex.plugin.find_plugin("pybtex.backends", name) is found
