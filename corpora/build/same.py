"""The parts of a Parquet file that do not depend on the compression of its pages.

A plan always gives the same bytes, except that another version of a compression library may compress a page
differently. The comparison covers each page header, each decompressed body, and the footer; it leaves out
sizes and offsets, which follow from the bytes of the pages.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from reference_impl.compression import decompress
from reference_impl.parquet.file import ParquetFile
from reference_impl.parquet.page import Page
from reference_impl.parquet.schema import ColumnChunk, ColumnMetaData, CompressionCodec
from reference_impl.wire import thrift


def parts(data: bytes) -> Iterator[Any]:
    """Yield the parts of a file that are compared; raises the reader's errors."""
    file = ParquetFile(data)
    metadata = file.metadata
    groups = []
    for number, group in enumerate(metadata.row_groups):
        columns = [_chunk(chunk) for chunk in group.columns]
        bare = replace(group, total_byte_size=0, total_compressed_size=None, file_offset=None)
        groups.append(replace(bare, columns=columns))
        for column, chunk in enumerate(group.columns):
            assert chunk.meta_data is not None
            for page in file.pages(number, column):
                yield from _page(page, chunk.meta_data.codec)
    yield thrift.encode(replace(metadata, row_groups=groups))


def _chunk(chunk: ColumnChunk) -> ColumnChunk:
    assert chunk.meta_data is not None
    return replace(
        chunk,
        file_offset=0,
        meta_data=_metadata(chunk.meta_data),
        offset_index_offset=None,
        offset_index_length=None,
        column_index_offset=None,
    )


def _metadata(meta: ColumnMetaData) -> ColumnMetaData:
    return replace(
        meta,
        total_uncompressed_size=0,  # counts page headers, in which sizes have their own length
        total_compressed_size=0,
        data_page_offset=0,
        index_page_offset=None,
        dictionary_page_offset=None,
        bloom_filter_offset=None,
    )


def _page(page: Page, codec: CompressionCodec | int) -> Iterator[Any]:
    header = page.header
    yield thrift.encode(replace(header, compressed_page_size=0, crc=None))
    v2 = header.data_page_header_v2
    levels = v2.repetition_levels_byte_length + v2.definition_levels_byte_length if v2 else 0
    yield bytes(page.body[:levels])
    stored, size = page.body[levels:], header.uncompressed_page_size - levels
    plain = codec == CompressionCodec.UNCOMPRESSED or (v2 is not None and v2.is_compressed is False)
    yield bytes(stored) if plain else bytes(decompress(codec, stored, size))
