"""Connections of DuckDB before 0.9, whose `sql` takes no parameters: they are written into the text.

Scripts print the functions `inlined` and `literal`. Runs in engine children: standard library only,
Python 3.9.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from harness.engines.errors import Unsupported


class Inlined:
    """A connection whose `sql` and `execute` take named parameters, as those of 0.9 do."""

    def __init__(self, connection: Any) -> None:
        self._connection = connection

    def __getattr__(self, name: str) -> Any:
        return getattr(self._connection, name)

    def sql(self, text: str, *, params: Mapping[str, Any] | None = None) -> Any:
        """Return the relation of a statement."""
        return self._connection.sql(_inlined(text, params or {}))

    def execute(self, text: str, params: Mapping[str, Any] | None = None) -> Any:
        """Execute a statement."""
        return self._connection.execute(_inlined(text, params or {}))


def _inlined(text: str, parameters: Mapping[str, Any]) -> str:
    try:
        return inlined(text, parameters)
    except ValueError as error:
        raise Unsupported(str(error)) from error


def connected(duckdb: Any) -> Any:
    """Return a new connection that takes named parameters, whatever the version."""
    connection = duckdb.connect()
    try:
        connection.sql("SELECT $one", params={"one": 1})
    except TypeError:
        return Inlined(connection)
    return connection


def inlined(text: str, parameters: Mapping[str, Any]) -> str:
    """Return a statement with the values of its parameters; raises ValueError for one without a literal."""
    pattern = r"'(?:[^']|'')*'|\"(?:[^\"]|\"\")*\"|\$(\w+)"  # texts and names are left as they are
    return re.sub(
        pattern, lambda match: match[0] if match[1] is None else literal(parameters[match[1]]), text
    )


def literal(value: Any) -> str:
    """Return a value as SQL; raises ValueError for one without a literal."""
    if value is None:
        return "NULL"
    if isinstance(value, bool):
        return str(value).upper()
    if isinstance(value, int):
        return f"({value})"
    if isinstance(value, float):
        return f"'{value!r}'::DOUBLE"
    if isinstance(value, str) and "\0" not in value:
        return "'" + value.replace("'", "''") + "'"
    if isinstance(value, bytes):
        return "'" + "".join(f"\\x{byte:02X}" for byte in value) + "'::BLOB"
    if isinstance(value, (list, tuple)):
        return f"[{', '.join(map(literal, value))}]"
    raise ValueError(f"this DuckDB takes no parameters, and a {type(value).__name__} has no literal here")
