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


@contextmanager
def install(wanted: str) -> Iterator[None]:
    """The same for what no extra brings, or several do; it has the last word, also around `extra`."""
    try:
        yield
    except ImportError as error:
        missing = error.__cause__ or error
        if not isinstance(missing, ModuleNotFoundError):
            raise
        package = (missing.name or "").partition(".")[0]
        raise ImportError(f"{package} is not installed: pip install {wanted}", name=package) from error
