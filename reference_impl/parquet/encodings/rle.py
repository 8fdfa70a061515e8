"""RLE = 3 (Encodings.md#RLE): a mixture of repeated values and bit-packed groups of eight.

    rle-run         | ULEB128: length << 1     | value in ceil(width / 8) bytes, little-endian |
    bit-packed-run  | ULEB128: groups << 1 | 1 | groups * width bytes: 8 * groups values, LSB first |

    width 3: four times 5, then 0 to 7              08 05     03 88 c6 fa

Levels of v1 pages and booleans are preceded by the size of the runs, 4 bytes, little-endian
(`decode_prefixed`); levels of v2 pages and dictionary indices are not (`decode`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from reference_impl import bits
from reference_impl.bits import Unsigned
from reference_impl.cursor import Cursor
from reference_impl.errors import Malformed, UsageError

PREFIX, HEADER, LENGTH = "PQ-RLE-001", "PQ-RLE-002", "PQ-RLE-003"
CUT, WIDE, MISSING = "PQ-RLE-004", "PQ-RLE-005", "PQ-RLE-006"
MAX_RUN = (1 << 31) - 1


def decode_prefixed(cursor: Cursor, width: int, count: int) -> Unsigned:
    """As `decode`, behind the size in bytes; the cursor is left behind so many bytes.

    Bytes within the size behind the last needed value are skipped: the size "in bytes of the
    encoded-data" determines the page's layout, and the last run may be longer than needed.
    Raises Malformed (PQ-RLE-*).
    """
    return decode(_prefixed(cursor), width, count)


def decode(cursor: Cursor, width: int, count: int) -> Unsigned:
    """Return `count` values of `width` bits (0 to 32) as the smallest unsigned type that holds them.

    The cursor is left behind the run that holds the last value needed.

    "We always bit-pack a multiple of 8 values at a time", so the last run of a page may hold more values than
    needed, of any content. All its bytes should be there; yet some writers (Polars before 0.20,
    apache/arrow#47981) cut it behind the needed values, and parquet-mr, Arrow and this reader accept that.
    Raises Malformed (PQ-RLE-*), also if needed values are cut off.
    """
    lengths, repeated, packed = _runs(cursor, width, count)
    dtype = bits.dtype_for(width)
    sizes = np.array(lengths, np.int64)
    values = np.array(repeated, np.int64)
    if not packed:
        return np.repeat(values.astype(dtype), sizes)
    # Every bit-packed run but the last has a multiple of 8 values, hence whole bytes.
    is_packed = values < 0
    unpacked = bits.unpack(b"".join(packed), width, int(sizes[is_packed].sum()))
    if len(packed) == len(lengths):
        return unpacked
    out = np.repeat(values.astype(dtype), sizes)
    out[np.repeat(is_packed, sizes)] = unpacked
    return out


def _prefixed(cursor: Cursor) -> Cursor:
    with cursor.obeying(PREFIX):
        size = cursor.u32("size of RLE data")
        base = cursor.offset
        return Cursor(cursor.take(size, "RLE data"), base=base)


def check_prefixed(cursor: Cursor, width: int, count: int) -> None:
    """Check that `decode_prefixed` would find `count` values, without expanding runs."""
    check(_prefixed(cursor), width, count)


def check(cursor: Cursor, width: int, count: int) -> None:
    """Check that `decode` would find `count` values, without expanding runs; raises Malformed (PQ-RLE-*)."""
    _runs(cursor, width, count)


def occurrences_prefixed(cursor: Cursor, width: int, count: int, value: int) -> int:
    """As `occurrences`, of the runs of `decode_prefixed`."""
    return occurrences(_prefixed(cursor), width, count, value)


def occurrences(cursor: Cursor, width: int, count: int, value: int) -> int:
    """Return how often a value is among the `count` that `decode` would return, of one bit or more.

    Repeated values are not expanded; bit-packed ones take a byte each, eight times `width` bits of the file.
    Raises Malformed (PQ-RLE-*).
    """
    lengths, repeated, packed = _runs(cursor, width, count)
    runs = list(zip(lengths, repeated, strict=True))
    sizes = [length for length, each in runs if each < 0]
    unpacked = (bits.unpack(part, width, size) for part, size in zip(packed, sizes, strict=True))
    return sum(length for length, each in runs if each == value) + sum(
        int((values == value).sum()) for values in unpacked
    )


def _runs(cursor: Cursor, width: int, count: int) -> tuple[list[int], list[int], list[memoryview]]:
    """Read headers until they cover `count` values. Reading levels spends its time in this loop.

    Returns, per run, how many of its values are needed and the repeated value (-1: bit-packed); and the bytes
    of the bit-packed runs.
    """
    data, end, at = cursor.data, cursor.end, cursor.pos
    size = (width + 7) // 8
    lengths: list[int] = []
    repeated: list[int] = []
    packed: list[memoryview] = []
    left = count
    while left > 0:
        start = at
        if at < end and data[at] < 0x80:  # a header of one byte, the common case
            header = data[at]
            at += 1
        else:
            cursor.pos = at
            header = _long_header(cursor, left)
            at = cursor.pos
        if header & 1:
            length = header >> 1 << 3
            body = at
            at += (header >> 1) * width
            packed.append(data[body:at])
            repeated.append(-1)
            if at > end and bits.size(min(left, length), width) > end - body:
                message = f"{length} bit-packed values need {at - body} bytes, {end - body} are left"
                raise _fail(cursor, start, message, CUT)
        else:
            length = header >> 1
            body = at
            at += size
            if at > end:
                message = f"a repeated value needs {size} bytes, {end - body} are left"
                raise _fail(cursor, start, message, CUT)
            value = data[body] if size == 1 else int.from_bytes(data[body:at], "little")
            if value >> width:
                raise _fail(cursor, start, f"the repeated value {value} needs more than {width} bits", WIDE)
            repeated.append(value)
        if not 0 < length <= MAX_RUN:
            raise _fail(cursor, start, f"a run of {length} values", LENGTH)
        lengths.append(min(length, left))
        left -= length
    cursor.pos = min(at, end)
    return lengths, repeated, packed


def _long_header(cursor: Cursor, left: int) -> int:
    if not cursor.remaining:
        raise cursor.fail(f"the runs end {left} values early", rule=MISSING)
    with cursor.obeying(HEADER):
        return cursor.uleb128(32, "header of a run")


def _fail(cursor: Cursor, at: int, message: str, rule: str) -> Malformed:
    cursor.pos = at
    return cursor.fail(message, rule=rule)


def encode(
    values: NDArray[np.integer],
    width: int,
    *,
    runs: Iterable[tuple[str, int]] | None = None,
    padding: int = 0,
) -> bytes:
    """Return the runs, without their size in front.

    `runs` are ("rle", length) or ("packed", length); only the last packed run may have a length that
    is no multiple of 8: it is filled up with the low bits of `padding`, which the format leaves open. By
    default, 8 or more equal values are an rle-run.
    Raises UsageError if they do not cover the values, or would change them.
    """
    out = []
    at = 0
    for kind, length in choose(values) if runs is None else runs:
        part = values[at : at + length]
        at += length
        if len(part) != length or not 0 < length <= MAX_RUN:
            raise UsageError(f"a run of {length} values, {len(part)} are left")
        if kind == "rle":
            if bool((part != part[0]).any()):
                raise UsageError("the values of an rle-run differ")
            out.append(bits.uleb128(length << 1) + int(part[0]).to_bytes((width + 7) // 8, "little"))
        else:
            if length % 8 and at != len(values):
                raise UsageError(f"a bit-packed run of {length} values is not the last one")
            padded = np.full((length + 7) // 8 * 8, padding & (1 << width) - 1, np.uint64)
            padded[:length] = part
            out.append(bits.uleb128(len(padded) // 8 << 1 | 1) + bits.pack(padded, width))
    if at != len(values):
        raise UsageError(f"the runs hold {at} of {len(values)} values")
    return b"".join(out)


def encode_prefixed(
    values: NDArray[np.integer],
    width: int,
    *,
    runs: Iterable[tuple[str, int]] | None = None,
    padding: int = 0,
) -> bytes:
    """As `encode`, with the size of the runs in front."""
    data = encode(values, width, runs=runs, padding=padding)
    return len(data).to_bytes(4, "little") + data


def choose(values: NDArray[np.integer]) -> Iterator[tuple[str, int]]:
    """Yield a usual mixture: values that repeat 8 times or more as rle-runs, the rest bit-packed."""
    cuts = [0, *(np.flatnonzero(values[1:] != values[:-1]) + 1).tolist(), len(values)]
    loose = 0  # values that wait for a bit-packed run
    for start, stop in pairwise(cuts):
        equal = stop - start
        filling = min(-loose % 8, equal)
        if equal - filling >= 8:
            if loose:
                yield "packed", loose + filling
            yield "rle", equal - filling
            loose = 0
        else:
            loose += equal
    if loose:
        yield "packed", loose
