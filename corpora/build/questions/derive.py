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
from reference_impl.parquet.file import ParquetFile


def probes(file: File, most: int | None) -> list[Probe]:
    """Return at most `most` probes of a file, None for all; raises the errors of `reference_impl.errors`."""
    columns, table, groups = facts(file)
    queries = [(column, of_column.queries(column)) for column in columns]
    answers = Answers(table, sum(groups))
    return chosen(queries, of_file.probes(columns, table.columns, groups), most, answers.askable)


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
