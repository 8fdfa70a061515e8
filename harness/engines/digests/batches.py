"""Batches: some rows of a table as an engine hands them out; a stream of them, in the order of the file."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

from corpora.tagged import Field, Table, Value
from harness.engines.arrow import c_interface
from harness.engines.arrow import values as arrow_values
from harness.engines.arrow.buffers import ArrowError, validity
from harness.engines.arrow.types import Node
from harness.engines.digests import canonical_arrow, canonical_bytes
from harness.engines.digests.canonical_bytes import Piece


class Batch:
    """Rows of a table: `columns`, `rows` of them."""

    columns: tuple[Field, ...]
    rows: int

    def pieces(self, start: int, count: int) -> list[Piece]:
        """Return the piece of each column, of the rows `start:start + count`."""
        raise NotImplementedError

    def values(self, start: int, count: int) -> list[list[Value]]:
        """Return the tagged values of each column, of the rows `start:start + count`."""
        raise NotImplementedError


class Values(Batch):
    """Rows that are tagged already."""

    def __init__(self, columns: tuple[Field, ...], result: list[list[Value]], rows: int) -> None:
        self.columns, self.column_values, self.rows = columns, result, rows

    def pieces(self, start: int, count: int) -> list[Piece]:
        """Return the piece of each column."""
        values = self.values(start, count)
        return [canonical_bytes.of(column.type, value) for column, value in zip(self.columns, values)]

    def values(self, start: int, count: int) -> list[list[Value]]:
        """Return the values of each column."""
        return [column[start : start + count] for column in self.column_values]


class Arrow(Batch):
    """Rows in Arrow's buffers."""

    def __init__(self, root: Node, held: c_interface.Held) -> None:
        self.root, self.held = root, held
        if root.type.kind != "struct" or not all(validity(held.array, 0, held.array.length) or ()):
            raise ArrowError("a batch of anything but whole rows")
        self.columns, self.rows = tuple(root.type.children), held.array.length

    def pieces(self, start: int, count: int) -> list[Piece]:
        """Return the piece of each column, from the buffers."""
        return canonical_arrow.fields(self.root, self.held.array, start, count, self.held.dictionaries)

    def values(self, start: int, count: int) -> list[list[Value]]:
        """Return the values of each column."""
        return arrow_values.fields(self.root, self.held.array, start, count, self.held.dictionaries)


class Stream(NamedTuple):
    """The columns of a table, and its batches from row `first` on; a batch is gone with the next."""

    columns: tuple[Field, ...]
    first: int
    batches: Iterator[Batch]


@contextmanager
def arrow_stream(result: Iterable[Any], empty: Any, first: int = 0) -> Iterator[Stream]:
    """Return the stream of record batches of Arrow; `empty` is a table that has their schema."""
    yield Stream(c_interface.read(empty).columns, first, (Arrow(*c_interface.batch(item)) for item in result))


@contextmanager
def c_stream(data: Any, first: int = 0) -> Iterator[Stream]:
    """Return the stream of an object with `__arrow_c_stream__`."""
    root, held = c_interface.open_stream(data)
    yield Stream(tuple(root.type.children), first, (Arrow(root, item) for item in held))


def of_table(table: Table) -> Stream:
    """Return the stream of a table; the values of one in Arrow's buffers are not tagged for it."""
    source = table.in_memory
    result: Iterator[Batch]
    if isinstance(source, c_interface.Blocks) and source.root.type.kind == "struct":
        result = (Arrow(source.root, held) for held in source.batches)
    else:
        result = (Values(table.columns, block, len(block[0])) for block in table.blocks())
    return Stream(table.columns, 0, result)


def table_of(stream: Stream, first: int, count: int) -> Table:
    """Return the rows `first:first + count` of a stream that begins there or before."""
    parts: list[list[list[Value]]] = []
    at = stream.first
    for batch in stream.batches:
        start, end = max(first, at), min(first + count, at + batch.rows)
        if start < end:
            parts.append(batch.values(start - at, end - start))
        at += batch.rows
        if at >= first + count:
            break
    columns = [[value for part in parts for value in part[index]] for index in range(len(stream.columns))]
    rows = max(0, min(first + count, at) - first)
    return Table.of(((column.name, column.type) for column in stream.columns), columns, rows)
