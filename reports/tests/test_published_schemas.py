"""SARIF and JUnit XML against the schemas that others publish, which `PUBLISHED_SCHEMAS` holds."""

import json
import os
import shutil
import subprocess
from pathlib import Path

import jsonschema
import pytest
from click.testing import CliRunner

from corpora.own_cases import CHECKED_IN
from harness.commands.validate import validate
from harness.judging.results import load
from reports import junit, sarif
from reports.build import build
from reports.tests import sample

VARIABLE = "PUBLISHED_SCHEMAS"
JUNIT = ("JUnit.xsd", "junit-10.xsd")  # of Apache Ant's tasks, of Jenkins
CHECKER = """
import java.io.File;
import javax.xml.XMLConstants;
import javax.xml.transform.stream.StreamSource;
import javax.xml.validation.*;

public class Check {
    public static void main(String[] files) throws Exception {
        SchemaFactory factory = SchemaFactory.newInstance(XMLConstants.W3C_XML_SCHEMA_NS_URI);
        Validator validator = factory.newSchema(new File(files[0])).newValidator();
        for (int i = 1; i < files.length; i++) {
            try {
                validator.validate(new StreamSource(new File(files[i])));
                System.out.println("valid");
            } catch (org.xml.sax.SAXException error) {
                System.out.println(error.getMessage());
            }
        }
    }
}
"""


def published(name):
    """Return the path of a schema, or skip the test."""
    if not (folder := os.environ.get(VARIABLE)):
        pytest.skip(f"{VARIABLE} is not set: see CONTRIBUTING.md")
    path = Path(folder, name)
    assert path.is_file(), f"{path}: {VARIABLE} has no such schema"
    return path


def runs(tmp_path):
    """Return the reports of a run with every verdict, of one with hostile text, and of one without rows."""
    every = sample.write(tmp_path / "every", sample.every_verdict(), [sample.STALE])
    hostile = sample.write(tmp_path / "hostile", sample.hostile())
    empty = sample.write(tmp_path / "empty", [])
    return [build(load(folder)) for folder in (every, hostile, empty)]


def test_sarif(tmp_path):
    """Reports and the output of `colconf validate` are of OASIS' schema, which sees a wrong level."""
    schema = json.loads(published("sarif-schema-2.1.0.json").read_text("utf-8"))
    validator = jsonschema.Draft4Validator(schema, format_checker=jsonschema.Draft4Validator.FORMAT_CHECKER)
    logs = [sarif.render(report) for report in runs(tmp_path)]
    corpora = [str(CHECKED_IN / name) for name in ("parquet/fault", "orc/fault", "evolved/parquet/widen")]
    logs.append(CliRunner().invoke(validate, [*corpora, "--format", "sarif"]).stdout)
    for log in map(json.loads, logs):
        assert [error.message for error in validator.iter_errors(log)] == []
    results = [json.loads(log)["runs"][0]["results"] for log in logs]
    assert len(results[0]) >= 10
    assert len(results[-1]) > 400
    log["runs"][0]["results"][0]["level"] = "fatal"
    assert not validator.is_valid(log)


@pytest.mark.parametrize("name", JUNIT)
def test_junit(name, tmp_path):
    """Documents of a run, and of each engine, are of both schemas, which see an unknown attribute."""
    schema = published(name)
    if shutil.which("java") is None:
        pytest.skip("java, which knows XML Schema, is not installed")
    documents = [junit.render(report) for report in runs(tmp_path)]
    documents += junit.by_engine(build(load(tmp_path / "every"))).values()
    documents.append(documents[0].replace("<testcase ", '<testcase new="" ', 1))
    files = [tmp_path / f"{number}.xml" for number in range(len(documents))]
    for file, document in zip(files, documents, strict=True):
        file.write_text(document, "utf-8")
    (tmp_path / "Check.java").write_text(CHECKER)
    done = subprocess.run(
        ["java", tmp_path / "Check.java", schema, *files], capture_output=True, text=True, check=False
    )
    *good, bad = done.stdout.splitlines()
    assert good == ["valid"] * (len(documents) - 1), done.stderr
    assert "'new'" in bad
