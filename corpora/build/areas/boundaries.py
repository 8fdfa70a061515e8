"""Edges of the other encodings: lengths, prefixes, streams, and counts around multiples of 8 and 32."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain, product
from typing import Any

from corpora.build import samples
from corpora.build.recipe import OPTIONAL, REQUIRED, Recipe, column_plan, leaf, slug
from reference_impl.parquet.plan import Column, Delta, Page
from reference_impl.parquet.schema import Encoding, Type

_STRINGS: dict[str, list[bytes]] = {
    "all-empty": [b""] * 9,
    "one": [b"x"],
    "equal": [b"same"] * 33,
    "nothing-shared": [bytes([97 + number]) for number in range(10)],
    "growing": [b"abcdefghij"[:number] for number in range(11)],
    "shrinking": [b"abcdefghij"[: 10 - number] for number in range(11)],
    "empty-between": [b"ab", b"", b"abc", b"", b"", b"abcd"],
    "high-bytes": [b"\xff" * number for number in range(5)] + [b"\xfe", b"\x80\x00", b"\x7f"],
    "zero-bytes": [b"\x00" * number for number in range(5)],
    "prefix-7-8-9": [b"abcdefg-", b"abcdefg+", b"abcdefgh-", b"abcdefgh+", b"abcdefghi-", b"abcdefghi+"],
    "length-127-128-129": [b"a" * 127, b"a" * 128, b"a" * 129, b"a" * 126 + b"b"],
    "length-255-256-257": [b"b" * 255, b"c" * 256, b"d" * 257],
    "count-32": [b"%d" % (number % 5) for number in range(32)],
    "count-33": [b"%d" % (number % 5) for number in range(33)],
    "count-128": [b"%d" % (number % 5) for number in range(128)],
    "count-129": [b"%d" % (number % 5) for number in range(129)],
    "not-utf8": [b"\xc3", b"\xc3\x28", b"\xed\xa0\x80", b"\xf8"],
    "non-ascii": ["é".encode(), "éé".encode(), "日本".encode(), "日本語".encode(), "𝄞".encode()],
}
_STRING_ENCODINGS = (Encoding.PLAIN, Encoding.DELTA_LENGTH_BYTE_ARRAY, Encoding.DELTA_BYTE_ARRAY)
_COUNTS = (0, 1, 2, 3, 7, 8, 9, 15, 16, 17, 31, 32, 33)


def recipes() -> Iterator[Recipe]:
    """Yield the edges."""
    return chain(_strings(), _delta_of_lengths(), _fixed(), _streams(), _plain_booleans())


def _recipe(
    name: str, fields: dict[str, Any], values: Sequence[Any], page: Page, repetition: int = REQUIRED
) -> Recipe:
    plan = column_plan(leaf("x", repetition=repetition, **fields), values, Column((page,)))
    return Recipe(f"boundary/{slug(page.encoding.name)}/{name}", plan, samples.CLAUSES[page.encoding])


def _strings() -> Iterator[Recipe]:
    """Yield byte arrays of every length and shared prefix."""
    for encoding in _STRING_ENCODINGS:
        for (name, values), version in product(_STRINGS.items(), (1, 2)):
            page = Page(None, encoding, version)
            yield _recipe(f"{name}/v{version}", samples.fields(Type.BYTE_ARRAY), values, page)
        values = _STRINGS["growing"] + _STRINGS["shrinking"]
        yield _recipe("two-a-page", samples.fields(Type.BYTE_ARRAY), values, Page(2, encoding))
        nulls = [value for text in values for value in (None, text)]
        yield _recipe("with-nulls", samples.fields(Type.BYTE_ARRAY), nulls, Page(5, encoding), OPTIONAL)
        yield _recipe("all-null", samples.fields(Type.BYTE_ARRAY), [None] * 9, Page(None, encoding), OPTIONAL)


def _delta_of_lengths() -> Iterator[Recipe]:
    """Yield other blocks and miniblocks in the lengths and prefixes of strings."""
    values = [b"ab" * (number % 4) for number in range(40)]
    for encoding in _STRING_ENCODINGS[1:]:
        for delta in (Delta(128, 1), Delta(256, 8), Delta(1024, 4), Delta(padding=-1), Delta(extra_bits=40)):
            name = f"block-{delta.block_size}-{delta.miniblocks}" + "-padded" * bool(delta.padding)
            name += "-wide" * bool(delta.extra_bits)
            page = Page(None, encoding, delta=delta)
            yield _recipe(f"layout/{name}", samples.fields(Type.BYTE_ARRAY), values, page)


def _fixed() -> Iterator[Recipe]:
    """Yield fixed lengths: the shortest, and lengths around the widths of machine words."""
    for length in (1, 2, 4, 5, 7, 8, 9, 12, 16, 17, 20):
        values = [bytes((number * 37 + at * at) % 256 for at in range(length)) for number in range(9)]
        values += [bytes(length), b"\xff" * length, values[0]]
        for encoding in (Encoding.PLAIN, Encoding.DELTA_BYTE_ARRAY, Encoding.BYTE_STREAM_SPLIT):
            fields = samples.fields(Type.FIXED_LEN_BYTE_ARRAY, length)
            yield _recipe(f"fixed-{length}", fields, values, Page(5, encoding))


def _streams() -> Iterator[Recipe]:
    """Yield BYTE_STREAM_SPLIT pages with numbers of values around the width of a vector."""
    encoding = Encoding.BYTE_STREAM_SPLIT
    for kind in samples.ENCODINGS[encoding]:
        for count in _COUNTS:
            source = samples.VALUES[kind]
            values = [source[number % len(source)] for number in range(count)]
            page = Page(None, encoding, version=1 + count % 2)
            yield _recipe(f"count/{slug(kind.name)}/{count}", samples.fields(kind), values, page)
        nulls = [value for sample in samples.VALUES[kind] for value in (None, sample)]
        page = Page(6, encoding)
        yield _recipe(f"with-nulls/{slug(kind.name)}", samples.fields(kind), nulls, page, OPTIONAL)


def _plain_booleans() -> Iterator[Recipe]:
    """Yield bits up to and beyond the end of a byte."""
    for count in (*_COUNTS, 63, 64, 65):
        values = [number % 3 == 0 for number in range(count)]
        for version in (1, 2):
            page = Page(None, Encoding.PLAIN, version)
            yield _recipe(f"boolean/{count}/v{version}", samples.fields(Type.BOOLEAN), values, page)
