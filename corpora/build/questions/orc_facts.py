"""Facts of ORC files: statistics of the file, of stripes and of row groups, and Bloom filters."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from fractions import Fraction
from itertools import islice
from typing import Any

import numpy as np

from corpora.build import tagged_orc
from corpora.build.questions import constants, marks
from corpora.build.questions.columns import Bounds, ColumnFacts, is_constant, outermost
from corpora.build.tagged_columns import tagged_table
from corpora.constants import TEXT
from corpora.tagged import Table, Value
from reference_impl.byte_arrays import ByteArrays, Values
from reference_impl.errors import ReferenceError_
from reference_impl.orc import statistics
from reference_impl.orc.file import OrcFile
from reference_impl.orc.index import BLOOM_KINDS
from reference_impl.orc.schema import StreamKind, TypeKind
from reference_impl.orc.statistics_schema import ColumnStatistics
from reference_impl.orc.types import TypeNode
from reference_impl.orc.values import MAX_SCALE

MOST_CELLS = 1 << 20  # values that are read, of all columns together
_MOST_STRIPES = 16  # whose metadata is looked at, half of them at the end
_MOST_GROUPS = 64  # entries of a row index
_INDEX_BYTES = 1 << 18  # of a row index, as it is stored
_LAST = 0xFFFF  # of the basic plane
_NANOS = 10**9


def table(file: OrcFile) -> tuple[Table, bool]:
    """Return the rows of the first and the last stripes, and whether these are all rows.

    Of a stripe that is too large, these are its first rows.
    """
    stripes = file.footer.stripes
    chosen: list[int] = []
    cells = 0
    for number in outermost(len(stripes), _MOST_STRIPES):
        cells += (stripes[number].number_of_rows or 0) * (file.root.max_id + 1)
        if cells > MOST_CELLS:
            break
        chosen.append(number)
    sizes = groups_of(file)
    if stripes and not any(sizes[number] for number in chosen):
        large = next((number for number, rows in enumerate(sizes) if rows), 0)
        rows = min(sizes[large], MOST_CELLS // (file.root.max_id + 1))
        return tagged_table(file.read_rows(None, large, 0, rows)), rows == sum(sizes)
    return tagged_table(file.read(stripes=sorted(chosen))), len(chosen) == len(stripes)


def with_metadata(file: OrcFile, columns: Sequence[ColumnFacts], *, whole: bool) -> Iterator[ColumnFacts]:
    """Yield the facts of columns, with the file's metadata on them; `whole`: all values were read."""
    nodes = {node.path: node for node in file.root.walk() if _is_plain(node)}
    empty = not file.footer.stripes or any(not stripe.number_of_rows for stripe in file.footer.stripes)
    for column in columns:
        facts = column.marked(marks.EMPTY) if empty else column
        node = nodes.get(column.path)
        if node is not None:
            with suppress(ReferenceError_):
                facts = _of_column(file, node, facts, whole=whole)
        yield facts


def groups_of(file: OrcFile) -> list[int]:
    """Return the numbers of rows of the stripes."""
    return [stripe.number_of_rows or 0 for stripe in file.footer.stripes]


def _is_plain(node: TypeNode) -> bool:
    """Return whether all ancestors of a column are structs."""
    return node.parent is not None and all(each.kind is TypeKind.STRUCT for each in node.lineage()[1:])


