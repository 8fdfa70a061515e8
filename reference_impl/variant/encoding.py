"""Reading Variant values (VariantEncoding.md, "Value encoding").

      7                  2 1          0
     +--------------------+------------+--------------------+
     |    value_header    | basic_type | value_data ...     |
     +--------------------+------------+--------------------+

    0  primitive     value_header: type id
    1  short string  value_header: length
    2  object        R L II OO   number (1 or, if L, 4 bytes), ids (II + 1 bytes each), offsets, values
    3  array         RRR L OO    number, offsets (OO + 1 bytes each), values

Values of an object may be in any order, but there are as many of them as offsets, and they fill the space up
to the last offset: bytes that two offsets share, or that no offset names, are not "`num_elements` values".
"""

from __future__ import annotations

from itertools import pairwise

from reference_impl.cursor import Cursor
from reference_impl.errors import LimitExceeded, Malformed, Unsupported
from reference_impl.variant import metadata as dictionary
from reference_impl.variant.metadata import Metadata
from reference_impl.variant.values import (
    COUNTS,
    DECIMALS,
    MAX_DEPTH,
    MAX_SCALE,
    NULL,
    TYPES,
    Array,
    Object,
    Primitive,
    Type,
    Value,
    sort_key,
)

RULE = "PQ-VARIANT-007"
PRIMITIVE, SHORT_STRING, OBJECT, ARRAY = range(4)
FALSE = 2
_BY_ID = {type_.id: type_ for type_ in TYPES}


def read(metadata: bytes | memoryview, value: bytes | memoryview) -> Value:
    """Read a Variant; raises the errors of `decode` and of `metadata.read`."""
    return decode(value, dictionary.read(metadata))


def decode(value: bytes | memoryview, metadata: Metadata, *, base: int = 0) -> Value:
    """Read a value that fills the bytes; `base` is the offset of its first byte, for errors.

    Raises Malformed (PQ-VARIANT-007 to -010), Unsupported for a type of a newer revision, and LimitExceeded
    for values nested deeper than `MAX_DEPTH`.
    """
    return _value(Cursor(value, base=base, rule=RULE), metadata, 0)


def split(data: bytes) -> tuple[bytes, bytes]:
    """Split bytes into metadata and the value behind it; raises Malformed (PQ-VARIANT-006)."""
    cursor = Cursor(data)
    metadata = dictionary.read_from(cursor)
    return metadata.raw, data[cursor.pos :]


def _value(cursor: Cursor, metadata: Metadata, depth: int) -> Value:
    if depth > MAX_DEPTH:
        raise LimitExceeded(f"values are nested deeper than {MAX_DEPTH}", offset=cursor.offset)
    first = cursor.u8("value")
    basic, header = first & 3, first >> 2
    if basic == OBJECT:
        return _object(cursor, header, metadata, depth)
    if basic == ARRAY:
        return _array(cursor, header, metadata, depth)
    if basic == SHORT_STRING:
        value = Primitive("string", _text(cursor, header))
    else:
        value = _primitive(cursor, header)
    if cursor.remaining:
        raise cursor.fail(f"{cursor.remaining} unused bytes follow the value")
    return value


def _primitive(cursor: Cursor, id_: int) -> Primitive:
    if id_ == FALSE:
        return Primitive("boolean", value=False)
    type_ = _BY_ID.get(id_)
    if type_ is None:
        # "new types may be added to the specification without incrementing the version ID"
        raise Unsupported(f"primitive type {id_} is not known", offset=cursor.offset)
    if type_.kind == "null":
        return NULL
    if type_.kind == "boolean":
        return Primitive("boolean", value=True)
    if type_.kind in DECIMALS:
        return _decimal(cursor, type_)
    size = cursor.u32("size") if type_.width < 0 else type_.width
    if type_.kind == "string":
        return Primitive("string", _text(cursor, size))
    raw = bytes(cursor.take(size, type_.kind))
    if type_.kind in ("binary", "uuid"):
        return Primitive(type_.kind, raw)
    return Primitive(type_.kind, int.from_bytes(raw, "little", signed=type_.kind in COUNTS))


def _decimal(cursor: Cursor, type_: Type) -> Primitive:
    """Read scale and unscaled value, whose digits the "Decimal table" limits."""
    scale = cursor.u8("scale")
    unscaled = int.from_bytes(cursor.take(type_.width, type_.kind), "little", signed=True)
    if scale > MAX_SCALE or abs(unscaled) >= 10**type_.digits:
        raise cursor.fail(f"{type_.kind} of {unscaled} with scale {scale}", rule="PQ-VARIANT-010")
    return Primitive(type_.kind, unscaled, scale)


def _text(cursor: Cursor, size: int) -> str:
    try:
        return bytes(cursor.take(size, "string")).decode("utf-8")
    except UnicodeDecodeError as error:
        raise cursor.fail("a string is not UTF-8") from error


def _object(cursor: Cursor, header: int, metadata: Metadata, depth: int) -> Object:
    """Read an object; its fields are in the order of their names, without duplicates."""
    offset_width, id_width, large = (header & 3) + 1, (header >> 2 & 3) + 1, header >> 4 & 1
    size = int.from_bytes(cursor.take(4 if large else 1, "number of fields"), "little")
    at = cursor.offset
    ids = dictionary.numbers(cursor.take(size * id_width, f"{size} field ids"), id_width)
    known = len(metadata.names)
    if ids and max(ids) >= known:
        message = f"field id {max(ids)} of a dictionary of {known} names"
        raise Malformed(message, offset=at, rule="PQ-VARIANT-009")
    names = [metadata.names[id_] for id_ in ids]
    keys = [sort_key(name) for name in names]
    for before, after in pairwise(keys):
        if before >= after:
            what = "twice" if before == after else "out of order"
            raise Malformed(f"field {after!r:.60} stands {what}", offset=at, rule="PQ-VARIANT-008")
    values = _values(cursor, size, offset_width, metadata, depth)
    return Object(tuple(zip(names, values, strict=True)))


def _array(cursor: Cursor, header: int, metadata: Metadata, depth: int) -> Array:
    offset_width, large = (header & 3) + 1, header >> 2 & 1
    size = int.from_bytes(cursor.take(4 if large else 1, "number of elements"), "little")
    return Array(tuple(_values(cursor, size, offset_width, metadata, depth)))


def _values(cursor: Cursor, size: int, width: int, metadata: Metadata, depth: int) -> list[Value]:
    """Read offsets and values; each value has the bytes up to the next greater offset."""
    offsets = dictionary.numbers(cursor.take(width * (size + 1), f"{size + 1} offsets"), width)
    end = offsets.pop()
    base = cursor.offset
    data = cursor.take(end, "values")
    if cursor.remaining:
        raise cursor.fail(f"{cursor.remaining} unused bytes follow the last value")
    bounds = sorted({*offsets, end})
    if len(bounds) != size + 1 or bounds[0] or bounds[-1] != end:
        message = f"{size} values at {offsets!r:.60} do not fill the {end} bytes up to the last offset"
        raise Malformed(message, offset=base, rule=RULE)
    stops = dict(pairwise(bounds))
    return [
        _value(Cursor(data[at : stops[at]], base=base + at, rule=RULE), metadata, depth + 1) for at in offsets
    ]
