"""Each equivalence applies where it should, nowhere else, and a value that differs still differs."""

from __future__ import annotations

import importlib
import math
import struct
from typing import NamedTuple

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from corpora import tagged
from corpora.tagged import (
    BOOL,
    BYTES,
    DATE,
    INT96,
    INTERVAL,
    NULL,
    STRING,
    Table,
    Type,
    decimal,
    duration,
    floating,
    integer,
    list_of,
    map_of,
    struct_of,
    time,
    timestamp,
    union_of,
)
from harness.engines.registry import ENGINES
from harness.judging.claims import about, under
from harness.judging.compare import compare
from harness.judging.equivalences import DEFAULTS, EQUIVALENCES


class Example(NamedTuple):
    """`expected` of one type is `actual` of another; `wrong` is what it must not be taken for."""

    name: str
    before: Type
    after: Type
    expected: object
    actual: object
    wrong: object


def local(unit):
    """Return a timestamp without zone."""
    return timestamp(unit, utc=False)


def wrapped(count):
    """Return the count that an int64 is left with by an overflow."""
    return str((count + 2**63) % 2**64 - 2**63)


MOST = 2**63 - 1
NO_ANSWER = "no answer is right"
BINARIES = struct_of([("metadata", BYTES), ("value", BYTES)])
FLIPPED = struct_of([("value", BYTES), ("metadata", BYTES)])
ENTRIES = list_of(struct_of([("key", STRING), ("value", integer(32))]))
LABEL = struct_of([("a", STRING)])
TWO = struct_of([("a", integer(8)), ("b", struct_of([("c", BOOL), ("d", BYTES)]))])
OF_1850 = ("-3786825178", "-3786825600", "-3786825601")
UUID, UUID_TEXT = "00112233445566778899aabbccddeeff", "00112233-4455-6677-8899-aabbccddeeff"
UNION = union_of([integer(32), STRING, integer(64)])
DAY = 86_400
OLD = -719_162 * DAY  # 0001-01-01
GAP_IN_KOLKATA = ("-862616700000001", "-862613100000001", "-862614900000001")
GAP_IN_LORD_HOWE = ("1601777700000000000", "1601775900000000000", "1601774100000000000")
EXAMPLES = [
    Example(
        "uint64-as-decimal20", integer(64, signed=False), decimal(20, 0), str(2**64 - 1), str(2**64 - 1), "-1"
    ),
    Example("unsigned-widened", integer(8, signed=False), integer(16), "255", "255", "-1"),
    Example("unsigned-widened", integer(16, signed=False), integer(32), "65535", "65535", "-1"),
    Example("unsigned-widened", integer(32, signed=False), integer(64), "4294967295", "4294967295", "-1"),
    Example("int-widened", integer(8), integer(32), "-128", "-128", "128"),
    Example("small-int-out-of-range", integer(8), integer(8), "300", "44", None),
    Example("time-as-timestamp", time("us", utc=False), timestamp("us", utc=True), "7", "7", "8"),
    Example("null-container-as-default", list_of(BOOL), list_of(BOOL), None, [], [True]),
    Example("null-container-as-default", map_of(STRING, BOOL), map_of(STRING, BOOL), None, [], [["", True]]),
    Example("null-container-as-default", TWO, TWO, None, ["0", [None, ""]], ["0", [None, "0a"]]),
    Example("null-container-as-default", TWO, TWO, ["1", None], ["1", [None, ""]], None),
    Example("null-container-as-default", list_of(integer(8)), list_of(integer(8)), None, [], ["0"]),
    Example("null-container-as-default", LABEL, LABEL, None, [""], ["0"]),
    Example(
        "small-int-out-of-range", integer(16, signed=False), integer(16, signed=False), "-1", "65535", None
    ),
    Example("interval-as-unknown", INTERVAL, NULL, ["1", "2", "3"], None, "1"),
    Example("geoparquet-as-geometry", BYTES, Type("geometry"), "00", "00", "01"),
    Example("variant-of-spark", FLIPPED, Type("variant"), ["02", "01"], ["01", "02"], ["01", "03"]),
    Example("future-as-null", integer(32), NULL, None, None, "1"),
    Example("int-widened", integer(16, signed=False), integer(32, signed=False), "1", "1", "2"),
    Example("float16-as-float32", floating(16), floating(32), "3c00", "3f800000", "3f800001"),
    Example("float16-as-float32", floating(16), floating(32), "8001", "b3800000", "33800000"),
    Example("float16-as-float32", floating(16), floating(32), "fc00", "ff800000", "7f800000"),
    Example("float16-as-bytes", floating(16), BYTES, "3c00", "003c", "3c00"),
    Example(
        "wkb-byte-order",
        Type("geometry"),
        Type("geometry"),
        "0000000001" + "3ff0000000000000" * 2,
        "0101000000" + "000000000000f03f" * 2,
        "0101000000" + "000000000000f0bf" * 2,
    ),
    Example("arrow-schema-restored", BYTES, Type("geometry"), "00", "00", "01"),
    Example("arrow-schema-restored", STRING, Type("json"), "{}", "{}", "[]"),
    Example("arrow-duration-s-restored", integer(64), duration("ms"), "5", "5000", "5"),
    Example("arrow-duration-ms-restored", integer(64), duration("ms"), "5", "5", "5000"),
    Example("arrow-duration-us-restored", integer(64), duration("us"), "5", "5", "6"),
    Example("arrow-duration-ns-restored", integer(64), duration("ns"), "-5", "-5", "5"),
    Example("float-widened", floating(32), floating(64), "3dcccccd", "3fb99999a0000000", "3fb999999999999a"),
    Example("float-widened", floating(16), floating(64), "8000", "8000000000000000", "0000000000000000"),
    Example("nan-payload", floating(16), floating(16), "7e00", "fe01", "7c00"),
    Example("nan-payload", floating(32), floating(32), "7fc00000", "7f800001", "ff800000"),
    Example(
        "nan-payload", floating(64), floating(64), "7ff8000000000000", "fff0000000000001", "7ff0000000000000"
    ),
    Example("decimal-precision-widened", decimal(9, 2), decimal(38, 2), "-123", "-123", "-1230"),
    Example("decimal-as-float64", decimal(9, 2), floating(64), "10", "3fb999999999999a", "3fb9999999999999"),
    Example("wide-decimal-as-float64", decimal(39, 2), floating(64), "10", "3fb999999999999a", "10"),
    Example("null-as-nan", floating(32), floating(32), None, "ffc00001", "7f800000"),
    Example("null-as-nan", floating(64), floating(64), None, "7ff8000000000000", "0000000000000000"),
    Example(
        "decimal-as-float64",
        decimal(38, 0),
        floating(64),
        str(10**37),
        "479e17b84357691b",
        "479e17b84357691c",
    ),
    Example("timestamp-unit-widened", local("ms"), local("us"), "-1", "-1000", "-999"),
    Example("time-unit-widened", time("us", utc=True), time("ns", utc=True), "5", "5000", "5"),
    Example("duration-unit-widened", duration("s"), duration("ns"), "1", "1000000000", "1000"),
    # The last counts that fit an int64 of the finer unit and the first that do not: the exact count is
    # right, the one that is wrapped around in an int64 is another moment.
    *(
        Example(
            "timestamp-unit-widened",
            local(unit),
            local(finer),
            str(count),
            str(count * factor),
            wrapped(count * factor) if wraps else str(count * factor + 1),
        )
        for unit, finer, factor in (("ms", "us", 1000), ("us", "ns", 1000), ("ms", "ns", 1_000_000))
        for last in (MOST // factor, -(MOST // factor))
        for count, wraps in ((last, False), (last + (1 if last > 0 else -1), True))
    ),
    Example("nanos-as-micros", local("ns"), local("us"), "-1", "-1", "0"),
    Example("nanos-as-micros", local("ns"), local("us"), "1999", "1", "2"),
    Example("nanos-as-micros-toward-zero", local("ns"), local("us"), "-1999", "-1", "-2"),
    Example("time-nanos-as-micros", time("ns", utc=False), time("us", utc=False), "1999", "1", "2"),
    Example("nanos-as-int64", timestamp("ns", utc=True), integer(64), "-5", "-5", "5"),
    Example("time-as-integer", time("ms", utc=False), integer(32), "5", "5", "5000"),
    Example("time-as-integer", time("ns", utc=False), integer(64), "5", "5", "6"),
    Example("time-as-duration", time("us", utc=False), duration("us"), "5", "5", "6"),
    Example("time-as-duration", time("us", utc=False), duration("ns"), "5", "5000", "5"),
    Example("time-utc-ignored", time("us", utc=True), time("us", utc=False), "5", "5", "6"),
    Example("timestamp-utc-ignored", timestamp("us", utc=True), local("us"), "5", "5", "6"),
    Example("timestamp-utc-ignored", local("us"), timestamp("us", utc=True), "5", "5", "6"),
    Example("int96-as-timestamp", INT96, timestamp("us", utc=True), "-1", "-1", "0"),
    Example("int96-as-timestamp", INT96, local("ns"), "1234567", "1234567", "1234000"),
    Example(
        "int96-as-timestamp",
        INT96,
        local("ns"),
        str(2**64 + 5),
        str(2**64 + 5),
        wrapped(2**64 + 5),
    ),
    Example("int96-as-timestamp", INT96, local("us"), str(2**64 * 1000), str(2**64), wrapped(2**64)),
    Example("int96-as-timestamp-toward-zero", INT96, local("us"), "-1", "0", "-1"),
    Example("int96-as-timestamp", INT96, local("s"), str(2**64), "18446744073", "18446744074"),
    Example("date-as-timestamp", DATE, local("ns"), "-1", str(-DAY * 10**9), "-1"),
    Example(
        "date-as-timestamp",
        DATE,
        local("ns"),
        str(2**31 - 1),
        str((2**31 - 1) * DAY * 10**9),
        wrapped((2**31 - 1) * DAY * 10**9),
    ),
    Example(
        "interval-as-bytes", INTERVAL, BYTES, ["1", "2", "3000000"], "010000000200000003000000", "00" * 12
    ),
    Example("interval-as-bytes", INTERVAL, BYTES, ["0", "0", "1"], NO_ANSWER, "00" * 12),
    Example("enum-as-string", Type("enum"), STRING, "é", "é", "e"),
    Example("json-as-string", Type("json"), STRING, "{}", "{}", "{ }"),
    Example("enum-as-bytes", Type("enum"), BYTES, "é", "c3a9", "e9"),
    Example("json-as-bytes", Type("json"), BYTES, "{}", "7b7d", "7b"),
    Example("string-as-bytes", STRING, BYTES, "\udcff", "ff", "c3bf"),
    Example(
        "string-as-bytes", STRING, BYTES, {"sha256": "00", "bytes": 9}, {"sha256": "00", "bytes": 9}, "00"
    ),
    Example("bytes-as-string", BYTES, STRING, "c3a9ff", "é\udcff", "é"),
    Example("uuid-as-bytes", Type("uuid"), BYTES, UUID, UUID, UUID[::-1]),
    Example("uuid-as-string", Type("uuid"), STRING, UUID, UUID_TEXT, UUID),
    Example("bson-as-bytes", Type("bson"), BYTES, "00", "00", "01"),
    Example("geometry-as-bytes", Type("geometry"), BYTES, "00", "00", "01"),
    Example("geography-as-bytes", Type("geography"), BYTES, "00", "00", "01"),
    Example("null-as-any", NULL, integer(32), None, None, "0"),
    Example("null-as-any", NULL, list_of(STRING), None, None, []),
    Example("variant-as-struct", Type("variant"), BINARIES, ["01", "02"], ["01", "02"], ["02", "01"]),
    Example(
        "variant-by-value",
        Type("variant"),
        Type("variant"),
        ["010000", "0c01"],  # int8 1 is the decimal 1.00
        ["1101000161", "200264000000"],
        ["010000", "0c02"],
    ),
    Example(
        "variant-as-stored",
        Type("variant"),
        struct_of([*BINARIES.children, ("typed_value", integer(64))]),
        ["010000", "0c01"],
        ["010000", None, "1"],
        ["010000", "0c01", "2"],  # another typed value, which is what counts where both are set
    ),
    Example(
        "variant-as-stored-without-nulls",
        Type("variant"),
        struct_of([*BINARIES.children, ("typed_value", list_of(struct_of([("value", BYTES)])))]),
        ["010000", "0c01"],
        ["010000", "0c01", []],
        ["010000", "0c02", []],
    ),
    Example(
        "variant-as-struct",
        Type("variant"),
        struct_of(reversed(BINARIES.children)),
        ["01", "02"],
        ["02", "01"],
        ["01", "02"],
    ),
    Example("map-as-list-of-structs", map_of(STRING, integer(32)), ENTRIES, [["a", "1"]], [["a", "1"]], []),
    Example(
        "map-as-list-of-structs",
        map_of(STRING, integer(32)),
        list_of(struct_of([("k", STRING), ("v", integer(32))])),
        [["a", "1"]],
        [["a", "1"]],
        [["a", "2"]],
    ),
    Example(
        "struct-fields-numbered",
        struct_of([("a", STRING), ("b", BOOL)]),
        struct_of([("1", STRING), ("2", BOOL)]),
        ["x", True],
        ["x", True],
        ["x", False],
    ),
    Example("map-as-list-of-keys", map_of(STRING, NULL), list_of(STRING), [["a", None]], ["a"], ["b"]),
    Example(
        "duplicate-keys-last-wins",
        map_of(STRING, BOOL),
        map_of(STRING, BOOL),
        [["a", True], ["b", None], ["a", False]],
        [["a", False], ["b", None]],
        [["a", True], ["b", None]],
    ),
    Example(
        "orc-timestamp-as-spark-timestamp",
        timestamp("ns", utc=False),
        timestamp("us", utc=True),
        "-1",
        "-1",
        "0",
    ),
    Example(
        "orc-timestamp-as-spark-timestamp",
        timestamp("ns", utc=False),
        timestamp("us", utc=False),
        "-1",
        "-1",
        "0",
    ),
    # 2020-03-08 02:30, 1942-09-01 00:15 and 2020-10-04 02:15: clocks showed none of these.
    Example(
        "orc-timestamp-gap-los-angeles", local("s"), local("s"), "1583634600", "1583631000", "1583627400"
    ),
    Example(
        "orc-timestamp-gap-los-angeles", local("s"), local("s"), "1583634600", "1583638200", "1583636400"
    ),
    Example("spark-schema-restored", integer(64), duration("us"), "-5", "-5", "5"),
    Example("spark-schema-restored", integer(32), INTERVAL, "14", ["14", "0", "0"], ["0", "14", "0"]),
    Example("spark-types-restored", integer(64), timestamp("us", utc=False), "-5", "-5", "5"),
    Example("spark-types-restored", integer(32), INTERVAL, None, None, ["0", "0", "0"]),
    Example("orc-timestamp-gap-kolkata", local("us"), local("us"), *GAP_IN_KOLKATA),
    Example("orc-timestamp-gap-lord-howe", local("ns"), local("ns"), *GAP_IN_LORD_HOWE),
    # The stored day of 0001-01-01 in the hybrid calendar, taken for a proleptic one, and a day further.
    Example("orc-calendar-unnamed", DATE, DATE, "-719162", "-719164", "-719165"),
    Example("orc-calendar-unnamed", DATE, DATE, "-719164", "-719162", "-719163"),
    Example("orc-calendar-unnamed", local("s"), local("s"), *(str(OLD + DAY * day) for day in (0, -2, -3))),
    Example(
        "orc-calendar-of-instants",
        *[timestamp("s", utc=True)] * 2,
        *(str(OLD + DAY * day) for day in (0, -2, -3)),
    ),
    # 1000-01-01 by either calendar, and a day further; as clocks of Los Angeles showed it.
    Example("spark-hybrid-calendar", DATE, DATE, "-354285", "-354280", "-354279"),
    Example(
        "spark-hybrid-calendar-of-instants",
        *[timestamp("s", utc=True)] * 2,
        *(str(-354_285 * DAY + shift) for shift in (0, 5 * DAY + 422, 5 * DAY + 423)),
    ),
    # 1850-01-01 in Los Angeles: 422 s from local mean time to the standard time.
    Example("orc-local-mean-time", local("s"), local("s"), *OF_1850),
    Example("orc-local-mean-time", local("us"), local("us"), *(f"{wall}000001" for wall in OF_1850)),
    # 0001-01-01 00:07:02: such a difference, and the other calendar, of which the day before begins a day.
    Example(
        "orc-local-mean-time-calendar-unnamed",
        local("s"),
        local("s"),
        *(str(OLD + shift) for shift in (422, -2 * DAY, -3 * DAY)),
    ),
    # 2030-01-01 in Casablanca, by the rules of 2026 and by the former ones.
    Example("orc-zone-of-another-database", local("s"), local("s"), "1893456000", "1893459600", "1893461400"),
    Example(
        "orc-map-entries-sorted",
        map_of(STRING, BOOL),
        map_of(STRING, BOOL),
        [["b", True], ["a", True], ["b", False]],
        [["a", True], ["b", False]],
        [["a", True], ["b", True]],
    ),
    Example("orc-hive11-decimal", decimal(38, 10), decimal(38, 6), "-19999", "-1", "-2"),
    Example("variant-as-json", Type("variant"), STRING, ["010000", "0c2a"], "42", "43"),
    Example(
        "variant-as-duckdb-json",
        Type("variant"),
        STRING,
        ["010000", "2c00000000"],
        '"1970-01-01"',
        '"1970-01-02"',
    ),
    Example(
        "variant-as-duckdb-json", Type("variant"), Type("json"), ["010000", "2c00000000"], '"1970-01-01"', "0"
    ),
    Example("union-null-as-variant-null", UNION, UNION, None, ["1", None], ["0", "1"]),
    Example("union-tag-lost", UNION, UNION, ["2", "5"], ["0", "5"], ["0", "6"]),
    Example("union-tag-lost", UNION, UNION, ["1", None], None, ["1", "a"]),
]


def equal(type_, value, other, other_value, claimed):
    """Compare two tables of one cell."""
    left, right = Table.of([("a", type_)], [[value]]), Table.of([("a", other)], [[other_value]])
    return compare(left, right, claimed)


def test_examples(for_each):
    """Claimed, the values are equal and the name is needed; a wrong value differs; unclaimed, all differ."""

    def check(example):
        name, before, after, expected, actual, wrong = example
        found = equal(before, expected, after, actual, (name,))
        if actual == NO_ANSWER:
            assert not found.equal
        else:
            assert found.equal
            needed = [each for each in found.equivalences if each == name or each not in DEFAULTS]
            assert needed == [name]
        difference = equal(before, expected, after, wrong, (name,)).difference
        assert difference.kind == "value"
        if name not in DEFAULTS:
            assert not equal(before, expected, after, actual, ()).equal

    for_each([(f"{one.name}: {one.before} {one.expected}", one) for one in EXAMPLES], check)


@pytest.mark.parametrize(
    ("name", "before", "after"),
    [
        ("uint64-as-decimal20", integer(64), decimal(20, 0)),
        ("uint64-as-decimal20", integer(64, signed=False), decimal(19, 0)),
        ("unsigned-widened", integer(64, signed=False), integer(64)),
        ("unsigned-widened", integer(32, signed=False), integer(32)),
        ("unsigned-widened", integer(8), integer(16)),
        ("int-widened", integer(32), integer(16)),
        ("int-widened", integer(8, signed=False), integer(16)),
        ("float16-as-float32", floating(32), floating(64)),
        ("float16-as-float32", floating(16), floating(64)),
        ("float-widened", floating(64), floating(32)),
        ("decimal-precision-widened", decimal(9, 2), decimal(18, 3)),
        ("decimal-precision-widened", decimal(18, 2), decimal(9, 2)),
        ("decimal-as-float64", decimal(9, 2), floating(32)),
        ("wide-decimal-as-float64", decimal(38, 2), floating(64)),
        ("timestamp-unit-widened", local("us"), local("ms")),
        ("timestamp-unit-widened", local("us"), duration("ns")),
        ("time-unit-widened", local("ms"), local("us")),
        ("time-unit-widened", duration("ms"), duration("us")),
        ("timestamp-unit-widened", time("ms", utc=True), time("us", utc=True)),
        ("duration-unit-widened", time("ms", utc=True), time("us", utc=True)),
        ("nanos-as-micros", local("ns"), local("ms")),
        ("nanos-as-micros", time("ns", utc=True), time("us", utc=True)),
        ("time-nanos-as-micros", local("ns"), local("us")),
        ("nanos-as-micros", local("us"), local("ms")),
        ("nanos-as-int64", local("us"), integer(64)),
        ("nanos-as-int64", local("ns"), integer(64, signed=False)),
        ("nanos-as-int64", local("ns"), integer(16)),
        ("time-as-integer", local("ns"), integer(64)),
        ("time-as-duration", local("ns"), duration("ns")),
        ("time-utc-ignored", timestamp("us", utc=True), local("us")),
        ("timestamp-utc-ignored", time("us", utc=True), time("us", utc=False)),
        ("int96-as-timestamp", INT96, integer(64)),
        ("date-as-timestamp", DATE, timestamp("us", utc=True)),
        ("orc-timestamp-as-spark-timestamp", timestamp("ns", utc=True), local("us")),
        ("orc-timestamp-gap-los-angeles", local("ns"), local("us")),
        ("enum-as-string", Type("json"), STRING),
        ("uuid-as-bytes", Type("uuid"), STRING),
        ("bytes-as-string", BYTES, Type("json")),
        ("null-as-any", integer(32), NULL),
        ("variant-of-spark", struct_of([("value", BYTES), ("metadata", STRING)]), Type("variant")),
        ("variant-of-spark", struct_of([("value", BYTES), ("typed_value", BYTES)]), Type("variant")),
        ("variant-as-struct", Type("variant"), struct_of([("value", BYTES)])),
        ("variant-as-stored", Type("variant"), struct_of([("value", BYTES), ("typed_value", BYTES)])),
        ("variant-as-stored", Type("variant"), BINARIES),
        ("variant-as-struct", Type("variant"), struct_of([("metadata", STRING), ("value", BYTES)])),
        (
            "map-as-list-of-structs",
            map_of(STRING, BOOL),
            list_of(struct_of([("value", BOOL), ("key", STRING)])),
        ),
        (
            "map-as-list-of-structs",
            map_of(STRING, BOOL),
            list_of(struct_of([("key", STRING), ("value", STRING)])),
        ),
        ("map-as-list-of-structs", map_of(STRING, BOOL), list_of(struct_of([("k", STRING)]))),
        ("map-as-list-of-keys", map_of(STRING, BOOL), list_of(STRING)),
        ("duplicate-keys-last-wins", map_of(STRING, BOOL), map_of(BYTES, BOOL)),
    ],
)
def test_does_not_apply(name, before, after):
    """Other types than those of the equivalence stay different, even where the column is empty."""
    found = compare(Table.of([("a", before)], [[]]), Table.of([("a", after)], [[]]), (name,))
    assert found.difference.kind == "type"


def test_keys_of_two_fields_are_no_entries():
    """A map without values whose keys have two fields is the list of these keys, not of keys and values."""
    key = struct_of([("p", integer(32)), ("q", STRING)])
    expected = Table.of([("a", map_of(key, NULL))], [[[[["1", "x"], None]]]])
    actual = Table.of([("a", list_of(key))], [[[["1", "x"]]]])
    both = ("map-as-list-of-structs", "map-as-list-of-keys")
    assert compare(expected, actual, both).equal
    entries = list_of(struct_of([("key", key), ("value", NULL)]))
    in_entries = Table.of([("a", entries)], [[[[["1", "x"], None]]]])
    assert compare(expected, in_entries, both).equal
    inner = map_of(STRING, integer(32))  # whose parts have the names of an entry's
    maps = Table.of([("a", map_of(inner, NULL))], [[[[[["x", "1"]], None]]]])
    in_structs = list_of(struct_of([("key", inner), ("value", NULL)]))
    assert compare(maps, Table.of([("a", in_structs)], [[[[[["x", "1"]], None]]]]), both).equal


def test_a_small_integer_in_range_is_what_it_is():
    """Only a number that its bits cannot hold may be another one."""
    for type_, value in ((integer(8), "127"), (integer(16, signed=False), "0"), (integer(32), "70000")):
        assert not equal(type_, value, type_, "1", ()).equal


def test_only_gaps_are_moved():
    """A wall clock that the zone shows, once or twice, is not moved, nor is an instant, nor a null."""
    name = "orc-timestamp-gap-los-angeles"
    for wall in (1583632799, 1583636400, 1604196000, 1604194200, 0, -(1 << 62), 1 << 62):
        for moved in (wall - 3600, wall + 3600):
            assert not equal(local("s"), str(wall), local("s"), str(moved), (name,)).equal
    instant = timestamp("s", utc=True)
    assert not equal(instant, "1583634600", instant, "1583631000", (name,)).equal
    assert equal(local("s"), None, local("s"), "1583631000", (name,)).difference
    assert under((name, "null-as-any"), {"zone": "los_angeles", "api": "table"}) == (name, "null-as-any")
    for other in ({"zone": "kolkata"}, {"zone": "utc"}, {}):
        assert under((name, "null-as-any"), other) == ("null-as-any",)


def test_maps_are_sorted_under_some_switches_only():
    """Spark's reader of vectors has the entries of a map in the file's order; the others do not."""
    names, on = ("orc-map-entries-sorted",), {"vectorized": "on", "nested": "on", "orc": "native"}
    assert under(names, on) == ()
    for off in ({"vectorized": "off"}, {"nested": "off"}, {"orc": "hive"}):
        assert under(names, {**on, **off}) == names


def test_types_are_restored_where_a_schema_says_them():
    """Only a file with a schema of Arrow has types that Parquet does not have."""
    names = ("arrow-schema-restored", "null-as-any")
    assert about(names, ("parquet/file/arrow-schema",)) == names
    assert about(names, ("parquet/file/key-value-metadata",)) == ("null-as-any",)
    units = ("parquet/file/arrow-schema", "parquet/file/arrow-duration-s")
    assert about(names, units) == (names[0], "arrow-duration-s-restored", names[1])
    assert about(names, ("parquet/logical/future",)) == ("null-as-any", "future-as-null")


def test_every_equivalence_has_examples():
    """No equivalence is without a test, and each says why in words."""
    assert {one.name for one in EXAMPLES} == set(EQUIVALENCES)
    for name, one in EQUIVALENCES.items():
        assert one.name == name
        assert len(one.doc) > 50
    assert set(DEFAULTS) <= set(EQUIVALENCES)


@pytest.mark.parametrize("name", ENGINES)
def test_engines_claim_what_there_is(name):
    """Every name that an adapter claims is an equivalence."""
    entry = ENGINES[name]
    adapter = getattr(importlib.import_module(entry.module), entry.class_name)
    assert set(adapter.equivalences) <= set(EQUIVALENCES)


def widened(bits, narrow, wide):
    """Return what the processor makes of a float in a wider format."""
    code = {16: ">e", 32: ">f", 64: ">d"}
    (number,) = struct.unpack(code[narrow], bits.to_bytes(narrow // 8, "big"))
    return number, struct.pack(code[wide], number).hex()


@settings(deadline=None)
@given(st.integers(0, 2**32 - 1), st.sampled_from([(16, 32), (16, 64), (32, 64)]))
def test_floats_are_widened_as_the_processor_does(bits, widths):
    """The widened bits are those that Python's conversion gives; of NaN only the payload may differ."""
    narrow, wide = widths
    bits &= (1 << narrow) - 1
    value = f"{bits:0{narrow // 4}x}"
    number, expected = widened(bits, narrow, wide)
    found = equal(floating(narrow), value, floating(wide), expected, ("float-widened",))
    assert found.equal
    if not math.isnan(number):
        assert found.equivalences == ("float-widened",)


@settings(deadline=None)
@given(st.integers(-(2**63), 2**63 - 1))
def test_nanos_round_as_named(count):
    """Floor is floor and truncation is truncation, before and after 1970."""
    truncated = abs(count) // 1000 * (1 if count >= 0 else -1)
    for name, rounded in (("nanos-as-micros", count // 1000), ("nanos-as-micros-toward-zero", truncated)):
        assert equal(local("ns"), str(count), local("us"), str(rounded), (name,)).equal
        assert not equal(local("ns"), str(count), local("us"), str(rounded + 1), (name,)).equal


@settings(deadline=None)
@given(st.decimals(allow_nan=False, allow_infinity=False, places=6, min_value=-(10**12), max_value=10**12))
def test_decimals_are_the_nearest_double(number):
    """A decimal's double is the one that Python reads from its digits."""
    unscaled = int(number.scaleb(6))
    bits = struct.pack(">d", float(str(number))).hex()
    if unscaled:  # decimals have no negative zero, but the text of one has
        assert equal(decimal(18, 6), str(unscaled), floating(64), bits, ("decimal-as-float64",)).equal


def test_tagged_kinds_are_all_considered():
    """Every kind of type is the source of an equivalence, or is one that every engine has."""
    sources = {one.before.kind for one in EXAMPLES}
    assert tagged.KINDS - sources == {"bool"}


def test_geometries_of_geoparquet_are_those_of_its_files():
    """Bytes are no geometries in a file whose metadata lacks the key of GeoParquet."""
    claimed = ("geoparquet-as-geometry", "enum-as-string")
    assert about(claimed, ("parquet/file/geoparquet",)) == claimed
    assert about(claimed, ("parquet/file/arrow-schema",)) == ("enum-as-string",)


def test_nan_of_other_bits_is_the_same_key():
    """A reader of maps as dictionaries keeps one NaN, and both zeros if they are told apart."""
    held = map_of(floating(64), BOOL)
    entries = [["fff8000000000000", True], ["0000000000000000", None], ["7ff8000000000001", False]]
    kept = [["7ff8000000000000", False], ["0000000000000000", None]]
    expected, actual = Table.of([("a", held)], [[entries]]), Table.of([("a", held)], [[kept]])
    assert compare(expected, actual, (*DEFAULTS, "duplicate-keys-last-wins")).equal
    assert not compare(expected, actual, DEFAULTS).equal


def test_durations_of_two_units():
    """A column is of the finest unit of the file that its type can be of: most engines restore the unit."""
    features = [f"parquet/file/arrow-duration-{unit}" for unit in ("s", "us")]
    claimed = about(("arrow-schema-restored",), features)
    expected = Table.of([("a", integer(64)), ("b", integer(64))], [["1"], ["7"]])
    for unit, count in (("s", "1"), ("ms", "1000")):
        actual = Table.of([("a", duration(unit)), ("b", duration("us"))], [[count], ["7"]])
        assert compare(expected, actual, claimed).equal
