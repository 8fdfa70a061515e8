"""What ORC pushdown skips by, and what it must not: absent counts, NaN, zeros, writers that got it wrong."""

from __future__ import annotations

import math
import struct
from dataclasses import replace

import pytest

from reference_impl.errors import UsageError
from reference_impl.orc.file import OrcFile
from reference_impl.orc.plan import Bloom, Column, FilePlan, Index, Statistics
from reference_impl.orc.pushdown import Test, candidates
from reference_impl.orc.schema import Type, TypeKind
from reference_impl.orc.writer import write

NAN = struct.pack("<d", math.nan)
JAVA, CPP, TRINO = 0, 1, 4
ALL = [(0, 4)]
BARE = Column(index=Index(statistics=None), statistics=None)


def plan(kind, values, layout, **more):
    """Return the plan of one column; more than a kind may be given as a Type."""
    type_ = kind if isinstance(kind, Type) else Type(kind=kind)
    root = Type(kind=TypeKind.STRUCT, subtypes=(1,), field_names=("a",))
    made = FilePlan((root, type_), tuple((value,) for value in values), columns=(Column(), layout))
    return replace(made, **{"row_index_stride": 2, **more})


def left(made, operator, *constants, float_order="ieee", using=("statistics", "index", "bloom")):
    """Return the rows that are left of the first stripe."""
    file = OrcFile(write(made))
    test = Test(file.root.children[0], operator, constants, float_order)
    return candidates(file, 0, 1, test, frozenset(using))


def test_row_groups_by_bounds():
    """A row group is left where its bounds admit the constant, and neighbours are one range."""
    made = plan(TypeKind.INT, [1, 2, 3, 4, 5, 6, None], Column())
    assert left(made, "=", 3) == [(2, 4)]
    assert left(made, ">=", 4) == [(2, 6)]
    assert left(made, "!=", 3) == [(0, 6)]
    assert left(made, "in", 1, 6) == [(0, 2), (4, 6)]
    assert left(made, "is null") == [(6, 7)]
    assert left(made, "is not null") == [(0, 6)]
    assert left(made, ">", 6) == []
    assert left(made, "=", None) == [(0, 6)]


@pytest.mark.parametrize("missing", ["count", "has_null", "typed", "bounds"])
def test_what_is_not_told_skips_nothing(missing):
    """A count that is absent is no 0, and nulls of which nothing is said may be there."""
    told = Statistics(**{missing: False})
    made = plan(TypeKind.INT, [1, 2, None, None], Column(index=Index(told), statistics=told))
    wanted = {"count": [(0, 2)], "has_null": ALL, "typed": [(0, 2)], "bounds": [(0, 2)]}
    asked = {"count": ("=", 2), "has_null": ("is null",), "typed": ("=", 9), "bounds": ("=", 9)}
    found = left(made, *asked[missing])
    assert found[:1] == wanted[missing] or found == ALL


def test_no_statistics_at_all():
    """Empty messages mean unknown."""
    made = plan(TypeKind.INT, [1, 2, 3, 4], BARE)
    for test in (("=", 9), ("is null",), ("is not null",), ("<", 0)):
        assert left(made, *test) == ALL
    made = replace(made, file_statistics=False, stripe_statistics=False, row_index_stride=0)
    assert left(made, "=", 9) == ALL


def test_row_groups_that_only_the_footer_counts():
    """As many row groups as a footer says, and no stream shows, cost nothing, and skip nothing."""
    made = replace(plan(TypeKind.INT, [1, 2, 3], BARE), file_statistics=False, row_index_stride=0)
    file = OrcFile(write(made))
    rows = 1 << 60
    file.footer.row_index_stride = 1
    file.footer.stripes[0].number_of_rows = rows
    for operator, constants in (("=", (9,)), ("is null", ())):
        test = Test(file.root.children[0], operator, constants, "ieee")
        assert candidates(file, 0, 1, test) == [(0, rows)]


