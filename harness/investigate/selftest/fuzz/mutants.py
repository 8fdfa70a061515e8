"""Mutated files, each with the outcome of the reader without a plant.

The seed determines the files. As a fuzzer keeps the inputs that reach new code, a mutant is mutated further
if it can still be read, and the reader reached a new set of places.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

from harness.children.connection import Limits
from harness.children.outcomes import Outcome, OutcomeKind
from harness.investigate.fuzz.inputs import MUTANTS
from harness.investigate.selftest.fuzz.engines import HEALTHY
from harness.investigate.selftest.fuzz.judging import connect, is_healthy, together
from harness.investigate.selftest.fuzz.reading import MARKS
from properties.fuzz import inputs

_LARGEST = 6 << 10  # bytes of a seed; small files are read, and mutated where it matters, more often
_SEEDS = 400
_BATCH = 16  # files in a request
_MOST = 2_000  # mutants that are mutated further
_FURTHER = 3  # of so many files one is a mutant mutated further


@dataclass(frozen=True)
class Mutant:
    """A mutated file, and the outcome (`right`) of the reader without a plant.

    `number` counts from 1, `operations` describe the mutations, `reached` are the plants whose places the
    reader reached.
    """

    number: int
    file: Path
    size: int
    operations: tuple[str, ...]
    right: Outcome
    reached: frozenset[str]


def seeds(format_: str, corpus: Path | None) -> list[bytes]:
    """Return the small checked-in files, and the corpus of a campaign (`colconf fuzz --out`)."""
    files = list(inputs.files(format_, most=_SEEDS, largest=_LARGEST))
    folder = corpus / "corpus" / f"{format_}_file" if corpus else None
    more = sorted(folder.iterdir()) if folder is not None and folder.is_dir() else []
    return files + [path.read_bytes() for path in more if path.stat().st_size <= _LARGEST]


@dataclass
class Mutants:
    """The mutants of a format. `folder` is for them alone; `sick` lists failures of the reader itself."""

    format: str
    folder: Path
    seed: int
    limits: Limits
    seeds: Sequence[bytes]
    count: int = 0
    sick: list[str] = field(default_factory=list)
    _readable: list[bytes] = field(default_factory=list)
    _seen: set[frozenset[str]] = field(default_factory=set)

    def __post_init__(self) -> None:
        self.folder.mkdir(parents=True, exist_ok=True)
        self._marks = self.folder / "marks"
        self._reader = connect(HEALTHY, self.limits, **{MARKS: str(self._marks)})

    def close(self) -> None:
        """End the reader."""
        self._reader.close()

    def batch(self) -> list[Mutant]:
        """Return the next mutants with their outcomes, without mutants whose outcome is not healthy."""
        planned = [self._make(place) for place in range(_BATCH)]
        out = []
        for (number, file, operations), reading in zip(
            planned, self._read([file for _, file, _ in planned]), strict=True
        ):
            right, reached = reading
            size = file.stat().st_size
            if reached is None or not is_healthy(right, size, self.limits.seconds):
                detail = right.detail
                if detail.phase != "answer":  # else it was read, and nested too deep for a reply
                    what = f"{right.kind.value} {detail.error_class} {detail.message:.200}"
                    self.sick.append(f"{number}: {what}")
                continue
            self._keep(file, size, right, reached)
            out.append(Mutant(number, file, size, operations, right, reached))
        return out

    def _make(self, place: int) -> tuple[int, Path, tuple[str, ...]]:
        self.count += 1
        random = Random(f"{self.seed}/{self.format}/{self.count}")  # noqa: S311 - repeatable
        further = self._readable and not random.randrange(_FURTHER)
        source = random.choice(self._readable if further else self.seeds)
        mutant = MUTANTS[self.format](source, random, [random.choice(self.seeds)])
        file = self.folder / f"mutant-{place}.{self.format}"
        file.write_bytes(mutant.data)
        return self.count, file, tuple(mutant.operations)

    def _read(self, files: list[Path]) -> list[tuple[Outcome, frozenset[str] | None]]:
        """Return the outcome of each file, and the plants whose places were reached; None if unknown."""
        self._marks.unlink(missing_ok=True)
        if len(files) == 1:
            outcomes: list[Outcome] | None = [self._reader.read(files[0], self.format, {})]
        else:
            outcomes = together(self._reader, files, self.format)
        lines = self._marks.read_text("utf-8").splitlines() if self._marks.exists() else []
        if outcomes is not None and len(lines) == len(files):
            return [(each, frozenset(line.split())) for each, line in zip(outcomes, lines, strict=True)]
        if outcomes is not None and len(files) == 1:
            return [(outcomes[0], None)]
        return [reading for file in files for reading in self._read([file])]

    def _keep(self, file: Path, size: int, right: Outcome, reached: frozenset[str]) -> None:
        is_new = right.kind is OutcomeKind.TABLE and reached not in self._seen
        if is_new and size <= _LARGEST and len(self._readable) < _MOST:
            self._seen.add(reached)
            self._readable.append(file.read_bytes())
