"""Columns of the tables that engines write: values at the edges of each type."""

from __future__ import annotations

import struct
from collections.abc import Iterable, Sequence

from corpora.tagged import (
    BOOL,
    BYTES,
    DATE,
    PER_SECOND,
    STRING,
    Type,
    Value,
    binary,
    decimal,
    floating,
    integer,
    list_of,
    map_of,
    struct_of,
    time,
    timestamp,
)

SECONDS_PER_DAY = 86_400
# Days since 1970-01-01, in the proleptic Gregorian calendar.
FIRST_DAY, LAST_DAY = -719_162, 2_932_896  # 0001-01-01, 9999-12-31
LAST_JULIAN_DAY = -141_428  # 1582-10-14: the day before the Gregorian calendar began
FAR_DAYS = (
    FIRST_DAY - 1,
    LAST_DAY + 1,
    -(1 << 31),
    -(1 << 31) + 1,
    (1 << 31) - 1,
)  # up to what 32 bits of days hold
DAYS = (0, 1, -1, 18_262, -25_567, LAST_JULIAN_DAY, LAST_JULIAN_DAY + 1, FIRST_DAY, LAST_DAY)

Column = tuple[str, Type, "Sequence[Value]"]


def numbers(values: Iterable[int | None]) -> list[Value]:
    """Return integers as tagged values."""
    return [None if value is None else str(value) for value in values]


def around_nulls(values: Iterable[Value]) -> list[Value]:
    """Put a null first, last, and two in the middle."""
    values = list(values)
    middle = len(values) // 2
    return [None, *values[:middle], None, None, *values[middle:], None]


