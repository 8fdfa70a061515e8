"""Bugs in what values mean: LogicalTypes.md."""

from __future__ import annotations

from harness.investigate.selftest.plant import Plant

_VALUES = "corpora.build.tagged_parquet"
_LOGICAL = "reference_impl.parquet.logical"
_TYPES = "LogicalTypes.md"

PLANTS = (
    Plant(
        "uint32-signed",
        "unsigned integers of 32 bits are read as signed",
        f"{_TYPES}, Unsigned Integers",
        _VALUES,
        "    if not logical.signed:\n",
        "    if not logical.signed and logical.bits != 32:\n",
    ),
    Plant(
        "uint64-signed",
        "unsigned integers of 64 bits are read as signed",
        f"{_TYPES}, Unsigned Integers",
        _VALUES,
        "    if not logical.signed:\n",
        "    if not logical.signed and logical.bits != 64:\n",
    ),
    Plant(
        "int8-not-sign-extended",
        "negative integers of 8 and 16 bits come out positive",
        f"{_TYPES}, Signed Integers",
        _VALUES,
        "signed=logical.signed), numbers(values)",
        "signed=logical.signed), numbers(\n"
        "        values & ((1 << logical.bits) - 1) if logical.bits < 32 else values\n    )",
    ),
    Plant(
        "decimal-unsigned",
        "a negative decimal in bytes is read as positive",
        f"{_TYPES}, DECIMAL",
        _VALUES,
        '"big", signed=True)',
        '"big", signed=False)',
    ),
    Plant(
        "decimal-of-8-bytes",
        "of a decimal in bytes the last 8 are read",
        f"{_TYPES}, DECIMAL",
        _VALUES,
        'int.from_bytes(raw, "big", signed=True)',
        'int.from_bytes(raw[-8:], "big", signed=True)',
    ),
    Plant(
        "decimal-little-endian",
        "a decimal in a byte array is read little-endian",
        f"{_TYPES}, DECIMAL",
        _VALUES,
        'int.from_bytes(raw, "big", signed=True)',
        'int.from_bytes(raw, "little" if isinstance(values, ByteArrays) else "big", signed=True)',
    ),
    Plant(
        "converted-before-logical",
        "ConvertedType decides where both annotations are present",
        f"{_TYPES}, Compatibility",
        _LOGICAL,
        "_from_logical_type(element) if element.logicalType else _from_converted_type(element)",
        "_from_converted_type(element) or (element.logicalType and _from_logical_type(element) or None)",
    ),
    Plant(
        "utc-dropped",
        "every timestamp and time is local",
        f"{_TYPES}, TIMESTAMP",
        _LOGICAL,
        "utc=moment.isAdjustedToUTC)",
        "utc=False)",
    ),
    Plant(
        "converted-local",
        "the timestamps of ConvertedType are local",
        f"{_TYPES}, TIMESTAMP",
        _LOGICAL,
        '_C.TIMESTAMP_MILLIS: Logical("TIMESTAMP", unit="ms", utc=True)',
        '_C.TIMESTAMP_MILLIS: Logical("TIMESTAMP", unit="ms")',
    ),
    Plant(
        "nanos-as-micros",
        "nanoseconds are taken for microseconds",
        f"{_TYPES}, TIMESTAMP",
        _LOGICAL,
        '"NANOS": "ns"',
        '"NANOS": "us"',
    ),
    Plant(
        "julian-day",
        "INT96 counts days from one day too early",
        "parquet.thrift, INT96",
        _VALUES,
        "_JULIAN_EPOCH = 2_440_588",
        "_JULIAN_EPOCH = 2_440_587",
    ),
    Plant(
        "int96-wraps",
        "an INT96 outside of 1677 to 2262 wraps around 64 bits",
        "parquet.thrift, INT96",
        _VALUES,
        "out.append(str(days * _DAY_NANOS + nanos))",
        "out.append(str((days * _DAY_NANOS + nanos + (1 << 63)) % (1 << 64) - (1 << 63)))",
    ),
    Plant(
        "float16-byte-order",
        "half floats are read big-endian",
        f"{_TYPES}, FLOAT16",
        _VALUES,
        "[raw[::-1].hex() for raw in _rows(values)]",
        "[raw.hex() for raw in _rows(values)]",
    ),
    Plant(
        "negative-zero-lost",
        "-0.0 comes out as 0.0",
        "Encodings.md#PLAIN",
        "corpora.build.tagged_arrays",
        "raw = values.byteswap()",
        "raw = (values + 0).byteswap()",
    ),
    Plant(
        "interval-days-first",
        "days and months of an INTERVAL change places",
        f"{_TYPES}, INTERVAL",
        _VALUES,
        "for at in (0, 4, 8)]",
        "for at in (4, 0, 8)]",
    ),
    Plant(
        "text-ends-at-zero",
        "a string ends where a zero byte stands",
        f"{_TYPES}, STRING",
        _VALUES,
        "[tagged.text(raw) for raw in _rows(values)]",
        '[tagged.text(raw.split(b"\\0")[0]) for raw in _rows(values)]',
    ),
    Plant(
        "unknown-type-refused",
        "a column with an annotation from the future is refused",
        f"{_TYPES}, Compatibility",
        _LOGICAL,
        '    if name is None or value is None:\n        return Logical("NEW")',
        "    if name is None or value is None:\n"
        '        raise _problem(element, "PQ-LOGICAL-001", "an annotation that is not known")',
    ),
    Plant(
        "uuid-without-type",
        "a UUID is read as text",
        f"{_TYPES}, UUID",
        _VALUES,
        '"UUID": _binary("uuid")',
        '"UUID": _binary("bytes")',
    ),
)
