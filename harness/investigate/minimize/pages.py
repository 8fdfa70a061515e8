"""Data pages of Parquet as entries: decoded by the reference, changed, and encoded again as they were.

Statistics and indexes follow as far as they depend on the removed entries: nulls are counted again, bounds
stay, since they also bound fewer values; other counts and histograms are removed.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from harness.investigate.minimize.parquet import Parts
from harness.investigate.minimize.reduction import Impossible
from reference_impl.byte_arrays import ByteArrays, Values
from reference_impl.cursor import Cursor
from reference_impl.errors import Unsupported
from reference_impl.limits import DEFAULT
from reference_impl.parquet import anatomy
from reference_impl.parquet.anatomy import Chunk, PagePart, Sections, change_meta, sections, with_sections
from reference_impl.parquet.encodings import (
    alp,
    bit_packed,
    byte_stream_split,
    delta_binary_packed,
    delta_byte_array,
    delta_length_byte_array,
    dictionary,
    plain,
    rle,
)
from reference_impl.parquet.encodings.dispatch import DELTA_ENCODINGS, DICTIONARY_ENCODINGS
from reference_impl.parquet.page import PageDecoder
from reference_impl.parquet.page_structs import ColumnIndex, DataPageHeader, DataPageHeaderV2
from reference_impl.parquet.page_walk import Page
from reference_impl.parquet.schema import ColumnMetaData, Encoding, PageType, Type
from reference_impl.parquet.statistics_structs import Statistics
from reference_impl.parquet.tree import Node
from reference_impl.parquet.types import Physical, take


@dataclass(frozen=True)
class Content:
    """The entries of a data page; `indices` refer to the dictionary, if the page uses one.

    Absent levels are None. `layout` holds the sizes of blocks and miniblocks of delta encodings.
    """

    count: int
    definition: NDArray[Any] | None
    repetition: NDArray[Any] | None
    values: Values
    indices: NDArray[Any] | None
    layout: dict[str, int]

    def selected(self, wanted: NDArray[np.bool_], node: Node) -> Content:
        """Return the entries for which `wanted` is true."""
        places = np.flatnonzero(wanted)
        present = wanted if self.definition is None else wanted[self.definition == node.definition_level]
        inside = np.flatnonzero(present)
        return Content(
            len(places),
            None if self.definition is None else self.definition[places],
            None if self.repetition is None else self.repetition[places],
            take(self.values, inside),
            None if self.indices is None else self.indices[inside],
            self.layout,
        )


class ChunkContent:
    """The data pages of a chunk, decoded; raises the errors of the reference, Impossible without metadata."""

    def __init__(self, chunk: Chunk, node: Node) -> None:
        meta = chunk.chunk.meta_data
        if meta is None or node.physical is None or chunk.at is None or chunk.rest:
            raise Impossible("a chunk whose pages are not known")
        self.node = node
        self.physical: Physical = node.physical
        self.codec = meta.codec
        decoder = PageDecoder(node, meta.codec, DEFAULT)
        self.pages: dict[int, Content] = {}
        for number, part in enumerate(chunk.pages):
            page = Page(part.header, 0, 0, memoryview(part.stored))
            if part.header.type == PageType.DICTIONARY_PAGE:
                decoder.load_dictionary(page)
            elif part.is_data:
                self.pages[number] = self._content(decoder, part, page)
        self.dictionary = decoder.dictionary

    def _content(self, decoder: PageDecoder, part: PagePart, page: Page) -> Content:
        entries = decoder.entries(page)
        header = head_of(part)
        body = Cursor(sections(part, self.node, self.codec).values)
        indices, layout = None, {}
        if header.encoding in DICTIONARY_ENCODINGS:
            indices = dictionary.decode_indices(body, len(entries.values)).astype(np.int64)
        elif header.encoding in DELTA_ENCODINGS:
            layout = {"block_size": body.uleb128(32), "miniblocks": body.uleb128(32)}
        return Content(entries.count, entries.definition, entries.repetition, entries.values, indices, layout)

    def rows(self) -> dict[int, NDArray[np.int64]]:
        """Return for each page the row, counted in the chunk, of each entry."""
        by_page, before = {}, 0
        for number, page in self.pages.items():
            begun = np.ones(page.count, np.int64) if page.repetition is None else page.repetition == 0
            rows = np.cumsum(begun, dtype=np.int64) - 1 + before
            before = int(rows[-1]) + 1 if len(rows) else before
            by_page[number] = rows
        return by_page

    def written(self, part: PagePart, content: Content) -> PagePart:
        """Return a page with other entries, in the encoding that its header names."""
        header = head_of(part)
        old = header is part.header.data_page_header
        levels = [
            self._levels(header, content.repetition, self.node.repetition_level, "repetition", prefixed=old),
            self._levels(header, content.definition, self.node.definition_level, "definition", prefixed=old),
        ]
        body = encoded(content, header.encoding, self.physical)
        page = with_sections(part, Sections(levels[0], levels[1], body), self.codec)
        nulls = content.count - len(content.values)
        header = head_of(page)  # with the new sizes of levels
        changed: dict[str, Any] = {"num_values": content.count}
        if not old:
            rows = (
                content.count
                if content.repetition is None
                else int(np.count_nonzero(content.repetition == 0))
            )
            changed |= {"num_nulls": nulls, "num_rows": rows}
        if header.statistics is not None:
            changed["statistics"] = without_counts(header.statistics, nulls, content.count)
        return with_head(page, replace(header, **changed))

    @staticmethod
    def _levels(
        header: DataPageHeader | DataPageHeaderV2,
        levels: NDArray[Any] | None,
        most: int,
        name: str,
        *,
        prefixed: bool,
    ) -> bytes:
        if levels is None:
            return b""
        width = most.bit_length()
        if prefixed and getattr(header, f"{name}_level_encoding") == Encoding.BIT_PACKED:
            return bit_packed.encode(levels, width)
        return rle.encode_prefixed(levels, width) if prefixed else rle.encode(levels, width)


def head_of(page: PagePart) -> DataPageHeader | DataPageHeaderV2:
    """Return the header of a data page; raises Impossible if it has none."""
    header = page.header
    data_header = header.data_page_header if header.type == PageType.DATA_PAGE else header.data_page_header_v2
    if data_header is None:
        raise Impossible("a data page without its header")
    return data_header


def with_head(page: PagePart, header: DataPageHeader | DataPageHeaderV2) -> PagePart:
    """Return a data page with another header of the kind that it has."""
    if isinstance(header, DataPageHeader):
        return page.edited(data_page_header=header)
    return page.edited(data_page_header_v2=header)


def encoded(content: Content, encoding: Encoding | int, physical: Physical) -> bytes:
    """Return values in an encoding; raises Unsupported for one that cannot be written."""
    values = content.values
    if encoding in DICTIONARY_ENCODINGS and content.indices is not None:
        return dictionary.encode_indices(content.indices)
    if encoding == Encoding.PLAIN:
        return plain.encode(values, physical)
    if encoding == Encoding.DELTA_BYTE_ARRAY:
        return delta_byte_array.encode(values, prefixes=None, **content.layout)
    if isinstance(values, ByteArrays):
        if encoding == Encoding.DELTA_LENGTH_BYTE_ARRAY:
            return delta_length_byte_array.encode(values, **content.layout)
    elif encoding == Encoding.RLE and physical.type == Type.BOOLEAN:
        return rle.encode_prefixed(values.view(np.uint8), 1)
    elif encoding == Encoding.DELTA_BINARY_PACKED:
        return delta_binary_packed.encode(values.astype(values.dtype), **content.layout)
    elif encoding == Encoding.BYTE_STREAM_SPLIT:
        return byte_stream_split.encode(values)
    elif encoding == Encoding.ALP:
        return alp.encode(values)
    raise Unsupported(f"{physical} in encoding {encoding!r}")


def without_counts(statistics: Statistics, nulls: int, count: int) -> Statistics:
    """Return statistics of fewer entries: bounds stay, if any value is left."""
    remaining = replace(
        statistics,
        null_count=None if statistics.null_count is None else nulls,
        distinct_count=None,
        nan_count=None,
        is_min_value_exact=None,
        is_max_value_exact=None,
    )
    if nulls < count:
        return remaining
    return replace(remaining, min=None, max=None, min_value=None, max_value=None)


def settle(chunk: Chunk, contents: dict[int, Content]) -> None:
    """Update statistics and indexes of a chunk to its pages, in place; `recount` updates counts of values."""
    count = sum(page.count for page in contents.values())
    nulls = count - sum(len(page.values) for page in contents.values())

    def change(meta: ColumnMetaData) -> ColumnMetaData:
        stats = None if meta.statistics is None else without_counts(meta.statistics, nulls, count)
        return replace(meta, statistics=stats, size_statistics=None)

    change_meta(chunk, change)
    part = chunk.column_index
    pages = list(contents.values())
    if part is None or not isinstance(part.struct, ColumnIndex) or len(part.struct.null_pages) != len(pages):
        return
    empty = [not len(page.values) for page in pages]
    index = part.struct
    part.raw = None
    part.struct = replace(
        index,
        null_pages=empty,
        min_values=[b"" if gone else low for gone, low in zip(empty, index.min_values, strict=True)],
        max_values=[b"" if gone else high for gone, high in zip(empty, index.max_values, strict=True)],
        null_counts=None if index.null_counts is None else [page.count - len(page.values) for page in pages],
        repetition_level_histograms=None,
        definition_level_histograms=None,
        nan_counts=None,
    )


_MOST = 1 << 22  # rows of a file that is decoded


class Contents:
    """All chunks of a file, decoded, by row group and column; raises Impossible."""

    def __init__(self, data: bytes) -> None:
        self.parts = Parts(data)
        own = self.parts.anatomy
        if sum(group.group.num_rows for group in own.groups) > _MOST:
            raise Impossible("too many rows to decode")
        leaves = anatomy.nodes(own)
        if any(len(group.chunks) != len(leaves) for group in own.groups):
            raise Impossible("a row group without a chunk for each leaf column")
        self.chunks = [
            [ChunkContent(chunk, node) for chunk, node in zip(group.chunks, leaves, strict=True)]
            for group in own.groups
        ]

    def pages(self) -> list[tuple[int, int, int]]:
        """Return the places of the data pages: row group, column, page."""
        return [
            (group, column, page)
            for group, chunks in enumerate(self.chunks)
            for column, chunk in enumerate(chunks)
            for page in chunk.pages
        ]
