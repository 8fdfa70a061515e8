"""Every encoding of every type in both page versions and every nesting; their edges; ALP; dictionaries."""

from __future__ import annotations

import struct
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import chain, product
from typing import Any

from corpora.build import samples
from corpora.build.recipe import OPTIONAL, REQUIRED, Recipe, column_plan, leaf, schema, slug
from corpora.build.samples import Nesting
from corpora.build.silences import UNNAMED_DICTIONARY
from reference_impl.parquet.plan import Alp, Column, Delta, Dictionary, FilePlan, Page
from reference_impl.parquet.schema import ColumnChunk, Encoding, Type
from reference_impl.parquet.tamper import Place, Tamper

_ENTRIES = 9  # of a page: some pages begin with nulls, most end inside of a group of 8


def _matrix() -> Iterator[Recipe]:
    """Yield the matrix."""
    for encoding, kinds in samples.ENCODINGS.items():
        for kind, version, nesting in product(kinds, (1, 2), samples.NESTINGS):
            yield _cell(encoding, kind, version, nesting)


def _cell(encoding: Encoding, kind: Type, version: int, nesting: Nesting) -> Recipe:
    old = encoding == Encoding.PLAIN_DICTIONARY
    dictionary = Dictionary(plain_dictionary=old) if encoding in samples.DICTIONARIES else None
    stats = nesting.name == "optional"
    layout = Column((Page(_ENTRIES, encoding, version),), dictionary=dictionary, encoding_stats=stats)
    # "Using the PLAIN_DICTIONARY enum value is deprecated since the Parquet 2.0": readers should know it.
    return Recipe(
        f"encoding/{slug(encoding.name)}/{slug(kind.name)}/v{version}/{nesting.name}",
        samples.plan(nesting, samples.fields(kind), samples.VALUES[kind], layout),
        samples.CLAUSES[encoding],
        level="SHOULD" if old and version == 2 else "MUST",
    )


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


def _boundary(
    name: str, fields: dict[str, Any], values: Sequence[Any], page: Page, repetition: int = REQUIRED
) -> Recipe:
    plan = column_plan(leaf("x", repetition=repetition, **fields), values, Column((page,)))
    return Recipe(f"boundary/{slug(page.encoding.name)}/{name}", plan, samples.CLAUSES[page.encoding])


def _strings() -> Iterator[Recipe]:
    """Yield byte arrays of every length and shared prefix."""
    for encoding in _STRING_ENCODINGS:
        for (name, values), version in product(_STRINGS.items(), (1, 2)):
            page = Page(None, encoding, version)
            yield _boundary(f"{name}/v{version}", samples.fields(Type.BYTE_ARRAY), values, page)
        values = _STRINGS["growing"] + _STRINGS["shrinking"]
        yield _boundary("two-a-page", samples.fields(Type.BYTE_ARRAY), values, Page(2, encoding))
        nulls = [value for text in values for value in (None, text)]
        yield _boundary("with-nulls", samples.fields(Type.BYTE_ARRAY), nulls, Page(5, encoding), OPTIONAL)
        yield _boundary(
            "all-null", samples.fields(Type.BYTE_ARRAY), [None] * 9, Page(None, encoding), OPTIONAL
        )


def _delta_of_lengths() -> Iterator[Recipe]:
    """Yield other blocks and miniblocks in the lengths and prefixes of strings."""
    values = [b"ab" * (number % 4) for number in range(40)]
    for encoding in _STRING_ENCODINGS[1:]:
        for delta in (Delta(128, 1), Delta(256, 8), Delta(1024, 4), Delta(padding=-1), Delta(extra_bits=40)):
            name = f"block-{delta.block_size}-{delta.miniblocks}" + "-padded" * bool(delta.padding)
            name += "-wide" * bool(delta.extra_bits)
            page = Page(None, encoding, delta=delta)
            yield _boundary(f"layout/{name}", samples.fields(Type.BYTE_ARRAY), values, page)


def _fixed() -> Iterator[Recipe]:
    """Yield fixed lengths: the shortest, and lengths around the widths of machine words."""
    for length in (1, 2, 4, 5, 7, 8, 9, 12, 16, 17, 20):
        values = [bytes((number * 37 + at * at) % 256 for at in range(length)) for number in range(9)]
        values += [bytes(length), b"\xff" * length, values[0]]
        for encoding in (Encoding.PLAIN, Encoding.DELTA_BYTE_ARRAY, Encoding.BYTE_STREAM_SPLIT):
            fields = samples.fields(Type.FIXED_LEN_BYTE_ARRAY, length)
            yield _boundary(f"fixed-{length}", fields, values, Page(5, encoding))


