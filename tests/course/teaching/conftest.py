"""Tests that need nbgrader run only in its environment: `make test-teaching` names them."""

collect_ignore = ["nbgrader_course.py"]
