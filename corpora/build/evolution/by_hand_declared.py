"""Tables made by hand: declared columns, files that are left out, and how files are listed.

Defaults, padded text, files that cannot be opened, files that are removed while the table is read, names of
folders that are values or mean nothing, and schemas that the reader makes of those of all files.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from corpora import tagged
from corpora.build.evolution.by_hand import HandMade
from corpora.build.evolution.members import Member, Schema, fields_of
from corpora.formats import ORC, PARQUET
from corpora.queries import Aggregate, Compare, Filter, In, IsNull, Not, NullSafe, Or, Predicate, Query
from corpora.table_reads import BY_ID, CHAR, VARCHAR, TableRead
from corpora.tagged import Field, Type, Value, decimal, integer

_INT = integer(32)
_K = Member(1, "k", _INT)
_DEFAULTS: tuple[tuple[Member, Value], ...] = (
    (Member(2, "i", _INT), "5"),
    (Member(3, "t", tagged.STRING), "it's \\ d\u00e9"),
    (Member(4, "n", decimal(7, 2)), "-150"),
    (Member(5, "q", tagged.DATE), "-1"),
    (Member(6, "b", tagged.BOOL), False),
    (Member(7, "l", integer(64)), str(-(1 << 63))),
)
Files = tuple[tuple[str, Schema, list[list[Value]]], ...]


def _tested(name: str, type_: Type, *values: Value) -> list[Predicate]:
    """Return comparisons of a column with values, each also negated, and with null."""
    tests: list[Predicate] = [IsNull((name,)), NullSafe((name,), type_, values[0])]
    for value in values:
        tests += [Compare((name,), word, type_, value) for word in ("=", "!=", "<", ">=")]
    tests.append(In((name,), type_, values))
    return [*tests, *map(Not, tests)]


def _queries(tests: list[Predicate], *names: str) -> tuple[Query, ...]:
    return (*map(Filter, tests), *(Aggregate((name,)) for name in names))


def _defaults() -> HandMade:
    """Return a table whose older files lack columns with defaults, and whose newer ones have nulls there."""
    members = tuple(member for member, _ in _DEFAULTS)
    later: list[list[Value]] = [["6", None, "5"], ["z", None, ""], ["0", None, "-150"], ["0", None, "-1"]]
    later += [[True, None, False], ["1", None, "0"]]
    files: Files = (
        ("part-0", (_K,), [["1", "2", None]]),
        ("part-1", (_K, *members), [["3", "4", "5"], *later]),
        ("part-2", (_K, *members[:2]), [["6"], [None], ["y"]]),
    )
    read = TableRead(
        fields_of((_K, *members)), defaults=tuple((each.name, value) for each, value in _DEFAULTS)
    )
    flat = (_K, *members[:2])
    ids = tuple(((member.name,), member.id) for member in flat)
    listed = [("added", read), ("few", TableRead(fields_of((_K, members[4])), defaults=(("b", True),)))]
    by_id = TableRead(fields_of(flat), matching=BY_ID, ids=ids, defaults=read.defaults[:2])
    tests = [test for member, value in _DEFAULTS[:4] for test in _tested(member.name, member.type, value)]
    tests += [Or((Compare(("i",), "=", _INT, "5"), Compare(("k",), "=", _INT, "4")))]
    added = _queries(tests, "i", "q", "l")
    few = _queries(_tested("i", _INT, "5", "6"), "i")
    return HandMade(
        "defaults", files, (*listed, ("ids", by_id)), (("added", added), ("ids", few)), (PARQUET,)
    )


def _orc(table: HandMade) -> HandMade:
    """Return a table as one of ORC, of which columns are not found by id."""
    reads = tuple((name, read) for name, read in table.reads if read.matching != BY_ID)
    queries = tuple(each for each in table.queries if each[0] in dict(reads))
    return table._replace(reads=reads, queries=queries, formats=(ORC,))


def _padded() -> HandMade:
    """Return a table of text that is shorter than the length that its column is declared with."""
    c, v = Member(2, "c", tagged.STRING), Member(3, "v", tagged.STRING)
    texts: list[Value] = ["", "a", "a    ", "ab", " a", "abcde", "\u00e9\u6c34", None]
    numbers: list[Value] = [str(number) for number in range(len(texts))]
    files: Files = (
        ("part-0", (_K, c, v), [numbers, texts, texts]),
        ("part-1", (_K,), [["100"]]),
    )
    fields = fields_of((_K, c, v))
    read = TableRead(fields, lengths=(("c", CHAR, 5), ("v", VARCHAR, 5)))
    added = TableRead(fields, lengths=(("c", CHAR, 5),), defaults=(("c", "z"), ("v", "y")))
    # Constants of the full length: a shorter one is padded by SQL before it is compared.
    tests = _tested("c", tagged.STRING, "a    ", "abcde", "     ") + _tested("v", tagged.STRING, "a", "a    ")
    queries = _queries(tests, "c", "v")
    return HandMade("padded", files, (("char", read), ("added", added)), (("char", queries),))


def _left_out() -> Iterator[HandMade]:
    """Yield tables of which some files cannot be opened, or are removed."""
    files: Files = (
        ("part-0", (_K,), [["1", "2"]]),
        ("part-1", (_K,), [["3", None]]),
    )
    broken = (
        ("part-0-a", 0.5, b""),
        ("part-b", 0.0, b"no such file\n" * 9),
        ("part-c", 0.9, b"\0" * 40),
        ("part-d", 0.0, b""),
    )
    read = TableRead(fields_of((_K,)), skips_corrupt=True)
    queries = _queries(_tested("k", _INT, "2"), "k")
    yield HandMade("corrupt", files, (("left-out", read),), (("left-out", queries),), broken=broken)
    reads = [
        (format_, TableRead(fields_of((_K,)), removed=(f"part-1.{format_}",))) for format_ in (PARQUET, ORC)
    ]
    for format_, gone in reads:
        named = (("passed-over", gone),)
        yield HandMade("removed", files, named, (("passed-over", queries),), (format_,))


def _keyless() -> HandMade:
    """Return a table whose folders are named only by values, without the column's name."""
    files: Files = (
        ("2020/a%3Db/part-0", (_K,), [["1", "2"]]),
        ("2020/x/part-0", (_K,), [[]]),
        ("-1/x/part-1", (_K,), [["3", None]]),
    )
    partitions = (Field("year", _INT), Field("city", tagged.STRING))
    read = TableRead(fields_of((_K,)), partitions, keyless=True)
    tests = _tested("year", _INT, "-1", "2020") + _tested("city", tagged.STRING, "a=b", "x")
    return HandMade("keyless", files, (("values", read),), (("values", _queries(tests, "k", "year")),))


