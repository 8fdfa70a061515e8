"""Tables made by hand of which queries are asked: what filters and extremes were seen to get wrong."""

from __future__ import annotations

from collections.abc import Iterator

from corpora import tagged
from corpora.build.evolution.by_hand import HandMade
from corpora.build.evolution.members import Member, Schema, fields_of
from corpora.formats import ORC, PARQUET
from corpora.queries import (
    Aggregate,
    And,
    Compare,
    Filter,
    In,
    IsNull,
    Not,
    NullSafe,
    Or,
    Predicate,
    Query,
)
from corpora.table_reads import BY_POSITION, TableRead
from corpora.tagged import Field, Type, Value, decimal, integer

_INT, _LONG = integer(32), integer(64)
_A = Member(1, "a", _INT)
_BEYOND = str(1 << 40)  # beyond the type of older files
Path = tuple[str, ...]
Files = tuple[tuple[str, Schema, list[list[Value]]], ...]


def _filters(*predicates: Predicate) -> tuple[Query, ...]:
    return tuple(map(Filter, predicates))


def _compared(path: Path, type_: Type, value: Value, operators: str = "= != < <= > >=") -> list[Predicate]:
    """Return comparisons with a constant, and their negations."""
    tests = [Compare(path, word, type_, value) for word in operators.split()]
    return [*tests, *map(Not, tests)]


def _missing() -> HandMade:
    """Return a table of which the older file lacks a column that is tested."""
    b = Member(2, "b", _INT)
    columns: list[list[Value]] = [["3", "4", "5"], ["7", None, "-7"]]
    read = TableRead(fields_of((_A, b)))
    is_null, same = IsNull(("b",)), NullSafe(("b",), _INT, "7")
    tests: list[Predicate] = [is_null, Not(is_null), same, Not(same), NullSafe(("b",), _INT, None)]
    tests += _compared(("b",), _INT, "7")
    tests += [In(("b",), _INT, ("7", "8")), Not(In(("b",), _INT, ("7", "8")))]
    of_a = Compare(("a",), "<", _INT, "3")
    tests += [Or((is_null, of_a)), And((is_null, of_a)), Not(Or((same, of_a))), Not(And((same, of_a)))]
    files: Files = (("part-0", (_A,), [["1", "2", None]]), ("part-1", (_A, b), columns))
    return HandMade("missing-tested", files, (("both", read),), (("both", _filters(*tests)),))


def _widened() -> HandMade:
    """Return a table of which the older file has narrower types than the constants of filters."""
    older = (_A, Member(2, "d", decimal(5, 2)))
    newer = (Member(1, "a", _LONG), Member(2, "d", decimal(9, 2)))
    low, high = str(-(1 << 31)), str((1 << 31) - 1)
    files: Files = (
        ("part-0", older, [[low, high, "0", None], ["-99999", "99999", "0", None]]),
        ("part-1", newer, [[_BEYOND, f"-{_BEYOND}", high, None], ["9999999", "-9999999", "99999", None]]),
    )
    tests: list[Predicate] = []
    for value in (_BEYOND, high, low):
        tests += _compared(("a",), _LONG, value)
    tests += _compared(("d",), decimal(9, 2), "99999") + _compared(("d",), decimal(9, 2), "100000")
    tests += [In(("a",), _LONG, (_BEYOND, "0")), Not(In(("a",), _LONG, (_BEYOND, f"-{_BEYOND}")))]
    queries = (*_filters(*tests), Aggregate(("a",)), Aggregate(("d",)))
    return HandMade("widened-tested", files, (("wide", TableRead(fields_of(newer))),), (("wide", queries),))


def _renamed() -> HandMade:
    """Return a table whose columns swapped their names, which keep their field ids."""
    older = (_A, Member(2, "b", _INT))
    newer = (Member(1, "b", _INT), Member(2, "a", _INT))
    files: Files = (
        ("part-0", older, [["1", "2", "3"], ["10", "20", None]]),
        ("part-1", newer, [["4", "5", None], ["40", None, "60"]]),
    )
    ids = ((("b",), 1), (("a",), 2))
    read = TableRead(fields_of(newer), matching="id", ids=ids)
    tests = [*_compared(("b",), _INT, "3"), *_compared(("a",), _INT, "20"), IsNull(("b",)), IsNull(("a",))]
    queries = (*_filters(*tests), Aggregate(("a",)), Aggregate(("b",)))
    return HandMade("names-swapped", files, (("ids", read),), (("ids", queries),), (PARQUET,))


