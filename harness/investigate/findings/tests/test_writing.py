"""Findings about files that engines write: the script writes what the adapter writes, and checks the rule."""

import importlib
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from corpora.orc_tables import ORC_LAYOUTS, ORC_TABLES
from corpora.tables import LAYOUTS, WRITER_TABLES
from corpora.tagged import STRING, Table, floating, integer, struct_of, time
from harness.children.connection import Limits
from harness.engines.datafusion.write_options import PLAIN
from harness.engines.errors import Unsupported
from harness.engines.naming import EngineName
from harness.engines.reference.adapter import Reference
from harness.engines.registry import ENGINES
from harness.engines.scripts.writing import Written
from harness.engines.writer_keys import MASTERS
from harness.engines.writer_options import CHOSEN
from harness.environments.availability import status
from harness.investigate.findings import broken_files, collect, folders, writing
from harness.investigate.findings.rejudge import CannotAsk
from harness.investigate.findings.replay import named
from reference_impl.parquet.validate import validate

LIMITS = Limits(seconds=60)


def adapter_of(name):
    """Return the adapter of an engine that is here, else skip."""
    found = status(ENGINES[name])
    if not found.available:
        pytest.skip(f"{name} is not here: {found.reason}")
    return getattr(importlib.import_module(ENGINES[name].module), ENGINES[name].class_name)()


def executed(text, file):
    """Write a file as the source of a script does."""
    space = {"__file__": str(file.with_name("repro.py")), "__name__": "repro"}
    exec(compile(text, "repro.py", "exec"), space)
    space["FILE"] = str(file)
    space["write"]()


@pytest.mark.sweep(4)
@pytest.mark.filterwarnings("ignore")  # libraries of engines warn of each other
@pytest.mark.parametrize("name", [name for name, entry in ENGINES.items() if entry.write_script])
def test_a_script_writes_what_the_adapter_writes(tmp_path, name):
    """Tables of the writers' matrix are written alike, in layouts with and without indexes."""
    adapter = adapter_of(name)
    form = ENGINES[name].formats[0]
    tables, layouts = (ORC_TABLES, ORC_LAYOUTS) if form == "orc" else (WRITER_TABLES, LAYOUTS)
    alike = set()
    for one in tables:
        if one.table.num_rows > 100 or one.name in {"strings", "binaries"}:
            continue
        for layout in (layouts[0], layouts[2], layouts[-2]):
            mine, own = tmp_path / f"script.{form}", tmp_path / f"adapter.{form}"
            try:
                written = writing.source(name, one.table, layout.options(), form)
                adapter.write(str(own), form, {}, one.table, layout.options())
            except Unsupported:
                continue
            if name == "chdb" and one.name == "structs":
                continue  # chdb-null-of-tuple: what stands behind nulls is written, which is not of the table
            executed(writing.script(written, form, ("PQ-X", "x"), "x"), mine)
            by_chance = name == "pyorc" and layout.indexed and has_bytes(one.table)
            contents = read if by_chance else Path.read_bytes
            assert contents(mine) == contents(own), f"{one.name} {layout.name}"
            alike.add(one.name)
    assert len(alike) >= 4, alike


def has_bytes(table):
    """Return whether pyorc's Bloom filters differ by chance: of BOOLEAN and TINYINT, with nulls' memory."""
    return any(column.type.kind == "bool" or column.type.bits == 8 for column in table.columns)


def read(file):
    """Return the table of an ORC file."""
    return Reference().read(str(file), "orc", {}).to_json()


def local_times():
    """A table of which pyarrow writes a column without the ConvertedType, and three that are fine."""
    columns = [("a", integer(32)), ("t", time("ms", utc=False)), ("s", STRING), ("f", floating(64))]
    return Table.of(columns, [["1", None], ["5", "6"], ["x", "y"], [None, "3ff0000000000000"]])


