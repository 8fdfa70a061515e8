"""One process of one target, for some seconds: watched from outside, because it may die, hang or grow.

The child writes each input to a file before it runs the input, so that the input that ended the process is
known. All other findings are stored by the child itself.
"""

from __future__ import annotations

import contextlib
import os
import re
import signal
import subprocess
import sys
import threading
import time
import uuid
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import psutil

from harness.children.launch import ROOT
from harness.children.processes import MARK, Family
from properties.fuzz.child import RENEW, State
from properties.fuzz.crashes import Store, of_death

_STATUS = re.compile(rb"cov: (\d+) ft: (\d+) corp: (\d+)")
_POLL = 0.1
_START = 180.0  # seconds until the first input: imports, seeds
_IDLE = 60.0  # seconds without progress and without CPU time
_DUMP = 0.5
_GRACE = 1.0
_TAIL = 300  # lines
_OUT_OF_MEMORY = 71  # libFuzzer's exit status


@dataclass(frozen=True)
class Limits:
    """The limits of a process: CPU seconds for one input, and bytes of memory."""

    seconds: float = 20.0
    memory_bytes: int = 2 << 30


@dataclass
class Slice:
    """The result of running a target for some time: `seconds` of wall time, `edges` reached in total."""

    target: str
    seconds: float = 0.0
    executions: int = 0
    edges: int = 0
    failure: str = ""  # why no input was run
    deaths: int = 0
    lines: deque[str] = field(default_factory=lambda: deque(maxlen=_TAIL), repr=False)


class Child:
    """A process that runs a target."""

    def __init__(
        self, target: str, out: Path, limits: Limits, arguments: Sequence[str], lines: deque[str]
    ) -> None:
        self.target = target
        self.edges = 0
        self._limits = limits
        self._lines = lines
        state = out / "state" / target
        state.parent.mkdir(parents=True, exist_ok=True)
        state.unlink(missing_ok=True)
        self.state = State(state)
        mark = uuid.uuid4().hex
        options = ("--out", str(out), "--state", str(state), "--memory", str(limits.memory_bytes))
        self._process = subprocess.Popen(
            [sys.executable, "-P", "-m", "properties.fuzz.child", target, *options, *arguments],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            env={**os.environ, MARK: mark, "PYTHONPATH": python_path()},
            start_new_session=True,
        )
        self.family = Family(self._process.pid, mark)
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self) -> None:
        assert self._process.stderr is not None
        for line in self._process.stderr:
            if status := _STATUS.search(line):
                self.edges = max(self.edges, int(status[1]))
            elif not line.startswith(b"INFO:"):
                self._lines.append(line.decode("utf-8", "replace").rstrip())

    def wait(self, until: float, stop: Callable[[], bool]) -> str:
        """Wait for the end; return "" if it was regular, "renew", "stopped", or how the process died.

        `until` (of time.monotonic) is when its time is over. A process that was slow to start does not end by
        itself then, and is killed: all its findings are stored.
        """
        last, cpu, at = -1, 0.0, time.monotonic()
        while self._process.poll() is None:
            time.sleep(_POLL)
            if stop():
                self.end()
                return "stopped"
            count, _ = self.state.read()
            now = time.monotonic()
            if count != last:
                last, cpu, at = count, self._cpu(), now
                if count and now > until + _GRACE:  # not while an input hangs, which is to be reported
                    self.end()
                    return ""
            elif self._is_stuck(count, now - at, cpu):
                return self._hung()
        self.end()
        return self._how(self._process.returncode)

    def _how(self, status: int) -> str:
        if status == RENEW:
            return "renew"
        if status < 0:
            with contextlib.suppress(ValueError):
                return f"died of {signal.Signals(-status).name}"
        if status == _OUT_OF_MEMORY:
            return "out of memory"
        return f"ended with status {status}" if status else ""

    def _is_stuck(self, count: int, seconds: float, cpu: float) -> bool:
        if not count:
            return seconds > _START
        return seconds > _IDLE or self._cpu() - cpu > self._limits.seconds

    def _hung(self) -> str:
        """Have the process print its stack, then end the process."""
        with contextlib.suppress(OSError):
            os.kill(self._process.pid, signal.SIGUSR1)
        time.sleep(_DUMP)
        self.end()
        return "hung"

    def _cpu(self) -> float:
        try:
            times = psutil.Process(self._process.pid).cpu_times()
        except psutil.Error:
            return 0.0
        return float(times.user + times.system)

    def end(self) -> None:
        """End the process and all its descendants."""
        self._process.kill()
        self.family.kill()
        self._process.wait()
        self._reader.join(_DUMP)
        if self._process.stderr is not None and not self._reader.is_alive():
            self._process.stderr.close()


def run(
    target: str, out: Path, seconds: float, limits: Limits, stop: Callable[[], bool], *, seeds: bool
) -> Slice:
    """Run a target for some seconds, with as many processes as needed, and store the inputs that end one."""
    result = Slice(target)
    started = time.monotonic()
    until = started + seconds
    folder = out / "crashes" / target
    while (left := until - time.monotonic()) >= 1 or not result.executions:
        flags = [
            f"-max_total_time={max(1, round(left))}",
            "-print_final_stats=0",
        ]
        child = Child(target, out, limits, [*flags, *(["--seeds"] if seeds else [])], result.lines)
        try:
            how = child.wait(time.monotonic() + left, stop)
        except BaseException:
            child.end()
            raise
        executions, data = child.state.read()
        result.executions += executions
        result.edges = max(result.edges, child.edges)
        if how in {"", "stopped"}:
            break
        if not executions:
            result.failure = next((line for line in reversed(result.lines) if line.strip()), how)
            break
        if how != "renew":
            result.deaths += 1
            Store(folder).add(of_death(target, data, how, "\n".join(result.lines)), data)
            _forget(out / "corpus" / target, data)
    result.seconds = time.monotonic() - started
    return result


def _forget(corpus: Path, data: bytes) -> None:
    """Remove an input that ends processes from the corpus, or the next process would end, too."""
    for path in corpus.iterdir() if corpus.is_dir() else ():
        if path.stat().st_size == len(data) and path.read_bytes() == data:
            path.unlink()


def python_path() -> str:
    """Return PYTHONPATH of children: our own modules come first."""
    others = [
        entry for entry in os.environ.get("PYTHONPATH", "").split(os.pathsep) if entry not in {"", str(ROOT)}
    ]
    return os.pathsep.join([str(ROOT), *others])
