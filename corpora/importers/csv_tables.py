"""Expected values from a CSV file next to a data file, as a tagged table of declared types."""

from __future__ import annotations

import csv
import re
from collections.abc import Sequence
from pathlib import Path

from corpora.importers.checkouts import ValuesProblem
from corpora.tagged import STRING, Table, Type, Value, integer

MAX_BYTES = 1 << 26
TYPES = {"int32": integer(32), "int64": integer(64), "string": STRING}
_INTEGER = re.compile("-?(0|[1-9][0-9]*)")


class CsvProblem(ValuesProblem):
    """The CSV file is missing, or does not contain the declared columns."""


def csv_table(path: Path, columns: Sequence[str]) -> Table:
    """Return the values of a CSV file with a header line; raises CsvProblem.

    `columns` are `name:type` in the file's order (a name may contain a colon), with types of TYPES. The names
    of the header are ignored: they differ from the names of the Parquet file. An empty field is null.
    """
    declared = [column.rsplit(":", 1) for column in columns]
    try:
        if path.stat().st_size > MAX_BYTES:
            raise CsvProblem(f"{path.name} is larger than {MAX_BYTES} bytes")
        with path.open(encoding="utf-8", newline="") as lines:
            _, *rows = csv.reader(lines, strict=True)
    except (OSError, ValueError, csv.Error) as error:
        raise CsvProblem(f"{path.name}: {error}") from error
    if any(len(row) != len(declared) for row in rows):
        raise CsvProblem(f"{path.name}: a row does not have {len(declared)} fields")
    types = [TYPES[type_] for _, type_ in declared]
    values = [[_value(row[index], type_) for row in rows] for index, type_ in enumerate(types)]
    return Table.of([(name, type_) for (name, _), type_ in zip(declared, types, strict=True)], values)


def _value(text: str, type_: Type) -> Value:
    if text == "":
        return None
    if type_.kind == "int" and not _INTEGER.fullmatch(text):
        raise CsvProblem(f"{text!r:.40} is not an integer")
    return text
