"""Faults of statistics in the footer and in page headers, of column orders and of size statistics."""

from __future__ import annotations

import struct
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from corpora.build.recipe import leaf, text
from properties.strategies.faults.fault import (
    REQUIRED,
    fields,
    ints,
    metadata,
    table,
)
from properties.strategies.faults.logical import both, integer
from reference_impl.parquet.plan import Column, Statistics, Truth
from reference_impl.parquet.schema import ColumnOrder, ConvertedType, Empty, Type

if TYPE_CHECKING:
    from properties.strategies.faults.fault import Change
    from reference_impl.parquet.plan import FilePlan

NAN = struct.pack("<d", float("nan"))
INTERVAL_ELEMENT = leaf("x", Type.FIXED_LEN_BYTE_ARRAY, type_length=12, converted_type=ConvertedType.INTERVAL)
_ALL = Statistics(null_count=True, distinct_count=True, exact=Truth.TOLD)
INT96_ORDER = ColumnOrder(INT96_TIMESTAMP_ORDER=Empty())
TYPE_ORDER = ColumnOrder(TYPE_ORDER=Empty())
TOTAL_ORDER = ColumnOrder(IEEE_754_TOTAL_ORDER=Empty())


def int32(number: int) -> bytes:
    """Answer an INT32 as PLAIN has it."""
    return number.to_bytes(4, "little", signed=True)


def double(number: float) -> bytes:
    """Answer a DOUBLE as PLAIN has it."""
    return struct.pack("<d", number)


def statistics(**changes: Any) -> Change:
    """Change fields of the statistics of a chunk."""
    return metadata(statistics=fields(**changes))


def told(values: Any, stats: Statistics = _ALL, **more: Any) -> FilePlan:
    """Answer the plan of a file of INT32 with statistics in the footer."""
    return ints(values, Column(statistics=stats), **more)


def column(
    kind: Type,
    values: Any,
    stats: Statistics = _ALL,
    column_orders: tuple[ColumnOrder, ...] = (),
    **annotation: Any,
) -> FilePlan:
    """Answer the plan of a file of another type with statistics in the footer."""
    column = Column(statistics=stats)
    return table(leaf("x", kind, REQUIRED, **annotation), values, column, column_orders=column_orders)


_INTS = told((1, 5, 9))
_LOOSE = told((1, 5, 9), Statistics(widen=1, exact=Truth.TOLD))
_NULLS = told((1, None, 9))
_REPEATED = told((7, 7, 9))
_SAME = told((5, 5, 5))
_UNCOUNTED = column(Type.DOUBLE, (1.0, float("nan"), 5.0))
_NEGATIVE = column(Type.DOUBLE, (-5.0, 0.0), replace(_ALL, nan_count=True))
_TOTAL = column(
    Type.DOUBLE,
    (1.0, float("nan"), 5.0),
    replace(_ALL, nan_count=True),
    column_orders=(TYPE_ORDER, TOTAL_ORDER),
)
_COUNTED = replace(_ALL, nan_count=True)
_DOUBLES = column(Type.DOUBLE, (1.0, float("nan"), 5.0), _COUNTED)
_NANS = column(Type.DOUBLE, (float("nan"),) * 3, _COUNTED)
_ZEROS = column(Type.DOUBLE, (0.0, -0.0, 5.0), _COUNTED)
_TEXTS = table(text("x"), ("é".encode(), b"a"), Column(statistics=Statistics(truncate=3, exact=Truth.TOLD)))
_UNSIGNED = column(Type.INT32, (1, -1), **both(integer(32, signed=False), ConvertedType.UINT_32))
_INTERVALS = table(INTERVAL_ELEMENT, (bytes(12), bytes(range(12))), Column(statistics=_ALL))
_SIGNED = column(Type.INT32, (-1, 1), replace(_ALL, deprecated=True))
