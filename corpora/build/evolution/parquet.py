"""Files of a table as plans of Parquet: schema with field ids, rows, and a layout that a seed chooses."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from corpora.build.evolution.members import Member, Schema
from corpora.build.recipe import (
    OPTIONAL,
    REPEATED,
    REQUIRED,
    Elements,
    group,
    leaf,
    list_group,
    map_group,
    schema,
)
from corpora.constants import float_of
from corpora.tagged import Table, Type, Value
from reference_impl.parquet import writer
from reference_impl.parquet.plan import Column, Dictionary, FilePlan, Index, Page, Statistics
from reference_impl.parquet.schema import (
    CompressionCodec,
    ConvertedType,
    DecimalType,
    Empty,
    Encoding,
    IntType,
    LogicalType,
    TimestampType,
    TimeType,
    TimeUnit,
)
from reference_impl.parquet.schema import Type as Physical

_UNITS = {
    "ms": TimeUnit(MILLIS=Empty()),
    "us": TimeUnit(MICROS=Empty()),
    "ns": TimeUnit(NANOS=Empty()),
}
# By whether they are those of older writers, such as Hive's: the names inside of a list and of a map.
_LIST = {False: ("list", "element"), True: ("bag", "array_element")}
_MAP = {False: "key_value", True: "map"}
_INT32_DIGITS, _INT64_DIGITS = 9, 18
_CODECS = (CompressionCodec.UNCOMPRESSED, CompressionCodec.SNAPPY, CompressionCodec.ZSTD)


def file(
    members: Schema, table: Table, rng: random.Random, metadata: tuple[tuple[str, str | None], ...] = ()
) -> bytes:
    """Return a file with the rows of a table, and with keys and values in its footer."""
    return writer.write(replace(plan(members, table, rng), key_value_metadata=metadata))


def plan(members: Schema, table: Table, rng: random.Random) -> FilePlan:
    """Return the plan of a file; the layout is the seed's choice."""
    elements = schema(*map(_elements, members))
    columns = [table.column(at) for at in range(len(members))]
    rows = tuple(
        {member.name: _row_value(member, column[at]) for member, column in zip(members, columns, strict=True)}
        for at in range(table.num_rows)
    )
    leaves = [element for element in elements if element.type is not None]
    layouts = tuple(_layout(Physical(element.type or 0), rng) for element in leaves)
    return FilePlan(elements, rows, layouts, row_groups=_groups(len(rows), rng), row_group_details=True)


def _groups(rows: int, rng: random.Random) -> tuple[int, ...] | None:
    """Return the rows of each row group, None for one row group; now and then one has no rows."""
    if not rows or rng.random() < 0.4:
        return None
    size = rng.choice([1, 3, 7, 20])
    groups = [min(size, rows - first) for first in range(0, rows, size)]
    if rng.random() < 0.3:
        groups.insert(rng.randrange(len(groups) + 1), 0)
    return tuple(groups)


def _layout(physical: Physical, rng: random.Random) -> Column:
    encodings = [Encoding.PLAIN]
    if physical in {Physical.INT32, Physical.INT64}:
        encodings.append(Encoding.DELTA_BINARY_PACKED)
    if physical is Physical.BYTE_ARRAY:
        encodings += [Encoding.DELTA_BYTE_ARRAY, Encoding.DELTA_LENGTH_BYTE_ARRAY]
    has_dictionary = physical is not Physical.BOOLEAN and rng.random() < 0.4
    encoding = Encoding.RLE_DICTIONARY if has_dictionary else rng.choice(encodings)
    page = Page(entries=rng.choice([None, 2, 5]), encoding=encoding, version=rng.choice([1, 2]))
    statistics = rng.random() < 0.8
    return Column(
        pages=(page,),
        codec=rng.choice(_CODECS),
        dictionary=Dictionary() if has_dictionary else None,
        statistics=Statistics() if statistics else None,
        index=Index() if statistics and rng.random() < 0.5 else None,
    )


def _elements(member: Member) -> Elements:
    repetition = REQUIRED if member.required else OPTIONAL
    if member.shape == "struct":
        elements = group(member.name, repetition, *map(_elements, member.members))
    elif member.shape == "list":
        (element,) = member.members
        inside = group(
            _LIST[member.legacy][0], REPEATED, _elements(replace(element, name=_LIST[member.legacy][1]))
        )
        elements = list_group(member.name, repetition, inside)
    elif member.shape == "map":
        key, value = member.members
        entry = group(_MAP[member.legacy], REPEATED, _elements(replace(key, required=True)), _elements(value))
        elements = map_group(member.name, repetition, entry)
    else:
        physical, more = _annotation(member.type)
        elements = leaf(member.name, physical, repetition, **more)
    return (replace(elements[0], field_id=member.id), *elements[1:])


