"""The Pythons that an old engine may run on: installed Pythons, then Pythons that uv can download."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from harness.environments import uv
from harness.environments.problem import EnvironmentProblem

# From the oldest that the children's code supports to the newest that is tried.
MINORS = tuple((3, minor) for minor in range(9, 15))
_NUMBERS = re.compile(r"(\d+)\.(\d+)(?:\.(\d+))?$")


class Python(NamedTuple):
    """An interpreter: `path` "" if uv would have to download it. `version` is (3, 12, 1) or (3, 12)."""

    version: tuple[int, ...]
    path: str

    @property
    def minor(self) -> tuple[int, int]:
        """Return (3, 12)."""
        return self.version[0], self.version[1]

    @property
    def text(self) -> str:
        """Return 3.12.1, or 3.12 for a Python that is not installed."""
        return ".".join(map(str, self.version))

    @property
    def request(self) -> str:
        """Return the name of the Python for uv."""
        return self.path or self.text


def candidates() -> list[Python]:
    """Return a Python for each minor version: installed Pythons, newest first, then the others."""
    here: dict[tuple[int, int], Python] = {}
    for python in (*_known_to_uv(), *_of_pyenv(), _ours()):
        if python.minor in MINORS:
            here.setdefault(python.minor, python)
    away = [Python(minor, "") for minor in reversed(MINORS) if minor not in here]
    return [*sorted(here.values(), reverse=True), *away]


def requested(text: str) -> Python:
    """Return the Python that a user named by version or path; raises EnvironmentProblem."""
    numbers = _NUMBERS.match(text)
    if numbers:
        version = tuple(int(number) for number in numbers.groups() if number)
        for python in (*_known_to_uv(), *_of_pyenv(), _ours()):
            if python.version[: len(version)] == version:
                return python
        return Python(version, "")
    path = Path(text).expanduser().absolute()
    if not os.access(path, os.X_OK) or path.is_dir():
        raise EnvironmentProblem(
            f"--python {text} is neither a version such as 3.11 nor a Python interpreter"
        )
    done = uv.run(["python", "find", "--no-project", "--show-version", str(path)], quick=True)
    numbers = _NUMBERS.match(done.stdout.strip())
    if done.returncode or not numbers:
        raise EnvironmentProblem(f"--python {text}: {uv.why(done)}")
    return Python(tuple(int(number) for number in numbers.groups() if number), str(path))


def _known_to_uv() -> Iterator[Python]:
    """Yield the standard CPythons that uv finds: its own, and those on PATH."""
    for entry in uv.listed(["python", "list", "--only-installed"]):
        parts = entry.get("version_parts", {})
        if (
            entry.get("path")
            and entry.get("implementation") == "cpython"
            and entry.get("variant") == "default"
        ):
            yield Python(tuple(parts.get(name, 0) for name in ("major", "minor", "patch")), entry["path"])


def _of_pyenv() -> Iterator[Python]:
    """Yield the Pythons of pyenv, whose commands on PATH only run in the versions its user chose."""
    root = Path(os.environ.get("PYENV_ROOT") or Path.home() / ".pyenv")
    for folder in (root / "versions").glob("*"):
        numbers = _NUMBERS.match(folder.name)
        program = folder / "bin" / "python"
        if numbers and os.access(program, os.X_OK):
            yield Python(tuple(int(number) for number in numbers.groups() if number), str(program))


def _ours() -> Python:
    return Python(tuple(sys.version_info[:3]), sys.executable)
