"""The plan of an ORC file: types, values, and every physical choice as a field with a default.

`reference_impl.orc.writer.write` turns a plan into bytes. Plans are immutable, compare by value and print as
Python code that builds them, without fields at their default (`reference_impl.plans.show`).

Rows are values of the root type, tuples for a struct. Values by type, null being None:

    BOOLEAN                      bool
    BYTE, SHORT, INT, LONG       int
    FLOAT, DOUBLE                float, or its 4 or 8 bytes (little-endian), which keep the payload of a NaN
    STRING, CHAR, VARCHAR        bytes: UTF-8; the writer does not pad CHAR
    BINARY, GEOMETRY, GEOGRAPHY  bytes
    DECIMAL                      int, unscaled at the scale of the type; or (unscaled, scale)
    DATE                         int, days since 1970-01-01
    TIMESTAMP                    (seconds, nanos): seconds since 1970 of the wall clock as if it were UTC
    TIMESTAMP_INSTANT            (seconds, nanos): seconds since 1970 UTC; nanos are 0 to 999,999,999
    LIST                         list
    MAP                          list of (key, value) pairs; keys are neither null nor equal
    STRUCT                       tuple, in the order of the fields
    UNION                        (tag, value)

Days and seconds are those of the proleptic Gregorian calendar. A file of the hybrid calendar, by `calendar`
or without one by `writer`, stores the days that have the same dates there; it cannot store 1582-10-05 to
1582-10-14.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from reference_impl.orc.encodings.runs import Run
from reference_impl.orc.encryption_plan import Encryption
from reference_impl.orc.schema import CalendarKind, CompressionKind, Type

Row = Any

BLOCK_SIZE = 1 << 18  # the default where the postscript has no compressionBlockSize


class Present(StrEnum):
    """Whether a column has a PRESENT stream ("Column Encodings": it is optional)."""

    NEEDED = "needed"  # if a value is null
    ALWAYS = "always"  # also if none is null


class Original(StrEnum):
    """Which chunks are stored uncompressed, `isOriginal` ("Compression")."""

    NEEDED = "needed"  # those that the codec does not make smaller
    ALWAYS = "always"  # all of them
    MIXED = "mixed"  # every second one, and those that the codec does not make smaller


class Empty(StrEnum):
    """Where chunks of no bytes stand, which "Compression" does not exclude (rule ORC-COMP-005, a SHOULD)."""

    NOWHERE = "nowhere"
    FIRST = "first"  # in front of the first chunk
    BETWEEN = "between"  # behind each chunk but the last
    LAST = "last"  # behind the last chunk


class Order(StrEnum):
    """The order of streams within the index and the data of a stripe ("the order is not fixed")."""

    COLUMNS = "columns"  # by column, kinds as "Column Encodings" lists them
    REVERSED = "reversed"  # the reverse of COLUMNS
    KINDS = "kinds"  # by kind of stream, then by column


class DictionaryOrder(StrEnum):
    """The order of a dictionary's entries; the specification asks writers for SORTED."""

    SORTED = "sorted"  # by their bytes
    SEEN = "seen"  # as they appear
    REVERSED = "reversed"  # by their bytes, last first


@dataclass(frozen=True)
class Chunks:
    """How a stream is cut into compression chunks; without effect if there is no compression.

    `sizes`: bytes of each chunk before compression, used in turn, none larger than the file's block size;
    () for chunks of the block size. `level`: of ZLIB, ZSTD and BROTLI, None for the codec's own. `empty`:
    further chunks of no bytes, which no position names.
    """

    sizes: tuple[int, ...] = ()
    original: Original = Original.NEEDED
    level: int | None = None
    empty: Empty = Empty.NOWHERE


@dataclass(frozen=True)
class Statistics:
    """The fields of ColumnStatistics to write; all are optional, and all that are written are true.

    `count`: number_of_values. `has_null`: the field hasNull. `typed`: the message of
    the type, with `bounds` (minimum and maximum), `sum` and children of collections if the type has them.
    `widen`: bounds are moved outwards by so many steps of the order; pruning by them loses no row.
    `inward`: a minimum of zero is +0.0 and a maximum of zero -0.0, which equal the other zero.
    `truncate`: a string's bound longer than so many bytes becomes `lower_bound` or `upper_bound` (0: never);
    a string without a shorter upper bound is not truncated. Timestamps: `utc` minimum_utc and maximum_utc,
    `nanos` the digits behind the milliseconds, `local` the older minimum and maximum.
    `bytes_on_disk`: bytes of the column's data streams, in statistics of stripes and of the file.
    `geospatial`: the bounding box and the types of geometries.
    """

    count: bool = True
    has_null: bool = True
    typed: bool = True
    bounds: bool = True
    sum: bool = True
    widen: int = 0
    inward: bool = False
    truncate: int = 0
    utc: bool = True
    nanos: bool = True
    local: bool = False
    geospatial: bool = False
    bytes_on_disk: bool = False


@dataclass(frozen=True)
class Index:
    """The ROW_INDEX stream of a column, written if the file's row_index_stride is not 0.

    `statistics` None: entries without any. `empty_first`: the first entry has no positions (all are 0).
    """

    statistics: Statistics | None = Statistics()
    empty_first: bool = False


@dataclass(frozen=True)
class Bloom:
    """A Bloom filter for every row group ("Bloom Filter Index"), of any column but collections and unions.

    `words`: 64-bit words of the bit set, 1 or more; `hashes`: 1 or more. `original`: a BLOOM_FILTER stream,
    `utf8`: a BLOOM_FILTER_UTF8 stream; both may be written. `encoding`: `bloom_encoding`, 1 for timestamps in
    UTC; None or 0 leave timestamps in the zone of the writer.
    """

    words: int = 1
    hashes: int = 3
    utf8: bool = True
    original: bool = False
    encoding: int | None = 1


