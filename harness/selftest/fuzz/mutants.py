"""Mutated files, one after the other, each with what the reader without a plant answers.

The files are the same whenever the seed is. As a fuzzer keeps the inputs that reach new code, a mutant is
mutated further if it can still be read, and the places that the reader came to are others than ever before.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass, field
from random import Random
from typing import TYPE_CHECKING

from harness.connection import Connection
from harness.formats import ORC
from harness.launch import Launch
from harness.outcomes import Kind
from harness.selftest.fuzz.engines import HEALTHY
from harness.selftest.fuzz.judging import is_healthy
from harness.selftest.fuzz.reading import MARKS
from properties.fuzz import inputs
from properties.strategies.mutations import orc, parquet

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from harness.connection import Limits
    from harness.outcomes import Outcome

ENGINES = "harness.selftest.fuzz.engines"
_LARGEST = 6 << 10  # bytes of a seed; small files are read, and mutated where it matters, more often
_SEEDS = 400
_MOST = 2_000  # mutants that are mutated further
_FURTHER = 3  # of so many files one is a mutant mutated further
_MUTANT = {ORC: orc.mutant}


@dataclass(frozen=True)
class Mutant:
    """A mutated file, and what the reader without a plant made of it.

    `number` counts from 1, `operations` say what was done to a file, `reached` are the plants whose places
    the reader came to.
    """

    number: int
    file: Path
    size: int
    operations: tuple[str, ...]
    right: Outcome
    reached: frozenset[str]


def connect(engine: str, limits: Limits, **variables: str) -> Connection:
    """Answer a connection to one of the engines."""
    command = (sys.executable, "-m", "harness.worker", f"{ENGINES}:{engine}")
    return Connection(command, limits, env={**Launch(command).environment(), **variables})


def seeds(format_: str, corpus: Path | None) -> list[bytes]:
    """Answer the checked-in files that are small, and what a campaign (`colconf fuzz --out`) has found."""
    found = list(inputs.files(format_, most=_SEEDS, largest=_LARGEST))
    kept = corpus / "corpus" / f"{format_}_file" if corpus else None
    more = sorted(kept.iterdir()) if kept is not None and kept.is_dir() else []
    return found + [path.read_bytes() for path in more if path.stat().st_size <= _LARGEST]


@dataclass
class Mutants:
    """The mutants of a format. `folder` is for them alone; `sick` tells where the reader itself failed."""

    format: str
    folder: Path
    seed: int
    limits: Limits
    seeds: Sequence[bytes]
    made: int = 0
    sick: list[str] = field(default_factory=list)
    _kept: list[bytes] = field(default_factory=list)
    _seen: set[frozenset[str]] = field(default_factory=set)

    def __post_init__(self) -> None:
        self.folder.mkdir(parents=True, exist_ok=True)
        self._marks = self.folder / "marks"
        self._reader = connect(HEALTHY, self.limits, **{MARKS: str(self._marks)})

    def close(self) -> None:
        """End the reader."""
        self._reader.close()

    def next(self) -> Mutant | None:
        """Make the next mutant and have it read; None where the reader's answer is none to go by."""
        self.made += 1
        random = Random(f"{self.seed}/{self.format}/{self.made}")  # noqa: S311 - repeatable
        further = self._kept and not random.randrange(_FURTHER)
        source = random.choice(self._kept if further else self.seeds)
        others = [random.choice(self.seeds)]
        made = _MUTANT.get(self.format, parquet.mutant)(source, random, others)
        file = self.folder / f"mutant.{self.format}"
        file.write_bytes(made.data)
        self._marks.unlink(missing_ok=True)
        right = self._reader.read(file, self.format, {})
        size = len(made.data)
        if not is_healthy(right, size, self.limits.seconds) or not self._marks.exists():
            detail = right.detail
            self.sick.append(f"{self.made}: {right.kind.value} {detail.error_class} {detail.message:.200}")
            return None
        reached = frozenset(self._marks.read_text("utf-8").split())
        self._keep(made.data, right, reached)
        return Mutant(self.made, file, size, tuple(made.operations), right, reached)

    def _keep(self, data: bytes, right: Outcome, reached: frozenset[str]) -> None:
        is_new = right.kind is Kind.TABLE and reached not in self._seen
        if is_new and len(data) <= _LARGEST and len(self._kept) < _MOST:
            self._seen.add(reached)
            self._kept.append(data)
