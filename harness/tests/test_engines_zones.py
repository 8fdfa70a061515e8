"""Engines of ORC answer the same in whichever time zone their process lives, and leave it as it was."""

from __future__ import annotations

import os
import time

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from corpora.answers import answer
from corpora.queries import Aggregate, Compare, Computed, Filter, NullSafe, leaves
from corpora.tagged import Table, integer, list_of, map_of, struct_of, timestamp
from harness.children.connection import Connection, Limits, worker_command
from harness.children.outcomes import OutcomeKind
from harness.children.worker import open_engine
from harness.engines.errors import Unsupported
from harness.engines.registry import ENGINES
from harness.engines.zones import ZONES, instant_of, process_zone, wall_clock
from harness.environments.availability import status
from harness.judging.claims import under
from harness.judging.compare import compare
from harness.tests.orc_files import queries, table_of
from reference_impl.orc import zones as reference_zones

AWAY = [name for name in ZONES if name != "utc"]
WALL, INSTANT = timestamp("ns", utc=False), timestamp("ns", utc=True)
SECOND = 1_000_000_000
# Before 1900, 1970 and 2015, beyond 2262, and when the clocks of each zone had just been set.
TIMES = [-2_499_999_999, -1_000_000_000, -86_401, 0, 1, 1_420_070_399, 1_420_070_400, 9_300_000_000]
TIMES += [1_583_636_400, 1_604_199_600, 1_601_778_600, 1_586_001_600, 253_402_300_801]
# 2020-03-08 02:30 in Los Angeles, 2020-10-04 02:15 in Lord Howe: wall clocks that there are not.
GAPS = {"los_angeles": (1_583_634_600, 3_600), "lord_howe": (1_601_777_700, 1_800)}


def moments(zone="utc", last=1 << 40):
    """Return a table of wall clocks and instants, also in columns of columns, and one in a zone's gap."""
    counts = [str(one * SECOND + 123_456_000 * (one > 0)) for one in TIMES if one <= last]
    if zone in GAPS:
        counts.insert(0, str(GAPS[zone][0] * SECOND))
    ones = [None, *counts]
    columns = [
        ("wall", WALL),
        ("instant", INSTANT),
        ("n", integer(32)),
        ("walls", list_of(WALL)),
        ("both", struct_of([("w", WALL), ("i", INSTANT)])),
        ("m", map_of(integer(32), WALL)),
    ]
    values = [
        ones,
        ones,
        list(map(str, range(len(ones)))),
        [[one, None] for one in ones],
        [[one, one] for one in ones],
        [[["1", one]] for one in ones],
    ]
    return Table.of(columns, values)


def engine(name):
    """Return an adapter; skip the test if its engine is not installed."""
    entry = ENGINES[name]
    for package in (*entry.packages, "pyorc"):
        pytest.importorskip(package, reason=f"{package} is not installed")
    return open_engine(f"{entry.module}:{entry.class_name}")


def claimed(equivalences, config):
    """Return the equivalences that hold under a configuration."""
    return under(equivalences, config)


@settings(max_examples=200)
@given(st.sampled_from(AWAY), st.integers(-(1 << 42), 1 << 42))
def test_zones_are_those_of_the_reference(name, instant):
    """A wall clock is that of the tz database; its instant comes back, if it is the only one."""
    zone = ZONES[name]
    rules = reference_zones.load(zone)
    wall = instant + int(rules.offsets(np.array([instant], np.int64))[0])
    assert wall_clock(zone, instant) == wall
    try:
        assert instant_of(zone, wall) == instant
    except Unsupported:
        near = rules.offsets(np.array([instant - 4_000, instant, instant + 4_000], np.int64))
        assert len(set(near)) > 1


def test_wall_clocks_that_are_no_moment():
    """A wall clock that a zone shows never, or twice, is Unsupported; a second away it is not."""
    for zone, first, last in (
        ("los_angeles", 1_583_632_800, 1_583_636_399),
        ("los_angeles", 1_604_192_400, 1_604_195_999),
        ("lord_howe", 1_601_776_800, 1_601_778_599),
        ("lord_howe", 1_586_050_200, 1_586_051_999),
    ):
        for wall in (first, last):
            with pytest.raises(Unsupported, match="not a unique instant"):
                instant_of(ZONES[zone], wall)
        for wall in (first - 1, last + 1):
            assert wall_clock(ZONES[zone], instant_of(ZONES[zone], wall)) == wall


def fail_in(config, name, offset):
    """Look at the process in a configuration's zone, and raise KeyError there."""
    with process_zone(config):
        assert (os.environ["TZ"], time.timezone) == (name, offset)
        raise KeyError


