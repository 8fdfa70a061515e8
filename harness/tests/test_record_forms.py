"""The JSON forms of a row's detail and of a run's record: whole, and read from other versions."""

import json

import pytest

from harness.judging.details import KnownReason, ProbeCounts, RecordedExpectation, RowDetail
from harness.judging.run_record import SCHEMA_VERSION, RanOn, RunRecord

DETAIL = RowDetail(
    "a.parquet",
    RecordedExpectation("accept", "vote", votes="2 of 2"),
    ("parquet/page/v1",),
    signal=9,
    difference={"path": "a", "expected": "1", "actual": "2", "kind": "value"},
    probe="x < 1",
    probes=ProbeCounts(3, 1, 1, by_choice=1),
    known=KnownReason("released in 27", "https://example.org/1"),
)
RECORD = RunRecord(id="1", started="s", settings={"seed": 7}, pipeline=RanOn("local", None), stale=[])


@pytest.mark.parametrize("detail", [DETAIL, RowDetail(finding=True, signature="s")])
def test_a_detail_is_read_as_it_was_written(detail):
    """Only findings have a signature; the other keys are always there."""
    data = json.loads(json.dumps(detail.to_json()))
    assert RowDetail.from_json({**data, "later": 1}) == detail
    assert len(data) == 15 + detail.finding


def test_a_detail_of_an_older_version_has_defaults():
    """Queries, and the counts of answers that were misled, came later."""
    data = DETAIL.to_json()
    del data["probe"], data["probes"]["misled"]
    older = RowDetail.from_json(data)
    assert (older.probe, older.probes) == (None, ProbeCounts(3, 1, 0, by_choice=1))
    del data["probes"]
    assert RowDetail.from_json(data).probes == ProbeCounts()


def test_a_record_is_read_as_it_was_written():
    """Keys of results come with the results; keys of a later version are ignored."""
    data = json.loads(json.dumps(RECORD.to_json()))
    assert data["asked"] == {"seed": 7}
    assert data["schema_version"] == SCHEMA_VERSION
    assert data["finished"] is None
    assert not {"dataset", "digests", "history", "rounds", "spent"} & data.keys()
    assert RunRecord.from_json({**data, "later": 1}) == RunRecord(
        **{**vars(RECORD), "rules_broken_by_writers": []}
    )
