"""Equivalences of nested types and of columns of nulls, with their rewrites; see `rewrites.py`."""

from __future__ import annotations

from corpora import tagged
from corpora.tagged import Type, Value
from harness.judging.rewrites import Equivalence, Rewrite, Same, nan_form, nothing, same, when

_CONTAINERS = ("list", "map", "struct")
_TEXTS = ("string", "enum", "json")

null_as_any = when(lambda expected, actual: expected.kind == "null" and actual.kind != "null")
any_as_null = when(lambda expected, actual: actual.kind == "null" and expected.kind != "null")


def variant_as_struct(expected: Type, actual: Type) -> Rewrite | None:
    """Return a variant as the group of its two binaries (VariantEncoding.md)."""
    if expected.kind != "variant" or actual.kind != "struct":
        return None
    names = [child.name for child in actual.children]
    if sorted(names) != ["metadata", "value"]:
        return None
    flip = names[0] == "value"

    def convert(value: Value) -> Value:
        assert isinstance(value, list)
        return value[::-1] if flip else value

    return Rewrite(tagged.struct_of((name, tagged.BYTES) for name in names), convert)


def struct_as_variant(expected: Type, actual: Type) -> Rewrite | None:
    """Return a group of the two binaries of a variant, in any order, as the variant."""
    names = [child.name for child in expected.children]
    if actual.kind != "variant" or expected.kind != "struct" or sorted(names) != ["metadata", "value"]:
        return None
    if any(child.type.kind != "bytes" for child in expected.children):
        return None
    flip = names[0] == "value"

    def convert(value: Value) -> Value:
        assert isinstance(value, list)
        return value[::-1] if flip else value

    return Rewrite(actual, convert)


def map_as_structs(expected: Type, actual: Type) -> Rewrite | None:
    """Return a map as the list of its entries, whose fields may have any names (LogicalTypes.md, Maps)."""
    if expected.kind != "map" or actual.kind != "list":
        return None
    element = actual.children[0].type
    names = [child.name for child in element.children]
    if element.kind != "struct" or len(names) != 2 or names == ["value", "key"]:
        return None
    types = [child.type for child in expected.children]
    key = types[0]
    if types[1] == tagged.NULL and key.kind == "struct" and [field.name for field in key.children] == names:
        return None  # a list of the keys
    return Rewrite(tagged.list_of(tagged.struct_of(zip(names, types, strict=True))), same)


def map_as_keys(expected: Type, actual: Type) -> Rewrite | None:
    """Return a map without values as the list of its keys."""
    if expected.kind != "map" or actual.kind != "list" or expected.children[1].type != tagged.NULL:
        return None

    def convert(value: Value) -> Value:
        assert isinstance(value, list)
        return [key for key, _ in value]

    return Rewrite(tagged.list_of(expected.children[0].type), convert)


def fields_numbered(expected: Type, actual: Type) -> Rewrite | None:
    """Return a struct with the fields' numbers, from 1, as their names."""
    if not expected.kind == actual.kind == "struct":
        return None
    numbers = [str(number) for number in range(1, len(expected.children) + 1)]
    if [child.name for child in actual.children] != numbers:
        return None
    return Rewrite(
        tagged.struct_of(zip(numbers, (child.type for child in expected.children), strict=True)), same
    )


def last_wins(expected: Type, actual: Type) -> Rewrite | None:
    """Keep the last value of equal keys, NaN included, at the first key's place (LogicalTypes.md, Maps)."""
    if not expected.kind == actual.kind == "map":
        return None
    bits = expected.children[0].type.bits if expected.children[0].type.kind == "float" else None

    def convert(value: Value) -> Value:
        assert isinstance(value, list)
        forms = ((nan_form(key, bits) if bits else key, key, last) for key, last in value)
        return [list(pair) for pair in {repr(form): (key, last) for form, key, last in forms}.values()]

    return Rewrite(actual, convert)


def _null_containers(expected: Type, actual: Type) -> Same | None:
    """Return whether a container that is null may be what its type is by default."""
    if expected.kind == "variant" and actual.kind == "struct":  # the group that is stored
        return lambda _, value: is_empty(actual, value)
    if not expected.kind == actual.kind in _CONTAINERS:
        return None
    return lambda _, value: _is_default(actual, value)


def is_empty(type_: Type, value: Value) -> bool:
    """Return whether a value is null, a list without entries, or a struct of such values."""
    if isinstance(value, list) and type_.kind == "struct":
        return all(is_empty(child.type, each) for child, each in zip(type_.children, value, strict=True))
    return value is None or (value == [] and type_.kind == "list")


def _is_default(type_: Type, value: Value) -> bool:
    """Return whether a value is null or the default of its type: empty, zero, or a struct of such values."""
    if value is None or value is False:
        return True
    if isinstance(value, list):
        if type_.kind != "struct":
            return not value
        return all(_is_default(child.type, each) for child, each in zip(type_.children, value, strict=True))
    return value == "" or (isinstance(value, str) and type_.kind not in _TEXTS and not value.strip("0"))


EQUIVALENCES = (
    Equivalence(
        "null-as-any",
        "A column of UNKNOWN holds only nulls; an engine without such a type answers nulls of another"
        " (LogicalTypes.md, UNKNOWN).",
        null_as_any,
    ),
    Equivalence(
        "future-as-null",
        "An annotation that no revision of the format has: old parquet-cpp wrote 24 as the ConvertedType of"
        " columns of nulls (parquet-cpp, LogicalType::NA), and its readers answer a column of nulls.",
        any_as_null,
        formats=("parquet",),
    ),
    Equivalence(
        "variant-as-struct",
        "An engine without VARIANT answers the group of two binaries that carries it"
        " (VariantEncoding.md, Variant in Parquet).",
        variant_as_struct,
    ),
    Equivalence(
        "variant-of-spark",
        "Spark 4.0 wrote Variants without an annotation, which its own key of the file's metadata,"
        " org.apache.spark.sql.parquet.row.metadata, calls variant; Spark reads them by it.",
        struct_as_variant,
        formats=("parquet",),
    ),
    Equivalence(
        "map-as-list-of-structs",
        "An engine without maps answers the list of entries (Polars, Data types and structures).",
        map_as_structs,
    ),
    Equivalence(
        "map-as-list-of-keys",
        "A MAP without values is a set of keys (LogicalTypes.md, Maps: the value field may be left out);"
        " the list of keys says the same (Arrow C++, Reading and writing Parquet).",
        map_as_keys,
    ),
    Equivalence(
        "struct-fields-numbered",
        "The elements of Databend's tuples have numbers, from 1; the names are for access alone"
        " (Databend, Tuple, Access Elements).",
        fields_numbered,
    ),
    Equivalence(
        "duplicate-keys-last-wins",
        "Of pairs with the same key the last value counts, the others may be left out"
        " (LogicalTypes.md, Maps; pyorc answers a dict).",
        last_wins,
        both=True,
    ),
    Equivalence(
        "null-container-as-default",
        "Arrays, maps and tuples of ClickHouse are never null: a null becomes the type's default, which is"
        " empty or, of a tuple, the default of each element (ClickHouse, Nullable(T);"
        " input_format_null_as_default).",
        nothing,
        pair=_null_containers,
        of_null=True,
    ),
)
