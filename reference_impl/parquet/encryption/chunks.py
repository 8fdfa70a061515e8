"""Encrypted column chunks: the place of their metadata (Encryption.md, 5.3 to 5.5)."""

from __future__ import annotations

from dataclasses import replace

from reference_impl.errors import Malformed
from reference_impl.parquet.encryption.modules import ModuleKind
from reference_impl.parquet.encryption.opening import ChunkCipher
from reference_impl.parquet.schema import ColumnChunk, ColumnMetaData


def is_encrypted(chunk: ColumnChunk) -> bool:
    """Return whether a chunk is encrypted."""
    return chunk.crypto_metadata is not None or chunk.encrypted_column_metadata is not None


def reveal(chunk: ColumnChunk, cipher: ChunkCipher, in_encrypted_footer: bool) -> ColumnChunk:
    """Return the chunk with its metadata decrypted.

    "If the column key is different from the footer encryption key, the column metadata is serialized
    separately and encrypted with the column key": also where the footer is not encrypted. Raises Malformed
    (PQ-CRYPT-010, -013: the metadata is not encrypted, -021).
    """
    sealed = chunk.encrypted_column_metadata
    plain = replace(chunk, crypto_metadata=None, encrypted_column_metadata=None)
    if sealed is None:
        assert chunk.crypto_metadata is not None
        if in_encrypted_footer and chunk.crypto_metadata.ENCRYPTION_WITH_COLUMN_KEY is None:
            return plain  # the footer has it, encrypted with the same key
        at = chunk.begin
        raise Malformed("the column's metadata is not encrypted", offset=at, rule="PQ-CRYPT-013")
    spans = chunk.field_spans or {}
    end = spans.get("encrypted_column_metadata", (0, 0))[1]
    base = end - len(sealed) if end else 0
    module = cipher.whole(ModuleKind.COLUMN_METADATA, sealed, base)
    meta, _ = cipher.file.struct(ColumnMetaData, module)
    return replace(plain, meta_data=meta)
