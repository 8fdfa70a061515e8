"""Adapters serve old versions by what these take: fakes stand for libraries that are not installed."""

from types import SimpleNamespace

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from corpora.predicates import Compare, In, IsNull, NullSafe
from corpora.queries import AntiJoin, Filter, Groups, SemiJoin
from corpora.table_reads import TableRead
from corpora.tagged import BYTES, DATE, STRING, Field, floating, integer, timestamp
from harness.engines.arrow import c_interface, types
from harness.engines.chdb import query as chdb_query
from harness.engines.datafusion import table as datafusion_table
from harness.engines.datafusion.adapter import Datafusion
from harness.engines.datafusion.query import ask as datafusion_ask
from harness.engines.datafusion.query import condition as datafusion_condition
from harness.engines.datafusion.query import settings as datafusion_settings
from harness.engines.datafusion.query import texts as datafusion_texts
from harness.engines.datafusion.versions import LITERAL
from harness.engines.datafusion.ways import Way
from harness.engines.duckdb.adapter import Duckdb
from harness.engines.duckdb.bound import Sql
from harness.engines.duckdb.connected import without_types
from harness.engines.duckdb.ways import QUERIES
from harness.engines.errors import Unsupported
from harness.engines.orc_columns import lacks
from harness.engines.polars import table as polars_frames
from harness.engines.polars import versions
from harness.engines.polars.adapter import Polars
from harness.engines.polars.adapter import _table as polars_table
from harness.engines.polars.constants import check_constant
from harness.engines.polars.query import ask as polars_ask
from harness.engines.polars.query import condition
from harness.engines.pyarrow import statements as pyarrow_statements
from harness.engines.pyarrow_orc.adapter import PyarrowOrc
from harness.engines.pyorc.adapter import Pyorc, _Rows
from harness.engines.pyorc.query import search_argument
from harness.engines.pyorc.values import Moment
from harness.engines.scripts.literals import execute
from harness.engines.spark.versions import arrow_schema


class Series:
    """A series that says whether it became a list."""

    def implode(self):
        """Return the list."""
        return [self]


def polars(scan, **more):
    """Return an adapter of a library with this function."""
    adapter = Polars.__new__(Polars)
    adapter.polars = SimpleNamespace(scan_parquet=scan, read_parquet=scan, **more)
    adapter.links = SimpleNamespace(to=lambda files: pytest.fail(f"a link to {files}"))
    return adapter


def test_polars_takes_no_pattern_where_it_has_the_option():
    """Since 0.20 a path is taken as it is, by `glob`."""

    def scan(source, *, glob=True, hive_partitioning=True, use_statistics=True):
        return source, glob, hive_partitioning, use_statistics

    adapter = polars(scan)
    with adapter._named("a*b.parquet") as name:
        assert adapter._scan(name, use_statistics=False) == ("a*b.parquet", False, False, False)


def test_polars_is_not_asked_for_numbers_among_bytes():
    """Where FLOAT16 is read as bytes, which have another order, a float is no constant of the column."""
    library = SimpleNamespace(Binary="binary", String="text")
    check_constant(library, BYTES, "00", "binary")
    with pytest.raises(Unsupported, match="a constant of type float"):
        check_constant(library, floating(16), "3c00", "binary")


def test_polars_of_old_is_given_a_plain_name():
    """Before, `glob` and `hive_partitioning` are not passed, and a file has a plain name by a link."""
    from harness.children.links import Links

    def scan(source, *, use_statistics=True):
        return source, use_statistics

    adapter = polars(scan)
    adapter.links = Links()
    with adapter._named("/tmp/a*b.parquet") as name:
        assert "*" not in name
        assert adapter._scan(name, use_statistics=False) == (name, False)
        assert adapter._whole(name) == (name, True)


@pytest.mark.parametrize(
    "message",
    [
        'NotYetImplemented("Decoding Int32 \\"DeltaBinaryPacked\\"-encoded optional  parquet pages")',
        "parquet: not yet implemented: Decoding Int32",
        "not implemented: reading",
        "unsupported data type",
        "Deserializing type FixedSizeBinary(33) from parquet",
    ],
)
def test_polars_says_in_words_what_it_lacks(message):
    """An error that names what is not implemented is `unsupported`, also by parquet2's name for it."""
    assert polars(None).classify(RuntimeError(message)) == "unsupported"
    assert polars(None).classify(RuntimeError("File out of specification")) == "refused"


