"""The package has its stated types: wrong names and arguments fail the type check, right ones pass."""

import os
import subprocess
import sys

import pytest
from toc import ROOT

# Strict mypy refuses an `ignore` without an error.
PROGRAM = """
import numpy as np
import pandas as pd
import scipy.sparse as sp

from ldpbook import LaplacePerturbation, OneLayerFlip, RandomizedResponse, ThresholdResponse, decode_choices
from ldpbook import Nonsense  # type: ignore[attr-defined]
from ldpbook.mechanism import AnswerMechanism
from ldpbook.sparse_answers import bounds

LaplacePerturbation(epsilonn=1.0)  # type: ignore[call-arg]
mechanism = LaplacePerturbation(epsilon=1.0, domain=range(10))
mechanism.perturbb()  # type: ignore[attr-defined]
print(mechanism.perturb(np.zeros((2, 3)), rng=1).shape, bounds.__name__)

# Form in, form out.
frame = pd.DataFrame({"worker": [1], "task": [1], "label": ["no"]})
flip = OneLayerFlip.with_probability(0.2, choices=["yes", "no"])
private: pd.DataFrame = flip.perturb(frame)
sparse: sp.csr_array = mechanism.perturb(sp.csr_array(np.eye(2)), 1)
rows: list[list[float]] = RandomizedResponse(1.0, range(3)).perturb([[1.0]]).tolist()
wrong: str = flip.perturb(frame)  # type: ignore[assignment]
mechanisms: list[AnswerMechanism] = [flip, mechanism]
print(decode_choices(private, flip).truth, flip.exact_ratio, sparse.nnz, rows, wrong, mechanisms)
print(ThresholdResponse(1.0).perturb(frame, 0.5, workers=[1, 2], tasks="observed"))
mechanism.perturb(frame, workers=3)  # type: ignore[call-overload]
"""


def from_readme() -> str:
    """The package's example in the README, as a program."""
    lines = (ROOT / "README.md").read_text(encoding="utf-8").splitlines()
    return "\n".join(line.removeprefix(">>> ") for line in lines if line.startswith(">>> "))


@pytest.mark.parametrize("text", [PROGRAM, from_readme()], ids=["all kinds", "README"])
def test_type_checker_refuses_wrong_use_only(tmp_path, text):
    assert "perturb(" in text
    program = tmp_path / "program.py"
    program.write_text(text, encoding="utf-8")
    # In the checkout run mypy like `make lint`, which has cached the package, numpy and scipy. If the
    # installed package is tested, its types are tested.
    where = tmp_path if os.environ.get("LDPBOOK_INSTALLED") else ROOT
    command = [sys.executable, "-m", "mypy", "--config-file", ROOT / "pyproject.toml", program]
    done = subprocess.run(command, cwd=where, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
