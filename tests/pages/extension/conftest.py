"""The package alone is tested without what builds the pages."""

from importlib.util import find_spec

collect_ignore_glob = [] if find_spec("sphinx") and find_spec("playwright") else ["test_*.py"]
