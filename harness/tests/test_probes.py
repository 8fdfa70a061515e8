"""Answers to queries: judged by the oracle, told apart by what the engine answers without pushdown."""

from itertools import combinations, permutations
from pathlib import Path

import pytest

from corpora.answers import answer, take
from corpora.cases import Case, Expectation, Probe
from corpora.queries import (
    Aggregate,
    AggregateWhere,
    And,
    Batches,
    Compare,
    Computed,
    CountRows,
    Distinct,
    Fields,
    Filter,
    Groups,
    In,
    IsNull,
    Not,
    NotTrue,
    NullSafe,
    Or,
    Project,
    RowGroup,
    SemiJoin,
    Slice,
    StartsWith,
    Top,
    TopRows,
    TopWhere,
)
from corpora.table_reads import TableRead
from corpora.tagged import (
    BYTES,
    INT96,
    STRING,
    Field,
    Table,
    decimal,
    floating,
    integer,
    list_of,
    struct_of,
    timestamp,
)
from harness.children.outcomes import Detail, Outcome, OutcomeKind
from harness.judging import probing, worst
from harness.judging.answers import Answered, Remembered
from harness.judging.column_features import ColumnFeatures
from harness.judging.places import Config, Process
from harness.judging.probes import judge_against_off, judge_probe
from harness.judging.probing import Wrong
from harness.judging.query_subjects import about
from harness.judging.rows import misplaced
from harness.judging.signature import signature
from harness.judging.slices import nearest_rows
from harness.judging.subjects import Given, Subject
from harness.judging.traits import Traits

NAN, ZERO, MINUS, ONE = "7ff8000000000000", "0" * 16, "8" + "0" * 15, "3ff0000000000000"
FILE = Table.of(
    [("n", integer(32)), ("x", floating(64)), ("s", STRING)],
    [["1", "2", "2", None, "5"], [NAN, ZERO, MINUS, None, ONE], ["a", "b", "b", "c", None]],
)
ID = integer(32)
BIG = Filter(Compare(("n",), ">=", integer(32), "2"))
REFUSED = Outcome(OutcomeKind.REFUSED, detail=Detail(message="no"))


def table(values):
    """Return an outcome with a table."""
    return Outcome(OutcomeKind.TABLE, values)


def rows(*ordinals, file=FILE):
    """Return an outcome with these rows of the file."""
    return table(take(file, ordinals))


def judged(query, outcome, traits=None, *, rows=None, **more):
    """Judge the answer to a query of FILE."""
    traits = traits or Traits()
    expected = answer(query, FILE, traits.order(query), rows)
    return judge_probe(Probe(query, rows), expected, outcome, traits, **{"file": FILE, **more})


def difference(*args, **more):
    """Return the difference, as a tuple, with its path as text."""
    return texts(judged(*args, **more))


def texts(probed):
    """Return the difference of an answer, as a tuple, with its path as text."""
    difference = probed.judgement.difference
    return (str(difference.path), *difference[1:])


def test_right_answers():
    """What the oracle answers is right, with pushdown or without, whatever kind of query it is."""
    assert judged(BIG, rows(1, 2, 4)).judgement.verdict == "agree"
    assert judged(BIG, rows(1, 2, 4), off=rows(1)).judgement.verdict == "agree"
    assert judged(RowGroup(1), rows(3, 4), rows=(3, 4)).judgement.verdict == "agree"
    assert judged(Batches(2), table(FILE)).judgement.verdict == "agree"
    assert judged(Project(("s",)), table(take(FILE, range(5), ("s",)))).judgement.verdict == "agree"


def test_rows_without_an_order():
    """Rows of a join and of groups are right in any order, also under an equivalence, but for a wrong row."""
    join = SemiJoin(("n",), integer(32), ("1", "5", None))
    assert judged(join, rows(0, 4)).judgement.verdict == "agree"
    backwards = [list(reversed(take(FILE, (0, 4)).column(at))) for at in range(3)]
    fields = [(field.name, field.type) for field in FILE.columns]
    assert judged(join, table(Table.of(fields, backwards))).judgement.verdict == "agree"
    assert difference(join, rows(4), off=rows(0, 4)) == (
        "rows lost",
        "rows 0, 4",
        "without 0 (1 rows)",
        "pushdown",
    )
    assert difference(join, rows(0, 3, 4)) == ("rows gained", "rows 0, 4", "also 3 (3 rows)", "semi_join")
    groups = Table.of(
        [("value", STRING), ("rows", integer(64))], [["c", None, "a", "b"], ["1", "1", "1", "2"]]
    )
    assert judged(Groups(("s",)), table(groups)).judgement.verdict == "agree"
    wrong = Table.of(
        [("value", STRING), ("rows", integer(64))], [["c", None, "a", "b"], ["1", "1", "1", "1"]]
    )
    path, expected, actual, kind = difference(Groups(("s",)), table(wrong))
    assert (path[:13], expected, actual, kind) == ("column 'rows'", '"2"', '"1"', "groups")
    raw = Table.of([("value", BYTES)], [["62", None, "61", "63"]])
    assert (
        judged(Distinct(("s",)), table(raw), Traits(("string-as-bytes",))).judgement.verdict == "equivalent"
    )


