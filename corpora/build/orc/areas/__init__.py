"""Recipes of ORC by area; each module has one function `recipes`."""

from __future__ import annotations

from collections.abc import Iterator

from corpora.build.orc.areas import (
    chunks,
    encodings,
    encryption,
    encryption_faults,
    files,
    findings,
    indexes,
    lies,
    nested,
    rle_v2,
    statistics,
    types,
)
from corpora.build.recipe import Recipe

_AREAS = (
    chunks,
    encodings,
    encryption,
    encryption_faults,
    files,
    findings,
    indexes,
    lies,
    nested,
    rle_v2,
    statistics,
    types,
)


def recipes() -> Iterator[Recipe]:
    """Yield all recipes of legal plans."""
    for area in _AREAS:
        yield from area.recipes()
