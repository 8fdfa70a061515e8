"""Shredded Variants: the tables of VariantShredding.md and of its draft, every schema, what is invalid."""

import json
import os
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from corpora.build import variants as plans
from corpora.build.recipe import OPTIONAL, REQUIRED, group, leaf, list_group, schema
from properties.strategies.variants import node_forms, physical_forms, shreddable, shreddings, variants
from reference_impl.errors import Malformed, Unsupported
from reference_impl.parquet.file import ParquetFile
from reference_impl.parquet.plan import FilePlan
from reference_impl.parquet.schema import LogicalType, Type, VariantType
from reference_impl.parquet.summary import summarize
from reference_impl.parquet.tree import build
from reference_impl.parquet.validate import validate
from reference_impl.parquet.writer import write
from reference_impl.variant import columns, encoding, forms
from reference_impl.variant.json_text import parse_json
from reference_impl.variant.schema import is_variant, level_of
from reference_impl.variant.shredder import shred, stored_as
from reference_impl.variant.shredding import DRAFT, V1, Leaf, Level, Reading, Slot, construct
from reference_impl.variant.values import (
    NULL,
    Array,
    Object,
    Primitive,
    double,
    equal,
    integer,
    object_of,
)

ROOT = os.environ.get("PARQUET_TEST_DATA")
STAMP = Leaf("timestamp")
TEXT = Level(leaf=Leaf("string"))
NUMBER = Level(leaf=Leaf("int64"))
EVENT = Level(fields=(("event_type", TEXT), ("event_ts", Level(leaf=STAMP))))
TAGS = Level(element=TEXT)
NOOP = Primitive("string", "noop")
VARIANT = LogicalType(VARIANT=VariantType(specification_version=1))
ALL = list(HealthCheck)


def at(micros):
    """Return a time of an event."""
    return Primitive("timestamp", micros)


def held(value, **columns):
    """Return a slot whose residual is written as the value it holds."""
    return Slot(value, **columns)


def text(value):
    """Return a string."""
    return Primitive("string", value)


# The tables of "Value Shredding", "Arrays" and "Objects": a schema, a value, and its slot. A residual is
# written as the value it holds.
TABLES = [
    (NUMBER, Primitive("int64", 34), Slot(typed=34)),
    (NUMBER, NULL, held(NULL)),
    (NUMBER, text("n/a"), held(text("n/a"))),
    (TAGS, Array((text("comedy"), text("drama"))), Slot(items=(Slot(typed="comedy"), Slot(typed="drama")))),
    (TAGS, Array((text("horror"), NULL)), Slot(items=(Slot(typed="horror"), held(NULL)))),
    (TAGS, Array(()), Slot(items=())),
    (TAGS, NULL, held(NULL)),
    (
        EVENT,
        object_of([("event_type", NOOP), ("event_ts", at(1))]),
        Slot(fields=(Slot(typed="noop"), Slot(typed=1))),
    ),
    (
        EVENT,
        object_of([("event_type", text("login")), ("event_ts", at(1)), ("email", text("e"))]),
        held(object_of([("email", text("e"))]), fields=(Slot(typed="login"), Slot(typed=1))),
    ),
    (
        EVENT,
        object_of([("error_msg", text("m"))]),
        held(object_of([("error_msg", text("m"))]), fields=(Slot(), Slot())),
    ),
    (EVENT, text("malformed: not an object"), held(text("malformed: not an object"))),
    (
        EVENT,
        object_of([("event_ts", at(1)), ("click", text("_button"))]),
        held(object_of([("click", text("_button"))]), fields=(Slot(), Slot(typed=1))),
    ),
    (EVENT, object_of([("event_type", NULL), ("event_ts", at(1))]), Slot(fields=(held(NULL), Slot(typed=1)))),
    (
        EVENT,
        object_of([("event_type", NOOP), ("event_ts", text("2024-10-24"))]),
        Slot(fields=(Slot(typed="noop"), held(text("2024-10-24")))),
    ),
    (EVENT, Object(()), Slot(fields=(Slot(), Slot()))),
    (EVENT, NULL, held(NULL)),
]

