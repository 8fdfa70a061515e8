"""Values of a leaf: the edges of its type, and values in order.

Values are those of plans (see `reference_impl.parquet.plan`), where a NaN is bytes.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import TYPE_CHECKING, Any

from properties.strategies import moments, numbers, texts
from properties.strategies.domains import Domain
from reference_impl.parquet.logical import Logical
from reference_impl.parquet.schema import Type
from reference_impl.parquet.tree import Node
from reference_impl.parquet.types import Physical

if TYPE_CHECKING:
    from hypothesis import strategies as st


def domain(node: Node, *, wide: bool = True) -> Domain:
    """Return the domain of a leaf column; `wide`: with timestamps that a reader may refuse."""
    assert node.physical is not None
    if not wide and node.logical is not None and node.logical.name == "TIMESTAMP":
        return moments.near(node.logical.unit)
    return _domain(node.physical, node.logical)


@cache
def _domain(physical: Physical, logical: Logical | None) -> Domain:
    name = logical.name if logical else ""
    if name in _BY_NAME:
        assert logical is not None
        return _BY_NAME[name](logical)
    if name == "DECIMAL":
        assert logical is not None
        return _decimal(logical, physical.type, physical.length)
    if physical.type in (Type.INT32, Type.INT64):
        return numbers.integers(8 * physical.width, signed=True)
    if physical.type in (Type.FLOAT, Type.DOUBLE):
        return numbers.floats("<f" if physical.type == Type.FLOAT else "<d")
    if physical.type == Type.BOOLEAN:
        return Domain((False, True), lambda at: bool(at % 2))
    return texts.binary() if physical.type == Type.BYTE_ARRAY else _fixed(physical.length)


def edges(node: Node) -> st.SearchStrategy[Any]:
    """Return a strategy for single values of a leaf, which shrink to the simplest."""
    return domain(node).edge


def _fixed(length: int) -> Domain:
    top = bytes([0x80]) + bytes(length - 1)
    edges = [
        bytes(length),
        bytes(length - 1) + b"\x01",
        b"\xff" * length,
        top,
        b"\x7f" + b"\xff" * (length - 1),
    ]
    edges += [b"a" * length, b"\xff" * (length - 1) + b"\xfe", b"\xff" + bytes(length - 1)]
    most = 1 << 8 * length
    half = most >> 1
    return Domain(edges, lambda at: (at % most).to_bytes(length, "big"), (0, half - 40, max(most - 3000, 0)))


def _decimal(logical: Logical, type_: Type, length: int) -> Domain:
    unscaled = numbers.decimals(logical.precision)

    def stored(value: int) -> Any:
        if type_ in (Type.INT32, Type.INT64):
            return value
        return value.to_bytes(length or _least(value), "big", signed=True)

    values = [stored(value) for value in unscaled.edges]
    if type_ == Type.BYTE_ARRAY:
        # "The minimum number of bytes to store the unscaled value should be used": more are legal.
        values += [
            value.to_bytes(_least(value) + more, "big", signed=True)
            for value in unscaled.edges
            for more in (1, 9)
        ]
    return Domain(values, lambda at: stored(unscaled.nth(at)), unscaled.bases)


def _least(value: int) -> int:
    """Return the number of bytes that two's complement needs."""
    return (value if value >= 0 else ~value).bit_length() // 8 + 1


def _unknown(_: Logical) -> Domain:
    # "values are always null", and `contents` draws no other values.
    return Domain((None,), lambda _at: None)


_BY_NAME: dict[str, Callable[[Logical], Domain]] = {
    "STRING": lambda _: texts.text(),
    "ENUM": lambda _: texts.text(),
    "JSON": lambda _: texts.json_text(),
    "BSON": lambda _: texts.bson(),
    "UUID": lambda _: _fixed(16),
    "FLOAT16": lambda _: numbers.floats("<e"),
    "INTEGER": lambda logical: numbers.integers(logical.bits, signed=logical.signed),
    "DATE": lambda _: moments.date(),
    "TIME": lambda logical: moments.time(logical.unit),
    "TIMESTAMP": lambda logical: moments.timestamp(logical.unit),
    "INTERVAL": lambda _: moments.interval(),
    "INT96": lambda _: moments.int96(),
    "GEOMETRY": lambda _: texts.geometries(),
    "GEOGRAPHY": lambda _: texts.geometries(),
    "UNKNOWN": _unknown,
}
