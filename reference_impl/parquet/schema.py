"""parquet.thrift as tables: the same names, ids and order as the newest revision (August 2026).

Older revisions are subsets of it. `page_structs` has what stands outside of the footer.
"""

# ruff: noqa: D101, N815 - the interface description documents its structs and chose their names.

from dataclasses import dataclass
from enum import IntEnum
from typing import Annotated

from reference_impl.parquet.statistics_structs import GeospatialStatistics, SizeStatistics, Statistics
from reference_impl.wire.table import BINARY, BOOL, I8, I16, I32, I64, STRING, ListOf, Struct, Union


class Type(IntEnum):
    BOOLEAN = 0
    INT32 = 1
    INT64 = 2
    INT96 = 3
    FLOAT = 4
    DOUBLE = 5
    BYTE_ARRAY = 6
    FIXED_LEN_BYTE_ARRAY = 7


class ConvertedType(IntEnum):
    UTF8 = 0
    MAP = 1
    MAP_KEY_VALUE = 2
    LIST = 3
    ENUM = 4
    DECIMAL = 5
    DATE = 6
    TIME_MILLIS = 7
    TIME_MICROS = 8
    TIMESTAMP_MILLIS = 9
    TIMESTAMP_MICROS = 10
    UINT_8 = 11
    UINT_16 = 12
    UINT_32 = 13
    UINT_64 = 14
    INT_8 = 15
    INT_16 = 16
    INT_32 = 17
    INT_64 = 18
    JSON = 19
    BSON = 20
    INTERVAL = 21


class FieldRepetitionType(IntEnum):
    REQUIRED = 0
    OPTIONAL = 1
    REPEATED = 2


class EdgeInterpolationAlgorithm(IntEnum):
    SPHERICAL = 0
    VINCENTY = 1
    THOMAS = 2
    ANDOYER = 3
    KARNEY = 4


class Encoding(IntEnum):
    PLAIN = 0
    PLAIN_DICTIONARY = 2
    RLE = 3
    BIT_PACKED = 4
    DELTA_BINARY_PACKED = 5
    DELTA_LENGTH_BYTE_ARRAY = 6
    DELTA_BYTE_ARRAY = 7
    RLE_DICTIONARY = 8
    BYTE_STREAM_SPLIT = 9
    ALP = 10


class CompressionCodec(IntEnum):
    UNCOMPRESSED = 0
    SNAPPY = 1
    GZIP = 2
    LZO = 3
    BROTLI = 4
    LZ4 = 5
    ZSTD = 6
    LZ4_RAW = 7


class PageType(IntEnum):
    DATA_PAGE = 0
    INDEX_PAGE = 1
    DICTIONARY_PAGE = 2
    DATA_PAGE_V2 = 3


@dataclass(slots=True, kw_only=True, repr=False, eq=False)
class Empty(Struct):
    """StringType, UUIDType, MapType, ListType, EnumType, DateType, Float16Type, NullType, JsonType, BsonType,
    FileType, MilliSeconds, MicroSeconds, NanoSeconds, SplitBlockAlgorithm, XxHash, Uncompressed,
    TypeDefinedOrder, IEEE754TotalOrder, Int96TimestampOrder, IndexPageHeader, EncryptionWithFooterKey.
    """  # noqa: D205 - the structs of parquet.thrift that have no fields


@dataclass(slots=True, kw_only=True, repr=False, eq=False)
class DecimalType(Struct):
    scale: Annotated[int, 1, I32]
    precision: Annotated[int, 2, I32]


@dataclass(slots=True, kw_only=True, repr=False, eq=False)
class TimeUnit(Union):
    MILLIS: Annotated[Empty | None, 1, Empty] = None
    MICROS: Annotated[Empty | None, 2, Empty] = None
    NANOS: Annotated[Empty | None, 3, Empty] = None


@dataclass(slots=True, kw_only=True, repr=False, eq=False)
class TimeType(Struct):
    isAdjustedToUTC: Annotated[bool, 1, BOOL]
    unit: Annotated[TimeUnit, 2, TimeUnit]


@dataclass(slots=True, kw_only=True, repr=False, eq=False)
class TimestampType(TimeType):
    """The fields of TimeType."""


@dataclass(slots=True, kw_only=True, repr=False, eq=False)
class IntType(Struct):
    bitWidth: Annotated[int, 1, I8]
    isSigned: Annotated[bool, 2, BOOL]


@dataclass(slots=True, kw_only=True, repr=False, eq=False)
class VariantType(Struct):
    specification_version: Annotated[int | None, 1, I8] = None


