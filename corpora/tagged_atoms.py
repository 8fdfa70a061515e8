"""Values at any depth of the columns of a table, in columns, each with its type."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator
from itertools import chain
from typing import Any

from corpora.tagged import Table, Type, Value


def any_atom(table: Table, of: Callable[[Type], bool], test: Callable[[Type, str], bool]) -> bool:
    """Return whether the test holds for any value in the form of a string of the types without children.

    `of` says which of these types are tested, at any depth; columns without such a type are not looked at.
    """
    columns = columns_of(table, lambda type_: not type_.children and of(type_))
    return any(test(type_, value) for type_, values in columns for value in distinct(values))


def distinct(values: Iterable[Value]) -> set[str]:
    """Return each string once; text and bytes that are too long to be kept are left out."""
    return {value for value in values if isinstance(value, str)}


def columns_of(
    table: Table, of: Callable[[Type], bool], names: Collection[str] | None = None
) -> Iterator[tuple[Type, list[Value]]]:
    """Yield the values of the types that `of` selects, at any depth, null among them.

    Only the named columns are looked at, None for all.

    Each block of the table yields a list for each such type that it reaches; columns without one are not
    looked at.
    """

    def inside(type_: Type) -> bool:
        return of(type_) or any(inside(child.type) for child in type_.children)

    columns = [
        (number, column.type)
        for number, column in enumerate(table.columns)
        if (names is None or column.name in names) and inside(column.type)
    ]
    for block in table.blocks() if columns else ():
        for number, type_ in columns:
            yield from _below(type_, list(block[number]), of, inside)


def _below(
    type_: Type, values: list[Value], of: Callable[[Type], bool], inside: Callable[[Type], bool]
) -> Iterator[tuple[Type, list[Value]]]:
    """Yield the values of a type, and those that they hold."""
    if of(type_):
        yield type_, values
    if not any(inside(child.type) for child in type_.children):
        return
    held = [value for value in values if isinstance(value, list)]
    for child, column in zip(type_.children, _children(type_, held), strict=True):
        if inside(child.type):
            yield from _below(child.type, list(column), of, inside)


def _children(type_: Type, held: list[list[Any]]) -> Iterable[Iterable[Value]]:
    """Return the values of each child of a type, of values that are not null."""
    if type_.kind == "union":
        branches = range(len(type_.children))
        return ([value for branch, value in held if int(branch) == number] for number in branches)
    # The tagged forms of the others are elements, entries, and fields in the order of the type.
    rows = list(chain.from_iterable(held)) if type_.kind in {"list", "map"} else held
    if type_.kind == "list":
        return (rows,)
    return zip(*rows, strict=True) if rows else ([] for _ in type_.children)
