"""parquet.thrift as tables: statistics, of a column chunk, of a page, and of sizes and places."""

# ruff: noqa: D101 - the interface description documents its structs and chose their names.

from dataclasses import dataclass
from typing import Annotated

from reference_impl.wire.table import BINARY, BOOL, DOUBLE, I32, I64, ListOf, Struct


@dataclass(slots=True, kw_only=True, repr=False, eq=False)
class SizeStatistics(Struct):
    unencoded_byte_array_data_bytes: Annotated[int | None, 1, I64] = None
    repetition_level_histogram: Annotated[list[int] | None, 2, ListOf(I64)] = None
    definition_level_histogram: Annotated[list[int] | None, 3, ListOf(I64)] = None


@dataclass(slots=True, kw_only=True, repr=False, eq=False)
class BoundingBox(Struct):
    xmin: Annotated[float, 1, DOUBLE]
    xmax: Annotated[float, 2, DOUBLE]
    ymin: Annotated[float, 3, DOUBLE]
    ymax: Annotated[float, 4, DOUBLE]
    zmin: Annotated[float | None, 5, DOUBLE] = None
    zmax: Annotated[float | None, 6, DOUBLE] = None
    mmin: Annotated[float | None, 7, DOUBLE] = None
    mmax: Annotated[float | None, 8, DOUBLE] = None


@dataclass(slots=True, kw_only=True, repr=False, eq=False)
class GeospatialStatistics(Struct):
    bbox: Annotated[BoundingBox | None, 1, BoundingBox] = None
    geospatial_types: Annotated[list[int] | None, 2, ListOf(I32)] = None


@dataclass(slots=True, kw_only=True, repr=False, eq=False)
class Statistics(Struct):
    max: Annotated[bytes | None, 1, BINARY] = None
    min: Annotated[bytes | None, 2, BINARY] = None
    null_count: Annotated[int | None, 3, I64] = None
    distinct_count: Annotated[int | None, 4, I64] = None
    max_value: Annotated[bytes | None, 5, BINARY] = None
    min_value: Annotated[bytes | None, 6, BINARY] = None
    is_max_value_exact: Annotated[bool | None, 7, BOOL] = None
    is_min_value_exact: Annotated[bool | None, 8, BOOL] = None
    nan_count: Annotated[int | None, 9, I64] = None