def test_the_smallest_table(tmp_path):
    """Options, columns and rows that the broken rule does not need are left out of the script."""
    adapter_of("pyarrow")
    options = LAYOUTS[-1].options()
    with broken_files.Writer(EngineName("pyarrow"), "parquet", LIMITS, tmp_path) as writer:
        small = writer.smallest(local_times(), options, "PQ-LOGICAL-010")
        assert writer.smallest(local_times(), options, "PQ-CHUNK-002") is None
        small = writer.smallest(small.table, small.options, "PQ-LOGICAL-010")
        case = broken_files.case_of("writers/pyarrow/t/x", writer, small, tmp_path)
        finding = broken_files.finding_of("pyarrow", writer.version, small, case)
    assert [field.name for field in small.table.columns] == ["t"]
    assert (small.table.num_rows, small.options) == (0, {})
    found = collect.Evidence("x", finding, case, None, broken_file=small)
    folder, why = folders.write(found, tmp_path)
    assert not why
    done = subprocess.run(
        [sys.executable, "-I", folder / "repro.py"], capture_output=True, text=True, check=False, timeout=300
    )
    assert done.returncode == 1, done.stdout + done.stderr
    assert "the bug shows" in done.stdout
    assert "PQ-LOGICAL-010" in (folder / "issue.md").read_text("utf-8")
    with pytest.raises(CannotAsk, match=r"repro\.py"):
        named(str(folder), (), "parquet", tmp_path)


def test_the_fewest_drawn_options(tmp_path):
    """Drawn options that other values do not need are left out, as are columns and rows."""
    adapter_of("pyarrow_orc")
    columns = [("row", integer(32)), ("s", struct_of([("a", integer(32))]))]
    table = Table.of(columns, [[str(row) for row in range(6)], [*([str(row)] for row in range(5)), None]])
    chosen = {"compression": "zstd", "calls": [2, 4], "bloom_filter_columns": {"columns": ["row"]}}
    with broken_files.Writer(EngineName("pyarrow_orc"), "orc", LIMITS, tmp_path) as writer:
        assert broken_files.OTHER not in writer.broken(table, {CHOSEN: {"batch_size": 7}})
        small = writer.smallest(table, {CHOSEN: chosen}, broken_files.OTHER)
        case = broken_files.case_of("writers/pyarrow_orc/drawn-1-000001/0", writer, small, tmp_path)
        finding = broken_files.finding_of("pyarrow_orc", writer.version, small, case)
    assert [field.name for field in small.table.columns] == ["s"]
    assert set(small.options[CHOSEN]) == {"calls"}
    assert small.table.num_rows < table.num_rows
    assert finding.verdict == "wrote_other"
    folder, why = folders.write(collect.Evidence("x", finding, case, None, broken_file=small), tmp_path)
    assert not why
    assert "table.slice(at, rows)" in (folder / "repro.py").read_text("utf-8")


ENCRYPTED = {"encryption": {"plaintext_footer": True}, "own_keys": {"by_column": {"b": "kc1"}}}


def _small(values):
    return Table.of([("a", integer(32)), ("b", integer(32))], [["1", "2"], values])


def test_the_check_of_plaintext_footers(tmp_path):
    """A few lines find the statistics of encrypted columns exactly where the validator does."""
    adapter, file = adapter_of("pyarrow"), tmp_path / "x.parquet"
    space, seen = {}, set()
    exec("import struct\n" + writing.THRIFT + writing.CHECKS["PQ-CRYPT-018"], space)
    for chosen in (ENCRYPTED, {}):
        adapter.write(str(file), "parquet", {}, _small(["1", None]), {CHOSEN: chosen})
        data = file.read_bytes()
        broken = any(found.rule == "PQ-CRYPT-018" for found in validate(data))
        assert bool(space["check"](data)) == broken, chosen
        seen.add(broken)
    assert seen == {True, False}


