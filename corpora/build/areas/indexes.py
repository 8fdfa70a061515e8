"""Column and offset indexes and Bloom filters of every kind of column, with queries."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import chain, product
from typing import Any

from corpora.build import samples
from corpora.build.kinds import KINDS, ORDERED, ColumnKind
from corpora.build.recipe import OPTIONAL, Recipe, column_plan, leaf, schema, slug
from reference_impl.parquet.plan import Bloom, Column, Dictionary, FilePlan, Index, Page, Row, Statistics
from reference_impl.parquet.schema import CompressionCodec, Encoding, Type

_SPEC = "PageIndex.md"
_FORMS = {"plain": Index(), "wide": Index(statistics=Statistics(widen=1, null_count=False))}
_CUT = {
    "truncated-1": Index(statistics=Statistics(truncate=1)),
    "truncated-2": Index(statistics=Statistics(truncate=2)),
}
_OTHER = {
    "offsets-only": Index(column=False),
    "unordered": Index(ordered=False),
    "sizes": Index(histograms=True, sizes=True),
    "no-null-counts": Index(statistics=Statistics(null_count=False)),
}
_OTHER_KINDS = ("int32", "string", "double")
_ORDERS: dict[str, list[int | None]] = {
    "ascending": list(range(16)),
    "descending": list(range(16, 0, -1)),
    "mixed": [5, 6, 1, 2, 9, 8, 3, 3, 7, 7, 0, 1],
    "equal": [4] * 12,
    "null-page-first": [None, None, None, None, 1, 2, 3, 4, 5, 6, 7, 8],
    "null-page-between": [1, 2, 3, 4, None, None, None, None, 5, 6, 7, 8],
    "null-page-last": [8, 7, 6, 5, 4, 3, 2, 1, None, None, None, None],
    "null-pages-only": [None] * 12,
    "null-in-every-page": [1, None, 2, None, 3, None, None, 4, None, 5, 6, None],
    "min-rises-max-falls": [1, 9, 2, 8, 3, 7, 4, 6],
    "one-page": [1, 2],
}
_SORTABLE: dict[str, Callable[[int], Any]] = {"int32": lambda n: n, "string": lambda n: b"%03d" % n}

_BROKEN = {
    "empty-page": (
        "PQ-INDEX-033",
        "a page without rows has the first_row_index of the next; a reader that skips pages may refuse it",
    )
}


def _page_indexes() -> Iterator[Recipe]:
    """Yield kinds × forms, orders of pages, and other layouts of pages."""
    for kind in ORDERED:
        forms = dict(_FORMS)
        if kind.type == Type.BYTE_ARRAY and "decimal" not in kind.name:
            forms |= _CUT
        if kind.name in _OTHER_KINDS:
            forms |= _OTHER
        for name, index in forms.items():
            yield _kind(kind, name, index)
    for kind in KINDS:
        if not kind.ordered and kind.form in {"logical", "none", "converted"} and kind.values:
            yield _kind(kind, "no-order", Index())
    yield from _boundary_orders()
    yield from _pages()
    yield from _nested()


def _column(values: list[Any], fields: dict[str, Any], layout: Column) -> FilePlan:
    rows: tuple[Row, ...] = tuple({"id": number, "x": value} for number, value in enumerate(values))
    fields_ = schema(leaf("id", Type.INT32), leaf("x", repetition=OPTIONAL, **fields))
    return FilePlan(fields_, rows, (Column((Page(5),), index=layout.index), layout))


def _kind(kind: ColumnKind, name: str, index: Index) -> Recipe:
    """Return pages of three values, with nulls between values, and a page of nulls only."""
    values = [*kind.values[:3], *[None] * 3, *kind.values[3:], None, *kind.values[:1]]
    features = ("parquet/statistics/truncated",) if name in _CUT else ()
    layout = Column((Page(3, version=1 + len(kind.name) % 2),), index=index)
    plan = _column(values, kind.fields, layout)
    return Recipe(f"page-index/{kind.name}/{name}", plan, _SPEC, features=features, probed=("x",))


def _boundary_orders() -> Iterator[Recipe]:
    for kind in ORDERED:
        if kind.name not in _SORTABLE:
            continue
        make = _SORTABLE[kind.name]
        for name, numbers in _ORDERS.items():
            values = [None if number is None else make(number) for number in numbers]
            layout = Column((Page(4),), index=Index())
            plan = _column(values, kind.fields, layout)
            spec = "parquet.thrift, BoundaryOrder"
            yield Recipe(f"page-index/order/{kind.name}/{name}", plan, spec, probed=("x",))


def _pages() -> Iterator[Recipe]:
    """Yield indexes of dictionary pages, compressed pages, many row groups, and pages of one row."""
    values = [None if number % 5 == 2 else b"v%02d" % (number % 7) for number in range(30)]
    by_index = (Page(4, Encoding.RLE_DICTIONARY),)
    layouts = {
        "dictionary": Column(by_index, dictionary=Dictionary(), index=Index()),
        "fallback": Column((*by_index, Page(3)), dictionary=Dictionary(), index=Index()),
        "snappy": Column((Page(4),), CompressionCodec.SNAPPY, index=Index()),
        "one-row-a-page": Column((Page(1),), index=Index()),
        "delta": Column((Page(7, Encoding.DELTA_BYTE_ARRAY, 2),), index=Index()),
        "empty-page": Column((Page(4), Page(0), Page(4)), index=Index()),
        "gap": Column((Page(4),), index=Index(), gap=9),
        "with-chunk-statistics": Column((Page(4),), index=Index(), statistics=Statistics()),
    }
    rows: tuple[Row, ...] = tuple({"id": number, "x": value} for number, value in enumerate(values))
    fields = schema(leaf("id", Type.INT32), leaf("x", Type.BYTE_ARRAY, OPTIONAL))
    for (name, layout), groups in product(layouts.items(), (None, (10, 1, 19))):
        plan = FilePlan(fields, rows, (Column((Page(8),), index=Index()), layout), row_groups=groups)
        case = f"page-index/layout/{name}/{'one-group' if groups is None else 'three-groups'}"
        rule, either = _BROKEN.get(name, ("", ""))
        yield Recipe(case, plan, _SPEC, probed=("x",), refuse=rule, either=either)
    plan = FilePlan(fields, rows, (Column((Page(8),), index=Index()), layouts["with-chunk-statistics"]))
    spec = "thrift-compact-protocol.md, List and Set"
    notes = "null_pages has element type 2, and 0 for false, as some writers have it"
    plan = replace(plan, rows=tuple({**row, "x": None if row["id"] < 8 else row["x"]} for row in rows))
    yield Recipe(
        "page-index/layout/zero-is-false", replace(plan, zero_is_false=True), spec, notes=notes, probed=("x",)
    )
    partly_indexed = FilePlan(fields, rows, (Column((Page(6),)), layouts["with-chunk-statistics"]))
    yield Recipe("page-index/layout/one-column-only", partly_indexed, _SPEC, probed=("x",))


def _nested() -> Iterator[Recipe]:
    """Yield nested columns with histograms; pages of both versions begin at rows."""
    for nesting, version in product(samples.NESTINGS[1:], (1, 2)):
        index = Index(histograms=True, sizes=True)
        layout = Column((Page(4, version=version),), index=index, size_statistics=True)
        for kind in (Type.INT32, Type.BYTE_ARRAY):
            values = [b"%d" % n for n in range(14)] if kind == Type.BYTE_ARRAY else list(range(14))
            plan = samples.plan(nesting, {"kind": kind}, values, layout)
            case = f"size-statistics/{nesting.name}/{slug(kind.name)}/v{version}"
            yield Recipe(case, plan, "parquet.thrift, SizeStatistics", probed=("id",))


_BLOOM_SPEC = "BloomFilter.md"
_DICTIONARY = Column((Page(4, Encoding.RLE_DICTIONARY),), dictionary=Dictionary())
_UNORDERED = ("int96", "interval")
_SIZES = {"int32": (1, 2, 3, 7, 32, 200), "string": (1, 2, 3, 32, 100)}


def _blooms() -> Iterator[Recipe]:
    """Yield kinds × sizes, with and without lengths, with statistics and dictionaries."""
    for kind in (*ORDERED, *(kind for kind in KINDS if kind.name in _UNORDERED)):
        if kind.type == Type.BOOLEAN:
            continue  # a filter of two values excludes nothing
        for blocks in _SIZES.get(kind.name, (1,)):
            yield _bloom(kind, f"blocks-{blocks}", Column(bloom=Bloom(blocks)))
        # Who looks at bounds and dictionaries first asks a filter only where these leave the question open.
        yield _bloom(kind, "with-both", replace(_DICTIONARY, statistics=Statistics(), bloom=Bloom(1)))
        if kind.name in _SIZES:
            yield _bloom(kind, "no-length", Column(bloom=Bloom(1, length=False)))
            both = Column(bloom=Bloom(2), statistics=Statistics())
            yield _bloom(kind, "with-statistics", both)
            yield _bloom(kind, "with-dictionary", replace(_DICTIONARY, bloom=Bloom(1)))
            yield _bloom(kind, "between-row-groups", Column(bloom=Bloom(1)), between=True)


def _bloom(kind: ColumnKind, name: str, layout: Column, *, between: bool = False) -> Recipe:
    """Return three row groups: half of the values, the other half, and nothing but nulls."""
    values = kind.values
    groups = [[*values[::2], None], list(values[1::2]), [None, None]]
    field = leaf("x", repetition=OPTIONAL, **kind.fields)
    plan = column_plan(field, chain(*groups), layout, row_groups=tuple(map(len, groups)))
    plan = replace(plan, blooms_between=between)
    return Recipe(f"bloom/{kind.name}/{name}", plan, _BLOOM_SPEC, probed=("x",))


def recipes() -> Iterator[Recipe]:
    """Yield the indexes and filters."""
    return chain(_page_indexes(), _blooms())
