"""The stage `derive`: files and folders that have no queries get some, which the reference derives from them.

A part has the cases of one sheet in new sheets. Each file without a record gets queries of its own, and is a
separate sheet; so is each recorded case that gets queries besides its own (`Context.queries_of_cases`): all
but those whose file breaks a rule or has false statistics, since the result of other queries on it is not
defined. Queries that the user wrote stand before the others. Files that engines wrote stay together, with
the first queries of a few of them: they are one table in many layouts, and heavy engines read them at once.
For a file that the reference cannot read within the limits of its process, none are derived.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field, replace
from itertools import zip_longest
from pathlib import Path

from corpora.build.questions.columns import outermost
from corpora.cases import Case, Probe
from corpora.known_failures import WRITTEN
from corpora.queries import RowGroup
from harness.children.connection import Connection
from harness.children.outcomes import OutcomeKind
from harness.judging.ballots import REFERENCE
from harness.judging.places import Sheet
from harness.runs.pipeline.context import Context
from harness.runs.pipeline.plan import TASKS_PER_CORE, SheetAt, Task, shares
from harness.runs.pipeline.sheets import commit_sheets, given_first, places_in, sheets

QUERIES = 24  # derived from a file, by default
QUERIES_OF_WRITTEN = 6  # of the files of one table that an engine wrote: `make nightly` has a thousand files
_WRITTEN = 4  # files of a sheet that queries are derived from: the last layouts are those with indexes
LEAST = 3  # queries of a large file
LARGE = 1 << 22  # values: of a file with more, fewer queries are run, so that they take no longer together
_ERRORS = "reference_impl."  # classes of errors with which the reference refuses a file


def tasks(context: Context, places: Sequence[SheetAt], cores: int) -> Iterator[Task]:
    """Yield the tasks of the stage."""
    number = next((at for at, process in enumerate(context.processes) if process.name == REFERENCE), None)
    if number is not None:
        for share in shares(places, TASKS_PER_CORE * cores):
            yield Task("derive", number, sheets=share)


def part(context: Context, place: SheetAt) -> Path:
    """Return the part of a sheet."""
    return context.part("derive", place.id)


def places(context: Context, before: Sequence[SheetAt]) -> list[SheetAt]:
    """Return the places of the new sheets; a sheet without a part (no reference started) is unchanged."""
    after: list[SheetAt] = []
    for place in before:
        own = part(context, place)
        after += places_in(context, own) if context.has(own) else [place]
    return after


def notes(context: Context, before: Sequence[SheetAt]) -> Iterator[str]:
    """Yield a line about the files for which deriving queries failed, and one about those with fewer."""
    heads = [context.head(own) for place in before if context.has(own := part(context, place))]
    failed = [failure for head in heads for failure in head["failed"]]
    if failed:
        case, message = failed[0]
        reason = f"the reference failed to derive them, e.g. {case}: {message}"
        yield f"no queries for {len(failed)} files: {reason}"
    large = [each for head in heads for each in head.get("large", ())]
    if large:
        case, count, cells = large[0]
        yield (
            f"fewer queries for {len(large)} large file{'s' * (len(large) > 1)}: {case} counts as {cells:,} "
            f"values and gets {count} queries, not {context.queries:,}; a larger --queries adds some"
        )


def derive(context: Context, connection: Connection, place: SheetAt, sheet: Sheet) -> None:
    """Write the part of a sheet: its cases in new sheets, with the queries that the reference derives."""
    remarks = _Remarks()
    own: list[Case] = []
    written: list[Case] = []
    others: list[Case] = []
    for case in sheet.cases:
        given = given_first(case, context.given)
        bare = replace(case, probes=case.probes[given:])
        if is_queried(bare) or (context.queries_of_cases and is_sound(bare)):
            there = {probe.query for probe in case.probes}
            more = _probes(context, connection, case, remarks) if context.queries else ()
            new = (probe for probe in more if probe.query not in there)
            own.append(replace(case, probes=(*case.probes, *new)))
        else:
            (written if _is_written(case) else others).append(case)
    some = [written[at] for at in outermost(len(written), _WRITTEN)]
    shared = _in_turns([_probes(context, connection, case, remarks) for case in some])[: context.queries]
    together = [replace(case, probes=shared) for case in written]
    placed = [
        *sheets(others, given=context.given),
        *sheets([*own, *together], derived=True, given=context.given),
    ]
    commit_sheets(context, part(context, place), placed, **asdict(remarks))


def is_queried(case: Case) -> bool:
    """Return whether queries are derived for a case: nothing is recorded of it."""
    expectation = case.expectation
    is_unknown = expectation.kind == "accept" and expectation.table is None
    return is_unknown and not case.probes


def is_sound(case: Case) -> bool:
    """Return whether a case records the table of a file that breaks no rule and says nothing false."""
    expectation = case.expectation
    is_recorded = expectation.kind == "accept" and expectation.table is not None and not expectation.rule
    is_true = all(probe.misled is None for probe in case.probes)
    return is_recorded and is_true and case.read is None and not case.id.startswith(WRITTEN)


def _is_written(case: Case) -> bool:
    return not case.probes and case.id.startswith(WRITTEN)


@dataclass
class _Remarks:
    """The files of a sheet that have no queries, with the reason, and large ones, with queries and values."""

    failed: list[tuple[str, str]] = field(default_factory=list)
    large: list[tuple[str, int, int]] = field(default_factory=list)


def _probes(context: Context, connection: Connection, case: Case, remarks: _Remarks) -> tuple[Probe, ...]:
    """Return the queries of a file or of a folder's read, fewer of a large one.

    Note a failure, unless the reference refused the file, met a limit, or knows no result of the read.
    """
    derived, outcome = connection.probes(case.file, case.format, context.queries, case.keys, case.read)
    is_error = (outcome.detail.error_class or "").startswith(_ERRORS)
    if outcome.kind is not OutcomeKind.TABLE and not is_error:
        remarks.failed.append((case.id, outcome.detail.summary or outcome.kind))
    most = max(LEAST, context.queries * LARGE // max(derived.cells, LARGE))
    if most < len(derived.probes):
        remarks.large.append((case.id, most, derived.cells))
    return derived.probes[:most]


def _in_turns(lists: Sequence[Sequence[Probe]]) -> tuple[Probe, ...]:
    """Return the first probe of each file, then the second of each, and so on, each query once.

    Row groups are left out: each file has others.
    """
    turns = (probe for turn in zip_longest(*lists) for probe in turn if probe is not None)
    return tuple(dict.fromkeys(probe for probe in turns if not isinstance(probe.query, RowGroup)))
