"""What plants are looked for with: generated files with their queries, and files that break a rule.

Made once, and read by every plant: so the same bug is found by the same case whenever it is looked for.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from corpora.build.make import all_of
from harness.pipeline import generated
from harness.pipeline.context import Context, Generate
from harness.selftest.plant import REFUSAL
from properties import corpus

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

    from corpora.cases import Case
    from harness.connection import Limits
    from harness.selftest.plant import Plant


@dataclass(frozen=True)
class Cases:
    """Cases in the order in which they are tried; their files lie in the folder of `context`."""

    context: Context
    legal: tuple[Case, ...]
    broken: tuple[Case, ...]

    def of(self, plant: Plant) -> Sequence[Case]:
        """Answer the cases that a plant is looked for with."""
        return self.broken if plant.shows == REFUSAL else self.legal


def make(folder: Path, seed: int, files: int, limits: Limits, tick: Callable[[int], None]) -> Cases:
    """Write `files` generated files, and one for each fault, into a folder; `tick` counts sheets."""
    asked = Generate(files, seed)
    context = Context(folder, (), limits, folder, generate=asked)
    for tasks in generated.tasks(context, asked):
        for task in tasks:
            for done in generated.make(context, task):
                tick(done)
    return Cases(context, tuple(generated.cases(context, asked)), tuple(_broken(folder)))


def _broken(folder: Path) -> Iterator[Case]:
    """Yield files that must be refused."""
    for made in all_of(corpus.recipes()):
        if made.case.expectation.kind == "refuse":
            case = made.at(folder)
            case.file.parent.mkdir(parents=True, exist_ok=True)
            case.file.write_bytes(made.data)
            yield case
