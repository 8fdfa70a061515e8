"""The plan of a Parquet file: schema, values, and every physical choice as a field with a default.

`reference_impl.parquet.writer.write` turns a plan into bytes. Plans are immutable, compare by value and print
as the Python that makes them, without what is at its default (`reference_impl.plans.show`).

Rows are dicts, one per row, by the names of the top-level fields: an optional field is None or a value, a
repeated field a list, a group a dict. Leaf values are physical: bool for BOOLEAN, int for INT32 and INT64
(signed), bytes for BYTE_ARRAY, FIXED_LEN_BYTE_ARRAY and INT96, float for FLOAT and DOUBLE, or their bytes
(little-endian, as PLAIN has them) where the float would lose something, such as the payload of a NaN.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from reference_impl.parquet.schema import ColumnOrder, CompressionCodec, Encoding, SchemaElement

Row = dict[str, Any]


class Runs(StrEnum):
    """How a hybrid of RLE and bit-packing is cut into runs (Encodings.md, "RLE / Bit-Packing Hybrid")."""

    CHOSEN = "chosen"  # what repeats 8 times and more as rle-runs, the rest bit-packed
    RLE = "rle"  # an rle-run for every stretch of equal values
    PACKED = "packed"  # one bit-packed run
    SINGLE = "single"  # an rle-run of length 1 for every value
    GROUPS = "groups"  # a bit-packed run for every group of 8
    MIXED = "mixed"  # bit-packed groups of 8 and rle-runs in turn, cut without regard to values


class Truth(StrEnum):
    """What `is_min_value_exact` and `is_max_value_exact` say."""

    ABSENT = "absent"
    TOLD = "told"  # true where the bound is a value of the data, else false
    DENIED = "denied"  # false, also where it is exact: legal, as false only says "may not be"


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
    bytes of a bound of BYTE_ARRAY and FIXED_LEN_BYTE_ARRAY, 0 for no limit (a bound that cannot be shortened
    is left out). `widen`: bounds moved outwards, by so many steps of the order where it has such steps.
    Counts are written where the field says so. `nan_count` only for floating point columns.
    """

    modern: bool = True
    deprecated: bool = False
    null_count: bool = True
    distinct_count: bool = False
    nan_count: bool = False
    exact: Truth = Truth.ABSENT
    truncate: int = 0
    widen: int = 0


@dataclass(frozen=True)
class Dictionary:
    """A dictionary page, and how data pages refer to it.

    `unused` are values (as in rows) that stand in front and are not used; `duplicates`: every value stands in
    it twice, and indices take turns. `sorted_flag` is `is_sorted` of the header: None for absent, True only
    if the values really are sorted (the writer sorts them if their order is that of the type).
    `plain_dictionary`: page and dictionary carry PLAIN_DICTIONARY, as version 1 of the format did. `offset`:
    whether `dictionary_page_offset` is written. `index_width_extra`: bits beyond what the indices need.
    """

    unused: tuple[Any, ...] = ()
    duplicates: bool = False
    sorted_flag: bool | None = None
    plain_dictionary: bool = False
    offset: bool = True
    index_width_extra: int = 0
    crc: bool = False


