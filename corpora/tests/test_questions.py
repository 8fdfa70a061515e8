"""Queries that are derived from files: legal, telling, and bounded whatever the file declares."""

import operator
import struct
from dataclasses import replace
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from corpora import expressions
from corpora.answers import answer
from corpora.build import probes
from corpora.build.areas import findings
from corpora.build.formats import PARQUET
from corpora.build.opening import open_bytes, open_path
from corpora.build.orc.areas import findings as orc_findings
from corpora.build.questions import (
    answers,
    budget,
    constants,
    derive,
    marks,
    of_column,
    of_file,
    of_values,
    orc_facts,
    parquet_facts,
)
from corpora.build.questions.columns import ColumnFacts, columns_of, is_constant
from corpora.build.recipe import OPTIONAL, column_plan, leaf, schema, text
from corpora.build.tagged_columns import tagged_table
from corpora.cases import Probe
from corpora.constants import float_of
from corpora.queries import (
    Aggregate,
    AggregateWhere,
    AntiJoin,
    Batches,
    Compare,
    CountRows,
    Distinct,
    Fields,
    Filter,
    Groups,
    Not,
    RowGroup,
    SemiJoin,
    TopWhere,
    leaves,
)
from corpora.tagged import (
    DATE,
    STRING,
    Table,
    Type,
    decimal,
    floating,
    integer,
    list_of,
    struct_of,
    timestamp,
)
from reference_impl.orc import writer as orc_writer
from reference_impl.parquet import writer
from reference_impl.parquet.file import ParquetFile
from reference_impl.parquet.page_structs import ColumnIndex
from reference_impl.parquet.plan import Column, Index, Page, Statistics
from reference_impl.parquet.schema import Type as Physical
from reference_impl.parquet.tamper import Tamper

MOST = 24
PAGE_STARTS = {"a": (0, 5), "b": (2, 9), "c": (7,), "d": ()}
# Of findings that only a query shows: a query that shows each, of FINDINGS.md.
TELLING = {
    "nan-left-out": "x > 2.0",
    "not-up-to-nan": "NOT x <= NaN",
    "null-count-absent": "x IS NULL",
    "inexact-bounds": "COUNT, MIN, MAX OF x",
    "deprecated-text": 'x = "a"',
    "deprecated-unsigned": "x = 1",
    "statistics-of-some-groups": "x = 0",
    "zero-in-bloom-filter": "x = -0.0",
    "zero-in-dictionary": "x = -0.0",
    "half-in-bloom-filter": "x = 1.0",
    "empty-prefix-of-null": 'x.y STARTS WITH ""',
}
OF_FLOATS = {marks.NAN, marks.ZERO, marks.FLOAT}
TELLING_ORC = {
    "aggregate-of-nan": "COUNT, MIN, MAX OF x",
    "aggregate-without-counts": "COUNT, MIN, MAX OF x",
    "filter-of-empty-stripe": "x != 0",
    "no-bounds": "x = 7",
    "no-counts": "x = 7",
    "nulls-at-the-end": "x IS NULL",
    "zero-in-bloom-filter": "x = 0.0",
}


def derived(data, most=MOST):
    """Return the texts of the queries of a file."""
    return [str(probe.query) for probe in derive.probes(open_bytes(data, "parquet"), most)]


def plan_of(name):
    """Return the plan of a finding."""
    return next(recipe.plan for recipe in findings.recipes() if recipe.id == f"findings/{name}")


def widened(plan):
    """Return the plan with 24 ordinary columns before its own, and 24 behind."""
    kinds = (Physical.INT32, Physical.DOUBLE, Physical.INT64)
    names = [f"c{number:02}" for number in range(48)]
    others = [leaf(name, kinds[number % 3], OPTIONAL) for number, name in enumerate(names)]
    elements = plan.schema[1:]
    own = sum(element.type is not None for element in elements)
    plain = (Column(statistics=Statistics()),) * 24
    root = replace(plan.schema[0], num_children=48 + plan.schema[0].num_children)
    rows = tuple(
        {
            **{
                name: number + at + 0.5 if number % 3 == 1 else number + at
                for number, name in enumerate(names)
            },
            **row,
        }
        for at, row in enumerate(plan.rows)
    )
    return replace(
        plan,
        schema=(root, *schema(*others[:24])[1:], *elements, *schema(*others[24:])[1:]),
        rows=rows,
        columns=(*plain, *(plan.columns or (Column(),) * own), *plain),
        overrides=tuple((group, column + 24, layout) for group, column, layout in plan.overrides),
    )


