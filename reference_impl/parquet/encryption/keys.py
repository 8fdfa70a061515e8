"""Finding keys: those that a caller gives, by the key metadata of a file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol

from reference_impl.errors import UsageError
from reference_impl.parquet.encryption import material


class KeySource(Protocol):
    """The keys that a caller has for a file (as `corpora.keys.Keys`); keys are 16, 24 or 32 bytes."""

    @property
    def footer(self) -> bytes | None:
        """The key of the footer."""

    @property
    def columns(self) -> Mapping[str, bytes]:
        """Keys of columns, by dotted path."""

    @property
    def by_metadata(self) -> Mapping[bytes, bytes]:
        """Keys by the key metadata that a file stores."""

    @property
    def aad_prefix(self) -> bytes | None:
        """The AAD prefix that the file is expected to have."""

    @property
    def master_keys(self) -> Mapping[str, bytes]:
        """Master keys by id."""

    @property
    def key_material(self) -> Mapping[str, str]:
        """Key material stored beside the file, by reference."""


class Finder:
    """Finds the keys of a file: by place, by key metadata, by key material, in this order."""

    def __init__(self, source: KeySource, footer_metadata: bytes | None) -> None:
        self.source = source
        self._metadata = footer_metadata
        key_material = material.parse(footer_metadata) if footer_metadata else None
        if key_material is not None and key_material.get("internalStorage") is False:
            key_material = material.parse(source.key_material.get(str(key_material.get("keyReference")), ""))
        name = key_material.get("masterKeyID") if key_material else None
        self._footer_master = name if isinstance(name, str) else None

    def footer(self) -> bytes | None:
        """Return the key of the footer, None if it cannot be found; raises Malformed (PQ-CRYPT-005)."""
        return self._checked(self.source.footer or self._by_metadata(self._metadata))

    def column(self, path: Sequence[str], metadata: bytes | None) -> bytes | None:
        """Return the key of a column, None if it cannot be found; raises Malformed (PQ-CRYPT-005)."""
        return self._checked(self.source.columns.get(".".join(path)) or self._by_metadata(metadata))

    def _by_metadata(self, metadata: bytes | None) -> bytes | None:
        if metadata is None:
            return None
        source = self.source
        if metadata in source.by_metadata:
            return source.by_metadata[metadata]
        return material.resolve(metadata, source.key_material, source.master_keys, self._footer_master)

    @staticmethod
    def _checked(key: bytes | None) -> bytes | None:
        if key is not None and len(key) not in material.KEY_SIZES:
            raise UsageError(f"a key of {len(key)} bytes; AES takes 16, 24 or 32")
        return key
