"""Small handmade tables, each of which reproduces an error that was seen in a reader."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from corpora import tagged
from corpora.build.areas.files import ARROW_DURATION
from corpora.build.evolution.members import Member, Schema, fields_of
from corpora.conversions import NULL_PARTITION
from corpora.formats import ORC, PARQUET
from corpora.predicates import Compare, IsNull
from corpora.queries import Aggregate, Filter, Query
from corpora.table_reads import TableRead
from corpora.tagged import Field, Table, Type, Value, decimal, floating, integer

_INT = integer(32)


class HandMade(NamedTuple):
    """A table by name: files by path, each a schema and its columns; reads by name, and queries of them.

    `broken` are files that cannot be opened: by path, the share of the first file that they begin with, and
    the bytes behind it. `metadata` are the keys and values that the footer of each file of Parquet has.
    """

    name: str
    files: tuple[tuple[str, Schema, list[list[Value]]], ...]
    reads: tuple[tuple[str, TableRead], ...]
    queries: tuple[tuple[str, tuple[Query, ...]], ...] = ()
    formats: tuple[str, ...] = (PARQUET, ORC)
    broken: tuple[tuple[str, float, bytes], ...] = ()
    metadata: tuple[tuple[str, str | None], ...] = ()

    def tables(self) -> Iterator[tuple[str, Schema, Table]]:
        """Yield path, schema and rows of each file."""
        for path, schema, columns in self.files:
            fields = [(field.name, field.type) for field in fields_of(schema)]
            yield path, schema, Table.of(fields, columns)


def _integers() -> HandMade:
    """Return a table of the least and greatest integers, which are widened."""
    schema = tuple(Member(at + 1, f"i{bits}", integer(bits)) for at, bits in enumerate((8, 16, 32)))
    limits: list[list[Value]] = [
        [str(-(1 << bits - 1)), str((1 << bits - 1) - 1), None, "-1"] for bits in (8, 16, 32)
    ]

    def wider(*types: Type) -> TableRead:
        return TableRead(
            tuple(Field(member.name, type_) for member, type_ in zip(schema, types, strict=True))
        )

    reads = {
        "next": wider(integer(16), integer(32), integer(64)),
        "longs": wider(*[integer(64)] * 3),
        "doubles": wider(*[floating(64)] * 3),
        "decimals": wider(decimal(6, 2), decimal(10, 3), decimal(12, 2)),
        "split-1": TableRead(fields_of(schema), split_bytes=1),  # each byte of the file is a task
    }
    return HandMade("integers", (("part-0", schema, limits),), tuple(reads.items()))


def _durations() -> HandMade:
    """Return a table of integers that the schema of a writer of Arrow calls durations.

    parquet.thrift, KeyValue: what a key means is a matter of applications; the type is that of SchemaElement.
    """
    d = Member(1, "d", integer(64))
    queries = (Filter(Compare(("d",), ">", integer(64), "1")), Filter(IsNull(("d",))), Aggregate(("d",)))
    return HandMade(
        "arrow-durations",
        (("part-0", (d,), [["1", None]]), ("part-1", (d,), [["-5", "86400"]])),
        (("integers", _read(d)),),
        (("integers", queries),),
        (PARQUET,),
        metadata=(("ARROW:schema", ARROW_DURATION),),
    )


def _map_of(*fields: Member) -> Member:
    key = Member(2, "key", tagged.STRING, required=True)
    value = Member(3, "value", shape="struct", members=fields)
    return Member(1, "m", shape="map", members=(key, value))


def _read(*schema: Member) -> TableRead:
    return TableRead(fields_of(schema))


def tables() -> Iterator[HandMade]:
    """Yield the tables."""
    a, b, c = (Member(4 + at, name, _INT) for at, name in enumerate("abc"))
    entry: list[Value] = [[["k", ["1", "2"]]]]
    yield HandMade(
        "structs-in-maps",
        (("part-0", (_map_of(a, b),), [entry]),),
        (("shifted", _read(_map_of(b, c))), ("reversed", _read(_map_of(b, a)))),
    )
    yield _integers()
    yield _durations()
    column = (Member(1, "a", _INT),)
    text = TableRead((Field("a", _INT),), (Field("city", tagged.STRING),))
    yield HandMade(
        "null-partition",
        ((f"city={NULL_PARTITION}/part-0", column, [["1"]]), ("city=x/part-0", column, [["2"]])),
        (("text", text),),
    )
