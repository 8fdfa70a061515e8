"""Maps as Spark's ORC writer stores them: in the order of their keys, of equal keys the last value.

ORC's Java library collects the entries of a map in a tree (ORC, OrcMap), which its keys are compared in.
Standard library only, Python 3.9.
"""

from __future__ import annotations

import math
from typing import Any

from corpora.constants import bytes_of, float_of
from corpora.tagged import Table, Type, Value


def in_order(table: Table) -> Table:
    """Return a table with the entries of its maps in order, at any depth."""
    columns = [
        [_in_order(field.type, value) for value in table.column(at)] for at, field in enumerate(table.columns)
    ]
    return Table.of([(field.name, field.type) for field in table.columns], columns, table.num_rows)


def _in_order(type_: Type, value: Any) -> Value:
    if value is None or not type_.children:
        return value  # type: ignore[no-any-return]
    types = [child.type for child in type_.children]
    if type_.kind == "list":
        return [_in_order(types[0], item) for item in value]
    if type_.kind == "struct":
        return [_in_order(each, item) for each, item in zip(types, value)]
    entries: dict[Any, list[Any]] = {}
    for key, item in value:
        order = _order(types[0], key)
        first = entries.setdefault(order, [key, None])
        first[1] = _in_order(types[1], item)
    return [entries[order] for order in sorted(entries)]


def _order(type_: Type, key: Any) -> Any:
    """Return what a key is compared by: texts by their bytes, NaN above all numbers, -0.0 below 0.0."""
    if type_.kind == "bool":
        return key
    if type_.kind == "float":
        number = float_of(type_, key)
        if math.isnan(number):
            return True, 0.0, True
        return False, number, math.copysign(1, number) > 0
    return bytes_of(type_, key) if type_.kind in {"string", "bytes"} else int(key)
