"""Variants of two answers: compared by what they mean, and put together from the columns of a file."""

import pytest

from corpora import tagged
from corpora.tagged import BOOL, BYTES, DATE, STRING, Table, Type, floating, integer, list_of, struct_of
from harness.compare import compare
from harness.engines.base import Unsupported
from harness.engines.spark_query import path_of
from reference_impl.variant import forms
from reference_impl.variant.json_text import parse_json

VARIANT = Type("variant")


def variant(text, form=forms.SMALLEST):
    """Answer the Variant of a JSON text as it is tagged."""
    return [part.hex() for part in forms.write(parse_json(text), form)]


def found(expected, type_, actual, *claimed):
    """Compare one Variant with an answer of a type."""
    table = Table.of([("a", VARIANT)], [[expected]])
    return compare(table, Table.of([("a", type_)], [[actual]]), claimed)


def test_paths_of_spark():
    """A path has the quotes that its names leave free; a name that no path can hold is unsupported."""
    assert path_of(("a b", 0, "it's")) == "$['a b'][0][\"it's\"]"
    for name in ("", "'\"", "?", " a", "\n"):
        with pytest.raises(Unsupported):
            path_of((name,))


def test_forms_of_one_value():
    """Whatever form a value is written in, it is the same, and that this was needed is told."""
    text = '{"b":[1.50,"x"],"a":null}'
    wide = forms.Form(forms.Names(order=1, unused=("z",), width=3), (forms.Node(4, 2, large=True, order=1),))
    assert found(variant(text), VARIANT, variant(text)).equivalences == ()
    assert found(variant(text), VARIANT, variant(text, wide)).equivalences == ("variant-by-value",)
    other = found(variant(text), VARIANT, variant('{"b":[1.51,"x"],"a":null}'))
    assert '["exact", "151", "2"]' in other.difference.actual


@pytest.mark.parametrize(
    "broken", [["02", "00"], ["010000", "fc"], [None, None], ["010000", {"sha256": "", "bytes": 1}]]
)
def test_what_cannot_be_read(broken):
    """What does not decode is compared as it is."""
    assert found(broken, VARIANT, broken).equal
    assert not found(variant("1"), VARIANT, broken).equal


def shredded(*typed, layout="value"):
    """Answer the type of a shredded group."""
    return struct_of([("metadata", BYTES), (layout, BYTES), *typed])


def level(*typed):
    """Answer the type of a shredded field or element."""
    return struct_of([("value", BYTES), *typed])


OBJECT = shredded(
    (
        "typed_value",
        struct_of([("a", level(("typed_value", integer(8)))), ("b", level(("typed_value", STRING)))]),
    )
)
ARRAY = shredded(("typed_value", list_of(level(("typed_value", floating(64))))))
DRAFT = shredded(
    ("object", struct_of([("a", struct_of([("variant_value", BYTES), ("typed_value", BOOL)]))])),
    layout="variant_value",
)


@pytest.mark.parametrize(
    ("text", "type_", "row"),
    [
        ('{"a":1,"b":"x"}', OBJECT, [None, [[None, "1"], [None, "x"]]]),
        ('{"a":null}', OBJECT, [None, [["00", None], [None, None]]]),
        ('{"a":1,"c":2}', OBJECT, ["02010200020c02", [[None, "1"], [None, None]]]),
        ('"y"', OBJECT, ["0579", None]),
        ("[1e0,null]", ARRAY, [None, [[None, "3ff0000000000000"], ["00", None]]]),
        ("[]", ARRAY, [None, []]),
        ('{"a":true}', DRAFT, [None, [[None, True]]]),
        ("{}", DRAFT, [None, [None]]),
        ("null", DRAFT, [None, None]),
    ],
)
def test_columns_are_put_together(text, type_, row):
    """A group of columns is the Variant that is shredded into them."""
    metadata = "0103000102036162" + "63"
    assert found(variant(text), type_, [metadata, *row], "variant-as-stored").equivalences == (
        "variant-as-stored",
    )
    assert not found(variant("7"), type_, [metadata, *row], "variant-as-stored").equal
    assert not found(variant(text), type_, [metadata, *row]).equal


@pytest.mark.parametrize(
    ("type_", "value", "kind"),
    [
        (DATE, "5", "date"),
        (tagged.decimal(9, 2), "150", "decimal4"),
        (floating(32), "3f800000", "float"),
        (tagged.time("us", utc=False), "5", "time"),
        (tagged.timestamp("us", utc=True), "5", "timestamp"),
        (tagged.timestamp("ns", utc=False), "5", "timestamp_ntz_nanos"),
        (Type("uuid"), "00" * 16, "uuid"),
        (BYTES, "00" * 16, "uuid"),
        (BYTES, "ff", "binary"),
    ],
)
def test_types_of_columns(type_, value, kind):
    """Typed columns of each type are values of its kind."""
    from reference_impl.variant.values import Primitive

    raw = bytes.fromhex(value) if kind in ("uuid", "binary") else None
    number = 0x3F800000 if kind == "float" else raw if raw is not None else int(value)
    wanted = forms.write(Primitive(kind, number, 2 if kind == "decimal4" else 0))
    shape = shredded(("typed_value", type_))
    row = ["010000", None, value]
    assert found([part.hex() for part in wanted], shape, row, "variant-as-stored").equal


def test_columns_of_other_types():
    """A column of a type that no Variant has is not the Variant."""
    row = ["010000", None, "5"]
    assert not found(variant("5"), shredded(("typed_value", tagged.INT96)), row, "variant-as-stored").equal
