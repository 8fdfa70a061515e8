"""What the adapter of pyarrow makes of slices."""

import pytest

from corpora.queries import Slice
from harness.children.worker import open_engine

pa = pytest.importorskip("pyarrow", reason="pyarrow is not installed")
pq = pytest.importorskip("pyarrow.parquet")


@pytest.fixture(scope="module")
def engine():
    """Return the adapter."""
    return open_engine("harness.engines.pyarrow.adapter:PyarrowParquet")


@pytest.mark.parametrize(
    ("offset", "rows", "count"), [(1798, 5, 5), (0, 2000, 2000), (1990, 50, 10), (0, 0, 0), (3000, 2, 0)]
)
def test_slices_of_a_dictionary_in_each_row_group(tmp_path, engine, offset, rows, count):
    """A slice has its rows also where a batch ends with the dictionary of a row group."""
    column = pa.array([f"v{row % 7}" for row in range(2000)]).dictionary_encode()
    file = str(tmp_path / "x.parquet")
    pq.write_table(pa.table({"c": column}), file, row_group_size=300)
    answer = engine.query_one(file, "parquet", {}, Slice(offset, rows))
    assert answer.num_rows == count
    assert answer.column(0) == [f"v{row % 7}" for row in range(offset, offset + count)]


def test_a_slice_of_no_columns(tmp_path, engine):
    """A slice of a file without columns and rows has no rows."""
    file = str(tmp_path / "x.parquet")
    pq.write_table(pa.table({}), file)
    assert engine.query_one(file, "parquet", {}, Slice(0, 5)).num_rows == 0
