"""The known facts about a column, or a field of structs, that a predicate can test."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from corpora.constants import QueryError, check_constant, comparable, order_key
from corpora.evaluation import resolve
from corpora.tagged import Field, Table, Type, Value

Path = tuple[str, ...]
Bounds = tuple[Value, Value]  # minimum and maximum; None for a bound that is absent or cannot be a constant

MOST_FIELDS = 4_096  # of a file, whatever its schema claims
_DEEPEST = 8  # names in a path
_MOST_VALUES = 4_096  # distinct values that are kept in order


@dataclass(frozen=True)
class ColumnFacts:
    """The type of a column, its values as far as they were read, and its metadata.

    `values` are distinct and in order; `single` occur exactly once. `nulls` is whether a null was read,
    `strays` whether a value was that is none of the type's, such as a number that its 8 bits cannot hold.
    `bounds` are those of row groups or stripes, `page_bounds` those of pages or of row index entries, in the
    order of the file; `page_starts` are the first rows of pages within the file. `marks` name properties
    that readers are known to fail on (`marks.WEIGHTS`).
    """

    path: Path
    type: Type
    values: tuple[Value, ...] = ()
    single: tuple[Value, ...] = ()
    nulls: bool = False
    strays: bool = False
    bounds: tuple[Bounds, ...] = ()
    page_bounds: tuple[Bounds, ...] = ()
    page_starts: tuple[int, ...] = ()
    marks: frozenset[str] = field(default=frozenset())

    def marked(self, *marks: str) -> ColumnFacts:
        """Return the facts with more marks."""
        return replace(self, marks=self.marks | set(marks))


def columns_of(table: Table) -> Iterator[ColumnFacts]:
    """Yield the facts of the values of a table: its columns, and the fields of structs.

    A path that is not unique is left out.
    """
    for path in _paths(table.columns):
        values: list[Value] = []
        type_, _ = resolve(path, table.columns, [[] for _ in table.columns])
        for block in table.blocks():
            values += resolve(path, table.columns, block)[1]
        yield _facts(path, type_, values)


def _paths(fields: Sequence[Field]) -> list[Path]:
    """Return the unique paths of columns and fields of structs, at most MOST_FIELDS."""
    paths: list[Path] = []
    pending: list[tuple[Path, Sequence[Field]]] = [((), fields)]
    while pending and len(paths) < MOST_FIELDS:
        above, within = pending.pop(0)
        names = Counter(item.name for item in within)
        for item in within[:MOST_FIELDS]:
            if names[item.name] == 1:
                path = (*above, item.name)
                paths.append(path)
                if item.type.kind == "struct" and len(path) < _DEEPEST:
                    pending.append((path, item.type.children))
    return paths[:MOST_FIELDS]


def _facts(path: Path, type_: Type, values: Sequence[Value]) -> ColumnFacts:
    nulls = any(value is None for value in values)
    if not comparable(type_):
        return ColumnFacts(path, type_, nulls=nulls)
    counts: Counter[Value] = Counter(value for value in values if isinstance(value, (str, bool)))
    present = ordered(type_, counts)
    strays = len(present) < len(counts)
    if len(present) > _MOST_VALUES:  # evenly, the extremes among them
        step = len(present) / _MOST_VALUES
        present = [*(present[int(at * step)] for at in range(_MOST_VALUES - 1)), present[-1]]
    single = tuple(value for value in present if counts[value] == 1)
    return ColumnFacts(path, type_, tuple(present), single, nulls, strays)


def ordered(type_: Type, values: Iterable[Value]) -> list[Value]:
    """Return the distinct values that can be constants, in the order of their type, floats in total order."""
    legal = [value for value in dict.fromkeys(values) if is_constant(type_, value)]
    return sorted(legal, key=lambda value: order_key(type_, value, "total"))


def outermost(count: int, most: int) -> list[int]:
    """Return at most `most` of `count` numbers from both ends in turns: the first, the last, the second."""
    numbers = list(range(min(count, most // 2)))
    numbers += range(max(len(numbers), count - most // 2), count)
    return [numbers[-1 - at // 2] if at % 2 else numbers[at // 2] for at in range(len(numbers))]


def is_constant(type_: Type, value: object) -> bool:
    """Return whether a value can be a constant of a query."""
    try:
        check_constant(type_, value)
    except QueryError:
        return False
    return True
