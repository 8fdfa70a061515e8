from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import find, given
from hypothesis import strategies as st

from corpora.answers import answer
from corpora.build import expected
from corpora.evaluation import evaluate
from corpora.predicates import And, In, IsNull, Not, Or
from corpora.predicates import leaves as predicates_of
from corpora.queries import (
    AggregateWhere,
    Compare,
    CountRows,
    CountValues,
    Extract,
    Filter,
    FilterHeld,
    Join,
    NullSafe,
    RowGroup,
    TopWhere,
    leaves,
)
from corpora.queries import from_json as query_from_json
from corpora.tagged import DATE, STRING, Table, floating, integer, list_of, struct_of, timestamp
from properties import generate
from properties.focus import focused
from properties.strategies import constants, predicates
from properties.strategies import sheet as sheet_module


@pytest.fixture(scope="module")
def sheets(fewer):
    """Return some sheets."""
    return generate.drawn(7, range(fewer(48, 6)))


def test_queries_can_be_answered_and_sent(sheets, some_of):
    """Each query of a sheet has an answer for each of its files, and survives JSON."""
    for number, sheet in enumerate(sheets):
        for query in sheet.queries:
            assert query_from_json(query.to_json()) == query
        for plan in some_of(((f"{number}/{at}", plan) for at, plan in enumerate(sheet.plans)), 6):
            table = expected.table(plan)
            for query in sheet.queries:
                rows = expected.row_groups(plan)[query.number] if isinstance(query, RowGroup) else None
                answer(query, table, "total", rows)


def test_predicates_find_some_rows(sheets):
    """Many filters match no row, many match some rows, and many match all rows."""
    found = Counter()
    for sheet in sheets:
        table = expected.table(next((plan for plan in sheet.plans if plan.rows), sheet.plans[0]))
        for query in sheet.queries:
            if isinstance(query, Filter) and table.num_rows > 1:
                rows = answer(query, table, "nan-greatest").num_rows
                found["none" if not rows else "all" if rows == table.num_rows else "some"] += 1
    assert min(found.values()) > 0.1 * sum(found.values())
    assert len(found) == 3


@pytest.fixture(scope="module")
def many():
    """Return many queries of a table of a column of 100 values."""
    values = [str(2 * value) for value in range(100)]
    table = Table.of([("row", integer(32)), ("x", integer(32))], [values, values])
    return generate._drawn(7, range(500), predicates.queries([table], predicates.targets([table])))


def test_lists_are_longer_than_thresholds_of_readers(many):
    """IN and small tables have lengths up to 60: of values of the column, and of values that are absent."""
    tests = [test for query in many if isinstance(query, Filter) for test in leaves(query.predicate)]
    lists = [[each for each in test.values if each is not None] for test in tests if isinstance(test, In)]
    joined = [
        tuple(value for value in query.values if value is not None)
        for query in many
        if isinstance(query, Join)
    ]
    for every in (lists, joined):
        assert {1, 2, 3, 4, 12, 25, 60} <= {len(values) for values in every}
        long = [values for values in every if len(values) > 10]
        assert all(len(set(values)) == len(values) for values in long)
        held = {sum(int(value) in range(0, 200, 2) for value in values) > len(values) / 2 for values in long}
        assert held == {True, False}


def test_predicates_nest(many):
    """Predicates have up to six tests: OR below AND, AND below OR, and NOT of each."""
    roots = [query.predicate for query in many if isinstance(query, Filter)]
    assert {1, 2, 3, 4, 5, 6} == {sum(1 for _ in leaves(root)) for root in roots}
    nested = {
        (type(one), type(inner))
        for one in map(_plain, roots)
        if isinstance(one, (And, Or))
        for inner in one.of
    }
    assert {(And, Or), (Or, And), (And, Not), (Or, Not)} <= nested
    assert {And, Or} <= {type(root.of) for root in roots if isinstance(root, Not)}


@pytest.mark.parametrize(
    ("type_", "values", "function"),
    [(DATE, ["0", "17532", "2932897"], "year"), (STRING, ["AB", "ab", "\u00c9"], "lower")],
)
def test_functions_of_rows_for_which_they_are_defined(type_, values, function):
    """Years beyond 9999 and letters beyond ASCII leave a function to the other rows of their column."""
    table = Table.of([("row", integer(32)), ("x", type_)], [["0", "1", "2"], values])
    queries = generate._drawn(7, range(400), predicates.queries([table], predicates.targets([table])))
    tests = [query for query in queries if isinstance(query, Filter) and _has(query.predicate, function)]
    assert tests
    for query in tests:
        evaluate(query.predicate, table, "ieee")


def _has(predicate, function):
    return any(getattr(test, "function", "") == function for test in leaves(predicate))


def _plain(predicate):
    return predicate.of if isinstance(predicate, Not) else predicate


@pytest.mark.heavy
def test_nested_fields_of_any_type_are_tested_for_null():
    """Among the tests for null are those of a list and of a struct in a struct, which no comparison names."""
    inner = struct_of([("list", list_of(integer(32)))])
    table = Table.of([("row", integer(32)), ("s", struct_of([("inner", inner)]))], [["0"], [[[["1"]]]]])
    queries = generate._drawn(7, range(300), predicates.queries([table], predicates.targets([table])))
    tests = [test for query in queries if isinstance(query, Filter) for test in leaves(query.predicate)]
    tested = {test.path for test in tests if isinstance(test, IsNull)}
    assert {("s", "inner"), ("s", "inner", "list"), ("s",)} <= tested


