"""Bugs in decoding values: Encodings.md."""

from __future__ import annotations

from harness.investigate.selftest.plant import Plant

_HOME = "reference_impl.parquet.encodings"
_DELTA = f"{_HOME}.delta_binary_packed"
_DICTIONARY = f"{_HOME}.dictionary"
_RLE = f"{_HOME}.rle"

PLANTS = (
    Plant(
        "delta-wrap-lost",
        "sums of deltas stop at the ends of the type instead of wrapping around",
        "Encodings.md#DELTAENC",
        _DELTA,
        "    np.cumsum(out, out=out)\n",
        '    out = np.cumsum(out.view(f"<i{width // 8}").astype(object))\n'
        '    out = np.clip(out, -(1 << width - 1), (1 << width - 1) - 1).astype(f"<i{width // 8}")\n',
    ),
    Plant(
        "delta-minimum-unsigned",
        "the min delta of a block is taken for unsigned",
        "Encodings.md#DELTAENC",
        _DELTA,
        'cursor.zigzag(64, "min delta")',
        'cursor.uleb128(64, "min delta")',
    ),
    Plant(
        "delta-short-block",
        "the min delta of a block that is not full is lost where it is the only one",
        "Encodings.md#DELTAENC",
        _DELTA,
        "    if full < len(minima):",
        "    if full and full < len(minima):",
    ),
    Plant(
        "delta-full-width",
        "miniblocks as wide as the type are refused",
        "Encodings.md#DELTAENC",
        _DELTA,
        "if bit_width > width:",
        "if bit_width >= width:",
    ),
    Plant(
        "delta-miniblock-of-32",
        "a miniblock is thought to have 32 values whatever the header says",
        "Encodings.md#DELTAENC",
        _DELTA,
        "return miniblocks, block_size // miniblocks, first",
        "return miniblocks, 32, first",
    ),
    Plant(
        "delta-padding-read",
        "bit widths of miniblocks without values are heeded, and their bodies looked for",
        "Encodings.md#DELTAENC",
        _DELTA,
        'cursor.take(miniblocks, "bit widths of miniblocks")[: needed - number]',
        'cursor.take(miniblocks, "bit widths of miniblocks")',
    ),
    Plant(
        "prefix-of-suffix",
        "a prefix is taken of the suffix of the string before, not of the string",
        "Encodings.md#DELTASTRING",
        f"{_HOME}.delta_byte_array",
        "        parts.append(before)\n",
        "        parts.append(before)\n        before = raw[start:stop]\n",
    ),
    Plant(
        "split-fixed-stride",
        "BYTE_STREAM_SPLIT of FIXED_LEN_BYTE_ARRAY is read as if it were not split",
        "Encodings.md#BYTESTREAMSPLIT",
        f"{_HOME}.byte_stream_split",
        ".reshape(width, count)",
        "\n    fixed = physical.dtype is None\n"
        "    streams = streams.reshape(count, width).T if fixed else streams.reshape(width, count)",
    ),
    Plant(
        "dictionary-last-entry",
        "the last index of a dictionary means the entry before it",
        "Encodings.md#DICTIONARY",
        _DICTIONARY,
        "indices.astype(np.int64))",
        "indices.astype(np.int64).clip(0, max(0, len(dictionary) - 2)))",
    ),
    Plant(
        "dictionary-byte-indices",
        "indices into a dictionary keep 8 bits",
        "Encodings.md#DICTIONARY",
        _DICTIONARY,
        "indices.astype(np.int64))",
        "indices.astype(np.uint8).astype(np.int64))",
    ),
    Plant(
        "dictionary-width-0",
        "indices of no bits are looked for as indices of one",
        "Encodings.md#DICTIONARY",
        _DICTIONARY,
        "return rle.decode(cursor, width, count)",
        "return rle.decode(cursor, max(1, width), count)",
    ),
    Plant(
        "dictionary-nothing",
        "an all-null page without the bit width of its indices is refused",
        "Encodings.md#DICTIONARY",
        _DICTIONARY,
        "if not count and not cursor.remaining:",
        "if not count and cursor.remaining == 1:",
    ),
    Plant(
        "rle-run-too-long",
        "a repeated run longer than what is left adds all its values",
        "Encodings.md#RLE",
        _RLE,
        "lengths.append(min(length, left))",
        "lengths.append(min(length, left) if header & 1 else length)",
    ),
    Plant(
        "packed-padding-counted",
        "the padding of a bit-packed run counts as values",
        "Encodings.md#RLE",
        _RLE,
        "lengths.append(min(length, left))",
        "lengths.append(length if header & 1 else min(length, left))",
    ),
    Plant(
        "rle-value-width",
        "a repeated value of 8, 16, ... bits has a byte too many",
        "Encodings.md#RLE",
        _RLE,
        "size = (width + 7) // 8\n",
        "size = width // 8 + 1\n",
    ),
    Plant(
        "rle-value-big-endian",
        "a repeated value of several bytes is read big-endian",
        "Encodings.md#RLE",
        _RLE,
        'int.from_bytes(data[body:at], "little")',
        'int.from_bytes(data[body:at], "big")',
    ),
    Plant(
        "packed-levels-bit-order",
        "BIT_PACKED levels are unpacked least significant bit first",
        "Encodings.md#BITPACKED",
        f"{_HOME}.bit_packed",
        "return bits.unpack_msb(",
        "return bits.unpack(",
    ),
    Plant(
        "unpack-mask-dropped",
        "bits of the next value are kept where a value of 9 to 25 bits is unpacked",
        "Encodings.md#RLE",
        "reference_impl.bits",
        "<< scalar(64 - shift)\n        out[:, k] = words & mask",
        "<< scalar(64 - shift)\n        out[:, k] = words if width <= 25 else words & mask",
    ),
    Plant(
        "boolean-runs-without-size",
        "RLE booleans are read as if no size preceded them",
        "Encodings.md#RLE",
        "reference_impl.parquet.encodings.dispatch",
        ": rle.decode_prefixed(cursor, 1, count)",
        ": rle.decode(cursor, 1, count)",
    ),
)
