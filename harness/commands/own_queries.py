"""`--query` and `--query-file`: queries that a user writes, for files and tables of the user."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import click

from corpora.build.evolution.own import columns_of
from corpora.build.reading import open_file
from corpora.build.sql.binding import bind
from corpora.build.sql.parser import parse
from corpora.build.sql.syntax import Statement
from corpora.build.sql.tokens import SqlError
from corpora.cases import Case, Probe
from corpora.importers import Imported
from corpora.queries import Query
from corpora.tagged import Field
from harness.commands.parameters import with_options
from harness.listings.text import line, show_line
from harness.problem import Problem
from harness.runs.pipeline.derived import is_queried, is_sound
from reference_impl.errors import ReferenceError_

_MOST_BYTES = 4 << 20  # of a file of queries
_MOST_CHARACTERS = 200  # characters of a query or a reason in a message
query_options = with_options(
    click.option(
        "--query",
        multiple=True,
        metavar="SQL",
        help="Query to run on each file and table, such as \"WHERE day = DATE '2024-01-01'\"; repeatable.",
    ),
    click.option(
        "--query-file",
        multiple=True,
        metavar="FILE",
        help="Text file of such queries, each of which ends with a semicolon; repeatable.",
    ),
)


class OwnQueries(NamedTuple):
    """Cases with queries of the user as their first probes, and what the user wrote for each.

    `left_out` counts the pairs of a case and a query that does not fit it; `notes` are lines about these.
    """

    cases: tuple[Case, ...]
    queries: dict[Query, str]
    left_out: int
    notes: tuple[str, ...]


def queries_of_user(options: Mapping[str, Any], imported: Imported | None) -> list[Statement]:
    """Return the queries of `colconf run`, whose files are `imported`; raises Problem."""
    statements = statements_of(options)
    if statements and (imported is None or not (options["files"] or options["tables"])):
        raise Problem("--query and --query-file require --files or --tables")
    return statements


def statements_of(options: Mapping[str, Any]) -> list[Statement]:
    """Return the queries of the options, each once; raises Problem for one that cannot be read."""
    statements = [each for text in options["query"] for each in _parsed(text, "--query")]
    for name in options["query_file"]:
        try:
            text = _text(name)
        except OSError as error:
            raise Problem(f"--query-file {name}: {error.strerror}") from error
        except UnicodeDecodeError as error:
            raise Problem(f"--query-file {name}: not UTF-8 text, at byte {error.start}") from error
        statements += _parsed(text, f"--query-file {name}")
    return list({statement.text: statement for statement in statements}.values())


def _text(name: str) -> str:
    """Return the text of a file or pipe; raises OSError, UnicodeDecodeError and Problem."""
    with Path(name).open("rb") as opened:
        data = opened.read(_MOST_BYTES + 1)
    if len(data) > _MOST_BYTES:
        raise Problem(f"--query-file {name}: more than {_MOST_BYTES >> 20} MiB")
    return data.decode("utf-8-sig")  # editors of Windows begin files with a byte order mark


def _parsed(text: str, source: str) -> list[Statement]:
    try:
        statements = parse(text)
    except SqlError as error:
        before = text[: error.at]
        row, column = before.count("\n") + 1, error.at - before.rfind("\n")
        where = f"character {column}" if "\n" not in text else f"line {row}, character {column}"
        raise Problem(f"{source}: {where}: {error}") from error
    if not statements:
        raise Problem(f"{source}: no query")
    return statements


def with_queries(
    statements: Sequence[Statement], cases: Sequence[Case], *, partial: bool = False
) -> OwnQueries:
    """Return cases with the queries that fit their columns; raises Problem for one that fits none.

    `partial`: the cases are a part of those that the user named, and a query may fit another part alone. A
    case that records something else than the table of a sound file keeps its own queries alone.
    """
    fits = [_Fit(statement) for statement in statements]
    given: dict[Query, str] = {}
    changed: list[Case] = []
    for case in cases if fits else ():
        columns, reason = _columns(case)
        queries: dict[Query, str] = {}
        for fit in fits:
            query = fit.query(case, columns, reason)
            if query is not None:
                queries.setdefault(query, fit.text)
        given = {**queries, **given}
        own = (probe for probe in case.probes if probe.query not in queries)
        changed.append(replace(case, probes=(*map(Probe, queries), *own)) if queries else case)
    misfits = () if partial else tuple(filter(None, (fit.misfit() for fit in fits)))
    if len(misfits) == 1:
        raise Problem(misfits[0])
    if misfits:
        for text in misfits:
            show_line(text, err=True)
        raise Problem(f"{len(misfits):,} of {len(fits):,} queries fit no file or table")
    notes = tuple(note for fit in fits for note in fit.notes())
    left_out = sum(fit.left_out for fit in fits)
    return OwnQueries(tuple(changed) if fits else tuple(cases), given, left_out, notes)


class _Fit:
    """A query, the number of cases that it fits, and the ids of others by the reason why it does not.

    `_rewritten` has the ids of cases by the notes about constants that the types of their columns lack.
    """

    def __init__(self, statement: Statement) -> None:
        self._statement = statement
        self._fitting = 0
        self._others: dict[str, list[str]] = {}
        self._rewritten: dict[str, list[str]] = {}

    @property
    def text(self) -> str:
        """Return the query as the user wrote it."""
        return self._statement.text

    @property
    def left_out(self) -> int:
        """Return the number of cases that the query does not fit."""
        return sum(map(len, self._others.values()))

    def query(self, case: Case, columns: tuple[Field, ...], reason: str) -> Query | None:
        """Return the query of a case, None if it does not fit, or for the `reason`."""
        try:
            bound = None if reason else bind(self._statement, columns, is_table=case.read is not None)
        except SqlError as error:
            bound, reason = None, str(error)
        if bound is not None:
            self._fitting += 1
            if bound.notes:
                self._rewritten.setdefault("; ".join(bound.notes), []).append(case.id)
        elif case.read is None or case.read.columns:  # a read of no columns lacks those of the query
            self._others.setdefault(reason, []).append(case.id)
        return None if bound is None else bound.query

    def misfit(self) -> str:
        """Return a line about a query that is run on no case: why; "" if it is run on some."""
        if self._fitting:
            return ""
        reasons = "; ".join(map(self._reason, self._others))
        return f"{self._about}: fits none of {_count(self.left_out)}: {reasons}"

    def notes(self) -> Iterator[str]:
        """Yield a line for each reason why the query is not run on some cases, and for other comparisons."""
        total = self._fitting + self.left_out
        for reason, ids in self._others.items():
            yield f"{self._about}: not run on {len(ids):,} of {_count(total)}: {self._reason(reason)}"
        for note, ids in self._rewritten.items():
            yield f"{self._about}: {line(note, _MOST_CHARACTERS)} ({_some(ids)})"

    @property
    def _about(self) -> str:
        return f"query {line(self.text, _MOST_CHARACTERS)}"

    def _reason(self, reason: str) -> str:
        return f"{line(reason, _MOST_CHARACTERS)} ({_some(self._others[reason])})"


def _columns(case: Case) -> tuple[tuple[Field, ...], str]:
    """Return the columns of a case, or why no query of the user is run on it."""
    if not is_queried(case) and not is_sound(case):
        return (), "only the queries of the recorded case are run"
    if case.read is not None:
        return case.read.answer, ""
    try:
        return columns_of(open_file(str(case.file), case.format, case.keys)), ""
    except ReferenceError_:
        return (), "the reference cannot open the file"


def _count(cases: int) -> str:
    return f"{cases:,} case{'s' * (cases != 1)}"


def _some(ids: Sequence[str]) -> str:
    return ids[0] if len(ids) == 1 else f"{ids[0]} and {len(ids) - 1:,} more"
