"""What to install, told where something is missing."""

from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def install(wanted: str) -> Iterator[None]:
    """Around imports: what no extra brings, or several do. It has the last word, also around `extra`."""
    try:
        yield
    except ImportError as error:
        missing = error.__cause__ or error
        if not isinstance(missing, ModuleNotFoundError):
            raise
        package = (missing.name or "").partition(".")[0]
        raise ImportError(f"{package} is not installed: pip install {wanted}", name=package) from error
