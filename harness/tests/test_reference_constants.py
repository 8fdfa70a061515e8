"""Constants of the reference's pushdown: in the form of the column, whatever their width, unit or scale."""

from __future__ import annotations

import pytest

from corpora.build.pushdown_parquet import _plain
from corpora.predicates import Compare
from corpora.queries import Filter
from corpora.tagged import STRING, decimal, floating, integer, time, timestamp
from harness.engines.reference.adapter import Reference
from harness.engines.registry import ENGINES
from reference_impl.orc import plan as orc_plan
from reference_impl.orc import schema as orc_schema
from reference_impl.orc import writer as orc_writer
from reference_impl.parquet.file import ParquetFile
from reference_impl.parquet.plan import FilePlan
from reference_impl.parquet.schema import (
    DecimalType,
    Empty,
    FieldRepetitionType,
    IntType,
    LogicalType,
    SchemaElement,
    TimeType,
    TimeUnit,
    Type,
)
from reference_impl.parquet.writer import write

PUSHDOWN = ENGINES["reference"].switches["pushdown"]
FIXED = Type.FIXED_LEN_BYTE_ARRAY
UNSIGNED = {"logicalType": LogicalType(INTEGER=IntType(bitWidth=32, isSigned=False))}
MILLIS = {"logicalType": LogicalType(TIME=TimeType(isAdjustedToUTC=True, unit=TimeUnit(MILLIS=Empty())))}
CENTS = {"logicalType": LogicalType(DECIMAL=DecimalType(precision=5, scale=2))}
TEXT = {"logicalType": LogicalType(STRING=Empty())}


@pytest.mark.parametrize(
    ("element", "type_", "value", "plain"),
    [
        ({"type": Type.INT32}, integer(8, signed=False), "200", b"\xc8\0\0\0"),
        ({"type": Type.INT32, **UNSIGNED}, integer(32, signed=False), "4294967295", b"\xff" * 4),
        ({"type": Type.INT32, **UNSIGNED}, integer(64), "4294967295", b"\xff" * 4),
        ({"type": Type.INT32, **UNSIGNED}, integer(32), "-1", None),
        ({"type": Type.INT32}, integer(32, signed=False), "4294967295", None),
        ({"type": Type.INT32}, time("ms", utc=True), "0", None),
        ({"type": Type.INT32}, integer(64), "-4294967296", None),
        ({"type": Type.INT32, **MILLIS}, time("ms", utc=True), "2147483648", None),
        ({"type": Type.INT32, **MILLIS}, time("us", utc=True), "7000", b"\7\0\0\0"),
        ({"type": Type.INT32, **MILLIS}, time("ns", utc=True), "7000001", None),
        ({"type": Type.INT32}, integer(32), "2147483648", None),
        ({"type": FIXED, "type_length": 3, **CENTS}, decimal(5, 2), "-2", b"\xff\xff\xfe"),
        ({"type": FIXED, "type_length": 3, **CENTS}, decimal(5, 0), "2", b"\0\0\xc8"),
        ({"type": FIXED, "type_length": 3, **CENTS}, decimal(9, 3), "-20", b"\xff\xff\xfe"),
        ({"type": FIXED, "type_length": 3, **CENTS}, decimal(9, 3), "21", None),
        ({"type": FIXED, "type_length": 3, **CENTS}, decimal(20, 2), "8388608", None),
        ({"type": Type.BYTE_ARRAY, **CENTS}, decimal(5, 2), "128", b"\0\x80"),
        ({"type": Type.BYTE_ARRAY, **TEXT}, STRING, "é", "é".encode()),
        ({"type": Type.BYTE_ARRAY}, STRING, "é", None),
        ({"type": Type.FLOAT}, floating(64), "3ff8000000000000", b"\0\0\xc0\x3f"),
        ({"type": Type.FLOAT}, floating(64), "3fb999999999999a", None),
        ({"type": Type.FLOAT}, floating(64), "7fefffffffffffff", None),
        ({"type": Type.FLOAT}, floating(64), "7ff8000000000000", None),
    ],
)
def test_constants(element, type_, value, plain):
    """A constant is PLAIN bytes of the column, or nothing to rule rows out by."""
    leaf = SchemaElement(repetition_type=FieldRepetitionType.REQUIRED, name="a", **element)
    (node,) = ParquetFile(write(FilePlan((SchemaElement(name="m", num_children=1), leaf)))).leaves
    assert _plain(node, type_, value) == plain


ORC_KIND = orc_schema.TypeKind
ORC_CENTS = orc_schema.Type(kind=ORC_KIND.DECIMAL, precision=9, scale=2)
ORC_TIME = orc_schema.Type(kind=ORC_KIND.TIMESTAMP)
A_TENTH = "3fb999999999999a"  # as DOUBLE, which is less than the FLOAT next to it


@pytest.mark.parametrize(
    ("type_", "values", "test", "rows"),
    [
        (
            orc_schema.Type(kind=ORC_KIND.DECIMAL, precision=9, scale=2),
            (150, 250),
            ("=", decimal(9, 1), "15"),
            1,
        ),
        (
            orc_schema.Type(kind=ORC_KIND.DECIMAL, precision=9, scale=2),
            (150, 250),
            (">", decimal(9, 3), "1600"),
            1,
        ),
        (orc_schema.Type(kind=ORC_KIND.FLOAT), (0.1, 0.1), (">", floating(64), A_TENTH), 2),
        (orc_schema.Type(kind=ORC_KIND.FLOAT), (0.5, 1.5), ("<", floating(64), "7fefffffffffffff"), 2),
        (
            orc_schema.Type(kind=ORC_KIND.TIMESTAMP),
            ((1, 0), (2, 0)),
            ("=", timestamp("ms", utc=False), "1000"),
            1,
        ),
        (orc_schema.Type(kind=ORC_KIND.INT), (-1, 2), ("<", integer(64, signed=False), "9" * 15), 2),
    ],
)
def test_constants_of_another_type_in_orc(tmp_path, type_, values, test, rows):
    """A constant of another scale, width or unit than the column's skips none of the rows that match."""
    root = orc_schema.Type(kind=ORC_KIND.STRUCT, subtypes=(1,), field_names=("a",))
    plan = orc_plan.FilePlan((root, type_), tuple((value,) for value in values), row_index_stride=1)
    file = tmp_path / "x.orc"
    file.write_bytes(orc_writer.write(plan))
    query = Filter(Compare(("a",), *test))
    for pushdown in PUSHDOWN:
        assert Reference().query_one(str(file), "orc", {"pushdown": pushdown}, query).num_rows == rows
