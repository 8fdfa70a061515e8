"""Taking a file apart; parts that cannot be read stay bytes."""

from __future__ import annotations

from typing import TypeVar

from reference_impl.errors import Malformed, ReferenceError_, located
from reference_impl.limits import DEFAULT, Limits
from reference_impl.orc.anatomy.parts import Anatomy, Message, Slips, StreamPart, StripePart
from reference_impl.orc.framing import DEFAULT_BLOCK_SIZE, open_stream
from reference_impl.orc.schema import (
    INDEX_KINDS,
    Footer,
    Metadata,
    PostScript,
    StripeFooter,
    StripeInformation,
)
from reference_impl.orc.tail import MAGIC, codec_of, postscript_start
from reference_impl.wire import protobuf
from reference_impl.wire.table import Struct

S = TypeVar("S", bound=Struct)


def dissect(data: bytes | memoryview, *, limits: Limits = DEFAULT) -> Anatomy:
    """Take a file apart; `limits` hold for every stream that is opened later as well.

    Raises Malformed (ORC-FILE-*, ORC-PROTO-*, ORC-COMP-*), Unsupported or LimitExceeded if the footer cannot
    be read.
    """
    return _Reader(bytes(data), limits).file()


class _Reader:
    def __init__(self, data: bytes, limits: Limits) -> None:
        self.data = data
        self.limits = limits
        start = postscript_start(data)
        with located("postscript"):
            self.postscript = protobuf.decode(PostScript, data[start:-1], base=start)
        self.codec = codec_of(self.postscript, start)
        block_size = self.postscript.compression_block_size
        self.block_size = DEFAULT_BLOCK_SIZE if block_size is None else block_size
        length = self.postscript.footer_length or 0
        if not length or length > start or length > limits.footer_bytes:
            message = f"a footer of {length} bytes before byte {start}"
            raise Malformed(message, offset=start, rule="ORC-FILE-005")
        self.postscript_start = start
        self.footer_start = start - length

    def file(self) -> Anatomy:
        data = self.data
        stored = data[self.footer_start : self.postscript_start]
        with located("footer"):
            raw = open_stream(memoryview(stored), self.codec, self.block_size, self.footer_start, self.limits)
            with raw.decoding():
                footer = protobuf.decode(Footer, raw.data, base=raw.data_base)
        header = data[: min(len(MAGIC), self.footer_start)]
        declared = self.postscript.metadata_length or 0
        start = self.footer_start - min(declared, self.footer_start - len(header))
        metadata = self.message(Metadata, data[start : self.footer_start])
        stripes, end = self.stripes(footer, len(header), start)
        rows = sum(stripe.number_of_rows or 0 for stripe in footer.stripes)
        slips = Slips(
            metadata_length=declared - (self.footer_start - start),
            header_length=(footer.header_length or 0) - len(header),
            content_length=(footer.content_length or 0) - end,
            rows=(footer.number_of_rows or 0) - rows,
        )
        end_bytes = data[self.postscript_start : -1]
        return Anatomy(
            header=header,
            stripes=stripes,
            gap=data[end:start],
            metadata=metadata,
            footer=Message(stored, footer, footer),
            postscript=Message(end_bytes, self.postscript, self.postscript),
            codec=self.codec,
            block_size=self.block_size,
            slips=slips,
            limits=self.limits,
        )

    def message(self, cls: type[S], stored: bytes) -> Message[S]:
        """Return a message, without a value if it cannot be read."""
        try:
            raw = open_stream(memoryview(stored), self.codec, self.block_size, 0, self.limits).data
            value = protobuf.decode(cls, raw)
        except ReferenceError_:
            return Message(stored, None, None)
        return Message(stored, value, value)

    def stripes(self, footer: Footer, begin: int, limit: int) -> tuple[tuple[StripePart, ...], int]:
        """Return the stripes between two places, and the end of the last stripe."""
        out, end = [], begin
        for info in footer.stripes:
            start = info.offset or 0
            size = (info.index_length or 0) + (info.data_length or 0) + (info.footer_length or 0)
            if start < end or start + size > limit:
                out.append(StripePart(info, Message(b"", None, None), placed=False))
                continue
            out.append(self.stripe(info, end))
            end = start + size
        return tuple(out), end

    def stripe(self, info: StripeInformation, end: int) -> StripePart:
        """Return a stripe; the one before ends at `end`."""
        start = info.offset or 0
        data_start = start + (info.index_length or 0)
        footer_start = data_start + (info.data_length or 0)
        gap = self.data[end:start]
        stored = self.data[footer_start : footer_start + (info.footer_length or 0)]
        footer = self.message(StripeFooter, stored)
        streams, at = [], start
        for stream in footer.value.streams if footer.value else ():
            raw = self.data[at : min(at + (stream.length or 0), footer_start)]
            slip = (stream.length or 0) - len(raw)
            part = StreamPart(stream, raw, index=False, slip=slip)
            kind = part.kind
            index = at < data_start if kind is None else kind in INDEX_KINDS
            streams.append(StreamPart(stream, raw, index=index, slip=slip))
            at += len(raw)
        index_length = sum(len(each.stored) for each in streams if each.index)
        slip = (info.index_length or 0) - index_length
        slips = Slips(index_length=slip, data_length=-slip)
        rest = self.data[at:footer_start]
        if footer.value is None:  # the size of the index is not known
            slips = Slips(index_length=info.index_length or 0, data_length=-(info.index_length or 0))
        return StripePart(info, footer, gap, tuple(streams), rest, slips=slips)
