"""Spark reads folders as tables with the schemas of readers."""

import pytest

from corpora.build.evolution.cases import alike, generated
from harness.engines.spark.adapter import Spark
from harness.judging.compare import compare

pytestmark = pytest.mark.spark
ASKED = ("/all", "/only-missing", "/nothing", "/widened", "/caseless", "/ids-renamed")


@pytest.mark.parametrize("format_", ["parquet", "orc"])
def test_tables(spark, format_, tmp_path):
    """Spark reads a table with each schema as the oracle says."""
    cases = list(generated(format_, "some files", "tables/t", tmp_path, ("add", "widen")))
    asked = [case for case in cases if case.id.endswith(ASKED) or "/split-" in case.id]
    assert len(asked) > 3
    for case in asked:
        outcome = spark.read_table(case.file, format_, {"vectorized": "on"}, case.read)
        assert outcome.table is not None, outcome.detail.summary
        comparison = compare(case.expectation.table, outcome.table, Spark.equivalences)
        assert comparison.difference is None, str(case.read)


def test_tables_of_one_read(spark, tmp_path):
    """Folders that are read in one query have the rows that each has alone."""
    cases = [
        case
        for case in alike("parquet", "several", "tables/t", tmp_path, 3)
        if case.id.rpartition("~")[0].endswith(("/all", "/nothing"))
    ]
    for read in {case.read for case in cases}:
        some = [case for case in cases if case.read == read]
        assert len(some) == 3
        config = {"vectorized": "on"}
        outcomes = spark.read_tables([case.file for case in some], "parquet", config, read)
        for case, outcome in zip(some, outcomes, strict=True):
            assert outcome.table == spark.read_table(case.file, "parquet", config, read).table
            assert outcome.table.num_rows == case.expectation.table.num_rows