@pytest.mark.parametrize("name", TELLING)
def test_a_telling_query_is_derived(name):
    """The query that shows a finding is derived from the finding's file."""
    assert TELLING[name] in derived(writer.write(plan_of(name)))


@pytest.mark.sweep(4)
@pytest.mark.parametrize("name", TELLING)
def test_fifty_columns_do_not_hide_it(name):
    """The query is among those of a file with 48 other columns, which are all asked less."""
    assert TELLING[name] in derived(writer.write(widened(plan_of(name))))


@pytest.mark.parametrize("name", TELLING_ORC)
def test_a_telling_query_is_derived_from_orc(name):
    """The query that shows a finding is derived from the finding's ORC file."""
    recipe = next(each for each in orc_findings.recipes() if each.id == f"findings/{name}")
    data = orc_writer.write(recipe.plan, *([recipe.tamper] if recipe.tamper else []))
    probes = derive.probes(open_bytes(data, "orc"), MOST)
    assert TELLING_ORC[name] in [str(probe.query) for probe in probes]


def test_every_query_fits_its_file(some_of):
    """The oracle answers each query that is derived from a file of the corpus, whatever its types."""
    files = {str(path.relative_to(PARQUET.folder)): path for path in PARQUET.folder.rglob("*.parquet")}
    asked = 0
    for path in some_of(sorted(files.items()), 120):
        try:
            file = open_path(path, "parquet")
            probes = derive.probes(file, None)
            table = tagged_table(file.read())
        except Exception as error:  # noqa: BLE001 - faults are among the files
            assert type(error).__module__.startswith("reference_impl"), path  # noqa: PT017 - any of its errors
            continue
        for probe in probes:
            answer(probe.query, table, "ieee", probe.rows)
            asked += 1
    assert asked > 100


TYPES = st.sampled_from(
    [
        *(integer(bits, signed=signed) for bits in (8, 64) for signed in (True, False)),
        *map(floating, (16, 32, 64)),
        decimal(5, 2),
        timestamp("us", utc=True),
        *map(Type, ("bool", "date", "string", "bytes", "uuid", "int96")),
    ]
)


def values_of(type_):
    """Return values of a type."""
    kind = type_.kind
    if kind == "bool":
        return st.booleans()
    if kind == "string":
        return st.text(max_size=5)
    if kind in ("bytes", "uuid"):
        return st.binary(min_size=16 if kind == "uuid" else 0, max_size=16).map(bytes.hex)
    if kind == "float":
        return st.integers(0, (1 << type_.bits) - 1).map(lambda raw: f"{raw:0{type_.bits // 4}x}")
    return st.integers(-(1 << 70), 1 << 70).map(str).filter(
        lambda value: is_constant(type_, value)
    ) | st.sampled_from(
        [value for value in ("0", "1", "127", "255", "-128", "99999") if is_constant(type_, value)]
    )


@settings(max_examples=60)
@given(st.data())
def test_constants_are_legal(data):
    """Every constant of every derived query is one of its column, NaN and the ends of types included."""
    type_ = data.draw(TYPES)
    column = data.draw(st.lists(st.none() | values_of(type_), max_size=8))
    (facts,) = columns_of(Table.of([("x", type_)], [column]))
    facts = facts.marked(*data.draw(st.sets(st.sampled_from(sorted(marks.WEIGHTS.keys() - OF_FLOATS)))))
    if type_.kind == "float":
        facts = facts.marked(*OF_FLOATS)
    pairs = data.draw(st.lists(st.tuples(values_of(type_), values_of(type_)), max_size=3))
    facts = replace(facts, bounds=tuple(pairs), page_bounds=tuple(pairs))
    for query in of_column.queries(facts):
        answer(query, Table.of([("x", type_)], [column]), "total")
        if isinstance(query, Filter):
            assert Probe.from_json(Probe(query).to_json()).query == query
            assert all(test.path == ("x",) for test in leaves(query.predicate))


