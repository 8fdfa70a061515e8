"""Targets of Parquet's encodings: values of a page, of the type and count that four bytes in front say."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

import numpy as np

from properties.fuzz import cut_parquet, inputs
from properties.fuzz.bounds import limits
from properties.fuzz.claims import attempt, holds, same
from properties.fuzz.targets import Table
from properties.strategies.mutations import streams
from reference_impl import bits
from reference_impl.byte_arrays import ByteArrays
from reference_impl.cursor import Cursor
from reference_impl.parquet import types
from reference_impl.parquet.encodings import (
    alp,
    bit_packed,
    byte_stream_split,
    delta_binary_packed,
    delta_byte_array,
    delta_length_byte_array,
    dictionary,
    plain,
    rle,
)
from reference_impl.parquet.schema import Encoding, Type
from reference_impl.parquet.types import Physical

TABLE = Table()
_WORDS = 1 << 8
_LOOKED_UP = 1 << 10
_MANY = 1 << 12  # values that are written again: the writer of ALP tries every exponent and factor


def _change_values(encoding: Encoding) -> Callable[[bytes, Random], bytes]:
    """Return a mutator of runs and of the values in them."""

    def mutate(data: bytes, random: Random) -> bytes:
        physical = inputs.given(data).physical
        return inputs.mutated(data, random, lambda body: streams.values(body, encoding, physical, random))

    return mutate


@TABLE.target(
    "parquet_alp",
    "ALP (AlpEncoding.md).",
    "Any bytes decode to values at the offsets of their vectors, or raise a documented error. Decoded"
    " values survive writing and reading bit by bit.",
    cut_parquet.inputs_of(Encoding.ALP),
)
def check_alp(data: bytes) -> None:
    """Read the bytes as floats or doubles, as many as the header says if `choice` is odd."""
    physical, count, choice, body = inputs.given(data)
    if choice % 2:
        count = int.from_bytes(body[3:7], "little") & 0xFFFF
    physical = Physical(Type.FLOAT if physical.type == Type.FLOAT else Type.DOUBLE)
    values = attempt(alp.decode, Cursor(body), physical, count)
    if values is None:
        return
    same(len(values), count, "values")
    if count <= _MANY:
        written = alp.encode(values, exponent=10, log_vector_size=3 + choice % 13)
        same(alp.decode(Cursor(written), physical, count).tobytes(), values.tobytes(), "written again")


@TABLE.target(
    "parquet_bit_packed",
    "BIT_PACKED levels (Encodings.md#BITPACKED).",
    "Any bytes decode to `count` levels, the highest bit first, or raise a documented error. Decoded "
    "levels are written to the original bytes, except for the padding of the last byte; a smaller "
    "count returns the first levels.",
    cut_parquet.bit_packed_levels,
)
def check_bit_packed(data: bytes) -> None:
    """Read the bytes as levels of `choice` bits."""
    _, count, choice, body = inputs.given(data)
    width = choice % cut_parquet.WIDTHS
    cursor = Cursor(body)
    levels = attempt(bit_packed.decode, cursor, width, count)
    if levels is None:
        return
    written = bit_packed.encode(levels, width)
    same(cursor.pos, bits.size(count, width), "bytes read")
    whole = count * width // 8
    same(written[:whole], body[:whole], "written again")
    same(bit_packed.decode(Cursor(written), width, count), levels, "read, written and read")
    same(bit_packed.decode(Cursor(body), width, count // 3), levels[: count // 3], "the first of them")


@TABLE.target(
    "parquet_byte_stream_split",
    "BYTE_STREAM_SPLIT (Encodings.md#BYTESTREAMSPLIT).",
    "Bytes decode to `count` values if their number fits exactly; otherwise a documented error is "
    "raised. Decoded values are written to the original bytes.",
    cut_parquet.inputs_of(Encoding.BYTE_STREAM_SPLIT),
)
def check_byte_stream_split(data: bytes) -> None:
    """Read the bytes as values, as many as there are if `choice` is odd."""
    physical, count, choice, body = inputs.given(data)
    if choice % 2 and physical.width:
        count = len(body) // physical.width
        body = body[: count * physical.width]
    values = attempt(byte_stream_split.decode, Cursor(body), physical, count)
    if values is None:
        return
    same(len(values), count, "values")
    same(byte_stream_split.encode(values), body, "written again")


@TABLE.target(
    "parquet_delta_binary_packed",
    "DELTA_BINARY_PACKED (Encodings.md#DELTAENC).",
    "Any bytes decode to `count` integers, or raise a documented error. Decoded values survive "
    "writing and reading, in blocks of the usual and of another size; only the count of the header is"
    " read.",
    cut_parquet.inputs_of(Encoding.DELTA_BINARY_PACKED),
    _change_values(Encoding.DELTA_BINARY_PACKED),
)
def check_delta_binary_packed(data: bytes) -> None:
    """Read the bytes as integers, of the count that the header says if `choice` is odd."""
    physical, count, choice, body = inputs.given(data)
    if choice % 2:
        cursor = Cursor(body)
        declared = [attempt(cursor.uleb128, 64) or 0 for _ in range(3)]
        count = min(declared[2], inputs.MOST_COUNT)
    values = attempt(delta_binary_packed.decode, Cursor(body), physical, count)
    if not isinstance(values, np.ndarray):
        return
    same((values.dtype, values.shape), (physical.dtype, (count,)), "type and shape")
    for layout in ({}, {"block_size": 256, "miniblocks": 2, "extra_bits": 3, "unneeded_width": 255}):
        written = delta_binary_packed.encode(values, **layout)
        same(delta_binary_packed.decode(Cursor(written), physical, count), values, "read, written and read")
    if body:
        refused = attempt(delta_binary_packed.decode, Cursor(body), physical, count + 1) is None
        holds(refused, "another count is refused")


@TABLE.target(
    "parquet_delta_length_byte_array",
    "DELTA_LENGTH_BYTE_ARRAY (Encodings.md#DELTALENGTH): lengths and bytes.",
    "Any bytes decode to `count` strings that follow their lengths, or raise a documented error. "
    "Decoded values survive writing and reading; each byte of the strings occurs once in the input.",
    cut_parquet.inputs_of(Encoding.DELTA_LENGTH_BYTE_ARRAY),
    _change_values(Encoding.DELTA_LENGTH_BYTE_ARRAY),
)
def check_delta_length_byte_array(data: bytes) -> None:
    """Read the bytes as strings."""
    physical, count, _, body = inputs.given(data)
    cursor = Cursor(body)
    strings = attempt(delta_length_byte_array.decode, cursor, physical, count)
    if strings is None:
        return
    holds(len(strings) == count and len(strings.data) <= cursor.pos, "the strings are bytes of the input")
    written = delta_length_byte_array.encode(strings, block_size=128)
    same(delta_length_byte_array.decode(Cursor(written), physical, count), strings, "read, written and read")


@TABLE.target(
    "parquet_delta_byte_array",
    "DELTA_BYTE_ARRAY (Encodings.md#DELTASTRING): shared prefixes and suffixes.",
    "Any bytes decode to `count` strings with shared prefixes, or raise a documented error. Decoded "
    "values survive writing and reading. Decoding uses no more memory than the limit for the sum of "
    "the strings.",
    cut_parquet.inputs_of(Encoding.DELTA_BYTE_ARRAY),
    _change_values(Encoding.DELTA_BYTE_ARRAY),
)
def check_delta_byte_array(data: bytes) -> None:
    """Read the bytes as strings of no more than the limit."""
    physical, count, _, body = inputs.given(data)
    limit = limits(data).page_bytes
    strings = attempt(delta_byte_array.decode, Cursor(body), physical, count, limit=limit)
    if strings is None:
        return
    holds(len(strings) == count, "so many strings")
    if isinstance(strings, ByteArrays):
        same(int(strings.lengths.sum()), len(strings.data), "bytes of the strings")
        holds(len(strings.data) <= limit, "the limit of bytes is kept")
    for prefixes in (None, [0] * count):
        written = delta_byte_array.encode(strings, prefixes=prefixes)
        again = delta_byte_array.decode(Cursor(written), physical, count)
        same(again, strings, "read, written and read")


@TABLE.target(
    "parquet_plain",
    "PLAIN (Encodings.md#PLAIN).",
    "Any bytes decode to `count` PLAIN values, or raise a documented error. Decoded values are "
    "written to the original bytes (except for the padding of booleans); reading in two steps returns"
    " the same values.",
    cut_parquet.inputs_of(Encoding.PLAIN, choice=8),
    _change_values(Encoding.PLAIN),
)
def check_plain(data: bytes) -> None:
    """Read the bytes as values; `choice` of them first, in eights."""
    physical, count, choice, body = inputs.given(data)
    cursor = Cursor(body)
    values = attempt(plain.decode, cursor, physical, count)
    if values is None:
        return
    same(len(values), count, "values")
    written = plain.encode(values, physical)
    if physical.type != Type.BOOLEAN:
        same(written, body[: cursor.pos], "written again")
    same(plain.decode(Cursor(written), physical, count), values, "read, written and read")
    first = min(count, choice // 8 * 8)  # booleans of a byte are not torn apart
    cursor = Cursor(body)
    parts = [plain.decode(cursor, physical, each) for each in (first, count - first)]
    same(types.concat(parts, physical), values, "read in two parts")


@TABLE.target(
    "parquet_dictionary",
    "RLE_DICTIONARY indices (Encodings.md#DICTIONARY).",
    "Any bytes decode to `count` indices, or raise a documented error. Decoded indices survive "
    "writing and reading. Each index finds its value in a large enough dictionary; a dictionary that "
    "is too small raises a documented error.",
    cut_parquet.inputs_of(*cut_parquet.INDICES),
    _change_values(Encoding.RLE_DICTIONARY),
)
def check_dictionary(data: bytes) -> None:
    """Read the bytes as a width and indices; the dictionary has strings of `choice` bytes."""
    _, count, choice, body = inputs.given(data)
    indices = attempt(dictionary.decode_indices, Cursor(body), count)
    if indices is None:
        return
    written = dictionary.encode_indices(indices)
    same(dictionary.decode_indices(Cursor(written), count).tolist(), indices.tolist(), "read again")
    size = int(indices.max()) + 1 if count else 1
    if size > _WORDS:
        return
    numbers = np.arange(size)
    same(dictionary.lookup(numbers, indices), indices.astype(numbers.dtype), "values of indices")
    indices = indices[:_LOOKED_UP]
    words = ByteArrays.of(bytes([at & 0xFF]) * (choice or at % 8) for at in range(size))
    total, limit = sum(len(words[at]) for at in indices.tolist()), 16 * len(data)
    strings = attempt(dictionary.lookup, words, indices, limit=limit)
    holds((strings is None) == (total > limit), "the limit of bytes is kept")
    if isinstance(strings, ByteArrays):
        same(list(strings), [words[at] for at in indices.tolist()], "strings of indices")
    if count:
        refused = attempt(dictionary.lookup, numbers[: int(indices.max())], indices) is None
        holds(refused, "an index outside is refused")


def _change_hybrid(data: bytes, random: Random) -> bytes:
    width = inputs.given(data).choice % cut_parquet.WIDTHS
    return inputs.mutated(data, random, lambda body: streams.hybrid(body, width, random))


@TABLE.target(
    "parquet_rle",
    "RLE / bit-packing hybrid (Encodings.md#RLE).",
    "Any bytes decode to `count` levels, booleans or indices in runs, or raise a documented error. "
    "Decoded values survive writing and reading; a smaller count returns the first values; a size in "
    "front of the runs does not change the values.",
    cut_parquet.hybrids,
    _change_hybrid,
)
def check_rle(data: bytes) -> None:
    """Read the bytes as runs of values of `choice` bits."""
    _, count, choice, body = inputs.given(data)
    width = choice % cut_parquet.WIDTHS
    prefixed = len(body).to_bytes(4, "little") + body + b"behind"
    values = attempt(rle.decode, Cursor(body), width, count)
    behind = Cursor(prefixed)
    same(attempt(rle.decode_prefixed, behind, width, count), values, "read behind a size")
    if values is None:
        return
    same(bytes(behind.take(behind.remaining)), b"behind", "what stands behind")
    holds(len(values) == count and not (count and int(values.max()) >> width), "values fit their width")
    same(rle.decode(Cursor(rle.encode(values, width)), width, count), values, "read, written and read")
    fewer = count // 3
    same(rle.decode(Cursor(body), width, fewer), values[:fewer], "the first of them")
