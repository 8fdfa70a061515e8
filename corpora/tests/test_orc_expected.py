"""What a plan of an ORC file means, value by value, as a person would write it."""

from __future__ import annotations

import pytest

from corpora import tagged
from corpora.build import orc_expected
from reference_impl.orc.plan import FilePlan
from reference_impl.orc.schema import Type, TypeKind

K = TypeKind


def one(type_, value, *below):
    """Return type and value of the only cell of a table with a column `x`."""
    types = (Type(kind=K.STRUCT, subtypes=(1,), field_names=("x",)), type_, *below)
    table = orc_expected.table(FilePlan(types, ((value,), (None,))))
    (block,) = table.blocks()
    assert block[0][1] is None
    assert table.columns[0].name == "x"
    return table.columns[0].type, block[0][0]


@pytest.mark.parametrize(
    ("type_", "value", "tagged_type", "tagged_value"),
    [
        (Type(kind=K.BOOLEAN), True, tagged.BOOL, True),
        (Type(kind=K.BYTE), -5, tagged.integer(8), "-5"),
        (Type(kind=K.LONG), 2**40, tagged.integer(64), str(2**40)),
        (Type(kind=K.FLOAT), 1.0, tagged.floating(32), "3f800000"),
        (Type(kind=K.DOUBLE), b"\x01\x00\x00\x00\x00\x00\xf8\x7f", tagged.floating(64), "7ff8000000000001"),
        (Type(kind=K.CHAR, maximum_length=4), b"ab  ", tagged.STRING, "ab  "),
        (Type(kind=K.STRING), b"\xff", tagged.STRING, "\udcff"),
        (Type(kind=K.BINARY), b"\xff", tagged.BYTES, "ff"),
        (Type(kind=K.GEOMETRY), b"\x01", tagged.Type("geometry"), "01"),
        (Type(kind=K.DATE), -1, tagged.DATE, "-1"),
        (Type(kind=K.DECIMAL, precision=5, scale=2), -7, tagged.decimal(5, 2), "-7"),
        (Type(kind=K.DECIMAL, precision=5, scale=2), (-7, 0), tagged.decimal(5, 2), "-700"),
        (Type(kind=K.DECIMAL, precision=5, scale=2), (-7000, 4), tagged.decimal(5, 2), "-70"),
        (Type(kind=K.TIMESTAMP), (-1, 999), tagged.timestamp("ns", utc=False), "-999999001"),
        (Type(kind=K.TIMESTAMP_INSTANT), (1, 5), tagged.timestamp("ns", utc=True), "1000000005"),
        (Type(kind=K.STRUCT), (), tagged.struct_of([]), []),
    ],
)
def test_leaves(type_, value, tagged_type, tagged_value):
    """Each type has the tagged one, and values keep all there is to them."""
    assert one(type_, value) == (tagged_type, tagged_value)


def test_nested():
    """Lists, maps, structs and unions nest, nulls at every level."""
    number, text = Type(kind=K.INT), Type(kind=K.STRING)
    small, string = tagged.integer(32), tagged.STRING
    found = one(Type(kind=K.LIST, subtypes=(2,)), [1, None], number)
    assert found == (tagged.list_of(small), ["1", None])
    found = one(Type(kind=K.MAP, subtypes=(2, 3)), [(b"a", None), (b"a", 2)], text, number)
    assert found == (tagged.map_of(string, small), [["a", None], ["a", "2"]])
    found = one(Type(kind=K.STRUCT, subtypes=(2,), field_names=("f",)), (None,), number)
    assert found == (tagged.struct_of([("f", small)]), [None])
    found = one(Type(kind=K.UNION, subtypes=(2, 3)), (1, b"u"), number, text)
    assert found == (tagged.union_of([small, string]), ["1", "u"])


def test_root():
    """A root that is no struct is a column without a name; a root that is null is null in all columns."""
    table = orc_expected.table(FilePlan((Type(kind=K.INT),), (1, None)))
    assert (table.columns[0].name, next(table.blocks())) == ("", [["1", None]])
    types = (Type(kind=K.STRUCT, subtypes=(1,), field_names=("x",)), Type(kind=K.INT))
    assert next(orc_expected.table(FilePlan(types, ((1,), None))).blocks()) == [["1", None]]


def test_places():
    """Row groups begin anew with each stripe; an empty stripe has none, a file without rows no stripe."""
    types = (Type(kind=K.INT),)
    found = FilePlan(types, tuple(range(7)), stripes=(4, 0, 3), row_index_stride=3)
    assert orc_expected.stripes(found) == [range(4), range(4, 4), range(4, 7)]
    assert orc_expected.row_groups(found) == [[range(3), range(3, 4)], [], [range(4, 7)]]
    assert orc_expected.row_groups(FilePlan(types, (1, 2), row_index_stride=0)) == [[range(2)]]
    assert orc_expected.stripes(FilePlan(types)) == []
