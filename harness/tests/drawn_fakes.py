"""Engines for tests of drawn options, with the options of their writers. A module that imports little."""

# ruff: noqa: D102 - the methods are those of Engine

from __future__ import annotations

from typing import Any

from corpora.answers import take
from corpora.tagged import STRING, Table, integer, list_of, timestamp
from harness.engines.writer_options import CHOSEN, Option, WriterOptions, among, only_kinds, sizes
from harness.tests.run_fakes import JsonFile

ROWS = 12
GARBLED = "?"
OPTIONS = {
    "parquet": WriterOptions(
        (
            Option("lossy", among(True), ""),
            Option("harmless", among(1, 2), ""),
            Option("calls", sizes(), ""),
        ),
        only_kinds("int", "string", "timestamp"),
    )
}


def tables(seed, numbers, format):  # noqa: A002, ARG001 - its name
    """Return for each number four tables, which have a list that the fakes do not take."""
    numbered = [[str(seed + number + row) for row in range(ROWS)] for number in numbers]
    fields = [("row", integer(32)), ("lists", list_of(STRING)), ("text", STRING)]
    return [[Table.of(fields, [rows, [["a"]] * ROWS, rows])] * 4 for rows in numbered]


def far_moments(seed, numbers, format):  # noqa: A002, ARG001 - its name
    """Return for each number four tables, the second of which has a moment beyond 64-bit microseconds."""
    fields = [("row", integer(32)), ("moment", timestamp("ms", utc=True))]
    moments = "0", str(1 << 60), "1", "2"
    return [[Table.of(fields, [["1"], [moment]]) for moment in moments] for _ in numbers]


class Writes(JsonFile):
    """Writes what it is given, whatever the options."""


class LosesRow(Writes):
    """Under the option `lossy`, the last row is lost."""

    def write(self, file, format, config, table, options):  # noqa: A002 - the protocol's word
        if options[CHOSEN].get("lossy"):
            table = take(table, range(table.num_rows - 1))
        super().write(file, format, config, table, options)


class Garbles(Writes):
    """Under the option `lossy`, writes a file that breaks a rule, and that Strict refuses."""

    def write(self, file, format, config, table, options):  # noqa: A002 - the protocol's word
        if options[CHOSEN].get("lossy"):
            fields = [(field.name, field.type) for field in table.columns]
            table = Table.of(fields, [table.column(0), [GARBLED] * table.num_rows])
        super().write(file, format, config, table, options)


class Strict(JsonFile):
    """Refuses what Garbles breaks."""

    def read(self, file, format, config):  # noqa: A002 - the protocol's word
        table = super().read(file, format, config)
        if GARBLED in table.column(1):
            raise ValueError("garbled")
        return table


class Narrow(Writes):
    """Refuses moments that 64-bit microseconds do not hold, and one that they do."""

    def read(self, file, format, config):  # noqa: A002 - the protocol's word
        table = super().read(file, format, config)
        if table.column(1)[0] in {str(1 << 60), "2"}:
            raise ValueError("out of range")
        return table


class Misreads(JsonFile):
    """Reads a row less than a file has."""

    def read(self, file, format, config):  # noqa: A002 - the protocol's word
        table = super().read(file, format, config)
        return take(table, range(table.num_rows - 1))


class Older(Writes):
    """Has the option `harmless` alone, and a default of its own, beside that of `harmless`."""

    writes: dict[str, Any] = {"options": ["harmless"], "defaults": {"harmless": 0, "own": True}}  # noqa: RUF012 - as in the base
