"""Parquet files from the future: each has one feature that no current reader knows, and names the feature.

    >>> FUTURES["codec"].make(data, random)     # bytes, None if the file has no place for the feature

`handling` follows parquet-format's README.md, "Extensibility", and Thrift's rule that unknown fields are
skipped.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from random import Random
from typing import Any

from properties.strategies.mutations.handling import Handling
from reference_impl.errors import ReferenceError_
from reference_impl.parquet import anatomy
from reference_impl.parquet.anatomy import Anatomy, Chunk, PagePart
from reference_impl.parquet.anatomy.parts import changed
from reference_impl.parquet.page_structs import BloomFilterHeader, ColumnIndex, PageHeader
from reference_impl.parquet.schema import (
    ColumnCryptoMetaData,
    ColumnOrder,
    CompressionCodec,
    ConvertedType,
    Encoding,
    LogicalType,
    PageType,
    SchemaElement,
    Type,
)
from reference_impl.wire.table import table_of
from reference_impl.wire.unknown import THRIFT, with_fields

Change = Callable[[Anatomy, Random], bool]
_STRUCT, _EMPTY = 12, b"\0"  # wire type code, and a struct without fields
_FIRST_FREE = {
    "encoding": max(Encoding) + 1,
    "codec": max(CompressionCodec) + 1,
    "page": max(PageType) + 1,
    "logical": max(table_of(LogicalType).by_id) + 1,
    "order": max(table_of(ColumnOrder).by_id) + 1,
    "type": max(Type) + 1,
}


@dataclass(frozen=True)
class Future:
    """A feature of the future; `change` adds it to the parts, and returns whether they had a place for it."""

    feature: str
    handling: Handling
    change: Change

    def make(self, data: bytes, random: Random) -> bytes | None:
        """Return the file with the feature, None if the file has no place for it or cannot be read."""
        try:
            parts = anatomy.dissect(data)
        except ReferenceError_:
            return None
        return anatomy.assemble(parts) if self.change(parts, random) else None


FUTURES: dict[str, Future] = {}


def _future(handling: Handling) -> Callable[[Change], Change]:
    """Return a decorator that lists a feature under the name of its function."""

    def decorate(change: Change) -> Change:
        feature = change.__name__.replace("_", " ")
        FUTURES[feature] = Future(feature, handling, change)
        return change

    return decorate


def _column(parts: Anatomy, random: Random) -> list[Chunk]:
    """Choose a column, and return those of its chunks that have data pages."""
    columns = {
        number
        for group in parts.groups
        for number, chunk in enumerate(group.chunks)
        if _data_pages(chunk) and chunk.chunk.meta_data is not None
    }
    column = random.choice(sorted(columns)) if columns else 0
    chunks = [group.chunks[column] for group in parts.groups if column < len(group.chunks)] if columns else []
    return [chunk for chunk in chunks if _data_pages(chunk)]


def _data_pages(chunk: Chunk) -> list[int]:
    return [number for number, page in enumerate(chunk.pages) if page.is_data]


def _in_page(chunk: Chunk, number: int, **fields: Any) -> None:
    """Change fields of the header in a page's header."""
    page = chunk.pages[number]
    for name in ("data_page_header", "data_page_header_v2", "dictionary_page_header"):
        if (header := getattr(page.header, name)) is not None:
            chunk.pages[number] = page.edited(**{name: changed(header, **fields)})


def _number(name: str, random: Random) -> int:
    return _FIRST_FREE[name] + random.choice((0, 0, 1, 100))


@_future(Handling.COLUMN)
def encoding(parts: Anatomy, random: Random) -> bool:
    """Give the data pages of a column an unknown encoding, which the chunk lists."""
    number, chunks = _number("encoding", random), _column(parts, random)
    for chunk in chunks:
        for at in _data_pages(chunk):
            _in_page(chunk, at, encoding=number)
        anatomy.change_meta(chunk, lambda meta: replace(meta, encodings=[*meta.encodings, number]))
    return bool(chunks)


@_future(Handling.READS)
def listed_encoding(parts: Anatomy, random: Random) -> bool:
    """Let a chunk list an unknown encoding that none of its pages has."""
    number, is_changed = _number("encoding", random), False
    for chunk in _column(parts, random):
        anatomy.change_meta(chunk, lambda meta: replace(meta, encodings=[*meta.encodings, number]))
        is_changed = bool(chunk.chunk.meta_data and len(chunk.chunk.meta_data.encodings) > 1)
    return is_changed


@_future(Handling.COLUMN)
def codec(parts: Anatomy, random: Random) -> bool:
    """Give a column an unknown codec."""
    number, chunks = _number("codec", random), _column(parts, random)
    for chunk in chunks:
        anatomy.change_meta(chunk, lambda meta: replace(meta, codec=number))
    return bool(chunks)


@_future(Handling.READS)
def page_type(parts: Anatomy, random: Random) -> bool:
    """Insert pages of an unknown type ("page types can be added and safely skipped")."""
    number, chunks = _number("page", random), _column(parts, random)
    for chunk in chunks:
        body = random.randbytes(5)
        header = PageHeader(type=number, uncompressed_page_size=len(body), compressed_page_size=len(body))
        first = _data_pages(chunk)[0]
        chunk.pages.insert(random.randrange(first + 1, len(chunk.pages) + 1), PagePart(header, body))
    return bool(chunks)


