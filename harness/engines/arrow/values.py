"""Values out of Arrow's buffers: one function per memory layout.

Specification: https://arrow.apache.org/docs/format/Columnar.html. A slot is counted from the array's own
`offset`; the children of a struct or fixed-size list are counted from the parent's slot on, plus their own.
The values in null slots are undefined, also those of children below a null (pyarrow leaves indices into an
empty dictionary there), so views, list views and dictionary indices are followed for valid slots only.
"""

from __future__ import annotations

import array
import ctypes
import itertools
import struct
from bisect import bisect_right
from collections.abc import Callable

from corpora.tagged import BIG, Value, big
from harness.engines.arrow import texts
from harness.engines.arrow.buffers import ArrowError, CArray, ascending, bits, numbers, validity
from harness.engines.arrow.slots import Slots
from harness.engines.arrow.types import Node

_DAY_MILLIS = 86_400_000
_AT_UTC = 57_599
_UNIONS = ("dense_union", "sparse_union")  # these alone have a first buffer that is no validity
_ALWAYS = itertools.repeat(True)


def read(
    node: Node,
    source: CArray,
    start: int,
    count: int,
    dictionaries: dict[int, list[Value]],
    *,
    wanted: list[bool] | None = None,
) -> list[Value]:
    """Return the tagged values of the slots `start:start + count`, None for those not wanted.

    `dictionaries` remembers, for one batch, the dictionaries that were converted. Raises ArrowError.
    """
    if not count:
        return []
    valid = None if node.layout in _UNIONS else validity(source, start, count)
    if wanted is not None:
        valid = wanted if valid is None else [own and above for own, above in zip(valid, wanted)]
    values = _LAYOUTS[node.layout](Slots(node, source, source.offset + start, count, valid, dictionaries))
    return values if valid is None else [value if ok else None for value, ok in zip(values, valid)]


def _child(slots: Slots, at: int, first: int, count: int, wanted: list[bool] | None = None) -> list[Value]:
    """Return values of a child; `wanted`: the slots that are not below a null."""
    source = slots.source.children[at].contents
    if first < 0 or first + count > source.length:
        raise ArrowError(f"{slots.node.name!r}: slots to {first + count} of {source.length} in a child")
    return read(slots.node.children[at], source, first, count, slots.dictionaries, wanted=wanted)


def fields(
    node: Node, source: CArray, start: int, count: int, dictionaries: dict[int, list[Value]]
) -> list[list[Value]]:
    """Return the values of each field of a struct array."""
    return _fields(Slots(node, source, source.offset + start, count, None, dictionaries))


def _fields(slots: Slots) -> list[list[Value]]:
    return [_child(slots, at, slots.first, slots.size, slots.valid) for at in range(len(slots.node.children))]


def _nulls(slots: Slots) -> list[Value]:
    return [None] * slots.size


def _bools(slots: Slots) -> list[Value]:
    return list(bits(slots.source.buffers[1], slots.first, slots.size))


def _bytes_as_bools(slots: Slots) -> list[Value]:
    """Write the extension type arrow.bool8: a byte each, any but 0 is true."""
    return list(map(bool, slots.numbers()))


def _integers(slots: Slots) -> list[Value]:
    """Write integers, and all that is counted: dates, times, timestamps, durations, small decimals."""
    return list(map(str, slots.numbers()))


def _duckdb_time_tz(slots: Slots) -> list[Value]:
    """Write DuckDB's TIME WITH TIME ZONE: microseconds << 24 | (57599 - seconds east of UTC), in 8 bytes."""
    packed = [number if ok else _AT_UTC for number, ok in zip(slots.numbers("Q"), slots.valid or _ALWAYS)]
    if any(item & 0xFFFFFF != _AT_UTC for item in packed):
        raise ArrowError(f"{slots.node.name!r}: a time in another zone than UTC")
    return [str(item >> 24) for item in packed]


