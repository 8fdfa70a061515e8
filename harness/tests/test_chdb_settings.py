"""ClickHouse is given the settings that its release has."""

import sys
from types import SimpleNamespace

import pyarrow as pa
import pytest

from corpora.queries import CountRows
from harness.engines.chdb.adapter import Chdb


class _Release:
    """A release of chDB with some settings, which remembers the statements that it ran."""

    def __init__(self, *settings):
        self.settings, self.statements = settings, []

    def query(self, text, _format):
        """Return the settings, or a table of one number."""
        if "system.settings" in text:
            return SimpleNamespace(bytes=lambda: "\n".join(self.settings).encode())
        self.statements.append(text)
        sink = pa.BufferOutputStream()
        table = pa.table({"rows": pa.array([3], pa.int64())})
        with pa.ipc.new_stream(sink, table.schema) as stream:
            stream.write_table(table)
        return SimpleNamespace(bytes=lambda: sink.getvalue().to_pybytes())


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
