"""Stored crashes of a campaign, run again before the campaign continues: fixed crashes are closed.

Each input runs in a process of its own, without atheris, within the limits of an input. A fixed crash moves
from `crashes/TARGET` to `closed/TARGET`, and its input into the corpus; a crash with another signature than
before is stored under the new signature.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

from harness.investigate.fuzz.process import Limits, python_path
from properties.fuzz.crashes import Crash, Store, from_json, of_death

CLOSED = "closed"
_START = 180.0  # seconds of wall time to start, on a busy machine
_BUSY = 8
_ENDS = {-signal.SIGXCPU: "hung", -signal.SIGKILL: "hung"}  # by the limit of CPU time


def replay(
    target: str, out: Path, limits: Limits, until: float, stop: Callable[[], bool]
) -> tuple[list[Crash], int]:
    """Run the stored crashes of a target; return the closed ones, and how many ran.

    `until` is of `time.monotonic`; crashes that have not run by then stay as they are.
    """
    folder = out / "crashes" / target
    if not folder.is_dir():
        return [], 0
    store, closed, ran = Store(folder), [], 0
    for crash in list(store):
        file = folder / crash.digest
        if stop() or time.monotonic() > until:
            break
        if not file.exists():
            continue
        ran += 1
        data = file.read_bytes()
        now = once(target, file, limits)
        if now is not None and now.signature == crash.signature:
            continue
        store.remove(crash, out / CLOSED / target)
        if now is None:
            corpus = out / "corpus" / target
            corpus.mkdir(parents=True, exist_ok=True)
            (corpus / crash.digest).write_bytes(data)
        else:
            Store(folder).add(now, data)
        closed.append(crash)
    return closed, ran


def once(target: str, file: Path, limits: Limits) -> Crash | None:
    """Run an input once; return its crash of the target, None without one."""
    options = ("--memory", str(limits.memory_bytes), "--cpu", str(max(1, round(limits.seconds))))
    command = [sys.executable, "-P", "-m", "properties.fuzz.child", target, "--once", str(file), *options]
    data = file.read_bytes()
    try:
        done = subprocess.run(
            command,
            env={**os.environ, "PYTHONPATH": python_path()},
            capture_output=True,
            timeout=_START + _BUSY * limits.seconds,
            check=False,
        )
    except subprocess.TimeoutExpired as error:
        return of_death(target, data, "hung", (error.stderr or b"").decode("utf-8", "replace"))
    if not done.returncode:
        return None
    try:
        return from_json(json.loads(done.stdout.splitlines()[-1]))
    except (ValueError, IndexError, TypeError):
        return of_death(target, data, _how(done.returncode), done.stderr.decode("utf-8", "replace"))


def _how(status: int) -> str:
    if status in _ENDS:
        return _ENDS[status]
    return f"died of {signal.Signals(-status).name}" if status < 0 else f"ended with status {status}"
