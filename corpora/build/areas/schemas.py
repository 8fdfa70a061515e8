"""Forms of schemas: old and new lists and maps, repeated fields, names, field ids, no columns."""

from __future__ import annotations

import struct
from collections.abc import Iterator, Sequence
from itertools import chain, product
from typing import Any

from corpora import tagged
from corpora.build.recipe import (
    OPTIONAL,
    REPEATED,
    REQUIRED,
    Elements,
    Recipe,
    group,
    leaf,
    list_group,
    map_group,
    schema,
    text,
)
from corpora.queries import Compare, Filter, Query
from reference_impl.parquet.plan import Column, FilePlan, Page
from reference_impl.parquet.schema import ConvertedType, Empty, GeometryType, LogicalType, SchemaElement, Type

_LISTS = "LogicalTypes.md, Lists"
_MAPS = "LogicalTypes.md, Maps"
_OLD = ("parquet/nesting/list-2-level",)
_OLD_LIST = {"converted_type": ConvertedType.LIST}
_NEW_LIST = {"logicalType": LogicalType(LIST=Empty())}
_INT = Type.INT32


def recipes() -> Iterator[Recipe]:
    """Yield the forms."""
    return chain(_lists(), _two_levels(), _maps(), _repeated(), _names(), _others())


def _recipe(
    name: str, field: Elements, values: Sequence[Any], spec: str, features: tuple[str, ...] = (), **more: Any
) -> Iterator[Recipe]:
    """Yield the field `a` in both page versions, in pages of 3 entries."""
    rows = tuple({field[0].name: value} for value in values)
    leaves = sum(1 for element in field if element.type is not None)
    for version in (1, 2):
        columns = (Column((Page(3, version=version),)),) * leaves
        plan = FilePlan(schema(field), rows, columns)
        yield Recipe(f"schema/{name}/v{version}", plan, spec, features=features, **more)


def _lists() -> Iterator[Recipe]:
    """Yield lists of three levels in each form of annotation, nullable or not, and with other names."""
    for outer, inner in ((0, 0), (0, 1), (1, 0), (1, 1)):
        for name, annotation in (("converted", _OLD_LIST), ("logical", _NEW_LIST)):
            element = leaf("element", _INT, inner)
            field = group("a", outer, group("list", REPEATED, element), **annotation)
            empty: dict[str, Any] = {"list": []}
            values: list[Any] = [empty, *([None] if outer else [])]
            values += [{"list": [{"element": n} for n in part]} for part in ((1, 2), (3,), (4, 5, 6))]
            values += [{"list": [{"element": None}]}] if inner else []
            case = (
                f"list/{name}/{'optional' if outer else 'required'}-of-{'optional' if inner else 'required'}"
            )
            yield from _recipe(case, field, values, _LISTS)
    for middle, name in (("bag", "array_element"), ("list", "item"), ("x", "y")):
        field = group("a", OPTIONAL, group(middle, REPEATED, leaf(name, _INT, OPTIONAL)), **_OLD_LIST)
        values = [{middle: [{name: 1}, {name: None}]}, None, {middle: []}]
        yield from _recipe(f"list/names/{middle}-{name}", field, values, _LISTS)
    struct = group("element", OPTIONAL, leaf("p", _INT, OPTIONAL), text("q", OPTIONAL))
    field = list_group("a", OPTIONAL, group("list", REPEATED, struct))
    elements = [{"p": 1, "q": b"x"}, None, {"p": None, "q": b""}, {"p": 2, "q": None}]
    values = [{"list": [{"element": e} for e in elements]}, {"list": []}, None]
    yield from _recipe("list/of-structs", field, values, _LISTS)


def _two_levels() -> Iterator[Recipe]:
    """Yield lists for each backward-compatibility rule, and similar lists."""
    pair = (leaf("p", _INT), leaf("q", _INT, OPTIONAL))
    pairs = [{"p": 1, "q": 2}, {"p": 3, "q": None}]
    forms: dict[str, tuple[Elements, list[Any]]] = {
        "rule-1-primitive": (leaf("element", _INT, REPEATED), [1, 2]),
        "rule-1-named-array": (leaf("array", _INT, REPEATED), [1, 2]),
        "rule-2-struct": (group("element", REPEATED, *pair), pairs),
        "rule-2-named-list": (group("list", REPEATED, *pair), pairs),
        "rule-3-repeated-child": (
            group("element", REPEATED, leaf("p", _INT, REPEATED)),
            [{"p": [1, 2]}, {"p": []}],
        ),
        "rule-4-array": (group("array", REPEATED, leaf("p", _INT)), [{"p": 1}, {"p": 2}]),
        "rule-4-tuple": (group("a_tuple", REPEATED, leaf("p", _INT)), [{"p": 1}, {"p": 2}]),
        "rule-4-array-optional": (
            group("array", REPEATED, leaf("p", _INT, OPTIONAL)),
            [{"p": 1}, {"p": None}],
        ),
        "rule-5-other-tuple": (group("b_tuple", REPEATED, leaf("p", _INT)), [{"p": 1}, {"p": 2}]),
        "rule-5-element": (group("element", REPEATED, leaf("p", _INT)), [{"p": 1}, {"p": 2}]),
    }
    spec = "LogicalTypes.md, Lists, Backward-compatibility rules"
    for (name, (middle, items)), outer in product(forms.items(), (REQUIRED, OPTIONAL)):
        key = middle[0].name
        values: list[Any] = [{key: items}, {key: []}, {key: items[:1]}, *([None] if outer else [])]
        case = f"list/{name}/{'optional' if outer else 'required'}"
        yield from _recipe(case, group("a", outer, middle, **_OLD_LIST), values, spec, _OLD)
    inner = group("array", REPEATED, leaf("array", _INT, REPEATED), **_OLD_LIST)
    field = group("a", OPTIONAL, inner, **_OLD_LIST)
    values = [{"array": [{"array": [1, 2]}, {"array": []}]}, {"array": []}, None]
    yield from _recipe("list/two-levels-in-two-levels", field, values, spec, _OLD)


