"""Bugs in the keys of maps, one for each type that few maps have."""

from __future__ import annotations

from harness.investigate.selftest.plant import ORC, PARQUET, Plant

_CONVERTED = "    key_type, keys = convert(column.key)\n"
_CLAUSES = {PARQUET: "LogicalTypes.md, Maps", ORC: "ORCv1.md, Map Columns"}


def changed_keys(name: str, what: str, kind: str, change: str, format_: str = PARQUET) -> Plant:
    """Return a plant that changes each key of a kind of type; `change` is an expression of `key`."""
    changed = f"    if key_type.kind == {kind!r}:\n        keys = [{change} for key in keys]\n"
    module = "corpora.build.tagged_columns"
    return Plant(name, what, _CONVERTED, _CONVERTED + changed, _CLAUSES[format_], module, format=format_)
