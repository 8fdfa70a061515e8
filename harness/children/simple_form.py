"""The simple form of replies, which foreign readers may send: what may be left out, and whole columns.

Every value of a foreign reader is held against its column's type (`corpora/tagged_values.py`), since the
judge trusts tables. Text and bytes that are too long for a message become their digests here, if the reader
has not done so.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any

from corpora.tagged import BLOCK_ROWS, Table, TaggedError
from corpora.tagged_values import check_block
from harness.children.foreign import Foreign
from harness.children.protocol import ProtocolError, Whole

_TABLES = ("table", "tables")


def whole_by(foreign: Foreign) -> Whole:
    """Return the function that makes replies of a reader whole; it raises ProtocolError."""
    return partial(_whole, foreign=foreign)


def _whole(message: dict[str, Any], op: str, *, foreign: Foreign) -> dict[str, Any]:
    if isinstance(message.get("cpu"), int) and not isinstance(message["cpu"], bool):
        message["cpu"] = float(message["cpu"])
    if isinstance(message.get("error"), dict):
        message["error"] = {"class": "", "phase": op, **message["error"]}
    elif op == "describe" and isinstance(message.get("description"), dict):
        description = message["description"]
        missing = [name for name in ("name", "version") if not isinstance(description.get(name), str)]
        if missing:
            raise ProtocolError(f"the description has no text {' and '.join(missing)}")
        message["description"] = foreign.described(description)
    elif "table" in message:
        message["table"] = _in_blocks(message["table"])
    elif isinstance(message.get("tables"), list):
        message["tables"] = list(map(_in_blocks, message["tables"]))
    return message


def _in_blocks(table: Any) -> Any:
    """Return a table with whole columns (`values`) as one with blocks; any other as it is."""
    if not isinstance(table, dict) or set(table) != {"columns", "rows", "values"}:
        return table
    columns, rows, values = table["columns"], table["rows"], table["values"]
    if not isinstance(values, list) or not isinstance(columns, list) or len(values) != len(columns):
        raise ProtocolError("`values` is not a list for each column")
    for number, column in enumerate(values):
        if not isinstance(column, list) or len(column) != rows:
            size = f"{len(column)} values" if isinstance(column, list) else "no list"
            raise ProtocolError(f"column {number} has {size}, the table {rows!r:.20} rows")
    cuts = range(0, rows, BLOCK_ROWS) if columns else ()
    blocks = [[column[cut : cut + BLOCK_ROWS] for column in values] for cut in cuts]
    return {"columns": columns, "rows": rows, "blocks": blocks}


def checked(message: Mapping[str, Any]) -> None:
    """Check the values of a decoded reply's tables, and set them right; raises ProtocolError."""
    for table in [message["table"]] if "table" in message else message.get("tables", []):
        try:
            if table.spill:
                _check_file(table)
            else:
                for number, block in enumerate(table.in_memory):
                    check_block(table.columns, block, number * BLOCK_ROWS)
        except TaggedError as error:
            raise ProtocolError(str(error)) from error


def _check_file(table: Table) -> None:
    """Check a spilled table, and write it again if long values had to be replaced; raises TaggedError."""
    path = Path(str(table.spill))
    expected = -(-table.num_rows // BLOCK_ROWS) if table.columns else 0
    count = 0
    again = path.with_suffix(".checked")
    try:
        with path.open(encoding="utf-8") as lines, again.open("w", encoding="ascii") as out:
            for count, line in enumerate(lines, 1):
                first = (count - 1) * BLOCK_ROWS
                block = _block(line, table, first)
                check_block(table.columns, block, first)
                out.write(json.dumps(block, separators=(",", ":")) + "\n")
    except (OSError, ValueError) as error:
        raise TaggedError(f"the file of a table, {path.name}: {error}") from error
    if count != expected:
        raise TaggedError(f"the file of a table, {path.name}: {count} blocks, not {expected}")
    again.replace(path)


def _block(line: str, table: Table, first: int) -> list[list[Any]]:
    """Read a line of a file; raises ValueError (TaggedError is one)."""
    block = json.loads(line)
    size = min(BLOCK_ROWS, table.num_rows - first)
    if not isinstance(block, list) or len(block) != len(table.columns):
        raise TaggedError(f"the block of row {first} is not {len(table.columns)} columns")
    if any(not isinstance(column, list) or len(column) != size for column in block):
        raise TaggedError(f"a column of the block of row {first} is not {size} values")
    return block
