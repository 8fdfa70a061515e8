"""The vote: who decides what a file means that nobody has recorded."""

from __future__ import annotations

import itertools
from dataclasses import replace

import pytest

from corpora.cases import Expectation
from corpora.queries import Aggregate, CountRows, Filter, IsNull, Slice
from corpora.tagged import STRING, Table, Type, floating, integer, time, timestamp
from harness.children.outcomes import Detail, Outcome, OutcomeKind
from harness.judging.ballots import Ballot
from harness.judging.blame import blaming, blaming_types, blaming_values
from harness.judging.clauses import Clause
from harness.judging.compare import Difference, TablePath
from harness.judging.evidence import NOTHING, Evidence
from harness.judging.refusals import is_accident
from harness.judging.verdicts import Verdict, judge
from harness.judging.vote import by_reference, vote


def answer(value, type_=STRING):
    """Return an outcome of one cell."""
    return Outcome(OutcomeKind.TABLE, Table.of([("a", type_)], [[value]]))


def refusal(message="no"):
    """Return a refusal."""
    return Outcome(OutcomeKind.REFUSED, detail=Detail(message=message))


X, Y, NO, LACKS, LIMIT, CRASH = (
    answer("x"),
    answer("y"),
    refusal(),
    Outcome(OutcomeKind.UNSUPPORTED),
    Outcome(OutcomeKind.LIMITED),
    Outcome(OutcomeKind.CRASHED),
)
OOPS = Outcome(
    OutcomeKind.REFUSED,
    detail=Detail(
        error_class="ValueError", message="could not broadcast input array from shape (4,) into shape (2,)"
    ),
)
RULE = refusal("[PQ-PAGE-003] a page that ends too soon (at byte 4)")


BROKEN = Evidence(broken=("PQ-PAGE-003",))
CLAUSE = Evidence(clauses=(Clause("Encodings.md#BITPACKED"),))
Z = answer("z")


def ballots(*outcomes, claimed=()):
    """Return ballots of engines e1, e2 and so on, each a lineage of its own."""
    return {
        f"e{number}": Ballot(one, claimed, f"e{number}", f"e{number}")
        for number, one in enumerate(outcomes, 1)
    }


@pytest.mark.parametrize(
    ("reference", "engines", "kind", "value", "certainty"),
    [
        (X, [], "accept", "x", "likely"),
        (X, [LACKS, CRASH, LACKS], "accept", "x", "likely"),
        (X, [OOPS], "either", "x", "contested"),  # a mistake has no vote: the reference alone blames nobody
        (X, [OOPS, LACKS], "either", "x", "contested"),
        (X, [OOPS, X], "accept", "x", "likely"),
        (X, [X, X], "accept", "x", "likely"),
        (X, [X, Y], "accept", "x", "likely"),
        (X, [X, NO], "accept", "x", "likely"),
        (X, [X, Y, Z], "accept", "x", "likely"),
        (X, [Y], "either", None, "contested"),  # one lineage each
        (X, [X, Y, Y], "either", None, "contested"),  # a tie
        (X, [Y, Y], "either", None, "contested"),  # outvoted
        (X, [Y, Y, Y, X], "either", None, "contested"),
        (X, [NO], "either", None, "contested"),
        (X, [NO, NO], "either", None, "contested"),
        (X, [X, NO, NO], "either", "x", "likely"),  # as many refuse: they may; other values are wrong
        (RULE, [], "either", None, "likely"),
        (RULE, [X], "either", None, "contested"),
        (RULE, [X, Y], "either", None, "contested"),
        (RULE, [X, X], "either", None, "contested"),
        (RULE, [NO], "refuse", None, "likely"),
        (RULE, [NO, X], "refuse", None, "likely"),
        (RULE, [NO, X, X], "either", None, "contested"),  # a tie
        (RULE, [NO, NO, X, X], "refuse", None, "likely"),
        (NO, [X], "either", None, "likely"),  # one answer: nobody to compare with
        (NO, [X, Y], "either", None, "contested"),
        (NO, [X, NO], "either", None, "contested"),
        (NO, [X, X, NO], "either", "x", "contested"),  # the majority's table is shown, and blames nobody
        (NO, [X, X, NO, NO], "either", "x", "contested"),
        (LACKS, [X, X, Y], "either", "x", "contested"),
        (LIMIT, [X, X, Y], "either", "x", "contested"),
        (LIMIT, [X, X, X, Y, NO], "either", "x", "contested"),
        (LACKS, [X, X, LACKS], "accept", "x", "likely"),  # nobody differs
        (LACKS, [X, X, OOPS], "either", "x", "contested"),
        (LIMIT, [X], "either", None, "likely"),
        (LIMIT, [NO], "either", None, "likely"),
        (LACKS, [X, X, Y, Y], "either", None, "contested"),
        (LACKS, [X, NO, NO], "either", None, "contested"),
        (LACKS, [LACKS], "either", None, "likely"),
        (CRASH, [], "either", None, "likely"),
        (LACKS, [NO, NO], "either", None, "likely"),
    ],
)
def test_decisions(reference, engines, kind, value, certainty):
    """The table of decisions, in any order of the engines."""
    for order in itertools.permutations(engines):
        decided = vote(ballots(*order), reference)
        assert (decided.kind, decided.source, decided.certainty) == (kind, "vote", certainty)
        assert (decided.table.column(0)[0] if decided.table else None) == value
        assert decided.why


