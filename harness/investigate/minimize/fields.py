"""Optional fields of structs, by their tables: which are there, and structs without some of them."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeVar

from reference_impl.wire.table import Struct, table_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

S = TypeVar("S", bound=Struct)
Path = tuple[str | int, ...]
Kind = tuple[str, str]
UNKNOWN = "unknown"

__all__ = ["Kind", "Path", "Struct", "as_", "dropped", "kinds", "optional", "without_kinds"]


def as_(struct: Struct, like: S) -> S:
    """Return a struct as what it is: one of the type of `like`."""
    if not isinstance(struct, type(like)):
        raise TypeError(f"{type(struct).__name__} is no {type(like).__name__}")
    return struct


def optional(struct: Struct) -> Iterator[Path]:
    """Yield the paths of optional fields that are set, outer before inner, and elements of such lists.

    Fields that no table knows are one, called `unknown`. The fields of a union are not optional.
    """
    table = table_of(type(struct))
    if struct.unknown:
        yield (UNKNOWN,)
    for row in table.rows:
        value = getattr(struct, row.name)
        if value is None or value == ():
            continue
        if not row.required and not table.is_union:
            yield (row.name,)
        if isinstance(value, Struct):
            yield from ((row.name, *path) for path in optional(value))
        elif isinstance(value, (list, tuple)):
            yield from _elements(row.name, value, required=row.required)


def _elements(name: str, values: Sequence[Any], *, required: bool) -> Iterator[Path]:
    for at, one in enumerate(values):
        if not required:
            yield (name, at)
        if isinstance(one, Struct):
            yield from ((name, at, *path) for path in optional(one))


def dropped(structs: Sequence[Struct], gone: Sequence[tuple[int, Path]]) -> list[Struct]:
    """Return structs without fields, each named by the number of its struct and its path."""
    paths: dict[int, list[Path]] = {}
    for number, path in gone:
        paths.setdefault(number, []).append(path)
    return [without(one, paths[at]) if at in paths else one for at, one in enumerate(structs)]


def without(struct: S, paths: Sequence[Path]) -> S:
    """Return a struct without the fields, or elements of lists, at these paths."""
    by_field: dict[str, list[Path]] = {}
    for name, *rest in paths:
        by_field.setdefault(str(name), []).append(tuple(rest))
    changed = {name: _without(getattr(struct, name), rests) for name, rests in by_field.items()}
    return replace(struct, **changed)


def _without(value: Any, rests: list[Path]) -> Any:
    if () in rests:
        return () if isinstance(value, tuple) else None
    if isinstance(value, Struct):
        return without(value, rests)
    gone = {rest[0] for rest in rests if len(rest) == 1}
    inner: dict[int, list[Path]] = {}
    for at, *rest in rests:
        if rest:
            inner.setdefault(int(at), []).append(tuple(rest))
    kept = [without(one, inner[at]) if at in inner else one for at, one in enumerate(value) if at not in gone]
    return type(value)(kept)


def kinds(structs: Sequence[Struct]) -> list[Kind]:
    """Return the kinds of optional fields that are set: struct and field, in the order of their first one."""
    found: dict[Kind, None] = {}
    for struct in structs:
        found.update(dict.fromkeys(_kinds(struct)))
    return list(found)


def _kinds(struct: Struct) -> Iterator[Kind]:
    table = table_of(type(struct))
    name = type(struct).__name__
    if struct.unknown:
        yield name, UNKNOWN
    for row in table.rows:
        value = getattr(struct, row.name)
        if value is None or value == ():
            continue
        if not row.required and not table.is_union:
            yield name, row.name
        for one in value if isinstance(value, (list, tuple)) else (value,):
            if isinstance(one, Struct):
                yield from _kinds(one)


def without_kinds(struct: S, gone: set[Kind]) -> S:
    """Return a struct without any field of these kinds, in itself or in what it holds."""
    table = table_of(type(struct))
    name = type(struct).__name__
    changed: dict[str, Any] = {UNKNOWN: ()} if (name, UNKNOWN) in gone else {}
    for row in table.rows:
        value = getattr(struct, row.name)
        if (name, row.name) in gone and not row.required and not table.is_union:
            changed[row.name] = () if isinstance(value, tuple) else None
        elif isinstance(value, Struct):
            changed[row.name] = without_kinds(value, gone)
        elif isinstance(value, (list, tuple)):
            changed[row.name] = type(value)(
                without_kinds(one, gone) if isinstance(one, Struct) else one for one in value
            )
    return replace(struct, **changed)
