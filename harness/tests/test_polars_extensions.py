"""Queries of columns that Polars has as extension types, such as JSON."""

import pytest

from corpora.predicates import Compare, In, IsNull, NullSafe, StartsWith
from corpora.queries import Filter, SemiJoin
from corpora.tagged import Type
from harness.children.worker import open_engine
from harness.engines.scripts.request import ScriptRequest
from harness.investigate.findings import scripts

JSON = Type("json")


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    """Return a file with a JSON column, and another one in a struct, that ARROW:schema names so."""
    pa = pytest.importorskip("pyarrow", reason="pyarrow is not installed")
    pq = pytest.importorskip("pyarrow.parquet", reason="pyarrow is not installed")
    pl = pytest.importorskip("polars", reason="polars is not installed")
    if not hasattr(pa, "json_") or not hasattr(pl, "BaseExtension"):
        pytest.skip("JSON is no extension type in these releases")
    outer, inner = (
        pa.ExtensionArray.from_storage(pa.json_(), pa.array(values))
        for values in (["{}", "1", None], ["1", None, "{}"])
    )
    path = tmp_path_factory.mktemp("json") / "x.parquet"
    struct = pa.StructArray.from_arrays([inner], names=["y"])
    pq.write_table(pa.table({"row": [0, 1, 2], "x": outer, "s": struct}), path)
    return str(path)


@pytest.mark.parametrize("pushdown", ["on", "off"])
@pytest.mark.parametrize(
    ("query", "rows"),
    [
        (Filter(StartsWith(("x",), "")), ["0", "1"]),
        (Filter(StartsWith(("s", "y"), "1")), ["0"]),
        (Filter(Compare(("x",), "=", JSON, "1")), ["1"]),
        (Filter(Compare(("s", "y"), "=", JSON, "1")), ["0"]),
        (Filter(In(("x",), JSON, ("1", "2"))), ["1"]),
        (Filter(NullSafe(("x",), JSON, "1")), ["1"]),
        (Filter(NullSafe(("x",), JSON, None)), ["2"]),
        (Filter(IsNull(("x",))), ["2"]),
        (SemiJoin(("x",), JSON, ("1", "3")), ["1"]),
    ],
    ids=str,
)
def test_json_is_compared_as_it_is_stored(file, query, rows, pushdown):
    """Polars compares an extension type with nothing: adapter and script compare the values in storage."""
    config = {"pushdown": pushdown}
    engine = open_engine("harness.engines.polars.adapter:Polars")
    assert engine.query_one(file, "parquet", config, query).column(0) == rows
    namespace = {"__file__": f"{file}.py"}
    exec(scripts.source("polars", ScriptRequest("parquet", config, query), file), namespace)
    assert [line.partition(" | ")[0] for line in namespace["ask"]()[2]] == rows
