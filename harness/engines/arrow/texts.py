"""Text and bytes out of Arrow's buffers: with offsets, and in views."""

from __future__ import annotations

import itertools
import struct
from collections.abc import Iterable, Iterator
from operator import sub
from typing import Any

from corpora.tagged import BIG, Value, big
from harness.engines.arrow.buffers import ArrowError, ascending, numbers, view
from harness.engines.arrow.slots import Slots

_BYTES_AT_ONCE = 1 << 22  # text of a block up to this size is decoded in one piece
_VIEW = struct.Struct("=iiii")
_ALWAYS = itertools.repeat(True)


def text(slots: Slots) -> list[Value]:
    """Write UTF-8 with offsets; of ASCII in moderate amounts, one decoded piece is cut up."""
    offsets, raw = _cuts(slots)
    if _is_moderate(offsets, raw):
        whole = raw.tobytes()
        if whole.isascii():
            decoded = whole.decode("ascii")
            return [decoded[start:end] for start, end in zip(offsets, offsets[1:])]
        return [str(whole[start:end], "utf-8", "surrogateescape") for start, end in zip(offsets, offsets[1:])]
    return [_text_of(raw[start:end]) for start, end in zip(offsets, offsets[1:])]


def binary(slots: Slots) -> list[Value]:
    """Write bytes with offsets."""
    offsets, raw = _cuts(slots)
    if _is_moderate(offsets, raw):
        digits = raw.hex()
        return [digits[2 * start : 2 * end] for start, end in zip(offsets, offsets[1:])]
    return [_hex_of(raw[start:end]) for start, end in zip(offsets, offsets[1:])]


def _cuts(slots: Slots) -> tuple[list[int], memoryview]:
    """Return offsets counted from 0, and the bytes they cut."""
    offsets = ascending(slots.source, slots.node.code, slots.first, slots.size)
    begin = offsets[0]
    raw = view(slots.source.buffers[2], begin, offsets[-1] - begin)
    return ([offset - begin for offset in offsets] if begin else offsets), raw


def _is_moderate(offsets: list[int], raw: memoryview) -> bool:
    return len(raw) <= BIG or (len(raw) <= _BYTES_AT_ONCE and max(map(sub, offsets[1:], offsets)) <= BIG)


def text_view(slots: Slots) -> list[Value]:
    """Write UTF-8 in views."""
    return list(map(_text_of, _viewed(slots)))


def binary_view(slots: Slots) -> list[Value]:
    """Write bytes in views."""
    return list(map(_hex_of, _viewed(slots)))


def _viewed(slots: Slots) -> Iterator[memoryview]:
    """Follow views: up to 12 bytes stand in the view, longer ones in one of the further buffers.

    The last buffer holds the sizes of those further buffers.
    """
    source = slots.source
    further = source.n_buffers - 3
    sizes = numbers(source.buffers[source.n_buffers - 1], "q", 0, further)
    buffers = [view(source.buffers[2 + at], 0, size) for at, size in enumerate(sizes)]
    raw = slots.bytes(16)
    views: Iterable[tuple[Any, ...]] = zip(_VIEW.iter_unpack(raw), slots.valid or _ALWAYS)
    for at, ((length, _, buffer, offset), ok) in enumerate(views):
        if not ok:
            yield memoryview(b"")
        elif 0 <= length <= 12:
            yield raw[16 * at + 4 : 16 * at + 4 + length]
        elif length < 0 or not 0 <= buffer < further or not 0 <= offset <= sizes[buffer] - length:
            raise ArrowError(f"{slots.node.name!r}: a view of {length} bytes outside its buffers")
        else:
            yield buffers[buffer][offset : offset + length]


def _text_of(raw: memoryview) -> Value:
    return str(raw, "utf-8", "surrogateescape") if len(raw) <= BIG else big(raw)


def _hex_of(raw: memoryview) -> Value:
    return raw.hex() if len(raw) <= BIG else big(raw)
