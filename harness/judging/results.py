"""The results of a run in its folder, and how they are read.

| file             | holds                                                                                 |
|------------------|---------------------------------------------------------------------------------------|
| `results.ndjson` | one line per case × engine: a `Row`                                                   |
| `findings.ndjson`| one line per signature and version of an engine: a `Finding`                          |
| `run.json`       | the request, engines and versions, missing engines, counts; `finished` is null        |
|                  | until the rest is whole                                                               |
|                  | `digests` has lines and SHA-256 of `results.ndjson`, `findings.ndjson` and, where a   |
|                  | run has them, `cases.ndjson` and `pairs.ndjson`                                       |
| `dataset/`       | rows and findings as Parquet: `{outcomes,verdicts,findings}/run=<id>/part-*.parquet`  |

The verdict is that of the whole file or, if the whole file is right, of the first wrong probe, known failures
last; a probe by which the engine's process was lost comes before a file that was read wrong.

A file that an engine wrote, and that breaks a MUST of the specification, has a row of verdict `wrote_invalid`
for each such rule, with the writer as engine, beside the rows of those that read it. `run.json` counts all
rules that files of writers break, of any level (`rules_broken_by_writers`: `engine`, `rule`, `level`,
`files`).

A file that no engine was asked to read (it is neither Parquet nor ORC) has rows of outcome and verdict
`skipped`, with the reason as message. A row of the reference that reached a limit of its own is of outcome
`limited` and verdict `skipped`. A known failure that no longer fails is a finding of verdict
`stale_known_failure`, its case the glob of the entry.

New versions of this form only add members: a member that an older run lacks is read as its default
(`details.py`, `run_record.py`), in the dataset as NULL (`harness/runs/pipeline/archive.py`). Results newer
than we know are refused.

A file is compared with its digest while it is read: one that was emptied, cut or changed is ResultsError,
when the last line has been read at the latest. Results of before version 3 have no digests, and are read as
they are; so are those of a run that is not finished. While `findings.ndjson` is being written anew (with a
history's states), `digests` has a list: the file is the one or the other.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any, Self, TypeVar

from corpora.cases import CERTAIN, MUST
from corpora.files import lines_of, open_regular
from corpora.problem import UserError
from harness.children.outcomes import OutcomeKind
from harness.files import Counting
from harness.judging.details import RowDetail
from harness.judging.odds import Share
from harness.judging.run_record import SCHEMA_VERSION, RunRecord
from harness.judging.streamed import Streamed
from harness.judging.wording import failing_too
from harness.listings import text

RESULTS, FINDINGS = "results.ndjson", "findings.ndjson"
SKIPPED = "skipped"
_MEND = "; restore it, or run again with --overwrite"
STALE = "stale_known_failure"


class ResultsError(UserError, ValueError):
    """A folder does not hold the results of a run; the message is a single line."""


@dataclass(frozen=True)
class Row:
    """One case under one engine.

    `seconds` is wall time, of the whole file and its probes; `config` is such as `vectorized=off`, or "".
    """

    case: str
    sha256: str
    format: str
    engine: str
    version: str
    config: str
    outcome: str
    verdict: str
    detail: RowDetail
    seconds: float
    peak_rss_bytes: int

    @property
    def was_asked(self) -> bool:
        """Return whether an engine was asked to read the case at all."""
        return self.outcome != SKIPPED

    @property
    def is_by_choice(self) -> bool:
        """Return whether the engine refused the file, or a query of it, where both answers are allowed."""
        is_file = self.detail.expectation.kind == "either" and self.outcome == OutcomeKind.REFUSED
        return is_file or self.detail.probes.by_choice > 0

    def with_detail(self, **changes: Any) -> Self:
        """Return the row with other values in its detail."""
        return replace(self, detail=replace(self.detail, **changes))

    def to_json(self) -> dict[str, Any]:
        """Return the line's object; its keys are the fields."""
        return {**vars(self), "detail": self.detail.to_json()}

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> Self:
        """Read the line's object; raises ResultsError, KeyError and AttributeError."""
        try:
            return cls(**{**data, "detail": RowDetail.from_json(data["detail"])})
        except TypeError as error:
            raise ResultsError(f"a result of {text.line(data['case'], 80)}: {error}") from error


