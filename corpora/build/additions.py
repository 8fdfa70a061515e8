"""Legal content that plans cannot express: tampers that add it while the file is written."""

from __future__ import annotations

from dataclasses import dataclass, replace

from reference_impl.parquet.schema import ColumnChunk
from reference_impl.parquet.statistics_structs import GeospatialStatistics
from reference_impl.parquet.tamper import Place, Tamper


@dataclass(frozen=True)
class ShortBounds(Tamper):
    """Shortens the bounds of each chunk to `most` bytes, and raises the upper bound."""

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
    """Adds geospatial statistics to each chunk (Geospatial.md)."""

    statistics: GeospatialStatistics

    def chunk(self, place: Place, chunk: ColumnChunk) -> ColumnChunk:
        """Add the statistics."""
        del place
        assert chunk.meta_data is not None
        return replace(chunk, meta_data=replace(chunk.meta_data, geospatial_statistics=self.statistics))
