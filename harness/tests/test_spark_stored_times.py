"""Spark's writers store dates and timestamps in the type, calendar and zone that options choose."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpora.tagged import DATE, INT96, STRING, Table, timestamp
from harness.children.worker import open_engine
from harness.engines.reference.adapter import Reference
from harness.engines.registry import ENGINES
from harness.engines.spark import stored_times
from harness.engines.spark.write_options import OPTIONS
from harness.engines.writer_options import CHOSEN
from harness.judging.compare import compare
from reference_impl.orc import calendars

_OF_1 = -62_135_596_800_000_000  # the beginning of the year 1
_OF_1000 = -30_610_224_000_000_001  # just before the year 1000, in microseconds
_GAP = range(calendars.CUTOVER - 10, calendars.CUTOVER)
_TABLE = Table.of(
    [("day", DATE), ("instant", timestamp("us", utc=True)), ("wall", timestamp("us", utc=False))],
    [
        ["-719162", "-354285", "-141438", "-141433", "-141427", "19000", None],
        [
            str(_OF_1),
            str(_OF_1000),
            "-12219638400000000",
            "-12219292800000000",
            "-1",
            "1730000000123456",
            None,
        ],
        [str(_OF_1), str(_OF_1000), "-1", "0", "1", "1730000000123456", None],
    ],
)

_SINCE_1900 = Table.of(
    [("day", DATE), ("wall", timestamp("us", utc=False))],
    [["-25567", "19000", None], ["-2208900000000000", "1720000000123456", None]],
)


@given(st.integers(-2_000_000, 50_000).filter(lambda day: day not in _GAP))
def test_a_day_keeps_its_date(day):
    """The hybrid day of a date is the one that ORC's calendars have, where both have the date."""
    assert stored_times.hybrid(day) == calendars.hybrid(day)


@pytest.mark.parametrize("day", _GAP)
def test_a_date_that_the_hybrid_calendar_leaves_out(day):
    """It becomes 1582-10-15."""
    assert stored_times.hybrid(day) == calendars.CUTOVER


def test_what_a_parquet_file_holds():
    """INT96 has nanoseconds, milliseconds are rounded down, and a date keeps its year, month and day."""
    int96 = stored_times.in_parquet(_TABLE, {stored_times.TIMESTAMP_TYPE: "INT96"})
    assert int96.columns[1].type == INT96
    assert int96.column(1)[4:] == ["-1000", "1730000000123456000", None]
    legacy = {stored_times.REBASE: "LEGACY", stored_times.TIMESTAMP_TYPE: "TIMESTAMP_MILLIS"}
    moved = stored_times.in_parquet(_TABLE, legacy)
    assert moved.column(0)[1:] == ["-354280", "-141428", "-141427", "-141427", "19000", None]
    assert moved.column(1)[3:] == ["-12219292800000", "-1", "1730000000123", None]
    assert moved.column(2) == _TABLE.column(2)


def test_partition_columns_are_not_moved():
    """The name of a folder has the date itself, in any calendar, and null for an empty text."""
    fields = [("day", DATE), ("colconf_part", DATE), ("text", STRING)]
    table = Table.of(fields, [["-354285"], ["-354285"], [""]])
    chosen = {stored_times.REBASE: "LEGACY", "partition_by": {"columns": ["colconf_part", "text"]}}
    stored = OPTIONS["parquet"].stored(table, chosen)
    assert [stored.column(at) for at in range(3)] == [["-354280"], ["-354285"], [None]]


@pytest.mark.parametrize(
    ("micros", "drawn"), [("0", {"INT96", "TIMESTAMP_MILLIS"}), (str(2**62), {"TIMESTAMP_MILLIS"})]
)
def test_int96_is_drawn_for_the_years_of_spark(micros, drawn):
    """Beyond the years 1 to 9999, which Spark's timestamps have, no page says what INT96 holds."""
    table = Table.of([("x", timestamp("us", utc=True))], [[micros]])
    option = next(one for one in OPTIONS["parquet"].options if one.name == stored_times.TIMESTAMP_TYPE)
    assert {option.draw(random.Random(seed), table) for seed in range(20)} == drawn


def test_what_an_orc_file_holds():
    """A TIMESTAMP of ORC is the wall clock of the zone of its writer."""
    table = Table.of([("at", timestamp("ns", utc=False))], [["0", "1720000000000000000"]])
    moved = stored_times.on_the_wall(table, "America/New_York")
    assert moved.column(0) == ["-18000000000000", "1719985600000000000"]
    assert stored_times.on_the_wall(table, "UTC") == table


@pytest.fixture(scope="module")
def spark():
    """Return Spark's adapter."""
    pytest.importorskip("pyspark", reason="PySpark is not installed")
    entry = ENGINES["spark"]
    return open_engine(f"{entry.module}:{entry.class_name}")


_CHOICES = [
    ("parquet", {stored_times.TIMESTAMP_TYPE: "INT96", stored_times.REBASE_INT96: "LEGACY"}),
    ("parquet", {stored_times.TIMESTAMP_TYPE: "TIMESTAMP_MILLIS", stored_times.REBASE: "LEGACY"}),
    ("parquet", {stored_times.REBASE: "LEGACY", stored_times.REBASE_INT96: "CORRECTED"}),
    ("parquet", {stored_times.REBASE: "CORRECTED", stored_times.REBASE_INT96: "LEGACY"}),
    ("orc", {stored_times.ZONE: "Asia/Kolkata"}),
]


@pytest.mark.spark
@pytest.mark.parametrize(("format_", "chosen"), _CHOICES)
def test_spark_stores_what_its_options_say(spark, tmp_path, format_, chosen):
    """Dates and timestamps are of the chosen calendar, type and zone, and no option stays set."""
    writer = OPTIONS[format_]
    table = _TABLE if format_ == "parquet" else _SINCE_1900
    for at, options in enumerate((chosen, {})):
        file = str(tmp_path / f"{at}.{format_}")
        spark.write(file, format_, {}, table, {CHOSEN: options})
        held = Reference().read(file, format_, {})
        assert compare(writer.stored(table, options), held, ()).difference is None
