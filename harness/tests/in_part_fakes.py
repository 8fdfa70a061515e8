"""Engines that cannot read a file whole, and answer queries of some of its columns."""

# ruff: noqa: D102, ARG002 - the methods are those of Engine

from __future__ import annotations

from pathlib import Path

from corpora.answers import answer, take
from corpora.tagged import STRING, Table, floating
from harness.engines.errors import Unsupported
from harness.tests.fakes import Queried

NOTES = "requests"
FLOATS = Table.of([("d", floating(64))], [["3ff0000000000000", None, "4014000000000000"]])
WITH_NAN = Table.of([("d", floating(64))], [["3ff0000000000000", "7ff8000000000000", "4014000000000000"]])


class Unread(Queried):
    """Does not support a column of each file; its answers to queries are right."""

    def read(self, file, format, config):  # noqa: A002 - the protocol's word
        raise Unsupported("a column of a type that it lacks")

    def query_one(self, file, format, config, query):  # noqa: A002 - the protocol's word
        with Path(file).parent.parent.joinpath(NOTES).open("a") as notes:
            notes.write(f"{query}\n")
        return self.changed(answer(query, self.found, self.float_order))

    def changed(self, table):
        """Return the answer with its mistake."""
        return table


class UnreadAndWrong(Unread):
    """Loses the first row of each answer."""

    def changed(self, table):
        return take(table, range(1, table.num_rows))


class UnreadAndOfOtherTypes(Unread):
    """Has text where numbers are right."""

    def changed(self, table):
        columns = [table.column(at) for at in range(len(table.columns))]
        return Table.of([(field.name, STRING) for field in table.columns], columns, table.num_rows)


class UnreadWithNan(Unread):
    """Reads nulls among floats as NaN."""

    equivalences = ("null-as-nan",)

    def query_one(self, file, format, config, query):  # noqa: A002 - the protocol's word
        return self.changed(answer(query, WITH_NAN, self.float_order))


class UnreadWithNanAndWrong(UnreadWithNan):
    """Loses the first row of each answer, too."""

    def changed(self, table):
        return take(table, range(1, table.num_rows))


class RefusedAndWrong(UnreadAndWrong):
    """Refuses files, and loses the first row of each answer."""

    def read(self, file, format, config):  # noqa: A002 - the protocol's word
        raise ValueError("a column that it cannot read")


class Refused(Unread):
    """Refuses files; its answers to queries are right."""

    def read(self, file, format, config):  # noqa: A002 - the protocol's word
        raise ValueError("a column that it cannot read")


class UnreadAndRefusing(Unread):
    """Refuses the queries as it refuses the file."""

    def changed(self, table):
        raise ValueError("a column that it cannot read")
