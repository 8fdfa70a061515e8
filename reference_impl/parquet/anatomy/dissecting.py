"""Taking a file apart: all parts that the footer names, and the bytes between them."""

from __future__ import annotations

from bisect import bisect_left, bisect_right, insort
from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise

from reference_impl.errors import ReferenceError_, Unsupported, located
from reference_impl.limits import DEFAULT
from reference_impl.parquet import chunk as chunks
from reference_impl.parquet import chunk_begin
from reference_impl.parquet.anatomy import truths
from reference_impl.parquet.anatomy.parts import Anatomy, Beside, Chunk, Group, PagePart, Stretch
from reference_impl.parquet.anatomy.truths import Places
from reference_impl.parquet.file import ENCRYPTED_MAGIC, MAGIC, _footer
from reference_impl.parquet.page_structs import BloomFilterHeader, ColumnIndex, OffsetIndex, PageHeader
from reference_impl.parquet.schema import ColumnChunk, FileMetaData, RowGroup
from reference_impl.wire import thrift

_MAX_BLOOM_HEADER = 1 << 16


def dissect(data: bytes) -> Anatomy:
    """Take a file apart.

    Raises Malformed (PQ-FILE-*, PQ-THRIFT-*) and LimitExceeded if the footer cannot be read, Unsupported
    if it is encrypted. Other parts that cannot be read, such as encrypted pages, stay bytes.
    """
    start, end = _footer(data, DEFAULT)
    raw = data[start:end]
    if data[: len(MAGIC)] == ENCRYPTED_MAGIC:
        raise Unsupported("the footer is encrypted", rule="PQ-CRYPT-000")
    with located("footer"):
        metadata, used = thrift.decode(FileMetaData, raw, base=start)
    dissection = _Dissection(data, start)
    groups = [dissection.group(number, group) for number, group in enumerate(metadata.row_groups)]
    return Anatomy(
        metadata,
        groups,
        dissection.stretches(),
        trailer=raw[used:],
        # The id of the first field, 1 to 15 (2 to 30 as zigzag), would fit the short form.
        long_headers=raw[0] < 16 and raw[1] in range(2, 31, 2),
    )


class _Claims:
    """Disjoint ranges of the file that parts have taken: parts together are no larger than the file."""

    def __init__(self, end: int) -> None:
        self.end = end
        self.taken: list[tuple[int, int]] = []
        self.points: list[int] = []  # the places of empty parts

    def take(self, start: int, stop: int) -> bool:
        """Take a range in the body of the file, if it overlaps no other part."""
        if not len(MAGIC) <= start <= stop <= self.end:
            return False
        at = bisect_right(self.taken, (start, stop))
        if at and self.taken[at - 1][1] > start:
            return False
        if at < len(self.taken) and self.taken[at][0] < stop:
            return False
        if start < stop:
            insort(self.taken, (start, stop))
        else:
            self.points.append(start)
        return True

    def left(self) -> Iterator[tuple[int, int]]:
        """Yield the ranges that no part has taken, divided at empty parts."""
        at = len(MAGIC)
        points = sorted(self.points)
        for start, stop in [*self.taken, (self.end, self.end)]:
            inside = points[bisect_right(points, at) : bisect_left(points, start)]
            yield from ((begin, two) for begin, two in pairwise((at, *inside, start)) if begin < two)
            at = stop