def _streams() -> Iterator[Recipe]:
    """Yield BYTE_STREAM_SPLIT pages with numbers of values around the width of a vector."""
    encoding = Encoding.BYTE_STREAM_SPLIT
    for kind in samples.ENCODINGS[encoding]:
        for count in _COUNTS:
            source = samples.VALUES[kind]
            values = [source[number % len(source)] for number in range(count)]
            page = Page(None, encoding, version=1 + count % 2)
            yield _boundary(f"count/{slug(kind.name)}/{count}", samples.fields(kind), values, page)
        nulls = [value for sample in samples.VALUES[kind] for value in (None, sample)]
        page = Page(6, encoding)
        yield _boundary(f"with-nulls/{slug(kind.name)}", samples.fields(kind), nulls, page, OPTIONAL)


def _plain_booleans() -> Iterator[Recipe]:
    """Yield bits up to and beyond the end of a byte."""
    for count in (*_COUNTS, 63, 64, 65):
        values = [number % 3 == 0 for number in range(count)]
        for version in (1, 2):
            page = Page(None, Encoding.PLAIN, version)
            yield _boundary(f"boolean/{count}/v{version}", samples.fields(Type.BOOLEAN), values, page)


_ALP_SPEC = "AlpEncoding.md, Page Layout"
_FLOATS = (Type.FLOAT, Type.DOUBLE)
_MOST = {Type.FLOAT: 10, Type.DOUBLE: 18}
_BITS = {Type.FLOAT: 32, Type.DOUBLE: 64}
_NAN = struct.pack("<d", float("nan"))
_ALP_ROWS = 21
_CENTS = [number * 37 % 1000 / 4 for number in range(_ALP_ROWS)]  # quarters, which both types hold exactly


def _alp() -> Iterator[Recipe]:
    """Yield the forms of a page."""
    example = (1500.0, _NAN, 2500.0, 333.5)
    notes = "the worked example of the specification"
    yield _alp_page("example", Type.DOUBLE, example, Alp(exponent=4, factor=3), notes=notes)
    for kind in _FLOATS:
        yield from _vectors(kind)
        yield from _integers(kind)
        yield from _exceptions(kind)


def _vectors(kind: Type) -> Iterator[Recipe]:
    """Yield vectors of 8 values and of more, full and not, in one page and in some."""
    for log, count in product((3, 4, 15), (1, 7, 8, 9, 16, _ALP_ROWS)):
        if log == 3 or count == _ALP_ROWS:
            yield _alp_page(f"vectors-of-{1 << log}/{count}", kind, _CENTS[:count], Alp(log))
    some = (None, *_CENTS, None)
    yield _alp_page("nulls", kind, some, Alp(3))
    yield _alp_page("nothing-but-nulls", kind, (None, None), Alp(3))
    yield _alp_page("pages", kind, some, Alp(3), entries=9)
    yield _alp_page("vectors-of-1024/default", kind, [*_CENTS] * 50, Alp())


def _integers(kind: Type) -> Iterator[Recipe]:
    """Yield exponents and factors, and integers of no bits, of all bits, and of more than needed."""
    most = _MOST[kind]
    for exponent, factor in ((0, 0), (2, 0), (2, 2), (most, 0), (most, most)):
        name = f"exponent-{exponent}-factor-{factor}"
        yield _alp_page(name, kind, _CENTS, Alp(exponent=exponent, factor=factor))
    yield _alp_page("width/0", kind, [-7.25] * 9, Alp())
    edge = 2.0 ** (_BITS[kind] - 1)
    yield _alp_page("width/most", kind, [-edge, edge / 2, 0.0, -1.0], Alp(exponent=0))
    for extra in (1, 7):
        yield _alp_page(f"width/{extra}-more", kind, _CENTS, Alp(extra_bits=extra))


def _exceptions(kind: Type) -> Iterator[Recipe]:
    """Yield exceptions, which are not short decimals: none, some, all, and some without need."""
    specials = samples.VALUES[kind]
    yield _alp_page("exceptions/all", kind, specials[4:], Alp(3, exponent=0))
    yield _alp_page("exceptions/some", kind, [*specials, *_CENTS], Alp())
    for every in (1, 2, 3):
        yield _alp_page(f"exceptions/every-{every}", kind, _CENTS, Alp(3, exponent=2, exceptions=every))


def _alp_page(  # noqa: PLR0917 - the parts of a page of ALP
    name: str, kind: Type, values: Sequence[object], form: Alp, entries: int | None = None, notes: str = ""
) -> Recipe:
    column = Column((Page(entries, Encoding.ALP, alp=form),))
    plan = column_plan(leaf("x", kind, OPTIONAL), values, column)
    place = f"alp/{slug(kind.name)}/{name}"
    return Recipe(place, plan, _ALP_SPEC, notes=notes)