def _annotation(type_: Type) -> tuple[Physical, dict[str, Any]]:
    """Return the physical type and the further fields of an element."""
    kind = type_.kind
    if kind == "bool":
        return Physical.BOOLEAN, {}
    if kind == "float":
        return (Physical.FLOAT if type_.bits == 32 else Physical.DOUBLE), {}
    if kind == "int":
        physical = Physical.INT64 if type_.bits == 64 else Physical.INT32
        if type_.signed and type_.bits in {32, 64}:
            return physical, {}
        name = f"{'' if type_.signed else 'U'}INT_{type_.bits}"
        kind_of_int = IntType(bitWidth=type_.bits or 0, isSigned=bool(type_.signed))
        return physical, _annotated(ConvertedType[name], LogicalType(INTEGER=kind_of_int))
    if kind == "decimal":
        return _decimal(type_)
    if kind == "date":
        return Physical.INT32, _annotated(ConvertedType.DATE, LogicalType(DATE=Empty()))
    if kind == "timestamp":
        moment = TimestampType(isAdjustedToUTC=bool(type_.utc), unit=_UNITS[type_.unit or "us"])
        return Physical.INT64, _of_clock(type_, LogicalType(TIMESTAMP=moment))
    if kind == "time":
        of_day = TimeType(isAdjustedToUTC=bool(type_.utc), unit=_UNITS[type_.unit or "us"])
        physical = Physical.INT32 if type_.unit == "ms" else Physical.INT64
        return physical, _of_clock(type_, LogicalType(TIME=of_day))
    if kind == "string":
        return Physical.BYTE_ARRAY, _annotated(ConvertedType.UTF8, LogicalType(STRING=Empty()))
    return Physical.BYTE_ARRAY, {}


def _of_clock(type_: Type, logical: LogicalType) -> dict[str, Any]:
    """Return the annotation of times and timestamps: local ones have that of instants, too, but for ns.

    LogicalTypes.md, TIME and TIMESTAMP: writers must annotate local time with legacy annotations, too.
    """
    name = {"ms": "MILLIS", "us": "MICROS"}.get(type_.unit or "us")
    if name is None:
        return {"logicalType": logical}
    return _annotated(ConvertedType[f"{type_.kind.upper()}_{name}"], logical)


def _decimal(type_: Type) -> tuple[Physical, dict[str, Any]]:
    precision, scale = type_.precision or 0, type_.scale or 0
    annotated = _annotated(
        ConvertedType.DECIMAL, LogicalType(DECIMAL=DecimalType(scale=scale, precision=precision))
    )
    more = {**annotated, "precision": precision, "scale": scale}
    if precision <= _INT32_DIGITS:
        return Physical.INT32, more
    if precision <= _INT64_DIGITS:
        return Physical.INT64, more
    return Physical.FIXED_LEN_BYTE_ARRAY, {**more, "type_length": decimal_width(precision)}


def decimal_width(precision: int) -> int:
    """Return the bytes of a signed integer of so many digits."""
    most: int = 10**precision
    return most.bit_length() // 8 + 1


def _annotated(converted: ConvertedType, logical: LogicalType) -> dict[str, Any]:
    return {"converted_type": converted, "logicalType": logical}


def _row_value(member: Member, value: Value) -> Any:
    """Return a tagged value as rows of a plan have it."""
    if value is None:
        return None
    if member.shape == "struct":
        assert isinstance(value, list)
        return {each.name: _row_value(each, part) for each, part in zip(member.members, value, strict=True)}
    if member.shape == "list":
        assert isinstance(value, list)
        (element,) = member.members
        repeated, name = _LIST[member.legacy]
        return {repeated: [{name: _row_value(element, each)} for each in value]}
    if member.shape == "map":
        assert isinstance(value, list)
        key, held = member.members
        entries = [(_row_value(key, entry[0]), _row_value(held, entry[1])) for entry in value]
        return {_MAP[member.legacy]: [{key.name: left, held.name: right} for left, right in entries]}
    return _SCALARS[member.type.kind](member.type, value)


def _of_decimal(type_: Type, value: Value) -> Any:
    number, precision = int(str(value)), type_.precision or 0
    if precision <= _INT64_DIGITS:
        return number
    return number.to_bytes(decimal_width(precision), "big", signed=True)


def _of_int(type_: Type, value: Value) -> int:
    """Return an integer as it is stored: unsigned ones of the full width wrap (LogicalTypes.md, INT)."""
    number: int = int(str(value))
    width = 64 if type_.bits == 64 else 32
    return number - (1 << width) if not type_.signed and number >> (width - 1) else number


_SCALARS: dict[str, Callable[[Type, Value], Any]] = {
    "bool": lambda _, value: value,
    "int": _of_int,
    "float": float_of,
    "decimal": _of_decimal,
    "date": lambda _, value: int(str(value)),
    "time": lambda _, value: int(str(value)),
    "timestamp": lambda _, value: int(str(value)),
    "string": lambda _, value: str(value).encode(),
    "bytes": lambda _, value: bytes.fromhex(str(value)),
}
