"""Writing a plan as a file: the inverse of `file.py`, and an oracle for it ("File Tail").

    ORC | stripes | encrypted stripe statistics | Metadata | Footer | PostScript | its length, 1 byte

    >>> data = write(FilePlan(types, rows))

The writer follows its plan and writes legal files only; a `Tamper` breaks rules while parts are written.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import repeat

from reference_impl.errors import UsageError
from reference_impl.orc import statistics_writer
from reference_impl.orc.encryption_writer import Sealing
from reference_impl.orc.framing_writer import MAX_BLOCK
from reference_impl.orc.plan import BLOCK_SIZE, FilePlan, Row
from reference_impl.orc.schema import (
    ColumnarStripeStatistics,
    CompressionKind,
    Encryption,
    EncryptionVariant,
    FileStatistics,
    Footer,
    Metadata,
    PostScript,
    Stream,
    StreamKind,
    StripeInformation,
    StripeStatistics,
    TypeKind,
    UserMetadataItem,
)
from reference_impl.orc.statistics import merge
from reference_impl.orc.statistics_schema import ColumnStatistics
from reference_impl.orc.stripe_writer import WrittenStripe, write_stripe
from reference_impl.orc.tamper import NOTHING, Place, Tamper
from reference_impl.orc.types import TypeNode, build
from reference_impl.orc.write_context import Context
from reference_impl.plans import cut
from reference_impl.wire.table import Struct

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
        self.out = bytearray(_HEADER)
        self.stripes: list[WrittenStripe] = []

    def file(self) -> bytes:
        plan, wanted = self.plan, self.plan.encryption
        masked: Iterable[Sequence[Row] | None] = repeat(None)
        if wanted is not None and wanted.masked is not None:
            masked = cut(wanted.masked, plan.stripes, "stripes")
        parts = zip(cut(plan.rows, plan.stripes, "stripes"), masked, strict=False)
        self.stripes = [write_stripe(self.context, number, *rows) for number, rows in enumerate(parts)]
        informations = tuple(self.placed(number, stripe) for number, stripe in enumerate(self.stripes))
        content = len(self.out)
        sealed, encryption = self.sealed_statistics()
        metadata = self.metadata()
        footer = self.footer(informations, content, encryption)
        postscript = self.postscript(len(footer), len(metadata), len(sealed))
        if len(postscript) > _MAX_POSTSCRIPT:
            raise UsageError(f"a postscript of {len(postscript)} bytes")
        whole = bytes(self.out) + sealed + metadata + footer + postscript + bytes([len(postscript)])
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

    def statistics(self, stripe: int | None, node: TypeNode, variant: int | None = None) -> ColumnStatistics:
        """Return the statistics of a column in a stripe or (None) the file, empty if the plan wants none."""
        stripes = self.stripes if stripe is None else [self.stripes[stripe]]
        parts = [written.columns[variant, node.id] for written in stripes]
        summaries = [summary for summary, _ in parts]
        summary = summaries[0] if stripe is not None else merge(node.kind, summaries)
        layout, message = self.plan.column(stripe, node.id).statistics, ColumnStatistics()
        if layout:
            if stripe is None and len(set(self.plan.stripe_timezones)) > 1:
                # "the local timezone offset was included": of which stripe, nothing says.
                layout = replace(layout, local=False)
            writer = statistics_writer.Writer(node, self.context.clock(stripe or 0))
            message = writer.make(layout, summary, sum(on_disk for _, on_disk in parts))
        return self.tamper.statistics(Place(stripe, node.id, variant=variant), None, message)

    def metadata(self) -> bytes:
        nodes, numbers = list(self.context.root.walk()), range(len(self.stripes))
        message = Metadata()
        if self.plan.stripe_statistics:
            by_stripe = (tuple(self.statistics(number, node) for node in nodes) for number in numbers)
            message.stripe_stats = tuple(StripeStatistics(col_stats=columns) for columns in by_stripe)
        data = self.context.message(self.tamper.metadata(message))
        return self.tamper.metadata_bytes(self.context.framed(self.plan.tail_chunks, data))

    def sealed_statistics(self) -> tuple[bytes, Encryption | None]:
        """Return the encrypted statistics of stripes, and the footer's message ("Encryption Variants").

        Statistics of stripes are a stream per column, those of the file are in the message; a reader without
        the key reads the statistics of the masked columns at their usual place.
        """
        sealing, plan, numbers = self.context.sealing, self.plan, range(len(self.stripes))
        if sealing is None:
            return b"", None
        out, variants = b"", []
        for variant, top in enumerate(sealing.nodes):
            streams, whole = [], None
            for node in top.walk() if plan.stripe_statistics else ():
                by_stripe = tuple(self.statistics(number, node, variant) for number in numbers)
                place = Place(None, node.id, StreamKind.STRIPE_STATISTICS, variant)
                data = self.sealed(sealing, place, ColumnarStripeStatistics(col_stats=by_stripe))
                streams.append(Stream(kind=place.kind, column=node.id, length=len(data)))
                out += data
            if plan.file_statistics:
                columns = tuple(self.statistics(None, node, variant) for node in top.walk())
                place = Place(None, top.id, StreamKind.FILE_STATISTICS, variant)
                whole = self.sealed(sealing, place, FileStatistics(column=columns))
            variants.append((EncryptionVariant(stripe_statistics=tuple(streams)), whole))
        return out, sealing.message(variants)

    def sealed(self, sealing: Sealing, place: Place, message: Struct) -> bytes:
        data = self.context.framed(self.plan.tail_chunks, self.context.message(message))
        data = sealing.statistics(place, len(self.stripes), self.tamper.stored(place, data))
        return self.tamper.sealed(place, data)

    def footer(
        self, informations: tuple[StripeInformation, ...], content: int, encryption: Encryption | None
    ) -> bytes:
        plan = self.plan
        statistics = (self.statistics(None, node) for node in self.context.root.walk())
        footer = Footer(
            header_length=len(_HEADER),
            content_length=content,
            stripes=informations,
            types=tuple(map(replace, plan.types)),  # copies: a tamper may change the types
            metadata=tuple(UserMetadataItem(name=name, value=value) for name, value in plan.metadata),
            number_of_rows=sum(stripe.rows for stripe in self.stripes),
            statistics=tuple(statistics) if plan.file_statistics else (),
            row_index_stride=plan.row_index_stride,
            writer=plan.writer,
            encryption=encryption,
            calendar=plan.calendar,
            software_version=plan.software_version,
        )
        message = self.tamper.footer_message(self.context.message(self.tamper.footer(footer)))
        return self.tamper.footer_bytes(self.context.framed(plan.tail_chunks, message))

    def postscript(self, footer: int, metadata: int, sealed: int) -> bytes:
        plan = self.plan
        postscript = PostScript(
            footer_length=footer,
            compression=plan.compression,
            compression_block_size=None if plan.block_size_absent else plan.block_size,
            version=plan.version,
            metadata_length=metadata,
            writer_version=plan.writer_version,
            stripe_statistics_length=sealed if plan.encryption is not None else None,
            magic=MAGIC,
        )
        return self.tamper.postscript_bytes(self.context.message(self.tamper.postscript(postscript)))


def _check(plan: FilePlan) -> None:
    """Refuse plans that no legal file can follow."""
    compressed = plan.compression is not CompressionKind.NONE
    if not 1 <= plan.block_size <= MAX_BLOCK:
        raise UsageError(f"a compression block of {plan.block_size} bytes")
    if plan.block_size_absent and compressed and plan.block_size != BLOCK_SIZE:
        raise UsageError(f"compression blocks of {plan.block_size} bytes without compressionBlockSize")
    if plan.row_index_stride < 0 or plan.gap < 0:
        raise UsageError(f"row groups of {plan.row_index_stride} rows, gaps of {plan.gap} bytes")
    zones = plan.stripe_timezones or (plan.writer_timezone,)
    if None in zones and any(type_.kind is TypeKind.TIMESTAMP for type_ in plan.types):
        raise UsageError("TIMESTAMP without the time zone of the writer")
