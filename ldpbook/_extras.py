"""Packages that only some parts of the book need."""

from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def extra(name: str) -> Iterator[None]:
    """Context for imports: the error for a missing package names the extra that brings it."""
    # The hashes of stored runs cover this code: if one letter of it changes, those runs have to be repeated.
    try:
        yield
    except ModuleNotFoundError as error:
        package = (error.name or "").partition(".")[0]
        raise ImportError(
            f"{package} is not installed: pip install 'ldpbook[{name}]'", name=package
        ) from error
