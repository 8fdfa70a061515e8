"""Which engines are here, without importing one: their packages, and Java for those that need it."""

from __future__ import annotations

from importlib.metadata import PackageNotFoundError, version
from typing import TYPE_CHECKING, NamedTuple

from harness import java
from harness.engines.registry import ENGINES
from harness.version import __version__

if TYPE_CHECKING:
    from harness.engines.registry import Entry
    from harness.java import Java


class Status(NamedTuple):
    """An engine's version ("" if it is not installed), and if it cannot run, why and how to mend that."""

    entry: Entry
    version: str
    reason: str = ""
    mend: str = ""

    @property
    def available(self) -> bool:
        """Say whether it can be run."""
        return not self.reason


def statuses() -> list[Status]:
    """Answer the status of every engine of the registry, in its order."""
    found = java.find() if any(entry.needs_java for entry in ENGINES.values()) else None
    return [status(entry, found) for entry in ENGINES.values()]


def status(entry: Entry, found: Java | None = None) -> Status:
    """Answer the status of one engine; `found` saves looking for Java again."""
    if not entry.packages:
        return Status(entry, __version__)
    versions = {package: installed(package) for package in entry.packages}
    own = versions[entry.packages[0]]
    missing = [package for package, number in versions.items() if not number]
    if missing:
        what = "package is" if len(missing) == 1 else "packages are"
        mend = f"pip install 'colconf[{entry.extra}]'" if entry.extra else f"pip install {' '.join(missing)}"
        return Status(entry, own, f"the {what} not installed: {', '.join(missing)}", mend)
    if entry.needs_java:
        problem = (found or java.find()).problem
        if problem:
            return Status(entry, own, problem, java.MEND)
    return Status(entry, own)


def installed(package: str) -> str:
    """Answer the version of an installed distribution, "" if it is not there."""
    try:
        return version(package)
    except PackageNotFoundError:
        return ""
