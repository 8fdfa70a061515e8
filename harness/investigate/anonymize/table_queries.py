"""Queries of a table, with the names and values of its anonymized folder."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from datetime import timedelta
from typing import Any, NamedTuple, TypeVar

from corpora.build.formats import ORC, PARQUET
from corpora.cases import Case, Probe
from corpora.queries import Query
from corpora.table_reads import BY_POSITION, CASELESS, METADATA, METADATA_PREFIX, TableRead
from corpora.tagged import Field, Type, Value, text
from harness.engines.terms import bytes_of
from harness.investigate.anonymize import orc_queries, queries
from harness.investigate.anonymize.columns import EPOCH
from harness.investigate.anonymize.drafts import Column, Draft
from harness.investigate.anonymize.partitions import Partitions
from reference_impl.errors import Unsupported


class _Form(NamedTuple):
    """How a constant of a query is added to the map of a column, and which one it becomes."""

    note: Callable[[Any, Type, Value], None]
    other: Callable[[Any, Type, Value], Value]


_FORMS = {
    PARQUET.name: _Form(queries.note, queries.other),
    ORC.name: _Form(orc_queries.note, orc_queries.other),
}


_T = TypeVar("_T")
_NUMBERED = tuple(METADATA_PREFIX + name for name, type_ in METADATA.items() if type_.kind == "int")
_FILE_NAME = METADATA_PREFIX + "file_name"
_NEUTRAL: dict[str, Value] = {
    **dict.fromkeys(("int", "decimal", "date", "timestamp"), "0"),
    **dict.fromkeys(("string", "bytes"), ""),
    "bool": False,
}


class Constants:
    """The constants of the queries of a table, which are mapped with the values of their columns.

    Columns that no file has are null: any constant will do.
    """

    def __init__(
        self,
        drafts: Mapping[str, Draft],
        schemas: Mapping[str, Sequence[Field]],
        partitions: Partitions,
        format_: str,
    ) -> None:
        self._columns = [
            (column, types.get(column.path))
            for path, draft in drafts.items()
            for types in (dict(_types(schemas[path])),)
            for column in draft.columns
        ]
        self._partitions, self._form = partitions, _FORMS[format_]
        self.moved = dict.fromkeys(map(_name, drafts), "")  # the new name of each file, once it is known

    def move(self, path: str, target: str) -> None:
        """Note where a file goes."""
        self.moved[_name(path)] = _name(target)

    def note(self, case: Case) -> None:
        """Add the constants of the queries of a case to the maps of their columns; raises Unsupported."""
        assert case.read is not None
        if case.probes and case.read.matching == BY_POSITION:
            raise Unsupported("queries of a table whose columns are found by position are not anonymized")
        for probe in case.probes:
            for path, type_, value in queries.constants(probe.query):
                if value is not None:
                    self._note(path, type_, value, case.read)

    def _note(self, path: tuple[str, ...], type_: Type, value: Value, read: TableRead) -> None:
        columns = list(self._named(path, read))
        if path[0] in dict(read.defaults):
            raise Unsupported(f"a query of {path[0]}, which has a default, is not anonymized")
        if columns:
            for _, held in columns:
                if held is None or _domain(held) != _domain(type_):
                    name = ".".join(path)
                    raise Unsupported(f"a query compares {name} as {type_}, which a file has as {held}")
            _first(columns, self._form.note, type_, value)
        elif len(path) == 1 and path[0] in self._partitions.texts:
            self._partitions.texts[path[0]].add(_to_text(type_, value))
            self._partitions.compared[path[0]].add(type_.kind)
        else:
            self._of_no_file(path, type_, value)

    def probes(self, case: Case, names: Mapping[str, str]) -> tuple[Probe, ...]:
        """Return the queries of a case with the new names and values; their rows follow from the table."""
        return tuple(Probe(self._renamed(probe.query, case.read, names)) for probe in case.probes)

    def _renamed(self, query: Query, read: TableRead | None, names: Mapping[str, str]) -> Query:
        assert read is not None

        def other(path: tuple[str, ...], type_: Type, value: Value) -> Value:
            columns = list(self._named(path, read))
            if columns:
                return _first(columns, self._form.other, type_, value)
            if len(path) > 1 or path[0] not in self._partitions.new:
                return self._of_no_file(path, type_, value)
            return _of_text(type_, self._partitions.new[path[0]][_to_text(type_, value)])

        return queries.reworded(query, names, other)

    def _named(self, path: tuple[str, ...], read: TableRead) -> Iterator[tuple[Column, Type | None]]:
        """Yield the columns of files that a path of the read means, by id or name, with their types."""
        number = dict(read.ids).get(path)
        lower = tuple(map(str.lower, path))
        for column, type_ in self._columns:
            if number is not None:
                is_meant = column.id == number
            elif read.matching == CASELESS:
                is_meant = tuple(map(str.lower, column.path)) == lower
            else:
                is_meant = column.path == path
            if is_meant:
                yield column, type_

    def _of_no_file(self, path: tuple[str, ...], type_: Type, value: Value) -> Value:
        """Return a constant of a column that no file has; raises Unsupported for other names of files."""
        if path[0] in _NUMBERED:  # places in a file, which stay
            return value
        if path[0] == _FILE_NAME:
            if value not in self.moved:
                raise Unsupported(
                    f"a query that compares {path[0]} with a name that is no file is not anonymized"
                )
            return self.moved[str(value)]
        if type_.kind in _NEUTRAL:
            return _NEUTRAL[type_.kind]
        if type_.kind == "float":
            return "0" * ((type_.bits or 64) // 4)
        raise Unsupported(f"a query of {'.'.join(path)}, which no file has")


def _name(path: str) -> str:
    return path.rpartition("/")[2]


def _types(fields: Iterable[Field], above: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Type]]:
    """Yield the types of columns, and of fields of structs, by path."""
    for field in fields:
        path = (*above, field.name)
        yield path, field.type
        if field.type.kind == "struct":
            yield from _types(field.type.children, path)


def _domain(type_: Type) -> object:
    """Return what a constant shares with a column into whose map it is put: integers are alike."""
    if type_.kind in {"int", "decimal"}:
        return type_.kind, type_.scale
    return type_


def _first(
    columns: Iterable[tuple[Column, object]], use: Callable[[Any, Type, Value], _T], type_: Type, value: Value
) -> _T:
    """Return what `use` makes of the first column that can hold a constant; raises Unsupported."""
    why = Unsupported("")
    for column, _ in columns:
        try:
            return use(column, type_, value)
        except Unsupported as error:
            why = error
    raise why


def _to_text(type_: Type, value: Value) -> str:
    """Return a constant as the name of a folder says it; raises Unsupported."""
    if type_.kind == "string":
        return bytes_of(type_, value).decode("utf-8", "surrogateescape")
    if type_.kind == "int":
        return str(value)
    if type_.kind == "date":
        with suppress(OverflowError):  # beyond the years that a folder's name can say
            return (EPOCH + timedelta(int(str(value)))).isoformat()
    raise Unsupported(f"a query of a partition column of {type_}")


def _of_text(type_: Type, new: str) -> Value:
    """Return the constant that the name of a folder says, the inverse of `_to_text`."""
    if type_.kind == "string":
        return text(new.encode("utf-8", "surrogateescape"))
    return new if type_.kind == "int" else str((EPOCH.fromisoformat(new) - EPOCH).days)
