"""The reference's pushdown: by whatever means it skips, the oracle's answer stays."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpora.answers import answer
from corpora.blocks import Blocks
from corpora.build.expected import row_groups
from corpora.build.orc_expected import stripes
from corpora.build.pushdown_parquet import _plain
from corpora.build.pushdown_ranges import condition, covered
from corpora.build.recipe import leaf, schema
from corpora.predicates import Compare, In, IsNull, Not, NotTrue, Or, StartsWith
from corpora.queries import Filter
from corpora.tagged import BLOCK_ROWS, Table, floating, integer
from harness.engines.reference import files
from harness.engines.reference.adapter import Reference
from harness.engines.registry import ENGINES
from properties.generate import generate
from reference_impl.orc import plan as orc_plan
from reference_impl.orc import schema as orc_schema
from reference_impl.orc import writer as orc_writer
from reference_impl.parquet.file import ParquetFile
from reference_impl.parquet.plan import Column, FilePlan, Index, Page, Statistics
from reference_impl.parquet.schema import (
    FieldRepetitionType,
    SchemaElement,
    Type,
)
from reference_impl.parquet.writer import write

PUSHDOWN = ENGINES["reference"].switches["pushdown"]


def questions(sheet, groups_of, pushdowns):
    """Yield key, file, query, its rows and pushdown for all that the reference can be asked of a sheet."""
    for at, one in enumerate(sheet.files):
        groups = groups_of(one)
        for query in sheet.queries:
            number = getattr(query, "number", None)
            if query.kind in Reference.queries and (number is None or number < len(groups)):
                rows = None if number is None else groups[number]
                for pushdown in pushdowns:
                    yield f"{sheet.number} {at} {query} {pushdown}", (one, query, rows, pushdown)


def check(file, form, asked):
    """Ask the reference, and compare with the oracle's answers."""
    reference = Reference()
    for one, query, rows, pushdown in asked:
        file.write_bytes(one.data)
        right = answer(query, one.table, reference.float_order, rows)
        found = reference.query_one(str(file), form, {"pushdown": pushdown}, query)
        assert found == right, (one.text, str(query), pushdown)


@pytest.mark.heavy
def test_generated_files(tmp_path, some_of, fewer):
    """Queries of generated files have the oracle's answers, whatever is skipped and by which means."""
    for sheet in generate(11, 0, fewer(6, 3)):
        asked = some_of(questions(sheet, lambda one: row_groups(one.plan), PUSHDOWN), 12)
        check(tmp_path / "x.parquet", "parquet", asked)


@pytest.mark.heavy
@pytest.mark.parametrize("form", ["parquet", "orc"])
def test_files_too_large_for_memory(tmp_path, some_of, monkeypatch, form):
    """Files that are read part by part, as if they had many cells, have the oracle's answers."""
    monkeypatch.setattr(files, "_JOINED", -1)
    groups_of = {"parquet": row_groups, "orc": stripes}[form]
    for sheet in generate(12, 0, 3, form):
        some = some_of(questions(sheet, lambda one: groups_of(one.plan), ["on", "off"]), 12)
        check(tmp_path / f"x.{form}", form, some)


@pytest.mark.parametrize(
    "sizes", [(), (0,), (1, 2), (BLOCK_ROWS - 1, 2, 0, BLOCK_ROWS), (3 * BLOCK_ROWS + 5,)], ids=str
)
def test_blocks_of_parts(sizes):
    """Parts of any number of rows have the blocks of one table, each time they are read."""
    parts = [Table.of([("x", integer(64))], [[str(row) for row in range(size)]]) for size in sizes]
    joined = [value for part in parts for value in part.column(0)]
    blocks = Blocks(sum(sizes), lambda: (block for part in parts for block in part.blocks()))
    for _ in range(2):
        assert list(blocks) == list(Table.of([("x", integer(64))], [joined]).blocks())
    assert len(blocks) == len(list(blocks))


def test_many_cells_are_not_held(tmp_path, monkeypatch):
    """Rows of more cells than are kept in memory are read part by part, fewer are read once."""
    plan = FilePlan(schema(leaf("a", Type.INT32)), tuple({"a": row} for row in range(8)), row_groups=(4, 4))
    file = tmp_path / "x.parquet"
    file.write_bytes(write(plan))
    held = files.open_file(str(file), "parquet")
    assert held.whole() is held.whole()
    monkeypatch.setattr(files, "_JOINED", 7)
    assert isinstance(held.whole().in_memory, Blocks)
    assert held.whole().column(0) == [str(row) for row in range(8)]


def test_pages_are_skipped(tmp_path, monkeypatch):
    """By the index only the pages that may match are read; without pushdown all are."""
    plan = FilePlan(
        (
            SchemaElement(name="m", num_children=1),
            SchemaElement(type=Type.INT32, repetition_type=FieldRepetitionType.REQUIRED, name="a"),
        ),
        tuple({"a": row} for row in range(100)),
        columns=(Column(pages=(Page(entries=10),), statistics=Statistics(), index=Index()),),
        row_groups=(50, 50),
    )
    file = tmp_path / "x.parquet"
    file.write_bytes(write(plan))
    seen = []
    monkeypatch.setattr(
        "harness.engines.reference.adapter.answer", lambda _, table, __: seen.append(table.num_rows) or table
    )
    query = Filter(Compare(("a",), "=", integer(32), "55"))
    for pushdown in ("on", "statistics", "index", "bloom", "off"):
        Reference().query_one(str(file), "parquet", {"pushdown": pushdown}, query)
    assert seen == [10, 50, 10, 100, 100]


