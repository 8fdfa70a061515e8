"""Values under a path inside a Variant, taken from its bytes (VariantEncoding.md, "Value encoding").

A path consists of names of fields and numbers of elements, from 0. The value under a path has the metadata of
the whole Variant. The search for a field is linear, so that it finds fields that a writer did not sort.
Standard library only, Python 3.9.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Union

Step = Union[str, int]
_OBJECT, _ARRAY = 2, 3


def is_step(step: Any) -> bool:
    """Return whether this is a name of a field or the number of an element."""
    return isinstance(step, str) or (type(step) is int and step >= 0)


def follow(metadata: bytes, value: bytes, steps: Sequence[Step]) -> bytes | None:
    """Return the value under a path, None where the path ends; raises ValueError for an invalid Variant."""
    names = _names(metadata)
    for step in steps:
        part = _field(names, value, step) if isinstance(step, str) else _element(value, step)
        if part is None:
            return None
        value = part
    return value


def inner(metadata: bytes, value: bytes) -> list[Step]:
    """Return the names of fields or numbers of elements of a value; raises ValueError as `follow` does."""
    header, basic = _header(value)
    if basic == _ARRAY:
        size, at = _size(value, large=bool(header >> 2 & 1))
        _cut(value, at, (size + 1) * ((header & 3) + 1))  # as many offsets must be there
        return list(range(size))
    if basic != _OBJECT:
        return []
    size, at = _size(value, large=bool(header >> 4 & 1))
    names = _names(metadata)
    return [names[id_].decode("utf-8") for id_ in _numbers(value, at, size, (header >> 2 & 3) + 1)]


def _field(names: list[bytes], value: bytes, name: str) -> bytes | None:
    """Return the value of a field. The header is R L II OO: large, widths of ids and offsets."""
    header, basic = _header(value)
    if basic != _OBJECT:
        return None
    size, at = _size(value, large=bool(header >> 4 & 1))
    width = (header >> 2 & 3) + 1
    ids = _numbers(value, at, size, width)
    wanted = name.encode("utf-8", "surrogatepass")
    for place, id_ in enumerate(ids):
        if id_ >= len(names):
            raise ValueError(f"field id {id_} of {len(names)} names")
        if names[id_] == wanted:
            return _held(value, at + size * width, size, (header & 3) + 1, place)
    return None


def _element(value: bytes, number: int) -> bytes | None:
    """Return an element. The header is RRR L OO: large, width of offsets."""
    header, basic = _header(value)
    if basic != _ARRAY:
        return None
    size, at = _size(value, large=bool(header >> 2 & 1))
    return _held(value, at, size, (header & 3) + 1, number) if number < size else None


def _held(value: bytes, at: int, size: int, width: int, place: int) -> bytes:
    """Return a value by its index; it ends at the next larger offset, as offsets need not be ascending."""
    offsets = _numbers(value, at, size + 1, width)
    start = offsets[place]
    end = min(offset for offset in offsets if offset > start or offset == offsets[-1])
    base = at + width * (size + 1)
    return _cut(value, base + start, end - start)


def _names(metadata: bytes) -> list[bytes]:
    """Return the names of the dictionary. The header is OO R S VVVV: width of offsets, sorted, version."""
    width = (_cut(metadata, 0, 1)[0] >> 6) + 1
    (size,) = _numbers(metadata, 1, 1, width)
    offsets = _numbers(metadata, 1 + width, size + 1, width)
    base = 1 + width * (size + 2)
    return [_cut(metadata, base + start, end - start) for start, end in zip(offsets, offsets[1:])]


def _header(value: bytes) -> tuple[int, int]:
    first = _cut(value, 0, 1)[0]
    return first >> 2, first & 3


def _size(value: bytes, *, large: bool) -> tuple[int, int]:
    """Return the number of values, and the position after that number."""
    width = 4 if large else 1
    return _numbers(value, 1, 1, width)[0], 1 + width


def _numbers(data: bytes, at: int, count: int, width: int) -> list[int]:
    raw = _cut(data, at, count * width)
    return [int.from_bytes(raw[start : start + width], "little") for start in range(0, len(raw), width)]


def _cut(data: bytes, at: int, size: int) -> bytes:
    if size < 0 or at + size > len(data):
        raise ValueError(f"{size} bytes at {at} of {len(data)}")
    return data[at : at + size]
