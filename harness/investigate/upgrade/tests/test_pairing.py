"""Pairs of answers of two versions: which cells differ, and which do not though their rows sort otherwise."""

from dataclasses import replace
from pathlib import Path

import pytest

from corpora.cases import Case, Expectation, Probe
from corpora.predicates import Compare, Computed
from corpora.queries import Filter, TopRows
from corpora.table_reads import TableRead
from corpora.tagged import DATE, STRING, Field, Table, duration, integer
from harness.children.outcomes import Detail, Outcome, OutcomeKind
from harness.investigate.upgrade import pairing
from harness.investigate.upgrade.classes import Class, Right, unlike
from harness.investigate.upgrade.groups import gather
from harness.investigate.upgrade.pairing import _Case
from harness.investigate.upgrade.pairs import Pair, apart_of
from harness.judging.answers import Answered, Remembered
from harness.judging.places import Config, Place, Process
from harness.judging.records import PROBLEMS
from harness.judging.traits import Traits
from harness.judging.verdicts import Verdict

COLUMNS = [("a", integer(32)), ("a", STRING)]


def outcome(number, text):
    """Return a table of a row whose two columns have the same name."""
    return Outcome(OutcomeKind.TABLE, Table.of(COLUMNS, [[number], [text]], 1))


@pytest.mark.parametrize(
    ("new", "cell"), [(outcome("2", "x"), str(integer(32))), (outcome("1", "y"), str(STRING))]
)
def test_columns_of_one_name(new, cell):
    """The column counts, not its name."""
    old = outcome("1", "x")
    expectation = Expectation.by_vote()
    compared = _Case(None, None, Case("files/a", "parquet", None, "0" * 64, expectation), 0, [], {})
    difference = unlike(old, new)
    assert compared._cell(Pair(Place(0, 0), old, new, difference), expectation) == cell
    assert difference.signature("spark", cell=cell) == f"spark | value | {cell}"


def test_rows_of_tables_are_matched():
    """Rows of a table come in the order of their values: where one differs, the others are the same."""
    process = Process("spark", "1", (), (Config("", {}),), ("orc",))
    sides = []
    for column in (["1", "2", "3"], ["2", "3", "9"]):
        answer = Outcome(OutcomeKind.TABLE, Table.of([("a", integer(32))], [column]))
        sides.append(Answered(process, Traits(), Remembered({Place(0, 0): answer})))
    read = TableRead((Field("a", integer(32)),))
    case = Case("tables/t/all", "orc", Path("t"), "0" * 64, Expectation.by_vote(), read=read)
    compared = _Case(None, None, case, 0, sides, {"places": 0, "seconds": [0, 0]})
    ((_, pair),) = compared.pairs.reads()
    assert (pair.unlike.old, pair.unlike.new) == ('"1"', '"9"')


@pytest.mark.parametrize(("way", "differs"), [("any-order", False), ("default", True)])
def test_rows_of_unordered_ways_have_no_order(way, differs):
    """DuckDB with preserve_insertion_order off may return a file's rows in any order."""
    process = Process("duckdb", "1", (), (Config(f"way={way}", {"way": way}),), ("parquet",))
    expected = Table.of([("a", integer(32))], [["1", "2", "3"]])
    sides = []
    for column in (["1", "2", "3"], ["3", "1", "2"]):
        answer = Outcome(OutcomeKind.TABLE, Table.of([("a", integer(32))], [column]))
        sides.append(Answered(process, Traits(), Remembered({Place(0, 0): answer})))
    case = Case("files/a", "parquet", Path("a"), "0" * 64, Expectation.accept(expected, source="generator"))
    compared = _Case(None, None, case, 0, sides, {"places": 0, "seconds": [0, 0]})
    ((_, pair),) = compared.pairs.reads()
    assert (pair.unlike is not None) == differs
    assert (compared._verdict(sides[1], pair.new, pair, case.expectation) in PROBLEMS) == differs


@pytest.mark.parametrize(
    ("new", "is_choice"),
    [(["1", "c"], True), (["1", "x"], False), (["2", "b"], False)],
)
def test_rows_with_equal_values_are_a_choice(new, is_choice):
    """Of rows with equal values each version may return others; those that are not in the file differ."""
    fields = [("n", integer(32)), ("s", STRING)]
    file = Table.of(fields, [["2", "1", "1"], ["a", "b", "c"]])
    query, process = TopRows(("n",), 1), Process("spark", "1", (), (Config("", {}),), ("parquet",))
    place = Place(0, 0, 0)
    sides = []
    for row in (["1", "b"], new):
        answered = {place: Outcome(OutcomeKind.TABLE, Table.of(fields, [[value] for value in row]))}
        sides.append(Answered(process, Traits(), Remembered(answered)))
    expectation = Expectation.accept(file, source="generator")
    case = Case("files/a", "parquet", Path("a"), "0" * 64, expectation, probes=(Probe(query),))
    compared = _Case(None, None, case, 0, sides, {"places": 0, "seconds": [0, 0]})
    pair = compared.pairs.pair(place)
    assert pair.unlike is not None
    for cls in (pair.unlike.cls, Class.PUSHDOWN):  # which it is if the answers are alike without pushdown
        differing = pair._replace(unlike=pair.unlike._replace(cls=cls))
        assert compared._is_choice(differing, expectation) == is_choice
        assert compared._is_choice(differing, Expectation.by_vote()) == (cls is not Class.PUSHDOWN)


