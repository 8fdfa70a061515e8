# It holds of any bytes that nothing is done with them.
"""An empty fuzz target: what is left of fuzzing when the target takes no time."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

NAME = __name__


def seeds() -> Iterable[bytes]:
    """Return an input."""
    return [b"seed"]


def check(data: bytes) -> None:
    """Do nothing."""
