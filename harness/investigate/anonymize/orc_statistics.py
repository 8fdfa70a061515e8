"""Statistics of ORC columns with other bounds and sums; a wrong sum stays wrong by the same amount."""

from __future__ import annotations

import math
import struct
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from harness.investigate.anonymize.orc_columns import FLOATS, INTEGERS, Column, plain
from reference_impl.orc.schema import TypeKind
from reference_impl.orc.statistics import decimal_of
from reference_impl.orc.statistics_schema import (
    ColumnStatistics,
    DecimalStatistics,
    DoubleStatistics,
    IntegerStatistics,
)

_SCALE = 38
_LIMIT = 1 << 63
_SINGLE = 32


class Sums:
    """The values of each column, by stripe."""

    def __init__(self, columns: Sequence[Column]) -> None:
        self.columns = columns
        self._values: dict[int, dict[int, list[Any]]] = {}

    def add(self, column: int, stripe: int, values: list[Any]) -> None:
        """Add the values of a column in a stripe; of a dictionary, which has no sum, its entries."""
        self._values.setdefault(column, {})[stripe] = values

    def other(
        self, at: int, statistics: ColumnStatistics, stripe: int | None, span: tuple[int, int] | None
    ) -> ColumnStatistics:
        """Return new statistics of a stripe (None: of the file), or of a span of its values."""
        column = self.columns[at]
        if column.stays:
            return statistics
        new_statistics = column.bounds(statistics, column.other)
        by_stripe = self._values.get(at, {})
        some = by_stripe.values() if stripe is None else [by_stripe.get(stripe, [])]
        values = [value for each in some for value in each]
        if span is not None:
            values = values[span[0] : span[1]]
        new = [column.other(value) for value in values]
        kind = column.type.kind
        if kind in INTEGERS and new_statistics.int_statistics is not None:
            return replace(
                new_statistics, int_statistics=_integers(new_statistics.int_statistics, values, new)
            )
        if kind in FLOATS and new_statistics.double_statistics is not None:
            bits = FLOATS[kind]
            old, now = _floats(values, bits), _floats(new, bits)
            return replace(
                new_statistics, double_statistics=_reals(new_statistics.double_statistics, old, now)
            )
        if kind is TypeKind.DECIMAL and new_statistics.decimal_statistics is not None:
            scale = column.type.scale or 0
            return replace(
                new_statistics,
                decimal_statistics=_decimals(
                    new_statistics.decimal_statistics, scale, sum(new) - sum(values)
                ),
            )
        return new_statistics


def _integers(statistics: IntegerStatistics, old: list[int], new: list[int]) -> IntegerStatistics:
    if statistics.sum is None:
        return statistics
    total = statistics.sum - sum(old) + sum(new)
    return replace(statistics, sum=total if -_LIMIT <= total < _LIMIT else None)


def _reals(statistics: DoubleStatistics, old: list[float], new: list[float]) -> DoubleStatistics:
    if statistics.sum is None:
        return statistics
    is_right = statistics.sum == sum(old) or math.isnan(statistics.sum)
    return replace(statistics, sum=sum(new) if is_right else statistics.sum - sum(old) + sum(new))


def _decimals(statistics: DecimalStatistics, scale: int, more: int) -> DecimalStatistics:
    """Return statistics with a number added to the sum; a sum that does not fit the scale is removed."""
    key = decimal_of(statistics.sum)
    if not isinstance(key, int) or key % 10 ** (_SCALE - scale):
        return replace(statistics, sum=None)
    return replace(statistics, sum=plain(key // 10 ** (_SCALE - scale) + more, scale))


def _floats(values: list[int], bits: int) -> list[float]:
    code, whole = ("<f", "<I") if bits == _SINGLE else ("<d", "<Q")
    return [struct.unpack(code, struct.pack(whole, value))[0] for value in values]