@pytest.mark.parametrize(
    ("reference", "engines", "kind", "value", "certainty"),
    [
        (X, [X, Y, NO], "either", "x", "likely"),  # who refuses is right; who accepts is held to the table
        (X, [X, X, X], "either", "x", "likely"),
        (X, [X, X, X, NO], "either", "x", "likely"),
        (X, [OOPS], "either", "x", "likely"),
        (X, [LACKS], "either", "x", "likely"),
        (X, [Y, NO], "either", None, "contested"),  # the reference alone holds nobody to its table
        (LACKS, [X, X, Y], "either", "x", "contested"),
        (LACKS, [X, X, NO], "either", "x", "likely"),
        (RULE, [X, X, X], "either", None, "contested"),
        (RULE, [NO, X, X, X], "refuse", None, "certain"),  # a clause, the validator, and another lineage
        (RULE, [OOPS, X, X], "either", None, "contested"),  # numpy's mistake confirms no rule
    ],
)
def test_where_a_must_is_broken(reference, engines, kind, value, certainty):
    """Who accepts does not outvote who refuses; the rule and its clause are named."""
    for order in itertools.permutations(engines):
        decided = vote(ballots(*order), reference, BROKEN)
        assert (decided.kind, decided.certainty, decided.rule) == (kind, certainty, "PQ-PAGE-003")
        assert (decided.table.column(0)[0] if decided.table else None) == value
        assert decided.clause
        assert judge(decided, NO).verdict is Verdict.REFUSED_AS_EXPECTED


def test_a_mistake_beside_the_reference_is_the_reason():
    """Who failed is named in the reason that summaries and reports show."""
    decided = vote(ballots(OOPS), X)
    assert decided.why == "e1 failed by an error in its own code, and only the reference reads the file"


@pytest.mark.parametrize(
    ("message", "has_no_vote"),
    [
        ("operands could not be broadcast together with shapes (3,) (2,)", True),
        ("NumPy boolean array indexing assignment cannot assign 3 input values to the 2 output values", True),
        ("the file is damaged", False),
    ],
)
def test_mistakes_of_numpy(message, has_no_vote):
    """They are told from refusals by their words; a table is no mistake, whatever its message."""
    detail = Detail(error_class="ValueError", message=message)
    assert is_accident(Outcome(OutcomeKind.REFUSED, detail=detail)) == has_no_vote
    assert not is_accident(replace(X, detail=detail))


