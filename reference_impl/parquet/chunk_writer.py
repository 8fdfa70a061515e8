"""Writing column chunks: dictionary, pages, and the metadata that describes them."""

from __future__ import annotations

import struct
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import accumulate, count

from reference_impl.errors import UsageError
from reference_impl.parquet import plan, statistics
from reference_impl.parquet.encodings.dispatch import DICTIONARY_ENCODINGS
from reference_impl.parquet.page_layout import cut
from reference_impl.parquet.page_structs import PageHeader
from reference_impl.parquet.page_writer import PageWriter, Written
from reference_impl.parquet.schema import (
    ColumnChunk,
    ColumnMetaData,
    Encoding,
    KeyValue,
    PageEncodingStats,
    Type,
)
from reference_impl.parquet.shred import Entries, array, raw
from reference_impl.parquet.statistics import Order
from reference_impl.parquet.statistics_structs import BoundingBox, GeospatialStatistics, SizeStatistics
from reference_impl.parquet.tamper import Place, Tamper
from reference_impl.parquet.tree import Node
from reference_impl.wkb import extent_of


@dataclass
class WrittenChunk:
    """A chunk's bytes, and the entries that its metadata and indexes are computed from.

    `data_pages` are the pages, `entries` those of each page, `starts` where each page begins in `data`.
    """

    node: Node
    layout: plan.Column
    order: Order
    place: Place
    data: bytes
    metadata: ColumnMetaData
    data_pages: list[Written] = field(default_factory=list)
    entries: list[Entries] = field(default_factory=list)
    starts: list[int] = field(default_factory=list)
    chunk: ColumnChunk | None = None


def write_chunk(  # noqa: PLR0917 - all that determines a chunk
    file: plan.FilePlan, layout: plan.Column, entries: Entries, order: Order, row_group: int, tamper: Tamper
) -> WrittenChunk:
    """Write the pages of a chunk; offsets in its metadata count from the chunk's first byte.

    Raises UsageError for a layout that is not legal for the column.
    """
    node = entries.node
    writer = PageWriter(file, layout, node, order, row_group, tamper)
    cuts = list(cut(entries, layout))
    front: list[Written] = []
    lookup = None
    if layout.dictionary is not None:
        used = [
            value for page, part in cuts if page.encoding in DICTIONARY_ENCODINGS for value in part.values
        ]
        lookup = _Lookup(layout.dictionary, node, order, used)
        front.append(writer.dictionary(lookup.values, is_sorted=lookup.is_sorted))
    pages = []
    for number, (page, part) in enumerate(cuts):
        by_dictionary = lookup is not None and page.encoding in DICTIONARY_ENCODINGS
        indices = list(lookup.indices(part.values)) if lookup is not None and by_dictionary else None
        pages.append(writer.data(number, page, part, indices))
    every = [*front, *pages]
    index = None
    if layout.index_page is not None:
        index = _behind(layout, len(pages))
        every.insert(index, writer.index(layout.index_page))
    begins = list(accumulate((len(page.data) for page in every), initial=0))[:-1]
    starts = [at for number, at in enumerate(begins) if number != index][len(front) :]
    data = b"".join(page.data for page in every)
    first = starts[0] if starts else sum(len(page.data) for page in front)
    metadata = _metadata(layout, entries, order, every, data, first)
    if index is not None:
        metadata.index_page_offset = begins[index]
    parts = [part for _, part in cuts]
    place = Place(row_group, node.index)
    return WrittenChunk(node, layout, order, place, data, metadata, pages, parts, starts)


def _behind(layout: plan.Column, count: int) -> int:
    """Return the place of the index page among the pages of a chunk; raises UsageError for the first."""
    assert layout.index_page is not None
    dictionary = layout.dictionary
    after = min(layout.index_page.after, count)
    if not after and (dictionary is None or not dictionary.offset):
        raise UsageError("an index page where the chunk begins, which no offset says")
    return after + (dictionary is not None)


class _Lookup:
    """The values of a dictionary, and the index of each."""

    def __init__(self, layout: plan.Dictionary, node: Node, order: Order, used: Sequence[bytes]) -> None:
        assert node.physical is not None
        unused = [raw(node.physical, value) for value in layout.unused]
        distinct = list(dict.fromkeys((*unused, *used)))
        if layout.sorted_flag and order is not statistics.Order.UNDEFINED:
            distinct.sort(key=lambda value: statistics.key(order, value))
        self.values = [value for value in distinct for _ in range(1 + layout.duplicates)]
        self.is_sorted = layout.sorted_flag
        if layout.sorted_flag and order is statistics.Order.UNDEFINED:
            self.is_sorted = None
        self._places: dict[bytes, Iterator[int]] = {}
        for index, value in enumerate(distinct):
            self._places[value] = self._turns(index, twice=layout.duplicates)

    @staticmethod
    def _turns(index: int, *, twice: bool) -> Iterator[int]:
        return (2 * index + turn % 2 for turn in count()) if twice else (index for _ in count())

    def indices(self, values: Sequence[bytes]) -> Iterator[int]:
        """Yield the index of each value."""
        return (next(self._places[value]) for value in values)


