"""ALP = 10 (AlpEncoding.md): floating point as decimal integers, frame of reference, bit-packed.

    page      | mode 0 | integers 0 | log2 of the vector size | values: int32 | offsets: uint32 each | vectors |
    vector    | exponent | factor | exceptions: uint16 | least integer: int32 or int64 | bit width | data |
    data      | integers less the least, packed LSB first | positions: uint16 each | exceptions, PLAIN |

    1500, NaN, 2500, 333.5      exponent 4, factor 3: 15000, (15000), 25000, 3335; position 1: NaN

All is little-endian. Offsets count from the first of them. "every reader MUST compute decoded = encoded * 10^f *
10^(-e) using the same two-step multiplication and the same power-of-10 constants", in the type of the column.
"""  # noqa: E501 - a picture

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from reference_impl import bits
from reference_impl.cursor import Cursor
from reference_impl.errors import UsageError
from reference_impl.parquet.schema import Type
from reference_impl.parquet.types import Physical

Floats = NDArray[np.floating]

TYPE, MODE, VECTOR_SIZE, COUNT = "PQ-ALP-001", "PQ-ALP-002", "PQ-ALP-003", "PQ-ALP-004"
OFFSETS, FACTORS, WIDTH = "PQ-ALP-005", "PQ-ALP-006", "PQ-ALP-007"
EXCEPTIONS, MISSING = "PQ-ALP-008", "PQ-ALP-009"
SMALLEST, LARGEST = 3, 15  # log2 of the vector size
_HEADER = struct.Struct("<BBBi")
# "the correctly-rounded IEEE 754 values of the decimal literals": a float32 of them is that of the float64.
_POWERS = tuple(float(f"1e{power}") for power in range(19))
_INVERSES = tuple(float(f"1e-{power}") for power in range(19))


@dataclass(frozen=True)
class _Form:
    """The parameters of a type: value, integer and unsigned integer types, and the largest exponent."""

    value: str
    signed: str
    unsigned: str
    most: int
    head: struct.Struct

    @property
    def bits(self) -> int:
        return np.dtype(self.value).itemsize * 8

    def up(self, power: int) -> np.floating:
        constant: np.floating = np.dtype(self.value).type(_POWERS[power])
        return constant

    def down(self, power: int) -> np.floating:
        constant: np.floating = np.dtype(self.value).type(_INVERSES[power])
        return constant


FORMS = {
    Type.FLOAT: _Form("<f4", "<i4", "<u4", 10, struct.Struct("<BBHiB")),
    Type.DOUBLE: _Form("<f8", "<i8", "<u8", 18, struct.Struct("<BBHqB")),
}


def check(cursor: Cursor, physical: Physical, count: int) -> None:
    """Check that there are bytes for the vectors of `count` values; raises Malformed (PQ-ALP-*)."""
    _vectors(cursor, _form(cursor, physical), count)


def decode(cursor: Cursor, physical: Physical, count: int) -> Floats:
    """Return `count` values, which take all bytes of the cursor; raises Malformed (PQ-ALP-*)."""
    form = _form(cursor, physical)
    log, start, offsets = _vectors(cursor, form, count)
    values = np.empty(count, form.value)
    for first, offset in zip(range(0, count, 1 << log), offsets.tolist(), strict=True):
        if start + offset != cursor.pos:
            raise cursor.fail(f"a vector is said to begin {offset} bytes behind", rule=OFFSETS)
        size = min(1 << log, count - first)
        values[first : first + size] = _vector(cursor, form, size)
    if cursor.remaining:
        raise cursor.fail(f"{cursor.remaining} bytes behind the last vector", rule=OFFSETS)
    return values


def _form(cursor: Cursor, physical: Physical) -> _Form:
    form = FORMS.get(physical.type)
    if form is None:
        raise cursor.fail(f"ALP for {physical}", rule=TYPE)
    return form


def _vectors(cursor: Cursor, form: _Form, count: int) -> tuple[int, int, NDArray[np.unsignedinteger]]:
    """Return the logarithm of the size of a vector, where offsets count from, and the vectors' offsets."""
    with cursor.obeying(MISSING):
        mode, integers, log, stated_count = _HEADER.unpack(cursor.take(_HEADER.size, "the header"))
    if mode or integers:
        raise cursor.fail(f"compression mode {mode}, integer encoding {integers}", rule=MODE)
    if not SMALLEST <= log <= LARGEST:
        raise cursor.fail(f"vectors of 2^{log} values", rule=VECTOR_SIZE)
    if stated_count != count:
        raise cursor.fail(f"{stated_count} elements, and the page has {count} values", rule=COUNT)
    start, vectors = cursor.pos, (count + (1 << log) - 1) >> log
    with cursor.obeying(MISSING):
        offsets = np.frombuffer(cursor.take(4 * vectors, "the offsets"), "<u4")
        cursor.take(vectors * form.head.size, "the vectors")  # the least that all vectors take
    cursor.pos = start + 4 * vectors
    return log, start, offsets


