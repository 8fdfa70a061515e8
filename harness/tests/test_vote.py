"""The vote: who decides what a file means that nobody has recorded."""

from __future__ import annotations

import itertools

import pytest

from corpora.tagged import STRING, Table, Type, floating
from harness.children.outcomes import Detail, Outcome, OutcomeKind
from harness.judging.verdicts import Verdict, judge
from harness.judging.vote import Ballot, vote


def answer(value, type_=STRING):
    """Return an outcome of one cell."""
    return Outcome(OutcomeKind.TABLE, Table.of([("a", type_)], [[value]]))


def refusal(message="no"):
    """Return a refusal."""
    return Outcome(OutcomeKind.REFUSED, detail=Detail(message=message))


X, Y, NO, LACKS, CRASH = (
    answer("x"),
    answer("y"),
    refusal(),
    Outcome(OutcomeKind.UNSUPPORTED),
    Outcome(OutcomeKind.CRASHED),
)
RULE = refusal("[PQ-PAGE-003] a page that ends too soon (at byte 4)")


def ballots(*outcomes, claimed=()):
    """Return ballots of engines e1, e2 and so on."""
    return {f"e{number}": Ballot(one, claimed, f"e{number}") for number, one in enumerate(outcomes, 1)}


@pytest.mark.parametrize(
    ("reference", "engines", "kind", "value"),
    [
        (X, [], "accept", "x"),
        (X, [X, X], "accept", "x"),
        (X, [Y], "accept", "x"),  # a tie
        (X, [X, Y, Y], "accept", "x"),  # a tie
        (X, [Y, Y], "accept", "y"),
        (X, [Y, Y, answer("z")], "accept", "x"),  # the most votes, but not more than half
        (X, [NO], "accept", "x"),  # a tie
        (X, [NO, NO], "either", "x"),
        (X, [LACKS, CRASH, LACKS], "accept", "x"),
        (RULE, [], "refuse", None),
        (RULE, [NO, X], "refuse", None),
        (RULE, [X], "refuse", None),  # a tie
        (RULE, [X, Y], "refuse", None),  # no table has more votes than the refusal
        (RULE, [X, X], "either", "x"),
        (RULE, [X, X, Y, answer("z")], "either", None),
        (NO, [X], "accept", "x"),
        (NO, [X, Y], "either", None),
        (NO, [X, NO], "either", None),
        (LACKS, [X, X, Y], "accept", "x"),
        (LACKS, [X, NO, NO], "either", None),
        (LACKS, [LACKS], "either", None),
        (CRASH, [], "either", None),
        (LACKS, [NO, NO], "either", None),
    ],
)
def test_decisions(reference, engines, kind, value):
    """The table of decisions, in any order of the engines."""
    for order in itertools.permutations(engines):
        decided = vote(ballots(*order), reference)
        assert (decided.kind, decided.source) == (kind, "vote")
        assert (decided.table.column(0)[0] if decided.table else None) == value


def test_the_rule_is_kept():
    """A refusal names the rule of the reference."""
    assert vote(ballots(NO), RULE).rule == "PQ-PAGE-003"
    assert "PQ-PAGE-003" in vote(ballots(X, X), RULE).reason


def test_switches_are_one_family():
    """Configurations of one engine that agree have one vote together; that disagree, one each."""
    cast = {f"s:{number}": Ballot(Y, (), "s") for number in range(5)}
    assert vote(cast, X).table == X.table
    cast["t"] = Ballot(Y, (), "t")
    assert vote(cast, X).table == Y.table
    split = {"s:1": Ballot(Y, (), "s"), "s:2": Ballot(X, (), "s"), "t": Ballot(Y, (), "t")}
    decided = vote(split, X)
    assert decided.table == X.table
    assert decided.votes == "table 2 (reference, s) : 2 (s, t), refused 0, abstained 0"


def test_the_count():
    """The count names everybody once; the reference's own ballot is not counted twice."""
    cast = {**ballots(X, Y, NO, CRASH), "reference": Ballot(X, (), "reference")}
    assert vote(cast, X).votes == "table 2 (reference, e1) : 1 (e2), refused 1 (e3), abstained 1 (e4)"
    assert vote(ballots(NO), NO).votes == "table 0, refused 1 (e1), abstained 1 (reference)"


def test_claims_count():
    """An answer that is equivalent by the engine's claim counts for the reference's table."""
    reference = answer("x", Type("enum"))
    decided = vote(ballots(X, X, claimed=("enum-as-string",)), reference)
    assert decided.table == reference.table
    assert decided.votes == "table 3 (reference, e1, e2), refused 0, abstained 0"
    assert vote(ballots(X, X), reference).table == X.table


def test_nan_payloads_do_not_split_the_vote():
    """What every engine may answer is no other table."""
    first, second = (answer(bits, floating(32)) for bits in ("7fc00000", "ffc00001"))
    assert vote(ballots(second), first).votes == "table 2 (reference, e1), refused 0, abstained 0"


def test_nobody_is_wrong_in_a_contested_file():
    """Where most accept what the reference refuses, both are right; other values are not."""
    contested = vote(ballots(X, X), RULE)
    assert judge(contested, X).verdict is Verdict.AGREE
    assert judge(contested, RULE).verdict is Verdict.REFUSED_AS_EXPECTED
    assert judge(contested, Y).verdict is Verdict.DIFFERENT
    assert judge(contested, CRASH).verdict is Verdict.CRASHED
