"""Files with known values, as a user might have them: they measure how often the vote blames wrongly.

Each is written by this project's writers, the same each time: legal files that readers get wrong, and files
that break a rule. The expected values are only in the file's `Truth`, not in a JSON file next to it.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import cache
from itertools import chain
from pathlib import Path

from corpora import rules
from corpora.build import make
from corpora.build.formats import FORMATS
from corpora.build.recipe import Recipe
from corpora.build.silences import MET, REPEATED, UNDECIDED
from corpora.cases import Expectation
from properties.corpus import recipes
from properties.truths import placed, wild, wild_orc
from properties.truths.wild import Wild
from reference_impl.orc.noted import NOTED as NOTED_OF_ORC
from reference_impl.parquet.noted import NOTED

NOTED_RULE, REFUSED_RULE, OTHER_RULE = BROKEN = ("noted rule", "refused rule", "rule beside the values")
TWIN, WILD = "near twin", "written so by writers"

# Recipes whose files readers get wrong, or read in another documented way, by the cause.
CHOSEN: dict[str, tuple[str, ...]] = {
    "calendar": (
        *("orc/date/calendar/*", "orc/timestamp/calendar/*", "orc/instant/calendar/*"),
        *("orc/findings/days-of-*", "orc/findings/dates-before-year-1", "orc/*/before-1582"),
        *("orc/date/limits", "orc/date/year-1", "orc/date/gregorian-begins"),
    ),
    "zone": (
        *("orc/timestamp/zone/*", "orc/instant/zone/*", "orc/*/before-1900", "orc/findings/*-of-1850"),
        *("orc/findings/borrowed-second", "orc/timestamp/nanos/*"),
    ),
    "repeated": (
        *("parquet/schema/repeated/*", "parquet/schema/list/*", "parquet/schema/map/*"),
        *("parquet/findings/list-of-repeated", "parquet/findings/map-of-keys"),
    ),
    "wrapped integers": (
        *("parquet/delta-binary-packed/values/*", "orc/rle-v1/edge/*", "orc/rle-v2/delta/*extreme*"),
        "parquet/findings/miniblock-of-256",
    ),
    "BIT_PACKED levels": ("parquet/levels/bit-packed/*", "parquet/findings/bit-packed-levels"),
    "NaN and -0.0": (
        *("parquet/order/float/*", "parquet/order/double/*", "parquet/statistics/double/*"),
        *("parquet/statistics/float/*", "parquet/findings/nan-*", "parquet/findings/zero-*"),
        *("orc/statistics/double/*", "orc/findings/zero-*", "orc/findings/aggregate-of-nan"),
    ),
    "unsigned order": (
        *("parquet/order/uint-32/*", "parquet/order/string/*", "parquet/statistics/uint-*"),
        *("parquet/order/int96/*", "parquet/findings/deprecated-*"),
    ),
    "mapped types": (
        *("parquet/logical/*", "orc/type/*/direct/required", "orc/decimal/*", "orc/length/*", "orc/union/*"),
        *("parquet/findings/converted-*", "parquet/findings/int96-*", "parquet/findings/interval-months"),
        *("parquet/findings/decimal-*", "parquet/findings/variant-*", "parquet/variant/object/*"),
    ),
    "empty parts": (
        *("parquet/page/nothing/*", "orc/stripes/*", "orc/findings/empty-stripe", "orc/file/*"),
        *("parquet/file/no-rows/*", "orc/hive-0.11/*", "orc/writer/*", "parquet/file/version/*"),
    ),
}
_UNKNOWN = ("PQ-INDEX-021", "PQ-INDEX-031")  # the plan does not say what the values of these faults are


@dataclass(frozen=True)
class Truth:
    """A file: its name, as a path below a folder, its kind, and its expectation.

    `broken` are the rules of level MUST that it breaks.
    """

    name: str
    kind: str
    format: str
    data: bytes
    expectation: Expectation
    broken: tuple[str, ...] = ()

    def write(self, folder: Path) -> Path:
        """Write the file below a folder, without a JSON file, as a user has it; return its path."""
        path = folder / self.name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(self.data)
        return path


def truths(share: int = 1) -> Iterator[Truth]:
    """Yield the files with known values: all, or one in `share` of each kind, the same each time."""
    by_kind: dict[str, list[tuple[bytes, Wild]]] = {}
    for kind, file in _files():
        digest = hashlib.sha256(f"{file.recipe.format}/{file.recipe.id}".encode()).digest()
        by_kind.setdefault(kind, []).append((digest, file))
    for kind, those in by_kind.items():
        for _, file in sorted(those, key=lambda pair: pair[0])[: -(-len(those) // share)]:
            yield _built(file, kind)


def kinds() -> Counter[str]:
    """Return how many files there are of each kind."""
    return Counter(kind for kind, _ in _files())


@cache
def _files() -> tuple[tuple[str, Wild], ...]:
    """Return all files, each with its kind."""
    of_corpus = chain.from_iterable(map(recipes, FORMATS))
    chosen = ((kind, each) for each in of_corpus if each.keys is None and (kind := _kind(each)))
    recipes_of = (*chosen, *((NOTED_RULE, each) for each in placed.faults()))
    own = ((WILD, each) for each in (*wild.files(), *wild_orc.files()))
    return (*((kind, Wild(each, (each.refuse,) * bool(each.refuse))) for kind, each in recipes_of), *own)


def _kind(recipe: Recipe) -> str:
    """Return the kind of a file of the corpus, "" if it is not in this set."""
    if recipe.id.startswith("fault/"):
        if not recipe.refuse:
            return TWIN
        if recipe.refuse in _UNKNOWN:
            return ""
        if recipe.refuse in {*NOTED, *NOTED_OF_ORC}:
            return NOTED_RULE
        return OTHER_RULE if recipe.either else REFUSED_RULE
    name = f"{recipe.format}/{recipe.id}"
    return next(
        (kind for kind, patterns in CHOSEN.items() if any(fnmatchcase(name, each) for each in patterns)), ""
    )


def _built(file: Wild, kind: str) -> Truth:
    recipe = file.recipe
    built = make.make(recipe)
    return Truth(
        f"{recipe.format}/{recipe.id}.{recipe.format}",
        kind,
        recipe.format,
        built.data,
        _expectation(recipe, built.case.expectation),
        tuple(rule for rule in file.breaks if _is_must(rule)),
    )


def _expectation(recipe: Recipe, recorded: Expectation) -> Expectation:
    """Return the expectation of a file; a breach that readers do not meet excuses no refusal."""
    is_excuse = _is_must(recipe.refuse) and recipe.refuse not in REPEATED if recipe.refuse else True
    is_open = recipe.refuse in MET or recipe.refuse in UNDECIDED
    if is_excuse or recorded.table is None or is_open:
        return recorded
    return Expectation.accept(recorded.table, recorded.source)


def _is_must(rule: str) -> bool:
    return rules.load()[rule].level == "MUST"
