"""All plants, by name: copies of the reference readers that read one thing wrong, and fake engines.

To add one, add a `Plant` to the area that it belongs to, and for a fake engine a class to
`selftest/fakes.py`. A change of a reader that takes a plant's place away fails a test: give the
plant another place. A plant that no legal file can show, and no broken one, is none.
"""

from __future__ import annotations

from harness.investigate.selftest.plants import (
    encodings,
    engines,
    nesting,
    orc,
    pages,
    pruning,
    refusals,
    values,
)

__all__ = ["PLANTS"]

_AREAS = (encodings, pages, nesting, values, pruning, refusals, engines, *orc.AREAS)
PLANTS = {one.name: one for area in _AREAS for one in area.PLANTS}
