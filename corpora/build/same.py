"""The parts of a file that do not depend on the compression of its pages or chunks.

A plan always gives the same bytes, except that another version of a compression library may compress a page
or chunk differently. Compared are, of Parquet, each page header, each decompressed body, and the footer; of
ORC decompressed messages and streams; without sizes, offsets and positions, which follow from the bytes.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from reference_impl.compression import decompress
from reference_impl.orc.file import OrcFile
from reference_impl.orc.schema import StreamKind
from reference_impl.orc.statistics_schema import ColumnStatistics
from reference_impl.orc.stripe import Stripe
from reference_impl.parquet.file import ParquetFile
from reference_impl.parquet.page_walk import Page
from reference_impl.parquet.schema import ColumnChunk, ColumnMetaData, CompressionCodec
from reference_impl.wire import protobuf, thrift


def parquet_parts(data: bytes) -> Iterator[Any]:
    """Yield the parquet_parts of a file that are compared; raises the reader's errors."""
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


def orc_parts(data: bytes) -> Iterator[Any]:
    """Yield the orc_parts of a file that are compared; raises the reader's errors."""
    file = OrcFile(data)
    yield protobuf.encode(replace(file.postscript, footer_length=0, metadata_length=0))
    stripes = tuple(
        replace(stripe, offset=0, index_length=0, data_length=0, footer_length=0)
        for stripe in file.footer.stripes
    )
    statistics = tuple(map(_bare, file.footer.statistics))
    yield protobuf.encode(replace(file.footer, content_length=0, stripes=stripes, statistics=statistics))
    for stripe in file.metadata.stripe_stats:
        yield [_bare(column) for column in stripe.col_stats]
    for number in range(len(stripes)):
        yield from _stripe(file, file.stripe(number))


def _stripe(file: OrcFile, stripe: Stripe) -> Iterator[Any]:
    streams = tuple(replace(stream, length=0) for stream in stripe.footer.streams)
    yield protobuf.encode(replace(stripe.footer, streams=streams))
    for place in stripe.streams:
        stream = stripe.stream(place.column, place.kind) if place.kind is not None else None
        if place.kind is StreamKind.ROW_INDEX:
            index = file.row_index(stripe.number, place.column)
            entries = index.entry if index is not None else ()
            yield [(len(entry.positions), entry.statistics) for entry in entries]
        elif stream is not None:
            yield bytes(stream.data), [chunk.original for chunk in stream.chunks]


def _bare(column: ColumnStatistics) -> ColumnStatistics:
    return replace(column, bytes_on_disk=None)