def test_the_process_is_left_as_it_was(monkeypatch):
    """The zone holds inside, and ends with it, with an error too; without the switch nothing is changed."""
    for before in ("Europe/Berlin", None):
        monkeypatch.setenv("TZ", before or "")
        if before is None:
            monkeypatch.delenv("TZ")
        time.tzset()
        names = time.tzname
        with pytest.raises(KeyError):
            fail_in({"zone": "lord_howe"}, "Australia/Lord_Howe", -37_800)
        assert (os.environ.get("TZ"), time.tzname) == (before, names)
        with process_zone({}):
            assert time.tzname == names
    monkeypatch.undo()
    time.tzset()


@pytest.mark.parametrize("name", ["pyorc", "pyarrow_orc"])
@pytest.mark.parametrize("zone", AWAY)
def test_reads_alike_in_every_zone(tmp_path, name, zone):
    """Wall clocks and instants are those of the file, in columns of columns too; but for those in a gap."""
    last = 1 << 33 if name == "pyarrow_orc" else 1 << 40  # Arrow has no nanoseconds beyond 2262
    opened, table, file = engine(name), moments(zone, last), str(tmp_path / "x.orc")
    engine("pyorc").write(file, "orc", {}, table, {})
    before = time.tzname
    found = opened.read(file, "orc", {"zone": zone})
    assert time.tzname == before
    names = claimed(opened.equivalences, {"zone": zone})
    if zone == "lord_howe" and name == "pyorc":  # before 1895 the library counts otherwise than Python
        assert found.column(0)[2] != table.column(0)[2]
        found = replaced(found, table, 2)
    result = compare(table, found, names)
    assert result.equal, result.difference
    moved = name == "pyorc" and zone in GAPS
    assert result.equivalences == ((f"orc-timestamp-gap-{zone.replace('_', '-')}",) if moved else ())


def replaced(found, table, row):
    """Return a table with one row of another."""
    columns = [found.column(at) for at in range(len(found.columns))]
    for at, column in enumerate(columns):
        column[row] = table.column(at)[row]
    return Table.of([(one.name, one.type) for one in found.columns], columns)


def has_test(query, *kinds):
    """Return whether a query is a filter with a test of one of these kinds, which an engine lacks."""
    return isinstance(query, Filter) and any(isinstance(test, kinds) for test in leaves(query.predicate))


@pytest.mark.sweep(8, each="name")
@pytest.mark.parametrize("zone", AWAY)
@pytest.mark.parametrize("column", ["wall", "instant"])
@pytest.mark.parametrize(
    ("name", "config"), [("pyorc", {"pushdown": "off"}), ("pyarrow_orc", {"api": "dataset"})], ids=str
)
def test_queries_mean_the_same(tmp_path, name, config, column, zone):
    """A query is answered as the oracle does, in every zone."""
    opened, table = engine(name), table_of(column)
    engine("pyorc").write(str(tmp_path / "x.orc"), "orc", {}, table, {"row_group_rows": 400})
    for query in queries(column):
        kinds = (NullSafe, Computed) if name == "pyorc" else (NullSafe,)
        if isinstance(query, Filter) and not has_test(query, *kinds):
            (found,) = opened.query([str(tmp_path / "x.orc")], "orc", {**config, "zone": zone}, query)
            assert compare(answer(query, table, "ieee"), found, opened.equivalences).equal, str(query)


@pytest.fixture(scope="module")
def orc_java():
    """Return a connection to orc-java; skip without Java or PySpark."""
    if not status(ENGINES["orc_java"]).available:
        pytest.skip(status(ENGINES["orc_java"]).reason)
    with Connection(worker_command(ENGINES["orc_java"]), Limits()) as connection:
        yield connection


def test_orc_java_reads_alike_in_every_zone(orc_java, tmp_path):
    """Wall clocks and instants are those of the file, but for those in a gap."""
    equivalences = orc_java.describe()["equivalences"]
    for zone in (*AWAY, "utc", "los_angeles"):
        table, file = moments(zone), tmp_path / f"{zone}.orc"
        engine("pyorc").write(str(file), "orc", {}, table, {})
        outcome = orc_java.read(file, "orc", {"zone": zone})
        assert outcome.kind is OutcomeKind.TABLE, outcome.detail
        result = compare(table, outcome.table, claimed(equivalences, {"zone": zone}))
        assert result.equal, (zone, result.difference)


