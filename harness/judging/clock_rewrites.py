"""Rewrites of dates, times and timestamps: the unit, the UTC flag, the kind."""

from __future__ import annotations

from dataclasses import replace

from corpora import tagged
from corpora.tagged import PER_SECOND, Type, Value
from harness.judging.rewrites import Apply, Convert, Rewrite, bounded, same

_DAY_SECONDS = 86_400


def rescaled(kind: str, toward_zero: bool | None) -> Apply:
    """Count a kind in a finer unit (`toward_zero` None: exact), or ns in us, rounding toward zero or down."""

    def apply(expected: Type, actual: Type) -> Rewrite | None:
        if not expected.kind == actual.kind == kind:
            return None
        if expected.unit not in PER_SECOND or actual.unit not in PER_SECOND:
            return None
        before, after = PER_SECOND[expected.unit], PER_SECOND[actual.unit]
        exact = toward_zero is None
        if before >= after if exact else (expected.unit, actual.unit) != ("ns", "us"):
            return None
        return Rewrite(replace(expected, unit=actual.unit), rescale(before, after, bool(toward_zero)))

    return apply


def rescale(before: int, after: int, toward_zero: bool) -> Convert:
    """Return the conversion from `before` to `after` units per second; the count may exceed int64.

    "Every possible int64 number represents a valid timestamp" (LogicalTypes.md, TIMESTAMP): an engine whose
    type can hold the count in the other unit is right. In an engine of int64, a count that wraps around is a
    different timestamp.
    """

    def convert(value: Value) -> Value:
        count = int(str(value)) * after
        return str(-(-count // before) if toward_zero and count < 0 else count // before)

    return convert


def int96_as_timestamp(*, toward_zero: bool = False) -> Apply:
    """Return INT96 as a timestamp of any unit, rounding down or toward zero."""

    def apply(expected: Type, actual: Type) -> Rewrite | None:
        if expected.kind != "int96" or actual.kind != "timestamp" or actual.unit not in PER_SECOND:
            return None
        return Rewrite(actual, rescale(PER_SECOND["ns"], PER_SECOND[actual.unit], toward_zero))

    return apply


def utc_ignored(kind: str) -> Apply:
    """Return the same count, the UTC flag as the engine has it."""
    return lambda expected, actual: (
        Rewrite(replace(expected, utc=actual.utc), same)
        if expected.kind == actual.kind == kind and expected.utc != actual.utc
        else None
    )


def count_as_integer(kind: str, units: tuple[str, ...]) -> Apply:
    """Return the bare count of a kind, in one of `units`."""

    def apply(expected: Type, actual: Type) -> Rewrite | None:
        if expected.kind != kind or expected.unit not in units or actual.kind != "int" or not actual.signed:
            return None
        bits = actual.bits or 0
        return Rewrite(actual, lambda value: bounded(int(str(value)), bits)) if bits in (32, 64) else None

    return apply


def time_as_duration(expected: Type, actual: Type) -> Rewrite | None:
    """Return a time of day as the time since midnight, in its unit or a finer one."""
    if expected.kind != "time" or actual.kind != "duration" or not expected.unit:
        return None
    before, after = PER_SECOND[expected.unit], PER_SECOND.get(actual.unit or "", 0)
    if after <= before:
        return Rewrite(tagged.duration(expected.unit), same)
    return Rewrite(actual, rescale(before, after, toward_zero=False))


def time_as_timestamp(expected: Type, actual: Type) -> Rewrite | None:
    """Return a time of day as that time of the first day."""
    if expected.kind != "time" or actual.kind != "timestamp" or not expected.unit:
        return None
    return Rewrite(tagged.timestamp(expected.unit, utc=bool(actual.utc)), same)


def date_as_timestamp(expected: Type, actual: Type) -> Rewrite | None:
    """Return a date as the midnight that begins it."""
    if expected.kind != "date" or actual.kind != "timestamp" or actual.unit not in PER_SECOND or actual.utc:
        return None
    per_day = _DAY_SECONDS * PER_SECOND[actual.unit]
    return Rewrite(actual, lambda value: str(int(str(value)) * per_day))
