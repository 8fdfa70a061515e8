"""A column in another form of Arrow has the same values, whatever a writer then makes of it."""

import random

import pyarrow as pa
import pytest

from corpora.tagged import (
    BYTES,
    STRING,
    Table,
    decimal,
    floating,
    integer,
    list_of,
    map_of,
    struct_of,
    timestamp,
)
from harness.engines import arrow_forms
from harness.engines.arrow import c_interface
from harness.engines.arrow.build import to_arrow
from harness.engines.registry import ENGINES
from harness.runs.pipeline.drawn import writer_of


@pytest.mark.parametrize(
    ("type_", "values", "behind"),
    [
        (struct_of([("a", STRING), ("b", integer(32))]), [None, [None, "1"], ["x", None]], ["x", "1"]),
        (list_of(integer(32)), [[], None, ["1", None]], ["1", None]),
        (map_of(STRING, integer(32)), [None, [["k", "1"]]], [["k", "1"]]),
    ],
    ids=str,
)
def test_values_behind_nulls(type_, values, behind):
    """A null gets the values of another row, which show where its validity is taken away, and only there."""
    table = Table.of([("row", integer(32)), ("x", type_)], [["1"] * len(values), values])
    names = {"pa": pa, "table": to_arrow(table)}
    exec("\n".join(arrow_forms.statements(table, {arrow_forms.HIDDEN: {"columns": ["x"]}})), names)
    assert c_interface.read(names["table"]).column(1) == values
    column = names["table"].column(1).chunk(0)
    is_struct = type_.kind == "struct"
    buffers = [None] if is_struct else [None, column.buffers()[1]]
    children = [column.field(at) for at in range(2)] if is_struct else [column.values]
    shown = pa.Array.from_buffers(column.type, len(column), buffers, children=children)
    read = c_interface.read(pa.table({"x": shown})).column(0)
    assert read == [behind if value is None else value for value in values]


@pytest.mark.parametrize(
    ("form", "indices", "values"),
    [
        (arrow_forms.TWICE, [0, 2, None, None, 1, 3], ["a", "b", "a", "b"]),
        (arrow_forms.WITH_NULL, [0, 0, None, 2, 1, 1], ["a", "b", None]),
    ],
)
def test_forms_of_dictionaries(form, indices, values):
    """Every other row refers to the second place of its value, or every other null to a null."""
    table = Table.of([("x", STRING)], [["a", "a", None, None, "b", "b"]])
    names = {"pa": pa, "table": to_arrow(table)}
    exec("\n".join(arrow_forms.statements(table, {form: {"columns": ["x"]}})), names)
    column = names["table"].column(0).chunk(0)
    assert (column.indices.to_pylist(), column.dictionary.to_pylist()) == (indices, values)
    assert column.to_pylist() == ["a", "a", None, None, "b", "b"]


@pytest.mark.parametrize(
    ("form", "type_", "values", "expected"),
    [
        (arrow_forms.VIEW, STRING, ["a", None], "string_view"),
        (arrow_forms.VIEW, BYTES, ["00", None], "binary_view"),
        (arrow_forms.LIST_VIEW, list_of(integer(32)), [["1", "2"], None, [], ["3"]], "list_view<"),
        (arrow_forms.PARTS, STRING, ["a", "a", "b", None, "b"], "dictionary<"),
        (arrow_forms.PARTS, STRING, [], "dictionary<"),
        (arrow_forms.INNER, list_of(STRING), [["a", None, "a"], None, [], ["b"]], "list<item: dictionary<"),
        (arrow_forms.RUN_ENDS, integer(32), ["1", "1", None, None, "2"], "run_end_encoded<"),
        (arrow_forms.RUN_ENDS, STRING, [], "run_end_encoded<"),
        (arrow_forms.RUN_ENDS, floating(64), ["8000000000000000", "0000000000000000"], "run_end_encoded<"),
        (arrow_forms.FIXED, list_of(STRING), [None, ["a", None], ["b", "c"]], "fixed_size_list<"),
        (arrow_forms.FIXED, list_of(STRING), [None, None], "fixed_size_list<"),
        (arrow_forms.TWICE, STRING, [None, None], "dictionary<"),
        (arrow_forms.WITH_NULL, BYTES, [None, None, None], "dictionary<"),
    ],
    ids=str,
)
def test_forms_of_arrow(form, type_, values, expected):
    """A column in another form of Arrow has the same values."""
    table = Table.of([("x", type_)], [values])
    names = {"pa": pa, "table": to_arrow(table)}
    plain_values = names["table"].column(0).to_pylist()
    exec("\n".join(arrow_forms.statements(table, {form: {"columns": ["x"]}})), names)
    assert str(names["table"].schema.field(0).type).startswith(expected)
    assert names["table"].column(0).to_pylist() == plain_values


