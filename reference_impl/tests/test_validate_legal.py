"""Legal files that were once told to be wrong, or written wrong: found among generated ones."""

from __future__ import annotations

from dataclasses import replace

from reference_impl.parquet.file import ParquetFile
from reference_impl.parquet.plan import Column, FilePlan
from reference_impl.parquet.schema import (
    ColumnOrder,
    Empty,
    FieldRepetitionType,
    LogicalType,
    SchemaElement,
    Type,
)
from reference_impl.parquet.statistics_structs import Statistics
from reference_impl.parquet.tamper import Tamper
from reference_impl.parquet.validate import validate
from reference_impl.parquet.writer import write

ROOT = SchemaElement(name="schema", num_children=1)


class Counted(Tamper):
    """Sets statistics of a chunk."""

    def chunk(self, place, chunk):
        """Count nulls, and no NaN."""
        del place
        told = Statistics(null_count=3, nan_count=0)
        return replace(chunk, meta_data=replace(chunk.meta_data, statistics=told))


def test_a_double_is_a_float_whatever_annotates_it():
    """A DOUBLE of nulls only, annotated UNKNOWN, may have IEEE 754 total order and a nan_count."""
    leaf = SchemaElement(
        type=Type.DOUBLE,
        repetition_type=FieldRepetitionType.OPTIONAL,
        name="x",
        logicalType=LogicalType(UNKNOWN=Empty()),
    )
    orders = (ColumnOrder(IEEE_754_TOTAL_ORDER=Empty()),)
    plan = FilePlan((ROOT, leaf), ({"x": None},) * 3, column_orders=orders)
    assert [one.rule for one in validate(write(plan, Counted()))] == []


def test_a_row_group_begins_with_its_first_page():
    """A chunk without pages in front has no page that file_offset could be that of."""
    empty, other = (
        SchemaElement(type=Type.INT32, repetition_type=FieldRepetitionType.REQUIRED, name=name)
        for name in "ab"
    )
    plan = FilePlan(
        (replace(ROOT, num_children=2), empty, other),
        columns=(Column(no_empty_page=True), Column(gap=5)),
        row_groups=(0,),
        row_group_details=True,
    )
    data = write(plan)
    (group,) = ParquetFile(data).metadata.row_groups
    assert group.file_offset == group.columns[1].meta_data.data_page_offset
    assert "PQ-GROUP-003" not in {one.rule for one in validate(data)}
