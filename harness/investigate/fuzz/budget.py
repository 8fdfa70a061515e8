"""The time of each target: half of the budget in equal parts, half by the yield of the last round.

A target that found nothing new keeps half of an equal part, since new code may only be hard to reach.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

_EQUALLY = 0.5
_LEAST_SLICE = 12.0  # seconds; a process takes one or two seconds until its first input
_MOST_ROUNDS = 10


def rounds(seconds: float, targets: int) -> int:
    """Return the number of rounds that some seconds of processes are cut into, at least 1."""
    return max(1, min(_MOST_ROUNDS, int(seconds / (targets * _LEAST_SLICE)))) if targets else 1


def shares(seconds: float, yields: Mapping[str, float]) -> dict[str, float]:
    """Return the seconds of each target, given its new edges per second; equal parts if no target has any."""
    total = sum(yields.values())
    if not total:
        return {name: seconds / len(yields) for name in yields}
    equal = _EQUALLY * seconds / len(yields)
    rest = seconds - equal * len(yields)
    return {name: equal + rest * rate / total for name, rate in yields.items()}


def in_order(parts: Mapping[str, float]) -> Sequence[tuple[str, float]]:
    """Return the parts, longest first, so that the cores end together."""
    return sorted(parts.items(), key=lambda part: (-part[1], part[0]))
