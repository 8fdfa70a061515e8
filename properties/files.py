"""Hypothesis strategies of Parquet and ORC files, for property tests of any reader.

```python
from hypothesis import given
from properties.files import parquet_files

@given(parquet_files())
def test_rows(file):
    assert file.has_rows(my_reader(file.data))
```

The files have any schema, encoding, codec, layout and statistics that the formats allow and the reference
writer can write. All are legal; `File.silence` says why a reader may still refuse one. Hypothesis shrinks a
failing file to fewer columns, fewer rows and the simplest layout that still fails.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from corpora import python_values
from corpora.answers import answer
from corpora.build.formats import FORMATS, ORC, PARQUET
from corpora.queries import Query, RowGroup
from corpora.tagged import Table
from properties.generate import GeneratedFile
from properties.strategies import schemas, sheets
from properties.strategies.orc import sheets as orc_sheets

if TYPE_CHECKING:
    from hypothesis import strategies as st

FEATURES = tuple(schemas.OF_FEATURES)


@dataclass(frozen=True, repr=False)
class File:
    """A legal file and its expected table.

    `data` are its bytes, `format` is `parquet` or `orc`, `table` has its exact values (`corpora.tagged`).
    `queries` can be run on it (`corpora.queries`); `answer` returns their right results.
    """

    data: bytes
    format: str
    table: Table
    queries: tuple[Query, ...]
    _generated: GeneratedFile

    def __repr__(self) -> str:
        """Return a line: the contents of the file may be too long to read (see `plan`)."""
        names = ", ".join(f"{name}: {type_}" for name, type_ in self.table.columns)
        return (
            f"<{self.format} file of {len(self.data):,} bytes, {self.table.num_rows:,} rows of {names:.400}>"
        )

    def _repr_pretty_(self, printer: Any, cycle: bool) -> None:
        """Print that line where Hypothesis shows a failing example; a file has no cycles."""
        del cycle
        printer.text(repr(self))

    @property
    def plan(self) -> str:
        """Return how the file is made, as Python: its schema, rows and layout."""
        return self._generated.text

    @property
    def silence(self) -> str:
        """Return why a reader may refuse the file, though it breaks no MUST; "" if it must not."""
        return self._generated.silence

    @cached_property
    def features(self) -> tuple[str, ...]:
        """Return the ids of the features that the file uses (`corpora/features.toml`)."""
        return self._generated.features

    def column(self, name: str) -> list[Any]:
        """Return a top-level column as Python values (`corpora.python_values`); raises KeyError."""
        return python_values.column(self.table, name)

    def rows(self) -> list[tuple[Any, ...]]:
        """Return the rows as Python values."""
        return python_values.rows(self.table)

    def has_rows(self, rows: Sequence[Sequence[Any]]) -> bool:
        """Return whether these are the rows, in order: NaN is the same as NaN, and 0.0 is not -0.0."""
        return python_values.same(rows, self.rows())

    def answer(self, query: Query, float_order: str = "ieee") -> Table:
        """Return the right answer to one of the queries.

        `float_order` is one of `corpora.constants.FLOAT_ORDERS`: how the reader orders NaN and zeros.
        """
        rows = tuple(self._generated.groups[query.number]) if isinstance(query, RowGroup) else None
        return answer(query, self.table, float_order, rows)


def parquet_files(feature: str = "") -> st.SearchStrategy[File]:
    """Return a strategy of Parquet files.

    `feature`: one of FEATURES, which the first column has; raises ValueError for another.
    """
    if feature and feature not in FEATURES:
        raise ValueError(f"{feature!r:.80} is not one of {', '.join(FEATURES)}")
    return sheets.sheets(1, 1, feature).map(lambda sheet: _file(sheet.plans[0], sheet.queries, PARQUET.name))


def orc_files() -> st.SearchStrategy[File]:
    """Return a strategy of ORC files."""
    return orc_sheets.sheets(1, 1).map(lambda sheet: _file(sheet.plans[0], sheet.queries, ORC.name))


def _file(plan: Any, queries: tuple[Query, ...], format_: str) -> File:
    """Return the file of a plan."""
    form = FORMATS[format_]
    generated = GeneratedFile(plan, form.write(plan, None), form.table(plan), form.parts(plan), format_)
    fitting = (
        query for query in queries if not isinstance(query, RowGroup) or query.number < len(generated.groups)
    )
    return File(generated.data, format_, generated.table, tuple(fitting), generated)
