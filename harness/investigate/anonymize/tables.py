"""A folder that is a table, with other names and values: the same ones in all of its files.

Columns of one name in several files are one column, and so are those of one field id and one domain: their
values are mapped together, with the values that the names of folders hold. Files stay where they are in the
tree of folders; their names, and those of folders, are other letters and digits.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any, NamedTuple
from urllib.parse import quote, unquote

from corpora.build.evolution import own
from corpora.build.evolution.own import columns_of
from corpora.build.evolution.reading import read_folder
from corpora.build.formats import ORC, PARQUET
from corpora.build.reading import open_file
from corpora.cases import Case, Expectation
from corpora.files import whole_path
from corpora.folders import digest, files_of
from corpora.formats import BY_SUFFIX
from corpora.table_files import Undefined
from corpora.table_reads import TableRead
from corpora.tagged import Field, Value
from harness.investigate.anonymize import maps, orc, parquet
from harness.investigate.anonymize.drafts import Column, Draft
from harness.investigate.anonymize.partitions import Partitions, split
from harness.investigate.anonymize.table_queries import Constants
from reference_impl.errors import ReferenceError_, Unsupported

_DRAFTS: dict[str, Callable[[bytes, dict[tuple[str, ...], set[Any]]], Draft]] = {
    PARQUET.name: parquet.Draft,
    ORC.name: orc.Draft,
}
_INSIDE = {"list": ("element",), "map": ("key", "value")}  # of tagged types: no names of the user
# Types of defaults that are replaced; "0" is a value of each, also of text.
_WITH_DEFAULTS = frozenset({"int", "decimal", "date", "bool", "string"})


class Anonymized(NamedTuple):
    """A folder that was written, the new names by old name, and the new constants of queries."""

    folder: Path
    names: Mapping[str, str]
    constants: Constants

    def case(self, case: Case) -> Case:
        """Return a case of the old folder as one of the new folder."""
        assert case.read is not None
        read, sha256 = _renamed(case.read, self.names), digest(self.folder)
        return replace(
            case,
            id=f"files/anonymized-{sha256[:12]}",
            file=self.folder,
            sha256=sha256,
            expectation=_expectation(case, self.folder, read),
            read=read,
            probes=self.constants.probes(case, self.names),
            notes="",
        )


def anonymized(cases: Sequence[Case], out: Path, random: Random) -> Anonymized:
    """Write the files of a folder, which cases read, with other names and values.

    Raises Unsupported, with a line, for what is not anonymized, Malformed, and OSError.
    """
    folder, format_ = cases[0].file, cases[0].format
    reads = [case.read for case in cases if case.read is not None]
    _check(reads)
    paths = [path.relative_to(folder).as_posix() for path in files_of(folder)]
    drafts: dict[str, Draft] = {}
    for path in paths:
        if BY_SUFFIX.get(Path(path).suffix) == format_:
            drafts[path] = _drafted(path, folder, format_)
    partitions = Partitions(drafts)
    every = [name for draft in drafts.values() for name in draft.names]
    wanted = [*every, *partitions.texts, *(name for read in reads for name in _names(read.schema))]
    names = maps.names(wanted, parquet.STRUCTURE if format_ == PARQUET.name else (), random)
    schemas = {path: columns_of(open_file(str(folder / path), format_)) for path in drafts}
    constants = Constants(drafts, schemas, partitions, format_)
    for case in cases:
        constants.note(case)
    _close(drafts, partitions, random)
    stems = maps.texts({stem for path in paths for stem in _stems(path)}, random)
    with whole_path(out) as unfinished:
        unfinished.mkdir()
        for path, draft in drafts.items():
            moved = _moved(path, names, partitions, stems)
            constants.move(path, moved)
            target = unfinished / moved
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(draft.finished(names, random))
    return Anonymized(out, names, constants)


def _drafted(path: str, folder: Path, format_: str) -> Draft:
    try:
        return _DRAFTS[format_]((folder / path).read_bytes(), {})
    except Unsupported as error:
        raise Unsupported(f"{path}: {error}") from error


def _close(drafts: Mapping[str, Draft], partitions: Partitions, random: Random) -> None:
    """Create the maps of all columns and partitions; raises Unsupported."""
    for same in _same_columns(drafts):
        first, *others = (column for _, column in same)
        keys = {column.path[0] for _, column in same if len(column.path) == 1} & partitions.texts.keys()
        for key in keys:
            partitions.note(key, first)
        first.close_with(others, random)
        for key in keys:
            partitions.taken(key, first)
    partitions.close(random)


def _same_columns(drafts: Mapping[str, Draft]) -> Iterator[list[tuple[str, Column]]]:
    """Yield the columns of files that are one column of the table; raises Unsupported."""
    groups: list[list[tuple[str, Column]]] = []
    named: dict[tuple[str, ...], list[tuple[str, Column]]] = {}
    alike: dict[object, list[tuple[str, Column]]] = {}  # by what only columns of one domain share
    for file, draft in drafts.items():
        for column in draft.columns:
            hints: list[object] = [(tuple(map(str.lower, column.path)), column.domain)]
            hints += [] if column.id is None else [(column.id, column.domain)]
            group = named.get(column.path) or next((alike[hint] for hint in hints if hint in alike), None)
            if group is None:
                group = []
                groups.append(group)
            elif group[0][1].domain != column.domain:
                name, where = ".".join(column.path), f"{group[0][0]} and in {file}"
                raise Unsupported(
                    f"column {name} has other types in {where}: no map keeps equal values equal"
                )
            group.append((file, column))
            named[column.path] = group
            for hint in hints:
                alike.setdefault(hint, group)
    yield from groups


def _stems(path: str) -> Iterator[bytes]:
    """Yield the names of a path that are mapped: of folders without `=`, of a file what is before a dot."""
    *above, file = path.split("/")
    yield from (folder.encode("utf-8", "surrogateescape") for folder in above if not split(folder))
    yield file.partition(".")[0].encode("utf-8", "surrogateescape")


def _moved(path: str, names: Mapping[str, str], partitions: Partitions, stems: Mapping[bytes, bytes]) -> str:
    def stem(name: str) -> str:
        return stems[name.encode("utf-8", "surrogateescape")].decode("utf-8", "surrogateescape")

    *above, file = path.split("/")
    first, dot, rest = file.partition(".")
    parts = []
    for folder in above:
        partition = split(folder)
        if partition is None:
            parts.append(stem(folder))
        else:
            key = unquote(partition[0])
            parts.append(f"{quote(names[key], safe='')}={partitions.other(key, partition[1])}")
    return "/".join([*parts, f"{stem(first)}{dot}{rest}"])


def _names(fields: Iterable[Field], kind: str = "struct") -> Iterator[str]:
    """Yield the names of the user in a schema."""
    for field in fields:
        if field.name not in _INSIDE.get(kind, ()):
            yield field.name
        yield from _names(field.type.children, field.type.kind)


def _renamed(read: TableRead, names: Mapping[str, str]) -> TableRead:
    def fields(given: Iterable[Field], kind: str = "struct") -> tuple[Field, ...]:
        return tuple(
            Field(
                field.name if field.name in _INSIDE.get(kind, ()) else names[field.name],
                replace(field.type, children=fields(field.type.children, field.type.kind)),
            )
            for field in given
        )

    kinds = dict(_kinds(read.columns))
    ids = tuple((_path(path, names, kinds), number) for path, number in read.ids)
    return replace(
        read,
        columns=fields(read.columns),
        partitions=fields(read.partitions),
        ids=ids,
        defaults=tuple((names[name], _other_default(value)) for name, value in read.defaults),
        lengths=tuple((names[name], kind, length) for name, kind, length in read.lengths),
    )


def _check(reads: Iterable[TableRead]) -> None:
    """Raise Unsupported for a read that says of the user's data what is not replaced."""
    for read in reads:
        kinds = {field.name: field.type.kind for field in read.schema}
        for name, _ in read.defaults:
            if kinds[name] not in _WITH_DEFAULTS:
                raise Unsupported(f"the default of a column of {kinds[name]} is not anonymized")
        if read.removed:
            raise Unsupported("a read of files that are removed meanwhile is not anonymized")
        if read.name_pattern or read.keyless:
            raise Unsupported("names of files and folders that are no key=value are not anonymized")