@pytest.mark.parametrize(
    ("day", "right"), [("0", Right.REGRESSED), ("-800000", Right.UNSPECIFIED)]
)  # of 1970, and of the year 222 before the year 1
def test_a_query_without_a_defined_result(day, right):
    """Where a function of a value is not defined, results that differ are a difference of no one's fault."""
    file = Table.of([("d", DATE)], [[day, "7"]])
    query = Filter(Computed(("d",), "year", None, "=", integer(32), "1970"))
    process = Process("duckdb", "1", (), (Config("", {}),), ("parquet",))
    place = Place(0, 0, 0)
    whole = Outcome(OutcomeKind.TABLE, file)
    sides = []
    for days in ([day, "7"], ["7"]):
        answer = Outcome(OutcomeKind.TABLE, Table.of([("d", DATE)], [days]))
        sides.append(Answered(process, Traits(), Remembered({place: answer, Place(0, 0): whole})))
    expectation = Expectation.accept(file, source="generator")
    case = Case("files/a", "parquet", Path(__file__), "0" * 64, expectation, probes=(Probe(query),))
    compared = _Case(None, None, case, 0, sides, {"places": 0, "seconds": [0, 0]})
    (difference,) = compared._by_cause([compared.pairs.pair(place)])
    assert compared._line(difference, {}, expectation, set())["right"] == right.value


def test_a_difference_names_the_version_whose_answer_changed():
    """Of a read that was repeated with another result, the line and the group say of which version."""
    expected = Table.of([("a", integer(32))], [["1"]])
    sides = []
    for version, column in (("1", ["1"]), ("2", ["2"])):
        process = Process("duckdb", version, (), (Config("", {}),), ("parquet",))
        answer = Outcome(OutcomeKind.TABLE, Table.of([("a", integer(32))], [column]))
        sides.append(Answered(process, Traits(), Remembered({Place(0, 0): answer})))
    case = Case("files/a", "parquet", Path(__file__), "0" * 64, Expectation.accept(expected, source="spec"))
    compared = _Case(None, None, case, 0, sides, {"places": 0, "seconds": [0, 0]})
    reads = dict(compared.pairs.reads())
    (difference,) = compared._by_cause(list(reads.values()))
    shaky = compared._line(difference, reads, case.expectation, {("2", "")})
    assert (shaky["unstable"], shaky["changed"]) == (True, ["2"])
    steady = compared._line(difference, reads, case.expectation, {("2", "way=x")})
    assert (steady["unstable"], steady["changed"]) == (False, [])
    (group,) = gather([("files", shaky), ("files", steady)])
    assert (group.unstable, group.changed) == (1, {"2"})


def test_one_column_hides_no_other():
    """Two columns that differ are two differences; queries of the columns that are alike are compared."""
    fields = [("a", integer(32)), ("b", STRING), ("c", integer(64))]
    process = Process("spark", "1", (), (Config("", {}),), ("parquet",))
    tests = Compare(("c",), "=", integer(64), "1"), Compare(("a",), "=", integer(32), "2")
    probes = tuple(map(Probe, map(Filter, tests)))
    sides = []
    for columns, found in ((["1", "x", "1"], ["1", "x", "1"]), (["2", "y", "1"], None)):
        read = Table.of(fields, [[value] for value in columns])
        answers = {Place(0, 0): read, Place(0, 0, 1): read, Place(0, 0, 0): Table.of(fields, [[]] * 3)}
        if found:
            answers[Place(0, 0, 0)] = Table.of(fields, [[value] for value in found])
        outcomes = {place: Outcome(OutcomeKind.TABLE, table) for place, table in answers.items()}
        sides.append(Answered(process, Traits(), Remembered(outcomes)))
    expected = Table.of(fields, [["1"], ["x"], ["1"]])
    expectation = Expectation.accept(expected, source="generator")
    case = Case("files/a", "parquet", Path(__file__), "0" * 64, expectation, probes=probes)
    compared = _Case(None, None, case, 0, sides, {"places": 0, "seconds": [0, 0]})
    reads = dict(compared.pairs.reads())
    first, second = compared._by_cause(list(reads.values()))
    assert (first.pair.unlike.path.label, second.pair.unlike.path.label) == ("column 'a'", "column 'b'")
    (lost,) = compared.pairs.probes({0: apart_of(reads[0])})
    assert (lost.place.probe, lost.unlike.cls) == (0, Class.ROWS)
    assert [field.name for field in lost.old.table.columns] == ["c"]
    assert compared._verdicts(lost, expectation) == (Verdict.AGREE, Verdict.DIFFERENT)


