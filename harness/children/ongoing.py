"""The requests that engines are at work on in this process: a run names those that take long."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from itertools import count
from typing import Any, NamedTuple

_DOING = {
    "read": "reads",
    "read_many": "reads",
    "read_table": "reads",
    "read_tables": "reads",
    "query": "runs a query on",
    "digest": "reads",
    "rows": "reads",
    "probes": "derives queries from",
}


class Ongoing(NamedTuple):
    """A request about a file or several, of which `file` is the first; `begun` is a monotonic time."""

    engine: str
    op: str
    file: str
    files: int
    begun: float

    def text(self, now: float) -> str:
        """Return what the engine does, with which file, and for how long."""
        more = f" and {self.files - 1:,} more" if self.files > 1 else ""
        return f"{self.engine} {_DOING[self.op]} {self.file}{more} for {now - self.begun:.0f} s"


_REQUESTS: dict[int, Ongoing] = {}  # threads add and remove their own ones
_NUMBERS = count()


@contextmanager
def listed(engine: str, op: str, fields: Mapping[str, Any]) -> Iterator[None]:
    """List a request while it is under way; one about no file is not."""
    files = fields.get("files") or ([fields["file"]] if "file" in fields else [])
    if op not in _DOING or not files:
        yield
        return
    number = next(_NUMBERS)
    _REQUESTS[number] = Ongoing(engine, op, os.fspath(files[0]), len(files), time.monotonic())
    try:
        yield
    finally:
        del _REQUESTS[number]


def longest() -> Ongoing | None:
    """Return the request that is under way for the longest time, None if there is none."""
    return min(list(_REQUESTS.values()), key=lambda request: request.begun, default=None)
