"""Equality of Variants (VariantEncoding.md, "Equivalence Class"; VariantShredding.md).

An engine may return the metadata and value of a VARIANT column in another physical form: their meanings are
compared. An engine without Variants returns the group of columns in the file; a shredded group is
reconstructed here, to check each of its columns.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import islice, product
from typing import Any

from corpora.tagged import Type, Value
from harness.judging.nested_rewrites import is_empty
from harness.judging.rewrites import Rewrite
from reference_impl.errors import ReferenceError_
from reference_impl.variant import metadata as dictionary
from reference_impl.variant.encoding import read
from reference_impl.variant.shredding import DRAFT, RESIDUAL, V1, Leaf, Level, Reading, Slot, construct
from reference_impl.variant.values import canonical

_MOST_READINGS = 1000
# Kinds for types of columns: any member stands for its equivalence class.
_KINDS = {"bool": "boolean", "int": "int64", "decimal": "decimal16", "bytes": "binary"}


def by_value(expected: Type, actual: Type) -> Rewrite | None:
    """Return a Variant as its meaning; an unreadable Variant stays unchanged."""
    return Rewrite(actual, _meaning) if expected.kind == actual.kind == "variant" else None


def _meaning(value: Value) -> Value:
    if not isinstance(value, list) or not all(isinstance(part, str) for part in value):
        return value
    metadata, raw = map(bytes.fromhex, value)
    try:
        return canonical(read(metadata, raw))
    except ReferenceError_:
        return value


def stored_in_columns(expected: Type, actual: Type) -> Rewrite | None:
    """Return a shredded Variant as the group in the file; its values are compared by `same`.

    Its value becomes `{"variant": value}`, which differs from every value of the group.
    """
    if expected.kind != "variant" or _level(actual) is None:
        return None
    return Rewrite(actual, lambda value: {"variant": value})


def same(_: Type, actual: Type, *, all_types: bool = True) -> Callable[[Value, Value], bool] | None:
    """Return a comparison of a Variant with a shredded group of columns; None for another type.

    Without `all_types`, texts are their bytes, and timestamps have no zone, as in ClickHouse.
    """
    level = _level(actual)
    if level is None:
        return None
    names = [child.name for child in actual.children]

    def is_same(expected: Value, given: Value) -> bool:
        if not isinstance(given, list) or len(given) != len(names) or not isinstance(expected, dict):
            return False
        held = dict(zip(names, given, strict=True))
        try:
            metadata = dictionary.read(bytes.fromhex(held["metadata"]))
            value = construct(level, _slot(level, actual, held), metadata, Reading.ANY)
            meaning, wanted = _plain(canonical(value)), _plain(_meaning(expected["variant"]))
        except (ReferenceError_, ValueError, TypeError, KeyError):
            return False
        return bool(meaning == wanted if all_types else _of_clickhouse(meaning) == _of_clickhouse(wanted))

    return is_same


def same_without_nulls(expected: Type, actual: Type) -> Callable[[Value, Value], bool] | None:
    """Return a comparison as `same`, of an engine whose groups and lists are never null.

    An object without its shredded fields, or an empty list, looks as a group or list that is null: either
    reading of each counts, and the first thousand of all together.
    """
    is_same = same(expected, actual, all_types=False)
    if is_same is None:
        return None
    return lambda wanted, given: any(
        is_same(wanted, reading) for reading in islice(_readings(actual, given), _MOST_READINGS)
    )


def _readings(type_: Type, value: Any) -> Iterator[Any]:
    """Yield a value with each of its groups and lists that are empty as it is, or null."""
    if not isinstance(value, list) or type_.kind not in {"struct", "list"}:
        yield value
        return
    types = [child.type for child in type_.children]
    if type_.kind == "list":
        types *= len(value)
    parts = [_inner_readings(inner, part) for inner, part in zip(types, value, strict=True)]
    yield from map(list, product(*parts))


def _inner_readings(type_: Type, value: Any) -> list[Any]:
    readings = list(islice(_readings(type_, value), _MOST_READINGS))
    return [*readings, None] if value is not None and is_empty(type_, value) else readings


def _plain(meaning: Any) -> Any:
    """Replace a UUID by its 16 bytes: columns of engines without UUIDs do not distinguish them."""
    if not isinstance(meaning, list):
        return meaning
    if meaning[:1] == ["uuid"]:
        return ["binary", *meaning[1:]]
    return [_plain(part) for part in meaning]


def _of_clickhouse(meaning: Any) -> Any:
    """Replace a text by its bytes, and a time or timestamp by one in UTC."""
    if not isinstance(meaning, list):
        return meaning
    match meaning:
        case ["string", text]:
            return ["binary", str(text).encode().hex()]
        case ["time", micros]:
            return ["timestamp", str(int(micros) * 1000)]
        case ["timestamp_ntz", nanos]:
            return ["timestamp", nanos]
    return [_of_clickhouse(part) for part in meaning]


def _level(type_: Type) -> Level | None:
    """Return the shredding of a struct, None if it is no shredded Variant."""
    fields = {child.name: child.type for child in type_.children} if type_.kind == "struct" else {}
    shredded = {"typed_value", "object", "array"} & set(fields)
    if not shredded or "metadata" not in fields:
        return None
    layout = DRAFT if {"object", "array", RESIDUAL[DRAFT]} & set(fields) else V1
    return _of_fields(fields, layout)


def _of_fields(fields: dict[str, Type], layout: str) -> Level:
    typed = fields.get("typed_value")
    inner = fields.get("object") if layout == DRAFT else typed
    items = fields.get("array") if layout == DRAFT else typed
    return Level(
        layout,
        RESIDUAL[layout] in fields,
        None if typed is None or typed.kind in ("struct", "list") else _leaf(typed),
        tuple((child.name, _of_type(child.type, layout)) for child in inner.children)
        if inner is not None and inner.kind == "struct"
        else None,
        _of_type(items.children[0].type, layout) if items is not None and items.kind == "list" else None,
    )


def _leaf(type_: Type) -> Leaf:
    """Return a kind of the equivalence class of a column's type; without a class, the column's own kind."""
    kind = _KINDS.get(type_.kind, type_.kind)
    if type_.kind == "float":
        kind = "float" if type_.bits == 32 else "double"
    elif type_.kind == "timestamp":
        kind = f"timestamp{'' if type_.utc else '_ntz'}{'_nanos' if type_.unit == 'ns' else ''}"
    return Leaf(kind, scale=type_.scale or 0)


def _typed(type_: Type, value: Any) -> Any:
    """Return the value of a `Primitive` for that of a column."""
    if type_.kind == "float":
        return int(value, 16)
    if type_.kind in ("bytes", "uuid"):
        return bytes.fromhex(value)
    return value if type_.kind in ("bool", "string") else int(value)


def _of_type(type_: Type, layout: str) -> Level:
    return _of_fields({child.name: child.type for child in type_.children}, layout)


def _slot(level: Level, type_: Type, held: dict[str, Any]) -> Slot:
    """Return the contents of the columns of a level."""
    types = {child.name: child.type for child in type_.children}
    residual = held.get(RESIDUAL[level.layout])
    slot = Slot(None if residual is None else bytes.fromhex(residual))
    is_draft = level.layout == DRAFT
    if level.leaf is not None and held["typed_value"] is not None:
        return slot._replace(typed=_typed(types["typed_value"], held["typed_value"]))
    name = "object" if is_draft else "typed_value"
    if level.fields is not None and held[name] is not None:
        below = types[name].children
        each = zip(level.fields, below, held[name], strict=True)
        slot = slot._replace(
            fields=tuple(_inner(level, child.type, value) for (_, level), child, value in each)
        )
    name = "array" if is_draft else "typed_value"
    if level.element is not None and held[name] is not None:
        element = types[name].children[0].type
        slot = slot._replace(items=tuple(_inner(level.element, element, item) for item in held[name]))
    return slot


def _inner(level: Level, type_: Type, value: Any) -> Slot | None:
    if value is None:
        return None
    names = [child.name for child in type_.children]
    return _slot(level, type_, dict(zip(names, value, strict=True)))
