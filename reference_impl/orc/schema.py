"""orc_proto.proto as tables: the same names, numbers and order as the newest revision (of orc-format).

Nested enums have the name of their message in front (`StreamKind`). All fields are optional, as in the
description; a repeated field is a tuple. A string whose bytes are not UTF-8 holds lone surrogates.
"""

# ruff: noqa: D101 - the interface description documents its messages.

from dataclasses import dataclass
from enum import IntEnum
from typing import Annotated

from reference_impl.orc.statistics_schema import ColumnStatistics
from reference_impl.wire.table import BINARY, FIXED64, STRING, U32, U64, ListOf, Struct


class StreamKind(IntEnum):
    PRESENT = 0
    DATA = 1
    LENGTH = 2
    DICTIONARY_DATA = 3
    DICTIONARY_COUNT = 4
    SECONDARY = 5
    ROW_INDEX = 6
    BLOOM_FILTER = 7
    BLOOM_FILTER_UTF8 = 8
    ENCRYPTED_INDEX = 9
    ENCRYPTED_DATA = 10
    STRIPE_STATISTICS = 100
    FILE_STATISTICS = 101


INDEX_KINDS = (
    StreamKind.ROW_INDEX,
    StreamKind.BLOOM_FILTER,
    StreamKind.BLOOM_FILTER_UTF8,
    StreamKind.ENCRYPTED_INDEX,
)


class EncodingKind(IntEnum):
    DIRECT = 0
    DICTIONARY = 1
    DIRECT_V2 = 2
    DICTIONARY_V2 = 3


class TypeKind(IntEnum):
    BOOLEAN = 0
    BYTE = 1
    SHORT = 2
    INT = 3
    LONG = 4
    FLOAT = 5
    DOUBLE = 6
    STRING = 7
    BINARY = 8
    TIMESTAMP = 9
    LIST = 10
    MAP = 11
    STRUCT = 12
    UNION = 13
    DECIMAL = 14
    DATE = 15
    VARCHAR = 16
    CHAR = 17
    TIMESTAMP_INSTANT = 18
    GEOMETRY = 19
    GEOGRAPHY = 20


class EdgeInterpolationAlgorithm(IntEnum):
    SPHERICAL = 0
    VINCENTY = 1
    THOMAS = 2
    ANDOYER = 3
    KARNEY = 4


class EncryptionAlgorithm(IntEnum):
    UNKNOWN_ENCRYPTION = 0
    AES_CTR_128 = 1
    AES_CTR_256 = 2


class KeyProviderKind(IntEnum):
    UNKNOWN = 0
    HADOOP = 1
    AWS = 2
    GCP = 3
    AZURE = 4


class CalendarKind(IntEnum):
    UNKNOWN_CALENDAR = 0
    JULIAN_GREGORIAN = 1
    PROLEPTIC_GREGORIAN = 2


class CompressionKind(IntEnum):
    NONE = 0
    ZLIB = 1
    SNAPPY = 2
    LZO = 3
    LZ4 = 4
    ZSTD = 5
    BROTLI = 6


@dataclass(slots=True, kw_only=True, repr=False, eq=False)
class RowIndexEntry(Struct):
    positions: Annotated[tuple[int, ...], 1, ListOf(U64, packed=True)] = ()
    statistics: Annotated[ColumnStatistics | None, 2, ColumnStatistics] = None


@dataclass(slots=True, kw_only=True, repr=False, eq=False)
class RowIndex(Struct):
    entry: Annotated[tuple[RowIndexEntry, ...], 1, ListOf(RowIndexEntry)] = ()


@dataclass(slots=True, kw_only=True, repr=False, eq=False)
class BloomFilter(Struct):
    num_hash_functions: Annotated[int | None, 1, U32] = None
    bitset: Annotated[tuple[int, ...], 2, ListOf(FIXED64)] = ()
    utf8bitset: Annotated[bytes | None, 3, BINARY] = None


@dataclass(slots=True, kw_only=True, repr=False, eq=False)
class BloomFilterIndex(Struct):
    bloom_filter: Annotated[tuple[BloomFilter, ...], 1, ListOf(BloomFilter)] = ()


