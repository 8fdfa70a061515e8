"""The context of writing an ORC file: plan, tamper, clock and keys."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from reference_impl.orc import statistics_writer
from reference_impl.orc.calendars import is_hybrid
from reference_impl.orc.encryption_writer import Sealing
from reference_impl.orc.framing_writer import frame
from reference_impl.orc.plan import Chunks, Column, FilePlan
from reference_impl.orc.schema import ColumnStatistics
from reference_impl.orc.statistics import Summary
from reference_impl.orc.tamper import Place, Tamper
from reference_impl.orc.types import TypeNode
from reference_impl.orc.unknown import with_unknown
from reference_impl.orc.zone_writer import clock
from reference_impl.wire import protobuf
from reference_impl.wire.table import Struct


@dataclass
class Context:
    """The context that all parts of a file are written in."""

    plan: FilePlan
    tamper: Tamper
    root: TypeNode
    instant: Callable[[int], int] = field(init=False)
    hybrid: bool = field(init=False)
    sealing: Sealing | None = field(init=False)

    def __post_init__(self) -> None:
        self.instant = clock(self.plan.writer_timezone)
        self.hybrid = is_hybrid(self.plan.calendar, self.plan.writer)
        wanted = self.plan.encryption
        self.sealing = None if wanted is None else Sealing(wanted, self.root)

    def message(self, value: Struct) -> bytes:
        """Return a message as bytes."""
        if self.plan.unknown_fields:
            value = with_unknown(value)
        return protobuf.encode(value, unpacked=self.plan.unpacked)

    def framed(self, chunks: Chunks, data: bytes) -> bytes:
        """Return bytes as compression chunks."""
        return frame(self.plan.compression, chunks, self.plan.block_size, data).data

    def statistics(
        self, node: TypeNode, wanted: Column, summary: Summary, place: Place, on_disk: int
    ) -> ColumnStatistics:
        """Return the statistics of a column in a stripe or file, empty if the plan wants none."""
        writer = statistics_writer.Writer(node, self.instant)
        layout = wanted.statistics
        statistics = writer.make(layout, summary, on_disk) if layout else ColumnStatistics()
        return self.tamper.statistics(place, None, statistics)
