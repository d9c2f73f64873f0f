"""How many arguments, calls and examples tests draw: few in ``make test``, all in ``make test-slow``.

``LDPBOOK_DRAWS=2000`` in the environment asks for all of them, a smaller number for that fraction.
"""

import os

_ALL = 2000


def draws(few: int, most: int = _ALL) -> int:
    """A number of draws: `few` by default, otherwise the requested fraction of `most`."""
    asked = os.environ.get("LDPBOOK_DRAWS")
    return few if asked is None else max(1, round(most * int(asked) / _ALL))