def test_nan_may_match():
    """Where the sum does not rule NaN out, what it matches is left: != always, > where it is the greatest."""
    for values, told in (([1.0, NAN, 1.0, 1.0], Statistics()), ([1.0] * 4, Statistics(sum=False))):
        made = plan(TypeKind.DOUBLE, values, Column(index=Index(told), statistics=told))
        assert left(made, "!=", 1.0)[0] == (0, 2) or left(made, "!=", 1.0) == ALL
        assert left(made, ">", 5.0, float_order="nan-greatest")[0][0] == 0
    made = plan(TypeKind.DOUBLE, [1.0] * 4, Column())
    assert left(made, "!=", 1.0) == []
    assert left(made, "=", NAN, float_order="nan-greatest") == ALL


def test_zeros():
    """Both zeros are one value in IEEE order, and two in total order, where bounds of zero are of either."""
    made = plan(TypeKind.DOUBLE, [-0.0, -0.0, 1.0, 1.0], Column(bloom=Bloom(words=16)))
    assert left(made, "=", 0.0) == [(0, 2)]
    assert left(made, "=", 0.0, using=("bloom",)) == [(0, 2)]
    assert left(made, "<", 0.0) == []
    assert left(made, "<", 0.0, float_order="total") == [(0, 2)]


def test_prefixes():
    """What starts so is left, also where bounds were shortened."""
    told = Statistics(truncate=2)
    layout = Column(index=Index(told), statistics=told)
    made = plan(TypeKind.STRING, [b"aaaa", b"aabb", b"abcc", b"b"], layout)
    assert left(made, "starts-with", b"aab") == [(0, 2)]
    assert left(made, "starts-with", b"abc") == [(2, 4)]
    assert left(made, "=", b"aabb") == [(0, 2)]
    assert left(made, "starts-with", b"c") == []


@pytest.mark.parametrize(
    ("kind", "one", "other", "right"),
    [
        (TypeKind.STRING, b"a", b"z", 1),
        (TypeKind.DATE, 1, 9, 1),
        (Type(kind=TypeKind.DECIMAL, precision=38), 1, 9, 4),
        (Type(kind=TypeKind.DECIMAL, precision=18), 1, 9, 7),
        (TypeKind.TIMESTAMP, (1, 0), (9, 0), 6),
        (TypeKind.TIMESTAMP_INSTANT, (1, 0), (9, 0), 6),
    ],
)
def test_writers_that_got_bounds_wrong(kind, one, other, right):
    """Bounds of Java's versions before a fix skip nothing; those of other writers do."""
    made = plan(kind, [one] * 4, Column())
    assert left(replace(made, writer=JAVA, writer_version=right - 1), "=", other) == ALL
    assert left(replace(made, writer=None, writer_version=right - 1), "=", other) == ALL
    assert left(replace(made, writer=JAVA, writer_version=right), "=", other) == []
    assert left(replace(made, writer=TRINO, writer_version=6), "=", other) == []


def test_integers_are_right_from_the_first():
    """Bounds of integers and floats are right in all versions."""
    for kind, one, other in ((TypeKind.LONG, 1, 2), (TypeKind.DOUBLE, 1.0, 2.0)):
        assert left(plan(kind, [one] * 4, Column(), writer_version=0), "=", other) == []


OLD = Bloom(words=16, utf8=False, original=True)
CHAR = Type(kind=TypeKind.CHAR, maximum_length=1)
DECIMAL = Type(kind=TypeKind.DECIMAL, precision=10)


