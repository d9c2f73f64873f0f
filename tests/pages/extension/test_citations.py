"""What sets citations is not looked for again."""

import pybtex.plugin
import pytest
from ldp_sphinx import citations


@pytest.mark.parametrize("name", ["docutils", "plaintext"])
def test_a_citation_looks_through_no_installed_packages(name, monkeypatch):
    found = pybtex.plugin.find_plugin("pybtex.backends", name)
    monkeypatch.setattr(pybtex.plugin, "_RUNTIME_PLUGINS", {})
    citations.setup(None)
    monkeypatch.delattr(pybtex.plugin, "entry_points")
    assert pybtex.plugin.find_plugin("pybtex.backends", name) is found
