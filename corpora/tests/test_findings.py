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
    """Entries of one finding are one row and one section, with script, clause and smallest file."""
    page = render([ENTRY, GENERATED, replace(ENTRY, finding="", reason="another")])
    assert page.count("nan-hides-rows") == 3
    for text in ("rows with NaN are lost", "print(1)", "`parquet/statistics/nan`", ">=4.3.0", "pushdown=on"):
        assert text in page
    assert "generated/*" not in page
    assert "another" not in page


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
