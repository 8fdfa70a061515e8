"""The beginning of a chunk with a dictionary page whose offset the metadata does not have.

`dictionary_page_offset` is optional, and `data_page_offset` is that of the "first data page" (parquet.thrift,
ColumnMetaData). Writers that leave the one out mostly let the other be that of the dictionary page, where the
chunk begins (parquet-mr before 1.12, Polars before 1.39). If it is that of the first data page, as
parquet.thrift requires, the metadata does not have the offset of the dictionary page; but it follows from the
size of the chunk, which is that of all its pages, and from "The dictionary page must be placed at the first
position of the column chunk" (README.md, Column chunks).
"""

from __future__ import annotations

import mmap

from reference_impl.errors import ReferenceError_
from reference_impl.parquet import chunk
from reference_impl.parquet.chunk_end import counted_pages
from reference_impl.parquet.encodings.dispatch import DICTIONARY_ENCODINGS
from reference_impl.parquet.page_structs import PageHeader
from reference_impl.parquet.page_walk import walk
from reference_impl.parquet.schema import ColumnMetaData, PageType
from reference_impl.wire import thrift

_LONGEST_HEADER = 1 << 16  # of the first page; statistics in it may be long


def extent(data: bytes | mmap.mmap, meta: ColumnMetaData, footer: int) -> tuple[int, int]:
    """Return the half-open byte range of a chunk; raises Malformed (PQ-CHUNK-004)."""
    return _with_dictionary(data, meta, footer) or chunk.extent(meta, footer)


def _with_dictionary(data: bytes | mmap.mmap, meta: ColumnMetaData, footer: int) -> tuple[int, int] | None:
    """Return the range of a chunk with a dictionary page in front of data_page_offset, None for others."""
    first, listed = meta.data_page_offset, set(meta.encodings)
    if meta.dictionary_page_offset or not 4 < first < footer:
        return None
    if listed and not listed.intersection(DICTIONARY_ENCODINGS):
        return None
    try:
        if not _refers(data, first):
            return None
        raw = bytes(data[first : min(first + meta.total_compressed_size, footer)])
        stop = max((page.body_offset + len(page.body) for page in counted_pages(raw, first, meta)), default=0)
        start = stop - meta.total_compressed_size
        if 4 <= start < first and _is_dictionary(bytes(data[start:first]), start):
            return start, stop
    except ReferenceError_:
        pass  # what is broken shows when the chunk is read
    return None


def _refers(data: bytes | mmap.mmap, at: int) -> bool:
    """Return whether a data page with indices of a dictionary begins there."""
    header, _ = thrift.decode(PageHeader, bytes(data[at : at + _LONGEST_HEADER]), base=at)
    inner = header.data_page_header or header.data_page_header_v2
    return inner is not None and inner.encoding in DICTIONARY_ENCODINGS


def _is_dictionary(raw: bytes, start: int) -> bool:
    """Return whether the bytes are those of one dictionary page."""
    types = [page.header.type for page in walk(raw, start, verify_crc=False)]
    return types == [PageType.DICTIONARY_PAGE]
