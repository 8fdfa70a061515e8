"""Reading some rows: only the pages that hold them, and never other rows than those that were asked for."""

from __future__ import annotations

import pytest

from reference_impl.columns import to_python
from reference_impl.errors import LimitExceeded, Malformed, UsageError
from reference_impl.limits import Limits
from reference_impl.parquet.file import ParquetFile
from reference_impl.parquet.plan import Column, Dictionary, FilePlan, Index, Page
from reference_impl.parquet.pushdown import Test, candidates
from reference_impl.parquet.ranges import read_ranges
from reference_impl.parquet.schema import Encoding, SchemaElement, Type
from reference_impl.parquet.tamper import Tamper
from reference_impl.parquet.tree import OPTIONAL, REPEATED, REQUIRED
from reference_impl.parquet.writer import write


def schema(repetition=OPTIONAL):
    """Columns `row` and `x` of INT32."""
    return (
        SchemaElement(name="schema", num_children=2),
        SchemaElement(type=Type.INT32, repetition_type=REQUIRED, name="row"),
        SchemaElement(type=Type.INT32, repetition_type=repetition, name="x"),
    )


def left(file, number):
    """The ranges that are left of the first row group by `x = number`."""
    return candidates(file, 0, 1, Test(file.leaves[1], "=", [number.to_bytes(4, "little")], "ieee"))


@pytest.mark.parametrize("ranges", [[(0, 9)], [(2, 1)], [(2, 3), (1, 2)], [(-1, 1)]])
def test_ranges_that_are_none(ranges):
    """Ranges that are not ascending, or not in the row group, are refused."""
    rows = tuple({"row": row, "x": row} for row in range(3))
    file = ParquetFile(write(FilePlan(schema(), rows)))
    with pytest.raises(UsageError):
        read_ranges(file, 0, ranges)


class Shifted(Tamper):
    """Pages of an offset index that begin at other rows."""

    def __init__(self, *firsts):
        self.firsts = firsts

    def offset_index(self, place, index):
        """Change the second column."""
        if place.leaf == 1:
            for location, first in zip(index.page_locations, self.firsts, strict=True):
                location.first_row_index = first
        return index


def test_page_without_a_row():
    """It is noted, and read past, wherever it stands; a strict reader refuses it (PQ-INDEX-033)."""
    rows = tuple({"row": row, "x": row} for row in range(5))
    for pages in ((Page(0), Page(2), Page()), (Page(2), Page(0), Page(0), Page())):
        data = write(FilePlan(schema(), rows, (Column(), Column(pages, index=Index()))))
        file = ParquetFile(data)
        assert to_python(read_ranges(file, 0, [(1, 3)]).columns[1]) == [1, 2]
        assert [breach.rule for breach in file.notes] == ["PQ-INDEX-033"]
        with pytest.raises(Malformed, match="PQ-INDEX-033"):
            read_ranges(ParquetFile(data, strict=True), 0, [(1, 3)])


@pytest.mark.parametrize(
    "firsts", [(1, 2, 4), (0, 4, 2), (0, 0, 2), (0, 0, 4), (0, 1, 4), (0, 2, 7), (0, 3, 4)]
)
def test_offset_index_that_lies(firsts):
    """Where pages do not begin at the rows that they are said to, reading refuses, and never shifts."""
    column = Column((Page(2),), index=Index())
    rows = tuple({"row": row, "x": row} for row in range(6))
    plan = FilePlan(schema(), rows, (Column(), column))
    file = ParquetFile(write(plan, Shifted(*firsts)))
    with pytest.raises(Malformed):
        read_ranges(file, 0, [(0, 6)])
    with pytest.raises(Malformed):
        read_ranges(file, 0, [(0, 1)])
    if list(firsts) != sorted({0, *firsts}) or firsts[-1] > 5:
        assert left(file, 0) == [(0, 6)]
    assert to_python(read_ranges(ParquetFile(write(plan)), 0, [(3, 6)]).columns[1]) == [3, 4, 5]


class Continued(Tamper):
    """The second page continues the row of the first."""

    def section(self, place, name, data):
        """Change the second page of the second column."""
        return b"\2\0\0\0\x04\1" if name == "repetition" and place.page == 1 and place.leaf else data


def test_page_inside_a_row():
    """With an offset index, "pages must begin on row boundaries"."""
    rows = tuple({"row": row, "x": [1, 2]} for row in range(2))
    column = Column((Page(2),), index=Index())
    plan = FilePlan(schema(REPEATED), rows, (Column(), column))
    with pytest.raises(Malformed, match="begin with a row"):
        read_ranges(ParquetFile(write(plan, Continued())), 0, [(0, 2)])


class Broken(Tamper):
    """A dictionary page with a byte changed, under the CRC of the right one."""

    def page(self, place, data):
        """Change the dictionary."""
        return data[:-1] + bytes([data[-1] ^ 1]) if place.page == -1 else data


def test_damaged_dictionary():
    """A dictionary whose CRC does not match rules nothing out: reading must refuse it."""
    pages = (Page(None, Encoding.RLE_DICTIONARY),)
    column = Column(pages, dictionary=Dictionary(crc=True))
    plan = FilePlan(schema(), ({"row": 0, "x": 1},), (Column(), column))
    assert left(ParquetFile(write(plan)), 7) == []
    file = ParquetFile(write(plan, Broken()))
    assert left(file, 7) == [(0, 1)]
    with pytest.raises(Malformed, match="CRC"):
        read_ranges(file, 0, [(0, 1)])


def test_limits_hold_over_the_pages_of_ranges():
    """The values of all pages that ranges need count, as those of a whole column do."""
    rows = tuple({"row": row, "x": row} for row in range(10))
    data = write(FilePlan(schema(REQUIRED), rows, (Column((Page(5), Page()), index=Index()),) * 2))
    for limits, is_within in (
        (Limits(column_bytes=40), True),
        (Limits(column_bytes=39), False),
        (Limits(values=9), False),
    ):
        file = ParquetFile(data, limits=limits)
        if is_within:
            assert read_ranges(file, 0, [(0, 10)]).num_rows == 10
            continue
        with pytest.raises(LimitExceeded):
            read_ranges(file, 0, [(0, 10)])


class Counted(list[tuple[int, int]]):
    """A list that counts how often it is walked."""

    walks = 0

    def __iter__(self):
        """Count the walk."""
        self.walks += 1
        return super().__iter__()


def test_many_ranges_of_many_pages():
    """Time does not grow with pages times ranges: every other row of 10,000 pages took 39 seconds."""
    rows = tuple({"row": row, "x": row} for row in range(100))
    column = Column((Page(1),), index=Index())
    file = ParquetFile(write(FilePlan(schema(), rows, (column, column))))
    ranges = Counted((row, row + 1) for row in range(0, 100, 2))
    table = read_ranges(file, 0, ranges)
    assert [to_python(column) for column in table.columns] == [list(range(0, 100, 2))] * 2
    assert ranges.walks < 20
