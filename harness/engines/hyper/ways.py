"""The ways in which Hyper reads a file whole: in place, or copied into a table first.

Queries are run only in place: on a copy, they do not test the reader of Parquet.

https://tableau.github.io/hyper-db/docs/sql/external/ ("Querying external data", "Importing external data").
"""

from __future__ import annotations

COPY = "colconf_copy"
# The table that is asked; a table of another name is made of the file first.
WAYS = {"in-place": "{source}", "copied": COPY}


def copying(source: str) -> str:
    """Return the statement that copies a file into the table of `copied`."""
    return f"CREATE TEMPORARY TABLE {COPY} AS (SELECT * FROM {source})"  # noqa: S608 - `source` is quoted
