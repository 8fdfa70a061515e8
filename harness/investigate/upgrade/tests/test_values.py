"""Values of differences, as people read them."""

import pytest

from corpora.tagged import Field, Type
from harness.investigate.upgrade.values import readable

FLOAT, DECIMAL = Type("float", bits=64), Type("decimal", precision=15, scale=5)
DATE, TEXT = Type("date"), Type("string")
TIMESTAMP = Type("timestamp", unit="us", utc=True)
STRUCT = Type("struct", children=(Field("h7", TIMESTAMP), Field("i8", DECIMAL)))
MAP = Type("map", children=(Field("key", TEXT), Field("value", STRUCT)))
LIST = Type("list", children=(Field("element", FLOAT),))
NEVER = Type("struct", children=(Field("never", Type("int", bits=32, signed=True)),))
DOTTED = Type("struct", children=(Field("a", STRUCT), Field("a.i8", DATE)))


@pytest.mark.parametrize(
    ("type_", "inside", "text", "expected"),
    [
        (FLOAT, "", '"41dfffffffc00000"', "2147483647.0 (bits 41dfffffffc00000)"),
        (LIST, ".list[0]", '"00007f2a7fffffff"', "6.9080511976978"),
        (FLOAT, "", '"7ff8000000000000"', "nan (bits 7ff8000000000000)"),
        (FLOAT, "", '"NaN"', '"NaN"'),
        (FLOAT, "", '"8000000000000000"', "-0.0 (bits 8000000000000000)"),
        (MAP, ".map[0].value.i8", '"-99999999999900"', "-999999999.99900 (unscaled -99999999999900)"),
        (MAP, ".map[12].value.h7", '"-1"', "1969-12-31 23:59:59.999999 UTC (-1 us since 1970)"),
        (DATE, "", '"-719162"', "0001-01-01 (-719162 days since 1970)"),
        (TEXT, "", '"1"', '"1"'),
        (FLOAT, "", "null", "null"),
        (LIST, ".list", "3 elements", "3 elements"),
        (STRUCT, "", '["1", "2"]', "{h7: 1970-01-01 00:00:00.000001 UTC, i8: 0.00002}"),
        (STRUCT, "", '["1"]', '["1"]'),
        (NEVER, "", "[null]", "{never: null}"),
        (Type("list", children=(Field("element", NEVER),)), "", "[[null], null]", "[{never: null}, null]"),
        (DATE, "", '"99999999999"', '"99999999999"'),
        (DOTTED, ".a.i8", '"1"', '"1"'),
        (FLOAT, ".unknown", '"41dfffffffc00000"', '"41dfffffffc00000"'),
    ],
)
def test_readable(type_, inside, text, expected):
    """A value stands before its tagged text; what is cut, ambiguous, or says no more, stays as it is."""
    assert readable(type_, inside, text).startswith(expected)
