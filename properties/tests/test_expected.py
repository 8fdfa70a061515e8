from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from corpora import tagged
from corpora.build import expected
from properties.strategies import contents, schemas
from reference_impl.parquet.plan import FilePlan
from reference_impl.parquet.schema import ConvertedType, FieldRepetitionType, SchemaElement, Type
from reference_impl.parquet.shred import shred
from reference_impl.parquet.tree import build

REQUIRED, OPTIONAL, REPEATED = FieldRepetitionType
LIST, MAP = ConvertedType.LIST, ConvertedType.MAP
INT = tagged.integer(32)


def leaf(name, repetition, type_=Type.INT32, converted=None):
    """Return a leaf column."""
    return [SchemaElement(name=name, repetition_type=repetition, type=type_, converted_type=converted)]


def group(name, repetition, *children, converted=None):
    """Return a group."""
    head = SchemaElement(
        name=name, repetition_type=repetition, num_children=len(children), converted_type=converted
    )
    return [head, *(element for child in children for element in child)]


def table(field, *values):
    """Return the expected table of one column."""
    schema = (SchemaElement(name="schema", num_children=1), *field)
    return expected.table(FilePlan(schema, tuple({field[0].name: value} for value in values)))


struct_x = tagged.struct_of([("x", INT)])
CASES = [
    (leaf("v", REPEATED), [1, 2], tagged.list_of(INT), ["1", "2"]),
    (
        group("v", OPTIONAL, group("list", REPEATED, leaf("element", OPTIONAL)), converted=LIST),
        {"list": [{"element": 1}, {"element": None}]},
        tagged.list_of(INT),
        ["1", None],
    ),
    (group("v", OPTIONAL, leaf("x", REPEATED), converted=LIST), {"x": [1]}, tagged.list_of(INT), ["1"]),
    (
        group("v", OPTIONAL, group("array", REPEATED, leaf("x", OPTIONAL)), converted=LIST),
        {"array": [{"x": 1}]},
        tagged.list_of(struct_x),
        [["1"]],
    ),
    (
        group("v", OPTIONAL, group("v_tuple", REPEATED, leaf("x", REQUIRED)), converted=LIST),
        {"v_tuple": [{"x": 1}]},
        tagged.list_of(struct_x),
        [["1"]],
    ),
    (
        group("v", OPTIONAL, group("list", REPEATED, leaf("x", REPEATED)), converted=LIST),
        {"list": [{"x": [1, 2]}]},
        tagged.list_of(tagged.struct_of([("x", tagged.list_of(INT))])),
        [[["1", "2"]]],
    ),
    (
        group("v", OPTIONAL, group("e", REPEATED, leaf("x", REQUIRED), leaf("y", OPTIONAL)), converted=LIST),
        {"e": [{"x": 1, "y": None}]},
        tagged.list_of(tagged.struct_of([("x", INT), ("y", INT)])),
        [["1", None]],
    ),
    (
        group("v", OPTIONAL, group("m", REPEATED, leaf("k", REQUIRED), leaf("w", OPTIONAL)), converted=MAP),
        {"m": [{"k": 1, "w": None}]},
        tagged.map_of(INT, INT),
        [["1", None]],
    ),
    (
        group("v", OPTIONAL, group("m", REPEATED, leaf("k", REQUIRED)), converted=MAP),
        {"m": [{"k": 1}]},
        tagged.map_of(INT, tagged.NULL),
        [["1", None]],
    ),
    (
        leaf("v", REQUIRED, Type.INT32, ConvertedType.UINT_32),
        -1,
        tagged.integer(32, signed=False),
        "4294967295",
    ),
    (leaf("v", REQUIRED, Type.FLOAT), b"\x01\x00\xc0\x7f", tagged.floating(32), "7fc00001"),
    (leaf("v", REQUIRED, Type.DOUBLE), -0.0, tagged.floating(64), "8000000000000000"),
    (
        leaf("v", REQUIRED, Type.INT96),
        bytes(8) + (2_440_589).to_bytes(4, "little"),
        tagged.INT96,
        str(86_400 * 10**9),
    ),
]


@pytest.mark.parametrize(("field", "value", "type_", "wanted"), CASES)
def test_a_value_is_tagged_as_its_type_says(field, value, type_, wanted):
    """Each form of a field has the type and the value that LogicalTypes.md gives it."""
    made = table(field, value)
    assert made.columns[0].type == type_
    assert made.column(0) == [wanted]


def test_null_and_empty_lists_differ():
    """A null list, an empty list and a list of a null are distinct."""
    field = CASES[1][0]
    values = (None, {"list": []}, {"list": [{"element": None}]})
    assert table(field, *values).column(0) == [None, [], [None]]


@pytest.mark.parametrize(
    ("sizes", "wanted"), [(None, [range(3)]), ((1, 0, 2), [range(1), range(1, 1), range(1, 3)])]
)
def test_row_groups_name_their_rows(sizes, wanted):
    """Row groups list the ordinals of their rows."""
    schema = (SchemaElement(name="schema", num_children=1), *leaf("v", REQUIRED))
    plan = FilePlan(schema, tuple({"v": at} for at in range(3)), row_groups=sizes)
    assert expected.row_groups(plan) == wanted


@given(st.data())
@settings(max_examples=60, deadline=None)
def test_rows_fit_their_schema(data):
    """Rows of any schema can be shredded, and their table survives JSON."""
    schema = schemas.schema(data.draw(st.lists(schemas.fields(), max_size=3)))
    nodes = build(list(schema)).children
    rows = contents.rows(nodes, [data.draw(contents.contents(node)) for node in nodes[1:]], 100)
    shred(build(list(schema)), rows)
    made = expected.table(FilePlan(schema, rows))
    assert tagged.Table.from_json(made.to_json()).num_rows == len(rows)
    assert made.column(0) == [str(at) for at in range(len(rows))]
