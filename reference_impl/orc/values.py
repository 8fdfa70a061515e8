"""Values of plans as numbers and text: what statistics, Bloom filters and encoders have to agree on."""

from __future__ import annotations

import struct
from typing import Any

from reference_impl.errors import UsageError
from reference_impl.orc.schema import TypeKind

MAX_SCALE = 38
_FORMS = {TypeKind.FLOAT: "<f", TypeKind.DOUBLE: "<d"}


def raw(kind: TypeKind, value: float | bytes) -> bytes:
    """Return the bytes of a FLOAT or DOUBLE, little-endian; raises UsageError for a number too large."""
    if isinstance(value, bytes):
        return value
    try:
        return struct.pack(_FORMS[kind], value)
    except OverflowError as error:
        raise UsageError(f"{value} as {kind.name}") from error


def number(kind: TypeKind, value: float | bytes) -> float:
    """Return a FLOAT or DOUBLE as it is stored: a FLOAT is rounded to 32 bits."""
    (stored,) = struct.unpack(_FORMS[kind], raw(kind, value))
    return float(stored)


def decimal_parts(value: int | tuple[int, int], scale: int) -> tuple[int, int]:
    """Return the unscaled value of a DECIMAL and its scale, the type's by default."""
    return (value, scale) if isinstance(value, int) else value


def decimal_key(value: int | tuple[int, int], scale: int) -> int:
    """Return a DECIMAL as an integer at the largest scale."""
    unscaled, own = decimal_parts(value, scale)
    return int(unscaled * 10 ** (MAX_SCALE - own))


def decimal_text(value: Any, scale: int) -> str:
    """Return a DECIMAL as text of statistics and Bloom filters: plain, without trailing zeros."""
    unscaled, own = decimal_parts(value, scale)
    digits = str(abs(unscaled)).rjust(own + 1, "0")
    whole, fraction = digits[: len(digits) - own], digits[len(digits) - own :].rstrip("0")
    return "-" * (unscaled < 0) + whole + ("." + fraction if fraction else "")
