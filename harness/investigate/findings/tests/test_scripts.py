"""The script of each engine returns what the adapter of the engine returns, for every kind of query."""

import importlib
import subprocess
import sys
from fractions import Fraction
from types import SimpleNamespace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from corpora.answers import UNORDERED
from corpora.cases import load
from corpora.keys import Keys, suite_key
from corpora.own_cases import CHECKED_IN as CORPORA
from corpora.predicates import And, Compare, Computed, In, IsNull, Not, NullSafe, Or, StartsWith
from corpora.queries import (
    OF_VARIANTS,
    Aggregate,
    AggregateWhere,
    AntiJoin,
    Batches,
    CountRows,
    CountValues,
    Distinct,
    Extract,
    Fields,
    Filter,
    FilterHeld,
    Groups,
    Join,
    Project,
    RowGroup,
    SchemaOf,
    SemiJoin,
    Slice,
    ToJson,
    Top,
    TopRows,
    TopWhere,
)
from corpora.tagged import BYTES, DATE, STRING, Table, decimal, floating, integer, text, timestamp
from harness.children.launch import ROOT
from harness.engines.errors import Unsupported
from harness.engines.registry import ENGINES
from harness.engines.scripts.request import script_keys
from harness.engines.terms import decimal_text
from harness.environments.availability import status
from harness.investigate.findings import expected, repro, scripts
from harness.investigate.findings.scripts import ScriptRequest

CASES = {
    "parquet": (
        "parquet/findings/nan-left-out",
        "parquet/findings/null-count-absent",
        "parquet/findings/deprecated-text",
        "parquet/findings/field-of-null",
        "parquet/findings/int96-after-2262",
    ),
    "orc": ("orc/findings/no-counts", "orc/findings/zero-in-bloom-filter", "orc/findings/wall-clock-sought"),
}


def queries_of(table):
    """Return a query of each kind, and predicates of each form, about the first and the last column."""
    first, last = table.columns[0], table.columns[-1].name
    numbers = [Batches(2), CountRows(), RowGroup(0), Project((last,)), Filter(IsNull((last,)))]
    found = [None, *numbers, Filter(Not(IsNull((last,))), (last,))]
    if first.type.kind != "int":
        return found
    one, type_ = (first.name,), first.type
    return [
        *found,
        Aggregate(one),
        AggregateWhere(one, Compare(one, ">=", type_, "1")),
        CountValues(one),
        CountRows(Compare(one, ">=", type_, "1")),
        CountRows(Not(IsNull((last,)))),
        Filter(Compare(one, ">=", type_, "1")),
        Filter(Compare(one, "=", type_, "2"), one),
        Filter(In(one, type_, ("0", "2"))),
        Filter(Not(In(one, type_, ("0", "2")))),
        Filter(Or((Compare(one, "<", type_, "1"), Not(Compare(one, "!=", type_, "2"))))),
        Filter(And((Compare(one, "<", type_, "3"), Not(IsNull((last,)))))),
        *(Filter(NullSafe(one, type_, value)) for value in ("1", None)),
        Filter(Or((NullSafe(one, type_, "1"), Compare(one, ">", type_, "2")))),
        *(SemiJoin(one, type_, values, one) for values in (("0", "2"), ("1", None))),
        SemiJoin(one, type_, ("0", "2")),
        *(AntiJoin(one, type_, ("0", value), one, by) for value in ("2", None) for by in (False, True)),
        Fields(tuple(dict.fromkeys((one, (last,))))),
        Fields((one,), Compare(one, "<", type_, "3")),
        TopRows(one, 2),
        TopRows(one, 1, True, columns=(last,)),
        TopWhere(one, 2, predicate=Not(IsNull((last,)))),
        TopWhere(one, 1, True, columns=one, predicate=Compare(one, "<", type_, "3"), offset=1),
        Slice(1, 2),
        Slice(0, 9, None, (last,)),
        Slice(0, 2, Compare(one, "<", type_, "3"), one),
        Filter(Computed(one, "cast", "string", "=", STRING, "2")),
        Filter(Computed(one, "add", "1", ">", type_, "2")),
        Distinct((last,)),
        Groups(one),
        Top(one, 2),
        Top((last,), 2, descending=True, nulls_first=True),
    ]


def adapter_of(name):
    """Return the adapter of an engine that is here, else skip."""
    found = status(ENGINES[name])
    if not found.available:
        pytest.skip(f"{name} is not here: {found.reason}")
    return getattr(importlib.import_module(ENGINES[name].module), ENGINES[name].class_name)()


