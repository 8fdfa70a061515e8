"""Checks that need several column chunks: sorting columns, places in the file, maps, nesting."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from reference_impl.byte_arrays import ByteArrays
from reference_impl.columns import Column, LeafColumn, ListColumn, MapColumn, StructColumn
from reference_impl.errors import located
from reference_impl.parquet import levels
from reference_impl.parquet.chunk import uncompressed_size
from reference_impl.parquet.levels import LeafData
from reference_impl.parquet.orders import Order, is_nan, key, raws, type_order
from reference_impl.parquet.schema import RowGroup, SortingColumn
from reference_impl.parquet.shape import Shape, leaves
from reference_impl.parquet.validate import variants
from reference_impl.parquet.validate.opened import Opened
from reference_impl.parquet.validate.scan import Chunk
from reference_impl.validation import Report


def check_field(chunks: list[Chunk], shape: Shape, number: int, report: Report) -> None:
    """Check the columns of a top-level field against each other, if all could be read."""
    data = {chunk.node.index: chunk.leaf for chunk in chunks if chunk.leaf is not None}
    if len(data) != len(leaves(shape)) or (len(data) == 1 and not chunks[0].node.repetition_level):
        return
    path = (f"row_groups[{number}]",)
    with report.noting(*path), located("schema"):
        known = {index: leaf for index, leaf in data.items() if leaf is not None}
        column = levels.assemble(shape, known, chunks[0].group.num_rows)
        variants.check_column(column, (*path, "schema"), chunks[0].start, report)
        for where, entries in _maps(column, ()):
            if (slot := _repeats(entries)) is not None:
                message = f"a map has one key twice (value {slot} of the field)"
                report.add("PQ-MAP-010", (*path, "schema", *where), chunks[0].start, message)


def _maps(column: Column, path: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], MapColumn]]:
    path = (*path, column.name)
    if isinstance(column, StructColumn):
        for field in column.fields:
            yield from _maps(field, path)
    elif isinstance(column, ListColumn):
        yield from _maps(column.element, path)
    elif isinstance(column, MapColumn):
        yield path, column
        if column.value is not None:
            yield from _maps(column.value, path)


def _repeats(entries: MapColumn) -> int | None:
    """Return a slot whose map has a key twice, None if there is none or the keys are nested."""
    if not isinstance(entries.key, LeafColumn) or entries.key.valid is not None:
        return None
    keys = raws(entries.key.values)
    for slot, (start, stop) in enumerate(pairwise(entries.offsets.tolist())):
        if stop - start > 1 and len(set(keys[start:stop])) < stop - start:
            return slot
    return None


def check_group(file: Opened, number: int, chunks: dict[int, Chunk], report: Report) -> None:
    """Check the fields of a row group against its chunks."""
    group = file.metadata.row_groups[number]
    path, at = (f"row_groups[{number}]",), group.begin
    _size(group, chunks, path, at, report)
    starts = [chunk.start for chunk in chunks.values() if chunk.pages]
    whole = len(chunks) == len(group.columns) and all(chunk.walked for chunk in chunks.values())
    if group.file_offset is not None and starts and whole and group.file_offset != min(starts):
        message = f"file_offset is {group.file_offset}, but the first page begins at {min(starts)}"
        report.add("PQ-GROUP-003", path, at, message)
    columns = group.sorting_columns or []
    if columns and all(0 <= column.column_idx < len(chunks) for column in columns):
        problem = _unsorted(columns, chunks)
        if problem is not None:
            report.add("PQ-GROUP-006", (*path, f"sorting_columns[{problem[0]}]"), at, problem[1])


def _size(
    group: RowGroup, chunks: dict[int, Chunk], path: tuple[str, ...], at: int | None, report: Report
) -> None:
    """Compare total_byte_size with the chunks' metadata, or, should that be wrong, with the pages."""
    metas = [chunk.meta_data for chunk in group.columns]
    stated = sum(meta.total_uncompressed_size for meta in metas if meta is not None)
    pages = [page for chunk in chunks.values() for page in chunk.pages]
    counted = sum(map(uncompressed_size, pages))
    if None not in metas and group.total_byte_size not in (stated, counted):
        message = f"total_byte_size is {group.total_byte_size}, but the chunks have {stated}"
        report.add("PQ-GROUP-001", path, at, message)


def _unsorted(columns: list[SortingColumn], chunks: dict[int, Chunk]) -> tuple[int, str] | None:
    """Return a sorting column whose order the rows break, and how; None if they break none."""
    undecided: NDArray[np.bool_] | None = None
    for position, column in enumerate(columns):
        chunk = chunks.get(column.column_idx)
        if chunk is None or chunk.leaf is None or chunk.node.repetition_level:
            return None
        order = chunk.order if chunk.order is not Order.UNDEFINED else type_order(chunk.node)
        if order is Order.UNDEFINED:
            return None
        steps = _steps(chunk.leaf, order, column)
        if undecided is None:
            undecided = np.ones(len(steps), np.bool_)
        wrong = np.flatnonzero(undecided & (steps < 0))
        if len(wrong):
            return position, f"row {int(wrong[0]) + 1} stands behind one that it should precede"
        undecided &= steps == 0
    return None


def _steps(leaf: LeafData, order: Order, column: SortingColumn) -> NDArray[np.int8]:
    """Return for each row but the first: -1 if it should precede the row before, 0 if equal, 1 if it follows.

    NaN, which has no place in some orders, counts as following.
    """
    places = _places(order, leaf)
    steps = np.zeros(max(len(places) - 1, 0), np.int8)
    for at, (before, after) in enumerate(pairwise(places)):
        if before is None or after is None:
            if before is not after:
                steps[at] = 1 if (before is None) == column.nulls_first else -1
        elif before != before or after != after:  # noqa: PLR0124 - NaN is not itself
            steps[at] = 1
        elif before != after:
            steps[at] = 1 if (before < after) != column.descending else -1
    return steps


def _places(order: Order, leaf: LeafData) -> list[Any]:
    """Return the sorting key of each row, None for a null."""
    values = leaf.values
    keys: list[Any]
    if order in (Order.SIGNED, Order.BOOLEAN, Order.FLOAT) and not isinstance(values, ByteArrays):
        is_array = values.ndim == 1
        keys = values.tolist() if is_array else [key(order, raw) for raw in raws(values)]
    else:
        keys = [key(order, raw) for raw in raws(values)]
    if order is Order.FLOAT_TOTAL:
        pairs = zip(raws(values), keys, strict=True)
        keys = [float("nan") if is_nan(raw) else number for raw, number in pairs]
    if leaf.definition is None:
        return keys
    left = iter(keys)
    return [next(left) if level == leaf.node.definition_level else None for level in leaf.definition.tolist()]


def check_places(file: Opened, report: Report) -> None:
    """Check that no byte belongs to two parts of the file."""
    end, owner = 0, ""
    for start, stop, name in sorted(part for part in file.parts if part[0] < part[1]):
        if start < end:
            message = f"the {name} begins at {start}, inside of the {owner}, which ends at {end}"
            report.add("PQ-FILE-009", (), start, message)
            return
        end, owner = stop, name
