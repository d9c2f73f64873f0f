"""The locks, the make rules and the workflows say the same as pyproject.toml."""

import json
import os
import platform
import re
import shutil
import subprocess
import sys
import tomllib
from fnmatch import fnmatch
from importlib.metadata import PackageNotFoundError, distribution, version as installed_version
from pathlib import Path

import numpy as np
import pytest
import yaml
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from packaging.version import Version
from toc import ROOT

import ldpbook

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
WORKFLOWS = {
    path.stem: yaml.safe_load(path.read_text(encoding="utf-8"))
    for path in sorted((ROOT / ".github" / "workflows").glob("*.yml"))
}
JOBS = {
    f"{workflow}/{name}": job for workflow, text in WORKFLOWS.items() for name, job in text["jobs"].items()
}
STEPS = [(job, step) for job, content in JOBS.items() for step in content["steps"]]
PYTHONS = [line.rpartition(" ")[2] for line in PROJECT["project"]["classifiers"] if ":: 3." in line]


def group(name: str) -> list[str]:
    """The requirements of a dependency group, included groups unfolded."""
    return [
        line
        for entry in PROJECT["dependency-groups"][name]
        for line in ([entry] if isinstance(entry, str) else group(entry["include-group"]))
    ]


def package() -> list[str]:
    """What the package needs, every extra included; that `all` names the extras is no requirement."""
    extras = PROJECT["project"]["optional-dependencies"]
    return PROJECT["project"]["dependencies"] + [
        line for name, lines in extras.items() if name != "all" for line in lines
    ]


DECLARED = {
    "requirements.txt": package() + group("dev"),
    "requirements/peers.txt": package() + group("peers"),
    "requirements/teaching.txt": package() + group("teaching"),
    "requirements/tools.txt": group("tools"),
    "requirements/lowest.txt": package() + group("test"),
}


def entries(lock: str) -> list[tuple[Requirement, str]]:
    """Each pin of a lock with the rest of its entry: hashes, and what asked for it."""
    text = (ROOT / lock).read_text(encoding="utf-8")
    blocks = re.split(r"(?m)^(?=[\w.-]+==)", text)[1:]
    return [
        (Requirement(head.removesuffix("\\").strip()), rest)
        for head, _, rest in (block.partition("\n") for block in blocks)
    ]


def pins(lock: str) -> dict[str, set[Version]]:
    found: dict[str, set[Version]] = {}
    for pin, _ in entries(lock):
        found.setdefault(pin.name, set()).add(Version(str(pin.specifier).removeprefix("==")))
    return found


@pytest.mark.parametrize("lock", DECLARED)
def test_a_lock_is_in_step_with_what_is_declared(lock):
    """What is declared is pinned within its bounds, and nothing else is direct; make lock mends it."""
    direct = {pin.name for pin, rest in entries(lock) if re.search(r"\bldpbook \(pyproject\.toml", rest)}
    wanted = [Requirement(line) for line in DECLARED[lock]]
    assert direct == {canonicalize_name(need.name) for need in wanted}
    found = pins(lock)
    for need in wanted:
        assert all(need.specifier.contains(version) for version in found[canonicalize_name(need.name)]), need


@pytest.mark.parametrize("lock", DECLARED)
def test_a_lock_has_hashes_and_no_addresses(lock):
    for pin, rest in entries(lock):
        assert "--hash=sha256:" in rest, pin
        assert "# via" in rest, f"{pin}: nothing asks for it"
    text = (ROOT / lock).read_text(encoding="utf-8")
    assert "://" not in text
    assert not re.search(r"(?m)^--", text)


EXTRAS = {
    extra: tuple(lines)
    for extra, lines in PROJECT["project"]["optional-dependencies"].items()
    if extra != "all"
}
COPYLEFT = re.compile(r"\b[AL]?GPL|GNU (Affero|Lesser|Library|General) ", re.IGNORECASE)


