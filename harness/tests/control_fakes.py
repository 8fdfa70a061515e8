"""Engines for tests of the control set: each reads as the reference does, but for what its name says."""

# ruff: noqa: D101, D102 - each is named after what it does wrong, the methods are those of Engine

from __future__ import annotations

from corpora.queries import Filter, In, leaves
from corpora.tagged import Table
from harness.engines.reference.adapter import Reference

# What stands for a binding of an engine: installed, and neither ours nor of the standard library.
_BINDING = {"__name__": "a_binding"}
exec(
    compile("def is_in(column, values): return column + values", "/x/site-packages/a_binding.py", "exec"),
    _BINDING,
)


class Sound(Reference):
    name = "sound"
    in_python = False


class TripsOverDates(Sound):
    """Its adapter passes an argument that this version does not take, where dates are looked for."""

    def query(self, files, format, config, query):  # noqa: A002 - the protocol's word
        if any(test.type.kind == "date" for test in _tests(query)):
            _library(values=[1], glob=True)
        return super().query(files, format, config, query)


class BindingTripsOverDates(Sound):
    """Its binding fails where dates are looked for."""

    def query(self, files, format, config, query):  # noqa: A002 - the protocol's word
        if any(test.type.kind == "date" for test in _tests(query)):
            _BINDING["is_in"]("column", 7)
        return super().query(files, format, config, query)


class CannotReadDates(Sound):
    """Its adapter knows nothing of dates."""

    def read(self, file, format, config):  # noqa: A002 - the protocol's word
        table = super().read(file, format, config)
        if any(column.type.kind == "date" for column in table.columns):
            return table.to_reader()
        return table


class WrongDates(Sound):
    """The engine itself is wrong by a day."""

    def read(self, file, format, config):  # noqa: A002 - the protocol's word
        return self.wrong(super().read(file, format, config))

    def query(self, files, format, config, query):  # noqa: A002 - the protocol's word
        return [self.wrong(table) for table in super().query(files, format, config, query)]

    @staticmethod
    def wrong(table):
        """Return the table with each date a day later."""
        values = [table.column(number) for number in range(len(table.columns))]
        for number, column in enumerate(table.columns):
            if column.type.kind == "date":
                values[number] = [value and str(int(value) + 1) for value in values[number]]
        return Table.of([(column.name, column.type) for column in table.columns], values)


class RefusesDates(Sound):
    """The engine's own error, for a table of dates: no mistake of Python code."""

    def read(self, file, format, config):  # noqa: A002 - the protocol's word
        table = super().read(file, format, config)
        if any(column.type.kind == "date" for column in table.columns):
            raise ValueError("File out of specification")
        return table


def _library(values):
    return values


def _tests(query):
    tests = leaves(query.predicate) if isinstance(query, Filter) else ()
    return [test for test in tests if isinstance(test, In)]