_DICTIONARY_SPEC = "Encodings.md, Dictionary Encoding"
_DICTIONARIES = {
    "duplicates": Dictionary(duplicates=True),
    "sorted": Dictionary(sorted_flag=True),
    "said-not-sorted": Dictionary(sorted_flag=False),
    "no-offset": Dictionary(offset=False),
    "wide-indices": Dictionary(index_width_extra=6),
    "crc": Dictionary(crc=True),
    "old-name": Dictionary(plain_dictionary=True, sorted_flag=False),
    "old-name-no-offset": Dictionary(plain_dictionary=True, offset=False),
    "old-name-of-its-page": Dictionary(plain_dictionary_page=True),
    "old-name-of-data-pages": Dictionary(plain_dictionary=True, plain_dictionary_page=False),
}
_UNUSED = {
    Type.INT32: (5, 6, -9),
    Type.BYTE_ARRAY: (b"never", b"", b"\xff"),
    Type.DOUBLE: (9.5, samples.DOUBLE_NANS[0]),
    Type.FIXED_LEN_BYTE_ARRAY: (b"xyz", b"zzz"),
    Type.INT64: (12, 2**40),
    Type.FLOAT: (9.5,),
    Type.BOOLEAN: (False,),
    Type.INT96: (bytes(12),),
}


def _dictionaries() -> Iterator[Recipe]:
    """Yield the forms."""
    for kind in (Type.INT32, Type.BYTE_ARRAY, Type.DOUBLE, Type.FIXED_LEN_BYTE_ARRAY):
        for (name, dictionary), nesting in product(_DICTIONARIES.items(), ("optional", "list")):
            yield _dictionary(kind, name, dictionary, nesting)
        yield _in_front(_dictionary(kind, "in-front", Dictionary(), "optional"))
    for kind, unused in _UNUSED.items():
        yield _dictionary(kind, "unused", Dictionary(unused=unused), "optional")
        yield _dictionary(kind, "unused-and-twice", Dictionary(unused=unused, duplicates=True), "required")
    yield from _groups()


class _WithoutOffset(Tamper):
    """Leaves out dictionary_page_offset; data_page_offset stays that of the first data page."""

    def chunk(self, place: Place, chunk: ColumnChunk) -> ColumnChunk:  # noqa: ARG002 - as in the base
        """Change the metadata of a chunk."""
        assert chunk.meta_data is not None
        return replace(chunk, meta_data=replace(chunk.meta_data, dictionary_page_offset=None))


def _in_front(recipe: Recipe) -> Recipe:
    """Return a recipe of a dictionary page that nothing in the metadata names (`chunk_begin` finds it)."""
    return replace(
        recipe,
        spec="parquet.thrift, ColumnMetaData.dictionary_page_offset",
        notes="data_page_offset is that of the first data page; dictionary_page_offset, optional, is absent",
        level="SHOULD",
        tamper=_WithoutOffset(),
        either=UNNAMED_DICTIONARY,
    )


def _dictionary(kind: Type, name: str, dictionary: Dictionary, nesting: str) -> Recipe:
    layout = Column((Page(6, Encoding.RLE_DICTIONARY),), dictionary=dictionary, encoding_stats=True)
    values = samples.VALUES[kind] * 2
    plan = samples.plan(samples.BY_NAME[nesting], samples.fields(kind), values, layout)
    return Recipe(f"dictionary/{slug(kind.name)}/{name}/{nesting}", plan, _DICTIONARY_SPEC)


def _groups() -> Iterator[Recipe]:
    """Yield files in which only some chunks of a column have a dictionary."""
    rows = tuple({"x": b"v%d" % (n % 3)} for n in range(12))
    by_index = Column((Page(None, Encoding.RLE_DICTIONARY),), dictionary=Dictionary())
    fields = schema(leaf("x", Type.BYTE_ARRAY))
    for name, groups in {"first": (0,), "last": (2,), "outer": (0, 2)}.items():
        overrides = tuple((group, 0, by_index) for group in groups)
        plan = FilePlan(fields, rows, overrides=overrides, row_groups=(4, 4, 4))
        yield Recipe(f"dictionary/in-row-group/{name}", plan, _DICTIONARY_SPEC)
    plan = FilePlan(fields, rows, (by_index,), row_groups=(6, 1, 5))
    yield Recipe(
        "dictionary/in-row-group/every", plan, _DICTIONARY_SPEC, notes="each has a dictionary of its own"
    )


def recipes() -> Iterator[Recipe]:
    """Yield the matrix, the edges, and the forms of ALP and of dictionaries."""
    return chain(
        _matrix(),
        _strings(),
        _delta_of_lengths(),
        _fixed(),
        _streams(),
        _plain_booleans(),
        _alp(),
        _dictionaries(),
    )
