"""The context of writing an ORC file: plan, tamper, clock and keys."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TypeVar

from reference_impl.orc.calendars import is_hybrid
from reference_impl.orc.encryption_writer import Sealing
from reference_impl.orc.framing_writer import frame
from reference_impl.orc.plan import Chunks, FilePlan
from reference_impl.orc.tamper import Tamper
from reference_impl.orc.types import TypeNode
from reference_impl.orc.zones import clock
from reference_impl.wire import protobuf
from reference_impl.wire.table import Struct
from reference_impl.wire.unknown import Field, with_fields

S = TypeVar("S", bound=Struct)

# Numbers far from those in use, but below that of magic, which has to end the postscript. One per wire type:
# VARINT, I64, LEN, and I32.
_FIELDS: tuple[Field, ...] = (
    (7001, 0, b"\x96\x01"),
    (7002, 1, b"\xff" * 8),
    (7003, 2, b"\x04skip"),
    (7004, 5, bytes(4)),
)


def with_unknown(value: S) -> S:
    """Return the message with unknown fields in it and in all messages below."""
    return with_fields(value, _FIELDS)


@dataclass
class Context:
    """The context that all parts of a file are written in."""

    plan: FilePlan
    tamper: Tamper
    root: TypeNode
    hybrid: bool = field(init=False)
    sealing: Sealing | None = field(init=False)

    def __post_init__(self) -> None:
        self.hybrid = is_hybrid(self.plan.calendar, self.plan.writer)
        wanted = self.plan.encryption
        self.sealing = None if wanted is None else Sealing(wanted, self.root)

    def clock(self, stripe: int) -> Callable[[int], int]:
        """Return what moves seconds of the wall clock of a stripe's writer to UTC."""
        (zone,) = self.plan.timezones([stripe])
        return clock(zone)

    def message(self, value: Struct) -> bytes:
        """Return a message as bytes."""
        if self.plan.unknown_fields:
            value = with_unknown(value)
        return protobuf.encode(value, unpacked=self.plan.unpacked)

    def framed(self, chunks: Chunks, data: bytes) -> bytes:
        """Return bytes as compression chunks."""
        return frame(self.plan.compression, chunks, self.plan.block_size, data).data
