"""Options of writers: how a value of each is drawn for a table, and what an option makes of types.

The options of an engine stand in `harness/engines/<name>/write_options.py` as `OPTIONS`, by format. A drawn
value is JSON; options by column are `{"columns": [path, …]}` or `{"by_column": {path: value}}`, so that they
can be cut to the columns that are left (`fitting`). Standard library only, Python 3.9.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple, Union

from corpora.keys import Keys
from corpora.tagged import Table, Type, Value

Chosen = Mapping[str, Any]
Draw = Callable[[random.Random, Table], Any]
Change = Callable[[Type], Union["tuple[Type, Callable[[Any], Value]]", None]]
COLUMNS, BY_COLUMN = "columns", "by_column"
CHOSEN = "chosen"  # the member of the options of a `write` request that has drawn ones
_SHARES = (0.08, 0.2, 0.45)  # of an engine's options that a file has
_PATH = "."


class Option(NamedTuple):
    """An option: its name, how a value is drawn (None: the default), and the page that documents it."""

    name: str
    draw: Draw
    page: str


def _as_given(table: Table, _: Chosen) -> Table:
    return table


def _no_keys(_: Chosen) -> Keys | None:
    return None


def _no_columns(_: Chosen) -> Collection[str]:
    return ()


def _always(_: Type, __: Sequence[Value]) -> bool:
    return True


class WriterOptions(NamedTuple):
    """The options of an engine's writer of a format.

    `takes` returns whether it writes columns of a type, `stored` the table that a file then holds, where the
    engine documents that options or types change it; `holds` whether the engine has the values of a column;
    `keys` the keys of a file that options encrypt, None for any other; `sealed` the paths of the columns that
    options encrypt with keys of their own. `partitions`: it writes folders of partitioned tables, too.
    """

    options: tuple[Option, ...]
    takes: Callable[[Type], bool]
    stored: Callable[[Table, Chosen], Table] = _as_given
    holds: Callable[[Type, Sequence[Value]], bool] = _always
    keys: Callable[[Chosen], Keys | None] = _no_keys
    sealed: Callable[[Chosen], Collection[str]] = _no_columns
    partitions: bool = False


def choose(
    writer: WriterOptions, name: str, table: Table, available: Collection[str] | None
) -> dict[str, Any]:
    """Return options for a table; they follow from `name` and the table alone.

    `available` are the options that the engine's version has, None for all.
    """
    share = random.Random(f"{name}/share").choice(_SHARES)  # noqa: S311 - must be repeatable
    chosen = {}
    for option in writer.options:
        source = random.Random(f"{name}/{option.name}")  # noqa: S311 - must be repeatable
        if source.random() < share and (available is None or option.name in available):
            value = option.draw(source, table)
            if value is not None:
                chosen[option.name] = value
    return chosen


def any_type(_: Type) -> bool:
    """Return True: the option is one of columns of any type."""
    return True


def among(*values: Any) -> Draw:
    """Draw one of the values."""
    return lambda source, _: source.choice(values)


def paths(fits: Callable[[Type], bool], *, inner: bool = False) -> Callable[[Table], list[str]]:
    """Return the function that lists the columns whose type fits; `inner`: leaves at any depth, by path."""

    def listed(table: Table) -> list[str]:
        if not inner:
            return [field.name for field in table.columns if fits(field.type)]
        return [
            path for field in table.columns for path, type_ in leaves(field.name, field.type) if fits(type_)
        ]

    return listed


def leaves(path: str, type_: Type) -> Iterator[tuple[str, Type]]:
    """Yield the leaves below a column by their paths in a Parquet schema of three-level lists."""
    if not type_.children:
        yield path, type_
    for child in type_.children:
        middle = {"list": "list.", "map": "key_value."}.get(type_.kind, "")
        yield from leaves(f"{path}.{middle}{child.name}", child.type)


def scalars(type_: Type, values: Iterable[Any]) -> Iterator[tuple[Type, Value]]:
    """Yield the values without children that are not null, each with its type, at any depth."""
    for value in values:
        if value is None:
            continue
        if not type_.children:
            yield type_, value
        elif type_.kind == "list":
            yield from scalars(type_.children[0].type, value)
        else:
            for pair in value if type_.kind == "map" else [value]:
                for child, item in zip(type_.children, pair):
                    yield from scalars(child.type, [item])


def some_columns(listed: Callable[[Table], list[str]]) -> Draw:
    """Draw a subset of columns that is not empty; None if no column fits."""

    def draw(source: random.Random, table: Table) -> Any:
        names = listed(table)
        return {COLUMNS: _subset(source, names)} if names else None

    return draw


def by_column(listed: Callable[[Table], list[str]], values: Callable[[str, Table], Sequence[Any]]) -> Draw:
    """Draw a value for each column of a subset; None if no column fits."""

    def draw(source: random.Random, table: Table) -> Any:
        names = [name for name in listed(table) if values(name, table)]
        if not names:
            return None
        return {BY_COLUMN: {name: source.choice(values(name, table)) for name in _subset(source, names)}}

    return draw


def either(*draws: Draw) -> Draw:
    """Draw by one of several ways."""
    return lambda source, table: source.choice(draws)(source, table)


def sizes() -> Draw:
    """Draw two to six numbers of rows, which may be 0, whose sum is that of the table's rows."""

    def draw(source: random.Random, table: Table) -> Any:
        count = table.num_rows
        cuts = sorted(source.randint(0, count) for _ in range(source.randint(1, 5)))
        return [after - before for before, after in zip([0, *cuts], [*cuts, count])]

    return draw


