"""The tail of a file, read from its last byte backwards (ORCv1.md, "File Tail").

    ORC | stripes … | encrypted stripe statistics | metadata | footer | postscript | its length, 1 byte

The postscript is never compressed; footer and metadata are compressed as streams are.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TypeVar

from reference_impl.errors import (
    BreachHandler,
    ErrorHandler,
    LimitExceeded,
    Malformed,
    Unsupported,
    located,
    refuse,
    within,
)
from reference_impl.limits import Limits
from reference_impl.orc.calendars import DATED
from reference_impl.orc.framing import DEFAULT_BLOCK_SIZE, MAX_BLOCK_SIZE, Stream, open_stream
from reference_impl.orc.schema import (
    CompressionKind,
    Footer,
    Metadata,
    PostScript,
    StripeInformation,
    StripeStatistics,
)
from reference_impl.wire import protobuf
from reference_impl.wire.table import Struct

MAGIC = b"ORC"
HIVE_0_11, HIVE_0_12, UNSTABLE_PRE_2 = (0, 11), (0, 12), (1, 9999)
_COMPRESSION, _CALENDAR = 2, 11  # field numbers of enums
S = TypeVar("S", bound=Struct)


@dataclass(frozen=True)
class Tail:
    """The tail of a file.

    `version` is (0, 11) if the postscript has none. `body_end` is the latest end of stripes. `sound`
    are the numbers of the stripes that lie inside of the body and share no byte with one before them.
    """

    postscript: PostScript
    footer: Footer
    codec: CompressionKind
    block_size: int
    version: tuple[int, int]
    body_end: int
    metadata_stream: Stream
    footer_stream: Stream
    postscript_start: int
    sound: tuple[int, ...]

    def read_metadata(self, *, keep_spans: bool = False, breach: BreachHandler = refuse) -> Metadata:
        """Read the stripe statistics. Raises Malformed (ORC-PROTO-*, ORC-COMP-*).

        Statistics that do not fit stripes or types go to `breach`, and are left out (ORC-FILE-013, -018).
        """
        handle, at = within(breach, "metadata"), self.metadata_stream.base
        with located("metadata"), self.metadata_stream.decoding():
            metadata = read_message(Metadata, self.metadata_stream, keep_spans=keep_spans)
        count, types = len(self.footer.stripes), len(self.footer.types)
        with located("metadata"):
            if len(metadata.stripe_stats) not in (0, count):
                message = f"statistics of {len(metadata.stripe_stats)} stripes; the file has {count}"
                handle(Malformed(message, offset=at, rule="ORC-FILE-013"))
                return replace(metadata, stripe_stats=())
            fitting = list(metadata.stripe_stats)
            for index, stripe in enumerate(metadata.stripe_stats):
                if len(stripe.col_stats) > types:
                    message = f"stripe {index}: {len(stripe.col_stats)} statistics for {types} types"
                    handle(Malformed(message, offset=at, rule="ORC-FILE-018"))
                    fitting[index] = StripeStatistics()
            return replace(metadata, stripe_stats=tuple(fitting))


def read_message(cls: type[S], stream: Stream, *, keep_spans: bool = False) -> S:
    """Read the message that fills a stream; its spans are in the file, or in the decompressed bytes."""
    data = stream.data
    return protobuf.decode(cls, data, base=stream.data_base, keep_spans=keep_spans)


def read_tail(
    data: memoryview,
    limits: Limits,
    *,
    keep_spans: bool,
    breach: BreachHandler,
    handle: ErrorHandler = refuse,
) -> Tail:
    """Read and check postscript and footer.

    `breach` gets the errors that decoding does not stop at, `handle` those that keep some stripes or values
    from being known.

    An empty file is not an ORC file: every ORC file ends with a postscript (Java reads an empty file as an
    empty table). Raises Malformed (ORC-FILE-*, ORC-PROTO-*, ORC-COMP-*), Unsupported and LimitExceeded.
    """
    size, start = len(data), postscript_start(data)
    with located("postscript"):
        postscript = protobuf.decode(PostScript, data[start : size - 1], base=start, keep_spans=keep_spans)
        _check_magic(data, postscript, start, breach)
        handle_it, breach_it = within(handle, "postscript"), within(breach, "postscript")
        codec, block_size = _compression(postscript, start, limits, breach_it)
        version = _version(postscript, start, handle_it, breach_it)
        footer_length, metadata_length = _lengths(postscript, start, limits)
    footer_start = start - footer_length
    metadata_start = footer_start - metadata_length
    raw = data[metadata_start:footer_start]
    metadata_stream = open_stream(
        raw, codec, block_size, metadata_start, limits, breach=within(breach, "metadata")
    )
    footer_stream = open_stream(
        data[footer_start:start], codec, block_size, footer_start, limits, breach=breach_it
    )
    body_end = metadata_start - (postscript.stripe_statistics_length or 0)
    with located("footer"), footer_stream.decoding():
        footer = read_message(Footer, footer_stream, keep_spans=keep_spans)
    with located("footer"):
        handle_it, breach_it = within(handle, "footer"), within(breach, "footer")
        _check_footer(footer, footer_start, handle_it, breach_it)
        sound = _sound_stripes(footer, footer_start, body_end, handle_it)
        _check_rows(footer, footer_start, handle_it, breach_it)
    return Tail(
        postscript, footer, codec, block_size, version, body_end, metadata_stream, footer_stream, start, sound
    )


def postscript_start(data: bytes | memoryview) -> int:
    """Return where the postscript begins. Raises Malformed (ORC-FILE-001, -002)."""
    size = len(data)
    if size < 2:
        raise Malformed(f"{size} bytes are too few for an ORC file", offset=0, rule="ORC-FILE-001")
    start = size - 1 - data[-1]
    if not data[-1] or start < 0:
        message = f"a postscript of {data[-1]} bytes before the last of {size}"
        raise Malformed(message, offset=size - 1, rule="ORC-FILE-002")
    return start


def codec_of(postscript: PostScript, start: int) -> CompressionKind:
    """Return the codec. Raises Malformed (ORC-FILE-006) for one that is not known."""
    if postscript.compression is None and postscript.has_unknown(_COMPRESSION):
        raise Malformed("a kind of compression that is not known", offset=start, rule="ORC-FILE-006")
    return postscript.compression or CompressionKind.NONE


def _check_magic(data: memoryview, postscript: PostScript, start: int, breach: BreachHandler) -> None:
    """Check "ORC" at both ends; the first files, of Hive 0.11, have it at the front only.

    Either magic identifies the file, as in the Java and C++ readers.
    """
    if bytes(data[:3]) != MAGIC:
        message = f"the file begins with {bytes(data[:3])!r}, not {MAGIC!r}"
        rule = "ORC-FILE-003" if postscript.magic is None else "ORC-FILE-004"
        error = Malformed(message, offset=0, rule=rule)
        if postscript.magic != MAGIC.decode():  # without either magic, this is no ORC file
            raise error
        breach(error)
        return
    if postscript.magic is None and not postscript.version:
        return
    if postscript.magic != "ORC":
        message = f"the postscript's magic is {postscript.magic!r}"
        within(breach, "postscript")(Malformed(message, offset=start, rule="ORC-FILE-003"))


def _compression(
    postscript: PostScript, start: int, limits: Limits, breach: BreachHandler
) -> tuple[CompressionKind, int]:
    """Return codec and block size; a block size that is not allowed bounds chunks as far as it can."""
    codec, block_size = codec_of(postscript, start), postscript.compression_block_size
    if block_size is None:
        return codec, DEFAULT_BLOCK_SIZE
    if codec != CompressionKind.NONE and not 1 <= block_size <= MAX_BLOCK_SIZE:
        message = f"compressionBlockSize is {block_size}; a chunk has 1 to {MAX_BLOCK_SIZE} bytes"
        breach(Malformed(message, offset=start, rule="ORC-FILE-007"))
        block_size = min(block_size, limits.page_bytes) if block_size else DEFAULT_BLOCK_SIZE
    return codec, block_size


def _version(
    postscript: PostScript, start: int, handle: ErrorHandler, breach: BreachHandler
) -> tuple[int, int]:
    """Return the version: "the lowest version of Hive that is guaranteed to be able to read the file".

    Of more than two numbers, the first two say it; a lone 0 is one of Hive's.
    """
    version = postscript.version
    if not version:
        return HIVE_0_11
    first = version[:2]
    known = first in (HIVE_0_11, HIVE_0_12, UNSTABLE_PRE_2)
    if len(version) != 2:
        message = f"the version has {len(version)} numbers, not 2"
        error = Malformed(message, offset=start, rule="ORC-FILE-008")
        if known or version == (0,):
            breach(error)
        else:
            handle(error)
        return (first[0], first[1]) if known else HIVE_0_12
    if not known:
        message = f"file version {version[0]}.{version[1]}"
        handle(Unsupported(message, offset=start, rule="ORC-FILE-008"))
        return HIVE_0_12
    return (version[0], version[1])


def _lengths(postscript: PostScript, start: int, limits: Limits) -> tuple[int, int]:
    """Return the lengths of footer and metadata, which lie between header and postscript."""
    footer, metadata = postscript.footer_length or 0, postscript.metadata_length or 0
    total = footer + metadata + (postscript.stripe_statistics_length or 0)
    if not footer or total > start - len(MAGIC):
        message = f"a footer of {footer} bytes, and {total - footer} more, before byte {start}"
        raise Malformed(message, offset=start, rule="ORC-FILE-005")
    if footer > limits.footer_bytes or metadata > limits.footer_bytes:
        message = f"a footer of {footer} bytes, metadata of {metadata}; the limit is {limits.footer_bytes}"
        raise LimitExceeded(message, offset=start)
    return footer, metadata


def _check_footer(footer: Footer, at: int, handle: ErrorHandler, breach: BreachHandler) -> None:
    """Check the fields of the footer against each other.

    contentLength is not checked (ORC-FILE-010): the C++ library does not count the header.
    """
    if footer.header_length not in (None, len(MAGIC)):
        message = f"headerLength is {footer.header_length}, not {len(MAGIC)}"
        breach(Malformed(message, offset=at, rule="ORC-FILE-009"))
    if footer.calendar is None and footer.has_unknown(_CALENDAR):
        dated = any(type_.kind in DATED for type_ in footer.types)
        error = Malformed("a calendar that is not known", offset=at, rule="ORC-FILE-016")
        (handle if dated else breach)(error)
    if len(footer.statistics) not in (0, len(footer.types)):
        message = f"statistics of {len(footer.statistics)} columns for {len(footer.types)} types"
        breach(Malformed(message, offset=at, rule="ORC-FILE-014"))


def _sound_stripes(footer: Footer, at: int, body_end: int, handle: ErrorHandler) -> tuple[int, ...]:
    """Check the positions of the stripes; return the numbers of stripes whose position is right.

    A stripe that shares bytes with another is left out: otherwise few bytes could declare many stripes.
    """
    sound, end = [], len(MAGIC)
    for number, stripe in enumerate(footer.stripes):
        error = _stripe_error(stripe, at, end, body_end)
        if error is None:
            sound.append(number)
            end = stripe_end(stripe)
        else:
            error.path = (f"stripes[{number}]",)
            handle(error)
    return tuple(sound)


def stripe_end(stripe: StripeInformation) -> int:
    """Return where a stripe ends by its entry in the footer."""
    lengths = (stripe.offset, stripe.index_length, stripe.data_length, stripe.footer_length)
    return sum(length or 0 for length in lengths)


def _stripe_error(stripe: StripeInformation, at: int, previous_end: int, body_end: int) -> Malformed | None:
    """Return the error of a stripe that lies outside of the body, or does not follow the one before."""
    start, end = stripe.offset or 0, stripe_end(stripe)
    if start < len(MAGIC) or end > body_end:
        message = f"a stripe spans bytes {start} to {end}, but the body spans {len(MAGIC)} to {body_end}"
        return Malformed(message, offset=at, rule="ORC-STRIPE-001")
    if start < previous_end:
        message = f"a stripe begins at {start}, before the end of the previous stripe at {previous_end}"
        return Malformed(message, offset=at, rule="ORC-STRIPE-002")
    return None


def _check_rows(footer: Footer, at: int, handle: ErrorHandler, breach: BreachHandler) -> None:
    """Check the number of rows; those of the stripes decide, if every stripe has one."""
    rows = sum(stripe.number_of_rows or 0 for stripe in footer.stripes)
    if footer.number_of_rows not in (None, rows):
        message = f"numberOfRows is {footer.number_of_rows}, but the stripes have {rows}"
        error = Malformed(message, offset=at, rule="ORC-FILE-011")
        stated = all(stripe.number_of_rows is not None for stripe in footer.stripes)
        (breach if stated and footer.stripes else handle)(error)
