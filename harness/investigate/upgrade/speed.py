"""Whether one version reads a file slower than the other, beyond noise: each read several times, in turns.

Time is from request to reply: what the adapter does to send the values is in it, the same for both versions.
A difference counts only if every reading of one version took longer than every reading of the other, and the
medians are a fifth apart: of ten readings that differ in nothing, five and five, fewer than one in a hundred
fall so. What else the machine does may still do it: read the numbers, not the word.
"""

from __future__ import annotations

from statistics import median
from typing import TYPE_CHECKING, Any

from harness.children.connection import Connection, StartError
from harness.children.outcomes import OutcomeKind
from harness.investigate.upgrade.classes import Class, Right

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from corpora.cases import Case
    from harness.children.connection import Limits
    from harness.judging.places import Process
    from harness.runs.pipeline.run import Progress

LEAST = 5  # repetitions, below which nothing is told
RATIO = 1.2


def lines(
    pair: Sequence[Process], cases: Sequence[Case], repeat: int, limits: Limits, progress: Progress
) -> Iterator[dict[str, Any]]:
    """Yield a line for each file that one version reads slower than the other."""
    with (
        Connection(pair[0].command, limits, env=pair[0].launch.environment()) as old,
        Connection(pair[1].command, limits, env=pair[1].launch.environment()) as new,
    ):
        try:
            old.describe(), new.describe()
        except StartError:
            return  # the run has said so
        progress.stage("timing", len(cases))
        for case in cases:
            times = _times((old, new), pair, case, repeat)
            progress.advance(1)
            if times:
                yield from _told(pair[0].name, case, *times)


def _times(
    sides: tuple[Connection, Connection], pair: Sequence[Process], case: Case, repeat: int
) -> tuple[list[float], list[float]] | None:
    """Return the seconds of each reading, None if one of them failed; the first of each is not counted."""
    found: tuple[list[float], list[float]] = ([], [])
    for turn in range(repeat + 1):
        for side in (0, 1) if turn % 2 else (1, 0):
            outcome = sides[side].read(case.file, case.format, pair[side].configs[0].switches)
            if outcome.kind is not OutcomeKind.TABLE:
                return None
            if turn:
                found[side].append(outcome.seconds)
    return found


def beyond_noise(old: Sequence[float], new: Sequence[float]) -> float | None:
    """Return how many times as long the new version takes, None if that may be noise."""
    if min(len(old), len(new)) < LEAST:
        return None
    ratio = median(new) / median(old)
    slower = min(new) > max(old) and ratio >= RATIO
    faster = min(old) > max(new) and ratio <= 1 / RATIO
    return ratio if slower or faster else None


def _told(engine: str, case: Case, old: Sequence[float], new: Sequence[float]) -> Iterator[dict[str, Any]]:
    ratio = beyond_noise(old, new)
    if ratio is None:
        return
    yield {
        "signature": f"{engine} | {Class.SPEED} | {'slower' if ratio > 1 else 'faster'} by a fifth or more",
        "class": Class.SPEED.value,
        "right": (Right.REGRESSED if ratio > 1 else Right.IMPROVED).value,
        "by": "clock",
        "case": case.id,
        "format": case.format,
        "file": str(case.file),
        "sha256": case.sha256,
        "size": case.file.stat().st_size,
        "probe": None,
        "query": None,
        "configs": [""],
        "of": 1,
        "path": f"{ratio:.2f} times as long",
        "old": _shown(old),
        "new": _shown(new),
        "verdicts": ["", ""],
        "features": sorted(case.features),
        "unstable": False,
        "tried": [],
        "restored": [],
        "explained": [],
    }


def _shown(times: Sequence[float]) -> str:
    return f"median {median(times):.3f} s ({min(times):.3f} to {max(times):.3f}, {len(times)} times)"
