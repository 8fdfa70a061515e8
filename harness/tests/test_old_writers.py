"""Adapters write with the options that a release has, and say in words what it lacks."""

from pathlib import Path
from types import SimpleNamespace

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from corpora.tagged import Table, Type, integer
from harness.engines.arrow.build import to_arrow
from harness.engines.datafusion.adapter import Datafusion
from harness.engines.datafusion.write_options import PLAIN, defaults, frame_of, statements
from harness.engines.errors import Unsupported
from harness.engines.pyarrow.adapter import PyarrowParquet
from harness.engines.pyorc.write import drawn_options, write
from harness.engines.writer_options import CHOSEN

TABLE = Table.of([("a", integer(32))], [["1"]])


class OldWriter:
    """The signature of a writer of pyorc 0.5."""

    def __init__(self, fileo, *, batch_size=1, compression=0, compression_block_size=0, converters=None):
        pass


def test_pyorc_is_given_the_options_of_its_writer():
    """Options that the signature lacks are not drawn; sizes of blocks need two of them."""
    old = SimpleNamespace(Writer=OldWriter)
    assert {"batch_size", "calls"} <= set(drawn_options(old))
    assert {"padding_tolerance", "blocks"}.isdisjoint(drawn_options(old))
    pyorc = pytest.importorskip("pyorc")
    assert {"padding_tolerance", "blocks"} <= set(drawn_options(pyorc))


def test_pyorc_says_which_option_it_lacks(tmp_path):
    """The fixed tables that want an option are not written without it."""
    pyorc = pytest.importorskip("pyorc")
    names = ("Struct", "TinyInt", "SmallInt", "Int", "BigInt", "CompressionKind")
    old = SimpleNamespace(Writer=OldWriter, **{name: getattr(pyorc, name) for name in names})
    with pytest.raises(Unsupported, match="no option dict_key_size_threshold"):
        write(old, str(tmp_path / "a.orc"), TABLE, {}, {})


def test_datafusion_before_48_writes_without_options():
    """Its writer has a codec alone, and its frames are made by an older name."""
    assert defaults(SimpleNamespace()) == {PLAIN: True}
    assert defaults(SimpleNamespace(ParquetWriterOptions=1)) == {}
    assert frame_of({PLAIN: True}, "session") == "session.from_arrow_table(table)"
    assert frame_of({}, "session") == "session.from_arrow(table)"
    assert statements(TABLE, {PLAIN: True}) == ["frame.write_parquet(FILE, compression='snappy')"]


def test_datafusion_before_38_writes_a_folder(tmp_path):
    """The one part in it takes the folder's place."""
    pytest.importorskip("datafusion")

    class Frame:
        def write_parquet(self, path, compression):
            assert compression == "snappy"
            Path(path).mkdir()
            (Path(path) / "0.parquet").write_bytes(b"part")

    engine = Datafusion()
    engine._session = lambda _: SimpleNamespace(from_arrow_table=lambda _: Frame())
    file = tmp_path / "a.parquet"
    engine.write(str(file), "parquet", {}, TABLE, {CHOSEN: {PLAIN: True}})
    assert file.read_bytes() == b"part"


def test_pyarrow_before_18_has_no_uuid(monkeypatch):
    """A column of UUIDs is reported as lacking, not as a mistake of the adapter."""
    monkeypatch.delattr(pa, "uuid")
    with pytest.raises(Unsupported, match="no type of UUIDs before 18"):
        to_arrow(Table.of([("a", Type("uuid"))], [["00" * 16]]))


def test_pyarrow_before_7_writes_no_batches(monkeypatch):
    """The option is not drawn for a writer without `write_batch`."""
    assert "batches" in PyarrowParquet().writes["options"]
    monkeypatch.delattr(pq.ParquetWriter, "write_batch")
    assert "batches" not in PyarrowParquet().writes["options"]
