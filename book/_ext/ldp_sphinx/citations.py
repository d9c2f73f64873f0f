"""Sphinx extension: find pybtex's backends for citations quickly.

Without this, pybtex searches all installed packages for a backend at each citation, which took an eighth of
the time for writing pages. It looks among registered backends first.
"""

from pybtex.plugin import find_plugin, register_plugin


def setup(app):
    for name in ("docutils", "plaintext"):
        register_plugin("pybtex.backends", name, find_plugin("pybtex.backends", name), force=True)
    return {"parallel_read_safe": True}
