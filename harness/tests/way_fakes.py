"""An engine with several ways to read a file, each named after what it does otherwise."""

import os

from corpora.answers import answer
from corpora.tagged import Table, integer
from harness.engines.errors import Unsupported
from harness.tests.fakes import Healthy, WrongValue

WAYS = ("default", "same", "other_values", "refuses", "dies", "lacks")


class Ways(Healthy):
    """Reads a file well in its default way."""

    name = "ways"

    def read(self, file, format, config):  # noqa: A002 - the protocol's word
        """Read a file in the way of the configuration."""
        way = config["way"]
        if way == "refuses":
            raise ValueError("not in this way")
        if way == "dies":
            os.abort()
        if way == "lacks":
            raise Unsupported("no such way")
        reader = WrongValue if way == "other_values" else Healthy
        return reader.read(self, file, format, config)


QUERY_WAYS = ("default", "same", "loses", "turns", "any-order", "refuses")
ROWS = Table.of([("number", integer(32))], [["1", "2", "3"]])


class QueryWays(Healthy):
    """Filters well in its default way; a whole file has the same rows in all ways."""

    name = "query_ways"
    queries = ("filter",)

    def read(self, file, format, config):  # noqa: A002, ARG002 - the protocol's word
        """Read the rows that every file has."""
        return ROWS

    def query_one(self, file, format, config, query):  # noqa: A002, ARG002 - the protocol's word
        """Return a filter in the way of the configuration."""
        if config["way"] == "refuses":
            raise ValueError("not in this way")
        right = answer(query, ROWS, self.float_order)
        rows = right.column(0)
        rows = {"loses": rows[1:], "turns": rows[::-1], "any-order": rows[::-1]}.get(config["way"], rows)
        return Table.of([("number", integer(32))], [rows])


class RefusesByDefault(QueryWays):
    """Refuses filters in its default way alone."""

    def query_one(self, file, format, config, query):  # noqa: A002 - the protocol's word
        """Return a filter in the way of the configuration."""
        if config["way"] == "default":
            raise ValueError("not in the default way")
        return super().query_one(file, format, config, query)
