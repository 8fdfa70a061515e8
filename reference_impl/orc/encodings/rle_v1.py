"""Integer run length encoding, version 1 ("Integer Run Length Encoding, version 1").

    run         | 0x00 to 0x7f: length - 3  | delta: int8 | first value: varint |   3 to 130 values
    literals    | 0x80 to 0xff: -length     | varints ... |                         1 to 128 values

    a hundred times 7    61 00 07
    100 down to 1        61 ff 64
    2, 3, 6, 7, 11       fb 02 03 06 07 0b

Varints of signed integers are zigzag; the delta is not.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from reference_impl import bits
from reference_impl.cursor import Cursor
from reference_impl.errors import Malformed
from reference_impl.orc.encodings import byte_rle, varints
from reference_impl.orc.encodings.byte_rle import SHORTEST
from reference_impl.orc.encodings.runs import V1_KINDS, Encoded, Run, RunKind, endless
from reference_impl.orc.encodings.varints import encodable, not_negative

CUT, LONG, WRAP = "ORC-RLE1-001", "ORC-RLE1-002", "ORC-RLE1-003"
_TOO_LONG = "a varint of more than 64 bits"


def decode(
    cursor: Cursor, count: int, *, signed: bool, skip: int = 0, notes: list[Malformed] | None = None
) -> NDArray[np.int64]:
    """Return `count` integers behind the first `skip` of the run at the cursor, left behind the last run.

    A run that overflows 64 bits wraps around, as in all readers (Java's writer writes such runs); `notes`
    gets an ORC-RLE1-003 for each. Raises Malformed (ORC-RLE1-001 cut short, ORC-RLE1-002 a varint of more
    than 64 bits, ORC-INT-002 an raw integer of 2^63 or more).
    """
    runs = _Runs(cursor, signed, notes)
    runs.read(skip + count if count else 0)
    values = runs.values()[skip : skip + count]
    if not signed:
        not_negative(cursor, values)
    return values


class _Runs:
    """The runs of one call: headers first, then the varints of all literals at once."""

    def __init__(self, cursor: Cursor, signed: bool, notes: list[Malformed] | None) -> None:
        self.cursor = cursor
        self.signed = signed
        self.notes = notes
        self.lengths: list[int] = []
        self.firsts: list[int] = []  # 0 for literals
        self.deltas: list[int] = []
        self.is_literal: list[bool] = []
        self.stops: list[NDArray[np.int64]] = []  # of literals: last byte of each varint, in the window
        self.begins: list[int] = []  # of literals: where the first varint begins

    def read(self, wanted: int) -> None:
        """Read runs until they have `wanted` values."""
        cursor = self.cursor
        # At the longest, one literal takes 11 bytes, and the last run has 128 of them where one is wanted.
        self.window = np.frombuffer(cursor.data[cursor.pos :], np.uint8)[: 11 * wanted + 1281]
        self.base = cursor.pos
        ends = self.window < 0x80
        self.places = np.flatnonzero(ends)
        self.before = np.cumsum(ends)  # varints that end at this byte or before it
        left = wanted
        with cursor.obeying(CUT):
            while left > 0:
                header = cursor.u8("header of a run")
                literal = header >= 0x80
                length = 0x100 - header if literal else header + SHORTEST
                if literal:
                    self._literals(length)
                else:
                    self._repeat(length)
                self.lengths.append(length)
                self.is_literal.append(literal)
                left -= length

    def _repeat(self, length: int) -> None:
        delta = (self.cursor.u8("delta") ^ 0x80) - 0x80
        first = varints.read(self.cursor, CUT, LONG)
        if self.signed:
            first = (first >> 1) ^ -(first & 1)
            last = first + delta * (length - 1)
            if self.notes is not None and not -(1 << 63) <= last < 1 << 63:
                message = f"a run from {first} by {delta} leaves 64 bits"
                self.notes.append(self.cursor.fail(message, rule=WRAP))
        elif first >> 63:
            first -= 1 << 64
        self.firsts.append(first)
        self.deltas.append(delta)

    def _literals(self, length: int) -> None:
        cursor = self.cursor
        begin = cursor.pos - self.base
        number = int(self.before[begin - 1])  # of varints, and bytes that look like it, before these
        stops = self.places[number : number + length]
        if len(stops) < length:
            last = int(stops[-1]) + 1 if len(stops) else begin
            cut = len(self.window) - last <= varints.LONGEST
            cursor.pos = self.base + last
            message = f"{len(stops)} of {length} literals are there" if cut else _TOO_LONG
            raise cursor.fail(message, rule=CUT if cut else LONG)
        self.begins.append(begin)
        self.stops.append(stops)
        self.firsts.append(0)
        self.deltas.append(0)
        cursor.pos = self.base + int(stops[-1]) + 1

    def values(self) -> NDArray[np.int64]:
        """Return the values of all runs."""
        lengths = np.array(self.lengths, np.int64)
        out = np.repeat(np.array(self.firsts, np.int64), lengths)
        if any(self.deltas):
            within = np.arange(len(out)) - np.repeat(np.cumsum(lengths) - lengths, lengths)
            out += within * np.repeat(np.array(self.deltas, np.int64), lengths)
        if self.stops:
            out[np.repeat(self.is_literal, lengths)] = self._literal_values()
        return out

    def _literal_values(self) -> NDArray[np.int64]:
        stops = np.concatenate(self.stops)
        starts = np.empty_like(stops)
        starts[1:] = stops[:-1] + 1
        starts[np.cumsum([0, *map(len, self.stops[:-1])])] = self.begins
        sizes = stops - starts + 1
        longest = sizes >= varints.LONGEST
        if longest.any():
            wide = np.flatnonzero((sizes > varints.LONGEST) | (longest & (self.window[stops] > 1)))
            if len(wide):
                self.cursor.pos = self.base + int(starts[wide[0]])
                raise self.cursor.fail(_TOO_LONG, rule=LONG)
        raw = varints.payload(self.window, starts, sizes)
        return varints.unzigzag(raw).astype(np.int64, copy=False) if self.signed else raw.view(np.int64)


def encode(values: Sequence[int] | NDArray[np.integer], *, signed: bool, runs: Sequence[Run] = ()) -> Encoded:
    """Return runs of integers.

    REPEAT holds 3 to 130 values that differ by the same -128 to 127, otherwise it gives way to LITERALS;
    LITERALS without a length, and CHOSEN, reach to the next three such values, where CHOSEN has a REPEAT.
    Raises UsageError for integers that cannot be stored, and as `endless`.
    """
    array = encodable(values, signed)
    raw = (varints.zigzag(array) if signed else array.view(np.uint64)).tolist()
    extents = _extents(array)
    parts, counts = [], []
    at = 0
    for run in endless(runs, V1_KINDS):
        if at >= len(raw):
            break
        kind, length = byte_rle.cut(extents, at, run)
        if kind is RunKind.REPEAT:
            delta = int(array[at + 1]) - int(array[at])
            parts.append(bytes([length - SHORTEST, delta & 0xFF]) + bits.uleb128(raw[at]))
        else:
            parts.append(bytes([0x100 - length]) + b"".join(map(bits.uleb128, raw[at : at + length])))
        counts.append(length)
        at += length
    return Encoded.of(parts, counts)


def _extents(values: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return of each value how many from it on differ by the same int8, without leaving 64 bits."""
    deltas = np.diff(values)
    small = (np.abs(deltas + 0.5) < 128) & ((deltas >= 0) == (values[1:] >= values[:-1]))
    deltas[~small] = 1000  # equal to no delta that a run can have
    extents = np.ones(len(values), np.int64)
    extents[:-1] += np.where(small, byte_rle.equal_extents(deltas), 0)
    return extents
