"""Engines of `selftest --fuzz` for child processes: `harness.investigate.selftest.fuzz.engines:NAME`.

NAME is that of a plant, or `healthy`: the reader without a bug, which reports the plants whose places it
reached.
"""

from __future__ import annotations

from importlib import import_module
from typing import cast

from harness.engines.base import Engine
from harness.investigate.selftest.fuzz.plants import PLANTS
from harness.investigate.selftest.planting import mark, plant

HEALTHY = "healthy"


def __getattr__(name: str) -> type[Engine]:
    """Return the class of an engine, made at the first access; no other can be made in that process."""
    if name == HEALTHY:
        mark(PLANTS.values())
    elif name in PLANTS:
        plant(PLANTS[name])
    else:
        raise AttributeError(name)
    reading = import_module("harness.investigate.selftest.fuzz.reading")
    return cast("type[Engine]", reading.Marked if name == HEALTHY else reading.Everything)
