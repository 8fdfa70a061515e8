"""Each option of a writer reaches the engine, and the script that is printed writes the same."""

import importlib
import inspect
import random
from types import SimpleNamespace

import pyarrow as pa
import pytest

from corpora.answers import take
from corpora.tagged import (
    BOOL,
    BYTES,
    STRING,
    Table,
    decimal,
    floating,
    integer,
    list_of,
    map_of,
    struct_of,
    time,
    timestamp,
)
from harness.children.worker import open_engine
from harness.engines import arrow_forms, errors
from harness.engines.base import Engine
from harness.engines.duckdb import write_options as duckdb_options
from harness.engines.duckdb.write_options import ENCRYPTED
from harness.engines.polars import write_options as polars_options
from harness.engines.pyarrow import write_encrypted
from harness.engines.pyarrow import write_options as pyarrow_options
from harness.engines.pyorc.write_options import holds as pyorc_holds
from harness.engines.reference.adapter import Reference
from harness.engines.registry import ENGINES
from harness.engines.writer_options import CHOSEN, choose, chunked
from harness.environments.availability import status
from harness.judging.compare import compare
from harness.runs.pipeline.drawn import given
from reference_impl.errors import Malformed, Unsupported

ROWS = 40
WRITERS = [
    (name, format_, option)
    for name, entry in ENGINES.items()
    if entry.write_options and not entry.heavy
    for format_, writer in importlib.import_module(entry.write_options).OPTIONS.items()
    for option in writer.options
]
_TABLE = Table.of(
    [
        ("row", integer(32)),
        ("text", STRING),
        ("bytes", BYTES),
        ("flag", BOOL),
        ("amount", decimal(9, 2)),
        ("at", timestamp("ns", utc=False)),
        ("number", floating(64)),
        ("items", list_of(STRING)),
        ("pairs", list_of(integer(32))),
        ("instant", timestamp("us", utc=True)),
    ],
    [
        [str(row) for row in range(ROWS)],
        [None if row % 7 == 0 else f"text {row % 5}" for row in range(ROWS)],
        [f"{row % 3:04x}" for row in range(ROWS)],
        [row % 2 == 0 for row in range(ROWS)],
        [None if row % 5 == 0 else str(row * 101) for row in range(ROWS)],
        [str(row * 1_000_000_000) for row in range(ROWS)],
        ["3ff8000000000000"] * ROWS,
        [["a", None, "b"][: row % 4] for row in range(ROWS)],
        [None if row % 6 == 0 else [str(row), "1"] for row in range(ROWS)],
        [str(row * 1_000_000) for row in range(ROWS)],
    ],
)
_BY_CHANCE = ("bytes",)  # ORC C++ puts bytes that were never set into their Bloom filters
_engines: dict[str, Engine] = {}


def engine(name):
    """Return an engine, opened once; skip the test if it is not installed."""
    if not status(ENGINES[name]).available:
        pytest.skip(f"{name} is not installed")
    if name not in _engines:
        entry = ENGINES[name]
        _engines[name] = open_engine(f"{entry.module}:{entry.class_name}")
    return _engines[name]


def drawn(option, table):
    """Return a value of an option, which some draw must have for the table."""
    values = [option.draw(random.Random(seed), table) for seed in range(20)]
    return next(value for value in values if value is not None)


