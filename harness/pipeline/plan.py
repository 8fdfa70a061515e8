"""What there is to do: cases in sheets, engine processes, and tasks that can be scheduled, lost and repeated.

A sheet is up to SHEET_FILES files of one format and one schema, because that is what a query engine reads at
once, and of the same queries. Its id is a digest of what is in it: a run that is continued finds the parts of
the sheets that are still the same, and of no others. The sheets of a run lie in a file, so that a task can be
a list of places.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from corpora.cases import Case
from harness.launch import Launch
from reference_impl.errors import ReferenceError_
from reference_impl.orc.file import OrcFile
from reference_impl.parquet.file import ParquetFile
from reference_impl.parquet.summary import schema_key
from reference_impl.wire import protobuf

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from pathlib import Path

SHEET_FILES = 32
READ = -1  # in the place of a probe: the whole file
FILES_PER_PROCESS = 500  # a light engine gets another process for each so many files
JUDGE_TASKS_PER_CORE = 4


class Config(NamedTuple):
    """A configuration: as its user wrote it, in canonical order, and with every switch's value."""

    text: str
    switches: dict[str, str]


@dataclass(frozen=True)
class Process:
    """One `name@version`, and the configurations that its children serve.

    `heavy`: it takes seconds to start and more than one core to run, and reads a sheet faster than its files.
    `reported` is false for the reference when it only reads along to judge by. `variables` are set for its
    children, `apart` says that they run in an environment of their own.
    """

    name: str
    version: str
    command: tuple[str, ...]
    configs: tuple[Config, ...]
    formats: tuple[str, ...]
    heavy: bool = False
    writes: bool = False
    reported: bool = True
    variables: tuple[tuple[str, str], ...] = ()
    apart: bool = False

    @property
    def key(self) -> str:
        """Answer `name@version`, which is also the name of the folder of its parts."""
        return f"{self.name}@{self.version}"

    @property
    def label(self) -> str:
        """Answer what its files are called by: the version only where it is not the one beside colconf."""
        return self.key if self.apart else self.name

    @property
    def launch(self) -> Launch:
        """Answer how its children are started."""
        return Launch(self.command, self.variables, self.apart)


class Sheet(NamedTuple):
    """Files of one format and schema, with the same queries; of which queries, the first case says."""

    id: str
    cases: tuple[Case, ...]


class SheetAt(NamedTuple):
    """Where a sheet stands in the plan's file, and how many files it has."""

    id: str
    offset: int
    files: int


class Place(NamedTuple):
    """One answer of a sheet: indices of the process's configuration, of the case, and of its probe.

    A probe of READ is the whole file.
    """

    config: int
    case: int
    probe: int = READ


@dataclass(frozen=True)
class Task:
    """Work for one process of the pipeline; it commits one part after the other.

    kind: `generate` (`numbers` of generated sheets); `write` (names of `tables`), `execute`, `again`
    (`rechecks` by sheet id), all of one engine `process`, the last two of `sheets`; `judge` and `settle` of
    `sheets` alone.
    """

    kind: str
    process: int = -1
    sheets: tuple[SheetAt, ...] = ()
    tables: tuple[str, ...] = ()
    rechecks: tuple[tuple[str, tuple[Place, ...]], ...] = ()
    numbers: tuple[int, int] = (0, 0)


def sheets(cases: Iterable[Case]) -> list[Sheet]:
    """Answer the cases in sheets, in the order of their first cases."""
    full: list[tuple[int, Sheet]] = []
    filling: dict[tuple[str, str, str], list[tuple[int, Case]]] = {}
    for place, case in enumerate(cases):
        key = (case.format, _key(case), _queries(case))
        held = filling.setdefault(key, [])
        held.append((place, case))
        if len(held) == SHEET_FILES:
            full.append(_sheet(filling.pop(key)))
    full += map(_sheet, filling.values())
    return [sheet for _, sheet in sorted(full, key=lambda one: one[0])]


def _key(case: Case) -> str:
    """Answer what the files of a sheet share; a file whose schema cannot be had is a sheet of its own."""
    try:
        if case.format == "parquet":
            return schema_key(ParquetFile.open(case.file))
        return orc_schema_key(OrcFile.open(case.file))
    except (ReferenceError_, OSError):
        return case.id  # what the reference says of it, its engine process will report


def orc_schema_key(file: OrcFile) -> str:
    """Answer a digest of an ORC file's types, their attributes included."""
    return hashlib.sha256(b"".join(map(protobuf.encode, file.footer.types))).hexdigest()


def _queries(case: Case) -> str:
    return json.dumps([probe.query.to_json() for probe in case.probes])


def _sheet(held: Sequence[tuple[int, Case]]) -> tuple[int, Sheet]:
    """Answer a sheet, and the place of its first case."""
    digest = hashlib.sha256()
    for _, case in held:
        # Engines are told nothing else of a case: what it must mean has no part in what they answer.
        said = [case.id, case.format, case.sha256, str(case.file), _queries(case)]
        digest.update(json.dumps(said).encode())
    return held[0][0], Sheet(digest.hexdigest()[:20], tuple(case for _, case in held))


def write_plan(path: Path, planned: Iterable[Sheet]) -> list[SheetAt]:
    """Write sheets to the plan's file, one a line, and answer where they stand."""
    places = []
    with path.open("wb") as out:
        for sheet in planned:
            places.append(SheetAt(sheet.id, out.tell(), len(sheet.cases)))
            line = {"id": sheet.id, "cases": [case.to_json() for case in sheet.cases]}
            out.write(json.dumps(line, separators=(",", ":")).encode("ascii") + b"\n")
    return places


def read_sheet(path: Path, place: SheetAt) -> Sheet:
    """Read one sheet from the plan's file."""
    with path.open("rb") as plan:
        plan.seek(place.offset)
        data: dict[str, Any] = json.loads(plan.readline())
    return Sheet(data["id"], tuple(map(Case.from_json, data["cases"])))


def engine_tasks(processes: Sequence[Process], places: Sequence[SheetAt], cores: int) -> Iterator[Task]:
    """Yield `execute` tasks, the ones that take longest first: those of heavy engines.

    A heavy engine gets a process for every two cores, a light one as many as its files are worth.
    """
    files = sum(place.files for place in places)
    for index, process in sorted(enumerate(processes), key=lambda one: not one[1].heavy):
        count = max(1, cores // 2) if process.heavy else min(cores, 1 + files // FILES_PER_PROCESS)
        for share in shares(places, count):
            yield Task("execute", index, sheets=share)


def judge_tasks(kind: str, places: Sequence[SheetAt], cores: int) -> Iterator[Task]:
    """Yield tasks of kind `judge` or `settle`."""
    for share in shares(places, JUDGE_TASKS_PER_CORE * cores):
        yield Task(kind, sheets=share)


def shares(places: Sequence[SheetAt], count: int) -> Iterator[tuple[SheetAt, ...]]:
    """Deal the sheets out to at most `count` tasks, alternating, so that each gets some of every kind."""
    for start in range(min(count, len(places))):
        yield tuple(places[start::count])
