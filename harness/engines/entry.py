"""The contents of an engine's manifest: an `Entry` (`harness/engines/manifest.py` reads it).

Standard library only, Python 3.9.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from harness.children.foreign import Foreign

QUERY_SWITCHES = frozenset({"pushdown"})  # change the answers to queries only, never what is read


class Hint(NamedTuple):
    """Of releases in `versions`: the newest Python, and bounds of packages beside them; `url` says so."""

    versions: str
    newest_python: tuple[int, int] | None
    bounds: tuple[str, ...]
    url: str


@dataclass(frozen=True)
class Entry:
    """An engine.

    `module` and `class_name` name the adapter of an engine that colconf knows. A foreign engine has a
    `command` instead: its program and arguments, `foreign` says how it is heard, `variables` are set for it,
    `needs` are further programs that must be there, `install` is how to install it, `manifest` the path of
    its manifest, and `pages` the page that documents each equivalence. `switches` maps each switch to its
    values, the default first; those of QUERY_SWITCHES change the answers to queries only, never what is read.
    `narrowed` says, by format, which values of a switch make a difference there, if not all do; none: the
    switch means nothing. `rare` says which values of a switch are for engines that are named with them, and
    for no others; `gate`, by format, which values the upgrade gate tries beside those that any run does.
    `affects`, by format: of which features (`*` at the end: any that begin so) a file must have one for a
    switch to change how it is read; a switch that is not there may change the reading of any file.
    `packages` are the names on PyPI that it needs, the one that carries its version first; `extra` is
    colconf's extra that installs them. `heavy`: seconds to start, hundreds of megabytes. `writes`: it can
    write files.

    `place` orders the engines in runs and reports. `script` names the module whose `code(ScriptRequest)`
    returns the source that asks the engine, `write_script` the one whose `written(table, options)` has it
    write; "" for none. `write_options` names the module with the options that are drawn for it (`OPTIONS`);
    "" for none. `script_keys`: scripts can tell it keys. `links`: files are given to it by links of plain
    names where it takes their own for patterns (`links.py`). `passed_on`: switches that the adapter passes
    on to the engine, and whose values change nothing of what adapter and binding do. `hints`: what the
    metadata of its releases does not say. `lineage` names, by format, the code that reads if it is not the
    engine's own: engines of one lineage share their mistakes, and have one vote.

    `artifact` is the jar in the first package whose version is the engine's, where that is not the package's
    own; `carriers` are versions of it with the release of the package that carries each.

    `read_ways` are the values of the switch `way` that change how a file is read whole, None for all of them;
    `query_ways` those that change how queries are answered. The first value is the default for both. In the
    ways of `unordered` no page promises the order of rows. `ways_of_tables`: folders are read in them, too.
    """

    name: str
    module: str = ""
    class_name: str = ""
    formats: tuple[str, ...] = ("parquet",)
    switches: dict[str, tuple[str, ...]] = field(default_factory=dict)
    narrowed: dict[str, dict[str, tuple[str, ...]]] = field(default_factory=dict)
    rare: dict[str, tuple[str, ...]] = field(default_factory=dict)
    gate: dict[str, dict[str, tuple[str, ...]]] = field(default_factory=dict)
    affects: dict[str, dict[str, tuple[str, ...]]] = field(default_factory=dict)
    packages: tuple[str, ...] = ()
    extra: str = ""
    heavy: bool = False
    needs_java: bool = False
    writes: bool = False
    place: int = 0
    script: str = ""
    write_script: str = ""
    write_options: str = ""
    script_keys: bool = False
    links: bool = False
    passed_on: tuple[str, ...] = ()
    hints: tuple[Hint, ...] = ()
    lineage: Mapping[str, str] = field(default_factory=dict)
    artifact: str = ""
    carriers: Mapping[str, str] = field(default_factory=dict)
    read_ways: tuple[str, ...] | None = None
    query_ways: tuple[str, ...] = ()
    unordered: tuple[str, ...] = ()
    ways_of_tables: bool = False
    command: tuple[str, ...] = ()
    variables: Mapping[str, str] = field(default_factory=dict)
    needs: tuple[str, ...] = ()
    install: str = ""
    manifest: str = ""
    pages: Mapping[str, str] = field(default_factory=dict)
    foreign: Foreign | None = None

    def lineage_of(self, format: str) -> str:
        """Return the lineage of the engine's reader of a format."""
        return self.lineage.get(format, self.name)

    def release_of(self, version: str) -> str:
        """Return the release of the first package that is, or carries, a version; "" if none is known to."""
        return self.carriers.get(version, "") if self.artifact else version

    def versions_in(self, release: str) -> tuple[str, ...]:
        """Return the versions of the engine that a release of the first package is, or is known to carry."""
        if not self.artifact:
            return (release,)
        return tuple(version for version, carrier in self.carriers.items() if carrier == release)

    def values(self, switch: str, formats: Iterable[str]) -> tuple[str, ...]:
        """Return the values of a switch that make a difference for files of any of these formats."""
        every = self.switches[switch]
        by_format = [self.narrowed.get(name, {}).get(switch, every) for name in formats]
        return tuple(value for value in every if any(value in values for values in by_format))
