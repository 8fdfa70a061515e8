"""Inspection shows every part of a file where it is, and what can be shown of a file that is broken."""

from __future__ import annotations

import json
from dataclasses import replace
from itertools import pairwise

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from properties.strategies.faults import FAULTS
from reference_impl.errors import UsageError
from reference_impl.limits import Limits
from reference_impl.parquet.inspect import Selection, inspect, readable
from reference_impl.parquet.page_structs import BloomFilterHeader, ColumnIndex, OffsetIndex, PageHeader
from reference_impl.parquet.plan import Bloom, Column, Dictionary, FilePlan, Index, Page, Statistics
from reference_impl.parquet.schema import (
    DecimalType,
    Empty,
    Encoding,
    FieldRepetitionType,
    LogicalType,
    SchemaElement,
    TimestampType,
    TimeUnit,
    Type,
)
from reference_impl.parquet.tree import build
from reference_impl.parquet.validate import opened
from reference_impl.parquet.writer import write
from reference_impl.wire import thrift

REQUIRED, OPTIONAL, REPEATED = FieldRepetitionType
COLUMN = Column(
    (Page(4, encoding=Encoding.RLE_DICTIONARY), Page(3, version=2, statistics=Statistics())),
    dictionary=Dictionary(),
    statistics=Statistics(),
    index=Index(),
    bloom=Bloom(),
)
SCHEMA = (
    SchemaElement(name="schema", num_children=2),
    SchemaElement(type=Type.INT32, repetition_type=OPTIONAL, name="a"),
    SchemaElement(repetition_type=REQUIRED, name="g", num_children=1),
    SchemaElement(type=Type.BYTE_ARRAY, repetition_type=REPEATED, name="b"),
)
ROWS = tuple({"a": number % 3 or None, "g": {"b": [b"x"] * (number % 4)}} for number in range(10))
DATA = write(FilePlan(SCHEMA, ROWS, (COLUMN, COLUMN), row_groups=(4, 6)))


def test_ranges_are_where_the_parts_are():
    """What stands at each range is what it is said to be, and ranges of pages fill their chunk."""
    told = inspect(DATA)
    assert told["errors"] == []
    assert told["footer"]["range"][1] == len(DATA) - 8
    for group in told["row_groups"]:
        for column in group["columns"]:
            pages = column["pages"]
            edges = [edge for page in pages for edge in (*page["header_range"], *page["body_range"])]
            assert edges == sorted(edges)
            assert [edges[0], edges[-1]] == column["data"]["range"]
            headers = [(PageHeader, page["header_range"]) for page in pages]
            structs = [(ColumnIndex, column["column_index"]["range"])]
            structs += [(OffsetIndex, column["offset_index"]["range"])]
            structs += [(BloomFilterHeader, column["bloom"]["header_range"])]
            for cls, (start, stop) in (*headers, *structs):
                assert thrift.decode(cls, DATA, start=start)[1] == stop - start


def test_fields_of_the_footer_have_ranges():
    """The fields of the footer stand one behind the other, up to its stop byte."""
    footer = inspect(DATA)["footer"]
    spans = [one["range"] for one in footer["fields"].values()]
    assert spans[0][0] == footer["range"][0]
    assert all(before[1] == after[0] for before, after in pairwise(spans))
    assert spans[-1][1] == footer["range"][1] - 1
    assert footer["fields"]["num_rows"]["value"] == len(ROWS)


def test_levels_and_values_are_counted():
    """The counts of levels of all pages are those of the rows."""
    told = inspect(DATA, Selection(column="g.b"))
    columns = [column for group in told["row_groups"] for column in group["columns"]]
    levels = [page["levels"] for column in columns for page in column["pages"] if "levels" in page]
    begins = sum(one["repetition"]["histogram"][0] for one in levels)
    assert begins == len(ROWS)
    values = sum(page.get("values", 0) for column in columns for page in column["pages"])
    assert values == sum(len(row["g"]["b"]) for row in ROWS)


