"""The vote: the expectation of a file without a recorded meaning, from the engines and the reference.

The rules, and their reasons:

* One vote per family: engines of one name are one implementation, however they are switched. Where its
  switches disagree, each of their answers has the family's vote, and no answer has it twice.
* An answer counts for a table if it equals the table under the equivalences which that engine claims. They
  start from the types of the specification, which only the reference returns: so its table is the first
  candidate.
* Unsupported, crashed, hung, out of memory: an abstention. So is a refusal by the reference without a rule.
* Where the reference accepts, its table stands unless more than half of all families that answered a table
  agree on another one. It is the one reader that was written from the text alone, and readers share mistakes.
* The reference accepts, and more families refuse than agree on a table: a refusal does not say what is wrong,
  and the reference found nothing. Nobody is called wrong: `either`, contested; those who accept are held to
  the table.
* The reference refuses by a rule. If at least as many families refuse as agree on any table, the rule holds:
  `refuse`, by that rule. If more agree on a table, the sentence of the specification stands against practice,
  which may be a lenience everybody relies on, or a mistake of the reference: `either`, contested, reported.
* The reference abstains: the table that most families agree on, if more than those who refuse, and alone in
  front; otherwise `either`, contested.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import NamedTuple

from corpora.cases import Expectation
from corpora.tagged import Table
from harness.children.outcomes import Outcome, OutcomeKind
from harness.judging.compare import compare
from reference_impl.errors import rule_of

REFERENCE = "reference"


class Ballot(NamedTuple):
    """The outcome of an engine, the equivalences it claims, and its family: the engine's name."""

    outcome: Outcome
    claimed: tuple[str, ...]
    family: str


class _Candidate(NamedTuple):
    table: Table
    families: list[str]  # that returned it, in the order of the ballots


def vote(ballots: Mapping[str, Ballot], reference: Outcome) -> Expectation:
    """Return the expectation by vote, source `vote`, with the count in `votes`.

    `ballots` are keyed by the engine's full name, such as `spark:vectorized=off`; a ballot of the reference
    among them counts once.
    """
    cast = [Ballot(reference, (), REFERENCE), *ballots.values()]
    candidates = _candidates([ballot for ballot in cast if ballot.outcome.table is not None])
    rule = rule_of(reference.detail.message) if reference.kind is OutcomeKind.REFUSED else None
    refusing = _families(
        ballot
        for ballot in cast
        if ballot.outcome.kind is OutcomeKind.REFUSED and (rule or ballot.family != REFERENCE)
    )
    spoken = {*refusing, *(family for candidate in candidates for family in candidate.families)}
    silent = [family for family in _families(cast) if family not in spoken]
    decided = _decide(candidates, refusing, rule, reference)
    return replace(decided, votes=_count(candidates, refusing, silent))


def _candidates(ballots: list[Ballot]) -> list[_Candidate]:
    """Return the distinct tables and the families that agree on each, most families first.

    The order is stable and the reference's table comes first: a tie goes to it.
    """
    tables: list[Table] = []
    owners: list[str] = []
    for ballot in ballots:
        assert ballot.outcome.table is not None
        if not any(_agrees(table, ballot) for table in tables):
            tables.append(ballot.outcome.table)
            owners.append(ballot.family)
    candidates = [
        _Candidate(
            table,
            _families(
                ballot for ballot in ballots if ballot.outcome.table is table or _agrees(table, ballot)
            ),
        )
        for table in tables
    ]
    return sorted(candidates, key=lambda candidate: -len(candidate.families))


def _agrees(table: Table, ballot: Ballot) -> bool:
    return ballot.outcome.table is not None and compare(table, ballot.outcome.table, ballot.claimed).equal


def _decide(
    candidates: list[_Candidate], refusing: list[str], rule: str | None, reference: Outcome
) -> Expectation:
    best = len(candidates[0].families) if candidates else 0
    tied = len(candidates) > 1 and len(candidates[1].families) == best
    against = len(refusing)
    if rule:
        if against >= best:
            return Expectation.refuse(rule=rule, reason=reference.detail.message, source="vote")
        why = f"contested: the reference refuses by {rule}, {best} answer the same values"
        return Expectation.either(why, table=_majority(candidates), source="vote")
    if reference.table is not None:
        table = _majority(candidates) or reference.table
        if best >= against:
            return Expectation.accept(table, "vote")
        why = f"contested: {against} refuse what the reference finds valid"
        return Expectation.either(why, table=table, source="vote")
    if best > against and not tied:
        return Expectation.accept(candidates[0].table, "vote")
    why = "contested: " + (
        "no table has the most votes" if tied else f"{against} refuse, {best} answer the same"
    )
    return Expectation.either(why if best or against else "no engine could say", source="vote")


def _majority(candidates: list[_Candidate]) -> Table | None:
    """Return the table that more than half of the accepting families agree on."""
    accepting = {family for candidate in candidates for family in candidate.families}
    return candidates[0].table if 2 * len(candidates[0].families) > len(accepting) else None


def _families(ballots: Iterable[Ballot]) -> list[str]:
    return list(dict.fromkeys(ballot.family for ballot in ballots))


def _count(candidates: list[_Candidate], refusing: list[str], silent: list[str]) -> str:
    tables = " : ".join(_names(candidate.families) for candidate in candidates) or "0"
    return f"table {tables}, refused {_names(refusing)}, abstained {_names(silent)}"


def _names(families: list[str]) -> str:
    return f"{len(families)} ({', '.join(families)})" if families else "0"
