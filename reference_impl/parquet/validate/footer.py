"""Checks of the footer and of row groups (parquet.thrift, FileMetaData and RowGroup)."""

from __future__ import annotations

from collections.abc import Iterator
from mmap import mmap

from reference_impl.parquet.schema import ColumnChunk, RowGroup, Type
from reference_impl.parquet.validate.measure import is_float
from reference_impl.parquet.validate.opened import Opened
from reference_impl.validation import Report
from reference_impl.wire.table import ListOf, Scalar, Struct, table_of
from reference_impl.wire.thrift_codes import TRUE, UUID

_VERSION, _BUILD = " version ", " (build "  # in created_by
_MOST_ORDINAL = (1 << 15) - 1


def check(file: Opened, report: Report) -> None:
    """Check the footer without its column chunks."""
    _version(file, report)
    _created_by(file, report)
    _column_orders(file, report)
    for path, at in _not_utf8(file.metadata):
        report.add("PQ-THRIFT-010", ("footer", *path), at, "a string is not UTF-8")
    for path, at, code in _mistyped(file.metadata):
        message = f"the wire type is {code}, so that readers skip the field"
        report.add("PQ-THRIFT-011", ("footer", *path), at, message)
    if file.cipher is None:  # else spans are those of deciphered bytes, which the file does not have
        for path, at, code in _untyped(file.metadata, file.data):
            message = f"an empty list has the element type {code}, which does not exist"
            report.add("PQ-THRIFT-012", ("footer", *path), at, message)
    for number in file.row_groups:
        _row_group(file.metadata.row_groups[number], number, report)


def _version(file: Opened, report: Report) -> None:
    version, at = file.metadata.version, file.span("version")
    if version == 2:
        report.add("PQ-FILE-010", ("footer", "version"), at, "version is 2")
    elif version != 1:
        report.add("PQ-FILE-011", ("footer", "version"), at, f"version is {version}")


def _created_by(file: Opened, report: Report) -> None:
    created_by = file.metadata.created_by
    if created_by is None or not _is_created_by(created_by):
        message = "there is no created_by" if created_by is None else f"created_by is {created_by!r:.200}"
        report.add("PQ-FILE-012", ("footer", "created_by"), file.span("created_by"), message)


def _is_created_by(text: str) -> bool:
    """Return whether a text has an application, its version, and the hash of its build.

    A search for one word after the other: the time of a pattern with as many wildcards would grow with the
    third power of the text's length.
    """
    begin = text.find(_VERSION, 1)
    while begin > 0 and text[begin + len(_VERSION) : begin + len(_VERSION) + 1].isspace():
        begin = text.find(_VERSION, begin + 1)
    build = text.find(_BUILD, begin + len(_VERSION) + 1)
    return not text[:1].isspace() and 0 < begin < build and text.endswith(")")


def _column_orders(file: Opened, report: Report) -> None:
    orders, path = file.metadata.column_orders, ("footer", "column_orders")
    if orders is None:
        chunks = (chunk for group in file.metadata.row_groups for chunk in group.columns)
        chunk = next(filter(_has_bounds, chunks), None)
        if chunk is not None:
            message = "there are bounds (min_value, max_value or a column index), and no column_orders"
            report.add("PQ-ORDER-001", path, chunk.begin, message)
        return
    if len(orders) != len(file.leaves):
        message = f"{len(orders)} column orders for {len(file.leaves)} leaf columns"
        report.add("PQ-ORDER-002", path, file.span("column_orders"), message)
        return
    for leaf, order in zip(file.leaves, orders, strict=True):
        assert leaf.physical is not None
        where, at = (*path, f"[{leaf.index}]"), order.begin
        which = order.which()
        if which == "IEEE_754_TOTAL_ORDER" and not is_float(leaf):
            report.add("PQ-ORDER-003", where, at, f"{which} for {leaf.physical}")
        elif which == "INT96_TIMESTAMP_ORDER" and leaf.physical.type != Type.INT96:
            report.add("PQ-ORDER-004", where, at, f"{which} for {leaf.physical}")


