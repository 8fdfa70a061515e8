"""Large answers to queries in the child: their digests, and the rows that are asked for after these.

The answer that was digested is held until the next request that is not about it, so that its rows are those
of the same answer. Standard library only, Python 3.9.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from corpora.tagged import Table

_KEY = ("file", "format", "config", "query")


class LargeAnswers:
    """The answer that was digested last, if it is still held."""

    def __init__(self) -> None:
        self._key = ""
        self._table: Table | None = None

    def before(self, op: str) -> None:
        """Let go of the answer before any request but one for rows."""
        if op != "rows":
            self._key, self._table = "", None

    def reply(self, engine: Any, request: dict[str, Any], ask: Callable[[dict[str, Any]], Table]) -> Any:
        """Return the digests of an engine's answer, or some of its rows; `ask` returns the whole answer."""
        key = json.dumps([request[name] for name in _KEY], sort_keys=True)
        if self._table is None or key != self._key:
            self._table, self._key = ask(request), key
        if request["op"] == "digest":
            return engine.digest_of(self._table, request["block_rows"])
        return engine.rows_of(self._table, request["first"], request["count"])
