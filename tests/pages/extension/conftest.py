"""Skip these tests where the package is tested without the packages that build the pages."""

from importlib.util import find_spec

collect_ignore_glob = [] if find_spec("sphinx") and find_spec("playwright") else ["test_*.py"]
