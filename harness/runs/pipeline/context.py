"""The context of a run: its folders and options; small, immutable, and sent to every task."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

from corpora.queries import Query
from corpora.tagged import Table
from harness.children.connection import Limits
from harness.children.launch import Launch
from harness.judging.places import Process
from harness.runs.pipeline import parts
from harness.runs.pipeline.parts import Answers, DamagedPart
from harness.runs.pipeline.plan import PLAN
from harness.runs.pipeline.storage import SHARED, Storage

ROOT = Path(__file__).resolve().parents[3]
# Stages with many parts: a part's folder is named by so many first characters of the part's name. Numbers
# have six digits, so that three stand for a thousand; digests are spread evenly.
_BY_SHEET = ("derive", "execute", "judge", "fresh", "again", "settle", "pair")
_SPREAD = {"generate": 3, "draw": 3, **dict.fromkeys(_BY_SHEET, 2)}
# Variables that Spark sets for its Python workers, and that engines read: engines get the values from before.
_OVERWRITTEN = ("PYTHONPATH", "PYTHONHASHSEED", "PYTHONUNBUFFERED", "OMP_NUM_THREADS", "SPARK_LOCAL_DIRS")


TABLES = 21  # one in so many generated sheets is a table: odd, so that two formats in turns have equally many


class Generate(NamedTuple):
    """How many files to generate, from which seed, and by which function (`module:name`).

    The sheets have the `formats` in turns; by default all have the format of the run. Instead of one in
    `tables` sheets a folder is generated that is read as a table in several ways; 0 for none.
    """

    files: int
    seed: int
    generator: str = "properties.generate:generate"
    formats: tuple[str, ...] = ()
    tables: int = TABLES


PARTITIONED = "properties.generate:partitioned_tables"  # the generator of tables with partition columns


class WriteDrawn(NamedTuple):
    """How many generated tables each engine writes, from which seed, drawn by which function (`module:name`).

    The function takes the seed, numbers of groups and a format, and returns a list of tables for each.
    `partitioned`: each is a folder, partitioned by its columns `corpora.table_reads.PARTITIONS`.
    """

    tables: int
    seed: int
    generator: str = "properties.generate:tables"
    partitioned: bool = False


class Comparison(NamedTuple):
    """Two versions of an engine to compare, and the functions (`module:name`) that compare them.

    `engines` are the old and the new `name@version`. `of_sheets` yields lines about a context and a sheet, as
    a stage, `of_written` about a context whose engines wrote files; all lines are put into `file`.
    """

    engines: tuple[str, ...]
    of_sheets: str
    of_written: str
    file: str


def resolved(function: str) -> Callable[..., Any]:
    """Return the function of a name `module:name`."""
    module, _, name = function.partition(":")
    resolved_function: Callable[..., Any] = getattr(import_module(module), name)
    return resolved_function


@dataclass(frozen=True)
class Context:
    """One run.

    `out` is the run's folder, on a cluster a shared folder. `tmp` is for temporary files; `variables` are the
    values from before of the variables that Spark overwrites. `known` replaces colconf's own folder of known
    failures; `layouts` is the number of layouts in which engines write each table. `generate` is the request
    for generated files, None for none; `every_value`: each filter is asked under each value of `pushdown`
    (`harness/judging/pushdown.py`). `format` is the format of written and generated files. `matrix` are the
    formats in which engines write tables, one in `tables` of the fixed ones. `comparison` names the versions
    of an engine to compare. `order` is the number that decides the order of sheets, and which
    cases are asked in fresh processes, None for the order of the plan and no such cases. `queries` is how
    many queries are derived from each file of which nothing is recorded, and with `queries_of_cases` from
    each case, besides its own. `given` are queries of the user: those cases on which they are run have them
    first. `write`: engines write generated tables under drawn options (`drawn.py`), None for the fixed ones.
    `storage` is how machines share the folder.
    """

    out: Path
    processes: tuple[Process, ...]
    limits: Limits
    tmp: Path
    variables: tuple[tuple[str, str], ...] = ()
    known: Path | None = None
    layouts: int = 1_000
    generate: Generate | None = None
    every_value: bool = False
    format: str = "parquet"
    matrix: tuple[str, ...] = ()
    tables: int = 1
    comparison: Comparison | None = None
    order: int | None = None
    queries: int = 0
    queries_of_cases: bool = False
    given: tuple[Query, ...] = ()
    write: WriteDrawn | None = None
    storage: Storage = SHARED

    def by_format(self) -> Iterator[Context]:
        """Yield the run's context for the files that engines write, in each format of the matrix."""
        for format_ in self.matrix:
            yield replace(self, format=format_)

    @property
    def is_partitioned(self) -> bool:
        """Return whether engines write partitioned tables, which are folders."""
        return self.write is not None and self.write.partitioned

    @property
    def scratch(self) -> Path | None:
        """Return the folder of this machine for temporary files, None for the system's."""
        if self.tmp.is_dir():
            return self.tmp
        local = os.environ.get("SPARK_LOCAL_DIRS")  # on another machine: goes with the executor
        return Path(local.split(",", 1)[0]) if local else None

    @property
    def parts(self) -> Path:
        """Return the folder of the parts, which later stages and a continued run read."""
        return self.out / "parts"

    @property
    def plan(self) -> Path:
        """Return the file that holds the sheets."""
        return self.parts / PLAN

    @property
    def spill(self) -> Path:
        """Return the folder of tables that are too large for a part."""
        return self.out / "spill"

    @property
    def generated(self) -> Path:
        """Return the folder of generated files."""
        return self.out / "generated"

    @property
    def written(self) -> Path:
        """Return the folder of files that engines wrote."""
        return self.out / "written"

    def part(self, stage: str, name: str, process: Process | None = None) -> Path:
        """Return the file of a part of a stage; of an engine process, if the stage has parts for each.

        Parts of sheets, which may be many, are spread over folders by the beginning of their names.
        """
        folder = self.parts / stage
        folder = folder / process.key if process else folder
        return (folder / name[: _SPREAD[stage]] if stage in _SPREAD else folder) / f"{name}.ndjson"

    def has(self, part: Path) -> bool:
        """Return whether a part has been committed, here or on another machine.

        Raises DamagedPart if its end is missing, and sets the part aside.
        """
        if not self.storage.fetch(part):
            return False
        with self._setting_aside():
            parts.end_of(part)
        return True

    def here(self, part: Path) -> Path:
        """Return a committed file of the run, fetched from other machines if need be; raises OSError."""
        self.storage.fetch(part)
        return part

    def head(self, part: Path) -> Any:
        """Return the first line of a part that has been committed; raises OSError and DamagedPart."""
        with self._setting_aside():
            return parts.head(self.here(part))

    def lines(self, part: Path) -> Iterator[dict[str, Any]]:
        """Yield the lines of a part that has been committed; raises OSError, and DamagedPart at the end."""
        with self._setting_aside():
            yield from parts.read(self.here(part))

    def answers(self, part: Path) -> Answers:
        """Return the outcomes of a part that has been committed; raises OSError and DamagedPart."""
        with self._setting_aside():
            return Answers(self.here(part), self.fetched)

    @contextmanager
    def _setting_aside(self) -> Iterator[None]:
        try:
            yield
        except DamagedPart as error:
            self.set_aside(error.path)
            raise

    def set_aside(self, part: Path) -> Path | None:
        """Rename a damaged part, so that its stage runs again; return the new name."""
        target = parts.set_aside(part)
        self.storage.remove(part)
        return target

    def publish(self, table: Table) -> Table:
        """Publish the table's file to other machines, if it lies in a file of the run; return the table."""
        if table.spill:
            self.storage.publish(Path(table.spill))
        return table

    def fetched(self, table: Table) -> Table:
        """Return the table after fetching its file."""
        if table.spill:
            self.storage.fetch(Path(table.spill))
        return table

    def commit(self, part: Path, lines: Iterable[dict[str, Any]]) -> None:
        """Write a part, whole or not at all."""
        self.commit_text(part, parts.encoded(lines))

    def commit_text(self, part: Path, lines: Iterable[str]) -> None:
        """Write a part whose lines are JSON already."""
        parts.commit(part, lines)
        self.storage.publish(part)

    def environment(self, process: Process | None = None) -> dict[str, str]:
        """Return the environment of an engine process; default: of an engine installed beside colconf."""
        ours = {name: value for name, value in os.environ.items() if name not in _OVERWRITTEN}
        return (process.launch if process else Launch(())).environment({**ours, **dict(self.variables)})


def before_spark() -> tuple[tuple[str, str], ...]:
    """Return the current values of the variables that Spark will overwrite."""
    return tuple((name, os.environ[name]) for name in _OVERWRITTEN if name in os.environ)
