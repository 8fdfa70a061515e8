"""Spark's ORC is told keys for as long as a request takes, and forgets them."""

from __future__ import annotations

from pathlib import Path

import pytest

from corpora.cases import load
from corpora.keys import Keys, suite_key
from harness.engines.errors import Unsupported

CASES = Path(__file__).parents[2] / "corpora" / "orc" / "encryption"

pytestmark = pytest.mark.spark


@pytest.fixture(scope="module")
def spark():
    """The adapter, with its session."""
    pytest.importorskip("pyspark")
    from harness.engines.spark.adapter import Spark

    return Spark()


def answered(spark, name):
    """What the adapter answers of a case, and what it should."""
    case = load(CASES / f"{name}.json")
    spark.enter(case.keys)
    return spark.read(str(case.file), "orc", {}).to_json(), case.expectation.table.to_json()


@pytest.mark.parametrize(
    "name",
    [
        "aes-ctr-128/with-keys",
        "aes-ctr-256/with-keys",
        "aes-ctr-256/without-keys",  # what was known is known no more
        "two-keys/with-one",
        "two-keys/other-versions",
        "merged/with-keys",
    ],
)
def test_spark_reads_with_the_keys_it_is_told(spark, name):
    """With a key the values, without it what is masked, whatever was told before."""
    found, expected = answered(spark, name)
    assert found == expected


def test_keys_that_orc_does_not_have(spark):
    """A key of 24 bytes is one that no algorithm of ORC has."""
    spark.enter(Keys(orc={"pii": {0: suite_key("master", 24)}}))
    with pytest.raises(Unsupported):
        spark.read(str(CASES / "aes-ctr-128" / "with-keys.orc"), "orc", {})
