"""The third look: what would be called new is read once more, alone, before it is.

A run itself looks twice (its stages `again` and `settle`). The third time is a small run of its own in the
folder `confirm`, in new processes of the engines concerned. What is not seen there is flaky.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from corpora.importers import Imported
from harness.judging.results import STALE, read_findings, read_rows
from harness.runs.history.records import NEW, REGRESSED
from harness.runs.pipeline.finding_cases import read as cases_of
from harness.runs.pipeline.run import run

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    from corpora.cases import Case
    from harness.judging.places import Process
    from harness.judging.results import Finding
    from harness.runs.history.session import Session
    from harness.runs.history.store import History
    from harness.runs.pipeline.finding_cases import FindingCase
    from harness.runs.pipeline.request import Request
    from harness.runs.pipeline.run import Progress

FOLDER = "confirm"
MOST = 200  # of more findings that are new at once, no third look finds what is wrong with them
_ONCE_IS_ENOUGH = {"out_of_memory", "amplified"}  # what passed a limit has shown that it can


def confirm(history: History, session: Session, request: Request, progress: Progress) -> None:
    """Look at what a run found new, and note what is flaky; raises what a run does."""
    wanted = list(_wanted(history, session, request.out))
    if not wanted or len(wanted) > MOST:
        return
    cases = merged(kept for _, kept in wanted)
    out = request.out / FOLDER
    by_vote = any(case.expectation.table is None and case.expectation.kind == "accept" for case in cases)
    engines = {(finding.engine, finding.version) for finding, _ in wanted}
    chosen = [one for one in request.processes if by_vote or not one.reported or _key(one) in engines]
    again = replace(
        request,
        out=out,
        processes=tuple(chosen),
        imported=Imported(tuple(cases), ()),
        asked={"confirms": str(request.out)},
        master=None,
        overwrite=(out / "run.json").exists(),
        generate=None,
        comparison=None,
        resumed=False,
    )
    progress.note(f"a third look at what is new: {len(wanted):,} finding{'s' * (len(wanted) > 1)}")
    run(again, progress)
    _take(history, session, out, [finding for finding, _ in wanted])


def _key(process: Process) -> tuple[str, str]:
    return process.name, process.version


def _wanted(history: History, session: Session, out: Path) -> Iterable[tuple[Finding, FindingCase]]:
    cases = {(one.signature, one.version): one for one in cases_of(out)}
    for finding in read_findings(out):
        if finding.verdict == STALE or finding.verdict in _ONCE_IS_ENOUGH:
            continue
        kept = cases.get((finding.signature, finding.version))
        said = history.records[finding.signature].said(finding.version, session.id)
        if kept and said in {NEW, REGRESSED}:
            yield finding, kept


def merged(kept: Iterable[FindingCase]) -> list[Case]:
    """Return the cases, each once, with the queries of all findings that it is the smallest case of.

    Two files of one id, as two runs may have generated them, get two ids that the same globs match.
    """
    found: dict[str, Case] = {}
    for one in kept:
        identity = one.case.id
        if found.get(identity, one.case).sha256 != one.case.sha256:
            identity = f"{identity}~{one.case.sha256[:8]}"
        case = found.setdefault(identity, replace(one.case, id=identity))
        more = tuple(probe for probe in one.case.probes if probe not in case.probes)
        found[identity] = replace(case, probes=case.probes + more)
    return list(found.values())


def _take(history: History, session: Session, out: Path, findings: Sequence[Finding]) -> None:
    """Call flaky what was looked at, and not seen.

    The same verdict with another message is seen: some engines raise one error or another as threads meet.
    """
    seen = {(one.signature, one.version) for one in read_findings(out)}
    rows = {(row.case, row.engine, row.version, row.config): row for row in read_rows(out)}
    for finding in findings:
        row = rows.get((finding.case, finding.engine, finding.version, finding.config))
        if row is None or row.verdict == finding.verdict or (finding.signature, finding.version) in seen:
            continue
        if row.detail["probe"] in {None, finding.probe}:  # else it is about another query of the file
            history.records[finding.signature].wavered(finding.version, session.id)
