"""Starting a process that the kernel ends with this one: the other end of `leash.py`."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path

from harness.children.leash import LEASH


def leashed(
    command: Sequence[str],
    env: Mapping[str, str],
    folder: Path | None = None,
    *,
    stderr: int | None = None,
    bufsize: int = -1,
) -> tuple[subprocess.Popen[bytes], int]:
    """Start a process in a session of its own; return it and its leash, a descriptor to close at its end.

    Its standard input and output are pipes; `stderr` and `bufsize` are those of `subprocess.Popen`. Raises
    OSError if it cannot be started.
    """
    held, leash = os.pipe()
    try:
        process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=stderr,
            bufsize=bufsize,
            cwd=folder,
            env={**env, LEASH: str(held)},
            pass_fds=(held,),
            start_new_session=True,
        )
    except OSError:
        os.close(leash)
        raise
    finally:
        os.close(held)
    return process, leash
