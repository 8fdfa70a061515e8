"""Variants of two answers: compared by what they mean, and put together from the columns of a file."""

import pytest

from corpora import tagged
from corpora.tagged import BOOL, BYTES, DATE, STRING, Table, Type, floating, integer, list_of, struct_of
from harness.engines.errors import Unsupported
from harness.engines.spark.variants import path_of
from harness.judging.compare import compare
from reference_impl.variant import forms
from reference_impl.variant.json_text import parse_json
from reference_impl.variant.values import NULL, Array, Primitive, double, float_, object_of

VARIANT = Type("variant")


def variant(text, form=forms.SMALLEST):
    """Return the Variant of a JSON text as it is tagged."""
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


JSON_OF = [
    (Primitive("int8", 5), ["5", "5.0"], ["6", "-5", '"5"', "null", "true", "5.0000001"]),
    (Primitive("decimal4", 150, 2), ["1.5", "1.50", "15e-1"], ["1.51", "15", "1e999999999"]),
    (float_(0.1), ["0.1", "0.10000000149011612"], ["0.11", "1e999"]),
    (double(0.1), ["0.1", "1.0E-1", "0.10000000000000000"], ["0.10000000149011612"]),
    (double(-0.0), ["-0.0", "-0"], ["0.0"]),
    (Primitive("boolean", True), ["true"], ["1", '"true"', "false"]),
    (NULL, ["null"], ['"null"', "0"]),
    (Primitive("string", "a\u00e9"), ['"a\u00e9"', '"a\\u00e9"'], ['"a"', "a"]),
    (Array((NULL, Primitive("int8", 1))), ["[null,1]", "[ null , 1.0 ]"], ["[1,null]", "[null]", "{}", "["]),
    (
        object_of([("b", Primitive("int8", 1)), ("a", NULL)]),
        ['{"a":null,"b":1}', '{"b":1,"a":null}'],
        ['{"b":1}', '{"a":null,"b":1,"b":1}', "[]", '{"a":null,"b":2}'],
    ),
]
BIG = bytes.fromhex("000102030405060708090a0b0c0d0e0f")
TEXTS_OF = [  # what Spark and DuckDB write, and texts of neither
    (Primitive("date", 0), '"1970-01-01"', '"1970-01-01"', '"day 0"'),
    (Primitive("date", -719_528), '"0000-01-01"', '"0001-01-01 (BC)"', '"-0001-01-01"'),
    (
        Primitive("timestamp", 1),
        '"1970-01-01 00:00:00.000001+00:00"',
        '"1970-01-01 00:00:00.000001+00"',
        '"1970-01-01 00:00:00.000001"',
    ),
    (
        Primitive("timestamp_ntz_nanos", -1),
        '"1969-12-31 23:59:59.999999999"',
        '"1969-12-31 23:59:59.999999999"',
        '"1969-12-31 23:59:59.999999998"',
    ),
    (Primitive("time", 1_500_000), '"00:00:01.5"', '"00:00:01.5"', '"00:00:01"'),
    (Primitive("timestamp_ntz_nanos", 2**63 - 1), None, '"infinity"', '"-infinity"'),
    (Primitive("timestamp", 1 - 2**63), None, '"-infinity"', '"infinity"'),
    (Primitive("timestamp", 2**63 - 2), None, None, '"infinity"'),
    (Primitive("date", 2**31 - 1), None, '"infinity"', '"-infinity"'),
    (Primitive("time", 2**63 - 1), None, None, '"infinity"'),
    (Primitive("binary", b"\1a"), '"AWE="', '"\\\\x01a"', '"\\\\x01b"'),
    (Primitive("uuid", BIG), None, '"00010203-0405-0607-0809-0a0b0c0d0e0f"', '"0"'),
    (double(float("nan")), '"NaN"', "NaN", '"nan"'),
]


def says(value, text, *names):
    """Tell whether a text is taken for a Variant by these equivalences."""
    metadata = forms.metadata_of(forms.names_of(value))
    raw = forms.encode(value, metadata)
    return found([metadata.raw.hex(), raw.hex()], STRING, text, *names).equal