@dataclass(frozen=True)
class Page:
    """One data page. `entries`: how many level entries it takes, None for all that are left.

    A page that must end with a row (v2, or any with an offset index) takes further entries until it does.
    `encoding` RLE_DICTIONARY refers to the chunk's dictionary. `legacy_levels`: levels in the deprecated
    BIT_PACKED encoding (v1 only). `compressed`: of v2, None leaves the field out (which means true).
    `statistics` None: none in the page header.
    """

    entries: int | None = None
    encoding: Encoding = Encoding.PLAIN
    version: int = 1
    levels: Runs = Runs.CHOSEN
    legacy_levels: bool = False
    indices: Runs = Runs.CHOSEN
    delta: Delta = Delta()
    alp: Alp = Alp()
    compressed: bool | None = None
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

    There is no column index either where a page that is not all null has no bounds (NaN only, no order).
    `statistics` says how bounds are made (truncate, widen, null_count, nan_count). `ordered`: say ASCENDING
    or DESCENDING where it holds, else UNORDERED. `histograms`: level histograms; `sizes`: unencoded bytes.
    """

    column: bool = True
    statistics: Statistics = Statistics()
    ordered: bool = True
    histograms: bool = False
    sizes: bool = False


@dataclass(frozen=True)
class IndexPage:
    """An index page (parquet.thrift, IndexPageHeader), of which the format says no more than its header.

    `after`: so many data pages, or all there are, stand in front; 0 only where there is a dictionary page, as
    a chunk begins with that or with its first data page. `body`: what is in it, before it is compressed.
    """

    after: int = 1
    body: bytes = b"page"


@dataclass(frozen=True)
class Column:
    """How a column chunk is laid out.

    `pages` are used one after the other; the last one repeats until all entries are written (an empty chunk
    has one empty page unless `no_empty_page`). `level`: of the codec, where it has one; `parts`: pieces of
    GZIP, ZSTD, LZ4 and LZO. `geospatial_statistics`: of GEOMETRY and GEOGRAPHY (Geospatial.md), of no other
    type. `gap`: bytes between the chunk before and this one. `file_path`: the file that the footer says the
    chunk is in, whatever is there; the chunk is written into this one.
    """

    pages: tuple[Page, ...] = (Page(),)
    codec: CompressionCodec = CompressionCodec.UNCOMPRESSED
    level: int | None = None
    parts: int = 1
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
    """An encrypted column: its own key, or (None) that of the footer, and the key metadata of its own key."""

    key: bytes | None = None
    metadata: bytes | None = None


@dataclass(frozen=True)
class Encryption:
    """How a file is encrypted (Encryption.md); keys are 16, 24 or 32 bytes, and are the suite's own.

    `columns`: one per leaf column, None for one that is not encrypted (as those beyond the end are not); None
    for all of them with the footer's key. `ctr`: AES_GCM_CTR_V1. `store_aad_prefix`: else readers must supply
    it. `file_unique`: the file's identifier in AADs. `seed`: what nonces are made from. `padding`: bytes of 0
    that are encrypted behind each struct, as parquet-java does. `ordinals`: write that of row groups.
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
        """Return how a column is encrypted, None if it is not."""
        if self.columns is None:
            return ColumnKey()
        return self.columns[leaf] if leaf < len(self.columns) else None


@dataclass(frozen=True)
class FilePlan:
    """A file. `schema` is the flattened list, root first, as in the footer.

    `columns` holds the layout per leaf column, in schema order, the default for those beyond its end;
    `overrides` that of single chunks, by (row group, leaf). `row_groups`: rows of each, None for all in one
    (none for no rows). `chunk_order`: the order in which the chunks of a row group lie in the file, as leaf
    indices. `column_orders`: None for absent, () for TYPE_ORDER throughout, else one per leaf column.
    `long_headers`: field headers of Thrift in the long form. `unknown_fields`: fields that no reader knows,
    in every struct (not in unions). `row_group_details`: write ordinal, file_offset and
    total_compressed_size of row groups. `sorting_columns`: (leaf, descending, nulls first), of every row
    group; the rows must obey.
    """

    schema: tuple[SchemaElement, ...]
    rows: tuple[Row, ...] = ()
    columns: tuple[Column, ...] = ()
    overrides: tuple[tuple[int, int, Column], ...] = ()
    row_groups: tuple[int, ...] | None = None
    chunk_order: tuple[int, ...] | None = None
    column_orders: tuple[ColumnOrder, ...] | None = ()
    created_by: str | None = "colconf version 1.0.0 (build 0)"
    key_value_metadata: tuple[tuple[str, str | None], ...] = ()
    version: int = 1
    long_headers: bool = False
    unknown_fields: bool = False
    row_group_details: bool = False
    sorting_columns: tuple[tuple[int, bool, bool], ...] = field(default=())
    encryption: Encryption | None = None

    def column(self, row_group: int, leaf: int) -> Column:
        """Return the layout of one chunk."""
        for group, index, layout in self.overrides:
            if (group, index) == (row_group, leaf):
                return layout
        return self.columns[leaf] if leaf < len(self.columns) else Column()