def test_a_selection_limits_what_is_shown():
    """One row group, one column, and no pages; what is not there is a mistake of the caller."""
    told = inspect(DATA, Selection(1, "a", pages=False))
    (group,) = told["row_groups"]
    (column,) = group["columns"]
    assert (group["row_group"], column["column"], "pages" in column) == (1, "a", False)
    for wrong in (Selection(2), Selection(column="b")):
        with pytest.raises(UsageError):
            inspect(DATA, wrong)


MICROS = TimestampType(isAdjustedToUTC=True, unit=TimeUnit(MICROS=Empty()))
MONEY = LogicalType(DECIMAL=DecimalType(scale=2, precision=9))


@pytest.mark.parametrize(
    ("kind", "logical", "raw", "text"),
    [
        (Type.INT32, None, b"\xff\xff\xff\xff", "-1"),
        (Type.BOOLEAN, None, b"\x01", "true"),
        (Type.DOUBLE, None, bytes(7) + b"\x80", "-0.0"),
        (Type.BYTE_ARRAY, LogicalType(STRING=Empty()), "é".encode(), "'é'"),
        (Type.BYTE_ARRAY, LogicalType(STRING=Empty()), b"\xff", r"'\\xff'"),
        (Type.BYTE_ARRAY, None, b"\xff", "0xff"),
        (Type.INT32, LogicalType(DATE=Empty()), (-1).to_bytes(4, "little", signed=True), "-1 (1969-12-31)"),
        (Type.INT32, LogicalType(DATE=Empty()), b"\xff\xff\xff\x7f", "2147483647"),
        (Type.INT64, LogicalType(TIMESTAMP=MICROS), b"\x01" + bytes(7), "1 (1970-01-01T00:00:00.000001)"),
        (Type.BYTE_ARRAY, MONEY, b"\xff\x00", "-256e-2"),
        (Type.INT96, None, bytes(12), "0x" + "00" * 12),
        (Type.INT32, None, b"\x01", "0x01"),
    ],
)
def test_bounds_are_readable(kind, logical, raw, text):
    """A bound is shown as a value of its type, and as bytes where it is none."""
    element = SchemaElement(type=kind, repetition_type=REQUIRED, name="x", logicalType=logical)
    (leaf,) = build([SchemaElement(name="schema", num_children=1), element]).leaves()
    assert readable(leaf, raw) == text


def test_a_broken_file_is_shown_as_far_as_it_goes():
    """What stands before the broken part is shown, and the error names rule and place."""
    cut = bytearray(DATA)
    column = inspect(DATA)["row_groups"][0]["columns"][1]
    start = column["pages"][1]["body_range"][0]
    cut[start] = 0xFF
    told = inspect(bytes(cut))
    assert len(told["row_groups"][0]["columns"][1]["pages"]) == 2
    assert len(told["row_groups"][1]["columns"][1]["pages"]) > 2
    (error,) = told["errors"]
    assert error["rule"] == "PQ-RLE-001"
    assert "page" not in inspect(b"PAR1")
    assert inspect(b"PAR1")["errors"][0]["rule"] == "PQ-FILE-001"


@given(st.data())
@settings(max_examples=100, deadline=None, suppress_health_check=list(HealthCheck))
def test_it_never_raises(data):
    """Whatever is done to a file, inspection answers, and with what JSON can hold."""
    raw = bytearray(FAULTS[data.draw(st.sampled_from(sorted(FAULTS)))].near.build())
    for _ in range(data.draw(st.integers(1, 4))):
        raw[data.draw(st.integers(0, len(raw) - 1))] = data.draw(st.integers(0, 255))
    told = inspect(bytes(raw), limits=replace(Limits(), values=1 << 16, page_bytes=1 << 20))
    assert json.loads(json.dumps(told)) == told


class Unsearched(list[int]):
    """A list in which nothing is searched for."""

    def __contains__(self, item):
        """Fail: the search takes as long as the list."""
        raise AssertionError(f"{item} is searched for in a list")


def test_many_row_groups(monkeypatch):
    """Time grows with the number of row groups, not with its square: 60,000 of 2 MB took half a minute."""
    monkeypatch.setattr(opened, "sound_row_groups", lambda *_: Unsearched([0]))
    described = inspect(DATA)
    assert [len(group["columns"]) for group in described["row_groups"]] == [2, 0]
