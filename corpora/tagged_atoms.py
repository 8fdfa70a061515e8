"""Values of types without children, at any depth of the columns of a table."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from corpora.tagged import Table, Type, Value


def any_atom(table: Table, of: Callable[[Type], bool], test: Callable[[Type, Value], bool]) -> bool:
    """Return whether the test holds for any value, null excepted, of the types of a table without children.

    `of` says which of these types are tested, at any depth; columns without such a type are not looked at.
    """

    def inside(type_: Type) -> bool:
        return any(inside(child.type) for child in type_.children) if type_.children else of(type_)

    columns = [(number, column.type) for number, column in enumerate(table.columns) if inside(column.type)]
    return bool(columns) and any(
        test(atom_type, atom)
        for block in table.blocks()
        for number, type_ in columns
        for value in block[number]
        for atom_type, atom in _atoms(type_, value)
        if of(atom_type)
    )


def _atoms(type_: Type, value: Value) -> Iterator[tuple[Type, Value]]:
    """Yield the values of types without children that a value holds, or is, null excepted."""
    if value is None:
        return
    if not type_.children or not isinstance(value, list):
        yield type_, value
        return
    types = [child.type for child in type_.children]
    if type_.kind == "list":
        held = [(types[0], element) for element in value]
    elif type_.kind == "map":
        held = [pair for entry in value for pair in zip(types, entry, strict=True)]
    elif type_.kind == "union":
        held = [(types[int(value[0])], value[1])]
    else:
        held = list(zip(types, value, strict=True))
    for inner_type, inner in held:
        yield from _atoms(inner_type, inner)
