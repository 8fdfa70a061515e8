"""All plants, by name: copies of the reference reader that read one thing wrong, and fake engines."""

from __future__ import annotations

from harness.selftest.plants import encodings, engines, nesting, pages, pruning, refusals, values

__all__ = ["PLANTS"]

_AREAS = (encodings, pages, nesting, values, pruning, refusals, engines)
PLANTS = {one.name: one for area in _AREAS for one in area.PLANTS}
