"""Days since 1970-01-01 as dates of the proleptic Gregorian calendar, of any year."""

from __future__ import annotations

_ERA = 146_097  # days of 400 years
_SHIFT = 719_468  # from 0000-03-01, where an era begins, to 1970-01-01


def civil(days: int) -> tuple[int, int, int]:
    """Return year, month and day; year 0 is the year before 1 AD."""
    era, of_era = divmod(days + _SHIFT, _ERA)
    year = (of_era - of_era // 1460 + of_era // 36_524 - of_era // 146_096) // 365
    of_year = of_era - (365 * year + year // 4 - year // 100)
    month = (5 * of_year + 2) // 153  # from March on
    day = of_year - (153 * month + 2) // 5 + 1
    shifted = month + 3 if month < 10 else month - 9
    return year + era * 400 + (shifted <= 2), shifted, day


def from_civil(year: int, month: int, day: int) -> int:
    """Return the days since 1970; a day beyond the end of its month lies in the next month."""
    year -= month <= 2
    era, of_era = divmod(year, 400)
    of_year = (153 * (month - 3 if month > 2 else month + 9) + 2) // 5 + day - 1
    return era * _ERA + of_era * 365 + of_era // 4 - of_era // 100 + of_year - _SHIFT
