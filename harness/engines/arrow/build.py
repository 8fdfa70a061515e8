"""Tagged tables as pyarrow tables, bit by bit: the input of writers that accept Arrow.

Values go into Arrow's buffers as integers and bytes, never through `datetime`, `Decimal` or floats. Columns
and nested values are nullable, as they are in a tagged table.
"""

from __future__ import annotations

import array
import struct
from collections.abc import Callable, Iterable, Iterator
from itertools import accumulate, chain
from typing import Any

from corpora.tagged import Table, Type, Value
from harness.engines.errors import Unsupported

_INTERVAL = struct.Struct("=iiq")


def to_arrow(table: Table) -> Any:
    """Return a `pyarrow.Table`; raises Unsupported for a type or value that Arrow cannot say."""
    import pyarrow as pa

    build = Builder(pa)
    arrays = [
        build.array(field.type, table.column(index), field.name) for index, field in enumerate(table.columns)
    ]
    return pa.Table.from_arrays(arrays, names=[field.name for field in table.columns])


def refuse(table: Table, lacks: Callable[[Type], bool], engine: str) -> None:
    """Raise Unsupported if the engine lacks a type of the table, at any depth: it would write another."""
    for field in table.columns:
        for type_ in _types(field.type):
            if lacks(type_):
                raise Unsupported(f"column {field.name!r}: {engine} has no type {type_}")


def _types(type_: Type) -> Iterator[Type]:
    yield type_
    for child in type_.children:
        yield from _types(child.type)