@pytest.mark.parametrize("certainty", ["likely", "contested", "certain"])
def test_an_engine_that_contradicts_itself_is_blamed_for_certain(certainty):
    """Whatever is known of the file, an answer that depends on pushdown needs no other lineage."""
    query = Filter(IsNull(("a",)))
    given = replace(Expectation.either("why not", source="vote"), certainty=certainty, why="the vote's")
    pushed = blaming(given, query, pushed=True)
    assert pushed.certainty == "certain"
    by_engine = pushed.why == "the same engine returns another result without pushdown"
    assert by_engine == (certainty != "certain")
    assert blaming(given, query, pushed=False) == given


@pytest.mark.parametrize("rule", ["PQ-FILE-008", "ORC-FILE-011"])
def test_a_reader_that_trusts_a_false_number_of_rows_is_not_blamed(rule):
    """It may count by the footer, and cut the first rows by it, but not lose rows of a filter."""
    given = Expectation("accept", "vote", breach=rule, certainty="certain")
    test = IsNull(("a",))
    rows = Difference(TablePath("", 0, "column 'rows'", "", 0), '"3"', '"9"', "value")
    least = Difference(TablePath("", 2, "column 'min'", "", 0), '"3"', '"9"', "value")
    count = Difference(TablePath("rows"), "3 rows", "9 rows", "slice")
    for query, difference in ((CountRows(), rows), (Aggregate(("a",)), rows), (Slice(0, 3), count)):
        assert blaming(given, query, pushed=False, difference=difference).certainty == "contested"
    for query, difference in (
        *((CountRows(test), rows), (Filter(test), None), (Slice(0, 3, test), count)),
        *((Aggregate(("a",)), least), (Slice(0, 3), least)),
    ):
        assert blaming(given, query, pushed=False, difference=difference) == given


@pytest.mark.parametrize(
    ("misleading", "certainty"),
    [(None, "contested"), ({"a", "b"}, "contested"), ({"b"}, "certain"), (set(), "certain")],
)
def test_false_metadata_of_another_column_is_no_excuse(misleading, certainty):
    """A reader loses rows by the statistics of the columns that a filter tests, and of no other."""
    given = Expectation("accept", "vote", breach="PQ-STATS-005", certainty="likely")
    given = replace(given, misleading=None if misleading is None else frozenset(misleading))
    assert blaming(given, Filter(IsNull(("a",))), pushed=True).certainty == certainty
    assert blaming(given, CountRows(), pushed=True).certainty == "contested"  # of no column
    table = Table.of([("a", STRING)], [["x"]])
    difference = Difference(TablePath("", 0, "column 'a'", "", 0), '"x"', '"y"', "value")
    values = blaming_values(replace(given, table=table), difference)
    assert values.certainty == ("contested" if certainty == "contested" else "likely")


@pytest.mark.parametrize(("name", "certainty"), [("a", "contested"), ("b", "likely")])
def test_two_annotations_that_disagree_excuse_another_type(name, certainty):
    """Where a writer left out or changed one of two annotations, readers of either are right about it."""
    given = Expectation("accept", "vote", breach="PQ-LOGICAL-010", certainty="likely")
    given = replace(given, misannotated=frozenset("a"))
    difference = Difference(TablePath("", 0, f"column {name!r}"), "time(us, not utc)", "int(64)", "type")
    assert blaming_types(given, difference).certainty == certainty
    assert blaming_types(replace(given, breach="PQ-STATS-005"), difference).certainty == "likely"


@pytest.mark.parametrize("engines", [[Y], [Y, Y], [X, Y, Y], [Y, Y, NO]])
def test_a_clause_outranks_the_count(engines):
    """The reference keeps its table; who differs is shown as contested, with both sides and the clause."""
    decided = vote(ballots(*engines), X, CLAUSE)
    assert (decided.kind, decided.certainty, decided.clause) == (
        "either",
        "contested",
        CLAUSE.clauses[0].text,
    )
    assert judge(decided, X).verdict is Verdict.AGREE
    assert judge(decided, Y).verdict is Verdict.DIFFERENT
    assert judge(decided, NO).verdict is Verdict.CONTESTED
    assert CLAUSE.clauses[0].text in decided.why
    assert decided.votes.count("e") > 1


