"""A recipe becomes a file, and the case that says what it means."""

from __future__ import annotations

import hashlib
from dataclasses import replace
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, NamedTuple

from corpora.build import probes
from corpora.build.formats import FORMATS
from corpora.cases import Case, Expectation, Probe
from corpora.queries import RowGroup
from reference_impl.errors import ReferenceError_

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from corpora.build.recipe import Recipe
    from corpora.queries import Query
    from corpora.tagged import Table

SOURCE = "generator"


class Made(NamedTuple):
    """A file of the corpus: where it is below the corpus' folder, its bytes, and its case."""

    path: PurePosixPath
    data: bytes
    case: Case

    def at(self, folder: Path, data: bytes | None = None) -> Case:
        """Return the case with its file in `folder`, and the digest of `data` where that stands for it."""
        digest = hashlib.sha256(self.data if data is None else data).hexdigest()
        return replace(self.case, file=folder / self.path, sha256=digest)


def make(recipe: Recipe) -> Made:
    """Return the file and the case of a recipe; raises UsageError for a plan that is not legal."""
    data = FORMATS[recipe.format].write(recipe.plan, recipe.tamper)
    path = PurePosixPath(f"{recipe.id}.{recipe.format}")
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
    return Made(path, data, case)


def all_of(recipes: Iterable[Recipe]) -> Iterator[Made]:
    """Yield what becomes of recipes."""
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
    return Expectation.accept(table, SOURCE)


def _features(recipe: Recipe, data: bytes) -> tuple[str, ...]:
    """Return what the file itself shows, as far as it can be read, and what the recipe adds."""
    try:
        shown = FORMATS[recipe.format].features(data, recipe.keys)
    except ReferenceError_:
        shown = ()
    invalid = (f"{recipe.format}/file/invalid",) if recipe.refuse else ()
    return tuple(sorted({*shown, *recipe.features, *invalid}))


def _probes(recipe: Recipe, table: Table | None) -> Iterator[Probe]:
    if table is None:
        return
    asked = probes.queries(table, recipe.asked)[:: recipe.every] if recipe.asked else []
    for query in (*asked, *recipe.queries):
        rows = _of_group(recipe, query) if isinstance(query, RowGroup) else probes.rows(query, table)
        yield Probe(query, rows)
    for query, misled in recipe.lies:
        yield Probe(query, probes.rows(query, table), misled)


def _of_group(recipe: Recipe, query: Query) -> tuple[int, ...]:
    assert isinstance(query, RowGroup)
    return tuple(FORMATS[recipe.format].parts(recipe.plan)[query.number])
