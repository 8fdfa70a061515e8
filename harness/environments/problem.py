"""Errors about environments; each message is one line with the remedy."""

from __future__ import annotations

from corpora.problem import UserError


class EnvironmentProblem(UserError):  # noqa: N818 - it becomes the line of a `Problem`
    """An environment cannot be made, found or removed."""
