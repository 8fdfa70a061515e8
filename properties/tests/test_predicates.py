from __future__ import annotations

from collections import Counter

import pytest

from corpora.answers import answer
from corpora.build import expected
from corpora.queries import Compare, Extract, Filter, FilterHeld, NullSafe, RowGroup, leaves
from corpora.queries import from_json as query_from_json
from corpora.tagged import Table, floating, integer
from properties import generate
from properties.focus import focused
from properties.strategies import predicates


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
    assert min(found.values()) > 0.15 * sum(found.values())
    assert len(found) == 3


@pytest.mark.heavy
def test_paths_into_variants_lead_somewhere():
    """Queries of Variants have paths, most of which exist in a value."""
    found = Counter()
    for sheet in generate.drawn(focused(7, "parquet/logical/variant"), range(24)):
        for query in sheet.queries:
            if isinstance(query, Extract):
                held = answer(query, expected.table(sheet.plans[0]), "ieee").column(0)
                found[any(value is not None for value in held)] += 1
            if isinstance(query, FilterHeld):
                tables = map(expected.table, sheet.plans)
                found["rows"] += sum(answer(query, one, "ieee").num_rows for one in tables)
            found[query.kind] += 1
    assert found[True] > 5
    assert found[False] > 2
    assert min(found["filter_held"], found["to_json"], found["schema_of_variant"]) > 5
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
    near = set(predicates._near(integer(32, signed=False), "2147483648"))
    assert {"2147483647", "2147483649", "0"} <= near
    assert set(predicates._near(floating(32), "00000000")) == {"00000001", "ffffffff", "80000000"}


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
