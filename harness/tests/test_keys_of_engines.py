"""Which keys of encrypted files engines can be given, and which they cannot."""

from types import SimpleNamespace

import pytest

from corpora.keys import Keys, suite_key
from harness.engines.duckdb.adapter import Duckdb
from harness.engines.errors import Unsupported
from harness.engines.polars import keys
from harness.engines.spark.errors import lacks_class
from harness.engines.spark.keys import _properties

FOOTER, OWN = suite_key("footer"), suite_key("column 0")


def test_polars_takes_keys_by_name():
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
def test_other_keys_cannot_be_given_to_polars(given):
    """Neither a KMS, nor keys by metadata alone, nor a file without the footer's key can be asked."""
    with pytest.raises(Unsupported):
        keys.decryption(SimpleNamespace(ParquetDecryptionProperties=dict), given)


def test_polars_before_2_1_takes_no_keys():
    """A Polars without the class says so."""
    assert "ParquetDecryptionProperties" in keys.lacking(SimpleNamespace())


@pytest.mark.parametrize(
    "given", [Keys(footer=FOOTER, by_metadata={b"m": OWN}), Keys(footer=FOOTER, columns={"a": OWN})]
)
def test_duckdb_takes_no_keys_of_columns(given):
    """A file whose columns may have keys of their own is not refused by DuckDB: it cannot be asked."""
    with pytest.raises(Unsupported, match="no key of a column"):
        Duckdb().enter(given)


def test_spark_takes_a_prefix_beside_keys_alone():
    """PropertiesDrivenCryptoFactory, which asks a KMS, has no property of an AAD prefix."""
    assert "colconf.secret.prefix" in _properties(Keys(footer=FOOTER, aad_prefix=b"x"))
    with pytest.raises(Unsupported, match="AAD prefix"):
        _properties(Keys(master_keys={"m": FOOTER}, aad_prefix=b"x"))


class _Java:
    """An error of Java with a class and a cause."""

    def __init__(self, name, cause=None):
        self.name, self.cause = name, cause

    def getClass(self):  # noqa: N802 - Java's
        """Return the class, which has a name."""
        return SimpleNamespace(getName=lambda: self.name)

    def getMessage(self):  # noqa: N802 - Java's
        """Return a text."""
        return ""

    def getCause(self):  # noqa: N802 - Java's
        """Return the cause."""
        return self.cause


def _raised(java):
    error = RuntimeError()
    error.java_exception = java
    return error


@pytest.mark.parametrize(
    ("error", "expected"),
    [
        (_raised(_Java("java.lang.ClassNotFoundException")), True),
        (_raised(_Java("java.lang.Exception", _Java("java.lang.NoSuchFieldException"))), True),
        (_raised(_Java("org.codehaus.commons.compiler.CompileException")), False),
        (_raised(_Java("java.lang.NullPointerException")), False),
        (TypeError("'JavaPackage' object is not callable"), True),
        (TypeError("unsupported operand"), False),
        (ConnectionRefusedError(), False),
    ],
)
def test_only_a_class_that_is_not_there_is_a_missing_feature_of_spark(error, expected):
    """A mistake in our own Java, or a JVM that is gone, is no lack of this Spark."""
    assert lacks_class(error) is expected
