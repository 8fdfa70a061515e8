"""Pushdown: the rows of a row group that can match a test, by its metadata.

In doubt rows are read: metadata that is absent, unknown or damaged skips nothing.
`ranges.read_ranges` then reads only the pages of the remaining rows.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from itertools import pairwise

from reference_impl.errors import ReferenceError_
from reference_impl.parquet import bloom, index, orders
from reference_impl.parquet.encodings.dispatch import DICTIONARY_ENCODINGS
from reference_impl.parquet.file import ParquetFile
from reference_impl.parquet.matching import Test, may_match
from reference_impl.parquet.orders import Order
from reference_impl.parquet.page import PageDecoder
from reference_impl.parquet.page_walk import walk
from reference_impl.parquet.schema import PageType, Type
from reference_impl.parquet.statistics_structs import Statistics

__all__ = ["USING", "Ranges", "Test", "candidates"]

Ranges = list[tuple[int, int]]
USING = frozenset({"statistics", "index", "dictionary", "bloom"})


def candidates(
    file: ParquetFile, row_group: int, leaf: int, test: Test, using: frozenset[str] = USING
) -> Ranges:
    """Return the half-open ranges of rows of a row group that may match, the whole row group in doubt.

    `using` is a subset of USING. A column below a repeated field skips nothing.
    Raises UsageError for a row group or column that is not there.
    """
    file.column_chunk(row_group, leaf)
    rows = file.row_group(row_group).num_rows
    node = file.leaves[leaf]
    if not rows:
        return []
    if node.repetition_level:
        return [(0, rows)]
    with suppress(ReferenceError_):
        if "statistics" in using and not _by_statistics(file, row_group, leaf, test):
            return []
        if "bloom" in using and not _by_bloom(file, row_group, leaf, test):
            return []
        if "dictionary" in using and not _by_dictionary(file, row_group, leaf, test):
            return []
        if "index" in using:
            return list(_by_index(file, row_group, leaf, test, rows))
    return [(0, rows)]


def _order(file: ParquetFile, leaf: int) -> Order:
    """Return the order of a column, undefined if there are too few or too many column orders."""
    column_orders = file.metadata.column_orders
    usable = column_orders is not None and len(column_orders) == len(file.leaves)
    return orders.order_of(file.leaves[leaf], column_orders[leaf] if column_orders and usable else None)


def _of_chunk(file: ParquetFile, order: Order, stats: Statistics) -> Statistics:
    """Use the deprecated bounds only in files without column orders, or with a known order.

    "If the reader does not support the value of this union, min and max stats for this column should be
    ignored."
    """
    if order is not Order.UNDEFINED or file.metadata.column_orders is None:
        return stats
    return Statistics(null_count=stats.null_count, nan_count=stats.nan_count)


def _by_statistics(file: ParquetFile, row_group: int, leaf: int, test: Test) -> bool:
    meta = file.column_metadata(row_group, leaf)
    stats = meta.statistics
    if stats is None:
        return True
    order = _order(file, leaf)
    return may_match(test, order, _of_chunk(file, order, stats), meta.num_values)


def _by_bloom(file: ParquetFile, row_group: int, leaf: int, test: Test) -> bool:
    physical = file.leaves[leaf].physical
    # PLAIN stores BOOLEAN as bits: the specification does not define the hashed bytes.
    if not test.is_of_bytes or physical is None or physical.type == Type.BOOLEAN:
        return True
    filter_ = index.bloom_filter(file, row_group, leaf)
    if filter_ is None or filter_.header.numBytes <= 0 or filter_.header.numBytes % bloom.BLOCK_BYTES:
        return True
    header = filter_.header
    if header.algorithm.BLOCK is None or header.hash.XXHASH is None:
        return True
    if header.compression.UNCOMPRESSED is None:
        return True
    bitset = index.bloom_bitset(file, row_group, leaf, filter_)
    return any(bloom.might_contain(bitset, raw) for raw in _twins(test))


def _twins(test: Test) -> Iterator[bytes]:
    """Yield the constants; for a zero, both zeros."""
    for raw in test.constants:
        yield raw
        if test.is_float and orders.number(raw) == 0:
            yield bytes(len(raw))
            yield bytes(len(raw) - 1) + b"\x80"


def _by_dictionary(file: ParquetFile, row_group: int, leaf: int, test: Test) -> bool:
    """Return whether the dictionary has a constant, true unless every data page refers to it."""
    if not test.is_of_bytes:
        return True
    meta, node = file.column_metadata(row_group, leaf), file.leaves[leaf]
    decoder = PageDecoder(node, meta.codec, file.limits)
    start, stop = file.extent(row_group, leaf)
    cipher = file.chunk_cipher(row_group, leaf)
    for page in walk(bytes(file.data[start:stop]), start, cipher, verify_crc=file.verify_crc):
        kind = page.header.type
        if kind == PageType.DICTIONARY_PAGE:
            decoder.load_dictionary(page)
            continue
        header = page.header.data_page_header or page.header.data_page_header_v2
        if header is not None and header.encoding not in DICTIONARY_ENCODINGS:
            return True
    if decoder.dictionary is None:
        return True
    wanted = set(_twins(test))
    return any(raw in wanted for raw in orders.raws(decoder.dictionary))


def _by_index(
    file: ParquetFile, row_group: int, leaf: int, test: Test, rows: int
) -> Iterator[tuple[int, int]]:
    """Yield the rows of the pages that may match, adjacent pages as one range."""
    columns, places = index.column_index(file, row_group, leaf), index.offset_index(file, row_group, leaf)
    starts = [location.first_row_index for location in places.page_locations] if places else []
    pages = len(starts)
    starts.append(rows)
    if columns is None or not pages or len(columns.null_pages) != pages or not _cover(starts):
        yield 0, rows
        return
    order = _order(file, leaf)
    held: tuple[int, int] | None = None
    for number in range(pages):
        # A page of a column that is not repeated has an entry for each of its rows.
        entries = starts[number + 1] - starts[number]
        null = columns.null_pages[number]
        stats = Statistics(
            null_count=entries if null else (columns.null_counts[number] if columns.null_counts else None),
            nan_count=columns.nan_counts[number] if columns.nan_counts else None,
            min_value=None if null else columns.min_values[number],
            max_value=None if null else columns.max_values[number],
        )
        if not may_match(test, order, stats, entries):
            continue
        if held is not None and held[1] == starts[number]:
            held = held[0], starts[number + 1]
            continue
        if held is not None:
            yield held
        held = starts[number], starts[number + 1]
    if held is not None:
        yield held


def _cover(starts: list[int]) -> bool:
    """Return whether pages with these first rows (and the end of the last page) hold each row once."""
    return starts[0] == 0 and all(first < second for first, second in pairwise(starts))
