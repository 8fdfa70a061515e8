"""Writing the column index and the offset index of a chunk (PageIndex.md)."""

from __future__ import annotations

from dataclasses import replace

from reference_impl.parquet import statistics
from reference_impl.parquet.chunk_writer import WrittenChunk, histograms, unencoded_bytes
from reference_impl.parquet.page_structs import BoundaryOrder, ColumnIndex, OffsetIndex, PageLocation
from reference_impl.parquet.shred import Entries, array
from reference_impl.parquet.statistics_structs import Statistics


def column_index(chunk: WrittenChunk) -> ColumnIndex | None:
    """Return the column index that the layout asks for, None if there can be none.

    A column without an order has none (ColumnIndex, of INT96), even if all values are null. A page with
    values has bounds, or the chunk has no column index: a page of only NaN in TYPE_ORDER has no bounds.
    """
    wanted = chunk.layout.index
    if wanted is None or not wanted.column or chunk.order is statistics.Order.UNDEFINED:
        return None
    page_statistics = [_of_page(chunk, part) for part in chunk.entries]
    null_pages = [not part.values for part in chunk.entries]
    bounds = [(page.min_value, page.max_value) for page in page_statistics]
    if any(not null and None in pair for null, pair in zip(null_pages, bounds, strict=True)):
        return None
    mins, maxs = [low or b"" for low, _ in bounds], [high or b"" for _, high in bounds]
    order = BoundaryOrder.UNORDERED
    if wanted.ordered:
        order = statistics.boundary_order(mins, maxs, null_pages, chunk.order)
    null_counts = [len(part) - len(part.values) for part in chunk.entries]
    repetition = histograms([part.repetition for part in chunk.entries], chunk.node.repetition_level)
    definition = histograms([part.definition for part in chunk.entries], chunk.node.definition_level)
    return ColumnIndex(
        null_pages=null_pages,
        min_values=mins,
        max_values=maxs,
        boundary_order=order,
        null_counts=null_counts if wanted.statistics.null_count else None,
        repetition_level_histograms=repetition if wanted.histograms else None,
        definition_level_histograms=definition if wanted.histograms else None,
        nan_counts=_nan_counts(page_statistics) if wanted.statistics.nan_count else None,
    )


def _of_page(chunk: WrittenChunk, part: Entries) -> Statistics:
    """Return the statistics of a page; a bound that cannot be truncated is written in full."""
    assert chunk.layout.index is not None
    assert chunk.node.physical is not None
    wanted = chunk.layout.index.statistics
    values = array(chunk.node.physical, part.values)
    nulls = len(part) - len(part.values)
    of_page = statistics.make(wanted, chunk.node, chunk.order, values, nulls)
    if wanted.truncate and part.values and (of_page.min_value is None or of_page.max_value is None):
        of_page = statistics.make(replace(wanted, truncate=0), chunk.node, chunk.order, values, nulls)
    return of_page


def _nan_counts(page_statistics: list[Statistics]) -> list[int] | None:
    counts = [page.nan_count for page in page_statistics]
    return None if None in counts else [number for number in counts if number is not None]


def offset_index(chunk: WrittenChunk) -> OffsetIndex | None:
    """Return the offset index that the layout asks for."""
    wanted = chunk.layout.index
    if wanted is None:
        return None
    locations, row = [], 0
    for start, page in zip(chunk.starts, chunk.data_pages, strict=True):
        size = len(page.data)  # "including header"
        locations.append(PageLocation(offset=start, compressed_page_size=size, first_row_index=row))
        row += page.rows
    sizes = [unencoded_bytes(part) for part in chunk.entries] if wanted.sizes else []
    known_sizes = [size for size in sizes if size is not None]
    return OffsetIndex(page_locations=locations, unencoded_byte_array_data_bytes=known_sizes or None)