@dataclass(slots=True, kw_only=True, repr=False, eq=False)
class Stream(Struct):
    kind: Annotated[StreamKind | None, 1, StreamKind] = None
    column: Annotated[int | None, 2, U32] = None
    length: Annotated[int | None, 3, U64] = None

    def known_kind(self) -> StreamKind | None:
        """Return the kind, None for an unknown kind; a missing kind is PRESENT, the first number."""
        return StreamKind.PRESENT if self.kind is None and not self.has_unknown(1) else self.kind


@dataclass(slots=True, kw_only=True, repr=False, eq=False)
class ColumnEncoding(Struct):
    kind: Annotated[EncodingKind | None, 1, EncodingKind] = None
    dictionary_size: Annotated[int | None, 2, U32] = None
    bloom_encoding: Annotated[int | None, 3, U32] = None


@dataclass(slots=True, kw_only=True, repr=False, eq=False)
class StripeEncryptionVariant(Struct):
    streams: Annotated[tuple[Stream, ...], 1, ListOf(Stream)] = ()
    encoding: Annotated[tuple[ColumnEncoding, ...], 2, ListOf(ColumnEncoding)] = ()


@dataclass(slots=True, kw_only=True, repr=False, eq=False)
class StripeFooter(Struct):
    streams: Annotated[tuple[Stream, ...], 1, ListOf(Stream)] = ()
    columns: Annotated[tuple[ColumnEncoding, ...], 2, ListOf(ColumnEncoding)] = ()
    writer_timezone: Annotated[str | None, 3, STRING] = None
    encryption: Annotated[tuple[StripeEncryptionVariant, ...], 4, ListOf(StripeEncryptionVariant)] = ()


@dataclass(slots=True, kw_only=True, repr=False, eq=False)
class StringPair(Struct):
    key: Annotated[str | None, 1, STRING] = None
    value: Annotated[str | None, 2, STRING] = None


@dataclass(slots=True, kw_only=True, repr=False, eq=False)
class Type(Struct):
    kind: Annotated[TypeKind | None, 1, TypeKind] = None
    subtypes: Annotated[tuple[int, ...], 2, ListOf(U32, packed=True)] = ()
    field_names: Annotated[tuple[str, ...], 3, ListOf(STRING)] = ()
    maximum_length: Annotated[int | None, 4, U32] = None
    precision: Annotated[int | None, 5, U32] = None
    scale: Annotated[int | None, 6, U32] = None
    attributes: Annotated[tuple[StringPair, ...], 7, ListOf(StringPair)] = ()
    crs: Annotated[str | None, 8, STRING] = None
    algorithm: Annotated[EdgeInterpolationAlgorithm | None, 9, EdgeInterpolationAlgorithm] = None


@dataclass(slots=True, kw_only=True, repr=False, eq=False)
class StripeInformation(Struct):
    offset: Annotated[int | None, 1, U64] = None
    index_length: Annotated[int | None, 2, U64] = None
    data_length: Annotated[int | None, 3, U64] = None
    footer_length: Annotated[int | None, 4, U64] = None
    number_of_rows: Annotated[int | None, 5, U64] = None
    encrypt_stripe_id: Annotated[int | None, 6, U64] = None
    encrypted_local_keys: Annotated[tuple[bytes, ...], 7, ListOf(BINARY)] = ()


@dataclass(slots=True, kw_only=True, repr=False, eq=False)
class UserMetadataItem(Struct):
    name: Annotated[str | None, 1, STRING] = None
    value: Annotated[bytes | None, 2, BINARY] = None


@dataclass(slots=True, kw_only=True, repr=False, eq=False)
class StripeStatistics(Struct):
    col_stats: Annotated[tuple[ColumnStatistics, ...], 1, ListOf(ColumnStatistics)] = ()


@dataclass(slots=True, kw_only=True, repr=False, eq=False)
class Metadata(Struct):
    stripe_stats: Annotated[tuple[StripeStatistics, ...], 1, ListOf(StripeStatistics)] = ()


