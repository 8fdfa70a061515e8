"""The known failures to bisect, each with the cases in which it may show."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from pathlib import Path

from corpora import own_cases
from corpora.cases import Case, load
from corpora.folders import size_of
from corpora.known_failures import GENERATED, WRITTEN, Entry
from corpora.problem import UserError
from corpora.versions import version_in
from harness.engines.entry import QUERY_SWITCHES
from harness.engines.registry import ENGINES
from harness.judging.verdicts import OF_WRITERS

_SWITCH = re.compile(r"(\w+)=([^,|\s]+)")
_MEND = {
    WRITTEN: "no fixed table that an engine beside colconf writes is meant",
    GENERATED: "no checked-in case of its finding; give --generate and --seed",
}


class SubjectError(UserError, ValueError):
    """No known failure has this name; the message is one line."""


@dataclass(frozen=True)
class Subject:
    """A known failure, its place in its file, and its cases, smallest file first.

    `before`: the entries above it, which take their rows first, whatever the versions. `why` says why there
    are no cases.
    """

    entry: Entry
    place: int
    before: tuple[Entry, ...] = ()
    cases: tuple[Case, ...] = ()
    why: str = ""

    @property
    def config(self) -> str:
        """Return the switches to ask under: those that the entry or the beginning of its signature names.

        Queries are asked under each value of `pushdown` anyway.
        """
        head = self.entry.signature.partition(" | ")[0]
        config = {**dict(_SWITCH.findall(head)), **self.entry.config}
        values = ((name, _value(self.entry.engine, name, value)) for name, value in config.items())
        return ",".join(f"{name}={value}" for name, value in values if name not in QUERY_SWITCHES)

    @property
    def scope(self) -> Entry:
        """Return the entry without versions and date, and for any case."""
        return replace(self.entry, case="*", versions="", expires=None)


@dataclass(frozen=True)
class Pool:
    """Cases by id: those of the corpora, which are read when they are needed, and others."""

    checked_in: Mapping[str, Path]
    others: Mapping[str, Case]

    @classmethod
    def of(cls, others: Sequence[Case] = (), folder: Path | None = None) -> Pool:
        """Return the cases of the corpora and others."""
        folder = folder or own_cases.folder()
        paths = own_cases.records(["*"], folder)
        ids = {path.relative_to(folder).with_suffix("").as_posix(): path for path in paths}
        return cls(ids, {case.id: case for case in others})

    def matching(self, globs: Sequence[str], is_wanted: Callable[[Case], bool]) -> Iterator[Case]:
        """Yield the cases whose id fits a glob."""
        for name in sorted({*self.checked_in, *self.others}):
            if any(fnmatchcase(name, glob) for glob in globs):
                case = self.others[name] if name in self.others else load(self.checked_in[name])
                if is_wanted(case):
                    yield case


def subjects(
    entries: Sequence[Entry],
    pool: Pool,
    names: Sequence[str],
    formats: Sequence[str],
    *,
    base: str = "",
    most: int,
) -> list[Subject]:
    """Return the entries of an engine's file that are meant by `names` (none: all), with up to `most` cases.

    A name is the id of a finding, or a glob over the entries' cases. An entry that holds at the version
    `base` takes its rows at all versions. Raises SubjectError and CaseError.
    """
    for name in names:
        if not any(is_meant(entry, [name]) for entry in entries):
            raise SubjectError(f"no known failure is called {name!r:.80}: give a finding or a glob of cases")
    return [
        _subject(entries, place, pool, formats, base=base, most=most)
        for place, entry in enumerate(entries)
        if is_meant(entry, names)
    ]


def is_meant(entry: Entry, names: Sequence[str]) -> bool:
    """Return whether one of the names means an entry; without names each is meant."""
    return not names or any(
        name in {entry.finding, entry.reason} or fnmatchcase(entry.case, name) for name in names
    )


def _value(engine: str, switch: str, value: str) -> str:
    """Return the value of a switch; of a glob the first value but the default."""
    if "*" not in value or engine not in ENGINES:
        return value
    return next(choice for choice in ENGINES[engine].switches[switch][1:] if fnmatchcase(choice, value))


def _subject(
    entries: Sequence[Entry], place: int, pool: Pool, formats: Sequence[str], *, base: str, most: int
) -> Subject:
    entry, before = entries[place], entries[:place]
    cases = list(pool.matching([entry.case], lambda case: case.format in formats))
    if entry.signature and not cases:  # how it looks in any file, hence in those of the same finding
        same = _of_same_finding(entry, entries)
        before = [other for other in before if other.case not in same]
        cases = list(pool.matching(same, lambda case: case.format in formats))
    cases.sort(key=lambda case: (size_of(case.file), case.id))
    if entry.verdict in OF_WRITERS:
        cases, why = [], "it is about what releases write: `run --write-generated` asks that of each"
    else:
        begin = next((begin for begin in _MEND if entry.case.startswith(begin)), "")
        why = "" if cases else _MEND.get(begin, "no case is at hand; give --files")
    first = tuple(
        replace(other, versions="") if base and version_in(base, other.versions) else other
        for other in before
    )
    return Subject(entry, place, first, tuple(_spread(cases, most)), why)


def _of_same_finding(entry: Entry, entries: Sequence[Entry]) -> list[str]:
    """Return the globs of entries about the same finding: entries without its id have it as their reason."""
    name = entry.finding or entry.reason
    if not any(other.finding == name for other in entries):
        return []
    return [other.case for other in entries if name in {other.finding, other.reason}]


def _spread(cases: Sequence[Case], most: int) -> list[Case]:
    """Return the smaller half of `most` cases, and as many at equal distances among the others."""
    if len(cases) <= most:
        return list(cases)
    first = most // 2
    rest, left = cases[first:], most - first
    return [*cases[:first], *(rest[step * len(rest) // left] for step in range(left))]
