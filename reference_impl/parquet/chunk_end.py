"""Where the pages of a chunk end whose total_compressed_size is wrong.

"Byte size of all compressed, and potentially encrypted, pages in this column chunk (including the headers)"
(parquet.thrift, ColumnMetaData.total_compressed_size). Old writers leave out the header of the dictionary
page (IMPALA-694), or all headers. Any other size is wrong if the pages have as many values as the chunk, and
end where the next part of the file begins. Then the size is the broken rule, not the page that seems to be
cut short.
"""

from __future__ import annotations

import mmap
from bisect import bisect_right
from collections.abc import Iterator, Sequence

from reference_impl.errors import Malformed, ReferenceError_
from reference_impl.parquet.chunk import claimed_extent
from reference_impl.parquet.encryption.opening import ChunkCipher
from reference_impl.parquet.page_walk import Page, walk
from reference_impl.parquet.schema import ColumnMetaData, FileMetaData, PageType

_SLACK = 1 << 16  # bytes behind the chunk that its pages may take


def mended(
    data: bytes | mmap.mmap,
    extent: tuple[int, int, int],
    meta: ColumnMetaData,
    cipher: ChunkCipher | None,
    rule: str = "PQ-CHUNK-017",
) -> tuple[int, Malformed] | None:
    """Return where the pages of a chunk end, and the error of its total_compressed_size.

    `extent`: where the chunk begins and ends by its metadata, and where the next part of the file begins
    (`following`). `rule`: the one that is broken (PQ-CHUNK-004 if the chunk would reach into the footer).
    None if the size is right, or if the end of the chunk is not known.
    """
    start, stop, following_part = extent
    raw = bytes(data[start : min(stop + _SLACK, following_part)])
    end, headers, of_dictionary = stop, 0, 0
    try:
        for page in counted_pages(raw, start, meta, cipher):
            size = page.body_offset - page.offset
            headers += size
            if page.header.type == PageType.DICTIONARY_PAGE:
                of_dictionary = size
            end = page.body_offset + len(page.stored)
    except ReferenceError_:
        return None
    missing = end - stop
    message = f"total_compressed_size is {stop - start}"
    if missing > 0 and missing in (headers, of_dictionary):
        what = "the header of the dictionary page" if missing == of_dictionary else "the headers of the pages"
        message = f"{message}, which leaves out {what}: {missing} bytes"
    elif missing and end == following_part:
        message = f"{message}, but the pages take {end - start} bytes"
    else:
        return None
    return end, Malformed(message, offset=meta.begin, rule=rule)


def before_footer(
    data: bytes | mmap.mmap, meta: ColumnMetaData, footer: int, behind: int, cipher: ChunkCipher | None
) -> tuple[int, Malformed] | None:
    """Return where the pages of a chunk end whose size reaches into the footer, and the error of that size.

    `behind` is where the next part of the file begins. None if the chunk does not begin in front of the
    footer, or its pages do not end at `behind`.
    """
    start, stop = claimed_extent(meta)
    if not 4 <= start < footer < stop:
        return None
    return mended(data, (start, stop, behind), meta, cipher, "PQ-CHUNK-004")


def part_offsets(metadata: FileMetaData, footer: int) -> list[int]:
    """Return where chunks, their indexes and filters, and the footer begin, in order."""
    offsets = {footer}
    for group in metadata.row_groups:
        for chunk in group.columns:
            offsets |= {chunk.column_index_offset or footer, chunk.offset_index_offset or footer}
            meta = chunk.meta_data
            if meta is not None:
                first = meta.dictionary_page_offset or meta.data_page_offset
                offsets |= {min(first, meta.data_page_offset), meta.bloom_filter_offset or footer}
    return sorted(offsets)


def following(offsets: Sequence[int], start: int) -> int:
    """Return where the part of a file behind the chunk at `start` begins; `offsets` are `part_offsets`."""
    return offsets[min(bisect_right(offsets, start), len(offsets) - 1)]


def counted_pages(
    raw: bytes, base: int, meta: ColumnMetaData, cipher: ChunkCipher | None = None
) -> Iterator[Page]:
    """Yield pages until they have as many values as the chunk."""
    left = meta.num_values
    for page in walk(raw, base, cipher, verify_crc=False):
        yield page
        left -= page.values
        if left <= 0:
            return
