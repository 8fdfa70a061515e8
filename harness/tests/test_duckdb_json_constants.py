"""Constants of filters of columns that DuckDB reads as JSON."""

import pytest

from corpora.build.recipe import OPTIONAL, leaf, schema
from corpora.predicates import Compare, In, NullSafe
from corpora.queries import AggregateWhere, CountRows, Fields, Filter, SemiJoin
from corpora.tagged import Type
from harness.engines.errors import Unsupported
from reference_impl.parquet.plan import FilePlan
from reference_impl.parquet.schema import ConvertedType, Empty, LogicalType
from reference_impl.parquet.schema import Type as Physical
from reference_impl.parquet.writer import write

JSON = Type("json")
VALUES = ['{"a": 1}', "[]", None]


@pytest.fixture
def values_of(tmp_path):
    """Return a function that gives the values of a column of JSON which a query of DuckDB leaves."""
    pytest.importorskip("duckdb")
    from harness.engines.duckdb.adapter import Duckdb

    kind = LogicalType(JSON=Empty())
    column = leaf("x", Physical.BYTE_ARRAY, OPTIONAL, logicalType=kind, converted_type=ConvertedType.JSON)
    rows = tuple({"x": None if text is None else text.encode()} for text in VALUES)
    (tmp_path / "a.parquet").write_bytes(write(FilePlan(schema(column), rows)))
    engine = Duckdb()

    def answer(query, pushdown):
        return engine.query_one(str(tmp_path / "a.parquet"), "parquet", {"pushdown": pushdown}, query).column(
            0
        )

    return answer


@pytest.mark.parametrize("pushdown", ["on", "off"])
def test_a_text_is_compared_with_a_column_of_json(values_of, pushdown):
    """Filters and joins of a column of JSON compare its texts with the constant's."""
    first = VALUES[0]
    for query in (
        Filter(Compare(("x",), "=", JSON, first)),
        Filter(Compare(("x",), ">", JSON, "[]")),
        Filter(In(("x",), JSON, (first, "{}"))),
        Filter(NullSafe(("x",), JSON, first)),
        SemiJoin(("x",), JSON, (first, None)),
    ):
        assert values_of(query, pushdown) == [first], query
    assert values_of(Filter(Compare(("x",), "=", JSON, '{"a":1}')), pushdown) == []


@pytest.mark.parametrize("constant", ["", "{", "NaN", "a", "1\0"])
def test_a_text_that_is_no_json(values_of, constant):
    """A constant that is no JSON is no value of the column's type, in any query with a predicate."""
    predicate = Compare(("x",), "<", JSON, constant)
    for query in (
        Filter(predicate),
        CountRows(predicate),
        Fields((("x",),), predicate),
        AggregateWhere(("x",), predicate),
    ):
        with pytest.raises(Unsupported, match="no JSON"):
            values_of(query, "on")
