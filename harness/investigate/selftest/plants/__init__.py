"""All plants, by name: copies of the reference readers that read one thing wrong, and fake engines.

A new plant is a `Plant` in its area, and for a fake engine also an engine in `selftest/fakes.py` or
`selftest/query_fakes.py`. A change to a reader that removes the source of a plant fails a test: give the
plant another place. A plant must be visible in some legal or broken file.
"""

from __future__ import annotations

from harness.investigate.selftest.plants import (
    declared,
    encodings,
    engines,
    forms,
    listed,
    nesting,
    orc,
    pages,
    pruning,
    refusals,
    table_queries,
    tables,
    values,
)

__all__ = ["PLANTS"]

_AREAS = (
    encodings,
    pages,
    nesting,
    values,
    pruning,
    refusals,
    engines,
    tables,
    table_queries,
    declared,
    forms,
    listed,
    *orc.AREAS,
)
PLANTS = {plant.name: plant for area in _AREAS for plant in area.PLANTS}
