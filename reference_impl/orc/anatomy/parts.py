"""The parts of a file, and the seals: the numbers that hold the parts together.

    header | gap, stripe, gap, stripe … | gap | metadata | footer | postscript | its length, 1 byte
    stripe := streams | rest | stripe footer

Parts are immutable: `dataclasses.replace` returns others. Numbers that follow from the parts (`Seal`) are
computed when the file is put together. A seal that was wrong in the file stays wrong by the same amount, its
slip.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Generic, TypeVar

from reference_impl.errors import LimitExceeded, ReferenceError_, Unsupported
from reference_impl.limits import DEFAULT, Limits
from reference_impl.orc.framing import MAX_BLOCK_SIZE, open_stream
from reference_impl.orc.framing_writer import Framed, frame
from reference_impl.orc.plan import Chunks, Original
from reference_impl.orc.schema import (
    CompressionKind,
    Footer,
    Metadata,
    PostScript,
    Stream,
    StreamKind,
    StripeFooter,
    StripeInformation,
)
from reference_impl.wire.table import Struct

S = TypeVar("S", bound=Struct)


class Seal(StrEnum):
    """Numbers and flags that follow from the parts; `assemble` sets all of them right, or breaks one."""

    HEADER = "header"  # "ORC" at the front
    MAGIC = "magic"  # "ORC" in the postscript
    POSTSCRIPT_LENGTH = "postscript length"
    FOOTER_LENGTH = "footer length"
    METADATA_LENGTH = "metadata length"
    COMPRESSION = "compression"  # the codec that the postscript names
    BLOCK_SIZE = "block size"  # no chunk may hold more
    HEADER_LENGTH = "header length"
    CONTENT_LENGTH = "content length"
    ROWS = "rows"  # of the file: those of its stripes
    STRIPE_ROWS = "stripe rows"
    STRIPE_OFFSET = "stripe offset"
    INDEX_LENGTH = "index length"
    DATA_LENGTH = "data length"
    STRIPE_FOOTER_LENGTH = "stripe footer length"
    STREAM_LENGTH = "stream length"
    CHUNK_LENGTH = "chunk length"
    CHUNK_ORIGINAL = "chunk original"  # the flag isOriginal
    POSITIONS = "positions"  # of a row index
    ROW_GROUPS = "row groups"  # entries of a row index
    ENCODINGS = "encodings"  # of a stripe: one for each type
    STATISTICS = "statistics"  # of the file: one for each type
    STRIPE_STATISTICS = "stripe statistics"  # one for each stripe


@dataclass(frozen=True)
class Message(Generic[S]):
    """A message of the file.

    `stored` are the framed bytes of the file, `origin` is the message that was read from them (None:
    it could not be read, and the bytes stay). `value` is written if it differs from `origin`; `raw`, if it
    is set, overrides `value`: bytes of a message, not yet framed, whose seals stay. `fixed`: `stored` is
    written, and `value` is ignored.
    """

    stored: bytes
    origin: S | None
    value: S | None
    raw: bytes | None = None
    fixed: bool = False


@dataclass(frozen=True)
class Slips:
    """The slips of a stripe, or of footer and postscript: how wrong each number was in the file."""

    offset: int = 0
    index_length: int = 0
    data_length: int = 0
    footer_length: int = 0
    metadata_length: int = 0
    header_length: int = 0
    content_length: int = 0
    rows: int = 0


@dataclass(frozen=True)
class StreamPart:
    """A stream: its entry in the stripe footer, and its framed bytes.

    `index`: the stream belongs to the index of the stripe. `slip` is the slip of its length.
    """

    info: Stream
    stored: bytes
    index: bool
    slip: int = 0

    @property
    def column(self) -> int:
        """The column of the stream."""
        return self.info.column or 0

    @property
    def kind(self) -> StreamKind | None:
        """The kind of the stream, None for an unknown kind; a missing kind means PRESENT."""
        return self.info.known_kind()


@dataclass(frozen=True)
class StripePart:
    """A stripe. `rest` are the bytes behind its streams, all bytes if the footer cannot be read.

    A stripe that is not `placed` lies outside of the body, or overlaps another stripe: only its entry in
    the footer is stored.
    """

    info: StripeInformation
    footer: Message[StripeFooter]
    gap: bytes = b""
    streams: tuple[StreamPart, ...] = ()
    rest: bytes = b""
    placed: bool = True
    slips: Slips = Slips()

    @property
    def rows(self) -> int:
        """The number of rows in the footer's entry."""
        return self.info.number_of_rows or 0

    def find(self, column: int, kind: StreamKind) -> StreamPart | None:
        """Return a stream, None if it is not there."""
        return next((each for each in self.streams if (each.column, each.kind) == (column, kind)), None)


@dataclass(frozen=True)
class Anatomy:
    """A file. `gap` are the bytes between the last stripe and the metadata.

    `codec` and `block_size` are those of the framed bytes, as the postscript declared them.
    """

    header: bytes
    stripes: tuple[StripePart, ...]
    gap: bytes
    metadata: Message[Metadata]
    footer: Message[Footer]
    postscript: Message[PostScript]
    codec: CompressionKind
    block_size: int
    slips: Slips = Slips()
    limits: Limits = field(default=DEFAULT, compare=False)

    @property
    def tail(self) -> Footer:
        """The value of the footer."""
        assert self.footer.value is not None
        return self.footer.value

    @property
    def end(self) -> PostScript:
        """The value of the postscript."""
        assert self.postscript.value is not None
        return self.postscript.value

    def opened(self, stored: bytes) -> bytes | None:
        """Return bytes without their framing, None if the framing is wrong or the bytes are too many."""
        try:
            return bytes(open_stream(memoryview(stored), self.codec, self.block_size, 0, self.limits).data)
        except ReferenceError_:
            return None

    def framed(self, data: bytes, sizes: tuple[int, ...] = ()) -> bytes:
        """Return bytes as compression chunks of these sizes (used in turn; default: as large as allowed)."""
        return self.frame(data, sizes).data

    def frame(self, data: bytes, sizes: tuple[int, ...] = ()) -> Framed:
        """As `framed`, with the places that positions can name.

        Chunks are stored uncompressed if the codec needs a library that is not installed.
        """
        block = max(1, min(self.block_size, MAX_BLOCK_SIZE))
        chunks = Chunks(tuple(max(1, min(size, block)) for size in sizes))
        try:
            return frame(self.codec, chunks, block, data)
        except (Unsupported, LimitExceeded):
            return frame(self.codec, Chunks(chunks.sizes, Original.ALWAYS), block, data)

    def all_streams(self) -> Iterator[tuple[int, int, StreamPart]]:
        """Yield number of the stripe, number in the stripe, and stream, for every stream."""
        for number, stripe in enumerate(self.stripes):
            for place, stream in enumerate(stripe.streams):
                yield number, place, stream
