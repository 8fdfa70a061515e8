"""Sheets of files of more than 65,536 rows, whose layouts need that size."""

from __future__ import annotations

import pytest
from hypothesis import strategies as st

from corpora.build.reading import read
from corpora.build.value_features import features_of_values
from corpora.features import many_rows, registry
from corpora.tagged import Table, integer
from properties import generate
from properties.focus import focused
from properties.strategies import large, numbers
from properties.strategies.patterns import Ordered, Sprinkled
from reference_impl.parquet.schema import Encoding

SEEDS = {"parquet": 11, "orc": 8}  # of sheets that are made quickly
SEED = focused(5, many_rows("parquet"))


@pytest.mark.parametrize("format_", SEEDS)
def test_a_file_reads_as_its_table(format_, tmp_path):
    """A seed with the focus has files of more than 65,536 rows, and the reference reads what was written."""
    (sheet,) = generate.generate(focused(SEEDS[format_], many_rows(format_)), 0, 1, format_)
    (file,) = sheet.files
    path = tmp_path / f"file.{format_}"
    path.write_bytes(file.data)
    assert read(str(path), format_) == file.table
    assert file.table.num_rows > 65_536
    assert many_rows(format_) in file.features
    assert many_rows(format_) in registry()
    assert sheet.queries


def test_the_feature_is_of_more_rows_than_16_bits_count():
    """65,536 rows do not show it, 65,537 do."""
    for rows, is_there in ((65_536, False), (65_537, True)):
        table = Table.of([("x", integer(32))], [["1"] * rows])
        assert (many_rows("orc") in features_of_values(table, "orc")) is is_there


def test_layouts_that_need_the_size(monkeypatch):
    """More than 65,536 pages, dictionaries that are given up, and row groups of 65,536 rows are drawn."""
    monkeypatch.setattr(large, "ROWS", (300,))  # the layouts are those of more rows
    plans = [plan for sheet in generate.drawn(SEED, range(60)) for plan in sheet.plans]
    columns = [column for plan in plans for column in plan.columns[1:]]
    assert any(column.pages[-1].entries == 1 for column in columns)
    coded = [[page.encoding == Encoding.RLE_DICTIONARY for page in column.pages] for column in columns]
    assert any(of_column[0] and not of_column[-1] for of_column in coded)
    assert any(plan.row_groups and plan.row_groups[0] == 65_536 for plan in plans)


def test_patterns_that_need_the_size():
    """Late nulls, long runs of values, nulls and lengths, and more values than 16 bits count are drawn."""
    ordered = Ordered(numbers.integers(32, signed=True), 0, 1, 1, 300, 1)
    presences = drawn(large.presence)
    assert any(runs[0][1] > 65_534 and runs[1] == (False, 1) for runs in presences if len(runs) > 1)
    assert any(runs[1][1] > 8_190 for runs in presences if len(runs) > 1)
    assert any(runs[0][1] > 8_190 for runs in drawn(large.lengths))
    values = generate._drawn(1, range(200), patterns_of(ordered))
    assert any(isinstance(value, Sprinkled) for value in values)
    assert any(isinstance(value, Ordered) and value.each > 8_190 for value in values)
    assert any(isinstance(value, Ordered) and value.wrap > 65_537 for value in values)


def test_strides_of_orc(monkeypatch):
    """Long row groups, and an index of `row` with bounds are drawn."""
    monkeypatch.setattr(large, "ROWS", (300,))
    sheets = generate.drawn(focused(5, many_rows("orc")), range(16), "orc")
    plans = [plan for sheet in sheets for plan in sheet.plans]
    assert {65_536, 10_000} & {plan.row_index_stride for plan in plans}
    assert all(plan.columns[1].index is not None and plan.columns[1].statistics for plan in plans)


def drawn(function):
    """Return the runs that a function of `large` draws."""

    @st.composite
    def strategy(draw):
        return function(draw).runs

    return generate._drawn(1, range(200), strategy())


@st.composite
def patterns_of(draw, ordered):
    """Return a pattern of values."""
    return large.held(draw, ordered)
