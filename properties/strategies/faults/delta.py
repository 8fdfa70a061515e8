"""Faults of DELTA_BINARY_PACKED, DELTA_LENGTH_BYTE_ARRAY and DELTA_BYTE_ARRAY."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from corpora.build.recipe import leaf
from properties.strategies.faults.edits import data_header, edit, ints, table
from properties.strategies.faults.encodings import stored
from properties.strategies.faults.fault import Fault, File
from properties.strategies.faults.places import encoded, pages
from reference_impl.byte_arrays import ByteArrays
from reference_impl.parquet.encodings import delta_binary_packed, delta_byte_array, delta_length_byte_array
from reference_impl.parquet.encodings.dispatch import DELTA_ENCODINGS
from reference_impl.parquet.plan import Column, Delta, FilePlan, Page
from reference_impl.parquet.schema import Encoding, Type


def _column(encoding: Encoding, **delta: int) -> Column:
    return Column((Page(None, encoding, delta=Delta(**delta)),))


_DELTA = _column(Encoding.DELTA_BINARY_PACKED)
_COUNT = ints((1, 2, 3), _DELTA)  # 80 01 04 03 02 | 02 | 00 00 00 00
_ODD = ints((1, 2, 4), _DELTA)  # 80 01 04 03 02 | 02 | 01 00 00 00 | 02 00 00 00
_EXTREMES = ints((2**31 - 1, -(2**31), 1 - 2**31), _DELTA)  # 80 01 04 03 fe ff ff ff 0f | 02 | 00 00 00 00
_WRAPPED = ints((2**31 - 1, -(2**31)), _DELTA)  # 80 01 04 02 fe ff ff ff 0f | 02 | 00 00 00 00
_LENGTHS = _column(Encoding.DELTA_LENGTH_BYTE_ARRAY)
_PREFIXES = _column(Encoding.DELTA_BYTE_ARRAY)
_TEXT = leaf("x", Type.BYTE_ARRAY)
_FIXED = leaf("x", Type.FIXED_LEN_BYTE_ARRAY, type_length=3)
_TEXTS = (b"abc", b"abc", b"ab")


def _lengths(lengths: Sequence[int]) -> str:
    return delta_binary_packed.encode(np.array(lengths, np.int32)).hex()


def _suffixes(*suffixes: bytes) -> str:
    return delta_length_byte_array.encode(ByteArrays.of(suffixes)).hex()


def _claimed(plan: FilePlan, encoding: Encoding, raw: bytes) -> File:
    """Return a file whose page has this encoding in its header, and values in this encoding."""
    return File(plan, edit(values=lambda _: raw, page_header=data_header(encoding=encoding)))


def _strings(kind: tuple[Any, ...], *values: bytes) -> FilePlan:
    return table(kind, values, _PREFIXES)


def _block_of_64(data: bytes) -> bytes:
    """Replace the block size of delta-encoded values by 64."""
    end = next(at for at, byte in enumerate(data, 1) if byte < 0x80)
    return b"\x40" + data[end:]


FAULTS = (
    Fault(
        "PQ-DBP-001/block-size-of-eleven-bytes",
        "the block size is a varint of 11 bytes",
        stored(_COUNT, "8081808080808080808000 04 03 02 02 00000000"),
        "it has 10 bytes, padded, which 64 bits can need",
        stored(_COUNT, "80818080808080808000 04 03 02 02 00000000"),
    ),
    Fault(
        "PQ-DBP-002/blocks-of-192",
        "the block size is 192",
        stored(_COUNT, "c001 03 03 02 02 000000"),
        "it is 256",
        stored(_COUNT, "8002 04 03 02 02 00000000"),
        places=pages(encoded(*DELTA_ENCODINGS), "the block size is 64", values=_block_of_64),
    ),
    Fault(
        "PQ-DBP-003/miniblocks-of-16",
        "blocks of 128 values have 8 miniblocks",
        stored(_COUNT, "8001 08 03 02 02 0000000000000000"),
        "blocks of 256 values have",
        stored(_COUNT, "8002 08 03 02 02 0000000000000000"),
    ),
    Fault(
        "PQ-DBP-004/one-value-more",
        "the total value count is 4, and the page has 3 values",
        stored(_COUNT, "8001 04 04 02 02 00000000"),
        "the total value count leaves out a null",
        File(ints((1, None, 3), _DELTA)),
    ),
    Fault(
        "PQ-DBP-005/first-value-of-33-bits",
        "the first value of a page of INT32 is 2147483648",
        stored(_EXTREMES, "8001 04 03 8080808010 02 00000000"),
        "it is 2147483647, and the next one wraps around",
        File(_EXTREMES),
    ),
    Fault(
        "PQ-DBP-006/bit-widths-of-used-miniblocks",
        "a block has one bit width instead of four, for only one miniblock has values",
        stored(_COUNT, "8001 04 03 02 02 00"),
        "it has four, three of which say nothing",
        File(_COUNT),
    ),
    Fault(
        "PQ-DBP-007/miniblock-of-33-bits",
        "a miniblock of INT32 has 33 bits",
        stored(_COUNT, "8001 04 03 02 02 21000000" + "00" * 132),
        "it has 32",
        stored(_COUNT, "8001 04 03 02 02 20000000" + "00" * 128),
    ),
    Fault(
        "PQ-DBP-008/miniblock-cut-behind-its-values",
        "the last miniblock ends with the byte that holds its last value",
        stored(_ODD, "8001 04 03 02 02 01000000 02"),
        "it is padded to 32 values",
        File(_ODD),
    ),
    Fault(
        "PQ-DBP-009/delta-of-float",
        "a page of FLOAT is encoded as DELTA_BINARY_PACKED",
        _claimed(
            table(leaf("x", Type.FLOAT), (1.0, 2.0)),
            Encoding.DELTA_BINARY_PACKED,
            delta_binary_packed.encode(np.array([1.0, 2.0], np.float32).view(np.int32)),
        ),
        "a page of INT64 is",
        File(table(leaf("x", Type.INT64), (1, 2), _DELTA)),
    ),
    Fault(
        "PQ-DLBA-001/length-below-zero",
        "a length is -1",
        stored(table(_TEXT, (b"a", b"", b"b"), _LENGTHS), _lengths((1, -1, 2)) + b"ab".hex()),
        "a length is 0",
        stored(table(_TEXT, (b"a", b"", b"b"), _LENGTHS), _lengths((1, 0, 1)) + b"ab".hex()),
    ),
    Fault(
        "PQ-DLBA-002/one-byte-missing",
        "the bytes of the last string end one early",
        stored(table(_TEXT, (b"a", b"bc"), _LENGTHS), _lengths((1, 2)) + b"ab".hex()),
        "they are complete",
        stored(table(_TEXT, (b"a", b"bc"), _LENGTHS), _lengths((1, 2)) + b"abc".hex()),
    ),
    Fault(
        "PQ-DLBA-003/lengths-of-fixed-length",
        "a page of FIXED_LEN_BYTE_ARRAY is encoded as DELTA_LENGTH_BYTE_ARRAY",
        _claimed(
            table(_FIXED, (b"abc", b"def")),
            Encoding.DELTA_LENGTH_BYTE_ARRAY,
            delta_length_byte_array.encode(ByteArrays.of((b"abc", b"def"))),
        ),
        "a page of BYTE_ARRAY is",
        File(table(_TEXT, (b"abc", b"def"), _LENGTHS)),
    ),
    Fault(
        "PQ-DBA-001/prefix-longer-than-the-string-before",
        "a prefix has 4 bytes, and the string before 3",
        stored(_strings(_TEXT, *_TEXTS), _lengths((0, 4, 2)) + _suffixes(b"abc", b"", b"")),
        "it has 3, and nothing follows it",
        stored(_strings(_TEXT, *_TEXTS), _lengths((0, 3, 2)) + _suffixes(b"abc", b"", b"")),
    ),
    Fault(
        "PQ-DBA-002/two-bytes-of-three",
        "prefix and suffix of a FIXED_LEN_BYTE_ARRAY(3) are 2 bytes together",
        stored(_strings(_FIXED, b"abc", b"abd"), _lengths((0, 1)) + _suffixes(b"abc", b"d")),
        "they are 3 bytes together",
        stored(_strings(_FIXED, b"abc", b"abd"), _lengths((0, 2)) + _suffixes(b"abc", b"d")),
    ),
    Fault(
        "PQ-DBA-003/prefixes-of-int32",
        "a page of INT32 is encoded as DELTA_BYTE_ARRAY",
        _claimed(
            ints((1, 2)),
            Encoding.DELTA_BYTE_ARRAY,
            delta_byte_array.encode(ByteArrays.of((b"\1\0\0\0", b"\2\0\0\0"))),
        ),
        "a page of FIXED_LEN_BYTE_ARRAY is",
        File(_strings(_FIXED, b"abc", b"abd")),
    ),
    Fault(
        "PQ-DBP-010/miniblock-padded-with-ones",
        "the last miniblock is padded with ones",
        stored(_ODD, "8001 04 03 02 02 01000000 feffffff"),
        "it is padded with zeros",
        File(_ODD),
    ),
    Fault(
        "PQ-DBP-011/bit-width-of-nothing",
        "miniblocks without values have bit widths that are not 0",
        stored(_COUNT, "8001 04 03 02 02 00 ffffff"),
        "they have 0",
        File(_COUNT),
    ),
    Fault(
        "PQ-DBP-012/min-delta-of-33-bits",
        "the min delta of a page of INT32 is -4294967295, which is 1 in 32 bits",
        stored(_WRAPPED, "8001 04 02 feffffff0f fdffffff1f 00000000"),
        "it is 1",
        File(_WRAPPED),
    ),
)
