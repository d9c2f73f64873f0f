"""Sphinx extension: what sets citations is found at once.

pybtex looks through all installed packages for it, anew for each citation: an eighth of the time in which
pages were written. What is registered it takes first.
"""

from pybtex.plugin import find_plugin, register_plugin


def setup(app):
    for name in ("docutils", "plaintext"):
        register_plugin("pybtex.backends", name, find_plugin("pybtex.backends", name), force=True)
    return {"parallel_read_safe": True}
