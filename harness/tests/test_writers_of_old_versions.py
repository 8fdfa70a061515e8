"""Adapters write with old versions by what these take, and say what they lack."""

from contextlib import nullcontext
from types import SimpleNamespace

import pytest

from corpora.keys import Keys
from corpora.tagged import STRING, Table
from harness.engines.errors import Unsupported
from harness.engines.polars import adapter as polars_adapter
from harness.engines.polars.versions import one_string_cache
from harness.engines.pyarrow import adapter as pyarrow_adapter
from harness.engines.pyarrow import keys as pyarrow_keys
from harness.engines.writer_options import CHOSEN

TABLE = Table.of([("a", STRING)], [["x"]])


class StringCacheMismatchError(Exception):
    """What old releases of Polars say of frames with categories of their own."""


@pytest.mark.parametrize(
    ("library", "error", "expected"),
    [
        ({"StringCacheMismatchError": StringCacheMismatchError}, StringCacheMismatchError("x"), Unsupported),
        ({"StringCacheMismatchError": StringCacheMismatchError}, ValueError("x"), ValueError),
        ({}, ValueError("x"), ValueError),
        ({}, None, None),
    ],
)
def test_categories_of_two_reads(library, error, expected):
    """A Polars that joins no categories of two reads lacks that; other errors are its own."""
    polars = SimpleNamespace(exceptions=SimpleNamespace(**library))
    with pytest.raises(expected) if expected else nullcontext(), one_string_cache(polars):
        if error:
            raise error


def test_options_that_a_sink_lacks(monkeypatch):
    """An option that only `write_parquet` of a release takes cannot be drawn for its sink."""

    def sink(file, *, compression=None):
        return file, compression

    library = SimpleNamespace(LazyFrame=SimpleNamespace(sink_parquet=sink))
    adapter = polars_adapter.Polars.__new__(polars_adapter.Polars)
    adapter.polars = library
    written = []
    monkeypatch.setattr(polars_adapter, "execute", lambda lines, _: written.append(lines[-1]))
    with pytest.raises(Unsupported, match="lacks the option data_page_size"):
        adapter.write("f", "parquet", {}, TABLE, {CHOSEN: {"sink": True, "data_page_size": 1}})
    adapter.write("f", "parquet", {}, TABLE, {CHOSEN: {"sink": True, "compression": "gzip"}})
    adapter.write("f", "parquet", {}, TABLE, {CHOSEN: {"data_page_size": 1}})
    assert written == [
        "frame.lazy().sink_parquet(FILE, compression='gzip')",
        "frame.write_parquet(FILE, data_page_size=1)",
    ]


@pytest.mark.parametrize(
    ("text", "expected"),
    [("module 'pyarrow' has no attribute 'json_'", Unsupported), ("'X' object has no 'y'", AttributeError)],
)
def test_types_that_arrow_lacks(monkeypatch, text, expected):
    """A type that a release of pyarrow lacks is unsupported; another missing attribute is a mistake."""

    def execute(*_):
        raise AttributeError(text)

    monkeypatch.setattr(pyarrow_adapter, "execute", execute)
    with pytest.raises(expected):
        pyarrow_adapter.PyarrowParquet().write("f", "parquet", {}, TABLE, {CHOSEN: {}})


def _with_path(config, **more):
    """Take parquet_file_path, the path of the file."""
    return config, more


def _without_path(config, **more):
    """Take a configuration alone."""
    return config, more


@pytest.mark.parametrize(
    ("call", "more"), [(_with_path, {"parquet_file_path": "f.parquet"}), (_without_path, {})]
)
def test_key_material_is_found_by_a_path(call, more):
    """A release is given the path of the file if its documentation has that argument."""
    factory = SimpleNamespace(file_decryption_properties=call)
    library = SimpleNamespace(
        KmsClient=object, CryptoFactory=lambda _: factory, KmsConnectionConfig=lambda: "config"
    )
    properties, _ = pyarrow_keys._by_kms(library, "f.parquet", Keys(master_keys={"m": b"x" * 16}))
    assert properties == ("config", more)
