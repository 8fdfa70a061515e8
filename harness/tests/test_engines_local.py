from __future__ import annotations

import tempfile
from pathlib import Path

import pytest

from corpora.tables import WRITER_TABLES
from corpora.tagged import STRING, Table, big, binary, integer, map_of, time, timestamp
from harness.children import protocol
from harness.children.worker import open_engine
from harness.engines.arrow.build import to_arrow
from harness.engines.base import Engine
from harness.engines.errors import Unsupported
from harness.engines.naming import parse
from harness.engines.registry import ENGINES, QUERY_SWITCHES
from harness.judging.compare import compare
from reference_impl.errors import LimitExceeded

# fastparquet leaves closing its files to the garbage collector.
pytestmark = [
    pytest.mark.filterwarnings("ignore:unclosed file:ResourceWarning"),
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
]
LOCAL = ("reference", "pyarrow", "duckdb", "polars", "datafusion", "fastparquet")
WRITERS = tuple(name for name in LOCAL if ENGINES[name].writes)
TABLES = {one.name: one.table for one in WRITER_TABLES}
CONFIGURATIONS = [
    f"{name}:{switch}={value}" if switch else name
    for name in LOCAL
    for switch, values in ({"": ("",)} | ENGINES[name].switches).items()
    if switch not in QUERY_SWITCHES
    for value in (values if switch else ("",))
    if switch != "way" or value in {*(ENGINES[name].read_ways or values)} - {*ENGINES[name].unordered}
]
# Where fastparquet's options fail on nulls of columns that pandas has no null for, and where what it returns
# depends on what memory held (fastparquet-categories-of-v2).
FAILING = {"fastparquet:way=index": {"booleans", "signed", "unsigned"}}
RANDOM = {"fastparquet:way=categories": {"signed", "unsigned"}}
# What an engine lacks, or answers otherwise; the values are told apart by other tests and by corpora/known.
LACKING = {
    "fastparquet": {
        "deep",
        "lists",
        "maps",
        "structs",
        "all-null",
        "zero-rows",
        "one-row",
        "null-type",
        "many",
        "floats",
        "float16",
        "decimals",
        "dates",
        "far-dates",
        "times",
        "times-ns",
    },
}
REFUSED_BY_WRITER = {"duckdb": {"float16", "times", "milliseconds"}, "polars": {"times"}}
_opened: dict[str, Engine] = {}


def engine(name):
    """Return an engine, opened once; skip the test if it is not installed."""
    if name not in _opened:
        entry = ENGINES[name]
        for package in entry.packages:
            pytest.importorskip(package, reason=f"{package} is not installed")
        _opened[name] = open_engine(f"{entry.module}:{entry.class_name}")
    return _opened[name]


@pytest.fixture(scope="session")
def files():
    """Write each table with pyarrow, once; answer the paths."""
    parquet = pytest.importorskip("pyarrow.parquet", reason="pyarrow is not installed")
    with tempfile.TemporaryDirectory() as folder:
        paths = {name: Path(folder) / f"{name}.parquet" for name in TABLES}
        for name, path in paths.items():
            parquet.write_table(to_arrow(TABLES[name]), path, row_group_size=7_000)
        yield paths


@pytest.mark.parametrize("name", LOCAL)
def test_descriptions(name):
    """Each adapter describes itself as the protocol asks."""
    described = engine(name).describe()
    types = {key: type(value) for key, value in described.items()}
    more = {key: kind for key, kind in protocol.MORE_OF_DESCRIPTION.items() if key in types}
    assert types == {**protocol.DESCRIPTION, **more}
    assert described["name"] == name
    assert described["version"][0].isdigit()