def test_slices_of_engines_without_an_order():
    """Any rows are right, as many as there are, each at most as often as in the file."""
    twice = Slice(1, 2, Compare(("n",), "<=", integer(32), "2"))  # of rows 0 to 2
    for right in ((1, 2), (0, 1), (2, 0)):
        assert judged(twice, rows(*right)).judgement.verdict == "agree"
    ordered = Traits(file_order=True)
    assert judged(twice, rows(1, 2), ordered).judgement.verdict == "agree"
    assert difference(twice, rows(0, 1), ordered)[0] == "rows lost and gained"
    assert difference(twice, rows(1)) == ("rows lost", "rows 0, 1", "without 0 (1 rows)", "slice")
    assert judged(twice, rows(0, 1, 2)).judgement.verdict == "different"
    assert difference(twice, rows(0, 3))[0] == "rows lost and gained"
    again = Table.of([(each.name, each.type) for each in FILE.columns], [["1", "1"], [NAN, NAN], ["a", "a"]])
    assert judged(twice, table(again)).judgement.verdict == "different"
    assert difference(twice, rows(1), off=rows(2, 0))[3] == "pushdown"
    assert difference(twice, rows(1), off=rows(2))[3] == "slice"


def test_slices_of_files_of_unknown_meaning():
    """Without an order, as many rows as without pushdown are right; with one, the same rows."""
    probe = Probe(Slice(0, 2, IsNull(("n",))))
    assert judge_against_off(probe, rows(0, 1), rows(2, 3), Traits()).judgement.verdict == "agree"
    assert judge_against_off(probe, rows(0), rows(2, 3), Traits()).judgement.verdict == "different"
    ordered = Traits(file_order=True)
    assert judge_against_off(probe, rows(0, 1), rows(2, 3), ordered).judgement.verdict == "different"


@pytest.mark.parametrize(
    ("with_pushdown", "path"),
    [(rows(1), "rows lost"), (rows(1, 2, 4), "rows gained"), (rows(1, 3), "column 'n', row 1")],
)
def test_rows_that_pushdown_changes_in_files_of_unknown_meaning(with_pushdown, path):
    """Rows are lost or gained, as in files whose values are known: known bugs are recognised by that."""
    probed = judge_against_off(Probe(BIG), with_pushdown, rows(1, 2), Traits(file_order=True))
    assert (str(probed.judgement.difference.path), probed.judgement.difference.kind) == (path, "pushdown")


@pytest.mark.parametrize(
    ("renamed", "about"), [("x", "float(64) ="), ("y", "filter")]
)  # the column as the engine has it
def test_what_a_query_of_a_file_of_unknown_meaning_is_about(renamed, about):
    """The types are those that the engine itself reads, if it has the columns of the query."""
    query = Filter(Compare(("x",), "=", floating(64), NAN))
    own = Table.of([(renamed, floating(64))], [[NAN]])
    process = Process("duckdb", "1", (), (Config("", {}),), ("parquet",))
    given = Given(Answered(process, Traits(), Remembered({})), 0, table(own))
    none, one = (table(Table.of([("x", floating(64))], [values])) for values in ([], [NAN]))
    probed = judge_against_off(Probe(query), none, one, Traits())
    case = Case("files/a", "parquet", Path(__file__), "0" * 64, Expectation.by_vote(), probes=(Probe(query),))
    either = Expectation.either("nothing says how", source="vote")
    columns = ColumnFeatures(case, own)
    subject = Subject(case, given, either, (), probing.Tested(), None, Traits(), columns)
    stored = worst._of_answer(subject, Wrong(0, none, probed))
    assert signature(stored).endswith(f"| different | pushdown: rows lost in {about}")


