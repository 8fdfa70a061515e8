"""Plants of ORC: bugs in copies of its reader."""

from __future__ import annotations

from harness.investigate.selftest.plants.orc import columns, encodings, forms, pruning, refusals, times

__all__ = ["AREAS"]

AREAS = (encodings, columns, times, pruning, refusals, forms)
