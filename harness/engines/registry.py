"""The engines colconf knows, as data: the parent reads this table and imports no engine.

It collects the registrations, `ENTRY` in `harness/engines/<name>/entry.py`: no other table has them.
"""

from __future__ import annotations

import importlib
from pathlib import Path

from harness.engines.entry import QUERY_SWITCHES, Entry

__all__ = ["ENGINES", "QUERY_SWITCHES", "Entry"]


def _entries() -> list[Entry]:
    folders = sorted(file.parent.name for file in Path(__file__).parent.glob("*/entry.py"))
    entries = [importlib.import_module(f"harness.engines.{name}.entry").ENTRY for name in folders]
    return sorted(entries, key=lambda entry: entry.place)


ENGINES: dict[str, Entry] = {entry.name: entry for entry in _entries()}
