"""Reading encrypted columns with the available keys (ORCv1.md, "Column Encryption").

CTR detects neither a wrong key nor a changed byte: decryption returns other bytes, which break other rules.
The statistics of the file are decrypted when it is opened, so most wrong keys are detected there.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from reference_impl.errors import Malformed, Unsupported, UsageError, located, raise_first
from reference_impl.limits import Limits
from reference_impl.orc.encryption import (
    KEY_LENGTHS,
    Variant,
    ctr,
    encrypted_keys,
    key_errors,
    local_key,
    statistics_places,
    stripe_ids,
    variants_of,
    vector_of,
)
from reference_impl.orc.framing import Stream, open_stream
from reference_impl.orc.schema import (
    ColumnarStripeStatistics,
    Encryption,
    EncryptionAlgorithm,
    EncryptionKey,
    FileStatistics,
    KeyProviderKind,
    StreamKind,
    StripeStatistics,
)
from reference_impl.orc.statistics_schema import ColumnStatistics
from reference_impl.orc.tail import Tail, read_message
from reference_impl.orc.types import TypeNode

MasterKeys = Mapping[str, Mapping[int, bytes]]  # by name and version
Unwrap = Callable[[EncryptionKey, bytes], bytes | None]  # of an encrypted local key; None without access


class Wanted(NamedTuple):
    """A stream of a variant; `stripe_id` is the stripe's id in vectors."""

    column: int
    kind: StreamKind
    stripe_id: int