def test_a_clause_is_about_its_columns():
    """A clause about another column than the one that differs, or not about types, decides nothing."""
    for clause in (Clause("of another column", frozenset({1})), Clause("of none", frozenset())):
        assert vote(ballots(Y), X, Evidence(clauses=(clause,))).table is None
    own = Clause("of this column", frozenset({0}))
    assert vote(ballots(Y), X, Evidence(clauses=(own,))).clause == "of this column"
    other_type = Outcome(OutcomeKind.TABLE, Table.of([("a", integer(32))], [["1"]]))
    assert vote(ballots(other_type), X, Evidence(clauses=(own,))).table is None
    assert vote(ballots(other_type), X, Evidence(clauses=(own._replace(of_types=True),))).table is not None


def test_a_clause_needs_a_dispute():
    """A clause changes nothing where most agree with the reference, where all refuse, or in a broken file."""
    assert vote(ballots(X, Y), X, CLAUSE).kind == "accept"
    assert vote(ballots(NO), X, CLAUSE).table is None
    assert vote(ballots(Y, Y), X, Evidence(BROKEN.broken, CLAUSE.clauses)).table is None


def test_lineages_vote_and_not_engines():
    """Two engines of one library are one voice: they do not outvote the reference, nor support it twice."""
    cast = {
        "pyorc": Ballot(Y, (), "orc-cpp", "pyorc"),
        "pyarrow_orc": Ballot(Y, (), "orc-cpp", "pyarrow_orc"),
        "spark": Ballot(X, (), "orc-java", "spark"),
    }
    decided = vote(cast, X)
    assert decided.table == X.table
    assert decided.why == "lineages: reference, orc-java"
    assert decided.votes == (
        "table 2 (reference, orc-java=spark) : 1 (orc-cpp=pyorc+pyarrow_orc), refused 0, abstained 0"
    )
    assert vote({name: cast[name] for name in ("pyorc", "pyarrow_orc")}, LACKS).table is None


@pytest.mark.parametrize(
    ("one", "other", "certainty"),
    [(X, Y, "contested"), (X, NO, "contested"), (X, LACKS, "likely"), (Y, NO, "contested")],
)
def test_a_divided_lineage_has_no_vote(one, other, certainty):
    """An engine is not blamed on the word of the reference and another engine of its own library."""
    cast = {"pyorc": Ballot(one, (), "orc-cpp", "pyorc"), "arrow": Ballot(other, (), "orc-cpp", "arrow")}
    decided = vote(cast, X)
    assert decided.certainty == certainty
    if certainty == "contested":
        assert decided.votes.endswith("divided 1 (orc-cpp=pyorc+arrow)")
    supported = vote({**cast, "spark": Ballot(X, (), "orc-java", "spark")}, X)
    assert (supported.table, supported.certainty) == (X.table, "likely")


def test_a_lineage_votes_for_what_its_engines_share():
    """Of two ways in which an engine reads a file, that of another engine of its library counts."""
    cast = {
        "spark:on": Ballot(Y, (), "parquet-java", "spark"),
        "spark:off": Ballot(X, (), "parquet-java", "spark"),
        "java": Ballot(X, (), "parquet-java", "java"),
    }
    assert vote(cast, X).votes == "table 2 (reference, parquet-java=spark+java) : 0, refused 0, abstained 0"


@pytest.mark.parametrize(
    ("broken", "certainty"),
    [
        (("PQ-CHUNK-016",), "contested"),
        (("PQ-THRIFT-012",), "contested"),
        (("PQ-SIZE-002", "ORC-STATS-001"), "contested"),
        (("PQ-CHUNK-016", "PQ-PAGE-003"), "likely"),
        (("PQ-PAGE-003",), "likely"),
    ],
)
def test_a_refusal_of_a_file_with_false_statistics_is_contested(broken, certainty):
    """Wrong statistics need not be why an engine refuses all rows: that is shown, and nobody blamed."""
    evidence = Evidence(broken=broken)
    refused = vote(ballots(X, X, NO), X, evidence)
    assert (refused.kind, refused.table, refused.certainty) == ("either", X.table, certainty)
    assert vote(ballots(X, X), X, evidence).certainty == "likely"
    is_auxiliary = certainty == "contested"
    verdict = Verdict.CONTESTED if is_auxiliary else Verdict.REFUSED_AS_EXPECTED
    assert judge(refused, NO).verdict is verdict


