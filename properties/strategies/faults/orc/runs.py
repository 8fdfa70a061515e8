"""Faults of run length encodings."""

from __future__ import annotations

from collections.abc import Sequence

from corpora.build.orc.additions import direct, packed
from corpora.build.orc.runs import WIDTHS
from corpora.build.orc.samples import TYPES
from corpora.build.orc.schemas import INT, LONG, list_of
from properties.strategies.faults.fault import Fault, File, put
from properties.strategies.faults.orc.edits import BARE, LENGTHS, edit, file_of, ints, table
from properties.strategies.faults.orc.places import data_of, integers_in, is_present, streams
from reference_impl.bits import zigzag
from reference_impl.orc.encodings.runs import Run, RunKind
from reference_impl.orc.plan import Column
from reference_impl.orc.schema import EncodingKind, TypeKind

_BYTE, _BOOLEAN, _SHORT = TYPES[TypeKind.BYTE], TYPES[TypeKind.BOOLEAN], TYPES[TypeKind.SHORT]
_MOST = (1 << 63) - 1
_AROUND = (_MOST, -_MOST - 1, -_MOST)
_OLD = Column(rle=1, data_runs=(Run(RunKind.LITERALS, 128),))
_PATCHED = tuple(100 if number == 5 else number % 4 for number in range(20))


def _stream(text: str) -> File:
    """Return a file of LONGs whose DATA is these bytes, in hexadecimal."""
    return File(ints(layout=BARE), edit(stream=put(bytes.fromhex(text))))


def _patch(
    entries: Sequence[tuple[int, int]],
    *,
    width: int = 2,
    gap_width: int = 3,
    patch_width: int = 5,
    above: int = 0,
    last: int = _PATCHED[-1],
) -> File:
    """Return a file of `_PATCHED`, as a run of patched base with these entries.

    `above`: bits in front of gap and patch; `last`: the last value.
    """
    rows = (*_PATCHED[:-1], last)
    head = 2 << 14 | WIDTHS.index(width) << 9 | len(_PATCHED) - 1
    sizes = (WIDTHS.index(patch_width), gap_width - 1 << 5 | len(entries))
    entry = next((bits for bits in WIDTHS if bits >= gap_width + patch_width), 64)
    words = [above << gap_width + patch_width | gap << patch_width | patch for gap, patch in entries]
    values = packed([value & (1 << width) - 1 for value in rows], width)
    data = head.to_bytes(2, "big") + bytes(sizes) + b"\0" + values + packed(words, entry)
    return File(ints(rows, BARE), edit(stream=put(data)))


