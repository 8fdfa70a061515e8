"""Tagged tables as lines of text, which a script prints and compares with the lines of the engine's answer.

A line is a row. Values that a user takes for equal have the same text, whatever type carries them: times are
in seconds, decimals have no trailing zeros, and text and bytes look alike. The scripts render the values of
their engine by the same rules (`rendering.py` of `harness/engines/scripts`); a test compares both.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from decimal import Decimal
from itertools import islice

from corpora.constants import float_of
from corpora.queries import Aggregate, Distinct, Groups, Query, Top
from corpora.tagged import NANOSECONDS, Table, Type, Value
from harness.engines.scripts.rendering import octets, plain, seconds

_DAY = 86_400 * 1_000_000_000
NULL = "null"
Change = Callable[[str], str]  # of the text of a cell
_TEXT = ("string", "json", "enum")
SIGNLESS = (Aggregate, Distinct, Groups, Top)  # queries to which -0.0 and 0.0 are one value


def names(table: Table) -> list[str]:
    """Return the names of a table's columns as scripts print them."""
    return [ascii(field.name) for field in table.columns]


def lines(
    table: Table, query: Query | None = None, changed: Callable[[Type], Change | None] = lambda _: None
) -> Iterator[str]:
    """Yield a line per row; zeros of aggregates, groups and sorted values have no sign: either zero is right.

    `changed` returns how the engine shows the cells of a type, None for those that it does not change.
    """
    types = [field.type for field in table.columns]
    changes = [changed(type_) or str for type_ in types]
    if not types:
        yield from islice(iter(lambda: "", None), table.num_rows)
    for block in table.blocks():
        for row in zip(*block, strict=True):
            cells = [rendered(type_, value) for type_, value in zip(types, row, strict=True)]
            cells = [change(cell) for cell, change in zip(cells, changes, strict=True)]
            if isinstance(query, SIGNLESS):
                cells = ["0.0" if cell == "-0.0" else cell for cell in cells]
            yield " | ".join(cells)


def as_float(cell: str) -> str:
    """Return a decimal as a float."""
    return cell if cell == NULL else repr(float(cell))


def with_nan(cell: str) -> str:
    """Return a float, NaN for a null."""
    return "nan" if cell == NULL else cell


def rendered(type_: Type, value: Value) -> str:
    """Return the text of a value."""
    if value is None:
        return NULL
    kind = type_.kind
    if isinstance(value, dict):
        return f"sha256:{value['sha256']}"
    if isinstance(value, list):
        return _nested(type_, value)
    if kind == "bool":
        return str(value).lower()
    if kind == "float":
        return repr(float_of(type_, value))
    if kind == "decimal":
        unscaled = int(str(value))
        digits = tuple(map(int, str(abs(unscaled))))
        return plain(format(Decimal((int(unscaled < 0), digits, -(type_.scale or 0))), "f"))
    if kind in {"date", "time", "timestamp", "duration", "int96"}:
        each = _DAY if kind == "date" else NANOSECONDS[type_.unit or "ns"]
        return seconds(int(str(value)) * each)
    if kind in _TEXT:
        return octets(str(value).encode("utf-8", "surrogateescape"))
    if kind == "int":
        return str(value)
    return octets(bytes.fromhex(str(value)))


def _nested(type_: Type, value: list[Value]) -> str:
    kind = type_.kind
    if kind == "variant":
        return f"[{', '.join(NULL if item is None else octets(bytes.fromhex(str(item))) for item in value)}]"
    if kind == "interval":
        return f"[{', '.join(map(str, value))}]"
    if kind == "union":
        tag = int(str(value[0]))
        return f"[{tag}, {rendered(type_.children[tag].type, value[1])}]"
    if kind == "struct":
        pairs = zip(type_.children, value, strict=True)
        return f"[{', '.join(rendered(child.type, item) for child, item in pairs)}]"
    types = [child.type for child in type_.children]
    if kind == "list":
        return f"[{', '.join(rendered(types[0], item) for item in value)}]"
    entries = []
    for entry in value:
        assert isinstance(entry, list)
        entries.append(
            f"[{', '.join(rendered(each, item) for each, item in zip(types, entry, strict=False))}]"
        )
    return f"[{', '.join(entries)}]"
