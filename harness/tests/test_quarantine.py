"""A run shows the cases of ours that are in quarantine, and judges nothing by them."""

import datetime as dt
import json

from click.testing import CliRunner

from corpora import quarantine
from harness.commands.run import run as command

CASE = "parquet/page/index-page/last"
ENTRY = quarantine.Quarantined(CASE, "the text leaves it open", dt.date(2026, 11, 27))


def test_a_run_shows_it_and_judges_nothing(monkeypatch, tmp_path):
    """Its rows are skipped, with the reason; the run ends as the other cases say."""
    monkeypatch.setattr(quarantine, "load", lambda *_: {CASE: ENTRY})
    arguments = ["--case", "parquet/page/index-page/*", "--engine", "reference", "--no-spark"]
    done = CliRunner().invoke(command, [*arguments, "--report", "none", "--out", str(tmp_path / "out")])
    assert done.exit_code == 0, done.output
    assert "last.parquet: quarantined since 2026-11-27: the text leaves it open" in done.stderr
    rows = [json.loads(line) for line in (tmp_path / "out/results.ndjson").read_text().splitlines()]
    assert {row["verdict"] for row in rows if row["case"] == CASE} == {"skipped"}
