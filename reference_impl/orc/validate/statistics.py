"""Statistics of row groups, stripes and the file: against the values, and against each other."""

from __future__ import annotations

from itertools import chain
from math import isfinite, isnan
from typing import TYPE_CHECKING, Any

from reference_impl.orc.schema import TypeKind
from reference_impl.orc.statistics import (
    COLLECTIONS,
    FIELDS,
    FLOATS,
    GEOSPATIAL,
    INTEGERS,
    TEXTS,
    TIMES,
    decimal_of,
    merge,
    read,
)
from reference_impl.wkb import outside

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from reference_impl.orc.schema import ColumnStatistics, GeospatialStatistics
    from reference_impl.orc.statistics import Summary
    from reference_impl.orc.types import TypeNode
    from reference_impl.orc.validate.measure import Measure

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
_ROUNDING = 1e-9  # of the sum without signs: far more than adding a million numbers loses
_SHOWN = 60


def check(node: TypeNode, said: ColumnStatistics, true: Measure, *, exact: bool) -> Iterator[Problem]:
    """Yield what statistics say that is not true of the values.

    `exact`: also what is true, but said of bounds that no value has, and of nulls that there are not.
    """
    yield from form(node, said)
    found = read(node.kind, said)
    if said.number_of_values not in (None, true.count):
        yield COUNT, f"numberOfValues is {said.number_of_values}, there are {true.count}"
    if said.has_null is False and true.has_null:
        yield HAS_NULL, "hasNull is false, and there is a null"
    if exact and said.has_null and not true.has_null:
        yield NO_NULL, "hasNull is true, and there is no null"
    typed = getattr(said, FIELDS.get(node.kind, ""), None)
    if typed is None:
        return
    yield from _sums(node.kind, found, true)
    if node.kind in COLLECTIONS:
        yield from _collection(found, true)
    elif node.kind in GEOSPATIAL:
        yield from _geospatial(typed, true)
    elif node.kind is not TypeKind.BOOLEAN:
        yield from _bounds(node.kind, found, true, exact=exact)


def form(node: TypeNode, said: ColumnStatistics) -> Iterator[Problem]:
    """Yield what is wrong with statistics whatever the values are."""
    others = [name for name in _TYPED if getattr(said, name) is not None and name != FIELDS.get(node.kind)]
    if others:
        yield KIND, f"{', '.join(others)} of a column of {node.kind.name}"
    typed = getattr(said, FIELDS.get(node.kind, ""), None)
    if typed is None:
        return
    check_form = _FORMS.get(node.kind)
    if check_form is not None:
        yield from check_form(typed)
    found = read(node.kind, said)
    if found.low is not None and found.high is not None and found.low > found.high:
        yield ORDER, f"the minimum {_show(found.low)} is above the maximum {_show(found.high)}"


def texts(said: ColumnStatistics) -> Iterator[Problem]:
    """Yield the strings of statistics that are no UTF-8."""
    typed = said.string_statistics
    for name in ("minimum", "maximum", "lower_bound", "upper_bound"):
        text = getattr(typed, name, None)
        if text is not None and not is_utf8(text):
            yield UTF8, f"{name} is no UTF-8: {text.encode('utf-8', 'surrogateescape')[:_SHOWN]!r}"


def is_text(true: Measure) -> bool:
    """Whether the least and the greatest value are UTF-8, so that those of statistics have to be, too."""
    try:
        for bound in (true.low, true.high):
            if isinstance(bound, bytes):
                bound.decode()
    except UnicodeDecodeError:
        return False
    return True


def is_utf8(text: str) -> bool:
    """Return whether a string of a message was UTF-8: what was not holds lone surrogates."""
    return not any("\udc80" <= letter <= "\udcff" for letter in text)


def _sums(kind: TypeKind, found: Summary, true: Measure) -> Iterator[Problem]:
    if found.sum is None or true.sum is None or kind in COLLECTIONS:
        return
    if kind in FLOATS:
        yield from _double_sum(found.sum, true)
    elif found.sum != true.sum:
        rule = SUM if kind in INTEGERS else DECIMAL_SUM if kind is TypeKind.DECIMAL else LENGTHS
        rule = BUCKET if kind is TypeKind.BOOLEAN else rule
        unit = " (times 10^38)" if kind is TypeKind.DECIMAL else ""
        yield rule, f"the sum is {found.sum}, not {true.sum}{unit}"
    elif kind in INTEGERS and true.overflows:
        yield SUM, f"the sum is {found.sum}, which leaves 64 bits on the way"


def _double_sum(said: float, true: Measure) -> Iterator[Problem]:
    if isfinite(true.magnitude):
        if not isfinite(said):
            yield DOUBLE_SUM, f"the sum is {said}, that of the values {true.sum}"
        elif abs(said - true.sum) > _ROUNDING * true.magnitude:
            yield DOUBLE_SUM, f"the sum is {said!r}, not {true.sum!r}"
    elif isfinite(said) or (isnan(true.sum) and not isnan(said)):
        yield DOUBLE_SUM, f"the sum is {said}, that of the values {true.sum}"


