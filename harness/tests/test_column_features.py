"""The features of the columns that a failure is about: in rows and findings, and for known failures."""

from __future__ import annotations

import pytest

from corpora.cases import Case, Expectation
from corpora.queries import Aggregate, Compare, CountRows, Filter, Project
from corpora.tagged import Table, floating, integer
from harness.judging.column_features import ColumnFeatures
from harness.judging.compare import compare
from harness.judging.results import Finding, Row
from harness.tests.pipelines import generated, process, pushing
from harness.tests.schemas import check
from reference_impl.parquet.plan import Column, FilePlan, Page
from reference_impl.parquet.schema import Encoding, FieldRepetitionType, SchemaElement, Type
from reference_impl.parquet.writer import write

INT64, DOUBLE = integer(64), floating(64)
NAN, ONE = "7ff8000000000000", "3ff0000000000000"
COLUMNS = [("n", INT64), ("x", DOUBLE)]
TABLE = Table.of(COLUMNS, [["1", "2"], [ONE, NAN]])
OF_N = (
    "parquet/codec/uncompressed",
    "parquet/encoding/delta-binary-packed",
    "parquet/page/v1",
    "parquet/type/int64",
)
OF_X = (
    "parquet/codec/uncompressed",
    "parquet/encoding/plain",
    "parquet/page/v1",
    "parquet/type/double",
    "parquet/value/nan",
)
OVER_N, OVER_X = Compare(("n",), ">", INT64, "1"), Compare(("x",), ">", DOUBLE, ONE)
WRONG_N = compare(TABLE, Table.of(COLUMNS, [["1", "3"], [ONE, NAN]]), ()).difference
KNOWN = """[[failure]]
case = "generated/*"
verdict = "different"
reason = "r"
signature = "* in int(32, signed) order"
column = {column}
"""


@pytest.fixture
def columns(tmp_path):
    """Return the features of the columns of a file: integers as deltas, and floats with a NaN."""
    elements = (
        SchemaElement(name="schema", num_children=2),
        SchemaElement(name="n", type=Type.INT64, repetition_type=FieldRepetitionType.REQUIRED),
        SchemaElement(name="x", type=Type.DOUBLE, repetition_type=FieldRepetitionType.REQUIRED),
    )
    rows = ({"n": 1, "x": 1.0}, {"n": 2, "x": float("nan")})
    layouts = Column((Page(encoding=Encoding.DELTA_BINARY_PACKED),)), Column((Page(),))
    file = tmp_path / "f.parquet"
    file.write_bytes(write(FilePlan(elements, rows, layouts)))
    case = Case("files/f", "parquet", file, "0" * 64, Expectation.accept(TABLE, "generator"))
    return ColumnFeatures(case, TABLE)


@pytest.mark.parametrize(
    ("query", "difference", "features"),
    [
        (Filter(OVER_X), None, OF_X),
        (CountRows(OVER_N), None, OF_N),
        (Aggregate(("x",)), None, OF_X),
        (None, WRONG_N, OF_N),
        (Filter(OVER_X), WRONG_N, OF_N),  # the rows are right, and a value of another column is wrong
        (Project(("n",)), None, ()),
        (None, None, ()),
    ],
    ids=["filter", "count", "aggregate", "value", "value-of-filter", "projection", "file"],
)
def test_features_are_those_of_the_columns_in_question(columns, query, difference, features):
    """They are the column that differs or, of wrong rows and computed values, the columns of the query."""
    assert columns.of(query, difference) == features


def test_the_column_of_an_aggregate_is_not_one_of_the_file(columns):
    """A result that has a column of its own, even if it is called as one of the file, is of the query's."""
    assert columns.of(Aggregate(("x",)), WRONG_N) == OF_X


def test_a_file_that_is_gone_has_values(columns):
    """A file that cannot be opened has features of its values alone."""
    columns._case.file.unlink()
    assert columns.of(Filter(OVER_X), None) == ("parquet/value/nan",)


def failing(folder, known):
    """Return the row of a fake that loses rows of filters, with its known failures, and the findings."""
    (folder / "known").mkdir(parents=True)
    (folder / "known" / "losesrows.toml").write_text(known)
    done = generated(folder / "out", 1, pushing("LosesRows"), process("Healthy", "reference"))
    (row,) = (row for row in done.rows if row.engine == "losesrows" and not row.config)
    return row, done.findings


def test_rows_and_findings_have_them(tmp_path):
    """A row of a problem has the features of the columns of its query alone, and so has its finding."""
    row, (finding, *_) = failing(tmp_path, "")
    assert row.detail.column_features == ("parquet/value/null",)
    assert "parquet/type/byte-array" in row.detail.features
    assert finding.column_features == list(row.detail.column_features)
    assert Row.from_json(row.to_json()) == row
    assert Finding.from_json(finding.to_json()) == finding
    for document, name in ((row, "row"), (finding, "finding")):
        check(document.to_json(), "results:3", name)
    assert "column_features" not in row.with_detail(column_features=()).to_json()["detail"]


def test_a_known_failure_of_other_columns_hides_nothing(tmp_path):
    """An entry covers the row by the columns of its query, and not by another column of the file."""
    _, findings = failing(tmp_path / "other", KNOWN.format(column='"parquet/type/byte-array"'))
    assert any(finding.signature.endswith("int(32, signed) order") for finding in findings)
    _, findings = failing(tmp_path / "own", KNOWN.format(column='"parquet/value/null"'))
    assert not any(finding.signature.endswith("int(32, signed) order") for finding in findings)
