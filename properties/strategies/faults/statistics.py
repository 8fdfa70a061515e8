"""Faults of statistics in the footer and in page headers, of column orders and of size statistics."""

from __future__ import annotations

import struct
from dataclasses import replace
from typing import Any

from corpora.build.recipe import leaf, text
from properties.strategies.faults import places
from properties.strategies.faults.edit import Change
from properties.strategies.faults.edits import REQUIRED, edit, ints, metadata, table
from properties.strategies.faults.fault import Fault, File, fields, miscounted, one_more
from properties.strategies.faults.logical import both, integer
from reference_impl.parquet.plan import Column, FilePlan, Statistics, Truth
from reference_impl.parquet.schema import ColumnOrder, ConvertedType, Empty, Type
from reference_impl.parquet.statistics_structs import Statistics as StatisticsStruct

NAN = struct.pack("<d", float("nan"))
INTERVAL_ELEMENT = leaf("x", Type.FIXED_LEN_BYTE_ARRAY, type_length=12, converted_type=ConvertedType.INTERVAL)
_ALL = Statistics(null_count=True, distinct_count=True, exact=Truth.STATED)
INT96_ORDER = ColumnOrder(INT96_TIMESTAMP_ORDER=Empty())
TYPE_ORDER = ColumnOrder(TYPE_ORDER=Empty())
TOTAL_ORDER = ColumnOrder(IEEE_754_TOTAL_ORDER=Empty())


def int32(number: int) -> bytes:
    """Return an INT32 in PLAIN."""
    return number.to_bytes(4, "little", signed=True)


def double(number: float) -> bytes:
    """Return a DOUBLE in PLAIN."""
    return struct.pack("<d", number)


def statistics(**changes: Any) -> Change:
    """Change fields of the statistics of a chunk."""
    return metadata(statistics=fields(**changes))


def integers(values: Any, stats: Statistics = _ALL, **more: Any) -> FilePlan:
    """Return the plan of a file of INT32 with statistics in the footer."""
    return ints(values, Column(statistics=stats), **more)


def column(
    kind: Type,
    values: Any,
    stats: Statistics = _ALL,
    column_orders: tuple[ColumnOrder, ...] = (),
    **annotation: Any,
) -> FilePlan:
    """Return the plan of a file of another type with statistics in the footer."""
    column = Column(statistics=stats)
    return table(leaf("x", kind, REQUIRED, **annotation), values, column, column_orders=column_orders)


_INTS = integers((1, 5, 9))
_LOOSE = integers((1, 5, 9), Statistics(widen=1, exact=Truth.STATED))
_NULLS = integers((1, None, 9))
_REPEATED = integers((7, 7, 9))
_SAME = integers((5, 5, 5))
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
_TEXTS = table(text("x"), ("é".encode(), b"a"), Column(statistics=Statistics(truncate=3, exact=Truth.STATED)))
_UNSIGNED = column(Type.INT32, (1, -1), **both(integer(32, signed=False), ConvertedType.UINT_32))
_INTERVALS = table(INTERVAL_ELEMENT, (bytes(12), bytes(range(12))), Column(statistics=_ALL))
_SIGNED = column(Type.INT32, (-1, 1), replace(_ALL, deprecated=True))


def _with(plan: FilePlan, **changes: Any) -> File:
    """Return a file with changes of fields of the statistics of `x`."""
    return File(plan, edit(chunk=statistics(**changes)))


def _swapped(stats: StatisticsStruct) -> StatisticsStruct:
    changed: StatisticsStruct = fields(min_value=stats.max_value, max_value=stats.min_value)(stats)
    return changed


