"""Abilities of engines: of built-in ones from their adapters, of foreign ones from their descriptions."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from importlib import import_module
from typing import Any

from harness.engines.base import Engine
from harness.engines.entry import Entry
from harness.environments.availability import Status


@dataclass(frozen=True)
class Abilities:
    """The requests that an engine supports besides reading files.

    `queries` are kinds of queries; `folders`: it reads folders with a schema; `digests`: it hands out files
    in batches, so that large tables are compared by digests; `keys`: it opens encrypted files; `writes`
    files, and `partitions`: partitioned tables.
    """

    queries: tuple[str, ...] = ()
    folders: bool = False
    digests: bool = False
    keys: bool = False
    writes: bool = False
    partitions: bool = False

    def __str__(self) -> str:
        """Return a line for people."""
        flags = [name for name, value in asdict(self).items() if value is True]
        return "; ".join(filter(None, (", ".join(self.queries), *flags))) or "reads alone"


def of(status: Status) -> Abilities | None:
    """Return what an engine can be asked; None if that is not known: a foreign engine does not start."""
    if status.entry.foreign is not None:
        return _described(status.description) if status.available else None
    return _of_adapter(status.entry)


def _described(description: dict[str, Any]) -> Abilities:
    ops = description["ops"]
    return Abilities(
        tuple(map(str, description["queries"])) if "query" in ops else (),
        folders="read_table" in ops,
        digests="digest" in ops and "rows" in ops,
        keys=description["keys"],
        writes="write" in ops,
    )


def _of_adapter(entry: Entry) -> Abilities | None:
    try:
        adapter: type[Engine] = getattr(import_module(entry.module), entry.class_name)
    except ImportError:  # only the Python of its children has it
        return None
    return Abilities(
        adapter.queries,
        folders=adapter.read_table is not Engine.read_table,
        digests=bool(adapter.streams),
        keys=not adapter.no_keys,
        writes=entry.writes,
        partitions=_writes_partitions(entry),
    )


def _writes_partitions(entry: Entry) -> bool:
    if not entry.write_options:
        return False
    options = import_module(entry.write_options).OPTIONS.values()
    return any(each.partitions for each in options)


def lineages(entry: Entry) -> str:
    """Return the formats of an engine, each with the code that reads it."""
    return ", ".join(f"{name} by {entry.lineage_of(name)}" for name in entry.formats)
