"""The summary of an ORC file names what its statistics and row indexes do not say."""

from __future__ import annotations

from dataclasses import replace

import pytest

from reference_impl.orc.file import OrcFile
from reference_impl.orc.plan import Chunks, Column, Empty, FilePlan, Index, Present, Statistics
from reference_impl.orc.schema import CompressionKind, StringPair, Type, TypeKind
from reference_impl.orc.summary import summarize, summarize_columns
from reference_impl.orc.writer import write
from reference_impl.tests.orc_plans import of_values, with_columns

INT, BYTES = Type(kind=TypeKind.INT), Type(kind=TypeKind.BINARY)
LACKS = {"no_counts", "no_bounds", "no_row_index", "high_characters", "early_fraction"}


def flags(type_, values, layout, **choices):
    """Return what the summary says is not there; the root is as usual."""
    plan = with_columns(of_values(type_, values, row_index_stride=2, **choices), Column(), layout)
    return LACKS & set(summarize(OrcFile(write(plan)))["flags"])


@pytest.mark.parametrize(
    ("layout", "missing"),
    [
        (Column(), set()),
        (Column(statistics=Statistics(count=False)), {"no_counts"}),
        (Column(statistics=Statistics(bounds=False)), {"no_bounds"}),
        (Column(statistics=Statistics(typed=False)), {"no_bounds"}),
        (Column(statistics=None), {"no_counts", "no_bounds"}),
        (Column(index=Index(Statistics(count=False))), {"no_counts"}),
        (Column(index=Index(Statistics(bounds=False))), {"no_bounds"}),
        (Column(index=Index(None)), {"no_counts", "no_bounds"}),
        (Column(index=None), {"no_row_index"}),
    ],
)
def test_what_is_missing_is_named(layout, missing):
    """Statistics of the file, of a stripe, or of a row group: what one of them lacks is a flag."""
    assert flags(INT, [1, 2, None, 4, 5], layout) == missing


def test_no_bounds_are_missed():
    """Nobody misses bounds of a type without an order, nor of nulls."""
    assert flags(BYTES, [b"1", b"2", b"3"], Column()) == set()
    assert flags(INT, [None] * 5, Column()) == set()


def test_high_characters():
    """Text from U+E000 on in a bound is a flag, and below it is none."""
    text = Type(kind=TypeKind.STRING)
    assert flags(text, [b"a", "\uffff".encode()], Column()) == {"high_characters"}
    assert flags(text, ["\U0001f600".encode()], Column()) == {"high_characters"}
    assert flags(text, [b"a", "\ud7ff".encode()], Column()) == set()


@pytest.mark.parametrize(
    ("moment", "found"),
    [((-2, 999_000_000), {"early_fraction"}), ((-2, 0), set()), ((0, 1_000_000), set())],
)
def test_a_fraction_before_1970(moment, found):
    """A bound of timestamps with a fraction of a second is a flag where it is before 1970."""
    assert flags(Type(kind=TypeKind.TIMESTAMP), [moment], Column()) == found


def test_no_row_index_is_missed():
    """A file without row groups has no row index, and lacks none."""
    plan = of_values(INT, [1, 2, 3], row_index_stride=0)
    assert not LACKS & set(summarize(OrcFile(write(plan)))["flags"])


@pytest.mark.parametrize(("names", "is_flag"), [(("a", "b"), False), (("a", "A"), False), (("a", "a"), True)])
def test_a_name_of_two_fields(names, is_flag):
    """A struct with two fields of one name is a flag; names that differ in case are two."""
    types = (Type(kind=TypeKind.STRUCT, subtypes=(1, 2), field_names=names), INT, INT)
    plan = FilePlan(types, ((1, 2),), columns=(Column(),) * 3)
    assert ("names_twice" in summarize(OrcFile(write(plan)))["flags"]) == is_flag


@pytest.mark.parametrize(("key", "there"), [("spark.sql.catalyst.type", True), ("iceberg.id", False)])
def test_types_that_spark_keeps_are_named(key, there):
    """An attribute of Spark says that it reads the column as another type; other attributes do not."""
    type_ = replace(INT, attributes=(StringPair(key=key, value="interval year"),))
    flags_of = summarize(OrcFile(write(of_values(type_, [1]))))["flags"]
    assert ("spark_types" in flags_of) is there
    assert "attributes" in flags_of


def test_a_summary_of_columns_leaves_out_the_others():
    """Of a column it has its type, encoding, streams and statistics alone, at any depth."""
    text = Type(kind=TypeKind.STRING)
    types = (
        Type(kind=TypeKind.STRUCT, subtypes=(1, 3), field_names=("a", "b")),
        Type(kind=TypeKind.LIST, subtypes=(2,)),
        INT,
        text,
    )
    no_bounds = Column(statistics=Statistics(bounds=False))
    rows = ([1, None], b"x"), (None, b"y")
    plan = FilePlan(types, rows, columns=(Column(), Column(), Column(), no_bounds))
    opened = OrcFile(write(plan))
    of_a, of_b = (summarize_columns(opened, {name}) for name in "ab")
    assert (of_a["types"], of_a["streams"], of_a["flags"]) == (["INT", "LIST"], ["PRESENT"], [])
    assert (of_b["types"], of_b["streams"], of_b["flags"]) == (["STRING"], [], ["no_bounds"])
    assert not of_a["codecs"]
    whole = summarize(opened)
    assert set(whole["encodings"]) == {*of_a["encodings"], *of_b["encodings"]}
    assert not any(summarize_columns(opened, {"c"}).values())


@pytest.mark.parametrize("name", ["root", "a", "b"])
def test_a_summary_of_a_column_has_the_empty_chunks_of_the_root(name):
    """Without a row of the root, there is no value of a column: an empty chunk there counts for each."""
    types = (Type(kind=TypeKind.STRUCT, subtypes=(1, 2), field_names=("a", "b")), INT, INT)
    hollow = Column(present=Present.ALWAYS, chunks=Chunks(empty=Empty.FIRST))
    columns = tuple(hollow if each == name else Column() for each in ("root", "a", "b"))
    plan = FilePlan(types, ((1, 2),), columns=columns, compression=CompressionKind.ZLIB)
    opened = OrcFile(write(plan))
    hollow_columns = {each for each in "ab" if "empty_chunk" in summarize_columns(opened, {each})["flags"]}
    assert hollow_columns == ({"a", "b"} if name == "root" else {name})
    assert "empty_chunk" in summarize(opened)["flags"]
