"""Sealing (encrypting) modules: the inverse of `opening.py`, for the writer.

A nonce is a digest of the plan's seed and of the module's place: unique in the file, and the same each
time that the plan is written.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, replace

from reference_impl.errors import Malformed, UsageError
from reference_impl.parquet.encryption import modules
from reference_impl.parquet.encryption.material import KEY_SIZES
from reference_impl.parquet.encryption.modules import LENGTH, NONCE, TAG, ModuleKind, Place
from reference_impl.parquet.page_structs import FileCryptoMetaData
from reference_impl.parquet.plan import Encryption, FilePlan
from reference_impl.parquet.schema import (
    AesGcmCtrV1,
    AesGcmV1,
    ColumnChunk,
    ColumnCryptoMetaData,
    ColumnMetaData,
    Empty,
    EncryptionAlgorithm,
    EncryptionWithColumnKey,
    FileMetaData,
)
from reference_impl.parquet.tamper import Place as PagePlace
from reference_impl.parquet.tamper import Tamper
from reference_impl.wire import thrift
from reference_impl.wire.table import Struct


def sealer(plan: FilePlan, tamper: Tamper) -> Sealer | None:
    """Return the sealer of a plan's file, None if the file is not encrypted; raises UsageError."""
    return None if plan.encryption is None else Sealer(plan, plan.encryption, tamper)


@dataclass(frozen=True)
class Sealer:
    """Seals the modules of a file."""

    plan: FilePlan
    encryption: Encryption
    tamper: Tamper

    def __post_init__(self) -> None:
        own = [column.key for column in self.encryption.columns or () if column and column.key is not None]
        if any(len(key) not in KEY_SIZES for key in (self.encryption.footer_key, *own)):
            raise UsageError("a key of AES is 16, 24 or 32 bytes")

    def key(self, leaf: int) -> bytes | None:
        """Return the key of a column, None if it is not encrypted."""
        column = self.encryption.column(leaf)
        return None if column is None else column.key or self.encryption.footer_key

    def struct(self, kind: ModuleKind, place: Place, struct: Struct, key: bytes) -> bytes:
        """Seal a struct, with the padding of the plan behind it."""
        raw = thrift.encode(
            struct, long_headers=self.plan.long_headers, zero_is_false=self.plan.zero_is_false
        )
        return self.module(kind, place, raw + bytes(self.encryption.padding), key)

    def module(self, kind: ModuleKind, place: Place, plain: bytes, key: bytes) -> bytes:
        """Seal a module; raises UsageError for a place that has no AAD."""
        nonce = self._nonce(kind, place, key)
        if modules.has_tag(kind, ctr=self.encryption.ctr):
            sealed = modules.gcm_seal(key, nonce, plain, self._aad(kind, place))
        else:
            sealed = modules.ctr(key, nonce, plain)
        whole = (len(nonce) + len(sealed)).to_bytes(LENGTH, "little") + nonce + sealed
        return self.tamper.module(kind, place, whole)

    def signature(self, footer: bytes) -> bytes:
        """Return nonce and tag of a plaintext footer."""
        key = self.encryption.footer_key
        nonce = self._nonce(ModuleKind.FOOTER, Place(), key)
        sealed = modules.gcm_seal(key, nonce, footer, self._aad(ModuleKind.FOOTER, Place()))
        return self.tamper.module(ModuleKind.FOOTER, Place(), nonce + sealed[-TAG:])

    def _aad(self, kind: ModuleKind, place: Place) -> bytes:
        base = (self.encryption.aad_prefix or b"") + self.encryption.file_unique
        try:
            return self.tamper.aad(kind, place, modules.aad(base, kind, place))
        except Malformed as error:
            raise UsageError(error.message) from error

    def _nonce(self, kind: ModuleKind, place: Place, key: bytes) -> bytes:
        text = f"{self.encryption.seed} {kind:d} {place}"
        return self.tamper.nonce(kind, place, hashlib.sha256(text.encode() + key).digest()[:NONCE])

    def chunk(self, chunk: ColumnChunk, place: PagePlace) -> ColumnChunk:
        """Return the chunk's entry in the footer, with the confidential metadata sealed."""
        column, key, meta = self.encryption.column(place.leaf), self.key(place.leaf), chunk.meta_data
        if column is None or key is None or meta is None:
            return chunk
        crypto = ColumnCryptoMetaData(ENCRYPTION_WITH_FOOTER_KEY=Empty())
        if column.key is not None:
            own = EncryptionWithColumnKey(path_in_schema=meta.path_in_schema, key_metadata=column.metadata)
            crypto = ColumnCryptoMetaData(ENCRYPTION_WITH_COLUMN_KEY=own)
        chunk = replace(chunk, crypto_metadata=crypto)
        if column.key is None and not self.encryption.plaintext_footer:
            return chunk
        sealed = self.struct(ModuleKind.COLUMN_METADATA, Place(place.row_group, place.leaf), meta, key)
        seen = _stripped(meta) if self.encryption.plaintext_footer else None
        return replace(chunk, meta_data=seen, encrypted_column_metadata=sealed)

    def algorithm(self) -> EncryptionAlgorithm:
        """Return the algorithm that the file declares."""
        wanted = self.encryption
        unique = wanted.file_unique or None
        stored = wanted.aad_prefix if wanted.store_aad_prefix else None
        supply = True if wanted.aad_prefix is not None and not wanted.store_aad_prefix else None
        cls = AesGcmCtrV1 if wanted.ctr else AesGcmV1
        chosen = cls(aad_prefix=stored, aad_file_unique=unique, supply_aad_prefix=supply)
        if isinstance(chosen, AesGcmCtrV1):
            return EncryptionAlgorithm(AES_GCM_CTR_V1=chosen)
        return EncryptionAlgorithm(AES_GCM_V1=chosen)

    def described(self, footer: FileMetaData) -> FileMetaData:
        """Return the footer; a plaintext footer gets the algorithm and the metadata of the signing key."""
        if not self.encryption.plaintext_footer:
            return footer
        metadata = self.encryption.footer_metadata
        return replace(footer, encryption_algorithm=self.algorithm(), footer_signing_key_metadata=metadata)

    def footer(self, raw: bytes) -> bytes:
        """Return the bytes before the footer's length; `raw` is the footer in plaintext."""
        if self.encryption.plaintext_footer:
            return raw + self.signature(raw)
        crypto_metadata = FileCryptoMetaData(
            encryption_algorithm=self.algorithm(), key_metadata=self.encryption.footer_metadata
        )
        crypto = thrift.encode(self.tamper.file_crypto(crypto_metadata), long_headers=self.plan.long_headers)
        padded = raw + bytes(self.encryption.padding)
        return crypto + self.module(ModuleKind.FOOTER, Place(), padded, self.encryption.footer_key)


def _stripped(meta: ColumnMetaData) -> ColumnMetaData:
    """Return the metadata of an encrypted column in a plaintext footer, "stripped of the statistics"."""
    return replace(
        meta, statistics=None, encoding_stats=None, size_statistics=None, geospatial_statistics=None
    )
