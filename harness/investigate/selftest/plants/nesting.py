"""Bugs in nested values: README.md, "Nested Encoding", and LogicalTypes.md, "Nested Types"."""

from __future__ import annotations

from functools import partial

from harness.investigate.selftest.plant import Plant

_SHAPE = "reference_impl.parquet.shape"
_LIST = "    return ListShape(\n        node.name,\n        node.definition_level,\n        repeated."
_list_shape = partial(Plant, module=_SHAPE, clause="LogicalTypes.md, Lists")
_shape = partial(Plant, module=_SHAPE)
_map_shape = partial(Plant, module=_SHAPE, clause="LogicalTypes.md, Maps")
_levels = partial(Plant, module="reference_impl.parquet.levels", clause="README.md, Nested Encoding")

PLANTS = (
    _list_shape(
        "list-empty-as-null",
        "an empty list is read as null",
        _LIST,
        _LIST.replace("node.definition_level", "repeated.definition_level"),
    ),
    _list_shape(
        "list-null-as-empty",
        "a null list is read as empty",
        _LIST,
        _LIST.replace("node.definition_level", "0"),
    ),
    _shape(
        "struct-null-lost",
        "a null struct is read as a struct of nulls",
        "return StructShape(node.name, node.definition_level,",
        "return StructShape(node.name, 0,",
        "README.md, Nested Encoding",
    ),
    _shape(
        "struct-null-by-child",
        "a struct whose first field is null is read as null",
        "return StructShape(node.name, node.definition_level,",
        "return StructShape(node.name, node.definition_level + (node.children[0].repetition == 1),",
        "README.md, Nested Encoding",
    ),
    _list_shape(
        "list-rule-2",
        "a repeated group of two fields is not taken as the element of its list",
        "len(repeated.children) > 1  # rule 2",
        "len(repeated.children) > 2  # rule 2",
    ),
    _list_shape(
        "list-rule-3",
        "a repeated group with one repeated field is not taken as the element of its list",
        "or repeated.children[0].repetition == REPEATED  # rule 3",
        "# rule 3",
    ),
    _list_shape(
        "list-rule-4",
        "a repeated group named <list>_tuple is not taken as the element of its list",
        'in ("array", outer.name + "_tuple")',
        'in ("array",)',
    ),
    _list_shape(
        "list-rule-4-always",
        "a repeated group of one field is taken as the element unless its name is list",
        'or repeated.name in ("array", outer.name + "_tuple")',
        'or repeated.name != "list"',
    ),
    _list_shape(
        "repeated-empty-as-null",
        "a repeated field without values is read as a null list",
        "            node.definition_level - 1,\n",
        "            node.definition_level,\n",
    ),
    _map_shape(
        "map-null-as-empty",
        "a null map is read as empty",
        "        node.definition_level,\n        entry.definition_level,",
        "        0,\n        entry.definition_level,",
    ),
    _map_shape(
        "map-by-names",
        "the alphabetically first field of a map is taken as its key",
        "[shape_of(child) for child in entry.children]",
        "[shape_of(child) for child in sorted(entry.children, key=lambda child: child.name)]",
    ),
    _map_shape(
        "map-key-value-forgotten",
        "a group annotated only as MAP_KEY_VALUE is not read as a map",
        '_MAPS = ("MAP", "MAP_KEY_VALUE")',
        '_MAPS = ("MAP",)',
    ),
    _levels(
        "inner-list-first-element",
        "the first element of an inner list is lost if an outer list or row begins there",
        "(data.repetition <= shape.repetition)",
        "((data.repetition == shape.repetition) | (shape.repetition < 2))",
    ),
    _levels(
        "undefined-element",
        "an empty list inside a list gets an element",
        "& (data.definition >= shape.element_defined)",
        "& (data.definition >= shape.element_defined - (shape.repetition > 1))",
    ),
    _levels(
        "struct-validity-of-level",
        "a value nested in three optional levels is read as present at definition level 2",
        "valid = (definition if at is None else definition[at]) >= defined",
        "valid = (definition if at is None else definition[at]) >= min(defined, 2)",
    ),
)