def test_polars_of_old_hands_out_whole_columns():
    """A frame without a capsule is converted with one chunk per column: others panicked in 0.16.1."""
    pa = pytest.importorskip("pyarrow", reason="pyarrow is not installed")
    whole = SimpleNamespace(to_arrow=lambda: pa.table({"a": [1]}))
    frame = SimpleNamespace(columns=["a"], rechunk=lambda: whole, to_arrow=lambda: pytest.fail("in chunks"))
    assert polars_table(frame).column(0) == ["1"]


@pytest.mark.parametrize(
    ("version", "names"),
    [
        (
            "1.3.2",
            {
                "variant-as-struct",
                "variant-as-stored",
                "geometry-as-bytes",
                "geography-as-bytes",
                "null-as-any",
            },
        ),
        ("1.4.4", {"geometry-as-bytes", "geography-as-bytes", "null-as-any"}),
        ("1.5.0", {"null-as-any"}),
        ("2.0.0", set()),
    ],
)
def test_duckdb_returns_types_that_it_lacks_as_they_are_stored(version, names):
    """Only versions that have no VARIANT, GEOMETRY or type of nulls may return what is stored."""
    assert set(without_types(version)) == names


@pytest.mark.parametrize(("version", "known"), [("25.0.0", False), ("37.1.0", False), ("38.0.1", True)])
def test_datafusion_has_an_option_of_bloom_filters_since_38(version, known):
    """An option that a version does not know ends in a panic."""
    off = datafusion_settings("off", version)
    assert ("datafusion.execution.parquet.bloom_filter_on_read" in off) is known
    assert off["datafusion.execution.parquet.pruning"] == "false"
    assert datafusion_settings("off") == datafusion_settings("off", "49.0.0")


@pytest.mark.parametrize(("version", "known"), [("38.0.1", False), ("48.0.0", False), ("49.0.0", True)])
def test_datafusion_has_an_option_of_dynamic_filters_since_49(version, known):
    """Filters of joins and sorts are switched off where a version has them."""
    assert (
        "datafusion.optimizer.enable_dynamic_filter_pushdown" in datafusion_settings("off", version)
    ) is known


def test_a_size_of_batches_does_not_outlast_its_query():
    """What sets an option of DataFusion changes the configuration: each query has one of its own."""
    engine = Datafusion()
    engine._configured(Way({}), {}).with_batch_size(2)
    session = engine.datafusion.SessionContext(engine._configured(Way({}), {}))
    frame = session.from_pydict({"x": list(range(5))})
    assert [batch.num_rows for batch in frame.collect()] == [5]


def test_rows_of_pyorc_end_with_a_block_that_is_not_full():
    """In 0.4 a read stops at an empty stripe, and goes on if it is called again: the first end counts."""
    blocks = iter([[(1,), (2,)], [(3,)]])
    schema = SimpleNamespace(name="struct", fields={"a": SimpleNamespace(name="int", kind=3)})
    rows = _Rows(SimpleNamespace(read=lambda _: next(blocks)), schema, "UTC")
    assert [count for _, count in rows.blocks()] == [2]


@pytest.mark.parametrize("modern", [True, False])
def test_polars_looks_in_a_list_since_1_30(modern):
    """`is_in` takes a list where it has `QueryOptFlags`, before a series."""
    series = Series()
    library = SimpleNamespace(**({"QueryOptFlags": object} if modern else {}))
    assert versions.among(library, series) == ([series] if modern else series)


@pytest.mark.parametrize("modern", [True, False])
def test_polars_names_of_old(modern):
    """Text was Utf8, the number of rows `count`, and types of 0.16 to 0.19 do not say what they are."""
    text, rows, integers, floats = object(), object(), object(), object()
    names = {"String": text, "len": lambda: rows} if modern else {"Utf8": text, "count": lambda: rows}
    library = SimpleNamespace(**names, Int8=integers, Float32=floats)
    assert versions.text_type(library) is text
    assert versions.length(library) is rows
    assert versions.is_integer(library, integers)
    assert not versions.is_integer(library, floats)
    assert versions.is_float(library, floats)
    assert not versions.is_float(library, text)


