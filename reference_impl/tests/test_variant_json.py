"""JSON texts of Variants: what a text becomes, and what a value is written as."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reference_impl.errors import LimitExceeded, UsageError
from reference_impl.variant.json_text import parse_json, to_json
from reference_impl.variant.values import MAX_DEPTH, Primitive, double

TEXTS = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**127), 2**127)
    | st.text(st.characters(codec="utf-8"), max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text("abc", max_size=2), inner, max_size=3)
    ),
    max_leaves=8,
)


@given(TEXTS)
def test_a_text_comes_back(value):
    """What was read of a text is written as a text of the same value, which is read as the same."""
    text = to_json(parse_json(json.dumps(value)))
    assert parse_json(text) == parse_json(json.dumps(value))
    if not any(sign in text for sign in "E."):
        assert json.loads(text) == value


@pytest.mark.parametrize(
    ("text", "kind", "written"),
    [
        ("127", "int8", "127"),
        ("128", "int16", "128"),
        ("-2147483649", "int64", "-2147483649"),
        ("9223372036854775808", "decimal16", "9223372036854775808"),
        ("1.50", "decimal4", "1.5"),
        ("1e3", "double", "1000.0"),
        ("1.5e-5", "double", "1.5E-5"),
        ("0e0", "double", "0.0"),
        ("1" * 39, "double", "1.111111111111111E38"),
    ],
)
def test_numbers(text, kind, written):
    """A number is the narrowest integer, else a decimal, and a double with an exponent or too many digits."""
    value = parse_json(text)
    assert (value.kind, to_json(value)) == (kind, written)


@pytest.mark.parametrize(
    ("value", "written"),
    [
        (Primitive("date", 0), '"1970-01-01"'),
        (Primitive("date", 2_932_897), '"+10000-01-01"'),
        (Primitive("date", -719_893), '"-0001-01-01"'),
        (Primitive("timestamp", 1), '"1970-01-01 00:00:00.000001+00:00"'),
        (Primitive("timestamp_ntz_nanos", -1), '"1969-12-31 23:59:59.999999999"'),
        (Primitive("time", 3_600_000_000), '"01:00:00"'),
        (Primitive("binary", b"\x01"), '"AQ=="'),
        (Primitive("uuid", bytes(16)), '"00000000-0000-0000-0000-000000000000"'),
        (Primitive("float", 0x3DCC_CCCD), "0.1"),
        (double(float("inf")), '"Infinity"'),
        (double(float("-inf")), '"-Infinity"'),
        (double(float("nan")), '"NaN"'),
        (double(-0.0), "-0.0"),
    ],
)
def test_values_that_json_has_no_type_for(value, written):
    """They are texts; numbers are written as Java writes them."""
    assert to_json(value) == written


@pytest.mark.parametrize("text", ["", "{", "NaN", '{"a":1,"a":2}', '"\\ud800"', '{"\\ud800":1}'])
def test_what_is_no_json(text):
    """A text that is no JSON, names a field twice or is not Unicode is refused."""
    with pytest.raises(UsageError):
        parse_json(text)


@pytest.mark.parametrize("depth", [MAX_DEPTH + 2, 100_000])
def test_depth_is_bounded(depth):
    """Values that are nested too deep are refused by the limit, whatever Python's own."""
    with pytest.raises(LimitExceeded):
        parse_json("[" * depth + "]" * depth)
