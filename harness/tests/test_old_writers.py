"""Adapters write with the options that a release has, and say in words what it lacks."""

import random
from pathlib import Path
from types import SimpleNamespace

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from corpora.keys import suite_key
from corpora.tagged import Table, Type, integer, timestamp
from harness.engines.arrow.build import to_arrow
from harness.engines.datafusion.adapter import Datafusion
from harness.engines.datafusion.write_options import PLAIN, defaults, frame_of, statements
from harness.engines.duckdb import write_options as duckdb_options
from harness.engines.errors import Unsupported
from harness.engines.polars import write_encrypted
from harness.engines.pyarrow.adapter import PyarrowParquet
from harness.engines.pyarrow_orc.adapter import PyarrowOrc
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


def test_duckdb_writes_the_level_of_a_codec():
    """It is an option of its own, which stands behind the codec that has levels."""
    options = duckdb_options.OPTIONS["parquet"].options
    (draw,) = (option.draw for option in options if option.name == "COMPRESSION")
    drawn = {draw(random.Random(seed), TABLE) for seed in range(100)}
    texts = ["".join(duckdb_options.statements(TABLE, {"COMPRESSION": each})) for each in sorted(drawn)]
    assert sum("COMPRESSION 'zstd', COMPRESSION_LEVEL 22)" in text for text in texts) == 1
    assert sum("COMPRESSION 'zstd')" in text for text in texts) == 1


def test_polars_encrypts_with_keys_of_the_drawn_size():
    """The key in the script has as many bytes; all settings are drawn, in one file of five."""
    assert len(write_encrypted.keys({"encryption": {"key_bytes": 32}}).footer) == 32
    (line,) = write_encrypted.statements({"encryption": {"key_bytes": 24}})
    assert repr(suite_key("footer", 24)) in line
    draws = [write_encrypted.OPTIONS[0].draw(random.Random(seed), TABLE) for seed in range(400)]
    given = [each for each in draws if each is not None]
    assert 40 < len(given) < 120
    assert {name for each in given for name in each} == {
        "plaintext_footer",
        "aad_prefix",
        "store_aad_prefix",
        "key_bytes",
    }


def test_pyorc_0_4_has_no_instants(tmp_path):
    """A column of instants is reported as lacking."""
    pyorc = pytest.importorskip("pyorc")
    old = SimpleNamespace(Writer=OldWriter, Struct=pyorc.Struct, CompressionKind=pyorc.CompressionKind)
    table = Table.of([("a", timestamp("ns", utc=True))], [["1"]])
    with pytest.raises(Unsupported, match="no type of instants"):
        write(old, str(tmp_path / "a.orc"), table, {CHOSEN: {}}, {})


def test_pyarrow_5_writes_orc_without_options(monkeypatch):
    """Options are drawn that the release's writer takes."""
    orc = pytest.importorskip("pyarrow.orc")
    assert {"stripe_size", "calls"} <= set(PyarrowOrc().writes["options"])
    monkeypatch.setattr(orc, "ORCWriter", lambda where: where)
    monkeypatch.setattr(orc, "write_table", lambda table, where: (table, where))
    assert {"stripe_size", "calls"}.isdisjoint(PyarrowOrc().writes["options"])