@pytest.mark.parametrize(
    ("dtype", "unit"),
    [({"time_unit": "us"}, "us"), ({"tu": "ms"}, "ms"), ({}, "ns"), ({"time_unit": None}, "ns")],
)
def test_polars_unit_of_old(dtype, unit):
    """The unit of a type of time was `tu` in 0.16."""
    assert versions.unit(SimpleNamespace(**dtype)) == unit


def test_a_table_of_pyarrow_without_reader():
    """Before 8 a table has no `to_reader`: its batches are read one by one."""
    pa = pytest.importorskip("pyarrow", reason="pyarrow is not installed")
    table = pa.table({"a": [1, 2]})
    old = SimpleNamespace(schema=table.schema, to_batches=table.to_batches)
    assert c_interface.reader_of(old).read_all().equals(table)
    assert c_interface.reader_of(table).read_all().equals(table)


def test_a_stream_whose_schema_is_requested():
    """DataFusion 43 wants to be told the requested schema, which the capsule's interface leaves out."""
    pa = pytest.importorskip("pyarrow", reason="pyarrow is not installed")

    class Frame:
        def __arrow_c_stream__(self, requested_schema):
            assert requested_schema is None
            return pa.table({"a": pa.array([1, 2], pa.int32())}).__arrow_c_stream__()

    assert c_interface.read(Frame()).column(0) == ["1", "2"]


def test_pyarrow_before_10_reads_by_no_expression():
    """`read_table` takes lists of tests alone there: colconf does not ask it."""
    with pytest.raises(Unsupported, match=r"pyarrow 9\.0\.0"):
        pyarrow_statements.of_read(Filter(IsNull(("x",))), "9.0.0", "")


class Connection:
    """A connection of DuckDB that knows some functions."""

    def __init__(self, answers):
        """Take the answers by the beginnings of statements."""
        self.answers = answers

    def execute(self, statement):
        """Return what answers a statement."""
        rows = next(rows for text, rows in self.answers.items() if text in statement)
        return SimpleNamespace(fetchone=lambda: next(iter(rows), None), fetchall=lambda: rows)


@pytest.mark.parametrize(
    ("answers", "passes"),
    [
        ({"duckdb_functions()": []}, {"filter_pushdown", "statistics_propagation"}),
        ({"duckdb_functions()": [(1,)], "duckdb_optimizers()": [("a",), ("b",)]}, {"a", "b"}),
    ],
)
def test_duckdb_lists_no_optimizers_before_0_10(answers, passes):
    """Passes that are not listed are those that versions since 0.8 have."""
    adapter = Duckdb.__new__(Duckdb)
    adapter.connection = Connection(answers)
    assert adapter._optimizers() == passes


@pytest.mark.parametrize(
    ("version", "expected"),
    [("1.2.0", "make_date($p0::INTEGER)"), ("1.1.3", "(DATE '1970-01-01' + $p0::INTEGER)")],
)
def test_duckdb_makes_dates_of_days_in_any_version(version, expected):
    """`make_date` of days is of 1.2: before, a date and a number of days are added."""
    connection = SimpleNamespace(sql=lambda *_, **__: SimpleNamespace(columns=["x"], types=["DATE"]))
    text = Sql(connection, "$file", "$file", {}, version).text(Filter(Compare(("x",), "=", DATE, "-5")))
    assert f"{expected}::DATE" in text


@pytest.mark.parametrize(
    ("version", "expected"),
    [
        ("0.9.0", "make_timestamp($p0::BIGINT)"),
        ("0.8.1", "(TIMESTAMP '1970-01-01' + to_microseconds($p0::BIGINT))"),
    ],
)
def test_duckdb_makes_moments_of_counts_in_any_version(version, expected):
    """`make_timestamp` of a count is of 0.9: before, a moment and an interval are added."""
    connection = SimpleNamespace(sql=lambda *_, **__: SimpleNamespace(columns=["x"], types=["TIMESTAMP"]))
    text = Sql(connection, "$file", "$file", {}, version).text(
        Filter(Compare(("x",), "=", timestamp("us", utc=False), "-5"))
    )
    assert f"{expected}::TIMESTAMP" in text


