"""Reductions of tables: fewer files, a simpler read, and the reductions of files in each file."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import NamedTuple

from corpora.build.evolution.own import columns_of
from corpora.build.opening import open_bytes
from corpora.table_files import partition_values
from corpora.table_reads import EXACT, TableRead
from corpora.tagged import Field, Type
from harness.investigate.minimize import reductions
from harness.investigate.minimize.bundle import Bundle
from harness.investigate.minimize.reduction import Impossible, Reduction, Sites, overlaps, whole_change

_GROWTH = 1 << 8
_BELOW = 1 << 16  # bytes that a table may grow to by becoming simpler
Path = tuple[str, ...]


def of(format: str, reserved: frozenset[str]) -> tuple[Reduction, ...]:  # noqa: A002 - the word for it everywhere
    """Return the reductions of tables of a format, coarse before fine; `reserved` names stay."""
    inside = reductions.of_parts(format, reserved)
    stored = Reduction("types of the read", partial(types, format=format), _GROWTH, _BELOW)
    return (FILES, SPLITS, MATCHING, PARTITIONS, COLUMNS, stored, *map(_in_files, inside))


def witnesses(format: str) -> tuple[Reduction, ...]:  # noqa: A002 - the word for it everywhere
    """Return the reductions that show what a finding needs: splits, matching, partitions, parts of files."""
    inside = reductions.witnesses(format)
    return (SPLITS, MATCHING, PARTITIONS, *map(_in_files, inside))


def names(read: TableRead) -> set[str]:
    """Return the names of the fields of a read, at any depth."""
    return {path[-1] for path, _ in _walk(read.schema)}


def _in_files(reduction: Reduction) -> Reduction:
    """Return a reduction of files as one of tables, whose sites are those of all files."""

    def sites(data: bytes) -> Sites:
        bundle = Bundle.unpack(data)
        own = [reduction.sites_in(content) for _, content in bundle.files]
        counts = [each.count for each in own]

        def reduced(start: int, stop: int) -> bytes:
            files = list(bundle.files)
            for number, low, high in overlaps(start, stop, counts):
                files[number] = files[number][0], own[number].reduced(low, high)
            return replace(bundle, files=tuple(files)).pack()

        return Sites(sum(counts), reduced)

    below = _BELOW if reduction.growth else 0
    return Reduction(reduction.name, sites, reduction.growth, below, reduction.finest)


def files(data: bytes) -> Sites:
    """Leave out files; one stays."""
    bundle = Bundle.unpack(data)

    def reduced(start: int, stop: int) -> bytes:
        left = (*bundle.files[:start], *bundle.files[stop:])
        if not left:
            raise Impossible("a folder without files is no table")
        return replace(bundle, files=left).pack()

    return Sites(len(bundle.files), reduced)


def _changed(data: bytes, change: Callable[[TableRead], TableRead]) -> Sites:
    """Return a change to the read as a single site."""
    bundle = Bundle.unpack(data)
    return whole_change(data, replace(bundle, read=change(bundle.read)).pack())


def splits(data: bytes) -> Sites:
    """Read each file in the splits that are the engine's default."""
    return _changed(data, lambda read: replace(read, split_bytes=None))


def matching(data: bytes) -> Sites:
    """Find fields by their names as they are written."""
    return _changed(data, lambda read: replace(read, matching=EXACT, ids=()))


def partitions(data: bytes) -> Sites:
    """Leave out partition columns, with the folders that hold them."""
    bundle = Bundle.unpack(data)
    keys = list(dict.fromkeys(key for path, _ in bundle.files for key in partition_values(path)))

    def reduced(start: int, stop: int) -> bytes:
        gone = set(keys[start:stop])
        left = tuple(field for field in bundle.read.partitions if field.name not in gone)
        moved = tuple((_without_folders(path, gone), content) for path, content in bundle.files)
        if len({path for path, _ in moved}) < len(moved):
            raise Impossible("two files of one name")
        return Bundle(replace(bundle.read, partitions=left), moved).pack()

    return Sites(len(keys), reduced)


def _without_folders(path: str, gone: set[str]) -> str:
    *above, name = path.split("/")
    return "/".join([*(folder for folder in above if not gone & partition_values(f"{folder}/").keys()), name])


def columns(data: bytes) -> Sites:
    """Leave out fields of the read, outer before inner; a struct, list or map goes with its last field."""
    bundle = Bundle.unpack(data)
    paths = [path for path, parent in _walk(bundle.read.columns) if parent in {None, "struct"}]

    def reduced(start: int, stop: int) -> bytes:
        gone = set(paths[start:stop])
        left = tuple(_pruned(bundle.read.columns, gone, ()))
        ids = tuple((path, number) for path, number in bundle.read.ids if not _is_below(path, gone))
        return replace(bundle, read=replace(bundle.read, columns=left, ids=ids)).pack()

    return Sites(len(paths), reduced)


class _Place(NamedTuple):
    """A field of a schema: its path, and the kind of what holds it, None for a column."""

    path: Path
    parent: str | None


def _walk(fields: Sequence[Field], path: Path = (), parent: str | None = None) -> Iterator[_Place]:
    """Yield the fields of a schema at any depth, outer before inner."""
    for field in fields:
        yield _Place((*path, field.name), parent)
        yield from _walk(field.type.children, (*path, field.name), field.type.kind)


def _is_below(path: Path, gone: set[Path]) -> bool:
    return any(path[: depth + 1] in gone for depth in range(len(path)))


def _pruned(fields: Sequence[Field], gone: set[Path], path: Path) -> Iterator[Field]:
    """Yield the fields that are left; raises Impossible where a list or map would lose what it holds."""
    for field in fields:
        here = (*path, field.name)
        if here in gone:
            continue
        left = tuple(_pruned(field.type.children, gone, here))
        if field.type.children and not left:
            continue
        if field.type.kind != "struct" and len(left) < len(field.type.children):
            raise Impossible("a list or map without its elements")
        yield Field(field.name, replace(field.type, children=left))


def types(data: bytes, format: str) -> Sites:  # noqa: A002 - the word for it everywhere
    """Read scalar columns in the types that files have; raises the errors of the reference."""
    bundle = Bundle.unpack(data)
    stored: dict[str, Type] = {}
    for _, content in bundle.files:
        stored |= {field.name: field.type for field in columns_of(open_bytes(content, format))}
    columns_ = bundle.read.columns
    places = [at for at, field in enumerate(columns_) if _is_converted(field, stored.get(field.name))]

    def reduced(start: int, stop: int) -> bytes:
        new = list(columns_)
        for at in places[start:stop]:
            new[at] = Field(new[at].name, stored[new[at].name])
        return replace(bundle, read=replace(bundle.read, columns=tuple(new))).pack()

    return Sites(len(places), reduced)


def _is_converted(field: Field, stored: Type | None) -> bool:
    """Return whether a scalar of a read is another scalar in the files."""
    return stored is not None and not field.type.children and not stored.children and field.type != stored


FILES = Reduction("files", files)
SPLITS = Reduction("splits", splits)
MATCHING = Reduction("matching", matching)
PARTITIONS = Reduction("partition columns", partitions)
COLUMNS = Reduction("columns of the read", columns)