FAULTS = (
    Fault(
        "PQ-STATS-004/minimum-above-a-value",
        "min_value is 2, and a value 1",
        _with(_INTS, min_value=int32(2), is_min_value_exact=False),
        "min_value is 0, less than every value, and does not say that it is exact",
        File(_LOOSE),
    ),
    Fault(
        "PQ-STATS-005/maximum-compared-signed",
        "max_value of unsigned integers is 1, and a value 4294967295",
        _with(
            _UNSIGNED,
            min_value=int32(0),
            max_value=int32(1),
            is_min_value_exact=False,
            is_max_value_exact=False,
        ),
        "it is 4294967295",
    ),
    Fault(
        "PQ-STATS-001/bound-of-five-bytes",
        "min_value of INT32 has 5 bytes",
        _with(_INTS, min_value=int32(1) + b"\0"),
        "it has 4",
    ),
    Fault(
        "PQ-STATS-026/exact-but-wider",
        "max_value says that it is exact, and is no value",
        _with(_LOOSE, is_max_value_exact=True),
        "it is a value, and says that it may not be",
        File(integers((1, 5, 9), replace(_ALL, exact=Truth.DENIED))),
    ),
    Fault(
        "PQ-STATS-013/null-not-counted",
        "null_count is 0, and a value null",
        _with(_NULLS, null_count=miscounted),
        "null_count is 1",
        places=places.null_counts_of_chunks(),
    ),
    Fault(
        "PQ-STATS-014/distinct-values-of-all",
        "distinct_count is the number of values, of which two are the same",
        _with(_REPEATED, distinct_count=one_more),
        "it is less by one",
        places=places.statistics(lambda stats: stats.distinct_count is not None),
    ),
    Fault(
        "PQ-STATS-006/nan-for-a-maximum",
        "max_value is NaN, and nan_count is there",
        _with(_DOUBLES, max_value=NAN, is_max_value_exact=False),
        "max_value is the greatest of the other values",
    ),
    Fault(
        "PQ-STATS-015/nan-not-counted",
        "nan_count is 0, and a value NaN",
        _with(_DOUBLES, nan_count=miscounted),
        "nan_count is 1",
        places=places.statistics(lambda stats: stats.nan_count is not None),
    ),
    Fault(
        "PQ-STATS-016/nan-count-of-integers",
        "a column of INT32 has a nan_count",
        _with(_INTS, nan_count=0),
        "one of DOUBLE has, and it is 0",
        File(column(Type.DOUBLE, (1.0, 5.0), _COUNTED)),
    ),
    Fault(
        "PQ-STATS-017/no-nan-count",
        "statistics of a DOUBLE column in TYPE_ORDER have no nan_count",
        _with(_DOUBLES, nan_count=None),
        "they have none in a column of INT32",
        File(_INTS),
    ),
    Fault(
        "PQ-STATS-010/minimum-plus-zero",
        "the minimum is zero, and min_value +0.0",
        _with(_ZEROS, min_value=double(0.0)),
        "min_value is -0.0",
    ),
    Fault(
        "PQ-STATS-008/bounds-of-nothing-but-nan",
        "all values are NaN, and min_value and max_value infinities",
        _with(_NANS, min_value=double(float("-inf")), max_value=double(float("inf"))),
        "there is no bound",
    ),
    Fault(
        "PQ-STATS-002/bound-cut-inside-a-letter",
        "max_value of a STRING column ends inside a letter of UTF-8",
        _with(_TEXTS, max_value=b"\xc3\xaa\xc3", is_max_value_exact=False),
        "it is cut at the end of a letter",
        _with(_TEXTS, max_value="êa".encode(), is_max_value_exact=False),
    ),
    Fault(
        "PQ-STATS-019/bounds-of-intervals",
        "an INTERVAL column, which has no order, has min_value and max_value",
        _with(_INTERVALS, min_value=bytes(12), max_value=bytes([255] * 12)),
        "it has counts only",
    ),
    Fault(
        "PQ-STATS-023/old-minimum-above-a-value",
        "min is 0, and a value -1",
        _with(_SIGNED, min=int32(0)),
        "min is -1",
    ),
    Fault(
        "PQ-STATS-021/old-bounds-of-unsigned",
        "an unsigned column has min and max beside min_value and max_value",
        _with(_UNSIGNED, min=int32(-1), max=int32(1)),
        "a signed one has them",
        File(_SIGNED),
    ),
    Fault(
        "PQ-STATS-003/bounds-crossed",
        "min_value is above max_value",
        _with(_SAME, min_value=int32(6), is_min_value_exact=False),
        "it is the same",
        places=places.two_bounds("the bounds are the wrong way round", chunk=metadata(statistics=_swapped)),
    ),
    Fault(
        "PQ-STATS-007/nan-for-an-old-maximum",
        "max_value is NaN, in a file without nan_count",
        _with(_UNCOUNTED, max_value=NAN, is_max_value_exact=False),
        "max_value is the greatest of the other values",
        also_breaks=("PQ-STATS-017",),
    ),
    Fault(
        "PQ-STATS-009/nan-in-total-order",
        "in IEEE 754 total order max_value is NaN, and there are other values",
        _with(_TOTAL, max_value=NAN),
        "max_value is NaN, and nothing else is there",
        File(replace(_NANS, column_orders=(TYPE_ORDER, TOTAL_ORDER))),
    ),
    Fault(
        "PQ-STATS-011/maximum-minus-zero",
        "the maximum is zero, and max_value -0.0",
        _with(_NEGATIVE, max_value=double(-0.0)),
        "max_value is +0.0",
    ),
    Fault(
        "PQ-STATS-012/no-null-count",
        "statistics have no null_count",
        File(integers((1, 5, 9), replace(_ALL, null_count=False))),
        "it is 0",
        File(_INTS),
    ),
    Fault(
        "PQ-STATS-018/no-nan-count-in-total-order",
        "statistics in IEEE 754 total order have no nan_count",
        _with(_TOTAL, nan_count=None),
        "it is 0",
        File(replace(column(Type.DOUBLE, (1.0, 5.0), _COUNTED), column_orders=(TYPE_ORDER, TOTAL_ORDER))),
    ),
    Fault(
        "PQ-STATS-020/old-bounds-only",
        "there are min and max, but neither min_value nor max_value",
        File(column(Type.INT32, (-1, 1), replace(_ALL, modern=False, deprecated=True))),
        "there are all four",
        File(_SIGNED),
    ),
    Fault(
        "PQ-STATS-022/old-bound-of-three-bytes",
        "min of INT32 has 3 bytes",
        _with(_SIGNED, min=b"\xff" * 3),
        "it has 4",
    ),
    Fault(
        "PQ-STATS-024/old-maximum-below-a-value",
        "max is 0, and a value 1",
        _with(_SIGNED, max=int32(0)),
        "max is 1",
    ),
    Fault(
        "PQ-STATS-025/minimum-exact-but-wider",
        "min_value says that it is exact, and is no value",
        _with(_LOOSE, is_min_value_exact=True),
        "it says that it is not",
    ),
)
