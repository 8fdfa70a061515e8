"""The judge: every expectation with every outcome has its verdict."""

from __future__ import annotations

from dataclasses import replace

import pytest

from corpora.cases import CONTESTED, KINDS, Expectation
from corpora.tagged import STRING, Table, Type
from harness.children.outcomes import Detail, Outcome, OutcomeKind
from harness.judging.verdicts import (
    AMPLIFIED_BASE_BYTES,
    AMPLIFIED_BASE_SECONDS,
    AMPLIFIED_FACTOR,
    AMPLIFIED_SECONDS,
    TABLE,
    Verdict,
    is_amplified,
    judge,
    judge_again,
)

RIGHT = Table.of([("a", STRING)], [["x"]])
WRONG = Table.of([("a", STRING)], [["y"]])
ENUM = Table.of([("a", Type("enum"))], [["x"]])
ANSWERED = Outcome(OutcomeKind.TABLE, RIGHT)
ACCEPT = Expectation.accept(RIGHT, "spec")
REFUSE = Expectation.refuse(rule="PQ-PAGE-001")
EITHER = Expectation.either("the writer's choice")


def test_the_table_is_whole():
    """There is a row for each expectation and a place for each outcome, and only values are left open."""
    assert set(TABLE) == set(KINDS)
    for row in TABLE.values():
        assert set(row) == set(OutcomeKind)
        assert [kind for kind, verdict in row.items() if verdict is None] in ([], [OutcomeKind.TABLE])


@pytest.mark.parametrize(
    ("expectation", "outcome", "verdict"),
    [
        (ACCEPT, ANSWERED, "agree"),
        (ACCEPT, Outcome(OutcomeKind.TABLE, WRONG), "different"),
        (Expectation.accept(ENUM, "spec"), ANSWERED, "equivalent"),
        (ACCEPT, Outcome(OutcomeKind.REFUSED), "refused_valid"),
        (REFUSE, ANSWERED, "accepted_invalid"),
        (REFUSE, Outcome(OutcomeKind.REFUSED), "refused_as_expected"),
        (EITHER, ANSWERED, "agree"),
        (EITHER, Outcome(OutcomeKind.REFUSED), "refused_as_expected"),
        (Expectation.either("choice", table=RIGHT), Outcome(OutcomeKind.TABLE, WRONG), "different"),
        (Expectation.either("choice", table=RIGHT), ANSWERED, "agree"),
    ],
)
def test_verdicts(expectation, outcome, verdict):
    """Values and clean refusals are judged by what is expected."""
    assert judge(expectation, outcome, ("enum-as-string",)).verdict == verdict


@pytest.mark.parametrize("expectation", [ACCEPT, REFUSE, EITHER])
@pytest.mark.parametrize(
    ("kind", "verdict"),
    [
        (OutcomeKind.UNSUPPORTED, "unsupported"),
        (OutcomeKind.PANICKED, "panicked"),
        (OutcomeKind.CRASHED, "crashed"),
        (OutcomeKind.HUNG, "hung"),
        (OutcomeKind.OUT_OF_MEMORY, "out_of_memory"),
        (OutcomeKind.LIMITED, "skipped"),
        (OutcomeKind.MISSPOKE, "crashed"),
    ],
)
def test_whatever_is_expected(expectation, kind, verdict):
    """No expectation excuses a lost process; a missing feature is always told as such."""
    assert judge(expectation, Outcome(kind)).verdict == verdict


def test_what_was_needed_is_told():
    """A judgement carries the equivalences, or the first difference."""
    assert judge(Expectation.accept(ENUM, "spec"), ANSWERED, ("enum-as-string",)).equivalences == (
        "enum-as-string",
    )
    assert judge(Expectation.accept(ENUM, "spec"), ANSWERED).difference.kind == "type"


def test_no_judgement_before_the_vote():
    """An expectation without values cannot be judged by values."""
    with pytest.raises(ValueError, match="vote"):
        judge(Expectation.by_vote(), ANSWERED)
    assert judge(Expectation.by_vote(), Outcome(OutcomeKind.REFUSED)).verdict is Verdict.REFUSED_VALID


