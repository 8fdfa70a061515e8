"""Limits of time and memory blame no engine for a file that is beyond those of the reference, too."""

from __future__ import annotations

from dataclasses import replace

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from corpora.cases import Expectation, Probe
from corpora.queries import Compare, Filter
from corpora.tagged import Table, integer
from harness.children.connection import Connection
from harness.children.limits import Limits
from harness.children.outcomes import Outcome, OutcomeKind
from harness.judging.answers import Answered, Remembered
from harness.judging.judge import judge
from harness.judging.places import Config, Place, Process
from harness.judging.too_large import WHY
from harness.judging.traits import Traits
from harness.tests.test_evidence import CRASH, X, case_of, judged

LIMITED, HUNG, LARGE = map(Outcome, (OutcomeKind.LIMITED, OutcomeKind.HUNG, OutcomeKind.OUT_OF_MEMORY))


@pytest.fixture
def case(tmp_path):
    """Return the case of a file, to be voted on."""
    pq.write_table(pa.table({"a": ["x"]}), tmp_path / "a.parquet")
    return case_of(tmp_path / "a.parquet")


@pytest.mark.parametrize("reference", [LIMITED, HUNG, LARGE])
@pytest.mark.parametrize("outcome", [HUNG, LARGE])
def test_who_reaches_a_limit_with_the_reference_is_skipped(case, reference, outcome):
    """Where nothing says that a file can be read within the limits, who does not is not judged."""
    row = judged(case, reference=reference, pyarrow=outcome)["pyarrow"].row
    assert (row.verdict, row.detail.finding, row.detail.expectation.why) == ("skipped", False, WHY)


@pytest.mark.parametrize(
    ("reference", "outcome", "verdict"),
    [(X, HUNG, "hung"), (X, LARGE, "out_of_memory"), (LIMITED, CRASH, "crashed")],
)
def test_others_are_problems(case, reference, outcome, verdict):
    """A file that the reference reads can be read; a crash is a problem whatever the file is."""
    row = judged(case, reference=reference, pyarrow=outcome)["pyarrow"].row
    assert (row.verdict, row.detail.finding) == (verdict, True)


def test_a_recorded_table_can_be_read(case):
    """The reference that reaches a limit does not excuse others from a case whose table is recorded."""
    recorded = replace(case, expectation=Expectation.accept(X.table, "generator"))
    assert judged(recorded, reference=LIMITED, pyarrow=HUNG)["pyarrow"].row.verdict == "hung"


def test_the_time_grows_with_the_file(tmp_path):
    """Ten megabytes have twenty seconds more than the limit of any file."""
    file = tmp_path / "large"
    with file.open("wb") as sparse:
        sparse.truncate(10_000_000)
    connection = Connection(["true"], Limits(seconds=30))
    assert connection._seconds([file]) == pytest.approx(50)
    assert connection._seconds([tmp_path / "none"]) == 30
    (tmp_path / "table" / "k=1").mkdir(parents=True)
    file.rename(tmp_path / "table" / "k=1" / "a.parquet")
    assert connection._seconds([tmp_path / "table"]) >= 50  # a folder has all of its files


def test_a_query_may_cost_what_reading_the_file_may(tmp_path):
    """Few rows of a table of a million cells may take the time of all cells, and no more."""
    values = [0] * 999_999 + [5]  # of few bytes
    table = Table.of([("a", integer(64))], [[str(value) for value in values]])
    pq.write_table(pa.table({"a": values}), tmp_path / "a.parquet")
    probe = Probe(Filter(Compare(("a",), "=", integer(64), "5")))
    case = replace(
        case_of(tmp_path / "a.parquet"), expectation=Expectation.accept(table, "generator"), probes=(probe,)
    )
    one = Table.of([("a", integer(64))], [["5"]])
    for seconds, verdict in ((25.0, "agree"), (60.0, "amplified")):
        answers = {
            Place(0, 0): Outcome(OutcomeKind.TABLE, table),
            Place(0, 0, 0): Outcome(OutcomeKind.TABLE, one, cpu_seconds=seconds),
        }
        engine = Process("pyarrow", "1", (), (Config("", {}),), ("parquet",))
        (row,) = judge([case], [Answered(engine, Traits(), Remembered(answers))], ())
        assert row.stored.row.verdict == verdict
