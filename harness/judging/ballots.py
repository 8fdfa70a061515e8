"""The ballots of a vote, grouped by content: each table and the refusals, with the lineages behind each."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from corpora.tagged import Table
from harness.children.outcomes import Outcome, OutcomeKind
from harness.judging.compare import compare
from harness.judging.refusals import is_accident

REFERENCE = "reference"
_REFUSED = -1  # the side of those who refuse; the others are numbers of tables


class Ballot(NamedTuple):
    """The outcome of an engine, the equivalences it claims, its lineage for the format, and its name."""

    outcome: Outcome
    claimed: tuple[str, ...]
    lineage: str
    engine: str


class Group(NamedTuple):
    """A table, and the lineages that vote for it, in the order of the ballots."""

    table: Table
    lineages: list[str]


class Sides(NamedTuple):
    """The tables with the most lineages first, the ballots that refuse, and the lineages without a vote."""

    groups: list[Group]
    refusing: list[Ballot]
    divided: list[str]


def sides_of(cast: Sequence[Ballot]) -> Sides:
    """Return the groups of ballots that agree; no ballot is in two groups.

    The first ballot is that of the reference, whose table comes first among groups of one size. The
    configurations of an engine may be on several sides; a lineage is on those that all its engines share, and
    divided if they share none.
    """
    tables = _tables([ballot for ballot in cast if ballot.outcome.table is not None])
    reference = 0 if cast[0].outcome.table is not None else None
    placed = [(ballot, side) for ballot in cast if (side := _side(tables, ballot, reference)) is not None]
    shared = _shared(placed)
    counted = [(ballot, side) for ballot, side in placed if side in shared[ballot.lineage]]
    groups = [
        Group(table, lineages_of(ballot for ballot, side in counted if side == number))
        for number, table in enumerate(tables)
    ]
    first = cast[0].outcome.table
    groups.sort(key=lambda group: (-len(group.lineages), group.table is not first))
    refusing = [ballot for ballot, side in counted if side == _REFUSED]
    return Sides(groups, refusing, [lineage for lineage, sides in shared.items() if not sides])


def lineages_of(ballots: Iterable[Ballot]) -> list[str]:
    """Return the lineages of ballots, each once."""
    return list(dict.fromkeys(ballot.lineage for ballot in ballots))


def _shared(placed: Sequence[tuple[Ballot, int]]) -> dict[str, set[int]]:
    """Return for each lineage the sides that all its engines are on."""
    engines: dict[str, dict[str, set[int]]] = {}
    for ballot, side in placed:
        engines.setdefault(ballot.lineage, {}).setdefault(ballot.engine, set()).add(side)
    return {lineage: set.intersection(*sides.values()) for lineage, sides in engines.items()}


def _side(tables: Sequence[Table], ballot: Ballot, reference: int | None) -> int | None:
    """Return the side of a ballot; None if it abstains, or agrees equally with several tables.

    `reference` is the number of the reference's table, None if it has none. If an engine documents that it
    returns the same values for this table and another one, such as times of day without their zone, its
    ballot does not count for the other table.
    """
    if ballot.outcome.kind is OutcomeKind.REFUSED:
        return None if is_accident(ballot.outcome) else _REFUSED
    if ballot.outcome.table is None:
        return None
    compared = [compare(table, ballot.outcome.table, ballot.claimed) for table in tables]
    agreed = [number for number, comparison in enumerate(compared) if comparison.equal]
    exact = [number for number in agreed if not compared[number].equivalences]
    if reference in agreed and exact and compare(tables[0], tables[exact[0]], ballot.claimed).equal:
        return reference
    chosen = exact or agreed
    return chosen[0] if len(chosen) == 1 else None


def _tables(answered: Sequence[Ballot]) -> list[Table]:
    """Return the distinct tables: the reference's, then those whose schema the most lineages have."""
    schemas: dict[tuple[str, ...], set[str]] = {}
    for ballot in answered:
        schemas.setdefault(_schema(ballot), set()).add(ballot.lineage)
    order = sorted(answered, key=lambda ballot: (ballot.engine != REFERENCE, -len(schemas[_schema(ballot)])))
    tables: list[Table] = []
    for ballot in order:
        table = ballot.outcome.table
        if table is not None and not any(compare(other, table, ballot.claimed).equal for other in tables):
            tables.append(table)
    return tables


def _schema(ballot: Ballot) -> tuple[str, ...]:
    columns = ballot.outcome.table.columns if ballot.outcome.table else ()
    return tuple(f"{column.name} {column.type}" for column in columns)
