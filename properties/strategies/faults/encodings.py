"""Faults of PLAIN, RLE, BIT_PACKED, dictionary indices, BYTE_STREAM_SPLIT and ALP."""

from __future__ import annotations

from typing import Any

from corpora.build.recipe import leaf
from properties.strategies.faults.edits import data_header, edit, ints, table
from properties.strategies.faults.fault import Fault, File, put
from properties.strategies.faults.places import encoded, indexed, pages, plain
from reference_impl.parquet.plan import Alp, Column, Dictionary, FilePlan, Page, Runs
from reference_impl.parquet.schema import Encoding, Type

_TEXTS = table(leaf("x", Type.BYTE_ARRAY), (b"a", b"bc", b""))
_FLAGS = table(leaf("x", Type.BOOLEAN), (True, False) * 4 + (True,))
_RUNS = Page(None, Encoding.RLE, indices=Runs.RLE)
_TRUE = table(leaf("x", Type.BOOLEAN), (True,) * 3, Column((_RUNS,)))
_MIXED = table(leaf("x", Type.BOOLEAN), (True, False, True), Column((Page(None, Encoding.RLE),)))
_OLD_NULLS = ints((None,) * 9, Column((Page(legacy_levels=True),)))
_INDICES = Page(None, Encoding.RLE_DICTIONARY)
_SPLIT = Column((Page(None, Encoding.BYTE_STREAM_SPLIT),))


def indices(*values: int, **choices: Any) -> FilePlan:
    """Return the plan of a file whose column is dictionary-encoded."""
    return ints(values, Column((_INDICES,), dictionary=Dictionary(**choices)))


def stored(plan: FilePlan, raw: str) -> File:
    """Return a file with these bytes (in hexadecimal) in place of the values of the first page of `x`."""
    return File(plan, edit(values=put(bytes.fromhex(raw))))


# Offsets in the values of a page of one vector.
_MODE, _LOG, _COUNT, _FACTOR, _LEAST = 0, 2, 3, 12, 15
_WIDTH_OF_FLOAT = _LEAST + 4
_POSITION = _LEAST + 8 + 1 + 1  # of DOUBLE: behind the width, and the one byte of three integers


def _alp_column(values: tuple[float | None, ...], kind: Type, **layout: int) -> FilePlan:
    column = Column((Page(encoding=Encoding.ALP, alp=Alp(exponent=1, factor=0, **layout)),))
    return table(leaf("x", kind), values, column)


_FLOATS = _alp_column((1.5, 2.5, 0.5), Type.FLOAT)
_DOUBLES = _alp_column((0.1, 0.2, float("inf")), Type.DOUBLE)


def _set(plan: FilePlan, at: int, byte: int) -> File:
    """Return the file with another byte among the values of its page."""
    return File(plan, edit(values=lambda data: data[:at] + bytes([byte]) + data[at + 1 :]))


_SHORT = File(_FLOATS, edit(values=lambda data: data[:-1]))
_PADDED = File(_FLOATS, edit(values=lambda data: data + b"\0"))

