"""Values of pyorc as tagged values, and tagged values as pyorc takes them.

pyorc hands dates, timestamps and decimals to converters: those below answer tagged text, so that nothing
passes through `datetime`, whose years are 1 to 9999, or a decimal context. Each sort of text has a class of
its own, because the class of a value is all that pyorc says about which variant of a union it is.
"""

from __future__ import annotations

import struct
from collections.abc import Callable
from datetime import date, datetime, timedelta, timezone
from decimal import Decimal
from itertools import chain, compress
from typing import TYPE_CHECKING, Any

from corpora import tagged
from corpora.tagged import BIG, Type, Value
from harness.engines.errors import Unsupported
from harness.engines.zones import UTC, wall_clock_nanos

if TYPE_CHECKING:
    Column = Callable[[list[Any]], list[Value]]

SAME_NAMES = "pyorc's schema names fields of one name once, so that which value is whose is not known"
_INTEGERS = {"tinyint": 8, "smallint": 16, "int": 32, "bigint": 64}
_FLOATS = {"float": (32, "f"), "double": (64, "d")}
_MOMENTS = {"timestamp": False, "timestamp with local time zone": True}
_NANOS = 1_000_000_000
_EPOCH = datetime(1970, 1, 1, tzinfo=timezone.utc)
_HIVE_11 = (38, 6)  # what ORC C++ takes a decimal for whose type has no precision, as Hive 0.11 wrote it


class Moment(str):
    """Nanoseconds since 1970-01-01 as text."""

    __slots__ = ()

    @staticmethod
    def from_orc(seconds: int, nanos: int, _: Any = None) -> Moment:
        """Return a timestamp that was read."""
        return Moment(seconds * _NANOS + nanos)

    @staticmethod
    def to_orc(value: str, _: Any = None) -> tuple[int, int]:
        """Return seconds and nanoseconds to write, or to compare with."""
        return divmod(int(value), _NANOS)


class Micros(Moment):
    """A timestamp that a `datetime` can hold, which counts microseconds."""

    __slots__ = ()

    @staticmethod
    def from_orc(seconds: int, nanos: int, _: Any = None) -> Moment:
        """Return a timestamp that was read; raises Unsupported for one with nanoseconds."""
        if nanos % 1_000:
            raise Unsupported("a datetime has no nanoseconds")
        return Moment.from_orc(seconds, nanos)


class Day(str):
    """Days since 1970-01-01 as text."""

    __slots__ = ()

    @staticmethod
    def from_orc(days: int) -> Day:
        """Return a date that was read."""
        return Day(days)

    @staticmethod
    def to_orc(value: str) -> int:
        """Return the days to write, or to compare with."""
        return int(value)


class Digits(str):
    """A decimal as pyorc spells it when read, and its unscaled integer when written."""

    __slots__ = ()

    @staticmethod
    def from_orc(text: str) -> Digits:
        """Return a decimal that was read, all digits after the point included."""
        return Digits(text)

    @staticmethod
    def to_orc(_: int, __: int, value: str) -> int:
        """Return the unscaled integer to write, or to compare with."""
        return int(value)


