"""Sheets: one schema, several files of it in many layouts and contents, and queries to ask of each."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from hypothesis import strategies as st

from corpora.queries import Query, RowGroup
from properties import expected
from properties.strategies import contents, layouts, predicates, schemas
from properties.strategies.chances import chances, one_in
from reference_impl.parquet.plan import FilePlan
from reference_impl.parquet.schema import ColumnOrder, Empty, SchemaElement, Type
from reference_impl.parquet.tree import build

if TYPE_CHECKING:
    from collections.abc import Sequence

    from reference_impl.parquet.plan import Column, Row
    from reference_impl.parquet.tree import Node

MAX_FILES = 8
MIN_QUERIES, MAX_QUERIES = 4, 10
MAX_ROW_GROUPS = 6
_UNKNOWN_ORDER = ColumnOrder(unknown=((9, 12, b"\x00"),))  # a struct without fields, of an id from the future
_FLOAT16 = "FLOAT16"


@dataclass(frozen=True)
class Sheet:
    """Files that share a schema, and queries to ask of each."""

    schema: tuple[SchemaElement, ...]
    plans: tuple[FilePlan, ...]
    queries: tuple[Query, ...] = ()


@st.composite
def sheets(draw: st.DrawFn, min_files: int = 2, max_files: int = MAX_FILES) -> Sheet:
    """Answer a sheet of `min_files` to `max_files` files.

    Key-value metadata, and whether structs have unknown fields, is the same for all files: readers and
    `schema_key` take it for a part of the schema.
    """
    schema = draw(schemas.schemas())
    unknown = one_in(draw, 10)
    pairs = draw(st.sampled_from([(), (), (), (("colconf", "é"), ("empty", None))]))
    base = FilePlan(schema, key_value_metadata=pairs, unknown_fields=unknown)
    tables = draw(st.lists(contents.rows(schema), min_size=1, max_size=3))
    plans = draw(
        st.lists(
            st.sampled_from(tables).flatmap(lambda rows: plans_of(replace(base, rows=rows))),
            min_size=min_files,
            max_size=max_files,
        )
    )
    queries = draw(_queries(plans))
    return Sheet(schema, tuple(plans), tuple(queries))


def _queries(plans: Sequence[FilePlan]) -> st.SearchStrategy[list[Query]]:
    """Answer queries that can be asked of each file: a row group only where every file has that many."""
    tables = list({id(plan.rows): expected.table(plan) for plan in plans}.values())
    made = predicates.queries(tables)
    groups = min(len(expected.row_groups(plan)) for plan in plans)
    if groups:
        numbers = st.integers(0, groups - 1)
        made = chances(20).flatmap(lambda rare: numbers.map(RowGroup) if rare else predicates.queries(tables))
    return st.lists(made, min_size=MIN_QUERIES, max_size=MAX_QUERIES)


@st.composite
def plans_of(draw: st.DrawFn, base: FilePlan) -> FilePlan:
    """Answer a plan of the schema and rows of `base`, one in ten of them without a choice."""
    if one_in(draw, 10):
        return base
    leaves = list(build(list(base.schema)).leaves())
    writer = draw(st.sampled_from(layouts.WRITERS))
    orders = _orders(draw, leaves) if writer.modern else None
    groups = _row_groups(draw, len(base.rows))
    columns = [_column(draw, leaf, base.rows, groups, writer, orders) for leaf in leaves]
    made = replace(
        base,
        columns=tuple(columns),
        row_groups=groups,
        column_orders=orders,
        created_by=writer.created_by,
        version=draw(st.sampled_from([1, 2])),
        long_headers=one_in(draw, 8),
        row_group_details=draw(st.booleans()),
    )
    if groups and len(groups) > 1 and one_in(draw, 4):
        leaf = draw(st.sampled_from(leaves))
        other = _column(draw, leaf, base.rows, groups, writer, orders)
        made = replace(made, overrides=((draw(st.integers(0, len(groups) - 1)), leaf.index, other),))
    if one_in(draw, 12):
        made = replace(made, chunk_order=tuple(draw(st.permutations(range(len(leaves))))))
    if one_in(draw, 8):
        made = replace(made, sorting_columns=((0, False, False),))  # `row` ascends
    return made


def _column(  # noqa: PLR0917 - what a chunk depends on
    draw: st.DrawFn,
    leaf: Node,
    rows: Sequence[Row],
    groups: tuple[int, ...] | None,
    writer: layouts.Traits,
    orders: tuple[ColumnOrder, ...] | None,
) -> Column:
    entries = max(groups or (len(rows),), default=0) * 3**leaf.repetition_level
    total = bool(orders) and orders[leaf.index].IEEE_754_TOTAL_ORDER is not None  # type: ignore[index]
    return draw(layouts.columns(leaf, entries, writer, total=total))


def _orders(draw: st.DrawFn, leaves: list[Node]) -> tuple[ColumnOrder, ...] | None:
    """Answer column orders: type-defined, absent, or the best that each column may have."""
    way = draw(st.sampled_from(["type", "type", "type", "best", "best", "absent", "unknown"]))
    if way == "absent":
        return None
    if way == "type":
        return ()
    return tuple(_best(leaf) if way == "best" else _UNKNOWN_ORDER for leaf in leaves)


def _best(leaf: Node) -> ColumnOrder:
    assert leaf.physical is not None
    if leaf.physical.type == Type.INT96:
        return ColumnOrder(INT96_TIMESTAMP_ORDER=Empty())
    is_float = leaf.physical.type in (Type.FLOAT, Type.DOUBLE)
    if is_float or (leaf.logical is not None and leaf.logical.name == _FLOAT16):
        return ColumnOrder(IEEE_754_TOTAL_ORDER=Empty())
    return ColumnOrder(TYPE_ORDER=Empty())


def _row_groups(draw: st.DrawFn, rows: int) -> tuple[int, ...] | None:
    """Answer row groups of equal or of different sizes, now and then an empty one."""
    size = draw(st.sampled_from([None, None, 1, 2, 8, 10, 20, 33, 64, 100, 128, 1024]))
    if size is None or rows == 0:
        return None
    size = max(size, -(-rows // MAX_ROW_GROUPS))
    sizes = [min(size, rows - at) for at in range(0, rows, size)]
    if one_in(draw, 6):
        sizes.insert(draw(st.integers(0, len(sizes))), 0)
    if one_in(draw, 4):
        sizes.reverse()
    return tuple(sizes)