def _has_bounds(chunk: ColumnChunk) -> bool:
    stats = chunk.meta_data.statistics if chunk.meta_data else None
    if stats is not None and (stats.min_value is not None or stats.max_value is not None):
        return True
    return chunk.column_index_offset is not None


def _not_utf8(value: Struct) -> Iterator[tuple[tuple[str, ...], int | None]]:
    """Yield path and offset of each string that is not UTF-8 (decoded with `surrogateescape`)."""
    for path, struct in _structs(value, ()):
        for row in table_of(type(struct)).rows:
            wire, item = row.wire, getattr(struct, row.name)
            if item is None:
                continue
            if wire is Scalar.STRING and _is_escaped(item):
                yield (*path, row.name), struct.begin
            elif isinstance(wire, ListOf) and wire.element is Scalar.STRING:
                for number, element in enumerate(item):
                    if _is_escaped(element):
                        yield (*path, f"{row.name}[{number}]"), struct.begin


def _mistyped(value: Struct) -> Iterator[tuple[tuple[str, ...], int | None, int]]:
    """Yield path, offset and wire type of each field that does not have the wire type of its id."""
    for path, struct in _structs(value, ()):
        for number, code, _ in struct.unknown:
            row = table_of(type(struct)).by_id.get(number)
            if row is not None:
                yield (*path, row.name), struct.begin, code


def _untyped(value: Struct, data: bytes | mmap) -> Iterator[tuple[tuple[str, ...], int, int]]:
    """Yield path, offset and element type of each empty list whose elements have no type of the protocol."""
    for path, struct in _structs(value, ()):
        for name, (begin, _) in (struct.field_spans or {}).items():
            if getattr(struct, name) == []:
                at = _behind_field_header(data, begin)
                code = data[at] & 15
                if not TRUE <= code <= UUID:
                    yield (*path, name), at, code


def _behind_field_header(data: bytes | mmap, at: int) -> int:
    """Return where a field's value begins; the long form of its header has the id as a varint."""
    if data[at] >= 16:
        return at + 1
    while data[at + 1] >= 128:
        at += 1
    return at + 2


def _structs(value: Struct, path: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], Struct]]:
    """Yield a struct and all structs in it, each with the path of fields that leads to it."""
    yield path, value
    for row in table_of(type(value)).rows:
        item = getattr(value, row.name)
        if isinstance(item, Struct):
            yield from _structs(item, (*path, row.name))
        elif isinstance(item, list) and item and isinstance(item[0], Struct):
            for number, element in enumerate(item):
                yield from _structs(element, (*path, f"{row.name}[{number}]"))


def _is_escaped(text: str) -> bool:
    return not text.isascii() and any("\udc80" <= char <= "\udcff" for char in text)


def _row_group(group: RowGroup, number: int, report: Report) -> None:
    path, at = (f"row_groups[{number}]",), group.begin
    known = [chunk.meta_data for chunk in group.columns if chunk.meta_data is not None]
    if group.ordinal is not None and number <= _MOST_ORDINAL and group.ordinal != number:
        report.add("PQ-GROUP-004", path, at, f"ordinal is {group.ordinal}")
    if len(known) != len(group.columns):
        return
    size = sum(meta.total_compressed_size for meta in known)
    if group.total_compressed_size is not None and group.total_compressed_size != size:
        message = f"total_compressed_size is {group.total_compressed_size}, but the chunks have {size}"
        report.add("PQ-GROUP-002", path, at, message)
    for position, column in enumerate(group.sorting_columns or ()):
        if not 0 <= column.column_idx < len(group.columns):
            message = f"column_idx is {column.column_idx}, and there are {len(group.columns)} columns"
            report.add("PQ-GROUP-005", (*path, f"sorting_columns[{position}]"), at, message)
