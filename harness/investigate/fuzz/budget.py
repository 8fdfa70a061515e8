"""Who gets how much time: half of it in equal parts, half by what the last round brought.

A target that found nothing new goes on with half of an equal part: what is there may only be far.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_EQUALLY = 0.5
_LEAST_SLICE = 12.0  # seconds; a process takes one or two until its first input
_MOST_ROUNDS = 10


def rounds(seconds: float, targets: int) -> int:
    """Return into how many rounds so many seconds of processes are cut, at least 1."""
    return max(1, min(_MOST_ROUNDS, int(seconds / (targets * _LEAST_SLICE)))) if targets else 1


def shares(seconds: float, yields: Mapping[str, float]) -> dict[str, float]:
    """Share seconds out among targets, given new edges per second of each (all alike if none has any)."""
    total = sum(yields.values())
    if not total:
        return {name: seconds / len(yields) for name in yields}
    equal = _EQUALLY * seconds / len(yields)
    rest = seconds - equal * len(yields)
    return {name: equal + rest * rate / total for name, rate in yields.items()}


def in_order(found: Mapping[str, float]) -> Sequence[tuple[str, float]]:
    """Return the parts, the long ones first, so that the cores end together."""
    return sorted(found.items(), key=lambda one: (-one[1], one[0]))