@pytest.mark.sweep(3)
@pytest.mark.parametrize("zone", AWAY)
def test_orc_java_answers_alike_in_every_zone(orc_java, tmp_path, zone):
    """A filter is answered as the oracle does; bounds of instants move with the zone (FINDINGS.md)."""
    for column in ("wall", "instant"):
        table, file = table_of(column), tmp_path / f"{column}.orc"
        engine("pyorc").write(str(file), "orc", {}, table, {"row_group_rows": 400})
        answered = 0
        for query in queries(column):
            if not isinstance(query, Filter):
                continue
            config = {"zone": zone, "pushdown": "on" if column == "wall" else "off"}
            outcome = orc_java.query([file], "orc", config, query)
            if not isinstance(outcome, list):
                assert outcome.kind is OutcomeKind.UNSUPPORTED, (str(query), outcome.detail)
                continue
            answered += 1
            assert compare(answer(query, table, "ieee"), outcome[0].table, ()).equal, str(query)
        assert answered > 5


@pytest.mark.parametrize("zone", AWAY)
def test_orc_java_finds_old_wall_clocks(orc_java, tmp_path, zone):
    """A filter finds a wall clock before the zone had rules, and the file's bounds are it alone."""
    file, count = tmp_path / "x.orc", str(TIMES[0] * SECOND)
    table = Table.of([("wall", WALL)], [[count]])
    engine("pyorc").write(str(file), "orc", {}, table, {})
    query = Filter(Compare(("wall",), "=", WALL, count))
    (outcome,) = orc_java.query([file], "orc", {"zone": zone, "pushdown": "on"}, query)
    assert outcome.table.column(0) == [count]


SPARKS = [{}, {"vectorized": "off"}, {"orc": "hive"}]


@pytest.mark.heavy
@pytest.mark.spark
@pytest.mark.parametrize("config", SPARKS, ids=str)
def test_spark_reads_alike_in_every_zone(spark, tmp_path, config):
    """Spark's wall clocks and instants are those of the file, in a sheet too, one zone after the other."""
    equivalences = spark.describe()["equivalences"]
    for zone in (*AWAY, "utc", "los_angeles"):
        table = without_old_instants(moments(zone), hive="orc" in config)
        files = [tmp_path / f"{zone}-{number}.orc" for number in range(2)]
        for file in files:
            engine("pyorc").write(str(file), "orc", {}, table, {})
        switches = {**config, "zone": zone}
        for outcome in (*spark.read_many(files, "orc", switches), spark.read(files[0], "orc", switches)):
            assert outcome.kind is OutcomeKind.TABLE, outcome.detail
            assert outcome.table.columns[0].type == timestamp("us", utc=zone == "utc")
            result = compare(table, outcome.table, claimed(equivalences, switches))
            assert result.equal, (zone, result.difference)
            gap = f"orc-timestamp-gap-{zone.replace('_', '-')}"
            assert (gap in result.equivalences) is (zone in GAPS)


def without_old_instants(table, *, hive):
    """Return a table without instants before 1900, which Spark moves, or any, which Hive's reader lacks."""
    names = [(one.name, one.type) for one in table.columns]
    columns = [table.column(at) for at in range(len(names))]
    if hive:
        kept = [at for at, (name, _) in enumerate(names) if name not in {"instant", "both"}]
        return Table.of([names[at] for at in kept], [columns[at] for at in kept])
    young = [row for row, one in enumerate(columns[1]) if one is None or int(one) > -2_208_988_800 * SECOND]
    return Table.of(names, [[column[row] for row in young] for column in columns])


@pytest.mark.sweep(16, each="column")
@pytest.mark.spark
@pytest.mark.parametrize("zone", AWAY)
@pytest.mark.parametrize("column", ["wall", "instant"])
@pytest.mark.parametrize("pushdown", ["on", "off"])
def test_queries_of_spark_mean_the_same(spark, tmp_path, pushdown, column, zone):
    """A filter or an aggregate of Spark is answered as the oracle does, in every zone."""
    table, config = table_of(column), {"zone": zone, "pushdown": pushdown}
    engine("pyorc").write(str(tmp_path / "x.orc"), "orc", {}, table, {"row_group_rows": 400})
    names = claimed(spark.describe()["equivalences"], config)
    asked = [
        one for one in queries(column) if isinstance(one, Aggregate | Filter) and not has_test(one, Computed)
    ]
    for query in asked[::3]:
        (outcome,) = spark.query([tmp_path / "x.orc"], "orc", config, query)
        assert outcome.kind is OutcomeKind.TABLE, (str(query), outcome.detail)
        result = compare(answer(query, table, "nan-greatest"), outcome.table, names)
        assert result.equal, (str(query), result.difference)
    gap = Filter(Compare(("wall",), "=", timestamp("us", utc=False), "1583634600000000"))
    if column == "wall" and zone == "los_angeles":
        outcome = spark.query([tmp_path / "x.orc"], "orc", config, gap)
        assert outcome.kind is OutcomeKind.UNSUPPORTED
