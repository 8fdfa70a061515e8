"""The correct sizes and offsets of a file, by the places of its parts: to write them, or to find errors."""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any

from reference_impl.parquet.anatomy.parts import Anatomy, Beside, Chunk, Group, Lies, PagePart
from reference_impl.parquet.page_structs import OffsetIndex
from reference_impl.parquet.schema import ColumnChunk, ColumnMetaData, PageType, RowGroup

Truths = dict[str, int]
CHUNK_FIELDS = (
    "file_offset",
    "offset_index_offset",
    "offset_index_length",
    "column_index_offset",
    "column_index_length",
)
META_FIELDS = (
    "total_uncompressed_size",
    "total_compressed_size",
    "data_page_offset",
    "dictionary_page_offset",
    "bloom_filter_offset",
    "bloom_filter_length",
)
GROUP_FIELDS = ("total_byte_size", "file_offset", "total_compressed_size", "ordinal")
ZERO_MEANS_ABSENT = {"file_offset", "dictionary_page_offset", "data_page_offset"}


@dataclass
class Places:
    """The places of parts, by id: the start of each page, start and size of other parts."""

    pages: dict[int, int] = field(default_factory=dict)
    parts: dict[int, tuple[int, int]] = field(default_factory=dict)


def page_bytes(anatomy: Anatomy, page: PagePart) -> bytes:
    """Return the stored bytes of a page."""
    if page.raw is not None:
        return page.raw + page.stored
    header = replace(page.header, compressed_page_size=_i32(len(page.stored) + lie_of(page.lies, "size")))
    if header.crc is not None:
        header.crc = _i32(checksum(page.stored) ^ lie_of(page.lies, "crc"))
    return anatomy.encoded(header) + page.stored


def checksum(stored: bytes) -> int:
    """Return the CRC of a page ("the standard CRC32 checksum … on all binary data that is stored")."""
    return zlib.crc32(stored)


def lie_of(lies: Lies, name: str) -> int:
    """Return by how much a number is wrong, 0 if it is right."""
    return lies.get(name, 0)


def _i32(number: int) -> int:
    """Return the low 32 bits of a number as a signed integer."""
    return (number & 0xFFFFFFFF ^ 1 << 31) - (1 << 31)


def of_chunk(chunk: Chunk, places: Places, headers: dict[int, int]) -> Truths:
    """Return the correct sizes and offsets of a chunk, as far as its parts are in the file.

    `headers` are the sizes of headers by page.
    """
    truths = {} if chunk.at is None else _of_pages(chunk, places, headers)
    for name in ("column_index", "offset_index"):
        if (part := getattr(chunk, name)) is not None:
            truths[f"{name}_offset"], truths[f"{name}_length"] = places.parts[id(part)]
    if chunk.bloom is not None:
        truths["bloom_filter_offset"], truths["bloom_filter_length"] = places.parts[id(chunk.bloom)]
    return truths


def _of_pages(chunk: Chunk, places: Places, headers: dict[int, int]) -> Truths:
    start, size = places.parts[id(chunk)]
    offsets = [places.pages[id(page)] for page in chunk.pages]
    meta = chunk.chunk.meta_data
    has_dictionary = bool(chunk.pages) and chunk.pages[0].header.type == PageType.DICTIONARY_PAGE
    skips = has_dictionary and meta is not None and bool(meta.dictionary_page_offset)
    return {
        "file_offset": start + size if chunk.behind else start,
        "total_compressed_size": size,
        "total_uncompressed_size": len(chunk.rest)
        + sum(headers[id(page)] + page.header.uncompressed_page_size for page in chunk.pages),
        # Without data pages, the first data page would stand behind the dictionary.
        "data_page_offset": (offsets[1] if len(offsets) > 1 else start + size) if skips else start,
        "dictionary_page_offset": start,
    }


def of_group(group: Group, number: int, chunks: dict[int, Truths], places: Places) -> Truths:
    """Return the correct sizes and offsets of row group `number`, computed from those of its chunks."""
    there = [chunk for chunk in group.chunks if chunk.at is not None]
    known = [chunks[id(chunk)] for chunk in there]
    starts = [places.parts[id(chunk)] for chunk in there]
    return {
        "total_byte_size": sum(truth["total_uncompressed_size"] for truth in known),
        "total_compressed_size": sum(truth["total_compressed_size"] for truth in known),
        "file_offset": min((start for start, size in starts if size), default=0),
        "ordinal": number,
    }


def locations(chunk: Chunk, part: Beside, places: Places) -> OffsetIndex | None:
    """Return the offset index with the true places of the data pages that it lists, None without an index."""
    if not isinstance(part.struct, OffsetIndex) or not chunk.pages:
        return None
    page_locations = list(part.struct.page_locations)
    pages = [page for page in chunk.pages if page.is_data]
    ends = [places.pages[id(page)] for page in chunk.pages[1:]]
    start, size = places.parts[id(chunk)]
    stops = dict(zip(map(id, chunk.pages), [*ends, start + size - len(chunk.rest)], strict=True))
    for number, (location, page) in enumerate(zip(page_locations, pages, strict=False)):
        offset = places.pages[id(page)]
        page_locations[number] = replace(
            location,
            offset=offset + lie_of(part.lies, f"offset{number}"),
            compressed_page_size=stops[id(page)] - offset + lie_of(part.lies, f"size{number}"),
        )
    return replace(part.struct, page_locations=page_locations)


def lies_of(struct: ColumnChunk | ColumnMetaData | RowGroup, names: tuple[str, ...], truths: Truths) -> Lies:
    """Return by how much the fields of a struct differ from their correct values, where they differ."""
    present = _present(struct, names, truths)
    return {name: value - truths[name] for name, value in present if value != truths[name]}


def mended(
    struct: ColumnChunk | ColumnMetaData | RowGroup, names: tuple[str, ...], truths: Truths, lies: Lies
) -> Truths:
    """Return the values to write into the present fields: the correct value plus the stored error."""
    return {name: truths[name] + lie_of(lies, name) for name, _ in _present(struct, names, truths)}


def _present(struct: Any, names: tuple[str, ...], truths: Truths) -> Iterator[tuple[str, int]]:
    """Yield name and value of the fields that the struct has and whose correct value is known."""
    for name in names:
        value = getattr(struct, name)
        if name in truths and value is not None and not (value == 0 and name in ZERO_MEANS_ABSENT):
            yield name, value
