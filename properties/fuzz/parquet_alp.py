# Bytes are values, of which each vector's are where its offset says, or a documented error. What was read is
# written to bytes from which the same is read, to the bit.
"""ALP (AlpEncoding.md)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from properties.fuzz import cut_parquet, inputs
from properties.fuzz.claims import attempt, same
from reference_impl.cursor import Cursor
from reference_impl.parquet.encodings import alp
from reference_impl.parquet.schema import Encoding, Type
from reference_impl.parquet.types import Physical

if TYPE_CHECKING:
    from collections.abc import Iterable

NAME = "parquet_alp"
_MANY = 1 << 12  # values that are written again: the writer tries every exponent and factor


def seeds() -> Iterable[bytes]:
    """Return the values of all pages in this encoding."""
    found = cut_parquet.values(Encoding.ALP)
    return inputs.some(inputs.put(one.physical, one.count, 0, one.data) for one in found)


def check(data: bytes) -> None:
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
