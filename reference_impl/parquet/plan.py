"""The plan of a Parquet file: schema, values, and every physical choice as a field with a default.

`reference_impl.parquet.writer.write` turns a plan into bytes. Plans are immutable, compare by value and print
as Python code that builds them, without fields at their default (`reference_impl.plans.show`).

Rows are dicts, one per row, by the names of the top-level fields: an optional field is None or a value, a
repeated field a list, a group a dict. Leaf values are physical: bool for BOOLEAN, int for INT32 and INT64
(signed), bytes for BYTE_ARRAY, FIXED_LEN_BYTE_ARRAY and INT96, float for FLOAT and DOUBLE, or their bytes
(little-endian, as in PLAIN) where a float would lose bits, such as the payload of a NaN.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from reference_impl.parquet.schema import ColumnOrder, CompressionCodec, Encoding, SchemaElement

Row = dict[str, Any]


class Runs(StrEnum):
    """The runs of a hybrid of RLE and bit-packing (Encodings.md, "RLE / Bit-Packing Hybrid")."""

    CHOSEN = "chosen"  # values that repeat 8 times or more as rle-runs, the rest bit-packed
    RLE = "rle"  # an rle-run for every stretch of equal values
    PACKED = "packed"  # one bit-packed run
    SINGLE = "single"  # an rle-run of length 1 for every value
    GROUPS = "groups"  # a bit-packed run for every group of 8
    MIXED = "mixed"  # bit-packed groups of 8 and rle-runs in turn


class Truth(StrEnum):
    """The values of `is_min_value_exact` and `is_max_value_exact`."""

    ABSENT = "absent"
    STATED = "told"  # true if the bound is a value of the data, else false
    DENIED = "denied"  # false, also for an exact bound: legal, as false means "may not be exact"


class Sides(StrEnum):
    """The bounds that are written: parquet.thrift makes each field optional."""

    BOTH = "both"
    LEAST = "least"
    GREATEST = "greatest"


class Zeros(StrEnum):
    """The signs of bounds that are zero, in the order of the type (parquet.thrift, ColumnOrder)."""

    OUTWARD = "outward"  # a minimum of -0.0 and a maximum of +0.0, as writers should
    INWARD = "inward"  # a minimum of +0.0 and a maximum of -0.0: readers allow for the other zero


@dataclass(frozen=True)
class Delta:
    """Layout of DELTA_BINARY_PACKED (Encodings.md): sizes in values; see `delta_binary_packed.encode`."""

    block_size: int = 128
    miniblocks: int = 4
    padding: int = 0
    unneeded_width: int = 0
    extra_bits: int = 0


@dataclass(frozen=True)
class Alp:
    """Layout of ALP (AlpEncoding.md); see `alp.encode`."""

    log_vector_size: int = 10
    exponent: int | None = None
    factor: int | None = None
    extra_bits: int = 0
    exceptions: int = 0


@dataclass(frozen=True)
class Statistics:
    """Statistics of a chunk (footer), of pages (page headers) or in a column index.

    modern: `min_value` and `max_value`; deprecated: `min` and `max`, compared signed. `truncate`: the most
    bytes of a bound of BYTE_ARRAY, 0 for no limit (a bound that cannot be shortened
    is left out). `widen`: bounds are moved outwards by so many steps of the order, if it has steps.
    `sides`: which of the modern bounds are written (a column index has both); `zeros`: their signs.
    `null_count`, `distinct_count`, `nan_count`: write these counts, the last for floating point columns only.
    """

    modern: bool = True
    deprecated: bool = False
    null_count: bool = True
    distinct_count: bool = False
    nan_count: bool = False
    exact: Truth = Truth.ABSENT
    truncate: int = 0
    widen: int = 0
    sides: Sides = Sides.BOTH
    zeros: Zeros = Zeros.OUTWARD


@dataclass(frozen=True)
class Dictionary:
    """A dictionary page, and the references of data pages to it.

    `unused` are values (as in rows) in front that no page uses; `duplicates`: the dictionary has every value
    twice, and indices alternate. `sorted_flag` is `is_sorted` of the header: None for absent, True only
    if the values really are sorted (the writer sorts them if the type has an order).
    `plain_dictionary`: data pages carry PLAIN_DICTIONARY, as version 1 of the format did, and so does the
    dictionary page, unless `plain_dictionary_page` says otherwise (None: as the data pages). `offset`:
    whether `dictionary_page_offset` is written. `index_width_extra`: bits beyond what the indices need.
    """

    unused: tuple[Any, ...] = ()
    duplicates: bool = False
    sorted_flag: bool | None = None
    plain_dictionary: bool = False
    plain_dictionary_page: bool | None = None
    offset: bool = True
    index_width_extra: int = 0
    crc: bool = False


@dataclass(frozen=True)
class Page:
    """A data page. `entries`: its number of level entries, None for all that are left.

    A page that must end with a row (v2, or with an offset index) takes further entries until it does.
    `encoding` RLE_DICTIONARY refers to the chunk's dictionary. `legacy_levels`: levels in the deprecated
    BIT_PACKED encoding (v1 only). `bit_packed_absent`: of v1, BIT_PACKED is named as the encoding of levels
    that the column does not have, as many files do. `compressed`: of v2, None leaves the field out (which
    means true); `bare_empty`: of v2, no bytes of values are stored as no bytes, whatever the codec.
    `padding`: what fills up the last bit-packed run of levels, indices and booleans (its low bits).
    `statistics` None: none in the page header.
    """

    entries: int | None = None
    encoding: Encoding = Encoding.PLAIN
    version: int = 1
    levels: Runs = Runs.CHOSEN
    legacy_levels: bool = False
    bit_packed_absent: bool = False
    padding: int = 0
    indices: Runs = Runs.CHOSEN
    delta: Delta = Delta()
    alp: Alp = Alp()
    compressed: bool | None = None
    bare_empty: bool = False
    crc: bool = False
    statistics: Statistics | None = None


@dataclass(frozen=True)
class Bloom:
    """A split block Bloom filter (BloomFilter.md) of `blocks` blocks of 32 bytes.

    `length`: write `bloom_filter_length` too.
    """

    blocks: int = 1
    length: bool = True


@dataclass(frozen=True)
class Index:
    """Column index and offset index (PageIndex.md). Without `column` only the offset index is written.

    No column index is written if a page that is not all null has no bounds (NaN only, no order).
    `statistics` has the layout of bounds (truncate, widen, null_count, nan_count). `ordered`: write ASCENDING
    or DESCENDING if true, else UNORDERED. `histograms`: level histograms; `sizes`: unencoded bytes.
    """

    column: bool = True
    statistics: Statistics = Statistics()
    ordered: bool = True
    histograms: bool = False
    sizes: bool = False


@dataclass(frozen=True)
class IndexPage:
    """An index page (parquet.thrift, IndexPageHeader); the format defines only its header.

    `after`: the number of data pages in front (at most all); 0 only with a dictionary page, as
    a chunk begins with that or with its first data page. `body`: its uncompressed body.
    """

    after: int = 1
    body: bytes = b"page"


@dataclass(frozen=True)
class Column:
    """The layout of a column chunk.

    `pages` are used one after the other; the last one repeats until all entries are written (an empty chunk
    has one empty page unless `no_empty_page`). `level`: of the codec, if it has levels; `parts`: members,
    frames or blocks of GZIP, ZSTD, LZ4 and LZO; `streamed`: frames of ZSTD without the size of their content,
    as writers of streams have them. `geospatial_statistics`: of GEOMETRY and GEOGRAPHY
    (Geospatial.md), of no other type. `gap`: bytes between the chunk before and this one. `file_path`: the
    file_path in the footer; the chunk is written into this file all the same.
    """

    pages: tuple[Page, ...] = (Page(),)
    codec: CompressionCodec = CompressionCodec.UNCOMPRESSED
    level: int | None = None
    parts: int = 1
    streamed: bool = False
    dictionary: Dictionary | None = None
    statistics: Statistics | None = None
    index: Index | None = None
    bloom: Bloom | None = None
    size_statistics: bool = False
    geospatial_statistics: bool = False
    encoding_stats: bool = False
    key_value_metadata: tuple[tuple[str, str | None], ...] = ()
    gap: int = 0
    no_empty_page: bool = False
    index_page: IndexPage | None = None
    file_path: str | None = None


@dataclass(frozen=True)
class ColumnKey:
    """An encrypted column: its own key (None: the footer's key), and the key metadata of its own key."""

    key: bytes | None = None
    metadata: bytes | None = None


@dataclass(frozen=True)
class Encryption:
    """The encryption of a file (Encryption.md); keys are 16, 24 or 32 bytes, and are the suite's own.

    `columns`: one per leaf column, None for a column that is not encrypted (nor are those beyond the end);
    None for all columns with the footer's key. `ctr`: AES_GCM_CTR_V1. `store_aad_prefix`: else readers must
    supply the prefix. `file_unique`: the file's identifier in AADs. `seed`: the seed of nonces. `padding`:
    bytes of 0 that are encrypted behind each struct, as parquet-java does. `ordinals`: write the ordinals of
    row groups.
    """

    footer_key: bytes
    footer_metadata: bytes | None = None
    columns: tuple[ColumnKey | None, ...] | None = None
    ctr: bool = False
    plaintext_footer: bool = False
    aad_prefix: bytes | None = None
    store_aad_prefix: bool = True
    file_unique: bytes = b"colconf1"
    seed: int = 0
    padding: int = 0
    ordinals: bool = True

    def column(self, leaf: int) -> ColumnKey | None:
        """Return the encryption of a column, None if it is not encrypted."""
        if self.columns is None:
            return ColumnKey()
        return self.columns[leaf] if leaf < len(self.columns) else None


@dataclass(frozen=True)
class FilePlan:
    """A file. `schema` is the flattened list, root first, as in the footer.

    `columns` has the layouts of leaf columns, in schema order, the default layout beyond its end;
    `overrides` the layouts of single chunks, by (row group, leaf). `row_groups`: rows of each, None for one
    row group (none without rows). `chunk_order`: the order of the chunks of a row group in the file, as leaf
    indices. `blooms_between`: the Bloom filters of a row group stand behind it, else behind all row groups
    (BloomFilter.md, "File Format"). `column_orders`: None for absent, () for TYPE_ORDER throughout, else one
    per leaf column.
    `long_headers`: field headers of Thrift in the long form; `zero_is_false`: booleans in lists (of a column
    index) have type 2, and false is 0. `unknown_fields`: unknown fields in every struct (not in unions).
    `row_group_details`: write ordinal, file_offset and total_compressed_size of row groups.
    `sorting_columns`: (leaf, descending, nulls first), of every row group; the rows must be sorted so.
    """

    schema: tuple[SchemaElement, ...]
    rows: tuple[Row, ...] = ()
    columns: tuple[Column, ...] = ()
    overrides: tuple[tuple[int, int, Column], ...] = ()
    row_groups: tuple[int, ...] | None = None
    chunk_order: tuple[int, ...] | None = None
    blooms_between: bool = False
    column_orders: tuple[ColumnOrder, ...] | None = ()
    created_by: str | None = "colconf version 1.0.0 (build 0)"
    key_value_metadata: tuple[tuple[str, str | None], ...] = ()
    version: int = 1
    long_headers: bool = False
    zero_is_false: bool = False
    unknown_fields: bool = False
    row_group_details: bool = False
    sorting_columns: tuple[tuple[int, bool, bool], ...] = field(default=())
    encryption: Encryption | None = None

    def column(self, row_group: int, leaf: int) -> Column:
        """Return the layout of a chunk."""
        for group, index, layout in self.overrides:
            if (group, index) == (row_group, leaf):
                return layout
        return self.columns[leaf] if leaf < len(self.columns) else Column()
