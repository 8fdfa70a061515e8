"""From a case and an engine to a folder with the smallest file that shows the same finding.

    original.<format>   the original file                 minimal.json   the minimal file as a case
    minimal.<format>    the best so far, always whole     minimize.json  the finding, and the progress

If the folder holds the same finding, the search continues from its best file.
"""

from __future__ import annotations

import hashlib
import json
import tempfile
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from corpora.cases import Case, Expectation, dump
from corpora.files import write_whole
from corpora.known_failures import Entry
from harness.children.connection import Limits
from harness.investigate.minimize import plans
from harness.investigate.minimize.reductions import of as reductions_of
from harness.investigate.minimize.reductions import witnesses
from harness.investigate.minimize.requests import CandidateBench
from harness.investigate.minimize.search import Progress, Search
from harness.investigate.minimize.subject import NotShown, Subject, find
from harness.judging.odds import ALWAYS, Share
from harness.judging.places import Process
from harness.judging.verdicts import Verdict
from harness.version import __version__

FILE = "minimize.json"
_LONGER = 4


@dataclass(frozen=True)
class MinimizeRequest:
    """A case to minimize. `seconds`: the time budget; `entry`: the finding of the case, None for any.

    The first process is the engine's, the second the reference's. Of an intermittent finding, `share` says
    how often it showed: a candidate is asked so often that it is missed in less than 1 %.
    """

    case: Case
    processes: tuple[Process, Process]
    entry: Entry | None
    out: Path
    limits: Limits
    seconds: float
    share: Share = ALWAYS


@dataclass(frozen=True)
class Minimized:
    """The result; sizes in bytes. `finding`: the id of a known finding; `limits`: of an answer."""

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
        """Return the JSON form, with the name of the file."""
        progress = self.progress.to_json()
        return {**asdict(self), "file": self.file.name, "progress": progress, "colconf": __version__}


def minimize(request: MinimizeRequest, say: Callable[[str], None]) -> Minimized:
    """Minimize; raises NotShown, BenchError and OSError."""
    deadline = time.monotonic() + request.seconds
    with tempfile.TemporaryDirectory(prefix="colconf-minimize-") as scratch:
        folder = Path(scratch)
        with CandidateBench(request.processes, request.case.format, request.limits, folder) as bench:
            bench.keys = request.case.keys
            bench.tries = request.share.tries
            if bench.tries > 1:
                say(f"the finding showed in {request.share}: each file is read up to {bench.tries} times")
            subject = find(request.case, bench, request.entry, deadline)
            say(f"{request.case.id}: {len(subject.data)} bytes: {subject.aim.observation.signature}")
            return _Run(request, subject, bench, say).run(deadline)


class _Run:
    def __init__(
        self, request: MinimizeRequest, subject: Subject, bench: CandidateBench, say: Callable[[str], None]
    ) -> None:
        self.request = request
        self.subject = subject
        self.bench = bench
        self.say = say
        suffix = request.case.format
        self.original = request.out / f"original.{suffix}"
        self.minimal = request.out / f"minimal.{suffix}"
        self.last = 0.0

    def run(self, deadline: float) -> Minimized:
        """Search, and write the folder."""
        start = self._begin()
        search = Search(start, self._shows, self._confirmed, self._keep, deadline)
        format_ = self.request.case.format
        if self.subject.aim.allowed is not None:  # else any bytes may show it
            search.hold(self.subject.data, witnesses(format_))
        by_plan = plans.of_case(self.request.case, start).reductions()
        best = search.run((*by_plan, *reductions_of(format_, self.subject.names, self.request.case.keys)))
        if not self.subject.shown_by(best, self.bench):  # the case below also needs the reference's table
            raise NotShown(
                f"{self.request.case.id}: the finding no longer shows, even with the original file"
            )
        self._write_case(best)
        return self._summary(search.progress)

    def _begin(self) -> bytes:
        """Make the folder; return the file to begin with: the best so far, if it still shows the finding."""
        out, data = self.request.out, self.subject.data
        out.mkdir(parents=True, exist_ok=True)
        before = _json(out / FILE)
        if self.original.exists() and self.original.read_bytes() == data and before is not None:
            best = self.minimal.read_bytes() if self.minimal.exists() else data
            if before.get("signature") == self.subject.aim.observation.signature and self.subject.shown_by(
                best, self.bench
            ):
                self.say(f"continuing from {len(best)} bytes")
                return best
        write_whole(self.original, data)
        write_whole(self.minimal, data)
        return data

    def _shows(self, data: bytes) -> bool:
        return self.subject.shown_by(data, self.bench)

    def _confirmed(self, data: bytes) -> bool:
        """Return whether fresh children show the finding; a hang, also with more time on a busy machine."""
        self.bench.renew()
        limits = self.bench.limits
        if self.subject.aim.observation.verdict == Verdict.HUNG:
            self.bench.limit(replace(limits, seconds=_LONGER * limits.seconds))
        reproduced = self._shows(data)
        self.bench.limit(limits)
        return reproduced

    def _keep(self, data: bytes, progress: Progress) -> None:
        progress.questions = self.bench.count
        write_whole(self.minimal, data)
        write_whole(
            self.request.out / FILE, json.dumps(self._summary(progress).to_json(), indent=2).encode() + b"\n"
        )
        if progress.seconds - self.last >= 1.0 or progress.finished:
            self.last = progress.seconds
            self.say(f"{len(data)} bytes after {progress.steps} steps, {progress.tried} candidates")

    def _summary(self, progress: Progress) -> Minimized:
        observation, probe = self.subject.aim.observation, self.subject.probe
        size = len(self.subject.data)
        query = None if probe is None else str(probe.query)
        limits = self.bench.limits
        return Minimized(
            observation.signature,
            observation.verdict,
            self.bench.engine.key,
            observation.config,
            query,
            size,
            progress,
            self.minimal,
            finding=self.request.entry.finding if self.request.entry else None,
            limits={"seconds": limits.seconds, "memory_bytes": limits.memory_bytes},
        )

    def _write_case(self, best: bytes) -> None:
        """Write the minimal file as a case, which expects the table that the reference has just read.

        Raises NotShown if the minimal file is not what was written.
        """
        if self.minimal.read_bytes() != best:
            raise NotShown(f"{self.minimal}: damaged; run the same command again")
        old, aim = self.request.case, self.subject.aim
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
        case = Case(
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
        dump(case, self.request.out / "minimal.json")


def _json(path: Path) -> dict[str, Any] | None:
    try:
        value = json.loads(path.read_bytes())
    except (OSError, ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None
