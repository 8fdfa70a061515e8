"""Engines from manifests: a program of another project, which speaks the protocol itself."""

import json
import os
import re
import subprocess
import sys
from importlib.metadata import EntryPoint
from pathlib import Path

import psutil
import pytest
from click.testing import CliRunner

from corpora.build.control import controls
from corpora.constants import FLOAT_ORDERS
from corpora.tables import LAYOUTS
from harness import cli, settings
from harness.children.connection import Connection, Limits, StartError
from harness.children.outcomes import OutcomeKind
from harness.children.processes import MARK
from harness.cli import colconf
from harness.engines import registry
from harness.engines.naming import NamingError, parse
from harness.engines.registry import ENGINES
from harness.environments.availability import status_of
from harness.investigate.minimize.search import Search
from harness.runs.pipeline.selection import SelectionError, select
from harness.tests.events import PATIENCE, wait_for
from harness.tests.foreign_manifests import ROOT, forget, manifest, text
from harness.tests.schemas import printed


@pytest.fixture(autouse=True)
def own_registry(monkeypatch):
    """Forget what a test registers."""
    forget(monkeypatch)


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """Return the control files of Parquet by name."""
    cases = controls.cases("parquet", tmp_path_factory.mktemp("control"))
    return {controls.name(case): case.file for case in cases}


def launched(folder, fault="honest", more="", tables=""):
    """Return how the reader is started."""
    return status_of(parse(str(manifest(folder, fault, more, tables)))).launch