# The table of the draft ("Parquet Example").
C = Level(DRAFT, leaf=Leaf("string"))
DRAFTED = Level(
    DRAFT, fields=(("a", Level(DRAFT, leaf=Leaf("int64"))), ("b", Level(DRAFT, fields=(("c", C),))))
)


def long(number):
    """Return an int64."""
    return Primitive("int64", number)


def drafted(**fields):
    """Return an object."""
    return object_of(fields.items())


TABLES += [
    (
        DRAFTED,
        drafted(a=long(123), b=drafted(c=text("hello"))),
        Slot(fields=(Slot(typed=123), Slot(fields=(Slot(typed="hello"),)))),
    ),
    (
        DRAFTED,
        drafted(a=double(1.23), b=drafted(c=text("123"))),
        Slot(fields=(held(double(1.23)), Slot(fields=(Slot(typed="123"),)))),
    ),
    (
        DRAFTED,
        drafted(a=long(123), b=drafted(c=NULL)),
        Slot(fields=(Slot(typed=123), Slot(fields=(Slot(),)))),
    ),
    (DRAFTED, drafted(a=long(123), b=Object(())), Slot(fields=(Slot(typed=123), Slot(fields=(None,))))),
    (
        DRAFTED,
        drafted(a=long(123), d=long(456)),
        Slot(drafted(d=long(456)), fields=(Slot(typed=123), None)),
    ),
    (DRAFTED, Array((drafted(a=long(1)),)), held(Array((drafted(a=long(1)),)))),
    (DRAFTED, NULL, Slot()),
]


def binaries(slot, metadata):
    """Put binaries in the place of the values that a slot of these tables has."""
    if slot is None:
        return None
    residual = None if slot.residual is None else forms.encode(slot.residual, metadata)
    fields = slot.fields and tuple(binaries(one, metadata) for one in slot.fields)
    items = slot.items if slot.items is None else tuple(binaries(one, metadata) for one in slot.items)
    return Slot(residual, slot.typed, fields, items)


@pytest.mark.parametrize(("level", "value", "slot"), TABLES)
def test_tables_of_the_specifications(level, value, slot):
    """A value is shredded as the specification's tables show it, and is put together again."""
    metadata = forms.metadata_of(forms.names_of(value))
    wanted = binaries(slot, metadata)
    assert shred(level, value, metadata) == wanted
    assert construct(level, wanted, metadata, Reading.WRITTEN) == value


LOGIN = object_of([("event_type", text("login"))])
WITHOUT = Slot(fields=(Slot(), Slot()))
# What is invalid, by the same tables and the text around them, and the rule of it.
INVALID = [
    (EVENT, held(LOGIN, fields=(Slot(typed="login"), Slot(typed=1))), "014"),
    (EVENT, held(LOGIN, fields=(Slot(), Slot())), "014"),
    (EVENT, held(LOGIN), "015"),
    (EVENT, held(Object(())), "015"),
    (EVENT, held(text("a"), fields=(Slot(), Slot())), "013"),
    (EVENT, Slot(fields=(held(text("a"), typed="a"), Slot())), "012"),
    (NUMBER, held(NULL, typed=1), "012"),
    (TAGS, held(Array(()), items=()), "012"),
    (TAGS, held(Array(())), "015"),
    (Level(fields=(("x", NUMBER),)), Slot(fields=(Slot(typed=1),)), "017"),
    (EVENT, Slot(fields=(None, Slot())), "018"),
    (TAGS, Slot(items=(None,)), "018"),
    (DRAFTED, held(text("a"), fields=(None, None)), "013"),
    (C, held(text("a"), typed="a"), "012"),
    (Level(DRAFT, leaf=Leaf("int64"), element=C), Slot(typed=1, items=()), "012"),
    (Level(DRAFT, element=C), held(NULL, items=()), "012"),
    (Level(DRAFT, fields=(("x", C),)), Slot(fields=(Slot(typed="a"),)), "017"),
]


