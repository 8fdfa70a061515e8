"""Shredded Variants: every type of a `typed_value`, in a column, a field and an array."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from corpora.build.recipe import OPTIONAL, Recipe, group, leaf, schema
from corpora.build.variants import elements, row
from corpora.queries import Extract
from reference_impl.parquet.plan import FilePlan
from reference_impl.parquet.schema import ConvertedType, DecimalType, LogicalType, Type, VariantType
from reference_impl.variant.shredding import Leaf, Level
from reference_impl.variant.values import NULL, Array, Object, Primitive, Value, double, float_, object_of

_SPEC = "VariantShredding.md, Shredded Value Types"
_DAY, _YEAR_1, _YEAR_9999 = 20_194, -719_162, 2_932_896  # days since 1970
_MICROS = 86_400_000_000  # of a day
_INF, _NAN = float("inf"), float("nan")
_LONG = "long enough to be no short string, which ends at 63 bytes: é, \U0001f496 and \u2665"
_LARGEST = {"int8": 2**7, "int16": 2**15, "int32": 2**31, "int64": 2**63}
_DECIMALS = {"decimal4": (9, 2), "decimal8": (18, 9), "decimal16": (38, 10)}
_MOMENTS = (0, -1, _DAY * _MICROS + 123_456, _YEAR_1 * _MICROS, (_YEAR_9999 + 1) * _MICROS - 1)
_NANOS = (0, -1, 1_730_982_834_123_456_789, 2**63 - 1, 1 - 2**63)
_VALUES: dict[str, tuple[object, ...]] = {
    "boolean": (True, False),
    **{kind: (0, 42, -1, most - 1, -most) for kind, most in _LARGEST.items()},
    **{kind: (0, 1234, -1, 10**digits - 1, 1 - 10**digits) for kind, (digits, _) in _DECIMALS.items()},
    "float": tuple(float_(number).value for number in (0.0, -0.0, 1.5, -_INF, _NAN)),
    "double": tuple(double(number).value for number in (0.0, -0.0, 0.1, _INF, _NAN)),
    "date": (0, -1, _DAY, _YEAR_1, _YEAR_9999),
    "time": (0, 45_234_123_456, _MICROS - 1),
    "timestamp": _MOMENTS,
    "timestamp_ntz": _MOMENTS,
    "timestamp_nanos": _NANOS,
    "timestamp_ntz_nanos": _NANOS,
    "binary": (b"", b"\x00\xff", bytes(range(70))),
    "string": ("", "a", _LONG),
    "uuid": (bytes(range(16)), b"\xff" * 16, bytes(16)),
}


def recipes() -> Iterator[Recipe]:
    """Yield a column, a field and an array of each type, other forms of decimals, and nested values."""
    for kind in _VALUES:
        name = kind.replace("_", "-")
        level = Level(leaf=_leaf(kind))
        values, other = _values(kind), _other(kind)
        yield _recipe(f"column/{name}", level, (*values, other, values[0]))
        yield _recipe(f"field/{name}", _object(a=level, b=Level()), _objects(values, other), held=(("a",),))
        yield _recipe(f"element/{name}", Level(element=level), _arrays(values, other), held=((0,),))
    yield from _decimals()
    yield from _turned()
    yield from _nested()


def _leaf(kind: str) -> Leaf:
    return Leaf(kind, *_DECIMALS.get(kind, ()))


def _values(kind: str) -> tuple[Value, ...]:
    _, scale = _DECIMALS.get(kind, (0, 0))
    return tuple(Primitive(kind, value, scale) for value in _VALUES[kind])


def _other(kind: str) -> Value:
    """Return a value that a column of this kind cannot hold, and that is not a Variant null."""
    return Primitive("int8", 7) if kind == "string" else Primitive("string", "other")


def _object(**fields: Level) -> Level:
    return Level(fields=tuple(fields.items()))


def _of(**fields: Value) -> Object:
    return object_of(fields.items())


def _objects(values: tuple[Value, ...], other: Value) -> tuple[Value, ...]:
    """Return objects shredded whole, in part, or not at all, with missing fields, and another value."""
    first = values[0]
    whole = tuple(_of(a=value, b=other) for value in values)
    return (
        *whole,
        _of(a=first),
        _of(a=other),
        _of(b=first),
        _of(),
        _of(a=first, c=other),
        _of(c=first),
        other,
    )


def _arrays(values: tuple[Value, ...], other: Value) -> tuple[Value, ...]:
    return (Array(values), Array(()), Array((values[-1], other, values[0])), Array((other,)), other)


def _recipe(
    name: str,
    level: Level,
    values: tuple[Value, ...],
    spec: str = _SPEC,
    held: tuple[tuple[int | str, ...], ...] = (),
) -> Recipe:
    """Return a recipe of values and a null in an optional column, with queries of the paths `held`."""
    rows: tuple[dict[str, Any], ...] = ({"v": None}, *({"v": row(level, value)} for value in values))
    plan = FilePlan(schema(elements("v", OPTIONAL, level)), rows)
    return Recipe(f"variant/{name}", plan, spec, queries=tuple(Extract(("v",), steps) for steps in held))


def _decimals() -> Iterator[Recipe]:
    """Yield decimal16 in the other legal storages: binaries of any length, and of 20 bytes."""
    level = Level(leaf=Leaf("decimal16", 38, 10))
    logical = LogicalType(DECIMAL=DecimalType(scale=10, precision=38))
    more = {"converted_type": ConvertedType.DECIMAL, "precision": 38, "scale": 10, "logicalType": logical}
    variant = LogicalType(VARIANT=VariantType(specification_version=1))
    for name, kind, width in (
        ("byte-array", Type.BYTE_ARRAY, None),
        ("fixed-20", Type.FIXED_LEN_BYTE_ARRAY, 20),
    ):
        base = _recipe(f"column/decimal16-{name}", level, _values("decimal16"))
        typed = leaf("typed_value", kind, OPTIONAL, type_length=width, **more)
        columns = leaf("metadata", Type.BYTE_ARRAY), leaf("value", Type.BYTE_ARRAY, OPTIONAL), typed
        rows = tuple(
            {"v": old["v"] and {**old["v"], "typed_value": _again(old["v"]["typed_value"], width)}}
            for old in base.plan.rows
        )
        plan = FilePlan(schema(group("v", OPTIONAL, *columns, logicalType=variant)), rows)
        yield replace(base, plan=plan)


def _turned() -> Iterator[Recipe]:
    """Yield groups with columns in another order than the specification's, which identifies them by name."""
    spec = 'VariantShredding.md, Value Shredding ("must be accessed by name, not by position")'
    variant = LogicalType(VARIANT=VariantType(specification_version=1))
    metadata, value = leaf("metadata", Type.BYTE_ARRAY), leaf("value", Type.BYTE_ARRAY, OPTIONAL)
    typed = leaf("typed_value", Type.INT64, OPTIONAL)
    orders = {
        "value-first": (leaf("value", Type.BYTE_ARRAY), metadata),
        "typed-value-first": (typed, value, metadata),
        "typed-value-between": (metadata, typed, value),
    }
    values = (Primitive("int64", 5), Primitive("string", "text"), NULL)
    for name, columns in orders.items():
        level = Level(leaf=_leaf("int64")) if typed in columns else Level()
        rows = tuple({"v": row(level, value)} for value in values)
        plan = FilePlan(schema(group("v", OPTIONAL, *columns, logicalType=variant)), rows)
        yield Recipe(f"variant/order/{name}", plan, spec)


