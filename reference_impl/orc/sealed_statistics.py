"""Writing the statistics of encrypted columns, encrypted, into the tail ("Encryption Variants").

Statistics of stripes are a stream per column, those of the file a message in the footer; a reader without the
key reads the statistics of the masked columns at their usual place.
"""

from __future__ import annotations

from reference_impl.orc import statistics
from reference_impl.orc.encryption_writer import Sealing
from reference_impl.orc.schema import (
    ColumnarStripeStatistics,
    ColumnStatistics,
    Encryption,
    EncryptionVariant,
    FileStatistics,
    Stream,
    StreamKind,
)
from reference_impl.orc.stripe_writer import WrittenStripe
from reference_impl.orc.tamper import Place
from reference_impl.orc.types import TypeNode
from reference_impl.orc.write_context import Context
from reference_impl.wire.table import Struct


class SealedStatistics:
    """Encrypted columns in the tail: `data` of stripe statistics, and the footer's `message`, if any."""

    def __init__(self, context: Context, stripes: list[WrittenStripe]) -> None:
        """Build the statistics and encrypt them."""
        self.context = context
        self.stripes = stripes
        self.data = b""
        self.message: Encryption | None = None
        sealing = context.sealing
        if sealing is not None:
            variants = [self._of(sealing, number, node) for number, node in enumerate(sealing.nodes)]
            self.message = sealing.message(variants)

    def _of(self, sealing: Sealing, variant: int, top: TypeNode) -> tuple[EncryptionVariant, bytes | None]:
        streams = []
        if self.context.plan.stripe_statistics:
            for node in top.walk():
                by_stripe = tuple(self._stripe(number, variant, node) for number in range(len(self.stripes)))
                message = ColumnarStripeStatistics(col_stats=by_stripe)
                data = self._sealed(sealing, variant, node.id, StreamKind.STRIPE_STATISTICS, message)
                streams.append(Stream(kind=StreamKind.STRIPE_STATISTICS, column=node.id, length=len(data)))
                self.data += data
        whole = None
        if self.context.plan.file_statistics:
            message_ = FileStatistics(column=tuple(self._file(variant, node) for node in top.walk()))
            whole = self._sealed(sealing, variant, top.id, StreamKind.FILE_STATISTICS, message_)
        return EncryptionVariant(stripe_statistics=tuple(streams)), whole

    def _sealed(
        self, sealing: Sealing, variant: int, column: int, kind: StreamKind, message: Struct
    ) -> bytes:
        data = self.context.framed(self.context.plan.tail_chunks, self.context.message(message))
        place = Place(None, column, kind, variant)
        data = self.context.tamper.stored(place, data)
        data = sealing.statistics(variant, column, kind, len(self.stripes), data)
        return self.context.tamper.sealed(place, data)

    def _stripe(self, number: int, variant: int, node: TypeNode) -> ColumnStatistics:
        summary, on_disk = self.stripes[number].sealed[variant][node.id]
        place = Place(number, node.id, variant=variant)
        return self.context.statistics(
            node, self.context.plan.column(number, node.id), summary, place, on_disk
        )

    def _file(self, variant: int, node: TypeNode) -> ColumnStatistics:
        parts = [stripe.sealed[variant][node.id] for stripe in self.stripes]
        return self.context.statistics(
            node,
            self.context.plan.column(None, node.id),
            statistics.merge(node.kind, [summary for summary, _ in parts]),
            Place(None, node.id, variant=variant),
            sum(on_disk for _, on_disk in parts),
        )
