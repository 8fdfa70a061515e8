"""A run from beginning to end: the stages one after the other, in one folder, on one runner."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from pathlib import Path
from typing import Protocol

from harness.children.outcomes import Detail
from harness.children.scratch import scratch_folder
from harness.files import Digest, written_lines
from harness.judging.places import Sheet
from harness.judging.records import known_entries, stored_from_json
from harness.judging.results import RESULTS, ResultsError, load_run
from harness.judging.run_record import RunRecord
from harness.judging.signature import Stored
from harness.runs.pipeline import (
    complete,
    damage,
    derived,
    drawn,
    finding_cases,
    folder,
    fresh,
    generated,
    judging,
    looks,
    storage,
    ungenerated,
    written,
)
from harness.runs.pipeline.context import Comparison, Context, Generate, before_spark, resolved
from harness.runs.pipeline.errors import PipelineError
from harness.runs.pipeline.late_runner import LateRunner, starting_runner
from harness.runs.pipeline.plan import SheetAt, Task, engine_tasks, judge_tasks
from harness.runs.pipeline.request import Request, Started, begun, controlled, ended, greeting, reported
from harness.runs.pipeline.sheets import sheets, write_plan
from harness.runs.pipeline.store import Tally, skipped_row, store


class Progress(Protocol):
    """The listener to a run's progress."""

    def stage(self, name: str, total: int) -> None:
        """Begin a stage of `total` units."""

    def advance(self, count: int) -> None:
        """Report that `count` more units are done; called with 0 now and then."""

    def note(self, text: str) -> None:
        """Report a message that is no progress."""


def run(request: Request, progress: Progress) -> tuple[RunRecord, Tally]:
    """Run the stages; return the record of the run, and the tally. Raises PipelineError and OSError."""
    with folder.locked(request.out):
        left = _worked(request.out)
        state, before = folder.prepare(request.out, request.settings, overwrite=request.overwrite)
        if left and not before:
            left.storage.remove(left.folder)
        for text in greeting(request, state, before):
            progress.note(text)
        request = controlled(request, progress.note)
        variables = before_spark()
        with scratch_folder() as tmp:
            record = folder.save(request.out, before or begun(request))
            work = storage.work(request.out, request.workdir, record.id)
            context = Context(
                work.folder,
                request.processes,
                request.limits,
                tmp,
                variables,
                request.known,
                request.layouts,
                request.generate,
                request.every_value,
                request.format,
                request.matrix,
                request.tables,
                request.comparison,
                request.order,
                request.queries,
                request.queries_of_cases,
                request.given,
                request.write,
                storage=work.storage,
            )
            context.parts.mkdir(parents=True, exist_ok=True)
            work.storage.open(context.parts)
            for text in damage.mend(context):
                progress.note(text)
            if request.imported:
                damage.note_files(context, request.imported, resumed=request.resumed)
            with starting_runner(request, tmp) as runner:
                record, tally = _Run(request, context, runner, progress).results(record)
        folder.save(request.out, record)
        folder.clean(request.out)
        if request.workdir:
            for name in (context.parts, context.spill):
                work.storage.remove(name)
        return record, tally


def _worked(out: Path) -> storage.Work | None:
    """Return where the stages of the run in a folder worked, if that was not in the folder itself."""
    try:
        record = load_run(out)
    except ResultsError:
        return None
    workdir = record.pipeline.workdir
    return storage.work(out, workdir, record.id) if workdir else None


