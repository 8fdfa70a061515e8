"""Partition columns of tables that engines are given to write: text, integers and dates, null among them.

Text becomes a name of a folder, in which an engine must escape the special characters of file systems and
URLs.
"""

from __future__ import annotations

from hypothesis import strategies as st

from corpora.table_reads import PARTITIONS
from corpora.tagged import DATE, STRING, Table, Type, Value, integer
from properties.strategies import tables
from properties.strategies.chances import choice, one_in

_MOST = 5  # values of a partition column: each is a folder in each folder of the column before it
_TEXTS = (
    *(
        "",
        ".",
        "..",
        "a/b",
        "a=b",
        "a%2Fb",
        "%41",
        "%",
        "K\u00f6ln",
        "e\u0301",
        "\u00e9",
        "\U0001f600",
        "null",
    ),
    *("NULL", "__HIVE_DEFAULT_PARTITION__x", " before", "after ", "a:b", "a\\b", 'a"b', "it's", "a b", "a+b"),
    *("a&b", "a;b", "a,b", "{x}", "[y]", "a*b", "a?b", "~", "^", "#x", "|", "<>", "_under", "A", "a", "NaN"),
    *("1", "01", "1.0", "-0", "1e5", "true", "True", "2024-01-01", "00:00:00", "x" * 200, "\t", "\n", "\r"),
    *("\x01", "\x1f", "\x7f", "$HOME", "${x}", "`x`", "part-0.parquet"),
)
_EDGES = {32: (-(1 << 31), (1 << 31) - 1), 64: (-(1 << 63), (1 << 63) - 1)}
_DAYS = ("-719162", "-141428", "-141427", "-1", "0", "1", "19782", "2932896")  # years 1 to 9999


@st.composite
def _column(draw: st.DrawFn, rows: int) -> tuple[Type, list[Value]]:
    """Draw the type and values of a partition column: a few, repeated."""
    kind = choice(draw, ("string", "string", "int", "date"))
    if kind == "string":
        text = st.one_of(
            st.sampled_from(_TEXTS), st.text(st.characters(codec="ascii"), min_size=1, max_size=6)
        )
        type_, some = STRING, draw(st.lists(text.filter(_is_text), min_size=1, max_size=_MOST))
    elif kind == "int":
        bits = choice(draw, (32, 64))
        numbers = st.one_of(st.sampled_from((0, -1, *_EDGES[bits])), st.integers(*_EDGES[bits]))
        type_, some = (
            integer(bits),
            [str(each) for each in draw(st.lists(numbers, min_size=1, max_size=_MOST))],
        )
    else:
        type_, some = DATE, draw(st.lists(st.sampled_from(_DAYS), min_size=1, max_size=_MOST))
    values: list[Value] = [*some, None] if one_in(draw, 3) else [*some]
    return type_, [values[row % len(values)] for row in range(rows)]


def _has_rows(several: list[Table]) -> bool:
    """Return whether each of the tables has rows: without any, there is no folder, and nothing to read."""
    return all(table.num_rows for table in several)


def _is_text(text: str) -> bool:
    """Return whether a name may hold it at all: no file system has a NUL in one."""
    return "\0" not in text


@st.composite
def _partitioned(draw: st.DrawFn, of: st.SearchStrategy[list[Table]]) -> list[Table]:
    names = PARTITIONS[: choice(draw, (1, 1, 2))]
    result = []
    for table in draw(of.filter(_has_rows)):
        own = [at for at, field in enumerate(table.columns) if field.name not in PARTITIONS]
        fields = [(table.columns[at].name, table.columns[at].type) for at in own]
        columns = [table.column(at) for at in own]
        for name in names:
            type_, values = draw(_column(table.num_rows))
            fields.append((name, type_))
            columns.append(values)
        result.append(Table.of(fields, columns, table.num_rows))
    return result


BY_FORMAT = {name: _partitioned(of) for name, of in tables.BY_FORMAT.items()}
