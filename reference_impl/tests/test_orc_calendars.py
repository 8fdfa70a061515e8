"""Dates of the hybrid calendar: what files store, and what is read."""

import datetime as dt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from reference_impl.errors import UsageError
from reference_impl.orc import calendars
from reference_impl.orc.file import OrcFile
from reference_impl.orc.plan import FilePlan
from reference_impl.orc.pushdown import Test, candidates
from reference_impl.orc.schema import CalendarKind, Type, TypeKind
from reference_impl.orc.writer import write

# Dates of ancient documents, and the days between the calendars at them.
KNOWN = [
    ("1582-10-04", 10),
    ("1500-03-01", 10),
    ("1500-02-28", 9),
    ("1300-03-01", 8),
    ("0325-06-01", 1),
    ("0300-03-01", 1),
    ("0300-02-28", 0),
    ("0200-03-01", 0),
    ("0200-02-28", -1),
    ("0001-01-01", -2),
]
DAYS = st.integers(-800_000, 20_000)
HYBRIDS = [(CalendarKind.JULIAN_GREGORIAN, 1), (None, 0), (None, None), (CalendarKind.UNKNOWN_CALENDAR, 2)]


def day(text):
    """Return the days since 1970-01-01 of a date of the proleptic Gregorian calendar."""
    return dt.date.fromisoformat(text).toordinal() - dt.date(1970, 1, 1).toordinal()


def proleptic(days):
    """Return one hybrid day as a proleptic one."""
    return int(calendars.proleptic(np.array([days], np.int64))[0])


@pytest.mark.parametrize(("date", "difference"), KNOWN)
def test_known_dates(date, difference):
    """A date of the Julian calendar is so many days later in the Gregorian calendar."""
    assert calendars.hybrid(day(date)) == day(date) + difference
    assert proleptic(day(date) + difference) == day(date)


def test_the_day_after_the_fourth_is_the_fifteenth():
    """The hybrid calendar goes from 1582-10-04 to 1582-10-15, and has no day between."""
    assert proleptic(calendars.CUTOVER - 1) == day("1582-10-04")
    assert proleptic(calendars.CUTOVER) == calendars.CUTOVER == day("1582-10-15")
    for days in range(day("1582-10-05"), day("1582-10-15")):
        with pytest.raises(UsageError, match="1582-10-05"):
            calendars.hybrid(days)


@given(DAYS)
def test_dates_come_back(days):
    """What is stored for a date is read as the date."""
    if not day("1582-10-05") <= days < calendars.CUTOVER:
        assert proleptic(calendars.hybrid(days)) == days


@given(DAYS, DAYS)
def test_order_is_kept(left, right):
    """A later stored day is never an earlier date."""
    assert (proleptic(left) <= proleptic(right)) or left > right


def test_a_leap_day_of_the_julian_calendar():
    """1500-02-29 is a date of the Julian calendar only: it is read as 1500-03-01."""
    assert proleptic(calendars.hybrid(day("1500-03-01")) - 1) == day("1500-03-01")


def plan(kind, values, **options):
    """Return the plan of a file with one column."""
    types = (Type(kind=TypeKind.STRUCT, subtypes=(1,), field_names=("x",)), Type(kind=kind))
    return FilePlan(types=types, rows=tuple((value,) for value in values), writer_timezone="UTC", **options)


def column(data):
    """Return the values of the only column."""
    return OrcFile(data).read().columns[0].values.tolist()


@pytest.mark.parametrize(("calendar", "writer"), HYBRIDS)
def test_files_of_the_hybrid_calendar(calendar, writer):
    """A file of the hybrid calendar, or of none and not by C++, stores hybrid days and reads as planned."""
    days = [day("0001-01-01"), day("1582-10-04"), calendars.CUTOVER, 0]
    data = write(plan(TypeKind.DATE, days, calendar=calendar, writer=writer))
    assert column(data) == days
    assert OrcFile(data).statistics[1].date_statistics.minimum == days[0] - 2
    moments = [(days[0] * 86_400 + 5, 7), (days[1] * 86_400 - 1, 0), (1, 1)]
    assert column(write(plan(TypeKind.TIMESTAMP, moments, calendar=calendar, writer=writer))) == moments
    instant = write(plan(TypeKind.TIMESTAMP_INSTANT, moments, calendar=calendar, writer=writer))
    assert OrcFile(instant).statistics[1].timestamp_statistics.minimum_utc == moments[0][0] * 1000
    assert column(instant) == moments


@pytest.mark.parametrize(("calendar", "writer"), [(CalendarKind.PROLEPTIC_GREGORIAN, 0), (None, 1)])
def test_files_of_the_proleptic_calendar(calendar, writer):
    """A file that names the proleptic calendar, or none and is by C++, stores the days as they are."""
    days = [day("0001-01-01"), day("1582-10-07")]
    data = write(plan(TypeKind.DATE, days, calendar=calendar, writer=writer))
    assert column(data) == days
    assert OrcFile(data).statistics[1].date_statistics.minimum == days[0]


@pytest.mark.parametrize("kind", [TypeKind.DATE, TypeKind.TIMESTAMP])
def test_pushdown_compares_dates(kind):
    """Bounds of a hybrid file are compared as dates, not as stored numbers."""
    days = [day("1000-01-01"), day("1000-01-02")]
    values = days if kind is TypeKind.DATE else [(days_ * 86_400, 0) for days_ in days]
    data = write(plan(kind, values, calendar=CalendarKind.JULIAN_GREGORIAN, writer_version=9))
    file = OrcFile(data)
    node = file.root.children[0]

    def rows(operator, number):
        constant = number if kind is TypeKind.DATE else (number * 86_400, 0)
        return candidates(file, 0, 1, Test(node, operator, [constant], "ieee"))

    assert rows("=", days[1]) == [(0, 2)]
    assert rows(">", days[1]) == []
    assert rows("<", days[0]) == []
    assert rows("<=", days[0]) == [(0, 2)]