@pytest.mark.sweep(6)
@pytest.mark.parametrize(
    ("name", "format_", "option"), WRITERS, ids=lambda value: getattr(value, "name", value)
)
def test_an_option_is_taken(tmp_path, name, format_, option):
    """An engine writes a file under each option, whose values are those that it is documented to hold."""
    writer = importlib.import_module(ENGINES[name].write_options).OPTIONS[format_]
    table, opened = given(writer, _TABLE), engine(name)
    if (name, option.name) == ("fastparquet", "times"):  # a known failure, fastparquet-int96-of-microseconds
        table = take(table, range(ROWS), [each.name for each in table.columns if each.name != "instant"])
    chosen = {option.name: drawn(option, table)}
    known = opened.writes.get("options")
    assert known is None or option.name in known
    file = str(tmp_path / f"file.{format_}")
    opened.write(file, format_, {}, table, {CHOSEN: chosen})
    if option.name == ENCRYPTED:  # by DuckDB: a known failure, duckdb-encrypts-without-aad
        with pytest.raises(Malformed, match="its writer left out the AAD"):
            _held(writer, chosen, file, format_)
        return
    if (name, option.name) == ("duckdb", arrow_forms.FIXED):  # a known failure, duckdb-null-of-array
        with pytest.raises(Malformed, match="PQ-LEVELS-004"):
            _held(writer, chosen, file, format_)
        return
    assert compare(writer.stored(table, chosen), _held(writer, chosen, file, format_), ()).difference is None


def _held(writer, chosen, file, format_):
    """Return what the reference reads from a file, with its keys if it is encrypted."""
    reference = Reference()
    reference.enter(writer.keys(chosen))
    return reference.read(file, format_, {})


@pytest.mark.parametrize(
    ("release", "version", "expected"),
    [
        ("5.0.0", "1.0", ["int64", "us", True]),
        ("11.0.0", "2.4", ["uint32", "us", True]),
        ("17.0.0", "2.6", ["uint32", "ns", True]),
        ("22.0.0", "2.6", ["uint32", "ns", False]),
    ],
)
def test_what_a_release_of_pyarrow_does_by_itself(release, version, expected):
    """Its default format decides of unsigned numbers and nanoseconds, and times were UTC before 22.0."""
    types = [integer(32, signed=False), timestamp("ns", utc=True), time("us", utc=False)]
    table = Table.of([(str(type_), type_) for type_ in types], [["1"], ["2000"], ["3"]])
    parameter = inspect.Parameter("version", inspect.Parameter.KEYWORD_ONLY, default=version)
    chosen = pyarrow_options.defaults(release, {"version": parameter})
    held = pyarrow_options.stored(table, chosen)
    number, moment, clock = (field.type for field in held.columns)
    described = f"{'' if number.signed else 'u'}int{number.bits}", moment.unit, clock.utc
    assert list(described) == expected
    assert held.column(1) == [{"us": "2", "ns": "2000"}[moment.unit]]
    assert pyarrow_options.UTC_TIMES not in "".join(pyarrow_options.statements(table, chosen))


def test_what_a_release_of_polars_does_by_itself():
    """Types that a release lacks become wider floats, at any depth, with their values."""
    types = [floating(16), list_of(decimal(38, 2))]
    columns = [["3e00", "NaN", None], [["-150", None], [], None]]
    table = Table.of([(str(type_), type_) for type_ in types], columns)
    newest = SimpleNamespace(__version__="2.1.0", Float16=None)
    assert polars_options.stored(table, polars_options.defaults(newest)) == table
    chosen = polars_options.defaults(SimpleNamespace(__version__="0.20.31"))
    held = polars_options.stored(table, chosen)
    assert [field.type for field in held.columns] == [floating(32), list_of(floating(64))]
    assert held.column(0) == ["3fc00000", "NaN", None]
    assert held.column(1) == [["bff8000000000000", None], [], None]
    assert polars_options.arguments({**chosen, "sink": True, "statistics": False}) == {"statistics": False}


def test_what_a_release_of_duckdb_does_by_itself():
    """Before 1.5 times have microseconds, and their names differ in more than case, as ever."""
    table = Table.of([("a", time("ns", utc=False)), ("A", STRING)], [["1999", None], ["x", "y"]])
    assert duckdb_options.defaults("1.5.1") == {}
    held = duckdb_options.stored(table, duckdb_options.defaults("1.4.4"))
    assert [(field.name, field.type) for field in held.columns] == [
        ("a", time("us", utc=False)),
        ("A_1", STRING),
    ]
    assert held.column(0) == ["1", None]
    assert duckdb_options.MICROSECONDS not in "".join(
        duckdb_options.statements(table, {duckdb_options.MICROSECONDS: True})
    )


