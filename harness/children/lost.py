"""The error of a child that is lost, and how its exit status is put into words."""

from __future__ import annotations

import signal

from harness.children.outcomes import OutcomeKind


class LostError(Exception):
    """The child can no longer be used, and was killed.

    `untouched`: it was lost before it read anything of the request, which therefore is not the cause.
    """

    def __init__(
        self, kind: OutcomeKind, message: str, *, status: int | None = None, untouched: bool = False
    ) -> None:
        super().__init__(message)
        self.kind = kind
        self.message = message
        self.signal = -status if status is not None and status < 0 else None
        self.exit_status = status if status is not None and status >= 0 else None
        self.untouched = untouched


def status_text(status: int) -> str:
    """Return the exit status of a process, or the name of the signal that ended it."""
    if status >= 0:
        return f"exit status {status}"
    try:
        return f"signal {-status} ({signal.Signals(-status).name})"
    except ValueError:
        return f"signal {-status}"
