"""Reading column indexes, offset indexes and Bloom filters.

PageIndex.md and BloomFilter.md. They are parsed and their form is checked; the validator compares their
values with the data.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple, TypeVar

from reference_impl.errors import Malformed, located
from reference_impl.parquet.encryption.modules import HEAD, TAG, ModuleKind
from reference_impl.parquet.encryption.opening import ChunkCipher
from reference_impl.parquet.file import ParquetFile
from reference_impl.parquet.page_structs import BloomFilterHeader, ColumnIndex, OffsetIndex, PageLocation
from reference_impl.wire import thrift
from reference_impl.wire.table import Struct

S = TypeVar("S", bound=Struct)
_MAX_BLOOM_HEADER = 1 << 16  # with unknown fields, which a newer writer may add


def column_index(file: ParquetFile, row_group: int, column: int) -> ColumnIndex | None:
    """Return the column index of a chunk, None if it has none.

    Raises Malformed (PQ-INDEX-001: outside of the file, -002: bytes left over, -003: lists of different
    lengths).
    """
    chunk = file.column_chunk(row_group, column)
    cipher = file.chunk_cipher(row_group, column)
    index = _read(file, ColumnIndex, chunk.column_index_offset, chunk.column_index_length, cipher)
    if index is not None:
        pages = len(index.null_pages)
        lists = (index.min_values, index.max_values, index.null_counts, index.nan_counts)
        lengths = {len(items) for items in lists if items is not None}
        if lengths - {pages}:
            message = f"lists of {sorted(lengths)} elements for {pages} pages"
            raise Malformed(message, offset=chunk.column_index_offset, rule="PQ-INDEX-003")
    return index


def offset_index(file: ParquetFile, row_group: int, column: int) -> OffsetIndex | None:
    """Return the offset index of a chunk, None if it has none; raises Malformed (PQ-INDEX-001, -002)."""
    chunk = file.column_chunk(row_group, column)
    cipher = file.chunk_cipher(row_group, column)
    return _read(file, OffsetIndex, chunk.offset_index_offset, chunk.offset_index_length, cipher)


def location_errors(location: PageLocation, start: int, stop: int) -> Iterator[Malformed]:
    """Yield the error of a page that lies outside of its chunk, which has the bytes `start` to `stop`."""
    at, size = location.offset, location.compressed_page_size
    if not start <= at <= at + size <= stop:
        message = f"{size} bytes at {at}, outside of the chunk ({start} to {stop})"
        yield Malformed(message, offset=at, rule="PQ-INDEX-020")


class Filter(NamedTuple):
    """A Bloom filter: its header, where it begins, and the range of its stored bitset."""

    header: BloomFilterHeader
    at: int
    begin: int
    stop: int


def bloom_filter_header(file: ParquetFile, row_group: int, column: int) -> BloomFilterHeader | None:
    """Return the header of a chunk's Bloom filter, None if it has none; raises as `bloom_filter`."""
    bloom = bloom_filter(file, row_group, column)
    return None if bloom is None else bloom.header


def bloom_bitset(file: ParquetFile, row_group: int, column: int, bloom: Filter) -> bytes:
    """Return the bitset of a filter; raises Malformed (PQ-BLOOM-002, PQ-CRYPT-*) for an encrypted one."""
    raw = bytes(file.data[bloom.begin : bloom.stop])
    cipher = file.chunk_cipher(row_group, column)
    if cipher is None:
        return raw
    plain = cipher.whole(ModuleKind.BLOOM_BITSET, raw, bloom.begin).plain
    if len(plain) != bloom.header.numBytes:
        message = f"a bitset of {len(plain)} bytes, {bloom.header.numBytes} declared"
        raise Malformed(message, offset=bloom.begin, rule="PQ-BLOOM-002")
    return plain


def bloom_filter(file: ParquetFile, row_group: int, column: int) -> Filter | None:
    """Return a chunk's Bloom filter, None if it has none.

    Raises Malformed (PQ-BLOOM-001: outside of the file, -002: the bitset does not fit the file, and
    PQ-CRYPT-* for an encrypted filter).
    """
    meta = file.column_metadata(row_group, column)
    at = meta.bloom_filter_offset
    if at is None:
        return None
    if not 4 <= at < file.footer_start:
        raise Malformed(f"bloom_filter_offset is {at}", offset=at, rule="PQ-BLOOM-001")
    raw = bytes(file.data[at : min(at + _MAX_BLOOM_HEADER, file.footer_start)])
    cipher = file.chunk_cipher(row_group, column)
    with located("bloom_filter"):
        if cipher is None:
            header, size = thrift.decode(BloomFilterHeader, raw, base=at)
            total = size + header.numBytes
        else:
            module = cipher.open(ModuleKind.BLOOM_HEADER, raw, at)
            header, _ = cipher.file.struct(BloomFilterHeader, module)
            size = module.end
            total = size + HEAD + header.numBytes + TAG
    declared = meta.bloom_filter_length
    if header.numBytes < 0 or at + total > file.footer_start or declared not in (None, total):
        message = f"a header of {size} and a bitset of {header.numBytes} bytes, {declared} declared"
        raise Malformed(message, offset=at, rule="PQ-BLOOM-002")
    return Filter(header, at, at + size, at + total)


def _read(
    file: ParquetFile, cls: type[S], at: int | None, length: int | None, cipher: ChunkCipher | None
) -> S | None:
    if at is None:
        return None
    if length is None or length < 0 or at < 4 or at + length > file.footer_start:
        message = f"{cls.__name__} of {length} bytes at {at}"
        raise Malformed(message, offset=at, rule="PQ-INDEX-001")
    with file.handler.located(cls.__name__):
        raw = bytes(file.data[at : at + length])
        if cipher is not None:
            kind = ModuleKind.COLUMN_INDEX if cls is ColumnIndex else ModuleKind.OFFSET_INDEX
            return cipher.file.struct(cls, cipher.whole(kind, raw, at))[0]
        value, used = thrift.decode(cls, raw, base=at)
        if used != length:
            message = f"{length - used} unused bytes follow the {cls.__name__}"
            file.handler.breach(Malformed(message, offset=at + used, rule="PQ-INDEX-002"))
    return value
