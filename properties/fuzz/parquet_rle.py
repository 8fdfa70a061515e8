# Any bytes are `count` levels, booleans or indices in runs, or a documented error. What was read is written
# and read again to the same; fewer values are the first of them; with a size in front, the same is read
# behind it.
"""RLE / bit-packing hybrid (Encodings.md#RLE)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from properties.fuzz import cut_parquet, inputs
from properties.fuzz.claims import attempt, holds, same
from properties.strategies.mutations import streams
from reference_impl.cursor import Cursor
from reference_impl.parquet.encodings import rle
from reference_impl.parquet.schema import Encoding

if TYPE_CHECKING:
    from collections.abc import Iterable
    from random import Random

NAME = "parquet_rle"
_PREFIX = 4
_WIDTHS = 33


def seeds() -> Iterable[bytes]:
    """Return levels, booleans and indices of all pages."""
    kinds = (f"level {int(Encoding.RLE)}", Encoding.RLE, Encoding.RLE_DICTIONARY, Encoding.PLAIN_DICTIONARY)
    return inputs.some(_seed(one) for one in cut_parquet.sections() if one.kind in kinds and one.data)


def _seed(one: cut_parquet.Section) -> bytes:
    if one.kind in (Encoding.RLE_DICTIONARY, Encoding.PLAIN_DICTIONARY):
        width, body = one.data[0] % _WIDTHS, one.data[1:]
    else:
        width, body = one.most.bit_length() or 1, one.data[_PREFIX:]
    return inputs.put(one.physical, one.count, width, body)


def mutate(data: bytes, random: Random) -> bytes:
    """Change runs and what they hold."""
    width = inputs.given(data).choice % _WIDTHS
    return inputs.mutated(data, random, lambda body: streams.hybrid(body, width, random))


def check(data: bytes) -> None:
    """Read the bytes as runs of values of `choice` bits."""
    _, count, choice, body = inputs.given(data)
    width = choice % _WIDTHS
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