@pytest.mark.parametrize(("level", "slot", "rule"), INVALID)
def test_invalid_combinations(level, slot, rule):
    """What "must not be produced by writers" is refused by its rule."""
    metadata = forms.metadata_of(["event_type", "event_ts"])
    with pytest.raises(Malformed) as caught:
        construct(level, binaries(slot, metadata), metadata)
    assert caught.value.rule == f"PQ-VARIANT-{rule}"


def test_nothing_at_all():
    """Nothing where a value is required is a Variant null to readers, and no writer's to leave out."""
    metadata = forms.metadata_of([])
    for level, slot, value in (
        (NUMBER, Slot(), NULL),
        (TAGS, Slot(items=(Slot(), Slot())), Array((NULL, NULL))),
        (Level(DRAFT, element=C), Slot(items=(None,)), Array((NULL,))),
    ):
        assert construct(level, slot, metadata) == value
        with pytest.raises(Malformed) as caught:
            construct(level, slot, metadata, Reading.WRITTEN)
        assert caught.value.rule == "PQ-VARIANT-016"
    # "Field is Variant Null (not missing)", says the draft.
    assert construct(C, Slot(), metadata, Reading.WRITTEN) == NULL


def test_columns_have_priority():
    """A field that is in a column and in a residual has that of the column, in v1 for who reads any."""
    metadata = forms.metadata_of(["event_type", "event_ts"])
    slot = binaries(held(LOGIN, fields=(Slot(), Slot(typed=1))), metadata)
    assert construct(EVENT, slot, metadata, Reading.ANY) == object_of([("event_ts", at(1))])
    metadata = forms.metadata_of(["a"])
    slot = Slot(drafted(a=long(1)), fields=(Slot(typed=2), None))
    assert construct(DRAFTED, binaries(slot, metadata), metadata) == drafted(a=long(2))


def test_columns_have_priority_to_who_reads_any():
    """Beside a column that is set a residual does not count, of a shredded type it does where none is set."""
    metadata = forms.metadata_of(["event_type", "event_ts"])
    beside = binaries(Slot(long(2), typed=1), metadata)
    assert construct(NUMBER, beside, metadata, Reading.ANY) == construct(NUMBER, Slot(typed=1), metadata)
    text = binaries(Slot(Primitive("string", "a"), fields=(Slot(), Slot(typed=1))), metadata)
    assert construct(EVENT, text, metadata, Reading.ANY) == object_of([("event_ts", at(1))])
    whole = binaries(Slot(object_of([("event_ts", at(2))])), metadata)
    assert construct(EVENT, whole, metadata, Reading.ANY) == object_of([("event_ts", at(2))])


LEVELS = shreddings().flatmap(lambda level: st.tuples(st.just(level), shreddable(level)))


@pytest.mark.unmeasured
@settings(max_examples=50, suppress_health_check=ALL, deadline=None)
@given(LEVELS, st.lists(node_forms(), max_size=2).map(tuple), physical_forms())
def test_what_is_shredded_is_put_together(both, nodes, form):
    """Whatever the schema, a value that is shredded by it is the value again, down to its physical types."""
    level, value = both
    metadata = forms.metadata_of(forms.names_of(value), form.names)
    slot = shred(level, value, metadata, nodes)
    assert construct(level, slot, metadata, Reading.WRITTEN) == value
    loose = shred(level, value, metadata, nodes, exact=False)
    assert equal(construct(level, loose, metadata, Reading.WRITTEN), value)


@pytest.mark.parametrize(
    ("level", "said"),
    [
        (Level(), "unshredded"),
        (Level(V1, leaf=Leaf("date")), "shredded"),
        (Level(DRAFT, element=Level(DRAFT)), "shredded"),
    ],
)
def test_a_summary_says_whether_a_variant_is_shredded(level, said):
    """A group with typed columns is shredded, in each layout, and one of two binaries is not."""
    plan = FilePlan(schema(plans.elements("v", OPTIONAL, level)), ())
    assert summarize(ParquetFile(write(plan)))["variants"] == [said]


