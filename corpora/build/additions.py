"""What is legal, and a plan has no words for: added while the file is written."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from reference_impl.parquet.schema import Empty, Encoding, PageEncodingStats, PageHeader, PageType
from reference_impl.parquet.tamper import Tamper
from reference_impl.wire import thrift

if TYPE_CHECKING:
    from reference_impl.parquet.schema import ColumnChunk, GeospatialStatistics
    from reference_impl.parquet.tamper import Place


class IndexPage(Tamper):
    """Puts an index page behind the first data page of each chunk, and says in the metadata where it is."""

    def __init__(self) -> None:
        header = PageHeader(
            type=PageType.INDEX_PAGE,
            uncompressed_page_size=4,
            compressed_page_size=4,
            index_page_header=Empty(),
        )
        self.page_bytes = thrift.encode(header) + b"page"
        self.behind = 0

    def page(self, place: Place, data: bytes) -> bytes:
        """Add the index page to the first data page."""
        if place.page != 0:
            return data
        self.behind = len(data)
        return data + self.page_bytes

    def chunk(self, place: Place, chunk: ColumnChunk) -> ColumnChunk:
        """Let the metadata of the chunk know of the index page."""
        del place
        meta = chunk.meta_data
        assert meta is not None
        counted = PageEncodingStats(page_type=PageType.INDEX_PAGE, encoding=Encoding.PLAIN, count=1)
        changed = replace(
            meta,
            total_uncompressed_size=meta.total_uncompressed_size + len(self.page_bytes),
            index_page_offset=meta.data_page_offset + self.behind,
            encoding_stats=[*(meta.encoding_stats or ()), counted],
        )
        return replace(chunk, meta_data=changed)


@dataclass(frozen=True)
class ShortBounds(Tamper):
    """Cuts the bounds of each chunk to so many bytes, the upper one raised."""

    most: int

    def chunk(self, place: Place, chunk: ColumnChunk) -> ColumnChunk:
        """Cut the bounds."""
        del place
        meta = chunk.meta_data
        assert meta is not None
        stats = meta.statistics
        if stats is None or stats.min_value is None or stats.max_value is None:
            return chunk
        high = stats.max_value[: self.most].rstrip(b"\xff")
        upper = high[:-1] + bytes([high[-1] + 1]) if high else None
        cut = replace(stats, min_value=stats.min_value[: self.most], max_value=upper)
        return replace(chunk, meta_data=replace(meta, statistics=cut))


@dataclass(frozen=True)
class Geospatial(Tamper):
    """Gives each chunk these statistics (Geospatial.md)."""

    statistics: GeospatialStatistics

    def chunk(self, place: Place, chunk: ColumnChunk) -> ColumnChunk:
        """Add the statistics."""
        del place
        assert chunk.meta_data is not None
        return replace(chunk, meta_data=replace(chunk.meta_data, geospatial_statistics=self.statistics))