@settings(max_examples=60)
@given(st.data())
def test_neighbours_are_neighbours(data):
    """The value above is greater, the value below is smaller."""
    type_ = data.draw(TYPES)
    value = data.draw(values_of(type_))
    table = Table.of([("x", type_)], [[value]])
    for op, other in ((">", constants.above(type_, value)), ("<", constants.below(type_, value))):
        if other is not None:
            flipped = of_column.Compare(("x",), "<" if op == ">" else ">", type_, other)
            both_zero = constants.is_zero(type_, value) and constants.is_zero(type_, other)
            assert both_zero or answer(Filter(flipped), table, "total").num_rows == 1


def test_columns_that_cannot_be_compared_are_tested_for_null():
    """Lists are tested for null and counted, fields of structs compared, names of two columns left out."""
    number = integer(32)
    fields = [("l", list_of(number)), ("s", struct_of([("n", number)])), ("d", STRING), ("d", STRING)]
    table = Table.of(fields, [[["1"], None], [["5"], None], ["a", "b"], ["c", "d"]])
    columns = {column.path: column for column in columns_of(table)}
    assert set(columns) == {("l",), ("s",), ("s", "n")}
    assert list(map(str, of_column.queries(columns["l",]))) == ["l IS NULL", "NOT l IS NULL", "COUNT OF l"]
    assert "s.n = 5" in map(str, of_column.queries(columns["s", "n"]))


@pytest.mark.parametrize(
    ("type_", "value"),
    [
        (Type("bytes"), "00"),
        (Type("uuid"), "00" * 16),
        (Type("bson"), "0500000000"),
        (Type("bool"), True),
        (Type("duration", unit="us"), "1"),
    ],
    ids=str,
)
def test_extremes_of_all_comparable_types(type_, value):
    """The extremes of a column of every type that has an order are asked for, derived and recorded."""
    table = Table.of([("x", type_)], [[value, None]])
    (column,) = columns_of(table)
    assert Aggregate(("x",)) in of_column.queries(column)
    assert Aggregate(("x",)) in probes.queries(table, ("x",))
    assert answer(Aggregate(("x",)), table, "ieee").column(2) == [value]


_BESIDE_ONE = {"3ff0000000000001", "3ff000001fffffff", "3ff0000020000001"}  # 1 and the next float of 32 bits
COMPARISONS = {"=": "eq", "!=": "ne", "<": "lt", "<=": "le", ">": "gt", ">=": "ge"}


@pytest.mark.parametrize(
    ("type_", "values", "wanted"),
    [
        (integer(8), ["-128", "5", "127"], {"128", "-129"}),
        (integer(16, signed=False), ["0", "7"], {"65536", "-1"}),
        (floating(32), ["3f800000", "3f800001"], _BESIDE_ONE),
        (floating(32), ["3f800000", "7fc00000"], {"3fefffffffffffff", "3ff0000000000001"}),
        (decimal(5, 2), ["-5", "7", "8"], {"-499", "701", "799"}),
        (decimal(37, 2), ["7"], set()),
        (integer(64), ["7"], set()),
    ],
)
def test_constants_that_the_type_of_the_column_does_not_hold(type_, values, wanted):
    """Casts to a wider type are compared with constants between the values of a column, or beyond all."""
    queries = of_values.computed(ColumnFacts(("x",), type_, tuple(values)))
    casts = [query.predicate for query in queries if query.predicate.function == "cast"]
    held = {expressions.apply("cast", one.argument, type_, value) for one in casts for value in values}
    assert {one.value for one in casts} - held == wanted
    table = Table.of([("x", type_)], [values])
    tests = {name: getattr(operator, of) for name, of in COMPARISONS.items()}
    for one in casts if wanted else ():
        fits = [tests[one.test](number(type_, value), number(one.type, one.value)) for value in values]
        if one.argument != "string":
            assert answer(Filter(one), table, "ieee").num_rows == sum(fits), str(one)


