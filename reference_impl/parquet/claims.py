"""Pages that claim more values than a limit allows: whether their bytes can hold so many.

A page of a few bytes that claims 2,000,000,000 values breaks a rule, unless its runs are that long; only
then is the limit what stops the reader. Runs are counted, not expanded: nothing is allocated for the claim.
Bit-packed levels are unpacked, at most eight for each byte of the page.
"""

from __future__ import annotations

from reference_impl import bits
from reference_impl.cursor import Cursor
from reference_impl.parquet.encodings import (
    alp,
    bit_packed,
    byte_stream_split,
    delta_binary_packed,
    dictionary,
    plain,
    rle,
)
from reference_impl.parquet.encodings.dispatch import DELTA_ENCODINGS, DICTIONARY_ENCODINGS
from reference_impl.parquet.schema import Encoding, Type
from reference_impl.parquet.types import Physical

# The numbers, lengths or lengths of prefixes that stand first are of all values.


def check_levels(cursor: Cursor, encoding: Encoding | int, most: int, count: int) -> int:
    """Check that the levels of a v1 page hold `count` levels; return how many have the greatest, `most`.

    Raises Malformed (PQ-RLE-*, PQ-BITPACKED-*).
    """
    if most and encoding == Encoding.RLE:
        return rle.occurrences_prefixed(cursor, most.bit_length(), count, most)
    if most and encoding == Encoding.BIT_PACKED:
        return int((bit_packed.decode(cursor, most.bit_length(), count) == most).sum())
    return count


def check_levels_v2(section: Cursor, most: int, count: int) -> int:
    """As `check_levels`, of a v2 page; raises Malformed (PQ-RLE-*)."""
    return rle.occurrences(section, most.bit_length(), count, most) if most else count


def check_values(cursor: Cursor, encoding: Encoding | int, physical: Physical, count: int) -> None:
    """Check that a page holds `count` values, nulls aside, where the encoding shows it; raises Malformed."""
    if encoding == Encoding.PLAIN:
        check_plain(cursor, physical, count)
    elif encoding in DICTIONARY_ENCODINGS:
        dictionary.check_indices(cursor, count)
    elif encoding == Encoding.RLE:
        rle.check_prefixed(cursor, 1, count)
    elif encoding in DELTA_ENCODINGS:
        delta_binary_packed.check(cursor, 64 if physical.type == Type.INT64 else 32, count)
    elif encoding == Encoding.ALP:
        alp.check(cursor, physical, count)
    elif encoding == Encoding.BYTE_STREAM_SPLIT and cursor.remaining != count * physical.width:
        message = f"{count} values of {physical}, but {cursor.remaining} bytes are there"
        raise cursor.fail(message, rule=byte_stream_split.SIZE)


def check_plain(cursor: Cursor, physical: Physical, count: int) -> None:
    """Check that there are bytes for `count` PLAIN values; raises Malformed (PQ-PLAIN-001)."""
    width = 32 if physical.type == Type.BYTE_ARRAY else 8 * physical.width or 1
    if bits.size(count, width) > cursor.remaining:
        message = f"{count} values of {physical} need more than {cursor.remaining} bytes"
        raise cursor.fail(message, rule=plain.MISSING)
