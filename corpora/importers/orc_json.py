"""The values of a file in the output of ORC's C++ tool `orc-contents`: JSON lines, typed by a schema.

The tool prints floats with 14 digits (`%.14g`; 32-bit floats with 7), which are too few to restore the
values, so a caller decides how to treat such text. Everything else is exact: decimals with all digits,
timestamps with nanoseconds as a wall clock (the tool's zone is GMT).
"""

from __future__ import annotations

import gzip
import json
import re
from collections.abc import Callable, Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any

from corpora import tagged
from corpora.importers.checkouts import ValuesProblem
from corpora.tagged import Table, Type, Value

MAX_BYTES = 1 << 26
NANOS = 1_000_000_000
_TOKEN = re.compile(r"[a-z_]\w*(?:\(\d+(?:,\d+)?\))?|[<>,:]", re.IGNORECASE)
_TIMESTAMP = re.compile(r"(-?\d+)-(\d\d)-(\d\d)(?: (\d\d):(\d\d):(\d\d)\.(\d{1,9}))?")
_SIMPLE = {
    "boolean": tagged.BOOL,
    "tinyint": tagged.integer(8),
    "smallint": tagged.integer(16),
    "int": tagged.integer(32),
    "bigint": tagged.integer(64),
    "float": tagged.floating(32),
    "double": tagged.floating(64),
    "string": tagged.STRING,
    "char": tagged.STRING,
    "varchar": tagged.STRING,
    "binary": tagged.BYTES,
    "date": tagged.DATE,
    "timestamp": tagged.timestamp("ns", utc=False),
}


class _Number(str):
    """The text of a number, as opposed to a string."""

    __slots__ = ()


class JsonProblem(ValuesProblem):
    """The JSON file is missing, or does not contain values of the declared type."""


def type_of(schema: str) -> Type:
    """Return a type from ORC's notation, such as `struct<a:int,b:decimal(10,2)>`; raises JsonProblem."""
    tokens = _TOKEN.findall(schema)
    if "".join(tokens) != schema:
        raise JsonProblem(f"{schema!r:.80} is not a type")
    left = iter([*tokens, ""])
    type_, after = _type(next(left), left)
    if after:
        raise JsonProblem(f"{schema!r:.80} continues after its type")
    return type_


def _type(token: str, left: Iterator[str]) -> tuple[Type, str]:
    """Return a type and the token after it."""
    name, _, parameters = token.rstrip(")").partition("(")
    if name == "decimal":
        precision, _, scale = parameters.partition(",")
        return tagged.decimal(int(precision), int(scale or 0)), next(left)
    if name in _SIMPLE:
        return _SIMPLE[name], next(left)
    if name not in ("struct", "array", "map", "uniontype") or next(left) != "<":
        raise JsonProblem(f"{token!r:.80} is not a type")
    names, types, after = [], [], ","
    while after == ",":
        token = next(left)
        if name == "struct":
            names.append(token)
            if next(left) != ":":
                raise JsonProblem(f"field {token!r:.80} has no type")
            token = next(left)
        type_, after = _type(token, left)
        types.append(type_)
    if after != ">":
        raise JsonProblem(f"a {name} does not end")
    nested: dict[str, Callable[[], Type]] = {
        "struct": lambda: tagged.struct_of(zip(names, types, strict=True)),
        "array": lambda: tagged.list_of(*types),
        "map": lambda: tagged.map_of(*types),
        "uniontype": lambda: tagged.union_of(types),
    }
    return nested[name](), next(left)


