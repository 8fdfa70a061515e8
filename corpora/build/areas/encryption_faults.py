"""Encrypted files: tampers of modules, and files with wrong metadata about their encryption."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

from corpora.build.areas.encryption import explicit, recipe, uniform
from corpora.build.recipe import Recipe
from corpora.keys import Keys
from reference_impl.parquet.encryption.modules import ModuleKind, Place
from reference_impl.parquet.page_structs import FileCryptoMetaData, PageHeader
from reference_impl.parquet.plan import Encryption, FilePlan
from reference_impl.parquet.schema import (
    AesGcmV1,
    ColumnChunk,
    ColumnCryptoMetaData,
    EncryptionAlgorithm,
    EncryptionWithColumnKey,
    FileMetaData,
    PageType,
)
from reference_impl.parquet.tamper import DICTIONARY, Tamper
from reference_impl.parquet.tamper import Place as PagePlace
from reference_impl.parquet.writer import write

Modules = dict[tuple[ModuleKind, Place], bytes]
_READS_ON = "a reader need not read it"


class Changed(Tamper):
    """Replaces the bytes of some modules."""

    def __init__(self, modules: Modules) -> None:
        self.modules = modules

    def module(self, kind: ModuleKind, place: Place, data: bytes) -> bytes:
        """Return the other bytes for the place, if there are any."""
        return self.modules.get((kind, place), data)


class _Noting(Tamper):
    def __init__(self) -> None:
        self.modules: Modules = {}

    def module(self, kind: ModuleKind, place: Place, data: bytes) -> bytes:
        self.modules[kind, place] = data
        return data


def modules_of(plan: FilePlan) -> Modules:
    """Return the modules of a plan's file, by kind and place."""
    noting = _Noting()
    write(plan, noting)
    return noting.modules


def flipped(data: bytes, at: int) -> bytes:
    """Return bytes with one bit changed."""
    return data[:at] + bytes([data[at] ^ 1]) + data[at + 1 :]


class ChangedMetadata(Tamper):
    """Changes the metadata of the encryption; each argument is a function of the correct metadata."""

    def __init__(
        self,
        crypto: Callable[[FileCryptoMetaData], FileCryptoMetaData] | None = None,
        footer: Callable[[FileMetaData], FileMetaData] | None = None,
        behind: Callable[[bytes], bytes] | None = None,
        nonce: bytes = b"",
    ) -> None:
        self._crypto, self._footer, self._behind, self._nonce = crypto, footer, behind, nonce

    def file_crypto(self, crypto: FileCryptoMetaData) -> FileCryptoMetaData:
        """Change FileCryptoMetaData."""
        return self._crypto(crypto) if self._crypto else crypto

    def footer(self, metadata: FileMetaData) -> FileMetaData:
        """Change the footer before it is signed or encrypted."""
        return self._footer(metadata) if self._footer else metadata

    def module(self, kind: ModuleKind, place: Place, data: bytes) -> bytes:
        """Change a signature."""
        del place
        return self._behind(data) if self._behind and kind is ModuleKind.FOOTER else data

    def nonce(self, kind: ModuleKind, place: Place, nonce: bytes) -> bytes:
        """Return one nonce for all data pages."""
        del place
        return self._nonce if self._nonce and kind is ModuleKind.DATA_PAGE else nonce


def recipes() -> Iterator[Recipe]:
    """Yield files with changed metadata about their encryption."""
    signed, own = uniform(plaintext_footer=True), explicit(plaintext_footer=True)
    prefixed = uniform(aad_prefix=b"suite")
    cases: list[tuple[str, tuple[Encryption, Keys], str, ChangedMetadata]] = [
        ("prefix-changed", prefixed, "PQ-CRYPT-020", algorithm(aad_prefix=b"other")),
        ("prefix-removed", prefixed, "PQ-CRYPT-020", algorithm(aad_prefix=None)),
        ("identifier-changed", uniform(), "PQ-CRYPT-020", algorithm(aad_file_unique=b"colconf2")),
        ("identifier-removed", uniform(), "PQ-CRYPT-020", algorithm(aad_file_unique=None)),
        ("algorithm-unknown", uniform(), "PQ-CRYPT-006", ChangedMetadata(_unknown_algorithm)),
        ("signature-missing", signed, "PQ-CRYPT-030", ChangedMetadata(behind=lambda _: b"")),
        ("signature-short", signed, "PQ-CRYPT-030", ChangedMetadata(behind=lambda data: data[:-1])),
        ("signature-of-zeros", signed, "PQ-CRYPT-031", ChangedMetadata(behind=lambda data: bytes(len(data)))),
        ("column-crypto-metadata-missing", explicit(), "PQ-CRYPT-012", _chunk(crypto_metadata=None)),
        ("column-metadata-not-sealed", own, "PQ-CRYPT-013", _chunk(encrypted_column_metadata=None)),
        (
            "column-crypto-unknown",
            own,
            "PQ-CRYPT-006",
            _chunk(crypto_metadata=ColumnCryptoMetaData(unknown=((3, 12, b"\0"),))),
        ),
    ]
    for name, sealed, rule, tamper in cases:
        yield recipe(f"told/{name}", sealed, tamper=tamper, refuse=rule)
    for name, ctr in (("gcm", False), ("ctr", True)):
        not_supplied = algorithm(supply_aad_prefix=False)
        yield recipe(f"mode/aad-prefix-not-to-supply-{name}", uniform(ctr=ctr), tamper=not_supplied)
    yield _signed_bytes(signed)
    yield recipe("told/other-type-of-page", uniform(), tamper=_OtherType(), refuse="PQ-CRYPT-015")
    yield from _unseen()


