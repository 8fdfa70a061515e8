"""Dictionaries: their order, unused entries, repeated entries, no entries."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from corpora.build.orc import samples
from corpora.build.orc.schemas import STRING, column_plan, column_recipe, recipe, versions
from corpora.build.recipe import Recipe
from reference_impl.orc.encodings.runs import Run, RunKind
from reference_impl.orc.plan import Column, Dictionary, DictionaryOrder
from reference_impl.orc.schema import TypeKind

_SPEC = samples.clause(TypeKind.STRING)
_WORDS = (b"Nevada", b"California", b"Nevada", b"California", b"Florida")
_SIZES = (1, 2, 3, 129, 257)


def recipes() -> Iterator[Recipe]:
    """Yield the forms, in both versions of integers."""
    for name, (values, dictionary) in _FORMS.items():
        plan = versions(STRING, values, Column(dictionary=dictionary))
        yield recipe(f"dictionary/{name}", plan, _SPEC, level=_level(dictionary))
    for size in _SIZES:
        words = [b"%03d" % number for number in range(size)]
        plan = column_plan(STRING, [*words[::-1], words[0]], Column(dictionary=Dictionary()))
        yield recipe(f"dictionary/size/{size}", plan, _SPEC)
    for length in (1, 3, 10):
        runs = (Run(RunKind.DIRECT, length), Run(RunKind.SHORT_REPEAT), Run(RunKind.DELTA, length))
        layout = Column(dictionary=Dictionary(), data_runs=runs, length_runs=runs)
        yield recipe(f"dictionary/runs/{length}", column_plan(STRING, [*_WORDS] * 6, layout), _SPEC)
    yield from _stripes()


def _level(dictionary: Dictionary) -> str:
    """Return the level of the text on a dictionary: it requires that writers sort dictionaries."""
    return "MUST" if dictionary.order is DictionaryOrder.SORTED and not dictionary.duplicates else "SHOULD"


_FORMS: dict[str, tuple[Sequence[bytes | None], Dictionary]] = {
    "example": (_WORDS, Dictionary()),
    "as-seen": (_WORDS, Dictionary(DictionaryOrder.SEEN)),
    "reversed": (_WORDS, Dictionary(DictionaryOrder.REVERSED)),
    "unused": (_WORDS, Dictionary(unused=(b"Alabama", b"Wyoming", b"F"))),
    "unused-only": ([None, None], Dictionary(unused=(b"Alabama", b"Wyoming"))),
    "twice": (_WORDS, Dictionary(duplicates=True)),
    "twice-and-unused": ([*_WORDS, None], Dictionary(unused=(b"F",), duplicates=True)),
    "one-entry": ([b"same"] * 20, Dictionary()),
    "empty-string": ([b"", b"a", b"", None], Dictionary()),
    "empty-string-only": ([b""] * 5, Dictionary()),
    "all-null": ([None] * 5, Dictionary()),
    "high-bytes": (["é".encode(), b"z", "𝄞".encode(), "日".encode(), b"z"], Dictionary()),
    "prefixes": ([b"abc", b"ab", b"a", b"abcd", b"ab"], Dictionary()),
    "not-smaller": ([b"a", b"b", b"c", b"d"], Dictionary()),
    "long-entry": ([b"x" * 300, b"y", b"x" * 300], Dictionary()),
}


def _stripes() -> Iterator[Recipe]:
    """Yield stripes with different dictionaries, and stripes without a dictionary."""
    values = [*_WORDS, *_WORDS[::-1], b"Utah", b"Iowa", None]
    layout = Column(dictionary=Dictionary())
    yield column_recipe("dictionary/stripes/each-its-own", _SPEC, STRING, values, layout, stripes=(5, 5, 3))
    direct, old = Column(), Column(rle=1, dictionary=Dictionary(DictionaryOrder.SEEN))
    plan = column_plan(STRING, values, layout, stripes=(5, 5, 3), overrides=((1, 1, direct), (2, 1, old)))
    yield recipe("dictionary/stripes/some-direct", plan, _SPEC)
    plan = column_plan(STRING, [*values] * 3, layout, row_index_stride=5)
    yield recipe("dictionary/stripes/row-groups", plan, _SPEC, probed=("x",))
    plan = column_plan(STRING, [*_WORDS, None, None, *_WORDS], layout, stripes=(5, 2, 5))
    yield recipe("dictionary/stripes/one-without-values", plan, _SPEC)
