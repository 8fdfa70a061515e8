"""Which files of a folder engines read, and the names that they give rows: adapters and scripts."""

from dataclasses import replace
from shutil import copytree

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from corpora.predicates import Compare
from corpora.queries import CountRows, Filter, Slice
from corpora.table_reads import TableRead
from corpora.tagged import STRING, Field, integer
from harness.children.worker import open_engine
from harness.engines.errors import Unsupported
from harness.engines.registry import ENGINES
from harness.engines.scripts.request import ScriptRequest
from harness.environments.availability import status
from harness.investigate.findings import scripts

LONG = integer(64)
COLUMNS = (Field("k", LONG),)
LATER = Filter(Compare(("k",), ">", LONG, "0"))


@pytest.fixture
def deep(tmp_path):
    """Return a folder with files at several depths, each of a row with its number."""
    for number, name in enumerate(("part-0", "a=1/b/part-1", "a=1/other-2")):
        path = tmp_path / f"{name}.parquet"
        path.parent.mkdir(parents=True, exist_ok=True)
        pq.write_table(pa.table({"k": pa.array([number], pa.int64())}), path)
    return str(tmp_path)


def rows(name, folder, read, query=None, **config):
    """Return the rows of a read or of a query of it, sorted; the script of the engine has the same."""
    entry = ENGINES[name]
    if not status(entry).available:
        pytest.skip(f"{name} is not installed")
    engine = open_engine(f"{entry.module}:{entry.class_name}")
    if query is None:
        table = engine.read_table(folder, "parquet", config, read)
    else:
        table = engine.query_table(folder, "parquet", config, read, query)
    source = scripts.source(name, ScriptRequest("parquet", config, query, read=read), folder)
    namespace = {"__file__": f"{folder}.py"}
    exec(source, namespace)
    _, _, lines = namespace["ask"]()
    result = sorted(zip(*map(table.column, range(len(table.columns))), strict=True))
    assert sorted(line.replace("'", "") for line in lines) == [" | ".join(row) for row in result]
    return result


@pytest.mark.parametrize("pushdown", ["on", "off", "late"])
def test_datafusion_reads_folders_below(deep, pushdown):
    """DataFusion reads the files of all folders below a table's, in reads and queries."""
    read = TableRead(COLUMNS, recursive=True)
    assert rows("datafusion", deep, read, pushdown=pushdown) == [("0",), ("1",), ("2",)]
    assert rows("datafusion", deep, read, LATER, pushdown=pushdown) == [("1",), ("2",)]


@pytest.mark.parametrize("config", [{}, {"api": "lazy"}, {"pushdown": "off"}], ids=str)
def test_polars_reads_files_by_a_pattern_of_names(deep, config):
    """Polars reads the files at all depths whose names match a pattern, and takes the folder's as it is."""
    deep = copytree(deep, f"{deep}[ab]?")
    read = TableRead(COLUMNS, recursive=True, name_pattern="part-?.*")
    assert rows("polars", deep, read, **config) == [("0",), ("1",)]
    assert rows("polars", deep, read, LATER, **config) == [("1",)]
    by_year = replace(read, recursive=False, partitions=(Field("a", LONG),), name_pattern="*-1.*")
    assert rows("polars", deep, by_year, **config) == [("1", "1")]
    assert rows("polars", deep, replace(read, name_pattern="no-*"), **config) == []


NAMED = TableRead(COLUMNS, recursive=True, metadata=("file_name",))
FIRST = Compare(("_file_name",), "<", STRING, "part-1.parquet")


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        (None, [("0", "part-0"), ("1", "part-1"), ("2", "other-2")]),
        (LATER, [("1", "part-1"), ("2", "other-2")]),
        (replace(LATER, columns=("_file_name",)), [("other-2",), ("part-1",)]),
        (Filter(FIRST), [("0", "part-0"), ("2", "other-2")]),
        (Filter(FIRST, ("k",)), [("0",), ("2",)]),
        (Slice(0, 9, LATER.predicate), [("1", "part-1"), ("2", "other-2")]),
        (Slice(0, 9, FIRST, ("k",)), [("0",), ("2",)]),
        (CountRows(FIRST), [("2",)]),
    ],
    ids=str,
)
@pytest.mark.parametrize("pushdown", ["on", "off"])
def test_pyarrow_names_the_files_of_rows(deep, query, expected, pushdown):
    """A scanner of pyarrow gives the name of the file of each row, in reads and queries."""
    names = [tuple(text if text.isdigit() else f"{text}.parquet" for text in row) for row in expected]
    assert rows("pyarrow", deep, NAMED, query, pushdown=pushdown) == sorted(names)


def test_a_column_that_is_called_as_the_special_field(deep):
    """A read with a column of the special field's name is not asked for names of files."""
    with pytest.raises(Unsupported, match="special field"):
        rows("pyarrow", deep, replace(NAMED, columns=(*COLUMNS, Field("__filename", STRING))))
