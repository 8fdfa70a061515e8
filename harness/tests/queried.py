"""Engines that misbehave when they are asked queries; what they read is right, unless one says otherwise."""

import os
import time
from pathlib import Path

from corpora.answers import answer, take
from corpora.queries import And, Batches, Compare, Filter, IsNull, Not, Project, RowGroup
from corpora.tagged import STRING, Table, integer
from harness.engines.errors import Unsupported
from harness.tests.fakes import LosesRows, Queried

NUMBER = integer(32)
BIG = Filter(Compare(("number",), ">", NUMBER, "3"))  # rows 4 and 5
BOTH = Filter(And((Compare(("number",), ">", NUMBER, "3"), Compare(("name",), "=", STRING, "e"))))
NOT_NULL = Filter(Not(IsNull(("name",))))
QUERIES = (BOTH, BIG, NOT_NULL, Project(("number",)), RowGroup(1), RowGroup(2), Batches(2))

__all__ = ["LosesRows"]
PUSHED = "pushdown"


def note(file, text):
    """Write a line beside the run's folder of files."""
    with (Path(file).parents[3] / "notes").open("a") as notes:
        notes.write(f"{text}\n")


class GainsRows(Queried):
    """With pushdown, a filter lets rows pass that it need not look at."""

    def query_one(self, file, format, config, query):  # noqa: A002 - the protocol's word
        if query.kind == "filter" and config[PUSHED] == "on":
            return self.read(file, format, config)
        return super().query_one(file, format, config, query)


class OtherFilter(Queried):
    """Takes `>` for `>=` whatever is pushed down."""

    def query_one(self, file, format, config, query):  # noqa: A002 - the protocol's word
        if query == BIG:
            return answer(query, self.found, "ieee", (2, 4, 5))
        return super().query_one(file, format, config, query)


class RefusesFilters(Queried):
    """Refuses filters, if they are pushed down."""

    def query_one(self, file, format, config, query):  # noqa: A002 - the protocol's word
        if query.kind == "filter" and config[PUSHED] == "on":
            raise ValueError(f"{file}: no filter")
        return super().query_one(file, format, config, query)


class LacksFilters(Queried):
    """Says that it has no filters; notes how often it was asked."""

    def query(self, files, format, config, query):  # noqa: A002 - the protocol's word
        note(files[0], query.kind)
        if query.kind == "filter":
            raise Unsupported("no filters")
        return super().query(files, format, config, query)


class DiesOfOne(Queried):
    """Crashes by a query of one file of each sheet."""

    def query_one(self, file, format, config, query):  # noqa: A002 - the protocol's word
        if query == NOT_NULL and Path(file).name == "1.parquet":
            os.abort()
        return super().query_one(file, format, config, query)


class MoodyAnswers(Queried):
    """Returns a right result the second time."""

    def query_one(self, file, format, config, query):  # noqa: A002 - the protocol's word
        mark = Path(file).with_suffix(f".{config[PUSHED]}")
        if query == BIG and not mark.exists():
            mark.touch()
            return take(self.found, ())
        return super().query_one(file, format, config, query)


class Reads(Queried):
    """Notes what it reads, and when it is asked what."""

    def read(self, file, format, config):  # noqa: A002, ARG002 - the protocol's word
        note(file, f"read {config[PUSHED]}")
        return self.found

    def query_one(self, file, format, config, query):  # noqa: A002, ARG002 - the protocol's word
        note(file, f"{config[PUSHED]} {query}")
        rows = range(3, 6) if query.kind == "row_group" else None
        return answer(query, self.found, self.float_order, rows)


class WrongRead(Queried):
    """Reads another value, whatever pushdown says."""

    def read(self, file, format, config):  # noqa: A002, ARG002 - the protocol's word
        return Table.of([(one.name, one.type) for one in self.found.columns], [["x"] * 6, ["1"] * 6])


class LosesAndGains(Queried):
    """With pushdown, one filter loses rows, and another one gains some."""

    def query_one(self, file, format, config, query):  # noqa: A002 - the protocol's word
        if query == BIG and config[PUSHED] == "on":
            return take(self.found, ())
        if query == NOT_NULL and config[PUSHED] == "on":
            return self.found
        return super().query_one(file, format, config, query)


class HangsByFilters(Queried):
    """Hangs by every filter of one file of each sheet, if it is pushed down."""

    def query_one(self, file, format, config, query):  # noqa: A002 - the protocol's word
        if query.kind == "filter" and Path(file).name == "1.parquet" and config[PUSHED] == "on":
            time.sleep(3600)
        return super().query_one(file, format, config, query)


class WrongAndDead(WrongRead, DiesOfOne):
    """Reads another value, and crashes by a query."""
