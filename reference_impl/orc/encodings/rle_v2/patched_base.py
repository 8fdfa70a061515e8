"""Patched base ("Patched Base"): 1 to 512 values near each other, but for a few that have more bits.

    | 1 0 | width code: 5 bits | length - 1: 9 bits |
    | base width - 1: 3 bits | patch width code: 5 bits | gap width - 1: 3 bits | patches: 5 bits |
    | base: base width bytes, big-endian |
    | values: width bits each, big-endian, padded to a byte |
    | patches: gap, then the bits above width, big-endian, padded to a byte |

    2030, 2000, 2020, 1000000, 2040, 2050 ... 2190 (20 values)
    8e 13 2b 21    07 d0    1e 00 14 70 28 32 3c 46 50 5a 64 6e 78 82 8c 96 a0 aa b4 be    fc e8

Never zigzag: the base is sign and magnitude, its highest bit being the sign, and values are added to it.
A gap counts from the previous patched value, the first gap from the first value; a gap of 255 with a patch of
0 is added to the next gap. Gap and patch together take the closest width of the table that holds both
("closest fixed bits": newer text, and all implementations); the bits above them are 0.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from reference_impl import bits
from reference_impl.cursor import Cursor
from reference_impl.errors import Malformed
from reference_impl.orc.encodings.rle_v2.widths import WIDTHS, Packed, closest, code, header, needed, scatter

KIND = 2
LONGEST, MOST_PATCHES, LONGEST_GAP = 512, 31, 255
WIDE, NONE, BEYOND, ZERO = "ORC-RLE2-003", "ORC-RLE2-004", "ORC-RLE2-005", "ORC-RLE2-006"
TOO_LARGE, WRAP, ABOVE = "ORC-RLE2-007", "ORC-RLE2-010", "ORC-RLE2-011"


class _Run(NamedTuple):
    at: int
    length: int
    width: int
    base: int
    patch_width: int
    entry_width: int  # bits that gap and patch have of their own
    patches: int
    offset: int


class Batch:
    """The patched base runs of one call."""

    def __init__(self, *, notes: list[Malformed] | None) -> None:
        self.notes = notes
        self.runs: list[_Run] = []
        self.values = Packed()
        self.patches = Packed()

    def read(self, cursor: Cursor, header: int, at: int) -> int:
        """Read what follows the first byte of a run whose values go to `at`; return how many it has."""
        offset = cursor.offset - 1
        low, third, fourth = cursor.take(3, "header of a run")
        length = ((header & 1) << 8 | low) + 1
        width, patch_width = WIDTHS[header >> 1 & 0x1F], WIDTHS[third & 0x1F]
        gap_width, patches = (fourth >> 5) + 1, fourth & 0x1F
        entry_width = gap_width + patch_width
        if entry_width > 64:
            raise cursor.fail(f"a gap of {gap_width} bits and a patch of {patch_width}", rule=WIDE)
        if not patches:
            raise cursor.fail("patched base without a patch", rule=NONE)
        size = (third >> 5) + 1
        base = int.from_bytes(cursor.take(size, "base"), "big")
        sign = 1 << (8 * size - 1)
        base = sign - base if base & sign else base
        self.values.add(width, at, length, cursor.take(bits.size(length, width), "values"))
        closed = closest(entry_width)
        body = cursor.take(bits.size(patches, closed), "patches")
        self.patches.add(closed, len(self.runs), patches, body)
        self.runs.append(_Run(at, length, width, base, patch_width, entry_width, patches, offset))
        return length

    def fill(self, out: NDArray[np.int64]) -> None:
        """Put the values into their places; `notes` gets the runs that leave 64 bits, or patch nothing.

        Raises Malformed (ORC-RLE2-005, -007, -011).
        """
        for places, counts, values in self.values.unpack():
            scatter(out, places, counts, values)
        for numbers, counts, entries in self.patches.unpack():
            self._patch(out, [self.runs[number] for number in numbers], counts, entries.astype(np.uint64))
        for run in self.runs:
            part = out[run.at : run.at + run.length]
            part += run.base
            if self.notes is not None and bool((part < run.base).any()):
                self.notes.append(Malformed("base and value leave 64 bits", offset=run.offset, rule=WRAP))

    def _patch(
        self, out: NDArray[np.int64], runs: list[_Run], counts: list[int], padded: NDArray[np.uint64]
    ) -> None:
        """Set the bits of the patched values above their width."""
        full = [(count + 7) // 8 * 8 for count in counts]
        starts = np.repeat(np.cumsum([0, *full[:-1]]), counts)
        ends = np.cumsum(counts)
        first = np.repeat(ends - counts, counts)  # entry with which the run begins
        entries = padded[starts + np.arange(ends[-1]) - first]

        def each(name: str) -> NDArray[np.int64]:
            return np.repeat(np.array([getattr(run, name) for run in runs], np.int64), counts)

        def check(broken: NDArray[np.bool_], message: str, rule: str) -> None:
            if broken.any():
                raise Malformed(message, offset=int(each("offset")[broken.argmax()]), rule=rule)

        widths, patch_widths, entry_widths = each("width"), each("patch_width"), each("entry_width")
        check(_above(entries, entry_widths) != 0, "bits above gap and patch", ABOVE)
        gaps = _above(entries, patch_widths).astype(np.int64)
        patches = entries - (gaps.astype(np.uint64) << patch_widths.astype(np.uint64))
        if self.notes is not None:
            for at in np.unique(first[(patches == 0) & (gaps != LONGEST_GAP)]):
                message = "a patch of 0, and a gap below 255"  # changes nothing
                self.notes.append(Malformed(message, offset=int(each("offset")[at]), rule=ZERO))
        places = np.cumsum(gaps)
        places -= (places - gaps)[first]
        check(places >= each("length"), "a patch beyond the run", BEYOND)
        check(_above(patches, 64 - widths) != 0, "a patched value of more than 64 bits", TOO_LARGE)
        patched = np.flatnonzero(patches)
        shifted = patches[patched] << widths[patched].astype(np.uint64)
        np.bitwise_or.at(out, (each("at") + places)[patched], shifted.view(np.int64))


def _above(values: NDArray[np.uint64], widths: NDArray[np.int64]) -> NDArray[np.uint64]:
    """Return each value without its lowest `widths` (0 to 64) bits; numpy does not shift by 64."""
    half = widths.astype(np.uint64) // 2
    return values >> half >> (widths.astype(np.uint64) - half)


class Layout(NamedTuple):
    """How values are divided into a base, low bits and patches."""

    base: int
    width: int
    patch_width: int
    entries: tuple[tuple[int, int], ...]  # gap, patch


def layouts(values: NDArray[np.int64]) -> list[Layout]:
    """Return every layout of 1 to 512 values that has a patch and is legal, the usual one first.

    The usual layout is the narrowest one that patches no more than a tenth of the values, or the widest if
    there is none; the wider ones follow. There is no layout where the base does not fit sign and magnitude,
    where no value has more bits than another, where more than 31 patches are needed or one is too wide.
    """
    base = int(values.min())
    if base == -(1 << 63):
        return []
    above = values.view(np.uint64) - np.uint64(base & ((1 << 64) - 1))
    most = needed(above)
    out = []
    for width in WIDTHS:
        patch_width = closest(most - width)
        if width >= most or width + patch_width > 64:
            continue
        patches = above >> np.uint64(width)
        if np.count_nonzero(patches) > MOST_PATCHES:
            continue
        entries = _entries(patches)
        gap_width = max(gap for gap, _ in entries).bit_length() or 1
        if len(entries) > MOST_PATCHES or gap_width + patch_width > 64:
            continue
        out.append(Layout(base, width, patch_width, tuple(entries)))
    usual = [number for number, layout in enumerate(out) if len(layout.entries) <= len(values) / 10]
    return out[usual[0] if usual else -1 :]


def _entries(patches: NDArray[np.uint64]) -> list[tuple[int, int]]:
    """Return gap and patch of each patched value, with entries in between where a gap is too long."""
    places = np.flatnonzero(patches)
    out = []
    for gap, patch in zip(np.diff(places, prepend=0).tolist(), patches[places].tolist(), strict=True):
        out += [(LONGEST_GAP, 0)] * (max(gap - 1, 0) // LONGEST_GAP)
        out.append((gap - LONGEST_GAP * (max(gap - 1, 0) // LONGEST_GAP), patch))
    return out


def encode(values: NDArray[np.int64], layout: Layout) -> bytes:
    """Return a run of 1 to 512 values in one of its `layouts`."""
    magnitude = abs(layout.base)
    size = magnitude.bit_length() // 8 + 1  # with a bit for the sign
    base = magnitude | (layout.base < 0) << (8 * size - 1)
    gap_width = max(gap for gap, _ in layout.entries).bit_length() or 1
    entries = np.array([gap << layout.patch_width | patch for gap, patch in layout.entries], np.uint64)
    above = values.view(np.uint64) - np.uint64(layout.base & ((1 << 64) - 1))
    return b"".join(
        (
            header(KIND, layout.width, len(values)),
            bytes([size - 1 << 5 | code(layout.patch_width), gap_width - 1 << 5 | len(entries)]),
            base.to_bytes(size, "big"),
            bits.pack_msb(above, layout.width),
            bits.pack_msb(entries, closest(gap_width + layout.patch_width)),
        )
    )
