"""A filter of ORC reads the columns that it tests or returns, and no other one."""

from __future__ import annotations

from pathlib import Path

import pytest

from corpora.answers import answer
from corpora.queries import Compare, Filter, Project
from corpora.tagged import STRING, Table, integer, struct_of
from harness.children.connection import Connection, Limits, worker_command
from harness.children.outcomes import OutcomeKind
from harness.children.worker import open_engine
from harness.engines.errors import Unsupported
from harness.engines.registry import ENGINES
from harness.environments.availability import status
from harness.judging.compare import compare
from reference_impl.orc.anatomy import assemble, dissect
from reference_impl.orc.anatomy.edits import with_stored

INT = integer(32)
ROWS = [str(row) for row in range(50)]
TABLE = Table.of(
    [("broken", STRING), ("id", INT), ("b", struct_of([("x", INT)])), ("a", STRING)],
    [ROWS, ROWS, [[row] for row in ROWS], ROWS],
)
TESTS = (Compare(("id",), ">", INT, "20"), Compare(("b", "x"), "<=", INT, "7"))
COLUMNS = (("a",), ("a", "id"), ("b",), ("id", "b"))


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    """Return a file whose first column cannot be read: its streams end after a byte."""
    path = tmp_path_factory.mktemp("columns") / "x.orc"
    pytest.importorskip("pyorc")
    entry = ENGINES["pyorc"]
    open_engine(f"{entry.module}:{entry.class_name}").write(str(path), "orc", {}, TABLE, {})
    parts = dissect(path.read_bytes())
    for place, stream in enumerate(parts.stripes[0].streams):
        if stream.info.column == 1 and not stream.index:
            parts = with_stored(parts, 0, place, stream.stored[:1], keep_index=True)
    path.write_bytes(assemble(parts))
    return str(path)


@pytest.fixture(scope="module", params=["pyorc", "orc_java"])
def connection(request):
    """Return a connection to an engine; skip if it is not installed."""
    entry = ENGINES[request.param]
    if not status(entry).available:
        pytest.skip(status(entry).reason)
    with Connection(worker_command(entry), Limits()) as opened:
        yield opened


def test_the_file_cannot_be_read_whole(file, connection):
    """Whoever reads all columns notices the broken one."""
    assert connection.read(file, "orc", {}).kind is OutcomeKind.REFUSED


@pytest.mark.parametrize("pushdown", ["on", "off"])
@pytest.mark.parametrize("test", TESTS, ids=str)
@pytest.mark.parametrize("columns", COLUMNS, ids=str)
def test_columns_that_are_not_asked_for(file, connection, pushdown, test, columns):
    """A column that is neither tested nor returned is not read, with a search argument and without."""
    query = Filter(test, columns)
    outcome = connection.query([file], "orc", {"pushdown": pushdown}, query)
    assert isinstance(outcome, list), outcome
    assert outcome[0].kind is OutcomeKind.TABLE, outcome[0].detail
    assert compare(answer(query, TABLE, "ieee"), outcome[0].table, ()).equal


def test_pyorc_chooses_no_column_behind_a_name_that_is_there_twice():
    """Its schema has each name once, so that it lacks a column: the columns behind have other places."""
    pytest.importorskip("pyorc")
    entry = ENGINES["pyorc"]
    opened = open_engine(f"{entry.module}:{entry.class_name}")
    twice = str(Path(__file__).parents[2] / "corpora/orc/statistics/doubled-names.orc")
    seven = Compare(("y",), "=", integer(64), "7")
    for query in (Project(("y",)), Filter(seven, ("y",)), Filter(seven)):
        for pushdown in ("on", "off"):
            with pytest.raises(Unsupported, match="once"):
                opened.query_one(twice, "orc", {"pushdown": pushdown}, query)
