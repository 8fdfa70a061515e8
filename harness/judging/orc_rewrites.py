"""Rewrites of the equivalences of ORC's engines; see `rewrites.py`."""

from __future__ import annotations

import numpy as np

from corpora import tagged
from corpora.tagged import Type, Value
from harness.judging.rewrites import PER_SECOND, Pair, Rewrite, Same, last_wins, rescale
from reference_impl.orc import calendars, zones

_HOURS_15 = 15 * 3_600
_FAR = 1 << 60  # seconds that no sum with an offset brings beyond 64 bits


def orc_timestamp_as_spark(expected: Type, actual: Type) -> Rewrite | None:
    """Return a timestamp of ORC as Spark's: microseconds, rounding down; an instant, or its wall clock."""
    nanos = expected.kind == "timestamp" and expected.unit == "ns"
    fits = nanos and (
        actual == tagged.timestamp("us", utc=True)
        or (actual == tagged.timestamp("us", utc=False) and not expected.utc)
    )
    return Rewrite(actual, rescale(PER_SECOND["ns"], PER_SECOND["us"], toward_zero=False)) if fits else None


def gap_in(zone: str) -> Pair:
    """Shift a wall clock time that a zone skips by as much as its clocks are set forward."""

    def pair(_: Type, type_: Type) -> Same | None:
        if type_.kind != "timestamp" or type_.utc or type_.unit not in PER_SECOND:
            return None
        unit = PER_SECOND[type_.unit]

        def same(expected: Value, actual: Value) -> bool:
            wall = int(str(expected))
            gap = _gap(zone, wall // unit) * unit
            return bool(gap) and abs(int(str(actual)) - wall) == gap

        return same

    return pair


def of_calendar(*, instants: bool) -> Pair:
    """Let a date before 1582-10-15 stand for the date that the same stored day has in the other calendar.

    `instants`: of timestamps that are instants, else of dates and wall clocks.
    """

    def pair(expected: Type, actual: Type) -> Same | None:
        if expected.kind not in {"date", "timestamp"} or bool(expected.utc) != instants:
            return None
        day = 1 if actual.kind == "date" else 86_400 * PER_SECOND.get(actual.unit or "", 0)
        return (lambda left, right: _same_day(int(str(left)), int(str(right)), day)) if day else None

    return pair


def _same_day(left: int, right: int, day: int) -> bool:
    """Return whether one of two times is the other one, its day taken for one of the hybrid calendar."""
    moved = [number // day for number in (left, right)]
    if not all(-_FAR < number < calendars.CUTOVER for number in moved) or left % day != right % day:
        return False
    first, second = calendars.proleptic(np.array(moved, np.int64))
    return bool(first == moved[1] or second == moved[0])


def _gap(zone: str, wall: int) -> int:
    """Return by how many seconds the clocks are set forward where they leave out `wall`; 0 if they do not.

    `wall` is in seconds since 1970; no zone is as far from UTC as 15 hours, nor changes twice in 30.
    """
    rules = zones.load(zone)
    assert rules is not None, zone
    if abs(wall) >= _FAR:
        return 0
    around = np.array([wall - _HOURS_15, wall + _HOURS_15], np.int64)
    before, after = map(int, rules.offsets(around))
    seen = rules.offsets(np.array([wall - before, wall - after], np.int64))
    return after - before if after > before and list(seen) == [after, before] else 0


def hive11_decimal(expected: Type, actual: Type) -> Rewrite | None:
    """Return a decimal without a scale with 6 digits behind the point instead of 10, rounding toward zero."""
    if (expected, actual) != (tagged.decimal(38, 10), tagged.decimal(38, 6)):
        return None

    def convert(value: Value) -> Value:
        unscaled = int(str(value))
        whole = abs(unscaled) // 10**4
        return str(whole if unscaled >= 0 else -whole)

    return Rewrite(actual, convert)


def map_sorted(expected: Type, actual: Type) -> Rewrite | None:
    """Leave of equal keys the last value, and order the entries by the texts of their keys."""
    last = last_wins(expected, actual)

    def convert(value: Value) -> Value:
        assert last is not None
        return sorted(last.convert(value), key=repr)  # type: ignore[arg-type]

    return Rewrite(actual, convert) if last else None


def union_null(expected: Type, actual: Type) -> Rewrite | None:
    """Bring a null union, and a union that holds a null, or such a union, into one form: null."""
    if not expected.kind == actual.kind == "union":
        return None
    return Rewrite(actual, lambda value: None if _holds_null(actual, value) else value)


def _holds_null(type_: Type, value: Value) -> bool:
    """Return whether a value is null, or a union of nothing else."""
    if value is None or type_.kind != "union":
        return value is None
    assert isinstance(value, list)
    tag, held = value
    return _holds_null(type_.children[int(tag)].type, held)


def union_tag_lost(expected: Type, actual: Type) -> Rewrite | None:
    """Name the first of the variants whose values look alike; a null is null, of whichever variant."""
    if not expected.kind == actual.kind == "union":
        return None
    looks = [_looks(child.type) for child in actual.children]

    def convert(value: Value) -> Value:
        assert isinstance(value, list)
        tag, held = value
        return None if held is None else [str(looks.index(looks[int(tag)])), held]

    return Rewrite(actual, convert)


def _looks(type_: Type) -> object:
    return type_.kind if type_.kind in ("int", "timestamp") else type_
