"""Optional fields of structs, which can be left out, and the names of a schema, which can be shorter."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterator, Sequence
from dataclasses import replace
from itertools import count, product
from string import ascii_lowercase
from typing import Any, TypeVar

from harness.investigate.minimize.reduction import Sites
from reference_impl.wire.table import Row, Struct, table_of

S = TypeVar("S", bound=Struct)
Path = tuple[str | int, ...]
FieldKind = tuple[str, str]
UNKNOWN = "unknown"

__all__ = ["Path", "Struct", "as_", "field_sites", "kind_sites", "optional"]


def as_(struct: Struct, like: S) -> S:
    """Return a struct, whose type must be that of `like`."""
    if not isinstance(struct, type(like)):
        raise TypeError(f"{type(struct).__name__} is no {type(like).__name__}")
    return struct


def optional(struct: Struct) -> Iterator[Path]:
    """Yield the paths of optional fields that are set, outer before inner, and elements of such lists.

    Fields that no table knows count as a field called `unknown`. The fields of a union are not optional.
    """
    if struct.unknown:
        yield (UNKNOWN,)
    for row, value, is_optional in _set_fields(struct):
        if is_optional:
            yield (row.name,)
        if isinstance(value, Struct):
            yield from ((row.name, *path) for path in optional(value))
        elif isinstance(value, (list, tuple)):
            yield from _elements(row.name, value, required=row.required)


def _set_fields(struct: Struct) -> Iterator[tuple[Row, Any, bool]]:
    """Yield the fields that are set: row of the table, value, and whether the field is optional."""
    table = table_of(type(struct))
    for row in table.rows:
        value = getattr(struct, row.name)
        if value is not None and value != ():
            yield row, value, not row.required and not table.is_union


def _elements(name: str, values: Sequence[Any], *, required: bool) -> Iterator[Path]:
    for at, element in enumerate(values):
        if not required:
            yield (name, at)
        if isinstance(element, Struct):
            yield from ((name, at, *path) for path in optional(element))


def dropped(structs: Sequence[Struct], gone: Sequence[tuple[int, Path]]) -> list[Struct]:
    """Return structs without fields, each named by the number of its struct and its path."""
    paths: dict[int, list[Path]] = {}
    for number, path in gone:
        paths.setdefault(number, []).append(path)
    return [without(struct, paths[at]) if at in paths else struct for at, struct in enumerate(structs)]


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
    remaining = [
        without(element, inner[at]) if at in inner else element
        for at, element in enumerate(value)
        if at not in gone
    ]
    return type(value)(remaining)


def kind_sites(
    structs: Sequence[Struct],
    rewritten: Callable[[list[Struct]], bytes],
    excluded: Container[FieldKind] = (),
) -> Sites:
    """Return kinds of optional fields as sites; `rewritten` returns the file of other structs."""
    candidates = [kind for kind in kinds(structs) if kind not in excluded]

    def reduced(start: int, stop: int) -> bytes:
        gone = set(candidates[start:stop])
        return rewritten([without_kinds(struct, gone) for struct in structs])

    return Sites(len(candidates), reduced)


def field_sites(
    structs: Sequence[Struct],
    rewritten: Callable[[list[Struct]], bytes],
    wanted: Callable[[Path], bool] = lambda _path: True,
) -> Sites:
    """Return optional fields as sites; `rewritten` returns the file of other structs."""
    paths = [
        (number, path) for number, struct in enumerate(structs) for path in optional(struct) if wanted(path)
    ]
    return Sites(len(paths), lambda start, stop: rewritten(dropped(structs, paths[start:stop])))


def kinds(structs: Sequence[Struct]) -> list[FieldKind]:
    """Return the kinds of optional fields that are set: struct and field, by first occurrence."""
    unique: dict[FieldKind, None] = {}
    for struct in structs:
        unique.update(dict.fromkeys(_kinds(struct)))
    return list(unique)


def _kinds(struct: Struct) -> Iterator[FieldKind]:
    name = type(struct).__name__
    if struct.unknown:
        yield name, UNKNOWN
    for row, value, is_optional in _set_fields(struct):
        if is_optional:
            yield name, row.name
        for element in value if isinstance(value, (list, tuple)) else (value,):
            if isinstance(element, Struct):
                yield from _kinds(element)


def without_kinds(struct: S, gone: set[FieldKind]) -> S:
    """Return a struct without any field of these kinds, in itself or in its fields."""
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
                without_kinds(element, gone) if isinstance(element, Struct) else element for element in value
            )
    return replace(struct, **changed)


def name_sites(
    names: Sequence[str], reserved: frozenset[str], renamed: Callable[[list[str]], bytes]
) -> Sites:
    """Return the names that can be shorter as sites; `renamed` returns the file with other names."""
    changes = short_names(names, reserved)
    return Sites(len(changes), lambda start, stop: renamed(applied(names, changes[start:stop])))


def short_names(names: Sequence[str], reserved: frozenset[str]) -> list[tuple[int, str]]:
    """Return the places of names that can be shorter, each with an unused short name."""
    taken = set(names) | reserved
    free = (candidate for candidate in _all() if candidate not in taken)
    changes = []
    for at, name in enumerate(names):
        if name not in reserved and len(name.encode("utf-8", "surrogateescape")) > 1:
            changes.append((at, next(free)))
    return [
        (at, name) for at, name in changes if len(name) < len(names[at].encode("utf-8", "surrogateescape"))
    ]


def applied(names: Sequence[str], changes: Sequence[tuple[int, str]]) -> list[str]:
    """Return names with some of them changed."""
    new = dict(changes)
    return [new.get(at, name) for at, name in enumerate(names)]


def _all() -> Iterator[str]:
    for length in count(1):
        yield from map("".join, product(ascii_lowercase, repeat=length))
