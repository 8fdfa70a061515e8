"""Where a run keeps its things, and what its tasks share; small, immutable, and sent to every task."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from harness.launch import Launch

if TYPE_CHECKING:
    from harness.connection import Limits
    from harness.pipeline.plan import Process

ROOT = Path(__file__).resolve().parents[2]
# What Spark sets for its Python workers, and engines heed: they get it as it was before.
_OVERWRITTEN = ("PYTHONPATH", "PYTHONHASHSEED", "PYTHONUNBUFFERED", "OMP_NUM_THREADS", "SPARK_LOCAL_DIRS")


class Generate(NamedTuple):
    """How many files to generate, from which seed, and by which function (`module:name`)."""

    files: int
    seed: int
    generator: str = "properties.generate:generate"


@dataclass(frozen=True)
class Context:
    """One run.

    `out` is the run's folder, on a cluster a shared one. `tmp` is for files of no value to anyone else;
    `variables` are those that Spark overwrites, as they were before, `known` is the folder of known failures
    instead of the one that comes with colconf, `layouts` in how many layouts engines write each table.
    `generate` says what is generated, None for nothing; `every_value`: each value of `pushdown` is asked each
    filter (`harness/pipeline/pushdown.py`). `format` is that of the files that are written or generated.
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

    @property
    def parts(self) -> Path:
        """Answer the folder of what stages hand over, and of what a continued run need not do again."""
        return self.out / "parts"

    @property
    def plan(self) -> Path:
        """Answer the file that holds the sheets."""
        return self.parts / "plan.ndjson"

    @property
    def spill(self) -> Path:
        """Answer the folder of tables that are too large for a part."""
        return self.out / "spill"

    @property
    def generated(self) -> Path:
        """Answer the folder of generated files."""
        return self.out / "generated"

    @property
    def written(self) -> Path:
        """Answer the folder of files that engines wrote."""
        return self.out / "written"

    def part(self, stage: str, name: str, process: Process | None = None) -> Path:
        """Answer the file of one part of a stage, of one engine process where the stage has them."""
        folder = self.parts / stage
        return (folder / process.key if process else folder) / f"{name}.ndjson"

    def environment(self, process: Process | None = None) -> dict[str, str]:
        """Answer the environment of the children of an engine process, by default of one beside colconf."""
        ours = {name: value for name, value in os.environ.items() if name not in _OVERWRITTEN}
        return (process.launch if process else Launch(())).environment({**ours, **dict(self.variables)})


def before_spark() -> tuple[tuple[str, str], ...]:
    """Answer the variables that a Spark started later overwrites."""
    return tuple((name, os.environ[name]) for name in _OVERWRITTEN if name in os.environ)
