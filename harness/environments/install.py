"""Make an environment with one version of an engine and its requirements, and check that it works.

Pythons are tried from new to old, installed ones first: the release tells which it supports (by its wheels,
`requires-python` and, without those, `hints.py`), and the check is the engine's description, requested from a
child in the new environment. Other packages are from the time of the release: only those uploaded until
shortly after it are used.
"""

from __future__ import annotations

import datetime as dt
import shutil
import tempfile
import time
import tomllib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from harness.children import java
from harness.children.connection import Connection, Limits, StartError
from harness.children.launch import Launch, apart
from harness.engines.registry import Entry
from harness.environments import pythons, store, uv
from harness.environments.carried import carried
from harness.environments.hints import hint
from harness.environments.problem import EnvironmentProblem
from harness.environments.pythons import Python
from harness.environments.store import Environment

# Packages beside the engine: from its release or the days after, when its users first installed it.
_GRACE = dt.timedelta(days=14)
_START_SECONDS = 120.0


@dataclass(frozen=True)
class Release:
    """A release of a package: its full version, the latest upload date of other packages, its wheels."""

    package: str
    version: str
    before: str
    has_wheels: bool


@dataclass(frozen=True)
class Installed:
    """An environment, and whether it is new."""

    environment: Environment
    new: bool


def install(
    entry: Entry,
    version: str,
    *,
    python: str | None = None,
    force: bool = False,
    say: Callable[[str], object] = lambda _: None,
) -> Installed:
    """Return the environment of a version of an engine; it is made if it is missing or broken.

    `python` is a version or a path, by default chosen; `force` makes the environment anew. Safe to call from
    several processes at once: the first makes it and the others wait. Raises EnvironmentProblem.
    """
    own = store.home(entry)
    if not (carrier := entry.release_of(version)):
        known = ", ".join(entry.carriers)
        raise EnvironmentProblem(
            f"no release of {own.packages[0]} is known to carry {entry.name} {version}; known: {known}"
        )
    version = carrier
    cached = None if force else store.find(own, version)
    if cached and not cached.broken:
        return Installed(cached, new=False)
    release = released(own.packages[0], version)
    key = f"{own.name}@{release.version}"
    try:
        with store.locked(
            key, lambda: say(f"{key}: waiting for another colconf, which is installing this version")
        ):
            cached = None if force else store.find(own, release.version)
            if cached and not cached.broken:
                return Installed(cached, new=False)
            store.sweep(key)
            return Installed(_make(own, release, python, say), new=True)
    except OSError as error:
        raise EnvironmentProblem(f"{key}: {error}") from error


def released(package: str, version: str) -> Release:
    """Return a release of the index; raises EnvironmentProblem with the nearest releases if there is none."""
    pinned = f"{package}=={version}"
    for minor in pythons.MINORS:  # lists the wheels of this Python and of all newer ones
        done = _resolve(pinned, minor, "--format", "pylock.toml")
        if done.returncode == 0:
            return _release(package, tomllib.loads(done.stdout))
    near = [_nearest(f"{package}<{version}", "highest"), _nearest(f"{package}>{version}", "lowest-direct")]
    names = " and ".join(f"{package} {version}" for version in near if version)
    if names:
        raise EnvironmentProblem(f"there is no {package} {version}; the nearest are {names}")
    raise EnvironmentProblem(f"{pinned} was not found: {uv.why(done)}")


def _resolve(requirement: str, minor: tuple[int, int], *options: str) -> Any:
    arguments = ("pip", "compile", "-", "--universal", "--no-deps", "--no-header", "--no-python-downloads")
    wanted = ("--python-version", "{}.{}".format(*minor))
    return uv.run([*arguments, *wanted, *options], stdin=requirement, quick=True)


def _nearest(requirement: str, resolution: str) -> str:
    for minor in (pythons.MINORS[-1], pythons.MINORS[0]):
        done = _resolve(requirement, minor, "--resolution", resolution, "--no-annotate", "--quiet")
        if done.returncode == 0 and "==" in done.stdout:
            return str(done.stdout.split("==")[1].split()[0])
    return ""


def _release(package: str, lock: dict[str, Any]) -> Release:
    (locked,) = lock["packages"]
    wheels = locked.get("wheels", [])
    files = wheels or [archive for archive in (locked.get("sdist"), locked.get("archive")) if archive]
    dates = [file["upload-time"] for file in files if isinstance(file.get("upload-time"), dt.datetime)]
    before = f"{(max(dates) + _GRACE).astimezone(dt.UTC):%Y-%m-%dT%H:%M:%SZ}" if dates else ""
    return Release(package, locked["version"], before, bool(wheels))