def _vector(cursor: Cursor, form: _Form, size: int) -> Floats:
    with cursor.obeying(MISSING):
        head = cursor.take(form.head.size, "the header of a vector")
    exponent, factor, exceptions, least, width = form.head.unpack(head)
    if exponent > form.most or factor > exponent:
        raise cursor.fail(f"exponent {exponent}, factor {factor}", rule=FACTORS)
    if width > form.bits:
        raise cursor.fail(f"integers of {width} bits", rule=WIDTH)
    if exceptions > size:
        raise cursor.fail(f"{exceptions} exceptions of {size} values", rule=EXCEPTIONS)
    with cursor.obeying(MISSING):
        packed = cursor.take(bits.size(size, width), "packed integers")
        positions = np.frombuffer(cursor.take(2 * exceptions, "positions"), "<u2")
        stored_exceptions = np.frombuffer(cursor.take(exceptions * form.bits // 8, "exceptions"), form.value)
    if exceptions and positions.max() >= size:
        raise cursor.fail(f"an exception at position {positions.max()} of {size}", rule=EXCEPTIONS)
    values = _decoded(_integers(packed, form, size, least, width), form, exponent, factor)
    values[positions] = stored_exceptions
    return values


def _integers(
    packed: memoryview, form: _Form, size: int, least: int, width: int
) -> NDArray[np.signedinteger]:
    """Return the integers: the frame of reference is added in unsigned, wrapping arithmetic."""
    deltas = bits.unpack(packed, width, size).astype(form.unsigned)
    base = np.array([least], form.signed).view(form.unsigned)
    integers: NDArray[np.signedinteger] = (deltas + base).view(form.signed)
    return integers


def _decoded(integers: NDArray[np.signedinteger], form: _Form, exponent: int, factor: int) -> Floats:
    floats: Floats = integers.astype(form.value) * form.up(factor) * form.down(exponent)
    return floats


def encode(
    values: NDArray[np.generic],
    *,
    log_vector_size: int = 10,
    exponent: int | None = None,
    factor: int | None = None,
    extra_bits: int = 0,
    exceptions: int = 0,
) -> bytes:
    """Return the values (float32 or float64) encoded as in a page.

    `exponent` and `factor` hold for all vectors; if None, each vector has those that make it smallest.
    `extra_bits`: bits of each integer beyond those that it needs, up to the width of the type. `exceptions`:
    each so-many-th value is an exception, even if it could be encoded (0: none). Raises UsageError.
    """
    form = next((known for known in FORMS.values() if values.dtype == known.value), None)
    if form is None:
        raise UsageError(f"values of {values.dtype} in ALP")
    floats: Floats = values.view(form.value)
    if not SMALLEST <= log_vector_size <= LARGEST:
        raise UsageError(f"vectors of 2^{log_vector_size} values")
    size = 1 << log_vector_size
    pairs = list(_pairs(form, exponent, factor))
    parts = [floats[at : at + size] for at in range(0, len(floats), size)]
    vectors = [
        min((_written(part, form, pair, extra_bits, exceptions) for pair in pairs), key=len) for part in parts
    ]
    ends = np.cumsum([4 * len(vectors), *map(len, vectors)])[:-1] if vectors else np.zeros(0)
    head = _HEADER.pack(0, 0, log_vector_size, len(floats))
    return head + ends.astype("<u4").tobytes() + b"".join(vectors)


def _pairs(form: _Form, exponent: int | None, factor: int | None) -> Iterator[tuple[int, int]]:
    pairs = [
        (e, f)
        for e in ([exponent] if exponent is not None else range(form.most + 1))
        for f in ([factor] if factor is not None else range(e + 1))
        if 0 <= f <= e <= form.most
    ]
    if not pairs:
        raise UsageError(f"exponent {exponent}, factor {factor}")
    yield from pairs


def _written(part: Floats, form: _Form, pair: tuple[int, int], extra_bits: int, every: int) -> bytes:
    exponent, factor = pair
    integers, exact = _encoded(part, form, exponent, factor)
    if every:
        exact[::every] = False
    positions = np.flatnonzero(~exact)
    # "the encoded integer of the first non-exception value, or 0"
    integers[~exact] = integers[exact][0] if exact.any() else 0
    least = int(integers.min())
    deltas = integers.view(form.unsigned) - np.array([least], form.signed).view(form.unsigned)
    width = min(int(deltas.max()).bit_length() + extra_bits, form.bits)
    head = form.head.pack(exponent, factor, len(positions), least, width)
    packed = bits.pack(deltas, width)
    return head + packed + positions.astype("<u2").tobytes() + part[positions].tobytes()


def _encoded(
    part: Floats, form: _Form, exponent: int, factor: int
) -> tuple[NDArray[np.signedinteger], NDArray[np.bool_]]:
    """Return an integer for each value, and whether it decodes to exactly the value."""
    with np.errstate(all="ignore"):
        scaled = np.rint(part * form.up(exponent) * form.down(factor))
        limit = np.dtype(form.value).type(2.0 ** (form.bits - 1))
        inside = np.abs(scaled) < limit  # NaN is not
        integers = np.where(inside, scaled, 0).astype(form.signed)
        back = _decoded(integers, form, exponent, factor)
    return integers, inside & (back.view(form.unsigned) == np.ascontiguousarray(part).view(form.unsigned))
