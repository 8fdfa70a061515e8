"""DELTA_BYTE_ARRAY = 7 (Encodings.md#DELTASTRING): strings without the prefix of the string before.

    | prefix lengths: DELTA_BINARY_PACKED of 32-bit integers | suffixes: DELTA_LENGTH_BYTE_ARRAY |

"axis", "axle", "babble", "babyhood" are the prefix lengths 0, 2, 0, 3, the suffix lengths 4, 2, 6, 5 and
axislebabbleyhood. A FIXED_LEN_BYTE_ARRAY has all lengths too.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from reference_impl.byte_arrays import MAX_BYTES, ByteArrays
from reference_impl.cursor import Cursor
from reference_impl.errors import LimitExceeded
from reference_impl.parquet.encodings import delta_binary_packed, delta_length_byte_array
from reference_impl.parquet.schema import Type
from reference_impl.parquet.types import Physical, Values

PREFIX, FIXED, TYPE = "PQ-DBA-001", "PQ-DBA-002", "PQ-DBA-003"


def decode(cursor: Cursor, physical: Physical, count: int, *, limit: int = MAX_BYTES) -> Values:
    """Return `count` byte strings; FIXED_LEN_BYTE_ARRAY as uint8 of shape (count, length).

    The cursor is left behind the last suffix. Raises Malformed (PQ-DBA-*, PQ-DLBA-* and PQ-DBP-* inside);
    LimitExceeded if the strings sum up to more than `limit` bytes: each may repeat the whole string before.
    """
    if physical.type not in (Type.BYTE_ARRAY, Type.FIXED_LEN_BYTE_ARRAY):
        raise cursor.fail(f"DELTA_BYTE_ARRAY for {physical}", rule=TYPE)
    strings = _decode(cursor, count, limit)
    if physical.type == Type.BYTE_ARRAY:
        return strings
    if bool((strings.lengths != physical.length).any()):
        wrong = strings.lengths[strings.lengths != physical.length][0]
        raise cursor.fail(f"a value of {wrong} bytes for {physical}", rule=FIXED)
    return strings.data.reshape(count, physical.length)


def _decode(cursor: Cursor, count: int, limit: int) -> ByteArrays:
    if not count and not cursor.remaining:
        return ByteArrays.of(())
    start = cursor.offset
    prefixes = delta_binary_packed.decode_bits(cursor, 32, count).astype(np.int64)
    suffixes = delta_length_byte_array.decode_any(cursor, count)
    lengths = prefixes + suffixes.lengths
    before = np.zeros(count, np.int64)
    before[1:] = lengths[:-1]
    wrong = np.flatnonzero((prefixes < 0) | (prefixes > before))
    if len(wrong):
        at = wrong[0]
        message = f"value {at} begins with {prefixes[at]} bytes of one of {before[at]} bytes"
        raise cursor.fail(message, rule=PREFIX)
    total = int(lengths.sum())
    if total > limit:
        raise LimitExceeded(f"{count} byte arrays sum up to {total} bytes", offset=start)
    if not prefixes.any():
        return suffixes
    return ByteArrays.from_lengths(lengths, _join(prefixes, suffixes))


def _join(prefixes: NDArray[np.int64], suffixes: ByteArrays) -> NDArray[np.uint8]:
    raw = suffixes.data.tobytes()
    cuts = suffixes.offsets.tolist()
    parts = []
    before = b""
    for prefix, start, stop in zip(prefixes.tolist(), cuts, cuts[1:], strict=False):
        before = before[:prefix] + raw[start:stop]
        parts.append(before)
    return np.frombuffer(b"".join(parts), np.uint8)


def encode(values: Values, *, prefixes: Sequence[int] | None = None, **layout: Any) -> bytes:
    """Return prefix lengths and suffixes; `layout` is as in `delta_binary_packed.encode`.

    `prefixes` may be shorter than the common prefix, but not longer (not checked: for broken files).
    """
    strings = list(values) if isinstance(values, ByteArrays) else [row.tobytes() for row in values]
    if prefixes is None:
        prefixes = [_shared(a, b) for a, b in zip([b"", *strings], strings, strict=False)]
    suffixes = [string[prefix:] for string, prefix in zip(strings, prefixes, strict=True)]
    return delta_binary_packed.encode(
        np.array(prefixes, np.int32), **layout
    ) + delta_length_byte_array.encode(ByteArrays.of(suffixes), **layout)


def _shared(before: bytes, string: bytes) -> int:
    """Return the length of the common prefix of two strings."""
    shorter = min(len(before), len(string))
    for at in range(shorter):
        if before[at] != string[at]:
            return at
    return shorter
