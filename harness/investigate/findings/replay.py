"""The subjects of `colconf replay`: a folder of a finding, a known finding, a case, a seed or a file."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from corpora import known_failures, own_cases
from corpora.cases import Case, CaseError, load
from corpora.given_cases import load_given
from corpora.importers import import_paths
from corpora.known_failures import GENERATED, Entry, Judged
from harness.children.connection import Limits
from harness.engines.naming import EngineName, parse, switches_of
from harness.engines.scripts.request import switches
from harness.investigate import suspects
from harness.investigate.findings import broken_files, folders, heading, ordered
from harness.investigate.findings.collect import is_minimized
from harness.investigate.findings.rejudge import CannotAsk, Rejudged, rejudge
from harness.judging.ballots import REFERENCE
from harness.judging.judge import expectation_by_reference
from harness.judging.order import Order
from harness.judging.results import RESULTS, Finding
from harness.runs.pipeline import generated
from harness.runs.pipeline.context import Context
from harness.runs.pipeline.derived import QUERIES, is_queried


@dataclass(frozen=True)
class Again:
    """A case to judge again, the engines that read it, and the finding to look for (None: any).

    `order`: the requests after which the answer differs from that of a fresh process. `is_decided`: a vote of
    more engines blamed the engine, so that the reference speaks for them.
    """

    case: Case
    engines: tuple[str, ...]
    entry: Entry | None = None
    order: Order | None = None
    is_decided: bool = False


def named(text: str, engines: Sequence[str], format_: str, scratch: Path, *, outside: bool = False) -> Again:
    """Return the subject of a name; generated files are written into `scratch`.

    `outside`: the file of a JSON case may lie anywhere.

    Raises CannotAsk, FolderError, SuspectError, CaseError and ImportProblem.
    """
    path = Path(text)
    if (path / folders.REPLIES).is_file():
        return _of_folder(path, engines)
    if is_minimized(path):
        engine, suspect = suspects.of_minimized(path)
        chosen = _engines(engine.name, engine.version or "", suspect.entry.config, engines)
        return Again(suspect.case, chosen, suspect.entry, is_decided=engine.name != REFERENCE)
    run = Path(text.partition(":")[0])
    if (run / RESULTS).is_file():
        raise CannotAsk(
            f"{run} is a run: replay takes the folders that `colconf findings export` writes of it"
        )
    if path.suffix == ".json" and path.is_file():
        return Again(load_given(path, outside=outside), tuple(engines))
    if path.exists():
        (case, *others) = import_paths([path]).cases or (None,)
        if case is None:
            raise CannotAsk(f"{text}: neither Parquet nor ORC")
        if others:
            raise CannotAsk(f"{text}: {1 + len(others):,} files; name one, or use colconf run --files")
        return Again(case, tuple(engines))
    if text.startswith(GENERATED):
        return Again(_generated(text, format_, scratch), tuple(engines))
    entry = next((known for known in known_failures.load() if known.finding == text), None)
    if entry:
        suspect = suspects.named(text, entry.engine, scratch)
        return Again(suspect.case, _engines(entry.engine, "", entry.config, engines), suspect.entry)
    file = own_cases.folder() / f"{text}.json"
    if ".." in path.parts or not file.is_file():
        raise CannotAsk(
            f"{text}: neither the folder of a finding, a file, a case, a seed, nor a known finding"
        )
    return Again(load(file), tuple(engines))


def _of_folder(folder: Path, engines: Sequence[str]) -> Again:
    case, finding = folders.read(folder)
    if finding.verdict in broken_files.VERDICTS:
        raise CannotAsk(f"{folder}: the finding is about a written file; run its {heading.NAME}")
    config = switches(finding.config)
    wanted = {name: value for name, value in config.items() if name != "pushdown" or not case.probes}
    entry = Entry(
        finding.engine, "*", finding.verdict, "replayed", signature=finding.signature, config=config
    )
    try:
        order = ordered.read(folder)
    except (OSError, ValueError, TypeError, KeyError) as error:
        raise folders.FolderError(f"{folder / ordered.FILE}: damaged: {error}") from error
    chosen = _engines(finding.engine, finding.version, wanted, engines)
    return Again(case, chosen, entry, order, is_decided=finding.engine != REFERENCE)


def _engines(name: str, version: str, config: object, given: Sequence[str]) -> tuple[str, ...]:
    """Return the engines to ask: by default the finding's."""
    wanted = dict(config) if isinstance(config, dict) else {}
    wanted.pop("pushdown", None)
    if not given:
        return (str(EngineName(name, version or None, wanted)),)
    parsed = [parse(request) for request in given]
    return tuple(
        str(replace(request, config=request.config or (wanted if request.name == name else {})))
        for request in parsed
    )


def _generated(text: str, format_: str, scratch: Path) -> Case:
    try:
        return generated.case_of(Context(scratch, (), Limits(), scratch, format=format_), text, format_)
    except CaseError as error:
        raise CannotAsk(str(error)) from error


def replay(again: Again, limits: Limits) -> tuple[bool, Rejudged, list[Finding]]:
    """Return whether the finding shows, all results, and the findings that match; raises CannotAsk.

    A file without a case is asked queries, as many as a run asks.
    """
    if again.order:
        results = ordered.rejudge(again.case, again.engines[0], again.order, limits)
    else:
        decide = expectation_by_reference if again.is_decided else None
        queries = QUERIES if again.entry is None and is_queried(again.case) else 0
        results = rejudge(again.case, again.engines, limits, decide=decide, queries=queries)
    matching = [
        finding for finding in results.findings if again.entry is None or _is_meant(again.entry, finding)
    ]
    return bool(matching), results, matching


def _is_meant(entry: Entry, finding: Finding) -> bool:
    wanted = replace(entry, case="*", versions="", feature="", column=(), options={}, engine=finding.engine)
    seen = Judged(
        finding.case,
        finding.engine,
        finding.version,
        switches_of(finding.engine, finding.config),
        finding.verdict,
        finding.signature,
    )
    return wanted.expects(finding.verdict) and wanted.covers(seen)
