"""Corpora merged and made small, by libFuzzer's own merge: what adds nothing to the coverage goes."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from harness.investigate.fuzz.process import Limits, python_path
from properties.fuzz.targets import module_of

if TYPE_CHECKING:
    from collections.abc import Sequence

_SECONDS = 3600


class MergeFailed(Exception):  # noqa: N818 - it says what happened
    """A merge did not come to its end; the corpus is as it was."""


class Merged(NamedTuple):
    """How many inputs and bytes a corpus had, and has."""

    target: str
    inputs: int
    bytes: int
    kept: int
    kept_bytes: int


def merge(target: str, out: Path, others: Sequence[Path], limits: Limits) -> Merged:
    """Merge the corpora of a target, that of `out` and of other such folders, into the first."""
    module_of(target)
    corpus = out / "corpus" / target
    corpus.mkdir(parents=True, exist_ok=True)
    sources = [corpus, *(folder for one in others if (folder := one / "corpus" / target).is_dir())]
    before = [path for folder in sources for path in folder.iterdir()]
    size = sum(path.stat().st_size for path in before)
    with tempfile.TemporaryDirectory(prefix="merge-", dir=out) as name:
        kept = Path(name, "kept")
        kept.mkdir()
        _run(target, Path(name), out, [kept, *sources], limits)
        found = list(kept.iterdir())
        after = sum(path.stat().st_size for path in found)
        if before and not found:
            raise MergeFailed(f"{target}: nothing was kept of {len(before)} inputs")
        old = Path(name, "old")
        corpus.replace(old)
        shutil.move(kept, corpus)
    return Merged(target, len(before), size, len(found), after)


def _run(target: str, folder: Path, out: Path, corpora: Sequence[Path], limits: Limits) -> None:
    """Run the merge. libFuzzer starts itself again, by its own name: that of a script."""
    script = folder / "self"
    child = [sys.executable, "-m", "properties.fuzz.child", target, "--out", str(out)]
    child += ["--memory", str(limits.memory_bytes)]
    script.write_text(f'#!/bin/sh\nexec {shlex.join(child)} "$@"\n', "utf-8")
    script.chmod(0o700)
    command = [str(script), "-merge=1", *map(str, corpora)]
    env = {**os.environ, "PYTHONPATH": python_path(), "COLCONF_FUZZ_SELF": str(script)}
    done = subprocess.run(command, capture_output=True, text=True, timeout=_SECONDS, check=False, env=env)
    if done.returncode:
        told = [line for line in done.stderr.splitlines() if line.strip()]
        raise MergeFailed(f"{target}: {told[-1] if told else done.returncode}")