@pytest.mark.parametrize(
    ("type_", "wanted"),
    [
        (DATE, ["timestamp(us)", "86400000001", "172800000001", "259199999999"]),
        (timestamp("ms", utc=True), ["timestamp(us)", "1001", "2001", "2999"]),
        (timestamp("us", utc=False), ["timestamp(ns)", "1001", "2001", "2999"]),
        (timestamp("ns", utc=False), []),
    ],
    ids=str,
)
def test_moments_beside_those_of_a_column(type_, wanted):
    """Dates and timestamps are compared with the next finer moments beside the least and the greatest."""
    queries = of_values.computed(ColumnFacts(("x",), type_, ("1", "2", "3")))
    finer = [one for one in (query.predicate for query in queries) if one.type.kind == "timestamp"]
    finer = [one for one in finer if one.function == "cast"]
    assert list(dict.fromkeys([*(one.argument for one in finer), *(one.value for one in finer)])) == wanted
    assert {one.test for one in finer} == (set(COMPARISONS) if wanted else set())


@pytest.mark.parametrize(("other", "is_derived"), [("Jose", True), ("José", False)])
def test_lower_case_of_a_text_beyond_ascii(other, is_derived):
    """Engines differ in letters beyond ASCII: a column with a single one is not asked for its lower case."""
    column = ColumnFacts(("x",), STRING, ("Anna", other, "Maria", "Tom", "Zoe"))
    functions = {query.predicate.function for query in of_values.computed(column)}
    assert ("lower" in functions) == is_derived
    assert "prefix" in functions


def number(type_, value):
    """Return a value as a number of Python."""
    if type_.kind == "float":
        return float_of(type_, value)
    return Fraction(int(value), 10 ** (type_.scale or 0)) if type_.kind != "string" else value


def test_a_batch_ends_with_a_page():
    """Two sizes of batches end where a first page ends: the shortest first page, and the longest."""
    columns = [ColumnFacts((name,), integer(32), page_starts=starts) for name, starts in PAGE_STARTS.items()]
    sizes = [
        probe.query.rows for probe in of_file.probes(columns, [], []) if isinstance(probe.query, Batches)
    ]
    assert sizes == [2, 7, 3, 1000]


def test_rows_are_counted():
    """The rows are counted, those of comparisons of a column with values, and those with a null."""
    column = ColumnFacts(("x",), integer(32), values=("1", "2", "3"))
    queries = [probe.query for probe in of_file.probes([column], [], [])]
    assert [str(query) for query in queries if isinstance(query, CountRows)] == [
        "COUNT",
        "COUNT WHERE x >= 2",
        "COUNT WHERE NOT x = 1",
        "COUNT WHERE x IS NULL",
    ]


def test_extremes_are_asked_for_behind_filters():
    """Extremes stand behind filters of the column and of another one, which are queries as well."""
    columns = [ColumnFacts((name,), integer(32), values=("1", "2", "3")) for name in "xy"]
    queries = [probe.query for probe in of_file.probes(columns, [], [])]
    behind = [query for query in queries if isinstance(query, AggregateWhere)]
    assert [str(query) for query in behind] == [
        "COUNT, MIN, MAX OF x WHERE NOT x = 1",
        "COUNT, MIN, MAX OF x WHERE y >= 2",
        "COUNT, MIN, MAX OF y WHERE NOT y = 1",
        "COUNT, MIN, MAX OF y WHERE x >= 2",
    ]
    assert {Filter(query.predicate) for query in behind} <= set(queries)


def test_first_rows_are_asked_for_behind_filters():
    """They are in the order of a column, behind a filter of another one, and of itself with an offset."""
    columns = [ColumnFacts((name,), integer(32), values=("1", "2", "3")) for name in "xy"]
    queries = [probe.query for probe in of_file.probes(columns, [], [])]
    assert [str(query) for query in queries if isinstance(query, TopWhere)] == [
        "ALL WHERE y >= 2 ORDER BY x DESC NULLS LAST LIMIT 3 OFFSET 0",
        "y WHERE NOT x = 1 ORDER BY x ASC NULLS FIRST LIMIT 3 OFFSET 1",
        "ALL WHERE x >= 2 ORDER BY y ASC NULLS LAST LIMIT 3 OFFSET 0",
        "x WHERE NOT y = 1 ORDER BY y DESC NULLS FIRST LIMIT 3 OFFSET 1",
    ]
    of_x = [str(query) for query in of_column.queries(columns[0]) if isinstance(query, TopWhere)]
    assert of_x == ["ALL WHERE NOT x = 3 ORDER BY x DESC NULLS LAST LIMIT 3 OFFSET 1"]
    assert not any(
        isinstance(query, TopWhere) for query in of_column.queries(ColumnFacts(("x",), integer(32)))
    )


