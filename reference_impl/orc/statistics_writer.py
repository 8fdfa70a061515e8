"""Writing a summary of values as the ColumnStatistics that a plan asks for."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from reference_impl.orc import plan
from reference_impl.orc import statistics_schema as messages
from reference_impl.orc.schema import TypeKind
from reference_impl.orc.shred import BITS
from reference_impl.orc.statistics import COLLECTIONS, FIELDS, FLOATS, INTEGERS, TEXTS, TIMES, Summary
from reference_impl.orc.statistics_schema import ColumnStatistics
from reference_impl.orc.types import TypeNode
from reference_impl.orc.values import MAX_SCALE, decimal_text
from reference_impl.truncation import decremented, incremented, shortened

Bounds = tuple[Any, Any]

_MILLI = 10**6
_LAST_NANO = _MILLI - 1
_NANOS = 10**9
_WIDEST = 16


@dataclass(frozen=True)
class Writer:
    """Writes statistics of one column. `instant` moves seconds of the writer's wall clock to UTC."""

    node: TypeNode
    instant: Callable[[int], int]

    def make(self, layout: plan.Statistics, summary: Summary, on_disk: int | None = None) -> ColumnStatistics:
        """Return the message; unknown fields of the summary are left out."""
        kind = self.node.kind
        out = ColumnStatistics()
        if layout.count:
            out.number_of_values = summary.count
        if layout.has_null:
            out.has_null = summary.has_null
        if layout.bytes_on_disk:
            out.bytes_on_disk = on_disk
        if layout.typed and kind in _TYPED:
            if not layout.bounds:
                summary = replace(summary, low=None, high=None)
            elif layout.widen and summary.low is not None:
                summary = self._widened(summary, layout.widen)
            if not layout.sum:
                summary = replace(summary, sum=None)
            typed = _TYPED[kind](layout, summary)
            if layout.local and isinstance(typed, messages.TimestampStatistics) and summary.low is not None:
                self._set_local(typed, summary)
            setattr(out, FIELDS[kind], typed)
        if layout.typed and layout.geospatial and summary.extent is not None:
            box = summary.extent.box(geography=kind is TypeKind.GEOGRAPHY)
            out.geospatial_statistics = messages.GeospatialStatistics(
                bbox=None if box is None else messages.BoundingBox(**box),
                geospatial_types=tuple(sorted(summary.extent.types)),
            )
        return out

    def _widened(self, summary: Summary, steps: int) -> Summary:
        kind, low, high = self.node.kind, summary.low, summary.high
        if kind in BITS:
            half = 1 << BITS[kind] - 1
            low, high = max(-half, low - steps), min(half - 1, high + steps)
        elif kind is TypeKind.DECIMAL:
            step = 10 ** (MAX_SCALE - self.node.scale)
            most = (10**self.node.precision - 1) * step
            low, high = max(-most, low - steps * step), min(most, high + steps * step)
        elif kind in FLOATS:
            for _ in range(min(steps, _WIDEST)):
                low, high = math.nextafter(low, -math.inf), math.nextafter(high, math.inf)
        elif kind in TEXTS:
            low, high = decremented(low, text=True), high + b"a" * min(steps, _WIDEST)
        elif kind in TIMES:
            low, high = low - steps, high + steps
        return replace(summary, low=low, high=high)

    def _set_local(self, out: messages.TimestampStatistics, summary: Summary) -> None:
        """Set `minimum` and `maximum` as before ORC-135: "the local timezone offset was included"."""
        ends = []
        for key in (summary.low, summary.high):
            seconds, nanos = divmod(key, _NANOS)
            moved = self.instant(seconds) if self.node.kind is TypeKind.TIMESTAMP else seconds
            ends.append(moved * 1000 + nanos // _MILLI)
        out.minimum, out.maximum = ends


def _doubles(layout: plan.Statistics, summary: Summary) -> messages.DoubleStatistics:
    """Return the message with -0.0 for a minimum of zero, and 0.0 for a maximum of zero, or the other way."""
    least, most = (0.0, -0.0) if layout.inward else (-0.0, 0.0)
    low = least if summary.low == 0 else summary.low
    high = most if summary.high == 0 else summary.high
    return messages.DoubleStatistics(minimum=low, maximum=high, sum=summary.sum)


def _strings(layout: plan.Statistics, summary: Summary) -> messages.StringStatistics:
    out = messages.StringStatistics(sum=summary.sum)
    low, high = summary.low, summary.high
    if low is None:
        return out
    if layout.truncate and len(low) > layout.truncate:
        out.lower_bound = _text(shortened(low, layout.truncate, text=True))
    else:
        out.minimum = _text(low)
    shorter = None
    if layout.truncate and len(high) > layout.truncate:
        shorter = incremented(shortened(high, layout.truncate, text=True), text=True)
    if shorter is None:
        out.maximum = _text(high)
    else:
        out.upper_bound = _text(shorter)
    return out


def _decimals(_layout: plan.Statistics, summary: Summary) -> messages.DecimalStatistics:
    total = summary.sum
    if total is not None and abs(total) >= 10 ** (2 * MAX_SCALE):  # HiveDecimal has 38 digits
        total = None
    keys = (summary.low, summary.high, total)
    low, high, total = (None if key is None else decimal_text(key, MAX_SCALE) for key in keys)
    return messages.DecimalStatistics(minimum=low, maximum=high, sum=total)


def _times(layout: plan.Statistics, summary: Summary) -> messages.TimestampStatistics:
    """Return the message with milliseconds, and nanoseconds plus one where they differ from the default."""
    out = messages.TimestampStatistics()
    if summary.low is None:
        return out
    low, low_nanos = divmod(summary.low, _MILLI)
    high, high_nanos = divmod(summary.high, _MILLI)
    if layout.utc:
        out.minimum_utc, out.maximum_utc = low, high
    if layout.utc and layout.nanos:
        out.minimum_nanos = low_nanos + 1 if low_nanos else None
        out.maximum_nanos = high_nanos + 1 if high_nanos != _LAST_NANO else None
    return out


def _text(raw: bytes) -> str:
    return raw.decode("utf-8", "surrogateescape")


_TYPED: dict[TypeKind, Callable[[plan.Statistics, Summary], Any]] = {
    TypeKind.BOOLEAN: lambda layout, known: messages.BucketStatistics(
        count=(known.sum,) if layout.bounds and layout.sum else ()
    ),
    TypeKind.DECIMAL: _decimals,
    TypeKind.DATE: lambda _, known: messages.DateStatistics(minimum=known.low, maximum=known.high),
    TypeKind.BINARY: lambda _, known: messages.BinaryStatistics(sum=known.sum),
    **dict.fromkeys(
        INTEGERS,
        lambda _, known: messages.IntegerStatistics(minimum=known.low, maximum=known.high, sum=known.sum),
    ),
    **dict.fromkeys(FLOATS, _doubles),
    **dict.fromkeys(TEXTS, _strings),
    **dict.fromkeys(TIMES, _times),
    **dict.fromkeys(
        COLLECTIONS,
        lambda _, known: messages.CollectionStatistics(
            min_children=known.low, max_children=known.high, total_children=known.sum
        ),
    ),
}
