"""The probes of a case: what is counted, what is wrong, and what a file that breaks a rule excuses."""

from dataclasses import replace
from pathlib import Path

import pytest

from corpora.answers import answer, take
from corpora.cases import Case, Expectation, Probe
from corpora.counts import count_of
from corpora.queries import AggregateWhere, Compare, CountRows, Filter
from corpora.tagged import STRING, Table, integer
from harness.children.outcomes import Detail, Outcome, OutcomeKind
from harness.judging.places import Config, Place
from harness.judging.probing import Probing, WholeRead
from harness.judging.records import PROBLEMS
from harness.judging.traits import Traits

FILE = Table.of([("x", integer(32))], [["1", "2", "3"]])
ABOVE = Filter(Compare(("x",), ">", integer(32), "1"))
BELOW = Filter(Compare(("x",), "<", integer(32), "9"))
REFUSED = Outcome(OutcomeKind.REFUSED, detail=Detail(message="no"))
LIE = Expectation("either", "spec", FILE, "PQ-STATS-004", "parquet.thrift", "it lies")


def _found(expectation, probes, *answers):
    case = Case("parquet/x", "parquet", Path("x"), "0" * 64, expectation, source="spec", probes=probes)

    class _Part:
        def get(self, place):
            return answers[place.probe]

    probing = Probing(case, replace(expectation, table=FILE), PROBLEMS)
    place = Place(0, 0)
    return probing.judge(_Part(), place, WholeRead((Config("", {}),), Traits()))


def _rows(*ordinals):
    return Outcome(OutcomeKind.TABLE, take(FILE, ordinals))


def test_believers_are_counted():
    """An answer as the lie has it is no problem, and counted; another wrong one is a problem."""
    probes = (Probe(ABOVE, (1, 2), misled=(2,)), Probe(BELOW, (0, 1, 2)))
    assert _found(LIE, probes, _rows(2), _rows(0, 1, 2))[:2] == (2, 0)
    assert _found(LIE, probes, _rows(2), _rows(0, 1, 2)).misled == 1
    assert _found(LIE, probes, _rows(1, 2), _rows(0, 1, 2)).misled == 0
    wrong = _found(LIE, probes, _rows(1), _rows(0))
    assert [one.number for one in wrong.wrongs] == [0, 1]
    assert wrong.misled == 0


@pytest.mark.parametrize(("expectation", "wrong"), [(LIE, 0), (Expectation.accept(FILE, "generator"), 1)])
def test_refusals(expectation, wrong):
    """A query of a file that may be refused may be refused, too, and is counted; of another it may not."""
    found = _found(replace(expectation), (Probe(ABOVE, (1, 2)),), REFUSED)
    assert len(found.wrongs) == wrong
    assert (found.queries, found.by_choice) == (1, 1 - wrong)


def test_a_query_may_be_refused_as_the_vote_says():
    """Where a vote says that who refuses is right, so is who refuses a query."""
    case = Case("files/x", "parquet", Path("x"), "0" * 64, Expectation.by_vote(), probes=(Probe(BELOW),))

    class _Part:
        def get(self, _):
            return REFUSED

    def tested(expectation):
        probing = Probing(case, expectation, PROBLEMS)
        return probing.judge(_Part(), Place(0, 0), WholeRead((Config("", {}),), Traits()))

    allowed = tested(Expectation.either("it breaks a rule", table=FILE, source="vote"))
    assert (allowed.by_choice, allowed.wrongs) == (1, ())
    assert len(tested(Expectation.accept(FILE, "vote")).wrongs) == 1


def _number(count):
    return Outcome(OutcomeKind.TABLE, count_of(count))


def test_a_count_of_the_rows_that_its_filter_gets_wrong_is_one_failure_with_it():
    """A wrong count is told as the filter's wrong rows if it has as many, else as a wrong count."""
    probes = (Probe(ABOVE, (1, 2)), Probe(CountRows(ABOVE.predicate)))
    accepted = Expectation.accept(FILE, "generator")

    def paths(*answers):
        wrongs = _found(accepted, probes, *answers).wrongs
        return [(wrong.number, str(wrong.probed.judgement.difference.path)) for wrong in wrongs]

    assert paths(_rows(1), _number(1)) == [(0, "rows lost"), (1, "rows lost")]
    assert paths(_rows(0, 1, 2), _number(3)) == [(0, "rows gained"), (1, "rows gained")]
    assert paths(_rows(1), _number(0)) == [(0, "rows lost"), (1, "column 'rows', row 0")]
    assert paths(_rows(1, 2), _number(1)) == [(1, "column 'rows', row 0")]
    assert paths(_rows(1), _number(2)) == [(0, "rows lost")]


