"""Queries: their form, and their answers against SQL's tables of truth and the orders of floats."""

from __future__ import annotations

import itertools
import struct
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpora import tagged
from corpora.aggregates import order_of_both
from corpora.answers import answer, arranged, rows_of, settled, take
from corpora.column_answers import first_rows
from corpora.constants import FLOAT_ORDERS, check_constant, comparable, order_key, show
from corpora.predicates import MAX_DEPTH, OPERATORS
from corpora.queries import (
    KINDS,
    Aggregate,
    AggregateWhere,
    And,
    AntiJoin,
    Batches,
    Compare,
    Computed,
    CountRows,
    CountValues,
    Distinct,
    Extract,
    Fields,
    Filter,
    FilterHeld,
    Groups,
    In,
    IsNull,
    Not,
    NotTrue,
    NullSafe,
    Or,
    Project,
    QueryError,
    RowGroup,
    SchemaOf,
    SemiJoin,
    Slice,
    StartsWith,
    ToJson,
    Top,
    TopRows,
    TopWhere,
    evaluate,
    leaves,
)
from corpora.queries import from_json as query_from_json
from corpora.tagged import (
    BLOCK_ROWS,
    BOOL,
    BYTES,
    DATE,
    STRING,
    Table,
    Type,
    decimal,
    floating,
    integer,
    struct_of,
)

INT, DOUBLE = integer(32), floating(64)
NAN, MINUS_NAN, MINUS_ZERO, ZERO, ONE = (
    *("7ff8000000000000", "fff8000000000000"),
    *("8000000000000000", "0000000000000000", "3ff0000000000000"),
)
A, B = ("a",), ("b",)


def ints(**columns):
    """Return a table of 32-bit integers; None is null."""
    fields = [(name, INT) for name in columns]
    return Table.of(
        fields, [[None if one is None else str(one) for one in given] for given in columns.values()]
    )


def floats(*values):
    """Return a table of one column `a` of doubles by their bits."""
    return Table.of([("a", DOUBLE)], [list(values)])


def less(path, value):
    """Return a comparison with a 32-bit integer."""
    return Compare(path, "<", INT, str(value))


def equal(path, value):
    """Return an equality with a 32-bit integer."""
    return Compare(path, "=", INT, str(value))


constants = st.one_of(
    st.tuples(st.just(INT), st.integers(-(1 << 31), (1 << 31) - 1).map(str)),
    st.tuples(st.just(integer(64, signed=False)), st.integers(0, (1 << 64) - 1).map(str)),
    st.tuples(st.just(DOUBLE), st.integers(0, (1 << 64) - 1).map(lambda bits: f"{bits:016x}")),
    st.tuples(st.just(decimal(9, 3)), st.integers(-(10**9) + 1, 10**9 - 1).map(str)),
    st.tuples(st.just(STRING), st.binary(max_size=5).map(tagged.text)),
    st.tuples(st.just(BYTES), st.binary(max_size=5).map(bytes.hex)),
    st.tuples(st.just(BOOL), st.booleans()),
)
HELD = equal(("held",), 7)
steps = st.lists(st.text() | st.integers(0, 9), min_size=1).map(tuple)
paths = st.lists(st.sampled_from(["a", "b.c", "", "é", "x"]), min_size=1, max_size=3).map(tuple)
tests = st.one_of(
    st.builds(lambda path, op, pair: Compare(path, op, *pair), paths, st.sampled_from(OPERATORS), constants),
    st.builds(lambda path, pair: In(path, pair[0], (pair[1], pair[1])), paths, constants),
    st.builds(lambda path, pair: In(path, pair[0], (None, pair[1])), paths, constants),
    st.builds(IsNull, paths),
    st.builds(
        lambda path, pair, null: NullSafe(path, pair[0], None if null else pair[1]),
        paths,
        constants,
        st.booleans(),
    ),
    st.builds(
        lambda path, function, op: Computed(path, function[0], function[1], op, STRING, "a"),
        paths,
        st.sampled_from([("lower", None), ("prefix", "1"), ("cast", "string")]),
        st.sampled_from(OPERATORS),
    ),
    st.builds(StartsWith, paths, st.binary(max_size=5).map(tagged.text)),
)
predicates = st.recursive(
    tests,
    lambda inner: st.one_of(
        st.builds(Not, inner),
        st.builds(NotTrue, inner),
        st.builds(And, st.lists(inner, min_size=2, max_size=3).map(tuple)),
        st.builds(Or, st.lists(inner, min_size=2, max_size=3).map(tuple)),
    ),
    max_leaves=6,
)
names = st.none() | st.lists(st.sampled_from(["a", "b.c", "é"]), min_size=1, unique=True).map(tuple)
queries = st.one_of(
    st.builds(Filter, predicates, names),
    st.builds(Project, names.filter(bool)),
    st.builds(RowGroup, st.integers(0, 9)),
    st.builds(Batches, st.integers(1, 9)),
    st.builds(Aggregate, paths),
    st.builds(
        lambda path, pair, columns: SemiJoin(path, pair[0], (None, pair[1]), columns), paths, constants, names
    ),
    st.builds(
        lambda path, pair, columns, by: AntiJoin(path, pair[0], (None, pair[1]), columns, by),
        paths,
        constants,
        names,
        st.booleans(),
    ),
    st.builds(Slice, st.integers(0, 9), st.integers(0, 9), st.none() | predicates, names),
    st.builds(CountRows, st.none() | predicates),
    st.builds(
        Fields, st.lists(paths, min_size=1, max_size=3, unique=True).map(tuple), st.none() | predicates
    ),
    st.builds(Distinct, paths),
    st.builds(Groups, paths),
    st.builds(Top, paths, st.integers(1, 9), st.booleans(), st.booleans()),
    st.builds(Extract, paths, steps),
    st.builds(
        FilterHeld,
        paths,
        steps,
        st.just(INT),
        st.sampled_from((HELD, Not(HELD))),
        st.none() | st.just(("a", "b")),
    ),
    st.builds(ToJson, paths),
    st.builds(SchemaOf, paths),
)