def test_duckdb_finds_fields_by_name_in_any_version():
    """Before 0.9, the type of a struct does not list its fields."""

    class Old(str):
        """A type of DuckDB 0.8, which gives a field by its name alone."""

        __slots__ = ()

        def __getitem__(self, name):
            return {"b": "DATE"}[name]

    old = Old("STRUCT(b DATE)")
    connection = SimpleNamespace(
        sql=lambda *_, **__: SimpleNamespace(columns=["x"], types=[old]),
    )
    text = Sql(connection, "$file", "$file", {}).text(Filter(Compare(("x", "b"), "=", DATE, "5")))
    assert "make_date($p0::INTEGER)::DATE" in text
    with pytest.raises(Unsupported, match="not in a struct"):
        Sql(connection, "$file", "$file", {}).text(Filter(Compare(("x", "b", "c"), "=", DATE, "5")))


def test_duckdb_before_1_2_has_no_dates_of_infinity():
    """A sum does not reach the days that DuckDB has for infinity: nobody is blamed."""
    connection = SimpleNamespace(sql=lambda *_, **__: SimpleNamespace(columns=["x"], types=["DATE"]))
    with pytest.raises(Unsupported, match="day 2147483647"):
        Sql(connection, "$file", "$file", {}, "1.1.3").text(Filter(Compare(("x",), "=", DATE, "2147483647")))


def test_datafusion_has_nanoseconds_in_any_version():
    """Before 51, a constant of nanoseconds is a count that is cast; other errors of `lit` are not hidden."""

    def lit(value):
        if isinstance(value, int):
            return SimpleNamespace(cast=lambda type_: (value, str(type_)))
        raise ValueError("not safely convertible to microseconds")

    names = execute(LITERAL.splitlines(), {"datafusion": SimpleNamespace(lit=lit)})
    literal = names["literal"]
    assert literal(pa.scalar(5, pa.timestamp("ns", "UTC"))) == (5, "timestamp[ns, tz=UTC]")
    with pytest.raises(ValueError, match="microseconds"):
        literal(pa.scalar(5, pa.timestamp("us")))


def test_chdb_has_no_empty_names():
    """A column without a name is not asked for: no statement of ClickHouse can have it."""
    with pytest.raises(Unsupported, match="no empty names"):
        chdb_query.column_of(("",))


def test_a_function_of_texts_is_none_of_binaries_in_datafusion():
    """An ENUM is a binary there, which starts_with does not take; another error of a plan is a refusal."""
    adapter = Datafusion.__new__(Datafusion)
    text = "Error during planning: Function 'starts_with' requires String, but received Binary (…)"
    assert adapter.classify(ValueError(text)) == "unsupported"
    assert adapter.classify(ValueError("Error during planning: no such table")) == "refused"


def test_duckdb_materializes_since_0_9():
    """A way whose SQL a version does not know is not asked; the default way is."""
    adapter = duckdb_with_errors()
    adapter.duckdb.ParserException = type("ParserException", (Exception,), {})

    def execute(_):
        raise adapter.duckdb.ParserException('syntax error at or near "MATERIALIZED"')

    adapter.connection = SimpleNamespace(execute=execute)
    adapter._check_way(QUERIES["default"])
    with pytest.raises(Unsupported, match="AS MATERIALIZED"):
        adapter._check_way(QUERIES["materialized"])


def test_duckdb_is_free_for_a_query_that_materializes(tmp_path):
    """The test of the version leaves no unfinished result on the connection."""
    pq.write_table(pa.table({"a": [1, 2, 3]}), file := str(tmp_path / "x.parquet"))
    query = Filter(Compare(("a",), ">", integer(64), "1"))
    answer = Duckdb().query_one(file, "parquet", {"way": "materialized"}, query)
    assert answer.column(0) == ["2", "3"]


@pytest.mark.parametrize(("version", "made_by"), [("7.0.0", "dataset"), ("8.0.0", "from_paths")])
def test_data_sets_of_orc_in_any_version(version, made_by):
    """`from_paths` takes no file of ORC before 8, `dataset` does."""
    adapter = PyarrowOrc.__new__(PyarrowOrc)
    fragments = SimpleNamespace(from_paths=lambda *_, **__: SimpleNamespace(made_by="from_paths"))
    orc = SimpleNamespace(inspect=lambda *_: None)
    data_sets = SimpleNamespace(
        FileSystemDataset=fragments,
        OrcFileFormat=lambda: orc,
        dataset=lambda *_, **__: SimpleNamespace(made_by="dataset", schema=None),
    )
    files = SimpleNamespace(LocalFileSystem=lambda: None)
    adapter.library = adapter.pyarrow = SimpleNamespace(__version__=version, dataset=data_sets, fs=files)
    assert adapter._data_set("x.orc").made_by == made_by


