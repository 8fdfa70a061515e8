"""Order hides bugs: an answer that depends on what the process read before is found, with the sequence."""

import json
from dataclasses import replace

import pytest

from harness.judging import order
from harness.judging.compare import Difference, TablePath
from harness.runs.pipeline import fresh
from harness.tests.pipelines import Quiet, files, go, ours, process, verdicts

NAMES = ["a", "b", "bad", "c", "culprit", "d", "e"]


@pytest.fixture
def due(monkeypatch):
    """Have the bad file asked in fresh processes."""
    monkeypatch.setattr(fresh, "is_due", lambda case, _: case.id == "files/bad")


def looked(tmp_path, engine, names=NAMES, **more):
    """Run an engine over files of one sheet, read in the order of their names; return the row of `bad`."""
    results = go(tmp_path / "out", files(tmp_path / "in", names, together=True), engine, order=0, **more)
    rows = {row.case.removeprefix("files/"): row for row in results.rows}
    assert {name for name, row in rows.items() if row.detail.finding} <= {"bad"}
    return rows["bad"], results


@pytest.mark.usefixtures("due")
def test_a_crash_of_the_first_file_is_found(tmp_path):
    """What crashes in a fresh process and not in a warm one is a finding; any file before it hides it."""
    row, results = looked(tmp_path, ours("CrashesFirst"))
    assert (row.verdict, row.outcome, row.detail.finding) == ("unstable", "table", True)
    seen = row.detail.order
    assert (seen.alone, seen.after, seen.of, seen.repeated) == (
        "crashed: signal 11 (SIGSEGV)",
        "table",
        2,
        True,
    )
    assert [request["file"].rpartition("/")[2] for request in seen.sequence] == ["b"]
    (finding,) = results.findings
    assert finding.signature == "crashesfirst | unstable | order"
    assert finding.difference == {
        "path": "outcome",
        "expected": "crashed: signal 11 (SIGSEGV) in a fresh process",
        "actual": "table after b",
        "kind": "order",
    }


@pytest.mark.usefixtures("due")
def test_a_wrong_answer_after_another_file_is_found(tmp_path):
    """The file that spoils the next one is named, however many were read between and before them."""
    names = ["a", "b", "culprit", "d", "e", "f"]
    engine = ours("WrongAfter")
    row, results = looked(tmp_path, engine, [*names, "bad", "g"])
    assert (row.verdict, row.detail.difference["kind"]) == ("unstable", "order")
    assert [request["file"].rpartition("/")[2] for request in row.detail.order.sequence] == ["culprit"]
    assert row.detail.difference["path"] == "column 'number', row 0"
    assert row.detail.difference["actual"] == '"8" after culprit'
    line = json.loads((tmp_path / "out" / "findings.ndjson").read_text())
    assert (line["failed"], line["reads"]) == (1, 2)
    assert len(results.findings) == 1


def test_a_query_before_is_named():
    """The sequence may have queries, which are of a list of files, among reads, which are of one."""
    read = {"op": "read", "file": "/in/a", "format": "parquet", "config": {}}
    query = {"op": "query", "files": ["/in/b", "/in/c"], "format": "parquet", "config": {}, "query": {}}
    seen = order.Order("table", "table", (read, query), 2, repeated=True)
    judgement = seen.judgement(Difference(TablePath("outcome"), "x", "y", "outcome"))
    assert judgement.difference.actual == "table after a, b, c"


@pytest.mark.usefixtures("due")
def test_what_wavers_by_chance_is_no_matter_of_order(tmp_path):
    """If a second fresh process answers as the warm one, no sequence is looked for."""
    row, _ = looked(tmp_path, ours("ByChance"))
    assert (row.verdict, row.detail.order, row.detail.difference["kind"]) == ("unstable", None, "outcome")


@pytest.mark.usefixtures("due")
@pytest.mark.parametrize("heavy", [False, True])
def test_a_healthy_engine_gives_nothing(tmp_path, heavy):
    """Neither a finding, nor a row that is otherwise than without the look; a heavy engine is asked, too."""
    progress = Quiet()
    row, results = looked(tmp_path, process("Healthy", heavy=heavy), progress=progress)
    assert (row.verdict, row.detail.order, results.findings) == ("agree", None, [])
    assert ("asking fresh processes", 1) in progress.stages


@pytest.mark.usefixtures("due")
def test_an_engine_of_another_format_is_not_asked(tmp_path):
    """It lacks the file in a fresh process as in any other."""
    row, _ = looked(tmp_path, replace(process("Refuses"), formats=("orc",)))
    assert row.verdict == "unsupported"


def test_without_a_number_nothing_is_asked(tmp_path):
    """Who runs single cases (the third look, bisect) has no fresh processes."""
    progress = Quiet()
    results = go(tmp_path / "out", files(tmp_path / "in", NAMES), ours("CrashesFirst"), progress=progress)
    assert "asking fresh processes" not in dict(progress.stages)
    assert len(verdicts(results)) == len(NAMES)


def test_the_cost_is_bounded(tmp_path, monkeypatch):
    """No more cases than `MOST` are asked, whatever their number."""
    monkeypatch.setattr(order, "SHARES", 1)
    monkeypatch.setattr(fresh, "MOST", 3)
    progress = Quiet()
    looked(tmp_path, process("Healthy"), progress=progress)
    assert dict(progress.stages)["asking fresh processes"] == 3


def test_each_case_is_due_once_in_fifty_runs(tmp_path):
    """A fiftieth of the cases is due, another one for the next number, and all of them in fifty."""
    cases = files(tmp_path / "in", [f"x{number}" for number in range(1000)]).cases
    due = [{case.id for case in cases if order.is_due(case, number)} for number in range(50)]
    assert 5 < len(due[0]) < 40
    assert sum(map(len, due)) == len(set().union(*due)) == 1000
    assert {case.id for case in cases if order.is_due(case, 50)} == due[0]


@pytest.mark.heavy
def test_the_number_decides_the_order_of_sheets(tmp_path):
    """Sheets are asked in another order under another number, and in the same one under the same."""
    names = [f"x{number}" for number in range(12)]
    orders = []
    for number, folder in [(1, "one"), (2, "two"), (1, "again"), (None, "planned")]:
        (tmp_path / folder).mkdir()
        go(tmp_path / folder / "out", files(tmp_path / folder / "in", names), ours("Slow"), order=number)
        reads = (tmp_path / folder / "reads").read_text().splitlines()
        orders.append(list(dict.fromkeys(line.split()[1] for line in reads)))
    assert orders[0] == orders[2] != orders[1]
    assert sorted(orders[0]) == sorted(names)
    assert orders[3] == names


@pytest.mark.parametrize("culprits", [{3}, {0}, {9}, {2, 7}])
def test_the_shortest_sequence(culprits):
    """Few requests are left, and they show it; where one needs another, what is between stays."""
    requests = [{"file": str(number)} for number in range(10)]
    tries = []

    def shows(some):
        tries.append(len(some))
        return culprits <= {int(request["file"]) for request in some}

    left = [int(request["file"]) for request in order.shortest(requests, shows)]
    assert left == ([*culprits] if len(culprits) == 1 else list(range(min(culprits), 10)))
    assert len(tries) <= 7
    assert order.shortest(requests, lambda _: False) is None
