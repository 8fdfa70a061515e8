"""Engines with planted bugs, by the names of their plants: `harness.investigate.selftest.engines:NAME`.

`marked` and `marked-strict` have no bug, and note the plants whose places they reach. For child processes: a
class is made at the first access to its name, and no other can be made in that process.
"""

from __future__ import annotations

from importlib import import_module
from typing import cast

from harness.engines.base import Engine
from harness.investigate.selftest.plant import REFUSAL
from harness.investigate.selftest.planting import mark, plant
from harness.investigate.selftest.plants import PLANTS

_MARKED = {"marked": "Marked", "marked-strict": "MarkedStrict"}


def fake(name: str) -> type[Engine]:
    """Return an engine of `fakes` or of `query_fakes`."""
    modules = [import_module(f"harness.investigate.selftest.{module}") for module in ("fakes", "query_fakes")]
    return cast("type[Engine]", next(vars(module)[name] for module in modules if name in vars(module)))


def __getattr__(name: str) -> type[Engine]:
    """Return the class of an engine; its name is that of its plant."""
    if name in _MARKED:
        mark(bug for bug in PLANTS.values() if bug.module)
        marked = import_module("harness.investigate.selftest.marked")
        return cast("type[Engine]", getattr(marked, _MARKED[name]))
    bug = PLANTS.get(name)
    if bug is None:
        raise AttributeError(name)
    if not bug.module:
        return fake(bug.new)
    plant(bug)
    if bug.shows == REFUSAL:
        return cast("type[Engine]", import_module("harness.investigate.selftest.strict").Strict)
    return cast("type[Engine]", import_module("harness.engines.reference.adapter").Reference)
