"""Equivalences of ORC's engines, with their rewrites; see `rewrites.py`."""

from __future__ import annotations

import numpy as np

from corpora import tagged
from corpora.tagged import PER_SECOND, Type, Value
from harness.engines.zones import GAPS, ZONES
from harness.judging import orc_clocks
from harness.judging.clock_rewrites import rescale
from harness.judging.nested_rewrites import last_wins
from harness.judging.rewrites import Equivalence, Pair, Rewrite, Same, nothing
from reference_impl.orc import zones

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


EQUIVALENCES = (
    Equivalence(
        "orc-hive11-decimal",
        "A decimal of Hive 0.11 has neither precision nor scale in its type, and each value a scale of"
        " its own. ORC's Java reader answers 10 digits behind the point, its C++ reader 6, without"
        " rounding (ORC C++, RowReaderOptions.forcedScaleOnHive11Decimal).",
        hive11_decimal,
        formats=("orc",),
    ),
    Equivalence(
        "orc-timestamp-as-spark-timestamp",
        "Spark reads a TIMESTAMP of ORC as its own TIMESTAMP: the instant when the session's zone shows"
        " that wall clock, and of its nanoseconds the whole microseconds before (Spark,"
        " OrcUtils.toCatalystSchema, DateTimeUtils.fromJavaTimestamp).",
        orc_timestamp_as_spark,
        formats=("orc",),
    ),
    Equivalence(
        "union-null-as-variant-null",
        "A union of Arrow has no nulls of its own, its variants have: a null union and one that holds a"
        " null are the same there (Arrow Columnar Format, Union Layout).",
        union_null,
        both=True,
    ),
    Equivalence(
        "union-tag-lost",
        "pyorc answers what a union holds without its tag: variants of one Python class cannot be told"
        " apart, nor a null from a union that is null (pyorc, Tutorial, ORC types).",
        union_tag_lost,
        both=True,
    ),
    Equivalence(
        "orc-map-entries-sorted",
        "The entries of a map have no order. ORC's Java reader answers them row by row as a tree map,"
        " sorted by key, and of equal keys the last (ORC, OrcMap), Hive's as a hash map; Spark's own reads"
        " vectors, in the file's order, unless it is to generate no code for whole stages.",
        map_sorted,
        both=True,
        formats=("orc",),
        switches=("vectorized=off", "nested=off", "orc=hive", "way=no-codegen", "way=interpreted"),
    ),
    *(
        Equivalence(
            name,
            f"A wall clock that {zone} leaves out is no instant there, and is moved by what the clocks"
            " are set forward, one way or the other (Spark, TimestampType; pyorc, Reader's timezone;"
            " ORC, SerializationUtils.convertBetweenTimezones).",
            nothing,
            formats=("orc",),
            pair=gap_in(zone),
            switches=(f"zone={value}",),
        )
        for name, (value, zone) in zip(GAPS, list(ZONES.items())[1:], strict=True)
    ),
    *orc_clocks.EQUIVALENCES,
)
