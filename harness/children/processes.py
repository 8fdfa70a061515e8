"""The processes of an engine, their size and their end, and the cores that processes may use."""

from __future__ import annotations

import contextlib
import os
import time

import psutil

MARK = "COLCONF_CHILD"  # the variable that every process of one engine inherits
_ROUNDS = 100
_PAGE = 1 << 14  # bytes of a file of the system that are read at once


def cores() -> int:
    """Return the number of cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


class Family:
    """The child `pid` and its descendants.

    Sizes are sums of resident sets in bytes: pages that processes share count once for each of them.
    """

    def __init__(self, pid: int, mark: str) -> None:
        self.pid = pid
        self.mark = mark
        self._root = psutil.Process(pid)
        self._members = [self._root]
        self._children = b""

    def refresh(self) -> None:
        """Update the list of members. Takes milliseconds: it reads the process table.

        Who was a member stays one: when the child ends, its descendants are no longer in its tree.
        """
        with contextlib.suppress(psutil.Error):
            descendants = self._root.children(recursive=True)
            earlier = [member for member in self._members[1:] if member not in descendants]
            self._members = [self._root, *descendants, *filter(psutil.Process.is_running, earlier)]

    def look(self) -> None:
        """Refresh if the child has other children than at the last look. Takes microseconds else."""
        children = _children(self.pid)
        if children != self._children:
            self._children = children
            self.refresh()

    def pids(self) -> list[int]:
        """Return the ids of the members known since the last refresh."""
        return [member.pid for member in self._members]

    def rss(self) -> int:
        """Return the current size of the members known since the last refresh."""
        total = 0
        for process in self._members:
            with contextlib.suppress(psutil.Error):
                total += process.memory_info().rss
        return total

    def reset_peak(self) -> None:
        """Begin a new measurement of `peak`."""
        for process in self._members:
            with contextlib.suppress(OSError):
                file = os.open(f"/proc/{process.pid}/clear_refs", os.O_WRONLY | os.O_CLOEXEC)
                try:
                    os.write(file, b"5")
                finally:
                    os.close(file)

    def peak(self) -> int:
        """Return the sum of the members' highest sizes since `reset_peak`, 0 where the platform is silent."""
        return sum(_high_water(process.pid) for process in self._members)

    def kill_descendants(self) -> None:
        """Kill all descendants of the child while it is stopped: it has adopted those that are daemons."""
        with contextlib.suppress(psutil.Error):
            self._root.suspend()
            for _ in range(_ROUNDS):
                self.refresh()
                if not any(map(_end, self._members[1:])):
                    return

    def kill(self) -> None:
        """Kill all members, also those that left the child's process tree; the caller reaps the child."""
        for _ in range(_ROUNDS):
            alive = self.alive()
            if not alive:
                return
            for process in alive:
                _end(process)
            time.sleep(0.002)

    def alive(self) -> list[psutil.Process]:
        """Return the running members, without zombies."""
        return [process for process in psutil.process_iter() if self._is_member(process)]

    def _is_member(self, process: psutil.Process) -> bool:
        """Return whether the process was seen in the child's tree, is of its session or has its mark."""
        try:
            if (
                process not in self._members
                and os.getsid(process.pid) != self.pid
                and process.environ().get(MARK) != self.mark
            ):
                return False
            # Asked of members alone: the system makes a text of many lines for each answer.
            return bool(process.status() != psutil.STATUS_ZOMBIE)
        except (psutil.Error, OSError):
            return False


def _end(process: psutil.Process) -> bool:
    """Kill a process; return whether it ran."""
    try:
        ran = bool(process.status() != psutil.STATUS_ZOMBIE)
        process.kill()
    except psutil.Error:
        return False
    return ran


def _children(pid: int) -> bytes:
    """Return the ids of the children of all threads of a process; b"" where the platform is silent."""
    folder = f"/proc/{pid}/task"
    try:
        return b"".join(_content(f"{folder}/{thread}/children") for thread in sorted(os.listdir(folder)))  # noqa: PTH208
    except OSError:
        return b""


def _content(path: str) -> bytes:
    """Return the bytes of a file of the system, which is read after each request: no layer stands between."""
    file = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        return b"".join(iter(lambda: os.read(file, _PAGE), b""))
    finally:
        os.close(file)


def _high_water(pid: int) -> int:
    try:
        status = _content(f"/proc/{pid}/status")
    except OSError:
        return 0
    _, label, rest = status.partition(b"VmHWM:")
    return int(rest.split(None, 1)[0]) * 1024 if label else 0
