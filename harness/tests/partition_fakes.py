"""Engines for tests of partitioned tables: their folders hold files of JSON. A module that imports little."""

# ruff: noqa: D102 - the methods are those of Engine

from __future__ import annotations

import json
import os
from typing import Any
from urllib.parse import quote, unquote

from corpora.answers import take
from corpora.conversions import NULL_PARTITION
from corpora.table_reads import PARTITIONS
from corpora.tagged import STRING, Table, integer, list_of
from harness.engines.errors import Unsupported
from harness.engines.partitioned import partitions_of
from harness.engines.writer_options import CHOSEN, WriterOptions, only_kinds
from harness.tests.run_fakes import JsonFile

OPTIONS = {
    "parquet": WriterOptions((), only_kinds("int", "string"), partitions=True),
    "orc": WriterOptions((), only_kinds("int", "string")),
}
TEXTS = ("a/b", "c d", None, "\u00f6")


def tables(seed, numbers, format):  # noqa: A002, ARG001 - its name
    """Return for number 0 tables that are partitioned by texts, for others by a type that no fake takes."""
    rows = [str(seed + row) for row in range(3)]
    fields = [("row", integer(32)), (PARTITIONS[0], STRING)]
    of_text = [Table.of(fields, [rows, [text, "x", text]]) for text in TEXTS]
    of_lists = Table.of([("row", integer(32)), (PARTITIONS[0], list_of(STRING))], [rows, [["e"]] * 3])
    return [[of_lists] * 4 if number else of_text for number in numbers]


class Folders(JsonFile):
    """Writes a file for each value of the partition column, and reads them."""

    def write(self, file, format, config, table, options):  # noqa: A002 - the protocol's word
        (name,) = partitions_of(options[CHOSEN])
        names = [field.name for field in table.columns]
        others = [each for each in names if each != name]
        values = table.column(names.index(name))
        for value in dict.fromkeys(values):
            text = self.named(value)
            if text is None:
                continue
            rows = [row for row, held in enumerate(values) if held == value]
            folder = os.path.join(file, f"{name}={text}")  # noqa: PTH118 - as in the base
            os.makedirs(folder, exist_ok=True)  # noqa: PTH103 - as in the base
            part = os.path.join(folder, f"{len(text)}-{hash(value)}.parquet")  # noqa: PTH118 - as in the base
            super().write(part, format, config, take(table, rows, others), options)

    def named(self, value: Any) -> str | None:
        """Return the name of a folder; None leaves its rows out."""
        return NULL_PARTITION if value is None else quote(value, safe=" ")

    def value_of(self, text: str) -> Any:
        """Return the value that the name of a folder stands for."""
        return None if text == NULL_PARTITION else unquote(text)

    def read_table(self, folder, format, config, read):  # noqa: A002, ARG002 - the protocol's word
        columns: list[list[Any]] = [[] for _ in read.schema]
        for path, _, files in sorted(os.walk(folder)):
            for file in files:
                with open(os.path.join(path, file), encoding="utf-8") as opened:  # noqa: PTH118, PTH123
                    part = Table.from_json(json.load(opened))
                value = self.value_of(os.path.basename(path).partition("=")[2])  # noqa: PTH119
                for column, held in zip(columns, [*part.all_columns(), [value] * part.num_rows], strict=True):
                    column.extend(held)
        return Table.of([(field.name, field.type) for field in read.schema], columns, len(columns[0]))


class LosesNull(Folders):
    """Leaves out rows whose partition is null."""

    def named(self, value):
        return None if value is None else super().named(value)


class Empties(Folders):
    """Writes null as an empty text, and reads it as one."""

    def named(self, value):
        return "" if value is None else super().named(value)


class Forgets(Empties):
    """Refuses the folders that it wrote for null."""

    def value_of(self, text):
        if not text:
            raise ValueError("no partition without a name")
        return super().value_of(text)


class Garbles(Folders):
    """Writes another number in the place of each."""

    def write(self, file, format, config, table, options):  # noqa: A002 - the protocol's word
        fields = [(field.name, field.type) for field in table.columns]
        rows, *others = table.all_columns()
        super().write(file, format, config, Table.of(fields, [["7" for _ in rows], *others]), options)


class Marks(Folders):
    """Marks a folder that it has written, and refuses a marked one."""

    def write(self, file, format, config, table, options):  # noqa: A002 - the protocol's word
        super().write(file, format, config, table, options)
        with open(os.path.join(file, "_SUCCESS"), "wb"):  # noqa: PTH118, PTH123 - as in the base
            pass

    def read_table(self, folder, format, config, read):  # noqa: A002 - the protocol's word
        if os.path.exists(os.path.join(folder, "_SUCCESS")):  # noqa: PTH110, PTH118 - as in the base
            raise ValueError("not a file of this format: _SUCCESS")
        return super().read_table(folder, format, config, read)


class Mute(Empties):
    """Writes null as an empty text, and reads no folders."""

    def read_table(self, folder, format, config, read):  # noqa: A002, ARG002 - the protocol's word
        raise Unsupported("no folders")


class WritesNothing(Folders):
    """Says that it has written, and has not."""

    def write(self, file, format, config, table, options):  # noqa: A002 - the protocol's word
        pass


class Silent(Folders):
    """Writes what it is given, and reads no folders."""

    read_table = Mute.read_table


class Garbling(Folders):
    """Reads other numbers than a folder has."""

    def read_table(self, folder, format, config, read):  # noqa: A002 - the protocol's word
        table = super().read_table(folder, format, config, read)
        fields = [(field.name, field.type) for field in table.columns]
        rows, *others = table.all_columns()
        return Table.of(fields, [["7" for _ in rows], *others])


class Letters(Folders):
    """Takes each byte behind a percent sign for a letter, as Hive does."""

    def value_of(self, text):
        return None if text == NULL_PARTITION else unquote(text, encoding="latin-1")