def reconverted(value: Any) -> Any:
    """Return what the converters above make of a value that pyorc's own converters made.

    https://docs.python.org/3/library/datetime.html: a `datetime` counts microseconds.
    """
    if isinstance(value, datetime):
        micros = (value - _EPOCH) // timedelta(microseconds=1)
        return Moment.from_orc(micros // 1_000_000, micros % 1_000_000 * 1_000)
    if isinstance(value, date):
        return Day(value.toordinal() - _EPOCH.toordinal())
    if isinstance(value, Decimal):
        return Digits(f"{value:f}")
    if isinstance(value, (list, tuple)):
        return type(value)(map(reconverted, value))
    return (
        {reconverted(key): reconverted(item) for key, item in value.items()}
        if isinstance(value, dict)
        else value
    )


_CLASSES: dict[str, type] = {
    "boolean": bool,
    **dict.fromkeys(_INTEGERS, int),
    **dict.fromkeys(_FLOATS, float),
    **dict.fromkeys(_MOMENTS, Moment),
    **dict.fromkeys(("string", "char", "varchar"), str),
    "binary": bytes,
    "date": Day,
    "decimal": Digits,
    "array": list,
    "map": dict,
    "struct": tuple,
}


def converters(pyorc: Any) -> dict[Any, Any]:
    """Return the converters that pyorc is given."""
    kinds = pyorc.TypeKind
    return {kinds.TIMESTAMP: Moment, kinds.DATE: Day, kinds.DECIMAL: Digits}


def type_of(described: Any) -> Type:
    """Return the tagged type of a TypeDescription."""
    name = described.name
    if name in _INTEGERS:
        return tagged.integer(_INTEGERS[name])
    if name in _FLOATS:
        return tagged.floating(_FLOATS[name][0])
    if name in _MOMENTS:
        return tagged.timestamp("ns", utc=_MOMENTS[name])
    if name == "decimal":
        return tagged.decimal(*(described.precision, described.scale) if described.precision else _HIVE_11)
    if name == "array":
        return tagged.list_of(type_of(described.type))
    if name == "map":
        return tagged.map_of(type_of(described.key), type_of(described.value))
    if name == "struct":
        return tagged.struct_of((field, type_of(item)) for field, item in described.fields.items())
    if name == "uniontype":
        return tagged.union_of(map(type_of, described.cont_types))
    if name in ("string", "char", "varchar"):
        return tagged.STRING
    return {"boolean": tagged.BOOL, "binary": tagged.BYTES, "date": tagged.DATE}[name]


def column_of(described: Any, zone: str) -> Column:
    """Return how the values of a type, read in a zone, are tagged, None being null at every level."""
    convert = _converter(described, zone)

    def column(values: list[Any]) -> list[Value]:
        if None not in values:
            return convert(values)
        there = [value is not None for value in values]
        result = iter(convert(list(compress(values, there))))
        return [next(result) if item else None for item in there]

    return column


def _converter(described: Any, zone: str) -> Column:
    name = described.name
    if name in _INTEGERS:
        return lambda values: list(map(str, values))
    if name in _FLOATS:
        return lambda values: _floats(values, *_FLOATS[name])
    if name == "decimal":
        return lambda values: [_unscaled(value, type_of(described).scale or 0) for value in values]
    if name in ("string", "char", "varchar"):
        return lambda values: list(map(_text, values))
    if name == "binary":
        return lambda values: list(map(tagged.binary, values))
    if name == "array":
        return _list(column_of(described.type, zone))
    if name == "map":
        return _map(column_of(described.key, zone), column_of(described.value, zone))
    if name == "struct":
        return _struct([column_of(cell, zone) for cell in described.fields.values()])
    if name == "uniontype":
        return _union(described, zone)
    if name == "timestamp" and zone != UTC:  # pyorc answers an instant of the zone
        return lambda values: [str(wall_clock_nanos(zone, int(value))) for value in values]
    return lambda values: values  # booleans, and what the converters above made


def _floats(values: list[float], bits: int, code: str) -> list[Value]:
    width = bits // 4
    raw = struct.pack(f">{len(values)}{code}", *values).hex()
    return [raw[at * width : (at + 1) * width] for at in range(len(values))]


def _unscaled(text: str, scale: int) -> Value:
    """Return the unscaled integer; text that is no number of that scale stays as it is, and differs."""
    whole, _, digits = text.partition(".")
    if len(digits) != scale:
        return str(text)
    try:
        return str(int(whole + digits))
    except ValueError:
        return str(text)


def _text(value: str) -> Value:
    return value if len(value) <= BIG // 4 else tagged.text(value.encode("utf-8"))


def _list(element: Column) -> Column:
    def convert(values: list[Any]) -> list[Value]:
        result = iter(element(list(chain.from_iterable(values))))
        return [[next(result) for _ in value] for value in values]

    return convert


def _map(key: Column, value: Column) -> Column:
    """Write maps: pyorc answers a dict, in which of equal keys the last value has stayed."""

    def convert(values: list[Any]) -> list[Value]:
        keys = key(list(chain.from_iterable(values)))
        items = value(list(chain.from_iterable(cell.values() for cell in values)))
        pairs = map(list, zip(keys, items))
        return [[next(pairs) for _ in cell] for cell in values]

    return convert


def _struct(fields: list[Column]) -> Column:
    def convert(values: list[Any]) -> list[Value]:
        if not fields:
            return [[] for _ in values]
        if values and len(values[0]) != len(fields):
            raise Unsupported(SAME_NAMES)
        return list(map(list, zip(*(field(list(value)) for field, value in zip(fields, zip(*values))))))

    return convert


def _union(described: Any, zone: str) -> Column:
    """Tag a union: pyorc answers the bare value, so that its class says which variant it is of.

    Of variants that no value tells apart it is the first (the equivalence `union-tag-lost`). Raises
    Unsupported where such variants would be tagged in different ways.
    """
    tags: dict[type, int] = {}
    for tag, cont_type in enumerate(described.cont_types):
        cls = _CLASSES.get(cont_type.name)
        before = None if cls not in tags else type_of(described.cont_types[tags[cls]])
        lump = cls in (int, str) or (cls is Moment and zone == UTC)
        lump = lump or (cls is not None and before == type_of(cont_type))
        if cls is None or (before is not None and not lump):
            raise Unsupported(f"pyorc does not say which variant of {described} a value is of")
        tags.setdefault(cls, tag)
    columns = [column_of(cont_type, zone) for cont_type in described.cont_types]

    def convert(values: list[Any]) -> list[Value]:
        result = [tags[type(value)] for value in values]
        held = [
            iter(column([cell for cell, of in zip(values, result) if of == tag]))
            for tag, column in enumerate(columns)
        ]
        return [[str(tag), next(held[tag])] for tag in result]

    return convert
