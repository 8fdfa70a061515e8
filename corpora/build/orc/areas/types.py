"""Every type in each of its encodings and nestings, decimals, dates and timestamps."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import chain, product
from typing import Any

from corpora.build.orc import samples
from corpora.build.orc.schemas import Types, column_plan, column_recipe, leaf, recipe, versions
from corpora.build.recipe import Recipe, slug
from reference_impl.orc.encodings.runs import Run, RunKind
from reference_impl.orc.plan import Column, Dictionary
from reference_impl.orc.schema import CalendarKind, TypeKind
from reference_impl.orc.statistics import TEXTS


def _matrix() -> Iterator[Recipe]:
    """Yield the matrix, and the lengths of CHAR and VARCHAR."""
    for kind, type_ in (samples.TYPES | samples.NESTED).items():
        for (name, layout), nesting in product(_layouts(kind), samples.NESTINGS):
            make = versions if kind not in samples.PLAIN and nesting.name in samples.OLD else column_plan
            plan = make(nesting.type(type_), nesting.values(samples.VALUES[kind]), layout)
            yield recipe(f"type/{slug(kind.name)}/{name}/{nesting.name}", plan, samples.clause(kind))
    yield from _lengths()


def _layouts(kind: TypeKind) -> Iterator[tuple[str, Column]]:
    """Yield the encodings of a type: direct, and for text a dictionary."""
    yield "direct", Column()
    if kind in TEXTS:
        yield "dictionary", Column(dictionary=Dictionary())


def _lengths() -> Iterator[Recipe]:
    """Yield CHAR and VARCHAR of one, of some and of the most characters, padded and not."""
    spec = "ORCv1.md, Type Information"
    texts: dict[str, tuple[int, list[Any]]] = {
        "char/one": (1, [b"a", "é".encode(), "𝄞".encode(), b" "]),
        "char/padded": (4, [b"a   ", b"ab  ", b"    ", "é   ".encode(), b"abcd"]),
        "char/padded-inside": (4, [b" a  ", b"  ab", b"a  b"]),
        "varchar/one": (1, [b"a", "é".encode(), "𝄞".encode(), b" ", b""]),
        "varchar/trailing-spaces": (4, [b"a ", b"a", b"a   ", b"    ", b""]),
        "varchar/full": (3, ["日本語".encode(), b"abc", "𝄞𝄞𝄞".encode()]),
        "varchar/longest": (65_535, [b"a", b"b" * 300]),
    }
    for name, (length, values) in texts.items():
        kind = TypeKind[name.partition("/")[0].upper()]
        yield column_recipe(f"length/{name}", spec, leaf(kind, maximum_length=length), values)
    for kind in (TypeKind.CHAR, TypeKind.VARCHAR):
        # The length counts characters, and combining characters count separately.
        values = ["e\u0301a".encode(), "\u00e9a ".encode(), b"abc"]
        yield column_recipe(f"length/{slug(kind.name)}/combining", spec, leaf(kind, maximum_length=3), values)


_DECIMALS = samples.clause(TypeKind.DECIMAL)
_FORMS = (
    *((1, 0), (1, 1), (2, 1), (9, 4), (10, 10), (18, 0), (18, 18)),
    *((19, 0), (19, 9), (37, 5), (38, 0), (38, 38)),
)
_MOST = 10**38 - 1


def _decimals() -> Iterator[Recipe]:
    """Yield the forms, in both versions where the versions differ for scales."""
    for precision, scale in _FORMS:
        most = 10**precision - 1
        values = [0, most, -most, None, most // 3, 1, -1]
        plan = column_plan(_decimal(precision, scale), values)
        yield recipe(f"decimal/precision-{precision}-scale-{scale}", plan, _DECIMALS, probed=("x",))
    varints = {"short": range(1, 10), "of-10": range(10, 11), "long": range(11, 20), "all": range(1, 20)}
    for name, sizes in varints.items():
        values = [value for size in sizes for value in _of_size(size)]
        yield recipe(f"decimal/varint/{name}", versions(_decimal(38, 0), values), _DECIMALS)
    yield from _scales()
    for count in (1, 3):
        yield column_recipe(
            f"decimal/count/{count}", _DECIMALS, _decimal(10, 2), [number * 37 for number in range(count)]
        )


def _of_size(size: int) -> list[int]:
    """Return the limits of the numbers whose varints have `size` bytes."""
    low, high = 1 << max(0, 7 * (size - 1) - 1), min((1 << 7 * size - 1) - 1, _MOST)
    low = min(low, 1 << 125)
    return [low, high, -low - 1, -high]


def _decimal(precision: int, scale: int) -> Types:
    """Return a _decimal type."""
    return leaf(TypeKind.DECIMAL, precision=precision, scale=scale)


def _scales() -> Iterator[Recipe]:
    """Yield values with a scale other than that of the type: readers rescale ("the scale is stored")."""
    scaled: dict[str, list[tuple[int, int] | None]] = {
        "smaller": [(1, 0), (12, 1), (-5, 0), (123, 2)],
        "larger": [(1000, 4), (-25_00, 4), (0, 10), (1_00, 3)],
        "zero": [(0, 0), (0, 2), (0, 5), (0, 38)],
        "mixed": [(1, 0), (100, 2), (10, 1), (10_000, 4), None, (-7, 0)],
        "largest": [(10**37, 37), (-(10**37), 37)],
    }
    for name, values in scaled.items():
        yield recipe(f"decimal/scales/{name}", versions(_decimal(12, 2), values), _DECIMALS)
    runs = (Run(RunKind.DIRECT, 1), Run(RunKind.SHORT_REPEAT), Run(RunKind.DELTA, 3))
    plan = column_plan(_decimal(12, 2), [number * 11 for number in range(12)], Column(secondary_runs=runs))
    yield recipe("decimal/scales/runs", plan, _DECIMALS)


_TIMESTAMPS = samples.clause(TypeKind.TIMESTAMP)
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
    *((1_583_632_799, 0), (1_583_636_400, 0), (1_604_192_400, 0), (1_604_196_000, 0)),
    *((1_604_199_600, 0), (1_593_561_600, 1), (1_577_836_800, 999_000_000)),
    *((-1_633_269_600, 0), (-765_396_000, 5_000_000), (_EPOCH, 0), (0, 0)),
]
_LOCAL_MEAN: Moments = [
    (-3_786_825_600, 0),
    (-3_141_372_304, 789),
    (-2_190_000_000, 0),
    (_EPOCH, 0),
]  # from 1850
_YEAR_2018, _YEAR_2030 = 1_514_764_800, 1_893_456_000
_ZONES = (
    *("UTC", "America/Los_Angeles", "America/New_York", "Asia/Kolkata"),
    *("Europe/Berlin", "Australia/Lord_Howe", "Pacific/Apia", "Asia/Kathmandu"),
    *("America/Sao_Paulo", "GMT", "Etc/GMT+5", "US/Pacific"),
)


def _moments() -> Iterator[Recipe]:
    """Yield the timestamps."""
    for name, values in _CONTENTS.items():
        for kind, type_ in (("timestamp", _TYPE), ("instant", _INSTANT)):
            # Constants of queries are 64-bit counts of nanoseconds.
            far = any(moment and not -_FAR < moment[0] < _FAR for moment in values)
            probed = None if far else ("x",)
            yield recipe(f"{kind}/{name}", versions(type_, values), _TIMESTAMPS, probed=probed)
    yield from _nanoseconds()
    yield from _zones()
    yield from _dates()


def _nanoseconds() -> Iterator[Recipe]:
    """Yield nanoseconds with 0 to 9 trailing zeros; the encoding removes two and more zeros."""
    values: Moments = [(_EPOCH, 10**zeros % 10**9) for zeros in range(10)]
    values += [(_EPOCH, 7 * 10**zeros) for zeros in range(9)]
    yield recipe("timestamp/nanos/trailing-zeros", column_plan(_TYPE, values), _TIMESTAMPS)
    values = [(_EPOCH, nanos) for nanos in (1000, 100_000, 120, 1_200, 12, 999_999_999, 999_999_900, 1)]
    yield recipe("timestamp/nanos/examples", column_plan(_TYPE, values), _TIMESTAMPS)
    runs = (Run(RunKind.DIRECT, 2), Run(RunKind.SHORT_REPEAT), Run(RunKind.PATCHED_BASE, 30))
    nanos = [500, 700, *[1_000] * 5, *[0] * 20, 999_999_999]
    values = list(enumerate(nanos))
    yield recipe("timestamp/nanos/runs", column_plan(_TYPE, values, Column(secondary_runs=runs)), _TIMESTAMPS)


def _zones() -> Iterator[Recipe]:
    """Yield wall clocks of writers in many zones, which readers must return unchanged, and instants."""
    for zone in _ZONES:
        name = zone.lower().replace("/", "-").replace("_", "-").replace("+", "-plus-")
        # Nepal had local mean time until 1920, which not every library of zones knows.
        values = [
            value for value in _ZONED if zone != "Asia/Kathmandu" or (value and value[0] >= _SINCE_1920)
        ]
        plan = column_plan(_TYPE, values, writer_timezone=zone)
        yield recipe(f"timestamp/zone/{name}", plan, _TIMESTAMPS, probed=("x",))
    for zone in ("America/Los_Angeles", "America/Chicago", "Asia/Shanghai", "Asia/Kolkata"):
        name = zone.lower().replace("/", "-").replace("_", "-")
        file = column_plan(_TYPE, _LOCAL_MEAN, writer_timezone=zone)
        yield recipe(f"timestamp/zone/{name}-old", file, "orc_proto.proto, StripeFooter.writer_timezone")
    for zone in ("Africa/Casablanca", "America/Vancouver"):  # whose rules changed in 2026
        name = zone.lower().replace("/", "-")
        file = column_plan(_TYPE, [(_YEAR_2018, 0), (_YEAR_2030, 0), (_EPOCH, 0)], writer_timezone=zone)
        yield recipe(f"timestamp/zone/{name}-changed", file, "orc_proto.proto, StripeFooter.writer_timezone")
    for zone in ("America/Los_Angeles", "Asia/Kolkata"):
        name = zone.lower().replace("/", "-").replace("_", "-")
        file = column_plan(_INSTANT, _ZONED, writer_timezone=zone)
        yield recipe(f"instant/zone/{name}", file, _TIMESTAMPS, probed=("x",))
    yield column_recipe("instant/zone/none", _TIMESTAMPS, _INSTANT, _ZONED, writer_timezone=None)
    plan = column_plan(_TYPE, [*_ZONED, *_ZONED], writer_timezone="America/Los_Angeles", stripes=(11, 11))
    yield recipe("timestamp/zone/two-stripes", plan, _TIMESTAMPS)
    two = ("America/Los_Angeles", "Asia/Kolkata")
    plan = replace(plan, stripe_timezones=two)
    spec = "orc_proto.proto, StripeFooter.writer_timezone"
    yield recipe("timestamp/zone/one-of-each-stripe", plan, spec, probed=("x",))


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
        yield column_recipe(
            f"date/calendar/{name}-old", _CALENDAR, _DATE, old, calendar=calendar, probed=("x",)
        )
        for kind, type_ in (("timestamp", _TYPE), ("instant", _INSTANT)):
            yield column_recipe(f"{kind}/calendar/{name}-old", _CALENDAR, type_, moments, calendar=calendar)


_CALENDAR = "orc_proto.proto, CalendarKind"


def recipes() -> Iterator[Recipe]:
    """Yield the types, decimals and timestamps."""
    return chain(_matrix(), _decimals(), _moments())
