"""Encrypted files between pyarrow and the reference: what one writes, the other reads."""

import pytest

from corpora.build.areas import encryption as area
from corpora.build.areas import encryption_faults
from corpora.build.make import make
from corpora.keys import Keys, suite_key
from corpora.tagged import Table, integer
from harness.engines.errors import Unsupported
from harness.engines.pyarrow.adapter import PyarrowParquet
from harness.engines.pyarrow.write_options import OPTIONS
from harness.engines.writer_options import CHOSEN
from harness.runs.pipeline.written_files import unsealed
from reference_impl.columns import to_python
from reference_impl.errors import Malformed
from reference_impl.parquet.encryption import material
from reference_impl.parquet.file import ParquetFile

pa = pytest.importorskip("pyarrow")
pq = pytest.importorskip("pyarrow.parquet")
encryption = pytest.importorskip("pyarrow.parquet.encryption")
direct = pytest.mark.skipif(
    not hasattr(encryption, "create_encryption_properties"), reason="this pyarrow takes keys from a KMS alone"
)


def table():
    """A table of three columns, one nested."""
    texts, lists = [None, b"a", b"bb"], [[1], [], None, [2, 3]]
    columns = {"x": list(range(100)), "s": [*texts * 33, b"c"], "l": lists * 25}
    return pa.table(columns)


@direct
@pytest.mark.parametrize("size", [16, 24, 32])
@pytest.mark.parametrize("algorithm", ["AES_GCM_V1", "AES_GCM_CTR_V1"])
@pytest.mark.parametrize("plaintext_footer", [False, True])
@pytest.mark.parametrize("stored", [False, True])
def test_what_pyarrow_writes(tmp_path, size, algorithm, plaintext_footer, stored):
    """Uniform encryption in every mode is read, and refused with another AAD prefix."""
    key, file = suite_key("footer", size), tmp_path / "a.parquet"
    properties = encryption.create_encryption_properties(
        key,
        aad_prefix=b"here",
        store_aad_prefix=stored,
        encryption_algorithm=algorithm,
        plaintext_footer=plaintext_footer,
    )
    pq.write_table(
        table(),
        file,
        encryption_properties=properties,
        row_group_size=40,
        write_page_index=True,
        data_page_version="2.0",
    )
    read = ParquetFile.open(file, Keys(footer=key, aad_prefix=b"here")).read()
    assert [to_python(column) for column in read.columns] == list(table().to_pydict().values())
    with pytest.raises(Malformed):
        ParquetFile.open(file, Keys(footer=key, aad_prefix=b"there")).read()


class Kms(encryption.KmsClient):  # type: ignore[misc, name-defined]  # it is imported where it is there
    """Wraps keys, and opens none."""

    def __init__(self, _config):
        encryption.KmsClient.__init__(self)

    def wrap_key(self, key_bytes, master_key_identifier):
        """Wrap as our KMS does."""
        return material.wrap(key_bytes, suite_key("master"), master_key_identifier.encode(), b"twelve bytes")

    def unwrap_key(self, wrapped_key, master_key_identifier):
        """Open nothing."""
        raise NotImplementedError


@pytest.mark.parametrize("double", [False, True])
@pytest.mark.parametrize("inside", [False, True])
def test_key_material_of_pyarrow(tmp_path, double, inside):
    """Keys of columns in key material, in the file or beside it, are found by master keys."""
    file = tmp_path / "a.parquet"
    settings = encryption.EncryptionConfiguration(
        footer_key="kf", column_keys={"kc": ["x"]}, double_wrapping=double, internal_key_material=inside
    )
    factory = encryption.CryptoFactory(Kms)
    properties = factory.file_encryption_properties(
        encryption.KmsConnectionConfig(), settings, parquet_file_path=str(file)
    )
    pq.write_table(table().select(["x", "s"]), file, encryption_properties=properties)
    keys = Keys(master_keys={"kf": suite_key("master"), "kc": suite_key("master")})
    if not inside:
        keys = keys.with_material((tmp_path / f"_KEY_MATERIAL_FOR_{file.name}.json").read_text())
    assert to_python(ParquetFile.open(file, keys).read(["x"]).columns[0]) == list(range(100))


@pytest.mark.parametrize(("own", "left"), [(["x"], []), (["x", "a,b"], ["a,b"])])
def test_a_column_that_is_not_encrypted_as_told(tmp_path, own, left):
    """A column that pyarrow does not give its own key is named; it joins the names of columns by commas."""
    columns = Table.of([(name, integer(32)) for name in ("x", "a", "b", "a,b")], [["1"]] * 4)
    chosen, file = {"own_keys": {"by_column": dict.fromkeys(own, "kc0")}}, tmp_path / "a.parquet"
    PyarrowParquet().write(str(file), "parquet", {}, columns, {CHOSEN: chosen})
    assert unsealed(OPTIONS["parquet"], chosen, file) == left
    assert unsealed(OPTIONS["parquet"], {}, file) == []
    chosen["own_keys"]["by_column"]["nowhere"] = "kc0"
    assert unsealed(OPTIONS["parquet"], chosen, file) == left
    file.write_bytes(file.read_bytes()[:-1])
    assert unsealed(OPTIONS["parquet"], chosen, file) == []


def test_what_pyarrow_reads(tmp_path):
    """Each mode is read by pyarrow that its Python interface can be told the keys of."""
    engine, read = PyarrowParquet(), 0
    for recipe in (*area.recipes(), *encryption_faults.recipes()):
        if recipe.id.startswith("encryption/mode/") and not recipe.either:
            made = make(recipe)
            file = tmp_path / "a.parquet"
            file.write_bytes(made.data)
            try:
                engine.enter(made.case.keys)
                found = engine.read(str(file), "parquet", {})
            except (OSError, Unsupported) as error:
                assert engine.classify(error) == "unsupported", recipe.id  # noqa: PT017 - most are read
                continue
            assert found.to_json() == made.case.expectation.table.to_json()
            read += 1
    assert read >= 20 or not hasattr(encryption, "create_encryption_properties")