@pytest.mark.sweep(24, each="text")
@pytest.mark.parametrize("text", CONFIGURATIONS)
@pytest.mark.parametrize("table", TABLES)
def test_reads_exactly(files, text, table):
    """Every engine, in every configuration, reads what pyarrow wrote, but for the equivalences it claims."""
    name = parse(text)
    if table in LACKING.get(name.name, ()):
        pytest.skip(f"{name.name} lacks types of {table}, or says their values otherwise")
    if table in RANDOM.get(text, ()):
        pytest.skip(f"{text} returns {table} otherwise from time to time")
    opened = engine(name.name)
    if table in FAILING.get(text, ()):
        with pytest.raises((TypeError, ValueError), match=r"NAType|NaN|NA"):
            opened.read(str(files[table]), "parquet", name.config)
        return
    try:
        answer = opened.read(str(files[table]), "parquet", name.config)
    except Unsupported as error:
        if "without the option" not in str(error):  # a version lacks some options of ways
            raise
        pytest.skip(str(error))
    result = compare(TABLES[table], answer, opened.equivalences)
    assert result.equal, result.difference


@pytest.mark.parametrize("table", TABLES)
def test_arrow_tables_say_the_same(table):
    """A tagged table, built as Arrow and read through the C interface, is the same table."""
    pytest.importorskip("pyarrow", reason="pyarrow is not installed")
    from harness.engines.arrow import c_interface

    answer = c_interface.read(to_arrow(TABLES[table]))
    assert answer.columns == TABLES[table].columns
    assert list(answer.blocks()) == list(TABLES[table].blocks())


def test_what_arrow_cannot_say():
    """A time with a UTC flag, and a value known by its digest alone, are Unsupported."""
    pytest.importorskip("pyarrow", reason="pyarrow is not installed")
    digest = Table.of([("x", map_of(STRING, STRING))], [[[["k", big(b"x")]]]])
    flagged = Table.of([("x", time("us", utc=True))], [["1"]])
    for table in (digest, flagged):
        with pytest.raises(Unsupported, match="column 'x'"):
            to_arrow(table)


@pytest.mark.sweep(6)
@pytest.mark.parametrize("name", WRITERS)
@pytest.mark.parametrize("table", TABLES)
def test_writes_what_it_is_given(tmp_path, name, table):
    """What an engine writes, the reference reads back exactly; an engine that would change a type refuses."""
    opened, file = engine(name), tmp_path / "x.parquet"
    options = {
        "codec": opened.writes["codecs"][-1],
        "page_version": opened.writes["page_versions"][-1],
        "dictionary": opened.writes["dictionary"][0],
        "row_group_rows": 5_000,
    }
    if table in REFUSED_BY_WRITER.get(name, ()):
        with pytest.raises(Exception) as caught:  # noqa: PT011 - each engine has its own
            opened.write(str(file), "parquet", {}, TABLES[table], options)
        assert opened.classify(caught.value) == "unsupported"
        return
    if name == "fastparquet" and table in {*LACKING[name], "milliseconds", "timestamps", "nanoseconds"}:
        pytest.skip("fastparquet does not write these types, or not as they are")
    opened.write(str(file), "parquet", {}, TABLES[table], options)
    answer = engine("pyarrow" if name == "fastparquet" else "reference").read(str(file), "parquet", {})
    result = compare(TABLES[table], answer, ())
    assert result.equal, result.difference


@pytest.mark.parametrize("name", WRITERS)
def test_codecs_it_does_not_write(tmp_path, name):
    """An option that the engine has not is Unsupported."""
    with pytest.raises(Unsupported):
        engine(name).write(str(tmp_path / "x"), "parquet", {}, TABLES["runs"], {"codec": "LZO"})


@pytest.mark.parametrize("name", LOCAL)
@pytest.mark.parametrize("garbage", [b"", b"PAR1", b"PAR1\0\0\0\0PAR1", b"PAR1\xff\xff\xff\x7fPAR1"])
def test_refuses_garbage(tmp_path, name, garbage):
    """Garbage, and an empty file, is an exception that is classified as refused."""
    file = tmp_path / "garbage.parquet"
    file.write_bytes(garbage)
    if name == "datafusion" and not garbage:
        pytest.skip("DataFusion passes over empty files, and answers a table of nothing")
    with pytest.raises(BaseException) as caught:  # noqa: PT011 - each engine has its own, also panics
        engine(name).read(str(file), "parquet", {})
    assert engine(name).classify(caught.value) == "refused"
    assert str(caught.value)


