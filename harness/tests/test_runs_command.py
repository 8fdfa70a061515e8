"""Many runs: exported, compared by Spark SQL, read when they are of an older version, and removed."""

import csv
import io
import json
import shutil

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner

from harness.commands.export import export
from harness.commands.runs import diff, runs, trend
from harness.engines.registry import ENGINES
from harness.environments import availability
from harness.judging.results import load
from harness.judging.run_record import SCHEMA_VERSION
from harness.runs.pipeline.archive import partitions
from harness.runs.pipeline.dataset import DIGEST, PART, TABLES, seal
from harness.tests.pipelines import files, go, process, pushing
from harness.tests.schemas import printed


def invoke(command, *arguments):
    """Run a command in this process."""
    return CliRunner().invoke(command, [str(argument) for argument in arguments])


@pytest.fixture
def two(tmp_path):
    """Make two runs of one engine; answer their folders."""
    imported = files(tmp_path / "in", ["a", "b"], together=True)
    (tmp_path / "runs").mkdir()
    for name in ("1", "2"):
        go(tmp_path / "runs" / name, imported, process("Healthy"), known=tmp_path / "known")
    return tmp_path / "runs" / "1", tmp_path / "runs" / "2"


def part_of(out, table):
    """Return the file of a run's dataset."""
    (part,) = (out / "dataset" / table).glob(f"*/{PART}")
    return part


def edited(out, table, change):
    """Change a file of a run's dataset, as another version would have written it."""
    part = part_of(out, table)
    pq.write_table(change(pq.ParquetFile(part).read()), part)
    seal(part)


def compared(two):
    """Change two runs: one is of an older version without some columns, the other has a worse verdict."""
    before, after = two

    def worse(table):
        verdicts = table["verdict"].to_pylist()
        place = table.schema.get_field_index("verdict")
        return table.set_column(place, "verdict", pa.array(["crashed", *verdicts[1:]]))

    def older(table):
        said = {b"colconf.schema_version": b"1"}
        return table.drop_columns(["probe", "known"]).replace_schema_metadata(said)

    edited(after, "verdicts", worse)
    edited(before, "verdicts", older)
    return before, after


@pytest.mark.heavy
@pytest.mark.spark
def test_spark_answers_the_same(two):
    """Spark SQL, where an archive is on a cluster, answers what is answered without it."""
    status = availability.status(ENGINES["spark"])
    if not status.available:
        pytest.skip(status.reason)
    before, after = compared(two)
    other = edited_version(after)
    for arguments in ((trend, before.parent), (diff, before, other)):
        here, there = (invoke(*arguments, "--json", *more) for more in ((), ("--master", "local[2]")))
        assert json.loads(here.stdout) == json.loads(there.stdout)


def test_trend_of_a_single_result(tmp_path):
    """Counts are numbers, even of one result."""
    imported = files(tmp_path / "in", ["bad"])
    go(tmp_path / "out", imported, process("Refuses"), known=tmp_path / "known")
    (row,) = printed("trend", invoke(trend, tmp_path / "out", "--json").stdout)
    assert (row["results"], row["findings"], row["fine"]) == (1, 1, 0)


def edited_version(out):
    """Return a copy of a run in which the engine has another version and one case less."""
    other = out.with_name("3")
    shutil.copytree(out, other)
    run = json.loads((out / "run.json").read_text())
    (other / "run.json").write_text(json.dumps({**run, "id": "29991231-000000000-abcdef"}))
    for table in TABLES:
        folder = part_of(other, table).parent
        folder.rename(folder.with_name("run=29991231-000000000-abcdef"))

    def newer(table):
        place = table.schema.get_field_index("version")
        return table.set_column(place, "version", pa.array(["2"] * len(table))).slice(1)

    edited(other, "verdicts", newer)
    return other


def test_another_version_is_compared_with_what_there_is(two):
    """A version that the later run lacks is compared with the one that it has; a lost case has no verdict."""
    before, _ = two
    result = invoke(diff, before, edited_version(before), "--json")
    (row,) = printed("diff", result.stdout)
    assert (row["case"], row["version_before"], row["version_after"]) == ("files/a", "1", None)
    assert (row["before"], row["after"]) == ("agree", None)


def test_trend_and_diff(two, monkeypatch):
    """Runs in a row, and what differs between two, without a JVM; a pipe gets tabs."""
    monkeypatch.setattr("harness.runs.pipeline.archive.opened", lambda *_: pytest.fail("Spark was started"))
    before, after = compared(two)
    told = printed("trend", invoke(trend, before.parent, "--json").stdout)
    ids = [load(one).run.id for one in two]
    assert [(row["run"], row["results"], row["fine"], row["known"]) for row in told] == [
        (ids[0], 2, 2, 0),
        (ids[1], 2, 1, 0),
    ]
    result = invoke(diff, before, after, "--json")
    assert result.exit_code == 1
    (row,) = printed("diff", result.stdout)
    assert (row["case"], row["before"], row["after"]) == ("files/a", "agree", "crashed")
    assert invoke(diff, before, before).exit_code == 0
    head, line = invoke(diff, before, after).stdout.splitlines()
    assert dict(zip(head.split("\t"), line.split("\t"), strict=True)) == {
        name: value or "" for name, value in row.items()
    }


