"""Shorter bounds of byte arrays: below, cut; above, cut and incremented.

parquet.thrift (Statistics): "Such more compact values must still be valid values within the column's logical
type": text stays UTF-8.
"""

from __future__ import annotations

_SURROGATES = (0xD800, 0xE000)
_LAST = 0x10FFFF


def shortened(raw: bytes, most: int, *, text: bool) -> bytes:
    """Return at most `most` bytes of a bound, text cut between characters."""
    cut = raw[:most]
    return cut.decode("utf-8", "ignore").encode() if text else cut


def incremented(raw: bytes, *, text: bool) -> bytes | None:
    """Return the least bound of this length, or shorter, above all that begins so; None if there is none."""
    if text:
        return _incremented_text(raw.decode("utf-8", "ignore"))
    kept = raw.rstrip(b"\xff")
    return kept[:-1] + bytes([kept[-1] + 1]) if kept else None


def _incremented_text(text: str) -> bytes | None:
    """Increment the last character that can be; code points are in the order of their UTF-8."""
    while text:
        point = ord(text[-1]) + 1
        if point == _SURROGATES[0]:
            point = _SURROGATES[1]
        if point <= _LAST:
            return (text[:-1] + chr(point)).encode()
        text = text[:-1]
    return None


def decremented(raw: bytes, *, text: bool) -> bytes:
    """Return a bound below: without its last byte, or character."""
    return raw.decode("utf-8", "ignore")[:-1].encode() if text else raw[:-1]
