"""Building of a recipe: its file, and the case with the expectation about the file."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path, PurePosixPath
from typing import NamedTuple

from corpora.build import probes
from corpora.build.formats import FORMATS
from corpora.build.recipe import Recipe
from corpora.build.silences import FAR_MOMENTS_CLAUSE, far_moments
from corpora.cases import Case, Expectation, Probe
from corpora.queries import Query, RowGroup
from corpora.tagged import Table
from reference_impl.errors import ReferenceError_

SOURCE = "generator"


class BuiltCase(NamedTuple):
    """A file of the corpus: its path below the corpus's folder, its bytes, and its case."""

    path: PurePosixPath
    data: bytes
    case: Case

    def at(self, folder: Path, data: bytes | None = None) -> Case:
        """Return the case with its file in `folder`, and with the digest of `data` if there is other data."""
        digest = hashlib.sha256(self.data if data is None else data).hexdigest()
        return replace(self.case, file=folder / self.path, sha256=digest)


def make(recipe: Recipe) -> BuiltCase:
    """Return the file and the case of a recipe; raises UsageError for an illegal plan."""
    data = FORMATS[recipe.format].write(recipe.plan, recipe.tamper)
    path = path_of(recipe)
    expectation = _expectation(recipe)
    case = Case(
        f"{recipe.format}/{recipe.id}",
        recipe.format,
        Path(path.name),
        hashlib.sha256(data).hexdigest(),
        expectation,
        features=_features(recipe, data),
        spec=recipe.spec,
        level=recipe.level,
        source="spec" if recipe.refuse else SOURCE,
        probes=tuple(_probes(recipe, expectation.table)),
        notes=recipe.notes,
        keys=recipe.keys,
    )
    return BuiltCase(path, data, case)


def path_of(recipe: Recipe) -> PurePosixPath:
    """Return the path of a recipe's file below the corpus's folder."""
    return PurePosixPath(f"{recipe.id}.{recipe.format}")


def all_of(recipes: Iterable[Recipe]) -> Iterator[BuiltCase]:
    """Yield the files and cases of recipes."""
    return map(make, recipes)


def _expectation(recipe: Recipe) -> Expectation:
    if recipe.refuse and not recipe.either:
        return Expectation.refuse(rule=recipe.refuse, reason=recipe.notes or None)
    if not recipe.meant:
        return Expectation("either", "spec", None, recipe.refuse or None, recipe.spec, recipe.either)
    rows = recipe.plan.rows if recipe.rows is None else recipe.rows
    table = FORMATS[recipe.format].table(replace(recipe.plan, rows=rows))
    if recipe.refuse:
        return Expectation("either", "spec", table, recipe.refuse, recipe.spec, recipe.either)
    if recipe.either:
        return Expectation.either(recipe.either, clause=recipe.spec, table=table)
    if silence := far_moments(table):
        return Expectation.either(silence, clause=FAR_MOMENTS_CLAUSE, table=table)
    return Expectation.accept(table, SOURCE)


def _features(recipe: Recipe, data: bytes) -> tuple[str, ...]:
    """Return the features that the file shows, if it can be read, and those that the recipe adds."""
    try:
        features = FORMATS[recipe.format].features(data, recipe.keys)
    except ReferenceError_:
        features = ()
    invalid = (f"{recipe.format}/file/invalid",) if recipe.refuse else ()
    return tuple(sorted({*features, *recipe.features, *invalid}))


def _probes(recipe: Recipe, table: Table | None) -> Iterator[Probe]:
    if table is None:
        return
    probed = probes.queries(table, recipe.probed)[:: recipe.every] if recipe.probed else []
    for query in (*probed, *recipe.queries):
        rows = _of_group(recipe, query) if isinstance(query, RowGroup) else probes.rows(query, table)
        yield Probe(query, rows)
    for query, misled in recipe.lies:
        yield Probe(query, probes.rows(query, table), misled)


def _of_group(recipe: Recipe, query: Query) -> tuple[int, ...]:
    assert isinstance(query, RowGroup)
    return tuple(FORMATS[recipe.format].parts(recipe.plan)[query.number])