def _maps() -> Iterator[Recipe]:
    """Yield maps with each annotation and name, without values, and with keys other than text."""
    old = {"converted_type": ConvertedType.MAP}
    new = {"logicalType": LogicalType(MAP=Empty())}
    oldest = {"converted_type": ConvertedType.MAP_KEY_VALUE}
    entries: list[dict[str, Any]] = [
        {"key": b"k", "value": 1},
        {"key": b"", "value": None},
        {"key": b"l", "value": 2},
    ]
    values: list[Any] = [{"key_value": entries}, {"key_value": []}, None, {"key_value": entries[:1]}]
    middle = group("key_value", REPEATED, text("key"), leaf("value", _INT, OPTIONAL))
    for name, annotation in (("converted", old), ("logical", new), ("map-key-value", oldest)):
        yield from _recipe(f"map/{name}", group("a", OPTIONAL, middle, **annotation), values, _MAPS)
    key_value = ConvertedType.MAP_KEY_VALUE
    for name, key, second in (("map", "key", "value"), ("entries", "k", "v"), ("x", "value", "key")):
        middle = group(name, REPEATED, text(key), leaf(second, _INT, OPTIONAL), converted_type=key_value)
        renamed = [{name: [{key: e["key"], second: e["value"]} for e in entries]}, {name: []}, None]
        field = group("a", OPTIONAL, middle, **old)
        yield from _recipe(f"map/names/{name}-{key}-{second}", field, renamed, _MAPS)
    keys_only = group("key_value", REPEATED, text("key"))
    values = [{"key_value": [{"key": b"a"}, {"key": b"b"}]}, {"key_value": []}, None]
    features = ("parquet/nesting/map-no-value",)
    yield from _recipe("map/without-values", map_group("a", OPTIONAL, keys_only), values, _MAPS, features)
    for kind, keys in ((Type.INT64, (1, -1)), (Type.BOOLEAN, (True, False)), (Type.DOUBLE, (0.5, -0.0))):
        middle = group("key_value", REPEATED, leaf("key", kind), leaf("value", kind))
        values = [{"key_value": [{"key": k, "value": k} for k in keys]}, {"key_value": []}]
        yield from _recipe(f"map/key/{kind.name.lower()}", map_group("a", REQUIRED, middle), values, _MAPS)
    value = list_group("value", OPTIONAL, group("list", REPEATED, leaf("element", _INT)))
    middle = group("key_value", REPEATED, text("key"), value)
    lists = [{"list": [{"element": 1}, {"element": 2}]}, {"list": []}, None]
    values = [{"key_value": [{"key": b"%d" % n, "value": item} for n, item in enumerate(lists)]}, None]
    yield from _recipe("map/of-lists", map_group("a", OPTIONAL, middle), values, _MAPS)
    optional = group("key_value", REPEATED, text("key", OPTIONAL), leaf("value", _INT))
    values = [{"key_value": [{"key": b"a", "value": 1}]}, {"key_value": []}]
    reason = '"The key field must have repetition required"; much existing data has it optional'
    features = ("parquet/nesting/map-optional-key",)
    field = map_group("a", REQUIRED, optional)
    yield from _recipe("map/optional-key", field, values, _MAPS, features, either=reason)


def _repeated() -> Iterator[Recipe]:
    """Yield repeated fields without an annotation, which are required lists of required elements."""
    spec = "LogicalTypes.md, Nested Types"
    yield from _recipe("repeated/leaf", leaf("a", _INT, REPEATED), [[], [1], [1, 2, 3], []], spec)
    field = group("a", REPEATED, leaf("p", _INT), leaf("q", _INT, OPTIONAL))
    rows = [[], [{"p": 1, "q": None}], [{"p": 2, "q": 3}, {"p": 4, "q": 5}]]
    yield from _recipe("repeated/group", field, rows, spec)
    field = group("a", REPEATED, leaf("p", _INT, REPEATED))
    yield from _recipe("repeated/in-repeated", field, [[], [{"p": []}], [{"p": [1, 2]}, {"p": [3]}]], spec)
    field = group("a", OPTIONAL, leaf("p", _INT, REPEATED))
    yield from _recipe("repeated/in-optional", field, [None, {"p": []}, {"p": [1, 2]}], spec)
    shape = LogicalType(GEOMETRY=GeometryType())
    points = [struct.pack("<bidd", 1, 1, *at) for at in ((1.0, 2.0), (3.0, 4.0))]
    field = leaf("a", Type.BYTE_ARRAY, REPEATED, logicalType=shape)
    yield from _recipe("repeated/geometry", field, [[], points[:1], points], spec)


