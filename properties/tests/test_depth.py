"""Sheets in which filters skip pages at depth: pages of other sizes, ranges that begin inside them."""

from __future__ import annotations

from collections import Counter

import pytest

from corpora.answers import answer
from corpora.build import pushdown_orc, pushdown_parquet
from corpora.build.reading import read_rows
from corpora.build.tagged_columns import tagged_table
from corpora.predicates import leaves
from corpora.queries import Filter, Slice
from corpora.tagged import Table
from properties import generate
from properties.focus import focused
from properties.strategies.depth import FEATURE
from properties.strategies.layouts import encodings
from reference_impl.orc.file import OrcFile
from reference_impl.parquet.file import ParquetFile
from reference_impl.parquet.schema import Encoding
from reference_impl.parquet.tree import build

SEED = focused(1, FEATURE)
PAGES_OF_ROW = 10


@pytest.fixture(scope="module")
def sheets(fewer):
    """Return sheets with the focus, as they are drawn."""
    return generate.drawn(SEED, range(fewer(90, 6)))


def chunks(sheets):
    """Yield each column beside `row` with its layout, and the rows of a page of `row` and of its own."""
    for sheet in sheets:
        leaves_ = list(build(list(sheet.schema)).leaves())
        for plan in sheet.plans:
            row = plan.columns[0].pages[-1].entries
            for leaf, column in zip(leaves_[1:], plan.columns[1:], strict=True):
                yield leaf, column, row, column.pages[-1].entries or len(plan.rows)


@pytest.mark.heavy
def test_every_encoding_stands_beside_the_filter_s_column(sheets):
    """Each encoding of each type, v1 and v2 pages, nulls, none, and lists occur, in wide and narrow pages."""
    found = Counter()
    wanted = {Encoding.RLE_DICTIONARY.name}
    for leaf, column, of_row, own in chunks(sheets):
        page = column.pages[-1]
        wanted.update(encoding.name for encoding in encodings(leaf))
        size = "wide" if own >= 8 * of_row else "narrow" if own * 8 <= of_row else "alike"
        indexed = "bounds" if column.index.column else "offsets only"
        found.update([page.encoding.name, size, f"v{page.version}", leaf.repetition.name, indexed])
        found["list"] += leaf.repetition_level > 0
        found["first page is another"] += len(column.pages) > 1
    wanted |= {"wide", "narrow", "list", "first page is another", "v1", "v2", "REQUIRED", "OPTIONAL"}
    wanted |= {"bounds", "offsets only"}
    assert wanted <= {name for name, count in found.items() if count}


@pytest.mark.heavy
def test_ranges_begin_at_and_inside_of_pages_and_batches(sheets):
    """Ranges begin at multiples of 1,024 to 8,192 rows, and in the middle of pages of the other columns."""
    starts = {
        int(test.value)
        for sheet in sheets
        for query in filter(_is_filter, sheet.queries)
        for test in leaves(query.predicate)
        if getattr(test, "op", "") == ">="
    }
    assert all(any(start and start % size == 0 for start in starts) for size in (1_024, 2_048, 4_096, 8_192))
    assert any(start % 1_024 == 1 for start in starts)
    assert any(start % 32 for start in starts)
    offsets = {query.offset for sheet in sheets for query in sheet.queries if isinstance(query, Slice)}
    assert all(any(start and start % size == 0 for start in offsets) for size in (1_024, 2_048, 4_096))
    assert any(start % 32 for start in offsets)


@pytest.mark.heavy
def test_the_reference_skips_pages_and_answers_as_the_oracle(fewer):
    """With pushdown the reference reads fewer rows than there are, and what is left has the right ones."""
    skipped = 0
    for sheet in generate.generate(SEED, 0, fewer(6, 6)):
        for file in sheet.files:
            opened = ParquetFile(file.data)
            for query in filter(_is_filter, sheet.queries):
                parts = [
                    (number, tuple(ranges))
                    for number, ranges in pushdown_parquet.scan(opened, query.predicate, "on", "ieee")
                ]
                left = [tagged_table(read_rows(opened, number, ranges)) for number, ranges in parts]
                count = sum(table.num_rows for table in left)
                skipped += file.table.num_rows - count
                rows = [row for table in left for row in _rows(answer(query, table, "ieee"))]
                assert rows == _rows(answer(query, file.table, "ieee")), str(query)
    assert skipped > 0


def _is_filter(query):
    return isinstance(query, Filter)


def _rows(table: Table):
    return list(zip(*(table.column(at) for at in range(len(table.columns))), strict=True))


@pytest.mark.heavy
def test_row_groups_of_orc_are_skipped_at_depth(fewer):
    """Files have thousands of rows; the reference skips row groups of most, and answers as the oracle."""
    numbers = range(generate.FIRST_DEEP["orc"], fewer(8, 3) * generate.DEPTH, generate.DEPTH)
    skipped, strides = 0, set()
    for sheet in generate.generate(4, numbers.start, numbers.stop, "orc", generate.DEPTH):
        for file in sheet.files:
            assert file.table.num_rows >= 2_000
            opened = OrcFile(file.data)
            strides.add(opened.footer.row_index_stride)
            for query in filter(_is_filter, sheet.queries):
                left = [
                    tagged_table(read_rows(opened, number, tuple(ranges)))
                    for number, ranges in pushdown_orc.scan(opened, query.predicate, "on", "ieee")
                ]
                skipped += sum(table.num_rows for table in left) < file.table.num_rows
                rows = [row for table in left for row in _rows(answer(query, table, "ieee"))]
                assert rows == _rows(answer(query, file.table, "ieee")), str(query)
    assert skipped > len(numbers)
    assert len(strides) > 1
