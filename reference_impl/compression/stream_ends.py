"""The end of a compressed stream, found by its framing: libraries that refuse extra bytes do not report it.

SNAPPY's header has the length of the output, so that its stream ends where its elements have made as many
bytes (format_description.txt of Snappy, sections 1 and 2). A frame of ZSTD ends behind the block that is
marked as the last, and its checksum (RFC 8878, sections 3.1.1 and 3.1.2).
"""

from __future__ import annotations

MOST = 1 << 24  # bytes of a stream whose framing is read in Python
_LONG_LITERAL = 60  # lengths from here on are in bytes of their own
_COPY_SIZES = {1: 2, 2: 3, 3: 5}  # bytes of the element, by its kind
_ZSTD, _SKIPPABLE = 0xFD2FB528, 0x184D2A50
_DICTIONARY_ID, _CONTENT_SIZE = (0, 1, 2, 4), (0, 2, 4, 8)  # bytes of fields, by their flags
_RLE, _RESERVED = 1, 3


def snappy_end(data: memoryview) -> int | None:
    """Return where a stream of SNAPPY ends, None if it does not end within `data`, or `data` is long."""
    if len(data) > MOST:
        return None
    try:
        size, at = _varint(data)
        while size > 0:
            tag = data[at]
            if tag & 3:
                at += _COPY_SIZES[tag & 3]
                size -= (tag >> 2 & 7) + 4 if tag & 3 == 1 else (tag >> 2) + 1
                continue
            extra = max(0, (tag >> 2) - _LONG_LITERAL + 1)
            length = int.from_bytes(data[at + 1 : at + 1 + extra], "little") if extra else tag >> 2
            at += 1 + extra + length + 1
            size -= length + 1
    except IndexError:
        return None
    return at if size == 0 and at <= len(data) else None


def zstd_end(data: memoryview) -> int | None:
    """Return where the last whole frame of ZSTD ends, None without one."""
    at, ends = 0, None
    try:
        while (frame := _frame_end(data, at)) is not None and frame <= len(data):
            at = ends = frame
    except IndexError:
        pass
    return ends


def _frame_end(data: memoryview, at: int) -> int | None:
    magic = int.from_bytes(data[at : at + 4], "little")
    if magic & ~0xF == _SKIPPABLE:
        return at + 8 + int.from_bytes(data[at + 4 : at + 8], "little")
    if magic != _ZSTD:
        return None
    descriptor = data[at + 4]
    is_single = descriptor >> 5 & 1
    at += 6 - is_single + _DICTIONARY_ID[descriptor & 3]
    at += _CONTENT_SIZE[descriptor >> 6] or is_single
    is_last = False
    while not is_last:
        block = data[at] | data[at + 1] << 8 | data[at + 2] << 16
        is_last, kind = bool(block & 1), block >> 1 & 3
        if kind == _RESERVED:
            return None
        at += 3 + (1 if kind == _RLE else block >> 3)
    return at + 4 * (descriptor >> 2 & 1)


def _varint(data: memoryview) -> tuple[int, int]:
    value = 0
    for at in range(5):
        value |= (data[at] & 0x7F) << 7 * at
        if data[at] < 0x80:
            return value, at + 1
    raise IndexError