def test_the_rule_is_kept():
    """A refusal names the rule of the reference, and its clause."""
    decided = vote(ballots(NO), RULE)
    assert decided.rule == "PQ-PAGE-003"
    assert decided.clause
    assert "PQ-PAGE-003" in vote(ballots(X, X), RULE).reason


def test_switches_are_one_lineage():
    """Configurations of one engine that agree have one vote together; that disagree, one each."""
    cast = {f"s:{number}": Ballot(Y, (), "s", "s") for number in range(5)}
    cast["t"] = Ballot(X, (), "t", "t")
    assert vote(cast, X).table == X.table
    split = {
        "s:1": Ballot(Y, (), "s", "s"),
        "s:2": Ballot(X, (), "s", "s"),
        "t": Ballot(X, (), "t", "t"),
    }
    decided = vote(split, X)
    assert decided.table == X.table
    assert decided.votes == "table 3 (reference, s, t) : 1 (s), refused 0, abstained 0"


def test_an_answer_votes_for_one_table():
    """A coarser answer, which agrees with two tables, votes for neither; one that equals one votes for it."""
    first, second = (answer(ns, timestamp("ns", utc=True)) for ns in ("1000000001", "1000000002"))
    coarse = answer("1000000", timestamp("us", utc=True))
    cast = {
        "a": Ballot(second, (), "a", "a"),
        "b": Ballot(coarse, ("nanos-as-micros",), "b", "b"),
    }
    decided = vote(cast, first)
    assert decided.votes == "table 1 (reference) : 1 (a), refused 0, abstained 1 (b)"
    assert (decided.certainty, decided.table) == ("contested", None)
    exact = {**cast, "c": Ballot(second, ("nanos-as-micros",), "c", "c")}
    assert vote(exact, first).votes == "table 2 (a, c) : 1 (reference), refused 0, abstained 1 (b)"


def test_the_types_are_those_of_the_majority():
    """Where the reference has no table, an engine's documented types are no other answer, in any order."""
    fine, other = answer("x", Type("enum")), answer("x")
    cast = {
        "a": Ballot(fine, (), "a", "a"),
        "b": Ballot(other, ("enum-as-string",), "b", "b"),
        "c": Ballot(fine, (), "c", "c"),
    }
    for order in itertools.permutations(cast):
        for reference in (LACKS, NO):
            decided = vote({name: cast[name] for name in order}, reference)
            assert (decided.kind, decided.table) == ("accept", fine.table)


def test_the_count():
    """The count names everybody once; the reference's own ballot is not counted twice."""
    cast = {**ballots(X, Y, NO, CRASH), "reference": Ballot(X, (), "reference", "reference")}
    assert vote(cast, X).votes == "table 2 (reference, e1) : 1 (e2), refused 1 (e3), abstained 1 (e4)"
    assert vote(ballots(NO), NO).votes == "table 0, refused 1 (e1), abstained 1 (reference)"


def test_claims_count():
    """An answer that is equivalent by the engine's claim counts for the reference's table."""
    reference = answer("x", Type("enum"))
    decided = vote(ballots(X, X, claimed=("enum-as-string",)), reference)
    assert decided.table == reference.table
    assert decided.votes == "table 3 (reference, e1, e2), refused 0, abstained 0"
    assert vote(ballots(X, X), reference).certainty == "contested"


