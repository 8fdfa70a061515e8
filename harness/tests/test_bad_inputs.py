"""Bad inputs of a newcomer: each ends with status 2 and one line on standard error, before work begins."""

import os
import shlex

import pytest

from harness.cli import main
from harness.tests.pages import ROOT

RUN = "run --no-spark --engine reference"
OWN = f"{RUN} --case 'parquet/alp/*'"
FILES = f"{RUN} --files data"
INPUTS = [
    # paths
    *(f"{RUN} --files {path}" for path in ("empty", "nowhere", "fifo", "loop", "''", "broken.json")),
    *(f"{RUN} --tables {path}" for path in ("file", "empty", "nowhere", "''")),
    *(f"{FILES} --out {path}" for path in ("file", "file/x", "/proc/x", "''")),
    *(f"{FILES} --keys {path}" for path in ("nowhere", "bin.json", "deep.json", "list.json", "keys.json")),
    *(f"{FILES} --known {path}" for path in ("nowhere", "file", "known-bin", "known-lacks")),
    *(f"{FILES} --history {path}" for path in ("file", "file/x")),
    *(f"run --resume {path}" for path in ("nowhere", "data", "file", "loop")),
    *(f"validate {path}" for path in ("nowhere", "empty", "fifo", "loop")),
    *(f"inspect {path}" for path in ("nowhere", "data", "fifo", "loop")),
    *(f"report {path}" for path in ("nowhere", "empty", "file", "run-bin", "run-list")),
    *(f"trend {path}" for path in ("nowhere", "empty", "file")),
    *(f"replay {path}" for path in ("nowhere", "/etc/passwd", "broken.json", "deep.json", "list.json")),
    *("replay empty", "replay ../../etc/passwd"),
    *(f"minimize {path} --engine reference" for path in ("nowhere", "file", "empty", "deep.json")),
    *(f"anonymize {path} --out new" for path in ("nowhere", "file", "empty", "fifo")),
    *(f"known update {path}" for path in ("nowhere", "empty", "file")),
    *(f"findings export {path} --out new" for path in ("nowhere", "file")),
    *(f"corpus fetch 1 --from {path} --out new" for path in ("nowhere", "file", "bin.json")),
    *(f"corpus power {path}" for path in ("nowhere", "broken.json", "list.json", "data")),
    *("diff nowhere empty", "runs list nowhere", "site empty --out new"),
    "export nowhere --format csv --out new",
    # numbers
    *(f"{FILES} --time-limit {number}" for number in ("-1", "0", "nan", "-inf", "x", "''")),
    *(f"{FILES} --memory-limit {size}" for size in ("-1", "0", "1Z", "nan", "inf", "1e400", "G")),
    *(f"{FILES} --queries {number}" for number in ("-1", "1e9", "some", "''", "٣")),
    *(f"{RUN} --generate {number}" for number in ("0", "-3", "ten", "1.5")),
    "run --no-spark --engine pyorc --generate 1 --format parquet",
    *(f"{RUN} --time-budget {time}" for time in ("0", "-1h", "1e999h", "h", "1d", "''")),
    *(f"{OWN} --shard {part}" for part in ("0/4", "5/4", "a/b", "1", "-1/4", f"{10**20}/{10**21}")),
    *(f"{OWN} --jobs {number}" for number in ("0", "-1", "x")),
    f"{RUN} --generate 10 --seed -1",
    *("engines prune --days -1", "runs prune empty --keep -1"),
    # names
    *(f"{RUN} --case {glob}" for glob in ("'['", "''", "'**/[!]'", "nowhere")),
    *(f"{FILES} --engine {name}" for name in ("nosuch", "''", "@1", "reference@", "reference@9")),
    f"{FILES} --engine duckdb:x=1",
    *(f"{FILES} --profile nosuch", f"{FILES} --report nosuch", f"{FILES} --format avro"),
    *("upgrade --from reference@1 --to duckdb@1", "upgrade --from nosuch@1 --to nosuch@2"),
    *("upgrade --from duckdb@x --to duckdb@y", "bisect nosuch --engine duckdb"),
    "known bisect --engine nosuch",
    *("engines install duckdb", "engines install nosuch@1", "engines remove nosuch@1", "engines new ../x"),
    *("explain NOSUCH", "list nosuch", "fuzz nosuch --out new", "fuzz --engine nosuch --out new"),
    *("replay generated/1/2/3/4", "replay generated/-1/0/0", "replay generated/x", "replay nosuch-finding"),
    *("minimize data/a.parquet --engine nosuch", "findings nosuch", "corpus nosuch", "doctor extra"),
]  # fmt: skip


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Return a folder with what newcomers name by mistake."""
    folder = tmp_path_factory.mktemp("bad")
    binary = bytes(range(256)) * 4
    for name in ("empty", "data", "known-bin", "known-lacks", "run-bin", "run-list"):
        (folder / name).mkdir()
    (folder / "data/a.parquet").write_bytes(
        (ROOT / "corpora/parquet/alp/double/example.parquet").read_bytes()
    )
    (folder / "file").touch()
    for name in ("bin.json", "known-bin/duckdb.toml", "run-bin/run.json"):
        (folder / name).write_bytes(binary)
    for name, text in {
        "broken.json": "{",
        "list.json": "[]",
        "run-list/run.json": "[]",
        "deep.json": "[" * 100_000,
        "keys.json": '{"files": {"*": {"footer": "zz"}}}',
        "known-lacks/duckdb.toml": "[[failure]]\n",
    }.items():
        (folder / name).write_text(text)
    os.mkfifo(folder / "fifo")
    (folder / "loop").symlink_to("loop")
    return folder


def refused(arguments, capsys):
    """Check that a command is refused in one line; return the line."""
    status = main(arguments)
    printed = capsys.readouterr()
    assert (status, printed.err.count("\n"), printed.out) == (2, 1, ""), printed.err
    assert printed.err.startswith("colconf: ")
    assert "bug in colconf" not in printed.err
    return printed.err


@pytest.mark.sweep(6)
@pytest.mark.parametrize("text", INPUTS)
def test_one_line(text, folder, monkeypatch, capsys):
    """What is wrong is named, nothing is printed besides, and nothing is left behind."""
    monkeypatch.chdir(folder)
    before = sorted(folder.rglob("*"))
    arguments = shlex.split(text)
    if "fuzz" not in arguments and text.startswith("run ") and "--out" not in text and "--resume" not in text:
        arguments += ["--out", "new"]
    refused(arguments, capsys)
    assert sorted(folder.rglob("*")) == before


CONFIGS = {
    "binary": bytes(range(128, 256)),
    "broken": b"engine = [",
    "unknown": b"nosuch = 1",
    "wrong type": b'time-limit = "x"',
    "not a number": b"time-limit = nan",
    "nested": b"[files]\na = 1",
    "list in a list": b"files = [[1]]",
    "date": b"out = 2020-01-01",
}


@pytest.mark.parametrize("name", CONFIGS)
def test_settings(name, tmp_path, monkeypatch, capsys):
    """A file of settings that is none is named in one line."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "colconf.toml").write_bytes(CONFIGS[name])
    arguments = ["run", "--engine", "reference", "--no-spark", "--generate", "1"]
    message = refused([*arguments, *(["--out", "new"] if name != "date" else [])], capsys)
    assert "colconf.toml" in message or "--time-limit" in message


def test_there_are_enough():
    """The issue asked for 30 further ones."""
    assert len({*INPUTS}) == len(INPUTS) >= 100
