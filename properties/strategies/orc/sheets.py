"""Sheets of ORC files: as in Parquet, the field, contents and layouts of a column are drawn together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from hypothesis import strategies as st

from corpora.build import orc_expected
from properties.strategies import patterns
from properties.strategies.chances import choice, one_in
from properties.strategies.orc import contents, files, layouts, schemas, values
from properties.strategies.orc.contents import Content
from properties.strategies.orc.rare import FORMS, Form
from properties.strategies.orc.schemas import Shape
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
from reference_impl.orc.plan import Column, FilePlan
from reference_impl.orc.schema import Type

_Bundle = Bundle[Shape, Content, Column]


@st.composite
def sheets(draw: st.DrawFn, min_files: int = 2, max_files: int = MAX_FILES) -> Sheet[Type, FilePlan]:
    """Return a sheet of `min_files` to `max_files` files.

    All files have the same user metadata, and all or none have unknown fields: readers treat these as a part
    of the schema. If the root is not a struct, the sheet has no queries.
    """
    base = _base(draw)
    chosen = several(draw, files.files(), min_files, max_files)
    sizes = draw(st.lists(patterns.counts(), min_size=1, max_size=3))
    rare_bundles = rare_columns(draw, _rare())
    bundles = several(draw, _bundles(), 0, MAX_COLUMNS - len(rare_bundles))
    bundles += rare_bundles
    bare = one_in(draw, 100) and bool(bundles)
    if bare:
        root, columns = bundles[0].field, bundles[0].by_column()
        tables = [contents.bare(root, bundles[0].content(turn), size) for turn, size in enumerate(sizes)]
    else:
        root, columns = _struct(draw, bundles)
        shapes = [bundle.field for bundle in bundles]
        tables = [
            contents.rows(shapes, [bundle.content(turn) for bundle in bundles], size)
            for turn, size in enumerate(sizes)
        ]
    base = replace(base, types=schemas.flattened(root))
    plans = [
        files.plan(replace(base, rows=tables[choices.table % len(tables)]), choices, root, columns)
        for choices in chosen
    ]
    if bare:
        return Sheet(base.types, tuple(plans))
    held = list({id(plan.rows): orc_expected.table(plan) for plan in plans}.values())
    stripes = min(len(orc_expected.stripes(plan)) for plan in plans)
    names = root.type.field_names[len(root.children) - len(rare_bundles) :]
    return Sheet(base.types, tuple(plans), tuple(draw(queries(held, stripes, names))))


def _struct(draw: st.DrawFn, bundles: Sequence[_Bundle]) -> tuple[Shape, list[Sequence[Column]]]:
    """Return the root, and layouts of all types: the root, `row` and the fields."""
    odd = odd_names(draw, schemas.ODD_NAMES)
    root = schemas.struct([bundle.field for bundle in bundles], odd=odd, twice=one_in(draw, 20))
    own = [draw(st.lists(layouts.columns(shape), min_size=1, max_size=3)) for shape in (root, schemas.ROW)]
    return root, [*own, *(layout for bundle in bundles for layout in bundle.by_column())]


def _base(draw: st.DrawFn) -> FilePlan:
    """Return the plan that all files of a sheet share, without columns."""
    pairs = (("colconf", "é".encode()), ("empty", b""), ("bytes", b"\xff\x00")) if one_in(draw, 5) else ()
    return FilePlan((), metadata=pairs, unknown_fields=one_in(draw, 10))


@st.composite
def _bundles(draw: st.DrawFn) -> _Bundle:
    field = draw(schemas.fields())
    drawn = draw(st.lists(contents.contents(field), min_size=1, max_size=3))
    each = st.tuples(*map(layouts.columns, field.walk()))
    return _Bundle(field, drawn, draw(st.lists(each, min_size=1, max_size=4)))


@st.composite
def _rare(draw: st.DrawFn) -> list[_Bundle]:
    """Return columns of a form that chance draws too seldom."""
    form = choice(draw, FORMS)
    return [_of_form(draw, form) for _ in range(choice(draw, form.columns))]


def _of_form(draw: st.DrawFn, form: Form) -> _Bundle:
    shape = form.shape(draw)

    def content() -> Content:
        drawn = draw(contents.contents(shape))
        return replace(drawn, values=form.values(draw, values.domain(shape.type))) if form.values else drawn

    def layout() -> tuple[Column, ...]:
        drawn = [draw(layouts.columns(each)) for each in shape.walk()]
        return tuple(form.layout(draw, column) if form.layout else column for column in drawn)

    bundle = _Bundle(
        shape,
        [content() for _ in range(choice(draw, (1, 2, 3)))],
        [layout() for _ in range(choice(draw, (1, 2, 3, 4)))],
    )
    return form.change(draw, bundle) if form.change else bundle