@given(queries)
def test_json_round_trip(query):
    """A query read back from its JSON form is the same, and its text is one line."""
    assert query_from_json(query.to_json()) == query
    assert query.kind in KINDS
    assert str(query).splitlines() == [str(query)]


def test_text():
    """A query reads as SQL does: NOT binds before AND, AND and OR in each other are in parentheses."""
    where = And((less(("a", "b"), 5), Not(IsNull(("c",)))))
    assert str(Filter(where)) == "a.b < 5 AND NOT c IS NULL"
    assert str(Filter(Not(Or((where, IsNull(("d e",))))), ("x", "y"))) == (
        'x, y WHERE NOT ((a.b < 5 AND NOT c IS NULL) OR "d e" IS NULL)'
    )
    assert str(In(A, DOUBLE, (NAN, MINUS_NAN, MINUS_ZERO, "7ff0000000000001"))) == (
        "a IN (NaN, -NaN, -0.0, NaN(0x7ff0000000000001))"
    )
    assert str(StartsWith(A, 'quo"te\n')) == 'a STARTS WITH "quo\\"te\\n"'
    shown = [
        (decimal(5, 2), "-5", "-0.05"),
        (decimal(5, 0), "-5", "-5"),
        (DATE, "-1", "date(-1)"),
        (tagged.timestamp("us", utc=True), "7", "timestamp(7 us, utc)"),
        (BYTES, "00ff", "X'00ff'"),
        (BOOL, True, "TRUE"),
    ]
    assert [show(type_, value) for type_, value, _ in shown] == [text for _, _, text in shown]


@pytest.mark.parametrize(
    "data",
    [
        None,
        {},
        {"kind": "guess"},
        {"kind": []},
        {"kind": "filter", "predicate": {}, "columns": None},
        {"kind": "filter", "predicate": IsNull(A).to_json()},
        {"kind": "filter", "predicate": IsNull(A).to_json(), "columns": ["a", "a"]},
        {"kind": "project", "columns": "a"},
        {"kind": "project", "columns": [1]},
        {"kind": "row_group", "number": -1},
        {"kind": "row_group", "number": True},
        {"kind": "batches", "rows": 0},
        {"kind": "aggregate", "path": []},
        {"kind": "aggregate", "path": ["a"], "more": 1},
        {"kind": "count"},
        {"kind": "count", "predicate": {}},
        {"kind": "count", "predicate": None, "columns": ["a"]},
        {**Fields((A,)).to_json(), "paths": []},
        {**Fields((A,)).to_json(), "paths": ["a"]},
        {**Fields((A,)).to_json(), "paths": [["a"], ["a"]]},
        {**Fields((A,)).to_json(), "paths": "a"},
        {**Fields((A,)).to_json(), "predicate": {}},
        {"kind": "distinct", "path": []},
        {"kind": "groups", "path": ["a"], "rows": 1},
        {**Top(A, 1).to_json(), "rows": 0},
        {**Top(A, 1).to_json(), "descending": 1},
        {**TopWhere(A, 1).to_json(), "offset": -1},
        {**TopWhere(A, 1).to_json(), "predicate": {}},
        {**TopRows(A, 1).to_json(), "predicate": None},
        {**SemiJoin(A, INT, ("1",)).to_json(), "values": []},
        {**SemiJoin(A, INT, ("1",)).to_json(), "values": [None]},
        {**SemiJoin(A, INT, ("1",)).to_json(), "values": [1]},
        {**SemiJoin(A, INT, ("1",)).to_json(), "columns": ["a", "a"]},
        {**AntiJoin(A, INT, ("1",)).to_json(), "values": [None]},
        {**AntiJoin(A, INT, ("1",)).to_json(), "not_in": 1},
        {**Slice(0, 1).to_json(), "offset": -1},
        {**Slice(0, 1).to_json(), "rows": None},
        {**Slice(0, 1).to_json(), "predicate": {}},
        {**Slice(0, 1).to_json(), "columns": []},
        {"kind": "extract", "path": ["a"]},
        {"kind": "extract", "path": ["a"], "steps": []},
        {"kind": "extract", "path": ["a"], "steps": [True]},
        {"kind": "extract", "path": ["a"], "steps": [-1]},
        {"kind": "to_json", "path": ["a"], "steps": ["a"]},
        {"kind": "schema_of_variant", "path": []},
        {"kind": "filter_held", "path": ["a"], "steps": ["a"]},
        {**FilterHeld(("a",), ("a",), INT, HELD).to_json(), "steps": []},
        {**FilterHeld(("a",), ("a",), INT, HELD).to_json(), "type": "none"},
        {**FilterHeld(("a",), ("a",), INT, HELD).to_json(), "type": Type("variant").to_json()},
        {**FilterHeld(("a",), ("a",), INT, HELD).to_json(), "predicate": IsNull(("a",)).to_json()},
    ],
)
def test_no_query(data):
    """What is not of the form is a QueryError of one line."""
    with pytest.raises(QueryError) as caught:
        query_from_json(data)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    "change",
    [
        {"op": "~"},
        {"op": None},
        {"path": "a"},
        {"path": []},
        {"type": {"kind": "int"}},
        {"type": struct_of([("x", INT)]).to_json()},
        {"value": 5},
        {"value": None},
        {"value": "05"},
        {"value": "2147483648"},
        {"more": 1},
    ],
)
def test_no_predicate(change):
    """A predicate with a wrong member is refused."""
    with pytest.raises(QueryError):
        query_from_json({"kind": "filter", "predicate": {**less(A, 5).to_json(), **change}, "columns": None})


