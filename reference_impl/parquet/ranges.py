"""Reading some rows of a row group: only their pages, if there is an offset index.

Pages of different columns begin at different rows: each column reads the pages that it needs, and selects the
wanted rows from them (PageIndex.md).
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from itertools import pairwise

import numpy as np

from reference_impl.byte_arrays import ByteArrays
from reference_impl.columns import Table
from reference_impl.errors import Malformed, UsageError, raise_first
from reference_impl.parquet import chunk, chunk_end, index, levels
from reference_impl.parquet.encryption.opening import ChunkCipher
from reference_impl.parquet.file import ParquetFile
from reference_impl.parquet.index import location_errors
from reference_impl.parquet.levels import LeafData
from reference_impl.parquet.page import PageDecoder
from reference_impl.parquet.page_structs import OffsetIndex
from reference_impl.parquet.page_walk import walk
from reference_impl.parquet.schema import PageType
from reference_impl.parquet.tree import Node


def read_ranges(file: ParquetFile, row_group: int, ranges: Sequence[tuple[int, int]]) -> Table:
    """Read the rows of half-open, ascending `ranges` of a row group.

    Raises UsageError for invalid ranges, and the errors of reading.
    """
    _check(file.row_group(row_group).num_rows, ranges)
    rows = sum(stop - start for start, stop in ranges)
    return levels.table(file.select(None), rows, lambda leaf: _leaf(file, row_group, leaf, ranges))


def _check(rows: int, ranges: Sequence[tuple[int, int]]) -> None:
    before = 0
    for start, stop in ranges:
        if not before <= start <= stop <= rows:
            raise UsageError(f"{list(ranges)!r:.200} are no ranges of {rows} rows")
        before = stop


def _leaf(file: ParquetFile, row_group: int, leaf: Node, ranges: Sequence[tuple[int, int]]) -> LeafData:
    with file.handler.located(f"row_groups[{row_group}]", f"column {'.'.join(leaf.path)}"):
        places = index.offset_index(file, row_group, leaf.index)
        if places is None or not places.page_locations:
            whole = file.leaf(leaf, [row_group])
            return chunk.join(leaf, [_cut(whole, 0, ranges)])
        parts, count, value_bytes = [], 0, 0
        for part in _pages(file, row_group, leaf, places, ranges):
            parts.append(part)
            count, value_bytes = count + part.count, value_bytes + part.values.nbytes
            chunk.check_limits(count, value_bytes, file.limits)
        data = chunk.join(leaf, parts)
        levels.check(data, file.ancestors(leaf))
        return data


def _pages(
    file: ParquetFile, row_group: int, leaf: Node, places: OffsetIndex, ranges: Sequence[tuple[int, int]]
) -> Iterator[LeafData]:
    """Yield, page by page, the entries of the wanted rows."""
    meta = file.column_metadata(row_group, leaf.index)
    start, stop = file.extent(row_group, leaf.index)
    decoder = PageDecoder(leaf, meta.codec, file.limits, file.handler)
    locations = places.page_locations
    cipher = file.chunk_cipher(row_group, leaf.index)
    if locations[-1].offset + locations[-1].compressed_page_size > stop:
        mended = chunk_end.mended(file.data, (start, stop, file.behind_chunk(start)), meta, cipher)
        if mended is not None:
            stop, breach = mended
            file.handler.breach(breach)
    if start < locations[0].offset:
        _dictionary(bytes(file.data[start : locations[0].offset]), start, decoder, cipher)
    firsts = [location.first_row_index for location in locations]
    ends = [*firsts[1:], file.metadata.row_groups[row_group].num_rows]
    if firsts[0] or firsts[-1] > ends[-1] or any(first > next_ for first, next_ in pairwise(firsts)):
        message = f"pages begin at rows {firsts!r:.80} of {ends[-1]}: not each row is in one page"
        raise Malformed(message, offset=locations[0].offset)
    if any(first == next_ for first, next_ in pairwise(firsts)):
        message = f"pages begin at rows {firsts!r:.80}: a page is without a row"
        file.handler.breach(Malformed(message, offset=locations[0].offset, rule="PQ-INDEX-033"))
    starts, stops = [begin for begin, _ in ranges], [past for _, past in ranges]
    for number, (location, first, end) in enumerate(zip(locations, firsts, ends, strict=True)):
        wanted = ranges[bisect_right(stops, first) : bisect_left(starts, end)]
        # A page that is said to have no row is looked at, too: were that false, others would be shifted.
        if first < end and not wanted:
            continue
        at, size = location.offset, location.compressed_page_size
        raise_first(location_errors(location, start, stop))
        raw = bytes(file.data[at : at + size])
        page = next(walk(raw, at, cipher, number, file.handler, verify_crc=file.verify_crc), None)
        if page is None:
            raise Malformed("a page of no bytes", offset=at, rule="PQ-INDEX-020")
        entries = decoder.entries(page)
        data = LeafData(leaf, entries.count, entries.definition, entries.repetition, entries.values)
        _check_rows(data, end - first, at)
        yield _cut(data, first, wanted)


def _check_rows(data: LeafData, rows: int, at: int) -> None:
    """Check that a page has the rows of its entry in the offset index."""
    if data.repetition is not None and data.count and data.repetition[0] != 0:
        raise Malformed("a page of an offset index that does not begin with a row", offset=at)
    begins = data.rows()
    begun = data.count if begins is None else len(begins)
    if begun != rows:
        raise Malformed(f"a page of {begun} rows, of which the offset index says {rows}", offset=at)


def _dictionary(raw: bytes, at: int, decoder: PageDecoder, cipher: ChunkCipher | None) -> None:
    first = next(walk(raw, at, cipher, verify_crc=False), None)
    if first is not None and first.header.type == PageType.DICTIONARY_PAGE:
        decoder.load_dictionary(first)


def _cut(data: LeafData, first: int, ranges: Sequence[tuple[int, int]]) -> LeafData:
    """Return the entries of the wanted rows; the data begins with row `first`."""
    begins = data.rows()
    count = data.count if begins is None else len(begins)
    wanted = np.zeros(count, np.bool_)
    for start, stop in ranges:
        wanted[max(0, start - first) : max(0, stop - first)] = True
    entries = wanted
    if data.repetition is not None:
        entries = wanted[np.cumsum(data.repetition == 0) - 1] if count else np.zeros(data.count, np.bool_)
    present = entries
    if data.definition is not None:
        present = entries[data.definition == data.node.definition_level]
    at = np.flatnonzero(present)
    values = data.values.take(at) if isinstance(data.values, ByteArrays) else data.values[at]
    return LeafData(
        data.node,
        int(np.count_nonzero(entries)),
        None if data.definition is None else data.definition[entries],
        None if data.repetition is None else data.repetition[entries],
        values,
    )