def _other_default(value: Value) -> Value:
    """Return another default of the same type: 0, a text that says nothing, and a boolean as it is."""
    if isinstance(value, bool):
        return value
    return "0" if str(value).lstrip("-").isdecimal() else "default"


def _kinds(
    fields: Iterable[Field], path: tuple[str, ...] = (), kind: str = "struct"
) -> Iterator[tuple[tuple[str, ...], str]]:
    """Yield the path of each field, and the kind of what holds it."""
    for field in fields:
        yield (*path, field.name), kind
        yield from _kinds(field.type.children, (*path, field.name), field.type.kind)


def _path(
    path: tuple[str, ...], names: Mapping[str, str], kinds: Mapping[tuple[str, ...], str]
) -> tuple[str, ...]:
    return tuple(
        name if name in _INSIDE.get(kinds.get(path[: at + 1], "struct"), ()) else names[name]
        for at, name in enumerate(path)
    )


def _expectation(case: Case, folder: Path, read: TableRead) -> Expectation:
    """Return the expectation for the new folder: what the oracle makes of it, as the old one has it."""
    old = case.expectation
    if old.table is None:  # hidden files, which their reason names, are left out
        return replace(old, reason=None) if old.reason == own.refusal(case.file) else old
    try:
        return replace(old, table=read_folder(folder, case.format, read))
    except (ReferenceError_, Undefined):
        return Expectation.by_vote() if old.kind == "accept" else replace(old, table=None)
