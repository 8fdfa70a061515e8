"""Decryption keys for Polars, which takes the keys themselves (since 2.1).

https://docs.pola.rs/api/python/stable/reference/api/polars.ParquetDecryptionProperties.html: the key of the
footer, those of columns by their dotted path, and an AAD prefix that the file does not store.

Runs in engine children: standard library plus Polars, Python 3.9.
"""

from __future__ import annotations

from typing import Any

from corpora.keys import Keys
from harness.engines.errors import Unsupported

_CLASS = "ParquetDecryptionProperties"


def lacking(pl: Any) -> str:
    """Return why this Polars cannot be given keys, "" if it can."""
    return "" if hasattr(pl, _CLASS) else f"this Polars has no {_CLASS}"


def decryption(pl: Any, keys: Keys) -> Any:
    """Return the properties that open a file; raises Unsupported for keys that they cannot hold."""
    if keys.footer is None:
        raise Unsupported(
            "Polars takes the key of the footer itself; it has no option for a KMS or a key retriever"
        )
    if keys.by_metadata and not keys.columns:
        raise Unsupported("Polars takes keys of columns by name, not by key metadata")
    prefix = {} if keys.aad_prefix is None else {"aad_prefix": keys.aad_prefix}
    columns = {"column_keys": dict(keys.columns)} if keys.columns else {}
    return getattr(pl, _CLASS)(footer_key=keys.footer, **columns, **prefix)
