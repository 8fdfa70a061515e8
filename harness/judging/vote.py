"""The vote: the expectation of a file without a recorded meaning, from the engines and the reference.

A *lineage* is code of one origin: pyorc and pyarrow's ORC are ORC C++, DataFusion is arrow-rs
(`Entry.lineage`). It has one vote for a table, however many engines and configurations return the table. An
answer votes for one table: one that agrees with several, by lossy equivalences, votes for that which it
equals, else for none. A lineage is divided, and has no vote, if its engines have no side in common: they
differ in code that they do not share. Only a table and a clean refusal are votes; a missing feature, a lost
process and a limit of ours are not.

Nobody is blamed by fewer than a clause or two lineages, of which the reference is one. `n` are the lineages
for the reference's table, or where it has none the most for any table; `m` the most for another table; `r`
those that refuse, beside the reference; where the reference refuses, those of them that refuse no earlier
than its rule can be noticed (`refusals.py`). The first row that applies decides:

| the reference | and                              | decided                               | certainty |
|---------------|----------------------------------|---------------------------------------|-----------|
| whatever      | a broken rule leaves all open    | either: any answer                    | likely    |
| accepts       | n ≥ 2, n > m, r ≥ 1, no broken   | either: its table, or a refusal       | contested |
|               | rule is met by reading all rows  |                                       |           |
| accepts       | n ≥ 2, n > m, a rule is broken   | either: its table, or a refusal       | likely    |
| accepts       | n ≥ 2, n > m, n ≤ r              | either: its table, or a refusal       | likely    |
| accepts       | n ≥ 2, n > m                     | accept its table                      | likely    |
| accepts       | nobody else has a vote, a rule   | either: its table, or a refusal       | likely    |
|               | is broken                        |                                       |           |
| accepts       | nobody else has a vote, somebody | either: its table, or a refusal       | contested |
|               | fails by a mistake of its own    |                                       |           |
| accepts       | nobody else has a vote           | accept its table                      | likely    |
| accepts       | m ≥ 1, a clause that is about    | either: its table, or a refusal       | contested |
|               | the difference, no broken MUST   |                                       |           |
| accepts       | otherwise                        | either: any answer                    | contested |
| by a rule     | r ≥ 1, `validate` names a MUST   | refuse, by the rule                   | certain   |
|   refuses     | r ≥ 1, r + 1 > n                 | refuse, by the rule                   | likely    |
|               | somebody else has a vote         | either: any answer                    | contested |
|               | otherwise                        | either: any answer                    | likely    |
| abstains      | n ≥ 2, one side, no mistakes     | accept the table                      | likely    |
| abstains      | n ≥ 2, m = 0, a rule is broken   | either: the table, or a refusal       | likely    |
| abstains      | n ≥ 2, n > m                     | either: the table, or a refusal       | contested |
| abstains      | two sides                        | either: any answer                    | contested |
| abstains      | otherwise                        | either: any answer                    | likely    |

Where the reference abstains (a limit of ours, a feature that it lacks), nothing but a count is left, and two
lineages with one and the same mistake would outvote a right one; neither is a clause there that decides, as
nobody knows which table follows it. So the minority is shown, and not blamed.

A rule is broken if `validate` says so: a MUST, or a SHOULD that a reader of all rows comes across, but not a
MUST whose breach leaves nothing open (`silences.REPEATED`). Who
refuses such a file is not blamed, nor who refuses a legal file of which the specification says too little
(`corpora.build.silences`). A MUST that a reader of all rows need not come across is about statistics, indexes
and other auxiliary metadata (`silences.AUXILIARY`): nothing shows whether a refusal is about it, which makes
the case contested, also where the reference abstains.
Contested cases are shown with both sides and are no findings; a lost process always is (`records.py`). Where
the reference has no table, the types that equivalences start from are of the schema with the most lineages.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from corpora.build.silences import is_auxiliary
from corpora.cases import CERTAIN, CONTESTED, LIKELY, Expectation
from corpora.tagged import Table
from harness.children.outcomes import Outcome, OutcomeKind
from harness.judging.ballots import REFERENCE, Ballot, Group, lineages_of, sides_of
from harness.judging.blame import MISLEADING
from harness.judging.evidence import NOTHING, Evidence, clause_of
from harness.judging.refusals import earliest_of, is_about, is_accident
from reference_impl.errors import rule_of


class _Count(NamedTuple):
    """The votes: groups in order of size, on a tie the reference's first; `refusing` lacks the reference.

    `rule` is that by which the reference refuses; `evidence` is about the file. `confirming` are those of
    `refusing` whose refusal can be about the broken rules, `divided` those without a vote, as are `mistaken`,
    whose own code fails.
    """

    groups: list[Group]
    refusing: list[str]
    rule: str | None
    evidence: Evidence
    confirming: list[str]
    divided: list[str]
    mistaken: list[str]

    @property
    def sides(self) -> int:
        """Return how many answers exclude each other: tables, and a refusal or a divided lineage."""
        return len(self.groups) + bool(self.refusing or self.rule or self.divided)

    @property
    def names_of_rules(self) -> str:
        """Return the broken rules, for people; none of lower levels where a MUST is broken."""
        return f"it breaks {', '.join(self.evidence.broken or self.evidence.lapses)}"

    @property
    def are_auxiliary(self) -> bool:
        """Return whether rules are broken, and none that a reader of all rows comes across."""
        broken = self.evidence.broken
        return bool(broken) and all(map(is_auxiliary, broken)) and not self.evidence.lapses

    @property
    def excuse(self) -> str:
        """Return why a reader may refuse the file, "" if it must not."""
        is_broken = self.evidence.broken or self.evidence.lapses
        return self.names_of_rules if is_broken else self.evidence.silence


def vote(ballots: Mapping[str, Ballot], reference: Outcome, evidence: Evidence = NOTHING) -> Expectation:
    """Return the expectation by vote, source `vote`, with the count in `votes`.

    `ballots` are keyed by the engine's full name, such as `spark:vectorized=off`; a ballot of the reference
    among them counts once.
    """
    cast = [Ballot(reference, (), REFERENCE, REFERENCE)]
    cast += [ballot for ballot in ballots.values() if ballot.engine != REFERENCE]
    rule = rule_of(reference.detail.message) if reference.kind is OutcomeKind.REFUSED else None
    earliest = earliest_of([*filter(None, [rule]), *evidence.broken])
    sides = sides_of(cast)
    refusing = [ballot for ballot in sides.refusing if ballot.engine != REFERENCE]
    about = [ballot for ballot in refusing if is_about(ballot.outcome, earliest)]
    mistaken = lineages_of(ballot for ballot in cast if is_accident(ballot.outcome))
    count = _Count(
        sides.groups, lineages_of(refusing), rule, evidence, lineages_of(about), sides.divided, mistaken
    )
    if evidence.undecided:
        either = Expectation.either(evidence.undecided, source="vote")
        decided = _judged(replace(either, rule=rule), LIKELY, evidence.undecided, count)
    elif reference.table is not None:
        decided = _accepted(count, reference.table)
    elif rule:
        decided = _refused(count, rule, reference.detail.message)
    else:
        decided = _without_reference(count)
    breach = [*evidence.breach, *(rule for rule in evidence.lapses if rule in MISLEADING)]
    if reference.table is not None and breach:
        decided = replace(
            decided,
            breach=" ".join(breach),
            writer=evidence.writer or None,
            misleading=evidence.misleading,
            misannotated=evidence.misannotated,
        )
    return replace(decided, votes=_text(count, cast), earliest=earliest if decided.rule else None)


def by_reference(reference: Outcome) -> Expectation | None:
    """Return the expectation that the reference is right, source `vote`; None if it abstains.

    For callers that compare an engine only with the reference, and blame no engine.
    """
    if reference.table is not None:
        return Expectation.accept(reference.table, "vote")
    rule = rule_of(reference.detail.message) if reference.kind is OutcomeKind.REFUSED else None
    return Expectation.refuse(rule=rule, reason=reference.detail.message, source="vote") if rule else None


def _accepted(count: _Count, table: Table) -> Expectation:
    """Decide about a file of which the reference has a table."""
    own = next(group.lineages for group in count.groups if group.table is table)
    most = max((len(group.lineages) for group in count.groups if group.table is not table), default=0)
    why = f"lineages: {', '.join(own)}"
    if len(own) >= 2 and len(own) > most:
        return _supported(count, table, len(own), why)
    if count.sides == 1:
        return _alone(count, table)
    rivals = [group.table for group in count.groups if group.table is not table]
    deciding = [
        clause.text
        for clause in count.evidence.clauses
        if any(clause.decides(table, rival) for rival in rivals)
    ]
    if deciding and not count.evidence.broken:
        clause = "; ".join(deciding)
        reason = f"contested: {most} against {len(own)}, and the clause decides: {clause}"
        decided = Expectation.either(reason, clause=clause, table=table, source="vote")
        return _judged(decided, CONTESTED, f"clause: {clause}", count)
    return _contested(f"{most or len(count.refusing)} against {len(own)} with the reference", count)


def _alone(count: _Count, table: Table) -> Expectation:
    """Decide about a file that only the reference could read; no engine is blamed."""
    if count.mistaken and not count.excuse:
        failed = ", ".join(count.mistaken)
        why = f"{failed} failed by an error in its own code, and only the reference reads the file"
        either = Expectation.either(f"contested: {why}", table=table, source="vote")
        return _judged(either, CONTESTED, why, count)
    return _supported(count, table, 1, "the reference alone")


def _refused(count: _Count, rule: str, message: str) -> Expectation:
    """Decide about a file that the reference refuses by a rule."""
    best = len(count.groups[0].lineages) if count.groups else 0
    if count.confirming and (count.evidence.broken or len(count.confirming) + 1 > best):
        decided = Expectation.refuse(rule=rule, clause=clause_of(rule), reason=message, source="vote")
        if count.evidence.broken:
            return replace(decided, certainty=CERTAIN, why=f"{rule}, and `validate`: {count.names_of_rules}")
        return replace(decided, certainty=LIKELY, why=f"{rule}; lineages: {', '.join(count.confirming)}")
    if count.sides > 1:
        return _contested(f"the reference refuses by {rule}, {best} answer the same values", count, rule)
    either = Expectation.either(f"the reference alone refuses, by {rule}", source="vote")
    return _judged(replace(either, rule=rule, clause=clause_of(rule)), LIKELY, f"rule: {rule}", count)


def _without_reference(count: _Count) -> Expectation:
    """Decide about a file of which the reference says nothing."""
    best = len(count.groups[0].lineages) if count.groups else 0
    second = len(count.groups[1].lineages) if len(count.groups) > 1 else 0
    if best >= 2 and best > second:
        table, why = count.groups[0].table, f"lineages: {', '.join(count.groups[0].lineages)}"
        is_unopposed = count.sides == 1 and not count.mistaken
        if is_unopposed or (count.excuse and len(count.groups) == 1):
            return _supported(count, table, best, why)
        reason = f"contested: {best} answer the same, others do not, and the reference abstains"
        return _judged(Expectation.either(reason, table=table, source="vote"), CONTESTED, why, count)
    if count.sides > 1:
        return _contested(f"{len(count.refusing)} refuse, {best} answer the same", count)
    reason = "only one answer" if count.sides else "no engine could say"
    return _judged(Expectation.either(reason, source="vote"), LIKELY, reason, count)


def _supported(count: _Count, table: Table, support: int, why: str) -> Expectation:
    """Return the expectation of a table that two lineages or more vote for."""
    if count.refusing and count.are_auxiliary:
        reason = f"contested: {count.names_of_rules}, which reading all rows does not need; {support} read it"
        return _judged(Expectation.either(reason, table=table, source="vote"), CONTESTED, why, count)
    if count.excuse:
        either = Expectation.either(f"{count.excuse}: who refuses is right", table=table, source="vote")
        return _judged(either, LIKELY, why, count)
    if len(count.refusing) >= support:
        reason = f"{len(count.refusing)} refuse, {support} answer the same"
        return _judged(Expectation.either(reason, table=table, source="vote"), LIKELY, why, count)
    return _judged(Expectation.accept(table, "vote"), LIKELY, why, count)


def _contested(reason: str, count: _Count, rule: str | None = None) -> Expectation:
    decided = Expectation.either(f"contested: {reason}", source="vote")
    if rule:
        decided = replace(decided, rule=rule, clause=clause_of(rule))
    return _judged(decided, CONTESTED, reason, count)


def _judged(decided: Expectation, certainty: str, why: str, count: _Count) -> Expectation:
    """Return an expectation with its certainty, and with the first MUST that the file breaks."""
    if count.evidence.broken and decided.rule is None:
        rule = count.evidence.broken[0]
        decided = replace(decided, rule=rule, clause=decided.clause or clause_of(rule))
    return replace(decided, certainty=certainty, why=why)


def _text(count: _Count, cast: Sequence[Ballot]) -> str:
    """Return the count for people; a lineage of another name than its engines is followed by these."""
    engines: dict[str, list[str]] = {}
    for ballot in cast:
        engines.setdefault(ballot.lineage, []).append(ballot.engine)
    labels = {
        lineage: lineage if set(names) == {lineage} else f"{lineage}={'+'.join(dict.fromkeys(names))}"
        for lineage, names in engines.items()
    }
    refusing = [*([REFERENCE] if count.rule else []), *count.refusing]
    spoken = {*refusing, *(lineage for group in count.groups for lineage in group.lineages)}
    silent = [lineage for lineage in engines if lineage not in {*spoken, *count.divided}]

    def names(lineages: list[str]) -> str:
        return f"{len(lineages)} ({', '.join(labels[each] for each in lineages)})" if lineages else "0"

    tables = " : ".join(names(group.lineages) for group in count.groups) or "0"
    divided = f", divided {names(count.divided)}" if count.divided else ""
    return f"table {tables}, refused {names(refusing)}, abstained {names(silent)}{divided}"
