"""Errors that end a command, with one line on standard error and an exit status."""

from __future__ import annotations

import click

from harness.listings.text import block

USAGE = 2
INTERRUPTED = 130


class Problem(click.ClickException):
    """An error in the arguments, the configuration or the environment; the message is one line."""

    exit_code = USAGE

    def format_message(self) -> str:
        """Return the message with control characters escaped, since it may contain names of files."""
        return block(self.message, None)


class Interrupted(click.ClickException):
    """An interrupt with a message, which is one line."""

    exit_code = INTERRUPTED
