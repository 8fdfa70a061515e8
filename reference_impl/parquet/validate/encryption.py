"""Checks of encrypted files (Encryption.md) that a reader does not need.

Plaintext parts are checked without keys; the repetition of nonces and the padding only with keys.
"""

from __future__ import annotations

from reference_impl.parquet.encryption.opening import Met, is_encrypted
from reference_impl.parquet.schema import ColumnChunk, EncryptionAlgorithm
from reference_impl.parquet.validate.opened import Opened
from reference_impl.validation import Report

_STATISTICS = ("statistics", "size_statistics", "geospatial_statistics")


def check(file: Opened, report: Report) -> None:
    """Check the file, after all modules that can be opened were opened."""
    crypto, meta = file.footer.crypto, file.metadata
    algorithm = meta.encryption_algorithm if crypto is None else crypto.encryption_algorithm
    if crypto is not None and meta.encryption_algorithm is not None:
        at = file.span("encryption_algorithm")
        report.add("PQ-CRYPT-016", ("footer",), at, "encryption_algorithm in a footer that is encrypted")
    if algorithm is not None:
        _algorithm(algorithm, report)
    for number, group in enumerate(meta.row_groups):
        where, at = f"row_groups[{number}]", group.begin
        if algorithm is not None and group.ordinal is None:
            report.add("PQ-CRYPT-032", (where,), at, "the row group of an encrypted file has no ordinal")
        for column, chunk in enumerate(group.columns):
            if is_encrypted(chunk):
                _chunk(file, chunk, column, (where, f"columns[{column}]"), report)
                if algorithm is None:
                    message = "an encrypted column in a file that names no encryption_algorithm"
                    report.add("PQ-CRYPT-034", (where, f"columns[{column}]"), at, message)
    if file.cipher is not None:
        _modules(file, report)


def _algorithm(algorithm: EncryptionAlgorithm, report: Report) -> None:
    chosen = algorithm.AES_GCM_V1 or algorithm.AES_GCM_CTR_V1
    if chosen is None:
        return
    at = chosen.begin
    if not chosen.aad_file_unique:
        report.add("PQ-CRYPT-033", ("encryption_algorithm",), at, "there is no aad_file_unique")
    if chosen.aad_prefix is not None and chosen.supply_aad_prefix:
        message = "aad_prefix is stored, and readers are to supply it"
        report.add("PQ-CRYPT-035", ("encryption_algorithm",), at, message)


def _chunk(file: Opened, chunk: ColumnChunk, column: int, where: tuple[str, ...], report: Report) -> None:
    own = chunk.crypto_metadata.ENCRYPTION_WITH_COLUMN_KEY if chunk.crypto_metadata else None
    at = chunk.begin
    if (
        own is not None
        and column < len(file.leaves)
        and tuple(own.path_in_schema) != file.leaves[column].path
    ):
        message = f"path_in_schema is {own.path_in_schema!r:.200} in the column's crypto_metadata"
        report.add("PQ-CRYPT-036", where, at, message)
    if file.footer.crypto is not None:
        if own is not None and chunk.meta_data is not None:
            message = "meta_data of a column with a key of its own"
            report.add("PQ-CRYPT-017", where, at, message)
    elif chunk.meta_data is not None:
        names = [name for name in _STATISTICS if getattr(chunk.meta_data, name) is not None]
        if names:
            message = f"{', '.join(names)} of an encrypted column in a plaintext footer"
            report.add("PQ-CRYPT-018", where, at, message)


def _modules(file: Opened, report: Report) -> None:
    assert file.cipher is not None
    for at, count in sorted(file.cipher.padded.items()):
        report.add("PQ-CRYPT-011", ("modules",), at, f"{count} bytes are encrypted behind the struct")
    seen: dict[tuple[bytes, bytes], tuple[int, Met]] = {}
    for at, met in sorted((file.cipher.met or {}).items()):
        first = seen.setdefault((met.key, met.nonce), (at, met))
        if first[0] != at:
            message = f"the nonce of this module ({met.kind.title}) is that of the one at byte {first[0]}"
            report.add("PQ-CRYPT-019", ("modules",), at, message)
