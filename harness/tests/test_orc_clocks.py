"""Old dates and wall clocks of ORC, of which the specification says too little to blame anybody."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from corpora.features import registry
from corpora.tagged import DATE, INT96, Table, timestamp
from harness.judging import orc_clocks
from harness.judging.claims import silent
from harness.judging.compare import compare
from harness.judging.equivalences import EQUIVALENCES
from reference_impl.orc import zones
from reference_impl.orc.file import OrcFile
from reference_impl.orc.plan import FilePlan
from reference_impl.orc.schema import Type, TypeKind
from reference_impl.orc.summary import summarize
from reference_impl.orc.writer import write
from reference_impl.parquet.summary import is_hybrid

ZONES_OF_OLD = ("Africa/Monrovia", "America/Chicago", "Asia/Kolkata", "Asia/Shanghai", "Europe/Dublin")
WALL, INSTANT = timestamp("s", utc=False), timestamp("s", utc=True)
NAME = "orc-local-mean-time"
DAY = 86_400


def equal(type_, value, other):
    """Return whether one cell may stand for another by the readings of zones."""
    left, right = (Table.of([("a", type_)], [[str(one)]]) for one in (value, other))
    return compare(left, right, (NAME,)).equal


def test_local_mean_time_ends():
    """What libraries read otherwise is old: later wall clocks differ, and instants and dates always do."""
    los_angeles_1883, shanghai_1901, year_1900 = -2_717_650_800, -2_177_452_800, -2_208_988_800
    for begins, shift in ((los_angeles_1883, 422), (shanghai_1901, -343), (year_1900, 3_600)):
        for wall, held in ((begins - DAY, True), (begins + 3 * DAY, False)):
            for one, other in ((wall, wall + shift), (wall + shift, wall)):
                assert equal(WALL, one, other) is held, wall
    for type_ in (INSTANT, DATE):
        assert not equal(type_, -3_786_825_178, -3_786_825_600)


def test_builds_of_the_tz_database_differ_before_1970(monkeypatch):
    """A zone that one build merges with another is read by either before 1970, and by one since."""
    brussels = zones.load("Europe/Brussels")
    monkeypatch.setattr(zones, "of_system", lambda name: brussels if name == "Europe/London" else None)
    shifts = dict(orc_clocks._of_builds(zones.load("Europe/London")))
    assert max(shifts.values()) <= DAY
    assert set(shifts) == {-shift for shift in shifts}


def test_rules_that_changed():
    """Since 2018 a wall clock may be by former rules of a zone; before, or by other shifts, it may not."""
    year_2030, year_2010 = 1_893_456_000, 1_262_304_000
    for wall, shift, held in (
        (year_2030, 3_600, True),
        (year_2030, -3_600, True),
        (year_2030, 10_800, True),
        (year_2030, 5_400, False),
        (year_2030, DAY, False),
        (year_2010, 3_600, False),
    ):
        left, right = (Table.of([("a", WALL)], [[str(one)]]) for one in (wall, wall + shift))
        assert compare(left, right, ("orc-zone-of-another-database",)).equal is held, (wall, shift)
    left, right = (Table.of([("a", INSTANT)], [[str(one)]]) for one in (year_2030, year_2030 + 3_600))
    assert not compare(left, right, ("orc-zone-of-another-database",)).equal


def test_a_file_of_a_changed_zone():
    """The feature is of files whose zone changed, wherever the zone lies."""
    for zone, there in (("Africa/Casablanca", True), ("America/Los_Angeles", False)):
        plan = FilePlan(
            (Type(kind=TypeKind.STRUCT, subtypes=(1,), field_names=("x",)), Type(kind=TypeKind.TIMESTAMP)),
            (((0, 0),),),
            writer_timezone=zone,
        )
        assert ("zone_changed" in summarize(OrcFile(write(plan)))["flags"]) is there


def test_a_wall_clock_of_spark_is_an_instant():
    """In UTC, Spark reads a wall clock as its TIMESTAMP: the type of the file counts, not the type read."""
    walls = Table.of([("a", timestamp("ns", utc=False))], [["-2519999999500000000"]])
    answer = Table.of([("a", timestamp("us", utc=True))], [["-2520000379500000"]])
    names = ("orc-timestamp-as-spark-timestamp", NAME)
    assert compare(walls, answer, names).equivalences == tuple(sorted(names))
    instants = Table.of([("a", timestamp("ns", utc=True))], [["-2519999999500000000"]])
    assert not compare(instants, answer, ("nanos-as-micros", NAME)).equal


@settings(deadline=None)
@given(st.sampled_from(ZONES_OF_OLD), st.integers(-(1 << 40), -1_000_000_000))
def test_every_reading_stands_for_another(zone, instant):
    """At any old instant of a zone, what one library reads may stand for what another reads."""
    rules, at = zones.load(zone), np.array([instant], np.int64)
    walls = [instant + int(offsets[0]) for offsets in (rules.offsets(at), *rules.others(at))]
    for one in walls:
        for other in walls:
            assert equal(WALL, one, other)


@pytest.mark.parametrize(
    ("features", "names"),
    [
        (["orc/type/date", "parquet/file/zone"], ()),
        (["orc/file/julian"], ("orc-calendar-of-instants",)),
        (["orc/file/no-calendar"], ("orc-calendar-unnamed", "orc-calendar-of-instants")),
        (["orc/file/julian", "orc/file/no-calendar"], ("orc-calendar-unnamed", "orc-calendar-of-instants")),
        (["orc/file/zone"], ("orc-local-mean-time",)),
        (["orc/file/zone-changed"], ("orc-zone-of-another-database",)),
        (
            ["orc/file/zone", "orc/file/no-calendar"],
            (
                *("orc-calendar-unnamed", "orc-calendar-of-instants"),
                *("orc-local-mean-time", "orc-local-mean-time-calendar-unnamed"),
            ),
        ),
    ],
)
def test_where_the_specification_is_silent(features, names):
    """For every engine these hold, by the features of the file."""
    assert silent(features) == names


@pytest.mark.parametrize(
    ("name", "type_", "shift", "held"),
    [
        ("spark-hybrid-calendar", DATE, 5, True),  # 1000-01-01 by both calendars
        ("spark-hybrid-calendar", DATE, 4, False),
        ("spark-hybrid-calendar", INSTANT, 5 * DAY, False),
        ("spark-hybrid-calendar-of-instants", INSTANT, 5 * DAY, True),
        ("spark-hybrid-calendar-of-instants", INSTANT, 5 * DAY + 422, True),  # as clocks of Los Angeles
        ("spark-hybrid-calendar-of-instants", INSTANT, 5 * DAY + 1, False),
    ],
)
def test_the_calendar_that_spark_marks(name, type_, shift, held):
    """Days that Spark marks as hybrid may be read by the other calendar, and instants by old clocks, too."""
    day = -354_285 * (1 if type_ == DATE else DAY)
    left, right = (Table.of([("a", type_)], [[str(one)]]) for one in (day, day + shift))
    assert compare(left, right, (name,)).equal is held
    late = [Table.of([("a", type_)], [[str(one)]]) for one in (0, shift)]
    assert not compare(*late, (name,)).equal


@pytest.mark.parametrize(("shift", "held"), [(5 * DAY + 422, True), (5 * DAY + 1, False)])
def test_int96_that_spark_marks_is_an_instant(shift, held):
    """An INT96 of a file that Spark marks as hybrid may be another moment, as a timestamp may."""
    left = Table.of([("a", INT96)], [[str(-354_285 * DAY * 10**9)]])
    right = Table.of([("a", timestamp("us", utc=True))], [[str((-354_285 * DAY + shift) * 10**6)]])
    names = ("int96-as-timestamp", "spark-hybrid-calendar-of-instants")
    assert compare(left, right, names).equal is held
    assert not compare(left, right, names[:1]).equal


def test_the_marks_of_spark_are_a_feature():
    """Its keys, and its versions before 3.0, say that Spark took days for the hybrid calendar."""
    spark = "org.apache.spark"
    for metadata, marked in (
        ({f"{spark}.legacyDateTime": ""}, True),
        ({f"{spark}.legacyINT96": "", f"{spark}.version": "4.3.0"}, True),
        ({f"{spark}.version": "2.4.8"}, True),
        ({f"{spark}.version": "3.0.0"}, False),
        ({}, False),
    ):
        assert is_hybrid(metadata) is marked
    (needed,) = {EQUIVALENCES[name].feature for name in EQUIVALENCES if name.startswith("spark-hybrid")}
    assert needed in registry()
