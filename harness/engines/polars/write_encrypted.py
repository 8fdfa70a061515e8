"""Encryption by Polars' Parquet writer (since 2.1): drawn options, the source that uses them, and the keys.

https://docs.pola.rs/api/python/stable/reference/api/polars.ParquetEncryptionProperties.html: without keys of
columns all columns have that of the footer, with some of them the other columns are plain.

Standard library only, Python 3.9.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from corpora.keys import Keys, suite_key
from harness.engines.writer_keys import FOOTER, MASTERS, draw_own_keys, some_of
from harness.engines.writer_options import Chosen, Option, plain

_PAGE = "https://docs.pola.rs/api/python/stable/reference/api/polars.ParquetEncryptionProperties.html"
ENCRYPTION, OWN_KEYS = "encryption", "own_keys"
NAMES = (ENCRYPTION, OWN_KEYS)
_PREFIX = "suite"
# Arguments beside their defaults; `key_bytes` is the size of the footer's key.
_SETTINGS: tuple[dict[str, Any], ...] = (
    {"plaintext_footer": True},
    {"aad_prefix": _PREFIX},
    {"aad_prefix": _PREFIX, "store_aad_prefix": True},
    {"key_bytes": 24},
    {"key_bytes": 32},
)


OPTIONS = (Option(ENCRYPTION, some_of(_SETTINGS), _PAGE), Option(OWN_KEYS, draw_own_keys, _PAGE))


def available(pl: Any) -> tuple[str, ...]:
    """Return the options that this Polars has."""
    return NAMES if hasattr(pl, "ParquetEncryptionProperties") else ()


def is_encrypted(chosen: Chosen) -> bool:
    """Return whether drawn options encrypt a file."""
    return ENCRYPTION in chosen or OWN_KEYS in chosen


def own_columns(chosen: Chosen) -> Collection[str]:
    """Return the paths of the columns with keys of their own."""
    return list(_column_keys(chosen))


def keys(chosen: Chosen) -> Keys | None:
    """Return the keys of a file, None if it is not encrypted."""
    if not is_encrypted(chosen):
        return None
    settings = chosen.get(ENCRYPTION, {})
    is_given = "aad_prefix" in settings and not settings.get("store_aad_prefix")
    prefix = _PREFIX.encode() if is_given else None
    return Keys(footer=_footer_key(chosen), columns=_column_keys(chosen), aad_prefix=prefix)


def statements(chosen: Chosen) -> list[str]:
    """Return the source that makes `sealed`, the argument `encryption`, with `pl`."""
    settings = {name: value for name, value in chosen.get(ENCRYPTION, {}).items() if name != "key_bytes"}
    if "aad_prefix" in settings:
        settings["aad_prefix"] = settings["aad_prefix"].encode()
    if columns := _column_keys(chosen):
        settings["column_keys"] = columns
    more = "".join(f", {name}={value!a}" for name, value in settings.items())
    return [f"sealed = pl.ParquetEncryptionProperties(footer_key={_footer_key(chosen)!a}{more})"]


def _footer_key(chosen: Chosen) -> bytes:
    return suite_key(FOOTER, chosen.get(ENCRYPTION, {}).get("key_bytes", 16))


def _column_keys(chosen: Chosen) -> dict[str, bytes]:
    return {path: MASTERS[name] for path, name in plain(chosen.get(OWN_KEYS, {})).items()}
