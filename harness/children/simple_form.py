"""The simple form of replies, which foreign readers may send: what may be left out, and whole columns.

Every value of a foreign reader is held against its column's type (`corpora/tagged_values.py`), since the
judge trusts tables. Text and bytes that are too long for a message become their digests here, if the reader
has not done so.
"""

from __future__ import annotations

import errno
import json
import math
import os
import stat
from collections.abc import Iterable, Mapping
from functools import partial
from pathlib import Path
from typing import Any, BinaryIO

from corpora.tagged import BLOCK_ROWS, Field, Table, TaggedError, is_count
from corpora.tagged_text import block_text
from corpora.tagged_values import check_block, check_text
from harness.children.foreign import Foreign
from harness.children.protocol import LIMITED, ProtocolError, Whole

MOST_LINE = 256 << 20  # bytes of a line in the file of a table


def whole_by(foreign: Foreign) -> Whole:
    """Return the function that makes replies of a reader whole; it raises ProtocolError."""
    return partial(_whole, foreign=foreign)


def _whole(message: dict[str, Any], op: str, *, foreign: Foreign) -> dict[str, Any]:
    if "cpu" in message:
        message["cpu"] = _seconds(message["cpu"])
    if isinstance(message.get("error"), dict):
        if message["error"].get("kind") == LIMITED:
            raise ProtocolError(f"the kind of error {LIMITED} is of colconf's reference alone")
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


def _seconds(cpu: Any) -> float:
    """Return seconds of CPU time; raises ProtocolError and OverflowError."""
    if isinstance(cpu, bool) or not isinstance(cpu, (int, float)) or not 0 <= float(cpu) < math.inf:
        raise ProtocolError(f"cpu is {cpu!r:.40}, not a number of seconds")
    return float(cpu)


def _in_blocks(table: Any) -> Any:
    """Return a table with whole columns (`values`) as one with blocks; any other table unchanged."""
    if not isinstance(table, dict) or set(table) != {"columns", "rows", "values"}:
        return table
    columns, rows, values = table["columns"], table["rows"], table["values"]
    if not isinstance(values, list) or not isinstance(columns, list) or len(values) != len(columns):
        raise ProtocolError("`values` is not a list for each column")
    if not is_count(rows):
        raise ProtocolError(f"`rows` is {rows!r:.20}, not a whole number")
    for number, column in enumerate(values):
        if not isinstance(column, list) or len(column) != rows:
            size = f"{len(column)} values" if isinstance(column, list) else "no list"
            raise ProtocolError(f"column {number} has {size}, the table {rows:,} rows")
    cuts = range(0, rows, BLOCK_ROWS) if columns else ()
    blocks = [[column[cut : cut + BLOCK_ROWS] for column in values] for cut in cuts]
    return {"columns": columns, "rows": rows, "blocks": blocks}


def checked(message: Mapping[str, Any]) -> None:
    """Check the values of a decoded reply's tables, and set them right; raises ProtocolError."""
    for table in [message["table"]] if "table" in message else message.get("tables", []):
        try:
            _check_names(table.columns)
            if table.spill is not None:
                _check_file(table)
            else:
                for number, block in enumerate(table.in_memory):
                    check_block(table.columns, block, number * BLOCK_ROWS)
        except TaggedError as error:
            raise ProtocolError(str(error)) from error


def _check_names(fields: Iterable[Field]) -> None:
    """Check the names of columns, and of the fields inside them; raises TaggedError."""
    level = list(fields)
    while level:
        for each in level:
            check_text(each.name)
        level = [child for each in level for child in each.type.children]


def _check_file(table: Table) -> None:
    """Check a spilled table, and write it again if long values had to be replaced; raises TaggedError."""
    path = Path(str(table.spill))
    expected = -(-table.num_rows // BLOCK_ROWS) if table.columns else 0
    count = 0
    again = path.with_suffix(".checked")
    try:
        with _opened(path) as lines, again.open("w", encoding="ascii") as out:
            while line := lines.readline(MOST_LINE + 1):
                if len(line) > MOST_LINE:
                    raise TaggedError(f"a line of {path.name} is longer than {MOST_LINE:,} bytes")
                first, count = count * BLOCK_ROWS, count + 1
                if count > expected:
                    break
                block = _block(line, table, first)
                check_block(table.columns, block, first)
                out.write(block_text(block) + "\n")
        if count != expected:
            more = "more" if count > expected else f"{count}"
            raise TaggedError(f"the file of a table, {path.name}: {more} blocks, not {expected}")
        again.replace(path)
    except (OSError, ValueError, RecursionError) as error:
        if isinstance(error, TaggedError):
            raise
        raise TaggedError(f"the file of a table, {path.name}: {error}") from error
    finally:
        again.unlink(missing_ok=True)


def _opened(path: Path) -> BinaryIO:
    """Open the file of a table; raises OSError for a link, and if it is no regular file."""
    descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    file = os.fdopen(descriptor, "rb")
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        file.close()
        raise OSError(errno.EINVAL, "not a regular file")
    return file


def _block(line: bytes, table: Table, first: int) -> list[list[Any]]:
    """Read a line of a file; raises ValueError (TaggedError is one)."""
    block = json.loads(line)
    size = min(BLOCK_ROWS, table.num_rows - first)
    if not isinstance(block, list) or len(block) != len(table.columns):
        raise TaggedError(f"the block of row {first} is not {len(table.columns)} columns")
    if any(not isinstance(column, list) or len(column) != size for column in block):
        raise TaggedError(f"a column of the block of row {first} is not {size} values")
    return block
