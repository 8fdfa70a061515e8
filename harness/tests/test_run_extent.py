"""`colconf run`: parts of the cases, until the first finding, and with other known failures."""

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner

from corpora.importers import ImportProblem, import_paths
from corpora.known_failures import Entry, Judged, examine
from harness.commands import corpus, run_extent, run_options
from harness.commands.known import known
from harness.commands.run import run
from harness.commands.run_extent import Shard, selected
from harness.commands.run_options import FEW_FILES, LOCAL_MASTER, master_of
from harness.commands.upgrade import upgrade_command
from harness.environments.availability import Status
from harness.judging.results import load, load_run
from harness.runs.summary import Amount
from harness.tests.pipelines import files, go, process, verdicts
from reference_impl.errors import Unsupported


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Work in an empty folder with a folder of six files; return it."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "data").mkdir()
    for name in "abcdef":
        pq.write_table(pa.table({name: [1]}), tmp_path / "data" / f"{name}.parquet")
    return tmp_path


def invoke(command, *arguments):
    """Run a command in this process."""
    return CliRunner().invoke(command, [str(argument) for argument in arguments])


def test_shards_are_a_partition(folder):
    """Each case is in one of the parts, whatever the other cases are; a part without cases is refused."""
    imported = import_paths([folder / "data"])
    parts = []
    for number in (1, 2, 3):
        try:
            parts += [case.id for case in selected(imported, (), Shard(number, 3)).cases]
        except ImportProblem as error:
            assert "is selected by part" in str(error)  # noqa: PT017 - which parts are empty is not the point
    assert sorted(parts) == [case.id for case in imported.cases]
    assert Shard(1, 1).has("anything")


@pytest.mark.heavy
def test_cases_of_files_and_of_the_corpora(folder):
    """--case selects among the files given or, without files, among colconf's own cases, tables included."""
    common = ("--engine", "reference", "--no-spark", "--queries", "none", "-q")
    out = invoke(run, "--files", "data", "--case", "files/[ab]*", *common, "--out", "out", "--jobs", "1")
    assert out.exit_code == 0, out.output
    assert [row.case for row in load(folder / "out").rows] == ["files/a.parquet", "files/b.parquet"]
    settings = load(folder / "out").run.settings
    assert settings["case"] == ["files/[ab]*"]
    assert out.stderr == ""
    assert out.stdout.startswith("2 cases, 2 results: nothing unexpected\n")
    globs = ("--case", "parquet/alp/double/example", "--case", "evolved/orc/add/missing")
    own = invoke(run, *globs, "--engine", "reference", "--no-spark", "--out", "own")
    assert own.exit_code == 0, own.output
    cases = {row.case for row in load(folder / "own").rows}
    assert cases == {"parquet/alp/double/example", "evolved/orc/add/missing"}
    resumed = invoke(run, "--resume", "own")
    assert "was finished" in resumed.stderr
    assert run_extent.taken(settings) == {
        "case": ("files/[ab]*",), "shard": None, "fail_fast": False, "known": None
    }  # fmt: skip


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--case", "nothing*"], "no case of colconf's corpora matches 'nothing*'; see `colconf list cases`"),
        (["--case", "x", "--files", "data"], "none of the 6 cases is selected by x"),
        (["--case", "x", "--generate", "3"], "--case and --generate exclude each other"),
        (["--shard", "0/3"], "'0/3' is not a part such as 1/4"),
        (["--shard", "1/3"], "--shard requires --files, --tables or --case"),
        (["--fail-fast", "--time-budget", "1h"], "--fail-fast and --time-budget exclude each other"),
        (["-q", "-v"], "--quiet and --verbose exclude each other"),
        (["--jobs", "2", "--master", "local"], "--jobs and --master exclude each other"),
        (["--known", "nowhere"], "nowhere: no such folder of known failures"),
        (["--files", "data", "--history", "data/a.parquet"], "data/a.parquet: cannot be written"),
        (["--files", "data", "--history", "damaged"], "is not a history of colconf, or is damaged"),
        (["--files", "data", "--history", "data/a.parquet/x"], "a.parquet is not a folder"),
    ],
)
def test_what_contradicts_itself_is_refused_before_any_work(folder, arguments, message):
    """One line, status 2, and no folder of a run."""
    (folder / "damaged").mkdir()
    (folder / "damaged" / "history.ndjson").write_text("{}\n")
    result = invoke(run, *arguments, "--out", "out", "--no-spark", "--engine", "reference")
    assert result.exit_code == 2, result.output
    assert message in result.stderr
    assert not (folder / "out").exists()


def test_fail_fast_stops_after_the_first_finding(tmp_path):
    """No sheet is read after one with a finding; results and counts say what was left out."""
    names = ["bad", *(f"good{number:02}" for number in range(40))]
    imported = files(tmp_path / "in", names)
    results = go(tmp_path / "out", imported, process("Refuses"), fail_fast=True, jobs=1)
    assert 1 <= len(results.rows) < 41
    assert "refused_valid" in verdicts(results).values()
    assert results.run.counts["unread"] == 41 - results.run.counts["cases"]
    whole = go(tmp_path / "whole", files(tmp_path / "good", names[1:5]), process("Healthy"), fail_fast=True)
    assert len(whole.rows) == 4
    assert "unread" not in whole.run.counts