def test_pyarrow_without_uniform_encryption(monkeypatch):
    """What a release cannot do with the keys of options is unsupported before it is called."""
    old = SimpleNamespace(EncryptionConfiguration=object)
    monkeypatch.setattr(write_encrypted, "_library", lambda: old)
    write_encrypted.check({"encryption": {}, "own_keys": {"by_column": {"a": "kc0"}}})
    with pytest.raises(errors.Unsupported):
        write_encrypted.check({"encryption": {}})


@pytest.mark.parametrize(
    ("name", "chosen"),
    [
        ("pyarrow", {"encryption": {}}),
        ("pyarrow", {"encryption": {"double_wrapping": False, "encryption_algorithm": "AES_GCM_CTR_V1"}}),
        ("pyarrow", {"own_keys": {"by_column": {"text": "kc1", "items.list.element": "kc2"}}}),
        (
            "pyarrow",
            {
                "own_keys": {"by_column": {"number": "kc0"}},
                "encryption": {"plaintext_footer": True, "data_key_length_bits": 256},
            },
        ),
        ("pyarrow", {"direct_encryption": {"key_bytes": 24}}),
        ("pyarrow", {"direct_encryption": {"aad_prefix": "suite", "store_aad_prefix": False}}),
        ("polars", {"encryption": {}}),
        ("polars", {"encryption": {"key_bytes": 32, "aad_prefix": "suite"}, "sink": True}),
        ("polars", {"own_keys": {"by_column": {"text": "kc1", "items.list.element": "kc2"}}}),
        (
            "polars",
            {
                "own_keys": {"by_column": {"number": "kc0"}},
                "encryption": {"plaintext_footer": True, "aad_prefix": "suite", "store_aad_prefix": True},
            },
        ),
    ],
    ids=str,
)
def test_encrypted(tmp_path, name, chosen):
    """Adapter and script of a writer encrypt a file that the reference reads with the keys of the options."""
    writer = importlib.import_module(ENGINES[name].write_options).OPTIONS["parquet"]
    table, opened = given(writer, _TABLE), engine(name)
    if not set(chosen) <= set(opened.writes["options"]):
        pytest.skip("this version does not encrypt so")
    ours, theirs = tmp_path / "ours.parquet", tmp_path / "theirs.parquet"
    opened.write(str(ours), "parquet", {}, table, {CHOSEN: chosen})
    written = importlib.import_module(ENGINES[name].write_script).written(table, {CHOSEN: chosen}, "parquet")
    exec("\n".join([*written.imports, written.helpers, *written.body]), {"FILE": str(theirs)})
    for file in (ours, theirs):
        assert compare(table, _held(writer, chosen, str(file), "parquet"), ()).difference is None
        with pytest.raises(Unsupported):  # keys are missing
            Reference().read(str(file), "parquet", {})


def test_duckdb_forgets_the_key_of_a_written_file(tmp_path):
    """After an encrypted file was written, the connection has neither its key nor its setting."""
    opened, file = engine("duckdb"), str(tmp_path / "x.parquet")
    opened.write(file, "parquet", {}, Table.of([("a", integer(32))], [["1"]]), {CHOSEN: {ENCRYPTED: 16}})
    source = f"read_parquet('{file}', encryption_config = {{footer_key: 'suite'}})"
    with pytest.raises(opened.duckdb.Error, match="suite"):
        opened.connection.execute(f"SELECT * FROM {source}").fetchall()


def test_duckdb_tells_names_apart(tmp_path):
    """Names that differ in case alone get a number in what DuckDB writes, as its options say."""
    names = ["row", "ROW", "Row", "row_1", "\u00c9", "\u00e9", ""]
    table = Table.of([(name, integer(32)) for name in names], [["1"] for _ in names])
    file, writer = (
        str(tmp_path / "x.parquet"),
        importlib.import_module(ENGINES["duckdb"].write_options).OPTIONS,
    )
    engine("duckdb").write(file, "parquet", {}, table, {CHOSEN: {}})
    stored = writer["parquet"].stored(table, {})
    assert compare(stored, Reference().read(file, "parquet", {}), ()).difference is None
    assert [field.name for field in stored.columns] == [
        "row",
        "ROW_1",
        "Row_2",
        "row_1_1",
        "\u00c9",
        "\u00e9",
        "v6",
    ]