def _collection(found: Summary, true: Measure) -> Iterator[Problem]:
    for name, one, other in (
        ("min_children", found.low, true.low),
        ("max_children", found.high, true.high),
        ("total_children", found.sum, true.sum),
    ):
        if one is not None and true.count and one != other:
            yield COLLECTION, f"{name} is {one}, not {other}"


def _geospatial(typed: GeospatialStatistics, true: Measure) -> Iterator[Problem]:
    types = set(typed.geospatial_types)
    if true.extent is None:
        return
    if types and true.extent.types - types:
        yield TYPES, f"geospatial_types are {sorted(types)}, but there are {sorted(true.extent.types)}"
    box = typed.bbox
    if box is None:
        return
    pairs = {name: (getattr(box, f"{name}min"), getattr(box, f"{name}max")) for name in "xyzm"}
    told = {name: pair for name, pair in pairs.items() if None not in pair}
    if not {"x", "y"} <= set(told):
        return
    problem = "a bound is NaN" if any(map(isnan, chain(*told.values()))) else outside(told, true.extent)
    if problem:
        yield BOX, problem


def _bounds(kind: TypeKind, found: Summary, true: Measure, *, exact: bool) -> Iterator[Problem]:
    low, high = found.low, found.high
    if low is not None and high is not None and low > high:
        return
    if kind in TIMES and _is_lost(low, true.low):
        yield LOST, f"the minimum is {low} ns, and what was stored for it is read as {true.low}"
        low = None
    if kind in TIMES and _is_lost(high, true.high):
        yield LOST, f"the maximum is {high} ns, and what was stored for it is read as {true.high}"
        high = None
    if true.low is not None and low is not None and true.low < low:
        yield MINIMUM, f"the minimum is {_show(low)}, and there is {_show(true.low)}"
    elif exact and low is not None and found.low_value and not _same(kind, low, true.low, true):
        yield TIGHT, f"the minimum is {_show(low)}, that of the values {_show(true.low)}"
    if true.high is not None and high is not None and true.high > high:
        yield MAXIMUM, f"the maximum is {_show(high)}, and there is {_show(true.high)}"
    elif exact and high is not None and found.high_value and not _same(kind, high, true.high, true):
        yield TIGHT, f"the maximum is {_show(high)}, that of the values {_show(true.high)}"


def _is_lost(bound: int | None, value: int | None) -> bool:
    """Return whether a bound is a moment before 1970 that reading makes one of the second after."""
    if bound is None or value is None or not -_NANOS < bound < 0:
        return False
    return (bound + _NANOS) // _MOST_NANOS == value // _MOST_NANOS


def _same(kind: TypeKind, bound: Any, value: Any, true: Measure) -> bool:
    """Return whether a bound is the value that is the least or the greatest, or nothing can be said about it.

    Of moments the milliseconds count: writers may leave out what is behind them.
    """
    if kind in TIMES and value is not None:
        return bool(bound // _MOST_NANOS == value // _MOST_NANOS)
    return bool(true.nan or bound == value)


def _show(key: Any) -> str:
    text = repr(key)
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"


def _text_form(typed: Any) -> Iterator[Problem]:
    for value, bound in (("minimum", "lower_bound"), ("maximum", "upper_bound")):
        if getattr(typed, value) is not None and getattr(typed, bound) is not None:
            yield BOUND, f"{value} and {bound} are both there"


def _decimal_form(typed: Any) -> Iterator[Problem]:
    for name in ("minimum", "maximum", "sum"):
        text = getattr(typed, name)
        if text is not None and decimal_of(text) is None:
            yield TEXT, f"{name} is {text[:_SHOWN]!r}, no decimal number"


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
    node: TypeNode, said: ColumnStatistics, parts: Iterable[ColumnStatistics], rule: str
) -> Iterator[Problem]:
    """Yield where statistics are not those of their parts together, as far as both say something."""
    found, merged = read(node.kind, said), merge(node.kind, [read(node.kind, part) for part in parts])
    typed = getattr(said, FIELDS.get(node.kind, ""), None) is not None
    pairs: list[tuple[str, Any, Any]] = [
        ("numberOfValues", found.count, merged.count),
        ("hasNull", found.has_null, merged.has_null),
    ]
    if typed and merged.count:
        if found.low_value and merged.low_value:
            pairs.append(("the minimum", found.low, merged.low))
        if found.high_value and merged.high_value:
            pairs.append(("the maximum", found.high, merged.high))
        if node.kind not in FLOATS:
            pairs.append(("the sum", found.sum, merged.sum))
    for name, one, other in pairs:
        if one is not None and other is not None and one != other:
            yield rule, f"{name} is {_show(one)}, that of the parts {_show(other)}"
