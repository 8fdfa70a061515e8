"""Queries of tables: what is generated, and the files that the reference skips."""

from dataclasses import replace

import pytest

from corpora.answers import answer
from corpora.build.evolution.cases import generated
from corpora.build.evolution.reading import query_folder, read_folder
from corpora.build.evolution.skipping import may_match
from corpora.folders import files_of
from corpora.queries import And, Compare, IsNull, Not, Or, from_json
from corpora.table_files import TableFile
from corpora.table_reads import TableRead
from corpora.tagged import Field, Table, integer
from reference_impl.errors import Malformed

INT = integer(32)
FILE = TableFile("year=2020/f", Table.of([("a", INT)], [["1", None]]))
READ = TableRead((Field("a", INT), Field("b", INT)), (Field("year", INT),))


@pytest.mark.parametrize("format_", ["parquet", "orc"])
def test_queries_of_generated_tables(tmp_path, format_):
    """The reference answers the queries of a table as its rows say, whatever files it skips."""
    cases = list(generated(format_, "queries 2", "tables/q", tmp_path, ["add", "widen"]))
    queried = [case for case in cases if case.probes]
    assert len(queried) == 3
    kinds = {probe.query.kind for case in queried for probe in case.probes}
    assert kinds >= {"filter", "aggregate"}
    for case in queried:
        assert case.expectation.table.num_rows
        for probe in case.probes:
            expected = answer(probe.query, case.expectation.table, "ieee")
            for skips in (True, False):
                actual = query_folder(case.file, format_, case.read, probe.query, "ieee", skips=skips)
                assert sorted_rows(actual) == sorted_rows(expected), str(probe.query)


@pytest.mark.parametrize("format_", ["parquet", "orc"])
def test_a_file_that_changes_is_read_again(tmp_path, format_):
    """A file is read once while its bytes are the same; with other bytes it holds what they hold."""
    cases = list(generated(format_, "queries 2", "tables/q", tmp_path, ["add"]))
    case = next(case for case in cases if case.expectation.table and case.expectation.table.num_rows)
    whole = read_folder(case.file, format_, case.read)
    first, other, *rest = files_of(case.file)
    held = {path: path.read_bytes() for path in (first, *rest)}
    for path in held:
        path.unlink()
    alone = read_folder(case.file, format_, case.read).num_rows
    first.write_bytes(other.read_bytes())
    assert read_folder(case.file, format_, case.read).num_rows == 2 * alone > 0
    first.write_bytes(b"no file")
    with pytest.raises(Malformed):
        read_folder(case.file, format_, case.read)
    for path, data in held.items():
        path.write_bytes(data)
    assert read_folder(case.file, format_, case.read) == whole


def sorted_rows(table):
    """Return the rows of a table as sorted texts."""
    return sorted(map(str, zip(*(table.column(at) for at in range(len(table.columns))), strict=True)))


def compare(name, op, value):
    """Return a comparison of a column with a constant."""
    return Compare((name,), op, INT, value)


@pytest.mark.parametrize(
    ("predicate", "wanted"),
    [
        (compare("year", "=", "2020"), True),
        (compare("year", "=", "2021"), False),
        (compare("year", "!=", "2021"), True),
        (compare("b", "=", "1"), False),
        (compare("b", "!=", "1"), False),
        (Not(compare("b", "=", "1")), False),
        (IsNull(("b",)), True),
        (Not(IsNull(("b",))), False),
        (compare("a", "=", "99"), True),
        (And((compare("a", "=", "1"), IsNull(("year",)))), False),
        (Or((compare("a", "=", "1"), IsNull(("year",)))), True),
        (Or((compare("b", "=", "1"), IsNull(("year",)))), False),
        (Not(Or((compare("a", "=", "1"), compare("year", "=", "2021")))), True),
    ],
)
def test_files_that_are_skipped(predicate, wanted):
    """A file is skipped if its partition, or a column that it lacks, makes a filter false or unknown."""
    assert may_match(FILE, READ, predicate, "ieee") is wanted


def test_no_columns_have_no_queries(tmp_path):
    """A filter is not generated for a read of no columns."""
    cases = generated("parquet", "queries 3", "tables/q", tmp_path)
    assert not any(case.probes for case in cases if not case.read.schema)


def test_a_filter_of_no_columns(tmp_path):
    """A filter with no column in its result has as many rows as it is TRUE for."""
    (*_, case) = (case for case in generated("parquet", "queries 4", "tables/q", tmp_path) if case.probes)
    queries = [probe.query for probe in case.probes if getattr(probe.query, "columns", None) == ()]
    assert queries
    for query in queries:
        whole = answer(replace(query, columns=None), case.expectation.table, "ieee")
        counted = query_folder(case.file, "parquet", case.read, query, "ieee")
        assert (counted.columns, counted.num_rows) == ((), whole.num_rows)
        assert from_json(query.to_json()) == query
