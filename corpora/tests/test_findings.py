"""FINDINGS.md says what corpora/known says."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from corpora import known_failures
from corpora.cases import CaseError
from corpora.findings import findings, render
from corpora.known_failures import Entry, Judged

ENTRY = Entry(
    "spark",
    "parquet/statistics/nan",
    "different",
    "NaN is greater than all, and no bound counts it",
    clause="parquet.thrift, ColumnOrder",
    versions=">=4.3.0",
    config={"pushdown": "on"},
    finding="nan-hides-rows",
    symptom="rows with NaN are lost",
    repro="print(1)\n",
)
GENERATED = replace(
    ENTRY, case="generated/*", signature="spark* rows lost in float(64)*", symptom="", repro=""
)


def test_a_finding_is_rendered_once():
    """Entries of one finding are one section, with script, clause, smallest file, and a row in each table."""
    page = render([ENTRY, GENERATED, replace(ENTRY, finding="", reason="another")])
    assert page.count("nan-hides-rows") == 5
    for text in ("rows with NaN are lost", "print(1)", "`parquet/statistics/nan`", ">=4.3.0", "pushdown=on"):
        assert text in page
    assert "generated/*" not in page
    assert "another" not in page


@pytest.mark.parametrize(
    ("case", "alone"),
    [
        ("parquet/statistics/nan", "`parquet_java` as well: `crashed`"),
        ("parquet/statistics/n?n", "`parquet_java` as well: `crashed`"),
        ("parquet/statistics/other", "no failure of `parquet_java`"),
        ("orc/statistics/nan", "no failure of `orc_java`"),
        ("writers/spark/*", "not asked: they do not write"),
        ("parquet/encryption/layout/v2-ctr", "not asked: they are given no keys"),
        ("evolved/parquet/add/all", "not asked: they do not read folders"),
    ],
)
def test_a_finding_of_spark_says_whether_its_library_has_it(case, alone):
    """Beside a finding of Spark stands what the engine of the same jars without Spark makes of its cases."""
    below = replace(ENTRY, engine="parquet_java", verdict="crashed", finding="")
    page = render([replace(ENTRY, case=case), below])
    assert f"| [nan-hides-rows](#nan-hides-rows) | {alone} |" in page


@pytest.mark.parametrize("field", ["symptom", "clause", "repro"])
def test_a_finding_is_whole(field):
    """A finding without symptom, clause or script is refused."""
    with pytest.raises(CaseError, match=field):
        findings([replace(ENTRY, **{field: ""})])


def test_a_signature_limits_the_scope():
    """An entry with a signature covers only rows whose signature fits, and is never stale."""
    row = Judged("generated/1/2/3", "spark", "4.3.0", {"pushdown": "on"}, "different")
    lost = row._replace(signature="spark:x | different | rows lost in float(64) by <")
    assert GENERATED.covers(lost)
    assert not GENERATED.covers(row)
    assert known_failures.examine([GENERATED], [lost._replace(verdict="agree")]) == []


def test_the_page_is_up_to_date():
    """The FINDINGS.md that is checked in is what `corpora/known` renders to."""
    page = Path(__file__).parents[2] / "FINDINGS.md"
    assert page.read_text("utf-8") == render(known_failures.load())