@pytest.mark.parametrize("name", LOCAL)
@pytest.mark.parametrize(
    "odd",
    ["_hidden.parquet", ".dot", "a b", "x=1", "per%20cent", "h#sh", "*", "[a]", "{b}", "é", "q?", "q'"],
)
def test_odd_names(tmp_path, files, name, odd):
    """No name of a file or folder is a pattern, a URL, hidden, or a source of columns."""
    folder = tmp_path / "year=2024"
    folder.mkdir()
    file = folder / odd
    file.write_bytes(files["runs"].read_bytes())
    (folder / "other.parquet").write_bytes(files["strings"].read_bytes())
    answer = engine(name).read(str(file), "parquet", {})
    assert compare(TABLES["runs"], answer, engine(name).equivalences).equal


@pytest.mark.parametrize("name", ["duckdb", "datafusion"])
def test_errors_name_the_file(tmp_path, name):
    """An error about a file that was read under another name says the file's own."""
    file = tmp_path / "a b.parquet"
    file.write_bytes(b"no parquet at all")
    with pytest.raises(Exception) as caught:  # noqa: PT011 - each engine has its own
        engine(name).read(str(file), "parquet", {})
    assert "colconf-links" not in str(caught.value)
    assert list(Path(engine(name).links.folder).iterdir()) == []


@pytest.mark.parametrize("name", LOCAL)
def test_sheets(files, name):
    """Several files at once are answered in their order."""
    answers = engine(name).read_many([str(files["runs"]), str(files["strings"])], "parquet", {})
    assert [one.num_rows for one in answers] == [TABLES["runs"].num_rows, TABLES["strings"].num_rows]


def test_classes_of_errors():
    """What an engine lacks, and lack of memory, are told from refusals."""
    base = Engine()
    assert base.classify(MemoryError()) == "out_of_memory"
    assert base.classify(Unsupported("x")) == base.classify(NotImplementedError()) == "unsupported"
    assert base.classify(ValueError("x")) == "refused"
    with pytest.raises(NotImplementedError, match="does not write"):
        base.write("x", "parquet", {}, Table.of([], []), {})
    reference = engine("reference")
    assert reference.classify(LimitExceeded("more than 5 values")) == "limited"
    assert reference.classify(MemoryError()) == "out_of_memory"


def test_fastparquet_says_what_pandas_says(tmp_path):
    """Nulls in integers stay nulls; in floats pandas has only NaN, and that is what is answered."""
    pyarrow = pytest.importorskip("pyarrow", reason="pyarrow is not installed")
    from pyarrow import parquet

    file = tmp_path / "x.parquet"
    columns = {"i": pyarrow.array([1, None]), "f": pyarrow.array([1.5, None]), "b": [b"\xff", None]}
    parquet.write_table(pyarrow.table(columns), file)
    answer = engine("fastparquet").read(str(file), "parquet", {})
    assert answer.columns[0].type == integer(64)
    assert answer.column(0) == ["1", None]
    assert answer.column(1) == ["3ff8000000000000", "7ff8000000000000"]
    assert answer.column(2) == [binary(b"\xff"), None]


def test_duckdb_times_with_zone(tmp_path):
    """DuckDB's export of a UTC time of day is read as one."""
    pyarrow = pytest.importorskip("pyarrow", reason="pyarrow is not installed")
    from pyarrow import parquet

    file = tmp_path / "x.parquet"
    table = pyarrow.table({"t": pyarrow.array([0, 86_399_999_999, None], pyarrow.time64("us"))})
    parquet.write_table(table, file, write_time_adjusted_to_utc=True)
    answer = engine("duckdb").read(str(file), "parquet", {})
    assert answer.columns[0].type == time("us", utc=True)
    assert answer.column(0) == ["0", "86399999999", None]


