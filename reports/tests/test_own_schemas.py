"""The JSON reports against colconf's own schemas."""

import json
from dataclasses import replace

import jsonschema
import pytest

from harness.judging.results import load
from harness.tests.schemas import check
from reports import machine
from reports.build import build
from reports.model import SCHEMA_VERSION, Fixed, History
from reports.status_forms import SCHEMA_VERSION as STATUS_VERSION
from reports.tests import sample
from reports.tests.test_gold import GOLD
from reports.upgrade import SCHEMA_VERSION as UPGRADE_VERSION

# The gold files are what the reports print: `test_gold.py`, `test_status.py` and `test_upgrade.py`.
GOLD_FILES = {
    "report.json": f"report:{SCHEMA_VERSION}",
    "status.json": f"status:{STATUS_VERSION}",
    "upgrade.json": f"upgrade-report:{UPGRADE_VERSION}",
}


@pytest.mark.parametrize("name", GOLD_FILES)
def test_reports(name):
    """A report is of its schema, which sees a key that is gone, one that is new, and another version."""
    document = json.loads((GOLD / name).read_text("utf-8"))
    check(document, GOLD_FILES[name])
    gone = next(key for key in reversed(document) if key != "schema_version")
    for damaged in (
        {key: value for key, value in document.items() if key != gone},
        {**document, "new": 1},
        {**document, "schema_version": 99},
    ):
        with pytest.raises(jsonschema.ValidationError):
            check(damaged, GOLD_FILES[name])


def test_other_runs(tmp_path):
    """Reports of no rows, and with a history, are of the schema."""
    report = build(load(sample.write(tmp_path, [])))
    fixed = Fixed("x | crashed", "1", "files/a", "2027-01-31", "")
    for each in (report, replace(report, history=History({"new": 1}, 2, [fixed]))):
        check(json.loads(machine.render(each)), GOLD_FILES["report.json"])
