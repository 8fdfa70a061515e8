"""Values at any depth of the columns of a table, each with its type."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from corpora.tagged import Table, Type, Value


def any_atom(table: Table, of: Callable[[Type], bool], test: Callable[[Type, Value], bool]) -> bool:
    """Return whether the test holds for any value, null excepted, of the types of a table without children.

    `of` says which of these types are tested, at any depth; columns without such a type are not looked at.
    """
    atoms = values_of(table, lambda type_: not type_.children and of(type_))
    return any(value is not None and test(type_, value) for type_, value in atoms)


def values_of(table: Table, of: Callable[[Type], bool]) -> Iterator[tuple[Type, Value]]:
    """Yield the values of the types that `of` selects, at any depth, null among them, each with its type.

    Columns without such a type are not looked at.
    """

    def inside(type_: Type) -> bool:
        return of(type_) or any(inside(child.type) for child in type_.children)

    columns = [(number, column.type) for number, column in enumerate(table.columns) if inside(column.type)]
    for block in table.blocks() if columns else ():
        for number, type_ in columns:
            for value in block[number]:
                yield from ((inner, held) for inner, held in _within(type_, value) if of(inner))


def _within(type_: Type, value: Value) -> Iterator[tuple[Type, Value]]:
    """Yield a value and all that it holds, each with its type."""
    yield type_, value
    if value is None or not type_.children or not isinstance(value, list):
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
        yield from _within(inner_type, inner)
