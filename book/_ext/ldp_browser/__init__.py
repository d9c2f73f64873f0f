"""Code that runs in the reader's browser, with only Python and the package."""
