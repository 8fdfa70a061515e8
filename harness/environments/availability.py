"""The availability of engines, without importing them: their packages, and Java for those that need it.

An engine name without a version is the version installed beside colconf; other versions are searched in the
cached environments (`harness/environments/`). A foreign engine is started, which is how its version is known.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, NamedTuple

from harness.children import java
from harness.children.connection import Connection, StartError
from harness.children.java import Java
from harness.children.launch import Launch, apart, beside, leashed
from harness.children.outcomes import Outcome
from harness.engines.jvm.program import version_of
from harness.engines.naming import EngineName
from harness.engines.registry import ENGINES, Entry
from harness.environments import store
from harness.environments.carried import carried
from harness.version import __version__


class Status(NamedTuple):
    """An engine's version ("" if it is not installed), and if it cannot run, the reason and the remedy.

    `other`: how a version in an environment of its own, or a foreign engine, is started. `description` is
    what a foreign engine says of itself.
    """

    entry: Entry
    version: str
    reason: str = ""
    mend: str = ""
    other: Launch | None = None
    description: dict[str, Any] = {}  # noqa: RUF012 - never changed

    @property
    def available(self) -> bool:
        """Return whether it can be run."""
        return not self.reason

    @property
    def writes(self) -> bool:
        """Return whether it writes files: of a foreign engine, whether its description lists the op."""
        return self.entry.writes or "write" in self.description.get("ops", ())

    @property
    def launch(self) -> Launch:
        """Return how a child is started."""
        return self.other or beside(self.entry)


_BUILDS: dict[str, Status] = {}


@contextmanager
def as_built(build: Status) -> Iterator[None]:
    """Have the engine's name without a version mean this build of it, as long as the context is open."""
    name = build.entry.name
    _BUILDS[name] = build
    try:
        yield
    finally:
        del _BUILDS[name]


def status_of(engine: EngineName) -> Status:
    """Return the status of an engine in the requested version.

    The engine installed beside colconf is taken if it has that version; the use of an environment is recorded
    there.
    """
    if engine.version is None and engine.name in _BUILDS:
        return _BUILDS[engine.name]
    own = status(engine.entry)
    if engine.version is None or (own.available and store.same(own.version, engine.version)):
        return own
    if engine.entry.foreign is not None:
        return own if not own.available else Status(engine.entry, own.version, *_other_version(engine, own))
    key = f"{engine.name}@{engine.version}"
    release = engine.entry.release_of(engine.version)
    if not release:
        known = ", ".join(engine.entry.carriers)
        reason = f"no release of {engine.entry.packages[0]} is known to carry it"
        return Status(engine.entry, engine.version, reason, f"name one of {known}")
    environment = store.find(engine.entry, release)
    mend = f"run `colconf engines install {key}`"
    if environment is None:
        return Status(engine.entry, engine.version, "it is not installed", mend)
    version_ = engine.version if engine.entry.artifact else environment.version
    if environment.broken:
        return Status(engine.entry, version_, f"{environment.folder}: {environment.broken}", mend)
    variables = {}
    if engine.entry.needs_java:
        chosen = java.choose(environment.version)
        if chosen.problem:
            reason, _, java_mend = chosen.problem.partition("; ")
            return Status(engine.entry, version_, reason, java_mend)
        variables = java.variables(environment.version, chosen)
    environment.use()
    launch = apart(engine.entry, environment.interpreter, carried(store.cache()), variables)
    return Status(engine.entry, version_, other=launch)


def statuses() -> list[Status]:
    """Return the status of every engine of the registry, in its order."""
    java_here = java.find() if any(entry.needs_java for entry in ENGINES.values()) else None
    return [status(entry, java_here) for entry in ENGINES.values()]


def status(entry: Entry, java_here: Java | None = None) -> Status:
    """Return the status of one engine; `found` saves looking for Java again."""
    if entry.foreign is not None:
        return _foreign(entry)
    if not entry.packages:
        return Status(entry, __version__)
    versions = {package: installed(package) for package in entry.packages}
    own = versions[entry.packages[0]]
    if own and entry.artifact:
        own = version_of(entry.artifact)
    missing = [package for package, number in versions.items() if not number]
    if missing:
        what = "package is" if len(missing) == 1 else "packages are"
        mend = f"pip install 'colconf[{entry.extra}]'" if entry.extra else f"pip install {' '.join(missing)}"
        return Status(entry, own, f"the {what} not installed: {', '.join(missing)}", mend)
    if entry.needs_java:
        problem = (java_here or java.find()).problem
        if problem:
            return Status(entry, own, problem, java.MEND)
    return Status(entry, own)


def _other_version(engine: EngineName, own: Status) -> tuple[str, str]:
    manifest = engine.entry.manifest
    return f"its manifest runs version {own.version}", f"install {engine.version}, or name {manifest} alone"


def _foreign(entry: Entry) -> Status:
    """Return the status of a foreign engine, which is started once and asked for its version."""
    mend = entry.install or f"see {entry.manifest}"
    program, *arguments = entry.command
    path = shutil.which(program)
    missing = [name for name in (program, *entry.needs) if shutil.which(name) is None]
    if path is None or missing:
        what = "program is" if len(missing) == 1 else "programs are"
        return Status(entry, "", f"the {what} not there: {', '.join(missing)}", mend)
    assert entry.foreign is not None
    launch = leashed((str(Path(path).absolute()), *arguments), entry.variables, entry.foreign)
    described = _described(launch)
    if isinstance(described, Outcome):
        return Status(entry, "", f"it does not describe itself: {_why(described)}", mend, launch)
    return Status(entry, str(described["version"]), other=launch, description=described)


@cache
def _described(launch: Launch) -> dict[str, Any] | Outcome:
    """Return the description of a foreign engine, or the outcome of its start."""
    with Connection(launch) as connection:
        try:
            return connection.describe()
        except StartError as error:
            return error.outcome


def _why(outcome: Outcome) -> str:
    """Return a line about a failed start, with the last line of standard error."""
    detail = outcome.detail
    last = next((line.strip() for line in reversed(detail.stderr.splitlines()) if line.strip()), "")
    return "; ".join(filter(None, (f"{outcome.kind}: {detail.summary}", last)))


def installed(package: str) -> str:
    """Return the version of an installed distribution, "" if it is not there."""
    try:
        return version(package)
    except PackageNotFoundError:
        return ""