class _OtherType(Tamper):
    """Changes the type in the header of the dictionary page to an index page, but not its module."""

    def page_header(self, place: PagePlace, header: PageHeader) -> PageHeader:
        return replace(header, type=PageType.INDEX_PAGE) if place.page == DICTIONARY else header


def _signed_bytes(signed: tuple[Encryption, Keys]) -> Recipe:
    class Other(Tamper):
        """Changes a byte of the footer after it was signed."""

        def whole(self, data: bytes) -> bytes:
            return data.replace(b"colconf version 1", b"colconf version 2")

    return recipe("told/footer-changed-behind-signature", signed, tamper=Other(), refuse="PQ-CRYPT-031")


def _unseen() -> Iterator[Recipe]:
    """Yield wrong metadata that a reader need not read."""
    signed, own = uniform(plaintext_footer=True), explicit(plaintext_footer=True)
    both, keys = uniform(aad_prefix=b"suite")
    asked_for = (both, replace(keys, aad_prefix=b"suite"))
    twice = EncryptionAlgorithm(AES_GCM_V1=AesGcmV1(aad_file_unique=b"colconf1"))
    told_twice = _footer(encryption_algorithm=twice)
    not_told = _footer(encryption_algorithm=None)
    ordinals = uniform(ordinals=False)
    unnamed, unnamed_ctr = uniform(file_unique=b""), uniform(file_unique=b"", ctr=True)
    for name, sealed, rule, tamper in (
        ("algorithm-told-twice", uniform(), "PQ-CRYPT-016", told_twice),
        ("column-metadata-also-plain", explicit(), "PQ-CRYPT-017", ChangedMetadata(footer=_also_plain)),
        ("statistics-in-the-plain", own, "PQ-CRYPT-018", ChangedMetadata(footer=_with_statistics)),
        ("nonce-twice", uniform(), "PQ-CRYPT-019", ChangedMetadata(nonce=b"used a lot !")),
        ("no-ordinals", ordinals, "PQ-CRYPT-032", ChangedMetadata(footer=_without_ordinals)),
        ("no-identifier", unnamed, "PQ-CRYPT-033", None),
        ("no-identifier-ctr", unnamed_ctr, "PQ-CRYPT-033", None),
        ("prefix-stored-and-asked-for", asked_for, "PQ-CRYPT-035", algorithm(supply_aad_prefix=True)),
        ("other-path", own, "PQ-CRYPT-036", ChangedMetadata(footer=_other_path)),
        ("signed-algorithm-missing", signed, "PQ-CRYPT-034", not_told),
    ):
        level = "SHOULD" if name == "no-ordinals" else "MUST"
        wrong = recipe(f"told/{name}", sealed, tamper=tamper, refuse=rule, level=level)
        yield replace(wrong, either=_READS_ON, meant=tamper is not not_told)


def algorithm(**changes: Any) -> ChangedMetadata:
    """Return a tamper that changes fields of the algorithm."""

    def change(crypto: FileCryptoMetaData) -> FileCryptoMetaData:
        old = crypto.encryption_algorithm
        name = old.which()
        assert name is not None
        other = replace(old, **{name: replace(old.value(), **changes)})
        return replace(crypto, encryption_algorithm=other)

    return ChangedMetadata(change)


def _unknown_algorithm(crypto: FileCryptoMetaData) -> FileCryptoMetaData:
    return replace(crypto, encryption_algorithm=EncryptionAlgorithm(unknown=((3, 12, b"\0"),)))


def _footer(**changes: Any) -> ChangedMetadata:
    return ChangedMetadata(footer=lambda metadata: replace(metadata, **changes))


def _chunks(metadata: FileMetaData, change: Callable[[ColumnChunk], ColumnChunk]) -> FileMetaData:
    """Change the chunks of the first column."""
    groups = [
        replace(group, columns=[change(group.columns[0]), *group.columns[1:]])
        for group in metadata.row_groups
    ]
    return replace(metadata, row_groups=groups)


def _chunk(**changes: Any) -> ChangedMetadata:
    """Return a tamper that changes fields of the chunks of the first column."""
    return ChangedMetadata(footer=lambda metadata: _chunks(metadata, lambda chunk: replace(chunk, **changes)))


def _without_ordinals(metadata: FileMetaData) -> FileMetaData:
    return replace(metadata, row_groups=[replace(group, ordinal=None) for group in metadata.row_groups])


def _other_path(metadata: FileMetaData) -> FileMetaData:
    def change(chunk: ColumnChunk) -> ColumnChunk:
        own = chunk.crypto_metadata.ENCRYPTION_WITH_COLUMN_KEY if chunk.crypto_metadata else None
        other = EncryptionWithColumnKey(path_in_schema=["b"], key_metadata=own.key_metadata if own else None)
        return replace(chunk, crypto_metadata=ColumnCryptoMetaData(ENCRYPTION_WITH_COLUMN_KEY=other))

    return _chunks(metadata, change)


def _plain_of(metadata: FileMetaData, chunk: ColumnChunk) -> ColumnChunk:
    """Return the chunk with the metadata of the unencrypted column, under its own name."""
    group = next(group for group in metadata.row_groups if any(chunk is other for other in group.columns))
    other = group.columns[2].meta_data
    assert other is not None
    return replace(chunk, meta_data=replace(other, path_in_schema=["a"]))


def _also_plain(metadata: FileMetaData) -> FileMetaData:
    return _chunks(metadata, lambda chunk: _plain_of(metadata, chunk))


def _with_statistics(metadata: FileMetaData) -> FileMetaData:
    def change(chunk: ColumnChunk) -> ColumnChunk:
        assert chunk.meta_data is not None
        plain = _plain_of(metadata, chunk).meta_data
        assert plain is not None
        return replace(chunk, meta_data=replace(chunk.meta_data, statistics=plain.statistics))

    return _chunks(metadata, change)
