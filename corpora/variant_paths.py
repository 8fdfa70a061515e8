"""What a Variant holds under a path, cut out of its bytes (VariantEncoding.md, "Value encoding").

A path is names of fields and numbers of elements, from 0. What it leads to has the metadata of the whole.
Fields are looked for one by one: whoever wrote them out of order is asked for what is there all the same.
Standard library only, Python 3.9.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Union

if TYPE_CHECKING:
    from collections.abc import Sequence

Step = Union[str, int]
_OBJECT, _ARRAY = 2, 3


def follow(metadata: bytes, value: bytes, steps: Sequence[Step]) -> bytes | None:
    """Return the value that a path leads to, None for nothing; raises ValueError for what is no Variant."""
    names = _names(metadata)
    for step in steps:
        found = _field(names, value, step) if isinstance(step, str) else _element(value, step)
        if found is None:
            return None
        value = found
    return value


def inner(metadata: bytes, value: bytes) -> list[Step]:
    """Return the steps that lead further, none into a primitive; raises ValueError as `follow` does."""
    header, basic = _header(value)
    if basic == _ARRAY:
        size, at = _size(value, large=bool(header >> 2 & 1))
        _cut(value, at, (size + 1) * ((header & 3) + 1))  # no more elements than there are offsets
        return list(range(size))
    if basic != _OBJECT:
        return []
    size, at = _size(value, large=bool(header >> 4 & 1))
    names = _names(metadata)
    return [names[id_].decode("utf-8") for id_ in _numbers(value, at, size, (header >> 2 & 3) + 1)]


def _field(names: list[bytes], value: bytes, name: str) -> bytes | None:
    """Return the value of a field; R L II OO is the header: large, widths of ids and offsets."""
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
    """Return an element; RRR L OO is the header: large, width of offsets."""
    header, basic = _header(value)
    if basic != _ARRAY:
        return None
    size, at = _size(value, large=bool(header >> 2 & 1))
    return _held(value, at, size, (header & 3) + 1, number) if number < size else None


def _held(value: bytes, at: int, size: int, width: int, place: int) -> bytes:
    """Return a value by its place: up to the next offset, "offsets will not necessarily be ascending"."""
    offsets = _numbers(value, at, size + 1, width)
    start = offsets[place]
    end = min(one for one in [*offsets, offsets[-1]] if one > start or one == offsets[-1])
    base = at + width * (size + 1)
    return _cut(value, base + start, end - start)


def _names(metadata: bytes) -> list[bytes]:
    """Return the dictionary; OO R S VVVV is the header: width of offsets, sorted, version."""
    width = (_cut(metadata, 0, 1)[0] >> 6) + 1
    (size,) = _numbers(metadata, 1, 1, width)
    offsets = _numbers(metadata, 1 + width, size + 1, width)
    base = 1 + width * (size + 2)
    return [_cut(metadata, base + start, end - start) for start, end in zip(offsets, offsets[1:])]


def _header(value: bytes) -> tuple[int, int]:
    first = _cut(value, 0, 1)[0]
    return first >> 2, first & 3


def _size(value: bytes, *, large: bool) -> tuple[int, int]:
    """Return how many values are held, and where that number ends."""
    width = 4 if large else 1
    return _numbers(value, 1, 1, width)[0], 1 + width


def _numbers(data: bytes, at: int, count: int, width: int) -> list[int]:
    raw = _cut(data, at, count * width)
    return [int.from_bytes(raw[one : one + width], "little") for one in range(0, len(raw), width)]


def _cut(data: bytes, at: int, size: int) -> bytes:
    if size < 0 or at + size > len(data):
        raise ValueError(f"{size} bytes at {at} of {len(data)}")
    return data[at : at + size]
