"""Opening encrypted footers and verifying signed footers (Encryption.md, 5.4 and 5.5).

encrypted   … | FileCryptoMetaData | module: FileMetaData | length of both, 4 bytes LE | PARE
signed      … | FileMetaData | nonce (12) | tag (16) | length of all three, 4 bytes LE | PAR1
plain       … | FileMetaData | its length, 4 bytes LE | PAR1
"""

from __future__ import annotations

from typing import NamedTuple

from reference_impl.errors import Malformed, Unsupported, located
from reference_impl.parquet.encryption import modules
from reference_impl.parquet.encryption.keys import KeySource
from reference_impl.parquet.encryption.modules import NONCE, TAG, ModuleKind, Place
from reference_impl.parquet.encryption.opening import FileCipher, Met
from reference_impl.parquet.page_structs import FileCryptoMetaData
from reference_impl.parquet.schema import FileMetaData
from reference_impl.wire import thrift

SIGNATURE = NONCE + TAG


class Opened(NamedTuple):
    """An opened footer: its bytes, the absolute offset of the first byte, and the file's cipher."""

    raw: bytes
    base: int
    cipher: FileCipher | None = None
    crypto: FileCryptoMetaData | None = None


def open_encrypted(raw: bytes, base: int, keys: KeySource | None, *, keep: bool) -> Opened:
    """Open an encrypted footer; `raw` is FileCryptoMetaData and module, at absolute offset `base`.

    Raises Unsupported (PQ-CRYPT-000: no keys were given, -001: not this one, -002), Malformed (PQ-CRYPT-003,
    -005, -010, -020; PQ-THRIFT-*). `keep`: remember the modules.
    """
    if keys is None:
        raise Unsupported("the footer is encrypted, and no keys were given", rule="PQ-CRYPT-000")
    with located("file_crypto_metadata"):
        crypto, used = thrift.decode(FileCryptoMetaData, raw, base=base, keep_spans=keep)
    cipher = FileCipher.of(crypto.encryption_algorithm, crypto.key_metadata, keys)
    if cipher.footer_key is None:
        raise Unsupported("the key of the footer was not given", rule="PQ-CRYPT-001")
    cipher.met = {} if keep else None
    module = cipher.open(ModuleKind.FOOTER, Place(), cipher.footer_key, raw, used, base)
    if module.end != len(raw):
        message = f"{len(raw) - module.end} unused bytes follow the encrypted footer"
        raise Malformed(message, offset=base + module.end, rule="PQ-CRYPT-010")
    return Opened(module.plain, module.base, cipher, crypto)


def verify(
    meta: FileMetaData, raw: bytes, used: int, base: int, keys: KeySource | None, *, keep: bool
) -> FileCipher | None:
    """Verify the signature of a plaintext footer, if it should have one; return the file's cipher.

    `raw` are the bytes before the footer's length; the first `used` bytes are the metadata. Without keys
    or without the footer's key nothing is verified: columns can be opened with their own keys.
    Raises Malformed (PQ-CRYPT-030: no signature, -031: wrong signature; -003, -005) and
    Unsupported (PQ-CRYPT-002, -006).
    """
    if meta.encryption_algorithm is None:
        return None
    if len(raw) - used != SIGNATURE:
        message = f"the signature takes {len(raw) - used} bytes, not {SIGNATURE}"
        raise Malformed(message, offset=base + used, rule="PQ-CRYPT-030")
    if keys is None:
        return None
    cipher = FileCipher.of(meta.encryption_algorithm, meta.footer_signing_key_metadata, keys)
    cipher.met = {} if keep else None
    if cipher.footer_key is not None:
        nonce, tag = raw[used : used + NONCE], raw[used + NONCE :]
        authentic = modules.aad(cipher.aad_base, ModuleKind.FOOTER, Place())
        if modules.gcm_seal(cipher.footer_key, nonce, raw[:used], authentic)[-TAG:] != tag:
            message = "the signature is not that of the footer: key, AAD, nonce or bytes are other ones"
            raise Malformed(message, offset=base + used, rule="PQ-CRYPT-031")
        if cipher.met is not None:
            cipher.met[base + used] = Met(cipher.footer_key, nonce, ModuleKind.FOOTER, Place())
    return cipher
