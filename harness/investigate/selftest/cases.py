"""The cases of the search for plants: generated files of a format with their queries, and its corpus.

The cases are made once, and tried in the same order for every plant, so that a bug is always found by the
same case.
"""

from __future__ import annotations

import shutil
import sys
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from corpora.build.evolution import checked_in
from corpora.build.formats import FORMATS
from corpora.cases import Case, Expectation, load
from harness.children.connection import Connection, Limits
from harness.investigate.selftest.plant import QUERY, READ, REFUSAL, TABLE, TABLE_QUERY, Plant
from harness.investigate.selftest.strict import is_refused
from harness.runs.pipeline import generated, ungenerated
from harness.runs.pipeline.context import Context, Generate

_FIRST = 3  # one in so many generated files is tried before the corpus


@dataclass(frozen=True)
class Cases:
    """Cases by `Plant.shows`, in the order of the search; `context` holds the generated ones."""

    context: Context
    by_kind: dict[str, tuple[Case, ...]]

    def of(self, plant: Plant) -> Sequence[Case]:
        """Return the cases that can show a plant."""
        return self.by_kind[plant.shows]


def connect(cases: Cases, engine: str, env: Mapping[str, str]) -> Connection:
    """Return a connection to a process of an engine, `module:class`, with more variables of environment."""
    return Connection(
        [sys.executable, "-P", "-m", "harness.children.worker", engine],
        cases.context.limits,
        env={**cases.context.environment(), **env},
    )


def make(
    folder: Path,
    request: Generate,
    limits: Limits,
    tick: Callable[[int], None],
    format: str,  # noqa: A002 - the word for it everywhere
    *,
    kinds: Collection[str],
) -> Cases:
    """Write the generated files of a format into a folder and read its corpus; `tick` counts the files.

    Tables are those that are checked in. `kinds` of cases (`Plant.shows`) that are needed.
    """
    request = request._replace(tables=0)
    context = Context(folder, (), limits, folder, generate=request, format=format)
    counted = 0
    for tasks in generated.tasks(context, request):
        for task in tasks:
            for _ in generated.make(context, task):
                there = sum(1 for _ in context.generated.rglob(f"*.{context.format}"))
                tick(there - counted)
                counted = there
    for text in ungenerated.failures(context):
        raise ungenerated.refusal(text)
    drawn = list(generated.cases(context, request))
    # A copy, so that no file disappears if the corpus is rebuilt in the meantime.
    corpus = shutil.copytree(FORMATS[format].folder, folder / "corpus")
    recorded = [load(path) for path in sorted(corpus.rglob("*.json"))]
    first = len(drawn) // _FIRST
    known = [case for case in recorded if case.expectation.kind != "refuse" and case.expectation.table]
    legal = [*drawn[:first], *known, *drawn[first:]]
    strict = map(_strictly, recorded if REFUSAL in kinds else ())
    broken = [case for case in strict if case is not None]
    queried = [case for case in legal if case.probes]
    tables = tuple(checked_in.stored(format)) if {TABLE, TABLE_QUERY} & set(kinds) else ()
    by_kind = {
        READ: tuple(legal),
        QUERY: tuple(queried),
        REFUSAL: tuple(broken),
        TABLE: tables,
        TABLE_QUERY: tuple(case for case in tables if case.probes),
    }
    return Cases(context, by_kind)


def _strictly(case: Case) -> Case | None:
    """Return a case that a strict reader refuses, as one that must be refused; None for other cases."""
    expectation = case.expectation
    if expectation.kind == "refuse":
        return case
    if expectation.kind == "accept" or not expectation.rule:
        return None
    if not is_refused(case.file, case.format, case.keys):
        return None
    return replace(case, expectation=Expectation.refuse(rule=expectation.rule))
