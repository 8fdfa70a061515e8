"""Uncompressed bodies of pages: reading and replacing levels and values."""

from __future__ import annotations

from dataclasses import dataclass, replace

from reference_impl import bits
from reference_impl.compression import compress, decompress
from reference_impl.cursor import Cursor
from reference_impl.errors import LimitExceeded, Malformed, Unsupported
from reference_impl.parquet.anatomy.parts import PagePart
from reference_impl.parquet.page_structs import DataPageHeader, DataPageHeaderV2
from reference_impl.parquet.schema import CompressionCodec, Encoding, PageType
from reference_impl.parquet.tree import Node

_MOST = 1 << 26  # bytes of a page: larger pages raise


@dataclass(frozen=True)
class Sections:
    """The sections of an uncompressed page; levels of v1 with their size in front.

    Without a node, or in a page without data, `values` has all bytes that are not known to be levels.
    """

    repetition: bytes
    definition: bytes
    values: bytes


def sections(page: PagePart, node: Node | None, codec: CompressionCodec | int) -> Sections:
    """Return the sections of a page of this column; raises Malformed, Unsupported and LimitExceeded."""
    header = page.header.data_page_header_v2
    if page.header.type == PageType.DATA_PAGE_V2 and header is not None:
        return _sections_v2(page, header, codec)
    body = _inflated(codec, page.stored, page.header.uncompressed_page_size)
    if page.header.type != PageType.DATA_PAGE or page.header.data_page_header is None or node is None:
        return Sections(b"", b"", body)
    cursor = Cursor(body)
    data = page.header.data_page_header
    repetition = _levels(cursor, data, data.repetition_level_encoding, node.repetition_level)
    definition = _levels(cursor, data, data.definition_level_encoding, node.definition_level)
    return Sections(repetition, definition, bytes(cursor.take(cursor.remaining)))


def _levels(cursor: Cursor, header: DataPageHeader, encoding: Encoding | int, most: int) -> bytes:
    """Return levels of v1 as stored in the body."""
    if not most:
        return b""
    if encoding == Encoding.BIT_PACKED:
        return bytes(cursor.take(bits.size(max(header.num_values, 0), most.bit_length())))
    start = cursor.pos
    size = cursor.u32("size of levels")
    cursor.take(size, "levels")
    return bytes(cursor.data[start : cursor.pos])


def _sections_v2(page: PagePart, header: DataPageHeaderV2, codec: CompressionCodec | int) -> Sections:
    sizes = header.repetition_levels_byte_length, header.definition_levels_byte_length
    cursor = Cursor(page.stored)
    repetition, definition = bytes(cursor.take(sizes[0])), bytes(cursor.take(sizes[1]))
    values = bytes(cursor.take(cursor.remaining))
    if header.is_compressed is not False:
        values = _inflated(codec, values, page.header.uncompressed_page_size - sum(sizes))
    return Sections(repetition, definition, values)


def _inflated(codec: CompressionCodec | int, stored: bytes, size: int) -> bytes:
    if not isinstance(codec, CompressionCodec):
        raise Unsupported(f"compression codec {codec} is not known")
    if size > _MOST:
        raise LimitExceeded(f"a page of {size} bytes")
    if size < 0:
        raise Malformed(f"a page of {size} bytes", rule="PQ-PAGE-002")
    return bytes(decompress(codec, memoryview(stored), size)) if stored or size else b""


def with_sections(page: PagePart, parts: Sections, codec: CompressionCodec | int) -> PagePart:
    """Return the page with these sections, compressed; sizes are updated, counts are not.

    Raises Unsupported for an unknown codec.
    """
    levels = parts.repetition + parts.definition
    header = page.header.data_page_header_v2
    if page.header.type != PageType.DATA_PAGE_V2 or header is None:
        body = levels + parts.values
        return page.edited(_deflated(codec, body), uncompressed_page_size=len(body))
    header = replace(
        header,
        repetition_levels_byte_length=len(parts.repetition),
        definition_levels_byte_length=len(parts.definition),
    )
    stored = parts.values if header.is_compressed is False else _deflated(codec, parts.values)
    size = len(levels) + len(parts.values)
    return page.edited(levels + stored, uncompressed_page_size=size, data_page_header_v2=header)


def _deflated(codec: CompressionCodec | int, body: bytes) -> bytes:
    if not isinstance(codec, CompressionCodec):
        raise Unsupported(f"compression codec {codec} is not known")
    return compress(codec, body)


def recompressed(page: PagePart, old: CompressionCodec | int, new: CompressionCodec) -> PagePart:
    """Return the page in another codec; raises what `sections` raises."""
    return with_sections(page, sections(page, None, old), new)
