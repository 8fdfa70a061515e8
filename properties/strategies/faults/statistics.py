"""Faults of statistics in the footer and in page headers, of column orders and of size statistics."""

from __future__ import annotations

import struct
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from corpora.build.recipe import leaf, text
from properties.strategies.faults.fault import (
    OPTIONAL,
    REPEATED,
    REQUIRED,
    Fault,
    Made,
    X,
    data_header,
    edit,
    fields,
    ints,
    metadata,
    table,
)
from reference_impl.parquet.plan import Column, Page, Statistics, Truth
from reference_impl.parquet.schema import ColumnOrder, ConvertedType, Empty, Type

if TYPE_CHECKING:
    from properties.strategies.faults.fault import Change
    from reference_impl.parquet.plan import FilePlan

NAN = struct.pack("<d", float("nan"))
INTERVAL_ELEMENT = leaf("x", Type.FIXED_LEN_BYTE_ARRAY, type_length=12, converted_type=ConvertedType.INTERVAL)
_ALL = Statistics(null_count=True, distinct_count=True, exact=Truth.TOLD)
_PAGE_1 = X._replace(page=1)
_INT96_ORDER = ColumnOrder(INT96_TIMESTAMP_ORDER=Empty())
_TYPE_ORDER = ColumnOrder(TYPE_ORDER=Empty())
_TOTAL_ORDER = ColumnOrder(IEEE_754_TOTAL_ORDER=Empty())


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


def column(kind: Type, values: Any, stats: Statistics = _ALL, **annotation: Any) -> FilePlan:
    """Answer the plan of a file of another type with statistics in the footer."""
    repetition = OPTIONAL if None in values else REQUIRED
    return table(leaf("x", kind, repetition, **annotation), values, Column(statistics=stats))


def _orders(*orders: ColumnOrder) -> Change:
    return fields(column_orders=list(orders))


_INTS = told((1, 5, 9))
_LOOSE = told((1, 5, 9), Statistics(widen=1, exact=Truth.TOLD))
_NULLS = told((1, None, 9))
_REPEATED = told((7, 7, 9))
_COUNTED = replace(_ALL, nan_count=True)
_DOUBLES = column(Type.DOUBLE, (1.0, float("nan"), 5.0), _COUNTED)
_NANS = column(Type.DOUBLE, (float("nan"),) * 3, _COUNTED)
_ZEROS = column(Type.DOUBLE, (0.0, -0.0, 5.0), _COUNTED)
_TEXTS = table(text("x"), ("é".encode(), b"a"), Column(statistics=Statistics(truncate=3, exact=Truth.TOLD)))
_UNSIGNED = column(Type.INT32, (1, -1), converted_type=ConvertedType.UINT_32)
_BYTES = column(Type.BYTE_ARRAY, (b"\x80", b"a"))
_INTERVALS = table(INTERVAL_ELEMENT, (bytes(12), bytes(range(12))), Column(statistics=_ALL))
_SIGNED = column(Type.INT32, (-1, 1), replace(_ALL, deprecated=True))
_PAGES = ints((1, 5, 9), Column((Page(2, statistics=_ALL),)))
_INT96 = column(Type.INT96, (bytes(12), bytes(range(12))))
_WITH_ORDER = replace(_INT96, column_orders=(_TYPE_ORDER, _INT96_ORDER))
_SIZED = table(leaf("x", Type.BYTE_ARRAY, REPEATED), ([], [b"ab"], [b"", b"c"]), Column(size_statistics=True))


def sizes(**changes: Any) -> Change:
    """Change fields of the size statistics of a chunk."""
    return metadata(size_statistics=fields(**changes))


