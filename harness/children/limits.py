"""The limits of a child: time, memory, and the length of its replies."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import NamedTuple

from harness.children.foreign import Foreign


class TimeLimit(NamedTuple):
    """How many seconds a reply may take, and how many of them in a row the child may use no CPU time."""

    seconds: float
    idle_seconds: float = math.inf


@dataclass(frozen=True)
class Limits:
    """The limits of a child.

    `start_seconds`: to start and describe itself. `seconds`: a read or write. `idle_seconds`: a read of small
    files in which the child uses no CPU time, all its threads asleep. `sheet_file_seconds`: added by each
    further file of a `read_many`; `byte_seconds`: added by each byte of the files. `memory_bytes`:
    resident size of the child and all its descendants, measured 40 times a second. `reply_bytes`: length of a
    reply line. `table_bytes`: text of the tables of a request, to which the bytes of the files add.
    `close_seconds`: to end on request. `starts`: how many failed starts in a row are allowed.
    """

    start_seconds: float = 120.0
    seconds: float = 120.0
    idle_seconds: float = 10.0
    sheet_file_seconds: float = 5.0
    byte_seconds: float = 2e-6
    memory_bytes: int = 8 << 30
    reply_bytes: int = 64 << 20
    table_bytes: int = 1 << 30
    close_seconds: float = 5.0
    starts: int = 2

    @property
    def short_seconds(self) -> float:
        """Return the time for a small file of an engine that hung before: a quarter, ten seconds at least."""
        return max(self.seconds / 4, min(self.seconds, 10.0))

    def lowered(self, foreign: Foreign) -> Limits:
        """Return these limits, lowered to those of a manifest."""
        fields = ("start_seconds", "seconds", "memory_bytes")
        given = {name: getattr(foreign, name) for name in fields if getattr(foreign, name) is not None}
        return replace(self, **{name: min(getattr(self, name), value) for name, value in given.items()})
