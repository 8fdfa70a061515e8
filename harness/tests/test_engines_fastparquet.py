"""What the adapter of fastparquet makes of columns in which pandas has no value that shows their type."""

import struct
from types import SimpleNamespace

import pytest

from corpora.build.recipe import OPTIONAL, leaf, schema
from corpora.queries import Compare, CountRows, Filter
from corpora.tagged import BYTES, INT96, STRING, floating, integer, text
from corpora.tagged import Type as Tagged
from harness.children.worker import open_engine
from harness.engines.errors import Unsupported
from harness.engines.scripts.request import ScriptRequest
from harness.investigate.findings import scripts
from reference_impl.parquet.plan import Column, Dictionary, FilePlan, Page
from reference_impl.parquet.schema import ConvertedType, Encoding, Type
from reference_impl.parquet.writer import write

# fastparquet leaves closing its files to the garbage collector.
pytestmark = [
    pytest.mark.filterwarnings("ignore:unclosed file:ResourceWarning"),
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
]

JSON = Tagged("json")


@pytest.mark.parametrize("rows", [({"e": None, "s": None},), ()])
def test_columns_without_values_have_the_type_that_values_would_have(tmp_path, rows):
    """Text of UTF8 alone is decoded; ENUM is bytes, whether there are values or none."""
    pytest.importorskip("fastparquet", reason="fastparquet is not installed")
    fields = schema(
        leaf("e", Type.BYTE_ARRAY, OPTIONAL, converted_type=ConvertedType.ENUM),
        leaf("s", Type.BYTE_ARRAY, OPTIONAL, converted_type=ConvertedType.UTF8),
    )
    file = tmp_path / "x.parquet"
    fastparquet = open_engine("harness.engines.fastparquet.adapter:Fastparquet")
    file.write_bytes(write(FilePlan(fields, rows)))
    assert [column.type for column in fastparquet.read(str(file), "parquet", {}).columns] == [BYTES, STRING]
    file.write_bytes(write(FilePlan(fields, ({"e": b"a", "s": b"a"},))))
    answer = fastparquet.read(str(file), "parquet", {})
    assert [column.type for column in answer.columns] == [BYTES, STRING]
    assert answer.column(1) == [text(b"a")]


def test_categories_of_which_no_row_group_was_read(tmp_path):
    """A filter that leaves no row group has text of text columns; the labels were never read."""
    fastparquet = pytest.importorskip("fastparquet", reason="fastparquet is not installed")
    pandas = pytest.importorskip("pandas", reason="pandas is not installed")
    file = str(tmp_path / "x.parquet")
    data = {"f": [1.5, 2.5], "c": pandas.Categorical(["a", "b"]), "i": pandas.Categorical([1, 2])}
    fastparquet.write(file, pandas.DataFrame(data))
    engine = open_engine("harness.engines.fastparquet.adapter:Fastparquet")
    query = Filter(Compare(("f",), "<", floating(64), struct.pack(">d", 1.0).hex()))
    answer = engine.query_one(file, "parquet", {}, query)
    assert answer.num_rows == 0
    assert [column.type for column in answer.columns[1:]] == [STRING, integer(64)]
    element = SimpleNamespace(type=6, converted_type=0)  # BYTE_ARRAY, UTF8
    series = pandas.Series(pandas.Categorical.from_codes([0, 1], pandas.RangeIndex(2)))
    assert engine._column(series, element) == (integer(64), ["0", "1"])  # values are shown as they are
    whole = engine.read(file, "parquet", {})
    assert whole.column(1) == [text(b"a"), text(b"b")]


def test_a_filter_of_moments_in_a_zone(tmp_path):
    """A column that pandas has in a time zone is compared with moments of one, also as INT96."""
    fastparquet = pytest.importorskip("fastparquet", reason="fastparquet is not installed")
    pandas = pytest.importorskip("pandas", reason="pandas is not installed")
    moments = pandas.date_range("2020-01-01", periods=5, freq="h", tz="Europe/Paris")
    file = str(tmp_path / "x.parquet")
    fastparquet.write(file, pandas.DataFrame({"t": moments}), times="int96", stats=False)
    adapter = open_engine("harness.engines.fastparquet.adapter:Fastparquet")
    nanos = str(moments[1].value)
    query = Filter(Compare(("t",), "=", INT96, nanos))
    answer = adapter.query_one(file, "parquet", {"pushdown": "off"}, query)
    assert answer.num_rows == 1


@pytest.mark.parametrize("rows", [({"x": b"-1.5e10"},), ({"x": b'"a"'},), ({"x": None},), ()])
def test_parsed_json_is_neither_returned_nor_compared(tmp_path, rows):
    """JSON that fastparquet parses: what is then a number, a text or nothing is not the column's value."""
    pytest.importorskip("fastparquet", reason="fastparquet is not installed")
    fields = schema(
        leaf("n", Type.INT32, OPTIONAL),
        leaf("x", Type.BYTE_ARRAY, OPTIONAL, converted_type=ConvertedType.JSON),
    )
    file = tmp_path / "x.parquet"
    file.write_bytes(write(FilePlan(fields, tuple({"n": 1, **row} for row in rows))))
    engine = open_engine("harness.engines.fastparquet.adapter:Fastparquet")
    is_it = Compare(("x",), "=", JSON, "-1.5e10")
    for pushdown in ("on", "off", "rows"):
        for query in (
            CountRows(is_it),
            Filter(is_it, ("n",)),
            Filter(Compare(("n",), "=", integer(32), "2")),
        ):
            with pytest.raises(Unsupported, match="parses JSON"):
                engine.query_one(str(file), "parquet", {"pushdown": pushdown}, query)
    with pytest.raises(Unsupported, match="parses JSON"):
        engine.read(str(file), "parquet", {})


def test_a_script_names_the_type_of_categories(tmp_path):
    """The lines about types name that of the values, not only that they are categories."""
    pytest.importorskip("fastparquet", reason="fastparquet is not installed")
    page = Page(encoding=Encoding.PLAIN_DICTIONARY)
    column = Column((page,), dictionary=Dictionary(), encoding_stats=True)
    plan = FilePlan(schema(leaf("x", Type.INT64)), ({"x": 1}, {"x": 2}), (column,))
    file = tmp_path / "x.parquet"
    file.write_bytes(write(plan))
    namespace = {"__file__": f"{file}.py"}
    exec(scripts.source("fastparquet", ScriptRequest("parquet", {"way": "categories"}), str(file)), namespace)
    assert namespace["ask"]()[1] == ["category of int64"]