@dataclass(frozen=True)
class Dictionary:
    """A dictionary of STRING, CHAR or VARCHAR; `unused` entries are sorted in with the others.

    `duplicates`: every entry twice, and ids alternate; legal, as is another order, though not for writers.
    """

    order: DictionaryOrder = DictionaryOrder.SORTED
    unused: tuple[bytes, ...] = ()
    duplicates: bool = False


@dataclass(frozen=True)
class Column:
    """The layout of a column of a stripe.

    `rle`: version of the integer run length encoding, 1 (DIRECT, DICTIONARY) or 2 (DIRECT_V2, DICTIONARY_V2);
    types without integers are DIRECT. `dictionary`: for STRING, CHAR and VARCHAR, None for direct.

    Runs cut a stream of numbers or bytes; they are used in turn, the last run of the stream shortened, ()
    leaves the choice to the encoder. `present_runs` and `data_runs` of BOOLEAN, BYTE and UNION are of bytes,
    `data_runs` of others are of integers (ids where there is a dictionary), none for FLOAT, DOUBLE, DECIMAL
    and direct bytes; `length_runs` are of LENGTH (or of a dictionary's LENGTH), `secondary_runs` of
    SECONDARY.

    `index` None: no ROW_INDEX for this column ("for each primitive column": others may go without).
    `statistics` are those in the statistics of the stripe and (`FilePlan.columns` only) of the file; None
    leaves an empty message, which means unknown. `empty_streams`: list empty streams. `padding`: the bit that
    fills up the last byte of booleans and of PRESENT. `chunks` None: those of the file.
    """

    rle: int = 2
    dictionary: Dictionary | None = None
    present: Present = Present.NEEDED
    present_runs: tuple[Run, ...] = ()
    data_runs: tuple[Run, ...] = ()
    length_runs: tuple[Run, ...] = ()
    secondary_runs: tuple[Run, ...] = ()
    index: Index | None = Index()
    statistics: Statistics | None = Statistics()
    bloom: Bloom | None = None
    empty_streams: bool = True
    padding: bool = False
    chunks: Chunks | None = None


@dataclass(frozen=True)
class FilePlan:
    """A file. `types` is the flattened tree in preorder, root first, as in the footer, with attributes.

    `columns` has the layouts by type id, the default layout beyond its end; `overrides` the layouts of single
    columns of stripes, by (stripe, type id). `stripes`: rows of each (0 is legal), None for one stripe, or
    none without rows. `row_index_stride`: rows of a row group, 0 for no index. `gap`: zero bytes before each
    stripe.

    `block_size`: compressionBlockSize, 1 to 2^23 - 1, written unless `block_size_absent`, which is legal for
    BLOCK_SIZE or without compression. `tail_chunks`: of metadata, footer and stripe footers. `order` of
    streams; `stream_ranks`, used in turn, are the keys of a stable sort of that order.

    `writer_timezone`: name of a zone; None only without a TIMESTAMP. `stripe_timezones`: zones of the
    stripes, used in turn, if these differ (orc_proto.proto, StripeFooter.writerTimezone). `version`: (0, 11)
    is for files whose columns all have rle=1; (1, 9999) stores decimals of at most 18 digits as integers.
    `writer`: 0 Java, 1 C++, 2 Presto, 3 Go, 4 Trino, 5 cuDF.
    `writer_version`: Java's begin at 0, those of others at 6. `file_statistics`, `stripe_statistics`:
    written. `metadata`: names and values of the user. `unknown_fields`: unknown fields in every message.
    `unpacked`: repeated numbers are not packed. `encryption`: columns with two variants, unmasked and masked,
    in one layout.
    """

    types: tuple[Type, ...]
    rows: tuple[Row, ...] = ()
    stripes: tuple[int, ...] | None = None
    row_index_stride: int = 10_000
    columns: tuple[Column, ...] = ()
    overrides: tuple[tuple[int, int, Column], ...] = ()
    compression: CompressionKind = CompressionKind.NONE
    block_size: int = BLOCK_SIZE
    block_size_absent: bool = False
    chunks: Chunks = Chunks()
    tail_chunks: Chunks = Chunks()
    order: Order = Order.COLUMNS
    stream_ranks: tuple[int, ...] = ()
    gap: int = 0
    writer_timezone: str | None = "UTC"
    stripe_timezones: tuple[str | None, ...] = ()
    calendar: CalendarKind | None = CalendarKind.PROLEPTIC_GREGORIAN
    version: tuple[int, int] = (0, 12)
    writer: int | None = 0
    writer_version: int | None = 9
    software_version: str | None = "colconf 1.0.0"
    file_statistics: bool = True
    stripe_statistics: bool = True
    metadata: tuple[tuple[str, bytes], ...] = ()
    unknown_fields: bool = False
    unpacked: bool = False
    encryption: Encryption | None = None

    def timezones(self, stripes: Iterable[int]) -> tuple[str | None, ...]:
        """Return the time zone of each of some stripes."""
        zones = self.stripe_timezones or (self.writer_timezone,)
        return tuple(zones[stripe % len(zones)] for stripe in stripes)

    def column(self, stripe: int | None, type_id: int) -> Column:
        """Return the layout of a column of a stripe, or of a column in general (stripe None)."""
        for number, column, layout in self.overrides:
            if (number, column) == (stripe, type_id):
                return layout
        return self.columns[type_id] if type_id < len(self.columns) else Column()
