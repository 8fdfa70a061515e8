"""`colconf upgrade`: what it is asked, what it refuses, and its exit status."""

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner
from pyarrow import orc

from corpora.folders import copy
from harness.cli import main
from harness.commands import upgrade as command
from harness.engines.naming import EngineName, parse
from harness.environments.availability import Status, status_of
from harness.investigate.upgrade.choices import names
from harness.investigate.upgrade.request import Outcome
from harness.investigate.upgrade.tests.test_baseline import ENTRY, groups
from harness.runs.pipeline import selection
from harness.tests.schemas import printed

BOTH = ["upgrade", "--from", "pyarrow@14.0.2", "--to", "pyarrow@26.0.1"]
INSTALLED = {"14.0.2", "26.0.1", "3.5.9", "4.3.0"}  # of pyarrow and of Spark
ACCOUNT = {
    "schema_version": 1,
    "colconf": "0",
    "started": "",
    "finished": "",
    "arguments": [],
    "engine": "pyarrow",
    "groups": [],
    "inputs": [],
    "engines": [],
    "useless": [],
    "passed": True,
}


@pytest.fixture(autouse=True)
def _installed_versions(monkeypatch):
    """Let the versions in `INSTALLED` count as installed, whatever this machine has; no test runs them."""

    def status(engine: EngineName) -> Status:
        if engine.version in INSTALLED:
            return Status(engine.entry, engine.version)
        return status_of(engine)

    monkeypatch.setattr(selection, "status_of", status)


@pytest.fixture
def asked(monkeypatch, tmp_path):
    """Return a function that runs the command without running engines: its result, and what it asks."""
    seen = []

    def run(*arguments, unreviewed=()):
        monkeypatch.setattr(
            command, "upgrade", lambda one, _: seen.append(one) or Outcome(ACCOUNT, list(unreviewed))
        )
        monkeypatch.chdir(tmp_path)
        found = CliRunner().invoke(
            command.upgrade_command, [*arguments, "--report", "none"], catch_exceptions=True
        )
        return found, (seen[-1] if seen else None)

    return run


def test_the_exit_status(asked):
    """0 where nothing is left to review, 1 where something is."""
    assert asked(*BOTH[1:], "--corpora", "none")[0].exit_code == 0
    assert asked(*BOTH[1:], "--corpora", "none", unreviewed=groups("e | value | a"))[0].exit_code == 1


@pytest.mark.heavy
def test_what_is_read_by_default(asked):
    """Generated files, what both write, and a part of the corpus."""
    _, one = asked(*BOTH[1:])
    assert [given.name for given in one.inputs] == ["generated-parquet", "written-parquet", "corpus-parquet"]
    assert 0 < len(one.inputs[2].cases) <= 300
    assert one.inputs[0].every
    assert not one.inputs[2].every


@pytest.mark.heavy
def test_tables(asked, tmp_path):
    """`--tables` reads the checked-in table cases, or those of a folder, in the ways that read tables."""
    result, request = asked(*BOTH[1:], "--corpora", "none", "--generate", "0", "--no-writes", "--tables")
    assert result.exit_code == 0, result.output
    (given,) = request.inputs
    assert given.name == "evolved-parquet"
    assert len(given.cases) >= 200
    assert all(case.read is not None for case in given.cases)
    engine = parse("pyarrow@26.0.1")
    chosen = names(engine, "parquet", every=given.every, probed=False, tables=True)
    assert chosen
    assert not [name for name in chosen if "way=" in name]
    assert [
        name
        for name in names(parse("spark@4.3.0"), "parquet", every=False, probed=False, tables=True)
        if "way=" in name
    ]
    folder = tmp_path / "one"
    case = next(iter(given.cases))
    copy(case.file, folder)
    result, request = asked(
        *BOTH[1:], "--corpora", "none", "--generate", "0", "--no-writes", "--tables", str(folder)
    )
    assert {case.expectation.source for case in request.inputs[0].cases} == {"vote"}


def test_every_format_of_the_engine(asked):
    """Both formats of an engine that reads both; one of them if that is asked."""
    engines = ["--from", "spark@3.5.9", "--to", "spark@4.3.0", "--corpora", "none", "--no-writes"]
    assert [given.format for given in asked(*engines)[1].inputs] == ["parquet", "orc"]
    assert [given.format for given in asked(*engines, "--format", "orc")[1].inputs] == ["orc"]


def test_a_proposal_is_written(asked, tmp_path):
    """`--propose` names what nobody has reviewed."""
    asked(*BOTH[1:], "--corpora", "none", "--propose", "p.toml", unreviewed=groups("e | value | a"))
    assert 'signature = "e | value | a"' in (tmp_path / "p.toml").read_text("utf-8")


def test_a_baseline_is_read(asked, tmp_path):
    """`--baseline` is what the gate is held against."""
    (tmp_path / "b.toml").write_text(f"[[reviewed]]\n{ENTRY}", "utf-8")
    _, one = asked(*BOTH[1:], "--corpora", "none", "--baseline", str(tmp_path / "b.toml"))
    assert [entry.reviewer for entry in one.reviewed] == ["ana"]


def test_json(asked):
    """`--json` prints the account."""
    found, _ = asked(*BOTH[1:], "--corpora", "none", "--json")
    assert printed("upgrade", found.stdout) == ACCOUNT


