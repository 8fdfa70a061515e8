"""Patched base: a base, small distances from it, and patches with the high bits of the few that are large.

    10 wwwww l   lllllllll    code of the width of distances, length - 1
    bbb ppppp                 bytes of the base - 1, code of the width of patches
    ggg LLLLL                 bits of a gap - 1, number of patches
    base                      big endian, its most significant bit the sign (sign and magnitude)
    packed distances          without a sign, padded to a byte
    packed patches            gap and patch, at the closest width that holds both

A gap counts from the value that was patched before. A gap of 255 with a patch of 0 only goes further. The
base is never zigzag, in unsigned streams neither.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from reference_impl import bits
from reference_impl.orc.encodings.rle_v2.parsed import Parsed
from reference_impl.orc.encodings.rle_v2.widths import CODES, WIDTHS, closest, header

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from reference_impl.cursor import Cursor

KIND = 2
TOO_WIDE, NO_PATCH, BEYOND, NULL_PATCH, BITS = (f"ORC-RLE2-{number:03}" for number in (3, 4, 5, 6, 7))
_MOST_PATCHES, _FURTHEST = 31, 255
_WORD = 64
_BASE_BITS = 56  # what Apache's writers limit the magnitude of a base to


def read(cursor: Cursor, first: int, *, signed: bool) -> Parsed:
    """Read the run behind its first byte."""
    del signed  # the base has a sign of its own
    length = ((first & 1) << 8 | cursor.u8("length of a patched base run")) + 1
    width = WIDTHS[first >> 1 & 31]
    third, fourth = cursor.take(2, "header of a patched base run")
    base_bytes, patch_width = (third >> 5) + 1, WIDTHS[third & 31]
    gap_width, patches = (fourth >> 5) + 1, fourth & 31
    if gap_width + patch_width > _WORD:
        raise cursor.fail(f"gaps of {gap_width} and patches of {patch_width} bits", rule=TOO_WIDE)
    if not patches:
        raise cursor.fail("a patched base run without patches", rule=NO_PATCH)
    sign = 1 << 8 * base_bytes - 1
    stored = int.from_bytes(cursor.take(base_bytes, "base of a patched base run"), "big")
    base = -(stored ^ sign) if stored & sign else stored
    packed = cursor.take(bits.size(length, width), "distances of a patched base run")
    entry_width = closest(gap_width + patch_width)
    raw = cursor.take(bits.size(patches, entry_width), "patches of a patched base run")
    entries = bits.unpack_msb(raw, entry_width, patches).tolist()
    places, high = _patches(cursor, entries, patch_width, length, width)

    def values(distances: NDArray[np.uint64]) -> NDArray[np.int64]:
        if places:
            distances = distances.copy()
            distances[places] |= np.array(high, np.uint64) << np.uint64(width % _WORD)
        return distances.view(np.int64) + np.int64(base)

    return Parsed(length, width, length, packed, values)


def _patches(
    cursor: Cursor, entries: list[int], patch_width: int, length: int, width: int
) -> tuple[list[int], list[int]]:
    """Answer which values are patched, and with which bits; raises Malformed (ORC-RLE2-005 to -007)."""
    places, high, at = [], [], 0
    for entry in entries:
        gap, patch = entry >> patch_width, entry & (1 << patch_width) - 1
        at += gap
        if at >= length:
            raise cursor.fail(f"a patch of value {at} in a run of {length}", rule=BEYOND)
        if patch.bit_length() + width > _WORD:
            raise cursor.fail(f"a patch of {patch.bit_length()} bits above {width} bits", rule=BITS)
        if patch:
            places.append(at)
            high.append(patch)
        elif gap != _FURTHEST:
            raise cursor.fail(f"a patch of 0 behind a gap of {gap}", rule=NULL_PATCH)
    return places, high


def write(values: Sequence[int], *, extra_width: int = 0) -> bytes | None:
    """Answer a run of 1 to 512 values, None where there is nothing to patch or no way to."""
    base = min(values)
    distances = [value - base for value in values]
    widest = max(distances).bit_length()
    if abs(base) >= 1 << _BASE_BITS or widest > _WORD - 1:
        return None
    most = sorted(map(int.bit_length, distances))[len(distances) * 9 // 10 - 1 if len(distances) > 1 else 0]
    for width in WIDTHS[CODES[closest(most)] :]:
        if width >= widest:
            return None
        made = _entries(distances, width, extra_width)
        if made is not None:
            return _run(base, distances, width, *made)
    return None


def _entries(
    distances: list[int], width: int, extra_width: int
) -> tuple[list[tuple[int, int]], int, int] | None:
    """Answer (gap, patch) pairs, the bits of a gap, those of a patch; None if that cannot be."""
    pairs: list[tuple[int, int]] = []
    before = 0
    for at, distance in enumerate(distances):
        if patch := distance >> width:
            gap = at - before
            pairs += [(_FURTHEST, 0)] * ((gap - 1) // _FURTHEST if gap else 0)
            pairs.append((gap - (gap - 1) // _FURTHEST * _FURTHEST if gap else 0, patch))
            before = at
    need = max(patch.bit_length() for _, patch in pairs)
    gap_width = max(1, *(gap.bit_length() for gap, _ in pairs), 1)
    for steps in range(extra_width, -1, -1):
        patch_width = closest(need, steps)
        if patch_width + width <= _WORD and patch_width + gap_width <= _WORD:
            return (pairs, gap_width, patch_width) if len(pairs) <= _MOST_PATCHES else None
    return None


def _run(
    base: int, distances: list[int], width: int, pairs: list[tuple[int, int]], gap_width: int, patch_width: int
) -> bytes:
    base_bytes = max(1, abs(base).bit_length() // 8 + 1)
    stored = abs(base) | (1 << 8 * base_bytes - 1 if base < 0 else 0)
    entry_width = closest(gap_width + patch_width)
    entries = np.array([gap << patch_width | patch for gap, patch in pairs], np.uint64)
    return b"".join(
        (
            header(KIND, CODES[width], len(distances)),
            bytes([base_bytes - 1 << 5 | CODES[patch_width], gap_width - 1 << 5 | len(pairs)]),
            stored.to_bytes(base_bytes, "big"),
            bits.pack_msb(np.array(distances, np.uint64).view(np.int64), width),
            bits.pack_msb(entries.view(np.int64), entry_width),
        )
    )
