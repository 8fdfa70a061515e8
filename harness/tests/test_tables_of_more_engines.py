"""Folders that ClickHouse and Daft read as tables: what they are asked for, and what they return."""

from dataclasses import replace
from types import SimpleNamespace

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from corpora.predicates import Compare
from corpora.queries import Filter
from corpora.table_reads import BY_ID, CASELESS, TableRead
from corpora.tagged import (
    BYTES,
    INT96,
    STRING,
    Field,
    Type,
    decimal,
    integer,
    list_of,
    struct_of,
    time,
    timestamp,
)
from harness.engines.chdb import table as clickhouse
from harness.engines.daft import table as daft_table
from harness.engines.errors import Unsupported

INT, YEAR = integer(64), Field("year", integer(32))
MAP = Type("map", children=(Field("key", STRING), Field("value", INT)))
READ = TableRead((Field("a", INT), Field("it's", STRING)), (YEAR,))


@pytest.mark.parametrize(
    ("type_", "expected"),
    [
        (INT, "Nullable(Int64)"),
        (integer(8, signed=False), "Nullable(UInt8)"),
        (BYTES, "Nullable(String)"),
        (decimal(38, 3), "Nullable(Decimal(38, 3))"),
        (timestamp("ms", utc=True), "Nullable(DateTime64(3, 'UTC'))"),
        (time("ns", utc=False), "Nullable(DateTime64(9, 'UTC'))"),
        (INT96, "Nullable(DateTime64(9, 'UTC'))"),
        (list_of(INT), "Array(Nullable(Int64))"),
        (MAP, "Map(String, Nullable(Int64))"),
        (struct_of([("a`b", list_of(STRING))]), "Tuple(`a\\`b` Array(Nullable(String)))"),
    ],
)
def test_types_of_clickhouse(type_, expected):
    """Values may be null, but for keys and containers, which ClickHouse has no null of."""
    assert clickhouse.type_text(type_) == expected


def test_clickhouse_is_given_a_structure_and_its_defaults():
    """Names and texts are quoted; a column that a file lacks has the default that is asked for."""
    read = replace(READ, matching=CASELESS, defaults=(("a", "7"),), metadata=("file_name",))
    default = "CAST(\\'7\\', \\'Nullable(Int64)\\')"
    structure = f"`a` Nullable(Int64) DEFAULT {default}, `it\\'s` Nullable(String), `year` Nullable(Int32)"
    assert clickhouse.source("/x", "orc", read) == (
        f"(SELECT `a`, `it's`, `year`, _file AS `_file_name` FROM file('/x/**/*.orc', ORC, '{structure}'))"
    )
    assert clickhouse.settings("orc", read) == {
        "use_hive_partitioning": "1",
        "schema_inference_mode": "'default'",
        "schema_inference_make_columns_nullable": "1",
        "input_format_orc_case_insensitive_column_matching": "1",
    }


def test_clickhouse_finds_out_the_schema_of_all_files():
    """Without a structure, a partition column is cast to the type that its texts show, and not beyond it."""
    read = TableRead((Field("a", INT),), (YEAR,), unified=True, name_pattern="x*")
    column = "accurateCast(`year`, 'Nullable(Int32)') AS `year`"
    assert (
        clickhouse.source("/x", "parquet", read) == f"(SELECT `a`, {column} FROM file('/x/**/x*', Parquet))"
    )
    assert clickhouse.settings("parquet", read)["schema_inference_mode"] == "'union'"


@pytest.mark.parametrize(
    "read",
    [
        TableRead(READ.columns, matching=BY_ID),
        TableRead(READ.columns, split_bytes=1),
        TableRead(READ.columns, metadata=("block_start",)),
        TableRead(READ.columns, metadata=("row_index",)),
        TableRead(()),
        TableRead((), metadata=("file_name",)),
        TableRead((Field("_file", STRING),), metadata=("file_name",)),
        TableRead((), (Field("city", STRING),), unified=True),
        TableRead((Field("a", Type("uuid")),)),
        TableRead(READ.columns, keyless=True),
    ],
)
def test_reads_that_clickhouse_has_no_form_of(read):
    """What ClickHouse cannot be asked for is unsupported."""
    with pytest.raises(Unsupported):
        clickhouse.source("/x", "orc", read)


