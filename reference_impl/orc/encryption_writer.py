"""Writing encrypted columns, the inverse of `decryption.py` (ORCv1.md, "Column Encryption")."""

from __future__ import annotations

from reference_impl.errors import UsageError
from reference_impl.orc import encryption_plan
from reference_impl.orc.encryption import KEY_LENGTHS, ctr, local_key, vector_of
from reference_impl.orc.schema import (
    DataMask,
    Encryption,
    EncryptionKey,
    EncryptionVariant,
    StreamKind,
    StripeInformation,
)
from reference_impl.orc.tamper import Place
from reference_impl.orc.types import TypeNode

_ALGORITHMS = {length: algorithm for algorithm, length in KEY_LENGTHS.items()}


class Sealing:
    """Encrypts the streams of encrypted columns. `nodes` are the roots of variants."""

    def __init__(self, wanted: encryption_plan.Encryption, root: TypeNode) -> None:
        """Check the plan; raises UsageError for a plan that no legal file can follow."""
        self.wanted = wanted
        every = {node.id: node for node in root.walk()}
        for key in wanted.keys:
            if len(key.key) not in _ALGORITHMS:
                raise UsageError(f"a master key of {len(key.key)} bytes")
        for variant in wanted.variants:
            if variant.root not in every or not 0 <= variant.key < len(wanted.keys):
                raise UsageError(f"a variant of column {variant.root} and key {variant.key}")
        self.nodes = [every[variant.root] for variant in wanted.variants]
        restarts = {restart.stripe: restart for restart in wanted.restarts}
        if any(len(restart.local) != len(wanted.variants) for restart in wanted.restarts):
            raise UsageError("local keys of a stripe that are not one of each variant")
        self._restarts = restarts

    def _open(self, variant: encryption_plan.Variant, encrypted: bytes) -> bytes:
        master = self.wanted.keys[variant.key].key
        if len(encrypted) != len(master):
            raise UsageError(f"a local key of {len(encrypted)} bytes")
        return local_key(master, encrypted)

    def stripe_id(self, stripe: int) -> int:
        """Return the id of a stripe in vectors."""
        begin, first = 0, self.wanted.first_id
        for restart in self.wanted.restarts:
            if begin <= restart.stripe <= stripe:
                begin, first = restart.stripe, restart.id
        return first + stripe - begin

    def _encrypted(self, stripe: int) -> tuple[bytes, ...]:
        """Return the local keys of a stripe, encrypted."""
        starts = [number for number in self._restarts if number <= stripe]
        if starts:
            return self._restarts[max(starts)].local
        return tuple(variant.local for variant in self.wanted.variants)

    def stream(self, stripe: int, variant: int, column: int, kind: StreamKind, data: bytes) -> bytes:
        """Encrypt a stream of a stripe."""
        key = self._open(self.wanted.variants[variant], self._encrypted(stripe)[variant])
        return ctr(key, vector_of(column, kind, self.stripe_id(stripe)), data)

    def statistics(self, place: Place, stripes: int, data: bytes) -> bytes:
        """Encrypt statistics in the tail, whose stripe id is the number of stripes plus one."""
        planned = self.wanted.variants[place.variant or 0]
        key = self._open(planned, planned.tail or planned.local)
        return ctr(key, vector_of(place.column, place.kind or StreamKind.FILE_STATISTICS, stripes + 1), data)

    def add_keys(self, number: int, information: StripeInformation) -> None:
        """Store id and keys in the footer's entry of a stripe, if they begin with this stripe."""
        if number == 0 or number in self._restarts:
            information.encrypt_stripe_id = self.stripe_id(number)
            information.encrypted_local_keys = self._encrypted(number)

    def message(self, statistics: list[tuple[EncryptionVariant, bytes | None]]) -> Encryption:
        """Return the message of the footer; `statistics` are those of stripes and of the file, by variant."""
        variants = []
        for planned, (message, whole) in zip(self.wanted.variants, statistics, strict=True):
            message.root, message.key = planned.root, planned.key
            message.encrypted_key = planned.tail or planned.local
            message.file_statistics = whole
            variants.append(message)
        return Encryption(
            mask=tuple(
                DataMask(name=mask.name, mask_parameters=mask.parameters, columns=mask.columns)
                for mask in self.wanted.masks
            ),
            key=tuple(
                EncryptionKey(key_name=key.name, key_version=key.version, algorithm=_ALGORITHMS[len(key.key)])
                for key in self.wanted.keys
            ),
            variants=tuple(variants),
            key_provider=self.wanted.provider,
        )
