"""What runs in the reader's browser, on Python and the package alone."""
