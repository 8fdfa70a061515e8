"""Large query results: a child sends digests of their blocks, and rows only of blocks that differ.

The expected result is computed by the oracle from the table that the same engine read whole. A result with
equal digests is the expected one, value by value, and is not sent; of any other result, the blocks from the
first to the last that differs are sent, and the others are known. So an outcome always has the whole result,
and is judged like any other.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Mapping
from dataclasses import replace
from itertools import chain, count, islice
from pathlib import Path
from typing import Any, NamedTuple

from corpora.build.questions.answers import MOST_ROWS
from corpora.cases import Case
from corpora.queries import Query
from corpora.tagged import BLOCK_ROWS, Table
from corpora.tagged_text import block_text
from harness.children.connection import Connection
from harness.children.outcomes import Outcome, OutcomeKind
from harness.engines.digests import batches, blocks
from harness.judging.ask import keyed, query_one, unless_killed

_NUMBERS = count()


class Expected(NamedTuple):
    """An expected answer, in a file that outlives the connection's child, and its digests."""

    table: Table
    digests: dict[str, Any]


def expected(answer: Table, folder: Path) -> Expected:
    """Return an expected answer with its digests; its values are written into `folder`."""
    return Expected(_stored(answer, folder), _digests(answer))


def ask_large(
    connection: Connection,
    case: Case,
    switches: Mapping[str, str],
    query: Query,
    expected_: Callable[[], Expected | None],
) -> Outcome:
    """Return the outcome of a query; a large result is compared with the expected one by digests.

    The table of the outcome is the expected table itself if the result is equal. If there is no expected
    result, if the result has other columns, or if the child is lost before it sends the rows, the query is
    run again for its values. The expected result is computed only for large results.
    """
    given: list[dict[str, Any]] = []

    def once() -> Outcome:
        digests, outcome = connection.digest(
            case.file, case.format, switches, BLOCK_ROWS, query=query, **keyed(case)
        )
        given[:] = [digests]
        return outcome

    outcome = unless_killed(once)
    (digests,) = given
    if outcome.kind is not OutcomeKind.TABLE:
        phase = "query" if outcome.detail.phase == "digest" else outcome.detail.phase
        return replace(outcome, detail=replace(outcome.detail, phase=phase))
    table = _table(connection, case, switches, query, digests, expected_)
    return query_one(connection, case, switches, query) if table is None else replace(outcome, table=table)


def _table(  # noqa: PLR0917 - a query, and what is known of its answer
    connection: Connection,
    case: Case,
    switches: Mapping[str, str],
    query: Query,
    digests: dict[str, Any],
    expected_: Callable[[], Expected | None],
) -> Table | None:
    """Return the answer with some digests; None if its values must be asked for."""

    def fetch(rows: range) -> Table | None:
        return connection.rows(case.file, case.format, switches, rows, query=query, **keyed(case)).table

    if digests["rows"] <= MOST_ROWS:
        table = fetch(range(digests["rows"]))
    else:
        right = expected_()
        if right is None or _fields(digests) != _fields(right.digests):
            return None
        if digests == right.digests:
            return right.table
        table = _other(connection.spill, right, digests, fetch)
    return table if table is not None and _digests(table) == digests else None


def _other(
    folder: Path, right: Expected, digests: dict[str, Any], fetch: Callable[[range], Table | None]
) -> Table | None:
    """Return an answer that is not the expected one; None if its rows are lost."""
    span = _differing(right.digests, digests)
    middle = fetch(range(span.start * BLOCK_ROWS, min(span.stop * BLOCK_ROWS, digests["rows"])))
    if middle is None:
        return None
    path = _new_file(folder)
    with path.open("w", encoding="utf-8") as out:
        before = islice(right.table.blocks(), span.start)
        after = islice(right.table.blocks(), span.stop, _blocks(digests))
        for block in chain(before, middle.blocks(), after):
            out.write(block_text(block) + "\n")
    return Table(right.table.columns, digests["rows"], spill=str(path))


def _differing(left: dict[str, Any], right: dict[str, Any]) -> range:
    """Return the blocks of `right` from the first that is not that of `left` to the last one."""
    pairs = [
        (before["digests"], after["digests"])
        for before, after in zip(left["columns"], right["columns"], strict=True)
    ]
    shared = min(_blocks(left), _blocks(right))
    differing = [at for at in range(shared) if any(before[at] != after[at] for before, after in pairs)]
    if left["rows"] != right["rows"]:
        return range(differing[0] if differing else shared, _blocks(right))
    return range(differing[0], differing[-1] + 1)


def _blocks(digests: dict[str, Any]) -> int:
    return -(-int(digests["rows"]) // BLOCK_ROWS)


def _fields(digests: dict[str, Any]) -> list[tuple[str, Any]]:
    return [(column["name"], column["type"]) for column in digests["columns"]]


def _digests(table: Table) -> dict[str, Any]:
    return blocks.of(batches.of_table(table), BLOCK_ROWS)


def _stored(table: Table, folder: Path) -> Table:
    path = _new_file(folder)
    if table.spill is None:
        return table.spilled(path)
    shutil.copyfile(table.spill, path)
    return Table(table.columns, table.num_rows, spill=str(path))


def _new_file(folder: Path) -> Path:
    return folder / f"answer-{next(_NUMBERS)}.jsonl"