def test_values_without_an_order_are_counted():
    """Lists and structs, of which no comparison is defined, are counted in one query in fifty."""
    inner = struct_of([("list", list_of(integer(32)))])
    table = Table.of([("row", integer(32)), ("s", inner)], [["0"], [[["1"]]]])
    queries = generate._drawn(7, range(500), predicates.queries([table], predicates.targets([table])))
    counted = Counter(query.path for query in queries if isinstance(query, CountValues))
    assert min(counted[path] for path in [("s",), ("s", "list")]) >= 2
    assert counted["s",] + counted["s", "list"] >= 10


def test_paths_into_variants_lead_somewhere():
    """Queries of Variants have paths, most of which exist in a value."""
    found = Counter()
    for sheet in generate.drawn(focused(10, "parquet/logical/variant"), range(20)):
        tables = list(map(expected.table, sheet.plans))
        for query in sheet.queries:
            if isinstance(query, Extract):
                held = answer(query, tables[0], "ieee").column(0)
                found[any(value is not None for value in held)] += 1
            if isinstance(query, FilterHeld):
                found["rows"] += sum(answer(query, one, "ieee").num_rows for one in tables)
            found[query.kind] += 1
    assert found[True] > 5
    assert found[False] > 2
    assert min(found["filter_held"], found["to_json"], found["schema_of_variant"]) > 3
    assert found["rows"] > 20


def test_constants_stand_at_the_edges_of_the_data(sheets):
    """Constants are the least and the greatest value of a column, and the neighbours of these."""
    at = Counter()
    for sheet in sheets:
        tables = [expected.table(plan) for plan in sheet.plans]
        targets = {target.path: target for target in predicates.targets(tables)}
        for query in sheet.queries:
            for test in leaves(query.predicate) if isinstance(query, Filter) else ():
                if isinstance(test, (Compare, NullSafe)) and (values := targets[test.path].values):
                    at["least"] += test.value == values[0]
                    at["greatest"] += test.value == values[-1]
                    at["absent"] += test.value not in values
    assert min(at["least"], at["greatest"], at["absent"]) > 5


def test_near_values_are_steps_and_twins():
    """Near a value are its neighbours, and the value with the other sign."""
    near = set(constants._near(integer(32, signed=False), "2147483648"))
    assert {"2147483647", "2147483649", "0"} <= near
    assert set(constants._near(floating(32), "00000000")) == {"00000001", "ffffffff", "80000000"}


def test_fields_of_structs_are_targets():
    """A predicate can test a field of a struct, but no element of a list."""
    from corpora.tagged import BYTES, list_of, struct_of

    type_ = struct_of([("x", BYTES), ("y", list_of(BYTES))])
    table = Table.of([("row", integer(32)), ("s", type_)], [["0", "1"], [["ff", []], None]])
    found = predicates.targets([table])
    assert [(target.path, target.values) for target in found] == [
        (("row",), ("0", "1")),
        (("s", "x"), ("ff",)),
    ]


def test_rows_are_counted_at_the_edges_of_a_column():
    """Of the filters at the edges of a column some are counted as well, those for null among them."""
    table = Table.of([("row", integer(32)), ("x", integer(32))], [["0", "1"], ["5", None]])
    (target,) = predicates.targets([table])[1:]
    drawn = sheet_module._at_edges(target)
    filters = {query.predicate for query in drawn if isinstance(query, Filter)}
    counted = {query.predicate for query in drawn if isinstance(query, CountRows)}
    assert counted < filters
    assert {IsNull(("x",)), Not(IsNull(("x",)))} < counted
    assert len(counted) >= len(filters) // 4
    behind = {query.predicate for query in drawn if isinstance(query, AggregateWhere)}
    assert behind
    assert behind < counted


def test_extremes_behind_a_filter_stand_beside_it(sheets):
    """A sheet that asks for extremes behind a filter asks the filter alone as well."""
    behind = 0
    for sheet in sheets:
        filters = {query.predicate for query in sheet.queries if isinstance(query, Filter)}
        predicates_ = {query.predicate for query in sheet.queries if isinstance(query, AggregateWhere)}
        assert predicates_ <= filters
        behind += len(predicates_)
    assert behind > 3


@pytest.mark.parametrize("has_filter", [True, False])
@pytest.mark.parametrize("has_offset", [True, False])
def test_first_rows_behind_a_filter_are_drawn(has_filter, has_offset):
    """Generated files are asked for the first rows in an order, behind filters, offsets and both."""
    table = Table.of([("row", integer(32)), ("x", integer(32))], [["0", "1"], ["5", None]])

    def is_wanted(query):
        forms = isinstance(query, TopWhere) and (query.predicate is not None, query.offset > 0)
        return forms == (has_filter, has_offset)

    assert find(predicates.queries([table], predicates.targets([table])), is_wanted)


@given(st.data())
def test_functions_of_timestamps_that_no_constant_is(data):
    """A column of ORC may hold timestamps beyond 64-bit nanoseconds: a range of others leaves them out."""
    values = ("-9223372800001000000", "0", "5", "9223372800001000000", "99223372800001000000000")
    target = constants.Target(("a",), timestamp("ns", utc=False), values)
    predicate = predicates._computed(data.draw, target)
    assert predicate is not None
    for test in predicates_of(predicate):
        assert test.path == ("a",)
