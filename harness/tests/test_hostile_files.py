"""Files of hostile names go through every command: each ends as for other files, and says visible text."""

import os
import re
import subprocess
import sys
from dataclasses import replace
from itertools import cycle
from pathlib import Path

import pytest
from click.testing import CliRunner

from corpora.cases import Expectation, dump
from corpora.importers import import_paths
from corpora.tagged import Table, integer
from harness.cli import colconf
from harness.cli import main as command
from harness.engines.registry import ENGINES
from harness.environments.availability import status as status_of
from harness.investigate.findings import folders, heading
from harness.judging.results import load
from harness.tests.hostile_names import CANARY, FILE_NAMES, NAMES, SHORT, WRITE
from reference_impl.parquet.plan import FilePlan
from reference_impl.parquet.schema import FieldRepetitionType, SchemaElement, Type
from reference_impl.parquet.writer import write
from reports.formats import FORMATS

_UNSEEN = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u200b-\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")


@pytest.fixture
def elsewhere(tmp_path, monkeypatch):
    """Work in an empty folder; at the end no name has created the file that those that are run create."""
    monkeypatch.chdir(tmp_path)
    yield tmp_path
    assert CANARY not in os.listdir(tmp_path)  # noqa: PTH208 - as the others


def colconf_of(*arguments, status):
    """Run a command in this process: its exit status is this, all that it prints is visible; answer it."""
    result = CliRunner().invoke(colconf, [str(argument) for argument in arguments])
    assert result.exit_code == status, (result.output, result.exception)
    assert result.exception is None or isinstance(result.exception, SystemExit)
    assert not _UNSEEN.findall(result.output), result.output
    return result.stdout


def all_files(folder, form, names=FILE_NAMES):
    """Write a file for each name, called and with a column called so."""
    folder.mkdir()
    for key, name in names.items():
        (folder / f"{name}.{form}").write_bytes(WRITE[form](NAMES.get(key, "c")))
    return folder


@pytest.mark.heavy
@pytest.mark.parametrize("form", WRITE)
def test_files_are_judged_whatever_they_are_called(elsewhere, form, some_of):
    """Engines agree with the reference on every file, and every report of the run is visible."""
    engines = ["pyarrow"] if form == "parquet" else ["pyarrow_orc"]
    names = dict(some_of(((f"{form} {key}", (key, name)) for key, name in FILE_NAMES.items()), 5))
    files = all_files(elsewhere / "files", form, names)
    named = [argument for engine in ["reference", *engines] for argument in ("--engine", engine)]
    options = ("--no-spark", "--queries", "2", "--out", "out")
    colconf_of("run", "--files", files, *named, *options, status=0)
    rows = load(Path("out")).rows
    assert len({(row.case, row.engine) for row in rows}) == 2 * len(names)
    assert sum(row.detail.probes.queries for row in rows)
    assert {row.verdict for row in rows} == {"agree"}
    for name in FORMATS:
        told = colconf_of("report", "out", "--format", name, status=0)
        assert told


@pytest.mark.sweep(8)
@pytest.mark.parametrize("form", WRITE)
def test_files_are_looked_into(elsewhere, form):
    """`inspect` and `validate` print names as visible text, a line each."""
    files = all_files(elsewhere / "files", form)
    assert colconf_of("validate", files, status=0).count("nothing is broken") == len(FILE_NAMES)
    for file in sorted(files.iterdir()):
        lines = colconf_of("inspect", "--no-pages", "--", file, status=0).split("\n")
        assert lines[0].endswith(" bytes")
        assert f"{files}/" in lines[0]
    colconf_of("validate", "--format", "json", files, status=0)
    colconf_of("validate", "--format", "sarif", files, status=0)


def a_finding(elsewhere, key, form):
    """Return the run of a file called as hostile as can be, whose case asks for other values than it has."""
    folder = elsewhere / FILE_NAMES[key]
    folder.mkdir()
    column = NAMES["unicode-escape"]
    file = folder / f"{FILE_NAMES['coding']}.{form}"
    file.write_bytes(WRITE[form](column))
    (case,) = import_paths([file]).cases
    others = [(name, integer(64)) for name in (column, "a", "ab", "b")]
    wrong = Table.of(others, [[str(number)] * 4 for number in range(4)])
    dump(replace(case, file=file, expectation=Expectation.accept(wrong, "spec")), file.with_suffix(".json"))
    engine = "pyarrow" if form == "parquet" else "pyarrow_orc"
    arguments = ("--engine", engine, "--no-spark", "--out", "out", "--time-limit", "60")
    colconf_of("run", "--files", folder, *arguments, status=1)
    return file, engine


@pytest.mark.heavy
@pytest.mark.sweep(4)
@pytest.mark.parametrize(("key", "form"), [("triple", "parquet"), ("coding-2", "orc")])
def test_a_finding_is_written_down(elsewhere, key, form):
    """What is exported of a finding runs no name, shows it, and is judged again."""
    file, engine = a_finding(elsewhere, key, form)
    (finding,) = load(Path("out")).findings
    assert NAMES["unicode-escape"] in finding.signature or finding.difference
    colconf_of("findings", "export", "out", "--out", "written", "--check", status=0)
    (folder,) = Path("written").iterdir()
    assert sorted(one.name for one in folder.iterdir()) == [
        *("case.json", f"file.{form}", folders.ISSUE, heading.NAME, "said.json")
    ]
    script = (folder / heading.NAME).read_bytes()
    assert script.isascii()
    done = subprocess.run(
        [sys.executable, "-I", folder / heading.NAME], capture_output=True, text=True, check=False
    )
    assert done.returncode == 1, done.stderr
    assert not _UNSEEN.findall(done.stdout)
    assert "the finding shows" in colconf_of("replay", folder, status=1)
    for name in FORMATS:
        colconf_of("report", "out", "--format", name, status=0)
    assert file.is_file()
    assert engine in done.stdout


