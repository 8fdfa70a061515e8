"""Partitioned tables: folders that an engine writes, whose names `key=value` hold the partition columns.

No page defines these names for all engines: they come from Hive, and engines follow it by habit. What is
held against an engine is therefore that a reader that decodes them finds the rows that were written, and,
for names that readers decode in different ways (`corpora/table_files.py:partition_doubt`), that the engine
itself finds them again, if it reads folders. Standard library only, Python 3.9.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any

from corpora.table_reads import PARTITIONS, TableRead, in_order
from corpora.tagged import Field, Table, Value
from harness.engines.writer_options import COLUMNS

PARTITION_BY = "partition_by"  # the option among drawn ones, by columns
# Features of texts of partition columns, below `other/partition-`, by what shows them.
_FEATURES: dict[str, Callable[[str], bool]] = {
    "asterisk": lambda text: "*" in text,
    "backslash": lambda text: "\\" in text,
    "null-text": lambda text: text.upper() == "NULL",
    "percent": lambda text: "%" in text,
    "question-mark": lambda text: "?" in text,
    "slash": lambda text: "/" in text,
}


def partitions_of(chosen: Mapping[str, Any]) -> list[str]:
    """Return the names of the partition columns among drawn options; none for a table in one file."""
    names: list[str] = chosen.get(PARTITION_BY, {}).get(COLUMNS, [])
    return names


def partition_by(table: Table) -> dict[str, Any]:
    """Return the drawn option of a generated table: those of its columns that it is partitioned by."""
    return {PARTITION_BY: {COLUMNS: [field.name for field in table.columns if field.name in PARTITIONS]}}


def read_of(table: Table, names: Sequence[str]) -> TableRead:
    """Return the read of a folder that holds a table, whose partition columns follow the others."""
    return TableRead(
        _columns(table, names, are_partitions=False), _columns(table, names, are_partitions=True)
    )


def as_read(table: Table, names: Sequence[str]) -> Table:
    """Return a table as `read_of` returns it: partition columns last, rows in the order of their values."""
    read = read_of(table, names)
    places = {field.name: at for at, field in enumerate(table.columns)}
    fields = [*read.columns, *read.partitions]
    columns = table.all_columns()
    values = [columns[places[field.name]] for field in fields]
    return in_order(Table.of([(field.name, field.type) for field in fields], values, table.num_rows))


def features_of(table: Table, names: Sequence[str], format_: str) -> list[str]:
    """Return the features of the values of partition columns, which the names of folders encode."""
    columns = zip(table.columns, table.all_columns())
    values = {value for field, column in columns if field.name in names for value in column}
    return features_of_values(values, format_)


def features_of_values(values: Collection[Value], format_: str) -> list[str]:
    """Return the features of some values of partition columns, None being null."""
    texts = [value for value in values if isinstance(value, str)]
    of_texts = [name for name, is_so in _FEATURES.items() if any(map(is_so, texts))]
    return [f"{format_}/other/partition-{name}" for name in (["null"] if None in values else []) + of_texts]


def _columns(table: Table, names: Sequence[str], *, are_partitions: bool) -> tuple[Field, ...]:
    return tuple(field for field in table.columns if (field.name in names) is are_partitions)