def test_depth_is_bounded():
    """A predicate that is nested too deeply is refused before Python's stack ends."""
    data = IsNull(A).to_json()
    for _ in range(100_000):
        data = {"op": "not", "of": data}
    with pytest.raises(QueryError, match=str(MAX_DEPTH)):
        query_from_json({"kind": "filter", "predicate": data, "columns": None})


@pytest.mark.parametrize(
    ("type_", "good", "bad"),
    [
        (integer(8), ("-128", "127"), ("128", "-129", "+1", "-0", " 1", "1_0")),
        (integer(8, signed=False), ("0", "255"), ("-1", "256")),
        (floating(16), ("7e00",), ("7E00", "7e0", "7e000000", "0x7e")),
        (decimal(3, 1), ("-999", "0"), ("1000", "1.0")),
        (DATE, (str(-(1 << 31)),), (str(1 << 31),)),
        (BOOL, (True, False), ("true", 1)),
        (BYTES, ("", "00ff"), ("0", "FF", "0 0")),
        (STRING, ("", "\udcff"), ("\ud800", b"", None)),
        (tagged.INTERVAL, (), (["0", "0", "0"],)),
        (tagged.NULL, (), (None,)),
    ],
)
def test_constants(type_, good, bad):
    """A constant is a tagged value of its type, within the type's range."""
    for value in good:
        check_constant(type_, value)
    for value in bad:
        with pytest.raises(QueryError):
            check_constant(type_, value)
    assert comparable(type_) == bool(good)


def test_three_valued_logic():
    """The tables of truth of SQL: NOT, AND and OR of TRUE, FALSE and UNKNOWN."""
    table = ints(**dict(zip("ab", zip(*itertools.product((1, 2, None), repeat=2), strict=True), strict=True)))
    one, other = equal(A, 1), equal(B, 1)
    truth = [(True, False, None)[0 if a == "1" else 1 if a else 2] for a in ("1", "2", None)]
    rows = list(itertools.product(truth, repeat=2))
    both = [row for row, (a, b) in enumerate(rows) if a and b]
    either = [row for row, (a, b) in enumerate(rows) if a or b]
    neither = [row for row, (a, b) in enumerate(rows) if a is False and b is False]
    not_both = [row for row, (a, b) in enumerate(rows) if a is False or b is False]
    assert evaluate(And((one, other)), table, "ieee") == both
    assert evaluate(Or((one, other)), table, "ieee") == either
    assert evaluate(Not(Or((one, other))), table, "ieee") == neither
    assert evaluate(Not(And((one, other))), table, "ieee") == not_both
    assert evaluate(Not(Not(one)), table, "ieee") == evaluate(one, table, "ieee") == [0, 1, 2]


def test_is_not_true():
    """IS NOT TRUE is TRUE of FALSE and UNKNOWN, and never UNKNOWN itself; its opposite is as the test."""
    table = ints(a=[1, None, 2], b=[None, 1, 1])
    one, other = equal(A, 1), equal(B, 1)
    assert evaluate(NotTrue(one), table, "ieee") == [1, 2]
    assert evaluate(Not(NotTrue(one)), table, "ieee") == evaluate(one, table, "ieee") == [0]
    assert evaluate(NotTrue(Not(one)), table, "ieee") == [0, 1]
    assert evaluate(NotTrue(NotTrue(one)), table, "ieee") == [0]
    assert evaluate(NotTrue(Not(In(A, INT, ("1", None)))), table, "ieee") == [0, 1, 2]
    assert evaluate(NotTrue(And((one, other))), table, "ieee") == [0, 1, 2]
    assert evaluate(NotTrue(Or((one, other))), table, "ieee") == []
    assert str(Filter(Not(NotTrue(Or((one, other)))))) == "NOT (a = 1 OR b = 1) IS NOT TRUE"


def test_nan_beside_nulls():
    """NaN stands between numbers and nulls, before or behind the numbers, in either direction."""
    numbers = floats("4010000000000000", NAN, None, MINUS_NAN, "3ff0000000000000")
    for descending, nulls_first, rows in (
        (False, False, [4, 0, 1, 3, 2]),
        (True, False, [0, 4, 1, 3, 2]),
        (False, True, [2, 1, 3, 4, 0]),
        (True, True, [2, 1, 3, 0, 4]),
    ):
        for count in (1, 2, 3, 4):
            query = TopRows(A, count, descending, nulls_first)
            _, _, certain, equal, _ = first_rows(query, numbers, "nan-beside-nulls")
            assert certain == rows[: len(certain)]
            assert rows[len(certain) : count] == equal[: count - len(certain)]
        top = answer(Top(A, 5, descending, nulls_first), numbers, "nan-beside-nulls").column(0)
        assert [value is None for value in top] == [row == 2 for row in rows]
    numbers = ints(a=[1, None, 2])
    assert first_rows(TopRows(A, 2, descending=True), numbers, "nan-beside-nulls")[2:4] == ([2], [0])


