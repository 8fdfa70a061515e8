"""A campaign against real engines: mutated files, the reference's meaning, verdicts, findings.

    run.json, findings.ndjson, …   as in the folder of a run (`finding_files.py`)
    engines.json                   progress, and the counts of each engine (`state.py`)
    corpus/                        inputs that reached new code, or to which an engine gave a new reply
    reference/                     files that ended our reference

A parallel process fuzzes our own reader of whole files, and inputs that reach new code there are sent to the
engines. The state is written after each batch, so that a campaign that was ended in any way can be continued.
"""

from __future__ import annotations

import random
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from corpora.files import write_whole
from harness.children.connection import Limits
from harness.children.outcomes import OutcomeKind
from harness.children.scratch import scratch_folder
from harness.investigate.fuzz import campaign_record, futures, process
from harness.investigate.fuzz.campaign_record import CampaignRequest
from harness.investigate.fuzz.finding_files import FindingFiles
from harness.investigate.fuzz.futures import Pair
from harness.investigate.fuzz.inputs import TARGETS, Input, Inputs
from harness.investigate.fuzz.requests import Batch, FuzzBench
from harness.investigate.fuzz.state import CampaignState, Standing, load_state
from harness.judging.answers import Answers
from harness.judging.control import with_control
from harness.judging.places import Place, Process
from harness.judging.signature import Stored, label, normalised, signature
from harness.judging.verdicts import Verdict
from harness.runs.pipeline import folder
from properties.fuzz.crashes import digest_of

_BATCH = 32
_TELLING = frozenset(
    {OutcomeKind.REFUSED, OutcomeKind.UNSUPPORTED, OutcomeKind.PANICKED}
)  # mutants of what ends a reader end it, too
_PAIRS = 4  # files of a feature of the future, at least, over a campaign
_REPLAY_SHARE = 0.25  # of the time, at most, for earlier findings
_FUTURES = 0.25  # of the first campaign's time, at most


