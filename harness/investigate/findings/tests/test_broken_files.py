"""The smallest table of a finding about a written file breaks the same rule, in a column of the same type."""

import pytest

from corpora.tagged import STRING, Table, integer
from harness.children.connection import Limits
from harness.engines.naming import EngineName
from harness.investigate.findings.broken_files import Writer, case_of, finding_of

TABLE = Table.of(
    [("a", STRING), ("b", integer(32)), ("c", integer(64))],
    [["x", None, "z"] * 3, ["1", "2", None] * 3, ["1", "2", "3"] * 3],
)


@pytest.mark.parametrize("cause", ["PQ-CHUNK-010 in INT64", "PQ-CHUNK-010 in BYTE_ARRAY (STRING)"])
def test_the_type_stays(tmp_path, cause):
    """Of a cause in a type one row of one column of that type is left; the finding has that signature."""
    with Writer(EngineName("polars"), "parquet", Limits(), tmp_path) as writer:
        small = writer.smallest(TABLE, {}, cause)
        assert small is not None
        assert (small.cause, small.rule) == (cause, "PQ-CHUNK-010")
        assert small.table.num_rows == 1
        (field,) = small.table.columns
        assert (field.name == "a") == ("STRING" in cause)
        case = case_of("written/x", writer, small, tmp_path)
        finding = finding_of("polars", writer.version, small, case)
    assert finding.signature == f"polars | wrote_invalid | {cause}"
    assert case.expectation.rule == "PQ-CHUNK-010"


def test_what_is_not_broken_has_no_smallest_table(tmp_path):
    """A rule that is broken in another type only is not that cause."""
    with Writer(EngineName("polars"), "parquet", Limits(), tmp_path) as writer:
        assert writer.smallest(TABLE, {}, "PQ-CHUNK-010 in DOUBLE") is None
        assert writer.smallest(TABLE, {}, "PQ-CHUNK-010") is None
