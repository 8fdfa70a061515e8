"""All targets within a budget of time: rounds of slices, as many at once as there are jobs.

What is known of each target stands in `fuzz.json` and is written after each slice; inputs and findings
are files. So a campaign that was ended in whatever way goes on in the same folder.
"""

from __future__ import annotations

import json
import threading
import time
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

from filelock import FileLock, Timeout

from corpora.files import write_whole
from harness.investigate.fuzz import again, budget, process
from properties.fuzz.crashes import Store, digest_of

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path
    from typing import Any

    from properties.fuzz.crashes import Crash

FILE = "fuzz.json"
LOCK = "fuzz.lock"
VERSION = 1
_AGAIN = 0.25  # of the time, at most, for what was found before


class Busy(Exception):  # noqa: N818 - it says what is so
    """Another campaign uses the folder."""


@dataclass
class Standing:
    """What is known of a target, over all campaigns in a folder; times in seconds of wall."""

    seconds: float = 0.0
    executions: int = 0
    edges: int = 0
    slices: int = 0
    deaths: int = 0
    rate: float = 0.0  # new edges per second, of the last slice
    failure: str = ""

    def add(self, found: process.Slice) -> int:
        """Add what came of a slice; answer how many edges are new."""
        new = max(0, found.edges - self.edges)
        self.seconds += found.seconds
        self.executions += found.executions
        self.edges += new
        self.slices += 1
        self.deaths += found.deaths
        self.rate = new / found.seconds if found.seconds else 0.0
        self.failure = found.failure
        return new


class Campaign:
    """Targets that are fuzzed in a folder."""

    def __init__(
        self, out: Path, targets: Sequence[str], limits: process.Limits, note: Callable[[str], None]
    ) -> None:
        self.out = out
        self.targets = list(targets)
        self._limits = limits
        self._note = note
        self._stopped = threading.Event()
        self.closed: list[Crash] = []
        out.mkdir(parents=True, exist_ok=True)
        self.standings = load(out)
        for name in targets:
            tidy(out / "corpus" / name)

    def run(self, seconds: float, jobs: int) -> None:
        """Fuzz for so many seconds of wall time. KeyboardInterrupt ends all processes, and leaves.

        Raises Busy while another campaign uses the folder.
        """
        try:
            with FileLock(self.out / LOCK, timeout=0):
                self._run(seconds, jobs)
        except Timeout:
            raise Busy(f"another campaign uses {self.out}") from None

    def _run(self, seconds: float, jobs: int) -> None:
        end = time.monotonic() + seconds
        self._again(time.monotonic() + seconds * _AGAIN)
        count = budget.rounds(seconds * jobs, len(self.targets))
        for number in range(count):
            left = (end - time.monotonic()) / (count - number)
            yields = {
                name: self.standing(name).rate if number else 0.0 for name in self.targets if self._runs(name)
            }
            if left <= 0 or not yields:
                break
            self._note(f"round {number + 1} of {count}: {len(yields)} targets")
            given = budget.shares(left * min(jobs, len(yields)), yields)
            self._round(budget.in_order(given), jobs, seeds=not number)

    def _again(self, until: float) -> None:
        """Run what is stored of crashes, and close what is fixed."""
        for name in self.targets:
            closed, ran = again.replay(name, self.out, self._limits, until, self._stopped.is_set)
            left = sum(map(len, self.crashes(name).values()))
            self.closed += closed
            for crash in closed:
                self._note(f"{name}: shows no more, and is closed: {crash.signature} ({crash.digest})")
            if ran:
                self._note(f"{name}: {ran} stored crashes run again, {len(closed)} closed, {left} left")

    def _runs(self, name: str) -> bool:
        return not self.standing(name).failure

    def _round(self, given: Sequence[tuple[str, float]], jobs: int, *, seeds: bool) -> None:
        with ThreadPoolExecutor(jobs) as pool:
            futures = [pool.submit(self._slice, name, seconds, seeds=seeds) for name, seconds in given]
            try:
                for future in as_completed(futures):
                    self._told(future.result())
            except BaseException:
                self._stopped.set()
                pool.shutdown(wait=True, cancel_futures=True)
                raise

    def _slice(self, name: str, seconds: float, *, seeds: bool) -> process.Slice:
        return process.run(name, self.out, max(1.0, seconds), self._limits, self._stopped.is_set, seeds=seeds)

    def _told(self, found: process.Slice) -> None:
        standing = self.standing(found.target)
        new = standing.add(found)
        save(self.out, self.standings)
        speed = found.executions / found.seconds if found.seconds else 0
        told = f"{found.executions:,} executions ({speed:,.0f}/s), {new} new edges of {standing.edges}"
        crashes = len(self.crashes(found.target))
        told += f", {crashes} crashes" * bool(crashes)
        self._note(f"{found.target}: {found.failure or told}")

    def standing(self, name: str) -> Standing:
        """Return what is known of a target."""
        return self.standings.setdefault(name, Standing())

    def crashes(self, name: str) -> dict[str, list[Crash]]:
        """Return the findings of a target by signature, the smallest input of each first."""
        folder = self.out / "crashes" / name
        return Store(folder).by_signature() if folder.is_dir() else {}

    def inputs(self, name: str) -> int:
        """Return how many inputs the corpus of a target has."""
        folder = self.out / "corpus" / name
        return sum(1 for _ in folder.iterdir()) if folder.is_dir() else 0


def load(out: Path) -> dict[str, Standing]:
    """Return what is known of all targets that were fuzzed in a folder."""
    path = out / FILE
    if not path.exists():
        return {}
    known: dict[str, Any] = json.loads(path.read_text("utf-8"))["targets"]
    return {name: Standing(**{**one, "failure": "", "rate": 0.0}) for name, one in known.items()}


def save(out: Path, standings: dict[str, Standing]) -> None:
    """Write it, whole or not at all."""
    told = {
        "format_version": VERSION,
        "targets": {name: asdict(one) for name, one in sorted(standings.items())},
    }
    write_whole(out / FILE, json.dumps(told, indent=1) + "\n")


def tidy(corpus: Path) -> None:
    """Let each input bear its digest: a process that was killed may have left half of one."""
    for path in corpus.iterdir() if corpus.is_dir() else ():
        name = digest_of(path.read_bytes())
        if path.name != name:
            path.replace(corpus / name)
