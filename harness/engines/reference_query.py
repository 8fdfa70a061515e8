"""The reference's own pushdown: what `reference_impl.parquet.pushdown` rules out is not read.

What is left is read, and the oracle (`corpora.queries.evaluate`) filters it.
"""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING

from corpora.predicates import And, Compare, In, IsNull, Not, StartsWith
from corpora.tagged import STRING
from harness.engines.terms import bytes_of
from reference_impl.parquet.pushdown import USING, Test, candidates
from reference_impl.parquet.ranges import read_ranges
from reference_impl.parquet.schema import Type

if TYPE_CHECKING:
    from collections.abc import Iterator

    from corpora import tagged
    from corpora.predicates import Predicate
    from reference_impl.columns import Table
    from reference_impl.parquet.file import ParquetFile
    from reference_impl.parquet.pushdown import Ranges
    from reference_impl.parquet.tree import Node

_NEGATED = {"=": "!=", "!=": "=", "<": ">=", "<=": ">", ">": "<=", ">=": "<"}


def scan(file: ParquetFile, predicate: Predicate, pushdown: str, float_order: str) -> Iterator[Table]:
    """Yield what is left of each row group; `pushdown` names the one means to skip by, or `on` for all."""
    using = USING if pushdown == "on" else frozenset({pushdown})
    for number, group in enumerate(file.metadata.row_groups):
        ranges = _Group(file, number, group.num_rows, using, float_order).ranges(predicate, plain=True)
        if ranges:
            yield read_ranges(file, number, ranges)


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

    def ranges(self, predicate: Predicate, *, plain: bool) -> Ranges:
        """Answer the rows for which a predicate may be TRUE, or, if not `plain`, FALSE."""
        if isinstance(predicate, Not):
            return self.ranges(predicate.of, plain=not plain)
        if isinstance(predicate, (Compare, In, IsNull, StartsWith)):
            return self._leaf(predicate, plain=plain)
        parts = [self.ranges(one, plain=plain) for one in predicate.of]
        needed = len(parts) if isinstance(predicate, And) == plain else 1
        return _covered(parts, needed)

    def _leaf(self, test: Compare | In | IsNull | StartsWith, *, plain: bool) -> Ranges:
        everything = [(0, self.rows)]
        node = next((leaf for leaf in self.file.leaves if leaf.path == test.path), None)
        asked = _asked(test, node, plain=plain) if node else None
        if node is None or asked is None:
            return everything
        operator, constants = asked
        using = self.using
        if node.physical and node.physical.type == Type.BYTE_ARRAY and _is_decimal(node):
            using -= {"bloom", "dictionary"}  # one value has many byte strings: sign bytes in front
        wanted = Test(node, operator, constants, self.float_order)
        return list(candidates(self.file, self.number, node.index, wanted, using))


def _asked(
    test: Compare | In | IsNull | StartsWith, node: Node, *, plain: bool
) -> tuple[str, list[bytes]] | None:
    """Answer the operator and constants to look for, None where nothing may be ruled out."""
    if isinstance(test, IsNull):
        return ("is null" if plain else "is not null"), []
    if isinstance(test, StartsWith):
        return ("starts-with", [bytes_of(STRING, test.prefix)]) if plain else None
    values = test.values if isinstance(test, In) else (test.value,)
    constants = [_plain(node, test.type, value) for value in values]
    known = [one for one in constants if one is not None]
    if len(known) < len(constants):
        return None
    if isinstance(test, In):
        return ("in", known) if plain else None
    if plain:
        return test.op, known
    # NOT (a < b) is a >= b, but for NaN, of which both are not TRUE.
    if test.type.kind == "float" and test.op not in ("=", "!="):
        return None
    return _NEGATED[test.op], known


def _plain(node: Node, type_: tagged.Type, value: tagged.Value) -> bytes | None:
    """Answer a constant as PLAIN bytes of a column, None if it has none there."""
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


def _covered(parts: list[Ranges], needed: int) -> Ranges:
    """Answer the rows that at least `needed` of the parts hold."""
    edges = sorted(chain.from_iterable(((start, 1), (stop, -1)) for part in parts for start, stop in part))
    found: Ranges = []
    depth, begin = 0, 0
    for at, step in edges:
        before, depth = depth, depth + step
        if before < needed <= depth:
            begin = at
        elif depth < needed <= before and begin < at:
            found.append((begin, at))
    return _joined(found)


def _joined(found: Ranges) -> Ranges:
    """Join ranges that touch."""
    out: Ranges = []
    for start, stop in found:
        if out and out[-1][1] == start:
            out[-1] = (out[-1][0], stop)
        else:
            out.append((start, stop))
    return out
