"""Differences in speed beyond noise: both versions read each file several times, in turns.

The time is from request to reply, and includes the adapter's conversion of the values, the same for both.
A difference counts only if every reading of one version took longer than every reading of the other, and the
medians are a fifth apart: of ten readings that differ in nothing, five and five, fewer than one in a hundred
fall so. Other load on the machine may still cause a difference, so the line has the numbers.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from statistics import median
from typing import Any

from corpora.cases import Case
from harness.children.connection import Connection, Limits, StartError
from harness.children.outcomes import OutcomeKind
from harness.investigate.upgrade.classes import Class, Right, line
from harness.judging.places import Process
from harness.judging.signature import Signature
from harness.runs.pipeline.run import Progress

LEAST = 5  # repetitions; with fewer, no difference is reported
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
            return  # the run reports it
        progress.stage("timing", len(cases))
        for case in cases:
            times = _times((old, new), pair, case, repeat)
            progress.advance(1)
            if times:
                yield from _lines(pair[0].name, case, *times)


def _times(
    sides: tuple[Connection, Connection], pair: Sequence[Process], case: Case, repeat: int
) -> tuple[list[float], list[float]] | None:
    """Return the seconds of each reading except each version's first, None if a reading failed."""
    seconds: tuple[list[float], list[float]] = ([], [])
    for turn in range(repeat + 1):
        for side in (0, 1) if turn % 2 else (1, 0):
            outcome = sides[side].read(case.file, case.format, pair[side].configs[0].switches)
            if outcome.kind is not OutcomeKind.TABLE:
                return None
            if turn:
                seconds[side].append(outcome.seconds)
    return seconds


def beyond_noise(old: Sequence[float], new: Sequence[float]) -> float | None:
    """Return how many times as long the new version takes, None if that may be noise."""
    if min(len(old), len(new)) < LEAST:
        return None
    ratio = median(new) / median(old)
    slower = min(new) > max(old) and ratio >= RATIO
    faster = min(old) > max(new) and ratio <= 1 / RATIO
    return ratio if slower or faster else None


def _lines(engine: str, case: Case, old: Sequence[float], new: Sequence[float]) -> Iterator[dict[str, Any]]:
    ratio = beyond_noise(old, new)
    if ratio is None:
        return
    right = Right.REGRESSED if ratio > 1 else Right.IMPROVED
    cause = f"{'slower' if ratio > 1 else 'faster'} by a fifth or more"
    yield line(
        Class.SPEED,
        right,
        case,
        signature=str(Signature(engine, "", Class.SPEED, cause)),
        by="clock",
        size=case.file.stat().st_size,
        path=f"{ratio:.2f} times as long",
        old=_text(old),
        new=_text(new),
    )


def _text(times: Sequence[float]) -> str:
    return f"median {median(times):.3f} s ({min(times):.3f} to {max(times):.3f}, {len(times)} times)"
