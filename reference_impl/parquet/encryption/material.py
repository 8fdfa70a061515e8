"""Key material: keys that are stored wrapped by master keys, inside a file or beside it.

Encryption.md, 4.3, leaves the form to implementations. This is the form of the properties-driven layer which
parquet-java and Arrow C++ share ("PKMT1"): JSON, whose `wrappedDEK` is a key of the file. It is wrapped by a
master key, or (`doubleWrapping`) by a key of its own, which the master key wraps (`wrappedKEK`). Wrapped is:

    base64( nonce (12 bytes) | ciphertext | tag (16 bytes) ), AES GCM; the AAD is the id of the wrapping key
"""

from __future__ import annotations

import base64
import binascii
import json
from collections.abc import Mapping
from typing import Any

from reference_impl.errors import Malformed
from reference_impl.parquet.encryption.modules import NONCE, TAG, gcm_open, gcm_seal

TYPE = "PKMT1"
KEY_SIZES = (16, 24, 32)
_RULE = "PQ-CRYPT-005"
_LOCAL = "encryptedKey"  # a client that fetches the master key stores the text in one more object


def parse(text: bytes | str) -> dict[str, Any] | None:
    """Return key metadata or key material as an object, None if it is of another form."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) and value.get("keyMaterialType") == TYPE else None


def resolve(
    metadata: bytes, material: Mapping[str, str], master_keys: Mapping[str, bytes], footer_master: str | None
) -> bytes | None:
    """Return the key of key metadata, None if it is of another form, or its master key is unknown.

    `material` is stored beside the file; `footer_master` names the master key if the metadata does not.
    Raises Malformed (PQ-CRYPT-005) for key material that no key can be taken from.
    """
    wrapping = parse(metadata)
    if wrapping is not None and wrapping.get("internalStorage") is False:
        text = material.get(str(wrapping.get("keyReference")))
        wrapping = None if text is None else parse(text)
    if wrapping is None:
        return None
    name = wrapping.get("masterKeyID", footer_master)
    if not isinstance(name, str) or name not in master_keys:
        return None
    master = master_keys[name]
    if wrapping.get("doubleWrapping") is not True:
        return unwrap(wrapping.get("wrappedDEK"), master, name.encode())
    kek = unwrap(wrapping.get("wrappedKEK"), master, name.encode())
    return unwrap(wrapping.get("wrappedDEK"), kek, _decoded(wrapping.get("keyEncryptionKeyID")))


def unwrap(wrapped: Any, master: bytes, name: bytes) -> bytes:
    """Return the key in `wrapped`; raises Malformed (PQ-CRYPT-005)."""
    if isinstance(wrapped, str) and wrapped.startswith("{"):
        try:
            wrapped = json.loads(wrapped).get(_LOCAL)
        except (ValueError, RecursionError):
            wrapped = None
    raw = _decoded(wrapped)
    key = None
    if len(raw) >= NONCE + TAG:
        key = gcm_open(master, raw[:NONCE], raw[NONCE:], name)
    if key is None or len(key) not in KEY_SIZES:
        raise Malformed("key material whose wrapped key the master key does not open", rule=_RULE)
    return key


def wrap(key: bytes, master: bytes, name: bytes, nonce: bytes) -> str:
    """Return `key` wrapped; the inverse of `unwrap`."""
    return base64.b64encode(nonce + gcm_seal(master, nonce, key, name)).decode()


def dumps(data: Mapping[str, Any]) -> str:
    """Return the text of key metadata or key material."""
    return json.dumps(data, separators=(",", ":"))


def _decoded(text: Any) -> bytes:
    try:
        return base64.b64decode(text, validate=True) if isinstance(text, str) else b""
    except (binascii.Error, ValueError):
        return b""
