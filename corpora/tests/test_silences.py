"""What a reader may refuse of a legal table: far moments, and names that differ in case, at any depth."""

from __future__ import annotations

import pytest

from corpora import tagged
from corpora.build.formats import FORMATS
from corpora.build.silences import (
    ALIKE,
    FAR_MOMENTS,
    NOT_OPTIONAL,
    UNNAMED_DICTIONARY,
    alike_names,
    far_moments,
    may_refuse,
    names_alike,
)
from corpora.tagged import DATE, STRING, Table, list_of, map_of, struct_of, timestamp
from reference_impl.orc.file import OrcFile
from reference_impl.orc.plan import Column, FilePlan
from reference_impl.orc.schema import Type, TypeKind
from reference_impl.orc.writer import write
from reference_impl.parquet.file import ParquetFile

MILLIS = timestamp("ms", utc=True)
LAST = 9_223_372_036_854_775  # LAST * 1000 <= 2**63 - 1 < (LAST + 1) * 1000
FIELDS = struct_of([("a", STRING), ("b", MILLIS)])


def of(type_, *values):
    """Return what is said of a column of one type, beside a column of moments that fit."""
    columns = [("early", MILLIS), ("x", type_)]
    return far_moments(Table.of(columns, [["0"] * len(values), list(values)]))


@pytest.mark.parametrize("sign", [1, -1])
def test_the_last_that_fits_and_the_first_that_does_not(sign):
    """The ends of 64-bit microseconds, of both signs, and those of the milliseconds themselves."""
    assert of(MILLIS, None, str(sign * LAST)) == ""
    assert of(MILLIS, None, str(sign * (LAST + 1))) == FAR_MOMENTS
    assert of(MILLIS, "0", str(sign * (2**63 - 1))) == FAR_MOMENTS


@pytest.mark.parametrize(
    ("type_", "value"),
    [
        (list_of(MILLIS), lambda moment: ["1", None, moment]),
        (list_of(FIELDS), lambda moment: [None, [None, None], ["x", moment]]),
        (map_of(MILLIS, STRING), lambda moment: [["1", None], [moment, "x"]]),
        (map_of(STRING, FIELDS), lambda moment: [["a", None], ["b", ["x", moment]]]),
        (FIELDS, lambda moment: ["x", moment]),
    ],
    ids=lambda value: None if callable(value) else str(value),
)
def test_at_any_depth(type_, value):
    """A moment in a list, a map or a struct is one like any other; what is beside it does not count."""
    assert of(type_, None, value(str(-LAST))) == ""
    assert of(type_, None, value(str(-LAST - 1))) == FAR_MOMENTS


def test_other_types_have_no_such_moments():
    """Microseconds and nanoseconds fit by their width, whatever they count; days and texts are none."""
    ends = str(2**63 - 1), str(-(2**63))
    for type_ in (timestamp("us", utc=True), timestamp("ns", utc=False), tagged.integer(64)):
        assert of(type_, *ends) == ""
    assert of(DATE, str(2**31 - 1)) == of(STRING, ends[0]) == ""
    assert of(struct_of([("a", MILLIS), ("b", tagged.integer(64))]), ["0", ends[0]]) == ""


@pytest.mark.parametrize(
    ("names", "reason"),
    [
        (("row", "ROW"), ALIKE),
        (("stra\N{LATIN SMALL LETTER SHARP S}e", "STRASSE"), ALIKE),
        (("row", "rows"), ""),
        (("row", "row"), ""),  # one name twice is another silence
    ],
)
def test_names_that_differ_in_case_only(names, reason):
    """A reader that does not tell case apart may refuse them, as columns and as fields."""
    fields = [(name, STRING) for name in names]
    assert alike_names(Table.of(fields, [["x"], ["y"]])) == reason
    alike = [names[0].casefold()] if reason else []
    assert list(names_alike(Table.of(fields, [["x"], ["y"]]).columns)) == alike
    column = list_of(struct_of(fields))
    assert alike_names(Table.of([("a", column)], [[[["x", "y"]]]])) == reason


@pytest.mark.parametrize(
    ("values", "reason"),
    [((b"x",), ""), ((b"",), NOT_OPTIONAL), ((None,), NOT_OPTIONAL), ((b"", b"x"), "")],
)
def test_streams_that_are_left_out(values, reason):
    """A file whose streams without bytes are left out may be refused only if it has such streams."""
    root = Type(kind=TypeKind.STRUCT, subtypes=(1,), field_names=("x",))
    layout = Column(empty_streams=False)
    plan = FilePlan(
        (root, Type(kind=TypeKind.BINARY)), tuple((one,) for one in values), columns=(layout,) * 2
    )
    assert may_refuse(OrcFile(write(plan))) == reason


@pytest.mark.parametrize(
    ("form", "reason"), [("no-offset", ""), ("in-front", UNNAMED_DICTIONARY), ("crc", "")]
)
def test_dictionaries_without_an_offset(form, reason):
    """A dictionary page at data_page_offset must be read; one in front of it that nothing names need not."""
    file = FORMATS["parquet"].folder / "dictionary" / "int32" / form / "optional.parquet"
    assert may_refuse(ParquetFile(file.read_bytes())) == reason
