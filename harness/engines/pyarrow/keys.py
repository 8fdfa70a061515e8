"""Decryption keys for pyarrow.

https://arrow.apache.org/docs/python/parquet.html#parquet-modular-encryption-columnar-encryption: by a
CryptoFactory, which asks a KMS for the keys of key material; or by `create_decryption_properties`, which says
of itself that "only uniform encryption (single key for footer and all columns) is supported".

Runs in engine children: standard library plus pyarrow, Python 3.9.
"""

from __future__ import annotations

from typing import Any

from corpora.keys import Keys
from harness.engines.errors import Unsupported
from harness.engines.pyarrow import kms

# What Arrow C++ says of a column that has a key of its own, where it was told but that of the footer.
_OWN_KEY = "Wrong key length: 0"
_PATH = "parquet_file_path"
_UNIFORM = "pyarrow's create_decryption_properties takes one key, for the footer and all columns"


def is_own_key(error: BaseException, keys: Keys | None) -> bool:
    """Return whether an error says that a column's own key, which the request has, could not be told."""
    return keys is not None and not keys.master_keys and _OWN_KEY in str(error)


def decryption(pa: Any, file: str, keys: Keys | None) -> tuple[Any, Any]:
    """Return FileDecryptionProperties of a file, None without keys, and what must live as long as they do.

    Raises Unsupported for keys that pyarrow cannot be told.
    """
    if keys is None:
        return None, None
    try:
        from pyarrow.parquet import encryption
    except ImportError as error:
        raise Unsupported(f"this pyarrow was built without encryption: {error}") from error
    if keys.master_keys:
        return _by_kms(encryption, file, keys)
    if not hasattr(encryption, "create_decryption_properties"):
        raise Unsupported(f"pyarrow {pa.__version__} takes keys from a KMS alone")
    if keys.footer is None:
        if keys.columns or keys.by_metadata:
            raise Unsupported(_UNIFORM)
        return None, None  # and pyarrow says what it says of a file that no key was given for
    prefix = {} if keys.aad_prefix is None else {"aad_prefix": keys.aad_prefix}
    return encryption.create_decryption_properties(keys.footer, **prefix), None


def _by_kms(encryption: Any, file: str, keys: Keys) -> tuple[Any, Any]:
    if keys.aad_prefix is not None:
        raise Unsupported("pyarrow's CryptoFactory has no option for an AAD prefix")

    class Client(encryption.KmsClient):  # type: ignore[misc]  # an engine's class, known when it is there
        """Opens wrapped keys by the master keys of the request."""

        def __init__(self, _config: Any) -> None:
            encryption.KmsClient.__init__(self)

        def wrap_key(self, key_bytes: bytes, master_key_identifier: str) -> str:
            raise NotImplementedError("this KMS opens keys, and makes none")

        def unwrap_key(self, wrapped_key: Any, master_key_identifier: str) -> bytes:
            text = wrapped_key.decode() if isinstance(wrapped_key, bytes) else wrapped_key
            return kms.unwrap(keys.master_keys, text, master_key_identifier)

    factory = encryption.CryptoFactory(Client)
    call = factory.file_decryption_properties
    # Key material beside the file is found by the file's path. Releases without the argument read none.
    path = {_PATH: file} if _PATH in str(call.__doc__) else {}
    return call(encryption.KmsConnectionConfig(), **path), factory
