"""Encryption by pyarrow's Parquet writer: drawn options, the source that uses them, and the keys of files.

* `encryption` and `own_keys`: a CryptoFactory, which asks a KMS to wrap the keys that it makes. Columns of
  `own_keys` have keys of their own; without any, all columns have that of the footer, which old releases
  lack (`check`).
* `direct_encryption`: `create_encryption_properties`, one key for the footer and all columns.

Standard library only, Python 3.9.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from corpora.keys import Keys, suite_key
from harness.engines.errors import Unsupported
from harness.engines.pyarrow import kms
from harness.engines.writer_keys import FOOTER, MASTERS, columns_by_key, draw_own_keys, some_of
from harness.engines.writer_options import Chosen, Option, plain

_PAGE = "https://arrow.apache.org/docs/python/parquet.html#parquet-modular-encryption-columnar-encryption"
_DIRECT_PAGE = (
    "https://arrow.apache.org/docs/python/generated/"
    "pyarrow.parquet.encryption.create_encryption_properties.html"
)
ENCRYPTION, OWN_KEYS, DIRECT = "encryption", "own_keys", "direct_encryption"
NAMES = (ENCRYPTION, OWN_KEYS, DIRECT)
_UNIFORM = "uniform_encryption"
_CTR = "AES_GCM_CTR_V1"  # the default is AES_GCM_V1
_PREFIX = "suite"
# Each is a setting of EncryptionConfiguration or of create_encryption_properties, beside its default.
_SETTINGS: tuple[dict[str, Any], ...] = (
    {"plaintext_footer": True},
    {"encryption_algorithm": _CTR},
    {"double_wrapping": False},
    {"data_key_length_bits": 256},
)
_DIRECT_SETTINGS: tuple[dict[str, Any], ...] = (
    {"plaintext_footer": True},
    {"encryption_algorithm": _CTR},
    {"aad_prefix": _PREFIX},
    {"aad_prefix": _PREFIX, "store_aad_prefix": False},
    {"key_bytes": 24},
    {"key_bytes": 32},
)
# A service that wraps the keys that a factory makes; `wrap` is that of `kms.py`.
_KMS = (
    "class Kms(encryption.KmsClient):",
    "    def wrap_key(self, key_bytes, master_key_identifier):",
    "        return wrap(MASTER_KEYS[master_key_identifier], key_bytes, master_key_identifier)",
)


OPTIONS = (
    Option(ENCRYPTION, some_of(_SETTINGS), _PAGE),
    Option(OWN_KEYS, draw_own_keys, _PAGE),
    Option(DIRECT, some_of(_DIRECT_SETTINGS), _DIRECT_PAGE),
)


def available() -> list[str]:
    """Return the options that this pyarrow has."""
    library = _library()
    if library is None:
        return []
    return [*NAMES[:2], *([DIRECT] if hasattr(library, "create_encryption_properties") else [])]


def check(chosen: Chosen) -> None:
    """Raise Unsupported for drawn options that this pyarrow does not have together."""
    if ENCRYPTION in chosen and OWN_KEYS not in chosen:
        configuration = getattr(_library(), "EncryptionConfiguration", None)
        if not hasattr(configuration, _UNIFORM):
            raise Unsupported("this pyarrow encrypts with keys of columns alone")


def names() -> dict[str, Any]:
    """Return what stands in `statements`."""
    return {"encryption": _library(), "wrap": kms.wrap}


def _library() -> Any:
    """Return the module of encryption, None for a pyarrow that was built without it."""
    try:
        from pyarrow.parquet import encryption
    except ImportError:
        return None
    return encryption


def is_encrypted(chosen: Chosen) -> bool:
    """Return whether drawn options encrypt a file."""
    return any(name in chosen for name in NAMES)


def own_columns(chosen: Chosen) -> Collection[str]:
    """Return the paths of the columns with keys of their own."""
    columns: dict[str, str] = plain(chosen.get(OWN_KEYS, {}))
    return columns


def statements(chosen: Chosen) -> list[str]:
    """Return the source that makes `sealed`, the argument `encryption_properties`, with `names`."""
    if ENCRYPTION not in chosen and OWN_KEYS not in chosen:
        settings = dict(chosen[DIRECT])
        key = suite_key(FOOTER, settings.pop("key_bytes", 16))
        if "aad_prefix" in settings:
            settings["aad_prefix"] = settings["aad_prefix"].encode()
        return [f"sealed = encryption.create_encryption_properties({key!a}{_arguments(settings)})"]
    settings = dict(chosen.get(ENCRYPTION, {}))
    columns = columns_by_key(chosen, OWN_KEYS)
    settings.update({"column_keys": columns} if columns else {_UNIFORM: True})
    return [
        f"MASTER_KEYS = {MASTERS!a}",
        *_KMS,
        "factory = encryption.CryptoFactory(lambda _: Kms())",
        f"configuration = encryption.EncryptionConfiguration({FOOTER!a}{_arguments(settings)})",
        "service = encryption.KmsConnectionConfig()",
        "sealed = factory.file_encryption_properties(service, configuration)",
    ]


def helpers(chosen: Chosen) -> str:
    """Return the source of `wrap` for a script whose statements need it."""
    return kms.source() if ENCRYPTION in chosen or OWN_KEYS in chosen else ""


def keys(chosen: Chosen) -> Keys | None:
    """Return the keys of a file, None if it is not encrypted."""
    if ENCRYPTION in chosen or OWN_KEYS in chosen:
        return Keys(master_keys=MASTERS)
    if DIRECT not in chosen:
        return None
    settings = chosen[DIRECT]
    prefix = None if settings.get("store_aad_prefix", True) else settings["aad_prefix"].encode()
    return Keys(footer=suite_key(FOOTER, settings.get("key_bytes", 16)), aad_prefix=prefix)


def _arguments(settings: dict[str, Any]) -> str:
    return "".join(f", {name}={value!a}" for name, value in settings.items())