def _nested() -> HandMade:
    """Return a table with null structs, of which one file lacks the filtered field."""
    x, y = Member(3, "x", _INT), Member(4, "y", _INT)

    def outer(*fields: Member) -> tuple[Member, ...]:
        return (Member(1, "s", shape="struct", members=(Member(2, "t", shape="struct", members=fields),)),)

    files: Files = (
        ("part-0", outer(x), [[None, [None], [[None]], [["1"]]]]),
        ("part-1", outer(x, y), [[None, [None], [[None, "2"]], [["3", None]]]]),
    )
    paths: list[Path] = [("s",), ("s", "t"), ("s", "t", "x"), ("s", "t", "y")]
    tests: list[Predicate] = [IsNull(path) for path in paths]
    tests += [Not(IsNull(path)) for path in paths]
    tests += [*_compared(("s", "t", "y"), _INT, "2"), *_compared(("s", "t", "x"), _INT, "1")]
    queries = (*_filters(*tests), Aggregate(("s", "t", "x")), Aggregate(("s", "t", "y")))
    read = TableRead(fields_of(outer(x, y)))
    return HandMade("null-structs", files, (("both", read),), (("both", queries),))


def _required() -> HandMade:
    """Return a table with a struct that is null, whose field is required."""
    x = Member(2, "x", _INT, required=True)
    schema = (Member(1, "s", shape="struct", members=(x,)),)
    path = ("s", "x")
    tests = [IsNull(path), Not(IsNull(path)), *_compared(path, _INT, "1")]
    read = TableRead(fields_of(schema))
    files: Files = (("part-0", schema, [[["1"], None, ["2"]]]),)
    return HandMade("required-in-null", files, (("s", read),), (("s", (*_filters(*tests), Aggregate(path))),))


def _partitions() -> Iterator[HandMade]:
    """Yield tables with partition columns that are tested: escaped, and of a file without rows."""
    files: Files = (
        ("city=a%3Db/part-0", (_A,), [["1"]]),
        ("city=12%3A30/part-0", (_A,), [["2"]]),
        ("city=x/part-0", (_A,), [["3"]]),
    )
    path, column = ("city",), Field("city", tagged.STRING)
    tests: list[Predicate] = [IsNull(path), Not(IsNull(path)), In(path, tagged.STRING, ("12:30", "x"))]
    for value in ("a=b", "12:30", "x", "y"):
        tests += _compared(path, tagged.STRING, value, "= !=")
    of_a = Compare(("a",), "=", _INT, "2")
    tests += [And((tests[2], of_a)), Or((tests[3], of_a)), Not(And((tests[3], of_a)))]
    read = TableRead(fields_of((_A,)), (column,))
    yield HandMade("partition-escaped", files, (("text", read),), (("text", _filters(*tests)),))
    files = (("year=2020/part-0", (_A,), [[]]), ("year=2021/part-0", (_A,), [["5", None]]))
    read = TableRead(fields_of((_A,)), (Field("year", _INT),))
    tests = [*_compared(("year",), _INT, "2020"), *_compared(("year",), _INT, "2021"), IsNull(("year",))]
    queries = (*_filters(*tests), Aggregate(("year",)), Aggregate(("a",)))
    yield HandMade("partition-empty", files, (("int", read),), (("int", queries),))


def _positions() -> HandMade:
    """Return a table whose files have other names than the reader, at the same places."""
    schemas = [tuple(Member(at, name, _INT) for at, name in enumerate(names, 1)) for names in ("ab", "bac")]
    files: Files = (
        ("part-0", schemas[0], [["1", "2", "3", None], ["10", "20", None, "40"]]),
        ("part-1", schemas[1], [["5", None], ["50", "60"], ["500", "600"]]),
    )
    columns = tuple(Field(name, _INT) for name in ("b", "x", "a"))
    tests = _compared(("b",), _INT, "2") + _compared(("x",), _INT, "50") + _compared(("a",), _INT, "500")
    tests += [IsNull(("b",)), IsNull(("a",)), Not(IsNull(("a",)))]
    read = TableRead(columns, matching=BY_POSITION)
    queries = (*_filters(*tests), Aggregate(("a",)), Aggregate(("b",)))
    return HandMade("positions", files, (("position", read),), (("position", queries),), (ORC,))


def tables() -> Iterator[HandMade]:
    """Yield the tables."""
    yield _missing()
    yield _widened()
    yield _renamed()
    yield _positions()
    yield _nested()
    yield _required()
    yield from _partitions()