def test_other_known_failures(tmp_path):
    """--known lists the failures of the user: what it has is no finding, what fails no more is stale."""
    known_folder = tmp_path / "mine"
    known_folder.mkdir()
    entry = '[[failure]]\ncase = "files/bad"\nverdict = "refused_valid"\nreason = "ours"\n'
    (known_folder / "refuses.toml").write_text(entry)
    imported = files(tmp_path / "in", ["bad", "good"])
    results = go(tmp_path / "out", imported, process("Refuses"), known=known_folder)
    assert (results.run.counts["known"], results.run.counts["findings"]) == (1, 0)


def test_a_part_does_not_call_entries_with_wildcards_stale():
    """Of an entry about several cases, another part may have the one that fails; a named case is here."""
    rows = [Judged("files/a", "x", "1", {}, "agree")]
    entries = [Entry("x", "files/*", "different", "r"), Entry("x", "files/a", "different", "r")]
    assert [stale.entry.case for stale in examine(entries, rows, partial=True)] == ["files/a"]
    assert len(examine(entries, rows)) == 2


def test_amounts_of_a_summary():
    """Quiet prints no table and no questions, verbose all findings."""
    assert Amount.of(quiet=True, verbose=False).table is False
    assert Amount.of(quiet=False, verbose=True).findings is None


@pytest.mark.usefixtures("folder")
def test_other_commands_refuse_early(monkeypatch):
    """Versions, folders and a library that are not there are one line each."""
    monkeypatch.setattr(
        "harness.commands.upgrade_inputs.import_paths", lambda *_: pytest.fail("worked first")
    )
    absent = invoke(upgrade_command, "--from", "pyarrow@1.0", "--to", "pyarrow@1.1", "--out", "out")
    assert absent.exit_code == 2
    assert "pyarrow@1.0 cannot be run: it is not installed" in absent.output
    unknown = invoke(upgrade_command, "--from", "pyarrow@1.0", "--to", "pyarrow@1.1", "--report", "pdf")
    assert "unknown report 'pdf'" in unknown.output
    assert "nosuch: no such folder of known failures" in invoke(known, "update", "--known", "nosuch").output
    monkeypatch.setattr(corpus, "coverage_page", lambda: pytest.fail("worked first"))
    assert "/no: no such folder" in invoke(corpus.corpus, "fields", "--write", "/no/dir").output

    def lacks():
        raise Unsupported('LZO needs a library: pip install "colconf[lzo]"')

    monkeypatch.setattr(corpus, "lint_problems", lacks)
    lint = invoke(corpus.corpus, "lint")
    assert lint.exit_code == 2
    assert lint.output == 'Error: LZO needs a library: pip install "colconf[lzo]"\n'


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--resume", ""), "--resume with an empty path; is a shell variable unset?"),
        (("--out", ""), "--out with an empty path; is a shell variable unset?"),
        (("--known", ""), "--known with an empty path; is a shell variable unset?"),
        (("--known", "nosuch"), "nosuch: no such folder of known failures"),
        (("--master", "nosuch"), "--master 'nosuch' is no address of a Spark master; write local[4]"),
        (("--master", ""), "--master '' is no address of a Spark master"),
        (("--workdir", "data/a.parquet"), "data/a.parquet is a file, not a folder"),
        (("--workdir", "data/a.parquet/x"), "data/a.parquet is a file, not a folder"),
        (("--workdir", "ftp://host/x"), "ftp is none of the supported file systems"),
    ],
)
@pytest.mark.usefixtures("folder")
def test_options_that_name_nothing_are_refused(monkeypatch, arguments, message):
    """An empty path, one of the wrong kind, and a master that is none end in one line before any work."""
    monkeypatch.setattr("harness.commands.run.request_of", None)
    result = invoke(run, "--files", "data", *arguments)
    assert result.exit_code == 2, result.output
    (line,) = result.stderr.splitlines()
    assert message in line


@pytest.mark.parametrize(
    "master", ["local", "local[2]", "local[*, 3]", "spark://host:7077", "yarn", "k8s://a:1"]
)
def test_masters_of_spark(master):
    """Each form of address that Spark documents is taken."""
    assert run_extent._MASTER.fullmatch(master)


def test_few_files_are_read_without_a_pipeline_of_spark(folder):
    """A run of few files starts no Spark for its pipeline, and says so; `--master` starts one."""
    result = invoke(run, "--files", "data", "--engine", "reference", "--queries", "none", "--out", "out")
    assert "on local threads" in result.output
    assert load_run(folder / "out").pipeline.master is None


def test_many_files_are_read_on_spark(monkeypatch):
    """Without options, Spark runs the pipeline of a run of many files, and of one whose size is not known."""
    monkeypatch.setattr(run_options, "status", lambda entry: Status(entry, "4.3.0"))
    options = {"no_spark": False, "master": None, "jobs": None}
    assert [master_of(options, files) for files in (FEW_FILES, FEW_FILES + 1, None)] == [
        None,
        LOCAL_MASTER,
        LOCAL_MASTER,
    ]
    assert master_of(options | {"master": "local[1]"}, 1) == "local[1]"
