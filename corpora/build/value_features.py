"""Features that the values of a table show, and neither the footer nor the pages of its file."""

from __future__ import annotations

from corpora.build.questions.constants import is_nan
from corpora.tagged import Table
from corpora.tagged_atoms import any_atom


def features_of_values(table: Table, format_: str) -> tuple[str, ...]:
    """Return the features that the values of a table show: whether there is NaN, which bounds leave out."""
    has_nan = any_atom(table, lambda type_: type_.kind == "float", is_nan)
    return (f"{format_}/value/nan",) if has_nan else ()
