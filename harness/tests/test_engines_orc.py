"""Engines of ORC that need no Java read what they and others wrote, and answer queries as the oracle does."""

from __future__ import annotations

import datetime as dt
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from corpora import tagged
from corpora.answers import answer
from corpora.orc_tables import ORC_LAYOUTS, ORC_TABLES
from corpora.queries import Compare, Filter, IsNull, Not, StartsWith
from corpora.tagged import STRING, Table, integer, map_of, timestamp, union_of
from harness.children.worker import open_engine
from harness.engines.errors import Unsupported
from harness.engines.orc_columns import flat_columns
from harness.engines.registry import ENGINES
from harness.judging.compare import compare
from harness.tests.orc_files import COLUMNS, LAYOUT, queries, rows_of, table_of
from harness.tests.query_files import ID, compared

if TYPE_CHECKING:
    from harness.engines.base import Engine

READERS = ("reference", "pyorc", "pyarrow_orc")
WRITERS = ("pyorc", "pyarrow_orc")
TABLES = {one.name: one.table for one in ORC_TABLES}
# No moment in the last second before 1970 survives ORC's writers; pyarrow writes those before 1970 wrong.
MOMENTS = {"timestamps", "milliseconds", "nanoseconds"}
LOCAL = timestamp("ns", utc=False)
_opened: dict[str, Engine] = {}


def engine(name):
    """Return an engine, opened once; skip the test if it is not installed."""
    if name not in _opened:
        entry = ENGINES[name]
        for package in entry.packages:
            pytest.importorskip(package, reason=f"{package} is not installed")
        _opened[name] = open_engine(f"{entry.module}:{entry.class_name}")
    return _opened[name]


def difference(reader, table, file, config=None):
    """Return how what an engine reads differs from a table."""
    return compare(table, reader.read(str(file), "orc", config or {}), reader.equivalences).difference


@pytest.mark.sweep(24, each="name")
@pytest.mark.parametrize("writer", WRITERS)
@pytest.mark.parametrize("name", sorted(set(TABLES) - MOMENTS))
def test_reads_what_is_written(tmp_path, some_of, writer, name):
    """Every table comes back as it was written, whoever writes and reads it, in every layout."""
    for layout in some_of(((f"{writer} {name} {one.name}", one) for one in ORC_LAYOUTS), 4):
        file = tmp_path / f"{layout.name}.orc"
        engine(writer).write(str(file), "orc", {}, TABLES[name], layout.options())
        for reader in READERS:
            assert difference(engine(reader), TABLES[name], file) is None, (layout.name, reader)
        assert difference(engine("pyarrow_orc"), TABLES[name], file, {"api": "dataset"}) is None


@pytest.mark.sweep(3)
@pytest.mark.parametrize("zone", ["UTC", "Asia/Kolkata", "America/Los_Angeles"])
def test_the_zone_of_the_process_does_not_matter(tmp_path, zone):
    """A wall clock stays what it is, and an instant too, in whichever zone the engine's process lives."""
    code = (
        "import sys; from harness.children.worker import open_engine\n"
        "for name in sys.argv[3:]:\n"
        "    table = open_engine(name).read(sys.argv[1], 'orc', {})\n"
        "    print([table.column(at) for at in range(len(table.columns))])"
    )
    moments = ["0", "-86400000000001", "1600000000123456789", "-2208988800000000000", "1583020800000000000"]
    columns = [("wall", LOCAL), ("instant", timestamp("ns", utc=True)), ("day", tagged.DATE)]
    table = Table.of(columns, [moments, moments, ["0", "-141428", "18000", "1", "-1"]])
    engine("pyorc").write(str(tmp_path / "x.orc"), "orc", {}, table, {})
    specs = [f"{ENGINES[name].module}:{ENGINES[name].class_name}" for name in READERS]
    if not ENGINES["pyarrow_orc"].packages:
        pytest.skip("pyarrow is not installed")
    done = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path / "x.orc"), zone, *specs],
        cwd=Path(__file__).parents[2],
        env={**os.environ, "TZ": zone},
        check=True,
        capture_output=True,
        text=True,
    )
    wanted = str([table.column(at) for at in range(3)])
    assert done.stdout.split("\n")[:-1] == [wanted] * len(READERS)


@pytest.fixture(scope="module")
def files():
    """Write the table of each column, once; answer the paths."""
    with tempfile.TemporaryDirectory() as folder:
        for name in COLUMNS:
            engine("pyorc").write(f"{folder}/{name}.orc", "orc", {}, table_of(name), LAYOUT)
        yield folder


