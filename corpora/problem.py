"""The base of errors that end a command."""

from __future__ import annotations


class UserError(Exception):
    """An error in input, arguments or environment, which the user can mend; its message is one line."""
