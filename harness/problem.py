"""What a command ends with when it cannot do what was asked: one line on standard error, and a status."""

from __future__ import annotations

import click

from harness.listings.text import block

USAGE = 2
INTERRUPTED = 130


class Problem(click.ClickException):
    """A mistake in the arguments, the configuration or the environment; the message is one line."""

    exit_code = USAGE

    def format_message(self) -> str:
        """Return the message, visible: it names files, which may be called anything."""
        return block(self.message, None)


class Interrupted(click.ClickException):
    """The user interrupted a command that can say more than that; the message is one line."""

    exit_code = INTERRUPTED
