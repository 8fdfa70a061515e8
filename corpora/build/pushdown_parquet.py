"""The reference's pushdown in Parquet files: `reference_impl.parquet.pushdown` rules out rows unread.

The reference reads the remaining rows, and the oracle (`corpora.answers`) filters them.
"""

from __future__ import annotations

from collections.abc import Iterator

from corpora import tagged
from corpora.build import tagged_parquet
from corpora.build.pushdown_ranges import LeafTest, Ranges, condition, in_type, ranges
from corpora.constants import FAMILIES, bytes_of
from corpora.predicates import Predicate
from reference_impl.parquet.file import ParquetFile
from reference_impl.parquet.pushdown import USING, Test, candidates
from reference_impl.parquet.schema import Type
from reference_impl.parquet.tree import Node
from reference_impl.parquet.types import empty


def scan(
    file: ParquetFile, predicate: Predicate, pushdown: str, float_order: str
) -> Iterator[tuple[int, Ranges]]:
    """Yield the rows left of each row group; `pushdown` names one means to skip by, or is `on` for all."""
    using = USING if pushdown == "on" else frozenset({pushdown})
    for number, group in enumerate(file.metadata.row_groups):
        rows = ranges(predicate, _Group(file, number, group.num_rows, using, float_order).leaf)
        if rows:
            yield number, rows


class _Group:
    """The rows of one row group that can match."""

    def __init__(
        self, file: ParquetFile, number: int, rows: int, using: frozenset[str], float_order: str
    ) -> None:
        self.file = file
        self.number = number
        self.rows = rows
        self.using = using
        self.float_order = float_order

    def leaf(self, test: LeafTest, plain: bool) -> Ranges:
        """Return the rows for which a test may be TRUE, or, if not `plain`, FALSE."""
        everything = [(0, self.rows)]
        node = next((leaf for leaf in self.file.leaves if leaf.path == test.path), None)
        if node is None:
            return everything
        wanted = condition(test, lambda type_, value: _plain(node, type_, value), plain=plain)
        if wanted is None:
            return everything
        using = self.using
        if node.physical and node.physical.type == Type.BYTE_ARRAY and _is_decimal(node):
            using -= {"bloom", "dictionary"}  # one value has many byte strings: sign bytes in front
        search = Test(node, *wanted, self.float_order)
        return list(candidates(self.file, self.number, node.index, search, using))


def _plain(node: Node, type_: tagged.Type, value: tagged.Value) -> bytes | None:
    """Return a constant as PLAIN bytes of a column, None if the column cannot hold it."""
    assert node.physical is not None
    physical = node.physical
    column, _ = tagged_parquet.leaf(node, empty(physical))
    value = in_type(column, type_, value)
    if value is None or physical.type == Type.INT96:
        return None
    if column.kind == "bool":
        return bytes([value is True])
    if column.kind == "float":
        return bytes.fromhex(str(value))[::-1]
    if column.kind in FAMILIES:
        return bytes_of(column, value)
    number = int(str(value))
    if physical.type in (Type.INT32, Type.INT64):
        # The same bits are another number in an unsigned type.
        unsigned = column.signed is False
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
