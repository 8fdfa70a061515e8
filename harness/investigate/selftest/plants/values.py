"""Bugs in what values mean: LogicalTypes.md."""

from __future__ import annotations

from functools import partial

from harness.investigate.selftest.plant import Plant

_VALUES = "corpora.build.tagged_parquet"
_LOGICAL = "reference_impl.parquet.logical"
_TYPES = "LogicalTypes.md"
_tagged_parquet = partial(Plant, module=_VALUES)
_decimal = partial(Plant, module=_VALUES, clause=f"{_TYPES}, DECIMAL")
_logical = partial(Plant, module=_LOGICAL)
_timestamp = partial(Plant, module=_LOGICAL, clause=f"{_TYPES}, TIMESTAMP")

PLANTS = (
    _tagged_parquet(
        "uint32-signed",
        "unsigned integers of 32 bits are read as signed",
        "    if not logical.signed:\n",
        "    if not logical.signed and logical.bits != 32:\n",
        f"{_TYPES}, Unsigned Integers",
    ),
    _tagged_parquet(
        "uint64-signed",
        "unsigned integers of 64 bits are read as signed",
        "    if not logical.signed:\n",
        "    if not logical.signed and logical.bits != 64:\n",
        f"{_TYPES}, Unsigned Integers",
    ),
    _tagged_parquet(
        "int8-not-sign-extended",
        "negative integers of 8 and 16 bits are read as positive",
        "signed=logical.signed), numbers(values)",
        "signed=logical.signed), numbers(\n"
        "        values & ((1 << logical.bits) - 1) if logical.bits < 32 else values\n    )",
        f"{_TYPES}, Signed Integers",
    ),
    _decimal(
        "decimal-unsigned",
        "a negative decimal in bytes is read as positive",
        '"big", signed=True)',
        '"big", signed=False)',
    ),
    _decimal(
        "decimal-of-8-bytes",
        "only the last 8 bytes of a decimal in a byte array are read",
        'int.from_bytes(raw, "big", signed=True)',
        'int.from_bytes(raw[-8:], "big", signed=True)',
    ),
    _decimal(
        "decimal-little-endian",
        "a decimal in a byte array is read little-endian",
        'int.from_bytes(raw, "big", signed=True)',
        'int.from_bytes(raw, "little" if isinstance(values, ByteArrays) else "big", signed=True)',
    ),
    _logical(
        "converted-before-logical",
        "ConvertedType is used instead of LogicalType if both are present",
        "_from_logical_type(element) if _is_logical(element) else _from_converted_type(element)",
        "_from_converted_type(element) or (element.logicalType and _from_logical_type(element) or None)",
        f"{_TYPES}, Compatibility",
    ),
    _timestamp(
        "utc-dropped",
        "isAdjustedToUTC is ignored: every timestamp and time is read as local",
        "utc=moment.isAdjustedToUTC)",
        "utc=False)",
    ),
    _timestamp(
        "converted-local",
        "timestamps annotated by ConvertedType are read as local",
        '_C.TIMESTAMP_MILLIS: Logical("TIMESTAMP", unit="ms", utc=True)',
        '_C.TIMESTAMP_MILLIS: Logical("TIMESTAMP", unit="ms")',
    ),
    _timestamp(
        "nanos-as-micros",
        "nanoseconds are read as microseconds",
        '"NANOS": "ns"',
        '"NANOS": "us"',
    ),
    _tagged_parquet(
        "julian-day",
        "the day of an INT96 is read one day early",
        "_JULIAN_EPOCH = 2_440_588",
        "_JULIAN_EPOCH = 2_440_587",
        "parquet.thrift, INT96",
    ),
    _tagged_parquet(
        "int96-wraps",
        "an INT96 outside the years 1677 to 2262 overflows 64 bits",
        "out.append(str(days * _DAY_NANOS + nanos))",
        "out.append(str((days * _DAY_NANOS + nanos + (1 << 63)) % (1 << 64) - (1 << 63)))",
        "parquet.thrift, INT96",
    ),
    _tagged_parquet(
        "float16-byte-order",
        "half floats are read big-endian",
        "[raw[::-1].hex() for raw in _rows(values)]",
        "[raw.hex() for raw in _rows(values)]",
        f"{_TYPES}, FLOAT16",
    ),
    Plant(
        "negative-zero-lost",
        "-0.0 is read as 0.0",
        "raw = values.byteswap()",
        "raw = (values + 0).byteswap()",
        "Encodings.md#PLAIN",
        "corpora.build.tagged_arrays",
    ),
    _tagged_parquet(
        "interval-days-first",
        "the days and months of an INTERVAL are swapped",
        "for at in (0, 4, 8)]",
        "for at in (4, 0, 8)]",
        f"{_TYPES}, INTERVAL",
    ),
    _tagged_parquet(
        "text-ends-at-zero",
        "a string ends at its first zero byte",
        "strings(_strings(values))",
        '[tagged.text(raw.split(b"\\0")[0]) for raw in _rows(values)]',
        f"{_TYPES}, STRING",
    ),
    _logical(
        "unknown-type-refused",
        "a column with an unknown annotation is refused",
        '    if name is None or value is None:\n        return Logical("NEW")',
        "    if name is None or value is None:\n"
        '        raise _problem(element, "PQ-LOGICAL-001", "an annotation that is not known")',
        f"{_TYPES}, Compatibility",
    ),
    _tagged_parquet(
        "uuid-without-type",
        "a UUID is read as text",
        '"UUID": _binary("uuid")',
        '"UUID": _binary("bytes")',
        f"{_TYPES}, UUID",
    ),
)