def test_no_judgement_of_a_write():
    """The answer to a write has no values."""
    with pytest.raises(ValueError, match="write"):
        judge(ACCEPT, Outcome(OutcomeKind.TABLE))


def test_amplified_by_time():
    """CPU time beyond what the file explains is amplified too, by name; wall time is not."""
    most = AMPLIFIED_BASE_SECONDS + AMPLIFIED_SECONDS * (100 + 1)
    dear = Outcome(OutcomeKind.TABLE, RIGHT, cpu_seconds=most + 0.001)
    judgement = judge(ACCEPT, dear, file_bytes=100)
    assert (judgement.verdict, judgement.cost.of) == (Verdict.AMPLIFIED, "time")
    assert str(judgement.cost) == "10.0 s of CPU time, more than 10.0 for 100 bytes and 1 cells"
    assert judge(ACCEPT, dear, file_bytes=200).verdict is Verdict.AGREE
    slow = Outcome(OutcomeKind.TABLE, RIGHT, seconds=1_000.0, cpu_seconds=most)
    assert judge(ACCEPT, slow, file_bytes=100).verdict is Verdict.AGREE
    refusal = Outcome(OutcomeKind.REFUSED, cpu_seconds=most + 1)
    assert judge(Expectation.refuse(rule="PQ-PAGE-003"), refusal, file_bytes=100).verdict is Verdict.AMPLIFIED


def test_amplified():
    """A right answer at an absurd cost is amplified; a wrong one is wrong first; no size, no judgement."""
    limit = AMPLIFIED_BASE_BYTES + AMPLIFIED_FACTOR * (100 + 1)
    dear = Outcome(OutcomeKind.TABLE, RIGHT, peak_rss_bytes=limit + 51, idle_rss_bytes=50)
    assert judge(ACCEPT, dear, file_bytes=100).verdict is Verdict.AMPLIFIED
    assert judge(ACCEPT, dear, file_bytes=101).verdict is Verdict.AGREE
    assert judge(ACCEPT, dear).verdict is Verdict.AGREE
    assert judge(Expectation.accept(WRONG, "spec"), dear, file_bytes=100).verdict is Verdict.DIFFERENT
    contested = replace(Expectation.either("1 against 1", source="vote"), certainty=CONTESTED)
    assert judge(contested, dear, file_bytes=101).verdict is Verdict.CONTESTED
    assert judge(contested, dear, file_bytes=100).verdict is Verdict.AMPLIFIED
    refusal = Outcome(OutcomeKind.REFUSED, peak_rss_bytes=limit, idle_rss_bytes=0)
    assert judge(REFUSE, refusal, file_bytes=100).verdict is Verdict.AMPLIFIED
    assert not is_amplified(Outcome(OutcomeKind.TABLE, RIGHT), 0)


def test_unstable():
    """Another answer to the same question is unstable; another wording of a refusal is not."""
    assert judge_again(ANSWERED, ANSWERED) is None
    assert judge_again(ANSWERED, Outcome(OutcomeKind.TABLE, WRONG)).verdict is Verdict.UNSTABLE
    assert (
        str(judge_again(ANSWERED, Outcome(OutcomeKind.TABLE, WRONG)).difference.path) == "column 'a', row 0"
    )
    difference = judge_again(ANSWERED, Outcome(OutcomeKind.REFUSED)).difference
    assert difference._replace(path=str(difference.path)) == (
        "outcome",
        "table",
        "refused",
        "outcome",
    )
    first, second = (
        Outcome(OutcomeKind.REFUSED, detail=Detail(message=text)) for text in ("at 0x1", "at 0x2")
    )
    assert judge_again(first, second) is None


def test_a_process_that_ends_does_so_in_one_way():
    """Whether a crash is seen before the broken answer is chance; our own mistake is another."""
    crashed, misspoke = Outcome(OutcomeKind.CRASHED), Outcome(OutcomeKind.MISSPOKE)
    ours = Outcome(OutcomeKind.MISSPOKE, detail=Detail(origin="adapter"))
    assert judge_again(crashed, misspoke) is judge_again(misspoke, crashed) is None
    assert judge_again(crashed, ours).verdict is Verdict.UNSTABLE
    assert judge_again(crashed, Outcome(OutcomeKind.HUNG)).verdict is Verdict.UNSTABLE
