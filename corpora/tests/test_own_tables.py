"""Folders of users as tables: the reads that their schemas and partitions suggest, and queries of these."""

import random

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from corpora.build.evolution import filters, own
from corpora.build.evolution.cases import WRITERS
from corpora.build.evolution.importing import import_tables
from corpora.build.evolution.members import Member
from corpora.build.evolution.reading import read_folder
from corpora.constants import check_constant
from corpora.conversions import NULL_PARTITION
from corpora.queries import leaves
from corpora.table_files import partition_doubt
from corpora.table_reads import CASELESS, TableRead, in_order
from corpora.tagged import STRING, Table, Type, floating, integer, list_of, struct_of, time, timestamp
from corpora.tests.test_table_cases import table_of
from reference_impl.parquet.file import ParquetFile


def test_names_that_differ_in_case_are_one_column_to_who_takes_them_so(tmp_path):
    """Where names of columns or fields differ in case alone, a folder is also read without case."""
    for name, column in (("a", "Id"), ("b", "id")):
        pq.write_table(pa.table({column: [1], "s": [{"x": 1}]}), tmp_path / f"{name}.parquet")
    reads = {each.name: each for each in own.reads(tmp_path, "parquet")}
    assert [field.name for field in reads["caseless"].read.columns] == ["id", "s"]
    assert reads["caseless"].read.matching == CASELESS
    assert [field.name for field in reads["all"].read.columns] == ["Id", "s", "id"]
    pq.write_table(pa.table({"Id": [1], "s": [{"X": 1}]}), tmp_path / "b.parquet")
    assert "caseless" in {each.name for each in own.reads(tmp_path, "parquet")}
    pq.write_table(pa.table({"Id": [1], "s": [{"x": 1}]}), tmp_path / "b.parquet")
    assert "caseless" not in {each.name for each in own.reads(tmp_path, "parquet")}


@pytest.mark.parametrize("second", ["int96", "text"])
def test_columns_without_a_defined_type_leave_the_others(tmp_path, second):
    """Where files have one column as types without a conversion, the other columns are read without it."""
    moments = pa.array([0], pa.timestamp("us"))
    pq.write_table(pa.table({"ts": moments, "n": [1]}), tmp_path / "a.parquet")
    other = pa.table({"ts": moments if second == "int96" else ["x"], "n": [2], "m": [3]})
    pq.write_table(other, tmp_path / "b.parquet", use_deprecated_int96_timestamps=second == "int96")
    reads = {each.name: each for each in own.reads(tmp_path, "parquet")}
    assert {name for name, each in reads.items() if each.undefined} == {
        "schema-0",
        "schema-1",
        "all",
        "unified",
    }
    assert [field.name for field in reads["defined"].read.columns] == ["n", "m"]
    assert not reads["defined"].undefined


def test_no_columns_are_read_twice_alone(tmp_path):
    """If a schema reads all columns that have a defined type, no read has these alone."""
    pq.write_table(pa.table({"x": pa.array([1], pa.int64())}), tmp_path / "a.parquet")
    pq.write_table(pa.table({"x": pa.array([1], pa.int32())}), tmp_path / "b.parquet")
    reads = {each.name: each for each in own.reads(tmp_path, "parquet")}
    assert reads["schema-1"].undefined
    assert "defined" not in reads
    pq.write_table(pa.table({"x": ["text"]}), tmp_path / "b.parquet")
    assert "defined" not in {each.name for each in own.reads(tmp_path, "parquet")}


@pytest.mark.parametrize("is_legacy", [False, True])
def test_lists_and_maps_of_older_writers(tmp_path, is_legacy):
    """A file has the names of one form inside of lists and maps, and reads the same in both."""
    element, key = Member(2, "element", integer(32)), Member(4, "key", integer(32), required=True)
    members = (
        Member(1, "l", shape="list", members=(element,), legacy=is_legacy),
        Member(3, "m", shape="map", members=(key, Member(5, "value", STRING)), legacy=is_legacy),
    )
    columns = [(member.name, member.tagged()) for member in members]
    table = Table.of(columns, [[["1", None], []], [[["1", "x"]], None]])
    data = WRITERS["parquet"](members, table, random.Random(1))
    names = {element.name for element in ParquetFile(data).metadata.schema}
    assert names >= ({"bag", "array_element", "map"} if is_legacy else {"list", "element", "key_value"})
    (tmp_path / "a.parquet").write_bytes(data)
    assert read_folder(tmp_path, "parquet", TableRead(table.columns)) == in_order(table)