def _again(raw: bytes, width: int | None) -> bytes:
    """Return a number of 16 bytes in `width` bytes, or in as few as possible."""
    number = int.from_bytes(raw, "big", signed=True)
    return number.to_bytes(width or (8 + (number + (number < 0)).bit_length()) // 8, "big", signed=True)


def _nested() -> Iterator[Recipe]:
    """Yield the examples of the text: events and tags, an event with location and tags, arrays of both."""
    text, moment = Level(leaf=Leaf("string")), Level(leaf=Leaf("timestamp"))
    degrees = Level(leaf=Leaf("double"))
    event = _object(event_type=text, event_ts=moment)
    tags = Level(element=text)
    place = _object(latitude=degrees, longitude=degrees)
    noop, login = Primitive("string", "noop"), Primitive("string", "login")
    at = tuple(Primitive("timestamp", ms * 1_000) for ms in (1_729_794_114_937, 1_729_794_146_402))
    malformed = Primitive("string", "malformed: not an object")
    events = (
        _of(event_type=noop, event_ts=at[0]),
        _of(event_type=login, event_ts=at[1], email=Primitive("string", "user@example.com")),
        _of(error_msg=Primitive("string", "malformed: ...")),
        malformed,
        _of(event_ts=at[1], click=Primitive("string", "_button")),
        _of(event_type=NULL, event_ts=at[0]),
        _of(event_type=noop, event_ts=Primitive("string", "2024-10-24")),
        _of(),
    )
    genres = tuple(Primitive("string", genre) for genre in ("comedy", "drama", "romance"))
    lists = (Array(genres[:2]), Array((genres[0], NULL)), Array(genres), Array(()))
    here = _of(latitude=double(52.5), longitude=double(-0.1))
    yield _recipe("object/events", event, events, "VariantShredding.md, Objects")
    yield _recipe("array/tags", tags, (*lists, malformed), "VariantShredding.md, Arrays")
    spec = "VariantShredding.md, Nesting"
    whole = _object(event_type=text, event_ts=moment, location=place, tags=tags)
    given = (
        _of(event_type=noop, event_ts=at[0], location=here, tags=lists[2]),
        _of(event_type=noop, location=_of(latitude=NULL, height=double(1.0)), tags=malformed),
        _of(location=malformed, tags=lists[1]),
        _of(tags=Array(())),
        *events,
    )
    held = (("location", "latitude"), ("tags", 0), ("event_ts",))
    yield _recipe("object/nested", whole, given, spec, held)
    yield _recipe("array/objects", Level(element=event), (Array(events), Array(()), malformed), spec)
    yield _recipe("array/arrays", Level(element=tags), (Array((*lists, malformed)), Array(()), *lists), spec)
