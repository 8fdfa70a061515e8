"""The inputs of the gate: the configurations, the cases of the corpora, and the user's files in two parts.

The values of small files are sent under dozens of configurations, so the total size of these files is
bounded, the smallest files first. All other files are digested. Hive's `key=value` folders below a root,
whose names are columns, are one table, which is digested as a whole.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Sequence
from pathlib import Path

from corpora.build.evolution.own import columns_of
from corpora.build.reading import open_file
from corpora.cases import Case, Expectation, case_id
from corpora.files import digest
from corpora.folders import files_of
from corpora.tagged import Field
from harness.engines.naming import EngineName
from harness.engines.registry import Entry
from harness.investigate.upgrade.large import size_of
from harness.judging.pushdown import PUSHDOWN
from harness.judging.ways import WAY
from harness.runs.pipeline.profiles import with_pushdown
from reference_impl.errors import ReferenceError_

QUICK_FILES = 300  # of each format's corpus, unless all are requested


def configurations(
    entry: Entry,
    base: dict[str, str],
    format: str,  # noqa: A002 - the protocol's word
    *,
    every: bool,
    tables: bool = False,
) -> list[dict[str, str]]:
    """Return `base`, then `base` with one more value of each switch that affects the format.

    `every` adds the switches that only the gate tries. The switches of `base` stay. `pushdown` is left out:
    it does not affect the reading of a whole file. `tables`: folders are read, for which few engines have
    several ways.
    """
    configs = [base]
    for switch in entry.switches:
        if switch in base or switch == PUSHDOWN or (switch == WAY and tables and not entry.ways_of_tables):
            continue
        values = entry.values(switch, [format])[1:]
        if switch == WAY and entry.read_ways is not None:  # the others change the answers to queries alone
            values = tuple(value for value in values if value in entry.read_ways)
        rare = entry.rare.get(switch, ())
        tried = entry.gate.get(format, {}).get(switch, ()) if every else ()
        chosen = dict.fromkeys([value for value in values if value not in rare] + list(tried))
        configs += [_ordered(entry, {**base, switch: value}) for value in chosen]
    return configs


def names(
    engine: EngineName,
    format: str,  # noqa: A002 - the format's name
    *,
    every: bool,
    probed: bool,
    tables: bool = False,
) -> list[str]:
    """Return the names of an engine under each configuration; `probed`: also under each `pushdown`."""
    configs = configurations(engine.entry, engine.config, format, every=every, tables=tables)
    pushed = with_pushdown(engine.entry, engine.config, [format])[1:] if probed else []
    return [str(EngineName(engine.name, engine.version, config)) for config in [*configs, *pushed]]


def _ordered(entry: Entry, config: dict[str, str]) -> dict[str, str]:
    return {switch: config[switch] for switch in entry.switches if switch in config}


def spread(cases: Sequence[Case], count: int = QUICK_FILES) -> list[Case]:
    """Return at most `count` cases, from every folder of the corpus before a second one from any.

    The cases stay in the order of the corpus; the choice is the same each time.
    """
    turns: dict[str, int] = {}
    ranked = []
    for place, case in enumerate(cases):
        folder = case.id.rpartition("/")[0]
        turns[folder] = turns.get(folder, -1) + 1
        ranked.append((turns[folder], place))
    chosen = sorted(place for _, place in _first(ranked, count))
    return [cases[place] for place in chosen]


def _first(ranked: list[tuple[int, int]], count: int) -> Iterable[tuple[int, int]]:
    """Yield `count` cases by turn, those of the last turn evenly spaced."""
    by_turn: dict[int, list[tuple[int, int]]] = {}
    for turn, place in ranked:
        by_turn.setdefault(turn, []).append((turn, place))
    left = count
    for _, places in sorted(by_turn.items()):
        if len(places) > left:
            yield from (places[at * len(places) // left] for at in range(left))
            return
        yield from places
        left -= len(places)


_END = 1 << 16


def identity(file: Path, most: int) -> str:
    """Return a digest of a file, or above `most` bytes, of its size, time and end.

    A digest of all bytes would read a large file once more.
    """
    status = file.stat()
    if status.st_size <= most:
        return digest(file)
    with file.open("rb") as opened:
        opened.seek(max(0, status.st_size - _END))
        content = f"{status.st_size} {status.st_mtime_ns} ".encode() + opened.read()
    return hashlib.sha256(content).hexdigest()


def parted(
    files: Sequence[Case], tables: Sequence[Case], most: int
) -> tuple[tuple[Case, ...], tuple[Case, ...]]:
    """Return the smallest files, `most` bytes in total, and the files and tables to digest instead.

    A partitioned folder of more than `most` bytes whose files have one schema is digested as a table; its
    files are not digested again. Of files with several schemas, an engine may take that of the first one, so
    that columns of others would not be compared: they are digested one by one.
    """
    left, small = most, []
    for size, _, case in sorted((size_of(case), place, case) for place, case in enumerate(files)):
        if size > left:
            break
        left -= size
        small.append(case)
    large = [case for case in tables if size_of(case) > most and _has_one_schema(case)]
    folders = [case.file for case in large]
    small_ids = {case.id for case in small}
    others = (case for case in files if case.id not in small_ids)
    large += [case for case in others if not any(case.file.is_relative_to(folder) for folder in folders)]
    return tuple(case for case in files if case.id in small_ids), tuple(large)


def _has_one_schema(table: Case) -> bool:
    """Return whether the files of a folder have the same columns; False if one of them cannot be opened."""
    schemas: list[tuple[Field, ...]] = []
    for file in files_of(table.file):
        if file.suffix != f".{table.format}":
            continue
        try:
            schemas.append(tuple(columns_of(open_file(str(file), table.format))))
        except (ReferenceError_, OSError):
            return False
    return len(set(schemas)) == 1


_PARTITION = re.compile(r"[^=/]+=[^/]*")


def tables(paths: Iterable[str], cases: Sequence[Case]) -> list[Case]:
    """Return a case for each partitioned table that holds any of the cases, below one of the paths.

    Its file is the folder, its digest one of the names and digests of all its files. Engines vote on what it
    means, and the reference, which reads files only, has no voice.
    """
    held: dict[Path, list[Case]] = {}
    for case in cases:
        root = _root(case.file, [Path(path).absolute() for path in paths])
        if root is not None:
            held.setdefault(root, []).append(case)
    return [_case(root, inside) for root, inside in sorted(held.items()) if _is_one_format(inside)]


def _root(file: Path, above: Sequence[Path]) -> Path | None:
    """Return the folder whose partitions a file is in: the one above the topmost `key=value`."""
    for given in above:
        if given.is_dir() and file.is_relative_to(given):
            parts = file.relative_to(given).parts[:-1]
            at = next((at for at, part in enumerate(parts) if _PARTITION.fullmatch(part)), None)
            return None if at is None else given.joinpath(*parts[:at])
    return None


def _is_one_format(cases: Sequence[Case]) -> bool:
    return len({case.format for case in cases}) == 1


def _case(root: Path, inside: Sequence[Case]) -> Case:
    digest = hashlib.sha256()
    for case in sorted(inside, key=lambda case: str(case.file)):
        digest.update(f"{case.file.relative_to(root)}\0{case.sha256}\n".encode("utf-8", "surrogateescape"))
    name = case_id("tables", *root.parts[-2:] if len(root.parts) > 2 else root.parts[-1:])
    return Case(name, inside[0].format, root, digest.hexdigest(), Expectation.by_vote())
