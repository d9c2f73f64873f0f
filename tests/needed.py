"""Which fetched data a chapter takes: the loaders that its code names.

Nothing else of the book names one, which test_needed.py holds: no helper or claim fetches behind a chapter.
"""

import json
import re
from pathlib import Path

from ldpbook import datasets

FETCHED = {name for name in dir(datasets) if name.startswith("fetch_")}


def loaders(path: Path) -> tuple[str, ...]:
    """The loaders of fetched data that a notebook's code names, in alphabetical order."""
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    code = "\n".join("".join(cell["source"]) for cell in cells if cell["cell_type"] == "code")
    return tuple(sorted(FETCHED & set(re.findall(r"\w+", code))))
