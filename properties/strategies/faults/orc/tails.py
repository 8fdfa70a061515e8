"""Faults of the tail: header, postscript, footer, metadata; and of Protocol Buffers, in the footer."""

from __future__ import annotations

from dataclasses import replace

from corpora.build.orc.schemas import INT, column_plan
from properties.strategies.faults.fault import Fault, File, at, fields, one_less, one_more, patch
from properties.strategies.faults.orc.edits import BARE, edit, ints
from properties.strategies.faults.orc.places import file_statistics, in_file
from reference_impl.orc.plan import Column
from reference_impl.orc.schema import CalendarKind, CompressionKind
from reference_impl.orc.statistics_schema import ColumnStatistics
from reference_impl.orc.tamper import Tamper

_PLAIN = ints()
_EMPTY = column_plan(INT, (), file_statistics=False)
_OLD = ints(layout=Column(rle=1))
_ZLIB = replace(_PLAIN, compression=CompressionKind.ZLIB)
_STRIPES = ints(stripes=(2, 0, 1))
_ITEM = replace(_PLAIN, metadata=(("name", b""),))
_MOST = (1 << 23) - 1


def _long(data: bytes) -> bytes:
    """Return a postscript of 255 bytes, filled up with an unknown field."""
    room = 255 - len(data) - 4
    return b"\xa2\x06" + bytes([room | 0x80, room >> 7]) + bytes(room) + data


def _behind(record: str) -> Tamper:
    """Return the edit that appends bytes (in hexadecimal) to the footer; a006 is a varint of field 100."""
    return edit(footer_message=lambda data: data + bytes.fromhex(record))


