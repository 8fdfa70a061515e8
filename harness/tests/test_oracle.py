"""The oracle's answers, each computed once for the files that share a table."""

from __future__ import annotations

from pathlib import Path

import pytest

from corpora.cases import Probe
from corpora.predicates import IsNull
from corpora.queries import Compare, Filter, Project
from corpora.tagged import BLOCK_ROWS, Table, floating, integer, struct_of
from harness.judging import oracle as module
from harness.judging.oracle import Oracle

ABOVE = Probe(Filter(Compare(("x",), ">", integer(32), "1")))
BELOW = Probe(Filter(Compare(("x",), "<", integer(32), "2")))


def table(*values):
    """Return a table of one column."""
    return Table.of([("x", integer(32))], [list(values)])


@pytest.fixture
def computed(monkeypatch):
    """Return the list of the queries that were answered anew."""
    queries = []
    chosen = module.selection
    monkeypatch.setattr(
        module, "selection", lambda query, *rest: queries.append(query) or chosen(query, *rest)
    )
    return queries


def test_files_of_one_spilled_table_share_the_answers(tmp_path, computed):
    """Two cases that name one spilled table are answered once, and the table is read once."""
    spilled = table("1", "2", "3").spilled(tmp_path / "t")
    oracle = Oracle()
    first = oracle.answer(ABOVE, spilled, "ieee")
    (tmp_path / "t").unlink()
    again = oracle.answer(ABOVE, Table.from_json(spilled.to_json()), "ieee")
    assert first is again
    assert first.column(0) == ["2", "3"]
    assert oracle.answer(BELOW, spilled, "ieee").column(0) == ["1"]
    assert computed == [ABOVE.query, BELOW.query]


def test_another_table_has_other_answers(computed):
    """The answer is that of the table that the question names."""
    oracle = Oracle()
    one, two = table("1", "2"), table("5", "1")
    assert [oracle.answer(ABOVE, each, "ieee").column(0) for each in (one, two, one)] == [["2"], ["5"], ["2"]]
    assert len(computed) == 3


@pytest.mark.parametrize(
    ("column", "query", "count"),
    [
        ((integer(32), "2"), ABOVE.query, 1),
        ((integer(32), "2"), Project(("x",)), 1),
        ((floating(32), "7fc00000"), Filter(Compare(("x",), ">", floating(32), "00000000")), 2),
        ((struct_of([("y", floating(32))]), ["7fc00000"]), Filter(IsNull(("x",))), 2),
    ],
)
def test_only_floats_have_other_answers_in_another_order(computed, column, query, count):
    """Where a query looks at no floats, one answer is right in every order of them."""
    type_, value = column
    file, oracle = Table.of([("x", type_)], [[value]]), Oracle()
    for order in ("ieee", "nan-greatest"):
        oracle.answer(Probe(query), file, order)
    assert len(computed) == count


def test_a_large_table_stays_on_disk(tmp_path, monkeypatch):
    """A spilled table of many cells is read again for each answer."""
    monkeypatch.setattr(module, "_CELLS", 2)
    spilled = table("1", "2", "3").spilled(tmp_path / "t")
    assert Oracle().held(spilled) is spilled
    assert Oracle().held(table("1").spilled(tmp_path / "u")).spill is None


def test_large_answers_lie_in_files(monkeypatch):
    """An answer of many values is not in memory, and is the same; with another table its file is gone."""
    monkeypatch.setattr(module, "_ANSWER_CELLS", 20_000)
    values = list(map(str, range(70_000)))
    oracle = Oracle()
    large = oracle.answer(ABOVE, table(*values), "ieee")
    assert large.spill is not None
    assert [len(column) for (column,) in large.blocks()] == [16_384] * 4 + [70_000 - 2 - 4 * 16_384]
    assert large.column(0) == values[2:]
    oracle.answer(BELOW, table("1"), "ieee")
    with pytest.raises(FileNotFoundError):
        large.column(0)


def test_large_answers_lie_in_the_given_folder(tmp_path, monkeypatch):
    """A large answer is a file in the run's scratch folder, and goes with its table's answers."""
    monkeypatch.setattr(module, "_ANSWER_CELLS", 0)
    oracle = Oracle(tmp_path)
    answer = oracle.answer(ABOVE, table("1", "2", "3"), "ieee")
    assert tmp_path in Path(answer.spill).parents
    assert answer.column(0) == ["2", "3"]
    oracle.held(table("4"))
    assert not list(tmp_path.iterdir())


def test_answers_fill_no_disk(tmp_path, monkeypatch):
    """Beyond the limit of a table's answers in files, an answer is no file, and has the same rows."""
    monkeypatch.setattr(module, "_ANSWER_CELLS", 0)
    monkeypatch.setattr(module, "_STORED", 1)
    oracle, rows = Oracle(tmp_path), table(*map(str, range(-70_000, 70_000)))
    first, second = (oracle.answer(probe, rows, "ieee") for probe in (ABOVE, BELOW))
    assert first.spill
    assert not second.spill
    assert len(list(tmp_path.glob("*/*"))) == 1
    for _ in range(2):
        assert [len(block[0]) for block in second.blocks()] == [BLOCK_ROWS] * 4 + [70_002 - 4 * BLOCK_ROWS]
        assert second.all_columns() == [list(map(str, range(-70_000, 2)))]
    assert second.num_rows == 70_002
    other = table("1", "2")
    assert oracle.answer(ABOVE, other, "ieee").spill, "the limit is that of one table"
    oracle.held(rows)
    assert not list(tmp_path.glob("*/*"))
