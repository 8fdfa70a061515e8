"""Judging one sheet: what its files mean, by record or by vote, and what each engine's answer is worth.

One case is in memory at a time, with every engine's answer to it.
"""

from __future__ import annotations

from dataclasses import asdict, replace
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

from corpora import known_failures
from corpora.features import features_of
from corpora.known_failures import Judged, match
from harness.judge import Judgement, Verdict, judge_again
from harness.judge import judge as judge_outcome
from harness.outcomes import Detail, Kind, Outcome
from harness.pipeline import parts
from harness.pipeline.plan import Recheck
from harness.pipeline.store import Stored
from harness.results import SAID, Row
from harness.vote import REFERENCE, Ballot, vote
from reference_impl.errors import ReferenceError_
from reference_impl.parquet.file import ParquetFile
from reference_impl.parquet.summary import summarize

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from corpora.cases import Case, Expectation
    from corpora.known_failures import Entry
    from corpora.tagged import Table
    from harness.compare import Difference
    from harness.pipeline.context import Context
    from harness.pipeline.plan import Config, Process, Sheet

PROBLEMS = frozenset(Verdict) - {
    Verdict.AGREE,
    Verdict.EQUIVALENT,
    Verdict.REFUSED_AS_EXPECTED,
    Verdict.UNSUPPORTED,
}
# Answers that are asked for again before they become findings. Memory is not among them: what passed the
# limit once has shown that it can, and the second time costs as much as the first.
_SEEN_TWICE = PROBLEMS - {Verdict.OUT_OF_MEMORY, Verdict.AMPLIFIED}
_ABSENT = Outcome(Kind.UNSUPPORTED, detail=Detail(message="the reference did not start"))


class _Answer(NamedTuple):
    """One engine's outcome for the case that is being judged, and where it comes from."""

    process: Process
    number: int
    config: Config
    outcome: Outcome


def judge(context: Context, sheet: Sheet) -> Iterator[dict[str, Any]]:
    """Yield the judged rows of a sheet, case by case, as lines of a part.

    A line has the row and what else the store needs (`Stored`), and `recheck`: null, or engine process,
    configuration and case of a problem that nobody knows of, which is to be seen a second time.
    """
    answers = _answers(context, "execute", sheet)
    claims = {process.key: claimed(context, process) for process, _ in answers}
    entries = known_entries(context.known)
    sheet_bytes = sum(_size(case.file) for case in sheet.cases)
    for index, case in enumerate(sheet.cases):
        given = list(_given(answers, index))
        expectation = _expectation(case, given, claims)
        features = tuple(sorted({*case.features, *_features(case)}))
        held = _held(case, given)
        for one in given:
            if not one.process.reported:
                continue
            read = max(held, sheet_bytes if one.process.heavy else 0)
            judgement = judge_outcome(expectation, one.outcome, claims[one.process.key], file_bytes=read)
            cell = _cell(expectation.table, judgement.difference)
            row = make_row(case, one.process, one.config, one.outcome, judgement, expectation, features)
            row = with_known(row, one.config.switches, entries)
            yield {
                "stored": _stored_to_json(Stored(row, one.config.switches, _size(case.file), cell)),
                "recheck": [one.process.key, one.number, index] if _to_be_seen_again(row) else None,
            }


def settle(context: Context, sheet: Sheet) -> Iterator[dict[str, Any]]:
    """Yield the rows of a judged sheet again, those that were asked a second time with what came of it."""
    first = {process.key: answers for process, answers in _answers(context, "execute", sheet)}
    second = {process.key: answers for process, answers in _answers(context, "again", sheet)}
    entries = known_entries(context.known)
    for line in parts.read(context.part("judge", sheet.id)):
        if line["recheck"]:
            engine, *which = line["recheck"]
            place = Recheck(*which)
            before = first[engine].get(*place)
            after = second[engine].get(*place) if engine in second else None
            unstable = judge_again(before, after) if before and after else None
            if unstable:
                line["stored"] = _unstable(line["stored"], unstable, entries)
        yield {"stored": line["stored"], "recheck": None}


def _to_be_seen_again(row: Row) -> bool:
    return bool(row.detail["finding"]) and row.verdict in _SEEN_TWICE


def _unstable(data: dict[str, Any], judgement: Judgement, entries: tuple[Entry, ...]) -> dict[str, Any]:
    stored = stored_from_json(data)
    detail = {**stored.row.detail, "difference": _difference(judgement.difference), "equivalences": []}
    row = replace(stored.row, verdict=judgement.verdict.value, detail=detail)
    return _stored_to_json(replace(stored, row=with_known(row, stored.switches, entries), cell=""))


