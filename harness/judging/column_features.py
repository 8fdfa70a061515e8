"""The features of the columns that a failure is about: of their chunks in the file, and of their values."""

from __future__ import annotations

from collections.abc import Callable, Collection
from functools import partial

from corpora import folders
from corpora.build.formats import FORMATS
from corpora.build.value_features import features_of_values
from corpora.cases import Case
from corpora.queries import Query
from corpora.tagged import Table
from harness.judging.compare import Difference
from harness.judging.places import READ, Place
from harness.judging.read_wrong import has_columns, tested_columns
from reference_impl.errors import ReferenceError_

ColumnsOf = Callable[[Difference | None], tuple[str, ...]]


class ColumnFeatures:
    """The features of some columns of a case's file; each set of columns is looked at once.

    `table` are the values of the file, None where they are not known.
    """

    def __init__(self, case: Case, table: Table | None) -> None:
        self._case = case
        self._table = table
        self._of: dict[frozenset[str], tuple[str, ...]] = {}

    def of(self, query: Query | None, difference: Difference | None) -> tuple[str, ...]:
        """Return the sorted features of the columns that a failure is about; none of a whole file.

        These are the column with the difference if it is one of the file, else the columns that the query
        tests, or whose values it computes with.
        """
        names = self._differing(difference) if query is None or has_columns(query) else frozenset()
        if not names and query is not None:
            names = tested_columns(query)
        if names not in self._of:
            self._of[names] = tuple(sorted(self._features(names))) if names else ()
        return self._of[names]

    def _differing(self, difference: Difference | None) -> frozenset[str]:
        columns = () if self._table is None or difference is None else self._table.columns
        names = (column.name for column in columns)
        return frozenset(name for name in names if difference and difference.path.label == f"column {name!r}")

    def _features(self, names: Collection[str]) -> set[str]:
        case, features = self._case, set[str]()
        format_ = FORMATS[case.format]
        for file in [case.file] if case.read is None else folders.files_of(case.file):
            try:
                features |= set(format_.of_columns(format_.open(file, case.keys), names))
            except (ReferenceError_, OSError):  # cannot be opened: it shows nothing, as in `features_of_file`
                continue
        if self._table is not None:
            features |= set(features_of_values(self._table, case.format, names))
        return features


def of_repeated(case: Case, place: Place) -> ColumnsOf:
    """Return a function that has the features of the columns in which two answers at a place differ.

    Without recorded values it knows no columns of a whole file.
    """
    query = None if place.probe == READ else case.probes[place.probe].query
    features = ColumnFeatures(case, None if case.expectation is None else case.expectation.table)
    return partial(features.of, query)
