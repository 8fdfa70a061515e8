"""Strings and bytes ("String, Char, and VarChar Columns", "Binary Columns"): direct, or of a dictionary.

Each encoding has streams of integers and of bytes:

    direct        Nevada, California           DATA "NevadaCalifornia", LENGTH 6, 10
    dictionary    Nevada, California, Nevada   DATA 1, 0, 1, DICTIONARY_DATA "CaliforniaNevada", LENGTH 10, 6
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from reference_impl.byte_arrays import MAX_BYTES, ByteArrays
from reference_impl.cursor import Cursor
from reference_impl.errors import BreachHandler, LimitExceeded, Malformed, refuse

SHORT_DATA, DICTIONARY_DATA, ID = "ORC-STR-001", "ORC-STR-003", "ORC-STR-004"


def cut(lengths: NDArray[np.int64], cursor: Cursor, *, rule: str = SHORT_DATA) -> ByteArrays:
    """Return strings of these lengths (not negative), cut from the cursor, which is left behind them.

    Raises Malformed (`rule`) where there are fewer bytes.
    """
    # The sum may be beyond 64 bits, unless all lengths are below 2^31 and there are fewer than 2^32.
    total = int(lengths.sum()) if not len(lengths) or int(lengths.max()) < 1 << 31 else sum(lengths.tolist())
    if total > cursor.remaining:
        raise cursor.fail(f"lengths of {total} bytes together, {cursor.remaining} are left", rule=rule)
    return ByteArrays.from_lengths(lengths, np.frombuffer(cursor.take(total), np.uint8))


def dictionary(lengths: NDArray[np.int64], cursor: Cursor, breach: BreachHandler = refuse) -> ByteArrays:
    """Return the entries of a dictionary; raises Malformed (ORC-STR-003) if there is less data than lengths.

    `breach` gets the error of more data (ORC-STR-003).
    """
    words = cut(lengths, cursor, rule=DICTIONARY_DATA)
    if cursor.remaining:
        breach(cursor.fail(f"{cursor.remaining} bytes behind the last entry", rule=DICTIONARY_DATA))
    return words


def check_ids(ids: NDArray[np.int64], size: int, offset: int | None) -> None:
    """Check that a dictionary of `size` entries has every id. Raises Malformed (ORC-STR-004, at `offset`)."""
    if len(ids) and int(ids.max()) >= size:
        raise Malformed(f"id {int(ids.max())} in a dictionary of {size}", offset=offset, rule=ID)


def look_up(
    words: ByteArrays, ids: NDArray[np.int64], most: int = MAX_BYTES, offset: int | None = None
) -> ByteArrays:
    """Return the entries that `ids` (not negative) name.

    Raises Malformed (ORC-STR-004, at `offset`) for an id that no entry has, LimitExceeded for strings of more
    than `most` bytes together: a few bytes of a run can repeat a long string 512 times.
    """
    check_ids(ids, len(words), offset)
    total = int(words.lengths[ids].sum())
    if total > most:
        raise LimitExceeded(f"strings of {total} bytes together; the limit is {most}", offset=offset)
    return words.take(ids)
