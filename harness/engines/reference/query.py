"""The reference's own pushdown: what `reference_impl.parquet.pushdown` rules out is not read.

What is left is read, and the oracle (`corpora.queries.evaluate`) filters it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from harness.engines.reference.ranges import operands, ranges
from harness.engines.terms import bytes_of
from reference_impl.parquet.pushdown import USING, Test, candidates
from reference_impl.parquet.schema import Type

if TYPE_CHECKING:
    from collections.abc import Iterator

    from corpora import tagged
    from corpora.predicates import Predicate
    from harness.engines.reference.ranges import Ranges
    from harness.engines.reference.ranges import Test as PredicateTest
    from reference_impl.parquet.file import ParquetFile
    from reference_impl.parquet.tree import Node


def scan(
    file: ParquetFile, predicate: Predicate, pushdown: str, float_order: str
) -> Iterator[tuple[int, Ranges]]:
    """Yield what is left of each row group; `pushdown` names the one means to skip by, or `on` for all."""
    using = USING if pushdown == "on" else frozenset({pushdown})
    for number, group in enumerate(file.metadata.row_groups):
        rows = ranges(predicate, _Group(file, number, group.num_rows, using, float_order).leaf)
        if rows:
            yield number, rows


class _Group:
    """Which rows of one row group can match."""

    def __init__(
        self, file: ParquetFile, number: int, rows: int, using: frozenset[str], float_order: str
    ) -> None:
        self.file = file
        self.number = number
        self.rows = rows
        self.using = using
        self.float_order = float_order

    def leaf(self, test: PredicateTest, plain: bool) -> Ranges:
        """Return the rows for which a test may be TRUE, or, if not `plain`, FALSE."""
        everything = [(0, self.rows)]
        node = next((leaf for leaf in self.file.leaves if leaf.path == test.path), None)
        if node is None:
            return everything
        sought = operands(test, lambda type_, value: _plain(node, type_, value), plain=plain)
        if sought is None:
            return everything
        using = self.using
        if node.physical and node.physical.type == Type.BYTE_ARRAY and _is_decimal(node):
            using -= {"bloom", "dictionary"}  # one value has many byte strings: sign bytes in front
        result = Test(node, *sought, self.float_order)
        return list(candidates(self.file, self.number, node.index, result, using))


def _plain(node: Node, type_: tagged.Type, value: tagged.Value) -> bytes | None:
    """Return a constant as PLAIN bytes of a column, None if it has none there."""
    assert node.physical is not None
    physical, text = node.physical, str(value)
    if physical.type == Type.INT96 or type_.kind == "int96":
        return None
    if type_.kind == "bool":
        return bytes([value is True])
    if type_.kind == "float":
        return bytes.fromhex(text)[::-1]
    if type_.kind in ("string", "json", "enum", "bytes", "uuid", "bson"):
        return bytes_of(type_, value)
    number = int(text)
    if physical.type in (Type.INT32, Type.INT64):
        # The same bits are another number to a type without a sign.
        unsigned = type_.signed is False
        bits = 8 * physical.width
        low, high = (0, 1 << bits) if unsigned else (-(1 << (bits - 1)), 1 << (bits - 1))
        if not low <= number < high:
            return None
        return number.to_bytes(physical.width, "little", signed=not unsigned)
    width = physical.width if physical.type == Type.FIXED_LEN_BYTE_ARRAY else number.bit_length() // 8 + 1
    fits = number.bit_length() < 8 * width
    return number.to_bytes(width, "big", signed=True) if fits else None


def _is_decimal(node: Node) -> bool:
    return node.logical is not None and node.logical.name == "DECIMAL"