def test_extremes_of_the_rows_that_a_filter_gets_wrong_are_one_failure_with_it():
    """Wrong extremes are a failure of the filter if they are those of its wrong rows."""
    behind = AggregateWhere(("x",), ABOVE.predicate)
    probes = (Probe(ABOVE, (1, 2)), Probe(behind))
    accepted = Expectation.accept(FILE, "generator")

    def extremes(*ordinals):
        return Outcome(OutcomeKind.TABLE, answer(behind, FILE, "ieee", ordinals))

    def paths(*answers):
        wrongs = _found(accepted, probes, *answers).wrongs
        return [(wrong.number, str(wrong.probed.judgement.difference.path)) for wrong in wrongs]

    assert paths(_rows(1), extremes(1)) == [(0, "rows lost"), (1, "rows lost")]
    assert paths(_rows(0, 1, 2), extremes(0, 1, 2)) == [(0, "rows gained"), (1, "rows gained")]
    assert paths(_rows(1), extremes(2)) == [(0, "rows lost"), (1, "column 'rows', row 0")]
    assert paths(_rows(1, 2), extremes(1)) == [(1, "column 'rows', row 0")]
    assert paths(_rows(1), extremes(1, 2)) == [(0, "rows lost")]


def test_the_filter_of_a_count_is_looked_up_in_configurations_that_differ_in_pushdown_alone():
    """A wrong count is told as the filter's wrong rows where another value of pushdown got these wrong."""
    probes = (Probe(ABOVE, (1, 2)), Probe(CountRows(ABOVE.predicate)))
    accepted = Expectation.accept(FILE, "generator")
    case = Case("parquet/x", "parquet", Path("x"), "0" * 64, accepted, source="spec", probes=probes)
    on, aggregate, other = ({"pushdown": "on"}, {"pushdown": "aggregate"}, {"pushdown": "on", "way": "x"})
    answers = {(0, 0): _rows(1), (1, 1): _number(1), (2, 0): _rows(1)}

    class _Part:
        def __init__(self, left_out):
            self.left_out = left_out

        def get(self, place):
            return None if place.config == self.left_out else answers.get((place.config, place.probe))

    configs = tuple(Config(str(number), switches) for number, switches in enumerate((on, aggregate, other)))
    probing = Probing(case, case.expectation, PROBLEMS)

    def path(left_out):
        tested = probing.judge(_Part(left_out), Place(1, 0), WholeRead(configs, Traits()))
        return str(tested.wrongs[0].probed.judgement.difference.path)

    assert path(left_out=2) == "rows lost"
    assert path(left_out=0) == "column 'rows', row 0"


def test_a_count_that_is_wrong_without_pushdown_is_no_failure_of_pushdown():
    """The filter of a value of pushdown does not explain a count that is wrong without pushdown, too."""
    probes = (Probe(ABOVE, (1, 2)), Probe(CountRows(ABOVE.predicate)))
    accepted = Expectation.accept(FILE, "generator")
    case = Case("parquet/x", "parquet", Path("x"), "0" * 64, accepted, source="spec", probes=probes)
    answers = {(0, 0): _rows(1), (1, 0): _rows(1, 2), (0, 1): _number(1), (1, 1): _number(1)}

    class _Part:
        def get(self, place):
            return answers.get((place.config, place.probe))

    configs = tuple(Config(str(number), {"pushdown": value}) for number, value in enumerate(("on", "off")))
    probing = Probing(case, accepted, PROBLEMS)

    def kinds(config):
        tested = probing.judge(_Part(), Place(config, 0), WholeRead(configs, Traits()))
        return [str(wrong.probed.judgement.difference.path) for wrong in tested.wrongs]

    assert kinds(1) == ["column 'rows', row 0"]
    assert kinds(0) == ["rows lost", "column 'rows', row 0"]
    answers[1, 1] = _number(2)  # right without pushdown
    assert kinds(0) == ["rows lost", "rows lost"]


@pytest.mark.parametrize("answer", ["9" * 5_000, "\u0663", ""])
def test_a_count_may_be_any_text(answer):
    """What a reader says instead of a number is a wrong answer, and nothing worse."""
    probes = (Probe(ABOVE, (1, 2)), Probe(CountRows(ABOVE.predicate)))
    text = Outcome(OutcomeKind.TABLE, Table.of([("rows", STRING)], [[answer]]))
    wrongs = _found(Expectation.accept(FILE, "generator"), probes, _rows(1), text).wrongs
    assert [wrong.number for wrong in wrongs] == [0, 1]
    assert str(wrongs[1].probed.judgement.difference.path) == "column 'rows'"
