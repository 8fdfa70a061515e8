"""Pages of a chunk: numbers, sizes, versions, checksums, index pages, empty pages, and every codec."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import chain, product

from corpora.build import samples
from corpora.build.recipe import OPTIONAL, Recipe, column_plan, leaf, schema, slug
from reference_impl.parquet.plan import Column, Dictionary, FilePlan, Index, IndexPage, Page, Statistics
from reference_impl.parquet.schema import CompressionCodec, Encoding, Type

_SPEC = "README.md, Data Pages"
_V1, _V2 = Page(4), Page(4, version=2)
_BY_INDEX = Page(4, Encoding.RLE_DICTIONARY)
_DELTA = Page(4, Encoding.DELTA_BINARY_PACKED)
_SPLIT = Page(4, Encoding.BYTE_STREAM_SPLIT)
_MIXED: dict[str, tuple[Page, ...]] = {
    "v1-then-v2": (_V1, _V2),
    "v2-then-v1": (_V2, _V1),
    "growing": (Page(1), Page(2), Page(4), Page(8), Page(16)),
    "encodings": (_V1, _DELTA, _SPLIT, _BY_INDEX),
    "encodings-v2": tuple(Page(4, page.encoding, version=2) for page in (_SPLIT, _BY_INDEX, _V1, _DELTA)),
    "fallback-to-plain": (_BY_INDEX, _V1),
    "fallback-to-delta": (_BY_INDEX, _BY_INDEX, _DELTA),
    "fallback-to-split": (_BY_INDEX, _SPLIT),
    "fallback-from-v1-to-v2": (_BY_INDEX, _V2),
    "plain-then-dictionary": (_V1, _BY_INDEX),
    "in-turn": (_BY_INDEX, _V1, _BY_INDEX, _DELTA, _BY_INDEX),
    "dictionary-not-used": (_V1,),
    "empty-page-first": (Page(0), _V1),
    "empty-page-between": (_V1, Page(0), _V1),
    "empty-v2-page-between": (_V2, Page(0, version=2), _V2),
}


def _all_pages() -> Iterator[Recipe]:
    """Yield the forms."""
    for name, pages in _MIXED.items():
        yield from _mixed(name, pages)
    yield from _sizes()
    yield from _checksums()
    yield from _index_pages()
    yield from _nothing()
    yield from _absent_levels()


def _absent_levels() -> Iterator[Recipe]:
    """Yield pages that name BIT_PACKED as the encoding of levels that are not there, as many files do."""
    spec = "parquet.thrift, DataPageHeader.definition_level_encoding"
    for name in ("required", "optional", "list"):
        layout = Column((Page(5, bit_packed_absent=True),))
        plan = samples.plan(
            samples.BY_NAME[name], samples.fields(Type.INT32), samples.VALUES[Type.INT32], layout
        )
        yield Recipe(f"page/absent-levels/{name}", plan, spec)


def _mixed(name: str, pages: tuple[Page, ...]) -> Iterator[Recipe]:
    """Yield chunks with different pages, in flat and nested columns."""
    uses = any(page.encoding in samples.DICTIONARIES for page in pages) or name == "dictionary-not-used"
    falls = any(page.encoding not in samples.DICTIONARIES for page in pages)
    features: tuple[str, ...] = ("parquet/encoding/dictionary-fallback",) * (uses and falls)
    features += ("parquet/page/empty",) * name.startswith("empty")
    values = [number * 3 % 7 for number in range(24)]
    for nesting in ("required", "optional", "list"):
        layout = Column(pages, dictionary=Dictionary() if uses else None)
        plan = samples.plan(samples.BY_NAME[nesting], {"kind": Type.INT32}, values, layout)
        yield Recipe(f"page/mixed/{name}/{nesting}", plan, _SPEC, features=features)


def _sizes() -> Iterator[Recipe]:
    """Yield pages of one row, and pages that end at different rows from column to column."""
    rows = tuple({"a": n, "b": b"%d" % n, "c": None if n % 4 else float(n)} for n in range(24))
    fields = (leaf("a", Type.INT32), leaf("b", Type.BYTE_ARRAY), leaf("c", Type.DOUBLE, OPTIONAL))
    for version, sizes in product((1, 2), ((1, 1, 1), (1, 5, 24), (7, 3, 2), (24, 24, 24), (8, 9, 7))):
        columns = tuple(Column((Page(size, version=version),)) for size in sizes)
        name = "-".join(map(str, sizes))
        yield Recipe(f"page/rows/{name}/v{version}", FilePlan(schema(*fields), rows, columns), _SPEC)
    many = tuple({"a": n % 10} for n in range(300))
    plan = FilePlan(schema(leaf("a", Type.INT32)), many, (Column((Page(1),)),))
    yield Recipe("page/rows/300-pages", plan, _SPEC)


def _checksums() -> Iterator[Recipe]:
    """Yield pages with a CRC of the stored bytes: compressed or not, levels of v2 included."""
    spec = "README.md, Checksumming"
    for codec in (CompressionCodec.UNCOMPRESSED, CompressionCodec.SNAPPY):
        for version, nesting in product((1, 2), ("required", "list")):
            pages = (Page(5, Encoding.RLE_DICTIONARY, version, crc=True), Page(5, version=version))
            layout = Column(pages, codec, dictionary=Dictionary(crc=version == 1))
            plan = samples.plan(samples.BY_NAME[nesting], {"kind": Type.INT64}, range(20), layout)
            yield Recipe(f"page/crc/{slug(codec.name)}/v{version}/{nesting}", plan, spec)


def _index_pages() -> Iterator[Recipe]:
    """Yield chunks with an index page, which no known writer writes and readers skip."""
    spec = "README.md, Extensibility (additional page types can be skipped); parquet.thrift, IndexPageHeader"
    rows = tuple({"x": n * 3 % 7} for n in range(12))
    first = Column((_V1,), encoding_stats=True, index_page=IndexPage())
    by_index = replace(first, pages=(_BY_INDEX,), dictionary=Dictionary())
    layouts = {
        "v1": first,
        "v2": replace(first, pages=(_V2,)),
        "last": replace(first, index_page=IndexPage(after=3)),
        "empty": replace(first, index_page=IndexPage(body=b"")),
        "snappy": replace(first, codec=CompressionCodec.SNAPPY),
        "behind-dictionary": replace(by_index, index_page=IndexPage(after=0)),
        "among-indices": by_index,
        "with-offset-index": replace(first, index=Index()),
    }
    for name, layout in layouts.items():
        plan = FilePlan(schema(leaf("x", Type.INT32)), rows, (layout,))
        probed = ("x",) if layout.index else None
        yield Recipe(f"page/index-page/{name}", plan, spec, level="SHOULD", probed=probed)
    values = [number * 3 % 7 for number in range(12)]
    plan = samples.plan(samples.BY_NAME["list"], {"kind": Type.INT32}, values, first)
    yield Recipe("page/index-page/list", plan, spec, level="SHOULD")
    bare = replace(first, index_page=IndexPage(body=b""))
    plan = samples.plan(samples.BY_NAME["list"], {"kind": Type.INT32}, values, bare)
    yield Recipe("page/index-page/list-empty", plan, spec, level="SHOULD")


def _nothing() -> Iterator[Recipe]:
    """Yield chunks without rows: with one empty page, without pages, with an empty dictionary, compressed."""
    spec = "parquet.thrift, ColumnMetaData.num_values"
    layouts = {
        "v1": Column((_V1,)),
        "v2": Column((_V2,)),
        "no-page": Column(no_empty_page=True),
        "dictionary": Column((_BY_INDEX,), dictionary=Dictionary()),
        "dictionary-only": Column((_BY_INDEX,), dictionary=Dictionary(), no_empty_page=True),
        "delta": Column((_DELTA,)),
        "split": Column((_SPLIT,)),
        "snappy": Column((_V1,), CompressionCodec.SNAPPY),
        "snappy-v2": Column((_V2,), CompressionCodec.SNAPPY),
        "statistics": Column((_V1,), statistics=Statistics()),
    }
    for (name, layout), groups in product(layouts.items(), ((0,), (3, 0), (0, 3))):
        field = leaf("x", Type.INT32, OPTIONAL)
        plan = column_plan(field, range(sum(groups)), layout, row_groups=groups)
        case = f"page/nothing/{name}/rows-{'-'.join(map(str, groups))}"
        yield Recipe(case, plan, spec, features=("parquet/page/empty",))


_C = CompressionCodec
_LONG = tuple(b"repeated " * 20 + b"%d" % number for number in range(6))
_PARTED = (_C.GZIP, _C.ZSTD, _C.LZ4, _C.LZO)
_LEVELS = {_C.GZIP: (0, 1, 9), _C.BROTLI: (0, 11), _C.ZSTD: (1, 19)}


def _codecs() -> Iterator[Recipe]:
    """Yield the matrix, and the _codecs of single codecs."""
    for codec in CompressionCodec:
        yield from _codec_pages(codec)
        yield from _empty(codec)
        for level in _LEVELS.get(codec, ()):
            plan = _texts(_LONG, Column((Page(4),), codec, level=level))
            yield _of_codec(codec, f"level-{level}", plan)
        if codec in _PARTED:
            for parts in (2, 5):
                plan = _texts(_LONG, Column((Page(4),), codec, parts=parts))
                yield _of_codec(codec, f"parts-{parts}", plan)
    streamed = Column((Page(4), Page(2, version=2)), CompressionCodec.ZSTD, streamed=True)
    yield _of_codec(CompressionCodec.ZSTD, "streamed", _texts((*_LONG, None), streamed))


_IS_COMPRESSED = "parquet.thrift, DataPageHeaderV2.is_compressed"
_NO_BYTES = (
    "`is_compressed` is true, and the section of values has no bytes, which is the output of no codec; "
    "parquet-java and Arrow C++ wrote such pages"
)


def _of_codec(codec: CompressionCodec, name: str, plan: FilePlan, features: tuple[str, ...] = ()) -> Recipe:
    spec = f"Compression.md, {codec.name}"
    return Recipe(f"codec/{slug(codec.name)}/{name}", plan, spec, features=features)


def _texts(values: tuple[bytes | None, ...], layout: Column) -> FilePlan:
    return column_plan(leaf("x", Type.BYTE_ARRAY, OPTIONAL), values, layout)


def _codec_pages(codec: CompressionCodec) -> Iterator[Recipe]:
    """Yield both versions, and v2 pages with the field `is_compressed`."""
    forms: dict[str, tuple[Page, ...]] = {
        "v1": (Page(7),),
        "v2": (Page(7, version=2),),
        "v2-compressed": (Page(7, version=2, compressed=True),),
        "v2-not-compressed": (Page(7, version=2, compressed=False),),
        "v2-mixed": (Page(3, version=2, compressed=False), Page(3, version=2)),
    }
    for name, pages in forms.items():
        features = ("parquet/page/v2-uncompressed",) if name in {"v2-not-compressed", "v2-mixed"} else ()
        for nesting in ("optional", "list"):
            layout = Column(pages, codec)
            field, values = samples.fields(Type.BYTE_ARRAY), (*_LONG, b"", b"x")
            plan = samples.plan(samples.BY_NAME[nesting], field, values, layout)
            yield _of_codec(codec, f"{name}/{nesting}", plan, features)
        of_indices = tuple(replace(page, encoding=Encoding.RLE_DICTIONARY) for page in pages)
        layout = Column(of_indices, codec, dictionary=Dictionary())
        yield _of_codec(codec, f"{name}/dictionary", _texts((*_LONG, None, *_LONG), layout), features)
    for kind in (Type.INT64, Type.DOUBLE):
        layout = Column((Page(6),), codec)
        plan = samples.plan(samples.BY_NAME["required"], {"kind": kind}, samples.VALUES[kind], layout)
        yield _of_codec(codec, f"v1/{slug(kind.name)}", plan)


def _empty(codec: CompressionCodec) -> Iterator[Recipe]:
    """Yield pages without a value, whose section of values is empty before it is compressed."""
    for version in (1, 2):
        layout = Column((Page(version=version),), codec)
        nulls = _texts((None,) * 9, layout)
        yield _of_codec(codec, f"all-null/v{version}", nulls, ("parquet/levels/all-null",))
        yield _of_codec(codec, f"empty-strings/v{version}", _texts((b"",) * 3, layout))
    if codec != CompressionCodec.UNCOMPRESSED:
        layout = Column((Page(version=2, bare_empty=True),), codec)
        floats = samples.plan(samples.BY_NAME["optional"], {"kind": Type.FLOAT}, (None,) * 9, layout)
        bare = {"all-null/v2-no-bytes": _texts((None,) * 9, layout), "all-null/v2-no-bytes-of-floats": floats}
        for name, plan in bare.items():
            recipe = _of_codec(codec, name, plan, ("parquet/levels/all-null",))
            yield replace(recipe, spec=_IS_COMPRESSED, either=_NO_BYTES)


def recipes() -> Iterator[Recipe]:
    """Yield the forms of pages, and the codecs."""
    return chain(_all_pages(), _codecs())
