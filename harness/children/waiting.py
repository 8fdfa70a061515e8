"""For how long processes have waited for nothing: all their threads asleep, and no CPU time used."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

_ASLEEP = frozenset({b"S", b"I"})  # man 5 proc_pid_stat: not running, not waiting for a disk, not stopped


class Waiting:
    """How long processes have waited, as far as `seconds` looked; always 0 where there is no /proc."""

    def __init__(self) -> None:
        self._used: int | None = None
        self._since = 0.0

    def seconds(self, pids: Iterable[int], now: float) -> float:
        """Return for how many seconds before `now` the processes have been seen to wait."""
        used = _cpu_ticks_if_asleep(pids)
        if used is None or used != self._used:
            self._used, self._since = used, now
        return now - self._since


def _cpu_ticks_if_asleep(pids: Iterable[int]) -> int | None:
    """Return the clock ticks that processes have used so far; None if a thread is not asleep."""
    ticks = 0
    for pid in pids:
        folder = Path(f"/proc/{pid}")
        try:
            if not all(_stat(thread)[0] in _ASLEEP for thread in (folder / "task").iterdir()):
                return None
            fields = _stat(folder)
        except OSError:  # it or one of its threads ended meanwhile
            return None
        ticks += int(fields[11]) + int(fields[12])
    return ticks


def _stat(folder: Path) -> list[bytes]:
    """Return the fields of a `stat` file behind the name in brackets, from the state on."""
    return (folder / "stat").read_bytes().rpartition(b")")[2].split()
