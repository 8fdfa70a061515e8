"""Manifests of the reader in `harness/tests/foreign`."""

from __future__ import annotations

import sys
from pathlib import Path

from harness.engines.registry import ENGINES

READER = Path(__file__).parent / "foreign" / "reader.py"
ROOT = Path(__file__).parents[2]
HEAD = """protocol = 3
name = "my_reader"
command = [{python}, "-B", {reader}, {fault}]
formats = ["parquet", "orc"]
{more}
[variables]
PYTHONPATH = {root}
"""


def text(fault="honest", more="", tables=""):
    """Return the content of a manifest; `more` are keys at its head, `tables` stand behind."""
    # Literal strings of TOML: no path here has a single quote.
    fields = {"python": sys.executable, "reader": READER, "fault": fault, "root": ROOT}
    return HEAD.format(more=more, **{name: f"'{value}'" for name, value in fields.items()}) + tables


def manifest(folder, fault="honest", more="", tables=""):
    """Write a manifest into a folder, and return its path."""
    path = folder / "my-reader.toml"
    path.write_text(text(fault, more, tables))
    return path


def forget(monkeypatch):
    """Have the registry forget, after a test, what the test registers."""
    monkeypatch.setitem(ENGINES, "my_reader", None)
    del ENGINES["my_reader"]
