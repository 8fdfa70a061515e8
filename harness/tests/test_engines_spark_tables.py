"""Spark reads folders as tables with the schemas of readers."""

import pytest

from corpora.build.evolution.cases import generated
from harness.engines.spark.adapter import Spark
from harness.judging.compare import compare

pytestmark = pytest.mark.spark
ASKED = ("/all", "/only-missing", "/nothing", "/widened", "/caseless", "/ids-renamed", "/split-1")


@pytest.mark.parametrize("format_", ["parquet", "orc"])
def test_tables(spark, format_, tmp_path):
    """Spark reads a table with each schema as the oracle says."""
    cases = list(generated(format_, "two files", "tables/t", tmp_path, ("add", "widen")))
    asked = [case for case in cases if case.id.endswith(ASKED)]
    assert len(asked) > 3
    for case in asked:
        outcome = spark.read_table(case.file, format_, {"vectorized": "on"}, case.read)
        assert outcome.table is not None, outcome.detail.summary
        comparison = compare(case.expectation.table, outcome.table, Spark.equivalences)
        assert comparison.difference is None, str(case.read)
