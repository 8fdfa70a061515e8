"""Domains of dates, times and intervals: at the ends of calendars, epochs and integers."""

from __future__ import annotations

import struct

from properties.strategies.domains import Domain

DAY = {"ms": 86_400_000, "us": 86_400_000_000, "ns": 86_400_000_000_000}
_JULIAN_EPOCH = 2_440_588
_GREGORIAN = -141_427  # days from 1970-01-01 to 1582-10-15
_YEAR_10000 = 2_932_897
_YEAR_0 = -719_528


def date() -> Domain:
    """Return the domain of DATE, with days before 1582, before year 0 and after 9999."""
    days = [
        0,
        1,
        -1,
        19_000,
        _GREGORIAN,
        _GREGORIAN - 1,
        _GREGORIAN - 11,
        _YEAR_0,
        _YEAR_0 - 1,
        _YEAR_0 + 366,
    ]
    days += [
        _YEAR_10000 - 1,
        _YEAR_10000,
        -25_567,
        -719_162,
        106_751,
        106_752,
        24_855,
        (1 << 31) - 1,
        -(1 << 31),
    ]
    return Domain(days, lambda at: at, (0, 19_000, -40, _GREGORIAN - 20, _YEAR_10000 - 20))


def gregorian() -> Domain:
    """Return the days of `date` that have the same name in both calendars: those since 1582-10-15."""
    every = date()
    later = [base for base in every.bases if base >= -40]
    return Domain([day for day in every.edges if day >= _GREGORIAN], lambda at: max(at, _GREGORIAN), later)


def time(unit: str) -> Domain:
    """Return the domain of TIME, within a day."""
    day = DAY[unit]
    return Domain(
        (0, 1, day - 1, day // 2, day // 24, 999, 1000), lambda at: at * (day // 90_000) % day, (0, 45_000)
    )


def timestamp(unit: str) -> Domain:
    """Return the domain of TIMESTAMP, with values that overflow in another unit."""
    day = DAY[unit]
    most = (1 << 63) - 1
    micros, nanos = most // 1000, most // 1_000_000
    days = (
        19_000,
        _GREGORIAN,
        _GREGORIAN - 1,
        _YEAR_0 - 1,
        _YEAR_0 + 366,
        _YEAR_10000,
        106_751,
        106_752,
        -106_753,
    )
    near = [0, 1, -1, day - 1, -day - 1, 999, 1000, 1001, -999, -1000, -1001]
    near += [at * day + more for at in days for more in (0, -1, 1)]
    # Values around the limits of the conversion to micro- or nanoseconds.
    near += [sign * at + more for at in (micros, nanos) for sign in (1, -1) for more in (0, 1, -1)]
    near += [most, most - 1, -most - 1, -most]
    stamps = list(dict.fromkeys(value for value in near if -most - 1 <= value <= most))
    step = day // 24
    bases = [
        base for base in (0, 19_000 * 24, -40, (_GREGORIAN - 1) * 24) if (abs(base) + 30_000) * step < most
    ]
    return Domain(stamps, lambda at: at * step, bases)


def near(unit: str) -> Domain:
    """Return the domain of TIMESTAMP without values whose microseconds do not fit 64 bits.

    A reader may refuse a file with such timestamps, so that the file tests little else.
    """
    every = timestamp(unit)
    most = ((1 << 63) - 1) // (1000 if unit == "ms" else 1)
    return Domain([edge for edge in every.edges if abs(edge) <= most], every.nth, every.bases)


def int96() -> Domain:
    """Return the domain of INT96; the nanoseconds of the day are less than a day."""

    def stored(day: int, nanos: int) -> bytes:
        return struct.pack("<qi", nanos, day + _JULIAN_EPOCH)

    last = DAY["ns"] - 1
    days = (
        0,
        -1,
        19_000,
        _GREGORIAN,
        _GREGORIAN - 1,
        _YEAR_0,
        _YEAR_10000,
        106_752,
        -106_753,
        -_JULIAN_EPOCH,
    )
    values = [stored(day, nanos) for day in days for nanos in (0, 1, last, 1000, last - 999)]
    values += [struct.pack("<qi", last, (1 << 31) - 1), struct.pack("<qi", 0, -(1 << 31))]
    return Domain(values, lambda at: stored(at // 24, at % 24 * (DAY["ns"] // 24)), (0, 19_000 * 24, -40))


def interval() -> Domain:
    """Return the domain of INTERVAL: three unsigned integers."""
    most = (1 << 32) - 1
    parts = (
        (0, 0, 0),
        (1, 0, 0),
        (0, 1, 0),
        (0, 0, 1),
        (most, most, most),
        (1 << 31, 1, 1),
        (0, 0, most),
        (12, 30, 999),
    )
    return Domain(
        [struct.pack("<III", *part) for part in parts],
        lambda at: struct.pack("<III", at % (most + 1), at % 31, at % 7),
    )


_SECONDS = (
    # 1970, 2015 (from which ORC counts), 1900, and the ends of 32 bits
    *(0, 1, -2, -1, 1_420_070_400, 1_420_070_399, -2_208_988_800, -2_208_988_801, (1 << 31) - 1, 1 << 31),
    *(-(1 << 31), -(1 << 31) - 1, 2_224_800_000, -2_717_640_000, -1_000_000, 86_400),
    # clocks of Los Angeles and Lord Howe in 2015: around a gap, in it, and in an hour that occurs twice
    *(1_425_779_999, 1_425_781_800, 1_425_783_600, 1_446_341_400, 1_443_924_600, 1_443_925_800),
    # the ends of 64 bits of nanoseconds, the year 10000, the year 1, the Gregorian calendar
    *(9_223_372_036, 9_223_372_037, -9_223_372_037, -9_223_372_036, 253_402_300_799, 253_402_300_800),
    *(-62_135_596_800, -62_135_596_801, _GREGORIAN * 86_400, _GREGORIAN * 86_400 - 1),
)
_NANOS = (0, 1, 999, 1000, 999_999, 1_000_000, 999_999_999, 500_000_000, 123_456_789, 100, 120_000_000)
_MILLI = 1_000_000
_NANOS_END = 9_223_372_036  # seconds from 1970, before 2262 ends
_FINE = 10**9  # around this number `instant` counts quarters of a second around 2015


def instant(*, wide: bool) -> Domain:
    """Return timestamps as (seconds, nanoseconds); in the last second before 1970 only the first millisecond.

    ORC cannot store the rest of that second (`reference_impl/orc/encodings/timestamp.py`, ORC-TIME-003).
    `wide`: with timestamps whose nanoseconds do not fit 64 bits.
    """
    near = [seconds for seconds in _SECONDS if wide or -_NANOS_END < seconds < _NANOS_END]
    moments = [(seconds, 0) for seconds in near]
    moments += [(seconds, nanos) for seconds in near[::2] for nanos in _NANOS[1:] if seconds != -1]
    moments += [(-1, nanos) for nanos in _NANOS[1:] if nanos < _MILLI]
    moments += [(0, nanos) for nanos in _NANOS]

    def nth(at: int) -> tuple[int, int]:
        if at >= _FINE // 2:
            seconds, quarters = divmod(at - _FINE, 4)
            return 1_420_070_400 + seconds, quarters * 250_000_000
        return at * 3600, _NANOS[at % len(_NANOS)]

    bases = (0, _FINE, 395_000, -40, _FINE - 40, -700_000)
    return Domain(moments, nth, (*bases, _NANOS_END // 3600) if wide else bases)
