"""Every encoding of every type that it supports, in both page versions, in every nesting."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

from corpora.build import nestings, samples
from corpora.build.nestings import Nesting
from corpora.build.recipe import Recipe, slug
from reference_impl.parquet.plan import Column, Dictionary, Page
from reference_impl.parquet.schema import Encoding, Type

_ENTRIES = 9  # of a page: some pages begin with nulls, most end inside of a group of 8


def recipes() -> Iterator[Recipe]:
    """Yield the matrix."""
    for encoding, kinds in samples.ENCODINGS.items():
        for kind, version, nesting in product(kinds, (1, 2), nestings.NESTINGS):
            yield _recipe(encoding, kind, version, nesting)


def _recipe(encoding: Encoding, kind: Type, version: int, nesting: Nesting) -> Recipe:
    old = encoding == Encoding.PLAIN_DICTIONARY
    dictionary = Dictionary(plain_dictionary=old) if encoding in samples.DICTIONARIES else None
    stats = nesting.name == "optional"
    layout = Column((Page(_ENTRIES, encoding, version),), dictionary=dictionary, encoding_stats=stats)
    # "Using the PLAIN_DICTIONARY enum value is deprecated since the Parquet 2.0": readers should know it.
    return Recipe(
        f"encoding/{slug(encoding.name)}/{slug(kind.name)}/v{version}/{nesting.name}",
        nestings.plan(nesting, samples.fields(kind), samples.VALUES[kind], layout),
        samples.CLAUSES[encoding],
        level="SHOULD" if old and version == 2 else "MUST",
    )
