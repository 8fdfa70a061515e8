"""The current folder is where a user unpacked what somebody sent: no Python file in it is executed."""

import os
import subprocess
import sys
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

MODULES = (
    "json",
    "numpy",
    "pyarrow",
    "typing",
    "harness",
    "properties",
    "coverage",
    "atheris",
    "sitecustomize",
)
COMMANDS = {
    "run": "run --files a.parquet --no-spark --engine reference --engine pyarrow --queries 2 --report none",
    "replay": "replay a.parquet --engine pyarrow",
    "minimize": "minimize a.parquet --engine pyarrow",
    "validate": "validate a.parquet",
    "inspect": "inspect a.parquet",
    "fuzz": "fuzz parquet_footer --time-budget 1s",
    "fuzz of engines": "fuzz --engine pyarrow --time-budget 2s",
    "selftest": "selftest --fuzz --only located-page-unchecked --time-budget 2s",
}


@pytest.fixture
def folder(tmp_path):
    """Return a folder of a Parquet file and of modules that leave a mark when they are executed."""
    pq.write_table(pa.table({"a": [1, 2]}), tmp_path / "a.parquet")
    for name in MODULES:
        code = f"import os\nopen({str(tmp_path / 'mark')!r}, 'a').write({name!r})\n"
        (tmp_path / f"{name}.py").write_text(code)
    return tmp_path


@pytest.mark.parametrize("name", COMMANDS)
def test_modules_of_the_current_folder_are_not_imported(folder, name):
    """Neither a command nor a process that it starts has the current folder on its path."""
    colconf = Path(sys.executable).with_name("colconf")
    env = {name: value for name, value in os.environ.items() if name not in {"PYTHONPATH", "PYTHONSAFEPATH"}}
    command = [str(colconf), *COMMANDS[name].split()]
    subprocess.run(command, cwd=folder, env=env, capture_output=True, timeout=100, check=False)
    mark = folder / "mark"
    assert not mark.exists(), mark.read_text()
