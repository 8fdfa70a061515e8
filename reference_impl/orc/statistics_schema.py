"""orc_proto.proto as tables: the statistics of columns; other messages are in `reference_impl.orc.schema`."""

# ruff: noqa: D101 - the interface description documents its messages.

from dataclasses import dataclass
from typing import Annotated

from reference_impl.wire.table import BOOL, DOUBLE, I32, S32, S64, STRING, U64, ListOf, Struct


@dataclass(slots=True, kw_only=True, repr=False, eq=False)
class IntegerStatistics(Struct):
    minimum: Annotated[int | None, 1, S64] = None
    maximum: Annotated[int | None, 2, S64] = None
    sum: Annotated[int | None, 3, S64] = None


@dataclass(slots=True, kw_only=True, repr=False, eq=False)
class DoubleStatistics(Struct):
    minimum: Annotated[float | None, 1, DOUBLE] = None
    maximum: Annotated[float | None, 2, DOUBLE] = None
    sum: Annotated[float | None, 3, DOUBLE] = None


@dataclass(slots=True, kw_only=True, repr=False, eq=False)
class StringStatistics(Struct):
    minimum: Annotated[str | None, 1, STRING] = None
    maximum: Annotated[str | None, 2, STRING] = None
    sum: Annotated[int | None, 3, S64] = None
    lower_bound: Annotated[str | None, 4, STRING] = None
    upper_bound: Annotated[str | None, 5, STRING] = None


@dataclass(slots=True, kw_only=True, repr=False, eq=False)
class BucketStatistics(Struct):
    count: Annotated[tuple[int, ...], 1, ListOf(U64, packed=True)] = ()


@dataclass(slots=True, kw_only=True, repr=False, eq=False)
class DecimalStatistics(Struct):
    minimum: Annotated[str | None, 1, STRING] = None
    maximum: Annotated[str | None, 2, STRING] = None
    sum: Annotated[str | None, 3, STRING] = None


@dataclass(slots=True, kw_only=True, repr=False, eq=False)
class DateStatistics(Struct):
    minimum: Annotated[int | None, 1, S32] = None
    maximum: Annotated[int | None, 2, S32] = None


@dataclass(slots=True, kw_only=True, repr=False, eq=False)
class TimestampStatistics(Struct):
    minimum: Annotated[int | None, 1, S64] = None
    maximum: Annotated[int | None, 2, S64] = None
    minimum_utc: Annotated[int | None, 3, S64] = None
    maximum_utc: Annotated[int | None, 4, S64] = None
    minimum_nanos: Annotated[int | None, 5, I32] = None
    maximum_nanos: Annotated[int | None, 6, I32] = None


@dataclass(slots=True, kw_only=True, repr=False, eq=False)
class BinaryStatistics(Struct):
    sum: Annotated[int | None, 1, S64] = None


@dataclass(slots=True, kw_only=True, repr=False, eq=False)
class CollectionStatistics(Struct):
    min_children: Annotated[int | None, 1, U64] = None
    max_children: Annotated[int | None, 2, U64] = None
    total_children: Annotated[int | None, 3, U64] = None


@dataclass(slots=True, kw_only=True, repr=False, eq=False)
class BoundingBox(Struct):
    xmin: Annotated[float | None, 1, DOUBLE] = None
    xmax: Annotated[float | None, 2, DOUBLE] = None
    ymin: Annotated[float | None, 3, DOUBLE] = None
    ymax: Annotated[float | None, 4, DOUBLE] = None
    zmin: Annotated[float | None, 5, DOUBLE] = None
    zmax: Annotated[float | None, 6, DOUBLE] = None
    mmin: Annotated[float | None, 7, DOUBLE] = None
    mmax: Annotated[float | None, 8, DOUBLE] = None


@dataclass(slots=True, kw_only=True, repr=False, eq=False)
class GeospatialStatistics(Struct):
    bbox: Annotated[BoundingBox | None, 1, BoundingBox] = None
    geospatial_types: Annotated[tuple[int, ...], 2, ListOf(I32)] = ()


@dataclass(slots=True, kw_only=True, repr=False, eq=False)
class ColumnStatistics(Struct):
    number_of_values: Annotated[int | None, 1, U64] = None
    int_statistics: Annotated[IntegerStatistics | None, 2, IntegerStatistics] = None
    double_statistics: Annotated[DoubleStatistics | None, 3, DoubleStatistics] = None
    string_statistics: Annotated[StringStatistics | None, 4, StringStatistics] = None
    bucket_statistics: Annotated[BucketStatistics | None, 5, BucketStatistics] = None
    decimal_statistics: Annotated[DecimalStatistics | None, 6, DecimalStatistics] = None
    date_statistics: Annotated[DateStatistics | None, 7, DateStatistics] = None
    binary_statistics: Annotated[BinaryStatistics | None, 8, BinaryStatistics] = None
    timestamp_statistics: Annotated[TimestampStatistics | None, 9, TimestampStatistics] = None
    has_null: Annotated[bool | None, 10, BOOL] = None
    bytes_on_disk: Annotated[int | None, 11, U64] = None
    collection_statistics: Annotated[CollectionStatistics | None, 12, CollectionStatistics] = None
    geospatial_statistics: Annotated[GeospatialStatistics | None, 13, GeospatialStatistics] = None