class _Types:
    """Daft's types, as texts."""

    def __getattr__(self, name):
        return lambda *given: f"{name}{given}"


class _Daft:
    """Daft, which remembers what it was to read."""

    DataType, col = _Types(), staticmethod(str)

    def read_parquet(self, files, ignore_corrupt_files=None, **options):
        """Return a frame that selects nothing."""
        corrupt = {} if ignore_corrupt_files is None else {"ignore_corrupt_files": ignore_corrupt_files}
        self.asked = files, {**options, **corrupt}
        return SimpleNamespace(select=lambda *names: names)


def test_daft_is_given_a_schema():
    """The schema is that of the read, partition columns included; none is inferred."""
    daft = _Daft()
    assert daft_table.frame(daft, "/x", TableRead(READ.columns, (YEAR,), skips_corrupt=True)) == (
        "a",
        "it's",
        "year",
    )
    files, options = daft.asked
    assert files == "/x/**/*.parquet"
    assert options == {
        "infer_schema": False,
        "schema": {"a": "int64()", "it's": "string()", "year": "int32()"},
        "hive_partitioning": True,
        "ignore_corrupt_files": True,
    }


@pytest.mark.parametrize(
    ("type_", "expected"),
    [
        (integer(8, signed=False), "uint8()"),
        (BYTES, "binary()"),
        (decimal(38, 3), "decimal128(38, 3)"),
        (timestamp("ms", utc=True), "timestamp('ms', 'UTC')"),
        (timestamp("us", utc=False), "timestamp('us', None)"),
        (INT96, "timestamp('ns',)"),
        (time("us", utc=False), "time('us',)"),
        (list_of(STRING), "list('string()',)"),
        (MAP, "map('string()', 'int64()')"),
        (struct_of([("a", INT)]), "struct({'a': 'int64()'},)"),
    ],
)
def test_types_of_daft(type_, expected):
    """Each type of a read has one of Daft."""
    assert daft_table.data_type(_Daft(), type_) == expected


@pytest.mark.parametrize(
    "read",
    [
        TableRead(READ.columns, matching=CASELESS),
        TableRead(READ.columns, split_bytes=1),
        TableRead(READ.columns, metadata=("file_name",)),
        TableRead(()),
        TableRead((Field("a", decimal(39, 0)),)),
        TableRead(READ.columns, unified=True),
    ],
)
def test_reads_that_daft_has_no_form_of(read):
    """What Daft cannot be asked for is unsupported."""
    with pytest.raises(Unsupported):
        daft_table.frame(_Daft(), "/x", read)


def test_an_older_daft_lacks_an_option():
    """A release without the option is not to be blamed for it."""
    daft = SimpleNamespace(DataType=_Types(), read_parquet=lambda files, **_: files)
    with pytest.raises(Unsupported, match="without the option ignore_corrupt_files"):
        daft_table.frame(daft, "/x", TableRead(READ.columns, skips_corrupt=True))


@pytest.mark.parametrize(("package", "adapter"), [("chdb", "Chdb"), ("daft", "Daft")])
def test_a_folder_of_old_and_new_files(package, adapter, tmp_path):
    """A column that old files lack is null in their rows; a filter of a folder finds rows of both."""
    pytest.importorskip(package)
    engine = getattr(__import__(f"harness.engines.{package}.adapter", fromlist=[adapter]), adapter)()
    for year, columns in ((2020, {"a": [1, 2]}), (2021, {"a": [3], "b": [4]})):
        (tmp_path / f"year={year}").mkdir()
        pq.write_table(pa.table(columns), tmp_path / f"year={year}" / "f.parquet")
    read = TableRead((Field("b", INT), Field("a", INT)), (YEAR,))
    table = engine.read_table(str(tmp_path), "parquet", {}, read)
    rows = sorted(zip(*table.all_columns(), strict=True), key=str)
    assert rows == [("4", "3", "2021"), (None, "1", "2020"), (None, "2", "2020")]
    query = Filter(Compare(("a",), ">=", INT, "2"))
    found = engine.query_table(str(tmp_path), "parquet", {}, read, query)
    assert sorted(found.column(1)) == ["2", "3"]
