"""Spark's ORC is told keys for as long as a request takes, and forgets them."""

from __future__ import annotations

from pathlib import Path

import pytest

from corpora.cases import load
from corpora.keys import Keys, suite_key
from harness.children.outcomes import OutcomeKind

CASES = Path(__file__).parents[2] / "corpora" / "orc" / "encryption"

pytestmark = pytest.mark.spark


def answered(spark, name):
    """What the adapter answers of a case, and what it should."""
    case = load(CASES / f"{name}.json")
    outcome = spark.read(case.file, "orc", {}, case.keys)
    assert outcome.kind is OutcomeKind.TABLE, outcome.detail
    return outcome.table.to_json(), case.expectation.table.to_json()


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
    keys = Keys(orc={"pii": {0: suite_key("master", 24)}})
    outcome = spark.read(CASES / "aes-ctr-128" / "with-keys.orc", "orc", {}, keys)
    assert outcome.kind is OutcomeKind.UNSUPPORTED, outcome.detail