@dataclass(slots=True, kw_only=True, repr=False, eq=False)
class ColumnarStripeStatistics(Struct):
    col_stats: Annotated[tuple[ColumnStatistics, ...], 1, ListOf(ColumnStatistics)] = ()


@dataclass(slots=True, kw_only=True, repr=False, eq=False)
class FileStatistics(Struct):
    column: Annotated[tuple[ColumnStatistics, ...], 1, ListOf(ColumnStatistics)] = ()


@dataclass(slots=True, kw_only=True, repr=False, eq=False)
class DataMask(Struct):
    name: Annotated[str | None, 1, STRING] = None
    mask_parameters: Annotated[tuple[str, ...], 2, ListOf(STRING)] = ()
    columns: Annotated[tuple[int, ...], 3, ListOf(U32, packed=True)] = ()


@dataclass(slots=True, kw_only=True, repr=False, eq=False)
class EncryptionKey(Struct):
    key_name: Annotated[str | None, 1, STRING] = None
    key_version: Annotated[int | None, 2, U32] = None
    algorithm: Annotated[EncryptionAlgorithm | None, 3, EncryptionAlgorithm] = None


@dataclass(slots=True, kw_only=True, repr=False, eq=False)
class EncryptionVariant(Struct):
    root: Annotated[int | None, 1, U32] = None
    key: Annotated[int | None, 2, U32] = None
    encrypted_key: Annotated[bytes | None, 3, BINARY] = None
    stripe_statistics: Annotated[tuple[Stream, ...], 4, ListOf(Stream)] = ()
    file_statistics: Annotated[bytes | None, 5, BINARY] = None


@dataclass(slots=True, kw_only=True, repr=False, eq=False)
class Encryption(Struct):
    mask: Annotated[tuple[DataMask, ...], 1, ListOf(DataMask)] = ()
    key: Annotated[tuple[EncryptionKey, ...], 2, ListOf(EncryptionKey)] = ()
    variants: Annotated[tuple[EncryptionVariant, ...], 3, ListOf(EncryptionVariant)] = ()
    key_provider: Annotated[KeyProviderKind | None, 4, KeyProviderKind] = None


@dataclass(slots=True, kw_only=True, repr=False, eq=False)
class Footer(Struct):
    header_length: Annotated[int | None, 1, U64] = None
    content_length: Annotated[int | None, 2, U64] = None
    stripes: Annotated[tuple[StripeInformation, ...], 3, ListOf(StripeInformation)] = ()
    types: Annotated[tuple[Type, ...], 4, ListOf(Type)] = ()
    metadata: Annotated[tuple[UserMetadataItem, ...], 5, ListOf(UserMetadataItem)] = ()
    number_of_rows: Annotated[int | None, 6, U64] = None
    statistics: Annotated[tuple[ColumnStatistics, ...], 7, ListOf(ColumnStatistics)] = ()
    row_index_stride: Annotated[int | None, 8, U32] = None
    writer: Annotated[int | None, 9, U32] = None
    encryption: Annotated[Encryption | None, 10, Encryption] = None
    calendar: Annotated[CalendarKind | None, 11, CalendarKind] = None
    software_version: Annotated[str | None, 12, STRING] = None


@dataclass(slots=True, kw_only=True, repr=False, eq=False)
class PostScript(Struct):
    footer_length: Annotated[int | None, 1, U64] = None
    compression: Annotated[CompressionKind | None, 2, CompressionKind] = None
    compression_block_size: Annotated[int | None, 3, U64] = None
    version: Annotated[tuple[int, ...], 4, ListOf(U32, packed=True)] = ()
    metadata_length: Annotated[int | None, 5, U64] = None
    writer_version: Annotated[int | None, 6, U32] = None
    stripe_statistics_length: Annotated[int | None, 7, U64] = None
    magic: Annotated[str | None, 8000, STRING] = None


@dataclass(slots=True, kw_only=True, repr=False, eq=False)
class FileTail(Struct):
    postscript: Annotated[PostScript | None, 1, PostScript] = None
    footer: Annotated[Footer | None, 2, Footer] = None
    file_length: Annotated[int | None, 3, U64] = None
    postscript_length: Annotated[int | None, 4, U64] = None