@pytest.mark.parametrize(
    ("kind", "value", "other", "bloom", "more", "used"),
    [
        (TypeKind.INT, 1, 2, Bloom(words=16), {}, True),
        (TypeKind.INT, 1, 2, OLD, {}, True),
        (TypeKind.STRING, b"a", b"b", Bloom(words=16), {}, True),
        (TypeKind.STRING, b"a", b"b", OLD, {}, True),
        (TypeKind.STRING, b"a", b"b", OLD, {"writer_version": 2}, False),
        (TypeKind.STRING, b"a", b"b", OLD, {"writer_version": 2, "writer": TRINO}, True),
        (DECIMAL, 1, 2, Bloom(words=16), {}, True),
        (DECIMAL, 1, 2, OLD, {}, False),
        (TypeKind.TIMESTAMP, (1, 0), (2, 0), Bloom(words=16), {}, True),
        (TypeKind.TIMESTAMP, (1, 0), (2, 0), Bloom(words=16, encoding=None), {}, False),
        (TypeKind.TIMESTAMP, (1, 0), (2, 0), Bloom(words=16, encoding=2), {}, False),
        (TypeKind.TIMESTAMP, (1, 0), (2, 0), OLD, {}, False),
        (TypeKind.INT, 1, 2, Bloom(words=16, encoding=2), {}, False),
        (TypeKind.INT, 1, 2, Bloom(words=16), {"writer": CPP, "software_version": None}, False),
        (TypeKind.INT, 1, 2, Bloom(words=16), {"writer": CPP, "software_version": "1.6.11"}, False),
        (TypeKind.INT, 1, 2, Bloom(words=16), {"writer": CPP, "software_version": "1.6.12"}, True),
        (TypeKind.INT, 1, 2, Bloom(words=16), {"writer": CPP, "software_version": "1.7.0"}, False),
        (TypeKind.INT, 1, 2, Bloom(words=16), {"writer": CPP, "software_version": "2.1.0"}, True),
        (TypeKind.BYTE, 1, 2, Bloom(words=16), {"writer": CPP, "software_version": "2.1.0"}, False),
        (TypeKind.BYTE, 1, 2, Bloom(words=16), {}, True),
        (CHAR, b"a", b"b", Bloom(words=16), {"writer": CPP, "software_version": "2.1.0"}, False),
        (CHAR, b"a", b"b", Bloom(words=16), {}, True),
    ],
)
def test_bloom_filters(kind, value, other, bloom, more, used):  # noqa: PLR0917 - by name
    """A filter skips what it does not hold, unless its kind, encoding or writer is not to be relied on."""
    made = plan(kind, [value] * 4, replace(BARE, bloom=bloom), **more)
    assert left(made, "=", value) == ALL
    assert left(made, "=", other) == ([] if used else ALL)
    assert left(made, "in", other, value) == ALL
    assert left(made, "!=", value) == ALL


def test_texts_with_a_zero_byte():
    """C++ compares no further than a zero byte: other values may lie beyond a bound that has one."""
    values = [b"\0b", b"\0b", b"c", b"c"]
    for writer, rows in ((CPP, [(0, 2)]), (TRINO, [])):
        written = plan(TypeKind.STRING, values, Column(), writer=writer)
        assert left(written, "=", b"\0a") == rows
        assert left(written, "=", b"b") == rows
        assert left(written, "=", b"d") == []


def test_nested():
    """A field is null where its struct is, whatever is said of itself; below a list nothing is skipped."""
    types = (
        Type(kind=TypeKind.STRUCT, subtypes=(1, 3), field_names=("s", "l")),
        Type(kind=TypeKind.STRUCT, subtypes=(2,), field_names=("a",)),
        Type(kind=TypeKind.INT),
        Type(kind=TypeKind.LIST, subtypes=(4,)),
        Type(kind=TypeKind.INT),
    )
    rows = (((1,), [1]), ((2,), [2]), (None, None), ((4,), []))
    file = OrcFile(write(FilePlan(types, rows, row_index_stride=2)))
    nodes = list(file.root.walk())
    assert candidates(file, 0, 2, Test(nodes[2], "is null", [], "ieee")) == [(2, 4)]
    assert candidates(file, 0, 2, Test(nodes[2], "=", [4], "ieee")) == [(2, 4)]
    assert candidates(file, 0, 4, Test(nodes[4], "=", [9], "ieee")) == ALL


def test_misuse():
    """Stripes, columns and tests that there are not are refused."""
    file = OrcFile(write(plan(TypeKind.INT, [1], Column())))
    node = file.root.children[0]
    with pytest.raises(UsageError, match="no stripe 1"):
        candidates(file, 1, 1, Test(node, "=", [1], "ieee"))
    with pytest.raises(UsageError, match="no column 2"):
        candidates(file, 0, 2, Test(node, "=", [1], "ieee"))
    with pytest.raises(UsageError, match="no test"):
        Test(node, "=", [], "ieee")
