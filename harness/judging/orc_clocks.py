"""Undecided meanings of dates and wall clocks: unnamed calendars, old and changed time zones.

The judge sees values, not the zone of their file: a wall clock may differ by what two readings of any zone of
the tz database differ by at that time (`reference_impl.orc.zones`). Differences of whole half hours count
before 1900 only: later ones are not of local mean time, but of places where nobody lived.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from importlib import resources
from itertools import chain, pairwise, permutations

import numpy as np

from corpora import tagged
from corpora.tagged import PER_SECOND, Type, Value
from harness.judging.rewrites import Equivalence, Pair, Same, nothing
from reference_impl.orc import calendars, zones

_DAY = 86_400
_FAR = 1 << 60  # seconds that no sum with an offset brings beyond 64 bits
_HALF_HOUR = 1_800
_YEAR_1900 = -2_208_988_800


def of_calendar(*, instants: bool) -> Pair:
    """Accept for a date before 1582-10-15 the date that the same stored day has in the other calendar.

    `instants`: of timestamps that are instants, else of dates and wall clocks.
    """

    def pair(expected: Type, actual: Type) -> Same | None:
        if expected.kind not in {"date", "timestamp"} or bool(expected.utc) != instants:
            return None
        day = 1 if actual.kind == "date" else _DAY * PER_SECOND.get(actual.unit or "", 0)
        return (lambda left, right: _same_day(int(str(left)), int(str(right)), day)) if day else None

    return pair


def _same_day(left: int, right: int, day: int) -> bool:
    """Return whether one of two times is the other one, its day taken for one of the hybrid calendar."""
    moved = [number // day for number in (left, right)]
    if not all(-_FAR < number < calendars.CUTOVER for number in moved) or left % day != right % day:
        return False
    first, second = calendars.proleptic(np.array(moved, np.int64))
    return bool(first == moved[1] or second == moved[0])


def of_zones(*, in_any_calendar: bool, instants: bool = False) -> Pair:
    """Let an old wall clock differ as much as readings of a zone differ; the calendar may differ, too.

    `instants`: of timestamps that are instants, else of wall clocks.
    """

    def pair(expected_type: Type, type_: Type) -> Same | None:
        if expected_type.kind != "timestamp" or bool(expected_type.utc) != instants:
            return None
        if type_.unit not in PER_SECOND:
            return None
        unit = PER_SECOND[type_.unit]

        def same(expected: Value, actual: Value) -> bool:
            left, right = int(str(expected)), int(str(actual))
            if (right - left) % unit:
                return False
            if not in_any_calendar:
                return min(left, right) // unit < _differences().get((right - left) // unit, -_FAR)
            apart = _by_rest().get((right - left) // unit % _DAY, ())
            return any(
                _same_day(left, right - shift * unit, _DAY * unit)
                or _same_day(left + shift * unit, right, _DAY * unit)
                for shift in apart
            )

        return same

    return pair


def any_of(*pairs: Pair) -> Pair:
    """Let values differ as one of several pairs lets them."""

    def pair(expected: Type, actual: Type) -> Same | None:
        fit = [same for same in (each(expected, actual) for each in pairs) if same is not None]
        return (lambda left, right: any(same(left, right) for same in fit)) if fit else None

    return pair


def with_int96(pair: Pair) -> Pair:
    """Let an INT96 differ as an instant may."""
    instant = tagged.timestamp("ns", utc=True)
    return lambda expected, actual: pair(instant if expected == tagged.INT96 else expected, actual)


# Of an instant, Spark keeps what a zone's clocks showed, which went by local mean time: that of the writer.
_SPARK_INSTANTS = with_int96(
    any_of(
        of_calendar(instants=True),
        of_zones(in_any_calendar=False, instants=True),
        of_zones(in_any_calendar=True, instants=True),
    )
)


@cache
def _differences() -> dict[int, int]:
    """Return by how many seconds two readings of a zone differ, each with the wall clock until when."""
    until_by_shift: dict[int, int] = {}
    for zone in _every_zone():
        for shift, until in chain(_of_zone(zone), _of_builds(zone)):
            if until <= _YEAR_1900 + _DAY or shift % _HALF_HOUR:
                until_by_shift[shift] = max(until, until_by_shift.get(shift, until))
    return until_by_shift


def _every_zone() -> Iterator[zones.Zone]:
    names = resources.files("tzdata").joinpath("zones").read_text("utf-8").split()
    return (zone for zone in map(zones.load, names) if zone)


def of_databases() -> Pair:
    """Let a wall clock since 2018 differ as much as former and present rules of some zone differ."""

    def pair(expected: Type, actual: Type) -> Same | None:
        if expected.kind != "timestamp" or expected.utc or actual.unit not in PER_SECOND:
            return None
        unit = PER_SECOND[actual.unit]

        def same(expected: Value, actual: Value) -> bool:
            left, right = int(str(expected)), int(str(actual))
            late = min(left, right) >= (zones.YEAR_2018 - _DAY) * unit
            return late and not (right - left) % unit and (right - left) // unit in _changes()

        return same

    return pair


@cache
def _changes() -> frozenset[int]:
    """Return by how many seconds two offsets differ that one changed zone has had since 2018."""
    pairs = chain.from_iterable(permutations(zone.changed, 2) for zone in _every_zone())
    return frozenset(right - left for left, right in pairs)


def _of_zone(zone: zones.Zone) -> Iterator[tuple[int, int]]:
    """Yield by how many seconds readings of a zone differ, with a wall clock before which they do."""
    ends = {until for _, until in zone.assumed}
    begins = [-_FAR, *(int(at) for at in zone.times if at < max(ends, default=-_FAR)), *ends]
    for begin, end in pairwise(sorted(set(begins))):
        at = np.array([begin], np.int64)
        readings = {int(offsets[0]) for offsets in (zone.offsets(at), *zone.others(at))}
        yield from ((right - left, end + _DAY) for left, right in permutations(readings, 2))


def _of_builds(zone: zones.Zone) -> Iterator[tuple[int, int]]:
    """Yield the seconds by which builds of the tz database differ, each with the wall clock until which.

    The database merges zones that agree since 1970 ("Theory and pragmatics of the tz code and data"); those
    who build it, for a system as for Java, may keep the times before 1970 apart. ORC C++ reads the system's.
    """
    system = zones.of_system(zone.name)
    if system is None:
        return
    begins = {-_FAR, 0, *(int(at) for each in (zone, system) for at in each.times if at < 0)}
    for begin, end in pairwise(sorted(begins)):
        at = np.array([begin], np.int64)
        shift = int(system.offsets(at)[0] - zone.offsets(at)[0])
        if shift:
            yield from ((shift, end + _DAY), (-shift, end + _DAY))


@cache
def _by_rest() -> dict[int, list[int]]:
    """Return the differences before 1582, grouped by their remainder without whole days."""
    shifts: dict[int, list[int]] = {}
    for shift in _differences():
        shifts.setdefault(shift % _DAY, []).append(shift)
    return shifts


EQUIVALENCES = (
    *(
        Equivalence(
            name,
            f"{doc} The specification does not say which (orc_proto.proto, CalendarKind).",
            nothing,
            formats=("orc",),
            pair=of_calendar(instants=instants),
        )
        for name, instants, doc in (
            (
                "orc-calendar-unnamed",
                False,
                "If no calendar is named, days before 1582-10-15 are hybrid (Java) or proleptic (C++).",
            ),
            (
                "orc-calendar-of-instants",
                True,
                "In a file that it takes for hybrid, ORC Java moves instants before 1582-10-15, too.",
            ),
        )
    ),
    *(
        Equivalence(
            name,
            "Before a zone's first transition, or before 1900, its offset is local mean time (tz database),"
            f" its first standard offset (ORC C++) or its last one (Java's TimeZone){doc}. The specification"
            " does not say which (orc_proto.proto, StripeFooter.writerTimezone).",
            nothing,
            formats=("orc",),
            pair=of_zones(in_any_calendar=in_any_calendar),
        )
        for name, in_any_calendar, doc in (
            ("orc-local-mean-time", False, ""),
            ("orc-local-mean-time-calendar-unnamed", True, ", and days may be of either calendar"),
        )
    ),
    *(
        Equivalence(
            name,
            "Spark marks a file whose days it took for the hybrid calendar, as before 3.0, and reads it so:"
            " by org.apache.spark.legacyDateTime or org.apache.spark.legacyINT96, or by its version (Spark,"
            " spark.sql.parquet.datetimeRebaseModeInWrite, int96RebaseModeInWrite).",
            nothing,
            formats=("parquet",),
            pair=pair,
            feature="parquet/file/spark-hybrid-calendar",
        )
        for name, pair in (
            ("spark-hybrid-calendar", of_calendar(instants=False)),
            ("spark-hybrid-calendar-of-instants", _SPARK_INSTANTS),
        )
    ),
    Equivalence(
        "orc-zone-of-another-database",
        "Where the rules of a zone changed since 2018, each library has the offsets of its version of the tz"
        " database. The specification names none (orc_proto.proto, StripeFooter.writerTimezone).",
        nothing,
        formats=("orc",),
        pair=of_databases(),
    ),
)
