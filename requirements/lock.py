"""Resolves the book's dependencies into the locks: ``make lock``, or ``make lock RAISE="numpy scipy"``.

A pin stays where it is unless it has to move or is raised (``RAISE=all``: everything), so a second run
changes nothing; uv itself is taken from its lock as it stands (if that is spoilt: of the last commit). What
moved is printed, downgrades by name; then what stays behind its newest release.
"""

import os
import re
import subprocess
import sys
import tempfile
import venv
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = "pyproject.toml --all-extras"
TOOLS = "requirements/tools.txt"
LOCKS = {
    "requirements.txt": f"{PACKAGE} --universal --group dev",
    "requirements/peers.txt": f"{PACKAGE} --universal --group peers --constraint requirements.txt",
    "requirements/teaching.txt": f"{PACKAGE} --universal --group teaching --constraint requirements.txt",
    # What builds and installs the package where the newest of everything is tried, and what writes the locks.
    TOOLS: "--universal --group tools --constraint requirements.txt",
    # The package's own lower bounds taken literally, on the reference platform: make lowest.
    "requirements/lowest.txt": f"{PACKAGE} --python-platform linux --group test --resolution lowest-direct",
}
Pins = dict[str, list[tuple[str, str]]]


def canonical(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def read(lock: str) -> Pins:
    """Name to versions and their markers: more than one where Pythons or systems differ."""
    pins: Pins = {}
    for name, version, marker in re.findall(r"(?m)^([\w.-]+)==([^\s;]+)(?: ; ([^\\\n]*?))?(?: \\)?$", lock):
        pins.setdefault(canonical(name), []).append((version, marker))
    return pins


def release(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in re.findall(r"\d+", version))


def compiler(uv: Path, lock: str, raised: list[str]) -> list[str | Path]:
    """The command that writes a lock; every pin has a wheel, so that installing runs no setup.py."""
    command = [uv, "pip", "compile", *LOCKS[lock].split()]
    command += ["--python-version", "3.11", "--generate-hashes", "--only-binary", ":all:"]
    command += ["--output-file", lock, "--no-config", "--quiet"]
    command += ["--overrides", "requirements/overrides.txt", "--custom-compile-command", "make lock"]
    if raised == ["all"]:
        return [*command, "--upgrade"]
    return command + [word for name in raised for word in ("--upgrade-package", name)]


def report(lock: str, before: Pins, after: Pins) -> None:
    for name in sorted(before.keys() | after.keys()):
        old, new = before.get(name, []), after.get(name, [])
        if [version for version, _ in old] != [version for version, _ in new]:
            lower = old and new and max(release(v) for v, _ in new) < max(release(v) for v, _ in old)
            verb = "LOWERED" if lower else "changed"
            print(f"{lock}: {verb} {name} {[v for v, _ in old] or 'new'} -> {[v for v, _ in new] or 'gone'}")


def behind(uv: Path, pins: Pins) -> list[str]:
    """Pins below the newest release for Python 3.13, taken one by one without what others ask for."""
    command = [uv, "pip", "compile", "-", "--no-deps", "--python-version", "3.13", "--no-config", "--quiet"]
    done = subprocess.run(
        command, input="\n".join(pins), capture_output=True, text=True, check=True, cwd=ROOT
    )
    newest = {name: found[0][0] for name, found in read(done.stdout).items()}
    highest = {name: max((version for version, _ in found), key=release) for name, found in pins.items()}
    return [f"{name} {highest[name]} < {newest[name]}" for name in pins if highest[name] != newest[name]]


def main(raised: list[str]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        environment = venv.EnvBuilder(with_pip=True)
        environment.create(folder)
        python = Path(environment.ensure_directories(folder).env_exe)
        install = [python, "-m", "pip", "install", "--quiet", "--require-hashes", "--only-binary", ":all:"]
        subprocess.run([*install, "--requirement", ROOT / TOOLS], check=True)
        uv = python.with_name("uv")
        pins: Pins = {}
        for lock in LOCKS:
            path = ROOT / lock
            text, stat = (path.read_text(encoding="utf-8"), path.stat()) if path.exists() else ("", None)
            subprocess.run(compiler(uv, lock, raised), cwd=ROOT, check=True)
            after = read(path.read_text(encoding="utf-8"))
            if stat and text == path.read_text(encoding="utf-8"):  # make shall not rebuild for it
                os.utime(path, ns=(stat.st_atime_ns, stat.st_mtime_ns))
            elif stat:
                report(lock, read(text), after)
            if lock != "requirements/lowest.txt":
                pins |= after
        print("Behind the newest release (by a bound here or another package's; see CONTRIBUTING.md):")
        print("\n".join(f"  {line}" for line in behind(uv, pins)))


if __name__ == "__main__":
    main(sys.argv[1:])
