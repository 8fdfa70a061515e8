"""PLAIN_DICTIONARY = 2 and RLE_DICTIONARY = 8 (Encodings.md#DICTIONARY): values as indices into a page.

    dictionary page    the distinct values, PLAIN
    data page          | bit width of an index: 1 byte, at most 32 | indices: RLE without a size before |

An index counts from 0 in the order of the dictionary page.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from reference_impl.bits import Unsigned
from reference_impl.byte_arrays import MAX_BYTES, ByteArrays
from reference_impl.cursor import Cursor
from reference_impl.errors import LimitExceeded, Malformed
from reference_impl.parquet.encodings import rle
from reference_impl.parquet.types import Values, take

MISSING, WIDTH, RANGE = "PQ-DICT-001", "PQ-DICT-002", "PQ-DICT-003"


def decode_indices(cursor: Cursor, count: int) -> Unsigned:
    """Return `count` indices, not yet compared with a dictionary; the cursor is left behind the last run.

    Without values (all null), the bit width may be missing too. Raises Malformed (PQ-DICT-*, PQ-RLE-*).
    """
    if not count and not cursor.remaining:
        return np.zeros(0, np.uint8)
    return rle.decode(cursor, _width(cursor), count)


def check_indices(cursor: Cursor, count: int) -> None:
    """Check that there are `count` indices, without expanding runs; raises as `decode_indices`."""
    rle.check(cursor, _width(cursor), count)


def _width(cursor: Cursor) -> int:
    with cursor.obeying(MISSING):
        width = cursor.u8("bit width of dictionary indices")
    if width > 32:
        cursor.pos -= 1
        raise cursor.fail(f"dictionary indices of {width} bits", rule=WIDTH)
    return width


def lookup(dictionary: Values, indices: Unsigned, *, limit: int = MAX_BYTES) -> Values:
    """Return the values of the indices.

    Raises Malformed (PQ-DICT-003) for an index outside the dictionary, LimitExceeded if byte arrays would
    sum up to more than `limit` bytes: two bytes of a run can repeat a long string two thousand million times.
    """
    if len(indices) and int(indices.max()) >= len(dictionary):
        message = f"index {int(indices.max())} into a dictionary of {len(dictionary)} values"
        raise Malformed(message, rule=RANGE)
    if isinstance(dictionary, ByteArrays) and len(indices):
        counts = np.bincount(indices, minlength=len(dictionary))
        total = sum(map(int.__mul__, counts.tolist(), dictionary.lengths.tolist()))
        if total > limit:
            raise LimitExceeded(f"{len(indices)} dictionary values sum up to {total} bytes")
    return take(dictionary, indices.astype(np.int64))


def encode_indices(
    indices: NDArray[np.integer],
    *,
    width: int | None = None,
    runs: Iterable[tuple[str, int]] | None = None,
    padding: int = 0,
) -> bytes:
    """Return bit width and indices; by default the smallest width that fits.

    `runs` and `padding` are as in `rle.encode`.
    """
    if width is None:
        width = int(indices.max()).bit_length() if len(indices) else 0
    return bytes([width]) + rle.encode(indices, width, runs=runs, padding=padding)
