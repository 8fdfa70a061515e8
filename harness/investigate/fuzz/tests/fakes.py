"""Engines that misbehave on purpose; otherwise they read as the reference does."""

# ruff: noqa: D102 - each is named after what it does

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from corpora.answers import take
from harness.engines.reference.adapter import Reference

if TYPE_CHECKING:
    from corpora.queries import Query
    from corpora.tagged import Table

_MUCH = 1200 << 20
_PAGE = 4096
_MANY = 50


class Slow(Reference):
    """Takes two seconds."""

    def read(self, file: str, format: str, config: dict[str, str]) -> Table:  # noqa: A002 - interface
        time.sleep(2)
        return super().read(file, format, config)


class Takes(Reference):
    """Takes much memory."""

    def read(self, file: str, format: str, config: dict[str, str]) -> Table:  # noqa: A002 - interface
        taken = bytearray(_MUCH)
        taken[::_PAGE] = b"x" * (_MUCH // _PAGE)
        time.sleep(0.1)
        return super().read(file, format, config)


class Poisoned(Reference):
    """Refuses all that comes behind a file of more than 50 rows."""

    poisoned = False

    def read(self, file: str, format: str, config: dict[str, str]) -> Table:  # noqa: A002 - interface
        if self.poisoned:
            raise ValueError("an earlier error")
        table = super().read(file, format, config)
        self.poisoned = table.num_rows > _MANY
        return table


class Refuses(Reference):
    """Refuses every file."""

    def read(self, file: str, format: str, config: dict[str, str]) -> Table:  # noqa: A002, ARG002 - interface
        raise ValueError("no")


class LosesByPushdown(Reference):
    """With pushdown, a filter loses its last row."""

    def query_one(self, file: str, format: str, config: dict[str, str], query: Query) -> Table:  # noqa: A002 - interface
        table = super().query_one(file, format, config, query)
        if query.kind != "filter" or config["pushdown"] == "off":
            return table
        return take(table, range(max(0, table.num_rows - 1)))
