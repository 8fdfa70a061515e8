"""The plan of encrypted columns in an ORC file: keys, variants, masks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from reference_impl.orc.schema import KeyProviderKind


@dataclass(frozen=True)
class MasterKey:
    """A key of a key management service: 16 bytes for AES_CTR_128, or 32 for AES_CTR_256."""

    name: str
    key: bytes
    version: int = 0


@dataclass(frozen=True)
class Variant:
    """A subtree of columns that is encrypted; `key` is the number of its master key.

    `local` is its encrypted local key, with as many bytes as the master key; `tail` is
    the encrypted local key of its statistics, None for the same.
    """

    root: int
    local: bytes
    key: int = 0
    tail: bytes | None = None


@dataclass(frozen=True)
class Mask:
    """The mask of columns below a variant in the unencrypted data: nullify, redact or sha256 ("Data Masks").

    See `reference_impl.orc.masks`; a column without a mask takes that of the nearest column above it.
    """

    name: str
    columns: tuple[int, ...]
    parameters: tuple[str, ...] = ()


@dataclass(frozen=True)
class Restart:
    """The stripe from which a merged file has other local keys, and ids that count from `id` on."""

    stripe: int
    local: tuple[bytes, ...]
    id: int = 1


@dataclass(frozen=True)
class Encryption:
    """Encrypted columns. Columns without a mask are nullified; `masked`: the masked rows themselves.

    `first_id`: encryptStripeId of the first stripe, at least 1. `provider`: of master keys; a `local` key is
    always decrypted as by HADOOP.
    """

    keys: tuple[MasterKey, ...]
    variants: tuple[Variant, ...]
    masks: tuple[Mask, ...] = ()
    masked: tuple[Any, ...] | None = None
    first_id: int = 1
    restarts: tuple[Restart, ...] = ()
    provider: KeyProviderKind | None = KeyProviderKind.HADOOP