@pytest.mark.heavy
def test_a_file_is_made_smaller_and_anonymous(elsewhere):
    """The commands that write files do so, whatever the file and its columns are called."""
    if not status_of(ENGINES["polars"]).available:
        pytest.skip("polars is not here")
    column = NAMES["unicode-escape"]
    optional = FieldRepetitionType.OPTIONAL
    schema = (
        SchemaElement(name="schema", num_children=2),
        SchemaElement(name=column, type=Type.INT96, repetition_type=optional),
        SchemaElement(name="a", type=Type.INT64, repetition_type=optional),
    )
    late = bytes(8) + (3_000_000).to_bytes(4, "little")  # a day after 2262, which Polars reads as another
    rows = tuple({column: late, "a": number} for number in range(8))
    file = elsewhere / f"{FILE_NAMES['coding-2']}.parquet"
    file.write_bytes(write(FilePlan(schema, rows)))
    colconf_of("anonymize", file, "--out", "anonymous.parquet", status=0)
    assert column.encode() not in Path("anonymous.parquet").read_bytes()
    colconf_of("minimize", file, "--engine", "polars", "--out", "small", "--time-budget", "10s", status=0)
    assert Path("small/minimal.parquet").stat().st_size < file.stat().st_size
    colconf_of("findings", "export", "small", "--out", "written", "--check", status=0)


@pytest.mark.usefixtures("elsewhere")
def test_mistakes_are_visible_lines(capfd):
    """What a command says of a name that is none is one line, and no terminal obeys it."""
    commands = cycle((["inspect"], ["validate"], ["explain"], ["replay"], ["report"], ["run", "--files"]))
    for arguments, name in zip(commands, 2 * [*SHORT.values()], strict=False):
        text = f"./{name}".replace("\x00", "0")
        assert command([*arguments, text]) == 2
        printed = capfd.readouterr()
        assert not _UNSEEN.findall(printed.out + printed.err), (arguments, printed)
        assert len(printed.err.splitlines()) == 1, (arguments, printed)
    for name in ("a\rb", "a\x85b", "a\u2028b"):  # which end a line, too, for `str.splitlines`
        assert command(["run", "--files", name]) == 2
        assert capfd.readouterr().err.endswith("No such file or directory\n")


UPGRADE = ["upgrade", "--from", "pyarrow@1", "--to", "pyarrow@2"]
UPGRADE += ["--corpora", "none", "--generate", "0", "--no-writes"]
REFUSED = {
    "upgrade --files": lambda name: [*UPGRADE, "--files", f"./{name}"],
    "upgrade --baseline": lambda name: [*UPGRADE, "--baseline", f"./{name}"],
    "upgrade --report": lambda name: [*UPGRADE, "--report", name],
    "upgrade --from": lambda name: ["upgrade", "--from", name, "--to", "pyarrow@2"],
    "upgrade --from version": lambda name: ["upgrade", "--from", f"pyarrow@{name}", "--to", "pyarrow@2"],
    "upgrade --from switch": lambda name: ["upgrade", "--from", f"pyarrow@1:{name}=x", "--to", "pyarrow@2"],
    "fuzz": lambda name: ["fuzz", "run", "--", name],
    "fuzz path": lambda name: ["fuzz", "run", "--", f"../a.{name}"],
    "fuzz --engine": lambda name: ["fuzz", "--engine", name],
    "fuzz --engine version": lambda name: ["fuzz", "--engine", f"pyarrow@{name}"],
    "fuzz --engine switch": lambda name: ["fuzz", "--engine", f"pyarrow:{name}=x"],
    "fuzz merge": lambda name: ["fuzz", "merge", "--out", f"./{name}"],
    "fuzz merge name": lambda name: ["fuzz", "merge", "--", f"../a.{name}"],
    "selftest --only": lambda name: ["selftest", f"--only={name}"],
    "selftest --corpus": lambda name: ["selftest", "--fuzz", "--corpus", f"./{name}"],
}


@pytest.mark.parametrize("refused", REFUSED)
def test_refused_names_are_visible_lines(elsewhere, capfd, refused, some_of):
    """`upgrade`, `fuzz` and `selftest` refuse a hostile name with one visible line, and write nothing."""
    for key, name in some_of(((f"{refused} {key}", (key, name)) for key, name in SHORT.items()), 4):
        if refused == "fuzz" and name == "a.b":  # the name of a module, which is missing
            continue
        assert command(REFUSED[refused](name.replace("\x00", "0"))) == 2, key
        printed = capfd.readouterr()
        assert not _UNSEEN.findall(printed.out + printed.err), (key, printed)
        assert len(printed.err.splitlines()) == 1, (key, printed)
    assert not list(elsewhere.parent.glob("a.*"))
    assert not list(elsewhere.iterdir())
