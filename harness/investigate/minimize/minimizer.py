"""From a case and an engine to a folder with the smallest file that shows the same.

    original.<format>   the file as it was                minimal.json   the minimal file as a case
    minimal.<format>    the best so far, always whole     minimize.json  what was asked, and how far it went

A folder of the same finding is gone on with: the search begins where it was.
"""

from __future__ import annotations

import hashlib
import json
import tempfile
import time
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from corpora.cases import Case, Expectation, dump
from corpora.files import write_whole
from harness.investigate.minimize import plans
from harness.investigate.minimize.reductions import of as reductions_of
from harness.investigate.minimize.reductions import witnesses
from harness.investigate.minimize.requests import CandidateBench
from harness.investigate.minimize.search import Search
from harness.investigate.minimize.subject import NotShown, find
from harness.judging.verdicts import Verdict
from harness.version import __version__

if TYPE_CHECKING:
    from collections.abc import Callable

    from corpora.known_failures import Entry
    from harness.children.connection import Limits
    from harness.investigate.minimize.search import Progress
    from harness.investigate.minimize.subject import Subject
    from harness.judging.places import Process

FILE = "minimize.json"
_LONGER = 4


@dataclass(frozen=True)
class Asked:
    """What is to be done. `seconds`: the time budget; `entry`: which of its findings is meant, None for any.

    The first of the processes is the engine's, the second one the reference.
    """

    case: Case
    processes: tuple[Process, Process]
    entry: Entry | None
    out: Path
    limits: Limits
    seconds: float


@dataclass(frozen=True)
class Minimized:
    """What came of it; sizes in bytes. `finding`: the id of a known one; `limits`: of an answer."""

    signature: str
    verdict: str
    engine: str
    config: str
    probe: str | None
    original: int
    progress: Progress
    file: Path
    finding: str | None
    limits: dict[str, float]

    def to_json(self) -> dict[str, Any]:
        """Return the JSON form; the file by its name."""
        return {**asdict(self), "file": self.file.name, "colconf": __version__}


def minimize(asked: Asked, say: Callable[[str], None]) -> Minimized:
    """Minimize; raises NotShown, BenchError and OSError."""
    deadline = time.monotonic() + asked.seconds
    with tempfile.TemporaryDirectory(prefix="colconf-minimize-") as scratch:
        folder = Path(scratch)
        with CandidateBench(asked.processes, asked.case.format, asked.limits, folder) as bench:
            bench.keys = asked.case.keys
            subject = find(asked.case, bench, asked.entry, deadline)
            say(f"{asked.case.id}: {len(subject.data)} bytes: {subject.aim.shown.signature}")
            return _Run(asked, subject, bench, say).run(deadline)


class _Run:
    def __init__(
        self, asked: Asked, subject: Subject, bench: CandidateBench, say: Callable[[str], None]
    ) -> None:
        self.asked = asked
        self.subject = subject
        self.bench = bench
        self.say = say
        suffix = asked.case.format
        self.original = asked.out / f"original.{suffix}"
        self.minimal = asked.out / f"minimal.{suffix}"
        self.last = 0.0

    def run(self, deadline: float) -> Minimized:
        """Search, and write the folder."""
        start = self._begin()
        search = Search(start, self._shows, self._confirmed, self._keep, deadline)
        format_ = self.asked.case.format
        if self.subject.aim.allowed is not None:  # else any bytes may show it
            search.hold(self.subject.data, witnesses(format_))
        by_plan = plans.of_case(self.asked.case, start).reductions()
        best = search.run((*by_plan, *reductions_of(format_, self.subject.names, self.asked.case.keys)))
        if not self.subject.shown_by(best, self.bench):  # also the case below needs what it is read as
            raise NotShown(f"{self.asked.case.id}: the finding shows no more, not even in the file as it was")
        self._write_case(best)
        return self._told(search.progress)

    def _begin(self) -> bytes:
        """Make the folder; answer the file to begin with: the best so far, if that shows it still."""
        out, data = self.asked.out, self.subject.data
        out.mkdir(parents=True, exist_ok=True)
        before = _json(out / FILE)
        if self.original.exists() and self.original.read_bytes() == data and before is not None:
            best = self.minimal.read_bytes() if self.minimal.exists() else data
            if before.get("signature") == self.subject.aim.shown.signature and self.subject.shown_by(
                best, self.bench
            ):
                self.say(f"going on from {len(best)} bytes")
                return best
        write_whole(self.original, data)
        write_whole(self.minimal, data)
        return data

    def _shows(self, data: bytes) -> bool:
        return self.subject.shown_by(data, self.bench)

    def _confirmed(self, data: bytes) -> bool:
        """Return whether fresh children show it; a hang, also if they have longer: a busy machine is slow."""
        self.bench.renew()
        limits = self.bench.limits
        if self.subject.aim.shown.verdict == Verdict.HUNG:
            self.bench.limit(replace(limits, seconds=_LONGER * limits.seconds))
        found = self._shows(data)
        self.bench.limit(limits)
        return found

    def _keep(self, data: bytes, progress: Progress) -> None:
        progress.asked = self.bench.count
        write_whole(self.minimal, data)
        write_whole(
            self.asked.out / FILE, json.dumps(self._told(progress).to_json(), indent=2).encode() + b"\n"
        )
        if progress.seconds - self.last >= 1.0 or progress.finished:
            self.last = progress.seconds
            self.say(f"{len(data)} bytes after {progress.steps} steps, {progress.tried} candidates")

    def _told(self, progress: Progress) -> Minimized:
        shown, probe = self.subject.aim.shown, self.subject.probe
        size = len(self.subject.data)
        asked = None if probe is None else str(probe.query)
        limits = self.bench.limits
        return Minimized(
            shown.signature,
            shown.verdict,
            self.bench.engine.key,
            shown.config,
            asked,
            size,
            progress,
            self.minimal,
            finding=self.asked.entry.finding if self.asked.entry else None,
            limits={"seconds": limits.seconds, "memory_bytes": limits.memory_bytes},
        )

    def _write_case(self, best: bytes) -> None:
        """Write the minimal file as a case, meaning what the reference read of it just now.

        Raises NotShown if the minimal file is not what was written.
        """
        if self.minimal.read_bytes() != best:
            raise NotShown(f"{self.minimal}: not as it was written; the same command goes on")
        old, aim = self.asked.case, self.subject.aim
        table = self.bench.table()
        expectation = aim.original
        if table is not None and aim.original.kind != "refuse":
            reason = aim.original.reason
            expectation = (
                Expectation.either(reason, table=table)
                if aim.original.kind == "either" and reason
                else Expectation.accept(table, "vote")
            )
        probe = self.bench.probe
        made = Case(
            f"minimized/{old.id}",
            old.format,
            self.minimal,
            hashlib.sha256(best).hexdigest(),
            expectation,
            spec=old.spec,
            level=old.level,
            source="vote",
            probes=() if probe is None else (probe,),
            notes=old.notes,
            keys=old.keys,
        )
        dump(made, self.asked.out / "minimal.json")


def _json(path: Path) -> dict[str, Any] | None:
    try:
        found = json.loads(path.read_bytes())
    except (OSError, ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None