def _date_millis(slots: Slots) -> list[Value]:
    """Write date64: milliseconds, which "must be evenly divisible by 86400000"."""
    millis = slots.numbers()
    if any(ok and milli % _DAY_MILLIS for milli, ok in zip(millis, slots.valid or _ALWAYS)):
        raise ArrowError(f"{slots.node.name!r}: a date64 is no whole day")
    return [str(milli // _DAY_MILLIS) for milli in millis]


def _floats(slots: Slots) -> list[Value]:
    """Write IEEE bits, big-endian."""
    raw = array.array(slots.node.code)
    raw.frombytes(slots.bytes(slots.node.width))
    raw.byteswap()
    return _pieces(raw.tobytes().hex(), 2 * slots.node.width, slots.size)


def _fixed(slots: Slots) -> list[Value]:
    width = slots.node.width
    raw = slots.bytes(width)
    if width > BIG:
        return [big(raw[at * width : (at + 1) * width]) for at in range(slots.size)]
    return _pieces(raw.hex(), 2 * width, slots.size)


def _wide_integers(slots: Slots) -> list[Value]:
    """Write decimal128 and decimal256: two's complement, little-endian."""
    width = slots.node.width
    raw = slots.bytes(width)
    if width == 16:
        pairs = zip(raw.cast("Q")[::2].tolist(), raw.cast("q")[1::2].tolist())
        return [str(high << 64 | low) for low, high in pairs]
    cuts = range(0, slots.size * width, width)
    return [str(int.from_bytes(raw[at : at + width], "little", signed=True)) for at in cuts]


def _months(slots: Slots) -> list[Value]:
    return [[str(number), "0", "0"] for number in slots.numbers("i")]


def _days_millis(slots: Slots) -> list[Value]:
    pairs = struct.iter_unpack("=ii", slots.bytes(8))
    return [["0", str(days), str(millis * 1_000_000)] for days, millis in pairs]


def _months_days_nanos(slots: Slots) -> list[Value]:
    parts = struct.iter_unpack("=iiq", slots.bytes(16))
    return [[str(months), str(days), str(nanos)] for months, days, nanos in parts]


def _list(slots: Slots) -> list[Value]:
    """Write lists with offsets, and maps: a map's entries are structs of key and value."""
    offsets = ascending(slots.source, slots.node.code, slots.first, slots.size)
    begin = offsets[0]
    items = _child(slots, 0, begin, offsets[-1] - begin)
    return [items[start - begin : end - begin] for start, end in zip(offsets, offsets[1:])]


def _fixed_list(slots: Slots) -> list[Value]:
    size = slots.node.width
    wanted = None if slots.valid is None else [ok for ok in slots.valid for _ in range(size)]
    items = _child(slots, 0, slots.first * size, slots.size * size, wanted)
    return [items[at * size : (at + 1) * size] for at in range(slots.size)]


def _list_view(slots: Slots) -> list[Value]:
    """Write lists with offsets and sizes, in any order, possibly overlapping."""
    starts, sizes = slots.numbers(), slots.numbers(buffer=2)
    if slots.valid:
        pairs = [pair if ok else (0, 0) for *pair, ok in zip(starts, sizes, slots.valid)]
        starts, sizes = map(list, zip(*pairs))
    if min(sizes) < 0:
        raise ArrowError(f"{slots.node.name!r}: a list of negative size")
    used = [(start, start + size) for start, size in zip(starts, sizes) if size]
    begin, end = min((start for start, _ in used), default=0), max((end for _, end in used), default=0)
    items = _child(slots, 0, begin, end - begin)
    return [items[at - begin : at - begin + size] if size else [] for at, size in zip(starts, sizes)]


def _struct(slots: Slots) -> list[Value]:
    if not slots.node.children:
        return [[] for _ in range(slots.size)]
    return list(map(list, zip(*_fields(slots))))


def _struct_reversed(slots: Slots) -> list[Value]:
    """Write structs of two fields, the second first."""
    second, first = _fields(slots)
    return list(map(list, zip(first, second)))


def _second_field(slots: Slots) -> list[Value]:
    return _child(slots, 1, slots.first, slots.size, slots.valid)


def _tags(slots: Slots) -> list[int]:
    """Return which child each slot of a union is of; a union has no validity, its types are buffer 0."""
    tag_of = {type_id: tag for tag, type_id in enumerate(slots.node.type_ids)}
    result = numbers(slots.source.buffers[0], "b", slots.first, slots.size)
    try:
        return [tag_of[item] for item in result]
    except KeyError as error:
        raise ArrowError(
            f"{slots.node.name!r}: a value has type code {error}, which its union does not have"
        ) from error


def _sparse_union(slots: Slots) -> list[Value]:
    """Write unions whose children have a slot for each of the union's."""
    tags = _tags(slots)
    held = [
        _child(slots, tag, slots.first, slots.size, [item == tag for item in tags])
        for tag in range(len(slots.node.children))
    ]
    return [[str(tag), held[tag][at]] for at, tag in enumerate(tags)]


def _dense_union(slots: Slots) -> list[Value]:
    """Write unions with an offset into their child for each slot."""
    tags, offsets = _tags(slots), slots.numbers("i")
    held = {}
    for tag in set(tags):
        used = [at for item, at in zip(tags, offsets) if item == tag]
        held[tag] = min(used), _child(slots, tag, min(used), max(used) + 1 - min(used))
    return [[str(tag), held[tag][1][at - held[tag][0]]] for tag, at in zip(tags, offsets)]


def _dictionary(slots: Slots) -> list[Value]:
    """Follow indices into a dictionary."""
    assert slots.node.dictionary is not None
    entries = slots.source.dictionary.contents
    key = ctypes.addressof(entries)
    if key not in slots.dictionaries:
        slots.dictionaries[key] = read(slots.node.dictionary, entries, 0, entries.length, slots.dictionaries)
    known = slots.dictionaries[key]
    indices = slots.numbers()
    followed = indices if slots.valid is None else list(itertools.compress(indices, slots.valid))
    if followed and not 0 <= min(followed) <= max(followed) < len(known):
        raise ArrowError(f"{slots.node.name!r}: an index outside the dictionary of {len(known)}")
    return [known[at] if ok else None for at, ok in zip(indices, slots.valid or _ALWAYS)]


def _run_end_encoded(slots: Slots) -> list[Value]:
    """Repeat runs: the children are the ends of the runs, counted from the unsliced start, and values."""
    ends_array = slots.source.children[0].contents
    ends = numbers(ends_array.buffers[1], slots.node.code, ends_array.offset, ends_array.length)
    last_slot = slots.first + slots.size
    run, last_run = bisect_right(ends, slots.first), bisect_right(ends, last_slot - 1)
    out: list[Value] = []
    at = slots.first
    for end, value in zip(ends[run:], _child(slots, 1, run, last_run - run + 1)):
        out += [value] * (min(end, last_slot) - at)
        at = end
    return out


def _pieces(text: str, size: int, count: int) -> list[Value]:
    return [text[at * size : (at + 1) * size] for at in range(count)]


_LAYOUTS: dict[str, Callable[[Slots], list[Value]]] = {
    "nulls": _nulls,
    "bools": _bools,
    "bytes_as_bools": _bytes_as_bools,
    "integers": _integers,
    "duckdb_time_tz": _duckdb_time_tz,
    "date_millis": _date_millis,
    "floats": _floats,
    "fixed": _fixed,
    "wide_integers": _wide_integers,
    "months": _months,
    "days_millis": _days_millis,
    "months_days_nanos": _months_days_nanos,
    "text": texts.text,
    "binary": texts.binary,
    "text_view": texts.text_view,
    "binary_view": texts.binary_view,
    "list": _list,
    "fixed_list": _fixed_list,
    "list_view": _list_view,
    "struct": _struct,
    "struct_reversed": _struct_reversed,
    "second_field": _second_field,
    "sparse_union": _sparse_union,
    "dense_union": _dense_union,
    "dictionary": _dictionary,
    "run_end_encoded": _run_end_encoded,
}