def _leaf(parts: Anatomy, random: Random, wanted: Callable[[SchemaElement], bool]) -> int | None:
    """Choose a column of the schema."""
    schema = parts.metadata.schema
    candidates = [at for at, each in enumerate(schema) if at and each.type is not None and wanted(each)]
    return random.choice(candidates) if candidates else None


def _put(parts: Anatomy, at: int, **fields: Any) -> None:
    schema = list(parts.metadata.schema)
    schema[at] = changed(schema[at], **fields)
    parts.metadata = replace(parts.metadata, schema=schema)


def _plain(element: SchemaElement) -> bool:
    return element.converted_type is None and element.logicalType is None


@_future(Handling.READS)
def logical_type(parts: Anatomy, random: Random) -> bool:
    """Annotate a plain column with an unknown logical type."""
    at = _leaf(parts, random, _plain)
    if at is not None:
        unknown = LogicalType(unknown=((_number("logical", random), _STRUCT, _EMPTY),))
        _put(parts, at, logicalType=unknown)
    return at is not None


@_future(Handling.READS)
def converted_type(parts: Anatomy, random: Random) -> bool:
    """Annotate a plain column with an unknown converted type."""
    at = _leaf(parts, random, _plain)
    if at is not None:
        _put(parts, at, converted_type=len(ConvertedType) + random.choice((0, 1, 100)))
    return at is not None


@_future(Handling.REFUSES)
def physical_type(parts: Anatomy, random: Random) -> bool:
    """Give a column an unknown physical type, in the schema and in its chunks."""
    leaves = [at for at, each in enumerate(parts.metadata.schema) if at and each.type is not None]
    if not leaves:
        return False
    column, number = random.randrange(len(leaves)), _number("type", random)
    _put(parts, leaves[column], type=number)
    for group in parts.groups:
        for chunk in group.chunks[column : column + 1]:
            anatomy.change_meta(chunk, lambda meta: replace(meta, type=number))
    return True


@_future(Handling.REFUSES)
def repetition_type(parts: Anatomy, random: Random) -> bool:
    """Give a column a repetition type other than required, optional and repeated."""
    at = _leaf(parts, random, lambda _: True)
    if at is not None:
        _put(parts, at, repetition_type=random.choice((3, 4, 100)))
    return at is not None


@_future(Handling.READS)
def column_order(parts: Anatomy, random: Random) -> bool:
    """Give all columns an unknown order, so that their bounds have no meaning."""
    leaves = sum(each.type is not None for each in parts.metadata.schema[1:])
    order = ColumnOrder(unknown=((_number("order", random), _STRUCT, _EMPTY),))
    parts.metadata = replace(parts.metadata, column_orders=[order] * leaves)
    return bool(leaves)


@_future(Handling.READS)
def boundary_order(parts: Anatomy, random: Random) -> bool:
    """Give column indexes an unknown boundary order."""
    is_changed = False
    for chunk in parts.chunks():
        part = chunk.column_index
        if part is not None and isinstance(part.struct, ColumnIndex):
            part.struct = replace(part.struct, boundary_order=random.choice((3, 4, 100)))
            part.raw, is_changed = None, True
    return is_changed


@_future(Handling.READS)
def bloom_filter(parts: Anatomy, random: Random) -> bool:
    """Give Bloom filters an unknown algorithm, hash or compression."""
    name = random.choice(("algorithm", "hash", "compression"))
    is_changed = False
    for chunk in parts.chunks():
        part = chunk.bloom
        if part is not None and part.struct is not None:
            header: BloomFilterHeader = part.struct  # type: ignore[assignment]
            union = type(getattr(header, name))(unknown=((2, _STRUCT, _EMPTY),))
            part.struct, part.raw, is_changed = changed(header, **{name: union}), None, True
    return is_changed


@_future(Handling.READS)
def unknown_fields(parts: Anatomy, _random: Random) -> bool:
    """Add unknown fields to every struct of the footer and of the pages."""
    parts.metadata = with_fields(replace(parts.metadata, row_groups=[]), THRIFT)
    for group in parts.groups:
        group.group = with_fields(group.group, THRIFT)
        for chunk in group.chunks:
            chunk.chunk = with_fields(chunk.chunk, THRIFT)
            for page in chunk.pages:
                page.header, page.raw = with_fields(page.header, THRIFT), None
    return True


@_future(Handling.COLUMN)
def column_encryption(parts: Anatomy, random: Random) -> bool:
    """Give a column an unknown encryption."""
    chunks = _column(parts, random)
    for chunk in chunks:
        crypto = ColumnCryptoMetaData(unknown=((3, _STRUCT, _EMPTY),))
        chunk.chunk = replace(chunk.chunk, crypto_metadata=crypto)
    return bool(chunks)


@_future(Handling.REFUSES)
def version(parts: Anatomy, random: Random) -> bool:
    """Give the file a future version."""
    parts.metadata = replace(parts.metadata, version=random.choice((3, 4, 100)))
    return True


@_future(Handling.REFUSES)
def magic_number(parts: Anatomy, _random: Random) -> bool:
    """Give the file another magic number, at its beginning and end."""
    parts.head = parts.tail = b"PAR2"
    return True
