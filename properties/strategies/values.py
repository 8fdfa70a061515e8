"""Values of a leaf: the edges of its type, and values in order.

Values are those of plans (see `reference_impl.parquet.plan`); a NaN is given as its bytes.
"""

from __future__ import annotations

import math
import struct
from functools import cache
from typing import TYPE_CHECKING, Any

from hypothesis import strategies as st

from properties.strategies import moments, texts
from properties.strategies.domains import Domain
from reference_impl.parquet.schema import Type

if TYPE_CHECKING:
    from collections.abc import Callable

    from reference_impl.parquet.logical import Logical
    from reference_impl.parquet.tree import Node
    from reference_impl.parquet.types import Physical


def domain(node: Node) -> Domain:
    """Answer the domain of a leaf column."""
    assert node.physical is not None
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
        return _integer(8 * physical.width, signed=True)
    if physical.type in (Type.FLOAT, Type.DOUBLE):
        return _floating("<f" if physical.type == Type.FLOAT else "<d")
    if physical.type == Type.BOOLEAN:
        return Domain((False, True), lambda at: bool(at % 2))
    return texts.binary() if physical.type == Type.BYTE_ARRAY else _fixed(physical.length)


def edges(node: Node) -> st.SearchStrategy[Any]:
    """Answer single values of a leaf, which shrink to its simplest."""
    assert node.physical is not None
    return _edges(node.physical, node.logical)


@cache
def _edges(physical: Physical, logical: Logical | None) -> st.SearchStrategy[Any]:
    return st.sampled_from(_domain(physical, logical).edges)


def _integer(bits: int, *, signed: bool) -> Domain:
    """Answer integers as stored: those of unsigned types beyond the signed maximum are negative."""
    width = max(bits, 32)
    low, high = (-(1 << bits - 1), (1 << bits - 1) - 1) if signed else (0, (1 << bits) - 1)
    middle = 1 << bits - 1
    near = [0, 1, -1, 2, low, low + 1, high, high - 1, middle - 1, middle, middle + 1, 127, 128, 255, 256]
    found = list(dict.fromkeys(value for value in near if low <= value <= high))
    bases = [base for base in (0, -50, low, high - 40, middle - 20, high - 3000, 1000) if low <= base <= high]

    def stored(value: int) -> int:
        return value - (1 << width) if value >= 1 << width - 1 else value

    return Domain(
        [stored(value) for value in found], lambda at: stored(low + (at - low) % (high - low + 1)), bases
    )


_NANS = {
    "<e": ("007e", "00fe", "017c", "ff7f", "ffff"),
    "<f": ("0000c07f", "0000c0ff", "0100807f", "ffffff7f", "efbeadff"),
    "<d": (
        "000000000000f87f",
        "000000000000f8ff",
        "010000000000f07f",
        "ffffffffffffff7f",
        "efbeaddeefbeffff",
    ),
}
_LIMITS = {  # smallest subnormal, largest subnormal, smallest normal, largest
    "<e": ("0100", "ff03", "0004", "ff7b"),
    "<f": ("01000000", "ffff7f00", "00008000", "ffff7f7f"),
    "<d": ("0100000000000000", "ffffffffffff0f00", "0000000000001000", "ffffffffffffef7f"),
}


def _floating(form: str) -> Domain:
    plain = [struct.pack(form, value) for value in (0.0, 1.0, -0.0, -1.0, 0.5, 100.0, -100.0)]
    limits = [bytes.fromhex(limit) for limit in _LIMITS[form]]
    negative = [limit[:-1] + bytes([limit[-1] | 0x80]) for limit in limits]
    infinite = [struct.pack(form, float(sign + "inf")) for sign in "+-"]
    nans = [bytes.fromhex(nan) for nan in _NANS[form]]
    found = [*plain, *nans, *infinite, *limits, *negative, nans[0], plain[2], nans[0], plain[2]]
    most = 4096 if form == "<e" else 1 << 20

    def nth(at: int) -> Any:
        return _float(form, struct.pack(form, at % most / 2 - most // 8))

    return Domain([_float(form, raw) for raw in found], nth, (most // 4, 0, most // 4 + 200))


def _float(form: str, raw: bytes) -> Any:
    """Answer a float as plans have it; a FLOAT16 is stored as FIXED_LEN_BYTE_ARRAY, hence bytes."""
    if form == "<e":
        return raw
    (value,) = struct.unpack(form, raw)
    return raw if math.isnan(value) else value


def _fixed(length: int) -> Domain:
    top = bytes([0x80]) + bytes(length - 1)
    found = [
        bytes(length),
        bytes(length - 1) + b"\x01",
        b"\xff" * length,
        top,
        b"\x7f" + b"\xff" * (length - 1),
    ]
    found += [b"a" * length, b"\xff" * (length - 1) + b"\xfe", b"\xff" + bytes(length - 1)]
    most = 1 << 8 * length
    half = most >> 1
    return Domain(found, lambda at: (at % most).to_bytes(length, "big"), (0, half - 40, max(most - 3000, 0)))


def _decimal(logical: Logical, type_: Type, length: int) -> Domain:
    most = 10**logical.precision - 1
    near = [
        0,
        1,
        -1,
        most,
        -most,
        most - 1,
        1 - most,
        127,
        128,
        -128,
        -129,
        255,
        256,
        -256,
        32767,
        32768,
        -32768,
    ]
    near += [1 << 31, -(1 << 31), 1 << 63, -(1 << 63), (1 << 63) - 1]
    found = list(dict.fromkeys(value for value in near if -most <= value <= most))

    def stored(value: int) -> Any:
        if type_ in (Type.INT32, Type.INT64):
            return value
        return value.to_bytes(length or _least(value), "big", signed=True)

    values = [stored(value) for value in found]
    if type_ == Type.BYTE_ARRAY:
        # "The minimum number of bytes to store the unscaled value should be used": more are legal.
        values += [
            value.to_bytes(_least(value) + more, "big", signed=True) for value in found for more in (1, 9)
        ]
    return Domain(
        values, lambda at: stored((at + most) % (2 * most + 1) - most), (0, -50, max(-most, -3000), most - 40)
    )


def _least(value: int) -> int:
    """Answer the bytes that two's complement needs."""
    return (value if value >= 0 else ~value).bit_length() // 8 + 1


def _unknown(_: Logical) -> Domain:
    # "values are always null", and `contents` makes no others.
    return Domain((None,), lambda _at: None)


_BY_NAME: dict[str, Callable[[Logical], Domain]] = {
    "STRING": texts.text,
    "ENUM": texts.text,
    "JSON": texts.json_text,
    "BSON": texts.bson,
    "UUID": lambda _: _fixed(16),
    "FLOAT16": lambda _: _floating("<e"),
    "INTEGER": lambda logical: _integer(logical.bits, signed=logical.signed),
    "DATE": moments.date,
    "TIME": moments.time,
    "TIMESTAMP": moments.timestamp,
    "INTERVAL": moments.interval,
    "INT96": moments.int96,
    "UNKNOWN": _unknown,
}
