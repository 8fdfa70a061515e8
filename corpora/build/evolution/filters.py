"""Queries of a table: filters of data columns, of partition columns and of both, extremes, and limits.

Constants are values of the table, those next to them, and the extremes of the reader's type, which lie beyond
the statistics of files with a narrower one.
"""

from __future__ import annotations

import random
from collections.abc import Iterator

from corpora.build.evolution.members import scalar
from corpora.build.questions.columns import is_constant
from corpora.cases import Probe
from corpora.constants import comparable
from corpora.evaluation import resolve
from corpora.queries import (
    OPERATORS,
    Aggregate,
    AggregateWhere,
    And,
    Compare,
    CountRows,
    Fields,
    Filter,
    In,
    IsNull,
    Not,
    NullSafe,
    Or,
    Predicate,
    Query,
    Slice,
)
from corpora.table_reads import TableRead
from corpora.tagged import Field, Table, Type, Value

Path = tuple[str, ...]
_TESTS = 5  # of one column each, beside those of partitions, of several columns and of extremes
_OF_PARTITIONS = 4  # tests of partition columns, alone and beside others, which stand last
_NUMBERS = ("int", "decimal", "date", "time", "timestamp")
# Kinds of types of which any value can be drawn; of others, such as UUID, constants are values of the table.
_DRAWN = (*_NUMBERS, "bool", "float", "string", "bytes")
_ROUNDS = 4  # in which queries of a folder are drawn
_LISTED = 3  # constants of an IN
_FIELDS = 3  # of structs, in the result of a query


def probes(table: Table, read: TableRead, rng: random.Random) -> tuple[Probe, ...]:
    """Return queries of a table that is read so; () for a read of no columns."""
    columns = [place for field in read.columns for place in _places(field, ())]
    partitions = [place for field in read.answer[len(read.columns) :] for place in _places(field, ())]
    every = [*columns, *partitions]
    if not every:
        return ()

    def test(places: list[tuple[Path, Type]]) -> Predicate:
        path, type_ = rng.choice(places)
        return _test(path, type_, table, rng)

    tests = [_test(*place, table, rng) for place in rng.sample(columns, min(_TESTS, len(columns)))]
    tests += [IsNull(rng.choice(every)[0]), And((test(every), test(every))), Or((test(every), test(every)))]
    if partitions:
        tests += [test(partitions), Or((test(partitions), test(every))), Not(test(partitions))]
        tests.append(And((test(partitions), test(every))))
    queries: list[Query] = [Filter(each) for each in dict.fromkeys(tests)]
    queries.append(Filter(test(every), (rng.choice(read.answer).name,)))
    queries.append(Filter(test(every), ()))
    extremes = [path for path, type_ in every if comparable(type_)]
    queries += [Aggregate(rng.choice(extremes))] if extremes else []
    most = table.num_rows
    queries.append(Slice(0, rng.choice([1, most, most + 1, rng.randrange(most + 2)])))
    queries.append(Slice(rng.choice([0, 0, 1]), rng.randrange(most + 2), test(every)))
    # Rows are counted of filters that are asked as well: if both are wrong, it is one failure.
    own = random.Random(f"counts of {tests}")  # noqa: S311 - must be repeatable
    counted = [own.choice(tests), *([own.choice(tests[-_OF_PARTITIONS:])] if partitions else [])]
    queries += [CountRows(), *map(CountRows, dict.fromkeys(counted))]
    if extremes:
        queries.append(AggregateWhere(own.choice(extremes), counted[0]))
    if inside := [path for path, _ in columns if len(path) > 1]:
        paths = tuple(own.sample(inside, min(_FIELDS, len(inside))))
        queries += [Fields(paths[:1]), Fields(paths, own.choice(tests))]
    return tuple(map(Probe, queries))


def queries_of_folder(table: Table, read: TableRead, most: int) -> list[Probe]:
    """Return at most `most` queries of a table that is read so, always the same ones."""
    rng = random.Random("queries of a folder")  # noqa: S311 - must be repeatable
    drawn: dict[Probe, None] = {}
    for _ in range(_ROUNDS):
        drawn |= dict.fromkeys(probes(table, read, rng))
        if len(drawn) >= most:
            break
    return list(drawn)[:most]


def _places(field: Field, above: Path) -> Iterator[tuple[Path, Type]]:
    """Yield the paths that predicates can test: columns and fields of structs, at any depth."""
    path = (*above, field.name)
    yield path, field.type
    if field.type.kind == "struct":
        for child in field.type.children:
            yield from _places(child, path)


def _test(path: Path, type_: Type, table: Table, rng: random.Random) -> Predicate:
    """Return a test of a column; of a nested one, or of one without a type to compare, whether it is null."""
    word = rng.choice([*OPERATORS, "=", "!=", In.op, IsNull.op, NullSafe.op])
    if type_.kind not in _DRAWN and not _values(path, type_, table):
        word = IsNull.op  # nothing to compare with
    is_negated = rng.random() < 0.25
    if word == IsNull.op or not comparable(type_):
        test: Predicate = IsNull(path)
    elif word == In.op:
        test = In(path, type_, tuple(_constant(path, type_, table, rng) for _ in range(_LISTED)))
    elif word == NullSafe.op:
        test = NullSafe(path, type_, rng.choice([None, _constant(path, type_, table, rng)]))
    else:
        test = Compare(path, word, type_, _constant(path, type_, table, rng))
    return Not(test) if is_negated else test


def _values(path: Path, type_: Type, table: Table) -> list[Value]:
    """Return the values of a column that can be constants.

    Long text and bytes are known by their digests alone, and moments of ORC may be beyond 64 bits.
    """
    blocks = (resolve(path, table.columns, block)[1] for block in table.blocks())
    values = [value for block in blocks for value in block if value is not None]
    if type_.kind == "timestamp":
        return [value for value in values if is_constant(type_, value)]
    return [value for value in values if not isinstance(value, dict)]


def _constant(path: Path, type_: Type, table: Table, rng: random.Random) -> Value:
    """Return a value of the column, one next to it, or any of its type."""
    values, choice = _values(path, type_, table), rng.random()
    if not values or (choice < 0.25 and type_.kind in _DRAWN):
        return scalar(type_, rng)
    value = rng.choice(values)
    if choice < 0.75 or type_.kind not in _NUMBERS:
        return value
    beside = str(int(str(value)) + rng.choice([-1, 1]))
    return beside if is_constant(type_, beside) else value