PENDING = (
    Fault(
        "S:min",
        "minimum-above-a-value",
        "min_value is 2, and a value 1",
        Made(_INTS, edit(chunk=statistics(min_value=int32(2), is_min_value_exact=False))),
        "min_value is 0, less than every value, and does not say that it is exact",
        Made(_LOOSE),
    ),
    Fault(
        "S:max",
        "maximum-compared-signed",
        "max_value of unsigned integers is 1, and a value 4294967295",
        Made(
            _UNSIGNED,
            edit(
                chunk=statistics(
                    min_value=int32(0), max_value=int32(1), is_min_value_exact=False, is_max_value_exact=False
                )
            ),
        ),
        "it is 4294967295",
        Made(_UNSIGNED),
    ),
    Fault(
        "S:width",
        "bound-of-five-bytes",
        "min_value of INT32 has 5 bytes",
        Made(_INTS, edit(chunk=statistics(min_value=int32(1) + b"\0"))),
        "it has 4",
        Made(_INTS),
    ),
    Fault(
        "S:exact",
        "exact-but-wider",
        "max_value says that it is exact, and is no value",
        Made(_LOOSE, edit(chunk=statistics(is_max_value_exact=True))),
        "it is a value, and says that it may not be",
        Made(told((1, 5, 9), replace(_ALL, exact=Truth.DENIED))),
    ),
    Fault(
        "S:null_count",
        "null-not-counted",
        "null_count is 0, and a value null",
        Made(_NULLS, edit(chunk=statistics(null_count=0))),
        "null_count is 1",
        Made(_NULLS),
    ),
    Fault(
        "S:distinct",
        "distinct-values-of-all",
        "distinct_count is the number of values, of which two are the same",
        Made(_REPEATED, edit(chunk=statistics(distinct_count=3))),
        "it is less by one",
        Made(_REPEATED),
    ),
    Fault(
        "S:nan_bound",
        "nan-for-a-maximum",
        "max_value is NaN, and nan_count is there",
        Made(_DOUBLES, edit(chunk=statistics(max_value=NAN, is_max_value_exact=False))),
        "max_value is the greatest of the other values",
        Made(_DOUBLES),
    ),
    Fault(
        "S:nan_count",
        "nan-not-counted",
        "nan_count is 0, and a value NaN",
        Made(_DOUBLES, edit(chunk=statistics(nan_count=0))),
        "nan_count is 1",
        Made(_DOUBLES),
    ),
    Fault(
        "S:nan_type",
        "nan-count-of-integers",
        "a column of INT32 has a nan_count",
        Made(_INTS, edit(chunk=statistics(nan_count=0))),
        "one of DOUBLE has, and it is 0",
        Made(column(Type.DOUBLE, (1.0, 5.0), _COUNTED)),
    ),
    Fault(
        "S:nan_absent",
        "no-nan-count",
        "statistics of a DOUBLE column in TYPE_ORDER have no nan_count",
        Made(_DOUBLES, edit(chunk=statistics(nan_count=None))),
        "they have none in a column of INT32",
        Made(_INTS),
    ),
    Fault(
        "S:zero",
        "minimum-plus-zero",
        "the minimum is zero, and min_value +0.0",
        Made(_ZEROS, edit(chunk=statistics(min_value=double(0.0)))),
        "min_value is -0.0",
        Made(_ZEROS),
    ),
    Fault(
        "S:all_nan",
        "bounds-of-nothing-but-nan",
        "all values are NaN, and min_value and max_value infinities",
        Made(
            _NANS,
            edit(
                chunk=statistics(
                    min_value=double(float("-inf")),
                    max_value=double(float("inf")),
                )
            ),
        ),
        "there is no bound",
        Made(_NANS),
    ),
    Fault(
        "S:text",
        "bound-cut-inside-a-letter",
        "max_value of a STRING column ends inside a letter of UTF-8",
        Made(_TEXTS, edit(chunk=statistics(max_value=b"\xc3\xaa\xc3", is_max_value_exact=False))),
        "it is cut at the end of a letter",
        Made(_TEXTS, edit(chunk=statistics(max_value="êa".encode(), is_max_value_exact=False))),
    ),
    Fault(
        "S:no_order",
        "bounds-of-intervals",
        "an INTERVAL column, which has no order, has min_value and max_value",
        Made(_INTERVALS, edit(chunk=statistics(min_value=bytes(12), max_value=bytes([255] * 12)))),
        "it has counts only",
        Made(_INTERVALS),
    ),
    Fault(
        "S:deprecated_min",
        "old-minimum-above-a-value",
        "min is 0, and a value -1",
        Made(_SIGNED, edit(chunk=statistics(min=int32(0)))),
        "min is -1",
        Made(_SIGNED),
    ),
    Fault(
        "S:deprecated_order",
        "old-bounds-of-unsigned",
        "an unsigned column has min and max beside min_value and max_value",
        Made(_UNSIGNED, edit(chunk=statistics(min=int32(-1), max=int32(1)))),
        "a signed one has them",
        Made(_SIGNED),
    ),
    Fault(
        "S:page",
        "page-maximum-below-a-value",
        "max_value in the header of the second page is 8, and a value 9",
        Made(
            _PAGES,
            edit(
                _PAGE_1,
                page_header=data_header(
                    statistics=fields(min_value=int32(8), max_value=int32(8), is_max_value_exact=False)
                ),
            ),
        ),
        "it is 9",
        Made(_PAGES),
    ),
    Fault(
        "O:count",
        "column-order-missing",
        "column_orders has one element, and the schema two columns",
        Made(_INTS, edit(footer=_orders(_TYPE_ORDER))),
        "there is no column_orders",
        Made(replace(_INTS, column_orders=None)),
    ),
    Fault(
        "O:total",
        "total-order-of-integers",
        "a column of INT32 is in IEEE_754_TOTAL_ORDER",
        Made(told((1, 5, 9), Statistics(modern=False)), edit(footer=_orders(_TYPE_ORDER, _TOTAL_ORDER))),
        "one of DOUBLE is",
        Made(replace(_DOUBLES, column_orders=(_TYPE_ORDER, _TOTAL_ORDER))),
    ),
    Fault(
        "O:int96",
        "int96-order-of-int64",
        "a column of INT64 is in INT96_TIMESTAMP_ORDER",
        Made(
            column(Type.INT64, (1, 2), Statistics(modern=False)),
            edit(footer=_orders(_TYPE_ORDER, _INT96_ORDER)),
        ),
        "one of INT96 is",
        Made(_WITH_ORDER),
    ),
    Fault(
        "Z:unencoded",
        "lengths-counted",
        "unencoded_byte_array_data_bytes counts the lengths in front of the byte arrays",
        Made(_SIZED, edit(chunk=sizes(unencoded_byte_array_data_bytes=15))),
        "it counts their bytes only",
        Made(_SIZED),
    ),
    Fault(
        "Z:unencoded_type",
        "bytes-of-integers",
        "a column of INT32 has unencoded_byte_array_data_bytes",
        Made(
            ints((1, 2), Column(size_statistics=True)),
            edit(chunk=sizes(unencoded_byte_array_data_bytes=8)),
        ),
        "a column of BYTE_ARRAY has",
        Made(_SIZED),
    ),
    Fault(
        "Z:repetition_length",
        "histogram-too-long",
        "repetition_level_histogram has 3 elements for the levels 0 and 1",
        Made(_SIZED, edit(chunk=sizes(repetition_level_histogram=lambda counts: [*counts, 0]))),
        "it has 2",
        Made(_SIZED),
    ),
    Fault(
        "Z:definition",
        "histogram-of-values",
        "definition_level_histogram leaves out the entry that stands for an empty list",
        Made(_SIZED, edit(chunk=sizes(definition_level_histogram=[0, 3]))),
        "it counts it",
        Made(_SIZED),
    ),
)
