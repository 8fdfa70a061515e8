"""Writing a plan as a file: the inverse of `file.py`, and an oracle for it ("File Tail").

    ORC | stripes | encrypted stripe statistics | Metadata | Footer | PostScript | its length, 1 byte

    >>> data = write(FilePlan(types, rows))

The writer follows its plan and writes legal files only; a `Tamper` breaks rules while parts are written.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from copy import deepcopy
from itertools import repeat

from reference_impl.errors import UsageError
from reference_impl.orc import statistics
from reference_impl.orc.framing_writer import MAX_BLOCK
from reference_impl.orc.plan import BLOCK_SIZE, FilePlan, Row
from reference_impl.orc.schema import (
    ColumnStatistics,
    CompressionKind,
    Footer,
    Metadata,
    PostScript,
    StripeInformation,
    StripeStatistics,
    TypeKind,
    UserMetadataItem,
)
from reference_impl.orc.sealed_statistics import SealedStatistics
from reference_impl.orc.stripe_writer import WrittenStripe, write_stripe
from reference_impl.orc.tamper import NOTHING, Place, Tamper
from reference_impl.orc.types import build
from reference_impl.orc.write_context import Context
from reference_impl.plans import cut

MAGIC = "ORC"
_HEADER = MAGIC.encode()
_MAX_POSTSCRIPT = 255


def write(plan: FilePlan, tamper: Tamper = NOTHING) -> bytes:
    """Return the bytes of a file; raises UsageError for a plan that is not legal."""
    return _Writer(plan, tamper).file()


class _Writer:
    def __init__(self, plan: FilePlan, tamper: Tamper) -> None:
        _check(plan)
        self.plan = plan
        self.tamper = tamper
        self.context = Context(plan, tamper, build(plan.types))
        self.nodes = list(self.context.root.walk())
        self.out = bytearray(_HEADER)

    def file(self) -> bytes:
        wanted = self.plan.encryption
        masked: Iterable[Sequence[Row] | None] = repeat(None)
        if wanted is not None and wanted.masked is not None:
            masked = cut(wanted.masked, self.plan.stripes, "stripes")
        stripes = [
            write_stripe(self.context, number, rows, masked_rows)
            for number, (rows, masked_rows) in enumerate(
                zip(cut(self.plan.rows, self.plan.stripes, "stripes"), masked, strict=False)
            )
        ]
        informations = tuple(self.placed(number, stripe) for number, stripe in enumerate(stripes))
        content = len(self.out)
        sealed = SealedStatistics(self.context, stripes)
        metadata = self.metadata(stripes)
        footer = self.footer(stripes, informations, content, sealed)
        postscript = self.postscript(len(footer), len(metadata), sealed)
        if len(postscript) > _MAX_POSTSCRIPT:
            raise UsageError(f"a postscript of {len(postscript)} bytes")
        whole = bytes(self.out) + sealed.data + metadata + footer + postscript + bytes([len(postscript)])
        return self.tamper.whole(whole)

    def placed(self, number: int, stripe: WrittenStripe) -> StripeInformation:
        """Put a stripe into the file; return its entry in the footer."""
        self.out += bytes(self.plan.gap)
        information = StripeInformation(
            offset=len(self.out),
            index_length=len(stripe.index),
            data_length=len(stripe.data),
            footer_length=len(stripe.footer),
            number_of_rows=stripe.rows,
        )
        if self.context.sealing is not None:
            self.context.sealing.add_keys(number, information)
        self.out += self.tamper.stripe(number, stripe.index + stripe.data) + stripe.footer
        return self.tamper.stripe_information(number, information)

    def metadata(self, stripes: list[WrittenStripe]) -> bytes:
        message = Metadata()
        if self.plan.stripe_statistics:
            message.stripe_stats = tuple(
                StripeStatistics(col_stats=self.stripe_statistics(number, stripe))
                for number, stripe in enumerate(stripes)
            )
        data = self.context.message(self.tamper.metadata(message))
        return self.tamper.metadata_bytes(self.context.framed(self.plan.tail_chunks, data))

    def stripe_statistics(self, number: int, stripe: WrittenStripe) -> tuple[ColumnStatistics, ...]:
        return tuple(
            self.context.statistics(
                node, self.plan.column(number, node.id), summary, Place(number, node.id), on_disk
            )
            for node, summary, on_disk in zip(self.nodes, stripe.summaries, stripe.on_disk, strict=True)
        )

    def file_statistics(self, stripes: list[WrittenStripe]) -> tuple[ColumnStatistics, ...]:
        return tuple(
            self.context.statistics(
                node,
                self.plan.column(None, node.id),
                statistics.merge(node.kind, [stripe.summaries[node.id] for stripe in stripes]),
                Place(None, node.id),
                sum(stripe.on_disk[node.id] for stripe in stripes),
            )
            for node in self.nodes
        )

    def footer(
        self,
        stripes: list[WrittenStripe],
        informations: tuple[StripeInformation, ...],
        content: int,
        sealed: SealedStatistics,
    ) -> bytes:
        plan = self.plan
        footer = Footer(
            header_length=len(_HEADER),
            content_length=content,
            stripes=informations,
            types=deepcopy(plan.types),  # a tamper may change the types
            metadata=tuple(UserMetadataItem(name=name, value=value) for name, value in plan.metadata),
            number_of_rows=sum(stripe.rows for stripe in stripes),
            statistics=self.file_statistics(stripes) if plan.file_statistics else (),
            row_index_stride=plan.row_index_stride,
            writer=plan.writer,
            encryption=sealed.message,
            calendar=plan.calendar,
            software_version=plan.software_version,
        )
        message = self.tamper.footer_message(self.context.message(self.tamper.footer(footer)))
        return self.tamper.footer_bytes(self.context.framed(plan.tail_chunks, message))

    def postscript(self, footer: int, metadata: int, sealed: SealedStatistics) -> bytes:
        plan = self.plan
        postscript = PostScript(
            footer_length=footer,
            compression=plan.compression,
            compression_block_size=None if plan.block_size_absent else plan.block_size,
            version=plan.version,
            metadata_length=metadata,
            writer_version=plan.writer_version,
            stripe_statistics_length=len(sealed.data) if plan.encryption is not None else None,
            magic=MAGIC,
        )
        return self.tamper.postscript_bytes(self.context.message(self.tamper.postscript(postscript)))


def _check(plan: FilePlan) -> None:
    """Refuse plans that no legal file can follow."""
    compressed = plan.compression is not CompressionKind.NONE
    if not 1 <= plan.block_size <= MAX_BLOCK:
        raise UsageError(f"a compression block of {plan.block_size} bytes")
    if plan.block_size_absent and compressed and plan.block_size != BLOCK_SIZE:
        raise UsageError(f"a compression block of {plan.block_size} bytes that is not told")
    if plan.row_index_stride < 0 or plan.gap < 0:
        raise UsageError(f"row groups of {plan.row_index_stride} rows, gaps of {plan.gap} bytes")
    if plan.writer_timezone is None and any(type_.kind is TypeKind.TIMESTAMP for type_ in plan.types):
        raise UsageError("TIMESTAMP without the time zone of the writer")
