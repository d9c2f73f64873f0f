"""The package has the types it promises: a wrong name or argument does not type-check, a right one does."""

import os
import subprocess
import sys

from toc import ROOT

# Strict mypy refuses an `ignore` for which there is no error.
PROGRAM = """
import numpy as np

from ldpbook import LaplacePerturbation
from ldpbook import Nonsense  # type: ignore[attr-defined]
from ldpbook.sparse_answers import bounds

LaplacePerturbation(epsilonn=1.0)  # type: ignore[call-arg]
mechanism = LaplacePerturbation(epsilon=1.0, domain=range(10))
mechanism.perturbb()  # type: ignore[attr-defined]
print(mechanism.perturb(np.zeros((2, 3)), rng=1).shape, bounds.__name__)
"""


def test_a_wrong_use_of_the_package_is_refused_and_a_right_one_accepted(tmp_path):
    program = tmp_path / "program.py"
    program.write_text(PROGRAM, encoding="utf-8")
    # In the checkout as `make lint` runs it, which has read the package, numpy and scipy already. Where the
    # installed package is tested, its types are too.
    where = tmp_path if os.environ.get("LDPBOOK_INSTALLED") else ROOT
    command = [sys.executable, "-m", "mypy", "--config-file", ROOT / "pyproject.toml", program]
    done = subprocess.run(command, cwd=where, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
