"""Packages that only some parts of the book take."""

from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def extra(name: str) -> Iterator[None]:
    """Around imports: what is missing is told together with the extra that brings it."""
    # Kept runs have this code in their hashes: another letter of it, and they would have to be run again.
    try:
        yield
    except ModuleNotFoundError as error:
        package = (error.name or "").partition(".")[0]
        raise ImportError(
            f"{package} is not installed: pip install 'ldpbook[{name}]'", name=package
        ) from error
