"""A campaign against real engines: mutated files, the reference's meaning, verdicts, findings.

    run.json, findings.ndjson, …   as a run has them (`kept.py`)
    engines.json                   how far it went, and what engines did (`told.py`)
    corpus/                        inputs that reached, or told, something new
    reference/                     files that ended our reference

A process beside it fuzzes our own reader of whole files, and what reaches new places there is sent. All that
is known is written after each batch, so that a campaign that was ended in whatever way goes on there.
"""

from __future__ import annotations

import random
import tempfile
import threading
import time
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from corpora.files import write_whole
from harness.children.outcomes import Kind
from harness.investigate.fuzz import futures, process
from harness.investigate.fuzz.inputs import TARGETS, Input, Inputs
from harness.investigate.fuzz.kept import Kept
from harness.investigate.fuzz.requests import Batch, FuzzBench
from harness.investigate.fuzz.told import Standing, Told, told_in
from harness.judging.places import Place
from harness.judging.results import load_run, verify
from harness.judging.signature import label, normalised, signature
from harness.judging.verdicts import Verdict
from harness.runs.pipeline import folder, request
from harness.runs.pipeline.errors import PipelineError
from harness.version import __version__
from properties.fuzz.crashes import digest_of

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from contextlib import ExitStack

    from harness.children.connection import Limits
    from harness.investigate.fuzz.futures import Pair
    from harness.judging.answers import Answers
    from harness.judging.places import Process
    from harness.judging.signature import Stored

_BATCH = 32
_TELLING = frozenset({Kind.REFUSED, Kind.UNSUPPORTED})  # mutants of what ends a reader end it, too
_PAIRS = 4  # files of a feature of the future, at least, over a campaign
_AGAIN = 0.25  # of the time, at most, for what was found before
_FUTURES = 0.25  # of the first campaign's time, at most


@dataclass(frozen=True)
class Asked:
    """What is to be done, for so many seconds; `others`: folders of campaigns whose corpora are used."""

    out: Path
    engines: tuple[Process, ...]
    reference: Process
    formats: tuple[str, ...]
    seconds: float
    limits: Limits
    others: tuple[Path, ...] = ()
    guided: bool = True
    seed: int = 0


