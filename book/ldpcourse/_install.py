"""Error messages that say what to install if a package is missing."""

from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def install(wanted: str) -> Iterator[None]:
    """Say what to install if an import fails, for packages of no extra or of several.

    Around `extra`, this message replaces the one of `extra`.
    """
    try:
        yield
    except ImportError as error:
        missing = error.__cause__ or error
        if not isinstance(missing, ModuleNotFoundError):
            raise
        package = (missing.name or "").partition(".")[0]
        raise ImportError(f"{package} is not installed: pip install {wanted}", name=package) from error
