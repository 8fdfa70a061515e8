"""Engines with large answers, which are wrong in a few rows; they note what they are asked for."""

# ruff: noqa: D102 - the methods are those of Engine

from __future__ import annotations

from pathlib import Path

from corpora.answers import take
from corpora.cases import Probe
from corpora.queries import Compare, Filter, Not, RowGroup
from corpora.tagged import STRING, Table, integer
from harness.tests.fakes import Queried

ROWS = 70_000
NUMBER = integer(32)
MANY = Filter(Compare(("number",), ">", NUMBER, "3"))
GROUP = RowGroup(1)
FEW = Filter(Compare(("number",), "<", NUMBER, "3"))
LAST = Filter(Not(Compare(("number",), "=", NUMBER, str(ROWS - 1))))
NOTES = "requests"


class Large(Queried):
    """An engine whose answers to queries of ROWS numbers are right."""

    found = Table.of([("number", NUMBER)], [list(map(str, range(ROWS)))])

    def query_one(self, file, format, config, query):  # noqa: A002 - the protocol's word
        with Path(file).parent.parent.joinpath(NOTES).open("a") as notes:
            notes.write(f"{query}\n")
        if query.kind == "row_group":
            return take(self.found, range(1_000, ROWS))
        table = super().query_one(file, format, config, query)
        return table if config.get("pushdown") == "off" else self.changed(table)

    def changed(self, table):
        """Return the answer with its mistakes."""
        return table

    def probes(self, file, format, most, read):  # noqa: A002, ARG002 - the protocol's word
        probes = (Probe(MANY), Probe(FEW), Probe(GROUP, range(1_000, ROWS)), Probe(LAST))
        return ROWS, [probe.to_json() for probe in probes[:most]]


class LosesRow(Large):
    """Loses row 40,000 of a large answer."""

    def changed(self, table):
        return take(table, [row for row in range(table.num_rows) if row != 40_000])


class SendsValues(LosesRow):
    """Has no digests, and says so."""

    def describe(self):
        return {**super().describe(), "ops": ["query"]}

    def digest(self, *_, **__):
        raise AssertionError("it is not asked for what it does not have")


class LosesEnd(Large):
    """Loses the last row of a large answer, and another one in its last block."""

    def changed(self, table):
        rows = table.num_rows
        return take(table, [row for row in range(rows) if row not in (rows - 3, rows - 1)])


class LosesAlmostAll(Large):
    """Has ten rows of any answer."""

    def changed(self, table):
        return take(table, range(min(table.num_rows, 10)))


class Changes(Large):
    """Has other values in rows 20,000 and 50,000 of a large answer."""

    def changed(self, table):
        values = table.column(0)
        for row in (20_000, 50_000) if len(values) > 50_000 else ():
            values[row] = "-1"
        return Table.of([("number", NUMBER)], [values])


class OtherType(Large):
    """Has text where numbers are right."""

    def changed(self, table):
        return Table.of([("number", STRING)], [table.column(0)])


class Refuses(Large):
    """Raises an error for large answers."""

    def changed(self, table):
        if table.num_rows > 10:
            raise ValueError("too many")
        return table


class Forgets(Changes):
    """Has mistakes in its first answer alone."""

    times = 0

    def changed(self, table):
        self.times += 1
        return super().changed(table) if self.times == 1 else table


def read_notes(folder):
    """Return the queries that were answered, as text."""
    return (folder / NOTES).read_text().splitlines()
