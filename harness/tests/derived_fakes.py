"""Engines for tests of derived queries. A module without more to import starts fast."""

# ruff: noqa: D102 - the methods are those of Engine

from __future__ import annotations

import os
from pathlib import Path

from corpora.cases import Probe
from corpora.queries import Aggregate, Compare, Filter
from corpora.tagged import Table, integer
from harness.tests.fakes import Queried
from harness.tests.queried import BIG
from reference_impl.errors import Malformed

PUSHED = "pushdown"
LIKE = Filter(Compare(("number",), "<", integer(32), "3"))
DERIVED = (BIG, LIKE, Aggregate(("number",)), Filter(Compare(("number",), "=", integer(32), "6")))


class Derives(Queried):
    """Derives four queries from any file, and notes from which; refuses one, and dies of another."""

    cells = 6

    def probes(self, file, format, most, read=None):  # noqa: A002, ARG002 - the protocol's word
        path = Path(file)
        with (path.parent.parent / "derived").open("a") as notes:
            notes.write(f"{path.name}\n")
        if path.name == "dies":
            os.abort()
        if path.name == "refused":
            raise Malformed("no file", rule="PQ-FILE-001")
        if path.name == "broken":
            raise ValueError("a mistake")
        return self.cells, [Probe(query).to_json() for query in DERIVED[:most]]


class LosesByPushdown(Queried):
    """With pushdown, numbers greater than three are lost; reads other values than all others."""

    def read(self, file, format, config):  # noqa: A002 - the protocol's word
        table = super().read(file, format, config)
        return Table.of(
            [(column.name, column.type) for column in table.columns], [table.column(0), ["9"] * 6]
        )

    def query_one(self, file, format, config, query):  # noqa: A002 - the protocol's word
        table = super().query_one(file, format, config, query)
        if query.kind == "filter" and config.get(PUSHED) == "on":
            return Table.of([(column.name, column.type) for column in table.columns], [[], []])
        return table
