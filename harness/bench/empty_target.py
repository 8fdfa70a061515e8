# Invariant: none; the target does nothing with any bytes.
"""An empty fuzz target, for the cost of fuzzing without a target."""

from __future__ import annotations

from collections.abc import Iterable

NAME = __name__


def seeds() -> Iterable[bytes]:
    """Return an input."""
    return [b"seed"]


def check(data: bytes) -> None:
    """Do nothing."""