def integers(bits: int, *, signed: bool) -> Column:
    """Return a column of integers at the edges of their type."""
    low, high = (-(1 << bits - 1), (1 << bits - 1) - 1) if signed else (0, (1 << bits) - 1)
    # 1 << bits - 1 sets the sign bit of the stored integer; an unsigned reader must not treat it as a sign.
    values = [0, 1, low, high, low + 1, high - 1, high // 2, high // 2 + 1]
    label = f"{'int' if signed else 'uint'}{bits}"
    return label, integer(bits, signed=signed), around_nulls(numbers(values))


def floats(bits: int) -> Column:
    """Return a column of floats: zeros, subnormal numbers, infinities and NaN of both signs."""
    exponent_bits, fraction_bits = {16: (5, 10), 32: (8, 23), 64: (11, 52)}[bits]
    infinity = ((1 << exponent_bits) - 1) << fraction_bits
    quiet = 1 << fraction_bits - 1
    smallest_normal = 1 << fraction_bits
    unit = ((1 << exponent_bits - 1) - 1) << fraction_bits
    magnitudes = [0, unit, unit + 1, 1, smallest_normal - 1, smallest_normal, infinity - 1, infinity]
    magnitudes += [infinity | quiet, infinity | quiet | 0x2A]  # a quiet NaN, and one that carries a payload
    signed = [sign << bits - 1 | magnitude for magnitude in magnitudes for sign in (0, 1)]
    return f"float{bits}", floating(bits), around_nulls(f"{value:0{bits // 4}x}" for value in signed)


def decimals(precision: int, scale: int) -> Column:
    """Return a column of decimals at the edges of their precision."""
    high = 10**precision - 1
    values = [0, 1, -1, 10**scale, -(10**scale), high, -high, high // 3, -(high // 7)]
    return f"decimal_{precision}_{scale}", decimal(precision, scale), around_nulls(numbers(values))


def dates(days: Iterable[int]) -> Column:
    """Return a column of dates."""
    return "date", DATE, around_nulls(numbers(days))


def times(unit: str) -> Column:
    """Return a column of times of day."""
    per_second = PER_SECOND[unit]
    values = [0, 1, per_second - 1, per_second, 43_200 * per_second, SECONDS_PER_DAY * per_second - 1]
    return f"time_{unit}", time(unit, utc=False), around_nulls(numbers(values))


def timestamps(unit: str) -> tuple[Column, Column]:
    """Return columns of instants and of wall clocks at the edges of days and calendars."""
    per_day = SECONDS_PER_DAY * PER_SECOND[unit]
    values = [moment for day in DAYS for moment in (day * per_day, (day + 1) * per_day - 1)]
    if unit == "ns":  # 64 bits of nanoseconds end in 1677 and 2262
        values = [moment for moment in values if abs(moment) < 1 << 63]
        values += [(1 << 63) - 1, -(1 << 63) + 1]
    column = around_nulls(numbers(values))
    instants = (f"timestamp_{unit}_utc", timestamp(unit, utc=True), column)
    return instants, (f"timestamp_{unit}_local", timestamp(unit, utc=False), column)


def strings() -> Column:
    """Return a column of strings."""
    long = "0123456789abcdef" * 4_480  # 70 KiB
    prefixes = ["prefix", "prefix-a", "prefix-ab", "prefix-b"]
    values = ["", "a", *prefixes, "\0", "é", "漢字", "\U0001f680", "e\u0301", long, long + "x", " ", "NULL"]
    return "text", STRING, around_nulls(values)


def binaries() -> Column:
    """Return a column of byte strings."""
    long = b"\x7f" * 70_000
    values = [b"", b"\x00", b"\x80", b"\xff\xfe\xfd", bytes(range(256)), b"PAR1", b"\xc3\x28", long]
    return "raw", BYTES, around_nulls(binary(value) for value in values)


def lists() -> tuple[Column, ...]:
    """Return columns of lists."""
    hundred = list(map(str, range(100)))
    ints: list[Value] = [None, [], ["1"], [None], ["1", None, "3"], [], None, hundred, [None]]
    texts: list[Value] = [[], None, [""], ["a", None, ""], [None, None], ["é"], [], None, ["x"] * 20]
    return ("ints", list_of(integer(32)), ints), ("texts", list_of(STRING), texts)


def structs() -> Column:
    """Return a column of nested structs."""
    type_ = struct_of([("i", integer(64)), ("s", STRING), ("inner", struct_of([("b", BOOL)]))])
    values: list[Value] = [
        *(None, [None, None, None], ["1", None, [None]], [None, "", [True]]),
        *(["-9223372036854775808", "é", [False]], None),
    ]
    return "s", type_, values


def maps() -> tuple[Column, ...]:
    """Return columns of maps."""
    by_text: list[Value] = [None, [], [["a", "1"]], [["", None], ["b", "2"]], [["é", "-1"]], None, []]
    by_number: list[Value] = [[], None, [["1", None]], [["2", "x"], ["3", ""]], [["-1", "é"]], [], None]
    return (
        ("by_text", map_of(STRING, integer(32)), by_text),
        ("by_number", map_of(integer(64), STRING), by_number),
    )


def deep() -> tuple[Column, ...]:
    """`list<struct<…, list>>` and `struct<map<…, list>>`, with a null and an empty value at every level."""
    item = struct_of([("n", integer(32)), ("tags", list_of(STRING))])
    items: list[Value] = [
        *(None, [], [None], [["1", None], [None, []], ["2", [None]], None]),
        *([[None, ["a", None, ""]]], [["3", ["b"]], ["4", []]]),
    ]
    holder = struct_of([("m", map_of(STRING, list_of(integer(64))))])
    holders: list[Value] = [
        *([[["k", ["1", None]], ["l", []], ["m", None]]], None, [None]),
        *([[]], [[["", ["-1"]]]], [[["é", [None, None]]]]),
    ]
    matrix: list[Value] = [[["1"], [], None], [], None, [None], [[]], [["2", None], ["3"]]]
    return (
        ("items", list_of(item), items),
        ("holder", holder, holders),
        ("matrix", list_of(list_of(integer(32))), matrix),
    )


def runs() -> tuple[Column, ...]:
    """1,000 rows without a null: long runs, short runs, steady deltas, and few distinct texts."""
    rows = range(1_000)
    return (
        ("row", integer(64), numbers(rows)),
        ("run", integer(32), numbers(row // 100 for row in rows)),
        ("descending", integer(64), numbers(2**40 - 7 * row for row in rows)),
        ("flag", BOOL, [row % 96 < 80 for row in rows]),
        ("word", STRING, [("alpha", "beta", "", "gamma")[row * 7 // 3 % 4] for row in rows]),
    )


def many() -> tuple[Column, ...]:
    """20,000 rows: distinct texts outgrow a dictionary, wide numbers, nulls in blocks and scattered."""
    rows = range(20_000)
    scattered = [row * 2_654_435_761 % 2**32 for row in rows]  # Knuth's multiplicative hash
    return (
        ("text", STRING, [f"{value:08x}-{'filler' * 10}-{row}" for row, value in enumerate(scattered)]),
        ("wide", integer(64), numbers((value << 31) - 2**62 for value in scattered)),
        ("small", integer(32), [None if row // 1_000 % 3 == 1 else str(row % 17) for row in rows]),
        ("sparse", floating(64), [_double(value) if value % 5 == 0 else None for value in scattered]),
        ("list", list_of(integer(32)), [_short_list(row) for row in rows]),
    )


def _double(number: int) -> str:
    return struct.pack(">d", number / 7).hex()


def _short_list(row: int) -> Value:
    return None if row % 11 == 0 else [None if (row + i) % 13 == 0 else str(row + i) for i in range(row % 4)]


def plain_columns(values: int) -> tuple[Column, ...]:
    """Return a few columns of `values` (at most two) values each."""
    return (
        ("i", integer(32), ["7", "8"][:values]),
        ("s", STRING, ["x", "y"][:values]),
        ("l", list_of(integer(64)), [["1", "2"], []][:values]),
    )
