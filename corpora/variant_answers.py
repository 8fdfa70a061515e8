"""Results of queries on a column of Variants: values under a path, casts to a type, schemas.

Standard library only, Python 3.9.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from corpora.constants import QueryError
from corpora.evaluation import resolve
from corpora.predicates import show_path
from corpora.tagged import Table, Type, Value
from corpora.variant_paths import Step, follow
from corpora.variant_types import cast, schema_of


def extracted(table: Table, path: tuple[str, ...], steps: tuple[Step, ...]) -> list[Value]:
    """Return the Variants under `steps`, with the metadata of the whole Variant; None where a path ends.

    All functions of this module raise QueryError for another column, and for bytes that are not a Variant.
    """

    def held(metadata: bytes, value: bytes) -> Value:
        part = follow(metadata, value, steps)
        return None if part is None else [metadata.hex(), part.hex()]

    return _each(table, path, held)


def casts(table: Table, path: tuple[str, ...], steps: tuple[Step, ...], type_: Type) -> list[Value]:
    """Return the values under `steps` cast to a type, None where a path ends.

    Raises QueryError also for a value of another kind.
    """

    def held(metadata: bytes, value: bytes) -> Value:
        part = follow(metadata, value, steps)
        return None if part is None else cast(part, type_)

    return _each(table, path, held)


def schemas(table: Table, path: tuple[str, ...]) -> list[Value]:
    """Return the schema of each Variant; raises QueryError also for a Variant without a schema."""
    return _each(table, path, schema_of)


def _each(table: Table, path: tuple[str, ...], of: Callable[[bytes, bytes], Value]) -> list[Value]:
    type_, _ = resolve(path, table.columns, [[] for _ in table.columns])
    if type_.kind != "variant":
        raise QueryError(f"{show_path(path)} is of type {type_}, not a Variant")
    try:
        return [None if value is None else of(*map(bytes.fromhex, value)) for value in _values(table, path)]
    except ValueError as error:
        raise QueryError(f"not a Variant, or not one for this query: {error}") from error


def _values(table: Table, path: tuple[str, ...]) -> Iterator[Any]:
    for block in table.blocks():
        yield from resolve(path, table.columns, block)[1]
