"""ClickHouse is given the settings that its release has."""

import sys
from types import SimpleNamespace

import pyarrow as pa
import pytest

from corpora.predicates import IsNull
from corpora.queries import CountRows, CountValues, Filter
from harness.engines.chdb.adapter import Chdb
from harness.engines.chdb.write_options import FIELDS_OF_NULL
from harness.engines.errors import Unsupported


class _Release:
    """A release of chDB with some settings, which remembers the statements that it ran."""

    def __init__(self, *settings, kind=""):
        self.settings, self.statements, self.closed, self.kind = settings, [], 0, kind

    def connect(self, _path):
        """Return what statements are given to, for as long as it is open."""
        return _Connection(self)

    def query(self, text, _format):
        """Return the settings, or a table of one number."""
        if "system.settings" in text:
            return SimpleNamespace(bytes=lambda: "\n".join(self.settings).encode())
        if "empty.arrow" not in text:  # asked once, when the engine is opened
            self.statements.append(text)
        if "throwIf" in text or "broken" in text:
            raise RuntimeError
        sink = pa.BufferOutputStream()
        table = pa.table({"rows": pa.array([3], pa.int64())})
        if text.startswith("DESCRIBE"):
            table = pa.table({"name": [b"c"], "type": [self.kind.encode()]})
        with pa.ipc.new_stream(sink, table.schema) as stream:
            stream.write_table(table)
        return SimpleNamespace(bytes=lambda: sink.getvalue().to_pybytes())


class _Connection:
    def __init__(self, release):
        self.release, self.is_open = release, True

    def query(self, *arguments):
        """Return the answer of the release."""
        assert self.is_open
        return self.release.query(*arguments)

    def close(self):
        """Take no further statement."""
        self.is_open = False
        self.release.closed += 1


@pytest.mark.parametrize("name", ["input_format_parquet_filter_push_down", "optimize_count_from_files"])
def test_settings_of_later_releases_are_left_out(monkeypatch, tmp_path, name):
    """Without pushdown, a release gets the settings that it has; another one would be an error."""
    release = _Release("max_threads", name)
    monkeypatch.setitem(sys.modules, "chdb", release)
    (tmp_path / "x.parquet").write_bytes(b"PAR1")
    table = Chdb().query_one(str(tmp_path / "x.parquet"), "parquet", {"pushdown": "off"}, CountRows())
    assert table.column(0) == ["3"]
    (statement,) = release.statements
    assert statement.endswith(f"SETTINGS max_threads = 1, {name} = 0")


def _read(release, monkeypatch, file, **config):
    monkeypatch.setitem(sys.modules, "chdb", release)
    file.write_bytes(b"PAR1")
    return Chdb().read(str(file), "parquet", config)


def test_nothing_is_remembered_of_a_file(monkeypatch, tmp_path):
    """The caches by path that a release has are off: another file may have the path at the next request."""
    names = ("schema_inference_use_cache_for_file", "use_parquet_metadata_cache")
    release = _Release(*names)
    _read(release, monkeypatch, tmp_path / "x.parquet")
    assert release.statements[0].endswith("SETTINGS " + ", ".join(f"{name} = 0" for name in names))


def test_a_connection_ends_with_its_first_error(monkeypatch, tmp_path):
    """The connection in which a query of a file failed answers no other one."""
    release = _Release("max_threads")
    monkeypatch.setitem(sys.modules, "chdb", release)
    engine = Chdb()
    for name in ("broken", "right"):
        (tmp_path / f"{name}.parquet").write_bytes(b"PAR1")
    with pytest.raises(RuntimeError):
        engine.read(str(tmp_path / "broken.parquet"), "parquet", {})
    assert release.closed == 1
    assert engine.read(str(tmp_path / "right.parquet"), "parquet", {}).num_rows == 1


def test_a_switch_asks_in_the_connection_of_an_error(monkeypatch, tmp_path):
    """With `connection=after-an-error`, the file is read in the connection in which a query has failed."""
    release = _Release("max_threads")
    _read(release, monkeypatch, tmp_path / "x.parquet", connection="after-an-error")
    assert [("throwIf" in statement) for statement in release.statements] == [True, False]
    assert release.closed == 1  # so that the next request is not the one behind an error


def test_nulls_that_are_defaults_are_not_asked_for(monkeypatch, tmp_path):
    """Nulls of a column whose type has none in ClickHouse are not counted, nor looked for."""
    release = _Release("max_threads", kind="Map(String, Int64)")
    monkeypatch.setitem(sys.modules, "chdb", release)
    (tmp_path / "x.parquet").write_bytes(b"PAR1")
    for query in (CountValues(("a",)), Filter(IsNull(("a",)))):
        with pytest.raises(Unsupported, match="Map is never null"):
            Chdb().query_one(str(tmp_path / "x.parquet"), "parquet", {}, query)
    release.kind = "Nullable(Int64)"
    assert Chdb().query_one(str(tmp_path / "x.parquet"), "parquet", {}, CountValues(("a",))).num_rows == 1


@pytest.mark.parametrize(
    ("kind", "defaults"), [("Nullable(Tuple(b Int32))", {}), ("Tuple(b Int32)", {FIELDS_OF_NULL: True})]
)
def test_what_a_release_makes_of_null_structs(monkeypatch, kind, defaults):
    """A release that makes a Tuple of a null struct says so, as an option that it has by itself."""
    monkeypatch.setitem(sys.modules, "chdb", _Release("max_threads", kind=kind))
    assert Chdb().writes["defaults"] == defaults
