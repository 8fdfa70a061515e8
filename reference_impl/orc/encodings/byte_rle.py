"""Byte run length encoding ("Byte Run Length Encoding"): runs of equal bytes, and lists of any.

The first byte of a run or list is its kind and length.

    run         | 0x00 to 0x7f: length - 3  | the byte |            3 to 130 values
    literals    | 0x80 to 0xff: -length     | the bytes ... |       1 to 128 values

    a hundred zeros    61 00
    44 45              fe 44 45
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from reference_impl.cursor import Cursor
from reference_impl.orc.encodings.runs import V1_KINDS, Encoded, Run, RunKind, endless

CUT = "ORC-BYTE-001"
SHORTEST, LONGEST, MOST_LITERALS = 3, 130, 128


def decode(cursor: Cursor, count: int, *, skip: int = 0, rule: str = CUT) -> NDArray[np.uint8]:
    """Return `count` bytes behind the first `skip` of the run at the cursor.

    The cursor is left behind the last run. Raises Malformed (`rule`) where the runs end early.
    """
    left = skip + count if count else 0
    # At the longest, one literal takes 2 bytes, and the last run has 128 of them where one is wanted.
    data = bytes(cursor.data[cursor.pos : cursor.pos + 2 * left + MOST_LITERALS])
    end, at = len(data), 0
    parts: list[bytes] = []
    while left > 0:
        header = data[at] if at < end else 0
        body = at + 1
        if header < 0x80:
            at += 2
            length = header + SHORTEST
            parts.append(data[body:at] * length)
        else:
            length = 0x100 - header
            at = body + length
            parts.append(data[body:at])
        if at > end:
            cursor.pos += min(body, end)
            raise cursor.fail(f"the runs end, {left} values are missing", rule=rule)
        left -= length
    cursor.pos += at
    return np.frombuffer(b"".join(parts), np.uint8)[skip : skip + count]


def encode(values: Sequence[int] | NDArray[np.integer], *, runs: Sequence[Run] = ()) -> Encoded:
    """Return runs of bytes (0 to 255, or as int8).

    REPEAT holds 3 to 130 equal values, otherwise it gives way to LITERALS; LITERALS without a length, and
    CHOSEN, reach to the next three equal values, where CHOSEN has a REPEAT. Raises UsageError as `endless`.
    """
    array = np.asarray(values, np.int16).astype(np.uint8)
    raw = array.tobytes()
    extents = equal_extents(array)
    parts, counts = [], []
    at = 0
    for run in endless(runs, V1_KINDS):
        if at >= len(raw):
            break
        kind, length = cut(extents, at, run)
        if kind is RunKind.REPEAT:
            parts.append(bytes([length - SHORTEST, raw[at]]))
        else:
            parts.append(bytes([0x100 - length]) + raw[at : at + length])
        counts.append(length)
        at += length
    return Encoded.of(parts, counts)


def cut(extents: NDArray[np.int64], at: int, run: Run) -> tuple[RunKind, int]:
    """Return kind and length of the next run, for values of which `extents[at]` can stand in one REPEAT."""
    repeated = min(int(extents[at]), LONGEST, run.length or LONGEST)
    if run.kind is not RunKind.LITERALS and repeated >= SHORTEST:
        return RunKind.REPEAT, repeated
    ahead = extents[at : at + min(MOST_LITERALS, run.length or MOST_LITERALS)]
    if run.length is not None:
        return RunKind.LITERALS, len(ahead)
    repeats = np.flatnonzero(ahead[1:] >= SHORTEST)
    return RunKind.LITERALS, int(repeats[0]) + 1 if len(repeats) else len(ahead)


def equal_extents(values: NDArray[np.generic]) -> NDArray[np.int64]:
    """Return of each value how many equal ones stand from it on."""
    ends = np.append(np.flatnonzero(values[1:] != values[:-1]) + 1, len(values))
    places = np.arange(len(values))
    return ends[np.searchsorted(ends, places, side="right")] - places