def brought(lines: tuple[str, ...]) -> set[str]:
    """Names of the installed distributions that requirements bring, those of their requirements included."""
    found: set[str] = set()
    waiting = [Requirement(line) for line in lines]
    seen = set()
    while waiting:
        need = waiting.pop()
        name = canonicalize_name(need.name)
        if (name, frozenset(need.extras)) in seen:
            continue
        seen.add((name, frozenset(need.extras)))
        try:
            further = map(Requirement, distribution(name).requires or ())
        except PackageNotFoundError:
            continue
        found.add(name)
        waiting += [
            line
            for line in further
            if line.marker is None or any(line.marker.evaluate({"extra": e}) for e in ("", *need.extras))
        ]
    return found


def licence(name: str) -> str:
    """What the metadata say, without the full text that some keep there."""
    about = distribution(name).metadata
    named = [about.get("License-Expression"), (about.get("License") or "").strip().partition("\n")[0]]
    kinds = [kind for kind in about.get_all("Classifier") or () if kind.startswith("License ::")]
    return "; ".join(filter(None, [*named, *kinds]))


@pytest.mark.parametrize("text", ["README.md", "pyproject.toml"])
def test_copyleft_that_an_extra_brings_is_named(text):
    """With its extra, where the package is introduced; and the package itself brings none."""
    said = " ".join((ROOT / text).read_text(encoding="utf-8").split())
    for extra, lines in EXTRAS.items():
        named = "".join(re.findall(rf"`{extra}` \(([^)]*)\)", said))
        for name in sorted(brought(lines)):
            if COPYLEFT.search(licence(name)):
                assert re.search(rf"\b{re.escape(name)}, [AL]?GPL", named), (
                    f"{extra}: {name}: {licence(name)}"
                )
    own = brought(tuple(PROJECT["project"]["dependencies"]))
    assert [name for name in own if COPYLEFT.search(licence(name))] == []


DATA_WITHIN = {"adult_content": "Apache-2.0", "bluebirds": "BSD-3-Clause-Clear"}


def test_licences_of_data_within_the_package_are_the_wheels():
    """With text and owner beside the data, and on the page of licences."""
    folders = [path for path in (ROOT / "ldpbook" / "datasets").iterdir() if any(path.glob("[!_]*"))]
    folders = [path for path in folders if path.is_dir() and path.name != "__pycache__"]
    assert {path.name for path in folders} == set(DATA_WITHIN)
    assert PROJECT["project"]["license"] == " AND ".join(["MIT", *DATA_WITHIN.values()])
    assert set(PROJECT["tool"]["setuptools"]["package-data"]["ldpbook.datasets"]) == {
        f"{name}/*" for name in DATA_WITHIN
    }
    given = {path for pattern in PROJECT["project"]["license-files"] for path in ROOT.glob(pattern)}
    assert given == {ROOT / "LICENSE", *(path / name for path in folders for name in ("LICENSE", "NOTICE"))}
    rows = (ROOT / "book" / "reference" / "licences.md").read_text(encoding="utf-8").splitlines()
    shipped = [row for row in rows if "shipped with `ldpbook`" in row]
    assert sorted(name for row in shipped for name in DATA_WITHIN.values() if name in row) == sorted(
        DATA_WITHIN.values()
    )


def test_copyleft_is_recognised():
    assert brought(("pytest", "no-such-package")) >= {
        "pytest",
        "pluggy",
    }  # and what it needs, where it is there
    for kind in ("GPLv3", "LGPL-3.0-or-later", "AGPL-3.0", "GNU GENERAL PUBLIC LICENSE", "MIT OR GPL-2.0"):
        assert COPYLEFT.search(kind)
    for kind in ("BSD-3-Clause", "MPL-2.0 AND MIT", "Apache 2.0", "License :: OSI Approved :: MIT License"):
        assert not COPYLEFT.search(kind)


def test_what_is_overruled_is_not_locked():
    lines = (ROOT / "requirements" / "overrides.txt").read_text(encoding="utf-8").splitlines()
    overrides = [Requirement(line) for line in lines if line and not line.startswith("#")]
    gone = {need.name for need in overrides if need.marker}
    assert gone
    assert all(gone & pins(lock).keys() == set() for lock in DECLARED)
    # Each block of overrides follows a comment that says why.
    blocks = "\n".join(lines).split("\n\n")
    assert all(block.startswith("#") for block in blocks)


@pytest.mark.parametrize("lock", [f"requirements/{name}.txt" for name in ("peers", "teaching", "tools")])
def test_environments_beside_the_book_s_share_its_versions(lock):
    book, beside = pins("requirements.txt"), pins(lock)
    assert {name: beside[name] for name in book.keys() & beside.keys() if beside[name] != book[name]} == {}


