"""The reference's pushdown in ORC files: `reference_impl.orc.pushdown` rules out rows unread."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from corpora import tagged
from corpora.build.pushdown_ranges import LeafTest, Ranges, condition, ranges
from corpora.constants import bytes_of, float_of
from corpora.predicates import Predicate
from reference_impl.orc.file import OrcFile
from reference_impl.orc.pushdown import USING, Test, candidates
from reference_impl.orc.schema import TypeKind
from reference_impl.orc.types import TypeNode

_A_SECOND = 10**9
_TEXTS = ("string", "json", "enum", "bytes", "uuid", "bson")


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
    if type_.kind == "bool":
        return value is True if node.kind is TypeKind.BOOLEAN else None
    if type_.kind == "float":
        return float_of(type_, value)
    if type_.kind in _TEXTS:
        return bytes_of(type_, value)
    number = int(str(value))
    if type_.kind == "timestamp":
        return divmod(number * tagged.NANOSECONDS[str(type_.unit)], _A_SECOND)
    return number
