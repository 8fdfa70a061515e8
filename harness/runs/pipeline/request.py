"""The request of a run, and the contents of `run.json` at its beginning and at its end."""

from __future__ import annotations

import datetime as dt
import secrets
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from corpora.importers import Imported, Skipped
from corpora.queries import Query
from harness.children.connection import Limits
from harness.judging.control import with_control
from harness.judging.control_answers import described
from harness.judging.places import Process
from harness.judging.run_record import RanOn, RunRecord
from harness.runs.pipeline import folder, ungenerated, written
from harness.runs.pipeline.context import Comparison, Context, Generate, WriteDrawn
from harness.runs.pipeline.store import Tally
from harness.version import __version__

Started = list[tuple["Process", str]]  # why each engine process did not start, "" if it did


@dataclass(frozen=True)
class Request:
    """The request of a run.

    `imported` is None for the writers' matrix and where files are generated (`generate`, `every_value`: see
    `Context`); `format` is then the format of the files. `settings` are all values that decide results, by
    name; `arguments` are the same for people. `master` is the Spark master; None runs in threads.
    `unavailable` has `engine`, `reason`, `mend`. `comparison`: an old and a new version to compare.
    `resumed`: the folder must hold this run, unfinished, and its files must be unchanged.
    `workdir` is where the stages work, for machines that do not see `out`. For `order`, `queries`,
    `queries_of_cases`, `given`, `write` and `tables` see `Context`. `written` are the formats in which
    engines write files beside those that are imported and generated. `left_out` is how often a query of
    the user does not fit a case.
    `fail_fast`: no sheet is read after the first finding. `partial`: the cases are a part of those that were
    named, so that an entry about several cases may fail in another part. `jobs` is the number of tasks that
    run at a time without Spark, None for one per core.
    `control`: engines are asked the control set first, and are not asked what colconf cannot put to them.
    """

    out: Path
    processes: tuple[Process, ...]
    limits: Limits
    imported: Imported | None
    layouts: int
    settings: dict[str, Any]
    arguments: list[str]
    unavailable: list[dict[str, str]] = field(default_factory=list)
    master: str | None = None
    overwrite: bool = False
    known: Path | None = None
    generate: Generate | None = None
    every_value: bool = False
    format: str = "parquet"
    comparison: Comparison | None = None
    resumed: bool = False
    workdir: str | None = None
    order: int | None = None
    control: bool = False
    fail_fast: bool = False
    partial: bool = False
    jobs: int | None = None
    queries: int = 0
    queries_of_cases: bool = False
    given: tuple[Query, ...] = ()
    left_out: int = 0
    write: WriteDrawn | None = None
    written: tuple[str, ...] = ()
    tables: int = 1

    @property
    def matrix(self) -> tuple[str, ...]:
        """Return the formats in which engines write files: without other files, the format of the run."""
        return self.written or (() if self.imported or self.generate else (self.format,))

    @property
    def formats(self) -> tuple[str, ...]:
        """Return the formats of the files."""
        formats = {*self.matrix, *(case.format for case in (self.imported.cases if self.imported else ()))}
        if self.generate:
            formats |= set(self.generate.formats or (self.format,))
        return tuple(sorted(formats))


def controlled(request: Request, say: Callable[[str], object]) -> Request:
    """Return the request with what each engine is not to be asked, by its answers to the control set."""
    if not request.control:
        return request
    processes = with_control(request.processes, request.formats, request.limits, say)
    return replace(request, processes=processes)


def greeting(request: Request, state: str, before: RunRecord | None) -> Iterator[str]:
    """Yield the messages at the beginning of a run."""
    if before:
        yield f"continuing the run that was begun {before.started} in {request.out}"
    elif state == folder.REPEATED:
        yield f"running again, in place of the finished run in {request.out}"
    else:
        yield f"results go to {request.out}"
    for engine in request.unavailable:
        yield f"without {engine['engine']}: {engine['reason']}; {engine['mend']}"


