"""The releases of a package between two versions, as its index lists them: stable ones, not yanked."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Iterable, Iterator
from subprocess import CompletedProcess

from packaging.version import InvalidVersion, Version

from harness.engines.registry import Entry
from harness.environments import availability, store, uv
from harness.environments.problem import EnvironmentProblem

_SECONDS = 60.0


def between(versions: Iterable[str], low: str, high: str) -> list[str]:
    """Return the releases from `low` to `high`, both included, from old to new; raises EnvironmentProblem."""
    first, last = _parsed(low), _parsed(high)
    if first >= last:
        raise EnvironmentProblem(f"{low} is not before {high}")
    inside = stable(text for text in versions if first <= _parsed(text) <= last)
    if not inside:
        raise EnvironmentProblem(f"there is no stable release from {low} to {high}")
    return inside


def stable(versions: Iterable[str]) -> list[str]:
    """Return the releases that are stable, each once, from old to new; raises EnvironmentProblem."""
    releases = {_parsed(text): text for text in versions}
    return [text for version, text in sorted(releases.items()) if not version.is_prerelease]


def installed_of(entry: Entry) -> list[str]:
    """Return the versions of an engine that are installed: in environments, and beside colconf."""
    name = store.home(entry).name
    versions = [
        version
        for environment in store.environments()
        if environment.name == name and not environment.broken
        for version in entry.versions_in(environment.version)
    ]
    own = availability.status(entry).version
    return [*versions, own] if own and not any(store.same(own, version) for version in versions) else versions


def every_version(entry: Entry) -> list[str]:
    """Return the versions of an engine: those of its package in the index, or those known to be carried.

    Raises EnvironmentProblem.
    """
    return list(entry.carriers) if entry.artifact else listed(entry.packages[0])


def listed(package: str) -> list[str]:
    """Return the versions of a package in the index, as pip reads it (uv lists no versions).

    Releases for any Python are listed: environments may have another Python. Raises EnvironmentProblem.
    """
    arguments = ["index", "versions", package, "--json", "--ignore-requires-python"]
    problem = "pip does not run"
    for done in _pip_runs(arguments):
        if done.returncode == 0:
            return list(map(str, json.loads(done.stdout)["versions"]))
        problem = (done.stderr.strip().splitlines() or [problem])[-1]
    raise EnvironmentProblem(
        f"the releases of {package} cannot be listed: {problem}; listing needs pip 25.1 or newer"
    )


def _pip_runs(arguments: list[str]) -> Iterator[CompletedProcess[str]]:
    """Yield the output of pip: of this Python's, of the pip on the path, and of a pip that uv installs."""
    pip = shutil.which("pip")
    for command in ([sys.executable, "-m", "pip"], *([[pip]] if pip else [])):
        try:
            yield subprocess.run(
                [*command, *arguments], capture_output=True, text=True, timeout=_SECONDS, check=False
            )
        except (OSError, subprocess.SubprocessError):
            continue
    yield uv.run(["tool", "run", "pip", *arguments], quick=True)


def _parsed(text: str) -> Version:
    try:
        return Version(text)
    except InvalidVersion as error:
        raise EnvironmentProblem(f"{text!r} is not a version such as 3.5.9") from error