# DuckDB 2.0 answers an internal error, and from then on that its database "has been invalidated".
POISON = Path(__file__).parents[2] / "corpora/parquet/fault/pq-variant-001/variant-without-value.parquet"


def test_duckdb_reads_the_file_after_a_fatal_error(files):
    """What one file does to DuckDB's database is not said of the next one, nor of the same one again."""
    opened = engine("duckdb")
    said = set()
    for _ in range(2):
        with pytest.raises(opened.duckdb.Error) as caught:
            opened.read(str(POISON), "parquet", {})
        said.add(str(caught.value).splitlines()[0])
        assert opened.read(str(files["one-row"]), "parquet", {}).num_rows == 1
    assert len(said) == 1
    assert "invalidated" not in said.pop()


@pytest.mark.parametrize("raised", ["FatalException", "InternalException", "StreamError"])
def test_duckdb_connects_anew(files, raised):
    """Whichever way an internal error comes out, the next file is read; a refusal costs no connection."""
    from harness.engines.arrow import c_interface

    opened = engine("duckdb")

    class Ruined:
        """A connection whose database is invalid from its first query on."""

        def execute(self, *_):
            raise opened.duckdb.FatalException("database has been invalidated")

        def sql(self, *_, **__):
            raise (getattr(opened.duckdb, raised, None) or getattr(c_interface, raised))("INTERNAL Error")

    class OnceSound(Ruined):
        """A connection that dies of the query of the file."""

        def execute(self, text, *_):
            if text.startswith("SELECT 1"):
                super().execute()

    for cls in (Ruined, OnceSound):
        opened.connection = cls()
        with pytest.raises((opened.duckdb.Error, c_interface.StreamError)):
            opened.read(str(files["one-row"]), "parquet", {})
        assert opened.read(str(files["one-row"]), "parquet", {}).num_rows == 1
    sound = opened.connection
    with pytest.raises(opened.duckdb.Error):
        opened.read(str(files["one-row"].with_name("absent")), "parquet", {})
    assert opened.connection is sound


def test_duckdb_lacks_a_codec():
    """A codec that DuckDB does not have is a feature that it lacks, not a refusal of the file."""
    opened = engine("duckdb")
    file = POISON.parents[2] / "codec/lzo/parts-2.parquet"
    with pytest.raises(opened.duckdb.Error) as caught:
        opened.read(str(file), "parquet", {})
    assert opened.classify(caught.value) == "unsupported"


def test_far_timestamps_are_not_datetimes(tmp_path):
    """Counts far outside the years 1 to 9999 pass through writers and readers unchanged."""
    far = Table.of([("t", timestamp("us", utc=True))], [[str(2**62), str(-(2**62))]])
    for name in ("pyarrow", "polars", "datafusion"):
        engine(name).write(str(tmp_path / name), "parquet", {}, far, {})
        assert compare(far, engine(name).read(str(tmp_path / name), "parquet", {}), ()).equal


def test_pandas_reads_in_ways_of_pyarrow(files, monkeypatch):
    """The ways of pandas show what pandas answers, and are Unsupported where it makes columns its index."""
    pandas = pytest.importorskip("pandas", reason="pandas is not installed")
    opened, file = engine("pyarrow"), str(files["signed"])
    right = opened.read(file, "parquet", {})
    assert right.num_rows > 1
    read, taken = pandas.read_parquet, pandas.core.generic.NDFrame.items
    with monkeypatch.context() as patch:
        patch.setattr(pandas, "read_parquet", lambda *args, **more: read(*args, **more)[1:])
        assert opened.read(file, "parquet", {"way": "read-by-pandas"}).num_rows == right.num_rows - 1
        assert opened.read(file, "parquet", {"way": "pandas"}) == right
    with monkeypatch.context() as patch:
        patch.setattr(pandas.DataFrame, "items", lambda frame: taken(frame[1:]))
        assert opened.read(file, "parquet", {"way": "pandas"}).num_rows == right.num_rows - 1
