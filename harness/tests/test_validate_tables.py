"""`colconf validate` of a folder: what its files disagree about, and a summary of each table."""

import json
import random

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner

from corpora import tagged
from corpora.build.evolution.cases import WRITERS
from corpora.build.evolution.consistency import KINDS
from corpora.build.evolution.members import Member, fields_of
from corpora.conversions import NULL_PARTITION
from corpora.tagged import Table, floating, integer
from harness.commands.validate import validate
from harness.tests.schemas import printed
from properties.strategies.faults import FAULTS

INT, LONG = integer(32), integer(64)
A, B, C = Member(1, "a", INT), Member(2, "b", tagged.STRING), Member(3, "c", tagged.DATE)


def put(folder, path, *members, values=(), form="parquet"):
    """Write a file of a table, its columns without rows or with these values."""
    fields = [(field.name, field.type) for field in fields_of(members)]
    columns = [list(column) for column in values] or [[] for _ in members]
    file = folder / f"{path}.{form}"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(WRITERS[form](members, Table.of(fields, columns), random.Random(1)))


def seen(*arguments):
    """Return the status and the tables of the JSON output."""
    result = CliRunner().invoke(validate, ["--format", "json", *map(str, arguments)])
    return result.exit_code, printed("validate", result.stdout)["tables"]


def inside(*members, number=9):
    """Return a struct of some fields."""
    return Member(number, "s", shape="struct", members=members)


@pytest.mark.parametrize(
    ("first", "second", "notes"),
    [
        ((A, B), (A, B), []),
        ((A, B), (A, B, C), []),
        ((A,), (Member(1, "a", LONG),), []),
        ((Member(1, "a", integer(16)),), (Member(1, "a", floating(64)),), []),
        ((A,), (Member(1, "a", tagged.STRING),), [("table-types", ["a"])]),
        ((A,), (inside(B), A), []),
        ((inside(B, number=1),), (Member(1, "s", INT),), [("table-types", ["s"])]),
        ((inside(A),), (inside(Member(1, "a", tagged.DATE)),), [("table-types", ["s", "a"])]),
        ((A,), (Member(1, "A", INT),), [("table-case", ["a"]), ("table-id-names", ["a"])]),
        ((A,), (Member(7, "a", INT),), [("table-name-ids", ["a"])]),
        ((A, B), (A, Member(2, "r", tagged.STRING)), [("table-id-names", ["b"])]),
        ((A, Member(1, "d", INT)),) * 2 + ([("table-id-names", ["a"]), ("table-id-twice", ["a"])],),
    ],
)
def test_notes(tmp_path, first, second, notes):
    """Files that readers put together in different ways are noted, with one of them each; nothing else is."""
    put(tmp_path, "one", *first)
    put(tmp_path, "two", *second)
    status, (table,) = seen(tmp_path)
    assert sorted((note["kind"], note["path"]) for note in table["notes"]) == sorted(notes)
    assert status == 0
    assert all(note["clause"] == KINDS[note["kind"]] and note["files"] for note in table["notes"])


@pytest.mark.parametrize(
    ("paths", "members", "notes"),
    [
        (["A=1/x", "A=2/x"], (A,), [("table-case", ["a"])]),
        (["k=1/k=2/x"], (A,), [("table-partition-names", [])]),
        (["k=/x", "k=1/x"], (A,), [("table-partition-names", []), ("table-partition-types", ["k"])]),
        (["k=%FF/x"], (A,), [("table-partition-names", [])]),
        (["k=%E2%82%AC/x"], (A,), [("table-partition-names", [])]),
        (["k=€/x", "k=%2F/x", "k=50%/x"], (A,), []),
        (["x"], (A, Member(3, "a", LONG)), [("table-name-twice", ["a"])]),
        (["x"], (inside(A, number=8), inside(A, number=9)), [("table-name-twice", ["s"])]),
    ],
)
def test_names_that_readers_take_otherwise(tmp_path, paths, members, notes):
    """Of folders and of columns: twice, in another case, empty, or no UTF-8."""
    for path in paths:
        put(tmp_path, path, *members)
    _, (table,) = seen(tmp_path)
    kinds = sorted((note["kind"], note["path"]) for note in table["notes"])
    assert [each for each in kinds if each[0] != "table-types"] == sorted(notes)


def test_fields_that_some_files_require(tmp_path):
    """A field that one file requires and another does not is noted, at any depth; of two alike, not."""

    def write(name, *, nullable):
        inner = pa.field("y", pa.int32(), nullable)
        entry = pa.map_(pa.int32(), inner.with_name("value"))
        outer = pa.field("x", pa.list_(pa.field("element", pa.struct([inner, ("m", entry)]), nullable=True)))
        columns = [pa.array([], pa.int64()), pa.array([], outer.type)]
        schema = pa.schema([pa.field("a", pa.int64(), nullable), outer])
        pq.write_table(pa.Table.from_arrays(columns, schema=schema), tmp_path / f"{name}.parquet")

    write("one", nullable=False)
    write("two", nullable=True)
    status, (table,) = seen(tmp_path)
    noted = [(note["kind"], note["path"], note["files"]) for note in table["notes"]]
    files = ["one.parquet", "two.parquet"]
    inside = [["a"], ["x", "element", "y"], ["x", "element", "m", "value"]]
    assert noted == [("table-nulls", path, files) for path in inside]
    assert status == 0
    write("two", nullable=False)
    _, (table,) = seen(tmp_path)
    assert table["notes"] == []


