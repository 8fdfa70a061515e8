"""Engines that read folders as tables: one well, the others with one mistake each."""

from pathlib import Path

from corpora.answers import answer
from corpora.evolution import read_as
from corpora.queries import KINDS
from corpora.table_files import TableFile
from corpora.tagged import Table
from harness.engines.reference.adapter import Reference
from harness.tests.fakes import Healthy, Queried

READER = Reference()


class Tables(Healthy):
    """Reads tables as the oracle says, its rows in another order."""

    name = "tables"
    queries = KINDS

    def read_table(self, folder, format, config, read):  # noqa: A002, ARG002 - the protocol's word
        """Return the table of a folder, the last row first."""
        table = READER.read_table(folder, format, {}, read)
        fields = [(column.name, column.type) for column in table.columns]
        return Table.of(fields, [table.column(at)[::-1] for at in range(len(fields))], table.num_rows)

    def query_table(self, folder, format, config, read, query):  # noqa: A002 - the protocol's word
        """Return the oracle's answer to a query, over rows in another order."""
        return answer(query, self.read_table(folder, format, config, read), self.float_order)


class LosesMissing(Tables):
    """With pushdown, a filter passes over files that lack a column."""

    name = "losesmissing"

    def query_table(self, folder, format, config, read, query):  # noqa: A002 - the protocol's word
        """Return the answer of the files that have all columns."""
        if query.kind != "filter" or config.get("pushdown") == "off":
            return super().query_table(folder, format, config, read, query)
        files = [
            TableFile(path.relative_to(folder).as_posix(), READER.read(str(path), format, {}))
            for path in sorted(Path(folder).rglob(f"*.{format}"))
        ]
        wanted = {field.name for field in read.columns}
        whole = [file for file in files if wanted <= {field.name for field in file.table.columns}]
        return answer(query, read_as(whole, read).table, self.float_order)


class AtOnce(Tables):
    """Reads several folders at once; one alone is read otherwise."""

    name = "atonce"

    def read_tables(self, folders, format, config, read):  # noqa: A002 - the protocol's word
        """Return the table of each of several folders."""
        assert len(folders) > 1
        return [super(AtOnce, self).read_table(folder, format, config, read) for folder in folders]

    def read_table(self, folder, format, config, read):  # noqa: A002, ARG002 - the protocol's word
        """Refuse."""
        raise ValueError("one folder alone")


class FirstFile(Tables):
    """Reads the first file of a folder alone."""

    name = "firstfile"

    def read_table(self, folder, format, config, read):  # noqa: A002, ARG002 - the protocol's word
        """Return the table of one file."""
        path = min(Path(folder).rglob(f"*.{format}"))
        one = TableFile(path.relative_to(folder).as_posix(), READER.read(str(path), format, {}))
        return read_as([one], read).table


class FirstFileAndQueries(FirstFile, Queried):
    """Reads files and answers queries well, and the first file of a folder alone."""

    name = "firstfileandqueries"


class RefusesMissing(Tables):
    """Refuses what the oracle lets a reader refuse or not, and what it must read."""

    name = "refusesmissing"

    def read_table(self, folder, format, config, read):  # noqa: A002 - the protocol's word
        """Refuse a schema with a column that no file has."""
        if any(field.name == "never" for field in read.columns):
            raise ValueError("no such column: never")
        return super().read_table(folder, format, config, read)


class SortsMaps(Tables):
    """Sorts the entries of maps by their keys, and says so."""

    name = "sortsmaps"
    equivalences = ("orc-map-entries-sorted",)

    def read_table(self, folder, format, config, read):  # noqa: A002 - the protocol's word
        """Return a table with the entries of each map in order."""
        table = super().read_table(folder, format, config, read)
        columns = [table.column(at) for at in range(len(table.columns))]
        for column, values in zip(table.columns, columns, strict=True):
            if column.type.kind == "map":
                values[:] = [value and sorted(value) for value in values]
        return Table.of([(each.name, each.type) for each in table.columns], columns, table.num_rows)