def test_null_safe_equality():
    """A null is equal to null alone, and null-safe equality is never UNKNOWN: not below NOT either."""
    table = ints(a=[1, None, 2])
    for value, rows in (("1", [0]), (None, [1]), ("7", [])):
        assert evaluate(NullSafe(A, INT, value), table, "ieee") == rows
        assert evaluate(Not(NullSafe(A, INT, value)), table, "ieee") == [
            at for at in range(3) if at not in rows
        ]
    nan = floats(NAN, MINUS_NAN, None)
    assert evaluate(NullSafe(A, DOUBLE, NAN), nan, "ieee") == []
    assert evaluate(NullSafe(A, DOUBLE, NAN), nan, "nan-greatest") == [0, 1]


def test_a_semi_join():
    """Rows with a match, each once, however often its value stands in the table; a null has no match."""
    table = ints(a=[1, None, 2, 1], b=[5, 6, 7, 8])
    query = SemiJoin(A, INT, ("1", None, "1", "9"), ("b",))
    assert answer(query, table, "ieee").column(0) == ["5", "8"]
    assert answer(query, table, "ieee", [2]).column(0) == ["7"]


def test_anti_joins():
    """Rows without a match; NOT IN has none of null, and none at all where the small table has a null."""
    table = ints(a=[1, None, 2, 1], b=[5, 6, 7, 8])

    def rows(values, **by):
        return answer(AntiJoin(A, INT, values, ("b",), **by), table, "ieee").column(0)

    assert rows(("1", "9")) == ["6", "7"]
    assert rows(("1", None)) == ["6", "7"]
    assert rows(("1", "9"), not_in=True) == ["7"]
    assert rows(("9", None), not_in=True) == []
    assert answer(AntiJoin(A, DOUBLE, (NAN,)), floats(NAN, ONE), "ieee").num_rows == 2
    assert answer(AntiJoin(A, DOUBLE, (NAN,)), floats(NAN, ONE), "nan-greatest").num_rows == 1


def test_a_slice():
    """Rows by their place in the file, of all rows or of those of a filter, as far as there are any."""
    table = ints(a=[1, None, 2, 1], b=[5, 6, 7, 8])
    assert answer(Slice(1, 2, None, ("b",)), table, "ieee").column(0) == ["6", "7"]
    assert answer(Slice(1, 2, Not(IsNull(A)), ("b",)), table, "ieee").column(0) == ["7", "8"]
    assert answer(Slice(3, 9), table, "ieee").column(1) == ["8"]
    assert answer(Slice(1, 5), Table((), 3, ()), "ieee").num_rows == 2
    assert answer(Slice(4, 9), table, "ieee").num_rows == answer(Slice(0, 0), table, "ieee").num_rows == 0


def test_fields_of_structs():
    """A field is null where a struct above it is; rows are those of the predicate, or given ones."""
    inner = struct_of([("x", INT), ("l", tagged.list_of(INT))])
    table = Table.of(
        [("s", struct_of([("t", inner), ("y", INT)])), ("a", INT)],
        [[[["1", ["2", None]], "3"], None, [None, "4"], [[None, None], "5"]], ["6", "7", "8", None]],
    )
    result = answer(Fields((("s", "t", "x"), ("s", "y"), A)), table, "ieee")
    assert [field.name for field in result.columns] == ["field_0", "field_1", "field_2"]
    assert [field.type for field in result.columns] == [INT, INT, INT]
    assert result.column(0) == ["1", None, None, None]
    assert result.column(1) == ["3", None, "4", "5"]
    query = Fields((("s", "t", "l"), ("s", "t")), Compare(A, "<", INT, "8"))
    result = answer(query, table, "ieee")
    assert result.column(0) == [["2", None], None]
    assert result.column(1) == [["1", ["2", None]], None]
    assert answer(query, table, "ieee", (0, 3)).column(1) == [["1", ["2", None]], [None, None]]
    assert answer(Fields((A,), IsNull(("s", "y"))), table, "ieee").column(0) == ["7"]
    long = Table.of([("s", struct_of([("y", INT)]))], [[[str(row)] for row in range(BLOCK_ROWS + 5)]])
    last = Fields((("s", "y"),), Compare(("s", "y"), ">=", INT, str(BLOCK_ROWS - 1)))
    assert answer(last, long, "ieee").column(0) == [str(BLOCK_ROWS + at) for at in range(-1, 5)]
    for path in (("s", "z"), ("a", "x"), ("b",)):
        with pytest.raises(QueryError):
            answer(Fields((path,)), table, "ieee")


