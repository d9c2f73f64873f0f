"""What needs nbgrader runs in its environment alone: make test-teaching names it."""

collect_ignore = ["nbgrader_course.py"]
