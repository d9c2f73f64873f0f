"""Fixtures of the tests in a browser."""

from browsed import address, browser, visit

__all__ = ["address", "browser", "visit"]
