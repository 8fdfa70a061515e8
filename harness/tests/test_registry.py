from __future__ import annotations

import ast
import importlib
import subprocess
import sys
import tomllib
from importlib.metadata import PackageNotFoundError
from importlib.util import find_spec
from pathlib import Path

import pytest

from harness.engines.registry import ENGINES
from harness.judging.equivalences import EQUIVALENCES

ROOT = Path(__file__).parents[2]


def adapter(entry):
    """Return the adapter's class."""
    return getattr(importlib.import_module(entry.module), entry.class_name)


@pytest.mark.parametrize("entry", ENGINES.values(), ids=str)
def test_entries_tell_what_adapters_are(entry):
    """Name, formats and writing of an entry are those of its adapter, and its claims exist."""
    cls = adapter(entry)
    assert (cls.name, cls.formats, bool(cls.writes)) == (entry.name, entry.formats, entry.writes)
    assert set(cls.equivalences) <= set(EQUIVALENCES)


@pytest.mark.parametrize("entry", ENGINES.values(), ids=str)
def test_narrowed_and_rare_values_are_values(entry):
    """What an entry says of some values of its switches is about values that there are, not the default."""
    for narrowed in entry.narrowed.values():
        for switch, values in narrowed.items():
            assert set(values) <= set(entry.switches[switch])
    for switch, values in entry.rare.items():
        assert set(values) <= set(entry.switches[switch][1:])


@pytest.mark.parametrize("entry", ENGINES.values(), ids=str)
def test_extras_install_the_packages(entry):
    """The extra of an entry exists; what it does not list, its packages bring with them."""
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]
    if entry.packages:
        assert any(line.startswith(entry.packages[0]) for line in extras[entry.extra])
    else:
        assert entry.extra == ""


def test_adapters_import_no_engine_when_imported():
    """Importing the registry and all adapters but the reference's loads no engine's library."""
    modules = [entry.module for entry in ENGINES.values()]
    heavy = ["pyarrow", "pyspark", "duckdb", "polars", "fastparquet", "datafusion", "pandas"]
    code = f"import sys, importlib; [importlib.import_module(m) for m in {modules!r}]"
    code += f"; sys.exit(str([m for m in {heavy!r} if m in sys.modules] or ''))"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=False, capture_output=True, text=True)
    assert done.stderr.strip() == ""


def test_children_keep_to_old_syntax():
    """What runs in a child parses as Python 3.9, and takes its annotations as text."""
    for path in (ROOT / "harness" / "engines").rglob("*.py"):
        source = path.read_text()
        ast.parse(source, feature_version=(3, 9))
        if source.strip():
            assert "from __future__ import annotations" in source, path.name


def test_absent_engine_says_so():
    """An engine whose library is absent raises an ImportError that names the library."""
    absent = [e for e in ENGINES.values() if e.packages and not find_spec(e.packages[0])]
    if not absent:
        pytest.skip("all engines are installed")
    for entry in absent:
        with pytest.raises((ImportError, PackageNotFoundError), match=entry.packages[0].partition("-")[0]):
            adapter(entry)()