FAULTS = (
    Fault(
        "PQ-PLAIN-001/boolean-cut-off",
        "9 booleans take one byte",
        File(_FLAGS, edit(values=lambda data: data[:-1])),
        "they take two",
        stored(_FLAGS, "55 01"),
        places=pages(plain(texts=False)),
    ),
    Fault(
        "PQ-PLAIN-002/text-beyond-the-page",
        "the last byte array says that it has one byte more than the page",
        stored(_TEXTS, "01000000 61 02000000 6263 01000000"),
        "it says that it has none, and the page ends behind its length",
        stored(_TEXTS, "01000000 61 02000000 6263 00000000"),
        places=pages(plain(texts=True), "a byte array is cut short", values=lambda data: data[:-1]),
    ),
    Fault(
        "PQ-RLE-001/size-beyond-the-page",
        "the size in front of the runs is one byte more than the page has",
        stored(_TRUE, "03000000 06 01"),
        "it is what the page has",
        stored(_TRUE, "02000000 06 01"),
    ),
    Fault(
        "PQ-RLE-002/run-header-of-six-bytes",
        "the header of a run is a varint of 6 bytes",
        stored(_TRUE, "07000000 868080808000 01"),
        "it has 5 bytes, padded, which 32 bits can need",
        stored(_TRUE, "06000000 8680808000 01"),
    ),
    Fault(
        "PQ-RLE-003/run-of-none",
        "a run repeats a value 0 times",
        stored(_TRUE, "04000000 00 01 06 01"),
        "a run repeats a value once",
        stored(_TRUE, "04000000 02 01 04 01"),
    ),
    Fault(
        "PQ-RLE-004/run-without-value",
        "the last run lacks the value that it repeats",
        stored(_TRUE, "03000000 04 01 02"),
        "the last run is there, and nothing behind it",
        stored(_TRUE, "04000000 04 01 02 01"),
    ),
    Fault(
        "PQ-RLE-005/two-in-one-bit",
        "a run of booleans repeats the value 2",
        stored(_TRUE, "02000000 06 02"),
        "it repeats the value 1",
        stored(_TRUE, "02000000 06 01"),
    ),
    Fault(
        "PQ-RLE-006/run-too-short",
        "the only run has two of the page's three values",
        stored(_TRUE, "02000000 04 01"),
        "the only run is bit-packed and has 8 values, the last 5 of them for nothing",
        stored(_MIXED, "02000000 03 05"),
    ),
    Fault(
        "PQ-BITPACKED-001/level-cut-off",
        "9 levels of one bit take one byte",
        File(_OLD_NULLS, edit(definition=put(b"\0"))),
        "they take two",
        also_breaks=("PQ-BITPACKED-002",),
    ),
    Fault(
        "PQ-DICT-001/no-bit-width",
        "a page of dictionary indices has no bytes",
        stored(indices(7, 7, 7), ""),
        "it has a bit width of 0, and a run of values that take no bits",
        stored(indices(7, 7, 7), "00 06"),
    ),
    Fault(
        "PQ-DICT-002/indices-of-33-bits",
        "dictionary indices have 33 bits",
        stored(indices(1, 2, 1), "21 02 0000000000 02 0100000000 02 0000000000"),
        "they have 32",
        stored(indices(1, 2, 1), "20 02 00000000 02 01000000 02 00000000"),
        places=pages(indexed, values=lambda data: b"\x21" + data[1:]),
    ),
    Fault(
        "PQ-DICT-003/index-of-the-third-of-two",
        "an index is 2, and the dictionary has two values",
        stored(indices(1, 2, 1), "02 02 00 02 01 02 02"),
        "an index is 1",
        stored(indices(1, 2, 2), "02 02 00 02 01 02 01"),
    ),
    Fault(
        "PQ-BSS-001/streams-padded",
        "a byte of padding stands behind the streams",
        File(ints((1, 2, 3), _SPLIT), edit(values=lambda data: data + b"\0")),
        "the streams have no place for the null between the values",
        File(ints((1, None, 3), _SPLIT)),
        places=pages(encoded(Encoding.BYTE_STREAM_SPLIT)),
    ),
    Fault(
        "PQ-BSS-002/split-booleans",
        "a page of BOOLEAN is encoded as BYTE_STREAM_SPLIT",
        File(
            table(leaf("x", Type.BOOLEAN), (True, False)),
            edit(values=put(b"\1\0"), page_header=data_header(encoding=Encoding.BYTE_STREAM_SPLIT)),
        ),
        "a page of FIXED_LEN_BYTE_ARRAY of one byte is",
        File(table(leaf("x", Type.FIXED_LEN_BYTE_ARRAY, type_length=1), (b"\1", b"\0"), _SPLIT)),
    ),
    Fault(
        "PQ-RLE-007/last-group-cut",
        "the last bit-packed run has the byte of its values, and not those that fill it up",
        stored(indices(1, 2, 1), "02 03 04"),
        "it has both bytes",
        stored(indices(1, 2, 1), "02 03 0400"),
    ),
    Fault(
        "PQ-BITPACKED-002/levels-bit-packed",
        "the definition levels of a page are encoded as BIT_PACKED",
        File(_OLD_NULLS),
        "they are bit-packed inside of RLE",
        File(ints((None,) * 9, Column((Page(levels=Runs.PACKED),)))),
    ),
    Fault(
        "PQ-BITPACKED-003/levels-padded-with-ones",
        "the last byte of levels in BIT_PACKED is padded with ones",
        File(_OLD_NULLS, edit(definition=put(b"\0\x7f"))),
        "it is padded with zeros",
        also_breaks=("PQ-BITPACKED-002",),
    ),
    Fault(
        "PQ-ALP-001/integers",
        "a page of INT32 is encoded as ALP",
        File(ints(), edit(page_header=data_header(encoding=Encoding.ALP))),
        "a page of FLOAT is",
        File(_FLOATS),
    ),
    Fault(
        "PQ-ALP-002/mode-of-the-future",
        "the compression mode is 1",
        _set(_FLOATS, _MODE, 1),
        "it is 0",
        File(_FLOATS),
    ),
    Fault(
        "PQ-ALP-003/vectors-of-65536",
        "the vectors are of 2^16 values",
        _set(_FLOATS, _LOG, 16),
        "they are of 2^15, of which the page has three",
        _set(_FLOATS, _LOG, 15),
    ),
    Fault(
        "PQ-ALP-004/one-more",
        "the header says four elements, and the page has three values",
        _set(_FLOATS, _COUNT, 4),
        "it says three, and the page has a null beside them",
        File(table(leaf("x", Type.FLOAT, 1), (1.5, None, 2.5, 0.5), Column((Page(encoding=Encoding.ALP),)))),
    ),
    Fault(
        "PQ-ALP-005/padded",
        "a byte stands behind the last vector",
        _PADDED,
        "the integers have a byte more, as their bit width says",
        File(_alp_column((1.5, 2.5, 0.5), Type.FLOAT, extra_bits=8)),
    ),
    Fault(
        "PQ-ALP-006/factor-above-the-exponent",
        "the factor is 2, and the exponent 1",
        _set(_FLOATS, _FACTOR, 2),
        "both are 10, and every value is an exception",
        File(
            table(
                leaf("x", Type.FLOAT),
                (1.5, 2.5, 0.5),
                Column((Page(encoding=Encoding.ALP, alp=Alp(exponent=10, factor=10)),)),
            )
        ),
    ),
    Fault(
        "PQ-ALP-007/integers-of-33-bits",
        "the integers of FLOAT take 33 bits",
        File(
            _alp_column((1.5, 2.5, 0.5), Type.FLOAT, extra_bits=32),
            edit(values=lambda data: data[:_WIDTH_OF_FLOAT] + b"\x21" + data[_WIDTH_OF_FLOAT + 1 :]),
        ),
        "they take 32",
    ),
    Fault(
        "PQ-ALP-008/exception-of-nothing",
        "an exception stands at position 3 of three values",
        _set(_DOUBLES, _POSITION, 3),
        "it stands at position 2",
        File(_DOUBLES),
    ),
    Fault(
        "PQ-ALP-009/vector-cut",
        "the last byte of the last vector is missing",
        _SHORT,
        "there are no values, and no vectors",
        File(table(leaf("x", Type.FLOAT, 1), (None, None), Column((Page(encoding=Encoding.ALP),)))),
    ),
)
