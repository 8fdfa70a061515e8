"""Queries of columns; those of CHAR do not depend on the treatment of trailing blanks."""

from __future__ import annotations

from dataclasses import replace

from corpora.build import orc_expected, probes
from corpora.build.recipe import Recipe
from corpora.constants import TEXT
from corpora.predicates import Compare, In, NullSafe, Predicate, leaves
from corpora.queries import Filter, Query
from reference_impl.orc.plan import FilePlan
from reference_impl.orc.schema import Type, TypeKind


def probed(recipe: Recipe) -> Recipe:
    """Return a recipe with queries of its column `x`, the last of its plan.

    SQL compares "ab" with the CHAR "ab   " with blanks added or without (PAD SPACE, NO PAD); constants that
    have at least the length of the column are compared in the same way by both.
    """
    assert isinstance(recipe.plan, FilePlan)
    type_ = recipe.plan.types[-1]
    if type_.kind is not TypeKind.CHAR:
        return replace(recipe, probed=("x",))
    queries = probes.queries(orc_expected.table(recipe.plan), ("x",))
    full = [query for query in queries if _is_full(query, type_)]
    return replace(recipe, queries=tuple(full[:: recipe.every]))


def _is_full(query: Query, type_: Type) -> bool:
    """Return whether no constant of a query is shorter than a type."""
    tests = leaves(query.predicate) if isinstance(query, Filter) else ()
    return all(len(text) >= (type_.maximum_length or 0) for test in tests for text in _texts(test))


def _texts(test: Predicate) -> list[str]:
    """Return the texts that a test compares whole values with."""
    if not isinstance(test, Compare | In | NullSafe) or test.type.kind not in TEXT:
        return []
    values = test.values if isinstance(test, In) else (test.value,)
    return [str(value) for value in values if value is not None]