def _of_column(file: OrcFile, node: TypeNode, facts: ColumnFacts, *, whole: bool) -> ColumnFacts:
    messages = list(_messages(file, node))
    bounds = tuple(_bounds(node, message) for message in messages)
    pages: list[Bounds] = []
    column_marks = {mark for message in messages for mark in _of_message(node, message)}
    for number in sorted(outermost(len(file.footer.stripes), _MOST_STRIPES)):
        with suppress(ReferenceError_):
            stripe = file.stripe(number)
            if any((node.id, kind) in stripe.places for kind in BLOOM_KINDS):
                column_marks.add(marks.BLOOM)
            place = stripe.places.get((node.id, StreamKind.ROW_INDEX))
            if place is not None and place.length <= _INDEX_BYTES:
                row_index = file.row_index(number, node.id)
                for entry in islice(row_index.entry if row_index else (), _MOST_GROUPS):
                    pages.append(_bounds(node, entry.statistics or ColumnStatistics()))
                    column_marks |= set(_of_message(node, entry.statistics or ColumnStatistics()))
    if len(node.path) > 1 and facts.nulls:
        column_marks.add(marks.NESTED)
    facts = replace(facts, bounds=bounds, page_bounds=tuple(pages), marks=facts.marks | column_marks)
    facts = replace(facts, page_starts=(file.footer.row_index_stride or 0,))
    return facts.marked(*_of_values(facts, whole=whole))


def _messages(file: OrcFile, node: TypeNode) -> Iterator[ColumnStatistics]:
    """Yield the statistics of the file, and of its first and last stripes."""
    if node.id < len(file.statistics):
        yield file.statistics[node.id]
    stripes = file.stripe_statistics
    for number in sorted(outermost(len(stripes), _MOST_STRIPES)):
        if node.id < len(stripes[number].col_stats):
            yield stripes[number].col_stats[node.id]


def _of_message(node: TypeNode, message: ColumnStatistics) -> Iterator[str]:
    if message.number_of_values is None or message.has_null is None:
        yield marks.NULL_COUNT
    summary = statistics.read(node.kind, message)
    if node.kind in statistics.BOUNDED and summary.count != 0 and None in (summary.low, summary.high):
        yield marks.NO_BOUNDS
    if not (summary.low_value and summary.high_value):
        yield marks.INEXACT


def _of_values(facts: ColumnFacts, *, whole: bool) -> Iterator[str]:
    """Yield marks of values, and of bounds that are no values."""
    ends = [bound for pair in facts.bounds for bound in pair if bound is not None]
    kind = facts.type.kind
    if kind == "float":
        if any(constants.is_nan(facts.type, value) for value in facts.values):
            yield marks.NAN
        if any(constants.is_zero(facts.type, value) for value in facts.values):
            yield marks.ZERO
        if any(ends):
            yield marks.FLOAT
    elif kind == "timestamp":
        yield marks.MOMENT
    elif kind in TEXT and any(ord(letter) > _LAST for value in facts.values for letter in str(value)):
        yield marks.TEXT
    is_exact = all(end in facts.values for end in ends) or kind in ("float", "timestamp")
    if whole and facts.values and not is_exact:
        yield marks.INEXACT


def _bounds(node: TypeNode, message: ColumnStatistics) -> Bounds:
    summary = statistics.read(node.kind, message)
    return _constant(node, summary.low), _constant(node, summary.high)


def _constant(node: TypeNode, key: Any) -> Value:
    """Return a key of statistics as a constant, None if it is absent or no value of the column."""
    if key is None or node.kind in statistics.COLLECTIONS:
        return None
    values = _array(node, key)
    if values is None:
        return None
    type_, (value,) = tagged_orc.leaf(node, values)
    return value if is_constant(type_, value) else None


def _array(node: TypeNode, key: Any) -> Values | None:
    """Return one key as the reference has the values of a column, None if the column cannot hold it."""
    kind = node.kind
    if kind in statistics.TEXTS:
        return ByteArrays.of([key])
    if kind is TypeKind.DECIMAL:
        unscaled = Fraction(key, 10 ** (MAX_SCALE - node.scale))
        return np.array([unscaled.numerator], object) if unscaled.denominator == 1 else None
    if kind in statistics.TIMES:
        return np.array([divmod(key, _NANOS)], [("seconds", "<i8"), ("nanos", "<i8")])
    if kind is TypeKind.FLOAT:
        with np.errstate(over="ignore"):
            return np.array([key], "<f8").astype("<f4")
    if kind is TypeKind.DOUBLE:
        return np.array([key], "<f8")
    if kind is TypeKind.BOOLEAN:
        return np.array([bool(key)])
    return np.array([key], object)