def test_groups_and_distinct_values():
    """Null is a value of its own; zeros, and NaN, are one value each, whichever stands for them."""
    table = ints(a=[1, None, 2, 1, None])
    assert sorted(answer(Distinct(A), table, "ieee").column(0), key=str) == ["1", "2", None]
    groups = answer(Groups(A), table, "ieee")
    assert set(zip(groups.column(0), groups.column(1), strict=True)) == {("1", "2"), ("2", "1"), (None, "2")}
    special = floats(ZERO, MINUS_ZERO, NAN, MINUS_NAN, ONE, "7ff0000000000001")
    assert set(answer(Distinct(A), special, "nan-greatest").column(0)) == {ZERO, NAN, ONE}
    groups = answer(Groups(A), special, "total-equal-zeros")
    assert dict(zip(groups.column(0), groups.column(1), strict=True)) == {ZERO: "2", NAN: "3", ONE: "1"}
    twice = Table.of([("value", DOUBLE)], [[ONE, ONE, ZERO, MINUS_ZERO]])
    assert settled(Distinct(A), twice, "ieee").column(0) == [
        ZERO,
        ONE,
        ONE,
    ]  # an answer with ONE twice is wrong


@pytest.mark.parametrize(
    ("order", "descending", "nulls_first", "values"),
    [
        ("nan-greatest", False, False, [ONE, NAN, NAN, None]),
        ("ieee", True, False, [NAN, NAN, ONE, None]),
        ("total", False, True, [None, MINUS_NAN, ONE, NAN]),
    ],
)
def test_sorted_values(order, descending, nulls_first, values):
    """The first values in the engine's order, which for NaN is that of SQL where it documents none."""
    table = floats(NAN, None, ONE, MINUS_NAN)
    for rows in range(1, 6):
        assert answer(Top(A, rows, descending, nulls_first), table, order).column(0) == values[:rows]


def test_counts_of_rows():
    """A count is that of all rows, or of those where the predicate is TRUE: null makes it UNKNOWN."""
    table = ints(a=[3, None, 1])
    less = Compare(A, "<", INT, "3")
    counts = [answer(CountRows(test), table, "ieee") for test in (None, less, Not(less), IsNull(A))]
    assert [count.column(0) for count in counts] == [["3"], ["1"], ["1"], ["1"]]
    assert [(field.name, field.type) for field in counts[0].columns] == [("rows", integer(64))]
    assert answer(CountRows(), Table.of([], [], 7), "ieee").column(0) == ["7"]


def test_rows_without_an_order_are_arranged():
    """The rows of an answer that has no order are sorted; others are left as they are."""
    table = ints(a=[3, None, 1])
    assert arranged(Distinct(A), table).column(0) == ["1", "3", None]
    assert (
        arranged(Top(A, 3), table).column(0)
        == arranged(Filter(IsNull(A)), table).column(0)
        == ["3", None, "1"]
    )


def test_nulls():
    """A null compares to nothing, is in no list and out of none; a null struct has null fields."""
    table = Table.of([("s", struct_of([("x", STRING)]))], [[["ab"], [None], None]])
    path = ("s", "x")
    for test in (Compare(path, "=", STRING, "ab"), In(path, STRING, ("ab", "c")), StartsWith(path, "a")):
        assert evaluate(test, table, "ieee") == [0]
        assert evaluate(Not(test), table, "ieee") == []
    assert evaluate(IsNull(path), table, "ieee") == [1, 2]
    assert evaluate(IsNull(("s",)), table, "ieee") == [2]
    assert evaluate(Not(IsNull(path)), table, "ieee") == [0]
    pairs = Table.of([("s", struct_of([("x", INT), ("y", INT)]))], [[["1", "2"], ["2", "1"]]])
    assert evaluate(equal(("s", "y"), 1), pairs, "ieee") == [1]


NUMBERS = floats(NAN, MINUS_NAN, MINUS_ZERO, ZERO, ONE, None)


@pytest.mark.parametrize(
    ("order", "op", "value", "rows"),
    [
        ("ieee", "=", NAN, []),
        ("ieee", "!=", NAN, [0, 1, 2, 3, 4]),
        ("ieee", "<", ONE, [2, 3]),
        ("ieee", ">=", ZERO, [2, 3, 4]),
        ("ieee", "=", MINUS_ZERO, [2, 3]),
        ("nan-greatest", "=", MINUS_NAN, [0, 1]),
        ("nan-greatest", "!=", NAN, [2, 3, 4]),
        ("nan-greatest", ">", ONE, [0, 1]),
        ("nan-greatest", "<=", ZERO, [2, 3]),
        ("nan-greatest", "<", NAN, [2, 3, 4]),
        ("total", "=", NAN, [0]),
        ("total", "<", MINUS_ZERO, [1]),
        ("total", "<", ZERO, [1, 2]),
        ("total", "=", ZERO, [3]),
        ("total", ">", ONE, [0]),
        ("total-equal-zeros", "=", NAN, [0]),
        ("total-equal-zeros", "<", ZERO, [1]),
        ("total-equal-zeros", "<=", MINUS_ZERO, [1, 2, 3]),
    ],
)
def test_float_orders(order, op, value, rows):
    """Each order compares NaN of both signs and both zeros as it is documented to."""
    assert evaluate(Compare(A, op, DOUBLE, value), NUMBERS, order) == rows
    if op == "=":
        assert evaluate(In(A, DOUBLE, (value, ONE)), NUMBERS, order) == sorted({*rows, 4})


@given(
    st.lists(st.integers(0, (1 << 64) - 1).map(lambda bits: f"{bits:016x}"), min_size=3, max_size=3),
    st.sampled_from(FLOAT_ORDERS[1:]),
)
def test_orders_with_nan_are_total(values, order):
    """Every order but ieee is one: of any two values one is less or both are equal, and < is transitive."""
    a, b, c = (order_key(DOUBLE, value, order) for value in values)
    assert (a < b) + (a == b) + (a > b) == 1
    assert not (a < b < c) or a < c


