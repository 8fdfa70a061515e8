"""Domains of numbers: around the limits of integers, floats and decimal digits."""

from __future__ import annotations

import math
import struct
from typing import Any

from properties.strategies.domains import Domain, Floats


def integers(bits: int, *, signed: bool) -> Domain:
    """Return integers as they are stored: unsigned ones above the signed maximum are negative."""
    width = max(bits, 32)
    low, high = (-(1 << bits - 1), (1 << bits - 1) - 1) if signed else (0, (1 << bits) - 1)
    middle = 1 << bits - 1
    near = [0, 1, -1, 2, low, low + 1, high, high - 1, middle - 1, middle, middle + 1, 127, 128, 255, 256]
    edges = list(dict.fromkeys(value for value in near if low <= value <= high))
    bases = [base for base in (0, -50, low, high - 40, middle - 20, high - 3000, 1000) if low <= base <= high]

    def stored(value: int) -> int:
        return value - (1 << width) if value >= 1 << width - 1 else value

    return Domain(
        [stored(value) for value in edges], lambda at: stored(low + (at - low) % (high - low + 1)), bases
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


def floats(form: str) -> Floats:
    """Return floats of a `struct` format: NaNs of several payloads and signs, both zeros, subnormals."""
    plain = [struct.pack(form, value) for value in (0.0, 1.0, -0.0, -1.0, 0.5, 100.0, -100.0)]
    limits = [bytes.fromhex(limit) for limit in _LIMITS[form]]
    negative = [limit[:-1] + bytes([limit[-1] | 0x80]) for limit in limits]
    infinite = [struct.pack(form, float(sign + "inf")) for sign in "+-"]
    nans = [bytes.fromhex(nan) for nan in _NANS[form]]
    edges = [*plain, *nans, *infinite, *limits, *negative, nans[0], plain[2], nans[0], plain[2]]
    most = 4096 if form == "<e" else 1 << 20

    def nth(at: int) -> Any:
        return _float(form, struct.pack(form, at % most / 2 - most // 8))

    bases = (most // 4, 0, most // 4 + 200)
    zeros, special = ([_float(form, raw) for raw in some] for some in ((plain[0], plain[2]), nans))
    return Floats([_float(form, raw) for raw in edges], nth, bases, zeros, special)


def _float(form: str, raw: bytes) -> Any:
    """Return a float as plans hold it; a FLOAT16 is bytes, because it is a FIXED_LEN_BYTE_ARRAY."""
    if form == "<e":
        return raw
    (value,) = struct.unpack(form, raw)
    return raw if math.isnan(value) else value


def decimals(precision: int) -> Domain:
    """Return unscaled values of at most `precision` digits."""
    most = 10**precision - 1
    near = [0, 1, -1, most, -most, most - 1, 1 - most, 127, 128, -128, -129, 255, 256, -256]
    near += [32767, 32768, -32768, 1 << 31, -(1 << 31), 1 << 63, -(1 << 63), (1 << 63) - 1]
    edges = list(dict.fromkeys(value for value in near if -most <= value <= most))
    bases = (0, -50, max(-most, -3000), most - 40)
    return Domain(edges, lambda at: (at + most) % (2 * most + 1) - most, bases)