def some_asked_of(form, some_of):
    """Return some of what is asked, of each kind of query."""
    kinds = {}
    for case, query, config in asked_of(form):
        pairs = kinds.setdefault("read" if query is None else query.kind, [])
        pairs.append((f"{case.id} {query} {config}", (case, query, config)))
    return [one for pairs in kinds.values() for one in some_of(pairs, 4)]


def asked_of(form):
    """Yield a case and what is asked of it: each kind of query, and the case's own."""
    for name in CASES[form]:
        case = load(CORPORA / f"{name}.json")
        for query in [*queries_of(case.expectation.table), *(probe.query for probe in case.probes)]:
            for config in configs_of(query):
                yield case, query, config


def configs_of(query):
    """Return the configurations that a query is asked under."""
    if isinstance(query, Join):  # of pyarrow, data sets alone have joins
        return ({"api": "dataset"}, {"api": "dataset", "pushdown": "off"}, {})
    if isinstance(query, Slice):
        return ({}, *({"api": "dataset", **more} for more in ({}, {"way": "taken"}, {"pushdown": "off"})))
    if query is None:
        return ({}, *({"way": way} for way in ("pandas", "read-by-pandas", "own-converters", "seek")))
    if isinstance(query, CountRows):
        return tuple(
            {**api, **more} for api in ({}, {"api": "dataset"}) for more in ({}, {"pushdown": "off"})
        )
    if isinstance(query, Fields):
        return ({}, {"api": "dataset"}, {"pushdown": "off"})
    return ({}, {"pushdown": "off"}) if isinstance(query, Filter) else ({},)


def by_adapter(adapter, case, query, config):
    """Return lines of what the adapter answers, or the class of its error."""
    try:
        if query is None:
            table = adapter.read(str(case.file), case.format, config)
        else:
            (table,) = adapter.query([str(case.file)], case.format, config, query)
    except Exception as error:  # noqa: BLE001 - engines raise what they like
        return type(error)
    return expected.names(table), in_order(list(expected.lines(table, query)), query)


def in_order(lines, query):
    """Return lines that can be compared: sorted, where a query says no order."""
    return sorted(lines) if isinstance(query, UNORDERED) else lines


def by_script(text_, query):
    """Return lines of what a script prints, or the class of its error."""
    space = {"__file__": "/nowhere/repro.py", "__name__": "repro"}
    try:
        exec(compile(text_, "repro.py", "exec"), space)
        names, _, lines = space["ask"]()
    except Exception as error:  # noqa: BLE001 - engines raise what they like
        return type(error)
    if isinstance(query, expected.SIGNLESS):
        lines = [" | ".join("0.0" if one == "-0.0" else one for one in line.split(" | ")) for line in lines]
    return names, in_order(lines, query)


@pytest.mark.heavy
@pytest.mark.filterwarnings("ignore")  # libraries of engines warn of each other
@pytest.mark.parametrize("name", [name for name in ENGINES if scripts.has(name) and name != "spark"])
def test_a_script_says_what_the_adapter_says(name, some_of):
    """For each query, the script prints the adapter's names and values, or fails as the adapter does."""
    adapter = adapter_of(name)
    kinds = set()
    for form in ENGINES[name].formats:
        for case, query, config in some_asked_of(form, some_of):
            if "way" in config and config["way"] not in ENGINES[name].values("way", [form]):
                continue
            said = by_adapter(adapter, case, query, config)
            try:
                made = scripts.source(name, ScriptRequest(form, config, query), str(case.file.absolute()))
            except Unsupported:
                assert said is Unsupported, f"{case.id}: {query} {config}"
                continue
            if said is Unsupported:  # the adapter looks at types first, which a script need not
                continue
            kinds.add("read" if query is None else query.kind)
            found = by_script(made, query)
            same = found == said or (isinstance(found, type) and isinstance(said, type))
            assert same, f"{case.id}: {query} {config}: {said} {found}"
    assert kinds >= {"read", *adapter.queries} - {"batches", *OF_VARIANTS}


