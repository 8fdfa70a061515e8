"""How the equivalences of ORC's engines rewrite; see `rewrites.py`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from corpora import tagged
from harness.rewrites import PER_SECOND, Rewrite, last_wins, rescale

if TYPE_CHECKING:
    from corpora.tagged import Type, Value


def orc_timestamp_as_spark(expected: Type, actual: Type) -> Rewrite | None:
    """Answer a timestamp of ORC as Spark's: microseconds, rounding down, and always an instant."""
    nanos = expected.kind == "timestamp" and expected.unit == "ns"
    fits = nanos and actual == tagged.timestamp("us", utc=True)
    return Rewrite(actual, rescale(PER_SECOND["ns"], PER_SECOND["us"], toward_zero=False)) if fits else None


def hive11_decimal(expected: Type, actual: Type) -> Rewrite | None:
    """Answer a decimal without a scale with 6 digits behind the point instead of 10, rounding toward zero."""
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
    """Say whether a value is null, or a union of nothing else."""
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
