"""Compression: every kind, chunks of every layout, original chunks, values that span two chunks."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import product

from corpora.build.orc import samples
from corpora.build.orc.schemas import (
    INT,
    LONG,
    STRING,
    column_plan,
    column_recipe,
    list_of,
    plan,
    recipe,
    struct_of,
)
from corpora.build.recipe import Recipe
from reference_impl.orc.plan import BLOCK_SIZE, Chunks, Column, Dictionary, FilePlan, Index, Original
from reference_impl.orc.schema import CompressionKind

_SPEC = "ORCv1.md, Compression"
_POSTSCRIPT = "ORCv1.md, Postscript"
_SIZES: dict[str, tuple[int, ...]] = {"of-1": (1,), "mixed": (5, 1, 64, 2)}
_ROWS = 6


def recipes() -> Iterator[Recipe]:
    """Yield kinds by layouts, and block sizes."""
    for kind in CompressionKind:
        base = replace(_table(), compression=kind, block_size=256)
        for original in Original:
            if kind is CompressionKind.NONE and original is not Original.NEEDED:
                continue
            chunks = Chunks((64,), original)
            file = replace(base, chunks=chunks, tail_chunks=chunks)
            yield recipe(f"compression/{_name(kind)}/original-{original}", file, _SPEC, probed=("i",))
        if kind is not CompressionKind.NONE:
            for name, sizes in _SIZES.items():
                file = replace(base, chunks=Chunks(sizes), row_index_stride=5)
                yield recipe(f"compression/{_name(kind)}/chunks-{name}", file, _SPEC)
    yield from _blocks()
    yield _long()
    yield from _straddling()
    yield from _levels()


def _name(kind: CompressionKind) -> str:
    return kind.name.lower()


def _table() -> FilePlan:
    """Return the plan of a compressible table with all kinds of streams."""
    types = struct_of(i=INT, s=STRING, d=STRING, l=list_of(LONG))
    rows = tuple(
        (
            number * 3,
            None if number == 3 else b"word %d " % number * 5,
            b"ab"[number % 2 :],
            [number] * (number % 3),
        )
        for number in range(_ROWS)
    )
    layouts = plan(types, rows)
    bare = Column(statistics=None, index=Index(None))
    columns = (bare, Column(), bare, replace(bare, dictionary=Dictionary()), bare, bare)
    return replace(layouts, columns=columns)


def _blocks() -> Iterator[Recipe]:
    """Yield block sizes: the smallest, the largest, and the default, which is not written."""
    table = replace(_table(), compression=CompressionKind.ZLIB)
    for size in (1, 100, BLOCK_SIZE + 1, (1 << 23) - 1):
        yield recipe(f"compression/block-size/{size}", replace(table, block_size=size), _POSTSCRIPT)
    absent = replace(table, block_size_absent=True)
    yield recipe("compression/block-size/absent", absent, _POSTSCRIPT)
    plain = replace(table, compression=CompressionKind.NONE)
    yield recipe(
        "compression/block-size/absent-and-none", replace(plain, block_size_absent=True), _POSTSCRIPT
    )
    yield recipe("compression/block-size/small-and-none", replace(plain, block_size=1), _POSTSCRIPT)


def _long() -> Recipe:
    """Return a chunk whose length needs all three bytes of its header, with a small JSON file."""
    long = Dictionary(unused=(b"unused " * 4_700,))
    chunks = Chunks(original=Original.ALWAYS)
    column = Column(dictionary=long, statistics=None, index=None)
    file = column_plan(STRING, [b"a", b"z"], column, compression=CompressionKind.SNAPPY, chunks=chunks)
    return recipe("compression/long-chunk", file, _SPEC, notes="a chunk of more than 32,767 bytes")


def _straddling() -> Iterator[Recipe]:
    """Yield values of every type in chunks of 3 bytes, so that most values span chunks."""
    for kind, type_ in samples.TYPES.items():
        for version in (1,) if kind in samples.PLAIN else (2,):
            chunks = Chunks((3,))
            values = [*samples.VALUES[kind], None, *samples.VALUES[kind]]
            yield column_recipe(
                f"compression/straddling/{kind.name.lower().replace('_', '-')}/v{version}",
                _SPEC,
                type_,
                values,
                Column(rle=version),
                compression=CompressionKind.SNAPPY,
                block_size=64,
                chunks=chunks,
                tail_chunks=chunks,
                row_index_stride=5,
            )


def _levels() -> Iterator[Recipe]:
    for kind, level in product((CompressionKind.ZLIB, CompressionKind.ZSTD), (1, 9)):
        file = replace(_table(), compression=kind, chunks=Chunks(level=level))
        yield recipe(f"compression/{_name(kind)}/level-{level}", file, _SPEC)
    file = replace(_table(), compression=CompressionKind.ZLIB, chunks=Chunks(level=0))
    notes = "level 0 stores, which is never smaller: all chunks are original"
    yield recipe("compression/zlib/level-0", file, _SPEC, notes=notes)