def _held_twice() -> HandMade:
    """Return a table whose files have a column of the name of a partition column, of any value."""
    year = Member(2, "year", _INT)
    files: Files = (
        ("year=2020/part-0", (_K, year), [["1", "2"], ["1999", None]]),
        ("year=2021/part-1", (year, _K), [["2021"], ["3"]]),
        ("year=2022/part-2", (_K,), [["4"]]),
    )
    read = TableRead(fields_of((_K,)), (Field("year", _INT),))
    tests = _tested("year", _INT, "2020", "2022")
    return HandMade("held-twice", files, (("year", read),), (("year", _queries(tests, "k", "year")),))


def _deep() -> HandMade:
    """Return a table with files at several depths, some of which have other names."""
    files: Files = (
        ("part-0", (_K,), [["1"]]),
        ("year=2020/part-1", (_K,), [["2", None]]),
        ("year=2021/deeper/other-2", (_K,), [["3"]]),
    )
    columns = fields_of((_K,))
    reads = (
        ("recursive", TableRead(columns, recursive=True)),
        ("named", TableRead(columns, recursive=True, name_pattern="part-*")),
        ("none-named", TableRead(columns, recursive=True, name_pattern="no-?.*")),
    )
    queries = _queries(_tested("k", _INT, "2"), "k")
    return HandMade("deep", files, reads, (("recursive", queries), ("named", queries)))


def _unified() -> HandMade:
    """Return a table whose columns are in no file all together; one file has no rows."""
    x, y = Member(11, "x", _INT), Member(12, "y", tagged.STRING)
    short, whole = (Member(10, "s", shape="struct", members=fields) for fields in ((x,), (x, y)))
    list_of_short, list_of_whole = (
        Member(20, "l", shape="list", members=(replace(each, id=21, name="element"),))
        for each in (short, whole)
    )
    a, b = Member(2, "a", tagged.STRING), Member(3, "b", decimal(7, 2))
    files: Files = (
        ("year=2020/part-0", (_K, a, short), [["1", "2"], ["x", None], [["7"], None]]),
        ("year=2021/part-1", (b, whole, _K), [["-150", None], [["8", "z"], [None, None]], ["3", None]]),
        ("year=2021/part-2", (_K, list_of_whole), [[], []]),
        ("year=-1/part-3", (_K, list_of_short), [["4"], [[["9"], None]]]),
    )
    columns, year = fields_of((_K, a, b, whole, list_of_whole)), Field("year", _INT)
    flat = fields_of((_K, a, b))
    text = (Field("year", tagged.STRING),)
    reads = (
        ("all", TableRead(columns, (year,), unified=True)),
        ("text", TableRead(columns, text, unified=True)),
        ("some", TableRead(flat[1:], (year,), unified=True)),
        ("no-years", TableRead(flat, unified=True, recursive=True)),
    )
    tests = _tested("a", tagged.STRING, "x") + _tested("b", decimal(7, 2), "-150", "1")
    tests += [*_tested("year", _INT, "-1", "2021"), Not(IsNull(("s", "y"))), IsNull(("s",))]
    return HandMade("unified", files, reads, (("all", _queries(tests, "k", "b", "year")),))


def tables() -> Iterator[HandMade]:
    """Yield the tables."""
    yield _keyless()
    yield _held_twice()
    yield _deep()
    yield _unified()
    yield (table := _defaults())
    yield _orc(table)
    yield _padded()
    yield from _left_out()
