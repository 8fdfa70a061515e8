"""Opening a file that may be wrong: as the reader does, but on behind what can be left out."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from reference_impl.errors import Malformed, ReferenceError_, located
from reference_impl.orc import tail as tails
from reference_impl.orc.framing import DEFAULT_BLOCK_SIZE, open_stream
from reference_impl.orc.schema import CompressionKind, Footer, PostScript
from reference_impl.orc.tail import HIVE_0_12, MAGIC, Tail, read_message
from reference_impl.orc.types import MAX_PRECISION, build
from reference_impl.wire import protobuf

if TYPE_CHECKING:
    import mmap
    from collections.abc import Sequence

    from reference_impl.limits import Limits
    from reference_impl.orc.schema import Type
    from reference_impl.orc.types import TypeNode
    from reference_impl.validation import Report

_TYPE = re.compile(r"types\[(\d+)\]")
_MOST_TYPES = 100  # that are mended
_LONGEST = (1 << 31) - 1


class Opened:
    """A file whose tail could be read; `sound` are the numbers of the stripes that can be looked at.

    `zone` is the writer's time zone for stripes that do not name it. What is wrong goes to `report`.
    """

    def __init__(self, data: bytes | mmap.mmap, limits: Limits, report: Report, zone: str = "UTC") -> None:
        """Read the tail and report what is wrong with it; raises what leaves nothing to look at."""
        self.data = memoryview(data)
        self.limits = limits
        self.zone = zone
        self.tail = read_tail(self.data, limits, report)
        self.postscript = self.tail.postscript
        self.footer = self.tail.footer
        self.report = report
        self.sound = _stripes(self.tail, report)
        _check_rows(self.tail, report)
        with located("footer"), self.tail.footer_stream.decoding():
            self.root = _tree(self.footer.types, report)

    @property
    def footer_at(self) -> int:
        """Where the footer begins."""
        return self.tail.footer_stream.base


def read_tail(data: memoryview, limits: Limits, report: Report) -> Tail:
    """Read postscript and footer as `reference_impl.orc.tail` does; report what can be left out."""
    size = len(data)
    if size < 2:
        raise Malformed(f"{size} bytes are too few for an ORC file", offset=0, rule="ORC-FILE-001")
    start = size - 1 - data[-1]
    if not data[-1] or start < 0:
        message = f"a postscript of {data[-1]} bytes before the last of {size}"
        raise Malformed(message, offset=size - 1, rule="ORC-FILE-002")
    with located("postscript"):
        postscript = protobuf.decode(PostScript, data[start : size - 1], base=start, keep_spans=True)
        _check_magic(data, postscript, start, report)
        codec, block_size = _compression(postscript, start, report)
        version = HIVE_0_12
        with report.noting("postscript"):
            version = tails._version(postscript, start)  # noqa: SLF001 - the reader's own check
        footer_length, metadata_length = tails._lengths(postscript, start, limits)  # noqa: SLF001 - as above
    footer_start = start - footer_length
    metadata_start = footer_start - metadata_length
    raw = data[metadata_start:footer_start]
    metadata_stream = open_stream(raw, codec, block_size, metadata_start, limits)
    footer_stream = open_stream(data[footer_start:start], codec, block_size, footer_start, limits)
    body_end = metadata_start - (postscript.stripe_statistics_length or 0)
    with located("footer"), footer_stream.decoding():
        footer = read_message(Footer, footer_stream, keep_spans=True)
    _check_footer(footer, footer_start, report)
    return Tail(
        postscript, footer, codec, block_size, version, body_end, metadata_stream, footer_stream, start
    )


def _check_magic(data: memoryview, postscript: PostScript, start: int, report: Report) -> None:
    """Report a wrong header where the postscript has the magic; without either, it is not a file of ours."""
    try:
        tails._check_magic(data, postscript, start)  # noqa: SLF001 - the reader's own check
    except Malformed as error:
        if error.rule != "ORC-FILE-004" or postscript.magic != MAGIC.decode():
            raise
        report.note(error)


def _compression(postscript: PostScript, start: int, report: Report) -> tuple[CompressionKind, int]:
    try:
        return tails._compression(postscript, start)  # noqa: SLF001 - the reader's own check
    except Malformed as error:
        if error.rule != "ORC-FILE-007":
            raise
        report.note(error, ("postscript",))
        return postscript.compression or CompressionKind.NONE, DEFAULT_BLOCK_SIZE


def _check_footer(footer: Footer, at: int, report: Report) -> None:
    where = ("footer",)
    if footer.header_length not in (None, len(MAGIC)):
        report.add("ORC-FILE-009", where, at, f"headerLength is {footer.header_length}, not {len(MAGIC)}")
    if footer.calendar is None and any(number == 11 for number, _, _ in footer.unknown):
        report.add("ORC-FILE-016", where, at, "a calendar that is not known")
    if len(footer.statistics) not in (0, len(footer.types)):
        message = f"statistics of {len(footer.statistics)} columns for {len(footer.types)} types"
        report.add("ORC-FILE-014", where, at, message)


def _stripes(tail: Tail, report: Report) -> list[int]:
    """Check where stripes are; answer those inside of the body that share no byte with one before.

    One that shares bytes is left out: many of them could be made of few bytes.
    """
    sound, end = [], len(MAGIC)
    for number, stripe in enumerate(tail.footer.stripes):
        try:
            end = tails._check_stripe(stripe, end, tail.body_end)  # noqa: SLF001 - the reader's own check
        except ReferenceError_ as error:
            error.offset = tail.footer_stream.base
            report.note(error, ("footer", f"stripes[{number}]"))
        else:
            sound.append(number)
    return sound


def _check_rows(tail: Tail, report: Report) -> None:
    rows = sum(stripe.number_of_rows or 0 for stripe in tail.footer.stripes)
    if tail.footer.number_of_rows not in (None, rows):
        message = f"numberOfRows is {tail.footer.number_of_rows}, but the stripes have {rows}"
        report.add("ORC-FILE-011", ("footer",), tail.footer_stream.base, message)


def _tree(types: Sequence[Type], report: Report) -> TypeNode:
    """Build the tree of types; a type whose parameters are wrong is reported, and mended."""
    for _ in range(_MOST_TYPES):
        try:
            return build(types)
        except Malformed as error:
            number = next((int(match[1]) for match in map(_TYPE.fullmatch, error.path) if match), None)
            mended = None if number is None else _mended(types[number], error.rule)
            if number is None or mended is None:
                raise
            report.note(error, ("footer",))
            types = (*types[:number], mended, *types[number + 1 :])
    return build(types)


def _mended(type_: Type, rule: str | None) -> Type | None:
    if rule == "ORC-TYPE-006":
        return replace(type_, maximum_length=_LONGEST)
    if rule in ("ORC-TYPE-007", "ORC-TYPE-008"):
        return replace(type_, precision=MAX_PRECISION, scale=min(type_.scale or 0, MAX_PRECISION))
    if rule == "ORC-TYPE-004":
        return replace(type_, field_names=tuple(str(at) for at in range(len(type_.subtypes))))
    return None