class _Dissection:
    def __init__(self, data: bytes, end: int) -> None:
        self.data = data
        self.claims = _Claims(end)
        self.places = Places()
        self.headers: dict[int, int] = {}

    def group(self, number: int, struct: RowGroup) -> Group:
        """Return a row group with its chunks and the errors in their numbers."""
        group = Group(replace(struct, columns=[]), [self.chunk(chunk) for chunk in struct.columns])
        known = {id(chunk): truths.of_chunk(chunk, self.places, self.headers) for chunk in group.chunks}
        for chunk in group.chunks:
            true = known[id(chunk)]
            chunk.lies = truths.lies_of(chunk.chunk, truths.CHUNK_FIELDS, true)
            if chunk.chunk.meta_data is not None:
                chunk.lies |= truths.lies_of(chunk.chunk.meta_data, truths.META_FIELDS, true)
        true = truths.of_group(group, number, known, self.places)
        group.lies = truths.lies_of(group.group, truths.GROUP_FIELDS, true)
        return group

    def chunk(self, struct: ColumnChunk) -> Chunk:
        chunk = Chunk(struct)
        meta = struct.meta_data
        if meta is not None and struct.file_path is None:
            self.pages(chunk)
            chunk.bloom = self.bloom(meta.bloom_filter_offset, meta.bloom_filter_length)
        chunk.column_index = self.index(ColumnIndex, struct.column_index_offset, struct.column_index_length)
        chunk.offset_index = self.index(OffsetIndex, struct.offset_index_offset, struct.offset_index_length)
        if chunk.offset_index is not None:
            self.locations(chunk, chunk.offset_index)
        return chunk

    def pages(self, chunk: Chunk) -> None:
        meta = chunk.chunk.meta_data
        assert meta is not None
        try:
            start, stop = chunk_begin.extent(self.data, meta, self.claims.end)
        except ReferenceError_:
            return
        nowhere = start == stop and not meta.data_page_offset
        if nowhere or not self.claims.take(start, stop):
            return
        chunk.at = at = start
        chunk.behind = stop > start and chunk.chunk.file_offset == stop
        self.places.parts[id(chunk)] = (start, stop - start)
        try:
            for page in chunks.pages(self.data[start:stop], start):
                part = self.page(page.header, page.offset, page.body_offset, bytes(page.body))
                chunk.pages.append(part)
                at = page.body_offset + len(page.body)
        except ReferenceError_:
            pass  # pages that cannot be read, such as encrypted pages, are the rest
        chunk.rest = self.data[at:stop]

    def page(self, header: PageHeader, at: int, body: int, stored: bytes) -> PagePart:
        part = PagePart(header, stored, self.data[at:body])
        self.places.pages[id(part)] = at
        self.headers[id(part)] = body - at
        if header.crc is not None:
            lie = truths.checksum(stored) ^ header.crc & 0xFFFFFFFF
            part.lies = {"crc": lie} if lie else {}
        return part

    def index(
        self, cls: type[ColumnIndex | OffsetIndex], at: int | None, length: int | None
    ) -> Beside | None:
        if at is None or length is None or length < 0 or not self.claims.take(at, at + length):
            return None
        raw = self.data[at : at + length]
        return self.beside(cls, raw, at)

    def bloom(self, at: int | None, length: int | None) -> Beside | None:
        if at is None or not len(MAGIC) <= at < self.claims.end:
            return None
        if length is None:
            raw = self.data[at : min(at + _MAX_BLOOM_HEADER, self.claims.end)]
            try:
                header, size = thrift.decode(BloomFilterHeader, raw)
            except ReferenceError_:
                return None
            length = size + header.numBytes
        if length < 0 or not self.claims.take(at, at + length):
            return None
        return self.beside(BloomFilterHeader, self.data[at : at + length], at)

    def beside(self, cls: type[ColumnIndex | OffsetIndex | BloomFilterHeader], raw: bytes, at: int) -> Beside:
        try:
            struct, size = thrift.decode(cls, raw)
        except ReferenceError_:
            part = Beside(at, None, raw)
        else:
            # An offset index has the places of pages, and so is always written anew.
            part = Beside(at, struct, raw[size:], None if cls is OffsetIndex else raw[:size])
        self.places.parts[id(part)] = (at, len(raw))
        return part

    def locations(self, chunk: Chunk, part: Beside) -> None:
        """Note by how much the offset index differs from the places of the pages."""
        true = truths.locations(chunk, part, self.places)
        if true is None or not isinstance(part.struct, OffsetIndex):
            return
        pairs = zip(part.struct.page_locations, true.page_locations, strict=True)
        for number, (stated, fact) in enumerate(pairs):
            differences = {
                f"offset{number}": stated.offset - fact.offset,
                f"size{number}": stated.compressed_page_size - fact.compressed_page_size,
            }
            part.lies |= {name: lie for name, lie in differences.items() if lie}

    def stretches(self) -> list[Stretch]:
        """Return the bytes between the parts."""
        return [Stretch(start, self.data[start:stop]) for start, stop in self.claims.left()]
