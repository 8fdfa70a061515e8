"""Files and queries for the tests of engines' answers: small, with several pages and row groups."""

from __future__ import annotations

import struct

from corpora.answers import settled
from corpora.build.questions import of_values
from corpora.build.questions.columns import ColumnFacts
from corpora.constants import order_key
from corpora.predicates import OPERATORS
from corpora.queries import (
    Aggregate,
    AggregateWhere,
    And,
    AntiJoin,
    Batches,
    Compare,
    Computed,
    CountRows,
    CountValues,
    Distinct,
    Fields,
    Filter,
    Groups,
    In,
    IsNull,
    Not,
    NotTrue,
    NullSafe,
    Or,
    Project,
    RowGroup,
    SemiJoin,
    Slice,
    StartsWith,
    Top,
    TopRows,
    TopWhere,
)
from corpora.tagged import BOOL, BYTES, DATE, STRING, Table, decimal, floating, integer, struct_of, timestamp
from harness.judging.compare import compare
from harness.judging.probes import paired
from harness.judging.traits import Traits

ROWS, GROUP = 24, 10
DOUBLE = floating(64)
ID = integer(32)


def bits(number):
    """Return a double as it is tagged."""
    return struct.pack(">d", number).hex()


# Column, and values of which some are extremes; every seventh row is null. No NaN: about those pushdown errs.
COLUMNS = {
    "flag": (BOOL, [True, False]),
    "tiny": (integer(8), ["-128", "127", "0"]),
    "small": (integer(16, signed=False), ["0", "65535", "32768"]),
    "wide": (integer(64), [str(-(1 << 63)), str((1 << 63) - 1), "5"]),
    "huge": (integer(64, signed=False), [str((1 << 64) - 1), "0", str(1 << 63)]),
    "single": (floating(32), ["3f800000", "bf800000", "00000001"]),
    "double": (DOUBLE, [bits(0.1), bits(float("-inf")), bits(5e-324)]),
    "price": (decimal(5, 2), ["-99999", "5", "0"]),
    "long": (decimal(30, 10), ["9" * 30, "-" + "9" * 30, "1"]),
    "day": (DATE, ["-135140", "0", "18000"]),  # from 1600-01-01 on
    "wall": (timestamp("us", utc=False), ["-1", "0", "1600000000000001"]),
    "instant": (timestamp("us", utc=True), ["-1", "0", "1600000000000001"]),
    "text": (STRING, ["", "a", "ab", "é", "~~"]),
    "raw": (BYTES, ["", "01", "ff", "80ff", "7f"]),
}


def table_of(name, *, nested=True):
    """Return a table of an `id`, a column and, if `nested`, a struct `s` whose `x` is the same."""
    type_, given = COLUMNS[name]
    values = [given[row % len(given)] if row % 7 else None for row in range(ROWS)]
    columns, data = [("id", ID), (name, type_)], [[str(row) for row in range(ROWS)], values]
    if nested:
        columns.append(("s", struct_of([("x", type_)])))
        data.append([[one] if row % 5 else None for row, one in enumerate(values)])
    return Table.of(columns, data)


def write(path, table):
    """Write a table with pyarrow: row groups of GROUP rows, pages of four, indexes."""
    import pyarrow.parquet

    from harness.engines.arrow.build import to_arrow

    options = {"data_page_size": 1, "write_batch_size": 4, "write_page_index": True}
    pyarrow.parquet.write_table(to_arrow(table), path, row_group_size=GROUP, **options)


def computed(path, type_, values):
    """Return comparisons of each function of a column with a constant."""
    if type_.kind == "int":
        low, high = min(values, key=int), max(values, key=int)
        given = [("cast", "string", "=", STRING, values[1])]
        if int(high) < 1 << 63:
            given += [("cast", "int64", ">", integer(64), low), ("cast", "int64", "!=", integer(64), high)]
        if int(high) < (1 << (type_.bits - type_.signed)) - 1:
            given.append(("add", "1", ">", type_, str(int(low) + 1)))
    elif type_.kind in {"date", "timestamp"}:
        given = [("year", None, "=", ID, "1970"), ("year", None, "<", ID, "2019")]
        if type_.kind == "timestamp":
            given += [("date_trunc", unit, "=", type_, "0") for unit in ("year", "month", "day", "hour")]
    elif type_.kind == "string":
        given = [("prefix", "1", "=", STRING, "a"), ("like", "a%", "=", BOOL, True)]
        given += [("like", pattern, "=", BOOL, True) for pattern in ("%b", "%~%", "_b", "%")]
    else:
        given = []
    filters = [Filter(Computed(path, *members)) for members in given]
    return filters + [query for query in of_values.computed(facts(path, type_, values)) if is_cast(query)]


def facts(path, type_, values):
    """Return the facts of a column of such values."""
    return ColumnFacts(path, type_, tuple(sorted(values, key=lambda one: order_key(type_, one, "total"))))


def is_cast(query):
    """Return whether a query is a comparison of a column in another type."""
    return query.predicate.function == "cast"