@pytest.mark.parametrize("name", ["numpy", "scipy", "pandas", "matplotlib", "scikit-learn"])
def test_every_python_has_the_same_numbers(name):
    assert [pin.marker for pin, _ in entries("requirements.txt") if pin.name == name] == [None]


def test_the_lowest_versions_are_the_declared_ones():
    lowest = pins("requirements/lowest.txt")
    for line in package():
        need = Requirement(line)
        (bound,) = [Version(clause.version) for clause in need.specifier if clause.operator == ">="]
        assert lowest[canonicalize_name(need.name)] == {bound}, f"{line}: declare what is tested"


def test_the_environment_is_the_lock():
    if not Path(sys.prefix, ".locked").exists():
        pytest.skip("not the environment that make creates")
    for pin, _ in entries("requirements.txt"):
        if pin.marker is None or pin.marker.evaluate():
            assert pin.specifier.contains(installed_version(pin.name), prereleases=True), pin
    (wheel,) = Path(sys.prefix, "wheels").iterdir()  # what the pages serve to JupyterLite
    assert wheel.name.startswith(f"comm-{installed_version('comm')}-")


def test_make_leaves_all_instructions_alone_that_not_every_processor_has():
    if not Path(sys.prefix, ".locked").exists() or platform.machine() != "x86_64":
        pytest.skip("not the environment that make creates, or not on x86-64")
    named = re.search(r"NPY_DISABLE_CPU_FEATURES \?= (.*)", (ROOT / "Makefile").read_text(encoding="utf-8"))
    has = np.show_config(mode="dicts")["SIMD Extensions"]
    assert {"X86_V3", *named[1].split()} == {*has["found"], *has.get("not found", ())}