def test_diff_of_an_engine(tmp_path):
    """`--engine` restricts a diff by name, version and switches; one without results is refused."""
    imported = files(tmp_path / "in", ["bad"])
    for name in ("1", "2"):
        engines = [pushing("Refuses" if name == "2" else "Healthy", name=each) for each in ("one", "two")]
        go(tmp_path / name, imported, *engines, known=tmp_path / "known")
    outs = tmp_path / "1", tmp_path / "2"

    def of(*names):
        result = invoke(diff, *outs, "--json", *(f"--engine={name}" for name in names))
        assert result.exit_code == 1
        return [(row["engine"], row["config"]) for row in printed("diff", result.stdout)]

    every = [(name, config) for name in ("one", "two") for config in ("", "pushdown=off")]
    assert of() == of("one", "two") == every
    assert of("one") == of("one@1") == every[:2]
    assert of("two:pushdown=off") == of("two@1:pushdown=off") == every[3:]
    refused = invoke(diff, *outs, "--engine", "three")
    assert refused.exit_code == 2
    assert "--engine three: neither run has results of it; they have one, two" in refused.stderr


def test_diff_names_files(two):
    """A case of a user's file has the path; the id stays beside it."""
    (row,) = printed("diff", invoke(diff, *compared(two), "--json").stdout)
    assert (row["case"], row["file"]) == ("files/a", str(two[0].parents[1] / "in" / "a"))


def test_a_newer_dataset_is_refused(two):
    """One line, and status 2."""
    newer = {b"colconf.schema_version": str(SCHEMA_VERSION + 1).encode()}
    edited(two[0], "verdicts", lambda table: table.replace_schema_metadata(newer))
    result = invoke(trend, *two)
    assert result.exit_code == 2
    assert f"of schema version {SCHEMA_VERSION + 1}; this colconf knows {SCHEMA_VERSION}" in result.stderr


def test_a_damaged_dataset_is_refused(two):
    """Lost rows and a missing table are errors that name the file, not a smaller run."""
    part = part_of(two[0], "verdicts")
    whole = part.read_bytes()
    pq.write_table(pq.ParquetFile(part).read().slice(1), part)
    result = invoke(trend, *two)
    assert result.exit_code == 2
    assert f"{part}: not as it was written: run it again" in result.stderr
    part.write_bytes(whole)
    shutil.rmtree(part_of(two[1], "findings").parent)
    result = invoke(trend, *two)
    assert result.exit_code == 2
    assert f"run {load(two[1]).run.id}: its dataset has no findings: run it again" in result.stderr


def test_a_dataset_without_digests_is_read(two):
    """A colconf before digests wrote none."""
    for table in TABLES:
        part_of(two[0], table).with_name(DIGEST).unlink()
    assert len(partitions(two)) == 2


def test_an_older_run_is_read(two):
    """What it does not say has a default."""
    out = two[0]
    run = json.loads((out / "run.json").read_text())
    del run["pipeline"], run["digests"]
    (out / "run.json").write_text(json.dumps({**run, "schema_version": 1}))
    rows = [json.loads(line) for line in (out / "results.ndjson").read_text().splitlines()]
    for row in rows:
        del row["detail"]["probe"]
    (out / "results.ndjson").write_text("".join(json.dumps(row) + "\n" for row in rows))
    results = load(out)
    assert results.run.pipeline == (None, None)
    assert {row.detail.probe for row in results.rows} == {None}


def test_export(two, tmp_path):
    """Each format has every row; columns of csv and parquet are those of the dataset."""
    out = two[0]
    lines = invoke(export, out).stdout
    assert lines == (out / "results.ndjson").read_text()
    assert all(printed("export", line)["case"] for line in lines.splitlines())
    rows = list(csv.DictReader(io.StringIO(invoke(export, out, "--format", "csv").stdout)))
    assert [row["case"] for row in rows] == ["files/a", "files/b"]
    assert json.loads(rows[0]["equivalences"]) == []
    assert invoke(export, out, "--format", "parquet", "--out", tmp_path / "x.parquet").exit_code == 0
    table = pq.ParquetFile(tmp_path / "x.parquet").read()
    assert table["verdict"].to_pylist() == ["agree", "agree"]
    assert table.column_names == list(rows[0])
    assert invoke(export, out, "--format", "parquet").exit_code == 2
    assert "not the folder of a run" in invoke(export, tmp_path).stderr


def test_old_runs_are_removed(two):
    """The newest stays, and so do files that are not colconf's."""
    before, after = two
    (before / "notes.txt").write_text("mine")
    folder = before.parent
    assert invoke(runs, "prune", folder).exit_code == 2
    assert "would remove" in invoke(runs, "prune", folder, "--keep", 1, "--dry-run").stdout
    assert len(printed("runs list", invoke(runs, "list", folder, "--json").stdout)) == 2
    assert invoke(runs, "prune", folder, "--days", 1).stdout == "0.0 MiB\n"
    result = invoke(runs, "prune", folder, "--keep", 1)
    assert result.exit_code == 0, result.output
    assert [path.name for path in before.iterdir()] == ["notes.txt"]
    assert (after / "run.json").exists()


def test_earlier_runs_in_a_dataset_are_removed(two):
    """A run that was repeated leaves its partition of the dataset, which goes in its turn."""
    out = two[0]
    (part,) = (out / "dataset" / "verdicts").iterdir()
    shutil.copytree(part, part.with_name("run=20200101-000000-abcdef"))
    assert "removed 20200101-000000-abcdef" in invoke(runs, "prune", out, "--days", 30).stdout
    assert [one.name for one in (out / "dataset" / "verdicts").iterdir()] == [part.name]
