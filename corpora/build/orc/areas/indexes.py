"""Stripes, row groups and their positions, with queries that seek to row groups, and Bloom filters."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import chain, product
from typing import Any

from corpora import tagged
from corpora.build.orc import samples
from corpora.build.orc.chars import probed
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
from corpora.build.recipe import Recipe, slug
from corpora.queries import Compare, Filter, Query, RowGroup
from reference_impl.orc import bloom
from reference_impl.orc.encodings.runs import Run, RunKind
from reference_impl.orc.plan import Bloom, Chunks, Column, Dictionary, Index, Order, Present, Statistics
from reference_impl.orc.schema import CompressionKind, TypeKind
from reference_impl.orc.statistics import TEXTS

_SPEC = "ORCv1.md, Row Group Index"
_STRIPES = "ORCv1.md, Stripes"
_NUMBER = tagged.integer(32)
_ROWS = 14


def _seek() -> tuple[Query, ...]:
    """Return filters on `row` that allow a reader to skip most row groups."""
    return tuple(
        Filter(Compare(("row",), op, _NUMBER, value)) for op, value in ((">=", str(_ROWS - 3)), ("=", "6"))
    )


def _counted(type_: Any, values: list[Any], layout: Column, **more: Any) -> Any:
    """Return the plan of a file of `x` and `row`, a counter whose statistics find every row."""
    rows = [(number, values[number % len(values)]) for number in range(_ROWS)]
    file = plan(struct_of(row=INT, x=type_), rows, layout, **more)
    return replace(file, columns=(Column(), Column(), *file.columns[2:]))


def _positions() -> Iterator[Recipe]:
    """Yield every type and encoding in groups of 5 rows, plain and compressed, with and without PRESENT."""
    for kind, type_ in samples.TYPES.items():
        layouts = {"direct": Column(rle=1), "direct-v2": Column()}
        if kind in samples.PLAIN:
            layouts = {"direct": Column()}
        if kind in TEXTS:
            layouts["dictionary-v2"] = Column(dictionary=Dictionary())
        for name, layout in layouts.items():
            values: list[Any] = [*samples.VALUES[kind], None]
            file = _counted(type_, values, layout, row_index_stride=5)
            place = f"{kind.name.lower().replace('_', '-')}/{name}"
            if name != "direct" or kind in (*samples.PLAIN, TypeKind.INT, TypeKind.STRING, TypeKind.DECIMAL):
                yield recipe(f"positions/{place}/plain", file, _SPEC, queries=_seek())
            if name == "direct" and kind not in samples.PLAIN:
                continue
            squeezed = replace(
                file, rows=tuple((row, values[0] if x is None else x) for row, x in file.rows),
                compression=CompressionKind.ZLIB, block_size=512, chunks=Chunks((11,)),
            )  # fmt: skip
            yield recipe(f"positions/{place}/compressed", squeezed, _SPEC, queries=_seek())


def _strides() -> Iterator[Recipe]:
    for stride in (0, 1, 2, 7, 8, _ROWS - 1, _ROWS, _ROWS + 1):
        values = [None if number % 5 == 2 else number * 7 for number in range(_ROWS)]
        file = _counted(INT, values, Column(), row_index_stride=stride)
        yield recipe(f"stride/{stride}", file, _SPEC, queries=_seek(), probed=("x",))
    booleans = [None if number % 11 == 2 else number % 3 == 0 for number in range(_ROWS)]
    for stride in (1, 3, 7, 8, 9):
        file = _counted(samples.TYPES[TypeKind.BOOLEAN], booleans, Column(), row_index_stride=stride)
        yield recipe(f"stride/boolean/{stride}", file, _SPEC, queries=_seek())


def _inside_of_runs() -> Iterator[Recipe]:
    """Yield row groups that begin in the middle of a run of every kind."""
    contents: dict[RunKind, list[int]] = {
        RunKind.SHORT_REPEAT: [5] * _ROWS,
        RunKind.DIRECT: [number * 7 % 13 for number in range(_ROWS)],
        RunKind.DELTA: list(range(_ROWS)),
        RunKind.PATCHED_BASE: [1000 if number == 13 else number % 4 for number in range(_ROWS)],
    }
    for kind, values in contents.items():
        file = _counted(INT, values, Column(data_runs=(Run(kind),)), row_index_stride=7)
        yield recipe(f"positions/inside/{kind.replace('_', '-')}", file, _SPEC, queries=_seek())
    for kind in (RunKind.REPEAT, RunKind.LITERALS):
        layout = Column(rle=1, data_runs=(Run(kind),))
        file = _counted(INT, [number % 5 * 2 for number in range(_ROWS)], layout, row_index_stride=7)
        yield recipe(f"positions/inside/v1-{kind}", file, _SPEC, queries=_seek())
    file = _counted(INT, [5] * _ROWS, Column(present=Present.ALWAYS), row_index_stride=9)
    yield recipe("positions/inside/present-of-no-nulls", file, _SPEC, queries=_seek())
    file = _counted(INT, [None], Column(), row_index_stride=7)
    yield recipe("positions/all-null", file, _SPEC, queries=_seek())
    file = _counted(INT, [*range(8), *[None] * 6], Column(), row_index_stride=4)
    yield recipe("positions/last-groups-null", file, _SPEC, queries=_seek(), notes=_END)


_END = "a position may be the end of a stream, where no value follows"


def _nested() -> Iterator[Recipe]:
    """Yield nested types, whose children have row groups of rows, not of values."""
    for nesting, kind in product(samples.NESTINGS[1:], (TypeKind.INT, TypeKind.STRING)):
        values = nesting.values(samples.VALUES[kind])
        file = _counted(nesting.type(samples.TYPES[kind]), values, Column(), row_index_stride=4)
        place = f"{nesting.name}/{kind.name.lower()}"
        if kind is TypeKind.STRING:
            file = replace(file, compression=CompressionKind.ZSTD, chunks=Chunks((9,)))
        yield recipe(f"positions/nested/{place}", file, _SPEC, queries=_seek())


def _forms() -> Iterator[Recipe]:
    """Yield indexes without positions of the first group, without statistics, for some columns only."""
    values = [None if number % 5 == 2 else number * 7 for number in range(_ROWS)]
    layouts = {
        "first-empty": Column(index=Index(empty_first=True)),
        "without-statistics": Column(index=Index(statistics=None)),
        "none-for-a-column": Column(index=None),
    }
    for name, layout in layouts.items():
        file = _counted(INT, values, layout, row_index_stride=5)
        yield recipe(f"row-index/{name}", file, _SPEC, queries=_seek(), probed=("x",))
    rows = [(number, [number] * (number % 4)) for number in range(_ROWS)]
    base = plan(struct_of(row=INT, x=list_of(INT)), rows, row_index_stride=5)
    primitive = replace(base, columns=(Column(index=None), Column(), Column(index=None), Column()))
    notes = 'the text: "for each primitive column"'
    yield recipe("row-index/primitive-columns-only", primitive, _SPEC, queries=_seek(), notes=notes)
    yield recipe("row-index/all-columns", base, _SPEC, queries=_seek())


def _stripes() -> Iterator[Recipe]:
    """Yield stripes of every size, empty stripes, gaps between stripes, streams in every order."""
    values = [None if number % 5 == 2 else number * 7 for number in range(_ROWS)]
    for name, sizes in {
        "one": (14,),
        "of-1": (1,) * 14,
        "uneven": (1, 6, 2, 5),
        "empty-first": (0, 14),
        "empty-between": (8, 0, 6),
        "empty-last": (14, 0),
    }.items():
        file = _counted(INT, values, Column(), stripes=sizes, row_index_stride=5)
        groups = tuple(RowGroup(number) for number, size in enumerate(sizes[:3]) if size)
        yield recipe(f"stripes/{name}", file, _STRIPES, queries=(*_seek(), *groups), probed=("x",))
    for order, compression in product(Order, (CompressionKind.NONE, CompressionKind.ZLIB)):
        file = _counted(STRING, [b"a", None, b"bc"], Column(dictionary=Dictionary()), row_index_stride=5)
        file = replace(file, order=order, compression=compression, stripes=(6, 8))
        place = f"stripes/order/{order}/{compression.name.lower()}"
        yield recipe(place, file, "ORCv1.md, Column Encodings", queries=_seek())
    for ranks in ((3, 1, 2), (5, 4, 3, 2, 1, 0)):
        file = replace(
            _counted(STRING, [b"a", None, b"bc"], Column(), row_index_stride=5), stream_ranks=ranks
        )
        yield recipe(f"stripes/order/ranks-{len(ranks)}", file, "ORCv1.md, Column Encodings", queries=_seek())
    for gap in (1, 13, 100):
        file = replace(_counted(INT, values, Column(), stripes=(6, 8)), gap=gap)
        yield recipe(f"stripes/gap/{gap}", file, _STRIPES, queries=_seek())
    file = _counted(INT, values, Column(), stripes=(5, 5, 4))
    old, squeezed = Column(rle=1), Column(present=Present.ALWAYS)
    file = replace(file, overrides=((1, 2, old), (2, 2, squeezed)))
    yield recipe("stripes/each-its-own-layout", file, _STRIPES, queries=_seek())


_BLOOM_SPEC = "ORCv1.md, Bloom Filter Index"
# Without typed statistics only the filter can skip a row group.
_BARE = Index(Statistics(typed=False))
_BLOOMS = {"utf8": Bloom(words=2), "original": Bloom(words=2, utf8=False, original=True)}


def _blooms() -> Iterator[Recipe]:
    """Yield the filters."""
    for kind, (name, form) in product(bloom.KINDS, _BLOOMS.items()):
        values: list[Any] = [*samples.VALUES[kind], None]
        layout = Column(bloom=form, index=_BARE, statistics=Statistics(typed=False))
        file = column_plan(samples.TYPES[kind], values, layout, row_index_stride=4)
        yield probed(recipe(f"bloom/{slug(kind.name)}/{name}", file, _BLOOM_SPEC))
    for words in (1, 3, 100):
        file = column_plan(
            LONG, range(0, 200, 7), Column(bloom=Bloom(words=words), index=_BARE), row_index_stride=9
        )
        yield recipe(f"bloom/words/{words}", file, _BLOOM_SPEC, probed=("x",))
    for hashes in (1, 2, 7, 20):
        file = column_plan(
            STRING, [b"a", b"b", b"abc"], Column(bloom=Bloom(words=2, hashes=hashes), index=_BARE)
        )
        yield recipe(f"bloom/hashes/{hashes}", file, _BLOOM_SPEC, probed=("x",))
    texts = [bytes(97 + at % 26 for at in range(length)) for length in (0, 1, 7, 8, 9, 15, 16, 17, 64)]
    file = column_plan(STRING, texts, Column(bloom=Bloom(words=3), index=_BARE), row_index_stride=1)
    queries = tuple(Filter(Compare(("x",), "=", tagged.STRING, text.decode())) for text in texts)
    yield recipe("bloom/lengths-of-text", file, _BLOOM_SPEC, queries=queries)
    both = Column(bloom=Bloom(words=4, original=True), index=_BARE)
    yield column_recipe(
        "bloom/both-streams", _BLOOM_SPEC, LONG, range(9), both, row_index_stride=4, probed=("x",)
    )
    yield from _times()


def _times() -> Iterator[Recipe]:
    """Yield timestamps hashed in the writer's zone and as UTC ("bloom_encoding")."""
    values = [value for value in samples.VALUES[TypeKind.TIMESTAMP] if value[0] > -(1 << 31)]
    for zone, encoding in product(("America/Los_Angeles", "Asia/Kolkata"), (None, 0, 1)):
        form = Bloom(words=4, encoding=encoding, utf8=encoding == 1, original=encoding != 1)
        file = column_plan(
            samples.TYPES[TypeKind.TIMESTAMP],
            values,
            Column(bloom=form, index=_BARE),
            writer_timezone=zone,
            row_index_stride=3,
        )
        name = f"bloom/timestamp/{slug(zone.replace('/', '-'))}/encoding-{slug(str(encoding))}"
        yield recipe(name, file, "orc_proto.proto, ColumnEncoding.bloom_encoding", probed=("x",))


def recipes() -> Iterator[Recipe]:
    """Yield strides, positions, stripes and filters."""
    return chain(_positions(), _strides(), _inside_of_runs(), _nested(), _forms(), _stripes(), _blooms())
