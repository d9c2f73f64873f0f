"""The package has the types it promises: a wrong name or argument does not type-check, a right one does."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from toc import ROOT

PROGRAMS = {
    "no_such_name": "from ldpbook import Nonsense\n",
    "no_such_argument": "from ldpbook import LaplacePerturbation\n\nLaplacePerturbation(epsilonn=1.0)\n",
    "no_such_method": (
        "from ldpbook.sparse_answers import LaplacePerturbation\n\n"
        "LaplacePerturbation(1.0, range(10)).perturbb()\n"
    ),
    "right": (
        "import numpy as np\n\n"
        "from ldpbook import LaplacePerturbation\n"
        "from ldpbook.sparse_answers import bounds\n\n"
        "mechanism = LaplacePerturbation(epsilon=1.0, domain=range(10))\n"
        "answers = mechanism.perturb(np.zeros((2, 3)), rng=1)\n"
        "print(answers.shape, bounds.__name__)\n"
    ),
}


@pytest.fixture(scope="module")
def errors(tmp_path_factory):
    """What mypy says of each program, each line without its file; one run for all."""
    folder = tmp_path_factory.mktemp("typed")
    for name, program in PROGRAMS.items():
        (folder / f"{name}.py").write_text(program, encoding="utf-8")
    # In the checkout as `make lint` runs it, which has read the package, numpy and scipy already. Where the
    # installed package is tested, its types are too.
    where = folder if os.environ.get("LDPBOOK_INSTALLED") else ROOT
    command = [sys.executable, "-m", "mypy", "--config-file", ROOT / "pyproject.toml", "--no-error-summary"]
    done = subprocess.run(
        [*command, *(folder / f"{name}.py" for name in PROGRAMS)],
        cwd=where,
        capture_output=True,
        text=True,
    )
    assert done.returncode in (0, 1), done.stdout + done.stderr
    assert done.stderr == ""
    lines = [line.partition(".py:") for line in done.stdout.splitlines() if ": error: " in line]
    return {name: [rest for file, _, rest in lines if Path(file).name == name] for name in PROGRAMS}


@pytest.mark.parametrize(
    ("name", "code"),
    [("no_such_name", "attr-defined"), ("no_such_argument", "call-arg"), ("no_such_method", "attr-defined")],
)
def test_what_does_not_exist_is_refused(errors, name, code):
    assert any(line.endswith(f"[{code}]") for line in errors[name]), errors[name]


def test_what_exists_is_accepted(errors):
    assert errors["right"] == []
