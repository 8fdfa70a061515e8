"""Reading a file that was written from a plan gives what the plan says.

Three parts that share no code answer the same question: the writer and the reader of `reference_impl`, and
the expected table, which is made from the plan without either.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from hypothesis import HealthCheck, given, note, settings

from corpora.build import expected
from corpora.build.tagged_columns import tagged_table
from properties.choices import UNIFORM
from properties.strategies.sheets import sheets
from reference_impl.parquet.file import ParquetFile
from reference_impl.parquet.writer import write
from reference_impl.plans import show

if TYPE_CHECKING:
    from properties.strategies.sheet import Sheet
    from reference_impl.parquet.plan import FilePlan
    from reference_impl.parquet.schema import SchemaElement


@given(sheets(min_files=1, max_files=3))
@settings(max_examples=50, backend=UNIFORM, deadline=None, suppress_health_check=list(HealthCheck))
def test_a_written_plan_is_read_back(sheet: Sheet[SchemaElement, FilePlan]) -> None:
    """The reference reads from a written plan exactly its types and values."""
    for plan in sheet.plans:
        note(show(plan))
        found, wanted = tagged_table(ParquetFile(write(plan)).read()), expected.table(plan)
        assert found.columns == wanted.columns
        assert found.to_json() == wanted.to_json()
