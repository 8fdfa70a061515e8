"""The units of durations in ARROW:schema, a key that writers of Arrow leave beside the schema of Parquet.

Parquet has no durations: a writer of Arrow stores an int64, and names the unit in this key alone. The value
is an encapsulated message of Arrow's IPC format in base64, whose metadata is a FlatBuffer (Arrow, Columnar
format, Encapsulated message format; Schema.fbs, Message.fbs). Only the tables on the path to the units are
read here.
"""

from __future__ import annotations

import base64
import struct
from collections.abc import Iterator

_CONTINUATION = b"\xff\xff\xff\xff"  # before the length, since Arrow 0.15
_MESSAGE_HEADER, _SCHEMA_FIELDS = 2, 1  # numbers of fields in their tables
_FIELD_TYPE_KIND, _FIELD_TYPE, _FIELD_CHILDREN = 2, 3, 5
_DURATION = 18  # of the union Type
_UNITS = ("s", "ms", "us", "ns")  # of the enumeration TimeUnit
_MILLISECOND = 1  # where a Duration has no unit
_MOST_FIELDS = 100_000  # offsets may point at a table from many places
_MOST_LEVELS = 100


def duration_units(value: str) -> frozenset[str]:
    """Return the units (`s`, `ms`, `us`, `ns`) of all durations of a schema; none if it is no schema."""
    try:
        data = base64.b64decode(value, validate=True)
        begin = 8 if data.startswith(_CONTINUATION) else 4
        message = _Table(data, begin + _number("<I", data, begin))
        return frozenset(_units(message.table(_MESSAGE_HEADER)))
    except (ValueError, IndexError, struct.error):  # binascii's error is a ValueError
        return frozenset()


class _Table:
    """A table of a FlatBuffer, at a position of the message."""

    def __init__(self, data: bytes, at: int) -> None:
        self.data, self.at = data, at
        self._slots = at - _number("<i", data, at)

    def place(self, field: int) -> int:
        """Return the position of a field, 0 where it has its default."""
        slot = 4 + 2 * field
        if slot >= _number("<H", self.data, self._slots):
            return 0
        offset = _number("<H", self.data, self._slots + slot)
        return self.at + offset if offset else 0

    def table(self, field: int) -> _Table:
        """Return the table of a field; raises ValueError if there is none."""
        place = self.place(field)
        if not place:
            raise ValueError(f"no field {field}")
        return _Table(self.data, place + _number("<I", self.data, place))

    def tables(self, field: int) -> Iterator[_Table]:
        """Yield the tables of a field that is a vector of tables."""
        if place := self.place(field):
            begin = place + _number("<I", self.data, place)
            for index in range(_number("<I", self.data, begin)):
                entry = begin + 4 + 4 * index
                yield _Table(self.data, entry + _number("<I", self.data, entry))


def _units(schema: _Table) -> Iterator[str]:
    levels = [schema.tables(_SCHEMA_FIELDS)]
    fields = 0
    while levels:
        field = next(levels[-1], None)
        if field is None:
            levels.pop()
            continue
        fields += 1
        if fields > _MOST_FIELDS or len(levels) > _MOST_LEVELS:
            raise ValueError("more fields than a schema has")
        kind = field.place(_FIELD_TYPE_KIND)
        if kind and _number("<B", field.data, kind) == _DURATION:
            unit = field.table(_FIELD_TYPE).place(0)
            yield _UNITS[_number("<H", field.data, unit) if unit else _MILLISECOND]
        levels.append(field.tables(_FIELD_CHILDREN))


def _number(form: str, data: bytes, at: int) -> int:
    """Return a number; raises ValueError or struct.error outside the data."""
    if at < 0:
        raise ValueError("before the message")
    return int(struct.unpack_from(form, data, at)[0])
