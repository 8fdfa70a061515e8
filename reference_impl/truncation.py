"""Truncated bounds of byte arrays: a lower bound is cut, an upper bound is cut and incremented.

parquet.thrift (Statistics): "Such more compact values must still be valid values within the column's logical
type": text stays UTF-8.
"""

from __future__ import annotations

_SURROGATES = (0xD800, 0xE000)
_LAST = 0x10FFFF


def shortened(raw: bytes, most: int, *, text: bool) -> bytes:
    """Return the first `most` bytes of a bound; text is cut between characters."""
    cut = raw[:most]
    return cut.decode("utf-8", "ignore").encode() if text else cut


def incremented(raw: bytes, *, text: bool) -> bytes | None:
    """Return the least bound, no longer than `raw`, above all values with this prefix, None without one."""
    if text:
        return _incremented_text(raw.decode("utf-8", "ignore"))
    stem = raw.rstrip(b"\xff")
    return stem[:-1] + bytes([stem[-1] + 1]) if stem else None


def _incremented_text(text: str) -> bytes | None:
    """Increment the last character that has a successor; code points are in the order of their UTF-8."""
    while text:
        point = ord(text[-1]) + 1
        if point == _SURROGATES[0]:
            point = _SURROGATES[1]
        if point <= _LAST:
            return (text[:-1] + chr(point)).encode()
        text = text[:-1]
    return None


def decremented(raw: bytes, *, text: bool) -> bytes:
    """Return a lower bound: the value without its last byte or character."""
    return raw.decode("utf-8", "ignore")[:-1].encode() if text else raw[:-1]
