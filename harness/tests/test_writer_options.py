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
from harness.engines.arrow import c_interface
from harness.engines.arrow.build import to_arrow
from harness.engines.base import Engine
from harness.engines.chdb import write_options as chdb_options
from harness.engines.chdb import write_script as chdb_script
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


@pytest.mark.parametrize(
    ("type_", "values", "behind"),
    [
        (struct_of([("a", STRING), ("b", integer(32))]), [None, [None, "1"], ["x", None]], ["x", "1"]),
        (list_of(integer(32)), [[], None, ["1", None]], ["1", None]),
        (map_of(STRING, integer(32)), [None, [["k", "1"]]], [["k", "1"]]),
    ],
    ids=str,
)
def test_values_behind_nulls(type_, values, behind):
    """A null gets the values of another row, which show where its validity is taken away, and only there."""
    table = Table.of([("row", integer(32)), ("x", type_)], [["1"] * len(values), values])
    names = {"pa": pa, "table": to_arrow(table)}
    exec("\n".join(arrow_forms.statements(table, {arrow_forms.HIDDEN: {"columns": ["x"]}})), names)
    assert c_interface.read(names["table"]).column(1) == values
    column = names["table"].column(1).chunk(0)
    is_struct = type_.kind == "struct"
    buffers = [None] if is_struct else [None, column.buffers()[1]]
    children = [column.field(at) for at in range(2)] if is_struct else [column.values]
    shown = pa.Array.from_buffers(column.type, len(column), buffers, children=children)
    read = c_interface.read(pa.table({"x": shown})).column(0)
    assert read == [behind if value is None else value for value in values]


@pytest.mark.parametrize(
    ("form", "indices", "values"),
    [
        (arrow_forms.TWICE, [0, 2, None, None, 1, 3], ["a", "b", "a", "b"]),
        (arrow_forms.WITH_NULL, [0, 0, None, 2, 1, 1], ["a", "b", None]),
    ],
)
def test_forms_of_dictionaries(form, indices, values):
    """Every other row refers to the second place of its value, or every other null to a null."""
    table = Table.of([("x", STRING)], [["a", "a", None, None, "b", "b"]])
    names = {"pa": pa, "table": to_arrow(table)}
    exec("\n".join(arrow_forms.statements(table, {form: {"columns": ["x"]}})), names)
    column = names["table"].column(0).chunk(0)
    assert (column.indices.to_pylist(), column.dictionary.to_pylist()) == (indices, values)
    assert column.to_pylist() == ["a", "a", None, None, "b", "b"]


@pytest.mark.parametrize(
    ("form", "type_", "values", "expected"),
    [
        (arrow_forms.VIEW, STRING, ["a", None], "string_view"),
        (arrow_forms.VIEW, BYTES, ["00", None], "binary_view"),
        (arrow_forms.LIST_VIEW, list_of(integer(32)), [["1", "2"], None, [], ["3"]], "list_view<"),
        (arrow_forms.PARTS, STRING, ["a", "a", "b", None, "b"], "dictionary<"),
        (arrow_forms.PARTS, STRING, [], "dictionary<"),
        (arrow_forms.INNER, list_of(STRING), [["a", None, "a"], None, [], ["b"]], "list<item: dictionary<"),
        (arrow_forms.RUN_ENDS, integer(32), ["1", "1", None, None, "2"], "run_end_encoded<"),
        (arrow_forms.RUN_ENDS, STRING, [], "run_end_encoded<"),
        (arrow_forms.RUN_ENDS, floating(64), ["8000000000000000", "0000000000000000"], "run_end_encoded<"),
        (arrow_forms.FIXED, list_of(STRING), [None, ["a", None], ["b", "c"]], "fixed_size_list<"),
        (arrow_forms.FIXED, list_of(STRING), [None, None], "fixed_size_list<"),
        (arrow_forms.TWICE, STRING, [None, None], "dictionary<"),
        (arrow_forms.WITH_NULL, BYTES, [None, None, None], "dictionary<"),
    ],
    ids=str,
)
def test_forms_of_arrow(form, type_, values, expected):
    """A column in another form of Arrow has the same values."""
    table = Table.of([("x", type_)], [values])
    names = {"pa": pa, "table": to_arrow(table)}
    plain_values = names["table"].column(0).to_pylist()
    exec("\n".join(arrow_forms.statements(table, {form: {"columns": ["x"]}})), names)
    assert str(names["table"].schema.field(0).type).startswith(expected)
    assert names["table"].column(0).to_pylist() == plain_values


def test_a_column_has_one_form():
    """The first of the forms that all engines share is taken, before an own form of the engine."""
    chosen = {"view": {"columns": ["a"]}, "dictionary_twice": {"columns": ["a"]}}
    assert arrow_forms.own_forms({"a": "large_string", "b": "large_string"}, chosen) == {"b": "large_string"}
    lines = arrow_forms.statements(Table.of([("a", STRING)], [["x"]]), chosen)
    assert sum(line.startswith("table = ") for line in lines) == 1


def test_an_instant_in_another_zone():
    """It is the same instant."""
    table = Table.of([("x", timestamp("us", utc=True))], [["1", None]])
    names = {"pa": pa, "table": to_arrow(table)}
    exec("\n".join(arrow_forms.statements(table, {arrow_forms.ZONE: {"columns": ["x"]}})), names)
    assert names["table"].schema.field(0).type == pa.timestamp("us", "Asia/Kolkata")
    assert c_interface.read(names["table"]) == table