_CLAIM = "[[equivalences]]\nname = 'nanos-as-micros'\npage = 'https://a.b/c'\n"


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (("protocol = 3", "protocol = 2"), "protocol is 2, this colconf speaks 3; write protocol = 3"),
        (("protocol = 3", ""), "protocol is missing"),
        (("protocol = 3", "protocol"), "not TOML"),
        (('name = "my_reader"', 'name = "My"'), "use lowercase letters, digits and _, such as my_reader"),
        (('name = "my_reader"', 'name = "duckdb"'), "is that of colconf itself; give another name"),
        (("command = [", "command = []\nx = ["), 'command is empty; write command = ["./my-reader"]'),
        (("command = [", "comand = ["), "command is missing; is it comand?"),
        (('["parquet", "orc"]', '["csv"]'), "formats has 'csv'; use parquet, orc"),
        (("[variables]", "[varaibles]"), "unknown key varaibles; did you mean variables?"),
        (("[variables]", "[switches]\nway = ['a']\n[variables]"), "needs two different values or more"),
        (
            ("[variables]", "[traits]\nfloat_order = 'x'\n[variables]"),
            f"use one of {', '.join(FLOAT_ORDERS)}",
        ),
        (("[variables]", "[limits]\nseconds = 0\n[variables]"), "limits.seconds is 0, not a number above 0"),
        (
            ("[variables]", "[limits]\nmemory_mib = inf\n[variables]"),
            "limits.memory_mib is inf; write 1000000000",
        ),
        (("[variables]", f"[limits]\nseconds = {'9' * 400}\n[variables]"), "; write 1000000000 or less"),
        (("[variables]", "[limits]\nmemory_mib = 1e-7\n[variables]"), "memory_mib is 1e-07; write 1 or more"),
        (("[variables]", '[variables]\nX = "a\\u0000b"'), "variables.X is 'a\\x00b', not a text of one line"),
        (("command = [", 'command = ["a\\u0000b", '), "command has U+0000, which no program can be given"),
        (('["parquet", "orc"]', '["parquet", "parquet"]'), "formats has a value twice"),
        (
            ("[variables]", "[ways]\nread = ['zzz']\n[variables]"),
            "ways.read is about the switch way; add way",
        ),
        (("[variables]", f"{_CLAIM}{_CLAIM}[variables]"), "the equivalence nanos-as-micros is there twice"),
        (("[variables]", "[lineage]\norc2 = 'a'\n[variables]"), "lineage names 'orc2'"),
        (("[variables]", "[variables]\nTMPDIR = 'x'"), "the variable TMPDIR is set by colconf; leave it out"),
        (("[variables]", "[adapter]\nmodule = 'os'\n[variables]"), "unknown key adapter"),
        (
            ("[variables]", "[[equivalences]]\nname = 'nanos-as-micros'\npage = 'there'\n[variables]"),
            "give the address that documents it",
        ),
        (
            ("[variables]", "[[equivalences]]\nname = 'nanos-as-micro'\npage = 'https://a.b/c'\n[variables]"),
            "unknown equivalence 'nanos-as-micro'; did you mean nanos-as-micros?",
        ),
    ],
)
def test_a_bad_manifest_is_one_line(tmp_path, capsys, change, message):
    """A mistake in a manifest is one line, which says how to mend it, and exit status 2."""
    file = tmp_path / "x.toml"
    file.write_text(text().replace(*change))
    assert cli.main(["run", "--generate", "1", "--engine", str(file), "--out", str(tmp_path / "out")]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith(f"colconf: {file}: ")
    assert message in line


def test_a_program_with_a_slash_is_beside_its_manifest(tmp_path):
    """A program and a need of a path are looked for from the manifest's folder, an argument is not."""
    file = tmp_path / "my-reader.toml"
    head = 'protocol = 3\nname = "my_reader"\nformats = ["orc"]\n'
    file.write_text(head + 'command = ["bin/reader", "a/b"]\nneeds = ["bin/tool", "/bin/sh", "node"]\n')
    entry = registry.register(file)
    assert entry.command == (str(tmp_path / "bin/reader"), "a/b")
    assert entry.needs == (str(tmp_path / "bin/tool"), "/bin/sh", "node")


def test_a_manifest_has_many_paths(tmp_path, monkeypatch):
    """The same file under another spelling of its path is the same engine."""
    (tmp_path / "inner").mkdir()
    monkeypatch.chdir(tmp_path / "inner")
    registry.register(manifest(tmp_path))
    assert registry.register(Path("../my-reader.toml")).name == "my_reader"
    manifest(tmp_path / "inner")
    with pytest.raises(registry.ManifestError, match="give another name"):
        registry.register(Path("my-reader.toml"))


def test_what_is_missing_is_told_with_the_remedy(tmp_path, capsys):
    """A program that is not there, and a reader that does not start, are one line with how to install it."""
    more = 'needs = ["no-such-program"]\ninstall = "make reader"'
    with pytest.raises(SelectionError, match="program is not there: no-such-program; make reader"):
        select([str(manifest(tmp_path, more=more))], ["parquet"], every_switch=False)
    with pytest.raises(SelectionError, match=r"crashed: exit status 1.*no licence; make reader"):
        select([str(manifest(tmp_path, "dies", 'install = "make reader"'))], ["parquet"], every_switch=False)
    assert cli.main(["run", "--engine", str(tmp_path / "none.toml")]) == 2
    assert "none.toml: No such file" in capsys.readouterr().err


def test_only_the_variables_of_the_manifest(tmp_path, monkeypatch):
    """The child sees what its manifest names, and nothing else of our environment."""
    monkeypatch.setenv("SECRET", "1")
    monkeypatch.setenv("WANTED", "1")
    monkeypatch.setenv("LD_PRELOAD_OF_OURS", "1")
    with Connection(launched(tmp_path, more='environment = ["WANTED", "NOT_SET"]')) as connection:
        runtime = connection.describe()["runtime"]
        child = psutil.Process(connection._child.family.pid)
        given = child.environ()
        assert os.getsid(child.pid) == os.getpgid(child.pid) == child.pid
    # The child is a Python, which sets LC_CTYPE itself.
    assert set(runtime.split()) - {"LC_CTYPE"} == {"PYTHONPATH", "WANTED", "TMPDIR", MARK}
    assert set(given) - {"LC_CTYPE"} == {"PYTHONPATH", "WANTED", "TMPDIR", MARK}
    assert given["PYTHONPATH"] == str(ROOT)


def test_limits_are_the_lower_ones(tmp_path):
    """The time and memory limits of a manifest hold, and a run's hold where they are lower."""
    file = tmp_path / "hang.parquet"
    file.write_bytes(b"PAR1")
    with Connection(launched(tmp_path, "hangs", tables="[limits]\nseconds = 0.3\n")) as connection:
        assert connection.read(file, "parquet", {}).kind is OutcomeKind.HUNG
    launch = launched(tmp_path, "eats", tables="[limits]\nmemory_mib = 400\nseconds = 100\n")
    with Connection(launch, Limits(seconds=PATIENCE)) as connection:
        assert connection.limits.seconds == 100
        assert connection.read(file, "parquet", {}).kind is OutcomeKind.OUT_OF_MEMORY
    with Connection(launch, Limits(seconds=50, memory_bytes=1 << 20)) as connection:
        assert (connection.limits.seconds, connection.limits.memory_bytes) == (50, 1 << 20)


_PARENT = """
import sys, threading
from harness.children.connection import Connection
from harness.engines.naming import parse
from harness.environments.availability import status_of
connection = Connection(status_of(parse(sys.argv[1])).launch)
connection.describe()
print(connection._child.family.pid, flush=True)
threading.Thread(target=connection.read, args=(sys.argv[2], "parquet", {})).start()
"""


@pytest.mark.skipif(sys.platform != "linux", reason="the leash is Linux's")
def test_parent_dies(tmp_path):
    """When colconf is killed, the kernel ends a reader that hangs in a request."""
    command = [sys.executable, "-c", _PARENT, str(manifest(tmp_path, "hangs")), str(tmp_path / "hang")]
    environment = {**os.environ, "TMPDIR": str(tmp_path)}
    parent = subprocess.Popen(command, stdout=subprocess.PIPE, env=environment, cwd=ROOT)
    child = psutil.Process(int(parent.stdout.readline()))
    parent.kill()
    parent.wait()
    parent.stdout.close()
    wait_for(lambda: not child.is_running() or child.status() == psutil.STATUS_ZOMBIE)


@pytest.mark.parametrize(
    ("fault", "message"),
    [
        ("name", "`name` is 'somebody', in the manifest 'my_reader'"),
        ("banner", "more than one reply|not JSON"),
        ("old", "not a message of version 3"),
    ],
)
def test_a_bad_handshake(tmp_path, fault, message):
    """A reader that describes itself wrongly does not start, and the reason is told."""
    with Connection(launched(tmp_path, fault)) as connection, pytest.raises(StartError, match=message):
        connection.describe()


def test_requests_that_a_reader_does_not_list(tmp_path, files):
    """What is not in `ops` is not sent, and is `unsupported`; an honest reader reads all the same."""
    with Connection(launched(tmp_path)) as connection:
        names = [files["int32"]]
        many = connection.read_many(names, "parquet", {})
        assert many.kind is OutcomeKind.UNSUPPORTED
        assert many.detail.message == "its description does not list the op read_many"
        assert connection.digest(names[0], "parquet", {}, 8)[1].kind is OutcomeKind.UNSUPPORTED
        assert connection.read(names[0], "parquet", {}).kind is OutcomeKind.TABLE
        assert connection.starts == 1
        missing = connection.read(tmp_path / "missing", "parquet", {})
    assert (missing.kind, missing.detail.phase) == (OutcomeKind.REFUSED, "read")


def test_names_that_are_no_text(tmp_path, files, monkeypatch):
    """A file whose name is no UTF-8 is given to a reader by a link with a plain name."""
    odd = tmp_path / os.fsdecode(b"\xff.parquet")
    odd.write_bytes(files["plain"].read_bytes())
    lines = []
    with Connection(launched(tmp_path)) as connection:
        connection.describe()
        exchange = connection._child.exchange
        monkeypatch.setattr(
            connection._child, "exchange", lambda line, *limit: lines.append(line) or exchange(line, *limit)
        )
        outcome = connection.read(odd, "parquet", {})
    assert (outcome.kind, outcome.table.num_rows) == (OutcomeKind.TABLE, 4)
    assert "udcff" not in lines[0].decode()


@pytest.mark.parametrize(
    ("fault", "message"),
    [
        ("numbers", 'decimal string such as "-7", not'),
        ("ragged", "values, the table"),
        ("noise", "reply|JSON"),
    ],
)
def test_malformed_tables_are_nobodys_values(tmp_path, files, fault, message):
    """A table that is not well formed is `misspoke`, with the place of what is wrong."""
    with Connection(launched(tmp_path, fault)) as connection:
        outcome = connection.read(files["int32"], "parquet", {})
    assert outcome.kind is OutcomeKind.MISSPOKE
    assert re.search(message, outcome.detail.message)


def test_found_by_project_folder_and_package(tmp_path, monkeypatch):
    """A manifest is found by pyproject.toml, by a folder of COLCONF_ENGINES, and by an entry point."""
    project, folder = tmp_path / "project", tmp_path / "folder"
    for each in (project, folder):
        each.mkdir()
        manifest(each)
    (project / "pyproject.toml").write_text('[tool.colconf.engines]\nmy_reader = "my-reader.toml"\n')
    (folder / "Cargo.toml").write_text('[package]\nname = "x"\n')
    registry.discover(project)
    assert settings.load(project, {}) == {}  # options of `run` stand in the same table
    assert ENGINES["my_reader"].manifest == str(project / "my-reader.toml")
    with pytest.raises(NamingError, match="give another name"):
        parse(str(folder / "my-reader.toml"))
    del ENGINES["my_reader"]
    monkeypatch.setenv("COLCONF_ENGINES", str(folder))
    registry.discover(folder)
    assert ENGINES.pop("my_reader").manifest == str(folder / "my-reader.toml")
    monkeypatch.delenv("COLCONF_ENGINES")
    monkeypatch.syspath_prepend(tmp_path)
    code = f"def path():\n    return {str(folder / 'my-reader.toml')!r}\n"
    (tmp_path / "pack_with_engine.py").write_text(code)
    point = EntryPoint("x", "pack_with_engine:path", registry.GROUP)
    monkeypatch.setattr(registry, "entry_points", lambda group: [point] if group == registry.GROUP else [])
    registry.discover(folder)
    assert parse("my_reader").entry.foreign is not None


@pytest.mark.parametrize("command", ["replay", "minimize", "validate", "findings export", "bisect"])
def test_an_engine_that_came_with_a_file_is_not_started(tmp_path, monkeypatch, command):
    """Commands that read what somebody may have sent start an engine of the folder only if it is named."""
    (tmp_path / "evil.toml").write_text("is no manifest")
    (tmp_path / "pyproject.toml").write_text('[tool.colconf.engines]\nevil = "evil.toml"\n')
    monkeypatch.chdir(tmp_path)
    unread = CliRunner().invoke(colconf, [*command.split(), "nowhere.parquet"])
    assert "evil.toml" not in unread.output
    for given in (["--engine", "evil"], ["--engine=evil@1"]):
        read = CliRunner().invoke(colconf, [*command.split(), "nowhere.parquet", *given])
        assert (read.exit_code, "evil.toml" in read.output) == (2, True)
    assert "evil.toml" in CliRunner().invoke(colconf, ["run", "--files", "x"]).output


def test_a_manifest_that_is_no_file_blocks_no_command(tmp_path):
    """A FIFO that a pyproject.toml registers is not opened to see its name, nor is one in its own place."""
    (tmp_path / "pyproject.toml").write_text('[tool.colconf.engines]\nevil = "fifo"\n')
    os.mkfifo(tmp_path / "fifo")
    registry.discover(tmp_path, named=())
    assert {"evil"} == registry.UNNAMED
    (tmp_path / "pyproject.toml").unlink()
    os.mkfifo(tmp_path / "pyproject.toml")
    registry.discover(tmp_path)
    assert not registry.UNNAMED


def test_an_engine_that_is_not_started_is_named(tmp_path):
    """Who asks for it in other words than --engine is told how to."""
    (tmp_path / "pyproject.toml").write_text('[tool.colconf.engines]\nmy_reader = "my-reader.toml"\n')
    registry.discover(tmp_path, named=())
    with pytest.raises(NamingError, match="this command starts it only if --engine names it"):
        parse("my_reader")
    manifest(tmp_path)
    (tmp_path / "pyproject.toml").write_text('[tool.colconf.engines]\nalias = "my-reader.toml"\n')
    registry.discover(tmp_path, named=())
    with pytest.raises(NamingError, match="this command starts it only if --engine names it"):
        parse("my_reader")
    registry.discover(tmp_path, named=["my_reader"])
    assert parse("my_reader").entry.foreign is not None
    del ENGINES["my_reader"]
    registry.discover(tmp_path / "elsewhere")
    with pytest.raises(NamingError, match="known: reference"):
        parse("my_reader")


@pytest.fixture(scope="module")
def planted(tmp_path_factory):
    """Run generated files against a reader with a planted bug; return manifest and folder of the run."""
    folder = tmp_path_factory.mktemp("planted")
    file, out = manifest(folder, "plant"), folder / "out"
    options = ["--generate", "24", "--seed", "7", "--no-spark", "--report", "none"]
    status = cli.main(["run", *options, "--engine", str(file), "--out", str(out)])
    ENGINES.pop("my_reader", None)
    assert status == 1
    return file, out


@pytest.mark.heavy
def test_a_planted_bug_is_found(planted):
    """A run over generated files finds what the reader does to the last value."""
    _, out = planted
    findings = [json.loads(line) for line in (out / "findings.ndjson").read_text().splitlines()]
    assert {finding["verdict"] for finding in findings} == {"different"}
    assert all("expected" in finding["difference"] for finding in findings)
    record = json.loads((out / "run.json").read_text())
    assert record["asked"]["manifests"] == {"my_reader": str(planted[0])}
    assert record["engines"][0]["version"] == "1.0"


@pytest.mark.heavy
def test_a_finding_is_exported_and_replayed(planted, tmp_path, capsys, monkeypatch):
    """A run's findings are exported without naming the manifest again; `replay` and `minimize` take it."""
    file, out = planted
    # The search ends after some candidates, not after some seconds, in which a busy machine does not find it.
    monkeypatch.setattr(Search, "_is_late", lambda search: search.progress.tried >= 8)
    assert cli.main(["findings", "export", str(out), "--out", str(tmp_path / "found")]) == 0
    folder, *_ = sorted((tmp_path / "found").iterdir())
    assert "colconf replay FOLDER --engine MANIFEST" in (folder / "issue.md").read_text()
    ENGINES.pop("my_reader", None)
    assert cli.main(["replay", str(folder)]) == 2
    capsys.readouterr()
    assert cli.main(["replay", str(folder), "--engine", str(file), "--json"]) == 1
    assert printed("replay", capsys.readouterr().out)["shows"]
    options = ["--engine", str(file), "--time-budget", "1h", "--out", str(tmp_path / "small"), "--json"]
    assert cli.main(["minimize", f"{out}:my_reader", *options]) == 0
    small = printed("minimize", capsys.readouterr().out)
    assert small["progress"]["size"] < small["original"]
    assert printed("minimize", (tmp_path / "small/minimize.json").read_text()) == small


def test_engines_and_doctor_list_it(tmp_path, monkeypatch, capsys):
    """`engines list` and `doctor` show the engine with its version."""
    manifest(tmp_path)
    monkeypatch.setenv("COLCONF_ENGINES", str(tmp_path))
    assert cli.main(["engines", "list", "--json"]) == 0
    (entry,) = [
        one for one in printed("engines list", capsys.readouterr().out) if one["engine"] == "my_reader"
    ]
    assert (entry["version"], entry["available"]) == ("1.0", True)
    cli.main(["doctor"])
    assert "my_reader" in capsys.readouterr().out


def writers(file):
    """Return the names of the writers of a run with the reader of a manifest."""
    chosen = select([str(file)], ["parquet"], every_switch=False).processes
    return [process.name for process in chosen if process.writes]


def test_a_reader_that_lists_write_is_a_writer(tmp_path, files):
    """A run has it write, and the file holds the table; one that lists no such op is not asked."""
    file = manifest(tmp_path, "writes")
    assert writers(file) == ["my_reader"]
    target, options = tmp_path / "written.parquet", LAYOUTS[0].options()
    with Connection(status_of(parse(str(file))).launch) as connection:
        table, strings = (connection.read(files[name], "parquet", {}).table for name in ("plain", "string"))
        kinds = [connection.write(target, "parquet", {}, each, options).kind for each in (table, strings)]
        assert kinds == [OutcomeKind.TABLE, OutcomeKind.UNSUPPORTED]
        assert connection.read(target, "parquet", {}).table == table
    assert writers(manifest(tmp_path)) == []