@dataclass(frozen=True)
class Finding:
    """`count` rows of one engine that fail alike, of `cases` cases; `case` is that of the smallest file.

    `difference` is the first difference of that case, or None; `error` the engine's error, or ""; `probe`
    the text of the query that fails, or None. `state` is its state in a history
    (`harness/runs/history/records.py`), "" without one, `since` the start of the run that saw it first.
    `failed` of `reads` reads showed it, 0 of 0 if each did: otherwise it is intermittent.
    `certainty`, `why` and `clause` are those of that case's expectation, `known_bug` names
    the known failure of other cases that it looks like; "" without. `level` is MUST unless it is only about
    refusing or accepting files whose clauses are SHOULD or MAY. `options` are the drawn ones under which
    the files of all its rows were written. `others` counts the other queries of that case that the engine
    fails, known failures left out; `other_queries` names the first. `column_features` are those of the
    columns that it is about.
    """

    signature: str
    engine: str
    version: str
    config: str
    verdict: str
    case: str
    count: int
    features: list[str]
    difference: dict[str, str] | None
    error: str
    probe: str | None = None
    state: str = ""
    since: str = ""
    certainty: str = CERTAIN
    why: str = ""
    clause: str = ""
    known_bug: str = ""
    failed: int = 0
    reads: int = 0
    level: str = MUST
    options: dict[str, Any] = field(default_factory=dict)
    cases: int = 0  # 0 in results of before this was counted
    others: int = 0
    other_queries: list[str] = field(default_factory=list)
    column_features: list[str] = field(default_factory=list)

    @property
    def more(self) -> int:
        """Return the number of cases beside `case`; of older results, that of rows."""
        return (self.cases or self.count) - 1

    @property
    def is_must(self) -> bool:
        """Return whether it breaks a MUST, and not only a SHOULD."""
        return self.level == MUST

    @property
    def basis(self) -> str:
        """Return what is known about a blame: how sure it is and why, the clause, the known bug, and so on.

        It is "" where nothing but the verdict says why.
        """
        sure = f"{self.certainty}, {self.why}" if self.why else self.certainty if self.clause else ""
        bug = f"looks like a known bug: {self.known_bug}" if self.known_bug else ""
        clause = f"clause: {self.clause}" if self.clause else ""
        given = ", ".join(f"{name}={json.dumps(value)}" for name, value in self.options.items())
        too = failing_too(self.others, self.other_queries)
        return "; ".join(filter(None, (sure, clause, bug, f"written with {given}" if given else "", too)))

    @property
    def share(self) -> Share:
        """Return how often it showed."""
        return Share(self.failed, self.reads)

    def to_json(self) -> dict[str, Any]:
        """Return the line's object; its keys are the fields."""
        return asdict(self)

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> Self:
        """Read the line's object; raises TypeError."""
        return cls(**data)


_RUN = "run.json"
_DIGESTS_SINCE = 3
_Line = TypeVar("_Line", Row, Finding)


@dataclass(frozen=True)
class Results:
    """A whole run: `rows` are what engines were asked, `skipped` the files that none was asked to read."""

    run: RunRecord
    rows: Sequence[Row]
    findings: list[Finding]
    skipped: list[Row]


def load(out: Path, *, streamed: bool = False) -> Results:
    """Read the results of the run in `out`; raises ResultsError if there are none, or not whole.

    `streamed`: the rows are read anew on each iteration and are never in memory as a whole. Errors in lines
    are raised here all the same.
    """
    run = load_run(out)
    if not run.finished:
        mend = f"`colconf run --resume {text.quoted(out)}` goes on"
        raise ResultsError(f"{out}: the run is not finished; {mend}")
    skipped = [row for row in read_rows(out) if not row.was_asked]
    rows = Streamed(lambda: (row for row in read_rows(out) if row.was_asked))
    return Results(run, rows if streamed else list(rows), list(read_findings(out)), skipped)


