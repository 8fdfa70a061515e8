"""Seeds with a focus: their sheets have a feature more often than by chance.

The focus is a part of the seed, above its lowest 32 bits, so that a seed and a number still identify a sheet,
wherever they are written down: in the name of a case, in a history, on a command line.
"""

from __future__ import annotations

import hashlib
from functools import cache

from corpora.features import TABLES, registry

SEEDS = 1 << 32
_CODES = 1 << 20


def focused(seed: int, feature: str) -> int:
    """Return a seed, which is less than SEEDS, with its focus on a feature; "" is no focus."""
    if not 0 <= seed < SEEDS:
        raise ValueError(f"a seed with a focus is from 0 to {SEEDS - 1:,}, not {seed}")
    return seed + (code(feature) * SEEDS if feature else 0)


def focus_of(seed: int) -> str:
    """Return the focus of a seed, "" for none."""
    return _features().get(seed // SEEDS, "")


def code(feature: str) -> int:
    """Return the number of a feature, the same in each version of the registry; never 0."""
    return int.from_bytes(hashlib.sha256(feature.encode()).digest()[:4], "big") % (_CODES - 1) + 1


@cache
def _features() -> dict[int, str]:
    return {code(feature): feature for feature in (*registry(), *TABLES.values())}
