"""A file's probes: queries with constants from its statistics, indexes, filters and values."""

from __future__ import annotations

from collections.abc import Iterator

from corpora.build.opening import File
from corpora.build.questions import of_column, of_file, orc_facts, parquet_facts
from corpora.build.questions.answers import Answers
from corpora.build.questions.budget import chosen
from corpora.build.questions.columns import ColumnFacts, columns_of
from corpora.cases import Probe
from corpora.tagged import Table
from corpora.tagged_text import block_text
from reference_impl.parquet.file import ParquetFile

_USUAL = 16  # characters of a value's text: of numbers, instants and short strings
_MEASURED = 1_000  # rows


def probes(file: File, most: int | None) -> list[Probe]:
    """Return at most `most` probes of a file, None for all; raises the errors of `reference_impl.errors`."""
    return probes_and_cells(file, most)[0]


def probes_and_cells(file: File, most: int | None) -> tuple[list[Probe], int]:
    """Return the same, and the number of the file's values; long ones count as several (`cells_of`)."""
    columns, table, groups = facts(file)
    queries = [(column, of_column.queries(column)) for column in columns]
    answers = Answers(table, sum(groups))
    of_all = chosen(queries, of_file.probes(columns, table.columns, groups), most, answers.askable)
    return of_all, cells_of(table, sum(groups))


def cells_of(table: Table, rows: int) -> int:
    """Return the number of values of a file of so many `rows`, of which `table` has some or all.

    The cost of a query grows with the text of the values: a value counts once for each 16 characters, on
    average over the first rows of `table`.
    """
    block = next(table.blocks(), [])
    some = [values[:_MEASURED] for values in block]
    count = sum(map(len, some))
    longer = len(block_text(some)) // (_USUAL * count) if count else 1
    return rows * len(table.columns) * max(1, longer)


def facts(file: File) -> tuple[list[ColumnFacts], Table, list[int]]:
    """Return the facts of columns, the rows that were read, and the number of rows of each row group."""
    if isinstance(file, ParquetFile):
        table, whole = parquet_facts.table(file)
        columns: Iterator[ColumnFacts] = parquet_facts.with_metadata(
            file, list(columns_of(table)), whole=whole
        )
        return list(columns), table, parquet_facts.groups_of(file)
    table, whole = orc_facts.table(file)
    columns = orc_facts.with_metadata(file, list(columns_of(table)), whole=whole)
    return list(columns), table, orc_facts.groups_of(file)