@pytest.mark.parametrize(("value", "right", "wrong"), JSON_OF, ids=lambda one: str(one)[:30])
def test_json_of_variants(value, right, wrong):
    """Any JSON text that says a value is the same, whatever its order and digits, and no other is."""
    for name in ("variant-as-json", "variant-as-duckdb-json"):
        assert all(says(value, text, name) for text in right)
        assert not any(says(value, text, name) for text in wrong)
    assert not any(says(value, text) for text in right)


@pytest.mark.parametrize(("value", "spark", "duckdb", "other"), TEXTS_OF)
def test_what_json_has_no_type_for(value, spark, duckdb, other):
    """Dates and the like are texts, in the form of Spark or of DuckDB; another text is another value."""
    assert spark is None or says(value, spark, "variant-as-json")
    assert duckdb is None or says(value, duckdb, "variant-as-duckdb-json")
    for name in ("variant-as-json", "variant-as-duckdb-json"):
        assert not says(value, other, name)
        assert not says(value, "1", name)


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
    """Return the type of a shredded group."""
    return struct_of([("metadata", BYTES), (layout, BYTES), *typed])


def level(*typed):
    """Return the type of a shredded field or element."""
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
    ("text", "type_", "row"),
    [
        ('{"a":1,"b":"x"}', OBJECT, [None, [[None, "1"], [None, "x"]]]),
        ('"y"', OBJECT, ["0579", [[None, None], [None, None]]]),
        ("[]", ARRAY, [None, []]),
        ('"y"', ARRAY, ["0579", []]),
    ],
)
def test_groups_without_nulls(text, type_, row):
    """A group or list that is null may be what its type is by default, where an engine has no such nulls."""
    row = ["010300010203616263", *row]
    assert found(variant(text), type_, row, "variant-as-stored-without-nulls").equal
    assert not found(variant("7"), type_, row, "variant-as-stored-without-nulls").equal


@pytest.mark.parametrize(
    ("type_", "value", "kind"),
    [
        (BYTES, "79", "string"),
        (tagged.timestamp("us", utc=True), "5", "timestamp_ntz"),
        (tagged.timestamp("us", utc=True), "5", "time"),
    ],
)
def test_fewer_types(type_, value, kind):
    """Without types for texts, times and local times, an engine may answer bytes and timestamps."""
    from reference_impl.variant.values import Primitive

    wanted = forms.write(Primitive(kind, "y" if kind == "string" else int(value), 0))
    expected, shape = [part.hex() for part in wanted], shredded(("typed_value", type_))
    assert found(expected, shape, ["010000", None, value], "variant-as-stored-without-nulls").equal
    other = ["010000", None, "7a" if kind == "string" else "6"]
    assert not found(expected, shape, other, "variant-as-stored-without-nulls").equal
    assert not found(expected, shape, ["010000", None, value], "variant-as-stored").equal


def test_null_as_group_of_nulls():
    """A Variant that is null may be a group of nulls, where an engine has no groups that are null."""
    names = ("variant-as-stored-without-nulls", "null-container-as-default")
    row = [None, None, [[None, None], [None, None]]]
    assert found(None, OBJECT, row, *names).equal
    assert not found(None, OBJECT, [None, None, [[None, "1"], [None, None]]], *names).equal
    assert not found(None, OBJECT, ["", "00", None], *names).equal


@pytest.mark.parametrize(
    ("text", "row"),
    [
        ('{"b":"x"}', [None, [[None, "0"], [None, "x"]]]),
        ('{"b":"x"}', [None, [["00", None], [None, "x"]]]),
        ("null", [None, [[None, "0"], [None, None]]]),
        ('"y"', ["0579", [[None, "0"], [None, ""]]]),
    ],
)
def test_zeros_are_no_nulls(text, row):
    """A shredded field that is 0, empty, or a Variant's null is there, also without groups that are null."""
    row = ["010300010203616263", *row]
    assert not found(variant(text), OBJECT, row, "variant-as-stored-without-nulls").equal


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
