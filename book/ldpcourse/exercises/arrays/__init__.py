"""Exercises whose answers take arrays: their checks need numpy, so a page cannot judge them."""
