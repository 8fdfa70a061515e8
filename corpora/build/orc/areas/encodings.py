"""Integers of version 1, runs of bytes and of booleans (also in PRESENT streams), and dictionaries."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain

from corpora.build.orc import samples
from corpora.build.orc.schemas import (
    INT,
    LONG,
    STRING,
    column_plan,
    column_recipe,
    list_of,
    recipe,
    union_of,
    versions,
)
from corpora.build.recipe import Recipe
from reference_impl.orc.encodings.runs import Run, RunKind
from reference_impl.orc.plan import Column, Dictionary, DictionaryOrder, Present
from reference_impl.orc.schema import TypeKind

_RLE = "ORCv1.md, Integer Run Length Encoding, version 1"
_VARINT = "ORCv1.md, Base 128 Varint"
_MOST = (1 << 63) - 1


def _rle_v1() -> Iterator[Recipe]:
    """Yield the runs."""
    literals = Run(RunKind.LITERALS, 128)
    for count in (1, 2, 3, 127, 128, 129):
        yield _numbers(f"literals/{count}", [number * 7 % 13 - 6 for number in range(count)], literals)
    for count in (3, 4, 129, 130, 131, 133):
        yield _numbers(f"run/{count}", list(range(count)), Run(RunKind.REPEAT))
    for step in (-128, -127, -1, 0, 1, 126, 127):
        yield _numbers(f"step/{step}", [40 + number * step for number in range(9)], Run(RunKind.REPEAT))
    for name, values in _EDGES.items():
        yield _numbers(f"edge/{name}", values, Run())
    yield from _varints()
    yield from _unsigned()


def _numbers(name: str, values: Sequence[int], run: Run) -> Recipe:
    return column_recipe(f"rle-v1/{name}", _RLE, LONG, values, Column(rle=1, data_runs=(run,)))


_EDGES: dict[str, list[int]] = {
    "step-too-large": [0, 128, 256, 384, 512],
    "step-too-small": [0, -129, -258, -387],
    "from-least": [-(1 << 63) + number for number in range(5)],
    "to-most": [_MOST - 4 + number for number in range(5)],
    "limits": [_MOST, -(1 << 63), _MOST, -(1 << 63)],
    "run-literals-run": [1, 2, 3, 4, 9, 7, 30, 5, 5, 5, 5, 5],
    "literals-of-equal": [6, 6, 1, 1, 4, 4],
}


def _varints() -> Iterator[Recipe]:
    """Yield numbers that take 1 to 10 bytes, at both ends of each size."""
    values = []
    for size in range(1, 11):
        low, high = 1 << max(0, 7 * (size - 1) - 1), min((1 << 7 * size - 1) - 1, _MOST)
        values += [low, high, -low - 1, -high - 1]
    for name, part in {
        "up-to-5-bytes": values[:20],
        "6-to-9-bytes": values[20:36],
        "10-bytes": values[36:],
    }.items():
        plan = column_plan(LONG, part, Column(rle=1, data_runs=(Run(RunKind.LITERALS, 128),)))
        yield recipe(f"rle-v1/varint/{name}", plan, _VARINT)


def _unsigned() -> Iterator[Recipe]:
    """Yield lengths: literals of one and of two bytes, runs up, down, and of equals."""
    lengths: dict[str, list[int]] = {
        "literals": [0, 127, 128, 5, 129, 1],
        "run-up": list(range(12)),
        "run-down": list(range(12, 0, -1)),
        "run-of-zero": [0] * 20,
        "run-by-127": [0, 127, 254, 381],
    }
    for name, values in lengths.items():
        plan = column_plan(STRING, [b"a" * length for length in values], Column(rle=1))
        yield recipe(f"rle-v1/unsigned/{name}", plan, _RLE)
    plan = column_plan(list_of(LONG), [[1, 2], [], [3], [4, 5, 6]], Column(rle=1))
    yield recipe("rle-v1/unsigned/of-list", plan, _RLE)


_BYTES = "ORCv1.md, Byte Run Length Encoding"
_BITS = "ORCv1.md, Boolean Run Length Encoding"
_BYTE, _BOOLEAN = samples.TYPES[TypeKind.BYTE], samples.TYPES[TypeKind.BOOLEAN]
_COUNTS = (1, 7, 8, 9, 16, 17, 65)


def _of_bytes() -> Iterator[Recipe]:
    for count in (1, 2, 3, 127, 128, 129):
        values = [number * 7 % 13 - 6 for number in range(count)]
        plan = column_plan(_BYTE, values, Column(data_runs=(Run(RunKind.LITERALS),)))
        yield recipe(f"byte-rle/literals/{count}", plan, _BYTES)
    for count in (3, 4, 129, 130, 131, 133):
        plan = column_plan(_BYTE, [-1] * count, Column(data_runs=(Run(RunKind.REPEAT),)))
        yield recipe(f"byte-rle/run/{count}", plan, _BYTES)
    mixed = [1, 1, 1, 2, 3, 3, 3, 3, -128, 127, 0, 0, 5, 5, 5]
    yield column_recipe("byte-rle/mixed/chosen", _BYTES, _BYTE, mixed)
    for length in (1, 2, 5):
        runs = (Run(RunKind.LITERALS, length), Run(RunKind.REPEAT, length))
        yield column_recipe(f"byte-rle/mixed/runs-of-{length}", _BYTES, _BYTE, mixed, Column(data_runs=runs))
    tags = [(number // 4 % 2, number) for number in range(20)]
    yield recipe("byte-rle/union-tags", column_plan(union_of(INT, INT), tags), "ORCv1.md, Union Columns")
    many = [(number * 7 % 140, number % 2 == 0) for number in range(40)]
    bare = Column(statistics=None, index=None)
    plan = column_plan(union_of(*[_BOOLEAN] * 140), many, bare)
    yield recipe("byte-rle/union-of-140", plan, "ORCv1.md, Union Columns")


def _of_bits() -> Iterator[Recipe]:
    for count in _COUNTS:
        values = [number * number % 3 == 0 for number in range(count)]
        yield recipe(f"boolean-rle/count/{count}", column_plan(_BOOLEAN, values), _BITS)
    for name, values in {
        "all-true": [True] * 40,
        "all-false": [False] * 40,
        "long-run": [True] * 1048,
        "longer-than-a-run": [False] * 1049,
        "alternating": [number % 2 == 0 for number in range(40)],
        "one-in-last-byte": [False] * 32 + [True],
    }.items():
        yield recipe(f"boolean-rle/{name}", column_plan(_BOOLEAN, values), _BITS)
        plan = column_plan(_BOOLEAN, values[:100], Column(data_runs=(Run(RunKind.LITERALS),)))
        yield recipe(f"boolean-rle/literals/{name}", plan, _BITS)


def _present() -> Iterator[Recipe]:
    for count in _COUNTS:
        values = [number if number * number % 3 else None for number in range(count)]
        yield recipe(f"present/count/{count}", column_plan(INT, values), _BITS)
    contents: dict[str, list[int | None]] = {
        "all-null": [None] * 40,
        "one-null": [None],
        "only-last": [None] * 32 + [5],
        "only-first": [5] + [None] * 32,
        "all-but-last": [*range(32), None],
        "alternating": [number if number % 2 else None for number in range(33)],
        "long-runs": [1] * 200 + [None] * 200,
    }
    for name, values in contents.items():
        yield recipe(f"present/{name}", column_plan(INT, values), _BITS)
        runs = (Run(RunKind.LITERALS, 2), Run(RunKind.REPEAT))
        yield column_recipe(f"present/runs/{name}", _BITS, INT, values, Column(rle=1, present_runs=runs))
    for kind in (TypeKind.INT, TypeKind.STRING, TypeKind.BOOLEAN, TypeKind.TIMESTAMP, TypeKind.DECIMAL):
        layout = Column(present=Present.ALWAYS)
        plan = column_plan(samples.TYPES[kind], samples.VALUES[kind], layout)
        yield recipe(f"present/of-no-nulls/{kind.name.lower()}", plan, samples.clause(kind))


_DICTIONARY = samples.clause(TypeKind.STRING)
_WORDS = (b"Nevada", b"California", b"Nevada", b"California", b"Florida")
_SIZES = (1, 2, 3, 129, 257)


def _dictionaries() -> Iterator[Recipe]:
    """Yield the forms, in both versions of integers."""
    for name, (values, dictionary) in _DICTIONARIES.items():
        plan = versions(STRING, values, Column(dictionary=dictionary))
        yield recipe(f"dictionary/{name}", plan, _DICTIONARY, level=_level(dictionary))
    for size in _SIZES:
        words = [b"%03d" % number for number in range(size)]
        plan = column_plan(STRING, [*words[::-1], words[0]], Column(dictionary=Dictionary()))
        yield recipe(f"dictionary/size/{size}", plan, _DICTIONARY)
    for length in (1, 3, 10):
        runs = (Run(RunKind.DIRECT, length), Run(RunKind.SHORT_REPEAT), Run(RunKind.DELTA, length))
        layout = Column(dictionary=Dictionary(), data_runs=runs, length_runs=runs)
        yield recipe(f"dictionary/runs/{length}", column_plan(STRING, [*_WORDS] * 6, layout), _DICTIONARY)
    yield from _of_stripes()


def _level(dictionary: Dictionary) -> str:
    """Return the level of the text on a dictionary: it requires that writers sort dictionaries."""
    return "MUST" if dictionary.order is DictionaryOrder.SORTED and not dictionary.duplicates else "SHOULD"


_DICTIONARIES: dict[str, tuple[Sequence[bytes | None], Dictionary]] = {
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


def _of_stripes() -> Iterator[Recipe]:
    """Yield stripes with different dictionaries, and stripes without a dictionary."""
    values = [*_WORDS, *_WORDS[::-1], b"Utah", b"Iowa", None]
    layout = Column(dictionary=Dictionary())
    yield column_recipe(
        "dictionary/stripes/each-its-own", _DICTIONARY, STRING, values, layout, stripes=(5, 5, 3)
    )
    direct, old = Column(), Column(rle=1, dictionary=Dictionary(DictionaryOrder.SEEN))
    plan = column_plan(STRING, values, layout, stripes=(5, 5, 3), overrides=((1, 1, direct), (2, 1, old)))
    yield recipe("dictionary/stripes/some-direct", plan, _DICTIONARY)
    plan = column_plan(STRING, [*values] * 3, layout, row_index_stride=5)
    yield recipe("dictionary/stripes/row-groups", plan, _DICTIONARY, probed=("x",))
    plan = column_plan(STRING, [*_WORDS, None, None, *_WORDS], layout, stripes=(5, 2, 5))
    yield recipe("dictionary/stripes/one-without-values", plan, _DICTIONARY)


def recipes() -> Iterator[Recipe]:
    """Yield the runs and the dictionaries."""
    return chain(_rle_v1(), _of_bytes(), _of_bits(), _present(), _dictionaries())
