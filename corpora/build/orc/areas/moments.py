"""Dates and timestamps: 2015, 1970 and before, packed nanoseconds, zones, calendars, far ends."""

from __future__ import annotations

from collections.abc import Iterator

from corpora.build.orc import samples
from corpora.build.orc.schemas import column_plan, column_recipe, recipe, versions
from corpora.build.recipe import Recipe
from reference_impl.orc.encodings.runs import Run, RunKind
from reference_impl.orc.plan import Column
from reference_impl.orc.schema import CalendarKind, TypeKind

_SPEC = samples.clause(TypeKind.TIMESTAMP)
_TYPE, _INSTANT = samples.TYPES[TypeKind.TIMESTAMP], samples.TYPES[TypeKind.TIMESTAMP_INSTANT]
_DATE = samples.TYPES[TypeKind.DATE]
_EPOCH = 1_420_070_400
_DAY = 86_400
_FAR = 9_223_372_036
_SINCE_1920 = -1_577_923_200
Moments = list[tuple[int, int] | None]
_CONTENTS: dict[str, Moments] = {
    "epoch-2015": [(_EPOCH, 0), (_EPOCH - 1, 0), (_EPOCH + 1, 0), (_EPOCH, 1), (_EPOCH - 1, 999_999_999)],
    "epoch-1970": [(0, 0), (1, 0), (-1, 0), (-2, 0), (0, 1), (0, 999_999_999), (-2, 999_999_999)],
    "before-1970": [(-_DAY, 500_000_000), (-_DAY, 999_999), (-_DAY, 1_000_000), (-1, 999_999), (-3, 1)],
    "before-1900": [(-2_208_988_801, 0), (-2_208_988_800, 0), (-2_500_000_000, 123_456_789)],
    "before-1582": [(-12_219_292_801, 0), (-12_219_292_800, 0), (-62_135_596_800, 0)],
    "beyond-2262": [(9_223_372_037, 0), (10_413_792_000, 999_999_999), (253_402_300_799, 999_999_999)],
    "before-1677": [(-9_223_372_037, 0), (-9_300_000_000, 1_000)],
    "year-2038": [(2_147_483_647, 0), (2_147_483_648, 0), (4_294_967_296, 0)],
    "nulls": [None, (0, 0), None, None, (_EPOCH, 5)],
}
# In March 2020 an hour is missing in America, in November one is repeated; 1918 and 1945 had war time.
_ZONED: Moments = [
    (1_583_632_799, 0),
    (1_583_636_400, 0),
    (1_604_192_400, 0),
    (1_604_196_000, 0),
    (1_604_199_600, 0),
    (1_593_561_600, 1),
    (1_577_836_800, 999_000_000),
    (-1_633_269_600, 0),
    (-765_396_000, 5_000_000),
    (_EPOCH, 0),
    (0, 0),
]
_ZONES = (
    "UTC",
    "America/Los_Angeles",
    "America/New_York",
    "Asia/Kolkata",
    "Europe/Berlin",
    "Australia/Lord_Howe",
    "Pacific/Apia",
    "Asia/Kathmandu",
    "America/Sao_Paulo",
    "GMT",
    "Etc/GMT+5",
    "US/Pacific",
)


def recipes() -> Iterator[Recipe]:
    """Yield the moments."""
    for name, values in _CONTENTS.items():
        for kind, type_ in (("timestamp", _TYPE), ("instant", _INSTANT)):
            # Constants of queries are 64-bit counts of nanoseconds.
            far = any(moment and not -_FAR < moment[0] < _FAR for moment in values)
            yield recipe(f"{kind}/{name}", versions(type_, values), _SPEC, probed=None if far else ("x",))
    yield from _nanoseconds()
    yield from _zones()
    yield from _dates()


