"""Choices of a file that are not layouts of its columns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from hypothesis import strategies as st

from properties.strategies import sorting
from properties.strategies.chances import all_but_one_in, choice, one_in
from properties.strategies.layouts import is_float
from properties.strategies.sheet import SIZES, cut
from properties.strategies.writers import WRITERS, Frame, Traits, fitted
from reference_impl.parquet.plan import Column, FilePlan, Statistics
from reference_impl.parquet.schema import ColumnOrder, Empty, Type
from reference_impl.parquet.tree import Node

MAX_ROW_GROUPS = 6
_TYPE = ColumnOrder(TYPE_ORDER=Empty())
_UNKNOWN = ColumnOrder(unknown=((9, 12, b"\x00"),))  # a struct without fields, of an id from the future


@dataclass(frozen=True)
class FileChoices:
    """The choices of a file; numbers are taken modulo what there is to choose from.

    `plain`: all defaults, here and for the columns. `table` selects the rows, `layouts` the layout of each
    column; `override` is a chunk with the next layout, as (row group, leaf). `orders`: `type`, `best` (the
    order that was made for the column), `unknown` or `absent`. `between`: Bloom filters stand between row
    groups. `size`: rows of a row group; `empty`: the place of empty row groups (`sheet.cut`); `sorting`:
    which of the orders that the rows have is stated. `bounded`: every column has chunk statistics.
    """

    plain: bool = False
    table: int = 0
    layouts: int = 0
    override: tuple[int, int] | None = None
    writer: Traits = WRITERS[0]
    orders: str = "type"
    size: int | None = None
    empty: int | None = None
    reverse: bool = False
    version: int = 1
    long_headers: bool = False
    zero_is_false: bool = False
    details: bool = False
    turned: int = 0
    sorting: int | None = None
    between: bool = False
    bounded: bool = False


@st.composite
def files(draw: st.DrawFn) -> FileChoices:
    """Return the choices of a file; one file in ten is plain."""
    table = draw(st.integers(0, 2))
    if not all_but_one_in(draw, 10):
        return FileChoices(plain=True, table=table)
    pair = st.tuples(st.integers(0, MAX_ROW_GROUPS - 1), st.integers(0, 7))
    return FileChoices(
        table=table,
        layouts=draw(st.integers(0, 11)),
        override=draw(pair) if one_in(draw, 6) else None,
        writer=choice(draw, WRITERS),
        orders=choice(draw, ["type", "type", "type", "best", "best", "absent", "unknown", "mixed"]),
        size=choice(draw, SIZES),
        empty=draw(st.integers(0, 40)) if one_in(draw, 12) else None,
        reverse=one_in(draw, 4),
        version=choice(draw, [1, 2]),
        long_headers=one_in(draw, 8),
        zero_is_false=one_in(draw, 8),
        details=draw(st.booleans()),
        turned=draw(st.integers(1, 5)) if one_in(draw, 12) else 0,
        sorting=draw(st.integers(0, 40)) if one_in(draw, 4) else None,
        between=one_in(draw, 3),
        bounded=one_in(draw, 3),
    )


def plan(
    base: FilePlan, choices: FileChoices, leaves: Sequence[Node], layouts: Sequence[Sequence[Column]]
) -> FilePlan:
    """Return the plan of a file: `base` has its schema and rows, `layouts` has layouts for each leaf."""
    if choices.plain:
        return base
    orders = _orders(choices, leaves)
    groups = cut(choices.size, choices.empty, len(base.rows), MAX_ROW_GROUPS, reverse=choices.reverse)
    largest = max(groups or (len(base.rows),))

    def layout(leaf: Node, turn: int) -> Column:
        total = bool(orders) and orders[leaf.index].IEEE_754_TOTAL_ORDER is not None  # type: ignore[index]
        frame = Frame(choices.writer, largest * 3**leaf.repetition_level, total)
        options = layouts[leaf.index]
        chosen = options[(choices.layouts + turn) % len(options)]
        if choices.bounded and chosen.statistics is None:
            chosen = replace(chosen, statistics=Statistics())
        return fitted(chosen, leaf, frame)

    built = replace(
        base,
        columns=tuple(layout(leaf, 0) for leaf in leaves),
        row_groups=groups,
        column_orders=orders,
        created_by=choices.writer.created_by,
        version=choices.version,
        long_headers=choices.long_headers,
        zero_is_false=choices.zero_is_false,
        row_group_details=choices.details,
        blooms_between=choices.between,
    )
    if choices.sorting is not None:
        true = sorting.orders(built, leaves)
        built = replace(built, sorting_columns=true[choices.sorting % len(true)])
    if choices.override is not None and groups:
        leaf = leaves[choices.override[1] % len(leaves)]
        built = replace(built, overrides=((choices.override[0] % len(groups), leaf.index, layout(leaf, 1)),))
    if choices.turned % len(leaves):
        order = [(at + choices.turned) % len(leaves) for at in range(len(leaves))]
        built = replace(built, chunk_order=tuple(order))
    return built


def _orders(choices: FileChoices, leaves: Sequence[Node]) -> tuple[ColumnOrder, ...] | None:
    if choices.orders == "absent" or not choices.writer.modern:
        return None
    if choices.orders == "type":
        return ()
    if choices.orders == "mixed":
        return tuple((_best(leaf), _UNKNOWN, _TYPE)[(leaf.index + choices.layouts) % 3] for leaf in leaves)
    return tuple(_best(leaf) if choices.orders == "best" else _UNKNOWN for leaf in leaves)


def _best(leaf: Node) -> ColumnOrder:
    """Return the order that was made for the column's type (parquet.thrift, ColumnOrder)."""
    if leaf.physical is not None and leaf.physical.type == Type.INT96:
        return ColumnOrder(INT96_TIMESTAMP_ORDER=Empty())
    return ColumnOrder(IEEE_754_TOTAL_ORDER=Empty()) if is_float(leaf) else ColumnOrder(TYPE_ORDER=Empty())
