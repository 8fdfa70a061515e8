"""The documented ways in which pyorc reads a file whole or answers a query: source of adapter and script.

https://pyorc.readthedocs.io/en/stable/api.html#pyorc.Reader has the options of a reader, `read(num)`, `seek`,
`iter_stripes` and `read_stripe`, and `converters`: without them dates, timestamps and decimals are values of
Python's `datetime` and `decimal`.
"""

from __future__ import annotations

from typing import NamedTuple

from corpora.slices import Slice

# https://pyorc.readthedocs.io/en/stable/api.html#pyorc.PredicateColumn: a column by its name or its index.
BY_NAME = "name=path[0]"


class Way(NamedTuple):
    """Options of a reader, as source of arguments, and the rows, an expression of the `reader`.

    With `schema`, the type of the file, in the options. `column`: the argument that names a column of a
    search argument, an expression of its type `schema` and its `path`. `converted`: pyorc's own converters
    make values, of which `reconverted` in an expression makes those of ours.
    """

    options: str = ""
    rows: str = "reader"
    column: str = "index=schema.column_id"
    converted: bool = False

    @property
    def by_name(self) -> bool:
        """Return whether search arguments have names, which say nothing of a path."""
        return self.column == BY_NAME


# At most some sixty parts, so that reading a large file takes no longer; those of small files are small.
_STEP = "max(7, len(reader) // 64)"
_PARTS = f"[row for at in range(0, len(reader), {_STEP}) for row in reader.read({_STEP})]"
_SOUGHT = f"[(reader.seek(at), reader.read({_STEP}))[1] for at in range(0, len(reader), {_STEP})[::-1]]"
_FROM_END = (
    f"[(reader.seek(at - len(reader), 2), reader.read({_STEP}))[1] for at in range(0, len(reader), {_STEP})]"
)
_STRIPES = "[row for stripe in reader.iter_stripes() for row in stripe.read()]"
_STRIPES_BACK = "[reader.read_stripe(at).read() for at in range(reader.num_of_stripes)[::-1]]"
WAYS = {
    "default": Way(),
    "small-batches": Way(", batch_size=7"),
    "column-indices": Way(", column_indices=list(range(len(schema.fields)))"),
    "column-names": Way(", column_names=list(schema.fields)"),
    "parts": Way(rows=_PARTS),
    "seek": Way(rows=f"[row for part in {_SOUGHT}[::-1] for row in part]"),
    "seek-from-the-end": Way(rows=f"[row for part in {_FROM_END} for row in part]"),
    "small-batches-seek": Way(", batch_size=7", f"[row for part in {_SOUGHT}[::-1] for row in part]"),
    "stripes": Way(rows=_STRIPES),
    "own-converters": Way(rows="map(reconverted, reader)", converted=True),
    "stripes-from-the-end": Way(rows=f"[row for part in {_STRIPES_BACK}[::-1] for row in part]"),
}
QUERIES = {
    "default": Way(),
    "small-batches": Way(", batch_size=7"),
    "stripes": Way(rows=_STRIPES),
    "names": Way(column=BY_NAME),
}


def slice_of(query: Slice) -> str:
    """Return the expression of the rows of a slice, of a `reader`; no row is sought behind the last one."""
    return f"(reader.seek(min({query.offset}, len(reader))), reader.read({query.rows}))[1]"
