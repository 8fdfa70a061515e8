"""Schemas, as the flattened list of a footer: mostly flat, and of every nested form that is legal.

The first column is always `row`, a required INT32 with the ordinal of its row, so that a lost row can be
identified.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from hypothesis import strategies as st

from corpora.build.variants import elements as variant_group
from properties.strategies import kinds, variants
from properties.strategies.chances import choice, one_in
from reference_impl.parquet.schema import (
    ConvertedType,
    Empty,
    FieldRepetitionType,
    LogicalType,
    SchemaElement,
    Type,
)
from reference_impl.variant.shredding import V1, Level

Elements = list[SchemaElement]
Schema = tuple[SchemaElement, ...]
REQUIRED, OPTIONAL, REPEATED = FieldRepetitionType
MAX_DEPTH = 3
NAMES = ("a", "b", "c", "d", "e", "f", "g", "h")
# Names in families that readers take wrongly for different reasons, each family alike often.
ODD_NAMES = (
    ("a b", "a,b", "a.b", "^a$", "*"),
    ("ü", "列", "😀"),
    ("_1", "1", "x" * 130),
    ("select", "list", "key"),
    ("Ab", "A", "ROW"),  # two in another case than another column's
    ("", "a ", " a", "a\n", "\t", "\x01"),
)


HERE = "\0"  # stands for a top-level field's name, until its place is known
ROW = SchemaElement(name="row", repetition_type=REQUIRED, type=Type.INT32)


@st.composite
def fields(draw: st.DrawFn, feature: str = "") -> Elements:
    """Return a top-level field named HERE, and the fields below it; `feature` is a key of OF_FEATURES."""
    if feature:
        return OF_FEATURES[feature](draw, HERE)
    depth = choice(draw, [*[0] * 8, 1, 2, MAX_DEPTH])
    return _field(draw, HERE, depth)


def schema(
    top_fields: Sequence[Elements],
    root: str = "schema",
    *,
    numbered: Callable[[int], int | None] | None = None,
    odd: Sequence[str] = (),
) -> Schema:
    """Return the schema of these fields behind `row`.

    Fields are named by their place; `odd` are names of the first. `numbered` returns the id of the field with
    a number, from 1, None for none; without it, no field has an id.
    """
    names = [*odd, *NAMES, *(f"n{number}" for number in range(len(top_fields)))]
    named = [replace(ROW)]
    for name, elements in zip(names, top_fields, strict=False):
        named += [replace(element, name=element.name.replace(HERE, name)) for element in elements]
    if numbered:
        named = [replace(element, field_id=numbered(number)) for number, element in enumerate(named, 1)]
    return (SchemaElement(name=root, num_children=len(top_fields) + 1), *named)


def roots() -> st.SearchStrategy[str]:
    """Return names of the root, which have no meaning."""
    return st.sampled_from(["schema", "spark_schema", "root", "m"])


def leaf(name: str, repetition: FieldRepetitionType, kind: kinds.LeafKind) -> Elements:
    """Return a column."""
    if kind in kinds.UNKNOWN and repetition != OPTIONAL:  # "values are always null"
        kind = kinds.LeafKind(kind.type, kind.type_length)
    return [SchemaElement(name=name, repetition_type=repetition, **kind._asdict())]


def list_of(
    name: str, repetition: FieldRepetitionType, element: FieldRepetitionType, kind: kinds.LeafKind
) -> Elements:
    """Return a list of three levels, as writers of today name them."""
    middle = _group("list", REPEATED, [leaf("element", element, kind)])
    return _group(name, repetition, [middle], ConvertedType.LIST, LogicalType(LIST=Empty()))


def struct_of(name: str, repetition: FieldRepetitionType, fields: list[Elements]) -> Elements:
    """Return a struct."""
    return _group(name, repetition, fields)


def list_of_structs(name: str, repetition: FieldRepetitionType, fields: list[Elements]) -> Elements:
    """Return a list of structs of three levels, as writers of today name them."""
    middle = _group("list", REPEATED, [_group("element", OPTIONAL, fields)])
    return _group(name, repetition, [middle], ConvertedType.LIST, LogicalType(LIST=Empty()))


def _group(
    name: str,
    repetition: FieldRepetitionType,
    children: list[Elements],
    converted: ConvertedType | None = None,
    logical: LogicalType | None = None,
) -> Elements:
    head = SchemaElement(
        name=name,
        repetition_type=repetition,
        num_children=len(children),
        converted_type=converted,
        logicalType=logical,
    )
    return [head, *(element for child in children for element in child)]


def _repetition(draw: st.DrawFn) -> FieldRepetitionType:
    return choice(draw, [OPTIONAL, REQUIRED, OPTIONAL])


def _field(draw: st.DrawFn, name: str, depth: int) -> Elements:
    """Return a field, required or optional or repeated, `depth` groups deep at most."""
    if depth == 0:
        return leaf(name, _repetition(draw), draw(kinds.kinds()))
    return choice(draw, _FORMS)(draw, name, depth)


def _inner(draw: st.DrawFn, name: str, depth: int) -> Elements:
    return _field(draw, name, choice(draw, [0, 0, depth - 1]))


def _fields(draw: st.DrawFn, depth: int) -> list[Elements]:
    count = choice(draw, [1, 2, 3])
    return [_inner(draw, name, depth) for name in NAMES[:count]]


def _struct(draw: st.DrawFn, name: str, depth: int) -> Elements:
    return _group(name, _repetition(draw), _fields(draw, depth))


def structs(draw: st.DrawFn, name: str, depth: int) -> Elements:
    """Return a struct within a struct, `depth` of them, each beside a column or two."""
    inner = [
        leaf(field, _repetition(draw), draw(kinds.kinds())) for field in choice(draw, (NAMES[:1], NAMES[:2]))
    ]
    below = [structs(draw, "s", depth - 1)] if depth > 1 else []
    return _group(name, _repetition(draw), [*inner, *below])


def _annotated(draw: st.DrawFn, name: str, repeated: Elements, which: str) -> Elements:
    """Return a LIST or MAP group around its repeated field, annotated as today or as old writers did."""
    logical = LogicalType(MAP=Empty()) if which == "MAP" else LogicalType(LIST=Empty())
    converted = ConvertedType[which]
    ways = [(converted, logical), (converted, None)]
    # If the repeated group has MAP_KEY_VALUE too, it is ambiguous which of the two groups is the map.
    if which == "MAP" and repeated[0].converted_type is None:
        # "a group annotated with MAP_KEY_VALUE that is not contained by a MAP-annotated group should be
        # handled as a MAP-annotated group"
        ways.append((ConvertedType.MAP_KEY_VALUE, None))
    return _group(name, _repetition(draw), [repeated], *choice(draw, ways))


def _list(draw: st.DrawFn, name: str, depth: int) -> Elements:
    """Return a list of three levels; names of its inner levels are free, but for those of rule 4."""
    middle, element = choice(
        draw, [("list", "element"), ("bag", "array_element"), ("list", "item"), ("element", "list")]
    )
    inner = _inner(draw, element, depth)
    return _annotated(draw, name, _group(middle, REPEATED, [inner]), "LIST")


def _list_of_leaves(draw: st.DrawFn, name: str, _depth: int) -> Elements:
    """Return rule 1: the repeated field is not a group, so its type is the element type."""
    inner = choice(draw, ["element", "array", "list"])
    return _annotated(draw, name, leaf(inner, REPEATED, draw(kinds.kinds())), "LIST")


def _list_of_structs(draw: st.DrawFn, name: str, depth: int) -> Elements:
    """Return rule 2: the repeated field is a group with multiple fields, so its type is the element type."""
    middle = choice(draw, ["element", "array", "list", f"{name}_tuple"])
    fields = [_inner(draw, field, depth) for field in ("x", "y")]
    return _annotated(draw, name, _group(middle, REPEATED, fields), "LIST")


def _list_of_lists(draw: st.DrawFn, name: str, _depth: int) -> Elements:
    """Return rule 3: the repeated field is a group with one repeated field, and is the element."""
    inner = leaf("x", REPEATED, draw(kinds.kinds()))
    return _annotated(draw, name, _group("list", REPEATED, [inner]), "LIST")


def _list_by_name(draw: st.DrawFn, name: str, depth: int) -> Elements:
    """Return rule 4: one field in a group named `array` or `NAME_tuple` still is a struct, the element."""
    middle = choice(draw, ["array", f"{name}_tuple"])
    return _annotated(draw, name, _group(middle, REPEATED, [_inner(draw, "x", depth)]), "LIST")


def _repeated(draw: st.DrawFn, name: str, depth: int) -> Elements:
    """Return a repeated field outside of LIST and MAP: "a required list of required elements"."""
    if draw(st.booleans()):
        return leaf(name, REPEATED, draw(kinds.kinds()))
    return _group(name, REPEATED, _fields(draw, depth))


def _map(draw: st.DrawFn, name: str, depth: int) -> Elements:
    """Return a map with keys as most maps have them."""
    return map_of(draw, name, depth)


def map_of(draw: st.DrawFn, name: str, depth: int, *, rare: bool = False) -> Elements:
    """Return a map under new or old names, with a value of any type or without a value.

    `rare`: its keys are of each type alike often.
    """
    middle, key, value = choice(
        draw, [("key_value", "key", "value"), ("map", "key", "value"), ("entries", "k", "v")]
    )
    fields = [leaf(key, REQUIRED, draw(kinds.keys(rare=rare)))]
    if one_in(draw, 16):  # LogicalTypes.md restricts the repetition of a key alone
        fields = [
            _group(
                key,
                REQUIRED,
                [leaf("p", REQUIRED, draw(kinds.keys())), leaf("q", OPTIONAL, choice(draw, kinds.KEYS))],
            )
        ]
    if not one_in(draw, 4):
        value_field = _inner(draw, value, depth)
        if value_field[0].repetition_type == REPEATED:  # "This field can be required, optional, or omitted"
            value_field[0].repetition_type = OPTIONAL
        fields.append(value_field)
    converted = choice(draw, [None, None, ConvertedType.MAP_KEY_VALUE])
    return _annotated(draw, name, _group(middle, REPEATED, fields, converted), "MAP")


def _variant(draw: st.DrawFn, name: str, _depth: int) -> Elements:
    """Return a Variant, in half of the cases shredded."""
    return _unshredded(draw, name) if draw(st.booleans()) else _shredded(draw, name)


def _unshredded(draw: st.DrawFn, name: str) -> Elements:
    return list(variant_group(name, _repetition(draw), Level()))


def _shredded(draw: st.DrawFn, name: str) -> Elements:
    level = draw(variants.shreddings(V1, leaves=3).filter(lambda level: level != Level()))
    return list(variant_group(name, _repetition(draw), level))


# Fields with a feature that few sheets would have by chance.
OF_FEATURES: dict[str, Callable[[st.DrawFn, str], Elements]] = {
    "parquet/logical/variant": lambda draw, name: _variant(draw, name, 1),
    "parquet/variant/shredded": _shredded,
    "parquet/variant/unshredded": _unshredded,
}
_FORMS: tuple[Callable[[st.DrawFn, str, int], Elements], ...] = (
    _struct,
    _list,
    _struct,
    _list,
    _map,
    _list_of_leaves,
    _list_of_structs,
    _list_of_lists,
    _list_by_name,
    _repeated,
    _repeated,
    _variant,
    _variant,
)
