"""Corpora merged and minimized by libFuzzer's own merge: inputs that add no coverage are removed."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from corpora.problem import UserError
from harness.investigate.fuzz.process import Limits, python_path
from properties.fuzz.targets import module_of

_SECONDS = 3600


class MergeFailed(UserError):  # noqa: N818 - it says what happened
    """A merge failed; the corpus is unchanged."""


class Merged(NamedTuple):
    """The number of inputs and bytes of a corpus before and after a merge."""

    target: str
    inputs: int
    bytes: int
    remaining: int
    remaining_bytes: int

    def to_json(self) -> dict[str, str | int]:
        """Return the JSON form."""
        return {
            "target": self.target,
            "inputs": self.inputs,
            "bytes": self.bytes,
            "kept": self.remaining,
            "kept_bytes": self.remaining_bytes,
        }


def merge(target: str, out: Path, others: Sequence[Path], limits: Limits) -> Merged:
    """Merge the corpora of a target in `out` and in other such folders into the corpus in `out`."""
    module_of(target)
    corpus = out / "corpus" / target
    corpus.mkdir(parents=True, exist_ok=True)
    sources = [corpus, *(folder for other in others if (folder := other / "corpus" / target).is_dir())]
    before = [path for folder in sources for path in folder.iterdir()]
    size = sum(path.stat().st_size for path in before)
    with tempfile.TemporaryDirectory(prefix="merge-", dir=out) as name:
        merged = Path(name, "kept")
        merged.mkdir()
        _run(target, Path(name), out, [merged, *sources], limits)
        remaining = list(merged.iterdir())
        after = sum(path.stat().st_size for path in remaining)
        if before and not remaining:
            raise MergeFailed(f"{target}: nothing was kept of {len(before)} inputs")
        old = Path(name, "old")
        corpus.replace(old)
        shutil.move(merged, corpus)
    return Merged(target, len(before), size, len(remaining), after)


def _run(target: str, folder: Path, out: Path, corpora: Sequence[Path], limits: Limits) -> None:
    """Run the merge. libFuzzer starts itself again by its own name, which is that of a script."""
    script = folder / "self"
    child = [sys.executable, "-P", "-m", "properties.fuzz.child", target, "--out", str(out)]
    child += ["--memory", str(limits.memory_bytes)]
    script.write_text(f'#!/bin/sh\nexec {shlex.join(child)} "$@"\n', "utf-8")
    script.chmod(0o700)
    command = [str(script), "-merge=1", *map(str, corpora)]
    env = {**os.environ, "PYTHONPATH": python_path(), "COLCONF_FUZZ_SELF": str(script)}
    done = subprocess.run(command, capture_output=True, text=True, timeout=_SECONDS, check=False, env=env)
    if done.returncode:
        lines = [line for line in done.stderr.splitlines() if line.strip()]
        raise MergeFailed(f"{target}: {lines[-1] if lines else done.returncode}")
