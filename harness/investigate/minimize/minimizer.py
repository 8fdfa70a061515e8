"""From a case and an engine to a folder with the smallest file that shows the same finding.

    original.<format>   the original file                 minimal.json   the minimal file as a case
    minimal.<format>    the best so far, always whole     minimize.json  the finding, and the progress

Of a table case `original` and `minimal` are folders, and minimize.json has the read of the best so far.
If the folder holds the same finding, the search continues from its best file.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from corpora.cases import Case, dump
from corpora.files import write_whole
from corpora.known_failures import Entry
from harness.children.connection import Limits
from harness.children.scratch import scratch_folder
from harness.investigate.minimize import plans
from harness.investigate.minimize.forms import Form, form_of
from harness.investigate.minimize.requests import CandidateBench
from harness.investigate.minimize.search import Progress, Search
from harness.investigate.minimize.subject import NotShown, Subject, find
from harness.judging.odds import ALWAYS, Share
from harness.judging.places import Process
from harness.judging.verdicts import Verdict
from harness.listings.text import case_name
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
    with scratch_folder() as scratch:
        folder = Path(scratch)
        form = form_of(request.case)
        with CandidateBench(request.processes, form, request.limits, folder) as bench:
            bench.tries = request.share.tries
            if bench.tries > 1:
                say(f"the finding showed in {request.share}: each file is read up to {bench.tries} times")
            subject = find(request.case, bench, request.entry, deadline)
            say(f"{case_name(request.case)}: {len(subject.data)} bytes: {subject.aim.observation.signature}")
            return _Run(request, subject, form, bench, say).run(deadline)


class _Run:
    def __init__(
        self,
        request: MinimizeRequest,
        subject: Subject,
        form: Form,
        bench: CandidateBench,
        say: Callable[[str], None],
    ) -> None:
        self.request = request
        self.subject = subject
        self.form = form
        self.bench = bench
        self.say = say
        self.original = request.out / f"original{form.suffix}"
        self.minimal = request.out / f"minimal{form.suffix}"
        self.last = 0.0

    def run(self, deadline: float) -> Minimized:
        """Search, and write the folder."""
        start = self._begin()
        search = Search(start, self._shows, self._confirmed, self._keep, deadline)
        if self.subject.aim.allowed is not None:  # else any bytes may show it
            search.hold(self.subject.data, self.form.witnesses())
        by_plan = plans.of_case(self.request.case, start).reductions()
        best = search.run((*by_plan, *self.form.reductions(self.subject.names)))
        if not self.subject.shown_by(best, self.bench):  # the case below also needs the reference's table
            raise NotShown(
                f"{case_name(self.request.case)}: the finding no longer shows, even with the original file"
            )
        self._write_case(best)
        return self._summary(search.progress)

    def _begin(self) -> bytes:
        """Make the folder; return the file to begin with: the best so far, if it still shows the finding."""
        out, data = self.request.out, self.subject.data
        out.mkdir(parents=True, exist_ok=True)
        before = _json(out / FILE)
        if self.original.exists() and before is not None and self._is_original(data):
            best = self.form.load(self.minimal, before) if self.minimal.exists() else data
            if before.get("signature") == self.subject.aim.observation.signature and self.subject.shown_by(
                best, self.bench
            ):
                self.say(f"continuing from {len(best)} bytes")
                return best
        self.form.put(data, self.original, durable=True)
        self.form.put(data, self.minimal, durable=True)
        return data

    def _is_original(self, data: bytes) -> bool:
        """Return whether the folder is about the same bytes."""
        return self.form.load(self.original, self.form.described(data)) == data

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
        self.form.put(data, self.minimal, durable=True)
        summary = {**self._summary(progress).to_json(), **self.form.described(data)}
        write_whole(self.request.out / FILE, json.dumps(summary, indent=2).encode() + b"\n")
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
        if self.form.load(self.minimal, self.form.described(best)) != best:
            raise NotShown(f"{self.minimal}: damaged; run the same command again")
        old, probe = self.request.case, self.bench.probe
        blank = Case(
            f"minimized/{old.id}",
            old.format,
            self.minimal,
            old.sha256,
            self.form.recorded(self.subject.aim.original, best, self.bench.table()),
            features=old.features if old.read is not None else (),  # which no reader of a file sees
            spec=old.spec,
            level=old.level,
            source="vote",
            probes=() if probe is None else (probe,),
            notes=old.notes,
        )
        case = self.form.case(blank, best, self.minimal)
        dump(case, self.request.out / "minimal.json")


def _json(path: Path) -> dict[str, Any] | None:
    try:
        value = json.loads(path.read_bytes())
    except (OSError, ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None
