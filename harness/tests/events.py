"""Waiting for events: how long a test waits does not decide whether it passes."""

from __future__ import annotations

import time
from collections.abc import Callable

PATIENCE = 300.0  # seconds; a busy machine takes long to start a process


def wait_for(condition: Callable[[], object]) -> None:
    """Wait until a condition holds."""
    end = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < end, condition
        time.sleep(0.01)
