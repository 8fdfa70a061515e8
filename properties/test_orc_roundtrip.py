"""Reading an ORC file that was written from a plan gives what the plan says, wherever reading begins.

Three parts that share no code answer the same question: the writer and the reader of `reference_impl`, and
the expected table, which is made from the plan without either.
"""

from __future__ import annotations

from functools import cache
from itertools import chain
from typing import TYPE_CHECKING

from hypothesis import HealthCheck, given, note, settings
from hypothesis import strategies as st

from corpora import rules
from corpora.answers import answer, take
from corpora.build import orc_expected
from corpora.build.pushdown_orc import scan
from corpora.build.reading import read_rows
from corpora.build.tagged_columns import tagged_table
from corpora.queries import Filter
from corpora.tagged import Table
from properties.choices import UNIFORM
from properties.strategies.orc.sheets import sheets
from reference_impl.orc.file import OrcFile
from reference_impl.orc.pushdown import USING
from reference_impl.orc.validate import validate
from reference_impl.orc.writer import write
from reference_impl.plans import show

if TYPE_CHECKING:
    from corpora.tagged import Value
    from properties.strategies.sheet import Sheet
    from reference_impl.orc.plan import FilePlan
    from reference_impl.orc.schema import Type

    Sheets = Sheet[Type, FilePlan]
    Found = tuple[int, tuple[tuple[int, int], ...]]  # a stripe, and the rows left of it

_SETTINGS = settings(backend=UNIFORM, deadline=None, suppress_health_check=list(HealthCheck))


def values(table: Table) -> list[list[Value]]:
    """Return the values of each column."""
    return [list(table.column(at)) for at in range(len(table.columns))]


def glued(parts: list[Table]) -> list[list[Value]]:
    """Return the values of each column of tables, concatenated."""
    return [list(chain.from_iterable(columns)) for columns in zip(*map(values, parts), strict=True)]


@given(sheets(min_files=1, max_files=3))
@settings(_SETTINGS, max_examples=20)
def test_a_written_plan_is_read_back(sheet: Sheets) -> None:
    """The reference reads from a written plan exactly its types and values."""
    for plan in sheet.plans:
        note(show(plan))
        found, wanted = tagged_table(OrcFile(write(plan)).read()), orc_expected.table(plan)
        assert found.columns == wanted.columns
        assert found.to_json() == wanted.to_json()


@given(sheets(min_files=1, max_files=2))
@settings(_SETTINGS, max_examples=15)
def test_a_written_plan_is_legal(sheet: Sheets) -> None:
    """Validation reports no broken MUST in a file that was written from a plan."""
    known = rules.load()
    for plan in sheet.plans:
        note(show(plan))
        broken = [one for one in validate(write(plan)) if known[one.rule].level == "MUST"]
        assert broken == []


@given(sheets(min_files=1, max_files=2), st.data())
@settings(_SETTINGS, max_examples=20)
def test_reading_begins_anywhere(sheet: Sheets, data: st.DataObject) -> None:
    """Rows that are read from the positions of a row group equal those of reading all."""
    for plan in sheet.plans:
        note(show(plan))
        file, whole = OrcFile(write(plan)), orc_expected.table(plan)
        for number, rows in enumerate(orc_expected.stripes(plan)):
            starts = [group.start - rows.start for group in orc_expected.row_groups(plan)[number]]
            some = data.draw(st.lists(st.sampled_from(starts), max_size=6, unique=True)) if starts else [0]
            for start in [*starts[-1:], *some]:
                stop = data.draw(st.integers(start, len(rows)))
                note(f"stripe {number}, rows {start} to {stop}")
                found = tagged_table(file.read_rows(None, number, start, stop))
                assert values(found) == values(take(whole, rows[start:stop], None))


@given(sheets(min_files=1, max_files=2))
@settings(_SETTINGS, max_examples=15)
def test_stripes_and_columns_make_the_file(sheet: Sheets) -> None:
    """Reading stripe by stripe and column by column gives the values of the whole file."""
    for plan in sheet.plans:
        note(show(plan))
        file = OrcFile(write(plan))
        whole = tagged_table(file.read())
        parts = [tagged_table(file.read(stripes=[number])) for number in range(len(file.footer.stripes))]
        if parts:
            assert glued(parts) == values(whole)
        names = [column.name for column in whole.columns]
        for at, name in enumerate(names):
            if names.count(name) == 1 and plan.types[0].field_names:
                alone = tagged_table(file.read([name]))
                assert whole.column(at) in values(alone)  # "a.b" names a column as well as a field of one


@given(sheets(min_files=1, max_files=2))
@settings(_SETTINGS, max_examples=20)
def test_pushdown_loses_no_row(sheet: Sheets) -> None:
    """Rows that the reader does not skip include all rows that match, according to the oracle."""
    for plan in sheet.plans:
        file, whole = OrcFile(write(plan)), orc_expected.table(plan)
        types = [(column.name, column.type) for column in whole.columns]
        nothing = tagged_table(file.read(stripes=[]))

        @cache
        def left(*found: Found, file: OrcFile = file, nothing: Table = nothing) -> list[Table]:
            return [nothing, *(tagged_table(read_rows(file, *ranges)) for ranges in found)]

        for query in sheet.queries:
            if not isinstance(query, Filter):
                continue
            wanted = values(answer(query, whole, "ieee"))
            for means in ("on", *sorted(USING)):
                note(f"{show(plan)}\n{query} by {means}")
                found = scan(file, query.predicate, means, "ieee")
                parts = left(*((number, tuple(ranges)) for number, ranges in found))
                rest = Table.of(types, glued(parts), sum(part.num_rows for part in parts))
                assert values(answer(query, rest, "ieee")) == wanted
