"""Parquet files with other names and values, changed part by part."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from random import Random
from typing import Any

from harness.investigate.anonymize import drafts, maps
from harness.investigate.anonymize.columns import Column
from harness.investigate.anonymize.pages import decoded, values_of, with_values
from reference_impl.byte_arrays import ByteArrays
from reference_impl.errors import ReferenceError_, Unsupported
from reference_impl.parquet import bloom
from reference_impl.parquet.anatomy import Anatomy, Chunk, PagePart, assemble, dissect, nodes
from reference_impl.parquet.anatomy.parts import changed
from reference_impl.parquet.orders import raws
from reference_impl.parquet.page_structs import BloomFilterHeader, ColumnIndex
from reference_impl.parquet.schema import KeyValue
from reference_impl.parquet.statistics_structs import Statistics
from reference_impl.parquet.tree import Node

# Names that the specification or writers give to parts that are not columns of the user.
STRUCTURE = frozenset(
    [
        "schema",
        "root",
        "m",
        "list",
        "element",
        "item",
        "array",
        "bag",
        "array_element",
        "map",
        "key_value",
        "key",
        "value",
        "entries",
        "spark_schema",
        "hive_schema",
        "arrow_schema",
        "duckdb_schema",
        "parquet_schema",
        "table",
        "msg",
        "message",
        "metadata",
        "typed_value",
    ]
)
_KEYS = ("ARROW:schema",)  # a reader that finds it empty refuses the file
_KNOWN_KEYS = ("pandas", "org.apache.spark.", "parquet.", "writer.", "geo", "iceberg.", "orig.", "created")
_BOUNDS = ("min", "max", "min_value", "max_value")


def anonymize(
    data: bytes, random: Random, wanted: dict[tuple[str, ...], set[bytes]]
) -> tuple[bytes, drafts.Names]:
    """Return the file with other names and values, and the maps from the old to the new ones.

    `wanted` are constants of queries, by the path of their column, which are mapped too. Raises Unsupported,
    with a line, for parts that are not anonymized, and Malformed for a file that cannot be read.
    """
    return drafts.finished(Draft(data, wanted), STRUCTURE, random)


class Draft:
    """A file whose values are collected, to be written once its columns are closed; raises as `anonymize`."""

    def __init__(self, data: bytes, wanted: dict[tuple[str, ...], set[bytes]]) -> None:
        self._anatomy = anatomy = dissect(data)
        meta = anatomy.metadata
        if anatomy.footer is not None or anatomy.trailer or meta.encryption_algorithm:
            raise Unsupported("a footer that is encrypted, signed, or of an unknown layout is not anonymized")
        for element in meta.schema:  # a group: its leaves do not carry the annotation
            if element.logicalType is not None and element.logicalType.VARIANT is not None:
                raise Unsupported(f"column {element.name}: VARIANT is not anonymized")
        self.columns = [Column(node) for node in nodes(anatomy)]
        self.names = [element.name for element in meta.schema[1:]]
        _gather(anatomy, self.columns, wanted)

    def finished(self, names: dict[str, str], random: Random) -> bytes:
        """Return the file with other values, by the maps of its columns, and names; to be called once."""
        anatomy = self._anatomy
        for group in anatomy.groups:
            for chunk, column in zip(group.chunks, self.columns, strict=True):
                _change_chunk(chunk, column, names)
        _change_footer(anatomy, names, random)
        for stretch in anatomy.stretches:
            stretch.data = bytes(len(stretch.data))
        return assemble(anatomy)


def _gather(anatomy: Anatomy, columns: list[Column], wanted: dict[tuple[str, ...], set[bytes]]) -> None:
    for column in columns:
        for raw in wanted.get(column.node.path, ()):
            column.note(raw)
    for number, group in enumerate(anatomy.groups):
        if len(group.chunks) != len(columns):
            raise Unsupported(f"row group {number} has {len(group.chunks)} column chunks, not {len(columns)}")
        for chunk, column in zip(group.chunks, columns, strict=True):
            for raw in _raws(chunk, column.node):
                column.note(raw)


def _raws(chunk: Chunk, node: Node) -> Iterator[bytes]:
    """Yield all values and bounds of a chunk."""
    meta = chunk.chunk.meta_data
    if (
        meta is None
        or chunk.chunk.crypto_metadata is not None
        or chunk.chunk.encrypted_column_metadata is not None
    ):
        raise Unsupported(
            f"column {'.'.join(node.path)}: an encrypted column, or one without metadata, is not anonymized"
        )
    if chunk.rest or chunk.at is None:
        raise Unsupported(f"column {'.'.join(node.path)}: bytes outside of pages are not anonymized")
    for statistics in (meta.statistics, *(_of_page(page) for page in chunk.pages)):
        if statistics is not None:
            bounds = (getattr(statistics, name) for name in _BOUNDS)
            yield from (raw for raw in bounds if raw is not None)
    for page in chunk.pages:
        try:
            yield from values_of(page, node, meta.codec) or ()
        except ReferenceError_ as error:
            raise Unsupported(f"column {'.'.join(node.path)}: a page that cannot be read: {error}") from error
    index = chunk.column_index.struct if chunk.column_index else None
    if isinstance(index, ColumnIndex):
        yield from index.min_values
        yield from index.max_values
    for part in chunk.beside():
        if part.struct is None:
            raise Unsupported(f"column {'.'.join(node.path)}: an index that cannot be read is not anonymized")


def _of_page(page: PagePart) -> Statistics | None:
    header = page.header.data_page_header or page.header.data_page_header_v2
    return None if header is None else header.statistics


def _change_chunk(chunk: Chunk, column: Column, names: dict[str, str]) -> None:
    meta = chunk.chunk.meta_data
    assert meta is not None
    part = chunk.bloom
    if part is not None and isinstance(part.struct, BloomFilterHeader):
        part.data = _bitset(chunk, column, part.data)
    chunk.pages = [_changed(page, column, meta.codec) for page in chunk.pages]
    new = replace(
        meta,
        path_in_schema=[names.get(name, name) for name in meta.path_in_schema],
        statistics=_statistics(meta.statistics, column),
        key_value_metadata=None
        if meta.key_value_metadata is None
        else _without_values(meta.key_value_metadata),
        geospatial_statistics=None,
    )
    path = chunk.chunk.file_path
    chunk.chunk = replace(chunk.chunk, meta_data=new, file_path=None if path is None else "x" * len(path))
    part = chunk.column_index
    if part is not None and isinstance(part.struct, ColumnIndex):
        index = part.struct
        bounds = {
            "min_values": [column.other(raw) for raw in index.min_values],
            "max_values": [column.other(raw) for raw in index.max_values],
        }
        part.struct, part.raw = changed(index, **bounds), None


def _changed(page: PagePart, column: Column, codec: Any) -> PagePart:
    """Return a page with other values and bounds; levels, indices and layout stay."""
    new_page = with_values(page, column.node, codec, column.other)
    statistics = _of_page(new_page)
    if statistics is None:
        return new_page
    which = "data_page_header" if new_page.header.data_page_header else "data_page_header_v2"
    header = changed(getattr(new_page.header, which), statistics=_statistics(statistics, column))
    return new_page.edited(**{which: header})


def _statistics(statistics: Statistics | None, column: Column) -> Statistics | None:
    if statistics is None:
        return None
    given = {name: getattr(statistics, name) for name in _BOUNDS}
    return changed(
        statistics, **{name: None if raw is None else column.other(raw) for name, raw in given.items()}
    )


def _bitset(chunk: Chunk, column: Column, old: bytes) -> bytes:
    """Return the filter of the new values, without values that the old filter did not admit."""
    meta = chunk.chunk.meta_data
    assert meta is not None
    if len(old) % bloom.BLOCK_BYTES or not old:
        return bytes(len(old))
    arrays = (decoded(page, column.node, meta.codec) for page in chunk.pages)
    new = bytes(len(old))
    for values in arrays:
        if values is None or not len(values):
            continue
        admitted = [column.other(raw) for raw in raws(values) if bloom.might_contain(old, raw)]
        filled = bloom.build(ByteArrays.of(admitted), len(old) // bloom.BLOCK_BYTES)
        new = (int.from_bytes(new, "little") | int.from_bytes(filled, "little")).to_bytes(len(new), "little")
    return new


def _change_footer(anatomy: Anatomy, names: dict[str, str], random: Random) -> None:
    meta = anatomy.metadata
    pairs = meta.key_value_metadata
    anatomy.metadata = replace(
        meta,
        schema=[
            changed(element, name=names[element.name]) if at else element
            for at, element in enumerate(meta.schema)
        ],
        key_value_metadata=None if pairs is None else _without_values(pairs, random),
    )


def _without_values(pairs: list[KeyValue], random: Random | None = None) -> list[KeyValue]:
    """Return the pairs without values; keys of known writers stay, other keys are renamed."""
    stripped = []
    for pair in pairs:
        if pair.key in _KEYS:
            continue
        known = pair.key.startswith(_KNOWN_KEYS)
        key = pair.key if known or random is None else maps.names([pair.key], (), random)[pair.key]
        stripped.append(KeyValue(key=key if known or random else "x" * len(key), value=None))
    return stripped
