"""Two ways that read several columns otherwise: one of them hides no other."""

from types import SimpleNamespace

import pytest

from corpora.cases import Expectation
from corpora.tagged import STRING, Table, integer
from harness.children.outcomes import Outcome, OutcomeKind
from harness.judging import way_rows, ways
from harness.judging.places import Config, Place
from harness.judging.traits import Traits

FIELDS = [("a", integer(32)), ("b", integer(32)), ("c", integer(32))]


def outcome(*row):
    """Return the outcome of reading a row."""
    return Outcome(OutcomeKind.TABLE, Table.of(FIELDS, [[value] for value in row]))


@pytest.mark.parametrize(
    ("usual", "names"),
    [(("1", "2", "3"), ["a", "c"]), (("0", "2", "3"), ["c"]), (("0", "2", "0"), [])],
)
def test_each_column_that_the_default_way_reads_well_counts(usual, names):
    """A column that the default way is blamed for is not shown again; every other one is."""
    expectation = Expectation.accept(outcome("1", "2", "3").table, "generator")
    subject = SimpleNamespace(expectation=expectation, traits=Traits())
    pair = way_rows._Pair(Place(0, 0), Config("way=x", {"way": "x"}), outcome(*usual), outcome("7", "2", "9"))
    judgement = ways.judge_ways(pair.usual, pair.unusual)
    columns = list(way_rows._unknown(subject, pair, judgement))
    assert [FIELDS[each.difference.path.column][0] for each in columns] == names
    assert [each.others for each in columns] == [()] * len(names)


def test_a_way_without_order_shows_no_column_that_it_reads_right():
    """Its rows are compared as a bag: columns that the default way reads right, too, are the same."""
    rows = [("1", "3", "5"), ("2", "4", "6")]
    usual, unusual = (
        Outcome(OutcomeKind.TABLE, Table.of(FIELDS, list(map(list, zip(*each, strict=True)))))
        for each in ([("1", "3", "0"), ("2", "4", "0")], rows[::-1])
    )
    expectation = Expectation.accept(Table.of(FIELDS, list(map(list, zip(*rows, strict=True)))), "generator")
    subject = SimpleNamespace(
        expectation=expectation,
        traits=Traits(),
        features=(),
        case=SimpleNamespace(read=None),
        given=SimpleNamespace(answered=SimpleNamespace(traits=Traits())),
    )
    pair = way_rows._Pair(Place(0, 0), Config("way=x", {"way": "x"}), usual, unusual)
    aligned = way_rows._aligned(subject, pair, has_order=False)
    judgement = ways.judge_ways(aligned.usual, aligned.unusual)
    assert list(way_rows._unknown(subject, aligned, judgement)) == []
    assert way_rows._aligned(subject, pair) is pair


def test_reads_of_a_way_without_order_are_put_in_order(monkeypatch):
    """The same rows in another order show no difference, though the default way reads a column wrong."""
    rows = [("1", "3", "5"), ("2", "4", "6")]
    usual, unusual = (
        Outcome(OutcomeKind.TABLE, Table.of(FIELDS, list(map(list, zip(*each, strict=True)))))
        for each in ([("1", "3", "0"), ("2", "4", "0")], rows[::-1])
    )
    pair = way_rows._Pair(Place(0, 0), Config("way=x", {"way": "x"}), usual, unusual)
    monkeypatch.setattr(way_rows, "_pairs", lambda *_: [pair])
    monkeypatch.setattr(way_rows, "row_of", lambda *given: given[2].difference.path.label)
    monkeypatch.setattr(way_rows, "Stored", lambda row, *_: row)
    monkeypatch.setattr(way_rows, "with_known", lambda row, _: row)
    monkeypatch.setattr(way_rows, "size_of", lambda _: 0)
    expectation = Expectation.accept(Table.of(FIELDS, list(map(list, zip(*rows, strict=True)))), "generator")
    subject = SimpleNamespace(
        expectation=expectation,
        traits=Traits(),
        features=(),
        case=SimpleNamespace(read=None, expectation=expectation, file=None),
        given=SimpleNamespace(number=0, answered=SimpleNamespace(traits=Traits(), process=None)),
    )
    for is_unordered, labels in ((True, []), (False, ["column 'a'", "column 'b'"])):
        monkeypatch.setattr(ways, "is_unordered", lambda *_, is_unordered=is_unordered: is_unordered)
        assert [row for _, row in way_rows._reads(subject, 0, ())] == labels
    of_other_type = [("a", integer(32)), ("b", STRING), ("c", integer(32))]
    table = Table.of(of_other_type, [unusual.table.column(at) for at in range(3)])
    right = Outcome(OutcomeKind.TABLE, expectation.table)
    pair = pair._replace(usual=right, unusual=Outcome(OutcomeKind.TABLE, table))
    for is_unordered, labels in ((True, ["column 'b'"]), (False, ["column 'b'", "column 'a'", "column 'c'"])):
        monkeypatch.setattr(ways, "is_unordered", lambda *_, is_unordered=is_unordered: is_unordered)
        monkeypatch.setattr(way_rows, "_pairs", lambda *_: [pair])
        assert [row for _, row in way_rows._reads(subject, 0, ())] == labels


def test_values_beside_another_type_are_not_compared_without_order():
    """Rows that stand elsewhere cannot be put beside each other once a column has another type."""
    usual = outcome("1", "2", "3").table
    fields = [("a", STRING), ("b", integer(32)), ("c", STRING)]
    unusual = Outcome(OutcomeKind.TABLE, Table.of(fields, [["1"], ["9"], ["3"]]))
    judgement = ways.judge_ways(Outcome(OutcomeKind.TABLE, usual), unusual)
    assert [each.kind for each in (judgement.difference, *judgement.others)] == ["type", "type", "value"]
    judgement = way_rows._of_types(judgement)
    assert [each.kind for each in (judgement.difference, *judgement.others)] == ["type", "type"]
