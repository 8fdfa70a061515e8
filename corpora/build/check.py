"""What is wrong with the checked-in corpus, as far as the reference implementation is needed to tell."""

from __future__ import annotations

from typing import TYPE_CHECKING

from corpora import rules
from corpora.build import coverage, probes, store
from corpora.cases import CaseError, load
from corpora.queries import Filter, QueryError
from reference_impl.errors import Malformed, ReferenceError_
from reference_impl.parquet.file import ParquetFile

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from pathlib import Path

    from corpora.build.make import Made
    from corpora.cases import Case
    from corpora.tagged import Table

    Read = Callable[[str], Table]

MOST_BYTES = 8_000_000
LEAST_CASES = 1_000


def problems(made: Iterable[Made], read: Read, folder: Path = store.FOLDER) -> Iterator[str]:
    """Yield a line for each thing that is wrong; `made` is what there should be, `read` the reference."""
    yield from store.differences(made, folder)
    reached: set[str] = set()
    paths = sorted(folder.rglob("*.json"))
    for path in paths:
        try:
            case = load(path)
        except CaseError:
            continue  # reported by corpora.lint
        if not case.file.is_file():
            continue  # reported by corpora.lint
        yield from (f"{path.relative_to(folder)}: {line}" for line in _case(case, read))
        reached |= set(_reached(case))
    yield from _coverage(reached)
    size = sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())
    if size > MOST_BYTES:
        yield f"{folder.name}: {size} bytes together, more than {MOST_BYTES}"
    if len(paths) < LEAST_CASES:
        yield f"{folder.name}: {len(paths)} cases, fewer than {LEAST_CASES}"


def _coverage(reached: set[str]) -> Iterator[str]:
    try:
        yield from coverage.gaps(coverage.required(rules.load()), reached, coverage.waivers())
    except CaseError as error:
        yield str(error)


def _case(case: Case, read: Read) -> Iterator[str]:
    """Compare a case with what the reference reads, and its probes with what they ask."""
    expectation = case.expectation
    try:
        table = read(str(case.file))
    except ReferenceError_ as error:
        # Which rule it names is not compared: a type may be wrong for its column and for its encoding.
        is_refusal = isinstance(error, Malformed)
        if expectation.kind == "accept" or (expectation.kind == "refuse" and not is_refusal):
            yield f"to {expectation.kind}, and the reference says: {error}"
        return
    if expectation.kind == "refuse":
        yield f"breaks {expectation.rule}, and the reference reads it"
    elif expectation.table is not None and expectation.table.to_json() != table.to_json():
        yield "the reference reads other values"
    for probe in case.probes:
        if isinstance(probe.query, Filter):
            try:
                if probes.rows(probe.query, table) != probe.rows:
                    yield f"{probe.query} has other rows"
            except QueryError as error:
                yield f"{probe.query}: {error}"


def _reached(case: Case) -> Iterator[str]:
    if case.expectation.rule:
        yield f"rule/{case.expectation.rule}"
    if case.expectation.kind == "refuse":
        return
    try:
        yield from coverage.reached(ParquetFile.open(str(case.file)))
    except ReferenceError_:
        return  # what cannot be read reaches nothing
