"""How the pipeline fails."""

from __future__ import annotations

from corpora.problem import UserError


class PipelineError(UserError):
    """A task could not be done, for a reason that is no engine's; the message is one line."""


def explained(error: BaseException) -> str:
    """Return an exception as one line."""
    if isinstance(error, PipelineError):
        return str(error)
    if isinstance(error, OSError) and error.strerror:
        return f"{error.filename}: {error.strerror}" if error.filename else error.strerror
    lines = str(error).strip().splitlines()
    return f"{type(error).__name__}: {lines[0]}" if lines else type(error).__name__