def test_sorted_values_have_an_order():
    """The first values are right in their order alone; of zeros, either may stand for both."""
    top = Top(("x",), 3)
    kinds = Traits(float_order="nan-greatest")
    right = Table.of([("value", floating(64))], [[MINUS, MINUS, ONE]])
    assert judged(top, table(right), kinds).judgement.verdict == "agree"
    for values, path in (([ONE, ZERO, ZERO], "order of rows"), ([ZERO, ONE, ONE], "column 'value', row 1")):
        wrong = judged(top, table(Table.of([("value", floating(64))], [values])), kinds)
        assert (wrong.judgement.verdict, texts(wrong)[0]) == ("different", path)


def test_first_rows():
    """Of rows with equal values any are right, once each and in the order of the column; others are not."""
    two = TopRows(("n",), 2)  # row 0, and of rows 1 and 2 one
    for right in ((0, 1), (0, 2)):
        assert judged(two, rows(*right)).judgement.verdict == "agree"
    assert difference(two, rows(1, 2))[:2] == ("rows lost and gained", "rows 0, 1")
    assert difference(two, rows(0))[0] == "rows lost"
    assert difference(two, rows(0, 4))[0] == "rows lost and gained"
    named = [(each.name, each.type) for each in FILE.columns]
    backwards = Table.of(named, [["2", "1"], [ZERO, NAN], ["b", "a"]])
    assert difference(two, table(backwards))[0] == "order of rows"
    # The text of rows 1 and 2 is the same: which of them the answer has is not seen.
    text = TopRows(("n",), 2, columns=("s",))
    assert judged(text, table(Table.of([("s", STRING)], [["a", "b"]]))).judgement.verdict == "agree"
    assert judged(text, table(Table.of([("s", STRING)], [["a", "c"]]))).judgement.verdict == "different"
    last = TopRows(("n",), 1, nulls_first=True)
    assert judged(last, rows(3)).judgement.verdict == "agree"
    assert difference(last, rows(0), off=rows(3))[3] == "pushdown"


def test_equal_first_rows_of_what_a_query_of_text_does_not_fit():
    """Of text that is read as bytes, and of values that an equivalence excuses, any tied row is right."""
    names = "n", "s", "t"
    file = Table.of(zip(names, (ID, STRING, ID), strict=True), [["1", "1"], ["a", "ab"], ["5", "6"]])
    read = Table.of(zip(names, (ID, BYTES, ID), strict=True), [["1", "1"], ["61", "6162"], ["50", "60"]])
    query = TopWhere(("n",), 1, predicate=StartsWith(("s",), "a"))
    probe, expected, traits = Probe(query), answer(query, file, "ieee"), Traits()

    def verdict(actual, **more):
        outcome = table(actual)
        return judge_probe(probe, expected, outcome, traits, **{"file": file, "read": read, **more}).judgement

    for row in (0, 1):
        assert verdict(take(read, [row])).verdict == "equivalent"
    other = Table.of([(column.name, column.type) for column in read.columns], [["1"], ["6162"], ["50"]])
    assert verdict(other).verdict == "different"
    assert verdict(take(read, [0, 1])).verdict == "different"
    assert verdict(take(read, [1]), read=None).verdict == "different"


def test_first_rows_that_are_certain_are_not_taken_for_equal_ones():
    """Rows of one value in the column that is returned stand for the certain rows before any others."""
    table_ = Table.of([("n", ID), ("s", STRING)], [["2", "1", "2"], ["b", "b", "c"]])
    query = TopRows(("n",), 2, columns=("s",))
    right = Table.of([("s", STRING)], [["b", "c"]])
    traits = Traits()
    probe, expected = Probe(query), answer(query, table_, "ieee")
    assert judge_probe(probe, expected, table(right), traits, file=table_).judgement.verdict == "agree"
    assert nearest_rows(query, table_, right, (), "ieee") == [1, 2]