@pytest.mark.heavy
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", ["pyarrow", "duckdb"])
def test_scripts_with_keys(name, some_of):
    """A script tells its engine the suite's own keys, as the adapter does, whatever is asked."""
    adapter = adapter_of(name)
    names = [
        "layout/plain-gcm",
        "layout/two-pages-gcm",
        "mode/uniform-gcm-256",
        "mode/aad-prefix-supplied-gcm",
    ]
    answered = 0
    for case in (load(CORPORA / f"parquet/encryption/{one}.json") for one in names):
        asked = [(query, {}) for query in queries_of(case.expectation.table)]
        share = 2 if name == "duckdb" else 1
        for query, config in [
            *some_of(((f"{case.id} {query}", (query, config)) for query, config in asked), share),
            (None, {"api": "dataset"}),
        ]:
            try:
                adapter.enter(case.keys)
                made = scripts.source(
                    name, ScriptRequest(case.format, config, query, case.keys), str(case.file.absolute())
                )
            except Unsupported:
                continue
            said, found = by_adapter(adapter, case, query, config), by_script(made, query)
            assert found == said or (isinstance(found, type) and isinstance(said, type)), (case.id, query)
            answered += isinstance(found, tuple)
    assert answered > (3 if name == "duckdb" else 8)


@pytest.mark.filterwarnings("ignore")
def test_variants_of_duckdb():
    """DuckDB's script of what Variants hold says what the adapter says."""
    adapter = adapter_of("duckdb")
    case = load(CORPORA / "parquet/logical/variant/version-1/optional.json")
    held = ("held",)
    for query in (
        FilterHeld(("a",), ("a",), integer(64), Compare(held, "=", integer(64), "1")),
        FilterHeld(("a",), ("{'}",), STRING, Not(StartsWith(held, "{'")), ("a",)),
        FilterHeld(("a",), (1, "a"), STRING, Or((In(held, STRING, ("x", "{")), IsNull(held)))),
        ToJson(("a",)),
    ):
        made = scripts.source("duckdb", ScriptRequest("parquet", {}, query), str(case.file.absolute()))
        assert by_script(made, query) == by_adapter(adapter, case, query, {})


def test_keys_that_no_script_holds():
    """No script contains secret keys, and engines whose scripts cannot pass keys are listed."""
    secret = Keys(footer=bytes(range(16)))
    with pytest.raises(Unsupported, match="colconf replay"):
        script_keys(secret)
    public = Keys(footer=suite_key("footer"))
    assert script_keys(public) is public
    assert script_keys(Keys()) is None
    with pytest.raises(Unsupported, match="scripts for spark cannot pass keys"):
        scripts.source("spark", ScriptRequest("parquet", {}, None, public), "file.parquet")
    with pytest.raises(Unsupported, match="KMS"):
        scripts.source(
            "pyarrow", ScriptRequest("parquet", {}, None, Keys(columns={"a": suite_key("kek")})), "x"
        )


def compare_spark():
    """Spark's script returns what the adapter does, for each kind of query; one session serves both."""
    adapter = adapter_of("spark")
    variants = load(CORPORA / "parquet/logical/variant/version-1/optional.json")
    held = Not(Or((Compare(("held",), "=", integer(64), "1"), IsNull(("held",)))))
    for query in (
        Extract(("a",), ("a",)),
        FilterHeld(("a",), ("a",), integer(64), held, ("a",)),
        ToJson(("a",)),
        SchemaOf(("a",)),
    ):
        made = scripts.source("spark", ScriptRequest("parquet", {}, query), str(variants.file.absolute()))
        assert by_script(made, query) == by_adapter(adapter, variants, query, {})
    for form in CASES:
        questions = list(asked_of(form))
        of_each_kind = {query and query.kind: (case, query, config) for case, query, config in questions}
        for case, query, config in [*of_each_kind.values(), *questions[::11]]:
            for switches in ({}, {"vectorized": "off"}):
                given_ = {**config, **switches}
                said = by_adapter(adapter, case, query, given_)
                if said is Unsupported:
                    continue
                made = scripts.source("spark", ScriptRequest(form, given_, query), str(case.file.absolute()))
                found = by_script(made, query)
                same = found == said or (isinstance(found, type) and isinstance(said, type))
                assert same, f"{case.id}: {query} {given_}: {said} {found}"


@pytest.mark.heavy
@pytest.mark.spark
def test_scripts_of_spark():
    """Spark has one session in a process, which is not this one: what the comparison above says."""
    found = status(ENGINES["spark"])
    if not found.available:
        pytest.skip(f"spark is not here: {found.reason}")
    code = f"from {__name__} import compare_spark; compare_spark()"
    told = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=False, timeout=600
    )
    assert told.returncode == 0, told.stderr[-2000:]


