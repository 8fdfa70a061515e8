"""Facts of Parquet files: statistics of chunks, page index, Bloom filters and dictionaries.

What cannot be read is left out: facts only choose queries. How much is read follows from the constants below,
not from what the file declares.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import islice

import numpy as np

from corpora.build import tagged_parquet
from corpora.build.questions import constants, marks
from corpora.build.questions.columns import Bounds, ColumnFacts, is_constant, outermost
from corpora.build.tagged_columns import tagged_table
from corpora.tagged import Table, Value
from reference_impl.byte_arrays import ByteArrays, Values
from reference_impl.errors import ReferenceError_
from reference_impl.parquet import index, orders
from reference_impl.parquet.file import ParquetFile
from reference_impl.parquet.orders import Order
from reference_impl.parquet.page_structs import ColumnIndex
from reference_impl.parquet.ranges import read_ranges
from reference_impl.parquet.schema import ColumnMetaData, Type
from reference_impl.parquet.statistics_structs import Statistics
from reference_impl.parquet.tree import Node

MOST_CELLS = 1 << 20  # values that are read, of all columns together
_MOST_GROUPS = 32  # row groups whose metadata is looked at, half of them at the end
_MOST_PAGES = 64  # of a chunk
_INDEX_BYTES = 1 << 18  # of a column index
_BOUND_BYTES = 4_096


def table(file: ParquetFile) -> tuple[Table, bool]:
    """Return the rows of the first and the last row groups, and whether these are all rows.

    Of a row group that is too large, these are its first rows.
    """
    groups = file.metadata.row_groups
    chosen: list[int] = []
    cells = 0
    for number in outermost(len(groups), _MOST_GROUPS):
        cells += groups[number].num_rows * max(1, len(file.leaves))
        if cells > MOST_CELLS:
            break
        chosen.append(number)
    if groups and not any(groups[number].num_rows for number in chosen):
        large = next((number for number, group in enumerate(groups) if group.num_rows), 0)
        rows = min(groups[large].num_rows, MOST_CELLS // max(1, len(file.leaves)))
        return tagged_table(read_ranges(file, large, [(0, rows)])), rows == sum(groups_of(file))
    return tagged_table(file.read(row_groups=sorted(chosen))), len(chosen) == len(groups)


def with_metadata(file: ParquetFile, columns: Sequence[ColumnFacts], *, whole: bool) -> Iterator[ColumnFacts]:
    """Yield the facts of columns, with the file's metadata on them; `whole`: all values were read."""
    nodes = {node.path: node for node in file.leaves if not node.repetition_level}
    empty = not file.metadata.row_groups or any(not group.num_rows for group in file.metadata.row_groups)
    for column in columns:
        facts = column.marked(marks.EMPTY) if empty else column
        node = nodes.get(column.path)
        if node is not None:
            with suppress(ReferenceError_):
                facts = _of_leaf(file, node, facts, whole=whole)
        yield facts


def groups_of(file: ParquetFile) -> list[int]:
    """Return the numbers of rows of the row groups."""
    return [group.num_rows for group in file.metadata.row_groups]


def _of_leaf(file: ParquetFile, node: Node, facts: ColumnFacts, *, whole: bool) -> ColumnFacts:
    bounds: list[Bounds] = []
    pages: list[Bounds] = []
    page_starts: list[int] = []
    found_marks = set(_of_type(node, facts))
    has_statistics: set[bool] = set()
    for number in sorted(outermost(len(file.metadata.row_groups), _MOST_GROUPS)):
        meta = file.column_metadata(number, node.index)
        has_statistics.add(meta.statistics is not None and _has_bounds(meta.statistics))
        found_marks |= set(_of_chunk(file, meta, facts))
        if meta.statistics is not None:
            bounds.append(_bounds(node, meta.statistics))
            found_marks |= set(_of_statistics(meta.statistics))
        here = list(_of_pages(file, number, node))
        if here and (len(here) > 1 or here[0] not in bounds[-1:]):
            found_marks.add(marks.PAGES)
        pages += here
        page_starts += _page_starts(file, number, node)
    if len(has_statistics) > 1:
        found_marks.add(marks.SOME_PARTS)
    facts = replace(facts, bounds=tuple(bounds), page_bounds=tuple(pages), marks=facts.marks | found_marks)
    facts = replace(facts, page_starts=tuple(page_starts))
    return facts.marked(*_of_values(facts, whole=whole))


