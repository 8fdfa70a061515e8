"""Memory of a run, and its time per case, with four times as many cases: both should stay the same.

DESIGN's row is about 1,000 → 100,000 cases, which takes hours: this is the same slope over a shorter way. The
cases are generated and read by the reference alone; what is measured is the process of the run itself.
"""

from __future__ import annotations

import json
import subprocess
import sys
from typing import TYPE_CHECKING

from harness.bench.ratio import Ratio

if TYPE_CHECKING:
    from pathlib import Path

FEW, MANY = 500, 2_000
_RUN = """
import json, resource, sys, time
from harness.cli import main
start = time.perf_counter()
status = main(sys.argv[1:])
seconds = time.perf_counter() - start
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
print(json.dumps({"status": status, "seconds": seconds, "peak": peak}))
"""


def ratios(folder: Path) -> list[Ratio]:
    """Run both sizes, the small one first."""
    few, many = _measure(folder / "few", FEW), _measure(folder / "many", MANY)
    return [
        Ratio(f"memory of a run, {FEW:,} → {MANY:,} cases", many["peak"], few["peak"], 1.1, "MiB", 2**-20),
        Ratio(f"time per case, {FEW:,} → {MANY:,} cases", many["seconds"] / MANY, few["seconds"] / FEW, 1.1),
    ]


def _measure(out: Path, count: int) -> dict[str, float]:
    arguments = ["run", "--generate", str(count), "--engine", "reference", "--no-spark", "--out", str(out)]
    command = [sys.executable, "-c", _RUN, *arguments, "--report", "none"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=3600, check=True)
    found: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    if found["status"] not in (0, 1):
        raise RuntimeError(f"a run of {count} cases ended with {found['status']}: {done.stderr[-2000:]}")
    return found
