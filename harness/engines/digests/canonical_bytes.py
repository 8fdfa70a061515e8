"""Pieces: the canonical bytes of a few values of one type, which digests are made of.

What carried the values has no part in them: `of` makes the piece of tagged values and is what defines it;
`canonical_arrow` makes the same one of Arrow's buffers. Standard library only, Python 3.9.

| kind                                    | `data`                                              | `lengths` |
| --------------------------------------- | --------------------------------------------------- | --------- |
| `null`                                  |                                                     |           |
| `bool`                                  | 0 or 1                                              |           |
| `int`, `date`, `time`, `timestamp`,     | numbers in the width of the type (`width`), or, if  |           |
| `duration`, `decimal` (unscaled),       | one of them does not fit, in 32 bytes               |           |
| `int96`                                 |                                                     |           |
| `float`                                 | IEEE bits, every NaN as one                         |           |
| `string`, `json`, `enum`, `bytes`,      | the bytes; of those longer than `BIG` the SHA-256   | bytes     |
| `uuid`, `bson`, `geometry`, `geography` |                                                     |           |
| `list`, `map` (a list of structs)       | and a child, the elements                           | elements  |
| `struct`                                | and children, the fields; null where the struct is  |           |
| `interval`, `union`, `variant`          | the tagged value as JSON                            | bytes     |

Numbers are little-endian; of a null, numbers and lengths are 0. Equal pieces are equal values: an equal type
goes without saying, digests are of columns whose types are compared first.
"""

from __future__ import annotations

import array
import hashlib
import json
import struct
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from corpora.tagged import BIG, Type, Value
from harness.engines.digests import bigint_lanes

WIDE = 32
DIGEST_BYTES = 16
TEXTS = frozenset(("string", "json", "enum"))
BINARIES = frozenset(("bytes", "uuid", "bson", "geometry", "geography"))
_SPELLED = frozenset(("interval", "union", "variant"))
_CODES = {1: "b", 2: "h", 4: "i", 8: "q"}
_HEAD = struct.Struct("<QBBQQB")


class Piece(NamedTuple):
    """Values of one type: `slots` of them; `valid` has a byte, 0 or 1, for each, None if no value is null.

    `form` is the bytes of a number in `data` (0: there are no numbers).
    """

    slots: int
    valid: bytes | None
    form: int = 0
    data: bytes = b""
    lengths: bytes = b""
    children: tuple[Any, ...] = ()

    @property
    def nulls(self) -> int:
        """Return how many values are null."""
        return 0 if self.valid is None else self.valid.count(0)


def width(type_: Type) -> int:
    """Return the bytes of a number of a type; 0 for a type whose values are no numbers."""
    if type_.kind in ("int", "float"):
        return (type_.bits or 0) // 8
    if type_.kind == "decimal":
        return 16 if (type_.precision or 0) <= 38 else WIDE
    if type_.kind == "time":
        return 4 if type_.unit in ("s", "ms") else 8
    return {"date": 4, "timestamp": 8, "duration": 8, "int96": 8}.get(type_.kind, 0)


def digest(pieces: Sequence[Piece]) -> bytes:
    """Return the digest of the values of all pieces, one after the other, whatever they were cut into."""
    result = hashlib.sha256()
    _feed(result.update, pieces)
    return result.digest()[:DIGEST_BYTES]


def _feed(update: Any, pieces: Sequence[Piece]) -> None:
    """Hash what all pieces have of each part, sizes before contents."""
    form = max(piece.form for piece in pieces)
    if any(piece.form != form for piece in pieces):
        pieces = [piece._replace(data=_widened(piece), form=form) for piece in pieces]
    count, has_nulls = sum(piece.slots for piece in pieces), any(piece.valid for piece in pieces)
    sizes = sum(len(piece.lengths) for piece in pieces), sum(len(piece.data) for piece in pieces)
    update(_HEAD.pack(count, has_nulls, form, *sizes, len(pieces[0].children)))
    for piece in pieces if has_nulls else ():
        update(piece.valid or b"\1" * piece.slots)
    for piece in pieces:
        update(piece.lengths)
    for piece in pieces:
        update(piece.data)
    for below in zip(*(piece.children for piece in pieces)):
        _feed(update, below)