FAULTS = (
    Fault(
        "ORC-BYTE-001/literals-cut-short",
        "a list of three bytes has two",
        file_of(_BYTE, (1, 2, 3), stream=lambda data: data[:-1]),
        "it has three",
        file_of(_BYTE, (1, 2, 3)),
        places=streams(data_of(TypeKind.BYTE)),
    ),
    Fault(
        "ORC-BOOL-001/nine-in-a-byte",
        "there is one byte for nine booleans",
        file_of(_BOOLEAN, (True, False) * 4 + (True,), stream=put(b"\xff\xaa")),
        "there is one for eight",
        file_of(_BOOLEAN, (True, False) * 4),
        places=streams(is_present, "PRESENT is empty", stream=put(b"")),
    ),
    Fault(
        "ORC-RLE1-001/literals-of-a-column-cut-short",
        "of three literals the last is missing",
        File(ints(layout=_OLD), edit(stream=lambda data: data[:-1])),
        "all are there",
        places=streams(integers_in(EncodingKind.DIRECT)),
    ),
    Fault(
        "ORC-RLE1-002/varint-of-11-bytes",
        "a varint has 11 bytes",
        File(ints((1,), _OLD), edit(stream=put(b"\xff" + b"\x82" + b"\x80" * 9 + b"\0"))),
        "one has 10",
        File(ints((-_MOST - 1,), _OLD)),
    ),
    Fault(
        "ORC-RLE1-003/run-around-the-end",
        "a run goes on behind the largest number with the smallest",
        File(ints(_AROUND, _OLD), edit(stream=put(b"\0\1" + zigzag(_MOST)))),
        "the same values are literals",
    ),
    Fault(
        "ORC-RLE2-001/run-cut-short",
        "the last byte of a run is missing",
        File(ints(layout=BARE), edit(stream=lambda data: data[:-1])),
        "all are there",
        places=streams(integers_in(EncodingKind.DIRECT_V2)),
    ),
    Fault(
        "ORC-RLE2-002/base-of-11-bytes",
        "the base of a delta run is a varint of 11 bytes",
        _stream(f"c002 82 {'80' * 9} 00 02"),
        "it has 10",
        File(ints((-_MOST - 1, -_MOST), Column(data_runs=(Run(RunKind.DELTA),)))),
    ),
    Fault(
        "ORC-RLE2-003/gap-and-patch-of-65",
        "the gap has 1 bit and the patch 64",
        _patch([(5, 25)], gap_width=1, patch_width=64),
        "they have 8 and 56",
        _patch([(5, 25)], gap_width=8, patch_width=56),
    ),
    Fault(
        "ORC-RLE2-004/no-patches",
        "a run of patched base has no patches",
        _patch([]),
        "it has one",
        _patch([(5, 25)]),
    ),
    Fault(
        "ORC-RLE2-005/patch-beyond-the-run",
        "a patch is of value 20, and there are 20",
        _patch([(5, 25), (15, 1)], gap_width=4),
        "it is of value 19",
        _patch([(5, 25), (14, 1)], gap_width=4, last=7),
    ),
    Fault(
        "ORC-RLE2-006/patch-of-nothing",
        "a patch of 0 has a gap of 2",
        _patch([(2, 0), (3, 25)]),
        "there is one patch, of a gap of 5",
        _patch([(5, 25)]),
    ),
    Fault(
        "ORC-RLE2-007/patched-to-65-bits",
        "a value of 56 bits is patched with 9",
        _patch([(5, 256)], width=56, patch_width=9),
        "with none of 8",
        _patch([(5, 25)]),
    ),
    Fault(
        "ORC-RLE2-008/still-and-then-moving",
        "the first delta is 0, and others have 2 bits",
        _stream("c202 02 00 40"),
        "all are 0, and have no bits",
        File(ints((1, 1, 1), Column(data_runs=(Run(RunKind.DELTA),)))),
    ),
    Fault(
        "ORC-RLE2-009/one-value-and-a-width",
        "a delta run has one value, and deltas of 2 bits",
        File(ints((1,), BARE), edit(stream=put(bytes.fromhex("c200 02 02")))),
        "deltas of no bits",
        File(ints((1,), BARE), edit(stream=put(bytes.fromhex("c000 02 02")))),
    ),
    Fault(
        "ORC-RLE2-010/delta-around-the-end",
        "a delta run goes on behind the largest number with the smallest",
        File(ints(_AROUND), edit(stream=put(b"\xc0\2" + zigzag(_MOST) + b"\2"))),
        "the same values are a direct run",
        File(ints(_AROUND), edit(stream=put(direct(_AROUND, 64)))),
    ),
    Fault(
        "ORC-RLE2-011/bits-above-the-gap",
        "gap and patch have 25 bits, stand in 26, and the first of these is 1",
        _patch([(5, 25)], gap_width=3, patch_width=22, above=1),
        "it is 0",
        _patch([(5, 25)], gap_width=3, patch_width=22),
    ),
    Fault(
        "ORC-INT-001/short-of-32768",
        "a SHORT is 32768",
        file_of(_SHORT, (1, 2, 4), numbers=put([1, 1 << 15, 4])),
        "it is 32767",
        file_of(_SHORT, (1, (1 << 15) - 1, 4)),
    ),
    Fault(
        "ORC-INT-002/length-of-64-bits",
        "the length of a list is 2^63",
        File(table(list_of(INT), ([],), BARE), edit(LENGTHS, stream=put(b"\x7e\0\x80" + bytes(7)))),
        "it is 0, of 64 bits",
        File(table(list_of(INT), ([],), BARE), edit(LENGTHS, stream=put(b"\x7e\0" + bytes(8)))),
    ),
    Fault(
        "ORC-INT-003/a-number-too-many",
        "there are four numbers for three values",
        file_of(LONG, (1, 2, 4), numbers=lambda numbers: [*numbers, 9]),
        "there are three, the fourth value is null",
        file_of(LONG, (1, 2, 4, None)),
    ),
)