def begun(request: Request) -> RunRecord:
    """Return the record of an unfinished run."""
    now = _now()
    return RunRecord(
        # To the millisecond: ids are in the order of their runs.
        id=f"{now:%Y%m%d-%H%M%S}{now.microsecond // 1000:03}-{secrets.token_hex(3)}",
        started=now.isoformat(timespec="seconds").replace("+00:00", "Z"),
        arguments=request.arguments,
        settings=request.settings,
        unavailable=request.unavailable,
        pipeline=RanOn(request.master, request.workdir),
        seeds=[drawn.seed for drawn in (request.generate, request.write) if drawn],
        colconf=__version__,
    )


def now() -> str:
    """Return the current time in the form of `run.json`."""
    return _now().isoformat(timespec="seconds").replace("+00:00", "Z")


def _now() -> dt.datetime:
    return dt.datetime.now(tz=dt.UTC)


def reported(about: Started) -> Iterator[tuple[str, str, str, dict[str, str]]]:
    """Yield name, version, configuration and switches of the engines that the results are about."""
    for process, failed in about:
        if process.reported and not failed:
            for config in process.configs:
                yield process.name, process.version, config.text, config.switches


def ended(
    record: RunRecord, request: Request, context: Context, tally: Tally, about: Started, *, unread: int = 0
) -> RunRecord:
    """Return the record of a run that has its results; `unread` files were left out by `fail_fast`."""
    runtimes = {}
    for process, failed in about:
        part = context.part("about", process.key)
        if not failed and context.has(part):
            runtimes[process.name, process.version] = context.head(part)["description"]["runtime"]
    engines = [
        {"name": name, "version": version, "config": config, "runtime": runtimes.get((name, version), "")}
        for name, version, config, _ in reported(about)
    ]
    skipped = request.imported.skipped if request.imported else ()
    unavailable = [
        {"engine": process.key, "reason": failed, "mend": "see `colconf doctor`"}
        for process, failed in about
        if failed and process.reported
    ]
    return replace(
        with_tally(record, tally, skipped, unread, request.left_out),
        engines=engines,
        unavailable=[*request.unavailable, *unavailable],
        not_asked=not_asked(request.processes) if request.control else None,
        rules_broken_by_writers=written.rules_broken(context),
        not_generated=ungenerated.failures(context) or None,
    )


def not_asked(processes: Iterable[Process]) -> list[dict[str, str]]:
    """Return the reads and queries that were not run with the engines: `engine`, `question`, `reason`."""
    return [
        {
            "engine": f"{process.key}:{barred.config}" if barred.config else process.key,
            "question": described(barred),
            "reason": barred.reason,
        }
        for process in processes
        if process.reported
        for barred in process.barred
    ]


def with_tally(
    record: RunRecord, tally: Tally, skipped: Sequence[Skipped] = (), unread: int = 0, left_out: int = 0
) -> RunRecord:
    """Return the record of a run that ends now, with its counts and the digests of its results."""
    unusable, reads = (sum(getattr(each, name) for each in skipped) for name in ("unusable", "is_read"))
    verdicts: Counter[str] = Counter()
    for (_, verdict), count in sorted(tally.verdicts.items()):
        verdicts[verdict] += count
    counts = {
        "cases": tally.cases,
        "results": tally.rows,
        "skipped_files": len(skipped),
        "verdicts": dict(verdicts),
        "findings": len(tally.findings),
        "recommended": sum(not finding.is_must for finding in tally.findings),
        "known": sum(tally.known.values()),
        "refused_by_choice": sum(tally.by_choice.values()),
        "contested": tally.contested,
        "files_with_broken_rules": tally.broken,
        **({"unread": unread} if unread else {}),
        **({"unusable_files": unusable} if unusable else {}),
        **({"skipped_reads": reads} if reads else {}),
        **({"queries_left_out": left_out} if left_out else {}),
    }
    return replace(
        record,
        finished=now(),
        counts=counts,
        stale=[str(problem) for problem in tally.stale],
        dataset=tally.has_dataset,
        digests={name: digest.to_json() for name, digest in tally.digests.items()},
    )
