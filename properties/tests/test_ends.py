"""Strategies draw the ends of each type: a range that is narrower is a dodge."""

from __future__ import annotations

import math
import struct

import pytest

from corpora.dodges import load
from properties.strategies import kinds, moments, values
from properties.strategies.orc import kinds as orc_kinds
from properties.strategies.orc import values as orc_values
from properties.tests.test_values import schema_of
from reference_impl.orc.schema import Type, TypeKind
from reference_impl.parquet.schema import Type as Physical
from reference_impl.parquet.tree import build

_DAY = {"ms": 86_400_000, "us": 86_400_000_000, "ns": 86_400_000_000_000}
_ORC_BITS = {TypeKind.BYTE: 8, TypeKind.SHORT: 16, TypeKind.INT: 32, TypeKind.LONG: 64, TypeKind.DATE: 32}
KINDS = [*kinds.PLAIN, *kinds.INTEGERS, *kinds.MOMENTS, *kinds.FLOATS, *kinds.FIXED]


def signed(bits):
    """Return the ends of signed integers."""
    return -(1 << bits - 1), (1 << bits - 1) - 1


def ends_of(node):
    """Return the least and the greatest value of a column, as it is stored (LogicalTypes.md)."""
    physical, logical = node.physical, node.logical
    name = logical.name if logical else ""
    if name == "TIME":
        return 0, _DAY[logical.unit] - 1
    if name == "INTEGER" and not logical.signed:
        return 0, (-1 if logical.bits == max(logical.bits, 32) else (1 << logical.bits) - 1)
    if name == "INTEGER":
        return signed(logical.bits)
    if name == "FLOAT16":
        return struct.pack("<e", -math.inf), struct.pack("<e", math.inf)
    if physical.type == Physical.FIXED_LEN_BYTE_ARRAY:
        return bytes(physical.length), b"\xff" * physical.length
    return {
        Physical.BOOLEAN: (False, True),
        Physical.INT32: signed(32),
        Physical.INT64: signed(64),
        Physical.FLOAT: (-math.inf, math.inf),
        Physical.DOUBLE: (-math.inf, math.inf),
        Physical.BYTE_ARRAY: (b"",),
    }[physical.type]


@pytest.mark.parametrize("kind", KINDS, ids=str)
def test_ends_of_parquet_columns(kind) -> None:
    """The least and the greatest value of each type are among the edges of its columns."""
    node = build(list(schema_of(kind))).children[0]
    assert set(ends_of(node)) <= set(values.domain(node).edges)


@pytest.mark.parametrize("kind", [*orc_kinds.NUMBERS, TypeKind.DATE], ids=str)
def test_ends_of_orc_columns(kind) -> None:
    """The same is so of ORC's numbers and days."""
    ends = {TypeKind.BOOLEAN: (False, True)}.get(kind, (-math.inf, math.inf))
    ends = signed(_ORC_BITS[kind]) if kind in _ORC_BITS else ends
    assert set(ends) <= set(orc_values.domain(Type(kind=kind)).edges)


def test_orc_moments_are_listed() -> None:
    """ORC's moments have 64 bits of seconds; that strategies draw fewer is listed as a dodge."""
    drawn = max(seconds for seconds, _ in moments.instant(wide=True).edges)
    assert drawn < signed(64)[1]
    assert any(entry.place.endswith("moments.py:_SECONDS") for entry in load())
