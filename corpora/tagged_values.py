"""Checks of tagged values against their types: the table of `corpora/tagged.py`, as code.

Tables of colconf's own adapters are trusted. Those of foreign readers are not: a malformed value would fail
where values are compared, long after who sent it is known.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any

from corpora.tagged import BIG, Field, TaggedError, Type, Value, big

_INTEGER = re.compile(r"0|-?[1-9][0-9]*", re.ASCII)
_HEX = re.compile(r"(?:[0-9a-f]{2})*", re.ASCII)
_DIGEST = re.compile(r"[0-9a-f]{64}", re.ASCII)
_LONE = re.compile("[\ud800-\udc7f\udd00-\udfff]")
# Bits of the numbers that are stored, None for any number. Of one that the bits of its type cannot hold (300
# as INT_8), a reader may return whatever is stored (LogicalTypes.md, Signed Integers).
_BITS = {"int": 32, "decimal": None, "date": 64, "time": 64, "timestamp": 64, "duration": 64, "int96": 96}
_TEXTS = ("string", "json", "enum")
_BYTES = ("bytes", "uuid", "bson", "geometry", "geography")
_MOST_DIGITS = 400  # of a decimal string: more than any type has, fewer than Python refuses


def check_block(columns: Sequence[Field], block: list[list[Value]], first: int) -> None:
    """Check the values of a block whose first row is `first`, and replace those that are too long.

    Raises TaggedError, with the column and the row of the first malformed value.
    """
    for column, values in zip(columns, block, strict=True):
        check = _checker(column.type)
        for place, value in enumerate(values):
            if value is None:
                continue
            try:
                values[place] = check(value)
            except TaggedError as error:
                raise TaggedError(f"column {column.name!r:.40}, row {first + place}: {error}") from error


def _checker(type_: Type) -> Callable[[Any], Value]:
    """Return a function that returns a value other than null in its right form, or raises TaggedError."""
    kind = type_.kind
    if kind == "bool":
        return _bool
    if kind == "float":
        return _float_of(int(type_.bits or 0) // 4)
    if kind in _BITS:
        return _integer_of(type_)
    if kind in _TEXTS:
        return _text
    if kind in _BYTES:
        return _hex
    return _NESTED[kind](type_)


def _bool(value: Any) -> Value:
    if not isinstance(value, bool):
        raise TaggedError(f"a bool is true or false, not {value!r:.40}")
    return value


def _integer(value: Any, what: str) -> str:
    if not isinstance(value, str) or len(value) > _MOST_DIGITS or not _INTEGER.fullmatch(value):
        raise TaggedError(f'{what} is a decimal string such as "-7", not {value!r:.40}')
    return value


def _integer_of(type_: Type) -> Callable[[Any], Value]:
    bits = _BITS[type_.kind]
    stored = bits and max(bits, type_.bits or 0)

    def check(value: Any) -> Value:
        text = _integer(value, str(type_))
        if stored and not -(1 << stored - 1) <= int(text) < 1 << stored:
            raise TaggedError(f"{text:.40} is beyond the {stored} bits that hold {type_}")
        return text

    return check


def _float_of(digits: int) -> Callable[[Any], Value]:
    def check(value: Any) -> Value:
        if not isinstance(value, str) or len(value) != digits or not _HEX.fullmatch(value):
            raise TaggedError(f"a float is its bits, {digits} digits of lowercase hex, not {value!r:.40}")
        return value

    return check


def _is_digest(value: Any) -> bool:
    return (
        isinstance(value, dict)
        and set(value) == {"sha256", "bytes"}
        and type(value["bytes"]) is int
        and isinstance(value["sha256"], str)
        and bool(_DIGEST.fullmatch(value["sha256"]))
    )


def _text(value: Any) -> Value:
    if isinstance(value, str):
        check_text(value)
        if len(value) > BIG // 4:
            raw = value.encode("utf-8", "surrogateescape")
            return big(raw) if len(raw) > BIG else value
        return value
    if _is_digest(value):
        return dict(value)
    raise TaggedError(f"text is a string, not {value!r:.40}")


def check_text(text: str) -> None:
    """Raise TaggedError for a lone surrogate, unless it stands for a byte (U+DC80 to U+DCFF)."""
    if _LONE.search(text):
        raise TaggedError("text has a lone surrogate that stands for no byte")


def _hex(value: Any) -> Value:
    if isinstance(value, str) and _HEX.fullmatch(value):
        return big(bytes.fromhex(value)) if len(value) > 2 * BIG else value
    if _is_digest(value):
        return dict(value)
    raise TaggedError(f"bytes are lowercase hex, not {value!r:.40}")


def _list(value: Any, what: str, size: int | None = None) -> list[Any]:
    if not isinstance(value, list) or (size is not None and len(value) != size):
        raise TaggedError(f"{what}, not {value!r:.40}")
    return value


def _or_null(check: Callable[[Any], Value]) -> Callable[[Any], Value]:
    return lambda value: None if value is None else check(value)


def _list_of(type_: Type) -> Callable[[Any], Value]:
    element = _or_null(_checker(type_.children[0].type))
    return lambda value: [element(entry) for entry in _list(value, "a list is a list")]


def _struct_of(type_: Type) -> Callable[[Any], Value]:
    fields = [_or_null(_checker(child.type)) for child in type_.children]
    what = f"a struct is a list of {len(fields)} values"
    return lambda value: [
        check(entry) for check, entry in zip(fields, _list(value, what, len(fields)), strict=True)
    ]


def _map_of(type_: Type) -> Callable[[Any], Value]:
    key, held = (_or_null(_checker(child.type)) for child in type_.children)

    def check(value: Any) -> Value:
        pairs = [
            _list(pair, "an entry of a map is [key, value]", 2) for pair in _list(value, "a map is a list")
        ]
        return [[key(pair[0]), held(pair[1])] for pair in pairs]

    return check


def _union_of(type_: Type) -> Callable[[Any], Value]:
    children = [_or_null(_checker(child.type)) for child in type_.children]

    def check(value: Any) -> Value:
        tag, held = _list(value, "a value of a union is [tag, value]", 2)
        number = int(_integer(tag, "a tag"))
        if not 0 <= number < len(children):
            raise TaggedError(f"the union has {len(children)} types, and no tag {number}")
        return [tag, children[number](held)]

    return check


def _interval(_: Type) -> Callable[[Any], Value]:
    what = "an interval is [months, days, nanoseconds]"
    return lambda value: [_integer(count, "a count of an interval") for count in _list(value, what, 3)]


def _variant(_: Type) -> Callable[[Any], Value]:
    return lambda value: [_hex(part) for part in _list(value, "a variant is [metadata, value]", 2)]


def _null(_: Type) -> Callable[[Any], Value]:
    def check(value: Any) -> Value:
        raise TaggedError(f"a column of nulls has {value!r:.40}")

    return check


_NESTED: dict[str, Callable[[Type], Callable[[Any], Value]]] = {
    "list": _list_of,
    "struct": _struct_of,
    "map": _map_of,
    "union": _union_of,
    "interval": _interval,
    "variant": _variant,
    "null": _null,
}
