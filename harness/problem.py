"""What a command ends with when it cannot do what was asked: one line on standard error, exit status 2."""

from __future__ import annotations

import click

USAGE = 2


class Problem(click.ClickException):
    """A mistake in the arguments, the configuration or the environment; the message is one line."""

    exit_code = USAGE