@settings(max_examples=30, suppress_health_check=ALL, deadline=None)
@given(shreddings(), variants(), st.data())
def test_files(level, other, data):
    """A file of shredded values is read to what its plan means, and to the values."""
    values = data.draw(st.lists(shreddable(level), max_size=3))
    if level.residual and shred(level, other, forms.metadata_of(forms.names_of(other))):
        values.append(other)
    rows = [{"v": plans.row(level, value)} for value in values] + [{"v": None}]
    plan = FilePlan(schema(plans.elements("v", OPTIONAL, level)), tuple(rows))
    (column,) = ParquetFile(write(plan)).read().columns
    assert is_variant(column)
    # A `typed_value` alone is of both layouts, and means the same in both.
    is_told = level.residual or level.fields or level.element
    assert level_of(column) == (level if is_told else replace(level, layout=V1))
    found = list(columns.rows(column))
    columns.check(column)
    assert found.pop() is None
    assert [encoding.read(*row) for row in found] == values
    (node,) = build(list(plan.schema)).children
    assert [plans.meaning(node, row["v"]) for row in rows[:-1]] == found


def column_of(*fields):
    """Return the column of a VARIANT group of no rows."""
    elements = group("v", REQUIRED, *fields, logicalType=VARIANT)
    return ParquetFile(write(FilePlan(schema(elements), ()))).read().columns[0]


METADATA, VALUE = leaf("metadata", Type.BYTE_ARRAY), leaf("value", Type.BYTE_ARRAY, OPTIONAL)
INT32 = Type.INT32


@pytest.mark.parametrize(
    ("fields", "rule"),
    [
        ((METADATA,), "PQ-VARIANT-001"),
        ((VALUE, leaf("typed_value", INT32, OPTIONAL)), "PQ-VARIANT-001"),
        ((leaf("metadata", INT32), VALUE), "PQ-VARIANT-002"),
        ((METADATA, leaf("value", INT32)), "PQ-VARIANT-002"),
        ((METADATA, VALUE, leaf("typed_value", Type.INT96, OPTIONAL)), "PQ-VARIANT-011"),
        (
            (METADATA, VALUE, list_group("typed_value", OPTIONAL, group("list", 2, leaf("element", INT32)))),
            "PQ-VARIANT-011",
        ),
        ((METADATA, VALUE, group("typed_value", OPTIONAL, leaf("a", INT32))), "PQ-VARIANT-011"),
        ((METADATA, leaf("variant_value", Type.BYTE_ARRAY), leaf("object", INT32)), "PQ-VARIANT-011"),
        ((METADATA, VALUE, leaf("other", INT32)), None),
        ((METADATA, leaf("variant_value", Type.BYTE_ARRAY), leaf("other", INT32)), None),
    ],
)
def test_groups_that_hold_no_variant(fields, rule):
    """A group that is no Variant is refused by its rule; one with further columns is not known here."""
    with pytest.raises(Malformed if rule else Unsupported) as caught:
        level_of(column_of(*fields))
    assert caught.value.rule == rule


@pytest.mark.parametrize(
    ("fields", "row", "rules"),
    [
        ((METADATA,), {"metadata": b"\1\0\0"}, ["PQ-VARIANT-001"]),
        (
            (leaf("metadata", INT32), leaf("value", INT32)),
            {"metadata": 1, "value": 1},
            ["PQ-VARIANT-002", "PQ-VARIANT-002"],
        ),
        (
            (METADATA, VALUE, group("typed_value", OPTIONAL, group("a", REQUIRED, leaf("value", INT32)))),
            {"metadata": b"\1\0\0", "value": None, "typed_value": {"a": {"value": 1}}},
            ["PQ-VARIANT-002"],
        ),
    ],
    ids=["no value", "two columns", "a shredded field"],
)
def test_the_validator_lists_what_the_reader_refuses(fields, row, rules):
    """The validator lists all errors of a group, those of the groups inside of it included."""
    elements = group("v", REQUIRED, *fields, logicalType=VARIANT)
    data = write(FilePlan(schema(elements), ({"v": row},)))
    listed = [violation.rule for violation in validate(data) if violation.rule.startswith("PQ-VARIANT")]
    assert [rule for rule in listed if rule in {"PQ-VARIANT-001", "PQ-VARIANT-002"}] == rules
    with pytest.raises(Malformed) as caught:
        level_of(ParquetFile(data).read().columns[0])
    assert caught.value.rule == rules[0]


