"""Fuzzing ÷ plain calls: CPU time of inputs under atheris, and of the same inputs without it.

Time under atheris is that of instrumented code, of mutation, of the bounds, and of libFuzzer; an empty target
has the last two alone. The first 20,000 inputs of a campaign are timed, or those of 5 s, seeds among them.
"""

from __future__ import annotations

import json
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

from harness.bench import empty_target
from harness.bench.ratio import Ratio
from properties.fuzz import targets

_INPUTS = 20_000
_LEAST = 0.3  # executions per second under atheris ÷ plain calls per second
_LEAST_OF_ENTRIES = 0.5  # of the targets that every file comes to first
_ENTRIES = ("parquet_footer", "parquet_page_header", "orc_footer", "orc_stripe_footer")
_SECONDS = 600


def ratios(folder: Path) -> list[Ratio]:
    """Time every target; none without atheris."""
    if find_spec("atheris") is None:
        return []
    empty, _ = _times(empty_target.NAME, folder)
    measured = []
    for name in targets.names():
        fuzzed, plain = _times(name, folder)
        label = f"fuzz {name}: {1 / fuzzed:,.0f} executions/s, {empty / fuzzed:.2f} of an empty target's"
        least = _LEAST_OF_ENTRIES if name in _ENTRIES else _LEAST
        measured.append(Ratio(label, fuzzed, plain, 1 / least, unit="µs", factor=1e6))
    return measured


def _times(name: str, folder: Path) -> tuple[float, float]:
    """Return CPU seconds of an input, under atheris and without."""
    path = folder / "inputs.json"
    path.unlink(missing_ok=True)
    child = [sys.executable, "-P", "-m", "properties.fuzz.child", name, "--out", str(folder / "fuzz")]
    _run([*child, "--seeds", "--record", str(_INPUTS), str(path), "-seed=1"])
    recorded = json.loads(path.read_text("utf-8"))
    plain = json.loads(_run([*child, "--plain", str(path)]))
    count = len(recorded["inputs"])
    return recorded["seconds"] / count, plain["seconds"] / count


def _run(command: list[str]) -> str:
    done = subprocess.run(command, capture_output=True, text=True, timeout=_SECONDS, check=False)
    if done.returncode:
        raise RuntimeError(f"{command[2:4]} ended with {done.returncode}: {done.stderr[-2000:]}")
    return done.stdout