def test_a_partition_column_that_some_files_have(tmp_path):
    """It is noted, unless all files have it, or none."""
    put(tmp_path, "b=x/one", A, B, values=(["1"], ["x"]))
    put(tmp_path, "b=y/two", A)
    _, (table,) = seen(tmp_path)
    assert [(note["kind"], note["path"]) for note in table["notes"]] == [("table-partition-columns", ["b"])]
    put(tmp_path, "b=y/two", A, B, values=(["1"], ["y"]))
    _, (table,) = seen(tmp_path)
    assert not table["notes"]


def test_orc(tmp_path):
    """Files of ORC are compared as well, and a folder of two formats is two tables."""
    put(tmp_path, "one", A, form="orc")
    put(tmp_path, "two", Member(1, "a", tagged.STRING), form="orc")
    put(tmp_path, "three", Member(1, "a", tagged.DATE))
    _, tables = seen(tmp_path)
    assert [(each["format"], each["files"], len(each["notes"])) for each in tables] == [
        ("parquet", 1, 0),
        ("orc", 2, 1),
    ]


def test_partitions(tmp_path):
    """Columns of files that contradict their folders, folders of other columns, and other types are noted."""
    year = Member(4, "year", INT)
    put(tmp_path, "same/year=2020/one", A, year, values=[["1"], ["2020"]])
    put(tmp_path, f"same/year={NULL_PARTITION}/two", A, year, values=[["1"], [None]])
    put(tmp_path, "other/year=2020/one", A, year, values=[["1", "2"], ["2020", "2021"]])
    put(tmp_path, f"other/year={NULL_PARTITION}/two", A, year, values=[["1"], ["5"]])
    put(tmp_path, "mixed/year=2020/one", A)
    put(tmp_path, "mixed/year=old/two", A)
    put(tmp_path, "mixed/three", A)
    _, tables = seen(tmp_path)
    by_name = {each["folder"].rpartition("/")[2]: each for each in tables}
    assert {name: [note["kind"] for note in each["notes"]] for name, each in by_name.items()} == {
        "same": [],
        "other": ["table-partition-values"],
        "mixed": ["table-partition-columns", "table-partition-types"],
    }
    (note,) = by_name["other"]["notes"]
    value = "the folder says '2020', the column is 2021"
    assert note["message"] == f"{value} in year=2020/one.parquet and 1 more"


def test_ids_of_some_files(tmp_path):
    """Where some files have field ids and others none, readers that match ids lack columns."""
    put(tmp_path, "one", A)
    (tmp_path / "two.parquet").write_bytes(FAULTS["PQ-FILE-002"].near.build())
    _, (table,) = seen(tmp_path)
    assert "table-id-some" in [note["kind"] for note in table["notes"]]


def test_summary_and_status(tmp_path):
    """A broken MUST is status 1, whatever is noted; what is hidden or cannot be opened is not compared."""
    put(tmp_path, "one", A)
    put(tmp_path, "two", Member(1, "a", tagged.STRING))
    (tmp_path / "broken.parquet").write_bytes(FAULTS["PQ-STATS-004"].build())
    (tmp_path / "empty.parquet").write_bytes(b"")
    put(tmp_path, "_log/three", Member(1, "a", tagged.DATE))
    result = CliRunner().invoke(validate, [str(tmp_path)])
    assert result.exit_code == 1
    (summary,) = [line for line in result.stdout.splitlines() if "notes across files" in line]
    counted = "4 Parquet files, 2 break a MUST, 1 cannot be compared"
    assert summary.startswith(f"{tmp_path}: {counted}, ")
    assert (
        "  NOTE   table-types in a: int(32, signed) in one.parquet, string in two.parquet:" in result.stdout
    )
    types = "int(32, signed) in one.parquet, string in two.parquet"
    assert f"  NOTE   table-types in a: {types}: no specification" in result.stdout
    musts = CliRunner().invoke(validate, ["--level", "must", str(tmp_path)]).stdout
    assert " notes" not in musts
    assert "  NOTE" not in musts


def test_sarif(tmp_path):
    """Notes are results of level `note`, whose kinds the driver describes; the files are their places."""
    put(tmp_path, "one", A)
    put(tmp_path, "two", Member(1, "a", tagged.STRING))
    result = CliRunner().invoke(validate, ["--format", "sarif", str(tmp_path)])
    (run,) = json.loads(result.stdout)["runs"]
    (note,) = [each for each in run["results"] if each["level"] == "note"]
    assert run["tool"]["driver"]["rules"][note["ruleIndex"]]["id"] == note["ruleId"] == "table-types"
    places = [each["physicalLocation"]["artifactLocation"]["uri"] for each in note["locations"]]
    assert places == [str(tmp_path / "one.parquet"), str(tmp_path / "two.parquet")]