@dataclass(slots=True, kw_only=True, repr=False, eq=False)
class GeometryType(Struct):
    crs: Annotated[str | None, 1, STRING] = None


@dataclass(slots=True, kw_only=True, repr=False, eq=False)
class GeographyType(Struct):
    crs: Annotated[str | None, 1, STRING] = None
    algorithm: Annotated[EdgeInterpolationAlgorithm | int | None, 2, EdgeInterpolationAlgorithm] = None


@dataclass(slots=True, kw_only=True, repr=False, eq=False)
class LogicalType(Union):
    STRING: Annotated[Empty | None, 1, Empty] = None
    MAP: Annotated[Empty | None, 2, Empty] = None
    LIST: Annotated[Empty | None, 3, Empty] = None
    ENUM: Annotated[Empty | None, 4, Empty] = None
    DECIMAL: Annotated[DecimalType | None, 5, DecimalType] = None
    DATE: Annotated[Empty | None, 6, Empty] = None
    TIME: Annotated[TimeType | None, 7, TimeType] = None
    TIMESTAMP: Annotated[TimestampType | None, 8, TimestampType] = None  # 9 is reserved for INTERVAL
    INTEGER: Annotated[IntType | None, 10, IntType] = None
    UNKNOWN: Annotated[Empty | None, 11, Empty] = None
    JSON: Annotated[Empty | None, 12, Empty] = None
    BSON: Annotated[Empty | None, 13, Empty] = None
    UUID: Annotated[Empty | None, 14, Empty] = None
    FLOAT16: Annotated[Empty | None, 15, Empty] = None
    VARIANT: Annotated[VariantType | None, 16, VariantType] = None
    GEOMETRY: Annotated[GeometryType | None, 17, GeometryType] = None
    GEOGRAPHY: Annotated[GeographyType | None, 18, GeographyType] = None
    FILE: Annotated[Empty | None, 19, Empty] = None


@dataclass(slots=True, kw_only=True, repr=False, eq=False)
class SchemaElement(Struct):
    type: Annotated[Type | int | None, 1, Type] = None
    type_length: Annotated[int | None, 2, I32] = None
    repetition_type: Annotated[FieldRepetitionType | int | None, 3, FieldRepetitionType] = None
    name: Annotated[str, 4, STRING]
    num_children: Annotated[int | None, 5, I32] = None
    converted_type: Annotated[ConvertedType | int | None, 6, ConvertedType] = None
    scale: Annotated[int | None, 7, I32] = None
    precision: Annotated[int | None, 8, I32] = None
    field_id: Annotated[int | None, 9, I32] = None
    logicalType: Annotated[LogicalType | None, 10, LogicalType] = None


@dataclass(slots=True, kw_only=True, repr=False, eq=False)
class KeyValue(Struct):
    key: Annotated[str, 1, STRING]
    value: Annotated[str | None, 2, STRING] = None


@dataclass(slots=True, kw_only=True, repr=False, eq=False)
class SortingColumn(Struct):
    column_idx: Annotated[int, 1, I32]
    descending: Annotated[bool, 2, BOOL]
    nulls_first: Annotated[bool, 3, BOOL]


@dataclass(slots=True, kw_only=True, repr=False, eq=False)
class PageEncodingStats(Struct):
    page_type: Annotated[PageType | int, 1, PageType]
    encoding: Annotated[Encoding | int, 2, Encoding]
    count: Annotated[int, 3, I32]


@dataclass(slots=True, kw_only=True, repr=False, eq=False)
class ColumnMetaData(Struct):
    type: Annotated[Type | int, 1, Type]
    encodings: Annotated[list[Encoding | int], 2, ListOf(Encoding)]
    path_in_schema: Annotated[list[str], 3, ListOf(STRING)]
    codec: Annotated[CompressionCodec | int, 4, CompressionCodec]
    num_values: Annotated[int, 5, I64]
    total_uncompressed_size: Annotated[int, 6, I64]
    total_compressed_size: Annotated[int, 7, I64]
    key_value_metadata: Annotated[list[KeyValue] | None, 8, ListOf(KeyValue)] = None
    data_page_offset: Annotated[int, 9, I64]
    index_page_offset: Annotated[int | None, 10, I64] = None
    dictionary_page_offset: Annotated[int | None, 11, I64] = None
    statistics: Annotated[Statistics | None, 12, Statistics] = None
    encoding_stats: Annotated[list[PageEncodingStats] | None, 13, ListOf(PageEncodingStats)] = None
    bloom_filter_offset: Annotated[int | None, 14, I64] = None
    bloom_filter_length: Annotated[int | None, 15, I32] = None
    size_statistics: Annotated[SizeStatistics | None, 16, SizeStatistics] = None
    geospatial_statistics: Annotated[GeospatialStatistics | None, 17, GeospatialStatistics] = None