def test_nan_payloads_do_not_split_the_vote():
    """What every engine may answer is no other table."""
    first, second = (answer(bits, floating(32)) for bits in ("7fc00000", "ffc00001"))
    assert vote(ballots(second), first).votes == "table 2 (reference, e1), refused 0, abstained 0"


def test_nobody_is_wrong_in_a_contested_file():
    """Where most accept what the reference refuses, nobody is right or wrong; a crash is a crash."""
    contested = vote(ballots(X, X), RULE)
    for outcome in (X, Y):
        assert judge(contested, outcome).verdict is Verdict.CONTESTED
    assert judge(contested, RULE).verdict is Verdict.REFUSED_AS_EXPECTED
    assert judge(vote(ballots(NO), X), NO).verdict is Verdict.CONTESTED
    assert judge(contested, LACKS).verdict is Verdict.UNSUPPORTED
    assert judge(contested, CRASH).verdict is Verdict.CRASHED


def test_by_reference():
    """Compared with the reference alone, its table or its rule stands; else it says nothing."""
    assert by_reference(X).table == X.table
    assert by_reference(RULE).rule == "PQ-PAGE-003"
    assert by_reference(NO) is None
    assert by_reference(CRASH) is None


@pytest.mark.sweep(3)
@pytest.mark.parametrize("reference", [X, Y, LACKS, NO, RULE])
@pytest.mark.parametrize("evidence", [NOTHING, BROKEN], ids=["sound", "broken"])
def test_nobody_is_blamed_wrongly(reference, evidence):
    """Subset × blame: each subset of seven engines, with a reference that is right, wrong, or refuses.

    The file means x, which four engines of three lineages return; no lineage shares the reference's mistake.
    """
    engines = {
        "right-1": (X, "a"),
        "right-2": (X, "a"),
        "right-3": (X, "b"),
        "right-4": (X, "c"),
        "other": (Z, "d"),
        "refuses": (NO, "e"),
        "lacks": (LACKS, "f"),
    }
    blamed = {}
    for size in range(1, len(engines) + 1):
        for subset in itertools.combinations(engines, size):
            cast = {name: Ballot(engines[name][0], (), engines[name][1], name) for name in subset}

            decided = vote(cast, reference, evidence)
            if decided.certainty == "contested":
                continue
            for name, ballot in cast.items():
                right = name.startswith("right")
                verdict = judge(decided, ballot.outcome).verdict
                if right and verdict in {Verdict.DIFFERENT, Verdict.ACCEPTED_INVALID}:
                    blamed.setdefault(subset, []).append(name)
    if reference is RULE:  # it breaks the rule: who accepts may be blamed, if another lineage refuses
        assert all("refuses" in subset for subset in blamed)
    else:
        assert blamed == {}


def test_statistics_of_other_values_are_a_breach():
    """Of a writer's moments that are read as others, the statistics do not hold: no reader is to blame."""
    lapsed = vote(ballots(X, X), X, Evidence(lapses=("ORC-TIME-003",)))
    assert lapsed.breach == "ORC-TIME-003"
    lost = blaming(lapsed, Filter(IsNull(("a",))), pushed=True)
    assert (lost.certainty, lapsed.certainty) == ("contested", "likely")
    assert vote(ballots(X, X), X, Evidence(lapses=("ORC-STR-005",))).breach is None


def test_an_engine_that_documents_a_loss_is_on_the_side_of_the_reference():
    """Who returns times in UTC and others alike does not vote for another lineage that confuses the two."""
    utc, plain = answer("5", time("us", utc=True)), answer("5", time("us", utc=False))
    lossy = ("time-utc-ignored",)
    ballots = {
        "reference": Ballot(utc, (), "reference", "reference"),
        "pyarrow": Ballot(plain, lossy, "arrow-cpp", "pyarrow"),
        "datafusion": Ballot(plain, lossy, "arrow-rs", "datafusion"),
        "duckdb": Ballot(plain, (), "duckdb", "duckdb"),
    }
    decided = vote(ballots, utc, NOTHING)
    assert (decided.kind, decided.table, decided.certainty) == ("accept", utc.table, "likely")
