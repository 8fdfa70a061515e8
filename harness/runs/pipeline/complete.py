"""Check that results are complete: every case has a row for each configuration. It reads no parts.

The expected rows follow from request and plan, the actual rows only from `results.ndjson`. So a part that was
lost, for whatever reason, does not give a run with fewer results, but an error that names the missing rows.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from harness.children.outcomes import OutcomeKind
from harness.files import Counting, Digest, digest_of
from harness.judging import pushdown
from harness.judging.affected import is_left_out
from harness.judging.places import Process
from harness.judging.results import RESULTS, SKIPPED
from harness.judging.signature import Stored
from harness.judging.verdicts import OF_WRITERS
from harness.runs.pipeline import matrix
from harness.runs.pipeline.context import Context
from harness.runs.pipeline.errors import PipelineError
from harness.runs.pipeline.plan import SheetAt
from harness.runs.pipeline.request import Request, Started

_SUM = 1 << 64
_DETAIL = b',"detail":'
_LACKED = "unsupported"
_Key = tuple[str, str, str]  # an engine's name, version and configuration


@dataclass
class _Cases:
    """A set of cases, of which two can be compared without their names."""

    count: int = 0
    sum: int = 0

    def add(self, case: str) -> None:
        digest = hashlib.blake2b(case.encode("utf-8", "surrogatepass"), digest_size=8).digest()
        self.count += 1
        self.sum = (self.sum + int.from_bytes(digest, "big")) % _SUM

    def without(self, other: _Cases) -> _Cases:
        return _Cases(self.count - other.count, (self.sum - other.sum) % _SUM)


class _Row(NamedTuple):
    case: str
    key: _Key
    outcome: str
    verdict: str
    line: bytes

    @property
    def is_apart(self) -> bool:
        """Return whether the row stands beside those of reading a case."""
        return self.verdict in OF_WRITERS or self.outcome == SKIPPED


class Expected(NamedTuple):
    """How many cases engines should read, and which, None if only the number is known beforehand.

    `unwritten`: cases that have only a row of their writer, because there is no file.
    """

    files: int
    cases: Collection[str] | None
    unwritten: frozenset[str] = frozenset()


def expected(
    request: Request,
    context: Context,
    places: Sequence[SheetAt],
    failed_writes: Sequence[Stored],
    about: Started,
) -> Expected:
    """Return the expected cases; raises PipelineError if the plan does not match the request."""
    planned = sum(place.files for place in places)
    given = [case.id for case in request.imported.cases] if request.imported else []
    generated = context.generate.files if context.generate else 0
    unwritten = frozenset(stored.row.case for stored in failed_writes if stored.row.verdict not in OF_WRITERS)
    of_writers = sum(
        matrix.files_of_each(each)
        for each in context.by_format()
        for process, failed in about
        if matrix.writes_here(each, process) and not failed
    )
    wanted = {"given": len(given), "to be generated": generated, "to be written": of_writers}
    kinds = " and ".join(f"the files {kind}" for kind, count in wanted.items() if count)
    _same(planned + len(unwritten), sum(wanted.values()), kinds)
    return Expected(planned, given if planned == len(given) else None, unwritten)


def first_of(wanted: Expected, places: Sequence[SheetAt]) -> Expected:
    """Return the expected cases of a run that read only some sheets, whose cases were not listed."""
    return Expected(sum(place.files for place in places), None, wanted.unwritten)


def _same(planned: int, wanted: int, what: str) -> None:
    if planned != wanted:
        raise PipelineError(f"the plan is not complete: {planned:,} of {wanted:,}: {what}")


def check(out: Path, digest: Digest, wanted: Expected, about: Started) -> None:
    """Raise PipelineError if rows are missing in the results, or too many, and say which."""
    there, left_out = _counted(out, digest, wanted.unwritten, about)
    every = _Cases()
    if wanted.cases is None:  # the configurations must have the same, whatever that is
        first = next((process for process, failed in about if process.reported and not failed), None)
        every = there.get(_key(first, 0), every) if first else every
        every = _Cases(wanted.files, every.sum)
    else:
        for case in wanted.cases:
            every.add(case)
    for process, failed in about:
        if process.reported and not failed:
            for number in range(len(process.configs)):
                key = _key(process, number)
                cases, full = there.get(key, _Cases()), every.without(left_out.get(key, _Cases()))
                if cases != full:
                    raise PipelineError(_message(out, key, wanted, cases, full.count))


def _key(process: Process, number: int) -> _Key:
    return process.name, process.version, process.configs[number].text


def _leaving_out(about: Started) -> dict[_Key, list[tuple[Process, int]]]:
    """Return configurations that need not be asked about every case, by the key of their first one."""
    configs: dict[_Key, list[tuple[Process, int]]] = {}
    for process, _ in about:
        for number in range(len(process.configs)):
            reader = pushdown.reader(process.configs, number)
            if reader > 0 and (process.configs[reader].formats or not process.configs[reader].probed):
                configs.setdefault(_key(process, 0), []).append((process, number))
    return configs


def _counted(
    out: Path, digest: Digest, unwritten: frozenset[str], about: Started
) -> tuple[dict[_Key, _Cases], dict[_Key, _Cases]]:
    """Return the cases of each configuration, and those on which it was not run (`ask_sheet.py`).

    The latter are told from the row of the first configuration: what that one lacks, and files that the other
    one is not for, or that its switches do not affect.
    """
    there: dict[_Key, _Cases] = {}
    left_out: dict[_Key, _Cases] = {}
    leaving_out = _leaving_out(about)
    counting = Counting()
    for row in _rows(out, counting):
        if row.is_apart or row.case in unwritten:
            continue
        there.setdefault(row.key, _Cases()).add(row.case)
        if others := leaving_out.get(row.key):
            for process, number in _not_asked(row, others):
                left_out.setdefault(_key(process, number), _Cases()).add(row.case)
    if counting.digest != digest:
        raise _changed(out)
    return there, left_out


def _not_asked(row: _Row, others: Sequence[tuple[Process, int]]) -> Iterator[tuple[Process, int]]:
    whole = json.loads(row.line)
    features = whole["detail"]["features"]
    of_file = OutcomeKind.TABLE if whole["detail"]["probe"] is not None else row.outcome
    read = whole["detail"].get("read", of_file)  # the outcome of reading the file, whatever the row is about
    for process, number in others:
        reader = pushdown.reader(process.configs, number)
        lacked = read == _LACKED and not process.configs[reader].probed
        unread = read != OutcomeKind.TABLE
        if lacked or is_left_out(process, reader, whole["format"], row.case, features, unread=unread):
            yield process, number


def check_written(out: Path, digests: Mapping[str, Digest]) -> None:
    """Raise PipelineError unless the files have the contents that were written."""
    for name, digest in digests.items():
        if digest_of(out / name) != digest:
            raise _changed(out, name)


def _changed(out: Path, name: str = RESULTS) -> PipelineError:
    return PipelineError(f"{out / name}: not as it was written; `colconf run --resume {out}` goes on")


def _rows(out: Path, counting: Counting) -> Iterator[_Row]:
    with (out / RESULTS).open("rb") as lines:
        for line in lines:
            counting.add(line)
            at = line.find(_DETAIL)
            if at < 0:
                raise _changed(out)
            row = json.loads(line[:at] + b"}")
            key = row["engine"], row["version"], row["config"]
            yield _Row(row["case"], key, row["outcome"], row["verdict"], line)


def _message(out: Path, key: _Key, wanted: Expected, there: _Cases, count: int) -> str:
    engine = f"{key[0]}@{key[1]}" + (f":{key[2]}" if key[2] else "")
    mine, others = set(), set(wanted.cases or ())
    for row in _rows(out, Counting()):
        if not row.is_apart and row.case not in wanted.unwritten:
            if row.key == key:
                mine.add(row.case)
            elif wanted.cases is None:
                others.add(row.case)
    lost = sorted(others - mine)
    which = f"; there is none of {lost[0]}" if lost else ""
    more = f" and {len(lost) - 1:,} more" if len(lost) > 1 else ""
    return f"the results are not complete: {there.count:,} of {count:,} of {engine}{which}{more}"