@dataclass(slots=True, kw_only=True, repr=False, eq=False)
class EncryptionWithColumnKey(Struct):
    path_in_schema: Annotated[list[str], 1, ListOf(STRING)]
    key_metadata: Annotated[bytes | None, 2, BINARY] = None


@dataclass(slots=True, kw_only=True, repr=False, eq=False)
class ColumnCryptoMetaData(Union):
    ENCRYPTION_WITH_FOOTER_KEY: Annotated[Empty | None, 1, Empty] = None
    ENCRYPTION_WITH_COLUMN_KEY: Annotated[EncryptionWithColumnKey | None, 2, EncryptionWithColumnKey] = None


@dataclass(slots=True, kw_only=True, repr=False, eq=False)
class ColumnChunk(Struct):
    file_path: Annotated[str | None, 1, STRING] = None
    file_offset: Annotated[int, 2, I64]
    meta_data: Annotated[ColumnMetaData | None, 3, ColumnMetaData] = None
    offset_index_offset: Annotated[int | None, 4, I64] = None
    offset_index_length: Annotated[int | None, 5, I32] = None
    column_index_offset: Annotated[int | None, 6, I64] = None
    column_index_length: Annotated[int | None, 7, I32] = None
    crypto_metadata: Annotated[ColumnCryptoMetaData | None, 8, ColumnCryptoMetaData] = None
    encrypted_column_metadata: Annotated[bytes | None, 9, BINARY] = None


@dataclass(slots=True, kw_only=True, repr=False, eq=False)
class RowGroup(Struct):
    columns: Annotated[list[ColumnChunk], 1, ListOf(ColumnChunk)]
    total_byte_size: Annotated[int, 2, I64]
    num_rows: Annotated[int, 3, I64]
    sorting_columns: Annotated[list[SortingColumn] | None, 4, ListOf(SortingColumn)] = None
    file_offset: Annotated[int | None, 5, I64] = None
    total_compressed_size: Annotated[int | None, 6, I64] = None
    ordinal: Annotated[int | None, 7, I16] = None


@dataclass(slots=True, kw_only=True, repr=False, eq=False)
class ColumnOrder(Union):
    TYPE_ORDER: Annotated[Empty | None, 1, Empty] = None
    IEEE_754_TOTAL_ORDER: Annotated[Empty | None, 2, Empty] = None
    INT96_TIMESTAMP_ORDER: Annotated[Empty | None, 3, Empty] = None


@dataclass(slots=True, kw_only=True, repr=False, eq=False)
class AesGcmV1(Struct):
    aad_prefix: Annotated[bytes | None, 1, BINARY] = None
    aad_file_unique: Annotated[bytes | None, 2, BINARY] = None
    supply_aad_prefix: Annotated[bool | None, 3, BOOL] = None


@dataclass(slots=True, kw_only=True, repr=False, eq=False)
class AesGcmCtrV1(AesGcmV1):
    """The fields of AesGcmV1."""


@dataclass(slots=True, kw_only=True, repr=False, eq=False)
class EncryptionAlgorithm(Union):
    AES_GCM_V1: Annotated[AesGcmV1 | None, 1, AesGcmV1] = None
    AES_GCM_CTR_V1: Annotated[AesGcmCtrV1 | None, 2, AesGcmCtrV1] = None


@dataclass(slots=True, kw_only=True, repr=False, eq=False)
class FileMetaData(Struct):
    version: Annotated[int, 1, I32]
    schema: Annotated[list[SchemaElement], 2, ListOf(SchemaElement)]
    num_rows: Annotated[int, 3, I64]
    row_groups: Annotated[list[RowGroup], 4, ListOf(RowGroup)]
    key_value_metadata: Annotated[list[KeyValue] | None, 5, ListOf(KeyValue)] = None
    created_by: Annotated[str | None, 6, STRING] = None
    column_orders: Annotated[list[ColumnOrder] | None, 7, ListOf(ColumnOrder)] = None
    encryption_algorithm: Annotated[EncryptionAlgorithm | None, 8, EncryptionAlgorithm] = None
    footer_signing_key_metadata: Annotated[bytes | None, 9, BINARY] = None