@given(st.lists(st.sets(st.integers(0, 12)), min_size=1, max_size=4), st.integers(1, 4))
def test_ranges_join(sets, needed):
    """The rows that so many ranges hold are counted, and ranges that touch are one."""
    needed = min(needed, len(sets))
    parts = [covered([[(row, row + 1) for row in sorted(one)]], 1) for one in sets]
    found = covered(parts, needed)
    assert [row for start, stop in found for row in range(start, stop)] == [
        row for row in range(13) if sum(row in one for one in sets) >= needed
    ]
    assert all(stop < start for (_, stop), (start, _) in pairwise(found))


def test_negation():
    """Below NOT, a float is looked for only where NaN tells no difference, and no list and no prefix is."""
    plan = FilePlan(
        (
            SchemaElement(name="m", num_children=1),
            SchemaElement(type=Type.DOUBLE, repetition_type=FieldRepetitionType.OPTIONAL, name="a"),
        )
    )
    (node,) = ParquetFile(write(plan)).leaves
    double, zero = floating(64), "0" * 16

    def wanted(test, *, plain):
        return condition(test, lambda type_, value: _plain(node, type_, value), plain=plain)

    assert wanted(Compare(("a",), "<", double, zero), plain=False) is None
    assert wanted(Compare(("a",), "!=", double, zero), plain=False) == ("=", [bytes(8)])
    assert wanted(In(("a",), double, (zero,)), plain=False) is None
    assert wanted(StartsWith(("a",), "x"), plain=False) is None
    assert wanted(IsNull(("a",)), plain=False) == ("is not null", [])
    assert wanted(Compare(("a",), "<", double, zero), plain=True) == ("<", [bytes(8)])


def in_pages(folder, values):
    """Write a column `a` of integers, in pages of ten with a column index; return the file."""
    plan = FilePlan(
        (
            SchemaElement(name="m", num_children=1),
            SchemaElement(type=Type.INT32, repetition_type=FieldRepetitionType.OPTIONAL, name="a"),
        ),
        tuple({"a": value} for value in values),
        columns=(Column(pages=(Page(entries=10),), index=Index()),),
    )
    file = folder / "x.parquet"
    file.write_bytes(write(plan))
    return file


def test_or_keeps_what_either_part_needs(tmp_path):
    """OR reads what either part may match, NOT OR what both leave."""
    file = in_pages(tmp_path, [row if row % 10 else None for row in range(40)])
    either = Or((Compare(("a",), "<", integer(32), "5"), Compare(("a",), ">", integer(32), "35")))
    for predicate, rows in ((either, ["1", "2", "3", "4", "36"]), (Not(either), ["5", "6", "7", "8", "9"])):
        found = Reference().query_one(str(file), "parquet", {"pushdown": "index"}, Filter(predicate))
        assert found.column(0)[:5] == rows


def test_is_not_true_reads_pages_with_nulls(tmp_path):
    """What is TRUE of all values of a page, and so skips it below NOT, is not TRUE of its nulls."""
    file = in_pages(tmp_path, [row if row % 10 else None for row in range(40)])
    more = Compare(("a",), ">", integer(32), "12")
    for predicate, rows in (
        (NotTrue(more), [None, *map(str, range(1, 10)), None, "11", "12", None, None]),
        (NotTrue(Not(more)), [None, None, *map(str, range(13, 20)), None, *map(str, range(21, 30)), None]),
        (Not(NotTrue(more)), [str(row) for row in range(13, 40) if row % 10]),
    ):
        found = Reference().query_one(str(file), "parquet", {"pushdown": "index"}, Filter(predicate))
        assert found.column(0)[: len(rows)] == rows


def test_is_not_true_of_a_list_with_null_reads_all_pages(tmp_path):
    """A value that is not in a list with null may be, so that neither IN nor its opposite is TRUE of it."""
    file = in_pages(tmp_path, list(range(40)))
    listed = In(("a",), integer(32), ("1", None))
    every = [str(row) for row in range(40)]
    for predicate, rows in ((NotTrue(Not(listed)), every), (NotTrue(listed), [every[0], *every[2:]])):
        found = Reference().query_one(str(file), "parquet", {"pushdown": "index"}, Filter(predicate))
        assert found.column(0) == rows


def test_generated_orc_files(tmp_path, some_of, fewer):
    """Queries of generated ORC files have the oracle's answers, whatever is skipped and by which means."""
    values = ENGINES["reference"].values("pushdown", ["orc"])
    for sheet in generate(11, 0, fewer(5, 2), "orc"):
        asked = some_of(questions(sheet, lambda one: one.groups, values), 8)
        check(tmp_path / "x.orc", "orc", asked)


def test_row_groups_are_skipped(tmp_path, monkeypatch):
    """By the index only the row groups that may match are read, by statistics only the stripes."""
    types = (
        orc_schema.Type(kind=orc_schema.TypeKind.STRUCT, subtypes=(1,), field_names=("a",)),
        orc_schema.Type(kind=orc_schema.TypeKind.INT),
    )
    layout = orc_plan.Column(bloom=orc_plan.Bloom(words=8))
    plan = orc_plan.FilePlan(
        types,
        tuple((row,) for row in range(100)),
        columns=(orc_plan.Column(), layout),
        stripes=(50, 50),
        row_index_stride=10,
    )
    file = tmp_path / "x.orc"
    file.write_bytes(orc_writer.write(plan))
    seen = []
    monkeypatch.setattr(
        "harness.engines.reference.adapter.answer", lambda _, table, __: seen.append(table.num_rows) or table
    )
    query = Filter(Compare(("a",), "=", integer(32), "55"))
    for pushdown in ("on", "statistics", "index", "bloom", "off"):
        Reference().query_one(str(file), "orc", {"pushdown": pushdown}, query)
    assert seen == [10, 50, 10, 10, 100]
