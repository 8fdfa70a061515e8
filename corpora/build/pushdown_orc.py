"""The reference's pushdown in ORC files: `reference_impl.orc.pushdown` rules out rows unread."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from corpora import tagged
from corpora.build.pushdown_ranges import LeafTest, Ranges, condition, in_type, ranges
from corpora.constants import FAMILIES, bytes_of, float_of
from corpora.predicates import Predicate
from reference_impl.orc.file import OrcFile
from reference_impl.orc.pushdown import USING, Test, candidates
from reference_impl.orc.schema import TypeKind
from reference_impl.orc.types import INTEGERS, STRINGS, TypeNode

_A_SECOND = 10**9
_TYPES = {
    TypeKind.BOOLEAN: tagged.BOOL,
    TypeKind.FLOAT: tagged.floating(32),
    TypeKind.DOUBLE: tagged.floating(64),
    TypeKind.DATE: tagged.DATE,
    TypeKind.BINARY: tagged.BYTES,
    TypeKind.TIMESTAMP: tagged.timestamp("ns", utc=False),
    TypeKind.TIMESTAMP_INSTANT: tagged.timestamp("ns", utc=True),
    **dict.fromkeys(STRINGS, tagged.STRING),
}


def scan(
    file: OrcFile, predicate: Predicate, pushdown: str, float_order: str
) -> Iterator[tuple[int, Ranges]]:
    """Yield the rows left of each stripe, range by range; `pushdown` names one means, or is `on` for all."""
    using = USING if pushdown == "on" else frozenset({pushdown})
    nodes = list(file.root.walk())
    for number, stripe in enumerate(file.footer.stripes):
        everything: Ranges = [(0, stripe.number_of_rows or 0)]

        def leaf(
            test: LeafTest, plain: bool, number: int = number, everything: Ranges = everything
        ) -> Ranges:
            matches = [node for node in nodes if node.path == test.path]
            if len(matches) != 1:
                return everything
            (node,) = matches
            wanted = condition(test, lambda type_, value: _constant(node, type_, value), plain=plain)
            if wanted is None:
                return everything
            return candidates(file, number, node.id, Test(node, *wanted, float_order), using)

        yield from ((number, [left]) for left in ranges(predicate, leaf))


def _constant(node: TypeNode, type_: tagged.Type, value: tagged.Value) -> Any:
    """Return a constant as a plan has it for a column, None if the column cannot hold it."""
    column = _type(node)
    value = None if column is None else in_type(column, type_, value)
    if column is None or value is None:
        return None
    if column.kind == "bool":
        return value is True
    if column.kind == "float":
        return float_of(column, value)
    if column.kind in FAMILIES:
        return bytes_of(column, value)
    number = int(str(value))
    return divmod(number, _A_SECOND) if column.kind == "timestamp" else number


def _type(node: TypeNode) -> tagged.Type | None:
    """Return the type of a column's values, None if they cannot be compared."""
    if node.kind in INTEGERS:
        return tagged.integer(INTEGERS[node.kind])
    if node.kind is TypeKind.DECIMAL:
        return tagged.decimal(node.precision, node.scale)
    return _TYPES.get(node.kind)
