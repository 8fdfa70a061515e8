"""What Variants hold as values of types, and their schemas, beside what the reference reads."""

from contextlib import suppress

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from corpora.tagged import BOOL, BYTES, DATE, STRING, decimal, floating, integer, text, timestamp
from corpora.variant_types import cast, schema_of, type_of
from properties.strategies.variants import physical_forms, primitives, variants
from reference_impl.variant.forms import SMALLEST, encode, metadata_of, names_of
from reference_impl.variant.json_text import parse_json
from reference_impl.variant.values import BY_KIND, DECIMALS, INTEGERS, NULL, Array, Primitive, double, float_

INSTANT, CLOCK = timestamp("us", utc=True), timestamp("us", utc=False)
TYPES = {
    "boolean": BOOL,
    **dict.fromkeys(INTEGERS, integer(64)),
    "double": floating(64),
    "float": floating(32),
    "date": DATE,
    "timestamp": INSTANT,
    "timestamp_ntz": CLOCK,
    "binary": BYTES,
    "string": STRING,
}


def written(value, form=SMALLEST):
    """Return the bytes of a Variant."""
    metadata = metadata_of(names_of(value), form.names)
    return metadata.raw, encode(value, metadata, form.nodes)


def tagged_value(value):
    """Return what a primitive is as a value of a column, as told by the reference."""
    if value.kind == "string":
        return text(value.value.encode("utf-8"))
    if value.kind in ("float", "double"):
        return f"{value.value:0{BY_KIND[value.kind].width * 2}x}"
    if isinstance(value.value, bytes):
        return value.value.hex()
    return value.value if isinstance(value.value, bool) else str(value.value)


@settings(max_examples=80, deadline=None)
@given(primitives(), physical_forms())
def test_primitives_as_values(value, form):
    """A value is that of its own type, whatever its form; as one of another kind it is an error."""
    raw = written(value, form)[1]
    type_ = type_of(raw)
    if value.kind in DECIMALS:
        assert type_ == decimal(38, value.scale)
    else:
        assert type_ == TYPES.get(value.kind)
    if type_ is not None:
        assert cast(raw, type_) == tagged_value(value)
        with pytest.raises(ValueError, match="type id"):
            cast(raw, BOOL if type_ == STRING else STRING)


@pytest.mark.parametrize(
    ("value", "type_", "wanted"),
    [
        (NULL, integer(64), None),
        (Array(()), integer(64), None),
        (parse_json("{}"), BOOL, None),
        (Primitive("int8", 5), decimal(38, 2), "500"),
        (Primitive("decimal4", 500, 2), integer(64), "5"),
        (Primitive("int64", 1 << 40), integer(32), None),
        (Primitive("int8", -128), integer(8), "-128"),
        (Primitive("decimal16", 10**37), decimal(38, 2), None),
    ],
)
def test_casts(value, type_, wanted):
    """Numbers are cast if no digit is lost, to null if they are too large; so are null and what is nested."""
    assert cast(written(value)[1], type_) == wanted


@pytest.mark.parametrize(
    ("value", "type_"), [(Primitive("decimal4", 1, 1), integer(64)), (Array(()), STRING)]
)
def test_no_casts(value, type_):
    """Digits that would be lost are an error, and so is JSON as a string: engines may differ there."""
    with pytest.raises(ValueError, match=" as "):
        cast(written(value)[1], type_)