def duckdb_with_errors():
    """Return the adapter of DuckDB with a package that has its errors alone."""
    adapter = Duckdb.__new__(Duckdb)
    names = (
        "NotImplementedException",
        "NotSupportedError",
        "OutOfMemoryException",
        "CatalogException",
        "Error",
    )
    adapter.duckdb = SimpleNamespace(**{name: type(name, (Exception,), {}) for name in names})
    adapter.encrypted = ""
    return adapter


def test_duckdb_1_5_has_no_variant_in_arrow():
    """A stream that ends with that error lacks the feature."""
    adapter = duckdb_with_errors()
    for lacking in ("type in DuckDB -> Arrow Conversion: VARIANT", "Arrow type VARIANT"):
        error = c_interface.StreamError(f"Not implemented Error: Unsupported {lacking}")
        assert adapter.classify(error) == "unsupported"
    assert adapter.classify(c_interface.StreamError("Invalid Input Error: no magic")) == "refused"


@pytest.mark.parametrize(("name", "width"), [("duckdb.time_tz", 8), ("arrow.opaque", 8)])
def test_duckdb_times_have_a_name_of_their_own_in_1_1(name, width):
    """Eight bytes under either extension are a time with a zone."""
    plain = types.Node("x", BYTES, "fixed", "w:8", width=width)
    node = types._extended(plain, name, b'{"type_name":"time_tz"}' if name == "arrow.opaque" else b"")
    assert node.layout == "duckdb_time_tz"
    assert types._extended(plain, "duckdb.bit", b"").layout == "fixed"


def test_datafusion_names_every_argument():
    """`in_list` had no default for `negated` before 37."""
    assert ", False)" in datafusion_condition(In(("x",), integer(32), ("1", "2")))


def test_datafusion_knows_text_without_views():
    """Pyarrow before 16 has no `string_view`."""
    library = SimpleNamespace(string=lambda: "text", large_string=lambda: "large")
    assert datafusion_texts(library) == ["text", "large"]
    assert datafusion_texts(SimpleNamespace(**vars(library), string_view=lambda: "view"))[-1] == "view"


class OldReader:
    """`pyorc.Reader` of 0.4."""

    def __init__(self, fileo, converters=None):
        """Take no zone."""


class NewReader:
    """`pyorc.Reader` since 0.5."""

    def __init__(self, fileo, converters=None, timezone=None):
        """Take a zone."""


def test_pyorc_0_4_reads_in_utc_alone():
    """Its reader takes no zone: another than UTC is Unsupported."""
    adapter = Pyorc.__new__(Pyorc)
    adapter.converters = {}
    adapter.pyorc = SimpleNamespace(Reader=OldReader)
    assert adapter._own("UTC") == {"converters": {}}
    with pytest.raises(Unsupported, match="America/Los_Angeles"):
        adapter._own("America/Los_Angeles")
    adapter.pyorc = SimpleNamespace(Reader=NewReader)
    assert str(adapter._own("America/Los_Angeles")["timezone"]) == "America/Los_Angeles"


def test_pyorc_0_4_converts_moments_without_a_zone():
    """Its converters are given seconds and nanoseconds alone."""
    assert Moment.from_orc(1, 5) == Moment.from_orc(1, 5, None) == "1000000005"
    assert Moment.to_orc("1000000005") == (1, 5)


def test_pyorc_0_4_has_no_search_arguments():
    """A predicate is Unsupported there."""
    with pytest.raises(Unsupported, match="search arguments"):
        search_argument(SimpleNamespace(), None, IsNull(("x",)), "UTC")


@pytest.mark.parametrize(
    ("text", "release", "lacking"),
    [
        ("Unknown compression type", "0.9.0", True),
        ("Unknown compression type", "0.10.0", False),
        ("unknown compression codec 6", "0.10.0", True),
        ("Unknown type kind", "0.8.0", True),
        ("File size too small", "0.8.0", False),
    ],
)
def test_orc_codecs_of_the_future(text, release, lacking):
    """ORC C++ before 2.0 calls Brotli an unknown type; later it calls a field that is left out so."""
    assert lacks(text, release, (0, 10)) is lacking


