"""Keys of encrypted files that Polars takes, and those that it does not."""

from types import SimpleNamespace

import pytest

from corpora.keys import Keys, suite_key
from harness.engines.errors import Unsupported
from harness.engines.polars import keys

FOOTER, OWN = suite_key("footer"), suite_key("column 0")


def test_keys_are_taken_by_name():
    """The footer's key, keys of columns by their path, and a prefix are handed on."""
    pl = SimpleNamespace(ParquetDecryptionProperties=dict)
    assert keys.lacking(pl) == ""
    given = Keys(footer=FOOTER, columns={"a.b": OWN}, by_metadata={b"m": OWN}, aad_prefix=b"x")
    assert keys.decryption(pl, given) == {
        "footer_key": FOOTER,
        "column_keys": {"a.b": OWN},
        "aad_prefix": b"x",
    }
    assert keys.decryption(pl, Keys(footer=FOOTER)) == {"footer_key": FOOTER}


@pytest.mark.parametrize(
    "given",
    [Keys(master_keys={"m": FOOTER}), Keys(footer=FOOTER, by_metadata={b"m": OWN}), Keys(columns={"a": OWN})],
)
def test_other_keys_are_unsupported(given):
    """Neither a KMS, nor keys by metadata alone, nor a file without the footer's key can be asked."""
    with pytest.raises(Unsupported):
        keys.decryption(SimpleNamespace(ParquetDecryptionProperties=dict), given)


def test_older_versions_take_none():
    """A Polars without the class says so."""
    assert "ParquetDecryptionProperties" in keys.lacking(SimpleNamespace())