def make_row(  # noqa: PLR0917 - one line of results has that many sources
    case: Case,
    process: Process,
    config: Config,
    outcome: Outcome,
    judgement: Judgement,
    expectation: Expectation,
    features: Iterable[str],
) -> Row:
    """Answer the row of one outcome; whether it is known is still to be seen."""
    said = {name: getattr(expectation, name) for name in SAID}
    detail = {
        "file": str(case.file),
        "expectation": said,
        "features": list(features),
        **asdict(outcome.detail),
        "difference": _difference(judgement.difference),
        "equivalences": list(judgement.equivalences),
        "known": None,
        "finding": judgement.verdict in PROBLEMS,
    }
    return Row(
        case.id,
        case.sha256,
        case.format,
        process.name,
        process.version,
        config.text,
        outcome.kind.value,
        judgement.verdict.value,
        detail,
        outcome.seconds,
        outcome.peak_rss_bytes,
    )


def with_known(row: Row, switches: dict[str, str], entries: tuple[Entry, ...]) -> Row:
    """Mark a row as a known failure or, if it is a problem, as a finding."""
    entry = match(entries, Judged(row.case, row.engine, row.version, switches, row.verdict))
    known = {"reason": entry.reason, "url": entry.url} if entry else None
    finding = known is None and row.verdict in PROBLEMS
    return replace(row, detail={**row.detail, "known": known, "finding": finding})


@cache
def known_entries(folder: Path | None) -> tuple[Entry, ...]:
    """Answer the known failures; raises CaseError."""
    return known_failures.load(folder or known_failures.FOLDER)


def claimed(context: Context, process: Process) -> tuple[str, ...]:
    """Answer the equivalences that an engine claims, as it described itself."""
    about = next(parts.read(context.part("about", process.key)))
    return tuple(about.get("description", {}).get("equivalences", ()))


def _answers(context: Context, stage: str, sheet: Sheet) -> list[tuple[Process, parts.Answers]]:
    """Answer the parts of a sheet, in the order of the engine processes; one that did not start has none."""
    found = []
    for process in context.processes:
        part = context.part(stage, sheet.id, process)
        if part.exists():
            found.append((process, parts.Answers(part)))
    return found


def _given(answers: list[tuple[Process, parts.Answers]], index: int) -> Iterator[_Answer]:
    for process, part in answers:
        for number, config in enumerate(process.configs):
            outcome = part.get(number, index)
            if outcome is not None:
                yield _Answer(process, number, config, outcome)


def _expectation(case: Case, given: list[_Answer], claims: dict[str, tuple[str, ...]]) -> Expectation:
    if case.expectation.kind != "accept" or case.expectation.table is not None:
        return case.expectation
    ballots = {
        f"{one.process.key}:{one.config.text}": Ballot(one.outcome, claims[one.process.key], one.process.name)
        for one in given
    }
    reference = next((one.outcome for one in given if one.process.name == REFERENCE), _ABSENT)
    return vote(ballots, reference)


def _features(case: Case) -> tuple[str, ...]:
    """Answer the features that the file uses, as far as the reference can tell; none if it cannot."""
    if case.format != "parquet":
        return ()
    try:
        return features_of(summarize(ParquetFile.open(case.file)))
    except (ReferenceError_, OSError):
        return ()


def _held(case: Case, given: Iterable[_Answer]) -> int:
    """Answer how many bytes a file holds: its size, or that of its pages uncompressed.

    What the footer says of that counts only if the reference read the file, which checks it: a footer that
    promises more than there is must not excuse the memory that a reader takes.
    """
    size = _size(case.file)
    read = any(one.process.name == REFERENCE and one.outcome.kind is Kind.TABLE for one in given)
    if case.format != "parquet" or not read:
        return size
    try:
        groups = ParquetFile.open(case.file).metadata.row_groups
    except (ReferenceError_, OSError):  # the file has changed since it was read
        return size
    chunks = (chunk.meta_data for group in groups for chunk in group.columns)
    return max(size, sum(meta.total_uncompressed_size for meta in chunks if meta))


def _size(file: Path) -> int:
    try:
        return file.stat().st_size
    except OSError:
        return 0


def _difference(difference: Difference | None) -> dict[str, str] | None:
    return None if difference is None else dict(difference._asdict())


def _cell(expected: Table | None, difference: Difference | None) -> str:
    """Say what the first differing cell is: what types differ, or the type of the column that it is in."""
    if difference is None or expected is None or difference.kind not in {"type", "value"}:
        return ""
    if difference.kind == "type":
        return f"{difference.expected} as {difference.actual}"
    prefixes = ((f"column {column.name!r}", column.type) for column in expected.columns)
    fitting = [(len(prefix), str(type_)) for prefix, type_ in prefixes if difference.path.startswith(prefix)]
    return max(fitting)[1] if fitting else ""


def _stored_to_json(stored: Stored) -> dict[str, Any]:
    return {**vars(stored), "row": stored.row.to_json()}


def stored_from_json(data: dict[str, Any]) -> Stored:
    """Read what a judged line holds for the store."""
    return Stored(**{**data, "row": Row(**data["row"])})
