"""Engines that misbehave with tables on purpose; else they read as the reference."""

# ruff: noqa: D102 - each is named after what it does wrong

from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING

from corpora.conversions import NULL_PARTITION
from corpora.tagged import Table
from harness.engines.base import Engine

if TYPE_CHECKING:
    from corpora.table_reads import TableRead


class _AsReference(Engine):
    """Reads tables as the reference, which is imported for the first table: many of these die before."""

    formats = ("parquet", "orc")

    def version(self) -> str:
        return "1"

    def read_table(self, folder: str, format: str, config: dict[str, str], read: TableRead) -> Table:  # noqa: A002 - interface
        from harness.engines.reference.adapter import Reference

        return Reference().read_table(folder, format, config, read)


class NullsAreZeros(_AsReference):
    """Reads null integers of columns as zeros."""

    def read_table(self, folder: str, format: str, config: dict[str, str], read: TableRead) -> Table:  # noqa: A002 - interface
        table = super().read_table(folder, format, config, read)
        columns = [table.column(at) for at in range(len(table.columns))]
        for at, field in enumerate(table.columns):
            if field.type.kind == "int":
                columns[at] = ["0" if value is None else value for value in columns[at]]
        return Table.of([(field.name, field.type) for field in table.columns], columns, table.num_rows)


class NamesNullPartitions(_AsReference):
    """Reads the folder of the null partition as its name."""

    def read_table(self, folder: str, format: str, config: dict[str, str], read: TableRead) -> Table:  # noqa: A002 - interface
        table = super().read_table(folder, format, config, read)
        columns = [table.column(at) for at in range(len(table.columns))]
        for at, field in enumerate(table.columns):
            if field.name == "city":
                columns[at] = [NULL_PARTITION if value is None else value for value in columns[at]]
        return Table.of([(field.name, field.type) for field in table.columns], columns, table.num_rows)


class CrashesInSplits(_AsReference):
    """Crashes where a file is read in splits."""

    def read_table(self, folder: str, format: str, config: dict[str, str], read: TableRead) -> Table:  # noqa: A002 - interface
        if read.split_bytes is not None:
            ctypes.string_at(0)
        return super().read_table(folder, format, config, read)


class RefusesAll(_AsReference):
    """Refuses tables."""

    def read_table(self, folder: str, format: str, config: dict[str, str], read: TableRead) -> Table:  # noqa: A002, ARG002 - interface
        raise ValueError("no")


class PassesOverDamage(_AsReference):
    """Returns a table without rows where the reference refuses a file."""

    def read_table(self, folder: str, format: str, config: dict[str, str], read: TableRead) -> Table:  # noqa: A002 - interface
        from reference_impl.errors import ReferenceError_

        try:
            return super().read_table(folder, format, config, read)
        except ReferenceError_:
            fields = [(field.name, field.type) for field in (*read.columns, *read.partitions)]
            return Table.of(fields, [[] for _ in fields], 0)