@pytest.mark.parametrize("columns", [None, ("s",)])
@pytest.mark.parametrize("predicate", [None, Not(Compare(("s",), "=", STRING, "d"))])
@pytest.mark.parametrize(("offset", "count"), [(0, 3), (1, 2), (1, 3), (2, 1), (2, 3), (3, 9), (8, 1)])
def test_exactly_the_first_rows_of_each_order_of_equal_ones_are_right(columns, predicate, offset, count):
    """Behind a filter and an offset, a result is right if some order of rows with equal values has it."""
    values = [["1", "2", "2", "2", "3", "3", None], ["a", "x", "y", "d", "x", "z", "y"]]
    file = Table.of([("n", ID), ("s", STRING)], values)
    query = TopWhere(("n",), count, columns=columns, predicate=predicate, offset=offset)
    passing = [row for row in range(7) if predicate is None or values[1][row] != "d"]
    orders = (sorted(order, key=lambda row: int(values[0][row] or 9)) for order in permutations(passing))
    right = {texts_of(file, order[offset : offset + count], columns) for order in orders}
    probe, expected = Probe(query), answer(query, file, "ieee")
    assert texts_of(expected, range(expected.num_rows), columns) in right
    size = len(passing[offset : offset + count])
    for number in {size, size + 1} - {8}:
        for rows in combinations(range(7), number):
            given = table(take(file, rows, columns))
            is_right = judge_probe(probe, expected, given, Traits(), file=file).judgement.verdict == "agree"
            assert is_right == (texts_of(file, rows, columns) in right), rows


def texts_of(file, rows, columns):
    """Return the cells of some rows that a result with these columns has, in no order."""
    cells = [
        file.column(at) for at in range(len(file.columns)) if columns is None or at + 1 == len(file.columns)
    ]
    return tuple(sorted(tuple(str(column[row]) for column in cells) for row in rows))


@pytest.mark.parametrize(
    ("given", "path", "expected", "actual"),
    [
        ((1, 4), "rows lost", "rows 1, 2, 4", "without 2 (2 rows)"),
        ((), "rows lost", "rows 1, 2, 4", "without 1, 2, 4 (0 rows)"),
        ((0, 1, 2, 4), "rows gained", "rows 1, 2, 4", "also 0 (4 rows)"),
        ((0, 3, 4), "rows lost and gained", "rows 1, 2, 4", "without 1, 2 also 0, 3 (3 rows)"),
    ],
)
def test_rows_are_told_by_their_ordinals(given, path, expected, actual):
    """A wrong answer names the rows that are missing or extra, and whether pushdown is at fault."""
    for off, kind in (
        (None, "filter"),
        (rows(*given), "filter"),
        (rows(1, 2, 4), "pushdown"),
        (REFUSED, "filter"),
    ):
        found = judged(BIG, rows(*given), off=off)
        assert texts(found) == (path, expected, actual, kind)
        assert found.pushed == (kind == "pushdown")


def test_differences_that_are_not_of_rows():
    """Order, values, columns and aggregates have their own words."""
    assert difference(BIG, table(Table.of(list(names()), backwards())))[0] == "order of rows"
    other = Table.of(list(names()), [["9"], [ONE], ["z"]])
    assert difference(BIG, table(other)) == ("rows", "3 rows", "1 rows", "filter")
    assert difference(BIG, table(take(FILE, (1, 2, 4), ("n", "x"))))[0] == "columns"
    count = Aggregate(("n",))
    right = answer(count, FILE, "ieee")
    wrong = Table.of([(one.name, one.type) for one in right.columns], [["5"], ["4"], ["1"], ["2"]])
    assert judged(count, table(right)).judgement.verdict == "agree"
    assert difference(count, table(wrong), off=table(right)) == (
        "column 'max', row 0",
        '"5"',
        '"2"',
        "pushdown",
    )


def names():
    """Yield names and types of FILE."""
    return ((one.name, one.type) for one in FILE.columns)


def backwards():
    """Return the columns of rows 1, 2 and 4, from the last to the first."""
    return [list(reversed(take(FILE, (1, 2, 4)).column(at))) for at in range(3)]


def test_lies():
    """Who skips by what lies answers what the lie leaves, or refuses; anything else is wrong as ever."""
    probe = Probe(BIG, misled=(2, 4))
    expected = answer(BIG, FILE, "ieee")

    def judge_lied(outcome):
        found = judge_probe(probe, expected, outcome, Traits(), file=FILE, off=rows(1, 2, 4))
        return found.judgement.verdict, found.misled

    assert judge_lied(rows(1, 2, 4)) == ("agree", False)
    assert judge_lied(rows(2, 4)) == ("agree", True)
    assert judge_lied(rows(4)) == ("different", False)
    assert judge_lied(REFUSED) == ("refused_as_expected", False)
    assert judge_lied(Outcome(OutcomeKind.CRASHED)) == ("crashed", False)