FAULTS = (
    Fault(
        "ORC-FILE-001/one-byte",
        "the file has one byte",
        File(_EMPTY, edit(whole=lambda _: b"O")),
        "it has no row and no stripe, but a postscript",
    ),
    Fault(
        "ORC-FILE-002/postscript-before-the-file",
        "the last byte says that the postscript has 255 bytes, and the file has fewer",
        File(_EMPTY, edit(whole=lambda data: data[:-1] + b"\xff")),
        "the postscript has 255 bytes",
        File(_EMPTY, edit(postscript_bytes=_long)),
    ),
    Fault(
        "ORC-FILE-003/magic-ord",
        "the magic of the postscript is ORD",
        File(_OLD, edit(postscript=fields(magic="ORD"))),
        "there is no magic and no version, as in the first files of Hive 0.11",
        File(_OLD, edit(postscript=fields(magic=None, version=()))),
    ),
    Fault(
        "ORC-FILE-004/begins-with-ord",
        "the file begins with ORD",
        File(_PLAIN, edit(whole=lambda data: b"ORD" + data[3:])),
        "it begins with ORC and bytes that belong to nothing",
        File(replace(_PLAIN, gap=3)),
        places=in_file(),
    ),
    Fault(
        "ORC-FILE-005/footer-over-the-header",
        "the footer is longer than the file",
        File(_PLAIN, edit(postscript=fields(footer_length=lambda length: length + 10_000))),
        "the metadata is empty",
        File(replace(_PLAIN, stripe_statistics=False)),
        places=in_file("there is no footer", postscript=fields(footer_length=0)),
    ),
    Fault(
        "ORC-FILE-006/compression-of-the-future",
        "the kind of compression is 9",
        File(_PLAIN, edit(postscript_bytes=patch("1000", "1009"))),
        "it is BROTLI, the last one that there is",
        File(replace(_PLAIN, compression=CompressionKind.BROTLI)),
    ),
    Fault(
        "ORC-FILE-007/block-of-eight-megabytes",
        "compressionBlockSize is 2^23",
        File(_ZLIB, edit(postscript=fields(compression_block_size=_MOST + 1))),
        "it is 2^23 - 1",
        File(replace(_ZLIB, block_size=_MOST)),
    ),
    Fault(
        "ORC-FILE-008/version-of-three-numbers",
        "the version is 0, 12, 0",
        File(_OLD, edit(postscript=fields(version=(0, 12, 0)))),
        "it is 0, 11",
        File(replace(_OLD, version=(0, 11))),
        places=in_file(),
    ),
    Fault(
        "ORC-FILE-009/header-of-four-bytes",
        "headerLength is 4",
        File(_PLAIN, edit(footer=fields(header_length=4))),
        "it is not there",
        File(_PLAIN, edit(footer=fields(header_length=None))),
        places=in_file(),
    ),
    Fault(
        "ORC-FILE-010/content-without-its-last-byte",
        "contentLength is one byte too short",
        File(_PLAIN, edit(footer=fields(content_length=one_less))),
        "it is not there",
        File(_PLAIN, edit(footer=fields(content_length=None))),
    ),
    Fault(
        "ORC-FILE-011/one-row-more",
        "the footer counts one row more than the stripes",
        File(_PLAIN, edit(footer=fields(number_of_rows=one_more))),
        "it counts the rows of three stripes, one of them empty",
        File(_STRIPES),
        places=in_file(),
    ),
    Fault(
        "ORC-FILE-012/indexes-of-no-rows",
        "rowIndexStride is 0, and there are row indexes",
        File(_PLAIN, edit(footer=fields(row_index_stride=0))),
        "there are none",
        File(replace(_PLAIN, row_index_stride=0)),
    ),
    Fault(
        "ORC-FILE-013/statistics-of-two-stripes",
        "the metadata has statistics of two stripes, and there are three",
        File(_STRIPES, edit(metadata=fields(stripe_stats=lambda stripes: stripes[:2]))),
        "it has statistics of none",
        File(replace(_STRIPES, stripe_statistics=False)),
    ),
    Fault(
        "ORC-FILE-014/statistics-of-two-columns",
        "the footer has statistics of two columns, and there are three",
        File(_PLAIN, edit(footer=fields(statistics=lambda columns: columns[:-1]))),
        "it has statistics of none",
        File(replace(_PLAIN, file_statistics=False)),
        places=file_statistics(),
    ),
    Fault(
        "ORC-FILE-015/nameless-item",
        "an item of the user's metadata has neither name nor value",
        File(_ITEM, edit(footer=fields(metadata=at(0, fields(name=None, value=None))))),
        "its value has no bytes",
    ),
    Fault(
        "ORC-FILE-016/calendar-of-the-future",
        "the calendar is 3",
        File(_PLAIN, edit(footer_message=patch("5802", "5803"))),
        "it is unknown, as 0 says",
        File(replace(_PLAIN, calendar=CalendarKind.UNKNOWN_CALENDAR)),
    ),
    Fault(
        "ORC-FILE-017/version-5-of-another-writer",
        "the writer is the C++ library, and its version 5",
        File(replace(_PLAIN, writer=1, writer_version=5)),
        "its version is 6",
        File(replace(_PLAIN, writer=1, writer_version=6)),
    ),
    Fault(
        "ORC-FILE-018/statistics-of-a-fourth-column",
        "the statistics of a stripe are of four columns, and there are three",
        File(
            ints(layout=BARE),
            edit(
                metadata=fields(
                    stripe_stats=at(0, fields(col_stats=lambda all_: (*all_, ColumnStatistics())))
                )
            ),
        ),
        "they are of none",
        File(_PLAIN, edit(metadata=fields(stripe_stats=at(0, fields(col_stats=()))))),
    ),
    Fault(
        "ORC-PROTO-001/tag-without-value",
        "the footer ends behind the tag of a field",
        File(_PLAIN, _behind("a006")),
        "it ends behind a field that nobody knows",
        File(_PLAIN, _behind("a00601")),
        places=in_file(),
    ),
    Fault(
        "ORC-PROTO-002/varint-of-11-bytes",
        "a varint has 11 bytes",
        File(_PLAIN, _behind(f"a006 {'80' * 10} 01")),
        "one has 10",
        File(_PLAIN, _behind(f"a006 {'80' * 9} 01")),
        places=in_file(),
    ),
    Fault(
        "ORC-PROTO-003/wire-type-6",
        "the wire type of a field is 6",
        File(_PLAIN, _behind("a606 00000000")),
        "it is 5, a number of 32 bits",
        File(_PLAIN, _behind("a506 00000000")),
        places=in_file(),
    ),
    Fault(
        "ORC-PROTO-004/field-0",
        "the number of a field is 0",
        File(_PLAIN, _behind("0001")),
        "it is 2^29 - 1, the largest",
        File(_PLAIN, _behind("f8ffffff0f 01")),
        places=in_file(),
    ),
    Fault(
        "ORC-PROTO-005/group-with-another-end",
        "a group of field 100 ends with the tag of field 101",
        File(_PLAIN, _behind("a306 ac06")),
        "it ends with its own, and holds a field",
        File(_PLAIN, _behind("a306 0801 a406")),
    ),
    Fault(
        "ORC-PROTO-006/longer-than-the-footer",
        "a field of 5 bytes has 1",
        File(_PLAIN, _behind("a206 05 01")),
        "one of no bytes has none",
        File(_PLAIN, _behind("a206 00")),
        places=in_file(),
    ),
    Fault(
        "ORC-PROTO-007/name-of-latin-1",
        "the name of the writer's software is no UTF-8",
        File(_PLAIN, edit(footer_message=lambda data: data.replace(b"colconf", b"colcon\xe9"))),
        "it is, and not ASCII",
        File(replace(_PLAIN, software_version="é")),
    ),
)