def test_forms_that_an_old_pyarrow_does_not_have():
    """A release is given the forms that it makes, and what is no form."""
    names = [option.name for option in arrow_forms.options()]
    new = {arrow_forms.VIEW, arrow_forms.LIST_VIEW, arrow_forms.RUN_ENDS}
    assert arrow_forms.available("11.0.0", [*names, "other"]) == [
        *(each for each in names if each not in new),
        "other",
    ]
    assert arrow_forms.available("24.0.0", names) == [each for each in names if each != arrow_forms.VIEW]
    assert arrow_forms.available("26.0.1", names) == names


def test_views_of_lists_are_in_the_opposite_order():
    """The first list refers to the last values."""
    table = Table.of([("x", list_of(integer(32)))], [[["1", "2"], ["3"]]])
    names = {"pa": pa, "table": to_arrow(table)}
    exec("\n".join(arrow_forms.statements(table, {arrow_forms.LIST_VIEW: {"columns": ["x"]}})), names)
    assert names["table"].column(0).chunk(0).offsets.to_pylist() == [1, 0]


def test_forms_of_columns_that_are_gone():
    """A smaller table, made of one whose options name more columns, has the forms of its own columns."""
    table = Table.of([("a", STRING)], [["x"]])
    lines = arrow_forms.statements(table, {arrow_forms.VIEW: {"columns": ["a.b", "a"]}})
    assert sum(line.startswith("table = ") for line in lines) == 1


@pytest.mark.parametrize("name", ["pyarrow_orc", "pyarrow", "polars", "duckdb", "datafusion", "chdb"])
def test_what_is_no_argument_of_a_writer_can_be_drawn(name):
    """Each option that an engine's module handles itself is among the options that are drawn."""
    module = importlib.import_module(ENGINES[name].write_options)
    drawn_names = {option.name for writer in module.OPTIONS.values() for option in writer.options}
    left = set(getattr(module, "BESIDE", ())) - drawn_names
    assert left <= set(arrow_forms.NAMES)


def test_lists_that_can_have_a_fixed_size():
    """They have one length, which is not 0; nulls have any."""
    option = next(each for each in arrow_forms.options() if each.name == arrow_forms.FIXED)
    columns = {"a": [["x"], None], "b": [["x"], ["y", "z"]], "c": [[], []], "d": [None, None]}
    table = Table.of([(name, list_of(STRING)) for name in columns], list(columns.values()))
    assert option.draw(random.Random(0), table) == {"columns": ["a"]}


def test_values_are_hidden_behind_nulls_of_chosen_columns_alone():
    """Without the option a table stays as it is."""
    assert arrow_forms.statements(Table.of([("x", list_of(STRING))], [[None]]), {}) == []


def test_what_chdb_holds_of_a_table():
    """Instants without a zone are of UTC, null lists are empty, and texts beside bytes are bytes."""
    fields = [("", STRING), ("text", STRING), ("at", timestamp("s", utc=False)), ("list", list_of(STRING))]
    columns = [["lost"], ["\u00e9"], ["-2"], [None]]
    plain = chdb_options.OPTIONS["parquet"].stored(Table.of(fields, columns), {})
    assert [(field.name, str(field.type)) for field in plain.columns] == [
        ("text", "string"),
        ("at", "timestamp(ms, utc)"),
        ("list", "list<element: string>"),
    ]
    assert [plain.column(at) for at in range(3)] == [["\u00e9"], ["-2000"], [[]]]
    table = Table.of([*fields, ("bytes", BYTES)], [*columns, ["ff"]])
    stored = chdb_options.OPTIONS["parquet"].stored(table, {})
    assert (stored.columns[0].type, stored.column(0)) == (BYTES, ["c3a9"])
    zone = {"output_format_orc_writer_time_zone_name": "Asia/Kolkata"}
    orc = chdb_options.OPTIONS["orc"].stored(table, zone)
    alone = Table.of([("x", struct_of([("a", STRING), ("b", list_of(STRING))]))], [[None]])
    parquet = chdb_options.OPTIONS["parquet"]
    assert parquet.stored(alone, {}).column(0) == [None]
    assert parquet.stored(alone, {chdb_options.FIELDS_OF_NULL: True}).column(0) == [[None, []]]
    assert (orc.columns[1].type, orc.column(1)) == (timestamp("ns", utc=False), ["19798000000000"])


@pytest.mark.parametrize("value", [["x"], [], None])
def test_chdb_refuses_layouts_of_tables_that_it_would_change(value):
    """A null list is no list of ClickHouse, and a null struct none of some releases."""
    lists = Table.of([("x", list_of(STRING))], [[value]])
    structs = Table.of([("x", struct_of([("a", STRING)]))], [[value or None]])
    assert chdb_script.settings(structs, {}, "parquet", {})
    if value is None:
        with pytest.raises(errors.Unsupported):
            chdb_script.settings(lists, {}, "parquet")
    else:
        assert chdb_script.settings(lists, {}, "parquet")
    if not value:
        with pytest.raises(errors.Unsupported):
            chdb_script.settings(structs, {}, "orc", {chdb_options.FIELDS_OF_NULL: True})


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
