"""A way that a version of an engine does not have is unsupported, and no error of the engine's."""

import importlib
from pathlib import Path
from types import ModuleType, SimpleNamespace

import pytest

from harness.engines.errors import Unsupported
from harness.engines.fastparquet.adapter import Fastparquet
from harness.engines.polars.versions import known_values
from harness.engines.pyarrow.ways import options_of
from harness.engines.registry import ENGINES

CORPORA = Path(__file__).parents[2] / "corpora"
FILES = {"parquet": "parquet/codec/snappy/empty-strings/v1.parquet", "orc": "orc/stride/1.orc"}


def of_queries_alone(name):
    """Return the ways of a light engine in which queries are answered, and no file is read."""
    entry = ENGINES[name]
    reads = entry.switches.get("way", ()) if entry.read_ways is None else entry.read_ways
    return () if entry.heavy else sorted(set(entry.query_ways) - set(reads))


def test_an_option_that_scanners_of_pyarrow_do_not_have():
    """The way's own option is what is lacking; of any other, the mistake stays one."""

    def refuse(**_):
        raise TypeError("from_dataset() got an unexpected keyword argument 'batch_readahead'")

    with (
        pytest.raises(Unsupported, match="without batch_readahead"),
        options_of("to_table(batch_readahead=0)"),
    ):
        refuse()
    with pytest.raises(TypeError), options_of("data.to_table(columns=None)"):
        refuse()
    pa = ModuleType("pyarrow")
    with pytest.raises(Unsupported, match="without CacheOptions"), options_of("pa.CacheOptions(lazy=True)"):
        pa.CacheOptions(lazy=True)


def test_a_value_that_polars_does_not_know():
    """Before 0.20, `parallel` had no "prefiltered"."""
    with pytest.raises(Unsupported, match="the option parallel"), known_values({"parallel": "x"}):
        raise ValueError("`parallel` must be one of {'auto', 'columns'}, got x")
    for error in (
        ValueError("Invalid engine argument engine='x'"),
        TypeError("unexpected argument 'engine'"),
    ):
        with pytest.raises(Unsupported, match="the option engine"), known_values({"engine": "x"}):
            raise error
    with pytest.raises(ValueError, match="another"), known_values({"parallel": "x"}):
        raise ValueError("another error, in which parallel must be one of its words")


def test_an_index_of_pandas_before_2():
    """Its integers have 64 bits, whatever the file says."""
    adapter = Fastparquet.__new__(Fastparquet)
    adapter.pandas = SimpleNamespace(__version__="1.5.3")
    with pytest.raises(Unsupported, match="64 bits"):
        adapter.read("file", "parquet", {"way": "index"})


@pytest.mark.parametrize("name", sorted(name for name in ENGINES if of_queries_alone(name)))
def test_ways_of_queries_read_files_as_ever(name):
    """The upgrade gate has the control set read in each configuration, those of queries too."""
    pytest.importorskip(name.removesuffix("_orc"))
    entry = ENGINES[name]
    format_ = entry.formats[0]
    adapter = getattr(importlib.import_module(entry.module), entry.class_name)()
    file = str(CORPORA / FILES[format_])
    wanted = adapter.read(file, format_, {})
    for way in of_queries_alone(name):
        assert adapter.read(file, format_, {"way": way}) == wanted, way
