"""Bugs in nested values: README.md, "Nested Encoding", and LogicalTypes.md, "Nested Types"."""

from __future__ import annotations

from harness.investigate.selftest.plant import Plant

_LEVELS = "reference_impl.parquet.levels"
_SHAPE = "reference_impl.parquet.shape"
_LISTS = "LogicalTypes.md, Lists"
_LIST = "    return ListShape(\n        node.name,\n        node.definition_level,\n        repeated."

PLANTS = (
    Plant(
        "list-empty-as-null",
        "an empty list is null",
        _LISTS,
        _SHAPE,
        _LIST,
        _LIST.replace("node.definition_level", "repeated.definition_level"),
    ),
    Plant(
        "list-null-as-empty",
        "a null list is empty",
        _LISTS,
        _SHAPE,
        _LIST,
        _LIST.replace("node.definition_level", "0"),
    ),
    Plant(
        "struct-null-lost",
        "a null struct is a struct of nulls",
        "README.md, Nested Encoding",
        _SHAPE,
        "return StructShape(node.name, node.definition_level,",
        "return StructShape(node.name, 0,",
    ),
    Plant(
        "struct-null-by-child",
        "a struct whose first field is null is null",
        "README.md, Nested Encoding",
        _SHAPE,
        "return StructShape(node.name, node.definition_level,",
        "return StructShape(node.name, node.definition_level + (node.children[0].repetition == 1),",
    ),
    Plant(
        "list-rule-2",
        "a repeated group of two fields is no element",
        _LISTS,
        _SHAPE,
        "len(repeated.children) > 1  # rule 2",
        "len(repeated.children) > 2  # rule 2",
    ),
    Plant(
        "list-rule-3",
        "a repeated group with one repeated field is no element",
        _LISTS,
        _SHAPE,
        "or repeated.children[0].repetition == REPEATED  # rule 3",
        "# rule 3",
    ),
    Plant(
        "list-rule-4",
        "a repeated group named after its list with _tuple is no element",
        _LISTS,
        _SHAPE,
        'in ("array", outer.name + "_tuple")',
        'in ("array",)',
    ),
    Plant(
        "list-rule-4-always",
        "a repeated group of one field is always an element",
        _LISTS,
        _SHAPE,
        'or repeated.name in ("array", outer.name + "_tuple")',
        'or repeated.name != "list"',
    ),
    Plant(
        "repeated-empty-as-null",
        "a repeated field without values is a null list",
        _LISTS,
        _SHAPE,
        "            node.definition_level - 1,\n",
        "            node.definition_level,\n",
    ),
    Plant(
        "map-null-as-empty",
        "a null map is empty",
        "LogicalTypes.md, Maps",
        _SHAPE,
        "        node.definition_level,\n        entry.definition_level,",
        "        0,\n        entry.definition_level,",
    ),
    Plant(
        "map-by-names",
        "key and value of a map are told by the alphabet",
        "LogicalTypes.md, Maps",
        _SHAPE,
        "[shape_of(child) for child in entry.children]",
        "[shape_of(child) for child in sorted(entry.children, key=lambda child: child.name)]",
    ),
    Plant(
        "map-key-value-forgotten",
        "a group annotated MAP_KEY_VALUE alone is no map",
        "LogicalTypes.md, Maps",
        _SHAPE,
        '_MAPS = ("MAP", "MAP_KEY_VALUE")',
        '_MAPS = ("MAP",)',
    ),
    Plant(
        "inner-list-first-element",
        "the first element of a list that begins with an outer list or row is lost",
        "README.md, Nested Encoding",
        _LEVELS,
        "(data.repetition <= shape.repetition)",
        "((data.repetition == shape.repetition) | (shape.repetition < 2))",
    ),
    Plant(
        "undefined-element",
        "an empty list inside of a list has an element",
        "README.md, Nested Encoding",
        _LEVELS,
        "& (data.definition >= shape.element_defined)",
        "& (data.definition >= shape.element_defined - (shape.repetition > 1))",
    ),
    Plant(
        "struct-validity-of-level",
        "a field of a struct is null where the struct's own level says no more than that it is there",
        "README.md, Nested Encoding",
        _LEVELS,
        "valid = (definition if at is None else definition[at]) >= defined",
        "valid = (definition if at is None else definition[at]) >= min(defined, 2)",
    ),
)