def _subset(source: random.Random, names: Sequence[str]) -> list[str]:
    chosen = [name for name in names if source.random() < 0.5]
    return chosen or [source.choice(names)]


def fitting(chosen: Chosen, table: Table) -> dict[str, Any]:
    """Return options without the columns that the table lacks; numbers of rows fit the table's."""
    there = {field.name for field in table.columns}
    result: dict[str, Any] = {}
    for name, value in chosen.items():
        if isinstance(value, dict) and COLUMNS in value:
            names = [path for path in value[COLUMNS] if _is_in(path, there)]
            result.update({name: {COLUMNS: names}} if names else {})
        elif isinstance(value, dict) and BY_COLUMN in value:
            held = {path: each for path, each in value[BY_COLUMN].items() if _is_in(path, there)}
            result.update({name: {BY_COLUMN: held}} if held else {})
        else:
            result[name] = _cut(value, table.num_rows) if isinstance(value, list) else value
    return result


def _is_in(path: str, names: Collection[str]) -> bool:
    return any(path == name or path.startswith(name + _PATH) for name in names)


def _cut(numbers: Sequence[int], rows: int) -> list[int]:
    """Return numbers of rows whose sum is `rows`."""
    result = []
    for number in numbers[:-1]:
        result.append(min(number, rows))
        rows -= result[-1]
    return [*result, rows]


def chunked(chosen: Chosen) -> list[str]:
    """Return the source that divides `table` of Arrow into chunks, with `pa`; none if no chunks are drawn."""
    if "chunks" not in chosen:
        return []
    starts = [sum(chosen["chunks"][:at]) for at in range(len(chosen["chunks"]))]
    pairs = list(zip(starts, chosen["chunks"]))
    return [f"table = pa.concat_tables([table.slice(at, rows) for at, rows in {pairs}])"]


def plain(value: Any) -> Any:
    """Return a drawn value as an engine takes it: lists and dicts of columns without their mark."""
    if isinstance(value, dict):
        return value.get(COLUMNS, value.get(BY_COLUMN, value))
    return value


def only_kinds(*kinds: str, lacks: Callable[[Type], bool] | None = None) -> Callable[[Type], bool]:
    """Return the function that tells whether a type and those below it are of these kinds, none lacked."""

    def takes(type_: Type) -> bool:
        own = (
            type_.kind in kinds
            and not (lacks and lacks(type_))
            and (type_.kind != "struct" or type_.children)
        )
        return bool(own) and all(takes(child.type) for child in type_.children)

    return takes


def changed(table: Table, change: Change) -> Table:
    """Return a table whose types and values are changed, at any depth, where `change` returns how."""
    fields = [(field.name, _changed_type(field.type, change)) for field in table.columns]
    columns = [
        [_changed_value(field.type, value, change) for value in table.column(at)]
        for at, field in enumerate(table.columns)
    ]
    return Table.of(fields, columns, table.num_rows)


def _changed_type(type_: Type, change: Change) -> Type:
    other = change(type_)
    if other:
        return other[0]
    return replace(
        type_,
        children=tuple(child._replace(type=_changed_type(child.type, change)) for child in type_.children),
    )


def _changed_value(type_: Type, value: Any, change: Change) -> Any:
    if value is None:
        return None
    other = change(type_)
    if other:
        return other[1](value)
    types = [child.type for child in type_.children]
    if type_.kind == "list":
        return [_changed_value(types[0], item, change) for item in value]
    if type_.kind == "map":
        return [[_changed_value(each, item, change) for each, item in zip(types, pair)] for pair in value]
    if type_.kind == "struct":
        return [_changed_value(each, item, change) for each, item in zip(types, value)]
    return value
