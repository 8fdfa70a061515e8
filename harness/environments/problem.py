"""Errors about environments; each message is one line with the remedy."""

from __future__ import annotations


class EnvironmentProblem(Exception):  # noqa: N818 - it becomes the line of a `Problem`
    """An environment cannot be made, found or removed."""