class Campaign:
    """Engines that are fuzzed in a folder."""

    def __init__(self, asked: Asked, note: Callable[[str], None]) -> None:
        self.asked = asked
        self.note = note
        self.told = Told()
        self.kept = Kept(asked.out, load=False)  # another campaign may be writing: it is not locked
        self._run: dict[str, Any] = {}
        self._news: set[str] = set()
        self._end = 0.0
        self._mark = 0.0

    def run(self, stack: ExitStack) -> None:
        """Fuzz until the time is over; KeyboardInterrupt ends it, and leaves, all being stored.

        Raises PipelineError where the folder is another's, ResultsError, CaseError, BenchError and OSError.
        `stack` closes what was opened.
        """
        out = self.asked.out
        stack.enter_context(folder.locked(out))
        self._run = self._begin()
        self.told = told_in(out)
        self.kept = Kept(out)
        self._news = set(self.told.news)
        scratch = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="colconf-fuzz-")))
        turns = [self._turn(stack, format_, scratch / format_) for format_ in self.asked.formats]
        self._mark = time.monotonic()
        self._end = self._mark + self.asked.seconds
        if self.asked.guided:
            self._guide(stack)
        try:
            for bench, _ in turns:
                self._again(bench, self._mark + self.asked.seconds * _AGAIN)
            for bench, inputs in turns:
                self._futures(bench, inputs, self._mark + self.asked.seconds * _FUTURES)
            while time.monotonic() < self._end:
                for bench, inputs in turns:
                    dice = self._dice()
                    self._batch(bench, inputs, inputs.next(_BATCH, dice))
        finally:
            self._save()
            self._finish()

    def _turn(self, stack: ExitStack, format_: str, scratch: Path) -> tuple[FuzzBench, Inputs]:
        scratch.mkdir()
        engines = [one for one in self.asked.engines if format_ in one.formats]
        bench = FuzzBench(engines, self.asked.reference, format_, self.asked.limits, scratch)
        return stack.enter_context(bench), Inputs(format_, self.asked.out, self.asked.others)

    def _dice(self) -> random.Random:
        return random.Random(f"{self.asked.seed}/{self.told.batches}")  # noqa: S311 - to be repeated

    def _guide(self, stack: ExitStack) -> None:
        """Fuzz our own reader of whole files beside it, if that can be done here."""
        if find_spec("atheris") is None:
            self.note("atheris is not here: nothing looks for inputs that reach new places in the reference")
            return
        stop = threading.Event()
        limits = process.Limits()
        share = 1.0 / len(self.asked.formats)

        def guide() -> None:
            for turn in range(1 << 20):
                name = TARGETS[self.asked.formats[turn % len(self.asked.formats)]]
                left = self._end - time.monotonic()
                if left < 1 or stop.is_set():
                    return
                found = process.run(
                    name, self.asked.out, min(left, 60 / share), limits, stop.is_set, seeds=True
                )
                if found.failure:
                    self.note(f"{name} cannot be fuzzed: {found.failure}")
                    return

        thread = threading.Thread(target=guide, daemon=True)
        thread.start()
        stack.callback(thread.join)
        stack.callback(stop.set)

    def _batch(self, bench: FuzzBench, inputs: Inputs, some: Sequence[Any], look: Any = None) -> None:
        found = bench.ask(some, self._is_wanted, look)
        self.told.batches += 1
        self.told.files += len(found.cases)
        self.told.left_out += found.left_out
        for one, outcome in found.lost:
            self._lost(one.data, bench.format, outcome.kind)
        for one, case, rows in zip(found.inputs, found.cases, found.rows, strict=True):
            for row in rows:
                self.told.engines.setdefault(label(row.row), Standing()).add(row)
                if row.row.detail["finding"] and self.kept.add(row, case, one.data, rows):
                    told = f"{signature(row)}  ({row.row.version})"
                    self.note(f"{case.file.name}, {len(one.data)} bytes: {told}")
                if row.row.outcome in _TELLING and self._is_new(row):
                    inputs.keep(one)
        self._save()

    def _again(self, bench: FuzzBench, until: float) -> None:
        """Send the files of findings once more; close those that show no more, and say so."""
        known = self.kept.of(bench.format)
        for start in range(0, len(known), _BATCH):
            if time.monotonic() > until:
                return
            some = known[start : start + _BATCH]
            found = bench.ask(
                [Input(case.file.read_bytes(), "", case.notes, keys=case.keys) for _, case in some],
                lambda _: True,
            )
            asked = {case.sha256 for case in found.cases}
            rows = [row for rows in found.rows for row in rows if row.row.detail["finding"]]
            shown = {(row.row.sha256, signature(row), row.row.version) for row in rows}
            for one, case in some:
                wavers = one.verdict == Verdict.UNSTABLE  # one look cannot tell
                if wavers or case.sha256 not in asked:
                    continue
                if (case.sha256, one.signature, one.version) not in shown:
                    self.kept.close(one)
                    self.told.closed.append(f"{one.signature} ({one.version})")
                    self.note(f"shows no more, and is closed: {one.signature}  ({one.version})")
        if known:
            left = len(self.kept.of(bench.format))
            self.note(f"{bench.format}: {len(known)} findings asked again, {len(known) - left} closed")

    def _is_wanted(self, one: Stored) -> bool:
        """Return whether a finding is worth a second look: it is new, or smaller than what is kept."""
        smallest = self.kept.smallest(one)
        return smallest is None or one.size < smallest

    def _is_new(self, one: Stored) -> bool:
        detail = one.row.detail
        said = (
            f"{label(one.row)} | {one.row.outcome} | {detail['error_class']} {normalised(detail['message'])}"
        )
        is_new = said[:200] not in self._news
        self._news.add(said[:200])
        return is_new

    def _lost(self, data: bytes, format_: str, kind: str) -> None:
        """Keep a file that ended our reference: that is our own bug."""
        self.told.reference_lost += 1
        kept = self.asked.out / "reference"
        kept.mkdir(exist_ok=True)
        write_whole(kept / f"{digest_of(data)}.{format_}", data)
        self.note(f"our reference {kind}: {kept}")

    def _futures(self, bench: FuzzBench, inputs: Inputs, until: float) -> None:
        """Send files from the future, feature by feature, and grade what engines do."""
        for feature in futures.features(bench.format):
            key = f"{bench.format}: {feature}"
            if key in self.told.features_done:
                continue
            if time.monotonic() > until:
                return
            made = list(futures.pairs(feature, inputs, _PAIRS, self._dice()))
            both = [one for pair in made for one in (pair.plain, pair.future)]
            self._batch(bench, inputs, both, self._grader(bench, key, made))
            self.told.features_done.append(key)

    def _grader(
        self, bench: FuzzBench, key: str, made: Sequence[Pair]
    ) -> Callable[[Process, Batch, Answers], None]:
        def look(process_: Process, found: Batch, answered: Answers) -> None:
            numbers = {one.data: number for number, one in enumerate(found.inputs)}
            connection, config = bench.connection(process_), process_.configs[0]
            for pair in made:
                both = [numbers.get(one.data) for one in (pair.plain, pair.future)]
                said = [None if one is None else answered.get(Place(0, one)) for one in both]
                if said[0] is None or said[1] is None or both[1] is None:
                    continue
                case = found.cases[both[1]]
                question = futures.Question(pair.feature, connection, config.switches, case)
                grade = futures.grade(question, said[0], said[1])
                if grade is not None:
                    futures.tally(self.told.futures, process_.key, key, grade)

        return look

    def _begin(self) -> dict[str, Any]:
        """Begin `run.json`, or go on with it; raises PipelineError and ResultsError."""
        out = self.asked.out
        names = [
            f"{one.key}:{config.text}".rstrip(":") for one in self.asked.engines for config in one.configs
        ]
        asked = {"fuzz": names, "formats": list(self.asked.formats)}
        limits = self.asked.limits
        new = request.Request(
            out, self.asked.engines, limits, None, 1, asked, ["fuzz", *(f"--engine {one}" for one in names)]
        )
        if (out / "run.json").exists():
            before = load_run(out)
            if before["asked"] != asked:
                raise PipelineError(
                    f"{out}: holds something else ({before['asked']!r:.120}); give another --out"
                )
            self.note(f"going on with the campaign that was begun {before['started']} in {out}")
            verify(out)
            made = {**before, "finished": None}
        else:
            made = request.begun(new)
        made["colconf"] = __version__
        folder.save(out, made)
        return made

    def _save(self) -> None:
        now = time.monotonic()
        self.told.seconds += now - self._mark
        self._mark = now
        self.told.news = sorted(self._news)
        self.told.save(self.asked.out)
        self.kept.save()

    def _finish(self) -> None:
        """Let the folder be one of a run that has ended."""
        verdicts: dict[str, int] = {}
        for one in self.told.engines.values():
            for verdict, count in one.verdicts.items():
                verdicts[verdict] = verdicts.get(verdict, 0) + count
        engines = [
            {"name": one.name, "version": one.version, "config": config.text, "runtime": ""}
            for one in self.asked.engines
            for config in one.configs
        ]
        counts = {
            "cases": self.told.files,
            "results": sum(one.files for one in self.told.engines.values()),
            "skipped_files": self.told.left_out,
            "verdicts": dict(sorted(verdicts.items())),
            "findings": len(self.kept.findings),
            "known": sum(one.known for one in self.told.engines.values()),
        }
        digests = {name: digest.to_json() for name, digest in self.kept.save().items()}
        ended = {"finished": request.now(), "engines": engines, "counts": counts, "dataset": False}
        ended["digests"] = digests
        folder.save(self.asked.out, {**self._run, **ended})
