"""The program of the engines in Java: whose fault an error is, and tables that are larger than its memory."""

import hashlib
import json
from pathlib import Path

import pytest

from corpora.tagged import BIG
from harness.children.connection import Connection, Limits, worker_command
from harness.children.launch import Launch
from harness.children.outcomes import OutcomeKind
from harness.children.worker import open_engine
from harness.engines.jvm import program
from harness.engines.registry import ENGINES
from harness.environments.availability import status

NAMES = {"parquet": "parquet_java", "orc": "orc_java"}
KINDS = {
    "own-memory": OutcomeKind.MISSPOKE,
    "own-stack": OutcomeKind.UNSUPPORTED,
    "own-mistake": OutcomeKind.MISSPOKE,
    "memory": OutcomeKind.OUT_OF_MEMORY,
    "stack": OutcomeKind.PANICKED,
    "operation": OutcomeKind.REFUSED,
    "class": OutcomeKind.REFUSED,
    "codec": OutcomeKind.UNSUPPORTED,
}


@pytest.fixture(autouse=True)
def java():
    """Skip without Java or PySpark."""
    for name in NAMES.values():
        if not status(ENGINES[name]).available:
            pytest.skip(status(ENGINES[name]).reason)


@pytest.mark.heavy
def test_whose_fault_an_error_is(tmp_path):
    """The kind of an error follows from its class and place; one without text ends the process."""
    description = open_engine("harness.engines.parquet_java.adapter:ParquetJava").describe()
    command = program.command(str(Path(__file__).parent / "java_faults"), "Faults", json.dumps(description))
    file = tmp_path / "x.parquet"
    file.write_bytes(b"")
    env = Launch(tuple(command)).environment()
    with Connection(command, Limits(), env=env) as connection:
        kinds = {fault: connection.read(file, "parquet", {"fault": fault}).kind for fault in KINDS}
        assert kinds == KINDS
        mute = connection.read(file, "parquet", {"fault": "mute"})
    assert (mute.kind, mute.detail.exit_status) == (OutcomeKind.CRASHED, 1)
    assert "IllegalStateException: no text" in mute.detail.stderr


@pytest.mark.heavy
@pytest.mark.parametrize("format_", NAMES)
def test_blocks_larger_than_memory(tmp_path, format_):
    """A block of 120 texts, of almost the most bytes that have no digest, needs no memory of its size."""
    rows, text, file = 120, "x" * (BIG - 1), tmp_path / f"x.{format_}"
    write_texts(file, format_, text, rows)
    command = worker_command(ENGINES[NAMES[format_]])
    env = {**Launch(tuple(command)).environment(), "_JAVA_OPTIONS": "-Xmx96m"}
    with Connection(command, Limits(), env=env) as connection:
        outcome = connection.read(file, format_, {})
        assert outcome.kind is OutcomeKind.TABLE, outcome.detail
        (spill,) = connection.spill.iterdir()
        assert (Path(outcome.table.spill), outcome.table.num_rows) == (spill, rows)
        digest, expected = hashlib.sha256(), hashlib.sha256(b'[["0"')
        with spill.open("rb") as lines:
            while part := lines.read(1 << 20):
                digest.update(part)
    expected.update("".join(f',"{row}"' for row in range(1, rows)).encode() + b"],[")
    for row in range(rows):
        expected.update(b'%s"%s"' % (b"," if row else b"", text.encode()))
    expected.update(b"]]\n")
    assert digest.hexdigest() == expected.hexdigest()


def write_texts(file, format_, text, rows):
    """Write a small file of row numbers, and of one text in a dictionary."""
    pyarrow = pytest.importorskip("pyarrow")
    from pyarrow import orc, parquet

    table = pyarrow.table({"n": range(rows), "text": [text] * rows})
    if format_ == "orc":
        orc.write_table(table, file, dictionary_key_size_threshold=1.0, compression="zlib")
    else:
        parquet.write_table(table, file, compression="gzip")
    assert file.stat().st_size < 100_000
