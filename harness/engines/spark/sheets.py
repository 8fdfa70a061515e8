"""Files that Spark reads in one query: which may be, and how its rows are told apart."""

from __future__ import annotations

import functools
import re
from typing import Any

from corpora.queries import AGGREGATES
from corpora.tagged import Table

_SHEET_BYTES = 64 << 20  # files larger than this together are read one by one, to bound memory
_WHOLE_BYTES = 4 << 20  # a file up to this size is one task's (spark.sql.files.openCostInBytes)
_NUMBERED = re.compile(r"/(\d+)\.\w+$")


def is_sheet(sizes: list[int], *, indexed: bool) -> bool:
    """Return whether files may be read in one query: in bounds of memory, and each file's rows in order."""
    return sum(sizes) <= _SHEET_BYTES and (indexed or max(sizes) <= _WHOLE_BYTES)


def row_index(*, indexed: bool) -> Any:
    """Return what rises with the rows of a file.

    Only Parquet's files have `_metadata.row_index`, since 3.5. For others it is a number that rises within a
    task: one task reads a file that is not split, from its first row to its last.
    """
    from pyspark.sql import functions

    if indexed:
        return functions.col("_metadata.row_index")
    return functions.monotonically_increasing_id()


def number_of(link: str) -> int:
    """Return the number in the name of a link."""
    result = _NUMBERED.search(link)
    assert result, link
    return int(result[1])


def split(sheet: Table, numbers: list[int]) -> list[Table]:
    """Cut a sheet into a table per file, rows in order; a file without rows is an empty table."""
    *columns, links, rows = sheet.all_columns()
    of_file: dict[int, list[tuple[int, int]]] = {number: [] for number in numbers}
    known: dict[Any, list[tuple[int, int]]] = {}
    for at, (link, row) in enumerate(zip(links, rows)):
        if link not in known:
            known[link] = of_file[number_of(str(link))]
        known[link].append((int(str(row)), at))
    named = [(field.name, field.type) for field in sheet.columns[:-2]]
    tables = []
    for number in numbers:
        order = [at for _, at in sorted(of_file[number])]
        values = [[column[at] for at in order] for column in columns]
        tables.append(Table.of(named, values, len(order)))
    return tables


def of_files(answers: Table, numbers: list[int]) -> list[Table]:
    """Return the answer of each file from those of all; its first column names the file.

    A file of which no row was left is not among them: it has nothing to count, and no extremes.
    """
    links, *columns = answers.all_columns()
    rows = {number_of(str(link)): row for row, link in enumerate(links)}
    named = [(field.name, field.type) for field in answers.columns[1:]]
    nothing = [None if name in AGGREGATES[2:] else "0" for name, _ in named]
    tables = []
    for number in numbers:
        row = rows.get(number)
        values = nothing if row is None else [column[row] for column in columns]
        tables.append(Table.of(named, [[value] for value in values]))
    return tables


def together(frames: list[Any], name: str) -> Any:
    """Return the union of frames of one schema; its last column, `name`, numbers the frame of each row."""
    from pyspark.sql import functions

    numbered = [frame.select("*", functions.lit(at).alias(name)) for at, frame in enumerate(frames)]
    return functools.reduce(lambda left, right: left.unionAll(right), numbered)


def apart(union: Table, count: int) -> list[Table]:
    """Return the table of each of `count` frames from their union; rows keep their order."""
    *columns, numbers = union.all_columns()
    rows: list[list[int]] = [[] for _ in range(count)]
    for row, number in enumerate(numbers):
        rows[int(str(number))].append(row)
    named = [(field.name, field.type) for field in union.columns[:-1]]
    return [Table.of(named, [[column[row] for row in of] for column in columns], len(of)) for of in rows]