def _metadata(  # noqa: PLR0917 - all that determines the metadata
    layout: plan.Column, entries: Entries, order: Order, pages: list[Written], data: bytes, first: int
) -> ColumnMetaData:
    node = entries.node
    assert node.physical is not None
    values = array(node.physical, entries.values)
    nulls = len(entries) - len(entries.values)
    stats = layout.statistics
    has_offset = layout.dictionary is not None and layout.dictionary.offset
    return ColumnMetaData(
        type=node.physical.type,
        encodings=list(_encodings(pages, node)),
        path_in_schema=list(node.path),
        codec=layout.codec,
        num_values=len(entries),
        total_uncompressed_size=sum(page.uncompressed for page in pages),
        total_compressed_size=len(data),
        key_value_metadata=[KeyValue(key=key, value=value) for key, value in layout.key_value_metadata]
        or None,
        # Without a dictionary offset, the chunk begins at data_page_offset.
        data_page_offset=first if has_offset else 0,
        dictionary_page_offset=0 if has_offset else None,
        statistics=statistics.make(stats, node, order, values, nulls) if stats else None,
        encoding_stats=encoding_stats(page.header for page in pages) if layout.encoding_stats else None,
        size_statistics=_sizes(entries) if layout.size_statistics else None,
        geospatial_statistics=_geospatial(entries) if layout.geospatial_statistics else None,
    )


def _geospatial(entries: Entries) -> GeospatialStatistics | None:
    """Return bounding box and types of the geometries of a chunk; raises UsageError for invalid WKB."""
    logical = entries.node.logical
    if logical is None or logical.name not in ("GEOMETRY", "GEOGRAPHY"):
        return None
    try:
        extent = extent_of(entries.values)
    except (ValueError, struct.error) as error:
        raise UsageError(f"geospatial statistics of a value that is no WKB: {error}") from error
    box = extent.box(geography=logical.name == "GEOGRAPHY")
    return GeospatialStatistics(
        bbox=None if box is None else BoundingBox(**box), geospatial_types=sorted(extent.types)
    )


def _encoding(header: PageHeader) -> Encoding | int:
    """Return the encoding of a data or dictionary page, PLAIN for an index page."""
    page_header = header.data_page_header or header.data_page_header_v2 or header.dictionary_page_header
    return page_header.encoding if page_header else Encoding.PLAIN


def _encodings(pages: list[Written], node: Node) -> Iterator[Encoding | int]:
    """Return "all encodings used for this column", those of levels included."""
    encodings = dict.fromkeys(_encoding(page.header) for page in pages if not page.header.index_page_header)
    if node.definition_level:
        old = (page.header.data_page_header for page in pages)
        encodings.update(dict.fromkeys(header.definition_level_encoding for header in old if header))
        if any(page.header.data_page_header_v2 for page in pages):
            encodings[Encoding.RLE] = None
    return iter(encodings)


def encoding_stats(headers: Iterable[PageHeader]) -> list[PageEncodingStats]:
    """Return how many pages there are of each type and encoding, index pages left out."""
    counted = Counter((header.type, _encoding(header)) for header in headers if not header.index_page_header)
    return [
        PageEncodingStats(page_type=kind, encoding=encoding, count=number)
        for (kind, encoding), number in counted.items()
    ]


def histograms(pages: Sequence[Sequence[int]], most: int) -> list[int] | None:
    """Return how often each level from 0 to `most` occurs, page by page; None if it is always 0."""
    counted = map(Counter, pages)
    return [page[level] for page in counted for level in range(most + 1)] if most else None


def unencoded_bytes(entries: Entries) -> int | None:
    """Return the bytes of a BYTE_ARRAY column's values without their lengths, None for other types."""
    assert entries.node.physical is not None
    return sum(map(len, entries.values)) if entries.node.physical.type == Type.BYTE_ARRAY else None


def _sizes(entries: Entries) -> SizeStatistics:
    node = entries.node
    return SizeStatistics(
        unencoded_byte_array_data_bytes=unencoded_bytes(entries),
        repetition_level_histogram=histograms([entries.repetition], node.repetition_level),
        definition_level_histogram=histograms([entries.definition], node.definition_level),
    )