@pytest.mark.skipif(os.name != "posix" or shutil.which("make") is None, reason="no make as POSIX knows it")
@pytest.mark.parametrize(
    ("changed", "rebuilt", "installed"),
    [
        ("_toc.yml", False, False),
        ("pyproject.toml", False, True),
        ("ldpbook/__init__.py", False, True),
        ("requirements.txt", True, True),
    ],
)
def test_the_environment_follows_the_lock_and_the_package_its_metadata(tmp_path, changed, rebuilt, installed):
    for name in ("Makefile", "requirements.txt", "pyproject.toml", "ldpbook/__init__.py", "_toc.yml"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        shutil.copy(ROOT / name, tmp_path / name)
        os.utime(tmp_path / name, (1, 1))
    (tmp_path / ".venv").mkdir()
    for seconds, name in enumerate([".venv/.locked", ".venv/.ready", changed], start=2):
        (tmp_path / name).touch()
        os.utime(tmp_path / name, (seconds, seconds))
    command = ["make", "--dry-run", "--no-print-directory", "-C", tmp_path, ".venv/.ready"]
    clean = {name: value for name, value in os.environ.items() if not name.startswith(("MAKE", "MFLAGS"))}
    done = subprocess.run(command, capture_output=True, text=True, check=True, env=clean)
    assert ("venv --clear" in done.stdout) == rebuilt
    assert ("--editable" in done.stdout) == installed


def test_mutants_are_of_the_parts_and_of_nothing_else():
    settings = PROJECT["tool"]["mutmut"]
    mutated = {
        path
        for path in (ROOT / "ldpbook").rglob("*.py")
        if any(fnmatch(path.relative_to(ROOT).as_posix(), glob) for glob in settings["only_mutate"])
        and not any(fnmatch(path.relative_to(ROOT).as_posix(), glob) for glob in settings["do_not_mutate"])
    }
    library = {
        path for path in (ROOT / "ldpbook").glob("*/*.py") if path.name not in ("__init__.py", "real.py")
    }
    assert mutated == library


def is_named(version: str, citation: dict[str, object], changes: str) -> bool:
    """Whether the changelog knows the version; what follows a release, released or not, is not called so."""
    (name, when), *before = re.findall(r"^## (\S+) \((.+)\)$", changes, re.MULTILINE)
    released = str(citation.get("date-released", "unreleased"))
    suffix = r"\.dev\d+" if when == "unreleased" and before else ""
    return bool(re.fullmatch(re.escape(name) + suffix, version)) and released == when


def test_one_version():
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    assert citation["version"] == ldpbook.__version__
    citing = (ROOT / "book" / "reference" / "citing.md").read_text(encoding="utf-8")
    assert set(re.findall(r"\d+\.\d+\.\d+(?:\.dev\d+)?", citing)) == {ldpbook.__version__}
    assert is_named(ldpbook.__version__, citation, (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"))


FIRST, AFTER = "## 0.1.0 (2027-01-02)\n", "## 0.2.0 (unreleased)\n\n## 0.1.0 (2027-01-02)\n"


@pytest.mark.parametrize(
    ("version", "released", "changes", "named"),
    [
        ("0.1.0", None, "## 0.1.0 (unreleased)\n", True),
        ("0.1.0", "2027-01-02", FIRST, True),
        ("0.1.0", None, FIRST, False),
        ("0.1.0", "2027-01-02", AFTER, False),
        ("0.1.0", None, AFTER, False),
        ("0.2.0", None, AFTER, False),
        ("0.2.0.dev0", "2027-01-02", AFTER, False),
        ("0.2.0.dev0", None, AFTER, True),
        ("0.2.0", "2027-03-04", AFTER.replace("unreleased", "2027-03-04"), True),
    ],
)
def test_no_version_names_two_packages(version, released, changes, named):
    citation = {"date-released": released} if released else {}
    assert is_named(version, citation, changes) == named


def test_rights_are_given_by_the_job_that_needs_them():
    for text in WORKFLOWS.values():
        assert text["permissions"] == {"contents": "read"}
        assert "concurrency" in text
    writing = {
        name: {right for right, kind in job.get("permissions", {}).items() if kind == "write"}
        for name, job in JOBS.items()
    }
    assert {name: rights for name, rights in writing.items() if rights} == {
        "tests/publish": {"pages", "id-token"},
        "release/publish": {"id-token"},
        "release/announce": {"contents"},
        "weekly/report": {"issues"},
    }
    for job, step in STEPS:  # whoever may publish runs nothing of the repository
        if "id-token" in writing[job]:
            assert "run" not in step
            assert not step["uses"].startswith("actions/checkout@")


# Of a release: that this very commit has a green run of all tests on main.
PASSED = """\
passed=$(gh run list --workflow tests.yml --branch main --event push --commit "$GITHUB_SHA" --status success \
--json databaseId --jq length)
test "$passed" -gt 0 || { echo "::error::no successful run of tests for this commit: run it again"; exit 1; }
"""
UPLOADED = """\
test "$(gh api "repos/$GITHUB_REPOSITORY/actions/runs/$GITHUB_RUN_ID/artifacts?name=$NAME" \
--jq '[.artifacts[].id] | join(" ")')" = "$UPLOADED\""""


def test_nothing_makes_a_red_job_green():
    """By what a job or a step is allowed to, or by what its commands swallow."""
    conditions = {(name, job["if"]) for name, job in JOBS.items() if "if" in job}
    assert conditions == {
        (
            "tests/unchanged",
            "github.event_name == 'push' && github.ref == 'refs/heads/main'"
            " && needs.strict.outputs.addressed == 'success'",
        ),
        (
            "weekly/report",
            "always() && (contains(needs.*.result, 'failure') || contains(needs.*.result, 'cancelled'))",
        ),
    }
    assert [name for name, job in JOBS.items() if "continue-on-error" in job] == []
    assert [step["id"] for _, step in STEPS if "continue-on-error" in step] == ["pages"]
    swallowing = [
        line.strip()
        for _, step in STEPS
        for line in step.get("run", "").splitlines()
        if re.search(r"\b(true|exit 0)\b|\|\|\s*:|\bset \+e", line)
    ]
    assert swallowing == ["tag=$(gh release view --json tagName --jq .tagName || true)"]  # there may be none
    runs = {job: [step["run"] for each, step in STEPS if each == job and "run" in step] for job in JOBS}
    assert runs["tests/strict"][-1] == "bash .ci/run"
    assert runs["tests/pythons"] == ["make test book"]
    assert runs["tests/lowest"] == ["make lowest"]


def test_the_run_that_decides_runs_all_and_requires_the_data():
    lines = (ROOT / ".ci" / "run").read_text(encoding="utf-8").splitlines()
    assert "set -euo pipefail" in lines
    assert '[ -z "${CI:-}" ] || export LDPBOOK_REQUIRE_DATA=1' in lines
    ends = [line for line in lines if line.startswith(("make", "wait"))]
    # A course that cannot be graded is red too: `wait` ends as what it waited for.
    assert ends == ["make test ALL=1", "make test-teaching &", "make site", "wait $!", "make test-site"]


def test_pages_are_published_as_they_were_uploaded():
    """All tests have passed, and what has the name of the upload still has its number."""
    tests = {name for name in JOBS if name.startswith("tests/")} - {"tests/publish", "tests/unchanged"}
    unchanged = JOBS["tests/unchanged"]
    assert {f"tests/{name}" for name in unchanged["needs"]} == tests
    (asked,) = unchanged["steps"]
    assert asked["run"] == UPLOADED
    assert asked["env"]["NAME"] == "${{ needs.strict.outputs.name }}"
    assert asked["env"]["UPLOADED"] == "${{ needs.strict.outputs.pages }}"
    (upload,) = [s for _, s in STEPS if s.get("uses", "").startswith("actions/upload-pages-artifact@")]
    outputs = JOBS["tests/strict"]["outputs"]
    assert outputs["pages"] == f"${{{{ steps.{upload['id']}.outputs.artifact_id }}}}"
    assert upload["with"]["name"] == outputs["name"] == "github-pages-${{ github.run_attempt }}"
    (deployed,) = JOBS["tests/publish"]["steps"]
    assert deployed["with"] == {"artifact_name": "${{ needs.strict.outputs.name }}"}


def test_no_job_installs_what_another_has_kept():
    """A wheel in pip's or uv's cache is asked for no hash."""
    assert not [job for job, step in STEPS if "cache" in step.get("with", {})]
    assert WORKFLOWS["tests"]["env"]["PIP_NO_CACHE_DIR"] == WORKFLOWS["tests"]["env"]["UV_NO_CACHE"] == "1"
    kept = [step["with"]["path"] for _, step in STEPS if step.get("uses", "").startswith("actions/cache@")]
    assert kept == ["~/.cache/ldpbook"]  # data, known by their SHA-256


def test_npm_packages_have_hashes():
    lock = json.loads((ROOT / "package-lock.json").read_text(encoding="utf-8"))["packages"]
    assert len(lock) > 3
    assert all(about["integrity"].startswith("sha512-") for name, about in lock.items() if name)


def test_only_what_was_tested_is_published():
    deploying = {job for job, step in STEPS if re.match(r"actions/deploy-pages@|pypa/", step.get("uses", ""))}
    assert deploying == {"tests/publish", "release/publish"}
    assert JOBS["tests/publish"]["needs"] == ["strict", "unchanged"]
    assert JOBS["release/publish"]["needs"] == ["build", "installed"]
    commands = [step["run"] for job, step in STEPS if job == "release/build" and "run" in step]
    (asked,) = [command for command in commands if "gh run list" in command]
    assert asked == PASSED
    assert commands.index("make test") < commands.index("make dist")
    # What is built is handed on at once: the newest of others' code meets a copy of it.
    *_, last, handed_on = JOBS["release/build"]["steps"]
    assert last["run"] == "make dist"
    assert handed_on["uses"].startswith("actions/upload-artifact@")
    *_, clean = JOBS["release/installed"]["steps"]
    taken = [
        step["with"] for _, step in STEPS if step.get("uses", "").startswith("actions/download-artifact@")
    ]
    # By number: what a later job uploads under that name has another.
    assert JOBS["release/build"]["outputs"] == {
        "dist": f"${{{{ steps.{handed_on['id']}.outputs.artifact-id }}}}"
    }
    assert [with_["artifact-ids"] for with_ in taken] == ["${{ needs.build.outputs.dist }}"] * 3
    assert "clean/bin/pip install dist/*.whl" in clean["run"]
    assert "clean/bin/python -c 'import ldpbook" in clean["run"]


def test_no_setup_py_of_anybody_else_is_run():
    """Every pip takes wheels only, told so in its line, by workflow or script; locks have hashes too."""
    assert all(text["env"]["PIP_ONLY_BINARY"] == ":all:" for text in WORKFLOWS.values())
    installing = [step["run"] for _, step in STEPS if "uv pip install" in step.get("run", "")]
    assert installing
    assert all("--only-binary :all:" in command for command in installing)
    pips = [line for _, step in STEPS for line in step.get("run", "").splitlines() if "pip install" in line]
    for line in [line for line in pips if "uv pip" not in line]:
        assert "--require-hashes" in line or line == "clean/bin/pip install dist/*.whl", line
    for script, told in (
        ("requirements/lock.py", '"pip", "install", "--quiet", "--require-hashes", "--only-binary", ":all:"'),
        ("book/_ext/ldp_sphinx/launch.py", 'wheel += ["--only-binary", "comm"'),
    ):
        text = (ROOT / script).read_text(encoding="utf-8")
        assert len(re.findall(r'"pip", "(?:install|wheel|download)"', text)) == 1, script
        assert told in text, script
    for path in (ROOT / "Makefile", *(ROOT / ".ci").iterdir(), *(ROOT / ".binder").iterdir()):
        text = path.read_text(encoding="utf-8").replace("\\\n", " ")
        for line in re.findall(
            r"^(?!INSTALL).*(?:\(INSTALL\)|\bpip (?:install|download)).*", text, re.MULTILINE
        ):
            own = line.endswith(("--no-build-isolation --editable .", "--no-build-isolation ."))
            told = "export PIP_ONLY_BINARY=:all:" in text or "--only-binary :all:" in line
            assert own or told, f"{path}: {line}"
            assert own or "export PIP" in text or "--require-hashes" in line, f"{path}: {line}"


def test_windows_checks_out_the_same_bytes():
    attributes = (ROOT / ".gitattributes").read_text(encoding="utf-8").splitlines()
    assert "* -text" in attributes


def test_no_job_runs_for_ever_and_a_red_week_is_told():
    assert all(job["timeout-minutes"] <= 90 for job in JOBS.values())
    weekly = {name.partition("/")[2] for name in JOBS if name.startswith("weekly/")} - {"report"}
    report = JOBS["weekly/report"]
    assert set(report["needs"]) == weekly
    assert "always()" in report["if"]
    assert all(f"contains(needs.*.result, '{end}')" in report["if"] for end in ("failure", "cancelled"))


def test_what_runs_elsewhere_has_owners():
    """Each pattern names something that is there, and all that a malicious change would touch is named."""
    lines = (ROOT / ".github" / "CODEOWNERS").read_text(encoding="utf-8").splitlines()
    owned = [line.split()[0].lstrip("/") for line in lines if line and not line.startswith("#")]
    assert all((ROOT / path).exists() for path in owned)
    assert {".github/", ".ci/", ".binder/", "Makefile", "requirements.txt", "requirements/"} <= set(owned)
    assert {".npmrc", ".gitattributes", "_config.yml", "_toc.yml", "package.json"} <= set(owned)
    assert {"package-lock.json", "MANIFEST.in", "pyproject.toml", "conftest.py"} <= set(owned)
    assert {"book/", "ldpbook/", "tests/"} <= set(owned)


CODE = [
    pytest.param(code, id=job)
    for job, step in STEPS
    for code in re.findall(r"python -c '(.+)'", step.get("run", ""))
]


@pytest.mark.parametrize("code", CODE)
def test_what_a_workflow_asks_of_the_package_works(code, tmp_path):
    installed = os.environ.get("LDPBOOK_INSTALLED")
    subprocess.run([sys.executable, "-c", code], cwd=tmp_path if installed else ROOT, check=True)


TOLD = {step["run"].removeprefix("pytest ") for _, step in STEPS if step.get("run", "").startswith("pytest ")}
# scipy takes a mention of sphinx for its presence, so it is there first.
UNBUILT = """import sys, pytest, scipy.stats
sys.modules |= dict.fromkeys({masked})
sys.exit(pytest.main({words} + ["--collect-only", "-qq", "-p", "no:cacheprovider", "--assert=plain"]))"""


@pytest.mark.parametrize(
    "command",
    [
        pytest.param(told, marks=[] if "nbval" in told else pytest.mark.slow("imports all that a job tests"))
        for told in sorted(TOLD)
    ],
)
def test_what_a_job_tests_is_found_without_what_builds_the_pages(command, pytestconfig):
    """The jobs that install the package install neither Sphinx nor a browser's driver."""
    masked = ["bs4", "docutils", "jupyter_book", "pikepdf", "playwright", "pypdfium2", "sphinx"]
    masked += ["isoduration", "rfc3987_syntax"]  # optional, and jsonschema takes seconds to load them
    ignored = [f"-W{each}" for each in pytestconfig.getoption("pythonwarnings") or ()]
    code = UNBUILT.format(masked=masked, words=command.split() + ignored)
    ran = [sys.executable, "-P", "-c", code]  # -P: not the checkout where the installed package is tested
    # Of the plugins only what the command names: to import all that are installed takes seconds.
    named = "nbval.plugin" if "nbval" in command else ""
    alone = {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "PYTEST_PLUGINS": named}
    found = subprocess.run(ran, cwd=ROOT, env=os.environ | alone, capture_output=True, text=True)
    assert found.returncode == 0, found.stdout[-2000:]
    mine = "book/foundations/local-privacy.ipynb: " if "nbval" in command else "tests/test_environment.py: "
    assert any(line.startswith(mine) for line in found.stdout.splitlines())  # not a dependency's own "tests"


def test_every_supported_python_is_tested():
    assert PROJECT["project"]["requires-python"] == f">={PYTHONS[0]}"
    assert JOBS["tests/package"]["strategy"]["matrix"]["python"] == PYTHONS
    assert JOBS["tests/pythons"]["strategy"]["matrix"]["python"] == PYTHONS[1:]
    uses = {
        job: step["with"]["python-version"] for job, step in STEPS if "python-version" in step.get("with", {})
    }
    assert uses["tests/strict"] == uses["tests/lowest"] == PYTHONS[0]
    assert any(step.get("run") == "make lowest" for job, step in STEPS if job == "tests/lowest")
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    first, last = (f"(3, {python.removeprefix('3.')})" for python in (PYTHONS[0], PYTHONS[-1]))
    assert f"{first} <= sys.version_info[:2] <= {last}" in makefile
    assert f"is for Python {PYTHONS[0]} to {PYTHONS[-1]}:" in makefile


PAPERS = ("README.md", "CONTRIBUTING.md", "SECURITY.md", "CODE_OF_CONDUCT.md")
FORMS = {
    path.stem: yaml.safe_load(path.read_text(encoding="utf-8"))
    for path in sorted((ROOT / ".github" / "ISSUE_TEMPLATE").glob("*.yml"))
    if path.stem != "config"
}


def written(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


def headings(name: str) -> list[str]:
    return re.findall(r"^## (.+)$", written(name), re.MULTILINE)


@pytest.mark.parametrize("name", PAPERS)
def test_links_between_the_papers_lead_somewhere(name):
    for target in re.findall(r"\]\(([^)]+)\)", written(name)):
        if "://" in target:
            continue
        path, _, anchor = target.partition("#")
        assert (ROOT / (path or name)).is_file(), target
        if anchor:
            slugs = [re.sub(r"[^\w -]", "", heading).lower() for heading in headings(path or name)]
            assert anchor in [slug.replace(" ", "-") for slug in slugs], target


def test_forms_that_are_named_are_there():
    pages = [*PAPERS, "book/reference/right-of-reply.md", "book/reference/what-else.md"]
    named = {form for name in pages for form in re.findall(r"\bforms? \*([^*]+)\*", written(name))}
    assert named
    assert named <= {form["name"] for form in FORMS.values()}


@pytest.mark.parametrize("name", FORMS)
def test_the_fields_of_a_form_have_names_of_their_own(name):
    """Otherwise there is no form; the schema does not ask for it."""
    ids = [field["id"] for field in FORMS[name]["body"] if "id" in field]
    assert len(ids) == len(set(ids))


def test_the_author_is_the_same_everywhere():
    author = PROJECT["project"]["authors"][0]["name"]
    for name in ("_config.yml", "LICENSE", "CITATION.cff"):
        assert author in written(name), name