@given(st.floats(width=32), st.floats(width=32), st.sampled_from(OPERATORS))
def test_ieee_is_pythons(one, other, op):
    """Under ieee single floats compare as Python's floats do."""
    table = Table.of([("a", floating(32))], [[struct.pack(">f", one).hex()]])
    test = Compare(A, op, floating(32), struct.pack(">f", other).hex())
    assert bool(evaluate(test, table, "ieee")) == eval(
        f"one {op.replace('=', '==') if op == '=' else op} other"
    )


@given(st.lists(st.binary(max_size=3), min_size=2, max_size=2))
def test_bytes_compare_unsigned(values):
    """Text and bytes compare as bytes do, not as characters of Python or signed bytes."""
    for type_, tag in ((STRING, tagged.text), (BYTES, bytes.hex)):
        table = Table.of([("a", type_)], [[tag(values[0])]])
        assert bool(evaluate(Compare(A, "<", type_, tag(values[1])), table, "ieee")) == (
            values[0] < values[1]
        )


def test_values_compare_not_their_text():
    """Decimals of other scales, times of other units, and unsigned integers compare by what they mean."""
    cases = [
        (decimal(5, 2), "100", decimal(9, 0), "1", "="),
        (tagged.timestamp("ms", utc=True), "2", tagged.timestamp("us", utc=True), "1999", ">"),
        (integer(64, signed=False), "18446744073709551615", integer(64, signed=False), "9", ">"),
        (DATE, "-10", DATE, "-9", "<"),
    ]
    for column, value, type_, constant, op in cases:
        table = Table.of([("a", column)], [[value]])
        assert evaluate(Compare(A, op, type_, constant), table, "ieee") == [0]


def test_what_cannot_be_answered():
    """A path that is not there or there twice, another kind of type, and a digest are QueryErrors."""
    table = ints(a=[1])
    twice = Table.of([("a", INT), ("a", INT)], [["1"], ["2"]])
    digest = Table.of([("a", STRING)], [[tagged.big(b"x")]])
    listed = Table.of([("a", tagged.list_of(INT))], [[["1"]]])
    for test, where in (
        (less(B, 1), table),
        (less(("a", "b"), 1), table),
        (less(A, 1), twice),
        (Compare(A, "=", STRING, "x"), table),
        (StartsWith(A, "x"), table),
        (Compare(A, "=", STRING, "x"), digest),
        (less(A, 1), listed),
    ):
        with pytest.raises(QueryError):
            evaluate(test, where, "ieee")
    assert evaluate(IsNull(A), listed, "ieee") == []
    with pytest.raises(QueryError):
        evaluate(Compare(A, "=", DOUBLE, ONE), floats(ONE), "random")


def test_lists_with_null():
    """A value that a list with NULL lacks is neither in it nor not in it; a null is UNKNOWN to any list."""
    table, listed = ints(a=[1, 2, None]), In(A, INT, ("1", None))
    assert evaluate(listed, table, "ieee") == [0]
    assert evaluate(Not(listed), table, "ieee") == []
    assert evaluate(Or((Not(listed), Compare(A, "=", INT, "2"))), table, "ieee") == [1]
    assert str(listed) == "a IN (1, NULL)"


def test_a_function_of_rows_for_which_it_is_defined():
    """A function that has no result for a row is asked where another test decides about the row, else not."""
    table = Table.of([("a", integer(8))], [["1", "127", None]])
    more = Computed(A, "add", "1", "=", integer(8), "2")
    small, great = (Compare(A, op, integer(8), "100") for op in ("<", ">="))
    assert evaluate(And((small, more)), table, "ieee") == [0]
    assert evaluate(Not(And((more, small))), table, "ieee") == [1]
    assert evaluate(Or((more, great)), table, "ieee") == [0, 1]
    for undecided in (more, Not(more), Or((small, more)), And((great, more))):
        with pytest.raises(QueryError, match="128"):
            evaluate(undecided, table, "ieee")


def test_blocks():
    """Rows of later blocks have their own ordinals, and are taken from where they are."""
    rows = BLOCK_ROWS + 10
    table = ints(a=range(rows), b=range(rows))
    wanted = [0, BLOCK_ROWS - 1, BLOCK_ROWS, rows - 1]
    test = In(A, INT, tuple(map(str, wanted)))
    assert evaluate(test, table, "ieee") == wanted
    found = answer(Filter(test, ("b",)), table, "ieee")
    assert [field.name for field in found.columns] == ["b"]
    assert found.column(0) == list(map(str, wanted))
    with pytest.raises(QueryError):
        take(table, [rows])


