"""Faults of stripes: their places, streams, encodings and compression chunks."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from corpora.build.orc.samples import TYPES
from corpora.build.orc.schemas import STRING
from properties.strategies.faults.edit import Changes
from properties.strategies.faults.fault import Fault, File, fields, one_less, one_more, put
from properties.strategies.faults.orc.edits import BARE, OrcEdit, X, edit, ints, table
from properties.strategies.faults.orc.places import columns_without_dictionaries, compressed_streams, stripes
from reference_impl.orc.framing_writer import squeezed
from reference_impl.orc.plan import Chunks, Column, Dictionary, Original
from reference_impl.orc.schema import (
    CompressionKind,
    EncodingKind,
    Stream,
    StreamKind,
    StripeInformation,
    TypeKind,
)
from reference_impl.orc.tamper import Tamper

_PLAIN = ints()
_TWO = ints((1, 2, 1, 2), BARE, stripes=(2, 2))
_EMPTY_LAST = ints(stripes=(3, 0))
_TIMES = table(TYPES[TypeKind.TIMESTAMP], ((0, 0), (1, 0)))
_INSTANTS = table(TYPES[TypeKind.TIMESTAMP_INSTANT], ((0, 0), (1, 0)))
_WORDS = table(STRING, (b"a", b"b", b"a"), Column(dictionary=Dictionary()))
_NO_EMPTY = replace(BARE, empty_streams=False)
_OF_NEXT = X._replace(stripe=1)


class _SecondOverFirst(Tamper):
    """Moves the second stripe to one byte before the end of the first, in the footer."""

    def __init__(self) -> None:
        self.end = 0

    def stripe_information(self, number: int, information: StripeInformation) -> StripeInformation:
        """Move the second stripe."""
        if number:
            return replace(information, offset=self.end - 1)
        lengths = (information.index_length, information.data_length, information.footer_length)
        self.end = sum(length or 0 for length in (information.offset, *lengths))
        return information


def _stream_more(**stream: Any) -> Changes:
    """Return the change that lists a further stream, behind all others."""
    listed = Stream(**{"kind": StreamKind.DATA, "length": 0, **stream})
    return {"stripe_footer": fields(streams=lambda streams: (*streams, listed))}


_BLOCK = 64
_BINARY = TYPES[TypeKind.BINARY]
_ZLIB = CompressionKind.ZLIB
_FULL = table(_BINARY, (b"a" * _BLOCK,), BARE, compression=_ZLIB, block_size=_BLOCK)
_LONGER = replace(_FULL, rows=((0, b"a" * _BLOCK + b"a"),))
_ORIGINAL = replace(_FULL, chunks=Chunks(original=Original.ALWAYS))
_SHORT = replace(_FULL, rows=((0, b"abc"),))


def _chunk(body: bytes, *, original: bool = False) -> bytes:
    return (len(body) << 1 | original).to_bytes(3, "little") + body


FAULTS = (
    Fault(
        "ORC-STRIPE-001/begins-in-the-header",
        "a stripe begins with the last byte of the header",
        File(_PLAIN, edit(stripe_information=fields(offset=2))),
        "it begins some bytes behind the header",
        File(replace(_PLAIN, gap=7)),
    ),
    Fault(
        "ORC-STRIPE-002/two-stripes-share-a-byte",
        "the second stripe begins with the last byte of the first",
        File(_TWO, _SecondOverFirst()),
        "it begins behind it",
    ),
    Fault(
        "ORC-STRIPE-004/encoding-missing",
        "the stripe footer has the encodings of two columns, and there are three",
        File(_PLAIN, edit(stripe_footer=fields(columns=lambda columns: columns[:-1]))),
        "it has those of three, the root among them",
        places=stripes(),
    ),
    Fault(
        "ORC-STRIPE-005/index-with-a-byte-of-data",
        "indexLength counts the first byte of data",
        File(_PLAIN, edit(stripe_information=fields(index_length=one_more, data_length=one_less))),
        "there is no index",
        File(replace(_PLAIN, row_index_stride=0)),
    ),
    Fault(
        "ORC-STRIPE-006/byte-behind-the-streams",
        "a byte stands between the last stream and the stripe footer",
        File(_PLAIN, edit(stripe=lambda data: data + b"\0", stripe_information=fields(data_length=one_more))),
        "bytes stand between the two stripes",
        File(replace(_TWO, gap=1)),
    ),
    Fault(
        "ORC-STRIPE-007/index-behind-data",
        "of a stripe without rows the index streams stand behind those of data",
        File(_EMPTY_LAST, edit(_OF_NEXT, stripe_footer=fields(streams=lambda streams: streams[::-1]))),
        "they stand before them",
    ),
    Fault(
        "ORC-STRIPE-008/data-twice",
        "a column has two streams of DATA, the second of no bytes",
        File(_PLAIN, OrcEdit(X, _stream_more(column=2))),
        "it has one of DATA and one of PRESENT",
        File(ints((1, None, 4))),
    ),
    Fault(
        "ORC-STRIPE-009/stream-of-a-fourth-column",
        "a stream is of column 3, and there are columns 0 to 2",
        File(_PLAIN, OrcEdit(X, _stream_more(column=3))),
        "one is of column 2, the last",
        places=stripes("a stream is of a column that does not exist", **_stream_more(column=1 << 20)),
    ),
    Fault(
        "ORC-STRIPE-010/stream-beyond-the-stripe",
        "the last stream is a byte longer than what is left of the stripe",
        File(_PLAIN, OrcEdit(X, _stream_more(kind=StreamKind.PRESENT, column=0, length=1))),
        "it ends with the last byte in front of the stripe footer",
        places=stripes("a stream is beyond the stripe", **_stream_more(column=0, length=1 << 40)),
    ),
    Fault(
        "ORC-STRIPE-011/dictionary-of-integers",
        "a column of LONG is in DICTIONARY_V2",
        File(_PLAIN, edit(encoding=fields(kind=EncodingKind.DICTIONARY_V2))),
        "one of STRING is",
        File(_WORDS),
        places=columns_without_dictionaries(),
    ),
    Fault(
        "ORC-STRIPE-012/no-data",
        "a column has values, and no DATA",
        File(ints(layout=_NO_EMPTY), edit(stored=put(b""))),
        "it has neither values nor bytes of DATA",
        File(ints((None, None), BARE)),
    ),
    Fault(
        "ORC-STRIPE-013/count-of-a-dictionary",
        "a column of LONG has a stream of DICTIONARY_COUNT",
        File(_PLAIN, OrcEdit(X, _stream_more(kind=StreamKind.DICTIONARY_COUNT, column=2))),
        "it has its own",
    ),
    Fault(
        "ORC-STRIPE-014/no-zone",
        "a stripe has timestamps, and names no time zone",
        File(_TIMES, edit(stripe_footer=fields(writer_timezone=None))),
        "they are instants, which need none",
        File(_INSTANTS, edit(stripe_footer=fields(writer_timezone=None))),
    ),
    Fault(
        "ORC-STRIPE-015/zone-on-mars",
        "the time zone is Mars/Olympus_Mons",
        File(_TIMES, edit(stripe_footer=fields(writer_timezone="Mars/Olympus_Mons"))),
        "it is US/Pacific, an old name",
        File(replace(_TIMES, writer_timezone="US/Pacific")),
    ),
    Fault(
        "ORC-STRIPE-016/dictionary-without-size",
        "a dictionary has no dictionarySize",
        File(_WORDS, edit(encoding=fields(dictionary_size=None))),
        "one of no entries has none",
        File(replace(_WORDS, rows=((0, None), (1, None))), edit(encoding=fields(dictionary_size=None))),
    ),
    Fault(
        "ORC-COMP-001/header-of-two-bytes",
        "a stream ends with two bytes of a chunk's header",
        File(_FULL, edit(stored=lambda data: data + b"\1\0")),
        "it ends with a chunk",
        places=compressed_streams(),
    ),
    Fault(
        "ORC-COMP-002/chunk-beyond-the-stream",
        "the header of a chunk says that it has 65 bytes, and it has 64",
        File(_ORIGINAL, edit(stored=put(b"\x83\0\0" + b"a" * _BLOCK))),
        "it has 64",
        places=compressed_streams(
            "a chunk goes on beyond its stream", stored=lambda data: data + b"\5\0\0\0"
        ),
    ),
    Fault(
        "ORC-COMP-003/chunk-of-65",
        "a chunk expands to 65 bytes, and the chunk size is 64",
        File(_LONGER, edit(stored=put(_chunk(squeezed(_ZLIB, b"a" * 65))))),
        "it expands to 64",
        File(_FULL),
    ),
    Fault(
        "ORC-COMP-004/no-deflate",
        "a chunk is nothing that DEFLATE makes",
        File(_FULL, edit(stored=put(_chunk(b"\xff\xff\xff\xff")))),
        "it is, of bytes that are stored as they are",
        File(_SHORT, edit(stored=put(_chunk(b"\1\3\0\xfc\xffabc")))),
        also_breaks=("ORC-COMP-007",),
    ),
    Fault(
        "ORC-COMP-005/empty-chunk",
        "a chunk of no bytes stands behind the others",
        File(_FULL, edit(stored=lambda data: data + b"\1\0\0")),
        "there is none",
    ),
    Fault(
        "ORC-COMP-006/byte-behind-deflate",
        "a byte stands in a chunk behind the end of DEFLATE",
        File(_FULL, edit(stored=put(_chunk(squeezed(_ZLIB, b"a" * _BLOCK) + b"\0")))),
        "DEFLATE ends with the chunk",
    ),
    Fault(
        "ORC-COMP-007/larger-than-before",
        "a chunk of 3 bytes is compressed, to 5",
        File(_SHORT, edit(stored=put(_chunk(squeezed(_ZLIB, b"abc"))))),
        "it is stored as it is",
    ),
)
