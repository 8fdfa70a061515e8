"""Views of Arrow's buffers, and the few things that are read from them in one way everywhere."""

from __future__ import annotations

import ctypes
import itertools
import struct
from collections.abc import Iterable
from operator import sub


class CArray(ctypes.Structure):
    """`struct ArrowArray` of the C data interface."""


_ArrayPointer = ctypes.POINTER(CArray)
CArray._fields_ = [
    ("length", ctypes.c_int64),
    ("null_count", ctypes.c_int64),
    ("offset", ctypes.c_int64),
    ("n_buffers", ctypes.c_int64),
    ("n_children", ctypes.c_int64),
    ("buffers", ctypes.POINTER(ctypes.c_void_p)),
    ("children", ctypes.POINTER(_ArrayPointer)),
    ("dictionary", _ArrayPointer),
    ("release", ctypes.CFUNCTYPE(None, _ArrayPointer)),
    ("private_data", ctypes.c_void_p),
]

_BITS = [tuple(bool(byte >> bit & 1) for bit in range(8)) for byte in range(256)]
_READ_ONLY = 0x100

_from_memory = ctypes.pythonapi.PyMemoryView_FromMemory
_from_memory.restype = ctypes.py_object
_from_memory.argtypes = [ctypes.c_void_p, ctypes.c_ssize_t, ctypes.c_int]


class ArrowError(ValueError):
    """The engine's Arrow data breaks Arrow's own rules."""

    __module__ = "harness.engines.arrow_buffers"  # as results have it; see harness/engines/errors.py


def view(address: int | None, start: int, size: int) -> memoryview:
    """View `size` bytes from byte `start` of a buffer; an empty buffer may have no address."""
    if size < 0 or start < 0 or (size and not address):
        raise ArrowError(f"a buffer of {size} bytes from byte {start}, at {address}")
    if not size:
        return memoryview(b"")
    result: memoryview = _from_memory((address or 0) + start, size, _READ_ONLY)
    return result


def numbers(address: int | None, code: str, first: int, count: int) -> list[int]:
    """Return integers of a `struct` code."""
    width = struct.calcsize(code)
    result: list[int] = view(address, first * width, count * width).cast(code).tolist()  # type: ignore[call-overload]
    return result


def bits(address: int | None, first: int, count: int) -> Iterable[bool]:
    """Return bits, the least significant of each byte first."""
    raw = view(address, first // 8, (first % 8 + count + 7) // 8)
    all_bits = itertools.chain.from_iterable(map(_BITS.__getitem__, raw))
    return itertools.islice(all_bits, first % 8, first % 8 + count)


def validity(source: CArray, start: int, count: int) -> list[bool] | None:
    """Return which slots are valid, or None if all are (or if the layout has no validity of its own)."""
    if source.null_count == 0 or not source.n_buffers or not source.buffers[0]:
        return None
    return list(bits(source.buffers[0], source.offset + start, count))


def ascending(source: CArray, code: str, first: int, count: int) -> list[int]:
    """Return the `count + 1` offsets of slots; raises ArrowError if they do not ascend from 0 or more."""
    offsets = numbers(source.buffers[1], code, first, count + 1)
    if offsets[0] < 0 or min(map(sub, offsets[1:], offsets)) < 0:
        raise ArrowError("offsets that do not ascend")
    return offsets