def test_an_encrypted_file_that_breaks_a_rule(tmp_path):
    """A finding about an encrypted file is made smaller, has the file's keys, and its script shows it."""
    adapter_of("pyarrow")
    chosen = {**ENCRYPTED, "row_group_size": 1}
    with broken_files.Writer(EngineName("pyarrow"), "parquet", LIMITS, tmp_path) as writer:
        table = _small(["1", None])
        (cause,) = (
            each for each in writer.broken(table, {CHOSEN: chosen}) if each.startswith("PQ-CRYPT-018")
        )
        small = writer.smallest(table, {CHOSEN: chosen}, cause)
        case = broken_files.case_of("writers/pyarrow/drawn-1-000001/0", writer, small, tmp_path)
        finding = broken_files.finding_of("pyarrow", writer.version, small, case)
    assert set(small.options[CHOSEN]) == set(ENCRYPTED)
    assert case.keys.master_keys == MASTERS
    folder, why = folders.write(collect.Evidence("x", finding, case, None, broken_file=small), tmp_path)
    assert not why
    done = subprocess.run(
        [sys.executable, "-I", folder / "repro.py"], capture_output=True, text=True, check=False, timeout=300
    )
    assert done.returncode == 1, done.stdout + done.stderr
    assert "is encrypted, but the plaintext footer has" in done.stdout


@pytest.mark.parametrize("rule", sorted(set(writing.CHECKS) - {"PQ-CRYPT-018"}))
def test_checks_are_those_of_the_validator(tmp_path, rule):
    """A few lines find a rule broken in a file exactly where the validator does."""
    adapter = adapter_of("pyarrow")
    space = {}
    exec("import struct\n" + writing.THRIFT + writing.CHECKS[rule], space)
    seen = set()
    for one in WRITER_TABLES:
        for layout in LAYOUTS[:2]:
            if one.table.num_rows > 100 or one.name in {"strings", "binaries"}:
                continue
            file = tmp_path / "x.parquet"
            try:
                adapter.write(str(file), "parquet", {}, one.table, layout.options())
            except Unsupported:
                continue
            data = file.read_bytes()
            broken = any(found.rule == rule for found in validate(data))
            assert bool(space["check"](data)) == broken, f"{one.name} {layout.name}"
            seen.add(broken)
    assert seen == {True, False}


def test_no_script_checks_a_rule_in_a_folder():
    """A rule that a file of a folder breaks has no script: that of a folder compares names alone."""
    written = Written([], "", ["pass"])
    with pytest.raises(Unsupported, match="by a file of a folder"):
        writing.script(written, "parquet", ("PQ-PAGE-013", "a text"), "broken", is_folder=True)
    assert "os.walk" in writing.script(written, "parquet", ("", ""), "broken", is_folder=True)


def test_tables_of_cases():
    """A writer's case names its table and its options; another case names none."""
    table, options = broken_files.table_of("writers/pyarrow/dates/snappy-v1-plain", "parquet")
    assert table.num_rows
    assert options["codec"] == "SNAPPY"
    assert broken_files.table_of("files/x", "parquet") is None


def test_datafusion_of_an_old_release(tmp_path, monkeypatch):
    """A session before 44 asks for a runtime, and a written folder becomes its one part."""

    class Frame:
        """A frame that writes a folder."""

        def write_parquet(self, folder, compression):
            """Write one part."""
            Path(folder).mkdir()
            (Path(folder) / "part-0.parquet").write_text(compression)

    session = SimpleNamespace(from_arrow_table=lambda _: Frame())
    configured = SimpleNamespace(with_target_partitions=lambda count: count)
    old = SimpleNamespace(
        SessionConfig=lambda: configured,
        RuntimeConfig=lambda: "runtime",
        SessionContext=lambda config, runtime: session if (config, runtime) == (1, "runtime") else None,
    )
    monkeypatch.setitem(sys.modules, "datafusion", old)
    table = Table.of([("a", integer(32))], [["1"]])
    source = writing.source("datafusion", table, {CHOSEN: {PLAIN: True}}, "parquet")
    script = writing.script(source, "parquet", ("", ""), "", is_folder=False)
    executed(script, tmp_path / "x.parquet")
    assert (tmp_path / "x.parquet").read_text() == "snappy"
