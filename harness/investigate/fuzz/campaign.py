"""All targets within a time budget: rounds of slices, as many in parallel as there are jobs.

Half of the budget is spent in equal parts, half by the yield of the last round: a target that found nothing
new keeps half of an equal part, since new code may only be hard to reach. The state of each target is written
to `fuzz.json` after each slice; inputs and findings are files. So a campaign that was ended in any way can
be continued in the same folder.
"""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from filelock import FileLock, Timeout

from corpora.files import write_whole
from corpora.problem import UserError
from harness.investigate.fuzz import process, replay_crashes
from properties.fuzz.crashes import Crash, Store, digest_of

FILE = "fuzz.json"
LOCK = "fuzz.lock"
VERSION = 1
_REPLAY_SHARE = 0.25  # of the time, at most, for earlier crashes


class Busy(UserError):  # noqa: N818 - it says what is so
    """Another campaign uses the folder."""


@dataclass
class Standing:
    """The state of a target over all campaigns in a folder; times in seconds of wall time."""

    seconds: float = 0.0
    executions: int = 0
    edges: int = 0
    slices: int = 0
    deaths: int = 0
    rate: float = 0.0  # new edges per second, of the last slice
    failure: str = ""

    def add(self, slice_: process.Slice) -> int:
        """Add the counts of a slice; return the number of new edges."""
        new = max(0, slice_.edges - self.edges)
        self.seconds += slice_.seconds
        self.executions += slice_.executions
        self.edges += new
        self.slices += 1
        self.deaths += slice_.deaths
        self.rate = new / slice_.seconds if slice_.seconds else 0.0
        self.failure = slice_.failure
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
        """Fuzz for so many seconds of wall time. KeyboardInterrupt ends all processes, and is passed on.

        Raises Busy while another campaign uses the folder.
        """
        try:
            with FileLock(self.out / LOCK, timeout=0):
                self._run(seconds, jobs)
        except Timeout:
            raise Busy(f"another campaign uses {self.out}") from None

    def _run(self, seconds: float, jobs: int) -> None:
        end = time.monotonic() + seconds
        self._replay(time.monotonic() + seconds * _REPLAY_SHARE)
        count = rounds(seconds * jobs, len(self.targets))
        for number in range(count):
            left = (end - time.monotonic()) / (count - number)
            yields = {
                name: self.standing(name).rate if number else 0.0 for name in self.targets if self._runs(name)
            }
            if left <= 0 or not yields:
                break
            self._note(f"round {number + 1} of {count}: {len(yields)} targets")
            given = shares(left * min(jobs, len(yields)), yields)
            self._round(in_order(given), jobs, seeds=not number)

    def _replay(self, until: float) -> None:
        """Run the stored crashes, and close fixed ones."""
        for name in self.targets:
            closed, ran = replay_crashes.replay(name, self.out, self._limits, until, self._stopped.is_set)
            left = sum(map(len, self.crashes(name).values()))
            self.closed += closed
            for crash in closed:
                self._note(f"{name}: no longer occurs, closed: {crash.signature} ({crash.digest})")
            if ran:
                self._note(f"{name}: {ran} stored crashes run again, {len(closed)} closed, {left} left")

    def _runs(self, name: str) -> bool:
        return not self.standing(name).failure

    def _round(self, given: Sequence[tuple[str, float]], jobs: int, *, seeds: bool) -> None:
        with ThreadPoolExecutor(jobs) as pool:
            futures = {pool.submit(self._slice, name, seconds, seeds=seeds) for name, seconds in given}
            try:
                for future in as_completed(tuple(futures)):
                    futures.discard(future)
                    self._report(future.result())
            except BaseException:
                self._stopped.set()
                pool.shutdown(wait=True, cancel_futures=True)
                for future in futures:  # what an interrupted slice has done is counted
                    if not future.cancelled() and future.exception() is None:
                        self._report(future.result())
                raise

    def _slice(self, name: str, seconds: float, *, seeds: bool) -> process.Slice:
        return process.run(name, self.out, max(1.0, seconds), self._limits, self._stopped.is_set, seeds=seeds)

    def _report(self, slice_: process.Slice) -> None:
        standing = self.standing(slice_.target)
        new = standing.add(slice_)
        save(self.out, self.standings)
        speed = slice_.executions / slice_.seconds if slice_.seconds else 0
        summary = f"{slice_.executions:,} executions ({speed:,.0f}/s), {new} new edges of {standing.edges}"
        crashes = len(self.crashes(slice_.target))
        summary += f", {crashes} crashes" * bool(crashes)
        self._note(f"{slice_.target}: {slice_.failure or summary}")

    def standing(self, name: str) -> Standing:
        """Return the state of a target."""
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
    """Return the state of all targets that were fuzzed in a folder."""
    path = out / FILE
    if not path.exists():
        return {}
    known: dict[str, Any] = json.loads(path.read_text("utf-8"))["targets"]
    return {name: Standing(**{**standing, "failure": "", "rate": 0.0}) for name, standing in known.items()}


def save(out: Path, standings: dict[str, Standing]) -> None:
    """Write the states, whole or not at all."""
    state = {
        "format_version": VERSION,
        "targets": {name: asdict(standing) for name, standing in sorted(standings.items())},
    }
    write_whole(out / FILE, json.dumps(state, indent=1) + "\n")


def tidy(corpus: Path) -> None:
    """Rename each input to its digest: a killed process may have left a truncated input."""
    for path in corpus.iterdir() if corpus.is_dir() else ():
        name = digest_of(path.read_bytes())
        if path.name != name:
            path.replace(corpus / name)


_EQUALLY = 0.5
_LEAST_SLICE = 12.0  # seconds; a process takes one or two seconds until its first input
_MOST_ROUNDS = 10


def rounds(seconds: float, targets: int) -> int:
    """Return the number of rounds that some seconds of processes are cut into, at least 1.

    A single target has nobody to share the time with: one process, which reads its corpus once.
    """
    return max(1, min(_MOST_ROUNDS, int(seconds / (targets * _LEAST_SLICE)))) if targets > 1 else 1


def shares(seconds: float, yields: Mapping[str, float]) -> dict[str, float]:
    """Return the seconds of each target, given its new edges per second; equal parts if no target has any."""
    total = sum(yields.values())
    if not total:
        return {name: seconds / len(yields) for name in yields}
    equal = _EQUALLY * seconds / len(yields)
    rest = seconds - equal * len(yields)
    return {name: equal + rest * rate / total for name, rate in yields.items()}


def in_order(parts: Mapping[str, float]) -> Sequence[tuple[str, float]]:
    """Return the parts, longest first, so that the cores end together."""
    return sorted(parts.items(), key=lambda part: (-part[1], part[0]))