class Campaign:
    """Engines that are fuzzed in a folder."""

    def __init__(self, request: CampaignRequest, note: Callable[[str], None]) -> None:
        self.request = request
        self.note = note
        self.state = CampaignState()
        self.stored = FindingFiles(request.out, load=False)  # another may be writing now
        self._news: set[str] = set()
        self._end = 0.0
        self._mark = 0.0

    def run(self, stack: ExitStack) -> None:
        """Fuzz until the time is over; KeyboardInterrupt stores the state, and is passed on.

        Raises PipelineError where the folder holds another run, ResultsError, CaseError, BenchError and
        OSError. `stack` closes benches and threads.
        """
        out = self.request.out
        stack.enter_context(folder.locked(out))
        record = campaign_record.begun_or_continued(self.request, self.note)
        engines = with_control(self.request.engines, self.request.formats, Limits(), self.note)
        self.request = replace(self.request, engines=engines)
        self.state = load_state(out)
        self.stored = FindingFiles(out)
        self._news = set(self.state.news)
        scratch = Path(stack.enter_context(scratch_folder()))
        turns = [self._turn(stack, format_, scratch / format_) for format_ in self.request.formats]
        self._mark = time.monotonic()
        self._end = self._mark + self.request.seconds
        if self.request.guided:
            self._guide(stack)
        try:
            for bench, _ in turns:
                self._replay(bench, self._mark + self.request.seconds * _REPLAY_SHARE)
            for bench, inputs in turns:
                self._futures(bench, inputs, self._mark + self.request.seconds * _FUTURES)
            while time.monotonic() < self._end:
                for bench, inputs in turns:
                    dice = self._dice()
                    self._batch(bench, inputs, inputs.next(_BATCH, dice))
        finally:
            self._save()
            digests = {name: digest.to_json() for name, digest in self.stored.save().items()}
            findings = len(self.stored.findings)
            record = campaign_record.ended(record, self.request.engines, self.state, findings, digests)
            folder.save(out, record)

    def _turn(self, stack: ExitStack, format_: str, scratch: Path) -> tuple[FuzzBench, Inputs]:
        scratch.mkdir()
        engines = [engine for engine in self.request.engines if format_ in engine.formats]
        bench = FuzzBench(engines, self.request.reference, format_, self.request.limits, scratch)
        return stack.enter_context(bench), Inputs(format_, self.request.out, self.request.others)

    def _dice(self) -> random.Random:
        return random.Random(f"{self.request.seed}/{self.state.batches}")  # noqa: S311 - to be repeated

    def _guide(self, stack: ExitStack) -> None:
        """Fuzz our own reader of whole files in parallel, if atheris is installed."""
        if find_spec("atheris") is None:
            self.note("atheris is not installed: engines get no inputs that reach new code in the reference")
            return
        stop = threading.Event()
        limits = process.Limits()
        share = 1.0 / len(self.request.formats)

        def guide() -> None:
            for turn in range(1 << 20):
                name = TARGETS[self.request.formats[turn % len(self.request.formats)]]
                left = self._end - time.monotonic()
                if left < 1 or stop.is_set():
                    return
                slice_ = process.run(
                    name, self.request.out, min(left, 60 / share), limits, stop.is_set, seeds=True
                )
                if slice_.failure:
                    self.note(f"{name} cannot be fuzzed: {slice_.failure}")
                    return

        thread = threading.Thread(target=guide, daemon=True)
        thread.start()
        stack.callback(thread.join)
        stack.callback(stop.set)

    def _batch(self, bench: FuzzBench, inputs: Inputs, some: Sequence[Any], look: Any = None) -> None:
        batch = bench.ask(some, self._is_wanted, look)
        self.state.batches += 1
        self.state.files += len(batch.cases)
        self.state.left_out += batch.left_out
        for file, outcome in batch.lost:
            self._lost(file.data, bench.format, outcome.kind)
        for file, case, rows in zip(batch.inputs, batch.cases, batch.rows, strict=True):
            for row in rows:
                self.state.engines.setdefault(label(row.row), Standing()).add(row)
                if row.row.detail.finding and self.stored.add(row, case, file.data, rows):
                    name = f"{signature(row)}  ({row.row.version})"
                    self.note(f"{case.file.name}, {len(file.data)} bytes: {name}")
                if row.row.outcome in _TELLING and self._is_new(row):
                    inputs.keep(file)
        self._save()

    def _replay(self, bench: FuzzBench, until: float) -> None:
        """Send the files of findings once more; close findings that no longer reproduce."""
        known = self.stored.of(bench.format)
        for start in range(0, len(known), _BATCH):
            if time.monotonic() > until:
                return
            some = known[start : start + _BATCH]
            batch = bench.ask(
                [
                    Input(case.file.read_bytes(), "", case.notes, keys=case.keys, probes=case.probes)
                    for _, case in some
                ],
                lambda _: True,
            )
            digests = {case.sha256 for case in batch.cases}
            rows = [row for rows in batch.rows for row in rows if row.row.detail.finding]
            still_shown = {(row.row.sha256, signature(row), row.row.version) for row in rows}
            for finding, case in some:
                wavers = finding.verdict == Verdict.UNSTABLE  # one reading proves nothing
                if wavers or case.sha256 not in digests:
                    continue
                if (case.sha256, finding.signature, finding.version) not in still_shown:
                    self.stored.close(finding)
                    self.state.closed.append(f"{finding.signature} ({finding.version})")
                    self.note(f"no longer shows, closed: {finding.signature}  ({finding.version})")
        if known:
            left = len(self.stored.of(bench.format))
            self.note(f"{bench.format}: {len(known)} findings replayed, {len(known) - left} closed")

    def _is_wanted(self, row: Stored) -> bool:
        """Return whether a finding is worth a second look: new, or smaller than the stored file."""
        smallest = self.stored.smallest(row)
        return smallest is None or row.size < smallest

    def _is_new(self, row: Stored) -> bool:
        detail = row.row.detail
        reply = f"{label(row.row)} | {row.row.outcome} | {detail.error_class} {normalised(detail.message)}"
        is_new = reply[:200] not in self._news
        self._news.add(reply[:200])
        return is_new

    def _lost(self, data: bytes, format_: str, kind: str) -> None:
        """Store a file that ended our reference: that is our own bug."""
        self.state.reference_lost += 1
        folder_ = self.request.out / "reference"
        folder_.mkdir(exist_ok=True)
        write_whole(folder_ / f"{digest_of(data)}.{format_}", data)
        self.note(f"our reference {kind}: {folder_}")

    def _futures(self, bench: FuzzBench, inputs: Inputs, until: float) -> None:
        """Send files from the future, feature by feature, and grade the engines' outcomes."""
        for feature in futures.features(bench.format):
            key = f"{bench.format}: {feature}"
            if key in self.state.features_done:
                continue
            if time.monotonic() > until:
                return
            pairs = list(futures.pairs(feature, inputs, _PAIRS, self._dice()))
            both = [file for pair in pairs for file in (pair.plain, pair.future)]
            self._batch(bench, inputs, both, self._grader(bench, key, pairs))
            self.state.features_done.append(key)

    def _grader(
        self, bench: FuzzBench, key: str, pairs: Sequence[Pair]
    ) -> Callable[[Process, Batch, Answers], None]:
        def look(process_: Process, batch: Batch, answered: Answers) -> None:
            numbers = {file.data: number for number, file in enumerate(batch.inputs)}
            connection, config = bench.connection(process_), process_.configs[0]
            for pair in pairs:
                both = [numbers.get(file.data) for file in (pair.plain, pair.future)]
                outcomes = [None if number is None else answered.get(Place(0, number)) for number in both]
                if outcomes[0] is None or outcomes[1] is None or both[1] is None:
                    continue
                case = batch.cases[both[1]]
                question = futures.Question(pair.feature, connection, config.switches, case)
                grade = futures.grade(question, outcomes[0], outcomes[1])
                if grade is not None:
                    futures.tally(self.state.futures, process_.key, key, grade)

        return look

    def _save(self) -> None:
        now = time.monotonic()
        self.state.seconds += now - self._mark
        self._mark = now
        self.state.news = sorted(self._news)
        self.state.save(self.request.out)
        self.stored.save()
