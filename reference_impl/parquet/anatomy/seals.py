"""The seals of a file, and breaking exactly one of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from enum import Enum
from functools import partial
from typing import Any

from reference_impl.errors import ReferenceError_, UsageError
from reference_impl.parquet.anatomy.bodies import recompressed
from reference_impl.parquet.anatomy.parts import Anatomy, Chunk, Lies, PagePart
from reference_impl.parquet.page_structs import OffsetIndex
from reference_impl.parquet.schema import CompressionCodec

Break = Callable[[int], None]


class Seal(Enum):
    """A number or magic that must agree with the rest of the file."""

    HEAD_MAGIC = "the magic number in front"
    TAIL_MAGIC = "the magic number at the end"
    FOOTER_LENGTH = "the length of the footer"
    FILE_ROWS = "num_rows of the file"
    GROUP_ROWS = "num_rows of a row group"
    GROUP_SIZE = "total_byte_size of a row group"
    CHUNK_VALUES = "num_values of a column chunk"
    CHUNK_SIZE = "total_compressed_size of a column chunk"
    CHUNK_UNCOMPRESSED = "total_uncompressed_size of a column chunk"
    DATA_OFFSET = "data_page_offset"
    DICTIONARY_OFFSET = "dictionary_page_offset"
    PAGE_SIZE = "compressed_page_size"
    PAGE_UNCOMPRESSED = "uncompressed_page_size"
    PAGE_VALUES = "num_values of a page"
    LEVEL_SIZE = "definition_levels_byte_length"
    CRC = "the checksum of a page"
    COMPRESSION = "the codec that a page is stored in"
    COLUMN_INDEX_OFFSET = "column_index_offset"
    COLUMN_INDEX_LENGTH = "column_index_length"
    OFFSET_INDEX_OFFSET = "offset_index_offset"
    OFFSET_INDEX_LENGTH = "offset_index_length"
    LOCATION_OFFSET = "where the offset index says that a page is"
    LOCATION_SIZE = "how large the offset index says that a page is"
    BLOOM_OFFSET = "bloom_filter_offset"
    BLOOM_LENGTH = "bloom_filter_length"


_OF_CHUNK = {
    Seal.CHUNK_SIZE: "total_compressed_size",
    Seal.CHUNK_UNCOMPRESSED: "total_uncompressed_size",
    Seal.DATA_OFFSET: "data_page_offset",
    Seal.DICTIONARY_OFFSET: "dictionary_page_offset",
    Seal.BLOOM_OFFSET: "bloom_filter_offset",
    Seal.BLOOM_LENGTH: "bloom_filter_length",
    Seal.COLUMN_INDEX_OFFSET: "column_index_offset",
    Seal.COLUMN_INDEX_LENGTH: "column_index_length",
    Seal.OFFSET_INDEX_OFFSET: "offset_index_offset",
    Seal.OFFSET_INDEX_LENGTH: "offset_index_length",
}
_BESIDE = {"bloom_filter": "bloom", "column_index": "column_index", "offset_index": "offset_index"}


def bearing(anatomy: Anatomy) -> list[Seal]:
    """Return the seals that the file has."""
    return [seal for seal in Seal if next(_breaks(anatomy, seal), None) is not None]


def break_seal(anatomy: Anatomy, seal: Seal, *, turn: int = 0, by: int = 1) -> Anatomy:
    """Return the parts with one seal broken: its number is off by `by` (not 0), a magic number is changed.

    `turn` selects among the places that have it. Raises UsageError if there is none.
    """
    own = anatomy.copy()
    breaks = list(_breaks(own, seal))
    if not breaks or not by:
        raise UsageError(f"nothing bears the seal {seal.name}" if by else "a seal that is off by nothing")
    breaks[turn % len(breaks)](by)
    return own


def _breaks(anatomy: Anatomy, seal: Seal) -> Iterator[Break]:
    """Yield a function that breaks the seal for each place that has it."""
    if seal in (Seal.HEAD_MAGIC, Seal.TAIL_MAGIC):
        yield partial(_magic, anatomy, "head" if seal is Seal.HEAD_MAGIC else "tail")
    elif seal is Seal.FOOTER_LENGTH:
        yield partial(_lie, anatomy.lies, "footer_length")
    elif seal is Seal.FILE_ROWS:
        yield partial(_field, anatomy, "metadata", "num_rows")
    elif seal in (Seal.GROUP_ROWS, Seal.GROUP_SIZE):
        for group in anatomy.groups:
            rows = seal is Seal.GROUP_ROWS
            yield (
                partial(_field, group, "group", "num_rows")
                if rows
                else partial(_lie, group.lies, "total_byte_size")
            )
    else:
        for chunk in anatomy.chunks():
            yield from _chunk_breaks(chunk, seal)


def _chunk_breaks(chunk: Chunk, seal: Seal) -> Iterator[Break]:
    meta = chunk.chunk.meta_data
    if seal is Seal.CHUNK_VALUES:
        if meta is not None:
            yield partial(_meta, chunk)
    elif seal in _OF_CHUNK:
        name = _OF_CHUNK[seal]
        stem = name.rpartition("_")[0]
        there = getattr(chunk, _BESIDE[stem]) is not None if stem in _BESIDE else chunk.at is not None
        value = getattr(chunk.chunk, name, None) or getattr(meta, name, None)
        if there and value is not None:
            yield partial(_lie, chunk.lies, name)
    elif seal in (Seal.LOCATION_OFFSET, Seal.LOCATION_SIZE):
        part = chunk.offset_index
        if part is not None and isinstance(part.struct, OffsetIndex) and part.raw is None and chunk.pages:
            stem = "offset" if seal is Seal.LOCATION_OFFSET else "size"
            count = min(len(part.struct.page_locations), sum(page.is_data for page in chunk.pages))
            for number in range(count):
                yield partial(_lie, part.lies, f"{stem}{number}")
    else:
        for page in chunk.pages:
            yield from _page_breaks(chunk, page, seal)


def _page_breaks(chunk: Chunk, page: PagePart, seal: Seal) -> Iterator[Break]:
    header = page.header
    if seal is Seal.PAGE_SIZE or (seal is Seal.CRC and header.crc is not None):
        yield partial(_page_lie, page, "size" if seal is Seal.PAGE_SIZE else "crc")
    elif seal is Seal.PAGE_UNCOMPRESSED:
        yield partial(_page_field, page, "", "uncompressed_page_size")
    elif seal is Seal.PAGE_VALUES:
        for name in ("data_page_header", "data_page_header_v2", "dictionary_page_header"):
            if getattr(header, name) is not None:
                yield partial(_page_field, page, name, "num_values")
    elif seal is Seal.LEVEL_SIZE and header.data_page_header_v2 is not None:
        yield partial(_page_field, page, "data_page_header_v2", "definition_levels_byte_length")
    elif seal is Seal.COMPRESSION and chunk.chunk.meta_data is not None:
        codec = chunk.chunk.meta_data.codec
        try:
            other = recompressed(page, codec, _other(codec))
        except ReferenceError_:
            return  # a page that cannot be read has no such seal
        if other.stored != page.stored:
            yield partial(_store, page, other.stored)


def _other(codec: CompressionCodec | int) -> CompressionCodec:
    uncompressed = CompressionCodec.UNCOMPRESSED
    return CompressionCodec.GZIP if codec == uncompressed else uncompressed


def _magic(anatomy: Anatomy, name: str, by: int) -> None:
    old = int.from_bytes(getattr(anatomy, name), "big")
    setattr(anatomy, name, (old ^ ((by & 0xFFFFFFFF) or 1)).to_bytes(4, "big"))


def _lie(lies: Lies, name: str, by: int) -> None:
    lies[name] = lies.get(name, 0) + by


def _page_lie(page: PagePart, name: str, by: int) -> None:
    page.raw = None
    page.lies[name] = page.lies.get(name, 0) ^ by if name == "crc" else page.lies.get(name, 0) + by


def _field(owner: Any, struct: str, name: str, by: int) -> None:
    old = getattr(owner, struct)
    setattr(owner, struct, replace(old, **{name: getattr(old, name) + by}))


def _meta(chunk: Chunk, by: int) -> None:
    meta = chunk.chunk.meta_data
    assert meta is not None
    chunk.chunk = replace(chunk.chunk, meta_data=replace(meta, num_values=meta.num_values + by))


def _page_field(page: PagePart, struct: str, name: str, by: int) -> None:
    page.raw = None
    if struct:
        inner = getattr(page.header, struct)
        page.header = replace(page.header, **{struct: replace(inner, **{name: getattr(inner, name) + by})})
    else:
        page.header = replace(page.header, **{name: getattr(page.header, name) + by})


def _store(page: PagePart, stored: bytes, _by: int) -> None:
    page.raw = None
    page.stored = stored
