"""The footer's description of encrypted columns, and the cipher (ORCv1.md, "Column Encryption").

    master key (name, version), of a key management service
      └─ decrypts ─► local key of a variant, one for its stripes and one for its statistics in the tail
                       └─ AES/CTR ─► every stream of the variant, after compression

A variant is a subtree of columns that is written twice: encrypted, and masked among the unencrypted columns,
where readers without the key find it. A reader takes the first variant of a column whose key it has.

    initialization vector    column id, 3 bytes | stream kind, 2 | stripe id, 3 | counter of blocks, 8, from 0
    local key (HADOOP)       AES/CTR under the master key; its own first 16 bytes are the vector

For statistics in the tail the text takes "the number of stripes in the file as the stripe id". Files take one
more than that, apache/orc's examples (examples/encrypted) among them, and so does this module.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

from reference_impl.errors import Malformed, UsageError
from reference_impl.orc.schema import (
    Encryption,
    EncryptionAlgorithm,
    EncryptionKey,
    EncryptionVariant,
    StreamKind,
    StripeInformation,
)
from reference_impl.orc.tail import Tail
from reference_impl.orc.types import TypeNode

KEY_LENGTHS = {EncryptionAlgorithm.AES_CTR_128: 16, EncryptionAlgorithm.AES_CTR_256: 32}
IV_LENGTH = 16
MAX_NUMBER = (1 << 24) - 1  # of columns and of stripes, for which the vector has 3 bytes


def ctr(key: bytes, vector: bytes, data: bytes | memoryview) -> bytes:
    """Encrypt or decrypt; both are the same operation."""
    # Importing `cryptography` takes a tenth of a second, which only encrypted files should cost.
    from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes  # noqa: PLC0415 - see above

    cipher = Cipher(algorithms.AES(key), modes.CTR(vector)).encryptor()
    return cipher.update(data) + cipher.finalize()


def vector_of(column: int, kind: StreamKind, stripe_id: int) -> bytes:
    """Return the initialization vector of a stream ("Stream Encryption"); raises UsageError."""
    if not 0 <= column <= MAX_NUMBER or not 0 < stripe_id <= MAX_NUMBER:
        raise UsageError(f"column {column} of stripe {stripe_id}; there are {MAX_NUMBER} of either at most")
    head = column.to_bytes(3, "big") + int(kind).to_bytes(2, "big") + stripe_id.to_bytes(3, "big")
    return head + bytes(IV_LENGTH - len(head))


def local_key(master: bytes, encrypted: bytes) -> bytes:
    """Decrypt a local key as KMS of Hadoop and Ranger do: "Using the first 16 bytes as the IV"."""
    return ctr(master, encrypted[:IV_LENGTH], encrypted)


@dataclass(frozen=True)
class Variant:
    """A variant of the footer: `number` in the list, subtree `root`, master key and `message`."""

    number: int
    root: TypeNode
    key: EncryptionKey
    message: EncryptionVariant

    @property
    def columns(self) -> range:
        """The ids of its columns."""
        return range(self.root.id, self.root.max_id + 1)

    @property
    def name(self) -> str:
        """The name of the variant and its key in messages."""
        return f"variants[{self.number}], key {self.key.key_name}@{self.key.key_version or 0}"


def key_errors(variant: Variant, local: bytes, at: int) -> Iterator[Malformed]:
    """Yield the error of a local key that has not the length of the algorithm."""
    length = KEY_LENGTHS.get(variant.key.algorithm or EncryptionAlgorithm.UNKNOWN_ENCRYPTION)
    if length is not None and len(local) != length:
        message = f"{variant.name}: a local key of {len(local)} bytes instead of {length}"
        yield Malformed(message, offset=at, rule="ORC-CRYPT-005")


def variants_of(encryption: Encryption, root: TypeNode, at: int) -> tuple[Variant, ...]:
    """Return the variants of a file. Raises Malformed (ORC-CRYPT-001, -002)."""
    nodes = {node.id: node for node in root.walk()}
    out = []
    for number, variant in enumerate(encryption.variants):
        top, key = variant.root or 0, variant.key or 0
        if top not in nodes:
            message = f"variant {number} of column {top}; there are {len(nodes)}"
            raise Malformed(message, offset=at, rule="ORC-CRYPT-001")
        if key >= len(encryption.key):
            message = f"variant {number} of key {key}; there are {len(encryption.key)}"
            raise Malformed(message, offset=at, rule="ORC-CRYPT-002")
        out.append(Variant(number, nodes[top], encryption.key[key], variant))
    return tuple(out)


def stripe_ids(stripes: tuple[StripeInformation, ...], at: int) -> tuple[int, ...]:
    """Return the id of each stripe in vectors: the stored id, or one more than the id of the stripe before.

    Raises Malformed (ORC-CRYPT-003 if the first stripe has no id, ORC-CRYPT-004 beyond 3 bytes).
    """
    out: list[int] = []
    for number, stripe in enumerate(stripes):
        if stripe.encrypt_stripe_id is None and not out:
            raise Malformed("the first stripe has no encryptStripeId", offset=at, rule="ORC-CRYPT-003")
        stripe_id = out[-1] + 1 if stripe.encrypt_stripe_id is None else stripe.encrypt_stripe_id
        if not 0 < stripe_id <= MAX_NUMBER:
            message = f"stripe {number} is {stripe_id} of encryption; 1 to {MAX_NUMBER} fit into a vector"
            raise Malformed(message, offset=at, rule="ORC-CRYPT-004")
        out.append(stripe_id)
    return tuple(out)


def encrypted_keys(
    stripes: tuple[StripeInformation, ...], variants: int, at: int
) -> tuple[tuple[bytes, ...], ...]:
    """Return the encrypted local keys of each stripe: its own, or those of the stripe before.

    Raises Malformed (ORC-CRYPT-003) for a stripe that has not a key for each variant.
    """
    out: list[tuple[bytes, ...]] = []
    for number, stripe in enumerate(stripes):
        own = stripe.encrypted_local_keys or (out[-1] if out else ())
        if len(own) != variants:
            message = f"{len(own)} encryptedLocalKeys of stripe {number} for {variants} variants"
            raise Malformed(message, offset=at, rule="ORC-CRYPT-003")
        out.append(own)
    return tuple(out)


class StatisticsPlace(NamedTuple):
    """Where the stripe statistics of a column stand."""

    column: int
    offset: int
    length: int


def statistics_places(variant: Variant, at: int, tail: Tail) -> tuple[StatisticsPlace, ...]:
    """Return where a variant's stripe statistics stand, from `at` on. Raises Malformed (ORC-CRYPT-007)."""
    out = []
    end = tail.metadata_stream.base
    for stream in variant.message.stripe_statistics:
        column, length = stream.column or 0, stream.length or 0
        if stream.kind is not StreamKind.STRIPE_STATISTICS or column not in variant.columns:
            message = f"{variant.name}: a stream of column {column} is not one of its statistics"
            raise Malformed(message, offset=at, rule="ORC-CRYPT-007")
        if length > end - at:
            message = f"{variant.name}: statistics of {length} bytes at {at}; they end at {end}"
            raise Malformed(message, offset=at, rule="ORC-CRYPT-007")
        out.append(StatisticsPlace(column, at, length))
        at += length
    return tuple(out)