def _nanoseconds() -> Iterator[Recipe]:
    """Yield nanoseconds with 0 to 9 trailing zeros; the encoding removes two and more zeros."""
    values: Moments = [(_EPOCH, 10**zeros % 10**9) for zeros in range(10)]
    values += [(_EPOCH, 7 * 10**zeros) for zeros in range(9)]
    yield recipe("timestamp/nanos/trailing-zeros", column_plan(_TYPE, values), _SPEC)
    values = [(_EPOCH, nanos) for nanos in (1000, 100_000, 120, 1_200, 12, 999_999_999, 999_999_900, 1)]
    yield recipe("timestamp/nanos/examples", column_plan(_TYPE, values), _SPEC)
    runs = (Run(RunKind.DIRECT, 2), Run(RunKind.SHORT_REPEAT), Run(RunKind.PATCHED_BASE, 30))
    nanos = [500, 700, *[1_000] * 5, *[0] * 20, 999_999_999]
    values = list(enumerate(nanos))
    yield recipe("timestamp/nanos/runs", column_plan(_TYPE, values, Column(secondary_runs=runs)), _SPEC)


def _zones() -> Iterator[Recipe]:
    """Yield wall clocks of writers in many zones, which readers must return unchanged, and instants."""
    for zone in _ZONES:
        name = zone.lower().replace("/", "-").replace("_", "-").replace("+", "-plus-")
        # Nepal had local mean time until 1920, which not every library of zones knows.
        values = [
            value for value in _ZONED if zone != "Asia/Kathmandu" or (value and value[0] >= _SINCE_1920)
        ]
        plan = column_plan(_TYPE, values, writer_timezone=zone)
        yield recipe(f"timestamp/zone/{name}", plan, _SPEC, probed=("x",))
    for zone in ("America/Los_Angeles", "Asia/Kolkata"):
        name = zone.lower().replace("/", "-").replace("_", "-")
        yield recipe(
            f"instant/zone/{name}", column_plan(_INSTANT, _ZONED, writer_timezone=zone), _SPEC, probed=("x",)
        )
    yield column_recipe("instant/zone/none", _SPEC, _INSTANT, _ZONED, writer_timezone=None)
    plan = column_plan(_TYPE, [*_ZONED, *_ZONED], writer_timezone="America/Los_Angeles", stripes=(11, 11))
    yield recipe("timestamp/zone/two-stripes", plan, _SPEC)


def _dates() -> Iterator[Recipe]:
    """Yield days at the limits of their storage, and around changes of the calendar."""
    spec = samples.clause(TypeKind.DATE)
    contents: dict[str, list[int | None]] = {
        "epoch": [0, 1, -1, 2, -2],
        "gregorian-begins": [-141_428, -141_427, -141_426, -141_438],
        "year-1": [-719_162, -719_163, -719_164],
        "year-9999": [2_932_896, 2_932_897],
        "limits": [-(2**31), 2**31 - 1, 0],
        "leap-days": [11_016, 18_321, 11_017, -36_835],
        "nulls": [None, 5, None],
        "run": list(range(18_000, 18_040)),
    }
    for name, values in contents.items():
        yield recipe(f"date/{name}", versions(_DATE, values), spec, probed=("x",))
    for calendar in (*CalendarKind, None):
        name = "absent" if calendar is None else calendar.name.lower().replace("_", "-")
        # Days after the change of 1582 have the same date in both calendars; those before it have not.
        yield recipe(
            f"date/calendar/{name}", column_plan(_DATE, [0, -141_427, 18_321], calendar=calendar), _CALENDAR
        )
        yield column_recipe(
            f"timestamp/calendar/{name}", _CALENDAR, _TYPE, [(0, 0), (_EPOCH, 1)], calendar=calendar
        )
        old = [-719_162, -682_944, -171_498, -141_438, -141_427]  # 0001, 0100-02-28, 1500-06-15, 1582
        moments = [(day * 86_400 + 3_661, 500) for day in old]
        for kind, type_, values in (
            ("date", _DATE, old),
            ("timestamp", _TYPE, moments),
            ("instant", _INSTANT, moments),
        ):
            plan = column_plan(type_, values, calendar=calendar)
            probed = ("x",) if kind == "date" else ()
            yield recipe(f"{kind}/calendar/{name}-old", plan, _CALENDAR, probed=probed)


_CALENDAR = "orc_proto.proto, CalendarKind"