def test_columns_that_can_be_ignored():
    """In the draft, columns "that start with `_` (underscore) can be ignored"."""
    hidden = leaf("_metadata_key_paths", INT32)
    column = column_of(METADATA, leaf("variant_value", Type.BYTE_ARRAY, OPTIONAL), hidden)
    assert level_of(column) == Level(DRAFT)


@pytest.mark.parametrize(
    ("leaf_", "value", "exact", "stored"),
    [
        (Leaf("decimal4", 9, 2), integer(123), False, 12300),
        (Leaf("decimal4", 9, 2), integer(123), True, None),
        (Leaf("decimal4", 9, 2), Primitive("decimal4", 1234, 3), False, None),
        (Leaf("decimal4", 2, 0), Primitive("decimal4", 100, 0), True, None),
        (Leaf("int8"), Primitive("decimal4", 12700, 2), False, 127),
        (Leaf("int8"), integer(128), False, None),
        (Leaf("string"), integer(123), False, None),
    ],
)
def test_numbers_in_columns_of_other_types(leaf_, value, exact, stored):
    """A number goes to a column of another type if that is allowed and loses nothing; nothing else does."""
    assert stored_as(leaf_, value, exact=exact) == stored


def test_what_a_level_cannot_hold():
    """Without residuals, what does not fit is told, not lost."""
    bare = Level(residual=False, fields=(("a", Level(residual=False, leaf=Leaf("int64"))),))
    metadata = forms.metadata_of(["a", "b"])
    for json_text in ("1", '{"a":"x"}', '{"b":1}'):
        assert shred(bare, parse_json(json_text), metadata) is None
    assert shred(Level(element=bare), Array((NULL,)), metadata) is None
    with pytest.raises(ValueError, match="holds no"):
        plans.row(bare, NULL)


def test_numbers_out_of_range():
    """A number that its typed column may not hold is malformed."""
    elements = plans.elements("v", REQUIRED, Level(leaf=Leaf("int8")))
    rows = ({"v": {"metadata": b"\x01\0\0", "value": None, "typed_value": 300}},)
    (column,) = ParquetFile(write(FilePlan(schema(elements), rows))).read().columns
    with pytest.raises(Malformed, match="int8 cannot hold 300"):
        list(columns.rows(column))


@pytest.mark.skipif(ROOT is None, reason="PARQUET_TEST_DATA is not set")
def test_cases_of_parquet_testing():
    """Each file of `shredded_variant` is read to the value beside it, each invalid one refused by a rule."""
    folder = Path(ROOT, "shredded_variant")
    refused = {}
    read = 0
    for case in json.loads((folder / "cases.json").read_text("utf-8")):
        if "parquet_file" not in case:  # number 3
            continue
        table = ParquetFile.open(folder / case["parquet_file"]).read()
        (column,) = (one for one in table.columns if is_variant(one))
        if "error_message" in case or "INVALID" in case["parquet_file"]:
            with pytest.raises(Malformed) as caught:
                list(columns.rows(column))
            refused[case["case_number"]] = caught.value.rule
            continue
        files = [case["variant_file"]] if "variant_file" in case else case["variant_files"]
        wanted = [name and encoding.split((folder / name).read_bytes()) for name in files]
        found = list(columns.rows(column))
        assert len(found) == len(wanted), case
        for one, other in zip(found, wanted, strict=True):
            assert (one and encoding.read(*one)) == (other and encoding.read(*other)), case
            read += 1
    assert read == 135
    assert {number: rule[-3:] for number, rule in refused.items()} == {
        40: "012",
        42: "012",
        43: "014",
        84: "018",
        87: "013",
        125: "014",
        127: "011",
        128: "013",
        137: "011",
    }
