"""Every codec, in both page versions, for values, indices, nested columns, and empty pages."""

from __future__ import annotations

from collections.abc import Iterator

from corpora.build import nestings, samples
from corpora.build.recipe import OPTIONAL, Recipe, column_plan, leaf, slug
from reference_impl.parquet.plan import Column, Dictionary, FilePlan, Page
from reference_impl.parquet.schema import CompressionCodec, Encoding, Type

_C = CompressionCodec
_LONG = tuple(b"repeated " * 20 + b"%d" % number for number in range(6))
_PARTED = {_C.GZIP: "parquet/codec/gzip-members", _C.ZSTD: "", _C.LZ4: "", _C.LZO: ""}
_LEVELS = {_C.GZIP: (0, 1, 9), _C.BROTLI: (0, 11), _C.ZSTD: (1, 19)}


def recipes() -> Iterator[Recipe]:
    """Yield the matrix, and the recipes of single codecs."""
    for codec in CompressionCodec:
        yield from _pages(codec)
        yield from _empty(codec)
        for level in _LEVELS.get(codec, ()):
            plan = _plan(_LONG, Column((Page(4),), codec, level=level))
            yield _recipe(codec, f"level-{level}", plan)
        if codec in _PARTED:
            feature = _PARTED[codec]
            for parts in (2, 5):
                plan = _plan(_LONG, Column((Page(4),), codec, parts=parts))
                yield _recipe(codec, f"parts-{parts}", plan, features=(feature,) * bool(feature))


def _recipe(codec: CompressionCodec, name: str, plan: FilePlan, features: tuple[str, ...] = ()) -> Recipe:
    spec = f"Compression.md, {codec.name}"
    return Recipe(f"codec/{slug(codec.name)}/{name}", plan, spec, features=features)


def _plan(values: tuple[bytes | None, ...], layout: Column) -> FilePlan:
    return column_plan(leaf("x", Type.BYTE_ARRAY, OPTIONAL), values, layout)


def _pages(codec: CompressionCodec) -> Iterator[Recipe]:
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
            plan = nestings.plan(
                nestings.BY_NAME[nesting], samples.fields(Type.BYTE_ARRAY), (*_LONG, b"", b"x"), layout
            )
            yield _recipe(codec, f"{name}/{nesting}", plan, features)
        of_indices = tuple(
            Page(p.entries, Encoding.RLE_DICTIONARY, p.version, compressed=p.compressed) for p in pages
        )
        layout = Column(of_indices, codec, dictionary=Dictionary())
        yield _recipe(codec, f"{name}/dictionary", _plan((*_LONG, None, *_LONG), layout), features)
    for kind in (Type.INT64, Type.DOUBLE):
        layout = Column((Page(6),), codec)
        plan = nestings.plan(nestings.BY_NAME["required"], {"kind": kind}, samples.VALUES[kind], layout)
        yield _recipe(codec, f"v1/{slug(kind.name)}", plan)


def _empty(codec: CompressionCodec) -> Iterator[Recipe]:
    """Yield pages without a value, whose section of values is empty before it is compressed."""
    for version in (1, 2):
        layout = Column((Page(version=version),), codec)
        yield _recipe(codec, f"all-null/v{version}", _plan((None,) * 9, layout), ("parquet/levels/all-null",))
        yield _recipe(codec, f"empty-strings/v{version}", _plan((b"",) * 3, layout))