def json_table(path: Path, schema: str, floats: Callable[[Type, str], Value] | None = None) -> Table:
    """Return the values of a file; raises JsonProblem.

    `floats` gets the type and the text of each float and returns the value to use; without it a float is a
    problem. A root that is not a struct becomes one column without a name.
    """
    root = type_of(schema)
    fields = list(root.children) if root.kind == "struct" else [tagged.Field("", root)]
    columns: list[list[Value]] = [[] for _ in fields]
    try:
        for row in _rows(path):
            values = [row[field.name] for field in fields] if root.kind == "struct" else [row]
            for column, field, value in zip(columns, fields, values, strict=True):
                column.append(_value(field.type, value, floats))
    except (TypeError, ValueError, KeyError, IndexError, RecursionError) as error:
        raise JsonProblem(f"{path.name}: {error!r:.120}") from error
    return Table.of(fields, columns, len(columns[0]) if columns else 0)


def _rows(path: Path) -> Iterator[Any]:
    """Yield the values of the lines, with numbers as text."""
    try:
        with gzip.open(path, "rb") as file:
            text = file.read(MAX_BYTES + 1)
    except (OSError, EOFError) as error:
        raise JsonProblem(f"{path.name}: {error}") from error
    if len(text) > MAX_BYTES:
        raise JsonProblem(f"{path.name} is larger than {MAX_BYTES} bytes")
    for line in text.decode("utf-8").split("\n"):
        if line:
            yield json.loads(line, parse_int=_Number, parse_float=_Number, parse_constant=_Number)


_FORMS: dict[str, type] = {
    "bool": bool,
    **dict.fromkeys(("int", "float", "decimal"), _Number),
    **dict.fromkeys(("string", "date", "timestamp"), str),
    **dict.fromkeys(("bytes", "list", "map"), list),
    **dict.fromkeys(("struct", "union"), dict),
}


def _is_form(kind: str, value: object) -> bool:
    return type(value) is _FORMS[kind]


def _value(type_: Type, value: Any, floats: Callable[[Type, str], Value] | None) -> Value:
    if value is None:
        return None
    kind = type_.kind
    if not _is_form(kind, value):
        raise ValueError(f"{value!r:.40} is not of type {kind}")
    if kind == "float":
        if floats is None:
            raise ValueError(f"{value} has fewer digits than the float")
        return floats(type_, value)
    if kind == "decimal":
        return str(_whole(Fraction(value) * 10 ** (type_.scale or 0)))
    if kind in ("date", "timestamp"):
        return _moment(value, day=kind == "date")
    if kind == "bytes":
        return bytes(map(int, value)).hex()
    if kind == "int":
        return str(int(value))
    if kind == "list":
        return [_value(type_.children[0].type, element, floats) for element in value]
    if kind == "map":
        return [[_value(child.type, pair[child.name], floats) for child in type_.children] for pair in value]
    if kind == "struct":
        return [_value(child.type, value[child.name], floats) for child in type_.children]
    if kind == "union":
        return [str(value["tag"]), _value(type_.children[int(value["tag"])].type, value["value"], floats)]
    return tagged.text(value.encode("utf-8")) if kind == "string" else bool(value)


def _whole(number: Fraction) -> int:
    if number.denominator != 1:
        raise ValueError(f"{number} has more digits than its type")
    return number.numerator


def _moment(text: str, *, day: bool) -> Value:
    """Return the days or nanoseconds since 1970-01-01 of a text in the proleptic Gregorian calendar."""
    matched = _TIMESTAMP.fullmatch(text)
    if not matched or (matched[4] is None) != day:
        raise ValueError(f"{text!r:.40} is not a {'date' if day else 'timestamp'}")
    days = _days(*map(int, matched.group(1, 2, 3)))
    if day:
        return str(days)
    hours, minutes, seconds = map(int, matched.group(4, 5, 6))
    whole = ((days * 24 + hours) * 60 + minutes) * 60 + seconds
    return str(whole * NANOS + int(matched[7].ljust(9, "0")))


def _days(year: int, month: int, day: int) -> int:
    """Count days since 1970-01-01 in the proleptic Gregorian calendar, years starting in March."""
    year -= month <= 2
    era_day = 365 * year + year // 4 - year // 100 + year // 400
    return era_day + (153 * ((month + 9) % 12) + 2) // 5 + day - 1 - 719_468