def _is_one(*path: str) -> Query:
    return Filter(Compare(path, "=", tagged.integer(32), "1"))


def _names() -> Iterator[Recipe]:
    """Yield names with a special meaning in other systems."""
    names = {
        "space": "a b",
        "dot": "a.b",
        "comma": "a,b;{}()=",
        "backtick": "`a`",
        "quote": '"a"',
        "slash": "a/b",
        "non-ascii": "größe",
        "cjk": "日本語",
        "astral": "𝄞",
        "keyword": "select",
        "digit": "1",
        "underscore": "_metadata",
        "percent": "a%20b",
        "pattern": "^a$",
        "star": "*",
        "long": "n" * 300,
        "empty": "",
    }
    spec = "parquet.thrift, SchemaElement.name"
    for name, column in names.items():
        plan = FilePlan(schema(leaf(column, _INT), leaf("z", _INT)), ({column: 1, "z": 2},))
        yield Recipe(f"schema/name/{name}", plan, spec, queries=(_is_one(column),))
        plan = FilePlan(schema(group("s", OPTIONAL, leaf(column, _INT))), ({"s": {column: 1}}, {"s": None}))
        yield Recipe(f"schema/name-in-struct/{name}", plan, spec, queries=(_is_one("s", column),))
    plan = FilePlan(schema(leaf("a", _INT), leaf("A", _INT)), ({"a": 1, "A": 2},))
    reason = "names differ in case only; systems that do not tell case apart cannot show both"
    yield Recipe("schema/name/differs-in-case", plan, spec, level="MAY", either=reason)
    plan = FilePlan(
        schema(leaf("a", _INT), group("b", REQUIRED, leaf("a", _INT))), ({"a": 1, "b": {"a": 2}},)
    )
    yield Recipe("schema/name/same-in-struct", plan, spec)
    dotted = schema(leaf("a.b", _INT), group("a", REQUIRED, leaf("b", _INT)))
    plan = FilePlan(dotted, ({"a.b": 1, "a": {"b": 2}},))
    yield Recipe("schema/name/dot-or-path", plan, spec)


def _others() -> Iterator[Recipe]:
    """Yield other roots, field ids, many columns, and no columns."""
    root = "parquet.thrift, FileMetaData.schema"
    for name in ("", "m", "root", "spark_schema", "größe"):
        plan = FilePlan(schema(leaf("x", _INT), name=name), ({"x": 1},))
        yield Recipe(f"schema/root/name-{name.encode().hex() or 'empty'}", plan, root)
    for repetition in (REQUIRED, OPTIONAL, REPEATED):
        first = SchemaElement(name="schema", num_children=1, repetition_type=repetition)
        plan = FilePlan((first, *leaf("x", _INT)), ({"x": 1},))
        notes = "the root has no repetition_type; some writers give it one, which means nothing"
        yield Recipe(f"schema/root/{repetition.name.lower()}", plan, root, notes=notes)
    spec = "parquet.thrift, SchemaElement.field_id"
    for name, ids in {
        "rising": (1, 2),
        "zero": (0, 1),
        "negative": (-1, -2),
        "large": (2**31 - 1, 5),
    }.items():
        fields = (leaf("x", _INT, field_id=ids[0]), leaf("y", _INT, field_id=ids[1]))
        yield Recipe(f"schema/field-id/{name}", FilePlan(schema(*fields), ({"x": 1, "y": 2},)), spec)
    many = schema(*(leaf(f"c{n}", _INT, n % 2) for n in range(60)))
    row = {f"c{n}": None if n % 4 == 1 else n for n in range(60)}
    yield Recipe("schema/columns-60", FilePlan(many, (row,)), root)
    plan = FilePlan((SchemaElement(name="schema", num_children=0),), (), row_groups=())
    yield Recipe("schema/no-columns", plan, root, features=("parquet/file/zero-columns",))
    deep = group("s", OPTIONAL, leaf("x", _INT), leaf("y", _INT, OPTIONAL))
    rows = ({"s": None, "z": 1}, {"s": {"x": 2, "y": None}, "z": None}, {"s": {"x": 3, "y": 4}, "z": 5})
    plan = FilePlan(schema(deep, leaf("z", _INT, OPTIONAL)), rows)
    yield Recipe("schema/struct-of-two", plan, "LogicalTypes.md, Nested Types")