def test_pyarrow_5_has_no_data_sets_of_orc():
    """It says so in words, and refuses no file by that."""
    adapter = PyarrowOrc.__new__(PyarrowOrc)
    adapter.pyarrow = SimpleNamespace(ArrowException=ArithmeticError, __version__="5.0.0")
    assert adapter.classify(ValueError("format 'orc' is not supported")) == "unsupported"
    assert adapter.classify(ValueError("format 'orc'")) == "refused"


def test_spark_before_4_2_has_types_in_utc(monkeypatch):
    """`to_arrow_type` takes a zone since 4.2; it is asked for a leaf at any depth of a schema."""
    pa, types = pytest.importorskip("pyarrow"), pytest.importorskip("pyspark.sql.types")
    inner = types.StructType([types.StructField("b", types.TimestampType())])
    schema = types.StructType([types.StructField("a", inner)])
    for function, expected in (
        (lambda _: pa.timestamp("us"), pa.timestamp("us")),
        (lambda _, timezone=None: pa.timestamp("us", timezone), pa.timestamp("us", "UTC")),
    ):
        monkeypatch.setattr("pyspark.sql.pandas.types.to_arrow_type", function)
        assert arrow_schema(schema).field("a").type.field("b").type == expected


def test_polars_asks_for_a_list_by_version():
    """The condition leaves to the version how values are given."""
    assert ".is_in(among(pl, pl.concat(" in condition(In(("x",), integer(32), ("1", "2")))


def test_polars_groups_by_the_name_that_its_frames_have():
    """Frames before 0.19 group by `groupby`."""
    import polars as pl

    class Frame:
        """A frame that groups by one name alone."""

        def groupby(self, column):
            """Return what counts the groups of a column."""
            return SimpleNamespace(agg=lambda count: (column, count))

    schema = {"a": pl.Int32}
    column, count = polars_ask(pl, Frame(), Groups(("a",)), schema)
    assert (column.meta.output_name(), count.meta.output_name()) == ("value", "rows")


def test_null_safe_equality_is_lacked_where_there_is_none():
    """Polars has it since 0.18: before, the query is unsupported, and no fault of colconf's."""
    library = SimpleNamespace(__version__="0.17.0", Expr=object, Int32="i")
    with pytest.raises(Unsupported, match=r"Polars 0\.17\.0 has no null-safe equality"):
        polars_ask(library, None, Filter(NullSafe(("a",), integer(32), "1")), {"a": "i"})


def test_pyarrow_before_7_has_no_expressions(monkeypatch):
    """Without `pyarrow.compute.field` a filter is unsupported."""
    import pyarrow as pa
    import pyarrow.compute as pc

    monkeypatch.delattr(pc, "field")
    with pytest.raises(Unsupported, match="has no expressions of columns"):
        pyarrow_statements.ask(pa, Filter(IsNull(("a",))), [], {"schema": pa.schema([("a", pa.int32())])})


def test_datafusion_of_old_has_no_joins():
    """Before 43 frames have no `join_on`, before 51 no parameters, and no frames as tables: unsupported."""
    import pyarrow as pa

    schema = pa.schema([("a", pa.int32())])
    frame = SimpleNamespace(schema=lambda: schema)
    session = SimpleNamespace(sql=lambda text: text)
    for query in (SemiJoin(("a",), integer(32), ("1",)), AntiJoin(("a",), integer(32), ("1",), not_in=True)):
        with pytest.raises(Unsupported, match="this DataFusion"):
            datafusion_ask(SimpleNamespace(), session, frame, query)


def test_datafusion_before_48_names_types_of_partition_columns():
    """They are texts of two types, the number since 40; since 48 types of Arrow."""
    read = TableRead((), (Field("k", integer(32)), Field("t", STRING)))
    assert "[('k', pa.int32()), ('t', pa.string())]" in datafusion_table.text(read)
    assert "[('k', 'int'), ('t', 'string')]" in datafusion_table.text(read, version="47.0.0")
    with pytest.raises(Unsupported, match=r"DataFusion 39\.0\.0 has no partition columns of type int"):
        datafusion_table.text(read, version="39.0.0")
    with pytest.raises(Unsupported, match="of type date"):
        datafusion_table.text(TableRead((), (Field("k", DATE),)), version="47.0.0")


def test_polars_reads_categories_as_text_where_it_has_the_option():
    """The option of casts is absent from older releases."""
    read = TableRead((Field("a", STRING),))
    assert 'categorical_to_string="allow"' in polars_frames.text(read)
    assert "categorical" not in polars_frames.text(read, categories=False)
