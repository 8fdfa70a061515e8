"""Mutation of the values of a stream: dictionary indices, lengths, nanoseconds, tags, scales.

One value of one run is changed; the run is then written in a form that can hold any value.
"""

from __future__ import annotations

from enum import StrEnum
from random import Random

import numpy as np

from properties.strategies.mutations import scalars
from reference_impl import bits
from reference_impl.cursor import Cursor
from reference_impl.errors import ReferenceError_
from reference_impl.orc.column_encodings import DICTIONARY_KINDS, V2_KINDS
from reference_impl.orc.encodings import byte_rle, rle_v1, rle_v2
from reference_impl.orc.encodings.rle_v2 import direct
from reference_impl.orc.encodings.scan import Encoding, RunBytes, scan
from reference_impl.orc.schema import EncodingKind, StreamKind, TypeKind
from reference_impl.orc.types import BINARIES, STRINGS, TIMES

_U64 = (1 << 64) - 1
_MOST = 127  # literals of a run of version 1, or of bytes


class Role(StrEnum):
    """The meaning of the values of a stream."""

    PRESENT = "present"
    TEXT = "text"
    FLOAT = "float"
    INDEX = "dictionary index"
    LENGTH = "length"
    NANOS = "nanos"
    SECONDS = "seconds"
    SCALE = "scale"
    TAG = "tag"
    NUMBER = "number"
    DIGITS = "digits"


_OF_DATA = {
    TypeKind.BOOLEAN: (Role.PRESENT, Encoding.BOOLEAN),
    TypeKind.BYTE: (Role.NUMBER, Encoding.BYTE_RLE),
    TypeKind.UNION: (Role.TAG, Encoding.BYTE_RLE),
    TypeKind.FLOAT: (Role.FLOAT, Encoding.RAW),
    TypeKind.DOUBLE: (Role.FLOAT, Encoding.RAW),
    TypeKind.DECIMAL: (Role.DIGITS, Encoding.VARINTS),
}


def meaning(kind: TypeKind, encoding: EncodingKind, stream: StreamKind) -> tuple[Role, Encoding]:
    """Return the role and the encoding of a stream of a column ("Column Encodings")."""
    integers = Encoding.RLE_V2 if encoding in V2_KINDS else Encoding.RLE_V1
    in_dictionary = encoding in DICTIONARY_KINDS
    if stream is StreamKind.PRESENT:
        return Role.PRESENT, Encoding.BOOLEAN
    if stream is StreamKind.LENGTH:
        return Role.LENGTH, integers
    if stream is StreamKind.SECONDARY:
        return (Role.NANOS if kind in TIMES else Role.SCALE), integers
    if stream is not StreamKind.DATA or (kind in (*STRINGS, *BINARIES) and not in_dictionary):
        return Role.TEXT, Encoding.RAW
    if in_dictionary:
        return Role.INDEX, integers
    return _OF_DATA.get(kind, (Role.SECONDS if kind in TIMES else Role.NUMBER, integers))


def is_signed(role: Role) -> bool:
    """Return whether integers of a role are stored zigzag."""
    return role in (Role.NUMBER, Role.SECONDS, Role.SCALE)


def mutate(
    data: bytes, role: Role, encoding: Encoding, dictionary: int, random: Random
) -> tuple[bytes, str] | None:
    """Return a stream with a value changed and the name of the change, None if no value can be changed.

    `dictionary` is the number of words in the dictionary of the column.
    """
    if role in (Role.TEXT, Role.FLOAT):
        return scalars.mutated(random, data), f"value: {role}"
    pieces = scan(data, encoding)
    if not pieces:
        return None
    place = random.randrange(len(pieces))
    piece = pieces[place]
    if encoding is Encoding.VARINTS:
        digits = scalars.number(random, 1) if random.randrange(3) else random.getrandbits(140)
        new = bits.uleb128(digits & ((1 << 200) - 1))
    else:
        numbers = _values(piece, role, encoding)
        if numbers is None:
            return None
        at = random.randrange(len(numbers))
        numbers[at] = _other(role, numbers[at], dictionary, random)
        new = _written(numbers, role, encoding)
    rest = data[sum(len(each.data) for each in pieces) :]
    body = b"".join(new if number == place else each.data for number, each in enumerate(pieces))
    return body + rest, f"value: {role}"


def _values(piece: RunBytes, role: Role, encoding: Encoding) -> list[int] | None:
    cursor = Cursor(piece.data)
    try:
        if encoding in (Encoding.BYTE_RLE, Encoding.BOOLEAN):
            return [int(each) for each in byte_rle.decode(cursor, piece.length)]
        module = rle_v2 if encoding is Encoding.RLE_V2 else rle_v1
        return [int(each) for each in module.decode(cursor, piece.length, signed=is_signed(role))]
    except ReferenceError_:
        return None


def _other(role: Role, old: int, dictionary: int, random: Random) -> int:
    """Return another value: mostly at or beyond the limits of a role."""
    if role is Role.PRESENT:
        return random.choice((0, 0xFF, old ^ 1 << random.randrange(8)))
    if not random.randrange(3):
        return scalars.number(random, old)
    choices = {
        Role.INDEX: (dictionary, dictionary - 1, dictionary + 1, 1 << 31, 1 << 63, 0),
        Role.LENGTH: (0, old + 1, old - 1, 1 << 31, 1 << 62, _U64, 100_000),
        # "the lowest three bits … one less than the number of trailing zeros"
        Role.NANOS: (7, 999_999_999 << 3, 10**9 << 3, 999_999_999 << 3 | 7, 1 << 31, old ^ 7, 1, 0),
        Role.SECONDS: (0, -1, -(1 << 63), (1 << 63) - 1, -old, 1 << 40, -62_135_596_801 - 1_420_070_400),
        Role.SCALE: (0, -1, 38, 39, 127, 1 << 31, -(1 << 31), old + 1),
        Role.TAG: (0, 1, 2, old + 1, 127, 128, 255),
    }
    return random.choice(choices.get(role, (0, -1, 127, 128, 1 << 15, 1 << 31, 1 << 63, old + 1, old - 1)))


def _written(values: list[int], role: Role, encoding: Encoding) -> bytes:
    """Return runs of a form that can hold any values."""
    if encoding in (Encoding.BYTE_RLE, Encoding.BOOLEAN):
        parts = [bytes(each & 0xFF for each in part) for part in _cut(values)]
        return b"".join(bytes([0x100 - len(part)]) + part for part in parts)
    raw = [_raw(each, signed=is_signed(role)) for each in values]
    if encoding is Encoding.RLE_V2:
        return direct.encode(np.array(raw, np.uint64))
    return b"".join(bytes([0x100 - len(part)]) + b"".join(map(bits.uleb128, part)) for part in _cut(raw))


def _cut(values: list[int]) -> list[list[int]]:
    return [values[at : at + _MOST] for at in range(0, len(values), _MOST)]


def _raw(value: int, *, signed: bool) -> int:
    """Return an integer as it is stored, its lowest 64 bits."""
    return ((value << 1 if value >= 0 else ~value << 1 | 1) if signed else value) & _U64
