"""The fetched data that a chapter needs: the loaders that its code names.

test_needed.py checks that no other code of the book names one, so no helper or claim fetches data unnoticed.
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
