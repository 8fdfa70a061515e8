"""Shared parts of writers: the source of an Arrow table, and of options for adapters and scripts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from corpora.tagged import Table
from harness.engines.scripts.nested import arrow_type, python, types_of

SMALL = 20  # rows of a page, or of a row index stride, of files that are `indexed`

Options = dict[str, Any]


class Written(NamedTuple):
    """Source that writes `FILE`: imports, helpers, and the statements."""

    imports: list[str]
    helpers: str
    body: list[str]


def arguments(options: Mapping[str, Any]) -> str:
    """Return options as the last arguments of a call; None is the default of all of them."""
    return "".join(f", {name}={value!a}" for name, value in options.items() if value is not None)


def table_source(table: Table) -> list[str]:
    """Return the statements that make `table`."""
    lines = ["columns = ["]
    for at, field in enumerate(table.columns):
        values = ", ".join(python(field.type, value) for value in table.column(at))
        lines.append(f"    pa.array([{values}], {arrow_type(field.type)}),")
    names = [field.name for field in table.columns]
    return [*lines, "]", f"table = pa.Table.from_arrays(columns, names={names!a})"]


def imports_of(table: Table, *more: str) -> list[str]:
    """Return the imports of a script that writes a table: those of its values, and more."""
    kinds = {(type_.kind, type_.bits) for field in table.columns for type_ in types_of(field.type)}
    result = ["import decimal"] * any(kind == "decimal" for kind, _ in kinds)
    return [*result, *["import numpy as np"] * (("float", 16) in kinds), *more]
