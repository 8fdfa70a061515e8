"""Physical types, and the arrays of their values."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from reference_impl.byte_arrays import ByteArrays, Values
from reference_impl.parquet.schema import Type

__all__ = ["Physical", "Values", "concat", "empty", "take"]

# Values of BOOLEAN: bool · INT32: int32 · INT64: int64 · FLOAT: float32 · DOUBLE: float64 · BYTE_ARRAY:
# ByteArrays · INT96 and FIXED_LEN_BYTE_ARRAY: uint8 of shape (n, width). All little-endian, one dimension
# if not noted.
_DTYPES = {Type.INT32: "<i4", Type.INT64: "<i8", Type.FLOAT: "<f4", Type.DOUBLE: "<f8"}
_WIDTHS = {Type.INT32: 4, Type.INT64: 8, Type.INT96: 12, Type.FLOAT: 4, Type.DOUBLE: 8}


class Physical(NamedTuple):
    """A physical type; `length` is the byte length of FIXED_LEN_BYTE_ARRAY, else 0."""

    type: Type
    length: int = 0

    @property
    def width(self) -> int:
        """The size of a PLAIN value in bytes; 0 for BOOLEAN (a bit) and BYTE_ARRAY (any size)."""
        return self.length or _WIDTHS.get(self.type, 0)

    @property
    def dtype(self) -> np.dtype[np.generic] | None:
        """The numpy type of INT32, INT64, FLOAT and DOUBLE, else None."""
        name = _DTYPES.get(self.type)
        return np.dtype(name) if name else None

    def __str__(self) -> str:
        return f"{self.type.name}({self.length})" if self.length else self.type.name


def empty(physical: Physical) -> Values:
    """Return an empty array of the type."""
    if physical.type == Type.BYTE_ARRAY:
        return ByteArrays.of(())
    if physical.type == Type.BOOLEAN:
        return np.zeros(0, np.bool_)
    if physical.dtype is not None:
        return np.zeros(0, physical.dtype)
    return np.zeros((0, physical.width), np.uint8)


def concat(parts: list[Values], physical: Physical) -> Values:
    """Return the values of all parts, in order."""
    if not parts:
        return empty(physical)
    if len(parts) == 1:
        return parts[0]
    if physical.type == Type.BYTE_ARRAY:
        return ByteArrays.concat([part for part in parts if isinstance(part, ByteArrays)])
    return np.concatenate([part for part in parts if not isinstance(part, ByteArrays)])


def take(values: Values, indices: NDArray[np.int64]) -> Values:
    """Return the values at `indices` (dictionary decoding); the caller has checked their range."""
    return values.take(indices) if isinstance(values, ByteArrays) else values[indices]
