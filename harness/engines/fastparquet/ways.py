"""The documented ways in which fastparquet reads a file whole or answers a query: source of both.

https://fastparquet.readthedocs.io/en/latest/api.html has the options of `ParquetFile`, `to_pandas`,
`iter_row_groups`, `read_row_group_file` and `head`; https://fastparquet.readthedocs.io/en/latest/details.html
has categories (of columns that are dictionary-encoded everywhere, with the same labels in every row group),
and the choice of an index.
"""

from __future__ import annotations

from typing import NamedTuple

from corpora.slices import Slice
from harness.engines.errors import Unsupported


class Way(NamedTuple):
    """Expressions: of the `file`, of a whole frame, and of the row groups that the filters `wanted` leave.

    `opened` is of `fastparquet` and the path FILE, the others of `file`, `pd`, and the `names` of columns.
    """

    opened: str = "fastparquet.ParquetFile(FILE)"
    whole: str = "file.to_pandas(index=False)"
    groups: str = "file.to_pandas(filters=wanted, index=False)"


_EMPTY = "file.to_pandas(index=False)[:0]"
_PIECES = f"pd.concat([*{{pieces}}] or [{_EMPTY}], ignore_index=True)"
_GROUP = "file.read_row_group_file(group, names, {}, index=False)"
# Of a file of one row group, the columns whose pages all have numbers of a dictionary (parquet.thrift,
# PageType and Encoding).
_CATEGORIES = (
    "[column.meta_data.path_in_schema[0] for group in file.row_groups for column in group.columns "
    "if len(file.row_groups) == 1 and column.meta_data.encoding_stats and all(each.encoding in (2, 8) "
    "for each in column.meta_data.encoding_stats if each.page_type in (0, 3))]"
)
WAYS = {
    "default": Way(),
    "row-groups": Way(whole=_PIECES.format(pieces="file.iter_row_groups(index=False)")),
    "picked-row-groups": Way(
        whole=_PIECES.format(pieces="(file[at].to_pandas(index=False) for at in range(len(file.row_groups)))")
    ),
    "row-group-files": Way(whole=_PIECES.format(pieces=f"({_GROUP} for group in file.row_groups)")),
    "columns": Way(whole="file.to_pandas(columns=names, index=False)"),
    "column-by-column": Way(
        whole="pd.concat([file.to_pandas(columns=[name], index=False) for name in names] "
        f"or [{_EMPTY}], axis=1)"
    ),
    "categories": Way(whole=f"file.to_pandas(categories={_CATEGORIES}, index=False)"),
    "index": Way(whole="file.to_pandas(index=names[0]).reset_index()[names]"),
    "head": Way(whole="file.head(file.count(), index=False)"),
    "files": Way(opened="fastparquet.ParquetFile([FILE])"),
    "file-object": Way(opened='fastparquet.ParquetFile(open(FILE, "rb"))'),
}
QUERIES = {
    "default": Way(),
    "row-groups": Way(groups=_PIECES.format(pieces="file.iter_row_groups(filters=wanted, index=False)")),
    "columns": Way(groups="file.to_pandas(columns=names, filters=wanted, index=False)"),
    "files": WAYS["files"],
    "file-object": WAYS["file-object"],
}


def slice_of(query: Slice) -> str:
    """Return the expression of the rows of a slice, of a `file` and the `names` of columns.

    Raises Unsupported for a slice of a filter: `head` passes over row groups, and filters no rows.
    """
    if query.predicate is not None:
        raise Unsupported("fastparquet has no limit on filtered rows")
    head = f"file.head({query.offset + query.rows}, columns=names, index=False)"
    return f"{head}.iloc[{query.offset}:].reset_index(drop=True)"