def _make(entry: Entry, release: Release, python: str | None, say: Callable[[str], object]) -> Environment:
    """Try one Python after the other; raises EnvironmentProblem with the most telling error."""
    variables = java_variables(entry, release.version)
    failed: list[tuple[Python, _NotThisPythonError]] = []
    for candidate in _pythons(release, python):
        if _is_hopeless(candidate, failed):
            break
        say(f"{entry.name}@{release.version}: installing on Python {candidate.text}")
        begun = time.monotonic()
        store.root().mkdir(parents=True, exist_ok=True)
        prefix = f"{store.UNFINISHED}{entry.name}@{release.version}-"
        staged = Path(tempfile.mkdtemp(prefix=prefix, dir=store.root()))
        try:
            _fill(staged / "venv", entry, release, candidate)
            say(f"{entry.name}@{release.version}: starting the engine")
            environment = _described(staged, entry, release, variables)
            environment = replace(
                environment, size=store.size(staged), seconds=round(time.monotonic() - begun, 3)
            )
            store.write(environment)
            staged.chmod(0o755)
            target = store.root() / environment.key
            store.put(staged, target)
            return replace(environment, folder=target)
        except _NotThisPythonError as error:
            failed.append((candidate, error))
            say(f"{entry.name}@{release.version}: not on Python {candidate.text}: {error}")
        finally:
            shutil.rmtree(staged, ignore_errors=True)
    raise EnvironmentProblem(_gave_up(entry, release, failed))


def java_variables(entry: Entry, version: str) -> dict[str, str]:
    """Return the variables for an engine's Java, `{}` without; raises EnvironmentProblem."""
    if not entry.needs_java:
        return {}
    chosen = java.choose(version)
    if chosen.problem:
        raise EnvironmentProblem(f"{entry.name}@{version}: {chosen.problem}")
    return java.variables(version, chosen)


class _NotThisPythonError(Exception):
    """The engine does not work on this Python; `started`: it was installed, and does not start."""

    def __init__(self, message: str, *, started: bool = False) -> None:
        super().__init__(message)
        self.started = started


def _is_hopeless(python: Python, failed: list[tuple[Python, _NotThisPythonError]]) -> bool:
    """Return whether other Pythons are not worth trying: the engine was installed, and did not start."""
    started = [str(error) for _, error in failed if error.started]
    return bool(started) and (not python.path or len(started) > len(set(started)))


def _pythons(release: Release, python: str | None) -> Iterator[Python]:
    if python is not None:
        yield pythons.requested(python)
        return
    newest = hint(release.package, release.version).newest_python
    for candidate in pythons.candidates():
        if newest is None or candidate.minor <= newest:
            yield candidate


def _gave_up(entry: Entry, release: Release, failed: list[tuple[Python, _NotThisPythonError]]) -> str:
    key = f"{entry.name}@{release.version}"
    if not failed:
        return f"{key} supports none of the Pythons 3.{pythons.MINORS[0][1]} to 3.{pythons.MINORS[-1][1]}"
    best, error = max(failed, key=lambda failure: (failure[1].started, bool(failure[0].path)))
    tried = ", ".join(tried_python.text for tried_python, _ in failed)
    mend = "" if error.started else "; name another Python with --python"
    return f"{key} cannot be installed on Python {tried}; on {best.text}: {error}{mend}"


def _fill(venv: Path, entry: Entry, release: Release, python: Python) -> None:
    """Make the virtual environment and install into it; raises _NotThisPythonError."""
    _done("venv", "--no-project", "--relocatable", "--quiet", "--python", python.request, str(venv))
    interpreter = str(store.interpreter_of(venv.parent))
    pinned = f"{release.package}=={release.version}"
    dated = ["--exclude-newer", release.before] if release.before else []
    into = ["pip", "install", "--python", interpreter, "--quiet", *dated]
    if not release.has_wheels:  # only the engine is built from source
        _done(*into, "--no-deps", pinned)
    with tempfile.TemporaryDirectory(prefix="colconf-uv-") as folder:
        bounds = Path(folder) / "bounds.txt"
        bounds.write_text("\n".join(hint(release.package, release.version).bounds) + "\n", "utf-8")
        _done(*into, "--only-binary", ":all:", "--constraints", str(bounds), pinned, *entry.packages[1:])


def _done(*arguments: str) -> None:
    done = uv.run(arguments)
    if done.returncode:
        raise _NotThisPythonError(uv.why(done))


def _described(staged: Path, entry: Entry, release: Release, variables: dict[str, str]) -> Environment:
    """Return the environment after the engine in it described itself; raises _NotThisPythonError."""
    interpreter = store.interpreter_of(staged)
    description = proof(apart(entry, interpreter, carried(store.cache()), variables))
    if isinstance(description, str):
        raise _NotThisPythonError(description, started=True)
    if not store.same(description["version"], release.version):
        raise _NotThisPythonError(f"it says that it is version {description['version']}", started=True)
    packages = uv.listed(["pip", "list", "--python", str(interpreter)])
    version = uv.run(["python", "find", "--no-project", "--show-version", str(interpreter)], quick=True)
    return store.Environment(
        entry.name,
        release.version,
        release.package,
        version.stdout.strip(),
        {package["name"]: package["version"] for package in packages},
        release.before,
        f"{dt.datetime.now(tz=dt.UTC):%Y-%m-%dT%H:%M:%SZ}",
        description["runtime"],
        folder=staged,
    )


def proof(launch: Launch) -> dict[str, Any] | str:
    """Return the description of an engine, or a line of text on why it does not start."""
    limits = Limits(start_seconds=_START_SECONDS, starts=1)
    with Connection(launch.command, limits, env=launch.environment()) as connection:
        try:
            return connection.describe()
        except StartError as error:
            detail = error.outcome.detail
            text = ": ".join(filter(None, (detail.error_class, detail.message)))
            tail = (detail.stderr or "").strip().splitlines()[-1:]
            return " ".join(" ".join([*text.splitlines(), *tail]).split())[:400] or "it does not start"
