"""Checks of statistics against the values, and of one level (row groups, stripes, file) against another."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from itertools import chain, product
from math import isfinite, isnan
from typing import Any

from reference_impl.orc.schema import TypeKind
from reference_impl.orc.statistics import (
    COLLECTIONS,
    FIELDS,
    FLOATS,
    GEOSPATIAL,
    INTEGERS,
    TEXTS,
    TIMES,
    Summary,
    decimal_of,
    merge,
    read,
)
from reference_impl.orc.statistics_schema import ColumnStatistics, GeospatialStatistics
from reference_impl.orc.types import TypeNode
from reference_impl.orc.validate.measure import Measure
from reference_impl.wkb import outside

Problem = tuple[str, str]

MINIMUM, MAXIMUM, COUNT, HAS_NULL, SUM, LENGTHS, BUCKET, TEXT, KIND, STRIPE, FILE = (
    f"ORC-STATS-{number:03}" for number in range(1, 12)
)
BOUND, NANOS, COLLECTION, DOUBLE_SUM, UTC, TIGHT, NO_NULL, ORDER, DECIMAL_SUM = (
    f"ORC-STATS-{number:03}" for number in range(12, 21)
)
BOX, TYPES = "ORC-STATS-021", "ORC-STATS-022"
UTF8, LOST = "ORC-PROTO-007", "ORC-TIME-003"
_TYPED = tuple(dict.fromkeys(FIELDS.values()))
_MOST_NANOS = 10**6  # in a millisecond; stored is one more than 0 to 999,999
_NANOS = 10**9
_ROUNDING = 1e-9  # of the sum without signs: far more than the rounding of a million additions
_LONGEST_TEXT = 60


def check(node: TypeNode, stated: ColumnStatistics, true: Measure, *, exact: bool) -> Iterator[Problem]:
    """Yield where statistics contradict the values.

    `exact`: also bounds that no value has, and hasNull without a null.
    """
    yield from form(node, stated)
    summary = read(node.kind, stated)
    if stated.number_of_values not in (None, true.count):
        yield COUNT, f"numberOfValues is {stated.number_of_values}, there are {true.count}"
    if stated.has_null is False and true.has_null:
        yield HAS_NULL, "hasNull is false, and there is a null"
    if exact and stated.has_null and not true.has_null:
        yield NO_NULL, "hasNull is true, and there is no null"
    typed = getattr(stated, FIELDS.get(node.kind, ""), None)
    if typed is None:
        return
    yield from _sums(node.kind, summary, true)
    if node.kind in COLLECTIONS:
        yield from _collection(summary, true)
    elif node.kind in GEOSPATIAL:
        yield from _geospatial(typed, true)
    elif node.kind is not TypeKind.BOOLEAN:
        yield from _bounds_of_a_reading(node.kind, summary, true, exact=exact)


def form(node: TypeNode, stated: ColumnStatistics) -> Iterator[Problem]:
    """Yield errors of statistics that do not depend on the values."""
    others = [name for name in _TYPED if getattr(stated, name) is not None and name != FIELDS.get(node.kind)]
    if others:
        yield KIND, f"{', '.join(others)} of a column of {node.kind.name}"
    typed = getattr(stated, FIELDS.get(node.kind, ""), None)
    if typed is None:
        return
    check_form = _FORMS.get(node.kind)
    if check_form is not None:
        yield from check_form(typed)
    summary = read(node.kind, stated)
    if summary.low is not None and summary.high is not None and summary.low > summary.high:
        yield ORDER, f"the minimum {show(summary.low)} is above the maximum {show(summary.high)}"


def texts(stated: ColumnStatistics) -> Iterator[Problem]:
    """Yield the strings of statistics that are no UTF-8."""
    typed = stated.string_statistics
    for name in ("minimum", "maximum", "lower_bound", "upper_bound"):
        text = getattr(typed, name, None)
        if text is not None and not is_utf8(text):
            yield UTF8, f"{name} is no UTF-8: {text.encode('utf-8', 'surrogateescape')[:_LONGEST_TEXT]!r}"


def is_text(true: Measure) -> bool:
    """Return whether the bounds of values are UTF-8, so that the strings of statistics have to be, too."""
    try:
        for bound in (true.low, true.high):
            if isinstance(bound, bytes):
                bound.decode()
    except UnicodeDecodeError:
        return False
    return True


def is_utf8(text: str) -> bool:
    """Return whether a string of a message was UTF-8; bytes that were not are lone surrogates."""
    return not any("\udc80" <= letter <= "\udcff" for letter in text)


def _sums(kind: TypeKind, summary: Summary, true: Measure) -> Iterator[Problem]:
    if summary.sum is None or true.sum is None or kind in COLLECTIONS:
        return
    if kind in FLOATS:
        yield from _double_sum(summary.sum, true)
    elif summary.sum != true.sum:
        rule = SUM if kind in INTEGERS else DECIMAL_SUM if kind is TypeKind.DECIMAL else LENGTHS
        rule = BUCKET if kind is TypeKind.BOOLEAN else rule
        unit = " (times 10^38)" if kind is TypeKind.DECIMAL else ""
        yield rule, f"the sum is {summary.sum}, not {true.sum}{unit}"
    elif kind in INTEGERS and true.overflows:
        yield SUM, f"the sum is {summary.sum}, which leaves 64 bits on the way"


def _double_sum(total: float, true: Measure) -> Iterator[Problem]:
    """Yield where a sum contradicts the values, in whatever order they are added.

    Of finite values some sums overflow and others do not, where the sum without signs does: any is right.
    """
    infinite = {bound for bound in (true.low, true.high) if bound is not None and not isfinite(bound)}
    if isfinite(true.magnitude):
        if not isfinite(total):
            yield DOUBLE_SUM, f"the sum is {total}, that of the values {true.sum}"
        elif abs(total - true.sum) > _ROUNDING * true.magnitude:
            yield DOUBLE_SUM, f"the sum is {total!r}, not {true.sum!r}"
    elif (infinite or true.nan) and (isfinite(total) or (_is_nan(true, infinite) and not isnan(total))):
        yield DOUBLE_SUM, f"the sum is {total}, that of the values {true.sum}"


def _is_nan(true: Measure, infinite: set[float]) -> bool:
    """Return whether the sum is NaN in any order: a value is, or there are infinities of both signs."""
    return true.nan or len(infinite) > 1


def _collection(summary: Summary, true: Measure) -> Iterator[Problem]:
    for name, value, other in (
        ("min_children", summary.low, true.low),
        ("max_children", summary.high, true.high),
        ("total_children", summary.sum, true.sum),
    ):
        if value is not None and true.count and value != other:
            yield COLLECTION, f"{name} is {value}, not {other}"


def _geospatial(typed: GeospatialStatistics, true: Measure) -> Iterator[Problem]:
    types = set(typed.geospatial_types)
    if true.extent is None:
        return
    if types and true.extent.types != types:
        yield TYPES, f"geospatial_types are {sorted(types)}, but there are {sorted(true.extent.types)}"
    box = typed.bbox
    if box is None:
        return
    pairs = {name: (getattr(box, f"{name}min"), getattr(box, f"{name}max")) for name in "xyzm"}
    ranges = {name: pair for name, pair in pairs.items() if None not in pair}
    if not {"x", "y"} <= set(ranges):
        return
    problem = "a bound is NaN" if any(map(isnan, chain(*ranges.values()))) else outside(ranges, true.extent)
    if problem:
        yield BOX, problem


def _bounds_of_a_reading(kind: TypeKind, summary: Summary, true: Measure, *, exact: bool) -> list[Problem]:
    """Return where bounds contradict the values; nothing if each is right by a reading of the zone.

    Two bounds may be by two readings: under former rules of a zone, each value has one of its offsets.
    """
    problems = list(_bounds(kind, summary, true, exact=exact))
    readings = [(true.low, true.high), *true.others] if true.others else []
    ends = product((low for low, _ in readings), (high for _, high in readings))
    others = (replace(true, low=low, high=high) for low, high in ends)
    if problems and any(not list(_bounds(kind, summary, other, exact=exact)) for other in others):
        return []
    return problems


def _bounds(kind: TypeKind, summary: Summary, true: Measure, *, exact: bool) -> Iterator[Problem]:
    low, high = summary.low, summary.high
    if low is not None and high is not None and low > high:
        return
    for name, rule, bound, value, is_value in (
        ("minimum", MINIMUM, low, true.low, summary.low_value),
        ("maximum", MAXIMUM, high, true.high, summary.high_value),
    ):
        if bound is None:
            continue
        if kind in TIMES and _is_lost(bound, value):
            yield LOST, f"the {name} is {bound} ns, and what was stored for it is read as {value}"
        elif value is not None and (value < bound if rule == MINIMUM else value > bound):
            yield rule, f"the {name} is {show(bound)}, and there is {show(value)}"
        elif exact and is_value and not _same(kind, bound, value, true):
            yield TIGHT, f"the {name} is {show(bound)}, that of the values {show(value)}"


def _is_lost(bound: int, value: int | None) -> bool:
    """Return whether a bound is a time in the last second before 1970, which is read a second later."""
    return (
        value is not None and -_NANOS < bound < 0 and (bound + _NANOS) // _MOST_NANOS == value // _MOST_NANOS
    )


def _same(kind: TypeKind, bound: Any, value: Any, true: Measure) -> bool:
    """Return whether a bound is the least or greatest value, or cannot be compared with it.

    Times are compared by milliseconds: writers may leave out smaller units.
    """
    if kind in TIMES and value is not None:
        return bool(bound // _MOST_NANOS == value // _MOST_NANOS)
    return bool(true.nan or bound == value)


def show(key: Any) -> str:
    """Return a value or key for messages, shortened."""
    text = repr(key)
    return text if len(text) <= _LONGEST_TEXT else f"{text[:_LONGEST_TEXT]}…"


def _text_form(typed: Any) -> Iterator[Problem]:
    for value, bound in (("minimum", "lower_bound"), ("maximum", "upper_bound")):
        if getattr(typed, value) is not None and getattr(typed, bound) is not None:
            yield BOUND, f"{value} and {bound} are both there"


def _decimal_form(typed: Any) -> Iterator[Problem]:
    for name in ("minimum", "maximum", "sum"):
        text = getattr(typed, name)
        if text is not None and decimal_of(text) is None:
            yield TEXT, f"{name} is {text[:_LONGEST_TEXT]!r}, no decimal number"


def _time_form(typed: Any) -> Iterator[Problem]:
    if (typed.minimum_utc is None) != (typed.maximum_utc is None):
        yield UTC, "one of minimumUtc and maximumUtc is there, and not the other"
    for name in ("minimum_nanos", "maximum_nanos"):
        nanos = getattr(typed, name)
        if nanos is not None and not 0 <= nanos <= _MOST_NANOS:
            yield NANOS, f"{name} is {nanos}"


def _bucket_form(typed: Any) -> Iterator[Problem]:
    if len(typed.count) > 1:
        yield BUCKET, f"{len(typed.count)} buckets, not one"


_FORMS: dict[TypeKind, Callable[[Any], Iterator[Problem]]] = {
    TypeKind.DECIMAL: _decimal_form,
    TypeKind.BOOLEAN: _bucket_form,
    **dict.fromkeys(TEXTS, _text_form),
    **dict.fromkeys(TIMES, _time_form),
}


def compare(
    node: TypeNode, stated: ColumnStatistics, parts: Iterable[ColumnStatistics], rule: str
) -> Iterator[Problem]:
    """Yield where statistics contradict the merged statistics of their parts."""
    summary, merged = read(node.kind, stated), merge(node.kind, [read(node.kind, part) for part in parts])
    typed = getattr(stated, FIELDS.get(node.kind, ""), None) is not None
    pairs: list[tuple[str, Any, Any]] = [
        ("numberOfValues", summary.count, merged.count),
        ("hasNull", summary.has_null, merged.has_null),
    ]
    if typed and merged.count:
        if summary.low_value and merged.low_value:
            pairs.append(("the minimum", summary.low, merged.low))
        if summary.high_value and merged.high_value:
            pairs.append(("the maximum", summary.high, merged.high))
        if node.kind not in FLOATS:
            pairs.append(("the sum", summary.sum, merged.sum))
    for name, value, other in pairs:
        if value is not None and other is not None and value != other:
            yield rule, f"{name} is {show(value)}, that of the parts {show(other)}"
