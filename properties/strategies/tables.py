"""Tables that engines are given to write: schemas and contents as of sheets, without a layout.

Each draw is a schema and a few tables of it; which columns an engine is given is chosen by its types.
"""

from __future__ import annotations

from hypothesis import strategies as st

from corpora.build import expected, orc_expected
from corpora.build.formats import ORC, PARQUET
from corpora.tagged import Table, Value
from properties.strategies import contents, patterns, schemas
from properties.strategies.chances import choice, one_in
from properties.strategies.orc import contents as orc_contents
from properties.strategies.orc import schemas as orc_schemas
from properties.strategies.sheet import MAX_COLUMNS, odd_names, several
from reference_impl.orc.plan import FilePlan as OrcPlan
from reference_impl.parquet.plan import FilePlan
from reference_impl.parquet.tree import build

TABLES = 4  # of a schema


@st.composite
def _parquet(draw: st.DrawFn) -> list[Table]:
    fields = several(draw, schemas.fields(), 1, MAX_COLUMNS)
    schema = schemas.schema(fields, odd=odd_names(draw, schemas.ODD_NAMES))
    nodes = build(list(schema)).children
    tables = []
    for _ in range(TABLES):
        held = [draw(contents.contents(node)) for node in nodes[1:]]
        rows = contents.rows(nodes, held, draw(patterns.counts()))
        tables.append(_of_one_length(draw, expected.table(FilePlan(schema, rows))))
    return tables


@st.composite
def _orc(draw: st.DrawFn) -> list[Table]:
    fields = several(draw, orc_schemas.fields(), 1, MAX_COLUMNS)
    odd = odd_names(draw, orc_schemas.ODD_NAMES)
    types = orc_schemas.flattened(orc_schemas.struct(fields, odd=odd))
    tables = []
    for _ in range(TABLES):
        held = [draw(orc_contents.contents(field)) for field in fields]
        rows = orc_contents.rows(fields, held, draw(patterns.counts()))
        tables.append(_of_one_length(draw, orc_expected.table(OrcPlan(types, rows))))
    return tables


def _of_one_length(draw: st.DrawFn, table: Table) -> Table:
    """Return a table; once in three, the lists of each column have one length, which Arrow can fix."""
    if not one_in(draw, 3):
        return table
    size = choice(draw, (1, 2, 3))
    columns = [
        _cut_or_repeated(table.column(at), size) if field.type.kind == "list" else table.column(at)
        for at, field in enumerate(table.columns)
    ]
    return Table.of([(field.name, field.type) for field in table.columns], columns, table.num_rows)


def _cut_or_repeated(lists: list[Value], size: int) -> list[Value]:
    """Return lists of `size` items, which come from the list itself, or from the first that has any."""
    first = next((each for each in lists if isinstance(each, list) and each), None)
    if first is None:
        return lists
    return [((each or first) * size)[:size] if isinstance(each, list) else None for each in lists]


BY_FORMAT = {PARQUET.name: _parquet(), ORC.name: _orc()}
