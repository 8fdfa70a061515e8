"""The JSON Schema of a run's records: every record that runs write is of it, and it names the closed sets."""

import copy
import json
from dataclasses import replace
from functools import partial

import jsonschema
import pytest
from click.testing import CliRunner

from harness.children.outcomes import OutcomeKind
from harness.commands.run import run as run_command
from harness.judging import run_record
from harness.judging.details import RowDetail
from harness.judging.results import SKIPPED, STALE, Finding, Row
from harness.judging.run_record import SCHEMA_VERSION, RunRecord
from harness.judging.verdicts import Cost, Verdict
from harness.runs.history.records import STATES
from harness.runs.pipeline.store import Tally
from harness.runs.summary import as_json
from harness.tests import schemas
from harness.tests.pages import ROOT
from harness.tests.pipelines import files, go, process
from harness.tests.schemas import SCHEMAS, printed

SCHEMA = SCHEMAS[f"urn:colconf:results:{SCHEMA_VERSION}"]
DEFS = SCHEMA["$defs"]
check = partial(schemas.check, schema=f"results:{SCHEMA_VERSION}")


def test_the_schema_is_one():
    """The schema is a JSON Schema, and each definition refuses keys that it does not know."""
    jsonschema.Draft202012Validator.check_schema(SCHEMA)
    objects = [each for each in DEFS.values() if each.get("properties")]
    assert len(objects) > 8
    assert all(each["additionalProperties"] is False for each in objects)


def test_closed_sets_are_those_of_the_code():
    """Outcomes, verdicts, states and the fields of records are the schema's."""
    assert {*DEFS["row"]["properties"]["outcome"]["enum"]} == {*OutcomeKind, SKIPPED}
    assert {*DEFS["row"]["properties"]["verdict"]["enum"]} == {*Verdict, SKIPPED}
    assert {*DEFS["finding"]["properties"]["verdict"]["enum"]} == {*Verdict, SKIPPED, STALE}
    assert {*DEFS["history"]["properties"]} > {*STATES}
    keys = {run_record._KEYS.get(name, name) for name in RunRecord.__dataclass_fields__}
    assert {*DEFS["run"]["properties"]} == keys
    for name, record in (("row", Row), ("detail", RowDetail), ("finding", Finding)):
        assert {*DEFS[name]["properties"]} == {*record.__dataclass_fields__}


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    """Return the results of a run with findings, known failures and another file."""
    folder = tmp_path_factory.mktemp("published")
    known = folder / "known"
    known.mkdir()
    entry = '[[failure]]\ncase = "files/bad"\nverdict = "refused_valid"\nreason = "ours"\n'
    (known / "refuses.toml").write_text(entry + entry.replace("files/bad", "files/good"))
    imported = files(folder / "in", ["bad", "good", "worse"])
    engines = (process("Refuses"), process("Segfaults"), process("WrongValue"))
    return folder / "out", go(folder / "out", imported, *engines)


def test_records_of_a_run(results):
    """Each line of results and findings, and run.json, is of the schema."""
    out, loaded = results
    check(json.loads((out / "run.json").read_text()), name="run")
    for file, name in (("results.ndjson", "row"), ("findings.ndjson", "finding")):
        lines = [json.loads(line) for line in (out / file).read_text().splitlines()]
        assert len(lines) > 1
        for line in lines:
            check(line, name=name)
    assert {finding.verdict for finding in loaded.findings} > {"crashed", "different"}
    check(
        json.loads(as_json(out, loaded.run, Tally(findings=loaded.findings), ["report.html"], 1)),
        name="summary",
    )


def test_cases_of_findings(results):
    """Each line of cases.ndjson has a finding's signature and version, and a case of the case's schema."""
    schema = json.loads((ROOT / "corpora/schemas/case-1.json").read_text("utf-8"))
    schema["properties"]["id"] = {"type": "string"}  # the schema's are those of colconf's own cases
    signatures = {finding.signature for finding in results[1].findings}
    lines = [json.loads(line) for line in (results[0] / "cases.ndjson").read_text().splitlines()]
    assert lines
    for line in lines:
        assert line["signature"] in signatures
        check(line, name="case")
        jsonschema.validate(line["case"], schema)


def test_what_a_command_prints(tmp_path, monkeypatch):
    """`colconf run --json` prints a summary, with a history too."""
    monkeypatch.chdir(tmp_path)
    case = ("--case", "parquet/alp/double/example", "--engine", "reference", "--no-spark", "--json")
    result = CliRunner().invoke(run_command, [*case, "--out", "out", "--history", "h"])
    summary = printed("run", result.stdout)
    assert summary["run"]["history"]["open"] == 0


def test_rare_keys(results):
    """Keys that only some rows have are of the schema: costs, options, skipped files, an older run."""
    row = results[1].rows[0]
    rare = row.with_detail(
        cost=Cost("time", 1.0, 0.5, 3, 4), options={"page_size": 3}, level="SHOULD", step="rows"
    )
    check(rare.to_json(), name="row")
    check(replace(row, sha256="", format="", outcome=SKIPPED, verdict=SKIPPED).to_json(), name="row")


@pytest.mark.parametrize("key", ["verdict", "detail", "new"])
def test_other_records_are_refused(results, key):
    """A row without a key, with another verdict, or with an unknown key is not of the schema."""
    row = copy.deepcopy(results[1].rows[0].to_json())
    row = {**row, key: "x"} if key != "detail" else {name: row[name] for name in row if name != key}
    with pytest.raises(jsonschema.ValidationError):
        check(row, name="row")