class Decryption:
    """The parts of a file that can be decrypted with the available keys.

    `variants` are all variants of the file, `opened` those with a key, `by_column` the first of these of each
    column. `file_statistics` are those of encrypted columns, without a mask.
    """

    def __init__(
        self, data: memoryview, tail: Tail, root: TypeNode, keys: MasterKeys | Unwrap, limits: Limits
    ) -> None:
        """Decrypt local keys and statistics of the file.

        Raises Malformed (ORC-CRYPT-001 to -006), Unsupported for an algorithm or a provider of keys that is
        not known, and UsageError for a master key of another length.
        """
        self._data = data
        self._tail = tail
        self._limits = limits
        self._keys = keys
        self._at = tail.footer_stream.data_base
        self.encryption: Encryption = tail.footer.encryption  # type: ignore[assignment]  # the caller has checked
        with located("footer", "encryption"), tail.footer_stream.decoding():
            self.variants = variants_of(self.encryption, root, self._at)
            self.opened = tuple(variant for variant in self.variants if self._has(variant))
            self.by_column: dict[int, Variant] = {}
            for variant in self.opened:
                for column in variant.columns:
                    self.by_column.setdefault(column, variant)
            if self.opened:
                stripes = tail.footer.stripes
                self.ids = stripe_ids(stripes, self._at)
                self._encrypted = encrypted_keys(stripes, len(self.variants), self._at)
            self.file_statistics: dict[int, ColumnStatistics] = {}
            for variant in self.opened:
                self._read_file_statistics(variant)
        self._at = tail.footer_stream.base
        self._stripe_statistics: dict[int, tuple[ColumnStatistics, ...]] | None = None

    def _has(self, variant: Variant) -> bool:
        """Return whether the keys open a variant; raise if its master key cannot be used."""
        key = variant.key
        if not isinstance(self._keys, Mapping):
            if self._keys(key, variant.message.encrypted_key or b"") is None:
                return False
        elif self._master(key) is None:
            return False
        length = KEY_LENGTHS.get(key.algorithm or EncryptionAlgorithm.UNKNOWN_ENCRYPTION)
        if length is None:
            raise Unsupported("an algorithm of encryption that is not known", offset=self._at)
        master = self._master(key)
        if master is not None:
            if len(master) != length:
                raise UsageError(f"{variant.name}, has {length} bytes; the one given has {len(master)}")
            if self.encryption.key_provider is not KeyProviderKind.HADOOP:
                provider = (self.encryption.key_provider or KeyProviderKind.UNKNOWN).name
                raise Unsupported(f"local keys of {provider}, which a master key does not decrypt")
        return True

    def _master(self, key: EncryptionKey) -> bytes | None:
        if not isinstance(self._keys, Mapping):
            return None
        return self._keys.get(key.key_name or "", {}).get(key.key_version or 0)

    def _local(self, variant: Variant, encrypted: bytes | None) -> bytes:
        """Decrypt a local key. Raises Malformed (ORC-CRYPT-005) if it has not the algorithm's length."""
        length = KEY_LENGTHS[variant.key.algorithm]  # type: ignore[index]  # `_has` has checked
        local: bytes | None = encrypted or b""
        if not isinstance(self._keys, Mapping):
            local = self._keys(variant.key, encrypted or b"")
        elif len(encrypted or b"") == length:
            local = local_key(self._master(variant.key) or b"", encrypted or b"")
        raise_first(key_errors(variant, local or b"", self._at))
        return local or b""

    @property
    def _tail_id(self) -> int:
        return len(self._tail.footer.stripes) + 1

    def _open(self, key: bytes, wanted: Wanted, raw: bytes | memoryview, base: int) -> Stream:
        plain = ctr(key, vector_of(*wanted), raw)
        return open_stream(memoryview(plain), self._tail.codec, self._tail.block_size, base, self._limits)

    def stream(self, stripe: int, column: int, kind: StreamKind, raw: memoryview, base: int) -> Stream:
        """Decrypt a stream of an encrypted column of a stripe, which stands at `base`."""
        variant = self.by_column[column]
        local = self._local(variant, self._encrypted[stripe][variant.number])
        return self._open(local, Wanted(column, kind, self.ids[stripe]), raw, base)

    def _tail_key(self, variant: Variant) -> bytes:
        return self._local(variant, variant.message.encrypted_key)

    def _read_file_statistics(self, variant: Variant) -> None:
        """Read the file statistics of a variant's columns; store those of columns that this variant opens.

        Raises Malformed (ORC-CRYPT-006) for statistics that do not decode, as with a wrong key.
        """
        raw = variant.message.file_statistics
        if raw is None:
            return
        wanted = Wanted(variant.root.id, StreamKind.FILE_STATISTICS, self._tail_id)
        stream = self._open(self._tail_key(variant), wanted, raw, self._at)
        try:
            columns = read_message(FileStatistics, stream).column
        except Malformed as error:
            message = f"{variant.name}: a wrong key, or wrong fileStatistics: {error.message}"
            raise Malformed(message, offset=self._at, rule="ORC-CRYPT-006") from error
        if len(columns) != len(variant.columns):
            message = f"{variant.name}: fileStatistics of {len(columns)} columns for {len(variant.columns)}"
            raise Malformed(message, offset=self._at, rule="ORC-CRYPT-006")
        for column, statistics in zip(variant.columns, columns, strict=True):
            if self.by_column[column] is variant:
                self.file_statistics[column] = statistics

    def over_file(self, masked: Sequence[ColumnStatistics]) -> tuple[ColumnStatistics, ...]:
        """Return the statistics of the file, those of opened columns without a mask."""
        return tuple(self.file_statistics.get(column, statistics) for column, statistics in enumerate(masked))

    def over_stripes(self, masked: Sequence[StripeStatistics]) -> tuple[StripeStatistics, ...]:
        """Return the statistics of stripes, those of opened columns without a mask."""
        hidden = self.stripe_statistics
        return tuple(
            StripeStatistics(
                col_stats=tuple(
                    hidden[column][number] if column in hidden else statistics
                    for column, statistics in enumerate(stripe.col_stats)
                )
            )
            for number, stripe in enumerate(masked)
        )

    @property
    def stripe_statistics(self) -> dict[int, tuple[ColumnStatistics, ...]]:
        """The statistics of each stripe, by encrypted column.

        Raises Malformed (ORC-CRYPT-007; ORC-COMP-*, ORC-PROTO-* for decrypted bytes that are not legal).
        """
        if self._stripe_statistics is None:
            by_column: dict[int, tuple[ColumnStatistics, ...]] = {}
            at = self._tail.body_end
            for variant in self.variants:
                with located(f"stripe statistics of {variant.name}"):
                    at = self._read_stripe_statistics(variant, at, by_column)
            self._stripe_statistics = by_column
        return self._stripe_statistics

    def _read_stripe_statistics(
        self, variant: Variant, at: int, out: dict[int, tuple[ColumnStatistics, ...]]
    ) -> int:
        for place in statistics_places(variant, at, self._tail):
            at += place.length
            if self.by_column.get(place.column) is not variant:
                continue
            wanted = Wanted(place.column, StreamKind.STRIPE_STATISTICS, self._tail_id)
            raw = self._data[place.offset : at]
            stream = self._open(self._tail_key(variant), wanted, raw, place.offset)
            with stream.decoding():
                statistics = read_message(ColumnarStripeStatistics, stream).col_stats
            if len(statistics) != len(self._tail.footer.stripes):
                message = f"column {place.column}: statistics of {len(statistics)} stripes"
                raise Malformed(message, offset=place.offset, rule="ORC-CRYPT-007")
            out[place.column] = statistics
        return at
