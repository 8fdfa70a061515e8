"""How often a process looks for garbage."""

from __future__ import annotations

import gc

# Objects, and collections of younger ones, after which garbage is looked for. Rows, results and tables are no
# garbage: with Python's own thresholds, all of them are gone through again for each 70,000 objects.
_THRESHOLDS = (50_000, 20, 20)


def collect_seldom() -> None:
    """Let this process collect garbage less often than Python's default."""
    gc.set_threshold(*_THRESHOLDS)