class Builder:
    """Builds arrays with the pyarrow that it was given."""

    def __init__(self, pa: Any) -> None:
        self.pa = pa

    def array(self, type_: Type, values: list[Value], name: str) -> Any:
        """Return a `pyarrow.Array` of the values; `name` is for error messages."""
        build = _BUILDERS.get(type_.kind)
        if build is None:
            raise Unsupported(f"column {name!r}: Arrow has no type for {type_}")
        if any(isinstance(value, dict) for value in values):
            raise Unsupported(f"column {name!r}: a value is known by its digest alone")
        return build(self, type_, values, name)

    def fixed(self, target: Any, code: str, values: list[Value]) -> Any:
        """Build an array of fixed width from integers of a `struct` code; one too wide is Unsupported."""
        try:
            numbers = array.array(code, [0 if value is None else int(value) for value in values])  # type: ignore[arg-type]
        except OverflowError as error:
            raise Unsupported(f"a value does not fit Arrow's {target}") from error
        return self.raw(target, values, numbers.tobytes())

    def raw(self, target: Any, values: list[Value], data: bytes) -> Any:
        """Build an array of fixed width from the bytes of its values."""
        return self.pa.Array.from_buffers(target, len(values), [self.valid(values), self.pa.py_buffer(data)])

    def valid(self, values: list[Value]) -> Any:
        """Return the validity bitmap, None if all are valid."""
        if None not in values:
            return None
        bits = "".join("0" if value is None else "1" for value in reversed(values))
        return self.pa.py_buffer(int(bits, 2).to_bytes((len(values) + 7) // 8, "little"))

    def offsets(self, sizes: Iterable[int]) -> Any:
        """Return 32-bit offsets."""
        return self.pa.py_buffer(array.array("i", accumulate(sizes, initial=0)).tobytes())

    def varying(self, target: Any, values: list[Value], raw: list[bytes]) -> Any:
        """Build an array of text or bytes from the bytes of each value."""
        buffers = [self.valid(values), self.offsets(map(len, raw)), self.pa.py_buffer(b"".join(raw))]
        return self.pa.Array.from_buffers(target, len(values), buffers)


def _null(build: Builder, _: Type, values: list[Any], __: str) -> Any:
    return build.pa.nulls(len(values))


def _bool(build: Builder, _: Type, values: list[Any], __: str) -> Any:
    return build.pa.array(values, build.pa.bool_())


def _int(build: Builder, type_: Type, values: list[Any], _: str) -> Any:
    target = getattr(build.pa, f"{'int' if type_.signed else 'uint'}{type_.bits}")()
    code = {8: "b", 16: "h", 32: "i", 64: "q"}[type_.bits or 64]
    return build.fixed(target, code if type_.signed else code.upper(), values)


def _float(build: Builder, type_: Type, values: list[Any], _: str) -> Any:
    target = getattr(build.pa, f"float{type_.bits}")()
    code = {16: "H", 32: "I", 64: "Q"}[type_.bits or 64]
    return build.fixed(target, code, [None if value is None else str(int(value, 16)) for value in values])


def _decimal(build: Builder, type_: Type, values: list[Any], _: str) -> Any:
    width = 16 if (type_.precision or 0) <= 38 else 32
    target = getattr(build.pa, f"decimal{8 * width}")(type_.precision, type_.scale)
    data = b"".join(int(value or 0).to_bytes(width, "little", signed=True) for value in values)
    return build.raw(target, values, data)


def _date(build: Builder, _: Type, values: list[Any], __: str) -> Any:
    return build.fixed(build.pa.date32(), "i", values)


def _time(build: Builder, type_: Type, values: list[Any], name: str) -> Any:
    if type_.utc:
        raise Unsupported(f"column {name!r}: Arrow's times of day have no UTC flag")
    if type_.unit in ("s", "ms"):
        return build.fixed(build.pa.time32(type_.unit), "i", values)
    return build.fixed(build.pa.time64(type_.unit), "q", values)


def _timestamp(build: Builder, type_: Type, values: list[Any], _: str) -> Any:
    return build.fixed(build.pa.timestamp(type_.unit, "UTC" if type_.utc else None), "q", values)


def _duration(build: Builder, type_: Type, values: list[Any], _: str) -> Any:
    return build.fixed(build.pa.duration(type_.unit), "q", values)


def _interval(build: Builder, _: Type, values: list[Any], __: str) -> Any:
    data = b"".join(_INTERVAL.pack(*map(int, value or (0, 0, 0))) for value in values)
    return build.raw(build.pa.month_day_nano_interval(), values, data)


def _string(build: Builder, _: Type, values: list[Any], __: str) -> Any:
    raw = [(value or "").encode("utf-8", "surrogateescape") for value in values]
    return build.varying(build.pa.utf8(), values, raw)


def _bytes(build: Builder, _: Type, values: list[Any], __: str) -> Any:
    return build.varying(build.pa.binary(), values, [bytes.fromhex(value or "") for value in values])


def _json(build: Builder, type_: Type, values: list[Any], name: str) -> Any:
    return build.pa.ExtensionArray.from_storage(build.pa.json_(), _string(build, type_, values, name))


def _uuid(build: Builder, _: Type, values: list[Any], __: str) -> Any:
    if not hasattr(build.pa, "uuid"):
        raise Unsupported("pyarrow has no type of UUIDs before 18")
    data = b"".join(bytes.fromhex(value or "00" * 16) for value in values)
    return build.pa.ExtensionArray.from_storage(build.pa.uuid(), build.raw(build.pa.binary(16), values, data))


def _list(build: Builder, type_: Type, values: list[Any], name: str) -> Any:
    (element,) = type_.children
    items = build.array(element.type, _flat(values), name)
    buffers = [build.valid(values), build.offsets(len(value or ()) for value in values)]
    target = build.pa.list_(build.pa.field("element", items.type))
    return build.pa.Array.from_buffers(target, len(values), buffers, children=[items])


def _struct(build: Builder, type_: Type, values: list[Any], name: str) -> Any:
    columns = [
        [None if value is None else value[at] for value in values] for at in range(len(type_.children))
    ]
    children = [build.array(field.type, column, name) for field, column in zip(type_.children, columns)]
    target = build.pa.struct(
        [build.pa.field(field.name, child.type) for field, child in zip(type_.children, children)]
    )
    return build.pa.Array.from_buffers(target, len(values), [build.valid(values)], children=children)


def _map(build: Builder, type_: Type, values: list[Any], name: str) -> Any:
    pairs = _flat(values)
    key, value = (
        build.array(field.type, [pair[at] for pair in pairs], name) for at, field in enumerate(type_.children)
    )
    target = build.pa.map_(key.type, value.type)
    fields = [build.pa.field("key", key.type, nullable=False), build.pa.field("value", value.type)]
    entries = build.pa.StructArray.from_arrays([key, value], fields=fields)
    buffers = [build.valid(values), build.offsets(len(value or ()) for value in values)]
    return build.pa.Array.from_buffers(target, len(values), buffers, children=[entries])


def _flat(values: list[Any]) -> list[Any]:
    return list(chain.from_iterable(value for value in values if value is not None))


_BUILDERS: dict[str, Callable[[Builder, Type, list[Any], str], Any]] = {
    "null": _null,
    "bool": _bool,
    "int": _int,
    "float": _float,
    "decimal": _decimal,
    "date": _date,
    "time": _time,
    "timestamp": _timestamp,
    "duration": _duration,
    "interval": _interval,
    "string": _string,
    "bytes": _bytes,
    "json": _json,
    "uuid": _uuid,
    "list": _list,
    "struct": _struct,
    "map": _map,
}