def test_fields_of_structs_are_among_the_first_queries():
    """A field of a struct is asked for by itself early, two of a struct together, of half of the rows."""
    struct = struct_of([("a", integer(32)), ("l", list_of(integer(32)))])
    table = Table.of([("s", struct)], [[["1", ["2"]], None, ["3", None]]])
    for column in columns_of(table):
        assert (Fields((column.path,)) in of_column.queries(column)[:2]) == (len(column.path) > 1)
    queries = [p.query for p in of_file.probes(list(columns_of(table)), table.columns, [3])]
    both = (("s", "l"), ("s", "a"))
    assert Fields(both, Compare(("s", "a"), "<=", integer(32), "3")) in queries
    twice = Table.of([("s", struct_of([("a", integer(32)), ("a", integer(32))]))], [[["1", "2"]]])
    queries = [p.query for p in of_file.probes([], twice.columns, [1])]
    assert not any(isinstance(query, Fields) for query in queries)


def test_the_budget_is_spread():
    """Each column of many without marks has a turn, and a column with marks several before them."""
    plain = [ColumnFacts((f"c{number}",), integer(32), ("1",)) for number in range(50)]
    telling = ColumnFacts(("x",), integer(32), ("1",), marks=frozenset({marks.NULL_COUNT}))
    queries = [(column, of_column.queries(column)) for column in (*plain, telling)]
    probes = budget.chosen(queries, [], MOST)
    paths = [
        (leaves(p.query.predicate).__next__() if isinstance(p.query, Filter) else p.query).path
        for p in probes
    ]
    assert len(probes) == MOST
    assert paths[:5] == [("x",)] * 5
    assert len(set(paths)) == MOST - 4
    assert budget.chosen(queries, [], 0) == []
    assert len(budget.chosen(queries, [], None)) == min(budget.ALL, sum(len(each) for _, each in queries))


class _ManyPages(Tamper):
    """Has the column index say that there are a million pages, of which the file has a list each."""

    def column_index(self, place, index):
        del place
        pages = 1_000_000
        low = struct.pack("<i", 1)
        return ColumnIndex(
            null_pages=[False] * pages,
            min_values=[low] * pages,
            max_values=[low] * pages,
            boundary_order=index.boundary_order,
        )


@pytest.mark.heavy
def test_a_million_pages_are_not_looked_at(monkeypatch):
    """An index that claims a million pages is not parsed, and the number of queries stays bounded."""
    layout = Column((Page(2),), statistics=Statistics(), index=Index())
    plan = column_plan(leaf("x", Physical.INT32), range(10), layout)
    data = writer.write(plan, _ManyPages())
    parsed = []
    monkeypatch.setattr(parquet_facts.index, "column_index", lambda *_: parsed.append(1))
    assert len(derived(data, None)) <= budget.ALL
    assert parsed == []
    assert derived(writer.write(plan), None)
    assert parsed == [1]


def test_large_files_are_read_in_part(monkeypatch):
    """Of many values only the first and last row groups are read; the bounds of the others are constants."""
    plan = column_plan(
        text("x"), [b"v%03d" % at for at in range(40)], Column(statistics=Statistics()), row_groups=(10,) * 4
    )
    monkeypatch.setattr(parquet_facts, "MOST_CELLS", 25)
    file = open_bytes(writer.write(plan), "parquet")
    table, whole = parquet_facts.table(file)
    assert not whole
    assert table.column(0) == [f"v{at:03}" for at in (*range(10), *range(30, 40))]
    (column,), *_ = derive.facts(file)
    assert column.bounds[1] == ("v010", "v019")
    assert Aggregate(("x",)) in of_column.queries(column)


def test_of_a_large_row_group_the_first_rows_are_read(monkeypatch):
    """Where no row group is small enough, constants come from the first rows of the first that has any."""
    values = [b"v%03d" % at for at in range(40)]
    monkeypatch.setattr(parquet_facts, "MOST_CELLS", 8)
    for groups in ((40,), (0, 20, 20)):
        plan = column_plan(text("x"), values, Column(), row_groups=groups)
        table, whole = parquet_facts.table(open_bytes(writer.write(plan), "parquet"))
        assert (table.column(0), whole) == ([f"v{at:03}" for at in range(8)], False)


