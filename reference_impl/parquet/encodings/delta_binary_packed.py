"""DELTA_BINARY_PACKED = 5 (Encodings.md#DELTAENC): differences of INT32 or INT64, in blocks of miniblocks.

    header    | block size | miniblocks in a block | total value count | first value |
    block     | min delta | bit width of each miniblock: 1 byte | miniblock | miniblock | ...
    miniblock | delta - min delta of its values, bit-packed LSB first |

Numbers of the header are ULEB128; first value and min delta are zigzag. Every miniblock is full, the last
one padded; miniblocks without values have a bit width byte of any value, but no body.

    7, 5, 3, 1, 2, 3, 4, 5 (blocks of 128, 4 miniblocks)
    80 01 04 08 0e    03 02 00 00 00    c0 3f 00 00 00 00 00 00
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from reference_impl import bits
from reference_impl.cursor import Cursor
from reference_impl.errors import UsageError
from reference_impl.parquet.schema import Type
from reference_impl.parquet.types import Physical

HEADER, BLOCK_SIZE, MINIBLOCKS = "PQ-DBP-001", "PQ-DBP-002", "PQ-DBP-003"
COUNT, FIRST, BLOCK = "PQ-DBP-004", "PQ-DBP-005", "PQ-DBP-006"
WIDTH, BODY, TYPE = "PQ-DBP-007", "PQ-DBP-008", "PQ-DBP-009"
BITS = {Type.INT32: 32, Type.INT64: 64}


def decode(cursor: Cursor, physical: Physical, count: int) -> NDArray[np.signedinteger]:
    """Return `count` values as int32 or int64; the cursor is left behind the last miniblock that holds any.

    The total value count of the header must be `count`, the number of values that were encoded: a page
    with another count contradicts itself. (Arrow and parquet-mr refuse too few values and ignore surplus
    values.) Without values (all null), the header may be missing. Raises Malformed (PQ-DBP-*).
    """
    if physical.type not in BITS:
        raise cursor.fail(f"DELTA_BINARY_PACKED for {physical}", rule=TYPE)
    if not count and not cursor.remaining:
        return np.zeros(0, physical.dtype)
    return decode_bits(cursor, BITS[physical.type], count)


def decode_bits(cursor: Cursor, width: int, count: int) -> NDArray[np.signedinteger]:
    """As `decode`, for 32- or 64-bit integers; also for the lengths inside other encodings."""
    per_block, per_miniblock, first = _header(cursor, width, count)
    if not count:
        return np.zeros(0, f"<i{width // 8}")
    # Additions wrap around "in 2's complement notation", as unsigned arithmetic in the type's width.
    out = np.empty(count, f"<u{width // 8}")
    out[0] = first & ((1 << width) - 1)
    _deltas(cursor, out[1:], width, per_block, per_miniblock)
    np.cumsum(out, out=out)
    return out.view(f"<i{width // 8}")


def check(cursor: Cursor, width: int, count: int) -> None:
    """Check that `decode_bits` would find `count` values; unpack none. Raises Malformed (PQ-DBP-*)."""
    miniblocks, values, _ = _header(cursor, width, count)
    left = -(-(count - 1) // values) if count else 0
    while left > 0:
        with cursor.obeying(BLOCK):
            cursor.zigzag(64, "the least delta")
            widths = cursor.take(miniblocks, "bit widths of miniblocks")[:left]
        if max(widths) > width:
            raise cursor.fail(f"a miniblock of {max(widths)} bits for INT{width}", rule=WIDTH)
        with cursor.obeying(BODY):
            cursor.take(sum(widths) * values // 8, "miniblocks")
        left -= miniblocks


def _header(cursor: Cursor, width: int, count: int) -> tuple[int, int, int]:
    """Return miniblocks per block, values per miniblock, first value."""
    with cursor.obeying(HEADER):
        block_size = cursor.uleb128(64, "block size")
        miniblocks = cursor.uleb128(64, "miniblock count")
        total = cursor.uleb128(64, "total value count")
        first = cursor.zigzag(64, "first value")
    _check_layout(cursor, block_size, miniblocks)
    if total != count:
        raise cursor.fail(f"total value count {total}, but the page has {count} values", rule=COUNT)
    if not -(1 << (width - 1)) <= first < 1 << (width - 1):
        raise cursor.fail(f"first value {first} is no INT{width}", rule=FIRST)
    return miniblocks, block_size // miniblocks, first


def _check_layout(cursor: Cursor, block_size: int, miniblocks: int) -> None:
    """Raise Malformed (PQ-DBP-002, -003) for an illegal block size or number of miniblocks."""
    if block_size == 0 or block_size % 128:
        raise cursor.fail(f"block size {block_size} is no multiple of 128", rule=BLOCK_SIZE)
    if miniblocks == 0 or block_size % miniblocks or block_size // miniblocks % 32:
        message = f"{miniblocks} miniblocks cut a block of {block_size} into no multiple of 32 values"
        raise cursor.fail(message, rule=MINIBLOCKS)


def _deltas(
    cursor: Cursor, out: NDArray[np.unsignedinteger], width: int, miniblocks: int, values: int
) -> None:
    """Fill `out` with deltas, from blocks of `miniblocks` miniblocks of `values` values each.

    Headers first, then all miniblocks of a bit width at once: a call per miniblock would take longer.
    """
    full, rest = divmod(len(out), values)  # full miniblocks; values of the last one
    needed = full + bool(rest)
    bodies: dict[int, tuple[list[int], list[memoryview]]] = {}
    minima: list[int] = []
    number = 0
    with cursor.obeying(BLOCK):
        while number < needed:
            # The min delta may have 64 bits for both types: it wraps around too.
            minima.append(cursor.zigzag(64, "min delta") & ((1 << width) - 1))
            widths = cursor.take(miniblocks, "bit widths of miniblocks")[: needed - number]
            at = cursor.pos
            for bit_width in widths:
                start = at
                at += values // 8 * bit_width
                if bit_width > width:
                    raise cursor.fail(f"a miniblock of {bit_width} bits for INT{width}", rule=WIDTH)
                if at > cursor.end:
                    cursor.pos = start
                    message = f"a miniblock needs {at - start} bytes, {cursor.remaining} are left"
                    raise cursor.fail(message, rule=BODY)
                numbers, parts = bodies.get(bit_width) or bodies.setdefault(bit_width, ([], []))
                numbers.append(number)
                parts.append(cursor.data[start:at])
                number += 1
            cursor.pos = at
    for bit_width, (numbers, parts) in bodies.items():
        if numbers[-1] == full:  # not full: it holds the remaining values
            numbers.pop()
            out[full * values :] = bits.unpack(parts.pop(), bit_width, rest)
        if numbers:
            unpacked = bits.unpack(b"".join(parts), bit_width, len(numbers) * values)
            out[: full * values].reshape(full, values)[numbers] = unpacked.reshape(-1, values)
    _add_minima(out, np.array(minima, out.dtype), miniblocks * values)


def _add_minima(
    out: NDArray[np.unsignedinteger], minima: NDArray[np.unsignedinteger], block_size: int
) -> None:
    full = len(out) // block_size
    if full:
        out[: full * block_size].reshape(full, block_size)[:] += minima[:full, None]
    if full < len(minima):
        out[full * block_size :] += minima[full]


def encode(
    values: NDArray[np.signedinteger],
    *,
    block_size: int = 128,
    miniblocks: int = 4,
    padding: int = 0,
    unneeded_width: int = 0,
    extra_bits: int = 0,
) -> bytes:
    """Return header and blocks for int32 or int64 values.

    `padding` fills up the last miniblock (its low bits, as many as fit), `unneeded_width` is the bit width
    byte of miniblocks without values, `extra_bits` widen every miniblock beyond the needed width (up to the
    type's width). Raises UsageError for a layout that is not legal.
    """
    if block_size <= 0 or block_size % 128 or miniblocks <= 0 or block_size % (32 * miniblocks):
        raise UsageError(f"{miniblocks} miniblocks in blocks of {block_size} values")
    first = int(values[0]) if len(values) else 0
    out = [*map(bits.uleb128, (block_size, miniblocks, len(values))), bits.zigzag(first)]
    width = values.dtype.itemsize * 8
    unsigned = values.view(f"u{width // 8}")
    deltas = unsigned[1:] - unsigned[:-1]
    for start in range(0, len(deltas), block_size):
        block = deltas[start : start + block_size]
        minimum = int(block.view(values.dtype).min())
        above = (block - block.dtype.type(minimum & ((1 << width) - 1))).astype(np.uint64)
        widths, bodies = [], []
        for part in np.split(above, range(block_size // miniblocks, len(above), block_size // miniblocks)):
            full = np.full(block_size // miniblocks, padding & ((1 << width) - 1), np.uint64)
            full[: len(part)] = part
            widths.append(min(width, int(part.max()).bit_length() + extra_bits))
            bodies.append(bits.pack(full, widths[-1]))
        widths += [unneeded_width] * (miniblocks - len(widths))
        out += [bits.zigzag(minimum), bytes(widths), *bodies]
    return b"".join(out)
