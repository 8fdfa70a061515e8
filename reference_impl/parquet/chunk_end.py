"""Where the pages of a chunk end whose total_compressed_size leaves out page headers.

"Byte size of all compressed, and potentially encrypted, pages in this column chunk (including the headers)"
(parquet.thrift, ColumnMetaData.total_compressed_size). Old writers leave out the header of the dictionary
page (IMPALA-694), or all headers. That is what is broken, not the page that seems to be cut short.
"""

from __future__ import annotations

import mmap
from collections.abc import Iterator

from reference_impl.errors import Malformed, ReferenceError_
from reference_impl.parquet.encryption.opening import ChunkCipher
from reference_impl.parquet.page_walk import Page, walk
from reference_impl.parquet.schema import ColumnMetaData, PageType

_SLACK = 1 << 16  # bytes behind the chunk that its pages may take


def mended(
    data: bytes | mmap.mmap, extent: tuple[int, int, int], meta: ColumnMetaData, cipher: ChunkCipher | None
) -> tuple[int, Malformed] | None:
    """Return where the pages of a chunk end, and the error of its total_compressed_size.

    `extent`: where the chunk begins and ends by its metadata, and where the footer begins. None if the size
    is right, or is wrong in another way, so that nobody knows where the chunk ends.
    """
    start, stop, footer = extent
    raw = bytes(data[start : min(stop + _SLACK, footer)])
    end, headers, of_dictionary = stop, 0, 0
    try:
        for page in _pages(raw, start, meta, cipher):
            size = page.body_offset - page.offset
            headers += size
            if page.header.type == PageType.DICTIONARY_PAGE:
                of_dictionary = size
            end = page.body_offset + len(page.stored)
    except ReferenceError_:
        return None
    missing = end - stop
    if missing <= 0 or missing not in (headers, of_dictionary):
        return None
    what = "the header of the dictionary page" if missing == of_dictionary else "the headers of the pages"
    message = f"total_compressed_size is {stop - start}, which leaves out {what}: {missing} bytes"
    return end, Malformed(message, offset=meta.begin, rule="PQ-CHUNK-017")


def _pages(raw: bytes, base: int, meta: ColumnMetaData, cipher: ChunkCipher | None) -> Iterator[Page]:
    """Yield pages until they have as many values as the chunk."""
    left = meta.num_values
    for page in walk(raw, base, cipher, verify_crc=False):
        yield page
        header = page.header.data_page_header or page.header.data_page_header_v2
        left -= header.num_values if header is not None else 0
        if left <= 0:
            return