def test_fields_whose_names_differ_in_case_take_the_wider_type(tmp_path):
    """Without case, a struct's field of 64 bits is not read as one of 32."""
    for name, column, type_ in (("a", "X", pa.int64()), ("b", "x", pa.int32())):
        struct = pa.array([{column: 1}], pa.struct([(column, type_)]))
        pq.write_table(pa.table({"s": struct}), tmp_path / f"{name}.parquet")
    (read,) = (each for each in own.reads(tmp_path, "parquet") if each.name == "caseless")
    assert [str(field.type) for field in read.read.columns] == ["struct<X: int(64, signed)>"]
    assert not read.undefined


@pytest.mark.parametrize(
    ("folders", "type_"),
    [
        (("2024-02-29", "2024-12-31"), "date"),
        (("2024-02-29", NULL_PARTITION), "date"),
        (("2024-02-29", "2024-2-3"), "string"),
        (("2024-02-29", "7"), "string"),
        (("20240229", "7"), "int(32, signed)"),
    ],
)
def test_types_of_partition_columns(tmp_path, folders, type_):
    """A column of folders is of integers, of dates or of text; readers also find out the type themselves."""
    table_of(tmp_path, *(f"k={name}/a.parquet" for name in folders))
    reads = {each.name: each for each in own.reads(tmp_path, "parquet")}
    assert list(reads) == ["schema-0", *(["unified"] if type_ != "string" else []), "nothing"]
    assert {str(field.type) for each in reads.values() for field in each.read.partitions} == {type_}


def test_letters_behind_percent_signs(tmp_path):
    """Readers differ in how many letters `%C3%A9` is; signs of ASCII are the same to all."""
    assert not import_tables([str(table_of(tmp_path / "a", "k=a%2Fb/a.parquet"))]).skipped
    (skipped, *_) = import_tables([str(table_of(tmp_path / "b", "k=%C3%A9/a.parquet"))]).skipped
    assert "Hive and Spark take each byte" in skipped.reason


@pytest.mark.parametrize(
    ("name", "doubt"),
    [
        ("a=b", ""),
        ("a=b%3Dc", ""),
        ("my key=1", ""),
        ("a=b=c", "the first ="),
        ("my%20key=1", "decode the names of columns"),
        ("a=", "empty text"),
        ("=a", "names no column"),
        ("a=%C3%A9", "Hive and Spark take each byte"),
        ("a=%C3", "no UTF-8"),
    ],
)
def test_doubts_about_names_of_folders(name, doubt):
    """A name that readers decode in different ways is doubtful, with the reason; others are not."""
    reason = partition_doubt(f"{name}/a.parquet")
    assert doubt in reason
    assert bool(reason) is bool(doubt)


def test_queries_of_a_folder_are_the_same_again():
    """As many as wanted, each once, and those of a read of no columns are none."""
    table = Table.of([("a", integer(32)), ("b", STRING)], [["1", "2"], ["x", None]])
    read = TableRead(table.columns)
    queries = filters.queries_of_folder(table, read, 24)
    assert queries == filters.queries_of_folder(table, read, 24)
    assert len(set(queries)) == 24
    assert filters.queries_of_folder(table, TableRead(()), 24) == []


@pytest.mark.parametrize(
    ("type_", "value"),
    [
        (floating(16), "3c00"),
        (time("ns", utc=True), "1"),
        (Type("uuid"), "00" * 16),
        (Type("json"), "{}"),
        (Type("bson"), "0500000000"),
        (Type("enum"), "A"),
        (Type("interval"), ["1", "2", "3"]),
        (struct_of([("t", time("ns", utc=False))]), ["1"]),
        (list_of(Type("uuid")), ["00" * 16]),
        (timestamp("ns", utc=False), "-62135596800000000000"),  # the year 1, in ORC
        (STRING, {"sha256": "00" * 32, "bytes": 1 << 21}),
        (Type("json"), {"sha256": "00" * 32, "bytes": 1 << 21}),
    ],
    ids=str,
)
@pytest.mark.parametrize("is_empty", [False, True])
def test_columns_of_users_have_queries(type_, value, is_empty):
    """A column of a type that generated tables do not have, with values or without, costs no query."""
    table = Table.of([("a", integer(32)), ("x", type_)], [["1"], [None if is_empty else value]])
    queries = filters.queries_of_folder(table, TableRead(table.columns), 24)
    assert len(queries) == 24
    assert any("x" in str(probe.query) for probe in queries)
    predicates = [predicate for probe in queries if (predicate := getattr(probe.query, "predicate", None))]
    for test in (test for predicate in predicates for test in leaves(predicate)):
        for constant in getattr(test, "values", None) or [getattr(test, "value", None)]:
            if constant is None:
                continue
            check_constant(test.type, constant)
            if test.type.kind in {"uuid", "json", "bson", "enum"}:  # of which not any bytes are a value
                assert (constant, is_empty) == (value, False)
