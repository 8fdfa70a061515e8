"""The smallest files of confirmed findings; `corpora/known` describes the findings."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import chain
from typing import Any

from corpora import tagged
from corpora.build.areas import (
    arrow_schema_findings,
    empty_page_findings,
    filter_findings,
    map_findings,
    variant_findings,
    way_findings,
)
from corpora.build.areas.finding_plan import ROW, finding, row_and_x
from corpora.build.areas.statistics import DeprecatedBounds
from corpora.build.recipe import (
    OPTIONAL,
    REPEATED,
    REQUIRED,
    Recipe,
    group,
    leaf,
    list_group,
    schema,
)
from corpora.queries import (
    Aggregate,
    Compare,
    Distinct,
    Filter,
    Groups,
    In,
    Not,
    NullSafe,
    SemiJoin,
    Slice,
    StartsWith,
    Top,
)
from reference_impl.parquet.plan import (
    Bloom,
    Column,
    Delta,
    Dictionary,
    FilePlan,
    Index,
    Page,
    Row,
    Runs,
    Statistics,
    Truth,
)
from reference_impl.parquet.schema import (
    ConvertedType,
    Empty,
    Encoding,
    IntType,
    LogicalType,
    TimestampType,
    TimeUnit,
    Type,
)

_NAN = float("nan")
_UINT_32 = {
    "converted_type": ConvertedType.UINT_32,
    "logicalType": LogicalType(INTEGER=IntType(bitWidth=32, isSigned=False)),
}
_UTF8 = {"converted_type": ConvertedType.UTF8, "logicalType": LogicalType(STRING=Empty())}
# 1582-10-14 and -15 UTC: the hybrid calendar has no 5th to 14th.
_IN_1582 = (-12_219_483_600_000_000, -12_219_379_200_000_000)
_OLD = Statistics(modern=False, deprecated=True)


def recipes() -> Iterator[Recipe]:
    """Yield the cases of all findings."""
    return chain(
        _levels_and_types(),
        _bounds(),
        _filters(),
        _answers(),
        _encodings(),
        _footers(),
        empty_page_findings.recipes(),
        variant_findings.recipes(),
        way_findings.recipes(),
        arrow_schema_findings.recipes(),
        map_findings.recipes(),
        filter_findings.recipes(),
    )


def _levels_and_types() -> Iterator[Recipe]:
    plan = row_and_x(Type.INT32, 1, None, 2, None, None, 3, page=Page(legacy_levels=True))
    yield finding("bit-packed-levels", plan, "Encodings.md, Bit-packed (Deprecated)")
    # Each of the six levels is a run of two bytes.
    page = Page(version=2, levels=Runs.SINGLE)
    plan = row_and_x(Type.INT32, 1, None, 2, None, None, 3, page=page)
    yield finding("levels-of-v2", plan, "parquet.thrift, DataPageHeaderV2.definition_levels_byte_length")
    interval = {"type_length": 12, "converted_type": ConvertedType.INTERVAL}
    value = b"\1\0\0\0\2\0\0\0\3\0\0\0"
    plan = row_and_x(Type.FIXED_LEN_BYTE_ARRAY, value, element=interval)
    yield finding("interval-months", plan, "LogicalTypes.md, INTERVAL")
    rows: tuple[Any, ...] = ({"list": [{"y": [1, 2]}, {"y": []}]}, None, {"list": []})
    fields = schema(ROW, list_group("x", OPTIONAL, group("list", REPEATED, leaf("y", Type.INT32, REPEATED))))
    plan = FilePlan(fields, tuple({"row": row, "x": value} for row, value in enumerate(rows)))
    yield finding("list-of-repeated", plan, "LogicalTypes.md, Lists, rule 3")
    bson = {"converted_type": ConvertedType.BSON}
    plan = row_and_x(Type.BYTE_ARRAY, b"\5\0\0\0\0", element=bson)
    yield finding("converted-bson", plan, "LogicalTypes.md, BSON")
    micros = {"converted_type": ConvertedType.TIMESTAMP_MICROS}
    plan = row_and_x(Type.INT64, 0, element=micros)
    yield finding("converted-timestamp", plan, "LogicalTypes.md, Deprecated timestamp ConvertedType")
    scale = {"converted_type": ConvertedType.DECIMAL, "precision": 5}
    plan = row_and_x(Type.INT32, 12_345, element=scale)
    yield finding("decimal-without-scale", plan, "LogicalTypes.md, DECIMAL")
    wide = {**scale, "scale": 2, "precision": 18, "type_length": 13}
    value = (1 - 10**18).to_bytes(13, "big", signed=True)
    plan = row_and_x(Type.FIXED_LEN_BYTE_ARRAY, value, element=wide)
    yield finding("decimal-in-13-bytes", plan, "LogicalTypes.md, DECIMAL")
    late = (2_440_588 + 365 * 400).to_bytes(4, "little")  # days; the nanoseconds since 1970 exceed int64
    yield finding("int96-after-2262", row_and_x(Type.INT96, bytes(8) + late), "parquet.thrift, Type.INT96")
    nothing = {"type_length": 5, "logicalType": LogicalType(UNKNOWN=Empty())}
    plan = row_and_x(Type.FIXED_LEN_BYTE_ARRAY, None, None, page=Page(1), element=nothing)
    yield finding("unknown-in-two-pages", plan, "LogicalTypes.md, UNKNOWN (always null)")


def _bounds() -> Iterator[Recipe]:
    probed = {"probed": ("x",)}
    plan = row_and_x(Type.INT32, 1, None, 2, None, statistics=Statistics(null_count=False))
    yield finding("null-count-absent", plan, "parquet.thrift, Statistics.null_count", **probed)
    plan = row_and_x(Type.INT32, 5, None, 5, statistics=Statistics(null_count=False))
    other = Filter(Not(NullSafe(("x",), tagged.integer(32), "5")))
    yield finding(
        "constant-without-null-count", plan, "parquet.thrift, Statistics.null_count", queries=(other,)
    )
    plan = row_and_x(Type.DOUBLE, 1.0, _NAN, 2.0, statistics=Statistics())
    yield finding("nan-left-out", plan, "parquet.thrift, ColumnOrder.TYPE_ORDER", **probed)
    plan = row_and_x(Type.DOUBLE, 1.0, _NAN, statistics=Statistics())
    yield finding("constant-of-nan", plan, "parquet.thrift, ColumnOrder.TYPE_ORDER")
    not_one = Filter(Compare(("x",), "!=", tagged.floating(64), "3ff0000000000000"))
    yield finding("not-equal-beside-nan", plan, "parquet.thrift, ColumnOrder.TYPE_ORDER", queries=(not_one,))
    plan = row_and_x(Type.DOUBLE, 1.0, _NAN, repetition=REQUIRED, statistics=Statistics())
    yield finding(
        "not-equal-beside-required-nan", plan, "parquet.thrift, ColumnOrder.TYPE_ORDER", queries=(not_one,)
    )
    to_nan = Filter(Not(Compare(("x",), "<=", tagged.floating(64), "7ff8000000000000")))
    plan = row_and_x(Type.DOUBLE, 1.0, 2.0, statistics=Statistics())
    yield finding("not-up-to-nan", plan, "parquet.thrift, Statistics.max_value", queries=(to_nan,))
    plan = row_and_x(Type.DOUBLE, 1.0, _NAN, 2.0, statistics=Statistics(exact=Truth.STATED))
    spec = "parquet.thrift, ColumnOrder.TYPE_ORDER"
    yield finding("maximum-beside-nan", plan, spec, queries=(Aggregate(("x",)),))
    utc = TimestampType(isAdjustedToUTC=True, unit=TimeUnit(MICROS=Empty()))
    micros = {"converted_type": ConvertedType.TIMESTAMP_MICROS, "logicalType": LogicalType(TIMESTAMP=utc)}
    plan = row_and_x(Type.INT64, *_IN_1582, element=micros, statistics=Statistics())
    later = Filter(Compare(("x",), ">", tagged.timestamp("us", utc=True), str(_IN_1582[0] - 36_000_000_000)))
    spec = "parquet.thrift, Statistics.max_value"
    yield finding("timestamps-of-1582", plan, spec, queries=(later,))
    plan = row_and_x(Type.DOUBLE, 1.0, _NAN, 2.0, 3.0, page=Page(2), index=Index())
    yield finding("nan-left-out-of-index", plan, "parquet.thrift, ColumnIndex.min_values", **probed)
    plan = row_and_x(Type.INT32, 5, 6, 7, statistics=Statistics(widen=3, exact=Truth.DENIED))
    yield finding("inexact-bounds", plan, "parquet.thrift, Statistics.is_max_value_exact", **probed)
    plan = row_and_x(Type.INT32, 1, -1, 5, element=_UINT_32, statistics=_OLD)
    spec = "parquet.thrift, Statistics.max"
    yield finding("deprecated-unsigned", replace(plan, column_orders=None), spec, **probed)
    # Of signed integers, 255 is the least of the second row group, and 1007 the greatest of the file.
    plan = row_and_x(Type.INT32, -(1 << 31), 1000, 255, 1007, element=_UINT_32, statistics=_OLD)
    plan = replace(plan, column_orders=None, row_groups=(2, 2))
    ordered = (Top(("x",), 10), Distinct(("x",)), Groups(("x",)))
    yield finding("deprecated-unsigned-groups", plan, spec, queries=ordered)
    plan = row_and_x(Type.BYTE_ARRAY, b"a", "\u00e9".encode(), b"z", element=_UTF8, statistics=_OLD)
    yield finding("deprecated-text", replace(plan, column_orders=None), spec, **probed)
    decimal = {"type_length": 3, "converted_type": ConvertedType.DECIMAL, "precision": 5, "scale": 2}
    values = [value.to_bytes(3, "big") for value in (100, 200, 300)]  # the last byte of 200 is -56
    plan = row_and_x(Type.FIXED_LEN_BYTE_ARRAY, *values, element=decimal, statistics=_OLD)
    plan = replace(plan, column_orders=None, created_by="parquet-mr version 1.8.2 (build 0)")
    yield finding("deprecated-decimal", plan, spec, tamper=DeprecatedBounds(*values[1:]), **probed)


def _filters() -> Iterator[Recipe]:
    probed = {"probed": ("x",)}
    plan = replace(row_and_x(Type.INT32, 0, 1, 2, 3), row_groups=(2, 2))
    bounded = ((1, 1, Column(statistics=Statistics())),)
    spec = "parquet.thrift, ColumnMetaData.statistics"
    yield finding("statistics-of-some-groups", replace(plan, overrides=bounded), spec, **probed)
    # Each row group is sorted, and the file is not.
    plan = row_and_x(Type.INT64, 5, 6, 1, 2, repetition=REQUIRED)
    plan = replace(plan, row_groups=(2, 2), sorting_columns=((1, False, True),))
    spec = "parquet.thrift, RowGroup.sorting_columns"
    yield finding("sorted-row-groups", plan, spec, queries=(Top(("x",), 10, nulls_first=True),))
    zero = Filter(Compare(("x",), "=", tagged.floating(64), "8000000000000000"))
    plan = row_and_x(Type.DOUBLE, 0.0, 0.0, bloom=Bloom())
    yield finding("zero-in-bloom-filter", plan, "BloomFilter.md", queries=(zero,))
    page = Page(encoding=Encoding.RLE_DICTIONARY)
    plan = row_and_x(Type.DOUBLE, 0.0, 0.0, page=page, dictionary=Dictionary(), encoding_stats=True)
    yield finding("zero-in-dictionary", plan, "Encodings.md, Dictionary Encoding", queries=(zero,))
    join = SemiJoin(("x",), tagged.floating(64), ("0000000000000000",))
    plan = row_and_x(Type.DOUBLE, 0.0, -0.0, *[1.0] * 30)
    yield finding("join-of-zeros", plan, "Encodings.md, Plain", queries=(join,))
    zeros = Filter(
        In(("x",), tagged.floating(64), tuple(f"{at:04x}000000000000" for at in (0, 0x3FF0, 0x4000, 0x4008)))
    )
    plan = row_and_x(Type.DOUBLE, 0.0, -0.0, 5.0)
    yield finding("zero-in-list", plan, "Encodings.md, Plain; IEEE 754, 5.11", queries=(zeros,))
    numbers = In(("x",), tagged.integer(32), ("1", "2"))
    yield finding(
        "not-in", row_and_x(Type.INT32, 1, 2, 3), "Encodings.md, Plain", queries=(Filter(Not(numbers)),)
    )
    listed = Filter(In(("x",), tagged.integer(32), ("1", None)))
    yield finding("in-with-null", row_and_x(Type.INT32, 1, 2, None), "Encodings.md, Plain", queries=(listed,))
    plan = row_and_x(Type.INT32, 1, 2, repetition=REQUIRED, statistics=Statistics())
    least = Filter(Not(In(("x",), tagged.integer(32), ("1",))))
    yield finding("not-in-at-a-bound", plan, "parquet.thrift, Statistics.min_value", queries=(least,))
    half = {"type_length": 2, "logicalType": LogicalType(FLOAT16=Empty())}
    plan = row_and_x(Type.FIXED_LEN_BYTE_ARRAY, b"\x00\x7c", b"\x00\x3c", element=half, bloom=Bloom())
    yield finding("half-in-bloom-filter", plan, "BloomFilter.md", **probed)
    fields = schema(ROW, group("x", OPTIONAL, leaf("y", Type.INT32)))
    rows: tuple[Row, ...] = ({"row": 0, "x": None}, {"row": 1, "x": {"y": 5}})
    less = Filter(Compare(("x", "y"), "<", tagged.integer(32), "9"))
    yield finding("field-of-null", FilePlan(fields, rows), "README.md, Nested Encoding", queries=(less,))
    rows = tuple({"row": row, "x": {"y": row}} for row in range(3))
    some = Slice(1, 1, Compare(("x", "y"), "<", tagged.integer(32), "9"), ("row",))
    coded = Column((Page(encoding=Encoding.RLE_DICTIONARY),), dictionary=Dictionary())
    plan = FilePlan(fields, rows, columns=(Column(), coded))
    yield finding("limit-behind-field", plan, "README.md, Nested Encoding", queries=(some,))
    plan = replace(row_and_x(Type.INT32, *range(40)), row_groups=(10,) * 4)
    join = SemiJoin(("row",), tagged.integer(32), ("3", "35"))
    yield finding("join-of-row-groups", plan, "README.md, File format", queries=(join,))
    fields = schema(ROW, group("x", OPTIONAL, leaf("y", Type.BYTE_ARRAY, OPTIONAL, **_UTF8)))
    rows = ({"row": 0, "x": {"y": None}}, {"row": 1, "x": {"y": b"a"}})
    prefix = Filter(StartsWith(("x", "y"), ""))
    yield finding("empty-prefix-of-null", FilePlan(fields, rows), "README.md, Nulls", queries=(prefix,))


def _answers() -> Iterator[Recipe]:
    true = Filter(Compare(("x",), "=", tagged.BOOL, True))
    plan = row_and_x(Type.BOOLEAN, True, None, False)
    yield finding("filter-of-booleans", plan, "README.md, Nulls", queries=(true,))
    queries = (Aggregate(("x",)), Slice(0, 5))
    yield finding(
        "no-row-group", row_and_x(Type.INT32), "parquet.thrift, FileMetaData.num_rows", queries=queries
    )
    pair = group("s", OPTIONAL, leaf("y", Type.INT32), leaf("z", Type.INT32))
    rows = tuple({"row": row, "s": {"y": row + 10, "z": row + 20}, "x": row} for row in range(3))
    plan = FilePlan(schema(ROW, pair, leaf("x", Type.INT32)), rows, (Column(statistics=Statistics()),) * 4)
    yield finding(
        "aggregate-behind-struct", plan, "parquet.thrift, ColumnMetaData.path_in_schema", queries=queries[:1]
    )


def _encodings() -> Iterator[Recipe]:
    decimal = {"converted_type": ConvertedType.DECIMAL, "precision": 5, "scale": 0}
    page = Page(encoding=Encoding.DELTA_LENGTH_BYTE_ARRAY)
    plan = row_and_x(Type.BYTE_ARRAY, b"\5", b"\xff", page=page, element=decimal)
    yield finding("delta-length-decimal", plan, "Encodings.md, Delta-length byte array")
    nothing = {"logicalType": LogicalType(UNKNOWN=Empty())}
    plan = row_and_x(Type.BYTE_ARRAY, None, None, page=page, element=nothing)
    yield finding("unknown-delta-length", plan, "Encodings.md, Delta-length byte array")
    plan = row_and_x(Type.BYTE_ARRAY, b"\5", bytes(16) + b"\5", b"\xff" * 17, element=decimal)
    yield finding("decimal-of-sign-bytes", plan, "LogicalTypes.md, DECIMAL (BYTE_ARRAY: not limited)")
    for digits, scale, width, unscaled in ((39, 2, 17, 150), (76, 76, 32, 21)):
        wide = {**decimal, "precision": digits, "scale": scale, "type_length": width}
        value = unscaled.to_bytes(width, "big")
        plan = row_and_x(Type.FIXED_LEN_BYTE_ARRAY, value, element=wide)
        yield finding(f"decimal-of-{digits}-digits", plan, "LogicalTypes.md, DECIMAL")
    page = Page(encoding=Encoding.DELTA_BINARY_PACKED, delta=Delta(256, 1))
    plan = row_and_x(Type.INT32, *range(600), repetition=REQUIRED, page=page)
    last = Filter(Compare(("row",), "=", tagged.integer(32), "599"))
    yield finding("miniblock-of-256", plan, "Encodings.md, Delta Encoding", queries=(last,))
    indexed = (Column((Page(100),), index=Index()), Column((page,), index=Index()))
    plan = replace(plan, columns=indexed)
    yield finding("miniblock-of-256-in-pages", plan, "Encodings.md, Delta Encoding", queries=(last,))
    fields = schema(ROW, group("x", OPTIONAL, leaf("y", Type.INT32)))
    rows: tuple[Row, ...] = ({"row": 0, "x": None}, {"row": 1, "x": {"y": 5}})
    pages = Column(pages=(Page(entries=1, encoding=Encoding.DELTA_BINARY_PACKED),))
    plan = FilePlan(fields, rows, (Column(), pages))
    yield finding("required-delta-of-null", plan, "README.md, Nulls; Encodings.md, Delta Encoding")
    date = leaf("x", Type.INT32, converted_type=ConvertedType.DATE, logicalType=LogicalType(DATE=Empty()))
    layout = Column((Page(None, Encoding.DELTA_BINARY_PACKED, version=2),))
    plan = FilePlan(schema(date), tuple({"x": day} for day in range(3)), (layout,))
    yield finding("deltas-of-dates", plan, "Encodings.md, Delta Encoding; LogicalTypes.md, DATE")
    page = Page(encoding=Encoding.DELTA_BYTE_ARRAY)
    plan = replace(row_and_x(Type.BYTE_ARRAY, b"ab", b"ac", page=page), created_by="a writer")
    yield finding("delta-of-a-writer", plan, "parquet.thrift, FileMetaData.created_by")


def _footers() -> Iterator[Recipe]:
    values = [bytes([65 + number]) * 300 for number in range(5)]
    plan = replace(row_and_x(Type.BYTE_ARRAY, *values), chunk_order=(1, 0))
    yield finding("first-column-last", plan, "README.md, File format; parquet.thrift, RowGroup")
    plan = replace(row_and_x(Type.BYTE_ARRAY, b"a", element=_UTF8), unknown_fields=True)
    yield finding("unknown-fields", plan, "thrift-compact-protocol.md, Struct encoding")
    plan = replace(row_and_x(Type.INT32, 1), key_value_metadata=(("key", None),))
    yield finding("key-without-value", plan, "parquet.thrift, KeyValue.value")
