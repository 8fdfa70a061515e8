"""Types of the values in Variants: casts to a column's type, and Spark's names of types.

Follows VariantEncoding.md, "Encoding types". Standard library only, Python 3.9.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any, NamedTuple

from corpora.tagged import (
    BOOL,
    BYTES,
    DATE,
    STRING,
    Type,
    Value,
    binary,
    decimal,
    floating,
    integer,
    text,
    timestamp,
)
from corpora.variant_paths import follow, inner

_PRIMITIVE, _SHORT, _OBJECT, _ARRAY = range(4)
_NULL, _TRUE, _FALSE, _DOUBLE = 0, 1, 2, 7
_INTEGERS = {3: 1, 4: 2, 5: 4, 6: 8}  # bytes by type id
_DECIMALS = {8: 4, 9: 8, 10: 16}
_DATE, _INSTANT, _CLOCK, _FLOAT, _BINARY, _STRING, _UUID = 11, 12, 13, 14, 15, 16, 20
_MOST_DIGITS = 38
_MAX_DEPTH = 200
_LONG_DIGITS = 20  # of the decimal that Spark uses for a BIGINT
_PLAIN_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
# A schema is a name of Spark, ("DECIMAL", digits, scale), ("ARRAY", element) or ("OBJECT", {name: schema}).
_NAMES = {
    _NULL: "VOID",
    _TRUE: "BOOLEAN",
    _FALSE: "BOOLEAN",
    _DOUBLE: "DOUBLE",
    _DATE: "DATE",
    _INSTANT: "TIMESTAMP",
    _CLOCK: "TIMESTAMP_NTZ",
    _FLOAT: "FLOAT",
    _BINARY: "BINARY",
    _STRING: "STRING",
    _UUID: "UUID",
}
# findTightestCommonType of Spark's TypeCoercion, and compatibleType of its JsonInferSchema.
_WIDER = {
    frozenset(("BIGINT", "FLOAT")): "FLOAT",
    frozenset(("BIGINT", "DOUBLE")): "DOUBLE",
    frozenset(("FLOAT", "DOUBLE")): "DOUBLE",
    frozenset(("DATE", "TIMESTAMP")): "TIMESTAMP",
    frozenset(("DATE", "TIMESTAMP_NTZ")): "TIMESTAMP_NTZ",
    frozenset(("TIMESTAMP", "TIMESTAMP_NTZ")): "TIMESTAMP",
}


class _Held(NamedTuple):
    """A primitive value: its type id (a short string is a string), and its number, bytes or scale."""

    id: int
    number: int = 0
    raw: bytes = b""
    scale: int = 0


def type_of(value: bytes) -> Type | None:
    """Return the column type for a value; None for a nested value, and where there is no such type."""
    if value and value[0] & 3 in (_OBJECT, _ARRAY):
        return None
    held = _held(value)
    if held.id in _DECIMALS:
        return decimal(_MOST_DIGITS, held.scale)
    return _COLUMNS.get(held.id)


def cast(value: bytes, type_: Type) -> Value:
    """Return a Variant as a value of `type_`; None for null, objects, arrays and numbers out of range.

    Raises ValueError for a value of another kind, whose cast differs between engines.
    """
    if value and value[0] & 3 in (_OBJECT, _ARRAY):
        if type_ == STRING:
            raise ValueError("JSON as a string")
        return None
    held = _held(value)
    if held.id == _NULL:
        return None
    if held.id in (*_INTEGERS, *_DECIMALS) and type_.kind in ("int", "decimal"):
        return _exact(held, type_)
    if _COLUMNS.get(held.id) != type_:
        raise ValueError(f"type id {held.id} as {type_}")
    if held.id in (_TRUE, _FALSE):
        return held.id == _TRUE
    if held.id in (_DOUBLE, _FLOAT):
        return held.raw[::-1].hex()
    if held.id == _STRING:
        return text(held.raw)
    return binary(held.raw) if held.id == _BINARY else str(held.number)


def _exact(held: _Held, type_: Type) -> Value:
    """Return an integer or a decimal; raises ValueError if the type would lose digits of the fraction."""
    number, scale = _stripped(held)
    wanted = type_.scale or 0
    if scale > wanted:
        raise ValueError(f"{scale} digits of a fraction as {type_}")
    number *= 10 ** (wanted - scale)
    bits = type_.bits or 64
    if type_.kind == "int":
        return str(number) if -(1 << bits - 1) <= number < 1 << bits - 1 else None
    return str(number) if len(str(abs(number))) <= (type_.precision or 0) else None


def schema_of(metadata: bytes, value: bytes) -> str:
    """Return the schema of a Variant as Spark's `schema_of_variant` writes it, names ordered by their bytes.

    The element type of an array is the tightest common type of all elements, or VARIANT. A decimal has no
    trailing zeros.

    Raises ValueError for a type without a name in Spark, and for names that differ only in case, which Spark
    may or may not merge.
    """
    return _rendered(_schema(metadata, value, 0, [len(value)]))


def _schema(metadata: bytes, value: bytes, depth: int, left: list[int]) -> Any:
    """Return a schema; `left` is the number of values still allowed, as each value has at least a byte."""
    if depth > _MAX_DEPTH:
        raise ValueError(f"values are nested deeper than {_MAX_DEPTH}")
    left[0] -= 1
    if left[0] < 0:
        raise ValueError("there are more values than bytes: they overlap")
    basic = value[0] & 3 if value else _PRIMITIVE
    if basic in (_OBJECT, _ARRAY):
        held = [(step, follow(metadata, value, (step,)) or b"") for step in inner(metadata, value)]
        below = [(step, _schema(metadata, part, depth + 1, left)) for step, part in held]
        if basic == _OBJECT:
            return "OBJECT", {str(name): schema for name, schema in below}
        return "ARRAY", _merged_all(schema for _, schema in below)
    primitive = _held(value)
    if primitive.id in _INTEGERS:
        return "BIGINT"
    if primitive.id in _DECIMALS:
        number, scale = _stripped(primitive)
        return "DECIMAL", max(len(str(abs(number))), scale), scale
    if primitive.id not in _NAMES:
        raise ValueError(f"Spark has no type for type id {primitive.id}")
    return _NAMES[primitive.id]


def _merged_all(schemas: Iterable[Any]) -> Any:
    merged: Any = "VOID"
    for schema in schemas:
        merged = _merged(merged, schema)
    return merged


def _merged(left: Any, right: Any) -> Any:
    """Return the tightest common type of two schemas."""
    if right in (left, "VOID"):
        return left
    if left == "VOID":
        return right
    if isinstance(left, str) and isinstance(right, str):
        return _WIDER.get(frozenset((left, right)), "VARIANT")
    kinds = {_kind(left), _kind(right)}
    if kinds in ({"DECIMAL", "DOUBLE"}, {"DECIMAL", "FLOAT"}):
        return "DOUBLE"
    if kinds in ({"DECIMAL"}, {"DECIMAL", "BIGINT"}):
        return _decimal(left, right)
    if not isinstance(left, tuple) or not isinstance(right, tuple) or len(kinds) > 1:
        return "VARIANT"
    if left[0] == "ARRAY":
        return "ARRAY", _merged(left[1], right[1])
    names = dict.fromkeys([*left[1], *right[1]])
    if len({name.lower() for name in names}) < len(names):
        raise ValueError("names differ only in case")
    return "OBJECT", {name: _merged(left[1].get(name, "VOID"), right[1].get(name, "VOID")) for name in names}


def _kind(schema: Any) -> str:
    return str(schema[0] if isinstance(schema, tuple) else schema)


def _decimal(left: Any, right: Any) -> Any:
    """Return the decimal type for both types, a double beyond 38 digits."""
    both = [each if isinstance(each, tuple) else ("DECIMAL", _LONG_DIGITS, 0) for each in (left, right)]
    scale = max(each[2] for each in both)
    digits = max(each[1] - each[2] for each in both) + scale
    return ("DECIMAL", digits, scale) if digits <= _MOST_DIGITS else "DOUBLE"


def _rendered(schema: Any) -> str:
    if not isinstance(schema, tuple):
        return str(schema)
    if schema[0] == "DECIMAL":
        return f"DECIMAL({schema[1]},{schema[2]})"
    if schema[0] == "ARRAY":
        return f"ARRAY<{_rendered(schema[1])}>"
    fields = sorted(schema[1].items(), key=_name_bytes)
    return f"OBJECT<{', '.join(f'{_quoted(name)}: {_rendered(schema)}' for name, schema in fields)}>"


def _name_bytes(field: tuple[str, Any]) -> bytes:
    return field[0].encode("utf-8", "surrogatepass")


def _quoted(name: str) -> str:
    return name if _PLAIN_NAME.fullmatch(name) else "`" + name.replace("`", "``") + "`"


def _stripped(held: _Held) -> tuple[int, int]:
    """Return an unscaled value and its scale without trailing zeros of the fraction."""
    number, scale = held.number, held.scale
    while scale and number % 10 == 0:
        number, scale = number // 10, scale - 1
    return number, scale


def _held(value: bytes) -> _Held:
    """Return a primitive value; raises ValueError for truncated bytes."""
    if not value:
        raise ValueError("no bytes")
    header, basic = value[0] >> 2, value[0] & 3
    if basic == _SHORT:
        return _Held(_STRING, raw=_bytes(value, 1, header))
    if header in (_BINARY, _STRING):
        return _Held(header, raw=_bytes(value, 5, int.from_bytes(_bytes(value, 1, 4), "little")))
    if header in _DECIMALS:
        return _Held(header, _number(value, 2, _DECIMALS[header]), scale=_bytes(value, 1, 1)[0])
    if header in (_DOUBLE, _FLOAT):
        return _Held(header, raw=_bytes(value, 1, 8 if header == _DOUBLE else 4))
    if header in (_DATE, _INSTANT, _CLOCK):
        return _Held(header, _number(value, 1, 4 if header == _DATE else 8))
    return _Held(header, _number(value, 1, _INTEGERS[header]) if header in _INTEGERS else 0)


def _number(value: bytes, at: int, width: int) -> int:
    return int.from_bytes(_bytes(value, at, width), "little", signed=True)


def _bytes(value: bytes, at: int, size: int) -> bytes:
    if at + size > len(value):
        raise ValueError(f"{size} bytes at {at} of {len(value)}")
    return value[at : at + size]


_COLUMNS = {
    _TRUE: BOOL,
    _FALSE: BOOL,
    **dict.fromkeys(_INTEGERS, integer(64)),
    _DOUBLE: floating(64),
    _DATE: DATE,
    _INSTANT: timestamp("us", utc=True),
    _CLOCK: timestamp("us", utc=False),
    _FLOAT: floating(32),
    _BINARY: BYTES,
    _STRING: STRING,
}
