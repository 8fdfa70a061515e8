"""For how long processes have waited for nothing: all their threads asleep, and no CPU time used."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from pathlib import Path

_ASLEEP = frozenset({b"S", b"I"})  # man 5 proc_pid_stat: not running, not waiting for a disk, not stopped


class Waiting:
    """How long processes have waited, as far as `seconds` looked; always 0 where there is no /proc."""

    def __init__(self) -> None:
        self._used: int | None = None
        self._since = 0.0

    def seconds(self, pids: Sequence[int], now: float) -> float:
        """Return for how many seconds before `now` the processes have been seen to wait."""
        used = _cpu_ticks(pids)
        # A virtual machine has a hundred threads: they are looked at only if no CPU time was used.
        if used is None or used != self._used or not all(map(_is_asleep, pids)):
            self._used, self._since = used, now
        return now - self._since


def _cpu_ticks(pids: Iterable[int]) -> int | None:
    """Return the clock ticks that processes have used so far; None if one has ended."""
    ticks = 0
    for pid in pids:
        try:
            fields = _stat(f"/proc/{pid}")
        except OSError:
            return None
        ticks += int(fields[11]) + int(fields[12])
    return ticks


def _is_asleep(pid: int) -> bool:
    """Return whether all threads of a process are asleep; not if one has ended meanwhile."""
    folder = f"/proc/{pid}/task"
    try:
        return all(_stat(f"{folder}/{thread}")[0] in _ASLEEP for thread in os.listdir(folder))  # noqa: PTH208
    except OSError:
        return False


def _stat(folder: str) -> list[bytes]:
    """Return the fields of a `stat` file behind the name in brackets, from the state on."""
    return Path(folder, "stat").read_bytes().rpartition(b")")[2].split()
