"""Scripts for engines of manifests: they send the request over the protocol, and judge the reply."""

import hashlib
import re
import subprocess
import sys
from dataclasses import replace

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner

from corpora.cases import Case, Expectation, Probe
from corpora.predicates import Compare
from corpora.queries import Filter
from corpora.tagged import (
    BOOL,
    BYTES,
    DATE,
    STRING,
    Field,
    Table,
    Type,
    decimal,
    floating,
    integer,
    text,
    timestamp,
)
from harness.cli import colconf
from harness.commands.new_engine import rendered
from harness.engines.errors import Unsupported
from harness.engines.naming import parse
from harness.engines.registry import ENGINES
from harness.engines.scripts import foreign
from harness.engines.scripts.request import ScriptRequest
from harness.investigate.findings import expected, folders, heading, repro, scripts
from harness.investigate.findings.collect import Evidence
from harness.investigate.minimize.tests.files import parquet
from harness.judging.details import RowDetail
from harness.judging.results import Finding, Row
from harness.tests.foreign_manifests import READER, forget, manifest
from harness.tests.hostile_names import SHORT
from harness.tests.source_text import check_source

NAME = "my_reader"
WRONG = {"path": "column 'n', row 2", "kind": "value", "expected": "2", "actual": "null"}
VALUES = Table.of([("n", integer(32))], [["0", "1", "2"]])


@pytest.fixture(autouse=True)
def own_registry(monkeypatch):
    """Forget what a test registers."""
    forget(monkeypatch)


def finding(folder, verdict="different", query=None, data=None):
    """Return a finding of a file of three rows, or of other bytes."""
    data = parquet(3) if data is None else data
    file = folder / "file.parquet"
    file.write_bytes(data)
    case = Case("files/x", "parquet", file, hashlib.sha256(data).hexdigest(), Expectation.by_vote())
    case = replace(case, probes=(Probe(query),) if query else ())
    difference = WRONG if verdict == "different" else None
    result = Finding(f"{NAME} | {verdict}", NAME, "1.0", "", verdict, case.id, 1, [], difference, "")
    row = Row(case.id, "parquet", case.sha256, NAME, "1.0", "", "table", verdict, RowDetail(), 0.1, 0)
    return Evidence("x", result, case, next(iter(case.probes), None), [row])