def test_a_release_that_is_not_installed(asked):
    """It is refused before anything is compared."""
    result, request = asked("--from", "pyarrow@1.0.0.9", "--to", "pyarrow@26.0.1", "--corpora", "none")
    assert result.exit_code == 2
    assert "colconf engines install pyarrow@1.0.0.9" in result.output
    assert request is None


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--from", "pyarrow@14.0.2", "--to", "duckdb@1.0.0"], "different engines"),
        (["--from", "nothing@1", "--to", "nothing@2"], "unknown engine"),
        (["--from", "reference@1", "--to", "reference@2"], "no other versions"),
        (["--from", "spark@3.5.9:vectorized=off", "--to", "spark@4.3.0"], "different switches"),
        ([*BOTH[1:], "--format", "orc"], "reads parquet only"),
        ([*BOTH[1:], "--baseline", "none.toml"], "No such file"),
        ([*BOTH[1:], "--files", ""], "empty path"),
        ([*BOTH[1:], "--query", "WHERE a = 1"], "--query and --query-file require --files or --tables"),
        ([*BOTH[1:], "--schema", "a.parquet"], "--schema a.parquet: --tables has 0 folders; give a folder"),
        ([*BOTH[1:], "--query", "WHERE a ="], "--query: character 10: a constant is expected here"),
        ([*BOTH[1:], "--corpora", "none", "--generate", "0", "--no-writes"], "nothing to compare"),
        (["--from", "pyarrow@1.0.0.9", "--to", "pyarrow@26.0.1", "--corpora", "none"], "engines install"),
    ],
)
def test_what_cannot_be_asked(tmp_path, monkeypatch, capsys, arguments, said):
    """A question that is none is one line on standard error, and status 2."""
    monkeypatch.chdir(tmp_path)
    assert main(["upgrade", *arguments]) == 2
    assert said in capsys.readouterr().err


def test_files_that_the_engine_does_not_read_are_refused(asked, tmp_path):
    """They would be left out without a word; --format says that they may be."""
    pq.write_table(pa.table({"a": [1]}), tmp_path / "a.parquet")
    orc.write_table(pa.table({"a": [1]}), tmp_path / "b.orc")
    arguments = (*BOTH[1:], "--corpora", "none", "--generate", "0", "--no-writes", "--files", str(tmp_path))
    found, request = asked(*arguments)
    assert (found.exit_code, request) == (2, None)
    assert "1 of the given files and tables are ORC, which pyarrow does not read" in found.stderr
    found, request = asked(*arguments, "--format", "parquet")
    assert found.exit_code == 0
    assert [given.format for given in request.inputs] == ["parquet"]


def test_folders_that_are_no_tables_are_refused(asked, tmp_path):
    """A folder beside good ones that cannot be compared is named, as a file is, and nothing is signed off."""
    for name in ("good", "empty"):
        (tmp_path / name).mkdir()
    pq.write_table(pa.table({"a": [1]}), tmp_path / "good" / "a.parquet")
    folders = ("--tables", str(tmp_path / "good"), "--tables", str(tmp_path / "empty"))
    found, request = asked(*BOTH[1:], "--corpora", "none", "--generate", "0", "--no-writes", *folders)
    assert (found.exit_code, request) == (2, None)
    assert "empty: a table has files of one format" in found.stderr
    assert "1 of the given folders cannot be used" in found.stderr


def test_queries_of_the_user(asked, tmp_path):
    """Files and reads of folders have the queries that fit them; large files have none, which is said."""
    folder = tmp_path / "table" / "day=1"
    folder.mkdir(parents=True)
    for number, file in enumerate((tmp_path / "a.parquet", folder / "b.parquet")):
        pq.write_table(pa.table({"a": [number] * 9}), file)
    common = (*BOTH[1:], "--corpora", "none", "--generate", "0", "--no-writes")
    own = ("--files", str(tmp_path / "a.parquet"), "--tables", str(tmp_path / "table"))
    queries = ("--query", "WHERE a = 1", "--query", "WHERE day = 1")
    found, request = asked(*common, *own, *queries)
    assert found.exit_code == 0, found.output
    given = {
        case.id: [str(probe.query) for probe in case.probes] for one in request.inputs for case in one.cases
    }
    assert given == {
        "files/a.parquet": ["a = 1"],
        "tables/table/schema-0": ["a = 1", "day = 1"],
        "tables/table/unified": ["a = 1", "day = 1"],
        "tables/table/nothing": ["day = 1"],
    }
    assert {str(query): text for query, text in request.given.items()} == {
        "a = 1": "WHERE a = 1",
        "day = 1": "WHERE day = 1",
    }
    assert found.stderr == "query WHERE day = 1: not run on 1 of 4 cases: no column day (files/a.parquet)\n"
    pq.write_table(pa.table({"a": [1], "b": [2]}), tmp_path / "declared.parquet")
    _, request = asked(
        *common, *own[2:], "--schema", str(tmp_path / "declared.parquet"), "--query", "WHERE b = 1"
    )
    queried = {case.id: len(case.probes) for case in request.inputs[0].cases}
    assert queried.pop("tables/table/declared") == 1
    assert set(queried.values()) == {0}
    found, request = asked(*common, *own[:2], *queries[:2], "--digest-above", "1")
    assert [one.name for one in request.inputs] == ["large-parquet"]
    assert "no query is run on 1 of the files, which are large and compared by digests" in found.stderr
