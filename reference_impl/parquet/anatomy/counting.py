"""Counts that follow from the pages: values of chunks, rows of row groups and of the file."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from reference_impl.cursor import Cursor
from reference_impl.errors import ReferenceError_
from reference_impl.parquet.anatomy.bodies import sections
from reference_impl.parquet.anatomy.edits import change_meta, count, nodes
from reference_impl.parquet.anatomy.parts import Anatomy, Chunk, PagePart
from reference_impl.parquet.chunk_writer import encoding_stats
from reference_impl.parquet.encodings import bit_packed, rle
from reference_impl.parquet.page_structs import OffsetIndex
from reference_impl.parquet.schema import CompressionCodec, Encoding
from reference_impl.parquet.tree import Node

_MOST = 1 << 24  # levels of a page that are counted


def recount(anatomy: Anatomy) -> Anatomy:
    """Return the parts with the counts of their pages.

    These are num_values and encoding_stats of chunks, num_rows of row groups (those of the first column whose
    pages can be counted) and of the file, and the first rows of offset indexes. Other counts stay.
    """
    own = anatomy.copy()
    try:
        columns: tuple[Node, ...] = nodes(own)
    except ReferenceError_:
        columns = ()
    for group in own.groups:
        rows = None
        for chunk, node in zip(group.chunks, columns, strict=False):
            counted = _recount_chunk(chunk, node)
            rows = counted if rows is None else rows
        if rows is not None:
            group.group = replace(group.group, num_rows=rows)
    own.metadata = replace(own.metadata, num_rows=sum(group.group.num_rows for group in own.groups))
    return own


def _recount_chunk(chunk: Chunk, node: Node) -> int | None:
    """Count a chunk, in place; return its rows, None if its pages cannot be counted."""
    meta = chunk.chunk.meta_data
    if chunk.at is None or chunk.rest or meta is None:
        return None
    pages = [page for page in chunk.pages if page.is_data]
    values = sum(count(page.header) for page in pages)
    stats = encoding_stats(page.header for page in chunk.pages) if meta.encoding_stats is not None else None
    change_meta(chunk, lambda meta: replace(meta, num_values=values, encoding_stats=stats))
    try:
        rows = [_rows(page, node, meta.codec) for page in pages]
    except ReferenceError_:
        return None
    part = chunk.offset_index
    if part is not None and isinstance(part.struct, OffsetIndex) and part.raw is None:
        firsts = [sum(rows[:number]) for number in range(len(rows))]
        locations = list(part.struct.page_locations)
        for number, first in enumerate(firsts[: len(locations)]):
            locations[number] = replace(locations[number], first_row_index=first)
        part.struct = replace(part.struct, page_locations=locations)
    return sum(rows)


def _rows(page: PagePart, node: Node, codec: CompressionCodec | int) -> int:
    """Return how many rows begin in a data page."""
    if page.header.data_page_header_v2 is not None:
        return page.header.data_page_header_v2.num_rows
    values = count(page.header)
    header = page.header.data_page_header
    if not node.repetition_level or header is None or not 0 < values < _MOST:
        return max(values, 0)
    cursor = Cursor(sections(page, node, codec).repetition)
    width = node.repetition_level.bit_length()
    packed = header.repetition_level_encoding == Encoding.BIT_PACKED
    levels = (bit_packed.decode if packed else rle.decode_prefixed)(cursor, width, values)
    return int(np.count_nonzero(levels == 0))
