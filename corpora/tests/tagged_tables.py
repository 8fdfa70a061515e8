"""Strategies of tagged types, values and tables, of every kind."""

from __future__ import annotations

from hypothesis import strategies as st

from corpora import tagged
from corpora.tagged import Table, Type

NAMES = st.text("abé.'\"\n\U0001f4a5", max_size=3)
INTEGERS = st.integers(-(2**200), 2**200).map(str)
HEX = st.binary(max_size=5).map(tagged.binary)
TEXT = st.binary(max_size=5).map(tagged.text)
UNITS = st.sampled_from(tagged.UNITS)

LEAVES = st.one_of(
    st.sampled_from(
        [tagged.NULL, tagged.BOOL, tagged.DATE, tagged.INT96, tagged.INTERVAL, tagged.STRING, tagged.BYTES]
    ),
    st.sampled_from(["json", "enum", "uuid", "bson", "geometry", "geography", "variant"]).map(Type),
    st.builds(tagged.integer, st.sampled_from([8, 16, 32, 64]), signed=st.booleans()),
    st.builds(tagged.floating, st.sampled_from([16, 32, 64])),
    st.builds(tagged.decimal, st.integers(1, 76), st.integers(0, 38)),
    st.builds(tagged.time, UNITS, utc=st.booleans()),
    st.builds(tagged.timestamp, UNITS, utc=st.booleans()),
    st.builds(tagged.duration, UNITS),
)


def _nested(inner):
    fields = st.lists(st.tuples(NAMES, inner), max_size=3)
    return (
        st.builds(tagged.list_of, inner)
        | st.builds(tagged.struct_of, fields)
        | st.builds(tagged.map_of, inner, inner)
        | st.builds(tagged.union_of, st.lists(inner, min_size=1, max_size=3))
    )


TYPES = st.recursive(LEAVES, _nested, max_leaves=4)


def values(type_):
    """Return a strategy of values of the type, nulls among them."""
    return st.none() | _some(type_)


def _some(type_):
    inner = [values(child.type) for child in type_.children]
    match type_.kind:
        case "null":
            return st.none()
        case "bool":
            return st.booleans()
        case "float":
            return st.binary(min_size=type_.bits // 8, max_size=type_.bits // 8).map(bytes.hex)
        case "string" | "json" | "enum":
            return TEXT
        case "bytes" | "bson" | "geometry" | "geography":
            return HEX
        case "uuid":
            return st.binary(min_size=16, max_size=16).map(bytes.hex)
        case "variant":
            return st.tuples(HEX, HEX).map(list)
        case "interval":
            return st.tuples(INTEGERS, INTEGERS, INTEGERS).map(list)
        case "list":
            return st.lists(inner[0], max_size=3)
        case "struct":
            return st.tuples(*inner).map(list)
        case "map":
            return st.lists(st.tuples(*inner).map(list), max_size=3)
        case "union":
            held = [st.tuples(st.just(str(tag)), one) for tag, one in enumerate(inner)]
            return st.one_of(held).map(list)
    return INTEGERS


@st.composite
def tables(draw, max_rows=4):
    """Return a strategy of tables."""
    columns = draw(st.lists(st.tuples(NAMES, TYPES), max_size=3))
    rows = draw(st.integers(0, max_rows))
    drawn = [draw(st.lists(values(type_), min_size=rows, max_size=rows)) for _, type_ in columns]
    return Table.of(columns, drawn, rows)