@pytest.mark.parametrize("chosen", [{CHOSEN: {}}, {CHOSEN: {"sink": True}}, {}])
def test_polars_writes_names_that_are_empty(tmp_path, chosen):
    """A column without a name stays so, though Arrow's tables get a name for it in Polars."""
    table = Table.of([("", integer(32)), ("a", integer(32))], [["1"], ["2"]])
    file = str(tmp_path / "x.parquet")
    engine("polars").write(file, "parquet", {}, table, chosen)
    assert [field.name for field in Reference().read(file, "parquet", {}).columns] == ["", "a"]


@pytest.mark.parametrize("name", ["pyarrow_orc", "pyarrow", "polars", "duckdb", "datafusion", "chdb"])
def test_what_is_no_argument_of_a_writer_can_be_drawn(name):
    """Each option that an engine's module handles itself is among the options that are drawn."""
    module = importlib.import_module(ENGINES[name].write_options)
    drawn_names = {option.name for writer in module.OPTIONS.values() for option in writer.options}
    left = set(getattr(module, "BESIDE", ())) - drawn_names
    assert left <= set(arrow_forms.NAMES)


def test_a_table_in_chunks():
    """Drawn numbers of rows divide a table into chunks; without them, it is one."""
    pa = pytest.importorskip("pyarrow")
    names = {"pa": pa, "table": pa.table({"a": [1, 2, 3]})}
    exec("\n".join(chunked({"chunks": [1, 2]})), names)
    assert [len(chunk) for chunk in names["table"].column(0).chunks] == [1, 2]
    assert chunked({}) == []


def test_maps_that_python_has():
    """Pyorc is given maps whose keys are there once and have no children, at any depth."""
    texts, nested = map_of(STRING, STRING), map_of(list_of(STRING), STRING)
    once, twice = [["a", "x"], ["b", "x"]], [["a", "x"], ["a", "y"]]
    assert pyorc_holds(texts, [once, None, []])
    assert not pyorc_holds(texts, [once, twice])
    assert not pyorc_holds(list_of(texts), [[once], [None, twice]])
    assert not pyorc_holds(map_of(STRING, texts), [[["a", twice]]])
    assert not pyorc_holds(struct_of([("a", STRING), ("b", texts)]), [["x", once], None, ["x", twice]])
    assert not pyorc_holds(nested, [[[["a"], "x"]]])


@pytest.mark.sweep(4)
@pytest.mark.parametrize("name", sorted({name for name, _, _ in WRITERS}))
def test_a_script_writes_the_same(tmp_path, name):
    """The source that a script prints for drawn options writes the bytes that the adapter writes."""
    format_ = ENGINES[name].formats[0]
    writer, opened = importlib.import_module(ENGINES[name].write_options).OPTIONS[format_], engine(name)
    table = given(writer, _TABLE)
    table = take(table, range(ROWS), [field.name for field in table.columns if field.name not in _BY_CHANCE])
    ours, theirs = tmp_path / f"ours.{format_}", tmp_path / f"theirs.{format_}"
    script = importlib.import_module(ENGINES[name].write_script).written
    compared = 0
    for seed in range(12):
        options = {CHOSEN: choose(writer, str(seed), table, opened.writes.get("options"))}
        try:
            opened.write(str(ours), format_, {}, table, options)
        except (ValueError, OSError, pa.ArrowException):  # options that exclude each other, or are refused
            continue
        written = script(table, options, format_)
        text = "\n".join([*written.imports, written.helpers, *written.body])
        exec(compile(text, "script", "exec"), {"FILE": str(theirs)})
        if writer.keys(options[CHOSEN]):  # encrypted: no two files have the same bytes
            continue
        assert theirs.read_bytes() == ours.read_bytes(), options
        compared += 1
    assert compared >= 6
