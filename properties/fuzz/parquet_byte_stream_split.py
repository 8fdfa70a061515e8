# Bytes are `count` values of a width exactly if they are as many as that; else a documented error. What was
# read is written to the bytes it was read from.
"""BYTE_STREAM_SPLIT (Encodings.md#BYTESTREAMSPLIT)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from properties.fuzz import cut_parquet, inputs
from properties.fuzz.claims import attempt, same
from reference_impl.cursor import Cursor
from reference_impl.parquet.encodings import byte_stream_split
from reference_impl.parquet.schema import Encoding

if TYPE_CHECKING:
    from collections.abc import Iterable

NAME = "parquet_byte_stream_split"


def seeds() -> Iterable[bytes]:
    """Return the values of all pages in this encoding."""
    found = cut_parquet.values(Encoding.BYTE_STREAM_SPLIT)
    return inputs.some(inputs.put(one.physical, one.count, 0, one.data) for one in found)


def check(data: bytes) -> None:
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
