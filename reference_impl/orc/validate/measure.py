"""Statistics computed from the values of a column, by row group and for several groups together."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import accumulate, pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from reference_impl.byte_arrays import ByteArrays
from reference_impl.orc.schema import TypeKind
from reference_impl.orc.statistics import FLOATS, INTEGERS, TEXTS, TIMES, empty_sum, extent_in
from reference_impl.orc.validate.clocks import other_readings
from reference_impl.orc.validate.scan import Scanned
from reference_impl.orc.values import MAX_SCALE
from reference_impl.wkb import Extent

_NANOS = 10**9
_SAFE = 2.0**62
_LEAST, _MOST = -(1 << 63), (1 << 63) - 1


@dataclass(frozen=True)
class Measure:
    """The statistics of some values: `count` of those that are not null, and whether others are null.

    Bounds are keys (`reference_impl.orc.statistics`) of values that are not NaN.
    `sum` is exact for integers, decimals (at scale 38), lengths, trues and children; for floating point it is
    subject to rounding, by far less than `magnitude`, the sum without
    signs. `overflows`: an intermediate sum of integers leaves 64 bits. `nan`: a value is NaN. `extent`: of
    geometries, None if a value is no geometry. `others`: the bounds by other readings of the writer's zone.
    """

    count: int
    has_null: bool
    low: Any = None
    high: Any = None
    sum: Any = None
    magnitude: float = 0.0
    overflows: bool = False
    nan: bool = False
    extent: Extent | None = None
    others: tuple[tuple[int, int], ...] = ()


def measures(column: Scanned, *, by_group: bool) -> list[Measure]:
    """Return the measure of each row group, or a single measure of the stripe."""
    ends = slice(None) if by_group else slice(None, None, len(column.starts) - 1)
    present, existing = column.present[ends].tolist(), column.existing[ends].tolist()
    empty = Measure(0, has_null=False, sum=empty_sum(column.node.kind), extent=Extent())
    out = []
    others = other_readings(column)
    for (begin, end), (first, last) in zip(pairwise(present), pairwise(existing), strict=True):
        count = end - begin
        measured = _of(column, begin, end) if count else empty
        if count and others:
            ranges = ((_moment(each[begin:end], np.min), _moment(each[begin:end], np.max)) for each in others)
            measured = replace(measured, others=tuple(ranges))
        out.append(replace(measured, count=count, has_null=count < last - first))
    return out


def joined(kind: TypeKind, parts: Iterable[Measure]) -> Measure:
    """Return the measure of all parts together."""
    measured = list(parts)
    lows = [part.low for part in measured if part.low is not None]
    highs = [part.high for part in measured if part.high is not None]
    sums = [part.sum for part in measured]
    total = empty_sum(kind)
    overflows = any(part.overflows for part in measured)
    if total is not None:
        running = list(accumulate(sums, initial=total))
        total = running[-1]
        overflows |= kind in INTEGERS and not all(_LEAST <= partial <= _MOST for partial in running)
    return Measure(
        sum(part.count for part in measured),
        any(part.has_null for part in measured),
        min(lows) if lows else None,
        max(highs) if highs else None,
        total,
        sum(part.magnitude for part in measured),
        overflows,
        any(part.nan for part in measured),
        _extent([part.extent for part in measured]),
        tuple(_others(measured)),
    )


def _others(parts: list[Measure]) -> Iterator[tuple[int, int]]:
    """Yield the bounds of all parts together by each other reading; a part without one has only its own."""
    bounded = [part for part in parts if part.low is not None]
    for number in range(max((len(part.others) for part in bounded), default=0)):
        ranges = [(*part.others, *[(part.low, part.high)] * (number + 1))[number] for part in bounded]
        yield min(low for low, _ in ranges), max(high for _, high in ranges)


def _extent(parts: list[Extent | None]) -> Extent | None:
    whole: Extent | None = Extent()
    for part in parts:
        whole = whole.joined(part) if whole is not None and part is not None else None
    return whole


def _of(column: Scanned, begin: int, end: int) -> Measure:
    """Return the measure of the values `begin:end`, at least one, without counts of nulls."""
    kind = column.node.kind
    if column.ids is not None and column.words is not None:
        return _of_words(column.words, column.ids[begin:end])
    if column.values is None or kind == TypeKind.UNION:
        return Measure(0, has_null=False)
    if isinstance(column.values, ByteArrays):
        return _of_bytes(kind, column.values, begin, end)
    values = column.values[begin:end]
    if kind in FLOATS:
        return _of_floats(values)
    if kind in TIMES:
        return Measure(0, False, _moment(values, np.min), _moment(values, np.max))
    if kind is TypeKind.BOOLEAN:
        return Measure(0, False, bool(values.min()), bool(values.max()), int(np.count_nonzero(values)))
    low, high = int(values.min()), int(values.max())
    if kind is TypeKind.DATE:
        return Measure(0, False, low, high)
    factor = 10 ** (MAX_SCALE - column.node.scale) if kind is TypeKind.DECIMAL else 1
    total, overflows = _sum(values)
    return Measure(0, False, low * factor, high * factor, total * factor, overflows=overflows)


def _sum(values: NDArray[Any]) -> tuple[int, bool]:
    """Return an exact sum, and whether an intermediate sum leaves 64 bits."""
    if values.dtype != object and float(np.abs(values.astype(np.float64)).sum()) < _SAFE:
        return int(values.sum(dtype=np.int64)), False
    running = list(accumulate(map(int, values.tolist()), initial=0))
    return running[-1], not all(_LEAST <= partial <= _MOST for partial in running)


def _of_words(words: ByteArrays, ids: NDArray[np.int64]) -> Measure:
    used = words.take(np.unique(ids))
    return Measure(0, False, min(used), max(used), int(words.lengths[ids].sum()))


def _of_bytes(kind: TypeKind, values: ByteArrays, begin: int, end: int) -> Measure:
    first, last = int(values.offsets[begin]), int(values.offsets[end])
    own = ByteArrays(values.offsets[begin : end + 1] - first, values.data[first:last])
    if kind not in TEXTS:
        return Measure(0, False, sum=last - first, extent=extent_in(kind, own))
    return Measure(0, False, min(own), max(own), last - first)


def _of_floats(values: NDArray[Any]) -> Measure:
    numbers = values[~np.isnan(values)]
    nan = len(numbers) < len(values)
    with np.errstate(over="ignore", invalid="ignore"):
        wide = values.astype(np.float64)
        total, magnitude = float(wide.sum()), float(np.abs(wide).sum())
    if not len(numbers):
        return Measure(0, False, sum=total, magnitude=magnitude, nan=nan)
    return Measure(0, False, float(numbers.min()), float(numbers.max()), total, magnitude, nan=nan)


def _moment(values: NDArray[Any], choose: Any) -> int:
    """Return the earliest or the latest timestamp, in nanoseconds."""
    second = choose(values["seconds"])
    return int(second) * _NANOS + int(choose(values["nanos"][values["seconds"] == second]))
