"""Bugs in decoding values: Encodings.md."""

from __future__ import annotations

from functools import partial

from harness.investigate.selftest.plant import Plant

_HOME = "reference_impl.parquet.encodings"
_delta_binary_packed = partial(Plant, module=f"{_HOME}.delta_binary_packed", clause="Encodings.md#DELTAENC")
_dictionary = partial(Plant, module=f"{_HOME}.dictionary", clause="Encodings.md#DICTIONARY")
_rle = partial(Plant, module=f"{_HOME}.rle", clause="Encodings.md#RLE")

PLANTS = (
    _delta_binary_packed(
        "delta-wrap-lost",
        "sums of deltas saturate at the limits of the type instead of wrapping around",
        "    np.cumsum(out, out=out)\n",
        '    out = np.cumsum(out.view(f"<i{width // 8}").astype(object))\n'
        '    out = np.clip(out, -(1 << width - 1), (1 << width - 1) - 1).astype(f"<i{width // 8}")\n',
    ),
    _delta_binary_packed(
        "delta-minimum-unsigned",
        "the min delta of a block is decoded as unsigned",
        'cursor.zigzag(64, "min delta")',
        'cursor.uleb128(64, "min delta")',
    ),
    _delta_binary_packed(
        "delta-short-block",
        "the min delta is ignored if the only block of a page is not full",
        "    if full < len(minima):",
        "    if full and full < len(minima):",
    ),
    _delta_binary_packed(
        "delta-full-width",
        "miniblocks as wide as the type are refused",
        "if bit_width > width:",
        "if bit_width >= width:",
    ),
    _delta_binary_packed(
        "delta-miniblock-of-32",
        "every miniblock is assumed to hold 32 values, whatever the header says",
        "return miniblocks, block_size // miniblocks, first",
        "return miniblocks, 32, first",
    ),
    _delta_binary_packed(
        "delta-padding-read",
        "the bodies of miniblocks without values are read, though only their bit widths are stored",
        'cursor.take(miniblocks, "bit widths of miniblocks")[: needed - number]',
        'cursor.take(miniblocks, "bit widths of miniblocks")',
    ),
    Plant(
        "prefix-of-suffix",
        "a prefix is copied from the previous suffix instead of the previous string",
        "        parts.append(before)\n",
        "        parts.append(before)\n        before = raw[start:stop]\n",
        "Encodings.md#DELTASTRING",
        f"{_HOME}.delta_byte_array",
    ),
    Plant(
        "split-fixed-stride",
        "BYTE_STREAM_SPLIT of FIXED_LEN_BYTE_ARRAY is read as if it were not split",
        ".reshape(width, count)",
        "\n    fixed = physical.dtype is None\n"
        "    streams = streams.reshape(count, width).T if fixed else streams.reshape(width, count)",
        "Encodings.md#BYTESTREAMSPLIT",
        f"{_HOME}.byte_stream_split",
    ),
    Plant(
        "split-beyond-32",
        "BYTE_STREAM_SPLIT of more than 32 streams begins again with the first",
        "        values[:, byte] = stream\n",
        "        values[:, byte % 32] = stream\n",
        "Encodings.md#BYTESTREAMSPLIT",
        f"{_HOME}.byte_stream_split",
    ),
    _dictionary(
        "dictionary-last-entry",
        "the index of the last dictionary entry returns the entry before it",
        "indices.astype(np.int64))",
        "indices.astype(np.int64).clip(0, max(0, len(dictionary) - 2)))",
    ),
    _dictionary(
        "dictionary-byte-indices",
        "dictionary indices are truncated to 8 bits",
        "indices.astype(np.int64))",
        "indices.astype(np.uint8).astype(np.int64))",
    ),
    _dictionary(
        "dictionary-width-0",
        "dictionary indices of bit width 0 are read as indices of bit width 1",
        "return rle.decode(cursor, _width(cursor), count)",
        "return rle.decode(cursor, max(1, _width(cursor)), count)",
    ),
    _dictionary(
        "dictionary-nothing",
        "an all-null dictionary page is refused if the byte for the bit width is absent",
        "if not count and not cursor.remaining:",
        "if not count and cursor.remaining == 1:",
    ),
    _rle(
        "rle-run-too-long",
        "all values of an RLE run are used, though fewer remain in the page",
        "lengths.append(min(length, left))",
        "lengths.append(min(length, left) if header & 1 else length)",
    ),
    _rle(
        "packed-padding-counted",
        "the padding of a bit-packed run counts as values",
        "lengths.append(min(length, left))",
        "lengths.append(length if header & 1 else min(length, left))",
    ),
    _rle(
        "rle-value-width",
        "a repeated value whose width is a multiple of 8 bits is read with one byte too many",
        "size = (width + 7) // 8\n",
        "size = width // 8 + 1\n",
    ),
    _rle(
        "rle-value-big-endian",
        "a repeated value of several bytes is read big-endian",
        'int.from_bytes(data[body:at], "little")',
        'int.from_bytes(data[body:at], "big")',
    ),
    Plant(
        "packed-levels-bit-order",
        "BIT_PACKED levels are unpacked least significant bit first",
        "return bits.unpack_msb(",
        "return bits.unpack(",
        "Encodings.md#BITPACKED",
        f"{_HOME}.bit_packed",
    ),
    Plant(
        "unpack-mask-dropped",
        "unpacked values of 9 to 25 bits keep bits of the next value",
        "<< scalar(64 - shift)\n        out[:, k] = words & mask",
        "<< scalar(64 - shift)\n        out[:, k] = words if width <= 25 else words & mask",
        "Encodings.md#RLE",
        "reference_impl.bits",
    ),
    Plant(
        "boolean-runs-without-size",
        "RLE booleans are read as if no size preceded them",
        ": rle.decode_prefixed(cursor, 1, count)",
        ": rle.decode(cursor, 1, count)",
        "Encodings.md#RLE",
        "reference_impl.parquet.encodings.dispatch",
    ),
)