def _of_type(node: Node, facts: ColumnFacts) -> Iterator[str]:
    assert node.physical is not None
    if orders.type_order(node) in (Order.UNSIGNED, Order.DECIMAL_BYTES) or node.physical.type == Type.INT96:
        yield marks.ORDER
    if len(node.path) > 1 and facts.nulls:
        yield marks.NESTED


def _of_chunk(file: ParquetFile, meta: ColumnMetaData, facts: ColumnFacts) -> Iterator[str]:
    if meta.bloom_filter_offset is not None:
        yield marks.BLOOM
    if meta.dictionary_page_offset is not None and facts.type.kind == "float":
        yield marks.DICTIONARY
    if meta.statistics is not None and _has_bounds(meta.statistics) and not file.metadata.column_orders:
        yield marks.ORDER


def _of_statistics(stats: Statistics) -> Iterator[str]:
    modern = (stats.min_value, stats.max_value)
    if stats.null_count is None:
        yield marks.NULL_COUNT
    if (modern == (None, None)) and (stats.min is not None or stats.max is not None):
        yield marks.DEPRECATED
    elif (stats.min_value is None) != (stats.max_value is None):
        yield marks.NO_BOUNDS
    if stats.is_max_value_exact is False or stats.is_min_value_exact is False:
        yield marks.INEXACT


def _of_values(facts: ColumnFacts, *, whole: bool) -> Iterator[str]:
    """Yield marks of values, and of bounds that are no values."""
    ends = [bound for pair in facts.bounds for bound in pair if bound is not None]
    if facts.type.kind == "float":
        values = (*facts.values, *ends)
        if any(constants.is_nan(facts.type, value) for value in values):
            yield marks.NAN
        if any(constants.is_zero(facts.type, value) for value in values):
            yield marks.ZERO
        if any(ends):
            yield marks.FLOAT
    elif whole and facts.values and any(end not in facts.values for end in ends):
        yield marks.INEXACT


def _has_bounds(stats: Statistics) -> bool:
    return any(bound is not None for bound in (stats.min, stats.max, stats.min_value, stats.max_value))


def _of_pages(file: ParquetFile, number: int, node: Node) -> Iterator[Bounds]:
    """Yield the bounds of pages, if their index is small."""
    chunk = file.column_chunk(number, node.index)
    if not 0 < (chunk.column_index_length or 0) <= _INDEX_BYTES:
        return
    with suppress(ReferenceError_):
        column_index = index.column_index(file, number, node.index)
        if column_index is not None:
            yield from islice(_bounds_of_pages(node, column_index), _MOST_PAGES)


def _page_starts(file: ParquetFile, number: int, node: Node) -> list[int]:
    """Return the first rows of the pages of a chunk within the file, if their index is small."""
    chunk = file.column_chunk(number, node.index)
    if 0 < (chunk.offset_index_length or 0) <= _INDEX_BYTES:
        with suppress(ReferenceError_):
            offset_index = index.offset_index(file, number, node.index)
            if offset_index is not None:
                before = sum(groups_of(file)[:number])
                locations = offset_index.page_locations[1 : _MOST_PAGES + 1]
                return [before + location.first_row_index for location in locations]
    return []


def _bounds_of_pages(node: Node, column_index: ColumnIndex) -> Iterator[Bounds]:
    for null, low, high in zip(
        column_index.null_pages, column_index.min_values, column_index.max_values, strict=True
    ):
        if not null:
            yield _constant(node, low), _constant(node, high)


def _bounds(node: Node, stats: Statistics) -> Bounds:
    if stats.min_value is None and stats.max_value is None:
        return _constant(node, stats.min), _constant(node, stats.max)
    return _constant(node, stats.min_value), _constant(node, stats.max_value)


def _constant(node: Node, raw: bytes | None) -> Value:
    """Return a bound as a constant, None if it is absent or no value of the column."""
    if raw is None or len(raw) > _BOUND_BYTES or not orders.fits(node, raw):
        return None
    type_, (value,) = tagged_parquet.leaf(node, _array(node, raw))
    return value if is_constant(type_, value) else None


def _array(node: Node, raw: bytes) -> Values:
    """Return one PLAIN value as the reference has the values of a column."""
    assert node.physical is not None
    kind = node.physical.type
    if kind == Type.BYTE_ARRAY:
        return ByteArrays.of([raw])
    if kind == Type.BOOLEAN:
        return np.array([raw != b"\x00"])
    forms = {Type.INT32: "<i4", Type.INT64: "<i8", Type.FLOAT: "<f4", Type.DOUBLE: "<f8"}
    if kind in forms:
        return np.frombuffer(raw, forms[Type(kind)])
    return np.frombuffer(raw, np.uint8).reshape(1, len(raw))
