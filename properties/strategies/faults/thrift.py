"""Faults of the compact protocol: bytes that are not a Thrift struct, and structs with illegal fields."""

from __future__ import annotations

from dataclasses import replace

from corpora.build.recipe import leaf
from properties.strategies.faults.edit import Change
from properties.strategies.faults.edits import edit, ints, table
from properties.strategies.faults.fault import Fault, File, fields, patch, put
from properties.strategies.faults.places import column_orders, in_file, pages
from reference_impl.parquet.plan import Column, Index
from reference_impl.parquet.schema import ColumnOrder, Empty, KeyValue, LogicalType, Type

STOP = b"\x00"
_MAKER = "w version 1 (build 2)"
_CREATED_BY = f"08 0c {len(_MAKER):02x}" + _MAKER.encode().hex()  # field 6, in the long form
_PLAIN = ints()
_INDEXED = ints(column=Column(index=Index()))
_ENDS_WITH_TEXT = replace(
    _PLAIN, created_by=_MAKER, column_orders=None
)  # `created_by` is the last field of the footer
_TEXTS = table(leaf("x", Type.BYTE_ARRAY), (b"a", b"b", b"c"))


def before_stop(raw: str) -> Change:
    """Return the change that inserts bytes (in hexadecimal) before the stop field of a struct."""
    return lambda data: data[:-1] + bytes.fromhex(raw) + STOP


def _annotated(union: LogicalType) -> File:
    return File(_TEXTS, edit(element=fields(logicalType=union)))


def _pair(pair: KeyValue) -> File:
    return File(_PLAIN, edit(footer=fields(key_value_metadata=[pair])))


FAULTS = (
    Fault(
        "PQ-THRIFT-001/footer-without-stop",
        "the footer lacks the stop field at its end",
        File(_PLAIN, edit(footer_bytes=lambda data: data[:-1])),
        "an unknown empty field stands right before the stop field",
        File(_PLAIN, edit(footer_bytes=before_stop("01 e2d403"))),
        places=in_file(),
    ),
    Fault(
        "PQ-THRIFT-002/varint-of-six-bytes",
        "the version, an i32, is a varint of 6 bytes",
        File(_PLAIN, edit(footer_bytes=lambda data: bytes.fromhex("15 828080808000") + data[2:])),
        "it has 5 bytes, padded, which 32 bits can need",
        File(_PLAIN, edit(footer_bytes=lambda data: bytes.fromhex("15 8280808000") + data[2:])),
    ),
    Fault(
        "PQ-THRIFT-003/boolean-element-three",
        "an element of null_pages, a list of booleans, is the byte 3",
        File(_INDEXED, edit(whole=patch("19 11 02 19 18", "19 11 03 19 18"))),
        "it is 0, false as old writers wrote it",
        File(_INDEXED, edit(whole=patch("19 11 02 19 18", "19 11 00 19 18"))),
    ),
    Fault(
        "PQ-THRIFT-004/field-twice",
        "created_by stands twice in the footer",
        File(_PLAIN, edit(footer_bytes=before_stop(_CREATED_BY))),
        "it stands once, though behind a field with a greater id",
        File(replace(_PLAIN, created_by=None), edit(footer_bytes=before_stop(_CREATED_BY))),
    ),
    Fault(
        "PQ-THRIFT-005/key-missing",
        "a KeyValue has a value, but not the key, which is required",
        _pair(fields(key=None)(KeyValue(key="k", value="v"))),
        "a KeyValue has a key, but not the value, which is optional",
        _pair(KeyValue(key="k")),
        places=pages(what="a page header has no size", page_header=fields(compressed_page_size=None)),
    ),
    Fault(
        "PQ-THRIFT-006/two-logical-types",
        "a LogicalType is STRING and JSON at once",
        _annotated(LogicalType(STRING=Empty(), JSON=Empty())),
        "it is one thing, of a later revision",
        _annotated(LogicalType(unknown=((99, 12, STOP),))),
        places=column_orders("a column order is empty", column_order=put(ColumnOrder())),
    ),
    Fault(
        "PQ-THRIFT-007/text-beyond-the-footer",
        "the footer ends one byte before created_by does",
        File(
            _ENDS_WITH_TEXT,
            edit(
                footer_bytes=lambda data: (
                    data[: -2 - len(_MAKER)] + bytes([len(_MAKER) + 2]) + data[-1 - len(_MAKER) :]
                )
            ),
        ),
        "created_by ends where the footer's stop field stands",
    ),
    Fault(
        "PQ-THRIFT-008/list-beyond-the-footer",
        "column_orders says that it has 2147483647 elements",
        File(_PLAIN, edit(footer_bytes=patch("19 2c 1c 00 00", "19 fc ffffffff07 1c 00 00"))),
        "an unknown list of bytes takes all that is left before the stop field",
        File(_PLAIN, edit(footer_bytes=before_stop("09 e2d403 33 010203"))),
    ),
    Fault(
        "PQ-THRIFT-009/wire-type-fourteen",
        "an unknown field of the footer has the wire type 14",
        File(_PLAIN, edit(footer_bytes=before_stop("0e e2d403"))),
        "it has the wire type 13, a UUID, the last that exists",
        File(_PLAIN, edit(footer_bytes=before_stop("0d e2d403" + 16 * "ab"))),
    ),
    Fault(
        "PQ-THRIFT-010/key-in-latin-1",
        "a key of the file's metadata is a letter of Latin-1",
        _pair(KeyValue(key="\udce9", value="v")),
        "it is the letter in UTF-8",
        _pair(KeyValue(key="é", value="v")),
    ),
    Fault(
        "PQ-THRIFT-011/metadata-as-number",
        "key_value_metadata, a list, is an i32",
        File(_PLAIN, edit(footer_bytes=before_stop("05 0a 02"))),
        "it is a list, and empty",
        File(_PLAIN, edit(footer_bytes=before_stop("09 0a 0c"))),
    ),
    Fault(
        "PQ-THRIFT-012/empty-list-of-no-type",
        "key_value_metadata is an empty list of elements of type 0, which does not exist",
        File(_PLAIN, edit(footer_bytes=before_stop("09 0a 00"))),
        "its elements are structs, and its header has the long form",
        File(_PLAIN, edit(footer_bytes=before_stop("09 0a fc 00"))),
    ),
)
