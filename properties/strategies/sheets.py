"""Sheets: one schema, several files of that schema in many layouts and contents, and queries of each file.

The field, contents and layouts of a column are drawn together, and so are the choices of a file: so shrinking
a finding can remove a column or a file that does not matter.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from hypothesis import strategies as st

from corpora.build import expected
from properties.strategies import contents, files, layouts, patterns, schemas, values, variations
from properties.strategies.chances import choice, one_in
from properties.strategies.contents import Content
from properties.strategies.rare import FORMS, Form
from properties.strategies.schemas import Elements
from properties.strategies.sheet import (
    MAX_COLUMNS,
    MAX_FILES,
    Bundle,
    Sheet,
    odd_names,
    queries,
    rare_columns,
    several,
)
from reference_impl.parquet.plan import Column, FilePlan, Row
from reference_impl.parquet.schema import SchemaElement
from reference_impl.parquet.tree import Node, build

_WIDE = 64  # one sheet in so many has more columns than a short list of Thrift has elements
_Bundle = Bundle[Elements, Content, Column]


@st.composite
def sheets(
    draw: st.DrawFn, min_files: int = 2, max_files: int = MAX_FILES, focus: str = ""
) -> Sheet[SchemaElement, FilePlan]:
    """Return a sheet of `min_files` to `max_files` files.

    `focus`: a feature of `schemas.OF_FEATURES` that the first column has; then there are few other columns,
    because a reader might refuse the file for any of them. All files have the same key-value metadata, and
    all or none have unknown fields: readers and `schema_key` treat these as a part of the schema.
    """
    base = _base(draw)
    chosen = several(draw, files.files(), min_files, max_files)
    sizes = draw(st.lists(patterns.counts(), min_size=1, max_size=3))
    bundles = [draw(_bundles(focus))] if focus else []
    rare_bundles = [] if focus else rare_columns(draw, _rare())
    bundles += several(draw, _bundles(), 0, 1 if focus else MAX_COLUMNS - len(rare_bundles))
    if bundles and one_in(draw, _WIDE):
        bundles = [bundles[at % len(bundles)] for at in range(choice(draw, (15, 40, 130)))]
    bundles += rare_bundles
    odd = odd_names(draw, schemas.ODD_NAMES)
    schema = schemas.schema(
        [bundle.field for bundle in bundles], draw(schemas.roots()), numbered=_ids(draw), odd=odd
    )
    root = build(list(schema))
    contained = [_rows(root.children, bundles, turn, size) for turn, size in enumerate(sizes)]
    by_row = draw(st.lists(layouts.columns(root.children[0]), min_size=1, max_size=3))
    columns: list[Sequence[Column]] = [
        by_row,
        *(column for bundle in bundles for column in bundle.by_column()),
    ]
    base, leaves = replace(base, schema=schema), list(root.leaves())
    plans = [
        files.plan(replace(base, rows=contained[choices.table % len(contained)]), choices, leaves, columns)
        for choices in chosen
    ]
    tables = list({id(plan.rows): expected.table(plan) for plan in plans}.values())
    groups = min(len(expected.row_groups(plan)) for plan in plans)
    names = [child.name for child in root.children][len(root.children) - len(rare_bundles) :]
    return Sheet(schema, tuple(plans), tuple(draw(queries(tables, groups, names))))


def _ids(draw: st.DrawFn) -> Callable[[int], int | None] | None:
    """Return the ids of fields by their numbers: in most files none, else rising, falling, or of some."""
    ways: list[Callable[[int], int | None]] = [
        lambda number: number,
        lambda number: 1000 - number,
        lambda number: None if number % 3 == 0 else number * 7,
    ]
    return choice(draw, ways) if one_in(draw, 4) else None


def _base(draw: st.DrawFn) -> FilePlan:
    """Return the plan that all files of a sheet share, without columns."""
    # Rare, because a key without a value makes Spark's vectorized reader fail, whatever else the file has.
    some: tuple[tuple[str, str | None], ...] = (("colconf", "é"), ("empty", ""))
    pairs = some if one_in(draw, 4) else ()
    if one_in(draw, 60):
        pairs = (*pairs, ("none", None))
    return FilePlan((), key_value_metadata=pairs, unknown_fields=one_in(draw, 10))


@st.composite
def _bundles(draw: st.DrawFn, feature: str = "") -> _Bundle:
    field = variations.with_odd_field(draw, draw(schemas.fields(feature)))
    field = variations.with_turned_variants(draw, field)
    node = _node(field)
    leaves = list(node.leaves())
    drawn = draw(st.lists(contents.contents(node), min_size=1, max_size=3))
    field_layouts = draw(st.lists(st.tuples(*map(layouts.columns, leaves)), min_size=1, max_size=4))
    return _Bundle(field, drawn, field_layouts)


@st.composite
def _rare(draw: st.DrawFn) -> list[_Bundle]:
    """Return columns of a form that chance draws too seldom."""
    form = choice(draw, FORMS)
    return [_of_form(draw, form) for _ in range(choice(draw, form.columns))]


def _of_form(draw: st.DrawFn, form: Form) -> _Bundle:
    field = form.field(draw)
    node = _node(field)

    def content() -> Content:
        drawn = form.content(draw, node) if form.content else draw(contents.contents(node))
        return replace(drawn, values=form.values(draw, values.domain(node))) if form.values else drawn

    def layout() -> tuple[Column, ...]:
        drawn = [(leaf, draw(layouts.columns(leaf))) for leaf in node.leaves()]
        return tuple(form.layout(draw, column, leaf) if form.layout else column for leaf, column in drawn)

    return _Bundle(
        field,
        [content() for _ in range(choice(draw, (1, 2, 3)))],
        [layout() for _ in range(choice(draw, (1, 2, 3, 4)))],
    )


def _node(field: Elements) -> Node:
    return build([SchemaElement(name="schema", num_children=1), *field]).children[0]


def _rows(nodes: Sequence[Node], bundles: Sequence[_Bundle], turn: int, count: int) -> tuple[Row, ...]:
    return contents.rows(nodes, [bundle.content(turn) for bundle in bundles], count)
