"""Opening the modules of a file, and of one of its column chunks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple, TypeVar

from reference_impl.errors import Malformed, Unsupported
from reference_impl.parquet.encryption import modules
from reference_impl.parquet.encryption.keys import Finder, KeySource
from reference_impl.parquet.encryption.modules import HEAD, ModuleKind, Place
from reference_impl.parquet.schema import (
    ColumnChunk,
    ColumnCryptoMetaData,
    ColumnMetaData,
    EncryptionAlgorithm,
)
from reference_impl.wire import thrift
from reference_impl.wire.table import Struct

S = TypeVar("S", bound=Struct)
_DICTIONARY = ModuleKind.DICTIONARY_PAGE_HEADER
NO_AAD = "its writer left out the AAD"  # in messages about a module that the right key opens


class Module(NamedTuple):
    """An opened module: its plaintext, the absolute offset of its first byte, and the module's end.

    `end` is a position in the buffer that the module was read from.
    """

    plain: bytes
    base: int
    end: int


class Met(NamedTuple):
    """The key, nonce and place of a module that was opened."""

    key: bytes
    nonce: bytes
    kind: ModuleKind
    place: Place


@dataclass
class FileCipher:
    """The cipher of all modules of a file.

    `aad_base`: AAD prefix and file identifier. `met`: the modules opened so far, by offset (None: not
    recorded); `padded`: then the number of bytes left behind a struct, by their offset.
    """

    finder: Finder
    aad_base: bytes
    ctr: bool
    footer_key: bytes | None = None
    met: dict[int, Met] | None = field(default=None, repr=False)
    padded: dict[int, int] = field(default_factory=dict, repr=False)

    @staticmethod
    def of(algorithm: EncryptionAlgorithm, key_metadata: bytes | None, source: KeySource) -> FileCipher:
        """Return the cipher of a file.

        Raises Unsupported (an unknown algorithm; PQ-CRYPT-002: the AAD prefix is neither stored nor
        given) and Malformed (PQ-CRYPT-003: the AAD prefix is not the given one).
        """
        chosen = algorithm.AES_GCM_V1 or algorithm.AES_GCM_CTR_V1
        if chosen is None:
            raise Unsupported("an encryption algorithm that is not known", rule="PQ-CRYPT-006")
        prefix, given = chosen.aad_prefix, source.aad_prefix
        if prefix is None and chosen.supply_aad_prefix:
            if given is None:
                message = "the file does not store its AAD prefix, and none was given"
                raise Unsupported(message, rule="PQ-CRYPT-002")
            prefix = given
        elif given is not None and given != (prefix or b""):
            # 4.4.1: a reader should be able to verify the prefix, which is the identity of the file
            raise Malformed("the file's AAD prefix is not the one that was given", rule="PQ-CRYPT-003")
        finder = Finder(source, key_metadata)
        base = (prefix or b"") + (chosen.aad_file_unique or b"")
        return FileCipher(finder, base, algorithm.AES_GCM_CTR_V1 is not None, finder.footer())

    def chunk(
        self, crypto: ColumnCryptoMetaData, path: Sequence[str], row_group: int, column: int
    ) -> ChunkCipher:
        """Return the cipher of a column chunk; raises Unsupported (PQ-CRYPT-001) without its key."""
        own = crypto.ENCRYPTION_WITH_COLUMN_KEY
        if own is None and crypto.ENCRYPTION_WITH_FOOTER_KEY is None:
            raise Unsupported("column encryption of a kind that is not known", rule="PQ-CRYPT-006")
        key = self.footer_key if own is None else self.finder.column(path, own.key_metadata)
        if key is None:
            what = "the footer" if own is None else f"column {'.'.join(path)}"
            raise Unsupported(f"the key of {what} was not given", rule="PQ-CRYPT-001")
        return ChunkCipher(self, key, row_group, column)

    def open(  # noqa: PLR0917 - all that determines a module
        self, kind: ModuleKind, place: Place, key: bytes, data: bytes, at: int, base: int
    ) -> Module:
        """Open the module at `data[at:]`; `base` is the absolute offset of `data[0]`.

        Raises Malformed (PQ-CRYPT-010: its length, -014: ordinals, -020 to -029: it is not authentic).
        """
        framed = modules.frame(data, at, base, kind, ctr=self.ctr)
        plain: bytes | None
        if modules.has_tag(kind, ctr=self.ctr):
            plain = modules.gcm_open(
                key, framed.nonce, framed.sealed, modules.aad(self.aad_base, kind, place)
            )
        else:
            plain = modules.ctr(key, framed.nonce, framed.sealed)
        if plain is None:
            why = "key, AAD, nonce or bytes are other ones"
            if modules.gcm_open(key, framed.nonce, framed.sealed, b"") is not None:
                why = NO_AAD
            message = f"the module ({kind.title}) is not authentic: {why}"
            raise Malformed(message, offset=base + at, rule=kind.rule)
        if self.met is not None:
            self.met[base + at] = Met(key, framed.nonce, kind, place)
        return Module(plain, base + at + HEAD, framed.end)

    def struct(self, cls: type[S], module: Module, *, keep_spans: bool = False) -> tuple[S, int]:
        """Read the struct of a module; return the struct and the number of its bytes.

        Bytes behind the struct are no error: parquet-java encrypts its whole buffer, with a power of 2 as its
        size. Raises Malformed (PQ-THRIFT-*).
        """
        value, used = thrift.decode(cls, module.plain, base=module.base, keep_spans=keep_spans)
        if self.met is not None and used != len(module.plain):
            self.padded[module.base + used] = len(module.plain) - used
        return value, used


@dataclass(frozen=True)
class ChunkCipher:
    """The cipher of one column chunk; raises as `FileCipher.open` does.

    `has_dictionary`: by its metadata the chunk begins with a dictionary page.
    """

    file: FileCipher
    key: bytes = field(repr=False)
    row_group: int
    column: int
    has_dictionary: bool = False

    def open(self, kind: ModuleKind, data: bytes, base: int, *, at: int = 0, page: int = 0) -> Module:
        """Open a module of the chunk."""
        place = Place(self.row_group, self.column, page)
        return self.file.open(kind, place, self.key, data, at, base)

    def whole(self, kind: ModuleKind, data: bytes, base: int, *, page: int = 0) -> Module:
        """Open a module that takes all of `data`; raises Malformed (PQ-CRYPT-010) for bytes behind it."""
        module = self.open(kind, data, base, page=page)
        if module.end != len(data):
            message = f"{len(data) - module.end} unused bytes follow the module ({kind.title})"
            raise Malformed(message, offset=base + module.end, rule="PQ-CRYPT-010")
        return module

    def page_header(self, data: bytes, base: int, at: int, page: int) -> tuple[Module, bool]:
        """Open the page header at `data[at:]`; return the module, and whether it is of a dictionary page.

        The type of a page is in its header, but the AAD of the header depends on it: the first
        module of a chunk is tried as either type, since the metadata may be wrong; later ones are data pages.
        """
        expected, other = ModuleKind.DATA_PAGE_HEADER, ModuleKind.DICTIONARY_PAGE_HEADER
        if self.has_dictionary and not at and not page:
            expected, other = other, expected
        try:
            return self.open(expected, data, base, at=at, page=page), expected is _DICTIONARY
        except Malformed as error:
            if at or page or error.rule != expected.rule:
                raise
            try:
                return self.open(other, data, base), other is _DICTIONARY
            except Malformed:
                raise error from None


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