def read_by(*versions, configs=("",), types=None):
    """Return the case of a row that two versions read: for each of them, the row under each configuration."""
    made = tuple(Config(text, {"mode": text}) for text in configs)
    process = Process("spark", "1", (), made, ("parquet",))
    sides = []
    for rows in versions:
        outcomes = {
            Place(number, 0): Outcome(
                OutcomeKind.TABLE, Table.of(list(types[number]), [[value] for value in row])
            )
            for number, row in enumerate(rows)
        }
        sides.append(Answered(process, Traits(claimed=("int-widened",)), Remembered(outcomes)))
    expectation = Expectation.accept(Table.of(list(types[0]), [["1"], ["x"]]), source="generator")
    case = Case("files/a", "parquet", Path(__file__), "0" * 64, expectation)
    return _Case(None, None, case, 0, sides, {"places": 0, "seconds": [0, 0]})


def differences(compared):
    """Return the differences of reading, each with the verdicts of both versions."""
    reads = dict(compared.pairs.reads())
    return [
        (
            difference.pair.unlike.path.label,
            difference.configs,
            compared._verdicts(difference.pair, compared.case.expectation),
        )
        for difference in compared._by_cause(list(reads.values()))
    ]


def test_each_column_has_verdicts_of_its_own():
    """One column that a version reads right now does not hide that it reads another one wrong."""
    types = [[("a", integer(32)), ("b", STRING)]]
    right, wrong = Verdict.AGREE, Verdict.DIFFERENT
    assert differences(read_by([("9", "x")], [("1", "y")], types=types)) == [
        ("column 'a'", [0], (wrong, right)),
        ("column 'b'", [0], (right, wrong)),
    ]


def test_became_null_and_was_null_are_two_differences():
    """Columns of one type whose values differ in two manners are told apart."""
    types = [[("a", integer(32)), ("b", integer(32))]]
    found = differences(read_by([("1", None)], [(None, "2")], types=types))
    assert [(label, configs) for label, configs, _ in found] == [("column 'a'", [0]), ("column 'b'", [0])]


def test_a_switch_that_changes_types_shows_no_difference_of_its_own():
    """A column that differs alike has one difference, whatever its type is under the other configuration."""
    types = [[("a", integer(32)), ("b", STRING)], [("a", integer(64)), ("b", STRING)]]
    rows = [("1", "x"), ("1", "x")], [("2", "x"), ("2", "x")]
    found = differences(read_by(*rows, configs=("", "wide"), types=types))
    assert [(label, configs) for label, configs, _ in found] == [("column 'a'", [0, 1])]


def test_a_switch_that_joins_two_types_is_named_once():
    """Two columns of one type by default, and of two types under a switch, are one difference of both."""
    types = [[("a", integer(32)), ("b", integer(32))], [("a", integer(64)), ("b", integer(32))]]
    rows = [("1", "1"), ("1", "1")], [("2", "2"), ("2", "2")]
    found = differences(read_by(*rows, configs=("", "wide"), types=types))
    assert [(label, configs) for label, configs, _ in found] == [("column 'a'", [0, 1])]


def test_a_query_has_one_difference():
    """A wrong answer is one, whichever columns it returns."""
    compared = read_by([("1", "x")], [("1", "x")], types=[[("a", integer(32)), ("b", STRING)]])
    for side, row in zip(compared.sides, (("1", "x"), ("2", "y")), strict=True):
        table = Table.of([("a", integer(32)), ("b", STRING)], [[value] for value in row])
        side.answers.outcomes[Place(0, 0, 0)] = Outcome(OutcomeKind.TABLE, table)
    pair = compared.pairs.pair(Place(0, 0, 0))
    assert (pair.unlike.path.label, pair.others) == ("column 'a'", ())
    assert len(compared.pairs.pair(Place(0, 0)).others) == 0


def test_what_is_alike_of_two_reads():
    """Columns that differ are told apart, but not where rows or refusals do."""
    types = [[("a", integer(32)), ("b", STRING)]]
    ((_, pair),) = read_by([("1", "x")], [("2", "x")], types=types).pairs.reads()
    assert apart_of(pair) == {"a"}
    two_rows = Table.of(types[0], [["1", "2"], ["x", "y"]])
    refused = Outcome(OutcomeKind.REFUSED)
    for other in (Outcome(OutcomeKind.TABLE, two_rows), refused):
        assert apart_of(pair._replace(new=other)) is None