def test_refusals():
    """A query that is refused is a refusal of something valid; by pushdown, if it is answered without."""
    assert judged(BIG, REFUSED).judgement.verdict == "refused_valid"
    assert not judged(BIG, REFUSED, off=REFUSED).pushed
    assert judged(BIG, REFUSED, off=rows(1)).pushed
    assert judged(BIG, Outcome(OutcomeKind.CRASHED), off=rows(1)).judgement.verdict == "crashed"


def test_float_orders():
    """What is right about NaN and -0.0 is what the engine documents, for filters and for aggregates."""
    above = Filter(Compare(("x",), ">", floating(64), ONE))
    assert judged(above, rows()).judgement.verdict == "agree"
    greatest = Traits((), "nan-greatest", "total")
    assert judged(above, rows(0), greatest).judgement.verdict == "agree"
    assert judged(above, rows(), greatest).judgement.verdict == "different"
    extremes = Aggregate(("x",))
    low = table(aggregate("5", "4", MINUS, NAN))
    assert judged(extremes, low, greatest).judgement.verdict == "agree"
    assert judged(extremes, table(aggregate("5", "4", MINUS, ONE))).judgement.verdict == "agree"
    assert judged(extremes, table(aggregate("5", "4", ZERO, ONE)), greatest).judgement.verdict == "different"


def aggregate(*values):
    """Return the answer to an aggregate of `x`."""
    types = (("rows", integer(64)), ("present", integer(64)), ("min", floating(64)), ("max", floating(64)))
    return Table.of(list(types), [[value] for value in values])


def test_equivalences_are_those_of_the_read():
    """Rewritten types are allowed in answers, and rows are told by the values as they are rewritten."""
    file = Table.of([("u", integer(64, signed=False))], [["1", "18446744073709551615", "3"]])
    answered = Table.of([("u", decimal(20, 0))], [["1", "3"]])
    query = Filter(Compare(("u",), "<", integer(64, signed=False), "4"))
    traits = Traits(("uint64-as-decimal20",))
    expected = answer(query, file, "ieee")
    found = judge_probe(Probe(query), expected, table(answered), traits, file=file)
    assert found.judgement.equivalences == ("uint64-as-decimal20",)
    lost = Table.of([("u", decimal(20, 0))], [["3"]])
    told = judge_probe(Probe(query), expected, table(lost), traits, file=file).judgement.difference
    assert told.actual == "without 0 (1 rows)"


def test_a_filter_sees_what_the_engine_reads():
    """Where a documented reading loses digits, the filter of what was read is right too."""
    nanos, micros = timestamp("ns", utc=True), timestamp("us", utc=True)
    file = Table.of([("t", nanos)], [["1000", "1001", "2000"]])
    read = Table.of([("t", micros)], [["1", "1", "2"]])
    query = Filter(Compare(("t",), "=", nanos, "1000"))
    expected = answer(query, file, "ieee")
    more = {"file": file, "read": read}
    both = table(take(read, (0, 1)))
    found = judge_probe(Probe(query), expected, both, Traits(("nanos-as-micros",)), **more)
    assert found.judgement.verdict == "equivalent"
    assert judge_probe(Probe(query), expected, table(take(read, (2,))), Traits(), **more).judgement.difference


def test_misplaced_rows():
    """Rows that are alike are taken in their order; what the file does not have is counted apart."""
    assert misplaced(FILE, (1, 2), take(FILE, (1,)), ()) == ([2], [], 0)
    twins = Table.of([("n", integer(32))], [["1", "1", "1"]])
    assert misplaced(twins, (1,), take(twins, (0, 1)), ()) == ([], [0], 0)
    strange = Table.of([("n", integer(32))], [["7"]])
    assert misplaced(twins, (), strange, ()) == ([], [], 1)
    assert misplaced(twins, (), Table.of([("n", BYTES)], [["00"]]), ()) is None


def test_nan_payloads_do_not_make_rows_strange():
    """Values that every reader may give otherwise are one form."""
    other = Table.of([("x", floating(64))], [["7ff8000000000001", ZERO]])
    mine = Table.of([("x", floating(64))], [[NAN, ZERO]])
    assert misplaced(mine, (0, 1), other, ()) == ([], [], 0)
    nested = list_of(struct_of([("x", floating(64))]))
    left, right = (Table.of([("l", nested)], [[[[value]], None]]) for value in (NAN, "fff8000000000000"))
    assert misplaced(left, (0, 1), right, ()) == ([], [], 0)


