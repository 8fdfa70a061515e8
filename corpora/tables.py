"""The tables and layouts that every writing engine writes and every engine reads.

There is one table per theme, so that a type which an engine lacks affects no other type. The values are those
that readers get wrong: boundaries, nulls at both ends, signed zeros and NaN payloads, days before 1582, bytes
that are not text, lists that are null, empty, or contain only nulls.
"""

from __future__ import annotations

from itertools import starmap
from typing import Any, NamedTuple

from corpora import table_columns as columns
from corpora.tagged import BOOL, NULL, STRING, Table, Value, integer, list_of


class WriterTable(NamedTuple):
    """A table to write; `features` are the features of its types in every layout."""

    name: str
    features: tuple[str, ...]
    table: Table


class Layout(NamedTuple):
    """Physical options of a file, for the protocol's `write`; `codec` as parquet.thrift names it.

    `indexed`: small pages, page index, Bloom filters and checksums, as far as the engine has options.
    """

    codec: str
    page_version: int
    dictionary: bool
    row_group_rows: int = 1_000_000
    indexed: bool = False

    @property
    def name(self) -> str:
        """Return a slug, such as `snappy-v2-dictionary` or `zstd-v1-plain-indexed`."""
        ending = ("dictionary" if self.dictionary else "plain") + "-indexed" * self.indexed
        return f"{self.codec.lower().replace('_', '-')}-v{self.page_version}-{ending}"

    @property
    def features(self) -> tuple[str, ...]:
        """Return the features of the layout; the file that an engine writes may have others."""
        codec = self.codec.lower().replace("_", "-")
        return (f"parquet/codec/{codec}", f"parquet/page/v{self.page_version}")

    def options(self) -> dict[str, Any]:
        """Return the `options` of the protocol's `write`."""
        return self._asdict()


# Every codec, and every pair of page version, dictionary, and compressed or not; not the full product. Then
# the two with indexes.
LAYOUTS = (
    Layout("UNCOMPRESSED", 1, dictionary=True),
    Layout("UNCOMPRESSED", 2, dictionary=False, row_group_rows=7_000),
    Layout("SNAPPY", 1, dictionary=False),
    Layout("SNAPPY", 2, dictionary=True, row_group_rows=7_000),
    Layout("GZIP", 1, dictionary=True),
    Layout("ZSTD", 2, dictionary=False),
    Layout("BROTLI", 2, dictionary=True),
    Layout("LZ4_RAW", 1, dictionary=False),
    Layout("UNCOMPRESSED", 1, dictionary=True, row_group_rows=400, indexed=True),
    Layout("SNAPPY", 2, dictionary=False, row_group_rows=7_000, indexed=True),
)


class AsItComes:
    """The default layout of an engine."""

    name = "as-it-comes"
    features = ()

    def options(self) -> dict[str, Any]:
        """Return the `options` of the protocol's `write`."""
        return {}


def _table(name: str, features: str, *contents: columns.Column) -> WriterTable:
    table = Table.of([(label, type_) for label, type_, _ in contents], [values for _, _, values in contents])
    return WriterTable(name, tuple(f"parquet/{feature}" for feature in features.split()), table)


_NO_VALUES: list[Value] = [None] * 9
_NULLABLE = (("i", integer(32)), ("s", STRING), ("l", list_of(STRING)))

WRITER_TABLES = (
    _table("booleans", "type/boolean", ("b", BOOL, columns.around_nulls([True, False] * 9 + [True] * 70))),
    _table(
        "signed", "type/int32 type/int64", *(columns.integers(bits, signed=True) for bits in (8, 16, 32, 64))
    ),
    _table(
        "unsigned",
        "logical/uint-8 logical/uint-16 logical/uint-32 logical/uint-64",
        *(columns.integers(bits, signed=False) for bits in (8, 16, 32, 64)),
    ),
    _table("float16", "logical/float16", columns.floats(16)),
    _table("floats", "type/float type/double", columns.floats(32), columns.floats(64)),
    _table("strings", "logical/string", columns.strings()),
    _table("binaries", "type/byte-array", columns.binaries()),
    _table("decimals", "logical/decimal", *starmap(columns.decimals, ((9, 2), (18, 4), (38, 10)))),
    _table("dates", "logical/date", columns.dates(columns.DAYS)),
    _table("far-dates", "logical/date", columns.dates(columns.FAR_DAYS)),
    _table("times", "logical/time", columns.times("ms"), columns.times("us")),
    _table("timestamps", "logical/timestamp", *columns.timestamps("us")),
    _table("milliseconds", "logical/timestamp", *columns.timestamps("ms")),
    _table("nanoseconds", "logical/timestamp", *columns.timestamps("ns")),
    _table("times-ns", "logical/time", columns.times("ns")),
    _table("lists", "nesting/list", *columns.lists()),
    _table("structs", "nesting/struct", columns.structs()),
    _table("maps", "nesting/map", *columns.maps()),
    _table("deep", "nesting/deep nesting/list nesting/struct nesting/map", *columns.deep()),
    _table("all-null", "levels/all-null", *((name, type_, _NO_VALUES) for name, type_ in _NULLABLE)),
    _table("null-type", "logical/unknown levels/all-null", ("n", NULL, _NO_VALUES)),
    _table("zero-rows", "file/zero-rows", *columns.plain_columns(0)),
    _table("one-row", "nesting/list", *columns.plain_columns(1)),
    _table("runs", "encoding/rle", *columns.runs()),
    _table("many", "encoding/dictionary-fallback", *columns.many()),
)
