"""Statistics of ORC columns with other bounds and sums: what was right is right, else it is as far off."""

from __future__ import annotations

import math
import struct
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from harness.investigate.anonymize.orc_columns import FLOATS, INTEGERS, Column, plain
from reference_impl.orc.schema import TypeKind
from reference_impl.orc.statistics import decimal_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from reference_impl.orc.schema import (
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
        """Note the values of a column of a stripe, or of its dictionary, whose sum nobody asks for."""
        self._values.setdefault(column, {})[stripe] = values

    def other(
        self, at: int, told: ColumnStatistics, stripe: int | None, span: tuple[int, int] | None
    ) -> ColumnStatistics:
        """Return statistics of a stripe (None: of the file), or of a span of its values."""
        column = self.columns[at]
        if column.stays:
            return told
        made = column.bounds(told, column.other)
        by_stripe = self._values.get(at, {})
        some = by_stripe.values() if stripe is None else [by_stripe.get(stripe, [])]
        values = [one for each in some for one in each]
        if span is not None:
            values = values[span[0] : span[1]]
        new = [column.other(one) for one in values]
        kind = column.type.kind
        if kind in INTEGERS and made.int_statistics is not None:
            return replace(made, int_statistics=_integers(made.int_statistics, values, new))
        if kind in FLOATS and made.double_statistics is not None:
            bits = FLOATS[kind]
            old, now = _floats(values, bits), _floats(new, bits)
            return replace(made, double_statistics=_reals(made.double_statistics, old, now))
        if kind is TypeKind.DECIMAL and made.decimal_statistics is not None:
            scale = column.type.scale or 0
            return replace(
                made, decimal_statistics=_decimals(made.decimal_statistics, scale, sum(new) - sum(values))
            )
        return made


def _integers(told: IntegerStatistics, old: list[int], new: list[int]) -> IntegerStatistics:
    if told.sum is None:
        return told
    total = told.sum - sum(old) + sum(new)
    return replace(told, sum=total if -_LIMIT <= total < _LIMIT else None)


def _reals(told: DoubleStatistics, old: list[float], new: list[float]) -> DoubleStatistics:
    if told.sum is None:
        return told
    is_right = told.sum == sum(old) or math.isnan(told.sum)
    return replace(told, sum=sum(new) if is_right else told.sum - sum(old) + sum(new))


def _decimals(told: DecimalStatistics, scale: int, more: int) -> DecimalStatistics:
    """Return statistics whose sum is more by an unscaled number; one that is no number of the scale goes."""
    key = decimal_of(told.sum)
    if not isinstance(key, int) or key % 10 ** (_SCALE - scale):
        return replace(told, sum=None)
    return replace(told, sum=plain(key // 10 ** (_SCALE - scale) + more, scale))


def _floats(values: list[int], bits: int) -> list[float]:
    code, whole = ("<f", "<I") if bits == _SINGLE else ("<d", "<Q")
    return [struct.unpack(code, struct.pack(whole, one))[0] for one in values]