class _Run:
    """The stages of one run."""

    def __init__(self, request: Request, context: Context, runner: LateRunner, progress: Progress) -> None:
        self.request = request
        self.context = context
        self.runner = runner
        self.progress = progress
        self.found: dict[str, SheetAt] = {}  # where the cases of findings are

    def results(self, record: RunRecord) -> tuple[RunRecord, Tally]:
        """Do the stages; return the record of the run with its results, and the tally."""
        context = self.context
        self._forget_failures()
        planned = self._planned()
        failed_writes = list(written.failures(context))
        runner = self.runner.get()
        places = (self._until_a_finding if self.request.fail_fast else self._judged)(planned)
        about = self._about()
        settled = self._looked_again(places, runner.cores)
        pairs = self._compare(context.comparison, places, runner.cores) if context.comparison else None
        entries = known_entries(context.known)
        unread = sum(place.files for place in planned) - sum(place.files for place in places)
        is_partial = self.request.partial or unread > 0
        rows = self._rows(places, settled, failed_writes, about)
        queried = self.request.queries_of_cases
        tally = store(self.request.out, record.id, rows, entries, partial=is_partial, queried=queried)
        wanted = complete.expected(self.request, context, planned, failed_writes, about)
        if unread:
            wanted = complete.first_of(wanted, places)
        complete.check(self.request.out, tally.digests[RESULTS], wanted, about)
        if digest := finding_cases.write(self.request.out, context, tally.findings, self.found):
            tally.digests[finding_cases.FILE] = digest
        if context.comparison and pairs:
            tally.digests[context.comparison.file] = pairs
        others = {name: digest for name, digest in tally.digests.items() if name != RESULTS}
        complete.check_written(self.request.out, others)
        return ended(record, self.request, context, tally, about, unread=unread), tally

    def _judged(self, places: list[SheetAt]) -> list[SheetAt]:
        """Have the engines read sheets, and judge the answers; return the sheets. Raises PipelineError."""
        runner, processes = self.runner.get(), self.context.processes
        units = sum(place.files for place in places) * sum(len(process.configs) for process in processes)
        stage = f"reading files in each configuration, on {runner.name}"
        self._do(stage, units, list(engine_tasks(processes, places, runner.cores)))
        about = self._about()
        if not any(process.reported and not failure for process, failure in about):
            reasons = "; ".join(f"{process.key}: {why}" for process, why in about if process.reported)
            raise PipelineError(f"no engine could be run: {reasons}")
        self._do("judging", len(places), list(judge_tasks("judge", places, runner.cores)))
        return places

    def _until_a_finding(self, places: list[SheetAt]) -> list[SheetAt]:
        """Judge sheets, each time as many as before, until one has a finding; return the judged ones."""
        done = 0
        while done < len(places):
            some = self._judged(places[done : max(2 * done, done + self.runner.get().cores)])
            done += len(some)
            if any(self._shows_finding(place) for place in some):
                break
        return places[:done]

    def _shows_finding(self, place: SheetAt) -> bool:
        rows = judging.rows(self.context, "judge", place.id)
        return any(stored_from_json(row["stored"]).row.detail.finding for row in rows)

    def _compare(self, comparison: Comparison, places: Sequence[SheetAt], cores: int) -> Digest:
        """Compare two versions of an engine, sheet by sheet, into one file."""
        self._do("comparing the versions", len(places), list(judge_tasks("pair", places, cores)))
        with written_lines(self.request.out / comparison.file) as out:
            for place in places:
                for line in self.context.lines(self.context.part("pair", place.id)):
                    out.put(line)
            if self.context.matrix:
                for line in resolved(comparison.of_written)(self.context):
                    out.put(line)
        return out.digest

    def _planned(self) -> list[SheetAt]:
        """Generate files, have engines write files, and import files; return the places of all sheets."""
        context, imported = self.context, self.request.imported
        places: list[SheetAt] = []
        cut: list[Sheet] = []
        if context.generate:
            self._generate(context.generate)
            places, cut = generated.divided(context, context.generate)
        if context.matrix:
            self._write()
        if context.matrix or imported or cut:
            others = sheets(imported.cases, given=context.given) if imported else []
            planned = write_plan(context, chain(written.sheets_of(context), others, cut))
            last = len(planned) - len(cut)
            if context.queries or context.given:  # generated files have queries
                planned[:last] = self._derived(planned[:last], self.runner.get().cores)
            places = [*places, *planned]
        return places

    def _write(self) -> None:
        request = self.context.write
        if request:
            self._do("drawing tables", drawn.groups(request), drawn.tasks(request))
        tasks = list(written.tasks(self.context, self.runner.get().cores))
        self._do("writing", sum(len(task.tables) for task in tasks), tasks)

    def _derived(self, places: Sequence[SheetAt], cores: int) -> list[SheetAt]:
        """Derive queries from files; return the places of the sheets that have them."""
        tasks = list(derived.tasks(self.context, places, cores))
        self._do("deriving queries", sum(place.files for task in tasks for place in task.sheets), tasks)
        for text in derived.notes(self.context, places):
            self.progress.note(text)
        return derived.places(self.context, places)

    def _generate(self, request: Generate) -> None:
        for tasks in generated.tasks(self.context, request):
            self._do(
                "generating groups of files", sum(task.numbers[1] - task.numbers[0] for task in tasks), tasks
            )
        for text in ungenerated.failures(self.context):
            self.progress.note(f"a mistake of colconf: not generated: {text}")

    def _do(self, name: str, total: int, tasks: Sequence[Task]) -> None:
        if tasks and total:
            self.progress.stage(name, total)
            self.runner.get().run(self.context, tasks, self.progress.advance)

    def _forget_failures(self) -> None:
        """Let engines that did not start, and sheets that were not generated, be tried again when resumed."""
        for process in self.context.processes:
            note = self.context.part("about", process.key)
            if self.context.has(note) and "failed" in self.context.head(note):
                note.unlink()
        ungenerated.forget(self.context)

    def _about(self) -> Started:
        """Return for each engine process why it did not start, "" if it did."""
        started = []
        for process in self.context.processes:
            part = self.context.part("about", process.key)
            about = self.context.head(part) if self.context.has(part) else {}
            failed = about.get("failed")
            started.append((process, (Detail(**failed).summary or "it does not start") if failed else ""))
        return started

    def _looked_again(self, places: Sequence[SheetAt], cores: int) -> set[str]:
        """Take the second looks, and those in fresh processes; return the sheets that are judged again."""
        by_id = {place.id: place for place in places}
        tasks = looks.second(self.context, by_id, cores)
        self._do("reading again what failed", looks.rechecked(tasks), tasks)
        settled = {identity for task in tasks for identity, _ in task.rechecks}
        cases = fresh.chosen(self.context, places)
        tasks = looks.fresh(self.context, by_id, cases)
        self._do("asking fresh processes", looks.rechecked(tasks), tasks)
        settled |= fresh.different(self.context, cases)
        again = [place for place in places if place.id in settled]
        self._do("judging again", len(again), list(judge_tasks("settle", again, cores)))
        return settled

    def _rows(
        self,
        places: Sequence[SheetAt],
        settled: set[str],
        failed_writes: Iterable[Stored],
        about: Started,
    ) -> Iterator[Stored]:
        yield from failed_writes
        for place in places:
            stage = "settle" if place.id in settled else "judge"
            for line in judging.rows(self.context, stage, place.id):
                stored = stored_from_json(line["stored"])
                if stored.row.detail.finding:
                    self.found[stored.row.case] = place
                yield stored
        for skipped in self.request.imported.skipped if self.request.imported else ():
            for name, version, config, switches in reported(about):
                row = skipped_row(skipped.id, str(skipped.file), skipped.reason, (name, version, config))
                yield Stored(row, switches, 0)