@pytest.mark.parametrize(
    ("name", "config"),
    [
        ("reference", {}),
        ("pyorc", {"pushdown": "on"}),
        ("pyorc", {"pushdown": "off"}),
        ("pyarrow_orc", {"api": "table"}),
        ("pyarrow_orc", {"api": "dataset", "pushdown": "on"}),
        ("pyarrow_orc", {"api": "dataset", "pushdown": "off"}),
    ],
    ids=str,
)
@pytest.mark.sweep(64, each="name")
@pytest.mark.parametrize("column", COLUMNS)
def test_answers_as_the_oracle(files, name, config, column):
    """Every kind of query that an engine has is answered right, with search arguments and without."""
    opened, answered = engine(name), 0
    for query in queries(column):
        try:
            (found,) = opened.query([f"{files}/{column}.orc"], "orc", config, query)
        except Unsupported:
            continue
        answered += 1
        expected = answer(query, table_of(column), "ieee", rows_of(query))
        assert compared(query, expected, found, "ieee", opened.equivalences).equal, str(query)
    assert answered >= 3


def test_search_arguments_skip(files):
    """What statistics or Bloom filters rule out is not read, so that pushdown is seen to be on."""
    from harness.engines.pyorc.query import search_argument

    opened = engine("pyorc")
    for predicate, least, most in (
        (IsNull(("id",)), 0, 0),
        (Compare(("id",), "<", ID, "40"), 40, 60),
        (Compare(("text",), "=", STRING, "nowhere"), 0, 0),
        (Compare(("text",), "=", STRING, "ab"), 500, 1_000),
        (StartsWith(("text",), "~"), 500, 1_000),
        (Not(Compare(("id",), "<", ID, "3590")), 10, 30),
    ):
        with Path(files, "text.orc").open("rb") as file:
            schema = opened.pyorc.Reader(file).schema
            argument = search_argument(opened.pyorc, schema, predicate, "UTC")
            assert least <= len(list(opened.pyorc.Reader(file, predicate=argument))) <= most, str(predicate)


def test_unions(tmp_path):
    """A union's tag is told by the class of its value where that can be told; a null has none."""
    pyorc = engine("pyorc").pyorc
    for schema, rows, values in (
        ("uniontype<int,string>", [1, "a", None], [["0", "1"], ["1", "a"], None]),
        ("uniontype<string,bigint,int>", ["a", 7], [["0", "a"], ["1", "7"]]),
        ("uniontype<struct<a:int>,string>", [(2,), "b"], [["0", ["2"]], ["1", "b"]]),
    ):
        with (tmp_path / "x.orc").open("wb") as out, pyorc.Writer(out, f"struct<u:{schema}>") as writer:
            writer.writerows((row,) for row in rows)
        table = engine("pyorc").read(str(tmp_path / "x.orc"), "orc", {})
        assert table.column(0) == values
    with (tmp_path / "x.orc").open("wb") as out, pyorc.Writer(out, "struct<u:uniontype<float,double>>"):
        pass
    with pytest.raises(Unsupported, match="which variant"):
        engine("pyorc").read(str(tmp_path / "x.orc"), "orc", {})


def test_roots_that_are_no_struct(tmp_path):
    """A file of bare values is a table of one column without a name, where an engine reads one."""
    pyorc = engine("pyorc").pyorc
    with (tmp_path / "x.orc").open("wb") as out, pyorc.Writer(out, "bigint") as writer:
        writer.writerows([1, None, 3])
    table = Table.of([("", integer(64))], [["1", None, "3"]])
    for name in ("reference", "pyorc"):
        assert difference(engine(name), table, tmp_path / "x.orc") is None
    with pytest.raises(Exception, match="top-level struct") as caught:
        engine("pyarrow_orc").read(str(tmp_path / "x.orc"), "orc", {})
    assert engine("pyarrow_orc").classify(caught.value) == "unsupported"


def test_floats_keep_their_bits(tmp_path):
    """Every float comes back bit by bit, also of 32 bits, the smallest and a NaN with a payload."""
    words = ["00000001", "80000000", "7f7fffff", "7fc00123", "ff800000"]
    table = Table.of([("x", tagged.floating(32))], [words])
    engine("pyorc").write(str(tmp_path / "x.orc"), "orc", {}, table, {})
    for name in READERS:
        assert engine(name).read(str(tmp_path / "x.orc"), "orc", {}).column(0) == words


def test_what_writers_refuse(tmp_path):
    """What an engine has no type, value or codec for is Unsupported, and not written otherwise."""
    beyond = Table.of([("t", LOCAL)], [[str(1 << 63)]])
    twice = Table.of([("m", map_of(STRING, STRING))], [[[["a", "b"], ["a", "c"]]]])
    union = Table.of([("u", union_of([STRING]))], [[["0", "a"]]])
    raw = Table.of([("s", STRING)], [["\udcff"]])
    for name, table, options in (
        ("pyarrow_orc", beyond, {}),
        ("pyarrow_orc", union, {}),
        ("pyarrow_orc", raw, {"codec": "LZO"}),
        ("pyorc", twice, {}),
        ("pyorc", union, {}),
        ("pyorc", raw, {}),
        ("pyorc", Table.of([], [], 2), {"codec": "BROTLI"}),
        ("pyorc", Table.of([("n", tagged.NULL)], [[None]]), {}),
    ):
        with pytest.raises(Unsupported):
            engine(name).write(str(tmp_path / "x.orc"), "orc", {}, table, options)


