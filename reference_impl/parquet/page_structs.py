"""parquet.thrift as tables: what stands outside of the footer: pages, indexes, Bloom filters, keys."""

# ruff: noqa: D101, N815 - the interface description documents its structs and chose their names.

from dataclasses import dataclass
from enum import IntEnum
from typing import Annotated

from reference_impl.parquet.schema import Empty, Encoding, EncryptionAlgorithm, PageType
from reference_impl.parquet.statistics_structs import Statistics
from reference_impl.wire.table import BINARY, BOOL, I32, I64, ListOf, Struct, Union


class BoundaryOrder(IntEnum):
    UNORDERED = 0
    ASCENDING = 1
    DESCENDING = 2


@dataclass(slots=True, kw_only=True, repr=False, eq=False)
class DataPageHeader(Struct):
    num_values: Annotated[int, 1, I32]
    encoding: Annotated[Encoding | int, 2, Encoding]
    definition_level_encoding: Annotated[Encoding | int, 3, Encoding]
    repetition_level_encoding: Annotated[Encoding | int, 4, Encoding]
    statistics: Annotated[Statistics | None, 5, Statistics] = None


@dataclass(slots=True, kw_only=True, repr=False, eq=False)
class DictionaryPageHeader(Struct):
    num_values: Annotated[int, 1, I32]
    encoding: Annotated[Encoding | int, 2, Encoding]
    is_sorted: Annotated[bool | None, 3, BOOL] = None


@dataclass(slots=True, kw_only=True, repr=False, eq=False)
class DataPageHeaderV2(Struct):
    num_values: Annotated[int, 1, I32]
    num_nulls: Annotated[int, 2, I32]
    num_rows: Annotated[int, 3, I32]
    encoding: Annotated[Encoding | int, 4, Encoding]
    definition_levels_byte_length: Annotated[int, 5, I32]
    repetition_levels_byte_length: Annotated[int, 6, I32]
    is_compressed: Annotated[bool | None, 7, BOOL] = None  # absent means true
    statistics: Annotated[Statistics | None, 8, Statistics] = None


@dataclass(slots=True, kw_only=True, repr=False, eq=False)
class BloomFilterAlgorithm(Union):
    BLOCK: Annotated[Empty | None, 1, Empty] = None


@dataclass(slots=True, kw_only=True, repr=False, eq=False)
class BloomFilterHash(Union):
    XXHASH: Annotated[Empty | None, 1, Empty] = None


@dataclass(slots=True, kw_only=True, repr=False, eq=False)
class BloomFilterCompression(Union):
    UNCOMPRESSED: Annotated[Empty | None, 1, Empty] = None


@dataclass(slots=True, kw_only=True, repr=False, eq=False)
class BloomFilterHeader(Struct):
    numBytes: Annotated[int, 1, I32]
    algorithm: Annotated[BloomFilterAlgorithm, 2, BloomFilterAlgorithm]
    hash: Annotated[BloomFilterHash, 3, BloomFilterHash]
    compression: Annotated[BloomFilterCompression, 4, BloomFilterCompression]


@dataclass(slots=True, kw_only=True, repr=False, eq=False)
class PageHeader(Struct):
    type: Annotated[PageType | int, 1, PageType]
    uncompressed_page_size: Annotated[int, 2, I32]
    compressed_page_size: Annotated[int, 3, I32]
    crc: Annotated[int | None, 4, I32] = None
    data_page_header: Annotated[DataPageHeader | None, 5, DataPageHeader] = None
    index_page_header: Annotated[Empty | None, 6, Empty] = None
    dictionary_page_header: Annotated[DictionaryPageHeader | None, 7, DictionaryPageHeader] = None
    data_page_header_v2: Annotated[DataPageHeaderV2 | None, 8, DataPageHeaderV2] = None


@dataclass(slots=True, kw_only=True, repr=False, eq=False)
class PageLocation(Struct):
    offset: Annotated[int, 1, I64]
    compressed_page_size: Annotated[int, 2, I32]
    first_row_index: Annotated[int, 3, I64]


@dataclass(slots=True, kw_only=True, repr=False, eq=False)
class OffsetIndex(Struct):
    page_locations: Annotated[list[PageLocation], 1, ListOf(PageLocation)]
    unencoded_byte_array_data_bytes: Annotated[list[int] | None, 2, ListOf(I64)] = None


@dataclass(slots=True, kw_only=True, repr=False, eq=False)
class ColumnIndex(Struct):
    null_pages: Annotated[list[bool], 1, ListOf(BOOL)]
    min_values: Annotated[list[bytes], 2, ListOf(BINARY)]
    max_values: Annotated[list[bytes], 3, ListOf(BINARY)]
    boundary_order: Annotated[BoundaryOrder | int, 4, BoundaryOrder]
    null_counts: Annotated[list[int] | None, 5, ListOf(I64)] = None
    repetition_level_histograms: Annotated[list[int] | None, 6, ListOf(I64)] = None
    definition_level_histograms: Annotated[list[int] | None, 7, ListOf(I64)] = None
    nan_counts: Annotated[list[int] | None, 8, ListOf(I64)] = None


@dataclass(slots=True, kw_only=True, repr=False, eq=False)
class FileCryptoMetaData(Struct):
    encryption_algorithm: Annotated[EncryptionAlgorithm, 1, EncryptionAlgorithm]
    key_metadata: Annotated[bytes | None, 2, BINARY] = None
