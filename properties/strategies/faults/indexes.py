"""Faults of column indexes."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from corpora.build.recipe import leaf, text
from properties.strategies.faults.edits import FOUR_ROWS, LISTS, PAGED, TWO_PAGES, edit, ints, table
from properties.strategies.faults.fault import Fault, File, at, fields, miscounted, one_more, put
from properties.strategies.faults.places import column_indexes, null_counts_of_pages
from properties.strategies.faults.statistics import INT96_ORDER, NAN, TOTAL_ORDER, TYPE_ORDER, double, int32
from reference_impl.parquet.page_structs import BoundaryOrder
from reference_impl.parquet.plan import Column, FilePlan, Index, Page, Statistics
from reference_impl.parquet.schema import ConvertedType, Type

_UNCOUNTED = ints((1, 2, 3), Column((Page(2),), index=Index(statistics=Statistics(null_count=False))))
_DOWN = ints((7, 6, 2, 1), PAGED)
_HALF_NULL = ints((1, None, 5, 7), PAGED)
_ONE_NULL = ints((None, None, 5, 7), PAGED)
_MEASURED = ints((1, 2, None, 7), replace(PAGED, index=Index(histograms=True)))
_WORDS = table(text("x"), ("é".encode(), b"a", b"b"), PAGED)
_CONSTANT = ints((5, 5, 7, 7), PAGED)
_COUNT_NAN = Column((Page(2),), index=Index(statistics=Statistics(nan_count=True)))
_NAN_PAGE = table(
    leaf("x", Type.DOUBLE),
    (float("nan"), float("nan"), 1.0, 5.0),
    _COUNT_NAN,
    column_orders=(TYPE_ORDER, TOTAL_ORDER),
)
_DOUBLES = table(leaf("x", Type.DOUBLE), (1.0, 2.0, float("nan"), 5.0), _COUNT_NAN)
_ZEROS = table(leaf("x", Type.DOUBLE), (-5.0, 0.0, 0.0, 5.0), _COUNT_NAN)
_INTERVALS = table(
    leaf("x", Type.FIXED_LEN_BYTE_ARRAY, type_length=12),
    (bytes(12), bytes((*range(5), 0, 0, 0, *range(8, 12)))),
    PAGED,
)
_INT96 = table(
    leaf("x", Type.INT96),
    (bytes(12), bytes((*range(5), 0, 0, 0, *range(8, 12)))),
    PAGED,
    column_orders=(TYPE_ORDER, INT96_ORDER),
)


def _index(plan: FilePlan, **changes: Any) -> File:
    """Return a file with changes of fields of the column index of `x`."""
    return File(plan, edit(column_index=fields(**changes)))


FAULTS = (
    Fault(
        "PQ-INDEX-002/column-index-too-long",
        "the length of a column index counts one byte of the offset index behind it",
        File(TWO_PAGES, edit(placed_chunk=fields(column_index_length=one_more))),
        "it ends where the offset index begins",
        places=column_indexes(),
    ),
    Fault(
        "PQ-INDEX-003/null-counts-of-one-page",
        "null_counts has one element, and the column index two pages",
        _index(TWO_PAGES, null_counts=[0]),
        "it has two",
        places=column_indexes(
            what="there is a minimum more than there are pages",
            column_index=fields(min_values=lambda values: [*values, b""]),
        ),
    ),
    Fault(
        "PQ-INDEX-004/column-index-alone",
        "there is a column index, and no offset index",
        File(FOUR_ROWS, edit(offset_index=put(None))),
        "there is an offset index, and no column index",
        File(FOUR_ROWS, edit(column_index=put(None))),
        places=column_indexes(),
    ),
    Fault(
        "PQ-INDEX-005/page-not-bounded",
        "the lists of a column index have one element, and the chunk two pages",
        _index(FOUR_ROWS, null_pages=[False], min_values=[int32(1)], max_values=[int32(7)], null_counts=[0]),
        "they have two",
    ),
    Fault(
        "PQ-INDEX-006/null-page-with-a-value",
        "null_pages says that a page is null, and it has a value",
        _index(_HALF_NULL, null_pages=[True, False], min_values=at(0, put(b"")), max_values=at(0, put(b""))),
        "it says so of a page without one",
        File(_ONE_NULL),
    ),
    Fault(
        "PQ-INDEX-007/bound-of-three-bytes",
        "a minimum of INT32 has 3 bytes",
        _index(FOUR_ROWS, min_values=at(1, lambda raw: raw[:3])),
        "it has 4",
    ),
    Fault(
        "PQ-INDEX-008/bound-cut-inside-a-letter",
        "a maximum of a STRING column ends inside a letter of UTF-8",
        _index(_WORDS, max_values=at(0, put("ë".encode() + b"\xc3"))),
        "it ends behind the letter",
        _index(_WORDS, max_values=at(0, put("ë".encode()))),
    ),
    Fault(
        "PQ-INDEX-009/bounds-crossed",
        "the minimum of a page is above its maximum",
        _index(_CONSTANT, min_values=at(0, put(int32(6)))),
        "it is the same",
    ),
    Fault(
        "PQ-INDEX-010/minimum-above-a-value",
        "the minimum of the second page is 6, and a value 5",
        _index(FOUR_ROWS, min_values=at(1, put(int32(6)))),
        "it is 4, less than every value",
        _index(FOUR_ROWS, min_values=at(1, put(int32(4)))),
    ),
    Fault(
        "PQ-INDEX-011/maximum-below-a-value",
        "the maximum of the second page is 6, and a value 7",
        _index(FOUR_ROWS, max_values=at(1, put(int32(6)))),
        "it is 8, more than every value",
        _index(FOUR_ROWS, max_values=at(1, put(int32(8)))),
    ),
    Fault(
        "PQ-INDEX-012/nan-for-a-bound",
        "a maximum of a DOUBLE column in TYPE_ORDER is NaN",
        _index(_DOUBLES, max_values=at(1, put(NAN))),
        "it is the greatest of the other values",
    ),
    Fault(
        "PQ-INDEX-013/bounds-of-nothing-but-nan",
        "a page of a DOUBLE column in TYPE_ORDER has nothing but NaN, and the bounds 1 and 5",
        File(
            _NAN_PAGE,
            edit(
                column_index=fields(min_values=at(0, put(double(1.0))), max_values=at(0, put(double(5.0)))),
                footer=fields(column_orders=[TYPE_ORDER, TYPE_ORDER]),
            ),
        ),
        "in IEEE 754 total order its bounds are NaN",
    ),
    Fault(
        "PQ-INDEX-014/nan-in-total-order",
        "in IEEE 754 total order a maximum is NaN, and the page has other values",
        _index(_NAN_PAGE, max_values=at(1, put(NAN))),
        "a maximum is NaN, and the page has nothing else",
    ),
    Fault(
        "PQ-INDEX-015/minimum-plus-zero",
        "the minimum of a page is zero, and stands there as +0.0",
        _index(_ZEROS, min_values=at(1, put(double(0.0)))),
        "it stands there as -0.0",
    ),
    Fault(
        "PQ-INDEX-016/maximum-minus-zero",
        "the maximum of a page is zero, and stands there as -0.0",
        _index(_ZEROS, max_values=at(0, put(double(-0.0)))),
        "it stands there as +0.0",
    ),
    Fault(
        "PQ-INDEX-017/no-null-counts",
        "a column index has no null_counts",
        File(_UNCOUNTED),
        "they are 0",
        File(FOUR_ROWS),
    ),
    Fault(
        "PQ-INDEX-018/nan-counts-of-integers",
        "a column index of INT32 has nan_counts",
        _index(FOUR_ROWS, nan_counts=[0, 0]),
        "one of DOUBLE has",
        File(_DOUBLES),
    ),
    Fault(
        "PQ-INDEX-019/index-of-int96",
        "a column of INT96 that is not in INT96_TIMESTAMP_ORDER has a column index",
        File(_INT96, edit(footer=fields(column_orders=lambda orders: [orders[0], orders[0]]))),
        "one that is in this order has",
        also_breaks=("PQ-SCHEMA-010",),
    ),
    Fault(
        "PQ-INDEX-021/index-of-intervals",
        "a column of INTERVAL, which has no order, has a column index",
        File(_INTERVALS, edit(element=fields(converted_type=ConvertedType.INTERVAL))),
        "one of the same bytes without annotation has",
    ),
    Fault(
        "PQ-INDEX-022/bounds-of-a-null-page",
        "a page of nulls has a minimum and a maximum",
        _index(_ONE_NULL, min_values=at(0, put(int32(7))), max_values=at(0, put(int32(7)))),
        "it has two that are empty",
    ),
    Fault(
        "PQ-INDEX-023/descending-called-ascending",
        "boundary_order is ASCENDING, and the bounds descend",
        _index(_DOWN, boundary_order=BoundaryOrder.ASCENDING),
        "it is UNORDERED, and the bounds descend",
        _index(_DOWN, boundary_order=BoundaryOrder.UNORDERED),
    ),
    Fault(
        "PQ-INDEX-024/null-not-counted",
        "null_counts says that a page has no null, and it has one",
        _index(_HALF_NULL, null_counts=at(0, miscounted)),
        "it says that the page has one",
        places=null_counts_of_pages(),
    ),
    Fault(
        "PQ-INDEX-025/nan-not-counted",
        "nan_counts says that a page has no NaN, and it has one",
        _index(_DOUBLES, nan_counts=[0, 0]),
        "it says that the page has one",
    ),
    Fault(
        "PQ-INDEX-026/histograms-of-one-page",
        "repetition_level_histograms has the levels of one page, and the column index two pages",
        _index(LISTS, repetition_level_histograms=lambda counts: counts[:2]),
        "it has those of two pages, one after the other",
    ),
    Fault(
        "PQ-INDEX-027/histogram-turned-round",
        "definition_level_histograms counts nulls as values",
        _index(_MEASURED, definition_level_histograms=[2, 0, 1, 1]),
        "it counts them as nulls",
    ),
)