def test_moments_that_arrow_cannot_hold(tmp_path):
    """A moment beyond Arrow's 64 bits is lacked; one that fits them is refused, if it is."""
    for nanos in (1 << 63, -(1 << 63) - 5_000_000_000):
        engine("pyorc").write(
            str(tmp_path / "x.orc"), "orc", {}, Table.of([("t", LOCAL)], [[str(nanos)]]), {}
        )
        with pytest.raises(Exception, match="out of range") as caught:
            engine("pyarrow_orc").read(str(tmp_path / "x.orc"), "orc", {})
        assert engine("pyarrow_orc").classify(caught.value) == "unsupported"


def test_numbers_of_columns():
    """Columns are numbered in preorder, the root being 0."""
    nested = tagged.struct_of([("x", STRING), ("y", tagged.list_of(STRING))])
    fields = [tagged.Field("a", STRING), tagged.Field("b", nested), tagged.Field("c", STRING)]
    assert flat_columns(fields) == [1, 6]


def test_decimals_of_hive_11():
    """A decimal without precision is one of 38 digits, 6 of them behind the point; other texts stay."""
    from harness.engines.pyorc.values import _unscaled

    assert _unscaled("-0.05", 2) == "-5"
    assert _unscaled("12", 0) == "12"
    assert _unscaled("1.5", 2) == "1.5"
    assert _unscaled("--9.9", 1) == "--9.9"


@pytest.mark.parametrize("name", ["findings/null-root", "present/nested/root"])
def test_null_rows(name):
    """A row whose root struct is null is a row of nulls, read whole, in batches, or by a query."""
    file = str(Path(__file__).parents[2] / f"corpora/orc/{name}.orc")
    wanted, opened = engine("reference").read(file, "orc", {}), engine("pyorc")
    nulls = wanted.column(0).count(None)
    assert nulls >= 2
    assert compare(wanted, opened.read(file, "orc", {}), ()).equal
    assert compare(wanted, opened.rows(file, "orc", {}, 0, 10), ()).equal
    for pushdown in ("on", "off"):
        asked = opened.query_one(file, "orc", {"pushdown": pushdown}, Filter(IsNull(("x",))))
        assert asked.num_rows == nulls


class OneDay:
    """A converter that makes one day of all."""

    from_orc = staticmethod(lambda _: dt.date(2000, 1, 1))
    to_orc = staticmethod(lambda _: 0)


def test_pyorc_with_its_own_converters(tmp_path, monkeypatch):
    """By pyorc's own converters values are the same, as far as Python's types hold them."""
    opened, file, way = engine("pyorc"), str(tmp_path / "x.orc"), {"way": "own-converters"}
    small = tagged.decimal(9, 9)
    fields = [("d", tagged.DATE), ("t", LOCAL), ("n", small), ("l", tagged.list_of(tagged.DATE))]
    values = [["-719162", None, "2932896"], ["-2000001000", "1600000000123456000", None], ["0", "-1", None]]
    table = Table.of(fields, [*values, [["1", None], None, []]])
    opened.write(file, "orc", {}, table, {})
    assert difference(opened, table, file, way) is None
    for zone in ("los_angeles", "lord_howe"):
        assert difference(opened, table, file, {**way, "zone": zone}) is None
    with monkeypatch.context() as patch:
        patch.setitem(opened.pyorc.converters.DEFAULT_CONVERTERS, opened.pyorc.TypeKind.DATE, OneDay)
        assert difference(opened, table, file) is None
        assert str(difference(opened, table, file, way).path) == "column 'd', row 0"
    for cells, reason in ((["2932897"], "years"), (["-719163"], "years")):
        opened.write(file, "orc", {}, Table.of(fields[:1], [cells]), {})
        with pytest.raises(Unsupported, match=reason):
            opened.read(file, "orc", way)
    opened.write(file, "orc", {}, Table.of(fields[1:2], [["1"]]), {})
    with pytest.raises(Unsupported, match="nanoseconds"):
        opened.read(file, "orc", way)


def test_columns_that_share_a_name(tmp_path):
    """Ways that choose columns by their names are Unsupported where names are not unique."""
    opened, file = engine("pyarrow_orc"), str(tmp_path / "x.orc")
    pa = opened.pyarrow
    pa.orc.write_table(pa.Table.from_arrays([pa.array([1]), pa.array([2])], ["a", "a"]), file)
    assert [column.name for column in opened.read(file, "orc", {}).columns] == ["a", "a"]
    for way in ("columns", "stripe-columns"):
        with pytest.raises(Unsupported):
            opened.read(file, "orc", {"way": way})