def test_rows_without_order_are_not_compared_beside_another_type():
    """A way that promises no order shows a column's other type, but no values of rows elsewhere."""
    process = Process("duckdb", "1", (), (Config("way=any-order", {"way": "any-order"}),), ("parquet",))
    sides = []
    for type_, column in ((STRING, ["1", "2"]), (integer(32), ["2", "1"])):
        table = Table.of([("a", integer(32)), ("b", type_)], [column, column])
        sides.append(
            Answered(process, Traits(), Remembered({Place(0, 0): Outcome(OutcomeKind.TABLE, table)}))
        )
    case = Case("files/a", "parquet", Path("a"), "0" * 64, Expectation.by_vote())
    compared = _Case(None, None, case, 0, sides, {"places": 0, "seconds": [0, 0]})
    ((_, pair),) = compared.pairs.reads()
    assert (pair.unlike.cls, pair.others) == (Class.SCHEMA, ())
    assert apart_of(pair, has_order=False) == {"b"}
    assert apart_of(pair) == {"a", "b"}
    compared.pairs.probes = _refuse
    with pytest.raises(NotImplementedError, match=r"\{0: frozenset\(\{'b'\}\)\}"):
        list(compared.lines())


def _refuse(apart):
    """Stand for the queries of columns that are alike: name the others."""
    raise NotImplementedError(apart)


def test_who_is_right_about_a_broken_file():
    """A version that reads other values than the reference is wrong though the file may be refused."""
    compared = _Case(None, None, Case("files/a", "parquet", None, "0" * 64, Expectation.by_vote()), 0, [], {})
    table = outcome("1", "x").table
    broken = Expectation.either("it breaks a rule", table=table, source="vote")
    broken = replace(broken, rule="PQ-FILE-008", breach="PQ-FILE-008")
    changed = Verdict.AGREE, Verdict.DIFFERENT
    assert compared._right(broken, changed) is Right.REGRESSED
    assert compared._right(broken, (Verdict.REFUSED_AS_EXPECTED, Verdict.AGREE)) is not Right.REGRESSED
    contested = replace(broken, rule=None, certainty="contested")
    assert compared._right(contested, changed) is Right.UNSPECIFIED
    assert compared._right(replace(broken, table=None), changed) is Right.UNSPECIFIED


def test_equivalences_of_a_files_features():
    """A duration that Arrow's schema in the file restores is as right in a comparison as in a run."""
    process = Process("pyarrow", "2", (), (Config("", {}),), ("parquet",))
    stored = Table.of([("a", integer(64))], [["1"]])
    restored = Outcome(OutcomeKind.TABLE, Table.of([("a", duration("us"))], [["1"]]))
    refused = Outcome(OutcomeKind.REFUSED)
    side = Answered(process, Traits(("arrow-schema-restored",)), Remembered({Place(0, 0): restored}))
    expectation = Expectation.accept(stored, source="vote")
    pair = Pair(Place(0, 0), refused, restored, unlike(refused, restored))
    verdicts = []
    for features in ([], ["parquet/file/arrow-duration-us"]):
        case = Case("files/a", "parquet", Path("a"), "0" * 64, expectation, features)
        verdicts.append(
            _Case(None, None, case, 0, [side, side], {})._verdict(side, restored, pair, expectation)
        )
    assert verdicts == [Verdict.DIFFERENT, Verdict.EQUIVALENT]


@pytest.mark.parametrize("is_confirmed", [False, True])
def test_the_reference_alone_blames_no_version(monkeypatch, is_confirmed):
    """A version that reads what only the reference refuses is not worse; one that no longer refuses is."""
    rule = Outcome(OutcomeKind.REFUSED, detail=Detail(message="[ORC-INT-002] an unsigned integer of 64 bits"))
    old = Outcome(OutcomeKind.REFUSED if is_confirmed else OutcomeKind.UNSUPPORTED)
    new = Outcome(OutcomeKind.TABLE, Table.of([("a", integer(32))], [["1"]]))
    processes = (
        Process(name, "1", (), (Config("", {}),), ("orc",)) for name in ("reference", "pyorc", "pyorc")
    )
    answered = [
        Answered(process, Traits(), Remembered({Place(0, 0): each}))
        for process, each in zip(processes, (rule, old, new), strict=True)
    ]
    monkeypatch.setattr(pairing.judging, "answered", lambda *_: answered)
    case = Case("files/a", "orc", Path("a"), "0" * 64, Expectation.by_vote())
    compared = _Case(None, None, case, 0, answered[1:], {})
    expectation = compared._expectation()
    verdicts = compared._verdicts(Pair(Place(0, 0), old, new, unlike(old, new)), expectation)
    assert compared._right(expectation, verdicts) is (Right.REGRESSED if is_confirmed else Right.UNSPECIFIED)