def run(folder, evidence, *arguments):
    """Write the folder of a finding, and run its script: its exit status, and what it printed."""
    exported, why = folders.write(evidence, folder / "out", NAME)
    assert not why
    done = subprocess.run(
        [sys.executable, "-I", str(exported / heading.NAME), *arguments],
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    return done.returncode, done.stdout


@pytest.mark.parametrize(
    ("fault", "status", "printed"), [("plant", 1, "the bug shows"), ("honest", 0, "does not show")]
)
def test_a_script_sends_the_request_to_the_engine(tmp_path, fault, status, printed):
    """The script prints the request and the reply, and says whether the values are those of the file."""
    parse(str(manifest(tmp_path, fault)))
    ended, output = run(tmp_path, finding(tmp_path))
    assert (ended, printed in output) == (status, True), output
    assert '"op": "read"' in output
    assert 'reply: {"v": 3, "id": 2, "table"' in output


def test_the_command_may_be_another(tmp_path):
    """Where the engine is started otherwise, the arguments of the script are its command."""
    parse(str(manifest(tmp_path, "plant")))
    evidence = finding(tmp_path)
    assert run(tmp_path, evidence)[0] == 1
    assert run(tmp_path, evidence, sys.executable, "-B", str(READER), "honest")[0] == 0


def test_the_paths_of_another_command_begin_in_the_callers_folder(tmp_path, monkeypatch):
    """`python repro.py node ./reader.js` starts the reader of the folder in which it is typed."""
    parse(str(manifest(tmp_path, "plant")))
    monkeypatch.chdir(READER.parent)
    for path in (READER.name, f"./{READER.name}"):
        assert run(tmp_path, finding(tmp_path), sys.executable, "-B", path, "honest")[0] == 0


@pytest.mark.parametrize(
    ("fault", "status", "printed"),
    [
        ("dies", 1, "the engine ends without a reply"),
        ("crashes", 1, "exit status -6"),
        ("banner", 1, "this is no reply"),
        ("ids", 1, "another version or id"),
        ("honest", 0, "EngineError: refused"),
    ],
)
def test_an_engine_that_is_lost(tmp_path, fault, status, printed):
    """Death and a broken protocol are the bug; an error that the engine replies is not."""
    parse(str(manifest(tmp_path, fault)))
    ended, output = run(tmp_path, finding(tmp_path, "crashed", data=b"PAR1 is no file PAR1"))
    assert (ended, printed in output) == (status, True), output


@pytest.mark.parametrize("fault", ["numbers", "ragged"])
def test_a_table_that_is_none(tmp_path, fault):
    """A table that is not one of the protocol is the bug."""
    parse(str(manifest(tmp_path, fault)))
    ended, output = run(tmp_path, finding(tmp_path, "crashed"))
    assert ended == 1
    assert "the table is not one of the protocol" in output


@pytest.mark.heavy
def test_an_engine_that_hangs_is_killed(tmp_path, monkeypatch):
    """The script ends the engine with all that it started, and shows the bug."""
    monkeypatch.setattr(repro, "_LEAST_SECONDS", 5)
    parse(str(manifest(tmp_path, "hangs")))
    evidence = finding(tmp_path, "hung")
    folder = tmp_path / "out" / "hang"
    folder.mkdir(parents=True)
    text_, _ = repro.script(evidence, "hang.parquet", NAME)
    (folder / "repro.py").write_text(text_, "ascii")
    (folder / "hang.parquet").write_bytes(parquet(3))
    done = subprocess.run(
        [sys.executable, "-I", str(folder / "repro.py")],
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert done.returncode == 1
    assert "no answer within 5 s" in done.stdout


def test_no_script_starts_a_program_that_nobody_named(tmp_path):
    """A folder that somebody sent may name a manifest: only `--engine` has a script start its program."""
    parse(str(manifest(tmp_path)))
    folder, why = folders.write(finding(tmp_path), tmp_path / "out")
    assert "name its manifest with --engine" in why
    assert not (folder / heading.NAME).exists()
    assert "colconf replay FOLDER --engine MANIFEST" in (folder / folders.ISSUE).read_text("utf-8")
    with pytest.raises(Unsupported, match="its manifest with --engine"):
        repro.script(
            replace(finding(tmp_path), finding=replace(finding(tmp_path).finding, engine="gone")), "x"
        )


@pytest.mark.sweep(8)
@pytest.mark.parametrize("name", SHORT.values(), ids=SHORT)
def test_names_are_literals(tmp_path, name):
    """Whatever a column is called, a script differs in literals only."""
    parse(str(manifest(tmp_path)))

    def script(column):
        query = Filter(Compare((column,), "=", STRING, column), (column,))
        request = ScriptRequest("parquet", {}, query)
        return scripts.printing(NAME, request, f"{column}.parquet", [column])

    assert script(name).isascii()
    check_source(script(name), script("c"))


LEAVES = [
    (integer(8), ["-128", None]),
    (integer(64, signed=False), ["18446744073709551615"]),
    (floating(16), ["3c00", "7e00"]),
    (floating(32), ["3fc00000"]),
    (floating(64), ["8000000000000000"]),
    (decimal(9, 2), ["-105", "-5", "100"]),
    (DATE, ["-719163"]),
    (timestamp("ns", utc=True), ["-1"]),
    (Type("duration", unit="ms"), ["86400000"]),
    (Type("int96"), ["1"]),
    (Type("interval"), [["1", "-2", "3"]]),
    (STRING, ["a\nb\u20ac", text(b"\xff")]),
    (BYTES, ["00ff", "6162"]),
    (BOOL, [True, False]),
    (Type("variant"), [["0100", "0c01"], ["01", None]]),
]


def test_a_query_of_a_skeleton(tmp_path, monkeypatch):
    """The reader that `engines new` makes replies to the query of a script with the rows that it has."""
    monkeypatch.setitem(ENGINES, "own", None)
    del ENGINES["own"]
    for name, content in rendered("python", "own").items():
        (tmp_path / name).write_text(content, "utf-8")
    entry = parse(str(tmp_path / "own.toml")).entry
    query = Filter(Compare(("n",), ">", integer(32), "1"), ("n",))
    table = pa.table({name: pa.array([1, 2, 3], pa.int32()) for name in ("n", "m")})
    pq.write_table(table, tmp_path / "x.parquet", compression="none", use_dictionary=False)
    text_ = scripts.printing(entry.name, ScriptRequest("parquet", {}, query), "x.parquet", ["head"])
    (tmp_path / "repro.py").write_text(text_, "ascii")
    done = subprocess.run(
        [sys.executable, "repro.py"], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    assert done.stdout.splitlines()[-3:] == ["'n': int32", "2", "3"]


def functions():
    """Return the functions of a script that make text of a table, by their names."""
    space = {}
    code = "\n".join(("import hashlib", *foreign._TAGGED.imports, foreign._TAGGED.text))
    exec(compile(code, "rendering", "exec"), space)
    return space


@pytest.mark.parametrize(
    ("blocks", "rows"),
    [([[[5]]], 1), ([[["05"]]], 1), ([[["5"], ["6"]]], 1), ([[]], 0), ([[["5"]]], 2)],
    ids=["a number of JSON", "a leading zero", "two columns", "no column", "two rows"],
)
def test_what_is_no_table_has_no_text(blocks, rows):
    """Numbers are text in the protocol, blocks have all columns, and a table has as many rows as it says."""
    table = {"columns": [Field("n", integer(32)).to_json()], "rows": rows, "blocks": blocks}
    with pytest.raises(ValueError, match=r"number as text|not as many values|rows, not"):
        functions()["table_text"](table)


def test_each_switch_has_a_value(tmp_path):
    """The request of a script sets the switches of the finding, and the others to their first value."""
    entry = replace(parse(str(manifest(tmp_path))).entry, switches={"a": ("1", "2"), "b": ("1", "2")})
    request = foreign._message(ScriptRequest("parquet", {"b": "2"}, None), entry)
    assert request == {"op": "read", "format": "parquet", "config": {"a": "1", "b": "2"}}


def test_values_are_shown_as_they_are_expected(for_each):
    """Every type of the protocol has the text that `expected.py` gives it, nested ones too."""
    space = functions()

    def check(type_and_values):
        type_, values = type_and_values
        child = Field("c", type_)
        nested = [
            (type_, values),
            (Type("list", children=(child,)), [values]),
            (Type("struct", children=(child, Field("d", DATE))), [[value, None] for value in values]),
            (Type("map", children=(Field("key", STRING), child)), [[["k", value]] for value in values]),
            (Type("union", children=(Field("0", DATE), child)), [["1", value] for value in values]),
        ]
        for each, cells in nested:
            for cell in cells:
                assert space["value_text"](each.to_json(), cell) == expected.rendered(each, cell)

    for_each([(str(type_), (type_, values)) for type_, values in LEAVES], check)


def test_types_have_the_names_by_which_findings_know_them(for_each):
    """A finding about a type is looked for by a pattern, which the name of that type fits, and no other."""
    space = functions()
    types = [type_ for type_, _ in LEAVES if type_.kind not in {"int96", "interval", "variant"}]
    names = {str(type_): space["named"](type_.to_json()) for type_ in types}

    def check(type_):
        pattern = repro._kind(str(type_))
        fitting = [name for name in names.values() if re.search(pattern, name)]
        assert fitting == [names[str(type_)]]

    for_each([(str(type_), type_) for type_ in types], check)


@pytest.mark.heavy
def test_the_command_exports_the_script(tmp_path):
    """`findings export RUN --engine MANIFEST --check` writes the script and runs it; without, it says how."""
    reader = manifest(tmp_path, "plant")
    file = tmp_path / "a.parquet"
    pq.write_table(pa.table({"n": [1, 2, 3]}), file)
    out = str(tmp_path / "run")
    engines = ["--engine", str(reader), "--engine", "pyarrow", "--engine", "duckdb"]
    CliRunner().invoke(colconf, ["run", "--files", str(file), *engines, "--no-spark", "--out", out])
    export = ["findings", "export", out, "--out", str(tmp_path / "findings")]
    result = CliRunner().invoke(colconf, export)
    assert "no script: it would start the program of my_reader: name its manifest" in result.output
    result = CliRunner().invoke(colconf, [*export, "--engine", str(reader), "--check"])
    assert (result.exit_code, "  shows" in result.output) == (0, True)