def queries(name, *, nested=True):
    """Return queries of `table_of(name)`."""
    type_, values = COLUMNS[name]
    found = [Project((name, "id")), RowGroup(1), Batches(3), CountRows()]
    for path in ((name,), ("s", "x"))[: 1 + nested]:
        found += [Filter(Compare(path, op, type_, values[0])) for op in OPERATORS]
        found += [
            Filter(Not(Compare(path, "<", type_, values[-1])), ("id",)),
            Filter(In(path, type_, tuple(values[:2]))),
            Filter(Not(In(path, type_, tuple(values[1:])))),
            Filter(In(path, type_, (values[0], None, values[-1]))),
            Filter(Not(In(path, type_, (values[0], None)))),
            Filter(Or((Not(In(path, type_, (values[0], None))), Compare(("id",), "<", ID, "5")))),
            Filter(NotTrue(Compare(path, "<", type_, values[-1]))),
            Filter(NotTrue(Not(Compare(path, "=", type_, values[0]))), ("id",)),
            Filter(Not(NotTrue(Or((Compare(path, ">", type_, values[0]), IsNull(path)))))),
            CountRows(NotTrue(In(path, type_, (values[0], None)))),
            Filter(IsNull(path), ("id", name)),
            Filter(
                Or((And((Not(IsNull(path)), Compare(("id",), "<", ID, "5"))), Compare(("id",), "=", ID, "9")))
            ),
            Aggregate(path),
            AggregateWhere(path, Compare(("id",), ">=", ID, "5")),
            AggregateWhere(path, Not(Compare(path, "=", type_, values[0]))),
            AggregateWhere(path, And((IsNull(path), Not(IsNull(("id",)))))),
            CountValues(path),
        ]
        found += [
            *(Filter(NullSafe(path, type_, value)) for value in (values[0], None)),
            Filter(Not(NullSafe(path, type_, values[-1]))),
            SemiJoin(path, type_, tuple(values[:2])),
            SemiJoin(path, type_, (None, values[-1]), ("id",)),
            AntiJoin(path, type_, tuple(values[:2])),
            AntiJoin(path, type_, tuple(values[:1]), ("id",), not_in=True),
            AntiJoin(path, type_, (None, values[-1]), ("id",)),
            AntiJoin(path, type_, (None, values[-1]), not_in=True),
            Slice(8, 4, None, (name, "id")),
            Slice(9, 100),
            Slice(1, 7, Not(IsNull(path)), None if len(path) > 1 else ("id",)),
            Slice(0, 2, Compare(path, "!=", type_, values[0])),
            Slice(30, 2, IsNull(path)),
            CountRows(Compare(path, ">=", type_, values[-1])),
            CountRows(Not(IsNull(path))),
            Fields((path,)),
            Fields((path, ("id",)), Compare(("id",), "<", ID, "13")),
            Fields((("id",), path[:1]), Not(IsNull(path))),
            Distinct(path),
            Groups(path),
            *(TopRows(path, rows, down, not down) for rows in (3, 30) for down in (False, True)),
            TopRows(path, 4, columns=("id",)),
            TopWhere(path, 3, predicate=Compare(("id",), ">=", ID, "9")),
            TopWhere(path, 2, descending=True, predicate=Compare(path, "!=", type_, values[-1]), offset=3),
            TopWhere(path, 30, False, True, (name, "id"), Not(IsNull(path)), 1),
            TopWhere(
                ("id",), 5, True, columns=(name,), predicate=In(path, type_, tuple(values[:2])), offset=2
            ),
            TopWhere(path, 4, offset=5),
            *(Top(path, 5, descending, first) for descending in (False, True) for first in (False, True)),
        ]
        found += computed(path, type_, values)
        if type_.kind == "string":
            found += [Filter(StartsWith(path, "a")), Filter(Not(StartsWith(path, "é")))]
    return found


LIE = Filter(Compare(("a",), "=", ID, "2001"), ("a",))


def lie(path, *, footer, index):
    """Write a file of two row groups whose second holds 2000 to 2003; its statistics claim 3000 to 3003.

    Those of the footer, of the column index, or both lie.
    """
    import pyarrow as pa
    import pyarrow.parquet

    values = pa.array([*range(1000, 1004), *range(2000, 2004)], pa.int32())
    options = {"use_dictionary": False, "write_page_index": True}
    pyarrow.parquet.write_table(pa.table({"a": values}), path, row_group_size=4, **options)
    data = path.read_bytes()
    end = len(data) - 8 - int.from_bytes(data[-8:-4], "little")
    pages = data.rindex(struct.pack("<4i", *range(2000, 2004)), 0, end) + 16
    parts = [data[:pages], data[pages:end], data[end:]]
    for at, lies in ((1, index), (2, footer)):
        for number in (2000, 2003) if lies else ():
            assert struct.pack("<i", number) in parts[at]
            parts[at] = parts[at].replace(struct.pack("<i", number), struct.pack("<i", number + 1000))
    path.write_bytes(b"".join(parts))


def compared(query, right, found, order, claimed, file=None):  # noqa: PLR0917 - an answer, and what is right
    """Compare an answer with the right one, which says nothing of the order of rows of some queries.

    `file` is the table of the file, if the answer may have any of its rows.
    """
    traits = Traits(claimed, order, file_order=file is None)
    return compare(*paired(query, right, settled(query, found, order), traits, file), claimed)


def rows_of(query):
    """Return the rows of a row group, which a table does not know."""
    return range(GROUP * query.number, GROUP * (query.number + 1)) if isinstance(query, RowGroup) else None