def test_a_column_has_one_form():
    """The first of the forms that all engines share is taken, before an own form of the engine."""
    chosen = {"view": {"columns": ["a"]}, "dictionary_twice": {"columns": ["a"]}}
    assert arrow_forms.own_forms({"a": "large_string", "b": "large_string"}, chosen) == {"b": "large_string"}
    lines = arrow_forms.statements(Table.of([("a", STRING)], [["x"]]), chosen)
    assert sum(line.startswith("table = ") for line in lines) == 1


def test_an_instant_in_another_zone():
    """It is the same instant."""
    table = Table.of([("x", timestamp("us", utc=True))], [["1", None]])
    names = {"pa": pa, "table": to_arrow(table)}
    exec("\n".join(arrow_forms.statements(table, {arrow_forms.ZONE: {"columns": ["x"]}})), names)
    assert names["table"].schema.field(0).type == pa.timestamp("us", "Asia/Kolkata")
    assert c_interface.read(names["table"]) == table


def test_forms_that_an_old_pyarrow_does_not_have():
    """A release is given the forms that it makes, and what is no form."""
    names = [option.name for option in arrow_forms.options()]
    new = {arrow_forms.VIEW, arrow_forms.LIST_VIEW, arrow_forms.RUN_ENDS}
    assert arrow_forms.available("11.0.0", [*names, "other"]) == [
        *(each for each in names if each not in new),
        "other",
    ]
    assert arrow_forms.available("24.0.0", names) == [each for each in names if each != arrow_forms.VIEW]
    assert arrow_forms.available("26.0.1", names) == names


def test_views_of_lists_are_in_the_opposite_order():
    """The first list refers to the last values."""
    table = Table.of([("x", list_of(integer(32)))], [[["1", "2"], ["3"]]])
    names = {"pa": pa, "table": to_arrow(table)}
    exec("\n".join(arrow_forms.statements(table, {arrow_forms.LIST_VIEW: {"columns": ["x"]}})), names)
    assert names["table"].column(0).chunk(0).offsets.to_pylist() == [1, 0]


def test_forms_of_columns_that_are_gone():
    """A smaller table, made of one whose options name more columns, has the forms of its own columns."""
    table = Table.of([("a", STRING)], [["x"]])
    lines = arrow_forms.statements(table, {arrow_forms.VIEW: {"columns": ["a.b", "a"]}})
    assert sum(line.startswith("table = ") for line in lines) == 1


def test_lists_that_can_have_a_fixed_size():
    """They have one length, which is not 0; nulls have any."""
    option = next(each for each in arrow_forms.options() if each.name == arrow_forms.FIXED)
    columns = {"a": [["x"], None], "b": [["x"], ["y", "z"]], "c": [[], []], "d": [None, None]}
    table = Table.of([(name, list_of(STRING)) for name in columns], list(columns.values()))
    assert option.draw(random.Random(0), table) == {"columns": ["a"]}


def test_values_are_hidden_behind_nulls_of_chosen_columns_alone():
    """Without the option a table stays as it is."""
    assert arrow_forms.statements(Table.of([("x", list_of(STRING))], [[None]]), {}) == []


@pytest.mark.parametrize("engine", ["pyarrow", "polars", "datafusion"])
def test_decimals_that_arrow_lacks(engine):
    """A column of more digits than Arrow has is not given to a writer; the rest of its table is."""
    takes = writer_of(ENGINES[engine].write_options, "parquet").takes
    assert takes(decimal(76, 2))
    assert not takes(decimal(77, 2))
    assert not takes(list_of(decimal(77, 2)))
