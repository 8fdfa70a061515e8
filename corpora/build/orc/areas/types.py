"""Every type in each of its encodings, in every nesting."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import Any

from corpora.build.orc import nestings, samples
from corpora.build.orc.schemas import column_plan, column_recipe, leaf, recipe, versions
from corpora.build.recipe import Recipe, slug
from reference_impl.orc.plan import Column, Dictionary
from reference_impl.orc.schema import TypeKind
from reference_impl.orc.statistics import TEXTS


def recipes() -> Iterator[Recipe]:
    """Yield the matrix, and the lengths of CHAR and VARCHAR."""
    for kind, type_ in (samples.TYPES | samples.NESTED).items():
        for (name, layout), nesting in product(_layouts(kind), nestings.NESTINGS):
            make = versions if kind not in samples.PLAIN and nesting.name in nestings.OLD else column_plan
            plan = make(nesting.type(type_), nesting.values(samples.VALUES[kind]), layout)
            yield recipe(f"type/{slug(kind.name)}/{name}/{nesting.name}", plan, samples.clause(kind))
    yield from _lengths()


def _layouts(kind: TypeKind) -> Iterator[tuple[str, Column]]:
    """Yield the encodings of a type: direct, and for text a dictionary."""
    yield "direct", Column()
    if kind in TEXTS:
        yield "dictionary", Column(dictionary=Dictionary())


def _lengths() -> Iterator[Recipe]:
    """Yield CHAR and VARCHAR of one, of some and of the most characters, padded and not."""
    spec = "ORCv1.md, Type Information"
    texts: dict[str, tuple[int, list[Any]]] = {
        "char/one": (1, [b"a", "é".encode(), "𝄞".encode(), b" "]),
        "char/padded": (4, [b"a   ", b"ab  ", b"    ", "é   ".encode(), b"abcd"]),
        "char/padded-inside": (4, [b" a  ", b"  ab", b"a  b"]),
        "varchar/one": (1, [b"a", "é".encode(), "𝄞".encode(), b" ", b""]),
        "varchar/trailing-spaces": (4, [b"a ", b"a", b"a   ", b"    ", b""]),
        "varchar/full": (3, ["日本語".encode(), b"abc", "𝄞𝄞𝄞".encode()]),
        "varchar/longest": (65_535, [b"a", b"b" * 300]),
    }
    for name, (length, values) in texts.items():
        kind = TypeKind[name.partition("/")[0].upper()]
        yield column_recipe(f"length/{name}", spec, leaf(kind, maximum_length=length), values)
    for kind in (TypeKind.CHAR, TypeKind.VARCHAR):
        # The length counts characters, and combining characters count separately.
        values = ["e\u0301a".encode(), "\u00e9a ".encode(), b"abc"]
        yield column_recipe(f"length/{slug(kind.name)}/combining", spec, leaf(kind, maximum_length=3), values)