@pytest.mark.parametrize(
    ("query", "said"),
    [
        (BIG, "int(32, signed) order"),
        (Filter(Compare(("n",), "!=", integer(32), "1")), "int(32, signed) !="),
        (Filter(Not(In(("s",), STRING, ("a", "b")))), "string not in"),
        (Filter(In(("s",), STRING, ("a", None))), "string in with null"),
        (Filter(NotTrue(BIG.predicate)), "int(32, signed) order that is not true"),
        (
            Filter(Not(NotTrue(Or((BIG.predicate, IsNull(("x",))))))),
            "not several tests of float, int that is not true",
        ),
        (
            Filter(Or((In(("s",), STRING, ("a", None)), IsNull(("x",))))),
            "several tests of float, string with null in a list",
        ),
        (Filter(StartsWith(("s",), "a")), "string starts with"),
        (Filter(And((IsNull(("x",)), Not(IsNull(("n",)))))), "not several tests of float, int"),
        (
            Filter(Not(Or((In(("s",), STRING, ("a",)), IsNull(("x",)))))),
            "not several tests of float, string with in",
        ),
        (Filter(Or((In(("s",), STRING, ("a",)), IsNull(("x",))))), "several tests of float, string"),
        (Aggregate(("x",)), "float(64)"),
        (AggregateWhere(("x",), IsNull(("s",))), "float(64) of string is null"),
        (Top(("n",), 3), "int(32, signed)"),
        (TopRows(("n",), 3, columns=("s",)), "int(32, signed)"),
        (TopWhere(("n",), 3, offset=1), "int(32, signed)"),
        (TopWhere(("n",), 3, predicate=IsNull(("s",))), "int(32, signed) of string is null"),
        (SemiJoin(("s",), STRING, ("a",)), "string"),
        (Fields((("n",), ("s",))), "int, string"),
        (Fields((("n",),), IsNull(("s",))), "int of a filter"),
        (Slice(1, 2), ""),
        (Slice(1, 2, Compare(("n",), "!=", integer(32), "1")), "int(32, signed) !="),
        (Filter(NullSafe(("n",), integer(32), None)), "int(32, signed) is not distinct from"),
        (Filter(Computed(("s",), "prefix", "1", "=", STRING, "a")), "string prefix"),
        (Batches(7), ""),
    ],
)
def test_what_a_query_is_about(query, said):
    """Few words, the same whatever the constants."""
    assert about(query, FILE) == said


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        (Aggregate(("n",)), "int(32, signed) of a table"),
        (Aggregate(("p",)), "string of a partition of a table"),
        (Distinct(("p",)), "string of a partition of a table"),
        (AggregateWhere(("n",), IsNull(("p",))), "int(32, signed) of string is null of a table by partition"),
        (AggregateWhere(("p",), IsNull(("x",))), "string of float(64) is null of a partition of a table"),
        (CountRows(IsNull(("p",))), "string is null of a table by partition"),
    ],
)
def test_queries_of_partition_columns_are_named_as_such(query, expected):
    """Values that come from names of folders, and tests of them, are another matter than those of files."""
    fields = [("n", integer(32)), ("x", floating(64)), ("p", STRING)]
    table = Table.of(fields, [[None], [None], ["a"]])
    read = TableRead((Field("n", integer(32)),), (Field("p", STRING),))
    assert about(query, table, read) == expected


def test_fields_of_structs_are_named_as_such():
    """Statistics of nested columns are another matter than those of top-level ones."""
    file = Table.of([("s", struct_of([("n", integer(32))]))], [[None]])
    assert about(Filter(IsNull(("s", "n"))), file) == "int(32, signed) is null in struct"


def test_filters_of_int96_that_is_read_in_microseconds():
    """Where INT96 is documented to be rounded down, rows are those of what was read, whatever is recorded."""
    micros = timestamp("us", utc=False)
    file, read = Table.of([("x", INT96)], [["0", "-1"]]), Table.of([("x", micros)], [["0", "-1"]])
    query = Filter(Compare(("x",), "=", INT96, "-1000"))
    more = {"file": file, "read": read}
    expected, traits = answer(query, file, "ieee"), Traits(claimed=("int96-as-timestamp",))
    assert expected.num_rows == 0
    rounded = judge_probe(Probe(query, ()), expected, table(take(read, (1,))), traits, **more)
    assert rounded.judgement.verdict == "equivalent"
    wrong = judge_probe(Probe(query, ()), expected, table(take(read, (0,))), traits, **more)
    assert wrong.judgement.verdict == "different"
