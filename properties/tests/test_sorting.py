"""The sorting columns of generated files, which are true of the rows of each row group."""

from __future__ import annotations

from corpora.build.recipe import OPTIONAL, REPEATED, group, leaf, schema
from properties.strategies.sorting import orders
from reference_impl.parquet.plan import FilePlan
from reference_impl.parquet.schema import Type
from reference_impl.parquet.tree import build

ASCENDING, DESCENDING = (False, False), (True, False)


def orders_of(fields, rows, **more):
    """Return the columns and directions of the orders that a file has, without those of `row`."""
    plan = FilePlan(fields, rows, **more)
    ways = orders(plan, list(build(list(fields)).leaves()))
    return {way[0] for way in ways[1:]}


def test_fields_of_structs_are_sorted_by_leaf():
    """A field is named by the number of its leaf; a null struct is a null of the field."""
    fields = schema(
        leaf("row", Type.INT32),
        group("s", OPTIONAL, leaf("a", Type.INT32), leaf("b", Type.INT32)),
        leaf("x", Type.INT32),
    )
    rows = (
        {"row": 0, "s": {"a": 1, "b": 9}, "x": 3},
        {"row": 1, "s": {"a": 2, "b": 8}, "x": 2},
        {"row": 2, "s": None, "x": 1},
    )
    assert orders_of(fields, rows) == {
        (1, *ASCENDING),
        (2, *DESCENDING),
        *((3, True, nulls_first) for nulls_first in (False, True)),
    }


def test_fields_of_lists_are_not_sorted():
    """A column with several values in a row has no order of rows, and rows out of order have none."""
    repeated = group("l", REPEATED, leaf("a", Type.INT32))
    fields = schema(leaf("row", Type.INT32), repeated, leaf("x", Type.INT32))
    rows = tuple({"row": row, "l": [{"a": row}], "x": x} for row, x in enumerate((1, 3, 2)))
    assert orders_of(fields, rows) == set()
    assert orders_of(fields, rows, row_groups=(2, 1)) == {(2, *ASCENDING), (2, False, True)}
