"""Days of the hybrid calendar, as days since 1970-01-01 of the proleptic Gregorian calendar ("CalendarKind").

A DATE, and the date of a TIMESTAMP, is year, month and day. A file stores the number of days from 1970-01-01
by the calendar of `Footer.calendar`. JULIAN_GREGORIAN is the calendar of Java's GregorianCalendar: Julian
until 1582-10-04, the day before 1582-10-15. This package counts days by the proleptic Gregorian calendar.

Where the footer has no calendar, or UNKNOWN_CALENDAR, the writer's library decides: ORC Java was hybrid by
default, ORC C++ has always written proleptic days (`orc.proleptic.gregorian.default` of ORC Java tells of
both). A TIMESTAMP_INSTANT is an instant, which is the same in both calendars.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from reference_impl.errors import UsageError
from reference_impl.orc.schema import CalendarKind, TypeKind

CUTOVER = -141_427  # days from 1970-01-01 to 1582-10-15, the first day on which both calendars have one date
DATED = (TypeKind.DATE, TypeKind.TIMESTAMP)
_JULIAN_ERA = 719_470  # days from 0000-03-01 of the Julian calendar to 1970-01-01
_GREGORIAN_ERA = 719_468
_FOUR_YEARS = 1461
_DAY = 86_400
_NANOS_PER_DAY = _DAY * 10**9
_CPP = 1  # Footer.writer


def is_hybrid(calendar: CalendarKind | None, writer: int | None) -> bool:
    """Return whether dates are those of the hybrid calendar, by two fields of the footer."""
    if calendar is None or calendar is CalendarKind.UNKNOWN_CALENDAR:
        return writer != _CPP
    return calendar is CalendarKind.JULIAN_GREGORIAN


def proleptic(days: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the proleptic days with the dates of hybrid days; never falling where the hybrid days rise.

    A 29 February that only the Julian calendar has becomes 1 March, as in Java.
    """
    century, of_cycle = np.divmod(days + _JULIAN_ERA, _FOUR_YEARS)
    of_year, year = _year_of(of_cycle)
    cycles, year = np.divmod(year + 4 * century, 400)
    moved = cycles * 146_097 + year * 365 + year // 4 - year // 100 + of_year - _GREGORIAN_ERA
    return np.where(days < CUTOVER, moved, days)


def _year_of(of_cycle: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the day of the year, from 1 March, and the year of a day of four Julian years."""
    year = (of_cycle - of_cycle // 1460) // 365
    return of_cycle - 365 * year, year


def hybrid(day: int) -> int:
    """Return the hybrid day with the date of a proleptic day.

    Raises UsageError for the dates 1582-10-05 to 1582-10-14, which the hybrid calendar has not.
    """
    if day >= CUTOVER:
        return day
    cycle, of_cycle = divmod(day + _GREGORIAN_ERA, 146_097)
    year = (of_cycle - of_cycle // 1460 + of_cycle // 36_524 - of_cycle // 146_096) // 365
    of_year = of_cycle - (365 * year + year // 4 - year // 100)
    year += 400 * cycle
    moved = 365 * year + year // 4 + of_year - _JULIAN_ERA
    if moved >= CUTOVER:
        raise UsageError(f"day {day}: the hybrid calendar has no 1582-10-05 to 1582-10-14")
    return moved


def read(kind: TypeKind, values: Any) -> Any:
    """Return the values of a column of a hybrid file with proleptic days."""
    if kind is TypeKind.DATE:
        if len(values) and int(values.min()) < CUTOVER:
            moved = proleptic(values.astype(np.int64))
            return moved.astype(values.dtype) if int(moved.min()) >= -(2**31) else moved
    elif kind is TypeKind.TIMESTAMP and len(values) and int(values["seconds"].min()) < CUTOVER * _DAY:
        days, seconds = np.divmod(values["seconds"], _DAY)
        values = values.copy()
        values["seconds"] = proleptic(days) * _DAY + seconds
    return values


def stored(kind: TypeKind, value: Any) -> Any:
    """Return the number that a hybrid file stores for a plan's value; raises UsageError as `hybrid` does."""
    if value is None or kind not in DATED:
        return value
    if kind is TypeKind.DATE:
        return hybrid(value)
    day, seconds = divmod(value[0], _DAY)
    return hybrid(day) * _DAY + seconds, value[1]


def bound(kind: TypeKind, key: int | None) -> int | None:
    """Return a bound of statistics (days, or nanoseconds since 1970) of a hybrid file in proleptic days."""
    if key is None or kind not in DATED:
        return key
    unit = 1 if kind is TypeKind.DATE else _NANOS_PER_DAY
    day, rest = divmod(key, unit)
    return int(proleptic(np.array([day], np.int64))[0]) * unit + rest
