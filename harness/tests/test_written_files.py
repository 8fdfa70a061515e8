"""What is wrong with a file that an engine wrote: each broken rule, once for each type of column."""

from __future__ import annotations

from pathlib import Path

from corpora.build.formats import FORMATS
from corpora.build.recipe import leaf, schema, text
from corpora.formats import ORC, PARQUET
from corpora.own_cases import folder
from harness.runs.pipeline.written_files import broken_rules
from reference_impl.parquet.page_structs import BloomFilterHeader
from reference_impl.parquet.plan import Bloom, Column, FilePlan
from reference_impl.parquet.schema import Type
from reference_impl.parquet.tamper import Place, Tamper

RULE = "PQ-BLOOM-005"


class Emptied(Tamper):
    """Bloom filters that admit no value."""

    def bloom(
        self, place: Place, header: BloomFilterHeader, bitset: bytes
    ) -> tuple[BloomFilterHeader, bytes]:
        """Return a bitset without bits."""
        del place  # all filters are alike
        return header, bytes(len(bitset))


def test_each_type_has_its_row(tmp_path: Path) -> None:
    """Filters of two types of columns that admit nothing are two failures; a second INT32 adds none."""
    fields = schema(leaf("a", Type.INT32), leaf("b", Type.INT32), text("c"))
    filtered = Column(bloom=Bloom(1))
    plan = FilePlan(fields, ({"a": 1, "b": 2, "c": b"x"},), (filtered,) * 3)
    file = tmp_path / "x.parquet"
    file.write_bytes(FORMATS[PARQUET].write(plan, Emptied()))
    broken = broken_rules(file, PARQUET)
    assert [(each["rule"], each["about"]) for each in broken] == [
        (RULE, "INT32"),
        (RULE, "BYTE_ARRAY (STRING)"),
    ]
    assert broken[0]["message"].startswith("[PQ-BLOOM-005] row_groups[0].column a.bloom_filter, byte ")


def test_statistics_of_orc_have_the_type_of_their_column() -> None:
    """A minimum that is wrong in the row group and in the footer is one failure of the column's type."""
    file = folder() / "orc/fault/orc-stats-001/minimum-above-a-value.orc"
    assert [(each["rule"], each["about"]) for each in broken_rules(file, ORC)] == [("ORC-STATS-001", "LONG")]


def test_a_file_without_schema_has_no_types(tmp_path: Path) -> None:
    """What breaks a file before its schema is about no column."""
    file = tmp_path / "x.parquet"
    file.write_bytes(b"PAR1PAR1")
    assert {each["about"] for each in broken_rules(file, PARQUET)} == {""}