def test_of_a_large_stripe_the_first_rows_are_read(monkeypatch):
    """Of a stripe that is too large, constants come from its first rows, too."""
    files = (open_bytes(orc_writer.write(each.plan), "orc") for each in orc_findings.recipes())
    file = next(file for file in files if len(file.footer.stripes) == 1 and orc_facts.groups_of(file)[0] > 2)
    whole, is_whole = orc_facts.table(file)
    assert is_whole
    monkeypatch.setattr(orc_facts, "MOST_CELLS", (file.root.max_id + 1) * 2)
    table, is_whole = orc_facts.table(file)
    assert (table.column(0), is_whole) == (whole.column(0)[:2], False)


def test_answers_of_large_files(monkeypatch):
    """Of a file that is read in part, answers with many rows have the file's order, and a bounded size."""
    plan = column_plan(
        text("x"), [b"v%03d" % at for at in range(40)], Column(statistics=Statistics()), row_groups=(10,) * 4
    )
    data = writer.write(plan)
    assert str(Batches(3)) in derived(data, None)
    monkeypatch.setattr(parquet_facts, "MOST_CELLS", 25)
    monkeypatch.setattr(answers, "MOST_ROWS", 8)
    table = tagged_table(ParquetFile(data).read())

    def largest(*kinds):
        queries = [probe.query for probe in derive.probes(open_bytes(data, "parquet"), None)]
        chosen = [query for query in queries if isinstance(query, kinds)]
        assert len(chosen) > 5
        return max(answer(query, table, "ieee").num_rows for query in chosen)

    assert largest(Filter) == 40
    assert largest(SemiJoin, AntiJoin, Distinct, Groups) > 20  # of the rows, half of which were read
    monkeypatch.setattr(answers, "MOST_CELLS", 20)
    assert largest(Filter) < 40


def test_a_filter_that_leaves_many_rows_has_fewer_columns(monkeypatch):
    """Where the rows that a filter leaves have too many values, the columns that it tests are asked for."""
    columns = [(name, STRING) for name in "xyz"]
    monkeypatch.setattr(answers, "MOST_ROWS", 8)
    monkeypatch.setattr(answers, "MOST_CELLS", 100)
    sized = answers.Answers(Table.of(columns, [["a"] * 10] * 3), 100)
    test = Compare(("y",), "=", STRING, "a")
    assert sized.askable(Probe(Filter(test))) == Probe(Filter(test, ("y",)))
    assert sized.askable(Probe(Filter(test, ("x", "z")))) is None
    assert sized.askable(Probe(Filter(Not(test)))) == Probe(Filter(Not(test)))
    join = SemiJoin(("y",), STRING, ("a",))
    assert sized.askable(Probe(join)) == Probe(replace(join, columns=("y",)))
    assert sized.askable(Probe(RowGroup(0), range(50))) is None
    assert sized.askable(Probe(RowGroup(0), range(30))) is not None
    assert sized.askable(Probe(Fields((("x",),)))) is not None  # of 100 rows
    assert sized.askable(Probe(Fields((("x",), ("y",))))) is None


def test_large_row_groups_are_asked_for(monkeypatch):
    """Row groups of many rows are asked for, their ordinals as a range."""
    monkeypatch.setattr(of_file, "_MOST_ROWS", 8)
    plan = column_plan(text("x"), [b"v"] * 14, Column(), row_groups=(10, 4))
    derived_probes = derive.probes(open_bytes(writer.write(plan), "parquet"), None)
    probes = {probe.query: probe.rows for probe in derived_probes}
    assert probes[RowGroup(0)] == range(10)
    assert probes[RowGroup(1)] == tuple(range(10, 14))


@pytest.mark.parametrize(("text", "times"), [("", 1), ("0123456789", 1), ("x" * 160, 10), (None, 1)])
def test_long_values_count_as_several(text, times):
    """What queries cost grows with the text of the values, so that a file of long ones gets fewer."""
    table = Table.of([("x", STRING), ("y", STRING)], [[text] * 10, [text] * 10])
    assert derive.cells_of(table, 500) == 500 * 2 * times


def test_a_file_without_rows_has_no_values():
    """Nothing is measured where nothing was read."""
    assert derive.cells_of(Table.of([("x", STRING)], [[]]), 0) == 0
    assert derive.cells_of(Table.of([("x", STRING)], [[]]), 7) == 7