def read_rows(out: Path) -> Iterator[Row]:
    """Yield the rows of the run in `out`, files that were skipped among them; raises ResultsError."""
    return _parsed_lines(out, RESULTS, Row)


def read_findings(out: Path) -> Iterator[Finding]:
    """Yield the findings of the run in `out`; raises ResultsError."""
    return _parsed_lines(out, FINDINGS, Finding)


def load_run(out: Path) -> RunRecord:
    """Read `run.json` of a run, finished or not; raises ResultsError."""
    try:
        with open_regular(out / _RUN) as opened:
            run = json.load(opened)
    except (FileNotFoundError, NotADirectoryError) as error:
        raise ResultsError(f"{out}: not the folder of a run (no run.json)") from error
    except (OSError, ValueError, RecursionError) as error:
        raise ResultsError(f"{out / _RUN}: cannot be read: {error}{_MEND}") from error
    version = run.get("schema_version") if isinstance(run, dict) else None
    if type(version) is not int or version < 1:
        raise ResultsError(f"{out}: results of schema version {version!r:.40}; this is {SCHEMA_VERSION}")
    if version > SCHEMA_VERSION:
        raise ResultsError(
            f"{out}: results of schema version {version}; this colconf knows {SCHEMA_VERSION}: update it"
        )
    try:
        return RunRecord.from_json(run)
    except TypeError as error:
        raise ResultsError(f"{out / _RUN}: not as documented: {error}") from error


def _parsed_lines(out: Path, name: str, kind: type[_Line]) -> Iterator[_Line]:
    for number, line in enumerate(verified_lines(out, name), 1):
        yield _parsed(out / name, number, line, kind)


def verified_lines(out: Path, name: str, *, optional: bool = False) -> Iterator[bytes]:
    """Yield the lines of a file of a run unchanged; raises ResultsError if the file does not have its digest.

    `optional`: a run whose `run.json` does not name the file need not have it.
    """
    digests = _digests(out).get(name)
    path, counting = out / name, Counting()
    try:
        with open_regular(path) as opened:
            for line in lines_of(opened, path):
                counting.add(line)
                yield line
    except FileNotFoundError as error:
        if not optional or digests:
            raise ResultsError(f"{path}: {error.strerror}{_MEND if digests else ''}") from error
    except OSError as error:
        raise ResultsError(f"{path}: {error.strerror}") from error
    now = counting.digest
    if digests and now.to_json() not in digests:
        count = digests[-1]["lines"]
        what = f"{now.lines:,} of {count:,} lines" if now.lines != count else "it was changed"
        raise ResultsError(f"{path}: not as the run wrote it ({what}){_MEND}")


def verify(out: Path) -> None:
    """Raise ResultsError if any file of a run is not as `run.json` says."""
    for name in _digests(out):
        for _ in verified_lines(out, name):
            pass


def _digests(out: Path) -> dict[str, list[dict[str, Any]]]:
    """Return what `run.json` allows each file to be; nothing of a run that is not finished, or older."""
    if not (out / _RUN).exists():
        return {}
    run = load_run(out)
    if not run.finished:
        return {}
    digests = run.digests or {}
    if run.schema_version >= _DIGESTS_SINCE and not {RESULTS, FINDINGS} <= digests.keys():
        raise ResultsError(f"{out / _RUN}: has no entry for {RESULTS}{_MEND}")
    return {name: entries_of(entry) for name, entry in digests.items()}


def entries_of(entry: dict[str, Any] | list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the line counts and digests that a file may have, by its entry in `digests`."""
    return entry if isinstance(entry, list) else [entry]


def _parsed(path: Path, number: int, line: bytes, kind: type[_Line]) -> _Line:
    try:
        return kind.from_json(json.loads(line))
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
        raise ResultsError(f"{path}, line {number}: {error}") from error