# What Spark 4.3 answers of each.
SCHEMAS = {
    "100": "BIGINT",
    "100.00": "DECIMAL(3,0)",
    "0.001": "DECIMAL(3,3)",
    "[1,1.5]": "ARRAY<DECIMAL(21,1)>",
    "[1.5,12.25]": "ARRAY<DECIMAL(4,2)>",
    "[0.12345678901234567890123456789012345678,100]": "ARRAY<DOUBLE>",
    "[1.5,1e3]": "ARRAY<DOUBLE>",
    "[1,1e3]": "ARRAY<DOUBLE>",
    '[1,"a"]': "ARRAY<VARIANT>",
    "[true,1]": "ARRAY<VARIANT>",
    "[null,1]": "ARRAY<BIGINT>",
    "[]": "ARRAY<VOID>",
    "[{},1]": "ARRAY<VARIANT>",
    "[[],[1]]": "ARRAY<ARRAY<BIGINT>>",
    '[{},{"a":1}]': "ARRAY<OBJECT<a: BIGINT>>",
    '[{"a":1,"b":1},{"a":1.5}]': "ARRAY<OBJECT<a: DECIMAL(21,1), b: BIGINT>>",
    '{"a b":1,"a`":3,"\u00e9":1}': "OBJECT<`a b`: BIGINT, `a```: BIGINT, `\u00e9`: BIGINT>",
}


@pytest.mark.parametrize("source", SCHEMAS)
def test_schemas(source):
    """A schema is what Spark says it is."""
    assert schema_of(*written(parse_json(source))) == SCHEMAS[source]


@pytest.mark.parametrize(
    ("values", "wanted"),
    [
        ((float_(1.5), Primitive("int8", 1)), "FLOAT"),
        ((float_(1.5), Primitive("decimal4", 15, 1)), "DOUBLE"),
        ((float_(1.5), double(2.0)), "DOUBLE"),
        ((Primitive("date", 1), Primitive("timestamp", 1)), "TIMESTAMP"),
        ((Primitive("date", 1), Primitive("timestamp_ntz", 1)), "TIMESTAMP_NTZ"),
        ((Primitive("timestamp", 1), Primitive("timestamp_ntz", 1)), "TIMESTAMP"),
        ((Primitive("date", 1), Primitive("string", "")), "VARIANT"),
        ((Primitive("uuid", bytes(16)), NULL), "UUID"),
        ((Primitive("binary", b""),), "BINARY"),
    ],
)
def test_tightest_types(values, wanted):
    """Elements have the tightest type that all of them have."""
    assert schema_of(*written(Array(values))) == f"ARRAY<{wanted}>"


@pytest.mark.parametrize("value", [Primitive("time", 1), parse_json('[{"a":1},{"A":1}]')])
def test_no_schemas(value):
    """A type without a name in Spark has no schema, nor have names that Spark may merge or not."""
    with pytest.raises(ValueError, match=r"no type|only in case"):
        schema_of(*written(value))


def test_depth():
    """What is nested too deep is an error, and no end of the stack."""
    metadata, raw = b"\1\0\0", b"\0"
    for _ in range(250):
        size = len(raw).to_bytes(2, "little")
        raw = b"\x07\x01\x00\x00" + size + raw
    with pytest.raises(ValueError, match="nested deeper"):
        schema_of(metadata, raw)


@settings(max_examples=40, deadline=None)
@given(variants(), physical_forms())
def test_schemas_do_not_depend_on_forms(value, form):
    """A value has the same schema in whatever form it is written."""
    try:
        wanted = schema_of(*written(value))
    except ValueError:
        return
    assert schema_of(*written(value, form)) == wanted


@settings(max_examples=60, deadline=None)
@given(st.binary(max_size=24), st.binary(max_size=24), st.sampled_from([*TYPES.values(), decimal(9, 2)]))
def test_any_bytes(metadata, raw, type_):
    """Bytes that are no Variant are a ValueError at most."""
    for of in (lambda: schema_of(metadata, raw), lambda: cast(raw, type_), lambda: type_of(raw)):
        with suppress(ValueError):
            of()


def test_no_more_is_done_than_there_are_bytes():
    """A count without its offsets is refused, and so are values that lie in each other."""
    with pytest.raises(ValueError, match="bytes at"):
        schema_of(b"\x01\x00\x00", b"\x13" + (1 << 31).to_bytes(4, "little"))
    inner = b"\x0c\x07"
    for _ in range(40):  # an array of two elements, which are one
        inner = b"\x0f\x02" + bytes(8) + len(inner).to_bytes(4, "little") + inner
    with pytest.raises(ValueError, match="overlap"):
        schema_of(b"\x01\x00\x00", inner)
