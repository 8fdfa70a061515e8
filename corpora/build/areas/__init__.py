"""Recipes by area; each module has one function `recipes`."""

from __future__ import annotations

from collections.abc import Iterator

from corpora.build.areas import (
    bounds_findings,
    depth,
    encodings,
    encryption,
    encryption_faults,
    encryption_modules,
    files,
    findings,
    indexes,
    levels,
    lies,
    logical,
    page_findings,
    pages,
    runs,
    schemas,
    statistics,
    variants,
)
from corpora.build.recipe import Recipe

_AREAS = (
    *(
        depth,
        encodings,
        encryption,
        encryption_faults,
        encryption_modules,
        files,
        bounds_findings,
        findings,
        indexes,
        levels,
        lies,
        logical,
    ),
    *(page_findings, pages, runs, schemas, statistics, variants),
)


def recipes() -> Iterator[Recipe]:
    """Yield all recipes of legal plans."""
    for area in _AREAS:
        yield from area.recipes()