CONSTANTS = [
    (integer(64), "-9223372036854775808"),
    (floating(64), "7ff8000000000000"),
    (floating(32), "80000000"),
    (decimal(9, 2), "-105"),
    (DATE, "-719163"),
    (timestamp("us", utc=True), "-1"),
    (timestamp("ns", utc=False), "1"),
    (STRING, "a'b\"c\\{d}`%\n"),
    (BYTES, "00ff27"),
]


@pytest.mark.parametrize("name", [name for name in ENGINES if scripts.has(name)])
def test_constants_are_source(name, for_each):
    """Whatever a constant or a name holds, a script is Python, or the engine is said not to have it."""

    def check(type_and_value):
        type_, value = type_and_value
        tests = [Compare(("a'b\"{c}`\\",), "<", type_, value), In(("y",), type_, (value, value))]
        if type_ == STRING:
            tests.append(StartsWith(("y",), value))
        for test in tests:
            for form in ENGINES[name].formats:
                try:
                    made = scripts.source(name, ScriptRequest(form, {}, Filter(Not(test))), "it's.parquet")
                except Unsupported:
                    continue
                compile(made, "repro.py", "exec")

    for_each([(f"{type_} {value}", (type_, value)) for type_, value in CONSTANTS], check)


@given(st.integers(-(10**12), 10**12), st.integers(0, 9))
@settings(max_examples=100)
def test_decimals_are_shown_as_numbers(unscaled, scale):
    """The text of a decimal is its number, without zeros at its end."""
    told = expected.rendered(decimal(18, scale), str(unscaled))
    assert Fraction(told) == Fraction(decimal_text(decimal(18, scale), str(unscaled)))
    assert "." not in told or not told.endswith(("0", "."))


@given(st.binary(max_size=20))
@settings(max_examples=100)
def test_text_and_bytes_are_shown_alike(raw):
    """Text that is UTF-8 is shown as the bytes that it is, on one line."""
    told = expected.rendered(BYTES, raw.hex())
    assert told == expected.rendered(STRING, text(raw))
    assert told.isascii()
    assert "\n" not in told


def test_lines_of_a_table():
    """A row is a line, a table without columns has a line per row, and an engine may change cells."""
    table = Table.of([("a", decimal(5, 2)), ("b", STRING)], [["150", None], ["x", "y"]])
    assert list(expected.lines(table)) == ["1.5 | 'x'", "null | 'y'"]
    changed = {"decimal": expected.as_float, "string": None}
    assert list(expected.lines(table, None, lambda type_: changed[type_.kind])) == ["1.5 | 'x'", "null | 'y'"]
    assert [expected.as_float(cell) for cell in ("15", "null")] == ["15.0", "null"]
    assert [expected.with_nan(cell) for cell in ("1.5", "null")] == ["1.5", "nan"]
    assert list(expected.lines(Table.of([], [], 2))) == ["", ""]


@pytest.mark.parametrize(
    ("engine", "type_", "shown"),
    [
        ("fastparquet", decimal(5, 2), ["15.0", "nan"]),
        ("fastparquet", floating(32), ["15", "nan"]),
        ("fastparquet", floating(16), None),
        ("duckdb", decimal(39, 2), ["15.0", "null"]),
        ("duckdb", decimal(38, 2), None),
        ("pyarrow", floating(32), None),
    ],
)
def test_cells_that_an_engine_documents_to_change(engine, type_, shown):
    """Lines are expected as the engine shows them: decimals as floats, and nulls among floats as NaN."""
    change = repro._changed(engine)(type_)
    assert (change and [change(cell) for cell in ("15", "null")]) == shown


@pytest.mark.parametrize("pushdown", ["on", "off"])
def test_filters_of_pyorc_that_read_some_columns(tmp_path, pushdown):
    """The script of a filter selects the columns that it tests or returns, as the adapter does."""
    adapter, config, file = adapter_of("pyorc"), {"pushdown": pushdown}, tmp_path / "x.orc"
    rows = list(map(str, range(9)))
    table = Table.of([("z", STRING), ("a", integer(32)), ("b", STRING), ("c", STRING)], [rows] * 4)
    adapter.write(str(file), "orc", {}, table, {})
    query = Filter(Compare(("b",), ">=", STRING, "3"), ("c", "a"))
    script = scripts.source("pyorc", ScriptRequest("orc", config, query), str(file))
    assert "column_indices=" in script
    case = SimpleNamespace(file=file, format="orc")
    assert by_script(script, query) == by_adapter(adapter, case, query, config)
    assert len(by_script(script, query)[1]) == 6
