"""What is answered of a column of Variants: what each holds under a path, a value of a type, its schema.

Standard library only, Python 3.9.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from corpora.constants import QueryError
from corpora.predicates import resolve, show_path
from corpora.variant_paths import follow
from corpora.variant_types import cast, schema_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from corpora.tagged import Table, Type, Value
    from corpora.variant_paths import Step


def extracted(table: Table, path: tuple[str, ...], steps: tuple[Step, ...]) -> list[Value]:
    """Return the Variants under `steps`, each with the metadata of the whole; None where there is nothing.

    Raises QueryError for another column, and for bytes that are no Variant; so do the others.
    """

    def held(metadata: bytes, value: bytes) -> Value:
        found = follow(metadata, value, steps)
        return None if found is None else [metadata.hex(), found.hex()]

    return _each(table, path, held)


def casts(table: Table, path: tuple[str, ...], steps: tuple[Step, ...], type_: Type) -> list[Value]:
    """Return what is held under `steps` as values of a type, None where there is nothing.

    Raises QueryError, too, where a value is of another kind.
    """

    def held(metadata: bytes, value: bytes) -> Value:
        found = follow(metadata, value, steps)
        return None if found is None else cast(found, type_)

    return _each(table, path, held)


def schemas(table: Table, path: tuple[str, ...]) -> list[Value]:
    """Return the schema of each Variant; raises QueryError, too, for one that has none."""
    return _each(table, path, schema_of)


def _each(table: Table, path: tuple[str, ...], of: Callable[[bytes, bytes], Value]) -> list[Value]:
    type_, _ = resolve(path, table.columns, [[] for _ in table.columns])
    if type_.kind != "variant":
        raise QueryError(f"{show_path(path)} is of type {type_}, not a Variant")
    try:
        return [None if value is None else of(*map(bytes.fromhex, value)) for value in _values(table, path)]
    except ValueError as error:
        raise QueryError(f"no Variant, or none that can be asked so: {error}") from error


def _values(table: Table, path: tuple[str, ...]) -> Iterator[Any]:
    for block in table.blocks():
        yield from resolve(path, table.columns, block)[1]
