"""The documented ways in which DuckDB reads a file whole: source that adapter and script share.

https://duckdb.org/docs/stable/configuration/overview has the settings,
https://duckdb.org/docs/stable/data/parquet/overview the options of `read_parquet`, and
https://duckdb.org/docs/stable/sql/dialect/order_preservation the clauses that keep the order of a file
(LIMIT, OFFSET, UNION ALL).
"""

from __future__ import annotations

from typing import NamedTuple


class Way(NamedTuple):
    """A statement of SQL with `{options}`, options of `read_parquet`, and settings by their names."""

    sql: str = "SELECT * FROM {source}"
    options: str = ""
    settings: tuple[tuple[str, str], ...] = ()


WAYS = {
    "default": Way(),
    "one-thread": Way(settings=(("threads", "1"),)),
    "many-threads": Way(settings=(("threads", "8"),)),
    "prefetch": Way(settings=(("prefetch_all_parquet_files", "true"),)),
    "union-by-name": Way(options=", union_by_name = true"),
    "row-numbers": Way("SELECT * EXCLUDE (file_row_number) FROM {source}", ", file_row_number = true"),
    "offset": Way(
        "(SELECT * FROM {source} LIMIT (SELECT count(*) // 3 FROM {source})) UNION ALL "
        "(SELECT * FROM {source} OFFSET (SELECT count(*) // 3 FROM {source}))"
    ),
}