def test_answers():
    """Each kind of query has its answer; of a row group only if its rows are known."""
    table = ints(a=[3, None, 1], b=[4, 5, 6])
    assert answer(Filter(Not(less(B, 5))), table, "ieee") == ints(a=[None, 1], b=[5, 6])
    assert answer(Filter(IsNull(A), ("b", "a")), table, "ieee") == ints(b=[5], a=[None])
    assert answer(Filter(IsNull(A)), table, "ieee", (0,)) == ints(a=[3], b=[4])
    assert answer(Project(("b",)), table, "ieee") == ints(b=[4, 5, 6])
    assert answer(Batches(2), table, "ieee") == table
    assert answer(RowGroup(0), table, "ieee", range(2)) == ints(a=[3, None], b=[4, 5])
    with pytest.raises(QueryError):
        answer(RowGroup(0), table, "ieee")
    found = answer(Aggregate(A), table, "ieee")
    assert [field.name for field in found.columns] == ["rows", "present", "min", "max"]
    assert [found.column(at) for at in range(4)] == [["3"], ["2"], ["1"], ["3"]]
    nothing = answer(Aggregate(A), ints(a=[None]), "ieee")
    assert [nothing.column(at) for at in range(4)] == [["1"], ["0"], [None], [None]]


def test_extremes_behind_a_filter():
    """Counts and extremes are of the rows that the filter takes, or of those that are given."""
    table = ints(a=[3, None, 1, 7], b=[4, 5, 6, None])
    query = AggregateWhere(A, Not(less(B, 5)))
    assert query_from_json(query.to_json()) == query
    result = answer(query, table, "ieee")
    assert [field.name for field in result.columns] == ["rows", "present", "min", "max"]
    assert [result.column(at) for at in range(4)] == [["2"], ["1"], ["1"], ["1"]]
    given = answer(query, table, "ieee", (0, 3))
    assert [given.column(at) for at in range(4)] == [["2"], ["2"], ["3"], ["7"]]
    nothing = answer(AggregateWhere(A, less(B, 0)), table, "ieee")
    assert [nothing.column(at) for at in range(4)] == [["0"], ["0"], [None], [None]]


def test_first_rows():
    """Rows come in the order of a column, nulls at one end; of equal ones any are right."""
    table = ints(a=[3, None, 1, 3, 2], b=[0, 1, 2, 3, 4])
    query = TopRows(A, 3)
    assert query_from_json(query.to_json()) == query
    assert answer(query, table, "ieee") == ints(a=[1, 2, 3], b=[2, 4, 0])
    assert first_rows(query, table, "ieee")[2:4] == ([2, 4], [0, 3])
    assert answer(TopRows(A, 2, True, True, ("b",)), table, "ieee") == ints(b=[1, 0])
    assert first_rows(TopRows(A, 9), table, "ieee")[2:4] == ([2, 4, 0, 3, 1], [])
    nulls = TopRows(A, 1, nulls_first=True)
    assert first_rows(nulls, ints(a=[None, 1, None]), "ieee")[2:4] == ([], [0, 2])
    nan = floats(NAN, ONE, MINUS_NAN)
    assert first_rows(TopRows(A, 1, descending=True), nan, "ieee")[2:4] == ([], [0, 2])


def test_first_rows_behind_a_filter_and_an_offset():
    """Rows that the filter drops are not counted, and rows that equal one of the offset are any of these."""
    table = ints(a=[3, None, 1, 3, 2, 3], b=[0, 1, 2, 3, 4, 5])
    query = TopWhere(A, 2, predicate=Not(less(B, 3)))
    assert query_from_json(query.to_json()) == query
    assert answer(query, table, "ieee") == ints(a=[2, 3], b=[4, 3])
    assert first_rows(query, table, "ieee") == ([], 0, [4], [3, 5], 1)
    assert answer(replace(query, offset=1), table, "ieee") == ints(a=[3, 3], b=[3, 5])
    assert first_rows(TopWhere(A, 3, offset=3), table, "ieee") == ([0, 3, 5], 2, [1], [], 0)
    assert first_rows(TopWhere(A, 1, offset=3), table, "ieee") == ([], 0, [], [0, 3, 5], 1)
    assert first_rows(TopWhere(A, 9, offset=2), table, "ieee") == ([], 0, [0, 3, 5, 1], [], 0)
    assert answer(TopWhere(A, 9, offset=6), table, "ieee") == ints(a=[], b=[])
    hidden = TopWhere(A, 1, True, True, ("b",), less(A, 3), 1)
    assert answer(hidden, table, "ieee") == ints(b=[2])
    assert str(hidden) == "b WHERE a < 3 ORDER BY a DESC NULLS FIRST LIMIT 1 OFFSET 1"


def test_first_rows_without_a_filter_have_the_form_they_had():
    """Cases that are checked in, and readers that do not know filters of first rows, do not see them."""
    query = TopRows(A, 2, descending=True, columns=("b",))
    members = ["kind", "path", "rows", "descending", "nulls_first", "columns"]
    assert list(query.to_json()) == members
    assert list(TopWhere(A, 2).to_json()) == [*members, "predicate", "offset"]
    assert str(query) == "b ORDER BY a DESC NULLS LAST LIMIT 2"


def test_filters_and_sorts_have_orders_of_their_own():
    """A filter may find NaN greatest, and the sort of its rows have them beside the nulls."""
    query = TopWhere(A, 2, True, predicate=Compare(A, ">=", DOUBLE, ONE))
    both = order_of_both("nan-greatest", "nan-beside-nulls")
    assert answer(query, floats(ONE, NAN, ZERO), both).column(0) == [ONE, NAN]
    assert answer(query, floats(ONE, NAN, ZERO), "ieee").column(0) == [ONE]


def test_filters_and_extremes_have_orders_of_their_own():
    """A filter may find NaN greatest where the extremes of its rows leave NaN out."""
    query = AggregateWhere(A, Compare(A, ">=", DOUBLE, ONE))
    result = answer(query, floats(NAN, ONE, ZERO), order_of_both("nan-greatest", "ieee"))
    assert [result.column(at) for at in range(4)] == [["2"], ["2"], [ONE], [ONE]]
    assert order_of_both("ieee", "ieee") == "ieee"