def _widened(piece: Piece) -> bytes:
    cuts = range(0, len(piece.data), piece.form or 1)
    numbers = (int.from_bytes(piece.data[at : at + piece.form], "little", signed=True) for at in cuts)
    return _packed(numbers, WIDE, signed=True)


def of(type_: Type, values: Sequence[Value]) -> Piece:
    """Return the piece of tagged values; raises ValueError or TypeError for values of another type."""
    valid = bytes(value is not None for value in values)
    piece = _of(type_, values)
    return piece._replace(valid=valid) if 0 in valid else piece


def _of(type_: Type, values: Sequence[Any]) -> Piece:
    count, kind = len(values), type_.kind
    if kind == "null":
        return Piece(count, None)
    if kind == "bool":
        return Piece(count, None, 1, bytes(map(bool, values)))
    if kind == "float":
        return Piece(count, None, width(type_), _floats(values, width(type_)))
    if width(type_):
        return _numbers(type_, [0 if value is None else int(value) for value in values])
    if kind == "struct":
        absent = [None] * len(type_.children)
        columns = zip(*(absent if value is None else value for value in values))
        fields = list(columns) if values else [()] * len(type_.children)
        return Piece(count, None, children=tuple(map(of, (child.type for child in type_.children), fields)))
    if kind in ("list", "map"):
        lengths = _sizes(0 if value is None else len(value) for value in values)
        return Piece(count, None, lengths=lengths, children=(_elements(type_, values),))
    raw = [b"" if value is None else _raw(kind, value) for value in values]
    return Piece(count, None, data=b"".join(stored(kind, raw)), lengths=_sizes(map(_size, values, raw)))


def _elements(type_: Type, values: Iterable[Any]) -> Piece:
    from corpora.tagged import Type as OfType

    flat = [item for value in values if value is not None for item in value]
    element = OfType("struct", children=type_.children) if type_.kind == "map" else type_.children[0].type
    return of(element, flat)


def stored(kind: str, raw: Iterable[Any]) -> Iterable[bytes]:
    """Return what stands in `data` for bytes."""
    if kind in _SPELLED:
        return raw
    return (hashlib.sha256(item).digest() if len(item) > BIG else item for item in raw)


def _raw(kind: str, value: Any) -> bytes:
    if kind in _SPELLED:
        return json.dumps(value, separators=(",", ":"), sort_keys=True).encode("ascii")
    if isinstance(value, dict):
        return bytes.fromhex(value["sha256"])
    return value.encode("utf-8", "surrogateescape") if kind in TEXTS else bytes.fromhex(value)


def _size(value: Any, raw: bytes) -> int:
    return int(value["bytes"]) if isinstance(value, dict) else len(raw)


def _sizes(lengths: Iterable[int]) -> bytes:
    return array.array("I", lengths).tobytes()


def _numbers(type_: Type, numbers: Sequence[int]) -> Piece:
    form, signed = width(type_), type_.signed is not False
    try:
        return Piece(len(numbers), None, form, _packed(numbers, form, signed=signed))
    except OverflowError:
        if type_.kind == "int":
            raise ValueError(f"a number that {type_} cannot hold") from None
    return Piece(len(numbers), None, WIDE, _packed(numbers, WIDE, signed=True))


def _packed(numbers: Iterable[int], form: int, *, signed: bool) -> bytes:
    code = _CODES.get(form)
    if code:
        return array.array(code if signed else code.upper(), numbers).tobytes()
    return b"".join(number.to_bytes(form, "little", signed=signed) for number in numbers)


def _floats(values: Sequence[str | None], form: int) -> bytes:
    zero = "0" * 2 * form
    result = array.array(_CODES[form].upper())
    result.frombytes(bytes.fromhex("".join([value or zero for value in values])))
    result.byteswap()
    return bigint_lanes.one_nan(result.tobytes(), form)
