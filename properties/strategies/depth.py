"""Sheets of files of thousands of rows, in which filters skip pages at depth.

A reader that skips pages of the filter's column has to begin in the middle of the pages of other columns: of
a miniblock, of a run, of a batch of its own. So the pages of a column hold ten times as many rows as those of
`row`, or a tenth, or all, and do not begin where those of `row` begin; and filters select ranges of rows that
begin at, before and behind multiples of the sizes of pages, blocks and batches. Slices begin there, too.

"Once rows of a column are skipped, the corresponding rows in the other columns have to be skipped"
(PageIndex.md, "Technical Approach").
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from hypothesis import strategies as st

from corpora.build import edges, expected
from corpora.predicates import And, Compare, In, Not, Or, Predicate
from corpora.queries import Filter, Query, Slice
from corpora.tagged import Table, integer
from properties.strategies import contents, kinds, layouts, predicates, schemas, values
from properties.strategies.chances import choice, one_in
from properties.strategies.contents import Content
from properties.strategies.patterns import Ordered, Runs
from properties.strategies.sheet import Sheet, several
from reference_impl.parquet import plan
from reference_impl.parquet.encodings.dispatch import DELTA_ENCODINGS
from reference_impl.parquet.plan import Column, Dictionary, FilePlan, Index, Page, Statistics
from reference_impl.parquet.schema import CompressionCodec, Encoding, FieldRepetitionType, SchemaElement
from reference_impl.parquet.tree import Node, build

FEATURE = "parquet/statistics/offset-index"
MAX_FILES = 3
ROWS = (3_000, 4_097, 8_193, 10_000, 12_289)
_PAGES = (100, 64, 128, 250, 500, 1_000, 1_024)  # rows of a page of `row`
_RATIOS = (10.0, 0.1, 10.0, 0.1, 0.0, 1.0)  # rows of another column's page to those of `row`; 0: one page
_MOST_PAGES = 300
_STEPS = (1_024, 2_048, 4_096, 8_192, 32, 128)  # of readers' batches, of miniblocks and blocks
_SHIFTS = (0, 0, 1, -1, 5, 17, 50)
_SPANS = (1, 2, 7, 33, 100, 1_024, 3_000)
_CODECS = (CompressionCodec.UNCOMPRESSED, CompressionCodec.SNAPPY, CompressionCodec.ZSTD)
PRESENCES = (
    None,
    None,
    Runs(((True, 9), (False, 1))),
    Runs(((True, 999), (False, 1))),
    Runs(((True, 3), (False, 700), (True, 900))),
    Runs(((False, 5), (True, 1))),
)
LENGTHS = (Runs(((1, 3), (0, 1), (2, 2))), Runs(((3, 40), (0, 600), (1, 500))), Runs(((1, 1),)))
_REQUIRED, _OPTIONAL, _REPEATED = FieldRepetitionType
# Types of each way to lay out values; others are drawn for a column in four.
_KINDS = (
    *kinds.PLAIN,
    *(kinds.STRINGS[0], kinds.STRINGS[0], kinds.DATES[0], kinds.FLOATS[-1]),
    *(kinds.FIXED[2], kinds.FIXED[4], kinds.FIXED[-2]),
)


@st.composite
def sheets(draw: st.DrawFn, min_files: int = 2, max_files: int = MAX_FILES) -> Sheet[SchemaElement, FilePlan]:
    """Return a sheet of `min_files` to `max_files` files of `row` and of one to three other columns."""
    rows = choice(draw, ROWS)
    fields = several(draw, column_fields(), 1, 3)
    schema = schemas.schema(fields)
    root = build(list(schema))
    base = FilePlan(
        schema,
        contents.rows(root.children, [draw(_contents(node)) for node in root.children[1:]], rows, 3 * rows),
    )
    page = choice(draw, _PAGES)
    plans = tuple(several(draw, _plans(base, list(root.leaves()), page), min_files, max_files))
    names = [node.name for node in root.children]
    of_rows = several(draw, queries(rows, page, names), 5, 9)
    return Sheet(schema, plans, (*of_rows, *_of_others(draw, expected.table(base))))


def _of_others(draw: st.DrawFn, table: Table) -> list[Query]:
    """Return filters at the edges of a column that is not `row`, whose pages have bounds of their own."""
    targets = predicates.targets([table])[1:]
    if not targets:
        return []
    target = choice(draw, targets)
    tests = edges.tests(target.path, target.type, target.values)
    return [Filter(choice(draw, tests), choice(draw, (("row",), None))) for _ in range(2)] if tests else []


@st.composite
def column_fields(draw: st.DrawFn) -> schemas.Elements:
    """Return a column, or a list of them; or a struct of two, or a list of such structs."""
    repetition, name = choice(draw, (_OPTIONAL, _REQUIRED)), schemas.HERE
    way = choice(draw, ("leaf",) * 5 + ("list",) * 2 + ("struct", "structs"))
    if way == "leaf":
        return schemas.leaf(name, repetition, _kind(draw))
    if way == "list":
        return schemas.list_of(name, repetition, choice(draw, (_OPTIONAL, _REQUIRED)), _kind(draw))
    fields = [schemas.leaf(each, choice(draw, (_OPTIONAL, _REQUIRED)), _kind(draw)) for each in ("x", "y")]
    if way == "struct":
        return schemas.struct_of(name, repetition, fields)
    return schemas.list_of_structs(name, repetition, fields)


def _kind(draw: st.DrawFn) -> kinds.LeafKind:
    return draw(kinds.kinds()) if one_in(draw, 4) else choice(draw, _KINDS)


@st.composite
def _contents(draw: st.DrawFn, node: Node) -> Content:
    """Return patterns in which rows that are near each other differ, and nulls and empty lists are few."""
    presence = choice(draw, PRESENCES) or Runs(((True, 1),))
    lengths = choice(draw, LENGTHS) if node.repetition == _REPEATED else None
    content = Content(presence if node.repetition == _OPTIONAL else None, lengths)
    if node.physical is None:
        return replace(content, children=tuple(draw(_contents(child)) for child in node.children))
    domain = values.domain(node)
    step, each = choice(draw, (1, 7, -1)), choice(draw, (1, 1, 3, 40))
    wrap, scatter = choice(draw, (100_000, 300, 3_000)), choice(draw, (1, 1, 7, 1_009))
    return replace(content, values=Ordered(domain, choice(draw, domain.bases), step, each, wrap, scatter))


@st.composite
def _plans(draw: st.DrawFn, base: FilePlan, leaves: Sequence[Node], page: int) -> FilePlan:
    """Return a file: the pages of `row` have `page` rows, those of other columns more or fewer."""
    rows, version = len(base.rows), choice(draw, (1, 2))
    first = column_layout(draw, leaves[0], version, _sizes(draw, page, rows))
    columns = [replace(first, index=Index(), statistics=Statistics())]
    for leaf in leaves[1:]:
        ratio = choice(draw, _RATIOS)
        sizes = _sizes(draw, round(page * ratio), rows) if ratio else (None,)
        column = column_layout(draw, leaf, version, sizes)
        columns.append(replace(column, index=Index(column=not one_in(draw, 4))))
    groups = (rows // 2 + 77, rows - rows // 2 - 77) if one_in(draw, 4) else None
    return replace(base, columns=tuple(columns), row_groups=groups)


def _sizes(draw: st.DrawFn, page: int, rows: int) -> tuple[int | None, ...]:
    """Return the entries of pages: all alike, or behind a first page of another size."""
    size = max(page, rows // _MOST_PAGES)
    return (size,) if draw(st.booleans()) else (choice(draw, (37, 1, size + 13)), size)


def column_layout(draw: st.DrawFn, leaf: Node, version: int, sizes: Sequence[int | None]) -> Column:
    """Return a layout in one of the encodings of the column; the first page may have another one."""
    encoding = choice(draw, (*layouts.encodings(leaf)[1:], Encoding.PLAIN, Encoding.RLE_DICTIONARY))
    page = Page(None, encoding, version)
    if encoding in DELTA_ENCODINGS and draw(st.booleans()):
        page = replace(page, delta=layouts.deltas(draw))
    if one_in(draw, 3):
        page = replace(page, levels=choice(draw, tuple(plan.Runs)), indices=choice(draw, tuple(plan.Runs)))
    pages = [replace(page, entries=size) for size in sizes]
    if len(pages) > 1 and one_in(draw, 3):  # as where a dictionary is given up
        other = choice(draw, (*layouts.encodings(leaf), *[Encoding.RLE_DICTIONARY] * 3))
        pages[0] = replace(pages[0], encoding=other, version=choice(draw, (version, 3 - version)))
    has_dictionary = any(page.encoding == Encoding.RLE_DICTIONARY for page in pages)
    dictionary = Dictionary() if has_dictionary or one_in(draw, 16) else None
    return Column(tuple(pages), choice(draw, _CODECS), dictionary=dictionary)


@st.composite
def queries(draw: st.DrawFn, rows: int, page: int, names: Sequence[str]) -> Query:
    """Return a filter of `row` whose ranges begin near multiples of the sizes of pages and batches.

    Or a slice of all rows, or of those of such a filter, whose offset is near such a multiple.
    """
    way = choice(draw, ("range", "range", "ranges", "few", "without", "open"))
    predicate: Predicate
    if way == "ranges":
        predicate = Or(tuple(_range(draw, rows, page) for _ in range(choice(draw, (2, 3, 6)))))
    elif way == "few":
        starts = [_start(draw, rows, page) for _ in range(choice(draw, (1, 3, 15)))]
        predicate = In(("row",), integer(32), tuple(map(str, starts)))
    elif way == "without":
        predicate = Not(_range(draw, rows, page))
    elif way == "open":
        predicate = _compare(choice(draw, (">=", "<", "=")), _start(draw, rows, page))
    else:
        predicate = _range(draw, rows, page)
    others = tuple(names[1:])
    columns = choice(draw, (others[:1], others, None, (*reversed(names),)))
    if one_in(draw, 5):
        start, count = _start(draw, rows, page), choice(draw, _SPANS)
        return Slice(start, count, None if draw(st.booleans()) else predicate, columns)
    return Filter(predicate, columns)


def _range(draw: st.DrawFn, rows: int, page: int) -> And:
    start = _start(draw, rows, page)
    return And((_compare(">=", start), _compare("<", start + choice(draw, _SPANS))))


def _start(draw: st.DrawFn, rows: int, page: int) -> int:
    """Return the number of a row at, before or behind a multiple of the size of something."""
    step = choice(draw, (page, page * 10, max(1, page // 10), *_STEPS))
    multiple = step * draw(st.integers(0, max(0, (rows - 1) // step)))
    return min(max(0, multiple + choice(draw, _SHIFTS)), rows - 1)


def _compare(op: str, row: int) -> Compare:
    return Compare(("row",), op, integer(32), str(row))
