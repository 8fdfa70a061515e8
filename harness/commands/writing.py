"""Writing the reports of a run, which register as entry points."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.metadata import EntryPoint
from pathlib import Path

from harness.engines.installed import entry_points
from harness.judging.results import load
from harness.problem import Problem
from harness.runs.pipeline.errors import explained
from harness.runs.pipeline.run import Progress

REPORTS = "colconf.reports"
_DEFAULT_REPORTS = ("html", "markdown", "junit")
_NO_REPORT = "none"


def writers(names: Sequence[str]) -> dict[str, EntryPoint]:
    """Return the reports to write; raises Problem for an unknown one."""
    there = {point.name: point for point in entry_points(group=REPORTS)}
    if not names:
        return {name: there[name] for name in _DEFAULT_REPORTS if name in there}
    unknown = [name for name in names if name not in there and name != _NO_REPORT]
    if unknown:
        known = ", ".join([*sorted(there), _NO_REPORT])
        raise Problem(f"unknown report {unknown[0]!r}; known: {known}")
    return {name: there[name] for name in names if name != _NO_REPORT}


def write_reports(chosen: dict[str, EntryPoint], out: Path, bars: Progress) -> list[str]:
    """Write the reports; for a report that fails, print a line."""
    if not chosen:
        return []
    results = load(out, streamed=True)
    written = []
    for name, point in chosen.items():
        try:
            file = point.load()(results, out)
        except Exception as error:  # noqa: BLE001 - a plugin may raise anything
            bars.note(f"the report {name} was not written: {explained(error)}")
            continue
        if file is not None:
            written.append(str(file))
    return written
