"""A child process that replies to request lines, with limits of time and memory."""

from __future__ import annotations

import contextlib
import math
import os
import select
import selectors
import signal
import subprocess
import time
import uuid
from collections.abc import Mapping, Sequence
from pathlib import Path

from harness.children.leashed import leashed
from harness.children.limits import Limits
from harness.children.lost import LostError, status_text
from harness.children.outcomes import OutcomeKind
from harness.children.pipes import is_closed, unread
from harness.children.processes import MARK, Family
from harness.children.spills import NOWHERE, Spills
from harness.children.waiting import Waiting

_LOOK_SECONDS = 0.025
_LOOKS_PER_REFRESH = 10
_STDERR_HEAD, _STDERR_TAIL = 1024, 3072  # bytes; a panic gives its reason first, a stack its last call last
_LEFT_OUT = b"\n...\n"
_CHUNK = 1 << 20
_LAST_CHUNKS = 16
_LAST_WORDS_SECONDS = 0.1
_END_SECONDS = 5.0  # from the end of its output to the end of a process, on a busy machine


class Child:
    """A running process with a session of its own; raises OSError if it cannot be started.

    `speaks`: it prints its stack on SIGUSR1, as our worker does.
    """

    def __init__(
        self,
        command: Sequence[str],
        env: Mapping[str, str],
        folder: Path,
        limits: Limits,
        *,
        speaks: bool = True,
    ) -> None:
        self.limits = limits
        self._speaks = speaks
        self.peak_rss = 0
        self.idle_rss = 0
        mark = uuid.uuid4().hex
        self._process, self._leash = leashed(
            command, {**env, MARK: mark}, folder, stderr=subprocess.PIPE, bufsize=0
        )
        self.family = Family(self._process.pid, mark)
        streams = (self._process.stdin, self._process.stdout, self._process.stderr)
        self._streams = [stream for stream in streams if stream]
        self._in, self._out, self._err = (stream.fileno() for stream in self._streams)
        for stream in (self._in, self._out, self._err):
            os.set_blocking(stream, False)
        self._selector = selectors.DefaultSelector()
        self._selector.register(self._out, selectors.EVENT_READ)
        self._selector.register(self._err, selectors.EVENT_READ)
        self._pending = memoryview(b"")
        self._reply: list[bytes] = []
        self._said = b""

    def exchange(
        self, line: bytes, seconds: float, idle_seconds: float = math.inf, spills: Spills = NOWHERE
    ) -> bytes:
        """Send a request line and return the reply line; on LostError the child has been killed.

        `seconds`: how long the reply may take; `idle_seconds`: how long without any use of CPU time;
        `spills`: the files that the child may write meanwhile.
        """
        self._said = b""
        self.family.reset_peak()
        self.peak_rss = self.idle_rss = self.family.rss()
        try:
            reply = self._converse(line, seconds, idle_seconds, spills)
        except LostError as lost:
            self.family.refresh()
            self.peak_rss = max(self.peak_rss, self.family.peak())
            if lost.kind is OutcomeKind.HUNG and self._speaks:
                self._ask_where()
            self.kill()
            raise
        self.peak_rss = max(self.peak_rss, self.family.peak())
        self.family.look()
        return reply

    def fault(self) -> str:
        """Return what happened to the child since the last reply; "" if nothing did."""
        status = self._process.poll()
        if status is not None:
            return f"died with {status_text(status)} after it had answered"
        try:
            stray = os.read(self._out, 80)
        except BlockingIOError:
            return "closed its input after it had answered" if is_closed(self._in) else ""
        return f"said {stray!r} after it had answered" if stray else "closed its output after it had answered"

    def stderr(self) -> str:
        """Return the beginning and the end of the child's standard error since the last request."""
        for _ in range(_LAST_CHUNKS):
            if not self._hear():
                break
        return self._said.decode("utf-8", "backslashreplace")

    @property
    def received(self) -> bytes:
        """Return what came since the last request."""
        return b"".join(self._reply)

    def stop(self, line: bytes) -> None:
        """Ask the child to end by itself, then kill its remaining processes."""
        with contextlib.suppress(OSError):
            os.write(self._in, line)
        if not self.ends():
            self.kill()

    def ends(self) -> bool:
        """Close its input; return whether it ends within `close_seconds`, with all that it started."""
        deadline = time.monotonic() + self.limits.close_seconds
        self._streams[0].close()
        while time.monotonic() < deadline and self._process.poll() is None:
            self._selector.select(0.002)
            self._drain()
        while time.monotonic() < deadline:
            if not self.family.alive():
                self._process.wait()
                return True
            time.sleep(0.01)
        return False

    def _drain(self) -> None:
        """Read on: a child that still prints must not block, and one that closed its output is waited for."""
        self.stderr()
        with contextlib.suppress(OSError, KeyError):
            if not os.read(self._out, _CHUNK):
                self._selector.unregister(self._out)

    def kill(self) -> None:
        """Kill the child and all its descendants, and collect its status."""
        self.family.kill_descendants()
        self._process.kill()
        self._process.wait()
        self.family.kill()

    def release(self) -> None:
        """Close the descriptors."""
        self._selector.close()
        os.close(self._leash)
        for stream in self._streams:
            stream.close()

    def _converse(self, line: bytes, seconds: float, idle_seconds: float, spills: Spills) -> bytes:
        self._pending = memoryview(line)
        self._reply = []
        received = looks = 0
        begun = now = time.monotonic()
        deadline, look, waiting = now + seconds, now + _LOOK_SECONDS, Waiting()
        if self._write():
            self._selector.register(self._in, selectors.EVENT_WRITE)
        while now < deadline:
            for key, _ in self._selector.select(max(0.0, min(look, deadline) - now)):
                if key.fd == self._in:
                    if not self._write():
                        self._selector.unregister(self._in)
                elif key.fd == self._err:
                    self._hear()
                elif (size := self._read()) < 0:
                    return self._whole()
                elif size == 0:
                    raise self._ended(line)
                else:
                    received += size
            if received > self.limits.reply_bytes:
                raise LostError(OutcomeKind.MISSPOKE, f"a reply longer than {self.limits.reply_bytes} bytes")
            now = time.monotonic()
            if now >= look:
                looks += 1
                is_thorough = looks % _LOOKS_PER_REFRESH == 0  # not for a request of some milliseconds
                self._look(refresh=is_thorough)
                if is_thorough and waiting.seconds(self.family.pids(), now) > idle_seconds:
                    raise LostError(OutcomeKind.HUNG, f"no answer after {now - begun:.0f} s")
                if is_thorough and (excess := spills.excess()):
                    raise LostError(OutcomeKind.LIMITED, excess)
                if self._process.poll() is not None and not select.select([self._out], [], [], 0)[0]:
                    raise self._ended(line)  # a descendant holds its output open
                look = time.monotonic() + _LOOK_SECONDS
        raise LostError(OutcomeKind.HUNG, f"no answer after {seconds:g} s")

    def _write(self) -> int:
        """Send as much as the pipe takes; return how many bytes are left."""
        try:
            self._pending = self._pending[os.write(self._in, self._pending) :]
        except BlockingIOError:
            pass
        except OSError:  # it closed its input: the end of its output, or the time limit, follows
            return 0
        return len(self._pending)

    def _read(self) -> int:
        """Read some of the reply; return its size, 0 at the end of output, -1 at the end of the line."""
        data = os.read(self._out, _CHUNK)
        self._reply.append(data)
        return -1 if b"\n" in data else len(data)

    def _whole(self) -> bytes:
        reply, _, rest = b"".join(self._reply).partition(b"\n")
        if rest:
            raise LostError(OutcomeKind.MISSPOKE, f"more than one reply: {rest[:80]!r}")
        return reply

    def _look(self, *, refresh: bool) -> None:
        if refresh:
            self.family.refresh()
        rss = self.family.rss()
        self.peak_rss = max(self.peak_rss, rss)
        if rss > self.limits.memory_bytes:
            mib = self.limits.memory_bytes >> 20
            raise LostError(OutcomeKind.OUT_OF_MEMORY, f"{rss >> 20} MiB resident, more than {mib} MiB")

    def _ended(self, line: bytes) -> LostError:
        """Return the error for a child that closed its output."""
        try:
            status = self._process.wait(_END_SECONDS)
        except subprocess.TimeoutExpired:
            return LostError(OutcomeKind.MISSPOKE, "closed its output without an answer")
        cut = sum(map(len, self._reply))
        if status == 0 or cut:
            manner = f" in the middle of a reply of {cut} bytes" if cut else " without an answer"
        else:
            manner = ""
        sent = len(line) - len(self._pending)
        return LostError(
            OutcomeKind.CRASHED,
            status_text(status) + manner,
            status=status,
            untouched=unread(self._in) >= sent,
        )

    def _ask_where(self) -> None:
        """Let a worker print its stack, for the outcome's detail; any other child just ends."""
        with contextlib.suppress(OSError):
            self._process.send_signal(signal.SIGUSR1)
        deadline = time.monotonic() + _LAST_WORDS_SECONDS
        while time.monotonic() < deadline and self._process.poll() is None:
            if select.select([self._err], [], [], 0.03)[0]:
                self._hear()
            elif self._said:
                return

    def _hear(self) -> bool:
        """Read some of the child's standard error; return whether there may be more."""
        try:
            data = os.read(self._err, _CHUNK)
        except OSError:
            return False
        if not data:
            with contextlib.suppress(KeyError):
                self._selector.unregister(self._err)
            return False
        text = self._said + data
        is_long = len(text) > _STDERR_HEAD + len(_LEFT_OUT) + _STDERR_TAIL
        self._said = text[:_STDERR_HEAD] + _LEFT_OUT + text[-_STDERR_TAIL:] if is_long else text
        return True