def test_values_of_any_type_are_counted():
    """Lists and structs that are not null are counted: those above a null element or field are there."""
    type_ = struct_of([("x", INT)])
    table = Table.of([("s", type_)], [[["1"], [None], None]])
    query = CountValues(("s",))
    assert query_from_json(query.to_json()) == query
    result = answer(query, table, "ieee")
    assert [field.name for field in result.columns] == ["rows", "present"]
    assert [result.column(0), result.column(1)] == [["3"], ["2"]]
    assert answer(CountValues(("s", "x")), table, "ieee").column(1) == ["1"]
    with pytest.raises(QueryError, match="cannot be compared"):
        answer(Aggregate(("s",)), table, "ieee")


@pytest.mark.parametrize(
    ("order", "values", "extremes"),
    [
        ("ieee", (NAN, ONE, MINUS_NAN), (ONE, ONE)),
        ("ieee", (NAN, None), (NAN, NAN)),
        ("nan-greatest", (NAN, ONE), (ONE, NAN)),
        ("total", (ONE, MINUS_NAN, MINUS_ZERO), (MINUS_NAN, ONE)),
        ("total", (ZERO, MINUS_ZERO), (MINUS_ZERO, ZERO)),
        ("ieee", (MINUS_ZERO, ONE), (ZERO, ONE)),
        ("nan-greatest", (ZERO, MINUS_ZERO), (ZERO, ZERO)),
    ],
)
def test_extremes_of_floats(order, values, extremes):
    """Minimum and maximum go by the order; where zeros are equal, 0.0 stands for both."""
    found = answer(Aggregate(A), floats(*values), order)
    assert (found.column(2)[0], found.column(3)[0]) == extremes


def test_settled():
    """Only the zeros of an aggregate are settled, and only where they are equal."""
    columns = [("rows", integer(64)), ("present", integer(64)), ("min", DOUBLE), ("max", DOUBLE)]
    found = Table.of(columns, [["1"], ["1"], [MINUS_ZERO], [MINUS_ZERO]])
    assert settled(Aggregate(A), found, "ieee").column(2) == [ZERO]
    assert settled(Aggregate(A), found, "total") is found
    assert settled(Batches(1), found, "ieee") is found


def test_an_extract():
    """What a path leads to has the metadata of the whole; no Variant holds nothing, a Variant null does."""
    names = "0101000161"  # a dictionary of "a"
    rows = [["010000", "0c2a"], [names, "020100000100"], None, [names, "02010000020c07"]]
    table = Table.of([("x", Type("variant")), ("y", INT)], [rows, ["1", "2", "3", "4"]])
    found = answer(Extract(("x",), ("a",)), table, "ieee")
    assert [column.name for column in found.columns] == ["held"]
    assert found.column(0) == [None, [names, "00"], None, [names, "0c07"]]
    for path in (("y",), ("z",)):
        with pytest.raises(QueryError):
            answer(Extract(path, ("a",)), table, "ieee")
    with pytest.raises(QueryError, match="not a Variant"):
        answer(Extract(("x",), (0,)), Table.of([("x", Type("variant"))], [[["", ""]]]), "ieee")


def test_rows_by_what_is_held():
    """A filter sees nothing, a null and what is nested as nulls; a value of another kind is an error."""
    names = "0101000161"  # a dictionary of "a"
    held = ("020100000100", None, "02010000020c07", "0201000003030000")
    rows = [["010000", "0c2a"], *(one and [names, one] for one in held)]
    table = Table.of([("x", Type("variant")), ("y", INT)], [rows, ["1", "2", "3", "4", "5"]])
    for predicate, wanted in (
        (HELD, ["4"]),
        (Not(HELD), []),
        (IsNull(("held",)), ["1", "2", "3", "5"]),
        (Not(IsNull(("held",))), ["4"]),
    ):
        query = FilterHeld(("x",), ("a",), INT, predicate, ("y",))
        assert answer(query, table, "ieee").column(0) == wanted
        assert [str(row + 1) for row in rows_of(query, table, "ieee")] == wanted
    with pytest.raises(QueryError, match="not one for this query"):
        answer(FilterHeld(("x",), ("a",), BYTES, IsNull(("held",))), table, "ieee")


def test_json_and_schemas():
    """Whose JSON is asked for is answered itself, a schema as text; what has none is an error."""
    table = Table.of([("x", Type("variant"))], [[["010000", "0c2a"], None, ["010000", "00"]]])
    found = answer(ToJson(("x",)), table, "ieee")
    assert [column.name for column in found.columns] == ["held"]
    assert found.column(0) == table.column(0)
    assert answer(SchemaOf(("x",)), table, "ieee").column(0) == ["BIGINT", None, "VOID"]
    moment = Table.of([("x", Type("variant"))], [[["010000", "48" + "00" * 8]]])
    with pytest.raises(QueryError, match="no type for type id 18"):
        answer(SchemaOf(("x",)), moment, "ieee")


def test_leaves():
    """The tests of a predicate come from left to right."""
    one, other, third = less(A, 1), IsNull(B), StartsWith(A, "x")
    assert list(leaves(Or((And((one, Not(other))), third)))) == [one, other, third]
